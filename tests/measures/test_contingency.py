import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from featsieve.measures import contingency_table, joint_codes


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
