"""Chapters 7 and 8 of the thesis on ensembles, as the spec works them out."""

import numpy as np
import pytest

from featsieve.data import read_table
from featsieve.datasets import make_local_line
from featsieve.ensembles import RandomForestEnsembleClassifier
from featsieve.ensembles._forest_left_out import weighted_shares
from featsieve.ensembles._forest_sampling import confidence_interval, most_uniform
from featsieve.trees._forest import Forest
from reference.forests import chance_gain, complexity

# The hand-made tree: x0 <= 0.5 is class 0; else x1 <= 0.5 is class 1, else class 0.
X = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [0, 0], [1, 1]], dtype=float)
Y = np.array([0, 0, 1, 0, 0, 0], dtype=np.int32)
TREE = {
    "feature": np.array([0, -1, 1, -1, -1], dtype=np.int32),
    "threshold": np.array([0.5, np.nan, 0.5, np.nan, np.nan]),
    "first_child": np.array([1, -1, 3, -1, -1], dtype=np.int32),
    "n_children": np.array([2, 0, 2, 0, 0], dtype=np.int32),
    "level": np.full(5, -1, dtype=np.int32),
    "weight": np.array([6.0, 3, 3, 1, 2]),
    "value": np.array([[5.0, 1], [3, 0], [2, 1], [0, 1], [2, 0]]),
    "prediction": np.array([0, 0, 0, 1, 0], dtype=np.int32),
    "gain": np.array([0.190874, 0, 0.918296, 0, 0]),
}
LOCAL_RELEVANCE = [
    [0.2630344058, 0.0],
    [0.2630344058, 0.0],
    [1.0, 1.584962501],
    [-0.3219280949, 0.5849625007],
    [0.2630344058, 0.0],
    [-0.3219280949, 0.5849625007],
]


@pytest.fixture
def forest():
    from featsieve.trees import TreeFeature

    features = (TreeFeature("x0"), TreeFeature("x1"))
    return Forest([TREE], features, [0, 1], "largest")


def test_local_relevance_of_six_rows(forest):
    nothing = np.zeros((1, 6), dtype=np.uint8)
    ours = forest.local_relevance(X, Y, nothing)
    np.testing.assert_allclose(ours, LOCAL_RELEVANCE, atol=1e-9)
    raw = forest.local_relevance(X, Y, nothing, mean=False)
    # Eq. 8.5: constant per class, as all leaves are pure.
    np.testing.assert_allclose(
        raw.sum(axis=1), np.where(Y == 1, 2.584962501, 0.2630344058), atol=1e-9
    )


def test_local_sampling_of_the_root(forest):
    nothing = np.zeros((1, 6), dtype=np.uint8)
    sums = forest.local_relevance(X, Y, nothing).sum(axis=0)
    np.testing.assert_allclose(sums, [1.145247028, 2.754887502], atol=1e-9)
    np.testing.assert_allclose(sums / sums.sum(), [0.2936429549, 0.7063570451])


def test_confidence_interval():
    ours = confidence_interval(*np.array([[0.1], [0.04], [25]]), 0.95, 1.0)
    np.testing.assert_allclose(ours, [[0.01744405753, 0.1825559425]], atol=1e-9)


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        ([0.1, 0.3, 0.05], [0.2, 0.5, 0.4], [0.2666667, 0.4, 0.3333333]),
        ([0.1, 0.2, 0], [0.3, 0.4, 0.15], [0.3333333, 0.3809524, 0.2857143]),
        ([0.1, 0.1], [0.5, 0.4], [0.5, 0.5]),
        ([0.3, 0, 0], [0.4, 0.05, 0.1], [0.6666667, 0.1111111, 0.2222222]),
    ],
)
def test_most_uniform_distribution(lower, upper, expected):
    ours = most_uniform(np.column_stack([lower, upper]))
    np.testing.assert_allclose(ours, expected, atol=1e-7)


@pytest.mark.parametrize(
    ("n", "lower", "upper", "middle"),
    [
        (2, 1, 1, 1),
        (3, 0.723308, 0.717142, 0.720225),
        (10, 0.236803, 0.267205, 0.252004),
        (100, 0.024355, 0.040443, 0.032399),
        (1000, 0.002442, 0.006121, 0.004282),
    ],
)
def test_what_chance_gains(n, lower, upper, middle):
    low, high = chance_gain(n)
    assert (low, high) == pytest.approx((lower, upper), abs=1e-6)
    assert (low + high) / 2 == pytest.approx(middle, abs=1e-6)


