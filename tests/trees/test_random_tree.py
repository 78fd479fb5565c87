"""Random trees: what is drawn, how often, and that a seed settles it."""

import numpy as np
import pytest
from scipy.stats import chisquare

from featsieve._kernels import GrowthRules, TreeColumns, grow_tree
from featsieve.exceptions import DataError
from featsieve.trees import RandomTreeClassifier, RandomTreeRegressor

KINDS = [RandomTreeClassifier, RandomTreeRegressor]


def noise(n_rows=80, n_features=5):
    generator = np.random.default_rng(7)
    X = generator.normal(size=(n_rows, n_features))
    return X, generator.integers(0, 2, n_rows)


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_settles_the_tree(kind):
    X, y = noise()
    trees = [kind(random_state=seed).fit(X, y).tree_ for seed in (1, 1, 2)]
    assert trees[0] == trees[1]
    assert trees[0] != trees[2]


@pytest.mark.parametrize("kind", KINDS)
def test_features_of_weight_zero_are_never_split_on(kind):
    X, y = noise()
    for seed in range(60):
        tree = kind(feature_weights=[1, 0, 3, 0, 1e-6], random_state=seed).fit(X, y)
        assert not {1, 3} & set(tree.tree_.feature.tolist())
        assert tree.score(X, y) == 1


def test_draws_follow_the_weights():
    X, y = noise()
    weights = np.array([1, 2, 3, 4, 5])
    counts = np.zeros(5)
    for seed in range(400):
        tree = RandomTreeClassifier(
            feature_weights=weights, max_depth=1, random_state=seed
        )
        counts[tree.fit(X, y).tree_.feature[0]] += 1
    assert chisquare(counts, 400 * weights / 15).pvalue > 0.001


def test_rows_may_bring_their_own_weights():
    # Rows with x0 <= 0 ask for feature 1, the others for feature 2.
    X, y = noise(n_features=3)
    columns = TreeColumns(len(X))
    for values in X.T:
        columns.add_numeric(np.ascontiguousarray(values))
    wishes = np.zeros_like(X)
    wishes[np.arange(len(X)), np.where(X[:, 0] <= 0, 1, 2)] = 1
    rules = GrowthRules()
    rules.n_drawn = 1
    roots = np.zeros(3)
    for seed in range(300):
        arrays, _ = grow_tree(
            columns,
            rules,
            classes=y.astype(np.int32),
            n_classes=2,
            row_chances=wishes,
            seed=seed,
        )
        assert 0 not in arrays["feature"]
        roots[arrays["feature"][0]] += 1
    expected = 300 * wishes.mean(axis=0)
    assert chisquare(roots[1:], expected[1:]).pvalue > 0.001


def test_a_failed_draw_is_repeated_or_ends_the_branch():
    X = np.column_stack([np.zeros(8), np.arange(8.0)])
    y = [0, 1] * 4
    nodes = [
        RandomTreeClassifier(failed_draw="leaf", random_state=seed)
        .fit(X, y)
        .node_count_
        for seed in range(20)
    ]
    assert min(nodes) == 1
    for seed in range(20):
        assert RandomTreeClassifier(random_state=seed).fit(X, y).node_count_ == 15


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        (None, 16),
        (1, 1),
        (99, 16),
        (0.5, 8),
        (np.float32(0.5), 8),
        ("sqrt", 4),
        ("log2", 4),
    ],
    ids=str,
)
def test_number_of_features_drawn(wanted, count):
    X, y = noise(n_features=16)
    tree = RandomTreeClassifier(
        max_features=wanted, max_depth=1, observe=True, random_state=0
    )
    tried = tree.fit(X, y).tried_.feature
    assert len(set(tried.tolist())) == len(tried) == count
    assert (np.diff(tried) > 0).all()


def test_min_cases():
    X, y = noise()
    tree = RandomTreeClassifier(min_cases=5, random_state=0).fit(X, y)
    leaves = tree.tree_.n_children == 0
    assert tree.tree_.weight[leaves].min() >= 5


def test_regression_reproduces_distinct_rows():
    X, _ = noise()
    y = X[:, 0] * 100 + 1e9
    tree = RandomTreeRegressor(random_state=0).fit(X, y)
    assert tree.predict(X) == pytest.approx(y, rel=1e-12)


def test_a_deep_chain():
    n_rows = 6000
    X = np.arange(float(n_rows))[:, np.newaxis]
    y = np.arange(n_rows) % 2
    tree = RandomTreeClassifier(max_features=None, random_state=0).fit(X, y)
    assert tree.get_depth() == n_rows - 1
    assert tree.score(X, y) == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "options",
    [
        {"max_features": 0},
        {"max_features": 1.5},
        {"max_features": "x"},
        {"max_features": True},
        {"max_depth": -1},
        {"min_cases": -1},
        {"min_cases": float("nan")},
        {"failed_draw": "x"},
        {"missing_branch": "x"},
    ],
    ids=str,
)
def test_bad_parameters(kind, options):
    name = next(iter(options))
    with pytest.raises(ValueError, match=f"'{name}' parameter of {kind.__name__} must"):
        kind(**options).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize(
    "weights", [[1], [0, 0], [-1, 1], [np.nan, 1], ["a", "b"], 3, {0: 1}], ids=str
)
def test_bad_feature_weights(weights):
    with pytest.raises(DataError, match="feature_weights must"):
        RandomTreeClassifier(feature_weights=weights).fit(
            [[1.0, 2.0], [2.0, 1.0]], [0, 1]
        )


def test_where_nothing_is_gained_the_first_cut_is_taken():
    # All known values are of class 1, so every cut gains nothing; those between tied
    # values once came first.
    X = np.array([[0.0], [0.25], [1.0], [1.0], [np.nan], [np.nan]])
    tree = RandomTreeClassifier(random_state=0).fit(X, [1, 1, 1, 1, 0, 0])
    assert tree.tree_.threshold[0] == 0.125
