"""Subset ensembles: strategies, sizes, votes, and what users may pass."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB

from featsieve.ensembles import SubsetEnsembleClassifier
from featsieve.ensembles._subset import STRATEGIES, best_size, sizes_to_try
from featsieve.exceptions import DataError
from featsieve.selectors import (
    CumulativeGainFilter,
    FeatureBoostingSelector,
    MeasureFilter,
)
from featsieve.trees import C45Classifier
from reference import subset_ensembles as plain


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def mixed():
    random = np.random.default_rng(0)
    n = 150
    y = np.where(random.random(n) < 0.5, "yes", "no")
    is_yes = y == "yes"
    X = pd.DataFrame(
        {
            "noise": random.normal(size=n),
            "size": is_yes + random.normal(0, 0.7, n),
            "colour": np.where(is_yes, "red", "blue").astype(object),
            "other": random.choice(["a", "b", "c"], n),
        }
    )
    X.loc[::9, "size"] = np.nan
    X.loc[::4, "colour"] = None
    return X, y


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_nominal_columns_missing_values_jobs_and_pickles(mixed, strategy):
    X, y = mixed
    settings = {"subset_size": 2, "n_estimators": 12, "random_state": 3}
    one = SubsetEnsembleClassifier(strategy, **settings).fit(X, y)
    two = SubsetEnsembleClassifier(strategy, **settings, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    np.testing.assert_array_equal(one.feature_weights_, two.feature_weights_)
    assert one.score(X, y) > 0.8
    assert one.subset_size_ == 2
    assert all(len(columns) == 2 for columns in one.members_features_)
    assert one.feature_weights_.sum() == pytest.approx(1)
    again = pickle.loads(pickle.dumps(one))
    np.testing.assert_array_equal(again.predict_proba(X), one.predict_proba(X))
    unseen = X.head(3).assign(colour="violet", size=np.nan)
    assert one.predict_proba(unseen).shape == (3, 2)


@pytest.mark.parametrize("strategy", ["information_gain", "cumulative_gain"])
def test_all_members_see_the_best_features(mixed, strategy):
    X, y = mixed
    ensemble = SubsetEnsembleClassifier(strategy, subset_size=2, n_estimators=5).fit(
        X, y
    )
    assert {tuple(own) for own in ensemble.members_features_} == {(1, 2)}
    assert ensemble.feature_weights_.tolist() == [0, 0.5, 0.5, 0]


def test_cumulative_gain_is_the_choice_of_the_filter(iris):
    X, y = iris
    for size in (1, 2, 3):
        selector = CumulativeGainFilter(size).fit(X, y)
        ensemble = SubsetEnsembleClassifier(
            "cumulative_gain", subset_size=size, n_estimators=1
        )
        own = ensemble.fit(X, y).members_features_[0]
        assert own.tolist() == sorted(selector.selected_.tolist())


def test_votes_count_as_much_as_members_are_accurate_on_all_rows(iris):
    X, y = iris
    ensemble = SubsetEnsembleClassifier(
        subset_size=1, n_estimators=9, random_state=0
    ).fit(X, y)
    answers = ensemble.member_predict(X)
    np.testing.assert_allclose(ensemble.members_votes_, (answers == y).mean(axis=1))
    expected = [plain.vote(ensemble.members_votes_, column, 3) for column in answers.T]
    np.testing.assert_array_equal(ensemble.predict(X), expected)
    equal = SubsetEnsembleClassifier(
        n_estimators=3, vote="majority", random_state=0
    ).fit(X, y)
    assert equal.members_votes_.tolist() == [1, 1, 1]


def test_members_are_the_trees_that_fit_grows(iris):
    X, y = iris
    ensemble = SubsetEnsembleClassifier(
        subset_size=2, n_estimators=4, random_state=0
    ).fit(X, y)
    members = zip(ensemble.members_, ensemble.members_features_, strict=True)
    expected = [member.predict(X[:, columns]) for member, columns in members]
    np.testing.assert_array_equal(ensemble.member_predict(X), expected)
    assert type(ensemble.members_[0]) is C45Classifier
    foreign = SubsetEnsembleClassifier(
        estimator=GaussianNB(), n_estimators=9, random_state=0
    )
    assert foreign.fit(X, y).score(X, y) > 0.9


def test_boosting_is_told(iris):
    X, y = iris
    ensemble = SubsetEnsembleClassifier(
        "feature_boosting", subset_size=2, random_state=0
    )
    ensemble.fit(X, y)
    steps = ensemble.boosting_steps_
    assert len(steps) == 25
    assert all(step["change"] == 0 for step in steps[:15])
    assert any(step["change"] > 0 for step in steps[15:])
    assert len(steps[0]["features"]) == 2
    assert ensemble.feature_weights_[2:].sum() > ensemble.feature_weights_[:2].sum()
    assert not hasattr(
        ensemble.set_params(strategy="random").fit(X, y), "boosting_steps_"
    )


def test_size_by_rows_out_of_bag(iris):
    X, y = iris
    X = np.column_stack([X, np.random.default_rng(0).normal(size=(150, 12))])
    heard = []
    ensemble = SubsetEnsembleClassifier(
        "information_gain",
        subset_size="auto",
        n_estimators=6,
        random_state=0,
        progress=lambda done, total: heard.append((done, total)),
    ).fit(X, y)
    assert list(ensemble.size_errors_) == sizes_to_try(16)
    least = min(ensemble.size_errors_.values())
    assert ensemble.size_errors_[ensemble.subset_size_] == least
    fixed = clone(ensemble).set_params(subset_size=ensemble.subset_size_)
    fixed.fit(X, y)
    np.testing.assert_array_equal(fixed.predict_proba(X), ensemble.predict_proba(X))
    assert fixed.oob_error_ == ensemble.oob_error_
    total = 6 * len(ensemble.size_errors_)
    assert heard[:total] == [(i + 1, total) for i in range(total)]


def test_early_stopping_and_sizes(iris):
    X, y = iris
    ensemble = SubsetEnsembleClassifier(
        subset_size="auto", n_estimators=60, n_iter_no_change=5, random_state=0
    ).fit(X, y)
    assert ensemble.n_estimators_ < 60
    assert (
        len(ensemble.members_votes_) == len(ensemble.members_) == ensemble.n_estimators_
    )
    fixed = clone(ensemble).set_params(subset_size=ensemble.subset_size_).fit(X, y)
    assert fixed.n_estimators_ == ensemble.n_estimators_


def test_sizes_and_their_choice():
    assert sizes_to_try(1) == [1]
    assert sizes_to_try(2) == [2]
    assert sizes_to_try(34) == [2, 3, 4, 7, 10, 15, 23, 34]
    errors = {2: 0.115, 3: 0.10, 4: 0.085, 8: 0.085}
    assert best_size(errors, "minimum", 250) == 4
    # The least error is 0.085 with a standard error of 0.0176.
    assert best_size(errors, "one_standard_error", 250) == 3
    assert best_size(errors, "one_standard_error", 50) == 2


def test_interacting_features_are_drawn_together():
    random = np.random.default_rng(1)
    X = random.integers(0, 2, (400, 20))
    y = X[:, 3] ^ X[:, 11] ^ (random.random(400) < 0.05)
    scores = {
        strategy: cross_val_score(
            SubsetEnsembleClassifier(strategy, subset_size=2, random_state=0),
            X,
            y,
            cv=3,
        ).mean()
        for strategy in ("random", "feature_boosting", "pair_gain")
    }
    assert scores["pair_gain"] > 0.9
    assert max(scores["random"], scores["feature_boosting"]) < 0.75


def test_weights_and_selectors_are_strategies(iris):
    X, y = iris
    given = SubsetEnsembleClassifier([0, 0, 1, 1], subset_size=2, n_estimators=5).fit(
        X, y
    )
    assert {tuple(own) for own in given.members_features_} == {(2, 3)}
    soft = SubsetEnsembleClassifier(MeasureFilter(), subset_size=2, random_state=0)
    soft.fit(X, y)
    scores = soft.selector_.scores_
    np.testing.assert_allclose(soft.feature_weights_, scores / scores.sum())
    boosted = FeatureBoostingSelector(n_iterations=30, feature_groups=[(2, 3)])
    ensemble = SubsetEnsembleClassifier(boosted, subset_size=2, random_state=0).fit(
        X, y
    )
    assert ensemble.selector_.subset_size_ == 2
    np.testing.assert_array_equal(ensemble.feature_weights_, ensemble.selector_.scores_)
    assert not hasattr(boosted, "scores_")
    sized = SubsetEnsembleClassifier(boosted, subset_size="auto", n_estimators=4).fit(
        X, y
    )
    assert sized.selector_.subset_size_ == sized.subset_size_


def test_weights_of_rows_reach_the_strategy(iris):
    X, _ = iris
    X = np.column_stack([X, np.arange(150) % 2])
    noise = np.random.default_rng(0).integers(0, 2, 150)
    weights = np.where(X[:, 4] == noise, 1.0, 0.0)
    ensemble = SubsetEnsembleClassifier(
        "information_gain", subset_size=1, n_estimators=2
    )
    ensemble.fit(X, noise, sample_weight=weights)
    assert ensemble.members_features_[0].tolist() == [4]


def test_grid_search(iris):
    X, y = iris
    grid = {"strategy": ["random", "cumulative_gain"], "subset_size": [1, 0.5]}
    search = GridSearchCV(
        SubsetEnsembleClassifier(n_estimators=4, random_state=0), grid, cv=3
    )
    assert search.fit(X, y).best_score_ > 0.9


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("strategy", "best"),
        ("strategy", None),
        ("strategy", SelectKBest()),
        ("strategy", MeasureFilter),
        ("subset_size", 0),
        ("subset_size", 1.5),
        ("subset_size", "half"),
        ("subset_size", True),
        ("size_rule", "best"),
        ("vote", "loud"),
        ("estimator", 3),
    ],
)
def test_bad_parameters_are_named(name, value):
    with pytest.raises(
        ValueError, match=f"'{name}' parameter of SubsetEnsembleClassifier"
    ):
        SubsetEnsembleClassifier(**{name: value}).fit([[0], [1]], [0, 1])


def test_bad_weights_are_named(iris):
    with pytest.raises(
        DataError, match="'strategy' parameter of SubsetEnsembleClassifier"
    ):
        SubsetEnsembleClassifier([1, 2]).fit(*iris)
