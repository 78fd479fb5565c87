"""MDL trees against numbers worked out by hand."""

import numpy as np
import pytest

from featsieve.trees import MDLTreeClassifier, MDLTreeRegressor


def ten_and_ten(n_features=1):
    """10:10 cut into 9:1 and 1:9; further columns are constant."""
    X = np.zeros((20, n_features))
    X[:, 0] = np.arange(20) >= 10
    y = np.array([0] * 9 + [1] + [1] * 9 + [0])
    return X, y


def test_the_published_split_passes():
    # 20 · IG = 10.6200881 >= 6.9312648 = log2(19) + log2(7) − 2·1 + 2·2·0.468996.
    X, y = ten_and_ten()
    tree = MDLTreeClassifier(feature_cost=None, observe=True).fit(X, y)
    assert tree.node_count_ == 3
    assert 20 * tree.tried_.gain[0] == pytest.approx(10.6200881, abs=1e-6)
    # Naming one of F features costs log2(F): F = 12 leaves 10.52, F = 13 is too much.
    assert MDLTreeClassifier().fit(*ten_and_ten(12)).node_count_ == 3
    assert MDLTreeClassifier().fit(*ten_and_ten(13)).node_count_ == 1
    assert (
        MDLTreeClassifier(feature_cost="without_key").fit(*ten_and_ten(13)).node_count_
        == 3
    )


def test_thresholds_lie_equally_spaced():
    # t_j = 105 j / 21 = 5 j. The clean cut between 6 and 7 holds none of them; nearest
    # are t_1 = 5 in [5, 6) and t_2 = 10 in [9, 12).
    X = np.array([0, 5, 6, 7, 9, 12, 50, 60, 105.0] * 8)[:, np.newaxis]
    y = (X[:, 0] > 6).astype(int)
    assert MDLTreeClassifier().fit(X, y).tree_.threshold[0] == 6.5
    tree = MDLTreeClassifier(n_thresholds=20, feature_cost=None, max_depth=1).fit(X, y)
    assert tree.tree_.threshold[0] == pytest.approx(5)


def test_very_many_thresholds_are_as_good_as_all():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(300, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    many = MDLTreeClassifier(n_thresholds=10**9).fit(X, y)
    assert (
        many.tree_.feature.tolist()
        == MDLTreeClassifier().fit(X, y).tree_.feature.tolist()
    )


def test_depth_is_limited():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(300, 3))
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
    assert MDLTreeClassifier(max_depth=0).fit(X, y).node_count_ == 1
    assert MDLTreeClassifier(max_depth=1).fit(X, y).get_depth() == 1
    assert (
        MDLTreeClassifier(max_depth=10**30).fit(X, y).tree_
        == MDLTreeClassifier().fit(X, y).tree_
    )


def test_regression_splits_steps_and_not_noise():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(400, 5))
    noise = generator.normal(size=400)
    assert MDLTreeRegressor().fit(X, noise).node_count_ == 1
    tree = MDLTreeRegressor().fit(X, noise + 5 * (X[:, 2] > 0.5))
    assert tree.node_count_ == 3
    assert tree.feature_importances_.tolist() == [0, 0, 1, 0, 0]


@pytest.mark.parametrize("kind", [MDLTreeClassifier, MDLTreeRegressor])
@pytest.mark.parametrize(
    "options",
    [
        {"n_thresholds": 0},
        {"n_thresholds": 2.5},
        {"feature_cost": "x"},
        {"max_depth": -1},
        {"missing_branch": None},
    ],
    ids=str,
)
def test_bad_parameters(kind, options):
    name = next(iter(options))
    with pytest.raises(ValueError, match=f"'{name}' parameter of {kind.__name__} must"):
        kind(**options).fit([[1.0], [2.0]], [0, 1])
