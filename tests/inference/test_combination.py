"""One p-value from several: equal to the definition in exact arithmetic, and valid."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, norm

from featsieve.inference._combination import cauchy_parts, combine_p_values
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
