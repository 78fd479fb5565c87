"""Units: what may be exchanged instead of rows."""

from __future__ import annotations

import numpy as np

from featsieve.data import read_table
from featsieve.data.api import ANY_ORDER, RowDesign
from featsieve.inference._units import AS_BEFORE, to_units


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
    assert "2 groups, not 4 rows" in units.text


def test_targets_that_vary_inside_keep_their_rows():
    table = read_table({"x": [1.0, 2, 3, 4], "y": ["a", "b", "b", "b"]}, "y")
    design = RowDesign(groups=np.array([0, 0, 1, 1]))
    units = to_units(table, design)
    assert units.table is table
    assert units.design is design
    assert to_units(table, ANY_ORDER).text is None
    assert "2 strata" in to_units(table, RowDesign(strata=design.groups)).text


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


def test_a_target_without_memory_needs_nothing():
    random = np.random.default_rng(2)
    table = read_table({"x": walks()[:, 0], "y": random.normal(size=300)}, "y")
    units = to_units(table, RowDesign(time=np.arange(300)))
    np.testing.assert_array_equal(units.table["x"].values, walks()[:, 0])
