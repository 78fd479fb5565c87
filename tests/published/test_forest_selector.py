"""Forest tests: numbers of the prototype of seed 004 (vectors-004.json, forests.md)."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from featsieve.data import read_table
from featsieve.inference._interaction_test import expected_gain, mean_excess, t_test
from featsieve.inference._probes import _upper_tail, compare_with_shadows
from featsieve.measures import node_complexity
from featsieve.selectors import ForestSelector, MDLTreeSelector
from featsieve.trees._gain_forests import ShadowSums, TriedSums

pytestmark = pytest.mark.published

# Rows of a node: the mean of eq. 7.13 and 7.14.
THRESHOLDS = {
    2: 1.0,
    3: 0.7202251748,
    4: 0.5638600336,
    5: 0.4646339007,
    10: 0.252003897,
    20: 0.1358283386,
    50: 0.05998096801,
    100: 0.03239884441,
    500: 0.007845,
    1000: 0.004281643295,
}


@pytest.mark.parametrize(("n", "threshold"), THRESHOLDS.items())
def test_expected_gain(n, threshold):
    counts = np.array([[n // 2, n - n // 2], [1, n - 1]], dtype=float)
    assert expected_gain(counts) == pytest.approx([threshold] * 2, abs=1e-6)


def test_published_t_test():
    nodes = np.array([[5, 5], [8, 2], [3, 4], [2, 2]], dtype=float)
    gains = np.array([0.3, 0.1, 0.25, 0.5])
    weight = node_complexity(nodes)
    assert weight == pytest.approx([6.977279923, 4.602964207, 4.214997303, 1.918295834])
    excess = gains - expected_gain(nodes)
    sums = TriedSums(
        np.array([4]),
        *(np.array([np.sum(weight * excess**power)]) for power in (0, 1, 2)),
    )
    assert mean_excess(sums) == pytest.approx([-0.05028911889])
    assert t_test(sums) == pytest.approx([0.8127489612])


def test_shadows():
    weight = np.array([4.0, 2.0, 1.0, 4.0, 2.0, 1.0])
    feature = np.array([0, 0, 0, 1, 1, 1])
    gain = np.array([0.5, 0.4, 0.6, 0.1, 0.2, 0.3])
    shadow = np.array(
        [
            [0.1, 0.2, 0.15],
            [0.2, 0.1, 0.3],
            [0.5, 0.3, 0.2],
            [0.12, 0.1, 0.2],
            [0.3, 0.2, 0.1],
            [0.2, 0.6, 0.3],
        ]
    )
    shadow_sums = [
        (weight[feature == f, None] * shadow[feature == f]).sum(axis=0) for f in (0, 1)
    ]
    sums = ShadowSums(
        np.array([3, 3]),
        np.bincount(feature, weight),
        np.bincount(feature, weight * gain),
        np.array(shadow_sums),
    )
    comparison = compare_with_shadows(sums)
    assert comparison.excess == pytest.approx([0.2952380952, -0.03238095238])
    null = [
        [-0.006734350297, -0.006734350297, 0.01346870059],
        [-0.009428090416, 0.01481557065, -0.005387480238],
    ]
    np.testing.assert_allclose(comparison.null, null, rtol=1e-9)
    deviation = np.sqrt(np.mean(comparison.null**2))
    assert deviation == pytest.approx(0.01007905261)
    tail = _upper_tail(comparison.excess / deviation, 1.25)
    assert tail == pytest.approx([1.116262991e-19, 1.0], rel=1e-6)


def test_false_discovery_control():
    adjusted = false_discovery_control([0.001, 0.02, 0.03, 0.5])
    assert (adjusted <= 0.05).tolist() == [True, True, True, False]


# Table 8.6: DT2, RF Thr and RF HT keep so many features, as means over splits.
KEPT = {
    "breast-cancer-wisconsin": (9.00, 9.00, 9.00),
    "sonar": (19.66, 58.39, 40.47),
    "pima-diabetes": (5.36, 4.00, 4.00),
}


@pytest.mark.parametrize("name", KEPT)
def test_table_8_6(shared_dir, name):
    table = read_table(shared_dir / "data" / name / "train.csv", target="class")
    random = np.random.default_rng(0)
    part = table.take(random.permutation(len(table))[: 9 * len(table) // 10])
    theirs = {"n_estimators": 100, "n_thresholds": 77, "failed_draw": "leaf"}
    selectors = (
        MDLTreeSelector("feasible", feature_cost="without_key", n_thresholds=20),
        ForestSelector("threshold", **theirs),
        ForestSelector("t", **theirs),
    )
    counts = [selector.fit(part, None).support_.sum() for selector in selectors]
    # One split differs from the mean of a hundred: by 4 features on Sonar.
    assert counts == pytest.approx(KEPT[name], abs=0.08 * table.n_columns)


@pytest.mark.parametrize(
    ("name", "relevant"),
    [("monks-1", {"a1", "a2", "a5"}), ("monks-3", {"a2", "a5"})],
)
def test_the_prototype_on_monks(shared_dir, name, relevant):
    """Spec, section 5: p < 0.0001 for the relevant features of monks-1 and monks-3."""
    table = read_table(
        shared_dir / "data" / name / "train.csv", target="class", nominal="all"
    )
    selector = ForestSelector().fit(table, None)
    assert set(selector.get_feature_names_out()) == relevant
