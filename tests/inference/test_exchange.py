"""How rows are exchanged: every order as likely as any other, and always the same."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, chisquare

from featsieve.data.api import RowDesign
from featsieve.inference._exchange import (
    FREE,
    TIE,
    Free,
    WholeGroups,
    WithinStrata,
    exchange_of,
    monte_carlo_p_values,
    permutation_p_value,
)
from reference.inference import exact_p_value, exact_p_value_of_groups

STRATA = np.array([1, 0, 1, -2, 0, 1])


def random(seed=0):
    return np.random.default_rng(seed)


def test_free_orders_are_those_of_the_generator():
    """Same seed, same bits: what selections were published with."""
    own, other = random(), random()
    found = FREE.orders(7, own, 3)
    assert found.shape == (7, 3)
    assert found.dtype == np.intp
    for k in range(3):
        np.testing.assert_array_equal(found[:, k], other.permutation(7))
    np.testing.assert_array_equal(FREE.order(7, own), other.permutation(7))


@pytest.mark.parametrize("null", [FREE, WithinStrata(STRATA)])
def test_a_draw_depends_on_its_number_only(null):
    later = null.draw(6, 5, 3)
    for number in range(3):
        null.draw(6, 5, number)
    np.testing.assert_array_equal(null.draw(6, 5, 3), later)
    different = {tuple(null.draw(6, seed, 0)) for seed in range(20)}
    assert len(different) > 5
    assert len({tuple(null.draw(6, 5, number)) for number in range(20)}) > 5


def test_all_free_orders_are_equally_likely():
    orders = FREE.orders(4, random(), 2400)
    seen = Counter(map(tuple, orders.T.tolist()))
    assert set(seen) == set(itertools.permutations(range(4)))
    # 24 orders, 100 each on average: below 0.0001 once in 10,000 seeds.
    assert chisquare(list(seen.values())).pvalue > 1e-4


def test_orders_within_strata_are_equally_likely_and_stay_inside():
    orders = WithinStrata(STRATA).orders(6, random(1), 1200)
    np.testing.assert_array_equal(STRATA[orders], np.tile(STRATA[:, None], (1, 1200)))
    seen = Counter(map(tuple, orders.T.tolist()))
    assert len(seen) == 6 * 2 * 1
    assert chisquare(list(seen.values())).pvalue > 1e-4


def test_orders_within_strata_are_those_of_the_generator():
    """Keys are drawn row by row; sorted within the stratum they make the order."""
    keys = random(2).random((6, 2))
    found = WithinStrata(STRATA).orders(6, random(2), 2)
    for k in range(2):
        for stratum in set(STRATA.tolist()):
            rows = np.flatnonzero(np.sort(STRATA) == stratum)
            places = np.flatnonzero(stratum == STRATA)
            expected = places[np.argsort(keys[rows, k])]
            np.testing.assert_array_equal(found[places, k], expected)


class Extremes:
    """A generator whose keys are as large as can be, or as small, by turns of three."""

    def random(self, shape):
        large = np.arange(shape[0])[:, np.newaxis] // 3 % 2 == 0
        return np.where(large, 1 - 2.0**-53, np.zeros(shape))


def test_rounding_moves_no_row_to_another_stratum():
    """Added to a stratum's number a large key is the number of the next one."""
    strata = np.repeat(np.arange(80), 3)
    order = WithinStrata(strata).order(240, Extremes())
    np.testing.assert_array_equal(order, np.arange(240))


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30), st.integers(0, 99))
def test_any_strata(codes, seed):
    strata = np.array(codes)
    order = WithinStrata(strata).order(len(strata), random(seed))
    assert sorted(order.tolist()) == list(range(len(strata)))
    np.testing.assert_array_equal(strata[order], strata)


def test_nulls_of_some_rows_and_of_strata_inside_strata():
    rows = np.array([5, 3, 2, 1])
    assert FREE.take(rows) is FREE
    null = WithinStrata(STRATA).take(rows)
    np.testing.assert_array_equal(null.strata, [1, -2, 1, 0])
    inside = FREE.within(STRATA)
    assert isinstance(inside, WithinStrata)
    np.testing.assert_array_equal(inside.strata, STRATA)
    both = inside.within(np.array([0, 0, 0, 0, 0, 9]))
    orders = both.orders(6, random(), 200)
    assert (orders[5] == 5).all()
    assert len(set(map(tuple, orders.T.tolist()))) == 2 * 2


def test_only_free_exchange_is_free():
    assert FREE.is_free
    assert Free() == FREE
    assert not WithinStrata(np.zeros(3)).is_free


def test_rows_must_be_those_of_the_null():
    with pytest.raises(ValueError, match="null is that of 6 rows, not of 5"):
        WithinStrata(STRATA).order(5, random())


