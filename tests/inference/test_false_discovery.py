"""One false discovery rate: q-values, thresholds, and verdicts of all stages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, false_discovery_control, norm

from featsieve.inference._false_discovery import (
    STAGE_WEIGHTS,
    benjamini_hochberg,
    cauchy_parts,
    combine_p_values,
    judge,
    rates_of_chance,
    rejection_threshold,
)
from reference import inference as plain
from reference.combination import combined

EXPONENTS = st.integers(1, 300).map(lambda k: 10.0**-k)
P = st.floats(1e-300, 1) | EXPONENTS | st.sampled_from([0.5, 0.9, 0.95, 1.0])
WEIGHTS = st.sampled_from([0.1, 0.2, 0.5, 1.0])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(P | st.none(), WEIGHTS), min_size=1, max_size=4))
def test_equals_the_definition_down_to_1e_300(tests):
    p_values, weights = zip(*tests, strict=True)
    given = np.array([[np.nan if p is None else p] for p in p_values])
    found = combine_p_values(given, weights)[0]
    assert found == pytest.approx(combined(p_values, weights), rel=1e-11)


@given(st.lists(st.tuples(P, P, P), min_size=1, max_size=8), st.integers(0, 2))
def test_one_test_and_tests_that_agree_give_their_own_p_value(columns, which):
    p_values = np.array(columns).T
    weights = np.eye(3)[which]
    np.testing.assert_allclose(
        combine_p_values(p_values, weights), p_values[which], rtol=1e-12
    )
    same = np.tile(p_values[which], (3, 1))
    np.testing.assert_allclose(combine_p_values(same, [3, 1, 2]), same[0], rtol=1e-12)


@given(P, P, P, P)
def test_grows_with_every_p_value(a, b, c, d):
    low, high = sorted((a, b))
    tests = np.array([[low, high], [c, c], [d, d]])
    less, more = combine_p_values(tests, [0.2, 0.5, 0.3])
    assert less <= more * (1 + 1e-12)


def test_by_hand():
    tests = [[1e-6, 0.03, 0.5, 0.95, np.nan, 0.0], [1.0, np.nan, 0.5, 0.97, np.nan, 1]]
    found = combine_p_values(tests, [0.25, 0.75])
    # One test of a quarter of the weight sees something: four times its p-value.
    assert found[0] == pytest.approx(4e-6, rel=1e-4)
    assert found[1:5] == pytest.approx([0.03, 0.5, 0.95, 1.0])
    assert 0 < found[5] <= 4e-300 * (1 + 1e-9)
    # Neither do single sure tests undo it (p = 1 has the tangent of minus infinity),
    assert combine_p_values([[1e-3], [1.0]], [0.5, 0.5])[0] < 2.1e-3
    # nor do weights have to add up to 1, and they may differ by column.
    assert combine_p_values([[1e-3], [1.0]], [5, 5]) == pytest.approx(
        combine_p_values([[1e-3], [1.0]], [0.5, 0.5])
    )
    by_column = combine_p_values([[0.01, 0.01], [0.9, 0.9]], [[1, 0], [0, 1]])
    assert by_column == pytest.approx([0.01, 0.9])
    assert combine_p_values(np.empty((2, 0)), [1, 1]).shape == (0,)
    assert combine_p_values(np.empty((0, 2)), []).tolist() == [1.0, 1.0]


def test_parts_add_up_and_say_who_saw_most():
    tests = np.array([[0.001, 0.5, np.nan], [0.01, 0.01, 0.2]])
    parts = cauchy_parts(tests, [0.75, 0.25])
    total = np.tan((0.5 - combine_p_values(tests, [0.75, 0.25])) * np.pi)
    np.testing.assert_allclose(parts.sum(axis=0), total)
    assert np.argmax(parts, axis=0).tolist() == [0, 1, 1]
    assert parts[0, 2] == 0
    assert parts[1, 2] == pytest.approx(1 / np.tan(0.2 * np.pi))


def test_a_column_without_tests_has_parts_of_nothing():
    """Not what happens to be in memory: numbers as large as its parts just were."""
    before = [np.full((2, 3), 7.0) for _ in range(6)]
    assert before.pop().sum() == 42
    del before
    assert not cauchy_parts(np.full((2, 3), np.nan), [0.75, 0.25]).any()


@pytest.mark.parametrize("level", [0.05, 0.01, 0.001])
@pytest.mark.parametrize("kind", ["independent", "0.5", "0.95", "-0.3", "discrete"])
def test_a_p_value_again_whatever_the_dependence(kind, level):
    """400,000 columns of four tests with unequal weights, two-sided.

    The share that passes is known to 2 % of itself at 0.05, to 5 % at 0.001 (one
    deviation). Correlated tests may pass a little more than the level where it is not
    small: at most 15 % more here.
    """
    random = np.random.default_rng(3)
    n = 400_000
    z = random.normal(size=(4, n))
    if kind in ("0.5", "0.95"):
        rho = float(kind)
        z = rho**0.5 * random.normal(size=n) + (1 - rho) ** 0.5 * z
    elif kind == "-0.3":
        z = z - 0.55 * z.mean(axis=0)
        z /= z.std()
    p_values = 2 * norm.sf(np.abs(z))
    if kind == "discrete":  # 12 rows: p-values of a sign test
        hits = random.binomial(12, 0.5, size=(4, n))
        p_values = np.minimum(1, 2 * binom.cdf(np.minimum(hits, 12 - hits), 12, 0.5))
    passed = np.mean(combine_p_values(p_values, [0.3, 0.3, 0.2, 0.2]) <= level)
    deviation = np.sqrt(level / n)
    assert passed <= level * 1.15 + 4 * deviation
    if kind == "independent":
        assert passed >= level * 0.97 - 4 * deviation
    elif kind == "0.95":
        assert passed >= level * 0.8


def test_more_power_than_the_least_p_value():
    """Of effects that all tests see, the combination finds more than Bonferroni."""
    random = np.random.default_rng(4)
    z = 3.2 + random.normal(size=20_000) + 0.4 * random.normal(size=(3, 20_000))
    p_values = 2 * norm.sf(np.abs(z) / np.sqrt(1.16))
    combined_p = combine_p_values(p_values, [1, 1, 1])
    least = np.minimum(1, 3 * p_values.min(axis=0))
    assert np.mean(combined_p <= 0.001) > np.mean(least <= 0.001) + 0.03


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
