"""Weights of features follow the accuracies, as the plain loop has it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve.ensembles import _feature_boosting as boosting
from featsieve.ensembles._feature_boosting import (
    Distribution,
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


def told(history, name):
    return [getattr(iteration, name) for iteration in history.iterations]


@given(
    st.lists(st.integers(0, 10), min_size=1, max_size=12),
    st.integers(1, 5),
    st.integers(1, 5),
    st.integers(0, 6),
    st.booleans(),
)
def test_boosting_is_that_of_the_plain_loop(rights, n, size, waiting, current):
    size = min(size, n)
    history = boost_features(
        Script(rights),
        first_weights(n, []),
        size,
        n_iterations=len(rights),
        n_waiting=waiting,
        include_current=current,
        n_jobs=1,
    )
    accuracies = [right / 10 for right in rights]
    assert told(history, "accuracy") == pytest.approx(accuracies)
    subsets = [subset.tolist() for subset in told(history, "subset")]
    expected = plain.boosted_weights(n, subsets, accuracies, waiting, current)
    np.testing.assert_allclose(history.weights, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.sum(history.weights, axis=1), 1)
    former = accuracies[: len(rights) - 1] if len(rights) > 1 else accuracies
    known = accuracies if current else former
    assert told(history, "mean")[-1] == pytest.approx(np.mean(known))
    assert told(history, "deviation")[-1] == pytest.approx(np.std(known), abs=1e-9)


def test_nothing_changes_while_waiting_or_while_all_are_equal():
    rules = {"n_iterations": 6, "n_waiting": 4, "n_jobs": 1}
    start = first_weights(5, [])
    same = boost_features(Script([7] * 6), start, 2, **rules)
    assert told(same, "change") == [0.0] * 6
    late = told(boost_features(Script([1, 9, 2, 8, 9, 1]), start, 2, **rules), "change")
    assert late[:4] == [0.0] * 4
    assert late[4] > 0 > late[5]


def test_out_of_bag_rows_judge():
    script = Script([5, 5])
    rules = {"n_iterations": 2, "n_waiting": 0, "accuracy": "out_of_bag"}
    history = boost_features(script, first_weights(4, []), 2, **rules, n_jobs=1)
    # Of rows 0 to 4 that are right, 0, 2 and 4 are out of bag.
    assert told(history, "accuracy") == [0.6, 0.6]
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