def test_what_chance_gains_is_what_the_forest_sums_up():
    # One split of ten rows: the band is that of a node of ten rows.
    rows, classes = np.arange(10.0)[:, np.newaxis], [0] * 5 + [1] * 5
    forest = RandomForestEnsembleClassifier(n_estimators=1, bootstrap=False).fit(
        rows, classes
    )
    assert forest.chance_relevance_[0] == pytest.approx([0.236803, 0.267205], abs=1e-6)
    assert forest._gain_sums.phi[0] == pytest.approx(complexity([5, 5]))


def test_dynamic_integration():
    # Weights and predictions of two trees for three rows.
    weights = np.array([[1.0, 1.0, 0.92], [-0.92, -0.92, 0.4545454545]])
    labels = np.array([[0, 0, 1], [1, 1, 1]], dtype=np.int32)
    shares = weighted_shares(labels, weights, 2)
    assert shares.argmax(axis=1).tolist() == [0, 0, 1]


def test_dynamic_weights_of_two_hand_made_bags():
    rows = np.array(
        [[2, 7], [1, 3], [4, 5], [3, 1], [6, 2], [5, 6], [8, 4], [7, 8]], dtype=float
    )
    classes = np.array([0, 0, 1, 0, 1, 1, 1, 0])
    bags = ([0, 1, 2, 3], [4, 5, 6, 7])
    from featsieve.trees import RandomTreeClassifier, TreeFeature

    trees = [
        RandomTreeClassifier(max_features=None).fit(rows[bag], classes[bag])
        for bag in bags
    ]
    arrays = [{name: getattr(each.tree_, name) for name in TREE} for each in trees]
    features = (TreeFeature("x0"), TreeFeature("x1"))
    forest = Forest(arrays, features, [0, 1], "largest")
    right = forest.member_classes(rows) == classes
    unknown = np.array([[i not in bag for i in range(8)] for bag in bags])
    outcomes = np.where(unknown, 2 * right - 1, 0).T.astype(np.int8)
    index = forest.leaf_index(rows)
    weights = forest.tree_weights(rows[:3], index, np.ascontiguousarray(outcomes))
    expected = [[1.0, 1.0, 0.92], [-0.92, -0.92, 0.4545454545]]
    np.testing.assert_allclose(weights.T, expected, atol=1e-9)


def test_figure_8_8():
    # Means of x1, x2 in the spec: 0.64, 0.02 outside; 0.34, 0.23 in the centre.
    table = make_local_line(1000, random_state=0).table
    forest = RandomForestEnsembleClassifier(random_state=0).fit(table, None)
    x1 = table.columns[0].values
    outside = np.abs(x1 - 0.5) > 0.3
    means = forest.local_relevance_[outside].mean(axis=0)
    np.testing.assert_allclose(means, [0.64, 0.02], atol=0.06)
    centre = forest.local_relevance_[np.abs(x1 - 0.5) < 0.15].mean(axis=0)
    assert centre[1] > 5 * max(means[1], 0.02)


@pytest.mark.parametrize(
    ("name", "nodes", "published"),
    [
        ("sonar", 74.0, 81.9),
        ("pima-diabetes", 291.8, 265.3),
        ("ionosphere", 72.9, 61.0),
    ],
)
def test_tree_sizes(shared_dir, name, nodes, published):
    # Table 8.2, and the spec's own with exhaustive search and redraws, on 90 % of rows.
    table = read_table(shared_dir / "data" / name / "train.csv", target="class")
    sizes, compatible = [], []
    for seed in range(4):
        random = np.random.default_rng(seed)
        rows = np.sort(random.permutation(table.n_rows)[: int(0.9 * table.n_rows)])
        part = table.take(rows)
        ours = RandomForestEnsembleClassifier(random_state=seed, n_estimators=50).fit(
            part, None
        )
        sizes.append(ours.node_counts_.mean())
        old = RandomForestEnsembleClassifier(
            random_state=seed, n_estimators=50, n_thresholds=20, failed_draw="leaf"
        ).fit(part, None)
        compatible.append(old.node_counts_.mean())
    assert np.mean(sizes) == pytest.approx(nodes, rel=0.03)
    assert np.mean(compatible) == pytest.approx(published, rel=0.04)
