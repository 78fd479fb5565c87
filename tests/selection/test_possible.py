"""What is over a limit or fills up, and columns that are possible as a group."""

from __future__ import annotations

import numpy as np
import pytest

import featsieve
from featsieve.data import read_table
from featsieve.exceptions import DataError
from featsieve.selection import Selection, SieveSelector, _possible
from featsieve.selection._material import prepare
from featsieve.selection._possible import (
    MOST_ROWS,
    best_size,
    fill_up,
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
def weak():
    """Return 60 rows in which eight columns each tell a little, and none enough."""
    random = np.random.default_rng(1)
    x = random.normal(size=(60, 12))
    score = x[:, :8].sum(axis=1) / 4
    y = np.where(score + 0.4 * random.normal(size=60) > 0, "yes", "no")
    return read_table({f"x{j:02d}": x[:, j] for j in range(12)}, y)


def noise(seed, n_rows=30, n_columns=8, quantity=False):
    random = np.random.default_rng(seed)
    columns = {f"x{j}": random.normal(size=n_rows) for j in range(n_columns // 2)}
    for j in range(n_columns // 2, n_columns):
        columns[f"x{j}"] = random.choice(list("abc"), n_rows)
    classes = random.permutation(np.arange(n_rows) % 2).astype(str)
    target = random.normal(size=n_rows) if quantity else classes
    return prepare(read_table(columns, target), 0, 1)


def test_what_none_shows_all_do(weak):
    selection = featsieve.select(weak, verbose=False)
    possible = selection.possible
    assert len(possible) > 3
    assert not set(possible) & set(selection.features)
    ledger = selection.ledger.set_index("feature")
    rows = ledger.loc[possible]
    assert rows["p_value"].is_monotonic_increasing
    assert set(rows["verdict"]) == {"possible"}
    assert not rows["kept"].any()
    assert (rows["p_value"] > rows["threshold"]).all()
    assert rows["note"].str.contains("rows are too few to say which").all()
    text = selection.explain(possible[0])
    assert "is not kept: possible." in text
    assert "It is one of those that may matter: all columns that were" in text
    assert Selection.from_json(selection.to_json()).explain(possible[0]) == text
    (note,) = (n for n in selection.notes if "possible are" in n["text"])
    assert repr(possible[0]) in note["text"]
    assert "include_possible=True keeps them" in note["text"]


def test_possible_columns_are_kept_if_asked_for(weak):
    without = featsieve.select(weak, verbose=False)
    asked = featsieve.select(weak, include_possible=True, verbose=False)
    assert asked.features == [*without.features, *without.possible]
    assert asked.possible == without.possible
    assert set(asked.dropped).isdisjoint(asked.possible)
    assert "include_possible=True" in asked.code
    selector = SieveSelector(include_possible=True).fit(weak, None)
    assert set(selector.get_feature_names_out()) == set(asked.features)
    assert asked.to_pipeline().include_possible
    limited = featsieve.select(
        weak, include_possible=True, max_selected=2, verbose=False
    )
    assert limited.features == asked.features[:2]
    assert "over the limit" in limited.ledger["verdict"].tolist()


def test_rows_in_another_order_give_the_same_group(weak):
    there = featsieve.select(weak, verbose=False)
    back = featsieve.select(weak.take(np.arange(60)[::-1]), verbose=False)
    assert back.possible == there.possible


def test_possible_columns_are_the_first_to_reach_a_minimum(weak):
    without = featsieve.select(weak, verbose=False)
    least = len(without.features) + 2
    found = featsieve.select(weak, min_features=least, verbose=False)
    assert found.features == [*without.features, *without.possible[:2]]
    row = found.ledger.set_index("feature").loc[without.possible[0]]
    assert (row["verdict"], row["kept"]) == ("filled in", True)
    assert "by itself it would be possible: all columns" in row["note"]
    words = found.verdict(without.possible[0], in_words=True)
    assert words == "filled in (kept to reach min_features)"
    explained = found.explain(without.possible[0])
    assert "kept to reach min_features, and the error rate does not hold" in explained
    (note,) = (n for n in found.notes if "Kept only to reach" in n["text"])
    assert note["severity"] == "warning"
    assert f"min_features={least}: {without.possible[0]!r} and " in note["text"]
    everything = featsieve.select(weak, min_features=12, verbose=False)
    assert set(everything.features) == set(weak.names)
    assert everything.features[:least] == found.features
    assert found.to_pipeline().min_features == least


def test_enough_features_need_no_filling():
    random = np.random.default_rng(0)
    y = np.arange(200) % 2
    columns = {"x": random.normal(size=200), "z": y + 0.3 * random.normal(size=200)}
    found = featsieve.select(read_table(columns, y), min_features=1, verbose=False)
    assert found.features == ["z"]
    assert not found.notes


def test_more_than_there_are_cannot_be_kept(weak):
    with pytest.raises(DataError, match=r"only 12 of 12 columns can be used\. Ask"):
        featsieve.select(weak, min_features=13, verbose=False)
    same = read_table({"a": ["x"] * 9}, np.arange(9) % 2)
    with pytest.raises(DataError, match=r"only 0 of 1 columns can be used\. Leave"):
        featsieve.select(same, min_features=1, verbose=False)


def test_what_fills_up_adds_to_the_rest():
    """A copy of what is there comes last, however small its own p-value."""
    random = np.random.default_rng(2)
    a, b, noise = random.normal(size=(3, 100))
    y = ((a + b + random.normal(size=100)) > 0) * 1
    columns = {"copy": a + 0.01 * random.normal(size=100), "a": a, "b": b, "z": noise}
    material = prepare(read_table(columns, y), 0, 1)
    p_values = np.array([1e-6, 1e-7, 1e-3, 0.3])
    assert fill_up(material, [1], [], p_values, 1) == []
    assert fill_up(material, [1], [], p_values, 2) == [2]
    assert fill_up(material, [1], [0, 3], p_values, 2) == [0]
    assert fill_up(material, [], [], p_values, 2) == [1, 2]
    assert sorted(fill_up(material, [], [], p_values, 4)) == [0, 1, 2, 3]
    # With four rows nothing more can be given: their own p-values decide.
    few = prepare(read_table(columns, y).take(np.arange(4)), 0, 1)
    assert fill_up(few, [1], [], p_values, 3) == [0, 2]


def test_nothing_is_asked_of_many_rows_or_of_no_columns():
    many = noise(0, n_rows=MOST_ROWS + 1)
    assert find_group(many, [], [0, 1], np.ones(8), 0.05) is None
    assert find_group(noise(0), [0], [], np.ones(8), 0.05) is None


def test_what_is_kept_may_leave_no_rows_to_compare():
    assert find_group(noise(1), list(range(8)), [], np.ones(8), 0.05) is None
    few = noise(1, n_rows=12)
    assert find_group(few, list(range(6)), [6, 7], np.ones(8), 0.9999) is None


def correlated(seed, kind):
    """Return a material in which the first two columns matter, and how many rest."""
    random = np.random.default_rng([seed, 4])
    z = random.normal(size=(80, 2))
    rest = 0.8 * z[:, np.arange(10) % 2] + 0.6 * random.normal(size=(80, 10))
    eta = z[:, 0] * z[:, 1] if kind == "pair" else z.sum(axis=1)
    if kind == "quantity":
        y = eta + random.normal(size=80)
    elif kind == "three classes":
        y = np.digitize(eta + random.normal(size=80), [-0.7, 0.7]).astype(str)
    else:
        y = (random.random(80) < 1 / (1 + np.exp(-3 * eta))).astype(int).astype(str)
    x = np.hstack([z, rest])
    columns = {f"x{j:02d}": x[:, j] for j in range(12)}
    return prepare(read_table(columns, y), 0, 1)


@pytest.mark.parametrize("kind", ["classes", "quantity", "three classes"])
def test_neighbours_of_what_is_kept_are_no_group(kind, monkeypatch):
    """Given the columns that matter, others that go with them pass as often as noise.

    Of 100 tables 20 ± 4 pass at 0.2, four deviations are 36; not given, nearly all do.
    """
    monkeypatch.setattr(
        _possible, "forest_loss", lambda _, columns: float(-len(columns))
    )
    rest, p_values = list(range(2, 12)), np.ones(12)
    tables = [correlated(seed, kind) for seed in range(100)]
    found = [find_group(m, [0, 1], rest, p_values, 0.9999) for m in tables]
    assert sum(group is not None for group in found) <= 36
    found = [find_group(m, [], rest, p_values, 0.05) for m in tables[:10]]
    assert sum(group is not None for group in found) >= 9


def test_what_columns_tell_together_is_given_too(monkeypatch):
    """The product of two numbers, cut into bins, leaves little to their neighbours."""

    def test(*_, given, **__):
        asked.append(given)
        return 1.0

    asked = []
    monkeypatch.setattr(_possible, "likeness_test", test)
    material = correlated(0, "pair")
    find_group(material, [0, 1], [2], np.ones(12), 0.05)
    find_group(material, [0, 1], [2], np.ones(12), 0.05, sets=[(0, 1)])
    y = material.classes - material.classes.mean()
    alone, together = (((y @ space) ** 2).sum() / (y @ y) for space in asked)
    assert together > alone + 0.05


@pytest.fixture
def losses(monkeypatch):
    """Have forests err as told, by their columns; return what they were asked."""
    told, asked = {}, []

    def forest_loss(material, columns):
        names = list(material.table.names)
        asked.append(tuple(names.index(column.name) for column in columns))
        return told[asked[-1]]

    monkeypatch.setattr(_possible, "forest_loss", forest_loss)
    return told, asked


def test_losses_are_mean_squared_errors():
    y = np.tile([0, 1], 30)
    material = prepare(read_table({"x": y + 0.5}, y), 0, 1)
    # Both classes are known for certain.
    assert _possible.forest_loss(material, material.table.columns, 30) < 1e-9
    wrong = prepare(read_table({"x": np.arange(60) % 7 + 0.5}, y), 0, 1)
    assert 0.2 < _possible.forest_loss(wrong, wrong.table.columns, 30) < 1.5


def test_the_best_size_errs_least_and_is_no_less_than_asked(losses):
    told, asked = losses
    columns = noise(0).table.columns
    told.update({(7,): 3.0, (7, 0): 2.0, (7, 0, 1): 1.0, (7, 0, 1, 2): 1.0})
    assert best_size(noise(0), columns[7:], columns[:3]) == 2
    told[7,] = 0.5
    assert best_size(noise(0), columns[7:], columns[:3]) == 0
    asked.clear()
    assert best_size(noise(0), columns[7:], columns[:3], least=1) == 2
    assert [len(one) for one in asked] == [2, 3, 4]


@pytest.fixture
def likeness(monkeypatch):
    """Have the test of all columns find a p-value; return what it was asked."""
    asked = {}

    def test(columns, outcomes, level, *, seed, given):
        names = [column.name for column in columns]
        asked.update(
            names=names, outcomes=outcomes, level=level, seed=seed, given=given
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
        told[tuple(order[:count])] = abs(count - 3)
    likeness["p_value"] = 0.01
    found = find_group(material, [], [0, 1, 2, 3, 4], p_values, 0.05)
    assert likeness["level"] == pytest.approx(0.01)
    assert (found.members, found.p_value) == ((2, 3, 1), 0.01)
    assert [len(columns) for columns in asked] == [1, 2, 3, 4, 5]
    assert likeness["names"] == [f"x{j}" for j in range(5)]
    assert likeness["outcomes"].sum(axis=1).tolist() == [1] * 30
    assert likeness["given"].shape == (30, 0)
    likeness["p_value"] = 0.0101
    assert find_group(material, [], [0, 1, 2, 3, 4], p_values, 0.05) is None


def test_a_group_may_be_of_no_use_beside_what_is_kept(likeness, losses):
    told, _ = losses
    likeness["p_value"] = 0.001
    told[7,], told[7, 1] = 1.0, 1.0
    assert find_group(noise(0), [7], [1], np.ones(8), 0.05) is None
    told[7, 1] = 0.9
    assert find_group(noise(0), [7], [1], np.ones(8), 0.05).members == (1,)
    assert likeness["given"].shape[1] > 0


def test_sizes_of_groups_that_are_tried(likeness, losses):
    told, asked = losses
    likeness["p_value"] = 0.001
    told.update({tuple(range(count)): 1.0 for count in range(21)})
    material = noise(0, n_columns=20)
    find_group(material, [], list(range(20)), np.ones(20), 0.05)
    tried = [len(columns) for columns in asked]
    assert tried == [1, 2, 3, 4, 6, 8, 12, 16, 20]


@pytest.mark.parametrize(("n_rows", "asked"), [(3, 0), (4, 1), (500, 1), (501, 0)])
def test_groups_are_looked_for_in_few_rows(likeness, losses, n_rows, asked):
    likeness["p_value"] = 1.0
    find_group(noise(0, n_rows=n_rows), [], [0, 1], np.ones(8), 0.05)
    assert ("level" in likeness) == bool(asked)
    assert not losses[1]
