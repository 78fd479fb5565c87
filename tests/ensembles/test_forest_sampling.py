"""Distributions features are drawn by, against plain versions and hand-made cases."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from featsieve.data import read_table
from featsieve.ensembles._forest_sampling import (
    confidence_interval,
    feature_intervals,
    gain_chances,
    mean_gains,
    most_uniform,
    target_complexity,
    tree_chances,
)
from featsieve.trees._forest import GainSums
from reference import forests as reference

unit_interval = st.floats(0, 1)


@given(
    st.lists(
        st.tuples(unit_interval, unit_interval, st.floats(0, 1000)),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from([0.5, 0.9, 0.95, 0.999]),
    st.sampled_from([1.0, 1.585]),
)
def test_intervals_are_students(features, level, most):
    mean, variance, count = np.array(features).T
    ours = confidence_interval(mean, variance, count, level, most)
    for own, feature in zip(ours, features, strict=True):
        if 1 < feature[2] < 1 + 1e-6:
            continue  # no degree of freedom to speak of
        expected = reference.confidence_interval(*feature, level, most)
        np.testing.assert_allclose(own, expected, rtol=1e-8, atol=1e-9)


@given(
    st.lists(
        st.tuples(unit_interval, unit_interval).map(sorted), min_size=1, max_size=6
    )
)
def test_most_uniform_lies_within_all_intervals(intervals):
    lower, upper = zip(*intervals, strict=True)
    assume(max(lower) + min(upper) > 1e-9)
    expected = reference.most_uniform(lower, upper)
    np.testing.assert_allclose(most_uniform(np.array(intervals)), expected, atol=1e-12)


def test_nothing_known_of_any_feature_is_uniform():
    # A constant feature gains nothing for sure, of the other nothing is known.
    np.testing.assert_array_equal(most_uniform(np.array([[0, 0], [0, 1.0]])), [0.5] * 2)


def sums_of(**columns):
    names = ("tries", "failed", "gain", "phi", "phi_failed")
    names += ("phi_gain", "phi_gain_squared", "phi_lower", "phi_upper")
    n_features = len(next(iter(columns.values())))
    zeros = np.zeros(n_features)
    given_columns = {name: np.array(values) for name, values in columns.items()}
    return GainSums(*(given_columns.get(name, zeros) for name in names))


def test_failed_draws_count_as_gains_of_nothing_if_wanted():
    sums = sums_of(
        phi=[40.0, 40.0],
        phi_failed=[0.0, 20.0],
        phi_gain=[8.0, 8.0],
        phi_gain_squared=[1.6, 3.2],
    )
    # Without them the gains are all 0.2, and all 0.4: no variance, no interval.
    achieved = feature_intervals(sums, 1.0, 0.95, 1.0, failed=False)
    np.testing.assert_allclose(achieved, [[0.2, 0.2], [0.4, 0.4]])
    counted = feature_intervals(sums, 1.0, 0.95, 1.0, failed=True)
    np.testing.assert_allclose(counted[0], [0.2, 0.2])
    assert counted[1].mean() == pytest.approx(0.2)
    assert counted[1, 0] < 0.2 < counted[1, 1]


def test_less_than_one_unit_tells_nothing():
    sums = sums_of(phi=[9.0], phi_gain=[9.0], phi_gain_squared=[9.0])
    interval = feature_intervals(sums, 10.0, 0.95, 1.0, failed=True)
    np.testing.assert_array_equal(interval, [[0, 1]])
    # Nor does anything in a table of one class.
    interval = feature_intervals(sums, 0.0, 0.95, 1.0, failed=True)
    np.testing.assert_array_equal(interval, [[0, 1]])


def test_gains_are_damped():
    sums = sums_of(tries=[4.0, 3.0, 0.0], failed=[1.0, 0.0, 0.0], gain=[1.5, 0.6, 0.0])
    means = mean_gains(sums)
    np.testing.assert_allclose(means, [0.5, 0.2, 0])
    # Eq. 7.6 after one tree: (1 + 0.5, 1 + 0.2, 1) / 3.7.
    np.testing.assert_allclose(gain_chances(means, 1.0), np.array([15, 12, 10]) / 37)


def test_one_tree_weighs_features_by_what_they_gain_at_its_splits():
    random = np.random.default_rng(0)
    X = random.random((400, 4))
    X[:, 3] = 1.0
    y = (X[:, 0] > 0.5).astype(np.int32)
    table = read_table(X)
    chances = tree_chances(table, {"classes": y, "n_classes": 2}, None, None)
    assert chances[0] > 0.9
    assert chances[3] == 0
    assert chances.sum() == pytest.approx(1)
    numbers = tree_chances(table, {"numbers": X[:, 0] + 2 * X[:, 1]}, None, None)
    assert numbers[1] > numbers[0] > numbers[2]
    # A single leaf weighs all alike.
    noise = random.integers(0, 2, 400).astype(np.int32)
    even = tree_chances(table, {"classes": noise, "n_classes": 2}, None, None)
    np.testing.assert_array_equal(even, [0.25] * 4)


def test_complexity_of_all_rows():
    classes = np.array([0] * 50 + [2] * 50)
    assert target_complexity({"classes": classes}) == pytest.approx(95.348717, abs=1e-6)
    codes = np.arange(5)
    assert target_complexity({"value_codes": codes}) == pytest.approx(5.906891)
