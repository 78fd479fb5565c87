"""The order of rows and columns by what they hold."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from featsieve.data._order import canonical_order
from featsieve.datasets import make_mixed
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