def test_rows_of_a_stratum_keep_their_order_before_they_are_drawn():
    """So that orders are the same in every version of NumPy; few rows always do."""
    strata = random(3).integers(0, 3, 300)
    keys = random(4).random((300, 1))
    places = np.argsort(strata, kind="stable")
    expected = np.empty(300, dtype=int)
    expected[places] = places[np.lexsort((keys[:, 0], strata[places]))]
    found = WithinStrata(strata).order(300, random(4))
    np.testing.assert_array_equal(found, expected)


def test_no_rows():
    assert FREE.orders(0, random(), 2).shape == (0, 2)
    assert WithinStrata(np.empty(0, dtype=int)).order(0, random()).shape == (0,)


def test_by_hand():
    assert monte_carlo_p_values(0, 99) == 0.01
    assert monte_carlo_p_values(99, 99) == 1
    assert monte_carlo_p_values(0, 0) == 1
    found = monte_carlo_p_values([0, 9, 10, 12, 10], [99, 99, 40, 99, 10], 10)
    assert found.tolist() == [0.01, 0.1, 0.25, 12 / 99, 1.0]
    assert monte_carlo_p_values(1, 1, 1) == 1
    assert monte_carlo_p_values(10, 39) == 11 / 40
    assert monte_carlo_p_values(0, 0, 0) == 0  # never divides by nothing


@given(st.integers(0, 50), st.integers(0, 50), st.integers(1, 20))
def test_between_nothing_and_one(reached, more, stop_after):
    p_value = float(monte_carlo_p_values(reached, reached + more, stop_after))
    assert 0 < p_value <= 1
    assert p_value >= reached / max(reached + more, 1)


def test_is_the_share_of_all_orders_that_score_as_high():
    x = np.array([0, 0, 1, 1, 2, 5])
    strata = np.array([0, 1, 0, 1, 0, 1])
    y = np.array([0, 1, 2, 2, 7, 3])
    for null, given_strata in ((FREE, None), (WithinStrata(strata), strata.tolist())):
        exact = exact_p_value(
            lambda t: float(x @ np.array(t)), y.tolist(), given_strata
        )
        found = permutation_p_value(
            lambda order: float(x @ y[order]),
            6,
            null,
            np.random.default_rng(0),
            most_draws=4000,
            stop_after=4001,
        )
        # Four standard errors of a share of 4,000 draws.
        assert found == pytest.approx(exact, abs=4 * np.sqrt(exact / 4000))


def test_scores_that_tie_count():
    flat = {"most_draws": 30, "stop_after": 31}
    random = np.random.default_rng(0)
    assert permutation_p_value(lambda _: 1.0, 4, FREE, random, **flat) == 1
    calls = iter([1.0, *[1 - TIE / 2] * 30])
    assert permutation_p_value(lambda _: next(calls), 4, FREE, random, **flat) == 1
    calls = iter([1.0, *[1 - 1.2e-12] * 15, *[1 - 1e-6] * 15])
    assert permutation_p_value(lambda _: next(calls), 4, FREE, random, **flat) == 1 / 31
    exact = permutation_p_value(lambda _: 1.0, 4, FREE, random, tie=0.0, **flat)
    assert exact == 1
    calls = iter([1.0, *[1 - 1e-6] * 30])
    close = permutation_p_value(
        lambda _: next(calls), 4, FREE, random, tie=1e-5, **flat
    )
    assert close == 1


def test_ends_when_enough_draws_have_reached_it():
    calls = iter([1.0, 2.0, 0.0, 2.0, 2.0, 0.0])
    found = permutation_p_value(
        lambda _: next(calls),
        4,
        FREE,
        np.random.default_rng(0),
        most_draws=50,
        stop_after=3,
    )
    assert found == 3 / 4
    assert list(calls) == [0.0]


def test_rows_as_they_are_come_first_and_orders_are_those_of_the_null():
    seen = []

    def score(order):
        seen.append(order)
        return -float(len(seen))

    random, other = np.random.default_rng(3), np.random.default_rng(3)
    permutation_p_value(
        score,
        5,
        FREE,
        random,
        most_draws=2,
        stop_after=5,
    )
    assert len(seen) == 3
    np.testing.assert_array_equal(seen[0], np.arange(5))
    for order in seen[1:]:
        np.testing.assert_array_equal(order, other.permutation(5))


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("stratified", [False, True])
@pytest.mark.parametrize("stop_after", [3, 100])
def test_exact_under_the_null(ties, stratified, stop_after):
    """2,000 tables of 12 rows, 19 draws: a level of 1/20 is known to ±.005 (one sd).

    Four standard deviations above the level are too many; a p-value r / n instead of
    (r + 1) / (n + 1) would be 0 in one table of twenty. Strata carry a strong effect of
    their own, which only exchange within them keeps.
    """
    random = np.random.default_rng([ties, stratified, stop_after])
    strata = np.repeat([0, 1, 2], 4)
    null = WithinStrata(strata) if stratified else FREE
    p_values = []
    for _ in range(2000):
        x = random.integers(0, 3, 12) if ties else random.normal(size=12)
        y = random.normal(size=12)
        if stratified:
            x, y = x + 3 * strata, y + 3 * strata
        p_values.append(
            permutation_p_value(
                lambda order, x=x, y=y: float(x @ y[order]),
                12,
                null,
                random,
                most_draws=19,
                stop_after=stop_after,
            )
        )
    for level in (1 / 20, 2 / 20, 10 / 20):
        passed = np.count_nonzero(np.array(p_values) <= level + 1e-9)
        assert passed <= binom.isf(3e-5, 2000, level)
        if not ties and stop_after == 100:
            assert passed >= binom.ppf(3e-5, 2000, level)


