"""Units: what may be exchanged instead of rows."""

from __future__ import annotations

import numpy as np
import pytest

from featsieve.data import ColumnKind, read_table
from featsieve.data.api import ANY_ORDER, RowDesign
from featsieve.inference._innovations import class_innovations, innovations
from featsieve.inference._units import (
    AS_BEFORE,
    NEWS_OF_BOTH,
    NEWS_OF_COLUMNS,
    NO_MEMORY,
    _has_memory,
    to_units,
)


def test_groups_of_one_target_are_one_row():
    table = read_table(
        {
            "x": [1.0, 3.0, 5.0, np.nan],
            "age": [40.0, 40.0, 7.0, 7.0],
            "c": ["u", "v", "v", "v"],
            "y": ["a", "a", "b", "b"],
        },
        "y",
    )
    design = RowDesign(groups=np.array([0, 0, 1, 1]), strata=np.array([0, 0, 0, 0]))
    units = to_units(table, design, np.array([1.0, 2.0, 3.0, 4.0]))
    assert units.table["x"].values.tolist() == [2, 5]
    assert units.table["age"].values.tolist() == [40, 7]
    assert units.table["c"].values.tolist() == [0, 1]
    assert units.table.target.values.tolist() == [0, 1]
    assert units.weights.tolist() == [3, 7]
    assert units.design.strata.tolist() == [0, 0]
    assert units.design.groups is None
    assert units.text == (
        "The target is the same in all rows of a group, so that 2 groups, not 4 rows, "
        "are the evidence; of each group the means of its numbers and its most "
        "frequent levels are looked at."
    )
    assert units.table.source_notes is table.source_notes
    bare = to_units(table, RowDesign(groups=design.groups))
    assert (bare.design.strata, bare.weights) == (None, None)


def test_values_of_groups():
    """Means of known numbers, most frequent known levels; the first one of a tie."""
    nan = np.nan
    table = read_table(
        {
            "gaps": [1.0, nan, 4.0, nan, nan, nan],
            "twice": [7.0, 7.0, nan, nan, nan, nan],  # the same in every group
            "level": ["v", "u", None, None, "w", "w"],
            "rare": ["u", None, None, "v", "v", None],
            "y": ["a", "a", "b", "b", "b", "b"],
        },
        "y",
    )
    groups = np.array([0, 0, 1, 1, 2, 2])
    units = to_units(table, RowDesign(groups=groups)).table
    np.testing.assert_array_equal(units["gaps"].values, [1, 4, nan])
    np.testing.assert_array_equal(units["twice"].values, [7, nan, nan])
    names = [[*c.levels, None] for c in (units["level"], units["rare"])]
    assert [names[0][k] for k in units["level"].values] == ["u", None, "w"]
    assert [names[1][k] for k in units["rare"].values] == ["u", "v", "v"]
    assert units["level"].values.dtype == np.int32
    assert units.n_rows == 3
    bare = read_table({"x": [1.0, 1, 3, 4], "y": ["a", "a", "b", "b"]}, "y").select([])
    assert to_units(bare, RowDesign(groups=groups[:4])).table.n_rows == 2


def test_a_mean_of_rounded_copies_is_the_value_itself():
    """0.1 three times has no other mean; a sum by three would be the next number."""
    table = read_table({"x": [0.1] * 3 + [0.7] * 3, "y": ["a"] * 3 + ["b"] * 3}, "y")
    units = to_units(table, RowDesign(groups=np.repeat([0, 1], 3)))
    assert units.table["x"].values.tolist() == [0.1, 0.7]


def test_targets_that_vary_inside_keep_their_rows():
    table = read_table({"x": [1.0, 2, 3, 4], "y": ["a", "b", "b", "b"]}, "y")
    design = RowDesign(groups=np.array([0, 0, 1, 1]))
    units = to_units(table, design)
    assert units.table is table
    assert units.design is design
    assert units.text == (
        "The target varies within the 2 groups: what is compared are rows of one "
        "group, and whole groups with each other."
    )
    weights = np.arange(4.0)
    assert to_units(table, design, weights).weights is weights
    assert to_units(table, ANY_ORDER).text is None
    assert to_units(table, RowDesign(strata=design.groups)).text == (
        "Rows are compared within 2 strata only; what strata differ by is not tested."
    )


