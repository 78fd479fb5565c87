"""How much synergy chance makes: scales, the fitted tail, and what follows from it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, norm

from featsieve.inference import _tail_null
from featsieve.inference._tail_null import (
    TailNull,
    best_positions,
    fit_tail,
    scans_needed,
    to_normal_scale,
    to_tail_scale,
)
from reference.inference import exponential_tail, wilson_hilferty

NULL = TailNull(start=2.0, count=4.0, rate=0.5, n_candidates=40, n_scans=20)


@given(st.lists(st.integers(0, 5), max_size=30), st.integers(1, 10))
def test_best_positions_are_a_stable_sort(values, keep):
    scores = np.array(values, dtype=float)
    expected = np.argsort(-scores, kind="stable")[:keep]
    np.testing.assert_array_equal(best_positions(scores, keep), expected)


def test_best_positions_of_many_ties():
    scores = np.repeat([1.0, 3.0, 2.0], 100)
    expected = [*range(100, 200), *range(200, 250)]
    assert best_positions(scores, 150).tolist() == expected
    whole = [*expected, *range(250, 300), *range(100)]
    assert best_positions(scores, 300).tolist() == whole


@given(st.floats(0, 1), st.integers(1, 30), st.integers(1, 10**6))
def test_scales_equal_the_definition(bits, freedom, n_rows):
    statistic = 2 * n_rows * np.log(2) * bits
    expected = wilson_hilferty(statistic, freedom)
    given_bits, own = np.array([bits]), np.array([float(freedom)])
    assert to_normal_scale(given_bits, own, n_rows) == pytest.approx(expected, rel=1e-9)
    tails = to_tail_scale(given_bits, own, n_rows)
    expected = -norm.logsf(expected) if bits > 0 else 0.0
    assert tails == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_tails_are_about_those_of_chi_square():
    freedom = np.array([1.0, 4.0, 8.0, 2.0])
    bits = np.array([0.02, 0.03, 0.04, 0.001])
    tails = to_tail_scale(bits, freedom, 500)
    exact = -chi2.logsf(bits * 2 * np.log(2) * 500, freedom)
    np.testing.assert_allclose(tails, exact, rtol=0.05)


def test_nothing_without_freedom_and_without_synergy():
    bits = np.array([-1.0, 0.0, 0.01, 5.0])
    freedom = np.array([1.0, 1.0, 1.0, 0.0])
    assert to_normal_scale(bits, freedom, 4.0)[3] == -np.inf
    tails = to_tail_scale(bits, freedom, 4.0)
    assert tails[[0, 1, 3]].tolist() == [0.0, 0.0, 0.0]
    assert tails[2] > 0
    assert not np.signbit(tails).any()
    tiny = to_tail_scale(np.array([1e-12]), np.array([1000.0]), 1.0)
    assert tiny.tolist() == [0.0]
    assert not np.signbit(tiny).any()
    least = to_normal_scale(bits, freedom, 4.0)
    assert least[0] == least[1] < least[2]  # below no synergy there is nothing


def test_expected_numbers_by_hand():
    tails = np.array([1.0, 2.0, 2.0 + 5e-10, 4.0, 8.0])
    expected = [40.0, 40.0, 40.0, 4 * np.exp(-1), 4 * np.exp(-3)]
    assert NULL.expected(tails) == pytest.approx(expected)
    assert NULL.p_values(tails) == pytest.approx(np.array(expected) / 40)
    many = TailNull(2.0, 400.0, 0.5, 40, 20)
    assert many.p_values(np.array([2.1])).tolist() == [1.0]
    single = TailNull(2.0, 0.5, 0.5, 1, 20)
    assert single.p_values(np.array([4.0])) == pytest.approx([0.5 * np.exp(-1)])
    none = TailNull(0.0, 0.0, 1.0, 0, 0)
    assert none.p_values(np.array([3.0])).tolist() == [0.0]


def test_rates_by_hand():
    tails = np.array([1.0, 8.0, 4.0])
    expected = [1.0, 4 * np.exp(-3), 4 * np.exp(-1) / 2]
    assert NULL.q_values(tails) == pytest.approx(expected)


def test_the_threshold_is_where_chance_puts_so_many():
    assert NULL.expected(np.array([NULL.threshold(0.05)])) == pytest.approx([0.05])
    assert NULL.threshold(3.9) > 2.0
    assert NULL.threshold(4.0) == NULL.threshold(5.0) == 2.0


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [(1, (400, 1)), (19, (400, 1)), (100, (100, 10)), (300, (34, 30)),
     (490, (21, 49)), (500, (20, 50)), (10**6, (20, 50))],
)  # fmt: skip
def test_scans_that_are_made(candidates, expected):
    assert scans_needed(candidates) == expected


def fitted(scans, n_candidates):
    return fit_tail(lambda number, keep: scans[number][:keep], n_candidates, 1)


@given(st.integers(0, 10_000), st.integers(10, 40), st.booleans())
def test_fit_equals_the_definition(seed, n_candidates, rounded):
    random = np.random.default_rng(seed)
    n_scans, keep = scans_needed(n_candidates)
    scans = random.exponential(2.0, size=(n_scans, n_candidates))
    scans = -np.sort(-(scans.round() if rounded else scans), axis=1)
    found = fitted(scans, n_candidates)
    start, count, rate = exponential_tail([s[: keep + 1].tolist() for s in scans], keep)
    assert found.start == pytest.approx(start)
    assert found.rate == pytest.approx(rate)
    assert found.count == pytest.approx(n_candidates if count is None else count)
    assert (found.n_candidates, found.n_scans) == (n_candidates, n_scans)


def test_scans_are_asked_for_one_more_than_is_kept_and_by_number():
    asked = []

    def scan(number, keep):
        asked.append((number, keep))
        return np.arange(keep, dtype=float)[::-1] + number / 1000

    fit_tail(scan, 500, 1)
    assert asked == [(number, 51) for number in range(20)]


def test_no_candidates_and_nothing_but_ties():
    assert fit_tail(None, 0, 1) == TailNull(0.0, 0.0, 1.0, 0, 0)
    ties = fitted(np.full((400, 3), 1.5), 3)
    assert ties == TailNull(1.5, 3.0, 1.0, 3, 400)


def test_scans_of_fewer_than_are_kept():
    """All is known of them: the tail starts at the least of all."""
    few = fit_tail(lambda k, _: np.array([3.0, 0.5 + k / 1000]), 100, 1)
    assert few.n_scans == 100
    assert few.start == 0.5
    assert few.count == pytest.approx(199 / 100)
    beyond = [2.5] * 100 + [k / 1000 for k in range(1, 100)]
    assert few.rate == pytest.approx(min(1, 1 / np.mean(beyond)))
    whole = fit_tail(lambda _, keep: np.arange(keep, 0.0, -1)[: keep - 1], 100, 1)
    assert whole.start == 2.0  # the last of the ten that each has


def test_never_lighter_than_the_law_itself():
    random = np.random.default_rng(0)
    light = -np.sort(-random.exponential(0.3, size=(20, 600)), axis=1)
    assert fitted(light, 600).rate == 1.0
    heavy = -np.sort(-random.exponential(3.0, size=(20, 600)), axis=1)
    assert fitted(heavy, 600).rate == pytest.approx(1 / 3, rel=0.15)


@pytest.mark.parametrize("correlated", [False, True])
def test_chance_is_found_as_often_as_it_says(correlated):
    """150 scans of 600 candidates: .05 of them expected beyond the bound in each.

    7.5 ± 2.7 in all; 20 are too many. Candidates that come in threes stay as many on
    average, three times as varied: 40 are too many then.
    """
    random = np.random.default_rng(1)

    def scan(_, keep):
        tails = random.exponential(size=600)
        if correlated:
            tails = np.repeat(tails[:200], 3)
        return -np.sort(-tails)[:keep]

    beyond = 0
    for _ in range(150):
        null = fit_tail(scan, 600, 1)
        beyond += np.count_nonzero(scan(0, 600) > null.threshold(0.05))
    assert beyond <= (40 if correlated else 20)
    assert beyond >= 1


def test_constants_are_those_of_the_specification():
    assert (_tail_null.LEAST_SCANS, _tail_null.MOST_SCANS) == (20, 400)
    assert _tail_null.MOST_PER_SCAN * _tail_null.LEAST_SCANS == 1000
