"""One false discovery rate: q-values, thresholds, and verdicts of all stages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, norm

from featsieve.inference._false_discovery import (
    STAGE_WEIGHTS,
    benjamini_hochberg,
    judge,
    rates_of_chance,
    rejection_threshold,
)
from reference import inference as plain
from reference.combination import combined

#: Sixteenths make ties, and products that are exact.
P_VALUES = st.lists(st.integers(0, 16).map(lambda k: k / 16), min_size=1, max_size=12)
LEVELS = st.sampled_from([1 / 16, 1 / 8, 1 / 4, 1 / 2])


def evidence(**given):
    """Return p-values of stages, 1 where nothing is given, without the last one."""
    n = len(next(iter(given.values())))
    return {
        name: np.array(given.get(name, [1.0] * n)) for name in list(STAGE_WEIGHTS)[:3]
    }


@given(P_VALUES)
def test_q_values_equal_the_definition(p_values):
    found = benjamini_hochberg(np.array(p_values))
    np.testing.assert_allclose(found, plain.q_values(p_values), rtol=1e-14)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_q_values_are_those_of_scipy_to_the_bit(p_values):
    found = benjamini_hochberg(np.array(p_values))
    np.testing.assert_array_equal(found, false_discovery_control(p_values))


@given(P_VALUES, LEVELS)
def test_threshold_and_q_values_are_one_rule(p_values, level):
    p_values = np.array(p_values)
    count, threshold = rejection_threshold(p_values, level)
    assert count == plain.n_rejected(p_values.tolist(), level)
    assert threshold == pytest.approx(level * max(count, 1) / len(p_values))
    rejected = (p_values <= threshold) & (count > 0)
    np.testing.assert_array_equal(rejected, benjamini_hochberg(p_values) <= level)
    assert rejected.sum() == count
    assert not count or p_values[rejected].max() <= threshold


def test_thresholds_by_hand():
    p_values = np.array([0.03, 0.9, 0.001, 0.02])
    assert rejection_threshold(p_values, 0.05) == (3, pytest.approx(0.0375))
    assert rejection_threshold(p_values, 0.05, 1) == (1, pytest.approx(0.0125))
    assert rejection_threshold(p_values, 0.05, 0) == (0, pytest.approx(0.0125))
    assert rejection_threshold(np.array([0.9]), 0.05) == (0, 0.05)
    assert rejection_threshold(np.array([0.05]), 0.05) == (1, 0.05)
    assert rejection_threshold(np.empty(0), 0.05) == (0, 0.05)
    assert benjamini_hochberg(np.empty(0)).shape == (0,)
    assert benjamini_hochberg(np.array([0.3])).tolist() == [0.3]


@given(P_VALUES)
def test_numbers_of_chance_are_p_values_times_tests(p_values):
    """Of m candidates with p-value p chance puts m p beyond."""
    p_values = np.array(p_values)
    found = rates_of_chance(p_values * len(p_values))
    np.testing.assert_allclose(found, benjamini_hochberg(p_values), rtol=1e-14)


def test_numbers_of_chance_by_hand():
    found = rates_of_chance(np.array([6.0, 0.1, 0.5, 0.3]))
    assert found.tolist() == pytest.approx([1.0, 0.1, 0.5 / 3, 0.15])
    assert rates_of_chance(np.empty(0)).shape == (0,)


@pytest.mark.parametrize("rho", [0.0, 0.5])
def test_the_rate_holds(rho):
    """40 tests, 8 of them of effects, 2,000 tables: expected false share 0.2 · 32/40.

    The share of a table has a deviation of about .13, its mean over tables of .003; of
    independent tests it is .16 exactly, of positively correlated ones at most .16.
    """
    random = np.random.default_rng(5)
    shares, found = [], 0
    for _ in range(2000):
        z = np.sqrt(1 - rho) * random.normal(size=40) + np.sqrt(rho) * random.normal()
        z[:8] += 3
        chosen = benjamini_hochberg(norm.sf(z)) <= 0.2
        shares.append(chosen[8:].sum() / max(chosen.sum(), 1))
        found += chosen[:8].sum()
    assert np.mean(shares) <= 0.17
    assert found > 0.8 * 8 * 2000 * (0.9 if rho else 1)
    if rho == 0:
        assert np.mean(shares) >= 0.15


def test_weights_of_stages():
    expected = {"alone": 0.65, "together": 0.2, "context": 0.15, "beside": 0.25}
    assert expected == STAGE_WEIGHTS


def test_a_stage_that_was_not_made_leaves_its_weight_to_the_others():
    three = {"alone": np.array([0.03, 0.2]), "context": np.array([0.4, 0.001])}
    found = judge(three | {"beside": np.full(2, np.nan)}, 0.05)
    np.testing.assert_array_equal(found.p_values, judge(three, 0.05).p_values)
    assert found.stages == judge(three, 0.05).stages == ["alone", "context"]


def test_verdicts_are_benjamini_and_hochbergs_on_combined_p_values():
    random = np.random.default_rng(0)
    given = {name: random.random(40) ** 4 for name in STAGE_WEIGHTS}
    found = judge(given, 0.1)
    for j in range(40):
        p_values = [given[name][j] for name in STAGE_WEIGHTS]
        expected = combined(p_values, list(STAGE_WEIGHTS.values()))
        assert found.p_values[j] == pytest.approx(expected, rel=1e-12)
    expected = false_discovery_control(found.p_values) <= 0.1
    assert expected.any()
    np.testing.assert_array_equal(found.relevant, expected)
    assert found.p_values[expected].max() <= found.threshold
    assert found.threshold < found.p_values[~expected].min()


def test_what_suffices_alone_counts_the_weights_of_tests_that_were_made():
    """Of 0.65 and 0.15 alone has 0.05 · 0.65 / 0.8 = 0.041; with 0.25 more, 0.031."""
    given = {"alone": np.array([0.035]), "context": np.array([1e-9])}
    assert judge(given | {"beside": np.array([np.nan])}, 0.05).stages == ["alone"]
    assert judge(given | {"beside": np.array([0.9])}, 0.05).stages == ["context"]
    # The same where another column has other tests: each has weights of its own.
    two = {name: np.repeat(own, 2) for name, own in given.items()}
    two["beside"] = np.array([np.nan, 0.9])
    assert judge(two, 0.05).stages == ["alone", "context"]


def test_stage_that_a_column_owes_it_to():
    given = evidence(alone=[1e-9, 1.0, 1.0, 1.0], together=[1e-9, 1e-9, 1.0, 1.0],
                     context=[1e-9, 1e-9, 1e-9, 1.0])  # fmt: skip
    found = judge(given, 0.05)
    assert found.relevant.tolist() == [True, True, True, False]
    # Weights of 0.2 and 0.15 decide where p-values are equal.
    assert found.stages == ["alone", "together", "context", None]
    backwards = dict(reversed(given.items()))
    assert judge(backwards, 0.05).stages == found.stages
    # What shows alone is no matter of others, however much more these see,
    assert judge(evidence(alone=[0.0324], context=[1e-9]), 0.05).stages == ["alone"]
    assert judge(evidence(alone=[0.0326], context=[1e-9]), 0.05).stages == ["context"]
    # nor where it does not suffice by itself, but contributes most.
    found = judge(evidence(alone=[0.035], together=[0.1], context=[0.1]), 0.05)
    assert found.stages == ["alone"]
    assert found.p_values[0] < 0.05


def test_a_bound_that_is_met_is_passed():
    p_values = np.array([0.125 * (1 - 1e-12), 0.5, 1.0, 1.0])
    found = judge({"together": p_values}, 0.5)
    assert found.threshold == pytest.approx(found.p_values[0]) == 0.125
    assert found.relevant.tolist() == [True, False, False, False]
    assert found.stages == ["together", None, None, None]
    # To the last bit: p-values from 0.9 on are not combined, halves have no rounding.
    assert judge({"alone": np.array([0.95])}, 0.95).relevant.tolist() == [True]
    quarter = {"alone": np.array([0.25]), "context": np.array([1e-9])}
    halves = {"alone": 0.5, "context": 0.5}
    assert judge(quarter, 0.5, None, halves).stages == ["alone"]


def test_fewer_that_stay_lower_the_threshold():
    given = {"alone": np.array([1e-9, 1e-9, 1e-9, 0.03, 0.9])}
    assert judge(given, 0.05).relevant.tolist() == [True] * 4 + [False]
    lower = judge(given, 0.05, 2)
    assert lower.threshold == pytest.approx(0.02)
    assert lower.relevant.tolist() == [True] * 3 + [False] * 2
    none = judge(given, 0.05, 0)
    assert not none.relevant.any()
    assert none.stages == [None] * 5


def test_nothing_found():
    found = judge(evidence(alone=[0.95, 1.0]), 0.05)
    assert not found.relevant.any()
    assert found.threshold == pytest.approx(0.025)
    assert found.p_values.tolist() == [0.95, 1.0]
    assert found.stages == [None, None]
