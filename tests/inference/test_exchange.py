"""How rows are exchanged: every order as likely as any other, and always the same."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, chisquare

from featsieve.data import ColumnKind, read_table
from featsieve.data.api import ANY_ORDER, RowDesign
from featsieve.inference._exchange import (
    AS_BEFORE,
    FREE,
    NEWS_OF_BOTH,
    NEWS_OF_COLUMNS,
    NO_MEMORY,
    TIE,
    Free,
    WholeGroups,
    WithinStrata,
    _has_memory,
    exchange_of,
    monte_carlo_p_values,
    permutation_p_value,
    to_units,
)
from featsieve.inference._innovations import class_innovations, innovations
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


def test_groups_of_one_target_are_one_row():
    table = read_table(
        {
            "x": [1.0, 3.0, 5.0, np.nan],
            "age": [40.0, 40.0, 7.0, 7.0],
            "c": ["u", "v", "v", "v"],
            "y": ["a", "a", "b", "b"],
        },
        "y",
    )
    design = RowDesign(groups=np.array([0, 0, 1, 1]), strata=np.array([0, 0, 0, 0]))
    units = to_units(table, design, np.array([1.0, 2.0, 3.0, 4.0]))
    assert units.table["x"].values.tolist() == [2, 5]
    assert units.table["age"].values.tolist() == [40, 7]
    assert units.table["c"].values.tolist() == [0, 1]
    assert units.table.target.values.tolist() == [0, 1]
    assert units.weights.tolist() == [3, 7]
    assert units.design.strata.tolist() == [0, 0]
    assert units.design.groups is None
    assert units.text == (
        "The target is the same in all rows of a group, so that 2 groups, not 4 rows, "
        "are the evidence; of each group the means of its numbers and its most "
        "frequent levels are looked at."
    )
    assert units.table.source_notes is table.source_notes
    bare = to_units(table, RowDesign(groups=design.groups))
    assert (bare.design.strata, bare.weights) == (None, None)


def test_values_of_groups():
    """Means of known numbers, most frequent known levels; the first one of a tie."""
    nan = np.nan
    table = read_table(
        {
            "gaps": [1.0, nan, 4.0, nan, nan, nan],
            "twice": [7.0, 7.0, nan, nan, nan, nan],  # the same in every group
            "level": ["v", "u", None, None, "w", "w"],
            "rare": ["u", None, None, "v", "v", None],
            "y": ["a", "a", "b", "b", "b", "b"],
        },
        "y",
    )
    groups = np.array([0, 0, 1, 1, 2, 2])
    units = to_units(table, RowDesign(groups=groups)).table
    np.testing.assert_array_equal(units["gaps"].values, [1, 4, nan])
    np.testing.assert_array_equal(units["twice"].values, [7, nan, nan])
    names = [[*c.levels, None] for c in (units["level"], units["rare"])]
    assert [names[0][k] for k in units["level"].values] == ["u", None, "w"]
    assert [names[1][k] for k in units["rare"].values] == ["u", "v", "v"]
    assert units["level"].values.dtype == np.int32
    assert units.n_rows == 3
    bare = read_table({"x": [1.0, 1, 3, 4], "y": ["a", "a", "b", "b"]}, "y").select([])
    assert to_units(bare, RowDesign(groups=groups[:4])).table.n_rows == 2


def test_a_mean_of_rounded_copies_is_the_value_itself():
    """0.1 three times has no other mean; a sum by three would be the next number."""
    table = read_table({"x": [0.1] * 3 + [0.7] * 3, "y": ["a"] * 3 + ["b"] * 3}, "y")
    units = to_units(table, RowDesign(groups=np.repeat([0, 1], 3)))
    assert units.table["x"].values.tolist() == [0.1, 0.7]


def test_targets_that_vary_inside_keep_their_rows():
    table = read_table({"x": [1.0, 2, 3, 4], "y": ["a", "b", "b", "b"]}, "y")
    design = RowDesign(groups=np.array([0, 0, 1, 1]))
    units = to_units(table, design)
    assert units.table is table
    assert units.design is design
    assert units.text == (
        "The target varies within the 2 groups: what is compared are rows of one "
        "group, and whole groups with each other."
    )
    weights = np.arange(4.0)
    assert to_units(table, design, weights).weights is weights
    assert to_units(table, ANY_ORDER).text is None
    assert to_units(table, RowDesign(strata=design.groups)).text == (
        "Rows are compared within 2 strata only; what strata differ by is not tested."
    )


def walks(n=300):
    return np.cumsum(np.random.default_rng(0).normal(size=(n, 2)), axis=0)


def test_rows_in_time_become_news_in_the_order_of_time():
    x, y = walks().T
    order = np.random.default_rng(1).permutation(300)
    table = read_table({"x": x[order], "f": (x > 0)[order] * 1, "y": y[order]}, "y")
    units = to_units(table, RowDesign(time=order))
    assert units.design.is_free
    assert abs(np.corrcoef(units.table["x"].values, np.diff(x, prepend=0))[0, 1]) > 0.9
    assert set(units.table["f"].values) == {0, 1}  # few values stay
    two = read_table({"x": x[order], "y": np.where(y > 0, "b", "a")[order]}, "y")
    assert not to_units(two, RowDesign(time=order)).table.target.is_nominal


@pytest.mark.parametrize("in_series", [False, True])
def test_news_are_those_of_target_and_columns_in_order(in_series):
    """Weights, series and the order of time go along; ten different values stay."""
    random = np.random.default_rng(4)
    x, y = walks().T
    few, more = random.integers(0, [[10], [11]], (2, 300)).astype(float)
    order = random.permutation(300)
    series = np.repeat([0, 1], 150) if in_series else None
    columns = {
        "x": x,
        "few": few,
        "more": np.sort(more),
        "w": random.choice(["u"], 300),
    }
    moved = {name: np.asarray(own)[order] for name, own in columns.items()}
    strata = None if series is None else series[order]
    design, weights = RowDesign(time=order, strata=strata), np.arange(300.0)
    table = read_table(moved | {"y": y[order]}, "y")
    units = to_units(table, design, weights[order])
    np.testing.assert_array_equal(units.table.target.values, innovations(y, series))
    for name in ("x", "more"):
        expected = innovations(columns[name], series)
        assert expected is not columns[name]
        np.testing.assert_array_equal(units.table[name].values, expected)
    np.testing.assert_array_equal(units.table["few"].values, few)
    assert units.table["w"].is_nominal
    assert units.weights.tolist() == weights.tolist()
    assert (units.text, units.design.is_free) == (NEWS_OF_BOTH, True)
    assert units.table.source_notes is table.source_notes
    assert to_units(table, design).weights is None
    # Two classes: ranks of their own law, by the seed.
    two = read_table(moved | {"y": np.where(y > np.median(y), "b", "a")[order]}, "y")
    units = to_units(two, design, seed=7)
    expected = class_innovations((y > np.median(y)).astype(float), 7, series)
    np.testing.assert_array_equal(units.table.target.values, expected)
    assert units.table.target.name == "y"
    assert units.table.target.kind is ColumnKind.NUMERIC
    expected = class_innovations((y > np.median(y)).astype(float), 0, series)
    np.testing.assert_array_equal(to_units(two, design).table.target.values, expected)


def test_equal_times_stay_in_the_order_of_rows():
    table = read_table({"x": np.arange(300.0), "y": walks()[:, 0]}, "y")
    random = np.random.default_rng(0)
    time = random.integers(0, 3, 300)
    units = to_units(table, RowDesign(time=time), np.arange(300.0))
    expected = [k for moment in range(3) for k in range(300) if time[k] == moment]
    assert units.weights.tolist() == expected


def test_classes_that_stay_ask_for_columns_without_memory():
    x, y = walks().T
    levels = np.where(x > np.median(x), "v", "u")
    table = read_table(
        {"c": levels, "f": (x > 0) * 1, "y": np.where(y > np.median(y), "b", "a")}, "y"
    )
    units = to_units(table, RowDesign(time=np.arange(300)), classes=True)
    assert units.table.target.is_nominal
    assert units.table["c"].levels[-1] == AS_BEFORE
    assert np.mean(units.table["c"].values == 2) > 0.8
    assert set(units.table["f"].values) <= {-1, 0, 1}


def test_columns_without_memory():
    """What classes that stay are held against, within series and across gaps."""
    n = 400
    random = np.random.default_rng(6)
    slow = np.repeat(random.integers(0, 3, n // 20), 20)  # 20 rows alike
    series = np.repeat([0, 1, 2, 3], 100)
    x = np.where(np.arange(n) % 40 < 2, np.nan, slow.astype(float))
    walk = np.cumsum(random.normal(size=n))
    table = read_table(
        {
            "level": [f"l{k}" for k in slow],
            "gaps": x,
            "walk": walk,
            "quick": [f"l{k}" for k in random.integers(0, 3, n)],
            "some": random.integers(0, 10, n).astype(float),
            "y": np.where(slow > 0, "b", "a"),
        },
        "y",
    )
    design = RowDesign(time=np.arange(n), strata=series)
    units = to_units(table, design, classes=True)
    assert units.text == NEWS_OF_COLUMNS
    assert units.table.target.values.tolist() == table.target.values.tolist()
    found = units.table["level"]
    assert (found.name, found.kind) == ("level", ColumnKind.NOMINAL)
    assert found.levels == (*table["level"].levels, AS_BEFORE)
    before = table["level"].values
    for k in range(n):
        same = k % 100 > 0 and before[k] == before[k - 1]
        assert found.values[k] == (3 if same else before[k])
    np.testing.assert_array_equal(units.table["gaps"].values, np.diff(x, prepend=x[0]))
    np.testing.assert_array_equal(units.table["walk"].values, innovations(walk, series))
    for name in ("quick", "some"):
        np.testing.assert_array_equal(units.table[name].values, table[name].values)
    # Three classes stay whatever is asked for.
    three = np.array([*"abc"])[slow]
    table = read_table({"walk": walk, "y": three}, "y")
    assert to_units(table, RowDesign(time=np.arange(n))).text == NEWS_OF_COLUMNS


def test_classes_of_series_are_held_against_columns_without_levels_of_series():
    """Series may differ in their classes, which takes no memory to show."""
    random = np.random.default_rng(8)
    classes = np.where(random.random(600) < 0.5, "b", "a")
    table = read_table({"x": random.normal(size=600), "y": classes}, "y")
    time, series = np.arange(600), np.repeat(np.arange(10), 60)
    apart = to_units(table, RowDesign(time=time, strata=series), classes=True)
    assert apart.text == NEWS_OF_COLUMNS
    expected = innovations(table["x"].values, series)
    np.testing.assert_array_equal(apart.table["x"].values, expected)
    assert to_units(table, RowDesign(time=time), classes=True).text == NO_MEMORY


@pytest.mark.parametrize(
    ("n_same", "expected"), [(69, False), (70, False), (71, True), (0, False)]
)
def test_memory_is_four_deviations_more_than_chance(n_same, expected):
    """Two levels, half each: 50 of 100 neighbours are the same, give or take 5."""
    same = np.arange(100) < n_same
    assert _has_memory(np.arange(102) % 2, same) is np.bool_(expected)


def test_memory_of_uneven_levels():
    """Nine of ten rows alike: neighbours agree in .82 of 400, give or take 7.68."""
    values = np.arange(400) % 10 == 0
    for n_same, expected in ((358, False), (359, True)):
        assert _has_memory(values, np.arange(400) < n_same) == expected
    assert not _has_memory(np.ones(9), np.ones(8, dtype=bool))
    assert not _has_memory(np.ones(0), np.ones(0, dtype=bool))


def test_missing_after_missing_is_as_before():
    """Half of the values are missing, in long runs, and the known ones differ."""
    x = np.arange(200.0) % 9
    x[np.arange(200) % 40 < 20] = np.nan
    y = np.where(np.arange(200) % 50 < 25, "b", "a")
    units = to_units(
        read_table({"x": x, "y": y}, "y"), RowDesign(time=np.arange(200)), classes=True
    )
    np.testing.assert_array_equal(units.table["x"].values, np.diff(x, prepend=x[:1]))


def test_a_target_without_memory_needs_nothing():
    random = np.random.default_rng(2)
    table = read_table({"x": walks()[:, 0], "y": random.normal(size=300)}, "y")
    units = to_units(table, RowDesign(time=np.arange(300)))
    np.testing.assert_array_equal(units.table["x"].values, walks()[:, 0])
    assert units.text == NO_MEMORY
