"""Bags, votes and the error out of bag."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import accuracy_score
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from featsieve.engine import derive_seed
from featsieve.ensembles import BaggingEnsembleClassifier
from featsieve.trees import MDLTreeClassifier, RandomTreeClassifier


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def bags(n_estimators, n_rows, seed=0):
    """The bags that members are grown on, drawn again."""
    for number in range(n_estimators):
        generator = np.random.default_rng(derive_seed(seed, "bag", number))
        drawn = generator.integers(0, n_rows, n_rows)
        yield np.bincount(drawn, minlength=n_rows)


@pytest.mark.parametrize("estimator", [MDLTreeClassifier(), GaussianNB()])
def test_members_are_fitted_on_their_bags(iris, estimator):
    X, y = iris
    ensemble = BaggingEnsembleClassifier(estimator, n_estimators=4, random_state=0).fit(
        X, y
    )
    for bag, said in zip(bags(4, len(X)), ensemble.member_predict(X), strict=True):
        rows = np.repeat(np.arange(len(X)), bag)
        np.testing.assert_array_equal(estimator.fit(X[rows], y[rows]).predict(X), said)


def test_error_out_of_bag_is_that_of_members_that_did_not_see_the_row(iris):
    X, y = iris
    ensemble = BaggingEnsembleClassifier(n_estimators=8, random_state=0).fit(X, y)
    votes = np.zeros((len(X), 3))
    said = ensemble.member_predict(X)
    for bag, codes in zip(bags(8, len(X)), said, strict=True):
        out = np.flatnonzero(bag == 0)
        votes[out, codes[out]] += 1
    asked = votes.sum(axis=1) > 0
    assert not asked.all()  # with so few members some rows are in all bags
    expected = np.mean(votes[asked].argmax(axis=1) != y[asked])
    assert ensemble.oob_error_ == pytest.approx(expected)
    shares = ensemble.oob_decision_function_
    assert np.isnan(shares[~asked]).all()
    np.testing.assert_allclose(shares[asked].sum(axis=1), 1)


def test_majority_counts_votes(iris):
    X, y = iris
    ensemble = BaggingEnsembleClassifier(n_estimators=9, random_state=0).fit(X, y)
    said = ensemble.member_predict(X)
    shares = np.array([(said == k).mean(axis=0) for k in range(3)]).T
    np.testing.assert_allclose(ensemble.predict_proba(X), shares)


def test_accuracy_weighs_votes(iris):
    X, y = iris
    ensemble = BaggingEnsembleClassifier(
        vote="accuracy", n_estimators=5, random_state=0
    ).fit(X, y)
    said = ensemble.member_predict(X)
    weights = [
        accuracy_score(y[bag == 0], codes[bag == 0])
        for bag, codes in zip(bags(5, len(X)), said, strict=True)
    ]
    np.testing.assert_allclose(ensemble.members_votes_, weights)
    votes = np.array([np.average(said == k, axis=0, weights=weights) for k in range(3)])
    np.testing.assert_allclose(ensemble.predict_proba(X), votes.T)


@pytest.mark.parametrize("estimator", [RandomTreeClassifier(max_depth=2), GaussianNB()])
def test_probability_means_shares(iris, estimator):
    X, y = iris
    ensemble = BaggingEnsembleClassifier(
        estimator, vote="probability", n_estimators=5, random_state=0
    ).fit(X, y)
    mean = np.mean([member.predict_proba(X) for member in ensemble.members_], axis=0)
    np.testing.assert_allclose(ensemble.predict_proba(X), mean)


def test_probability_needs_probabilities(iris):
    with pytest.raises(ValueError, match="LinearSVC has no predict_proba"):
        BaggingEnsembleClassifier(LinearSVC(), vote="probability").fit(*iris)


def test_bad_votes_are_named(iris):
    with pytest.raises(
        ValueError, match="'vote' parameter of BaggingEnsembleClassifier"
    ):
        BaggingEnsembleClassifier(vote="soft").fit(*iris)


def test_weights_are_chances(iris):
    X, y = iris
    weights = np.where(y == 1, 1e6, 1.0)
    ensemble = BaggingEnsembleClassifier(n_estimators=5, random_state=0)
    ensemble.fit(X, y, sample_weight=weights)
    assert np.mean(ensemble.predict(X) == 1) > 0.9
