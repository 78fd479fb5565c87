"""MDLTreeSelector: what a tree uses and what it could use."""

import numpy as np
import pytest

from featsieve.datasets import make_copies
from featsieve.exceptions import NoFeatureSelectedWarning
from featsieve.selectors import MDLTreeSelector
from featsieve.trees import MDLTreeClassifier


@pytest.fixture
def copies():
    return make_copies(400, random_state=0)


def test_used_features_are_those_of_the_tree(copies):
    table, _ = copies
    selector = MDLTreeSelector().fit(table, None)
    tree = MDLTreeClassifier().fit(table, None).tree_
    used = np.unique(tree.feature[tree.feature >= 0])
    assert np.flatnonzero(selector.support_).tolist() == used.tolist()
    gains = tree.weight / tree.weight[0] * tree.gain
    for feature in used:
        own = gains[tree.feature == feature].sum()
        assert selector.scores_[feature] == pytest.approx(own)
    assert selector.steps_[0]["used"] == table.names[tree.feature[0]]


def test_feasible_features_are_more(copies):
    table, _ = copies
    used = MDLTreeSelector().fit(table, None).support_
    selector = MDLTreeSelector(features="feasible").fit(table, None)
    assert np.all(selector.support_[used])
    assert selector.support_.sum() > used.sum()
    assert set(selector.get_feature_names_out()) == {
        name for step in selector.steps_ for name in step["feasible"]
    }


def test_a_quantity_is_taken_too():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    y = np.where(X[:, 1] > 0, 5.0, 0.0) + random.normal(size=200)
    selector = MDLTreeSelector().fit(X, y)
    assert selector.support_.tolist() == [False, True, False]
    assert len(selector.classes_) == 0


def test_noise_gives_nothing():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(100, 5)), random.integers(0, 2, 100)
    with pytest.warns(NoFeatureSelectedWarning):
        selector = MDLTreeSelector(features="feasible").fit(X, y)
    assert selector.steps_ == []
    assert selector.scores_.tolist() == [0.0] * 5


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("features", "all"), ("feature_cost", "free"), ("n_thresholds", 0)],
)
def test_bad_parameters_are_named(parameter, value):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of MDLTreeSelector"):
        MDLTreeSelector(**{parameter: value}).fit([[0.0], [1.0]], [0, 1])
