import numpy as np
import pytest
from sklearn.base import BaseEstimator, is_regressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectFromModel, SelectKBest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from featsieve.comparison._contestants import (
    ESTIMATORS,
    SELECTORS,
    chosen_features,
    fresh_copy,
    name_contestants,
)
from featsieve.exceptions import DataError

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 4))
Y = (X[:, 2] > 0).astype(int)


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize("name", SELECTORS)
def test_every_name_builds_a_selector(name, classes):
    selector = SELECTORS[name](classes)
    assert (selector is None) == (name == "all")
    if not classes and hasattr(selector, "target_bins"):
        assert selector.target_bins == 5


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_name_builds_a_learner(name):
    assert hasattr(ESTIMATORS[name](True), "predict")
    if name in ("c4.5", "naive-bayes"):
        with pytest.raises(DataError, match="predicts classes"):
            ESTIMATORS[name](False)
    else:
        assert is_regressor(ESTIMATORS[name](False))


def test_ways_to_name():
    named = name_contestants(
        "selectors",
        [
            "Information_Gain",
            SelectKBest(),
            ("best", SelectKBest()),
            None,
            SelectKBest(),
        ],
        SELECTORS,
        classes=True,
    )
    assert list(named) == [
        "Information_Gain",
        "SelectKBest",
        "best",
        "all",
        "SelectKBest (2)",
    ]
    single = name_contestants("selectors", SelectKBest(), SELECTORS, classes=True)
    assert list(single) == ["SelectKBest"]


def test_copies_are_unfitted_and_seeded_where_no_seed_is():
    search = SelectFromModel(RandomForestClassifier(n_estimators=3)).fit(X, Y)
    copy = fresh_copy(search, 7, "fold", 1)
    assert not hasattr(copy, "estimator_")
    assert copy.estimator.random_state is not None
    again = fresh_copy(search, 7, "fold", 1)
    assert again.estimator.random_state == copy.estimator.random_state
    other = fresh_copy(search, 7, "fold", 2)
    assert other.estimator.random_state != copy.estimator.random_state
    assert search.estimator.random_state is None
    kept = fresh_copy(DecisionTreeClassifier(random_state=3), 7)
    assert kept.random_state == 3


def test_peers_without_conventions_are_copied_whole():
    class Plain:
        def __init__(self, k):
            self.kept = [k]  # not as scikit-learn wants it

    thing = Plain(3)
    assert fresh_copy(thing, 0).kept == [3]
    assert fresh_copy(thing, 0).kept is not thing.kept


def test_chosen_features_are_found():
    class ByIndex(BaseEstimator):
        k_feature_idx_ = (2, 0)

    assert chosen_features(SelectKBest(k=1).fit(X, Y), X, 4).tolist() == [
        False,
        False,
        True,
        False,
    ]
    assert chosen_features(ByIndex(), X, 4).tolist() == [True, False, True, False]
    scaled = make_pipeline(StandardScaler(), SelectKBest(k=2)).fit(X, Y)
    assert chosen_features(scaled, X, 4) is None  # values are changed
    assert chosen_features(BaseEstimator(), X, 4) is None
