"""Sums of gains over a forest, against trees looked at one by one."""

import numpy as np
import pytest

from featsieve._kernels import FailedDraw
from featsieve.data import read_table
from featsieve.engine import derive_seed
from featsieve.measures import node_complexity
from featsieve.trees import RandomTree
from featsieve.trees._tried_growth import draw_distinct, grow_tried_forest


@pytest.fixture
def data():
    random = np.random.default_rng(0)
    X = np.column_stack([random.normal(size=(60, 2)), random.integers(0, 2, (60, 2))])
    return X, random.integers(0, 3, 60).astype(np.int32)


def half(counts):
    return np.full(len(counts), 0.5)


def grow(data, **options):
    X, y = data
    settings = {
        "n_trees": 20,
        "n_drawn": 1,
        "n_thresholds": None,
        "failed_draw": FailedDraw.REDRAW,
        "power": 1.0,
    }
    return grow_tried_forest(
        read_table(X),
        {"classes": y, "n_classes": 3},
        half,
        **(settings | {"seed": 4} | options),
    )


def test_one_tree_by_hand(data):
    sums = grow(data, n_trees=1)
    seed = derive_seed(4, "tree", 0)
    bag = draw_distinct(60, None, derive_seed(seed, "bag"))
    X, y = data
    # Rows out of the bag have no class, and the tree is seeded by 64 bits.
    tree = RandomTree(observe=True, random_state=seed).fit(X, y, bag)
    weight = node_complexity(tree.tree_.value[tree.tried_.node])
    for feature in range(4):
        own = (tree.tried_.feature == feature) & (weight > 0)
        excess = tree.tried_.gain[own] - 0.5
        assert sums.n_nodes[feature] == own.sum()
        assert sums.weight[feature] == pytest.approx(weight[own].sum())
        assert sums.excess[feature] == pytest.approx((weight[own] * excess).sum())
        assert sums.square[feature] == pytest.approx((weight[own] * excess**2).sum())


def test_any_number_of_jobs_gives_the_same_bits(data):
    one, two = grow(data, n_jobs=1), grow(data, n_jobs=2)
    np.testing.assert_array_equal(one.excess, two.excess)


def test_chances_and_thresholds(data):
    chances = np.array([1.0, 0.0, 1.0, 1.0])
    assert grow(data, chances=chances).n_nodes[1] == 0
    assert not np.array_equal(grow(data, n_thresholds=2).square, grow(data).square)
    stopped = grow(data, failed_draw=FailedDraw.LEAF)
    assert stopped.n_nodes.sum() < grow(data).n_nodes.sum()


def test_bags_hold_rows_once_and_by_chance():
    bag = draw_distinct(2000, None, 1)
    assert set(bag) == {0.0, 1.0}
    assert bag.mean() == pytest.approx(1 - np.exp(-1), abs=0.03)
    chances = np.repeat([0.0, 1.0], 1000)
    bag = draw_distinct(2000, chances, 1)
    assert bag[:1000].sum() == 0
    assert bag[1000:].mean() == pytest.approx(1 - np.exp(-2), abs=0.03)