def test_whole_groups_of_equal_size_are_a_group_of_permutations():
    groups = np.array([7, 3, 7, 3, 5, 5])
    orders = WholeGroups(groups).orders(6, random(1), 4800)
    seen = Counter(map(tuple, orders.T.tolist()))
    assert len(seen) == 6 * 2**3
    assert tuple(range(6)) in seen
    assert chisquare(list(seen.values())).pvalue > 1e-4
    for order in seen:
        moved = groups[list(order)]
        assert all(len(set(moved[groups == g])) == 1 for g in set(groups.tolist()))


def test_groups_stay_in_their_stratum():
    groups, strata = np.repeat(np.arange(4), 2), np.repeat([0, 1], 4)
    orders = WholeGroups(groups, strata).orders(8, random(2), 200)
    np.testing.assert_array_equal(strata[orders], np.tile(strata[:, None], (1, 200)))
    with pytest.raises(ValueError, match="lie in one stratum"):
        WholeGroups(groups, np.arange(8))
    inside = WholeGroups(groups).within(np.arange(8) % 2)
    moved = inside.orders(8, random(3), 100)
    np.testing.assert_array_equal(moved % 2, np.arange(8)[:, None] % 2 + 0 * moved)


def test_orders_of_groups_are_those_of_the_generator():
    """Whose targets a group gets is drawn first, then a key for every row."""
    groups = random(3).integers(0, 40, 300)
    own = random(4)
    source = own.permutation(40)
    keys = own.random((300, 1))[:, 0]
    rows = [np.flatnonzero(groups == g) for g in range(40)]
    places = np.argsort(groups, kind="stable")
    key_of = dict(zip(places.tolist(), keys.tolist(), strict=True))
    found = WholeGroups(groups).order(300, random(4))
    for g in range(40):
        given = sorted(rows[source[g]].tolist(), key=key_of.get)
        expected = [given[k % len(given)] for k in range(len(rows[g]))]
        assert found[rows[g]].tolist() == expected


def test_strata_of_groups_stay_in_all_that_is_made_of_them():
    groups, strata = np.repeat(np.arange(6), 2), np.repeat([0, 1, 1], 4)
    null = exchange_of(RowDesign(groups=groups, strata=strata))
    other = np.tile([0, 0, 1, 1], 3)
    rows = random(1).permutation(12)
    for made, codes in (
        (null, [strata]),
        (null.take(rows), [strata[rows]]),
        (null.within(other), [strata, other]),
    ):
        orders = made.orders(12, random(2), 100)
        for own in codes:
            assert (own[orders] == own[:, None]).all()
        assert len(set(map(tuple, orders.T.tolist()))) > 20


def test_rows_of_groups_of_other_size_are_used_alike():
    groups = np.array([0, 1, 1, 1, 1])
    for order in WholeGroups(groups).orders(5, random(4), 50).T:
        if order[0] != 0:  # the small group has a row of the large one
            assert order[1:].tolist() == [0] * 4
    groups = np.array([0, 0, 0, 0, 0, 1, 1])
    for order in WholeGroups(groups).orders(7, random(4), 50).T:
        if order[0] > 4:
            assert sorted(Counter(order[:5].tolist()).values()) == [2, 3]


@pytest.mark.parametrize("sizes", [(2, 2, 2, 2), (1, 3, 2, 2)])
def test_groups_of_one_target_are_exact(sizes):
    """The share of all ways to give the targets of groups to other groups."""
    groups = np.repeat(np.arange(4), sizes)
    x, targets = np.arange(8.0) ** 2, np.array([0, 2, 1, 5])
    exact = exact_p_value_of_groups(
        lambda t: float(x @ np.array(t)), targets.tolist(), groups.tolist()
    )
    y = targets[groups]
    found = permutation_p_value(
        lambda order: float(x @ y[order]),
        8,
        WholeGroups(groups),
        random(5),
        most_draws=4000,
        stop_after=4001,
    )
    assert found == pytest.approx(exact, abs=4 * np.sqrt(exact / 4000))


def test_the_null_of_a_design():
    codes = np.array([0, 0, 1, 1])
    assert exchange_of(RowDesign()) is FREE
    assert isinstance(exchange_of(RowDesign(strata=codes)), WithinStrata)
    null = exchange_of(RowDesign(groups=codes, strata=codes * 0))
    assert isinstance(null, WholeGroups)
    assert null.take(np.array([3, 0])).groups.tolist() == [1, 0]
    with pytest.raises(ValueError, match="null is that of 4 rows, not of 3"):
        null.order(3, random())