def walks(n=300):
    return np.cumsum(np.random.default_rng(0).normal(size=(n, 2)), axis=0)


def test_rows_in_time_become_news_in_the_order_of_time():
    x, y = walks().T
    order = np.random.default_rng(1).permutation(300)
    table = read_table({"x": x[order], "f": (x > 0)[order] * 1, "y": y[order]}, "y")
    units = to_units(table, RowDesign(time=order))
    assert units.design.is_free
    assert abs(np.corrcoef(units.table["x"].values, np.diff(x, prepend=0))[0, 1]) > 0.9
    assert set(units.table["f"].values) == {0, 1}  # few values stay
    two = read_table({"x": x[order], "y": np.where(y > 0, "b", "a")[order]}, "y")
    assert not to_units(two, RowDesign(time=order)).table.target.is_nominal


@pytest.mark.parametrize("in_series", [False, True])
def test_news_are_those_of_target_and_columns_in_order(in_series):
    """Weights, series and the order of time go along; ten different values stay."""
    random = np.random.default_rng(4)
    x, y = walks().T
    few, more = random.integers(0, [[10], [11]], (2, 300)).astype(float)
    order = random.permutation(300)
    series = np.repeat([0, 1], 150) if in_series else None
    columns = {
        "x": x,
        "few": few,
        "more": np.sort(more),
        "w": random.choice(["u"], 300),
    }
    moved = {name: np.asarray(own)[order] for name, own in columns.items()}
    strata = None if series is None else series[order]
    design, weights = RowDesign(time=order, strata=strata), np.arange(300.0)
    table = read_table(moved | {"y": y[order]}, "y")
    units = to_units(table, design, weights[order])
    np.testing.assert_array_equal(units.table.target.values, innovations(y, series))
    for name in ("x", "more"):
        expected = innovations(columns[name], series)
        assert expected is not columns[name]
        np.testing.assert_array_equal(units.table[name].values, expected)
    np.testing.assert_array_equal(units.table["few"].values, few)
    assert units.table["w"].is_nominal
    assert units.weights.tolist() == weights.tolist()
    assert (units.text, units.design.is_free) == (NEWS_OF_BOTH, True)
    assert units.table.source_notes is table.source_notes
    assert to_units(table, design).weights is None
    # Two classes: ranks of their own law, by the seed.
    two = read_table(moved | {"y": np.where(y > np.median(y), "b", "a")[order]}, "y")
    units = to_units(two, design, seed=7)
    expected = class_innovations((y > np.median(y)).astype(float), 7, series)
    np.testing.assert_array_equal(units.table.target.values, expected)
    assert units.table.target.name == "y"
    assert units.table.target.kind is ColumnKind.NUMERIC
    expected = class_innovations((y > np.median(y)).astype(float), 0, series)
    np.testing.assert_array_equal(to_units(two, design).table.target.values, expected)


def test_equal_times_stay_in_the_order_of_rows():
    table = read_table({"x": np.arange(300.0), "y": walks()[:, 0]}, "y")
    random = np.random.default_rng(0)
    time = random.integers(0, 3, 300)
    units = to_units(table, RowDesign(time=time), np.arange(300.0))
    expected = [k for moment in range(3) for k in range(300) if time[k] == moment]
    assert units.weights.tolist() == expected


def test_classes_that_stay_ask_for_columns_without_memory():
    x, y = walks().T
    levels = np.where(x > np.median(x), "v", "u")
    table = read_table(
        {"c": levels, "f": (x > 0) * 1, "y": np.where(y > np.median(y), "b", "a")}, "y"
    )
    units = to_units(table, RowDesign(time=np.arange(300)), classes=True)
    assert units.table.target.is_nominal
    assert units.table["c"].levels[-1] == AS_BEFORE
    assert np.mean(units.table["c"].values == 2) > 0.8
    assert set(units.table["f"].values) <= {-1, 0, 1}


