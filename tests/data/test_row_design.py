"""How rows belong together, and the order of rows and columns by what they hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve.data import read_table
from featsieve.data._row_design import (
    ANY_ORDER,
    canonical_order,
    moment_codes,
    named_column,
    read_design,
    take_options,
)
from featsieve.datasets import make_mixed
from featsieve.exceptions import DataError
from reference.tree_tables import samples, table_of


def in_order(table, target, weights):
    rows, columns = canonical_order(table, target, weights)
    held = [table.columns[j].values[rows] for j in columns]
    return held, target.values[rows], None if weights is None else weights[rows]


def assert_same_order(table, weights, rows, names):
    shuffled = table.take(rows).select(names)
    one = in_order(table, table.target, weights)
    moved = None if weights is None else weights[rows]
    two = in_order(shuffled, shuffled.target, moved)
    for a, b in zip(one[0], two[0], strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(one[1], two[1])
    np.testing.assert_array_equal(one[2], two[2])


@given(samples(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(sample, random):
    table, weights = table_of(sample)
    rows = list(range(table.n_rows))
    random.shuffle(rows)
    assert_same_order(table, weights, np.array(rows), table.names)


def test_nor_does_that_of_columns():
    table = make_mixed(200, random_state=0).table
    random = np.random.default_rng(0)
    rows = random.permutation(200)
    names = [table.names[j] for j in random.permutation(table.n_columns)]
    assert_same_order(table, random.random(200), rows, names)


def test_codes_and_places():
    design = read_design(
        "select", 4, groups=["b", "a", "b", "c"], strata=[0.5, 2, 0.5, 2]
    )
    assert design.groups.tolist() == [1, 0, 1, 2]
    assert design.strata.tolist() == [0, 1, 0, 1]
    assert design.time is None
    part = design.take(np.array([3, 0]))
    assert part.groups.tolist() == [2, 1]
    assert not design.is_free
    assert ANY_ORDER.is_free
    assert ANY_ORDER.take(np.array([0])) is ANY_ORDER


@pytest.mark.parametrize(
    "time",
    [
        [30, 10, 20, 20],
        np.array(["2020-03-01", "2020-01-01", "2020-02-01", "2020-02-01"], "M8[D]"),
        ["2020-03-01", "2020-01-01", "2020-02-01", "2020-02-01"],
    ],
)
def test_time_is_a_place(time):
    assert read_design("select", 4, time=time).time.tolist() == [3, 0, 1, 2]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"groups": [1, 2]}, "one value per row: 4. Got 2"),
        ({"groups": [1, None, 2, 2]}, "missing in 1 of 4, first in row 1"),
        ({"groups": [1, 1, 1, 1]}, "one group only"),
        ({"groups": "patient"}, "must be one value per row"),
        ({"groups": [1, 1, 2, 2], "time": [1, 2, 3, 4]}, "groups or time, not both"),
        ({"groups": [1, 1, 2, 2], "strata": [0, 1, 0, 0]}, "must lie in one stratum"),
        ({"strata": [1, 2, 3, 4]}, "one row each"),
        ({"time": [1, 1, 1, 1]}, "same in every row"),
        ({"time": ["a", "b", "c", "d"]}, "numbers or dates. Got text such as 'a'"),
    ],
)
def test_what_is_wrong_is_said(options, words):
    with pytest.raises(DataError, match=words):
        read_design("select", 4, **options)


def test_names():
    table = read_table({"patient": [1, 1], "y": ["a", "b"]}, "y")
    assert named_column("select", "groups", "patient", table).name == "patient"
    with pytest.raises(DataError, match="Did you mean 'patient'"):
        named_column("select", "groups", "pateint", table)
    with pytest.raises(DataError, match="which is the target"):
        named_column("select", "groups", "y", table)


def test_options_are_taken_from_the_table():
    table = read_table({"a": [1, 2, 3], "who": ["x", "y", "x"], "w": [1.0, 2.0, 0.5]})
    given = {"groups": "who", "sample_weight": "w", "time": [3, 1, 2]}
    rest, columns, weights = take_options("compare", table, given)
    assert rest.names == ("a",)
    assert columns["groups"].levels == ("x", "y")
    assert columns["time"].values.tolist() == [3, 1, 2]
    assert set(columns) == {"groups", "time"}
    assert weights.tolist() == [1.0, 2.0, 0.5]
    same, columns, weights = take_options(
        "compare", table, {"sample_weight": [1, 1, 2]}
    )
    assert same is table
    assert (columns, weights) == ({}, [1, 1, 2])
    with pytest.raises(DataError, match="names 'who', which holds names such as 'x'"):
        take_options("compare", table, {"sample_weight": "who"})


def test_moments_are_shared_by_rows_of_equal_time():
    column = read_table({"time": [30.0, 10, 20, 20]}).columns[0]
    assert moment_codes("compare", column).tolist() == [2, 0, 1, 1]
