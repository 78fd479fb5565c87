"""Columns of both kinds, checked once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from featsieve.measures import contingency_table, joint_codes
from featsieve.measures._codes import (
    check_association,
    check_finite,
    cut_column,
    own_name,
    read_columns,
)


def test_matrices_lists_and_single_columns():
    matrix = np.array([[1, 2], [3, 4], [5, 6]])
    found = read_columns(matrix)
    assert (len(found), found.n_rows, found.single) == (2, 3, False)
    assert [v.tolist() for v in found.values] == [[1, 3, 5], [2, 4, 6]]
    assert all(v.dtype == np.float64 and v.flags.c_contiguous for v in found.values)
    one = read_columns([1.5, np.nan])
    assert (len(one), one.n_rows, one.single) == (1, 2, True)
    listed = read_columns([np.array([1.5, 2.5]), np.array([0, -1])], [False, True])
    assert listed.nominal.tolist() == [False, True]
    assert listed.values[1].dtype == np.int32
    assert read_columns(matrix, "all").nominal.all()


@pytest.mark.parametrize(
    ("columns", "nominal", "message"),
    [
        (np.zeros((2, 2, 2)), None, "Got 3 axes"),
        ([np.zeros(2), np.zeros(3)], None, "must have 2 rows. Column 1 has 3"),
        (np.zeros((2, 2)), [True], "a mask of 2 columns"),
        (np.zeros((2, 2)), [0, 1], "a mask of 2 columns"),
        (np.zeros((2, 1)), "some", "a mask of 1 columns"),
    ],
)
def test_what_are_no_columns(columns, nominal, message):
    with pytest.raises(ValueError, match=message):
        read_columns(columns, nominal)


def test_words_are_no_numbers():
    with pytest.raises(TypeError, match="mark a column of codes with `nominal`"):
        read_columns(np.array([["a"], ["b"]]))


def test_auto_is_what_knows_weights():
    assert own_name("auto", weighted=False) == "kendall"
    assert own_name("auto", weighted=True) == "pearson"
    assert own_name("gamma", weighted=True) == "gamma"
    name, weights = check_association("auto", [1, 2], 2, "me")
    assert (name, weights.tolist()) == ("pearson", [1, 2])
    assert check_association("auto", None, 2, "me") == ("kendall", None)


@pytest.mark.parametrize("association", ["kendall", "gamma", "spearman"])
def test_order_has_no_weights(association):
    with pytest.raises(ValueError, match="has no weighted form"):
        check_association(association, [1, 2], 2, "me")
    assert check_association(association, None, 2, "me")[0] == association


def test_moments_need_finite_numbers():
    check_finite(np.array([1.0, np.nan]), "x")
    with pytest.raises(ValueError, match="x holds -inf in row 1"):
        check_finite(np.array([1.0, -np.inf]), "x")


def test_cut_columns_have_levels_of_equal_frequency():
    values = np.array([5.0, 1.0, np.nan, 3.0, 9.0])
    assert cut_column(values, 2, None).tolist() == [1, 0, -1, 0, 1]
    heavy = np.array([1.0, 9.0, 1.0, 1.0, 1.0])
    assert cut_column(values, 2, heavy).tolist() == [1, 0, -1, 1, 1]


def test_three_columns():
    table = contingency_table([0, 1, 1], [0, 0, 1], [1, 1, 0])
    assert table.shape == (2, 2, 2)
    assert table[0, 0, 1] == table[1, 0, 1] == table[1, 1, 0] == 1
    assert table.sum() == 3


def test_weights_are_summed():
    table = contingency_table([0, 0], [1, 1], weights=[0.5, 2.0])
    assert table.tolist() == [[0.0, 2.5]]


@given(
    st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 2)), min_size=1, max_size=30)
)
def test_joint_codes_name_each_combination_once(rows):
    first, second = (np.array(column) for column in zip(*rows, strict=True))
    codes = joint_codes(first, second)
    by_combination = {}
    for row, code in zip(rows, codes.tolist(), strict=True):
        key = tuple(max(value, -1) for value in row)
        assert by_combination.setdefault(key, code) == code
    assert sorted(by_combination.values()) == list(range(len(by_combination)))
    ignored = joint_codes(first, second, missing="ignore")
    assert_array_equal(ignored < 0, (first < 0) | (second < 0))


def test_joint_codes_do_not_overflow():
    columns = [np.arange(1000) * 2_000_000 for _ in range(12)]
    assert_array_equal(joint_codes(*columns), np.arange(1000))


def test_joint_codes_do_not_depend_on_the_order_of_rows():
    random = np.random.default_rng(0)
    columns = random.integers(0, 5, (3, 100))
    order = random.permutation(100)
    assert_array_equal(joint_codes(*columns)[order], joint_codes(*columns[:, order]))


def test_spread_with_nothing_known_leaves_nothing():
    table = contingency_table([-1, -1], [0, 1], missing="spread")
    assert table.sum() == pytest.approx(0.0)


def test_rows_missing_on_both_sides_stay_apart_where_nothing_is_known_on_both():
    table = contingency_table([0, 1, -1, -1, -1], [-1, -1, 0, 1, -1], missing="spread")
    assert_array_equal(table, [[1, 1, 0], [1, 1, 0], [0, 0, 1]])
