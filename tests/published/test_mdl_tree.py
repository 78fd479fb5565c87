"""MDL and random trees: numbers of the prototype of seed 004 (vectors-004.json)."""

import math

import numpy as np
import pytest

from featsieve.trees import MDLTreeClassifier, RandomTreeClassifier, RandomTreeRegressor
from reference.tree_tables import table_of
from reference.trees import Sample, from_arrays
from reference.trees_mdl import (
    FeatureCost,
    best_split,
    description_bits,
    gain_of,
    grow_mdl,
    grow_random,
)


def numeric(*columns, y, regression=False):
    target = np.array(y, dtype=float if regression else int)
    n_classes = None if regression else int(target.max()) + 1
    columns = [np.array(column, dtype=float) for column in columns]
    return Sample(columns, [None] * len(columns), target, n_classes)


def at_root(sample, criterion="entropy", n_thresholds=None):
    rows, weights = sample.cases()
    return best_split(
        sample,
        rows,
        weights,
        [0],
        criterion=criterion,
        slack=1e-9,
        n_thresholds=n_thresholds,
    )


@pytest.mark.parametrize(
    ("x", "y", "n_thresholds", "gain", "threshold"),
    [
        ([1, 2, 3, 4, 5, 6], [0, 0, 1, 0, 1, 1], None, 0.459147917, 2.5),
        ([1, 1, 2, 2], [0, 1, 0, 1], None, 0.0, 1.5),
        ([0, 0.1, 0.2, 0.9, 1], [0, 0, 1, 1, 1], 3, 0.419973094, 0.25),
    ],
    ids=["best", "no gain", "grid"],
)
def test_best_split(x, y, n_thresholds, gain, threshold):
    split = at_root(numeric(x, y=y), n_thresholds=n_thresholds)
    assert split.gain == pytest.approx(gain, abs=1e-9)
    assert split.threshold == threshold


def test_best_split_of_numbers():
    sample = numeric(range(6), y=[1, 2, 1, 5, 6, 5], regression=True)
    split = at_root(sample, "variance")
    assert split.threshold == 2.5
    share = split.gain / sample.target.var()
    assert share == pytest.approx(0.9473684211, abs=1e-9)


@pytest.mark.parametrize(
    ("left", "right", "saved", "bits"),
    [
        ([9, 1], [1, 9], 10.62008813, 6.93126481),
        ([10, 0], [0, 10], 20.0, 5.055282436),
    ],
)
def test_description_length(left, right, saved, bits):
    y = np.repeat([0, 1, 0, 1], [*left, *right])
    sample = numeric(np.repeat([0, 1], 10), y=y)
    rows, weights = sample.cases()
    parts = [(rows[:10], weights[:10]), (rows[10:], weights[10:])]
    assert 20 * gain_of(sample, parts, 20, "entropy") == pytest.approx(saved, abs=1e-8)
    counts = np.array([left, right])
    needed = description_bits(counts.sum(axis=0), counts, 20)
    assert needed == pytest.approx(bits, abs=1e-8)


def test_feature_cost():
    cost = FeatureCost(60)
    assert cost.bits(0) == pytest.approx(math.log2(60), abs=1e-9)
    cost.used, cost.n_splits = {4, 7}, 3
    assert cost.bits(0) == pytest.approx(9.246740598, abs=1e-8)
    assert cost.bits(7) == 1.0
    cheap = FeatureCost(60, "without_key")
    assert cheap.bits(0) == 0.0
    cheap.used, cheap.n_splits = {4, 7}, 3
    assert cheap.bits(0) == pytest.approx(3.339850003, abs=1e-8)


def fast_grow(estimator, sample):
    return from_arrays(estimator.fit(table_of(sample)[0], None).tree_)


def fast_full(sample):
    return fast_grow(RandomTreeClassifier(max_features=None), sample)


def plain_full(sample):
    return grow_random(sample, lambda _: range(len(sample.columns)))


@pytest.mark.parametrize("grow", [fast_full, plain_full])
def test_full_tree(grow):
    x, z = [2, 1, 4, 3, 6, 5, 8, 7], [7, 3, 5, 1, 2, 6, 4, 8]
    root = grow(numeric(x, z, y=[0, 0, 1, 0, 1, 1, 1, 0]))
    left, right = root.children
    assert (root.feature, root.threshold) == (0, 3.5)
    assert (right.feature, right.threshold) == (1, 7.0)
    assert root.gain == pytest.approx(0.5487949407, abs=1e-9)
    assert right.gain == pytest.approx(0.7219280949, abs=1e-9)
    counts = [node.value.tolist() for node in (root, left, right, *right.children)]
    assert counts == [[4, 4], [3, 0], [1, 4], [0, 4], [1, 0]]


@pytest.mark.parametrize(
    ("x", "y", "gain", "threshold"),
    [
        ([1, 2, 3, 4, 5, 6], [0, 0, 1, 0, 1, 1], 0.459147917, 2.5),
        ([1, 1, 2, 2], [0, 1, 0, 1], 0.0, 1.5),
    ],
)
def test_root_of_a_random_tree(x, y, gain, threshold):
    root = fast_grow(RandomTreeClassifier(max_depth=1), numeric(x, y=y))
    assert root.gain == pytest.approx(gain, abs=1e-9)
    assert root.threshold == threshold


def test_root_of_a_random_tree_of_numbers():
    sample = numeric(range(6), y=[1, 2, 1, 5, 6, 5], regression=True)
    root = fast_grow(RandomTreeRegressor(max_depth=1), sample)
    assert root.threshold == 2.5
    share = root.gain / sample.target.var()
    assert share == pytest.approx(0.9473684211, abs=1e-9)


@pytest.mark.parametrize(
    "grow", [lambda s: fast_grow(MDLTreeClassifier(), s), grow_mdl]
)
def test_a_split_must_pay_for_itself(grow):
    # The only feature is named in log2 1 = 0 bits. 20 bits are saved where 5.06 are
    # needed; 20·(1 - 0.971) = 0.58 where log2 19 + log2 7 - 2 + 4·0.971 = 8.94 are.
    clear = numeric(range(20), y=[0] * 10 + [1] * 10)
    assert grow(clear).threshold == 9.5
    noise = numeric([0] * 10 + [1] * 10, y=[0] * 6 + [1] * 4 + [0] * 4 + [1] * 6)
    assert grow(noise).feature == -1


@pytest.mark.parametrize(("n_features", "splits"), [(5, True), (60, False)])
@pytest.mark.parametrize(
    "grow", [lambda s: fast_grow(MDLTreeClassifier(), s), grow_mdl]
)
def test_a_feature_must_pay_for_its_name(grow, n_features, splits):
    # 10.62 bits saved, 6.93 needed for the cut (vectors above): 3.69 bits are left to
    # name one of 5 features (2.32 bits), but not one of 60 (5.91).
    y = [0] * 9 + [1] + [0] + [1] * 9
    constant = [[1] * 20] * (n_features - 1)
    root = grow(numeric(*constant, [0] * 10 + [1] * 10, y=y))
    assert (root.feature == n_features - 1) == splits
