"""What is over a limit, and columns that stay as a group."""

from __future__ import annotations

import numpy as np
import pytest

import featsieve
from featsieve.data import read_table
from featsieve.datasets import make_corral
from featsieve.selection import Selection, _possible
from featsieve.selection._material import prepare
from featsieve.selection._possible import (
    MOST_ROWS,
    find_group,
    limit_features,
)


def test_strongest_first():
    assert limit_features([4, 1, 7], {}, 2) == {7}
    assert limit_features([4, 1, 7], {}, 5) == set()


def test_partners_come_along_or_not_at_all():
    partners = {1: (2,), 2: (1,)}
    assert limit_features([0, 1, 2, 3], partners, 3) == {3}
    assert limit_features([0, 1, 2, 3], partners, 2) == {1, 2}
    assert limit_features([1, 2], partners, 1) == {1, 2}


def test_partners_that_are_gone_are_not_waited_for():
    assert limit_features([1, 3], {1: (2,)}, 1) == {3}


@pytest.fixture(scope="module")
def corral():
    """Return 26 rows in which a class shows that no single column does."""
    return make_corral(26, random_state=5).table


def noise(seed, n_rows=30, n_columns=8, quantity=False):
    random = np.random.default_rng(seed)
    columns = {f"x{j}": random.normal(size=n_rows) for j in range(n_columns // 2)}
    for j in range(n_columns // 2, n_columns):
        columns[f"x{j}"] = random.choice(list("abc"), n_rows)
    classes = random.permutation(np.arange(n_rows) % 2).astype(str)
    target = random.normal(size=n_rows) if quantity else classes
    return prepare(read_table(columns, target), 0, 1)


def test_what_none_shows_all_do(corral):
    selection = featsieve.select(corral, verbose=False)
    kept = set(selection.features)
    assert {"A0", "A1", "B0", "B1"} <= kept
    row = selection.ledger.set_index("feature").loc["A0"]
    assert row["verdict"] == "relevant together"
    assert row["p_value"] > row["threshold"]
    assert {"A1"} <= set(row["partners"]) < kept
    assert "rows are too few to say which" in row["note"]
    text = selection.explain("A0")
    assert "It is kept as one of a group: all that were undecided tell more" in text
    assert Selection.from_json(selection.to_json()).explain("A0") == text


def test_limit_holds_for_groups(corral):
    selection = featsieve.select(corral, max_selected=2, verbose=False)
    assert len(selection.features) == 2
    assert "over the limit" in selection.ledger["verdict"].tolist()


def test_rows_in_another_order_give_the_same_group(corral):
    there = featsieve.select(corral, verbose=False)
    back = featsieve.select(corral.take(np.arange(26)[::-1]), verbose=False)
    assert back.features == there.features


def test_nothing_is_asked_of_many_rows_or_of_no_columns():
    many = noise(0, n_rows=MOST_ROWS + 1)
    assert find_group(many, [], [0, 1], np.ones(8), 0.05) is None
    assert find_group(noise(0), [0], [], np.ones(8), 0.05) is None


def test_what_is_kept_may_leave_no_rows_to_compare():
    assert find_group(noise(1), list(range(6)), [6, 7], np.ones(8), 0.05) is None


@pytest.fixture
def losses(monkeypatch):
    """Have forests err as told, by their columns; return what they were asked."""
    told, asked = {}, []

    def forest_losses(_material, columns, n_trees=100):
        asked.append((tuple(columns), n_trees))
        return np.array(told[tuple(columns)], dtype=float)

    monkeypatch.setattr(_possible, "forest_losses", forest_losses)
    return told, asked


def test_losses_are_squared_errors():
    y = np.tile([0, 1], 30)
    material = prepare(read_table({"x": y + 0.5}, y), 0, 1)
    found = _possible.forest_losses(material, [0], 30)
    assert found.shape == (60,)
    assert np.nanmax(found) < 1e-9  # both classes are known for certain
    wrong = prepare(read_table({"x": np.arange(60) % 7 + 0.5}, y), 0, 1)
    assert 0.2 < np.nanmean(_possible.forest_losses(wrong, [0], 30)) < 1.5


@pytest.fixture
def likeness(monkeypatch):
    """Have the test of all columns find a p-value; return what it was asked."""
    asked = {}

    def test(columns, outcomes, strata, level, *, seed):
        names = [column.name for column in columns]
        asked.update(
            names=names, outcomes=outcomes, strata=strata, level=level, seed=seed
        )
        return asked["p_value"]

    monkeypatch.setattr(_possible, "likeness_test", test)
    return asked


def test_a_group_has_a_fifth_of_the_error_and_least_loss(likeness, losses):
    told, asked = losses
    material = noise(0)
    p_values = np.array([0.9, 0.5, 0.2, 0.3, 0.9, 0.9, 0.9, 0.9])
    order = [2, 3, 1, 0, 4]
    for count in range(6):
        told[tuple(order[:count])] = [abs(count - 3), np.nan]
    likeness["p_value"] = 0.01
    found = find_group(material, [], [0, 1, 2, 3, 4], p_values, 0.05)
    assert likeness["level"] == pytest.approx(0.01)
    assert (found.members, found.p_value) == ((2, 3, 1), 0.01)
    assert [len(columns) for columns, _ in asked] == [1, 2, 3, 4, 5]
    assert likeness["names"] == [f"x{j}" for j in range(5)]
    assert likeness["outcomes"].sum(axis=1).tolist() == [1] * 30
    assert not likeness["strata"].any()
    likeness["p_value"] = 0.0101
    assert find_group(material, [], [0, 1, 2, 3, 4], p_values, 0.05) is None


def test_a_group_may_be_of_no_use_beside_what_is_kept(likeness, losses):
    told, _ = losses
    likeness["p_value"] = 0.001
    told[7,], told[7, 1] = [1.0], [1.0]
    assert find_group(noise(0), [7], [1], np.ones(8), 0.05) is None
    told[7, 1] = [0.9]
    assert find_group(noise(0), [7], [1], np.ones(8), 0.05).members == (1,)
    assert np.bincount(likeness["strata"]).sum() == 30


def test_sizes_of_groups_that_are_tried(likeness, losses):
    told, asked = losses
    likeness["p_value"] = 0.001
    told.update({tuple(range(count)): [1.0] for count in range(21)})
    material = noise(0, n_columns=20)
    find_group(material, [], list(range(20)), np.ones(20), 0.05)
    tried = [len(columns) for columns, _ in asked]
    assert tried == [1, 2, 3, 4, 6, 8, 12, 16, 20]


@pytest.mark.parametrize(("n_rows", "asked"), [(3, 0), (4, 1), (500, 1), (501, 0)])
def test_groups_are_looked_for_in_few_rows(likeness, losses, n_rows, asked):
    likeness["p_value"] = 1.0
    find_group(noise(0, n_rows=n_rows), [], [0, 1], np.ones(8), 0.05)
    assert ("level" in likeness) == bool(asked)
    assert not losses[1]


@pytest.mark.parametrize(
    ("n_rows", "n_strata"),
    [(32, 8), (31, 4), (16, 4), (15, 3), (12, 3), (11, 2), (7, 0)],
)
def test_strata_have_four_rows_each(likeness, n_rows, n_strata):
    likeness["p_value"] = 1.0
    columns = {"x": np.arange(n_rows) + 0.5, "z": np.arange(n_rows) * 7.5}
    material = prepare(read_table(columns, np.arange(n_rows) % 2), 0, 1)
    find_group(material, [0], [1], np.ones(2), 0.05)
    found = likeness.get("strata")
    assert (0 if found is None else len(np.unique(found))) == n_strata
