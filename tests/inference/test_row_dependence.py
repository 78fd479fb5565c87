"""Rows that belong together show it; exchangeable ones raise no alarm."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import datasets

from featsieve.data import read_table
from featsieve.inference._row_dependence import (
    hidden_groups,
    hidden_time,
    look_for_dependence,
    nearly_repeated_rows,
    repeated_rows,
)


def table_of(X, y, **more):
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
    return read_table(columns | more | {"y": y}, "y")


def codes_of(table):
    return [found.note.code for found in look_for_dependence(table)]


@pytest.mark.parametrize("seed", range(8))
def test_exchangeable_tables_raise_no_alarm(seed):
    random = np.random.default_rng(seed)
    X = np.column_stack([random.normal(size=(200, 6)), random.integers(0, 3, (200, 6))])
    y = np.where(X[:, 0] + X[:, 6] + random.normal(size=200) > 1, "b", "a")
    for order in (np.arange(200), np.argsort(y), np.argsort(X[:, 0])):
        assert codes_of(table_of(X[order], y[order])) == []
    few = random.integers(0, 2, (300, 6))  # equal rows are natural here
    assert codes_of(table_of(few, np.where(few[:, 0] == 1, "b", "a"))) == []


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "diabetes"])
def test_known_tables_raise_no_alarm(name):
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    classes = y.astype(float) if name == "diabetes" else np.array(list("abc"))[y]
    for order in (np.arange(len(y)), np.argsort(y, kind="stable")):
        assert codes_of(table_of(X[order], classes[order])) == []


def test_repeated_rows():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 4)), np.repeat(["a", "a", "b"], 20)
    rows = np.concatenate([np.arange(60), np.arange(40, 60), np.arange(40, 60)])
    found = repeated_rows(table_of(X[rows], y[rows], number=np.arange(100)))
    assert found.rows.tolist() == list(range(60))
    assert "40 of 100 rows repeat others" in found.note.message
    kinds = np.arange(100) % 5
    few = table_of(np.round(X[kinds]), y[kinds * 12])
    assert repeated_rows(few) is None  # rows of five kinds, whole numbers
    measured = table_of(X[kinds], y[kinds * 12])  # nobody measures the same again
    assert repeated_rows(measured).rows.tolist() == list(range(5))
    other = np.concatenate([y, np.repeat(["a"], 40)])
    assert repeated_rows(table_of(X[rows], other)) is None  # targets differ


@pytest.mark.parametrize("place", range(5))
def test_rows_that_repeat_in_all_columns_but_one(place):
    random = np.random.default_rng(place)
    units = np.repeat(np.arange(40), 3)
    X, y = random.normal(size=(40, 9))[units], random.choice(["a", "b"], 40)[units]
    X[:, place] = random.normal(size=120)
    table = table_of(X, y)
    assert repeated_rows(table) is None
    found = nearly_repeated_rows(table)
    assert "80 of 120 rows repeat others" in found.note.message
    same = found.design.groups[:, None] == found.design.groups
    np.testing.assert_array_equal(same, units[:, None] == units)
    assert codes_of(table) == ["grouped_rows"]


def test_few_levels_are_no_repeated_rows():
    code = np.arange(80) % 2
    assert codes_of(table_of(np.column_stack([10 * code, code + 5]), code)) == []
    random = np.random.default_rng(0)
    X, y = random.integers(0, 2, (300, 9)), random.choice(["a", "b"], 300)
    assert nearly_repeated_rows(table_of(X, y)) is None
    X = random.normal(size=(300, 9))
    assert nearly_repeated_rows(table_of(X, y)) is None


@pytest.mark.parametrize("as_text", [False, True])
def test_identifiers(as_text):
    random = np.random.default_rng(1)
    groups = np.repeat(np.arange(30), 8)
    X = 2 * random.normal(size=(30, 6))[groups] + random.normal(size=(240, 6))
    y = np.where(random.normal(size=30)[groups] > 0, "b", "a")
    names = np.array([f"p{k}" for k in range(30)])[groups] if as_text else groups
    found = hidden_groups(table_of(X, y, patient=names))
    assert "groups='patient'" in found.note.message
    assert found.design.groups.max() == 29
    assert hidden_groups(table_of(X, y)) is None


def test_a_quantity_is_no_identifier():
    random = np.random.default_rng(2)
    age = random.integers(20, 60, 400)
    X = age[:, None] / 10 + random.normal(size=(400, 6))
    y = age / 10 + random.normal(size=400)
    assert hidden_groups(table_of(X, y, age=age)) is None


@pytest.mark.parametrize("classes", [False, True])
def test_series(classes):
    random = np.random.default_rng(3)
    walks = np.cumsum(random.normal(size=(300, 7)), axis=0)
    y = np.where(walks[:, 0] > np.median(walks[:, 0]), "b", "a")
    table = table_of(walks[:, 1:], y if classes else walks[:, 0])
    found = hidden_time(table)
    assert "`time=`" in found.note.message
    assert found.design.time.tolist() == list(range(300))
    shuffled = table.take(random.permutation(300))
    assert hidden_time(shuffled) is None


@pytest.mark.parametrize("seed", range(4))
def test_a_series_is_seen_where_nothing_depends_on_the_target(seed):
    random = np.random.default_rng(seed)
    rows = random.normal(size=(600, 9))
    for k in range(1, 600):
        rows[k] = 0.9 * rows[k - 1] + np.sqrt(1 - 0.81) * rows[k]
    found = hidden_time(table_of(rows[:, 1:], rows[:, 0]))
    assert "in the target and in 8 columns" in found.note.message


@pytest.mark.parametrize("seed", range(4))
def test_columns_that_follow_a_serial_target_are_no_series(seed):
    """Rows in blocks of the target: given it, columns are exchangeable."""
    random = np.random.default_rng(seed)
    y = np.repeat(random.normal(size=30), 20) + 0.1 * random.normal(size=600)
    X = np.column_stack([y, np.sin(2 * y), y**2, -y]) + random.normal(size=(600, 4))
    assert hidden_time(table_of(X, y)) is None
