"""Weights of features follow the accuracies, as the plain loop has it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve.ensembles import _feature_boosting as boosting
from featsieve.ensembles._distributions import Distribution
from featsieve.ensembles._feature_boosting import (
    BoostingRules,
    boost_features,
    change_weights,
    first_weights,
    subset_count,
    weight_change,
)
from reference import subset_ensembles as plain


class Script:
    """A training whose members are as accurate as is written."""

    given_weights = None
    codes = np.zeros(10, dtype=np.int32)

    def __init__(self, rights):
        self.rights = rights
        self.plans = {}

    def generator(self, *purpose):
        return np.random.default_rng(purpose[-1])

    def draw_bag(self, number):
        assert number < 0  # members of the ensemble have the others
        return np.arange(10) % 2

    def grow(self, plan):
        self.plans[plan.number] = plan
        codes = np.ones(10, dtype=np.int32)
        codes[: self.rights[-1 - plan.number]] = 0
        return boosting.GrownMember(None, plan.bag, plan.columns, codes, None)


@given(
    st.lists(st.integers(0, 10), min_size=1, max_size=12),
    st.integers(1, 5),
    st.integers(1, 5),
    st.integers(0, 6),
    st.booleans(),
)
def test_boosting_is_that_of_the_plain_loop(rights, n, size, waiting, current):
    size = min(size, n)
    rules = BoostingRules(len(rights), waiting, "training", current)
    history = boost_features(
        Script(rights), first_weights(n, []), size, rules, n_jobs=1
    )
    accuracies = [right / 10 for right in rights]
    assert history.accuracies == pytest.approx(accuracies)
    expected = plain.boosted_weights(
        n, [s.tolist() for s in history.subsets], accuracies, waiting, current
    )
    np.testing.assert_allclose(history.weights, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.sum(history.weights, axis=1), 1)
    assert len(history.means) == len(history.deviations) == len(rights)


def test_nothing_changes_while_waiting_or_while_all_are_equal():
    rules = BoostingRules(6, 4)
    start = first_weights(5, [])
    same = boost_features(Script([7] * 6), start, 2, rules, n_jobs=1)
    assert same.changes == [0.0] * 6
    late = boost_features(Script([1, 9, 2, 8, 9, 1]), start, 2, rules, n_jobs=1)
    assert late.changes[:4] == [0.0] * 4
    assert late.changes[4] > 0 > late.changes[5]


def test_out_of_bag_rows_judge():
    script = Script([5, 5])
    rules = BoostingRules(2, 0, "out_of_bag")
    history = boost_features(script, first_weights(4, []), 2, rules, n_jobs=1)
    # Of rows 0 to 4 that are right, 0, 2 and 4 are out of bag.
    assert history.accuracies == [0.6, 0.6]
    assert script.plans[-1].bag is not None


def test_weights_survive_the_worst_member():
    change = weight_change(0.0, 0.9, 1e-6, size=1, n_features=3)
    assert -1 < change < -0.99
    start = Distribution(np.array([1.0, 0.0, 0.0]))
    assert change_weights(start, np.array([0]), change).weights.sum() == 1


def test_groups_rise_with_their_features():
    start = first_weights(4, [np.array([0, 1]), np.array([1, 2])])
    np.testing.assert_allclose(start.weights, [0.125] * 4 + [0.25] * 2)
    after = change_weights(start, np.array([0, 1]), 0.5).weights
    np.testing.assert_allclose(after / after[2], [1.5, 1.5, 1, 1, 3, 2])


@pytest.mark.parametrize(
    ("size", "n_features", "count"),
    [(3, 10, 3), (30, 10, 10), (0.5, 10, 5), (0.1, 5, 2)],
)
def test_how_many_features(size, n_features, count):
    assert subset_count(size, n_features) == count
    assert subset_count(size, 1) == 1
