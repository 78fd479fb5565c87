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


def test_copies_of_a_column_do_not_make_rows_repeat_others():
    random = np.random.default_rng(0)
    a = random.integers(3, size=200)
    b, y = (
        np.where(random.random(200) < 0.2, random.integers(3, size=200), a)
        for _ in range(2)
    )
    columns = {
        name: [f"{name}{k}" for k in v]
        for name, v in zip("acb", (a, a, b), strict=True)
    }
    assert repeated_rows(read_table(columns | {"y": y}, "y")) is None


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
