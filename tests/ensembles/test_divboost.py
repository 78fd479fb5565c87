"""DivBoost looks at rows in dispute, whatever the number of members or classes."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from featsieve.ensembles import AdaBoostEnsembleClassifier, DivBoostEnsembleClassifier
from featsieve.ensembles._boosting import dispute_weights


@given(st.integers(1, 60), st.data())
def test_weights_equal_the_definition(total, data):
    right = np.array(data.draw(st.lists(st.integers(0, total), min_size=1, max_size=9)))
    tails = [sum(comb(total, j) for j in range(min(h, total - h) + 1)) for h in right]
    binomials = [comb(total, h) for h in right.tolist()]
    for name, plain in (("tail", tails), ("binomial", binomials)):
        expected = np.array(plain) / sum(plain)
        weights = dispute_weights(right, total - right, name)
        np.testing.assert_allclose(weights, expected, rtol=1e-9)


@pytest.mark.parametrize("name", ["tail", "binomial"])
def test_thousands_of_members_do_not_overflow(name):
    right = np.array([0, 2500, 5000])
    weights = dispute_weights(right, 5000 - right, name)
    assert np.isfinite(weights).all()
    assert weights[1] == pytest.approx(1)
    assert weights[0] == weights[2]


@pytest.mark.parametrize("name", ["tail", "binomial"])
def test_votes_for_third_classes_leave_probabilities(name):
    """Of 2:0 and 2:2 votes, two of four members having voted for third classes."""
    right, rival = np.array([2, 2]), np.array([0, 2])
    weights = dispute_weights(right, rival, name)
    # C(2, 0) / 4 against C(4, 2) / 16, or their tails 1 / 4 against 11 / 16.
    odds = {"binomial": (1 / 4) / (6 / 16), "tail": (1 / 4) / (11 / 16)}[name]
    assert weights[0] / weights[1] == pytest.approx(odds)


@pytest.fixture(scope="module")
def mislabelled():
    """Two clouds that overlap, and eight labels flipped deep inside them."""
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 200)
    X = random.normal(size=(400, 4))
    X[:, 0] += 1.5 * y
    inside = np.flatnonzero((X[:, 0] - 0.75) * (2 * y - 1) > 1.5)
    flipped = random.choice(inside, 8, replace=False)
    wrong = y.copy()
    wrong[flipped] = 1 - wrong[flipped]
    return X, wrong, flipped


def test_adaboost_weighs_outliers_and_divboost_does_not(mislabelled):
    """Figure 5.2: final weights of rows, averaged over runs."""
    X, y, flipped = mislabelled

    def times_usual(ensemble):
        weights = [
            ensemble.set_params(n_estimators=50, random_state=seed)
            .fit(X, y)
            .row_weights_
            for seed in range(3)
        ]
        return np.mean(weights, axis=0)[flipped].mean() * len(y)

    assert times_usual(AdaBoostEnsembleClassifier()) > 2
    assert times_usual(DivBoostEnsembleClassifier()) < 0.7
    assert times_usual(DivBoostEnsembleClassifier(weighting="binomial")) < 0.7


def test_many_classes_work():
    X, y = load_iris(return_X_y=True)
    for weighting in ("tail", "binomial"):
        ensemble = DivBoostEnsembleClassifier(
            weighting=weighting, n_estimators=20, random_state=0
        ).fit(X, y)
        assert ensemble.score(X, y) > 0.95
        assert (ensemble.members_votes_ == 1).all()


def test_weights_may_go_to_the_learner():
    X, y = load_iris(return_X_y=True)
    ensemble = DivBoostEnsembleClassifier(sampling="reweight", n_estimators=10).fit(
        X, y
    )
    again = DivBoostEnsembleClassifier(sampling="reweight", n_estimators=10).fit(X, y)
    np.testing.assert_array_equal(ensemble.predict_proba(X), again.predict_proba(X))


def test_given_weights_count_from_the_start(mislabelled):
    X, y, flipped = mislabelled
    weights = np.ones(len(y))
    weights[flipped] = 1e-9
    ensemble = DivBoostEnsembleClassifier(n_estimators=5, random_state=0)
    ensemble.fit(X, y, sample_weight=weights)
    assert ensemble.row_weights_[flipped].sum() < 1e-6


def test_bad_weighting_is_named():
    with pytest.raises(
        ValueError, match="'weighting' parameter of DivBoostEnsembleClassifier"
    ):
        DivBoostEnsembleClassifier(weighting="W1").fit([[0], [1]], [0, 1])
