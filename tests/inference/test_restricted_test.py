"""Tests under restricted orders: uniform where rows belong together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binom

from featsieve.inference import _restricted_test
from featsieve.inference._exchange import FREE, WholeGroups, WithinStrata
from featsieve.inference._restricted_test import (
    log_arrangements,
    parts_of,
    restricted_given_p_value,
    restricted_p_values,
    tail_p_value,
)
from reference.inference_restricted import (
    exact_given,
    log_n_targets,
    part_between,
    part_within,
    restricted,
)


def levels(codes):
    """An indicator per level."""
    return np.eye(int(codes.max()) + 1)[codes]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", ["strata", "groups", "groups in strata"])
def test_equals_the_definition(kind, seed):
    """Numbers with ties, levels, two outcomes; codes that are no running numbers."""
    random = np.random.default_rng([seed, len(kind)])
    units = np.sort(random.integers(0, 7, 33)) * 3 - 5
    units[0] = -8  # a unit of one row
    strata = units % 2 if kind == "groups in strata" else np.zeros(33, dtype=int)
    shuffled = random.permutation(33)
    units, strata = units[shuffled], strata[shuffled]
    null = WholeGroups(units, strata if strata.any() else None)
    if kind == "strata":
        null = WithinStrata(units)
    target = (
        random.normal(size=(33, 2)).round(1)
        + 0.5 * random.normal(size=7)[units // 3 + 2, None]
    )
    columns = [
        random.integers(0, 4, (33, 1)) + target[:, :1],
        levels(random.integers(0, 3, 33)),
        random.normal(size=(33, 1)),
        np.where(units > 2, 1.0, 0.0)[:, None],  # constant in every unit
        np.ones((33, 1)),
        np.empty((33, 0)),
    ]
    found = restricted_p_values(columns, target, null, seed)
    orders = null.orders(33, np.random.default_rng(seed), 999)
    least = np.exp(-log_arrangements(null, target))
    parts = [part_within(units)]
    if kind != "strata":
        parts.append(part_between(units, strata))
    assert found.shape == (6, len(parts))
    for k, part in enumerate(parts):
        for own, p_value in zip(columns[:3], found[:3, k], strict=True):
            expected = restricted(own, target, part, orders, least)
            assert p_value == pytest.approx(expected, rel=1e-6)
    assert np.isnan(found[3, 0])
    assert np.isnan(found[4:]).all()


def test_many_columns_are_those_of_one_at_a_time():
    random = np.random.default_rng(5)
    strata = random.integers(0, 3, 40)
    columns = [random.normal(size=(40, 1)) for _ in range(35)]
    columns[33] = np.ones((40, 1))
    target, null = random.normal(size=(40, 1)), WithinStrata(strata)
    together = restricted_p_values(columns, target, null, 1)
    for k in (0, 31, 32, 33, 34):
        alone = restricted_p_values(columns[k : k + 1], target, null, 1)
        assert alone[0, 0] == pytest.approx(together[k, 0], rel=1e-9, nan_ok=True)
    assert np.isnan(restricted_p_values(columns[:2], np.ones((40, 1)), null, 1)).all()
    assert restricted_p_values([], target, null, 1).shape == (0, 1)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 1), min_size=6, max_size=6), st.booleans())
def test_arrangements_are_counted(target, stratified):
    y = np.array(target, dtype=float)[:, None]
    units = np.array([4, 4, 1, 1, 9, 9])
    strata = np.array([0, 0, 5, 5, 0, 0]) if stratified else None
    found = log_arrangements(WholeGroups(units, strata), y)
    expected = log_n_targets(units, target, strata, whole_units=True)
    assert found == pytest.approx(expected, abs=1e-9)
    found = log_arrangements(WithinStrata(units // 4), y)
    expected = log_n_targets(units // 4, target, whole_units=False)
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("unequal", [False, True])
def test_groups_with_effects_of_their_own(unequal):
    """40 tables of 10 columns: 400 p-values a part, correlated little."""
    found = []
    for seed in range(40):
        random = np.random.default_rng([seed, unequal])
        sizes = random.integers(2, 9, 25) if unequal else np.full(25, 5)
        groups = np.repeat(np.arange(25), sizes)
        n = len(groups)
        X = random.normal(size=(25, 10))[groups] + random.normal(size=(n, 10))
        y = (random.normal(size=25)[groups] + random.normal(size=n) > 0).astype(float)
        columns = [X[:, [j]] for j in range(10)]
        found.append(
            restricted_p_values(columns, y[:, None], WholeGroups(groups), seed)
        )
    p_values = np.concatenate(found)
    assert p_values.shape == (400, 2)
    for level in (0.01, 0.05, 0.5):
        passed = np.count_nonzero(p_values <= level, axis=0)
        assert (passed <= binom.isf(1e-4, 400, level)).all()
    assert (np.count_nonzero(p_values <= 0.5, axis=0) > 150).all()


def test_effects_within_and_between_are_found_in_their_part():
    random = np.random.default_rng(1)
    groups = np.repeat(np.arange(40), 6)
    within, between = random.normal(size=240), random.normal(size=40)[groups]
    y = within + between + random.normal(size=240)
    columns = [within[:, None], between[:, None]]
    p = restricted_p_values(columns, y[:, None], WholeGroups(groups), 0)
    assert p[0, 0] < 1e-8
    assert np.isnan(p[1, 0])  # constant in every group
    assert p[1, 1] < 1e-4


def test_what_strata_differ_by_is_no_evidence():
    random = np.random.default_rng(2)
    strata = np.repeat([0, 1], 60)
    x, y = (random.normal(size=(120, 1)) + 5 * strata[:, None] for _ in range(2))
    assert restricted_p_values([x], y, WithinStrata(strata), 0)[0, 0] > 0.01
    y += x - 5 * strata[:, None]
    assert restricted_p_values([x], y, WithinStrata(strata), 0)[0, 0] < 1e-4


def test_no_less_than_one_over_the_number_of_orders():
    groups = np.repeat(np.arange(6), 3)
    y = np.array([0, 0, 0, 1, 1, 1.0])[groups][:, None]
    null = WholeGroups(groups)
    assert log_arrangements(null, y) == pytest.approx(np.log(20))
    assert restricted_p_values([y.copy()], y, null, 0)[0, 1] >= 1 / 20
    assert log_arrangements(WithinStrata(groups), y) == 0


def test_tails():
    drawn = np.random.default_rng(0).beta(0.5, 20, 999)
    assert tail_p_value(0.0, drawn) == 1
    far = tail_p_value(0.6, drawn)
    assert 1e-11 < far < 1e-7  # the law itself: 2e-9
    assert tail_p_value(0.6, drawn, 0.01) == 0.01
    assert tail_p_value(0.5, np.zeros(99)) == 0.01
    assert tail_p_value(0.5, np.ones(99)) == 1


@pytest.mark.parametrize("reached", [0, 19, 20, 21])
def test_twenty_draws_that_reach_it_are_enough(reached):
    """Of a beta law that says .012 some 12 of 999 do."""
    low, high = np.linspace(0.001, 0.22, 999 - reached), np.linspace(0.3, 0.5, reached)
    drawn = np.concatenate([low, high])
    mean, variance = drawn.mean(), drawn.var()
    size = mean * (1 - mean) / variance - 1
    law = beta.sf(0.3, mean * size, (1 - mean) * size)
    assert 0.008 < law < 0.03
    expected = law if reached < 20 else (reached + 1) / 1000
    assert tail_p_value(0.3, drawn) == pytest.approx(expected)
    # Equal but for rounding is reached.
    assert tail_p_value(0.3 + 1e-13, drawn) == pytest.approx(expected)
    assert tail_p_value(0.3, drawn, 0.5) == (0.5 if reached < 20 else expected)
    assert tail_p_value(0.3, drawn, 7.0) == (1 if reached < 20 else expected)


def test_a_law_that_draws_contradict_is_not_believed():
    """Pairs that differ in 7 of 40: all 7 to one side, 1 of 64 times, not 1 of 140."""
    signs = np.random.default_rng(0).binomial(7, 0.5, 999) * 2 - 7
    drawn = signs**2 / (7 * 40)
    reached = np.count_nonzero(abs(signs) == 7)
    assert 0 < reached < 20
    assert tail_p_value(49 / 280, drawn) == (reached + 1) / 1000
    # One draw of 999 that comes so far is what a law of 1 in 1000 foretells.
    lone = np.r_[np.linspace(0.001, 0.2, 998), 0.4]
    assert tail_p_value(0.4, lone) != 2 / 1000


@pytest.mark.parametrize(("chance", "believed"), [(0.012, True), (0.009, False)])
def test_draws_contradict_at_one_in_a_hundred(monkeypatch, chance, believed):
    """Under a law of p five of 999 or more have a chance of that."""
    grid = np.linspace(1e-4, 5e-3, 100_000)
    p_value = grid[np.searchsorted(binom.sf(4, 999, grid), chance)]

    class Law:
        sf = staticmethod(lambda *_: p_value)

    monkeypatch.setattr(_restricted_test, "beta_law", Law)
    drawn = np.r_[np.linspace(0.01, 0.2, 994), np.full(5, 0.4)]
    assert tail_p_value(0.4, drawn) == (p_value if believed else 6 / 1000)


def test_where_no_law_fits_draws_are_counted():
    """Shares of 0 and 1 only have all the variance there can be: no beta law has."""
    drawn = np.r_[np.zeros(95), np.ones(4)]
    assert tail_p_value(1.0, drawn) == 5 / 100
    assert tail_p_value(0.6, np.full(99, 0.5)) == 1 / 100
    most = np.r_[np.zeros(95), np.full(4, 0.9)]
    assert tail_p_value(1 + 1e-9, most) == 0  # rounded to more than all there is
    assert tail_p_value(1 + 1e-9, most, 0.01) == 0.01


@pytest.mark.parametrize("kind", ["plain", "ties", "levels", "near copies"])
@pytest.mark.parametrize("null", ["strata", "groups", "groups in strata"])
def test_uniform_or_conservative_under_the_null(kind, null):
    """60 tables, of 4 columns each but of near copies: no more than chance allows.

    As many p-values at most as a binomial law exceeds once in a million; columns of one
    table share a target, which the restricted orders keep, and are otherwise drawn by
    themselves, so they count as independent; of near copies the first one counts. A
    test that took rows as free would reject in a third of all.
    """
    found = []
    for seed in range(60):
        random = np.random.default_rng([seed, len(kind), len(null)])
        units = np.repeat(np.arange(20), random.integers(1, 6, 20))
        strata = units % 3
        effects = random.normal(size=(20, 5)) + 2 * (np.arange(20) % 3)[:, None]
        values = effects[units] + random.normal(size=(len(units), 5))
        y, x = (values[:, :1] > 2).astype(float), values[:, 1:]
        if kind == "near copies":
            x = x[:, :1] + 0.1 * random.normal(size=(len(units), 2))
        if kind == "ties":
            x = np.round(x)
        columns = [
            levels(np.digitize(own, [1, 3])) if kind == "levels" else own[:, None]
            for own in x.T
        ]
        exchange = {
            "strata": WithinStrata(units),
            "groups": WholeGroups(units),
            "groups in strata": WholeGroups(units, strata),
        }[null]
        if null == "groups":  # the strata are not known, so nothing may follow them
            columns = [part_within(strata) @ own for own in columns]
        p_values = restricted_p_values(columns, y, exchange, seed)
        found.append(p_values[:1] if kind == "near copies" else p_values)
    p_values = np.concatenate(found)
    for own in p_values.T:
        some = own[~np.isnan(own)]
        for level in (0.01, 0.05, 0.2):
            most = binom.isf(1e-6, len(some), level)
            assert np.count_nonzero(some <= level) <= most


def test_free_rows_have_laws():
    with pytest.raises(TypeError, match="need no restricted test"):
        parts_of(FREE)


@pytest.mark.parametrize("seed", range(3))
def test_given_levels_are_those_of_all_orders(seed):
    """All 144 orders within the cells of strata and given levels, one by one.

    999 drawn orders put a p-value of .5 within .016 of that of all; five times that.
    """
    random = np.random.default_rng(seed)
    strata = np.repeat([0, 1], 5)
    given = np.tile([0, 0, 0, 1, 1], 2)
    own = random.integers(0, 2, 10)
    target = random.normal(size=10)
    exact = exact_given(own, given, strata, target)
    found = restricted_given_p_value(
        own, given, target[:, np.newaxis], WithinStrata(strata), seed
    )
    assert found == pytest.approx(exact, abs=0.08)


def test_a_member_of_an_exclusive_or_is_seen_given_the_other():
    random = np.random.default_rng(2)
    patients = np.repeat(np.arange(40), 8)
    first, second = random.integers(0, 2, (2, 320))
    level = random.normal(size=40)[patients]
    target = (np.where(first == second, 1.0, -1.0) + level + random.normal(size=320))[
        :, np.newaxis
    ]
    null = WholeGroups(patients)
    assert restricted_given_p_value(first, second, target, null, 0) < 1e-10
    assert restricted_given_p_value(first, first, target, null, 0) == 1.0
    flags = np.eye(2)[first]
    assert restricted_p_values([flags], target, null, 0).min() > 1e-3


@pytest.mark.parametrize("kind", ["strata", "groups", "groups in strata"])
def test_given_levels_leave_noise_as_often_as_they_say(kind):
    """Units differ in target, column and what is given; so do all three by chance.

    Of 400 p-values at most 34 lie below .05 (.05 and 3.2 deviations), 12 below .01.
    """
    random = np.random.default_rng(7)
    small = []
    for draw in range(400):
        units = np.repeat(np.arange(12), random.integers(3, 9, 12))
        liking = random.normal(size=(2, 12))[:, units]
        own, given = (liking + random.normal(size=liking.shape) > 0).astype(int)
        target = random.normal(size=12)[units] + given + random.normal(size=len(units))
        null = {
            "strata": WithinStrata(units % 4),
            "groups": WholeGroups(units),
            "groups in strata": WholeGroups(units, units % 2),
        }[kind]
        if kind == "strata":  # of which four are alike in nothing but the stratum
            level = random.normal(size=(3, 4))[:, units % 4]
            own, given = (level[:2] + random.normal(size=(2, len(units))) > 0).astype(
                int
            )
            target = level[2] + given + random.normal(size=len(units))
        small.append(
            restricted_given_p_value(own, given, target[:, np.newaxis], null, draw)
        )
    assert np.mean(np.array(small) <= 0.05) <= 34 / 400
    assert np.mean(np.array(small) <= 0.01) <= 12 / 400
