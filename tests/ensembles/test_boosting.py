"""AdaBoost gives the numbers of its printed form."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from featsieve.ensembles import AdaBoostEnsembleClassifier
from featsieve.ensembles._boosting import boost, vote_of_edge
from featsieve.exceptions import DataError
from featsieve.trees import RandomTreeClassifier
from reference.ensembles import adaboost

STUMP = RandomTreeClassifier(max_features=None, max_depth=1)


def noisy_rows(seed, n=60):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 4))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + random.normal(0, 0.5, n) > 0).astype(int)
    return X, y


@pytest.mark.parametrize("seed", range(4))
def test_equals_the_plain_form(seed):
    X, y = noisy_rows(seed)
    ensemble = AdaBoostEnsembleClassifier(
        STUMP, sampling="reweight", n_estimators=15
    ).fit(X, y)
    rounds, weights, votes = adaboost(X.tolist(), (2 * y - 1).tolist(), 15)
    assert ensemble.n_estimators_ == len(rounds) == 15
    alphas, edges, normalisers = np.array(rounds).T
    np.testing.assert_allclose(ensemble.members_votes_, alphas, rtol=0, atol=1e-12)
    np.testing.assert_allclose(ensemble.members_edges_, edges, rtol=0, atol=1e-12)
    np.testing.assert_allclose(ensemble.normalisers_, normalisers, rtol=0, atol=1e-12)
    np.testing.assert_allclose(ensemble.row_weights_, weights, rtol=0, atol=1e-12)
    share = np.array(votes) / alphas.sum()
    np.testing.assert_allclose(ensemble.decision_function(X), share, atol=1e-12)


def test_product_of_normalisers_bounds_the_training_error():
    X, y = noisy_rows(5, 100)
    ensemble = AdaBoostEnsembleClassifier(
        STUMP, sampling="reweight", n_estimators=40
    ).fit(X, y)
    bounds = np.cumprod(ensemble.normalisers_)
    for said, bound in zip(ensemble.staged_predict(X), bounds, strict=True):
        assert np.mean(said != y) <= bound
    edges = ensemble.members_edges_
    np.testing.assert_allclose(ensemble.normalisers_, np.sqrt(1 - edges**2))


def test_samme_is_that_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    theirs = AdaBoostClassifier(tree, n_estimators=20, random_state=0).fit(X, y)
    ours = AdaBoostEnsembleClassifier(tree, sampling="reweight", n_estimators=20).fit(
        X, y
    )
    np.testing.assert_allclose(2 * ours.members_votes_, theirs.estimator_weights_)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_one_versus_rest_tells_classes_apart():
    X, y = load_iris(return_X_y=True)
    ensemble = AdaBoostEnsembleClassifier(
        algorithm="one_versus_rest", n_estimators=10, random_state=0
    ).fit(X, y)
    assert ensemble.score(X, y) > 0.95
    said = ensemble.member_predict(X)
    assert set(np.unique(said)) <= {-1, 0, 1, 2}
    assert all(len(set(row) - {-1}) <= 1 for row in said.tolist())
    shares = ensemble.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_array_equal(shares.argmax(axis=1), ensemble.predict(X))
    *_, last = ensemble.staged_predict(X)
    np.testing.assert_array_equal(last, ensemble.predict(X))
    assert np.isnan(ensemble.oob_error_)


def test_two_classes_need_no_one_versus_rest():
    X, y = noisy_rows(6)
    settings = {"n_estimators": 8, "random_state": 0}
    plain = AdaBoostEnsembleClassifier(**settings).fit(X, y)
    other = AdaBoostEnsembleClassifier(algorithm="one_versus_rest", **settings).fit(
        X, y
    )
    np.testing.assert_array_equal(plain.predict_proba(X), other.predict_proba(X))


@pytest.mark.parametrize("algorithm", ["samme", "one_versus_rest"])
def test_chance_ends_the_boosting_or_starts_it_again(algorithm):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 2)), random.integers(0, 3, 60)
    settings = {"algorithm": algorithm, "n_estimators": 30, "random_state": 0}
    stopped = AdaBoostEnsembleClassifier(**settings).fit(X, y)
    going_on = AdaBoostEnsembleClassifier(on_weak="reset", **settings).fit(X, y)
    assert 1 <= stopped.n_estimators_ < going_on.n_estimators_
    assert len(stopped.members_edges_) == stopped.n_estimators_
    assert (going_on.members_votes_ > 0).all()


def test_a_first_member_that_knows_nothing_stays_alone():
    X, y = np.zeros((10, 1)), np.arange(10) % 2
    ensemble = AdaBoostEnsembleClassifier(sampling="reweight").fit(X, y)
    assert ensemble.members_votes_.tolist() == [1.0]
    assert ensemble.members_edges_.tolist() == [0.0]
    assert set(ensemble.predict(X)) == {0}


def test_a_faultless_member_is_not_grown_again():
    X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) >= 20
    ensemble = AdaBoostEnsembleClassifier(sampling="reweight", n_estimators=9).fit(X, y)
    assert ensemble.n_estimators_ == 1
    assert np.isfinite(ensemble.members_votes_).all()


def test_weights_reach_learners_that_take_them():
    X, y = noisy_rows(7)
    assert (
        AdaBoostEnsembleClassifier(GaussianNB(), sampling="reweight")
        .fit(X, y)
        .n_estimators_
        >= 1
    )
    with pytest.raises(DataError, match=r"takes no sample_weight.*resample"):
        AdaBoostEnsembleClassifier(KNeighborsClassifier(), sampling="reweight").fit(
            X, y
        )


def test_numbers_of_one_step():
    assert vote_of_edge(0.5) == pytest.approx(0.5 * np.log(3))
    assert vote_of_edge(1.0) < 12  # finite
    weights, total = boost(np.full(4, 0.25), np.array([0, 0, 0, 1], bool), 0.5)
    assert total == pytest.approx(0.75 * np.exp(-0.5) + 0.25 * np.exp(0.5))
    assert weights.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "wrong", [{"algorithm": "m2"}, {"sampling": "both"}, {"on_weak": None}]
)
def test_bad_parameters_are_named(wrong):
    (name,) = wrong
    with pytest.raises(
        ValueError, match=f"'{name}' parameter of AdaBoostEnsembleClassifier"
    ):
        AdaBoostEnsembleClassifier(**wrong).fit([[0], [1]], [0, 1])
