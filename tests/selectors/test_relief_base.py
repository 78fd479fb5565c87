"""What Relief filters share: how many anchors, which features, which rows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from featsieve.exceptions import DataError
from featsieve.selectors import MultiSURFFilter, ReliefFFilter

pytestmark = pytest.mark.filterwarnings(
    "ignore::featsieve.exceptions.NoFeatureSelectedWarning"
)

RANDOM = np.random.default_rng(3)
X = RANDOM.random((60, 4))
Y = (X[:, 1] > 0.5).astype(int)


def scores(X, y, **settings):
    return ReliefFFilter(**settings).fit(X, y).scores_


@pytest.mark.parametrize("kind", [ReliefFFilter, MultiSURFFilter])
def test_steps_tell_scores_and_intervals_from_the_best_on(kind):
    fitted = kind(n_features_to_select=2).fit(X, Y)
    assert [step["rank"] for step in fitted.steps_] == [1, 2, 3, 4]
    assert fitted.steps_[0]["feature"] == "x1"
    assert [step["score"] for step in fitted.steps_] == sorted(
        fitted.scores_.tolist(), reverse=True
    )
    assert [step["kept"] for step in fitted.steps_] == [True, True, False, False]
    assert fitted.get_support().sum() == 2


def test_without_a_wish_scores_above_zero_are_kept():
    fitted = ReliefFFilter().fit(X, Y)
    assert_array_equal(fitted.get_support(), fitted.scores_ > 0)
    both = ReliefFFilter(n_features_to_select=3, threshold=0.05).fit(X, Y)
    best = np.argsort(-both.scores_)[:3]
    expected = [j for j in sorted(best) if both.scores_[j] > 0.05]
    assert np.flatnonzero(both.get_support()).tolist() == expected


def test_shares_of_anchors_are_rounded():
    fitted = ReliefFFilter(n_anchors=0.5, random_state=0).fit(X, Y)
    assert fitted.n_anchors_ == 30
    again = ReliefFFilter(n_anchors=30, random_state=0).fit(X, Y)
    assert_array_equal(again.scores_, fitted.scores_)
    other = ReliefFFilter(n_anchors=30, random_state=1).fit(X, Y)
    assert not np.array_equal(other.scores_, fitted.scores_)


def test_rows_of_no_weight_are_not_there():
    weights = np.ones(60)
    weights[50:] = 0
    some = ReliefFFilter().fit(X, Y, sample_weight=weights)
    assert_allclose(some.scores_, scores(X[:50], Y[:50]), atol=1e-12)


def test_nothing_to_explain_scores_nothing():
    fitted = ReliefFFilter().fit(X, np.full(60, 2.5))
    assert fitted.scores_.tolist() == [0] * 4


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_anchors": "all"}, "n_anchors"),
        ({"n_anchors": 0}, "n_anchors"),
        ({"n_anchors": 0.0}, "n_anchors"),
        ({"confidence": 1.0}, "confidence"),
        ({"n_features_to_select": 0}, "n_features_to_select"),
    ],
)
def test_wrong_parameters_are_named(settings, message):
    with pytest.raises((ValueError, DataError), match=message):
        MultiSURFFilter(**settings).fit(X, Y)


def test_all_anchors_leave_no_doubt():
    rng = np.random.default_rng(10)
    X, y = rng.random((90, 3)), rng.integers(0, 2, 90)
    every = ReliefFFilter().fit(X, y)
    assert every.n_anchors_ == 90
    assert_array_equal(every.interval_[:, 0], every.scores_)
    for share in (1.0, 90, 1000):
        sampled = ReliefFFilter(n_anchors=share).fit(X, y)
        assert_allclose(sampled.scores_, every.scores_, atol=1e-14)
        assert_array_equal(sampled.interval_[:, 0], sampled.interval_[:, 1])


def test_a_race_ends_when_the_choice_is_clear():
    rng = np.random.default_rng(11)
    X = rng.random((3000, 10))
    y = (X[:, 2] + X[:, 7] > 1).astype(int)
    racing = ReliefFFilter(n_anchors="race", n_features_to_select=2).fit(X, y)
    every = ReliefFFilter(n_features_to_select=2).fit(X, y)
    assert racing.settled_
    assert racing.n_anchors_ < 1000
    assert_array_equal(racing.support_, every.support_)
    steps = racing.steps_[0]
    assert steps["lower"] < steps["score"] < steps["upper"]


def test_a_race_that_nobody_wins_uses_all_rows():
    rng = np.random.default_rng(12)
    x = rng.random(300)
    X, y = np.column_stack([x, x]), rng.integers(0, 2, 300)  # twins
    racing = ReliefFFilter(n_anchors="race", n_features_to_select=1).fit(X, y)
    assert not racing.settled_
    assert racing.n_anchors_ == 300
    assert racing.support_.tolist() == [True, False]
