"""The selector tells what boosting did, and keeps what rose."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from featsieve.datasets import make_monks
from featsieve.exceptions import DataError
from featsieve.selectors import FeatureBoostingSelector
from featsieve.trees import C45Classifier
from reference import subset_ensembles as plain


@pytest.fixture(scope="module")
def mixed():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 150)
    X = pd.DataFrame(
        {
            "noise": random.normal(size=150),
            "size": y + random.normal(0, 0.5, 150),
            "colour": np.where(random.random(150) < 0.9, y, 1 - y).astype(str),
            "other": random.choice(["a", "b", "c"], 150),
        }
    )
    X.loc[::9, "size"] = np.nan
    X.loc[::11, "colour"] = None
    return X, y


def test_history_is_that_of_trees_and_equation_8(mixed):
    X, y = mixed
    selector = FeatureBoostingSelector(2, n_iterations=30, n_waiting=5).fit(X, y)
    subsets = [list(step["features"]) for step in selector.steps_]
    accuracies = [C45Classifier().fit(X[own], y).score(X[own], y) for own in subsets]
    np.testing.assert_allclose(selector.accuracies_, accuracies)
    positions = [[X.columns.get_loc(name) for name in own] for own in subsets]
    expected = plain.boosted_weights(4, positions, accuracies, 5)
    np.testing.assert_allclose(selector.weights_, expected, rtol=1e-9)
    np.testing.assert_array_equal(selector.scores_, selector.weights_[-1])
    for i in (0, 10, 29):
        assert selector.means_[i] == pytest.approx(np.mean(accuracies[: i + 1]))
        assert selector.deviations_[i] == pytest.approx(np.std(accuracies[: i + 1]))
        assert selector.steps_[i]["change"] == selector.changes_[i]


def test_keeps_what_rose(mixed):
    X, y = mixed
    selector = FeatureBoostingSelector(2).fit(X, y)
    assert selector.get_feature_names_out().tolist() == ["size", "colour"]
    assert selector.transform(X).shape == (150, 2)
    best = FeatureBoostingSelector(2, n_features_to_select=1).fit(X, y)
    assert best.support_.sum() == 1
    assert best.ranking_[best.support_] == 1


@pytest.mark.parametrize("accuracy", ["training", "out_of_bag"])
def test_jobs_do_not_change_the_answer(mixed, accuracy):
    X, y = mixed
    settings = {"accuracy": accuracy, "n_iterations": 20, "random_state": 5}
    one = FeatureBoostingSelector(**settings, n_jobs=1).fit(X, y)
    two = FeatureBoostingSelector(**settings, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.weights_, two.weights_)
    other = FeatureBoostingSelector(**{**settings, "random_state": 6}).fit(X, y)
    assert (one.weights_ != other.weights_).any()


def test_groups_found_by_the_scan_are_drawn_and_rise():
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (400, 20))
    y = X[:, 3] ^ X[:, 11]
    alone = FeatureBoostingSelector(3, n_features_to_select=2).fit(X, y)
    scanned = FeatureBoostingSelector(3, n_features_to_select=2, feature_groups="scan")
    scanned.fit(X, y)
    assert np.flatnonzero(scanned.support_).tolist() == [3, 11]
    assert ("x3", "x11") in scanned.groups_
    assert scanned.groups_weights_.max() > 0.5
    assert alone.groups_ == []
    assert scanned.accuracies_.mean() > alone.accuracies_.mean() + 0.1


def test_groups_by_name_or_position_and_too_large_ones():
    table, _ = make_monks(1)
    selector = FeatureBoostingSelector(
        2, feature_groups=[("a1", "a2"), [4, 0], (0, 1, 2)]
    )
    selector.fit(table, None)
    assert selector.groups_ == [("a1", "a2"), ("a1", "a5")]


@pytest.mark.parametrize(
    "wrong", [("a1",), ("a1", "b"), ("a1", "a1"), 3, (0, 6), ("a1", None)]
)
def test_bad_groups_are_named(wrong):
    table, _ = make_monks(1)
    with pytest.raises(DataError, match="'feature_groups' parameter"):
        FeatureBoostingSelector(feature_groups=[wrong]).fit(table, None)


def test_rows_of_weight_zero_are_left_out(mixed):
    X, y = mixed
    weights = np.where(np.arange(150) < 100, 1.0, 0.0)
    part = FeatureBoostingSelector(2, n_iterations=20).fit(X[:100], y[:100])
    whole = FeatureBoostingSelector(2, n_iterations=20).fit(X, y, weights)
    np.testing.assert_allclose(whole.accuracies_, part.accuracies_)


def test_other_learners_and_pipelines():
    random = np.random.default_rng(0)
    X = random.normal(size=(120, 6))
    y = (X[:, 1] + X[:, 4] > 0).astype(int)
    selector = FeatureBoostingSelector(estimator=GaussianNB(), n_iterations=60)
    pipeline = make_pipeline(selector, GaussianNB()).fit(X, y)
    assert pipeline[0].support_[[1, 4]].all()
    single = FeatureBoostingSelector(n_features_to_select=1).fit(X[:, 1:2], y)
    assert single.scores_.tolist() == [1]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("subset_size", "auto"),
        ("n_iterations", 0),
        ("n_waiting", -1),
        ("accuracy", "test"),
        ("feature_groups", "pairs"),
        ("estimator", LinearRegression()),
        ("n_features_to_select", 0),
        ("target_bins", 1),
    ],
)
def test_bad_parameters_are_named(name, value):
    pattern = f"'{name}' parameter of FeatureBoostingSelector"
    with pytest.raises(ValueError, match=pattern):
        FeatureBoostingSelector(**{name: value}).fit([[0], [1]], [0, 1])