def test_columns_without_memory():
    """What classes that stay are held against, within series and across gaps."""
    n = 400
    random = np.random.default_rng(6)
    slow = np.repeat(random.integers(0, 3, n // 20), 20)  # 20 rows alike
    series = np.repeat([0, 1, 2, 3], 100)
    x = np.where(np.arange(n) % 40 < 2, np.nan, slow.astype(float))
    walk = np.cumsum(random.normal(size=n))
    table = read_table(
        {
            "level": [f"l{k}" for k in slow],
            "gaps": x,
            "walk": walk,
            "quick": [f"l{k}" for k in random.integers(0, 3, n)],
            "some": random.integers(0, 10, n).astype(float),
            "y": np.where(slow > 0, "b", "a"),
        },
        "y",
    )
    design = RowDesign(time=np.arange(n), strata=series)
    units = to_units(table, design, classes=True)
    assert units.text == NEWS_OF_COLUMNS
    assert units.table.target.values.tolist() == table.target.values.tolist()
    found = units.table["level"]
    assert (found.name, found.kind) == ("level", ColumnKind.NOMINAL)
    assert found.levels == (*table["level"].levels, AS_BEFORE)
    before = table["level"].values
    for k in range(n):
        same = k % 100 > 0 and before[k] == before[k - 1]
        assert found.values[k] == (3 if same else before[k])
    np.testing.assert_array_equal(units.table["gaps"].values, np.diff(x, prepend=x[0]))
    np.testing.assert_array_equal(units.table["walk"].values, innovations(walk, series))
    for name in ("quick", "some"):
        np.testing.assert_array_equal(units.table[name].values, table[name].values)
    # Three classes stay whatever is asked for.
    three = np.array([*"abc"])[slow]
    table = read_table({"walk": walk, "y": three}, "y")
    assert to_units(table, RowDesign(time=np.arange(n))).text == NEWS_OF_COLUMNS


def test_classes_of_series_are_held_against_columns_without_levels_of_series():
    """Series may differ in their classes, which takes no memory to show."""
    random = np.random.default_rng(8)
    classes = np.where(random.random(600) < 0.5, "b", "a")
    table = read_table({"x": random.normal(size=600), "y": classes}, "y")
    time, series = np.arange(600), np.repeat(np.arange(10), 60)
    apart = to_units(table, RowDesign(time=time, strata=series), classes=True)
    assert apart.text == NEWS_OF_COLUMNS
    expected = innovations(table["x"].values, series)
    np.testing.assert_array_equal(apart.table["x"].values, expected)
    assert to_units(table, RowDesign(time=time), classes=True).text == NO_MEMORY


@pytest.mark.parametrize(
    ("n_same", "expected"), [(69, False), (70, False), (71, True), (0, False)]
)
def test_memory_is_four_deviations_more_than_chance(n_same, expected):
    """Two levels, half each: 50 of 100 neighbours are the same, give or take 5."""
    same = np.arange(100) < n_same
    assert _has_memory(np.arange(102) % 2, same) is np.bool_(expected)


def test_memory_of_uneven_levels():
    """Nine of ten rows alike: neighbours agree in .82 of 400, give or take 7.68."""
    values = np.arange(400) % 10 == 0
    for n_same, expected in ((358, False), (359, True)):
        assert _has_memory(values, np.arange(400) < n_same) == expected
    assert not _has_memory(np.ones(9), np.ones(8, dtype=bool))
    assert not _has_memory(np.ones(0), np.ones(0, dtype=bool))


def test_missing_after_missing_is_as_before():
    """Half of the values are missing, in long runs, and the known ones differ."""
    x = np.arange(200.0) % 9
    x[np.arange(200) % 40 < 20] = np.nan
    y = np.where(np.arange(200) % 50 < 25, "b", "a")
    units = to_units(
        read_table({"x": x, "y": y}, "y"), RowDesign(time=np.arange(200)), classes=True
    )
    np.testing.assert_array_equal(units.table["x"].values, np.diff(x, prepend=x[:1]))


def test_a_target_without_memory_needs_nothing():
    random = np.random.default_rng(2)
    table = read_table({"x": walks()[:, 0], "y": random.normal(size=300)}, "y")
    units = to_units(table, RowDesign(time=np.arange(300)))
    np.testing.assert_array_equal(units.table["x"].values, walks()[:, 0])
    assert units.text == NO_MEMORY
