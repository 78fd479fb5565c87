"""Columns drawn given others: like the definition, and a level that holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, norm

from featsieve.data import Column, ColumnKind
from featsieve.inference._column_basis import orthonormal
from featsieve.inference._conditional_draws import (
    DRAWS,
    ConditionalDraws,
    drawn_p_value,
    fitted_shares,
)
from reference.conditional_draws import plain_number, plain_shares, plain_steps


def number(values, name="number"):
    return Column(name, ColumnKind.NUMERIC, np.asarray(values, dtype=float))


def word(codes, name="word"):
    return Column(name, ColumnKind.NOMINAL, np.asarray(codes, np.int32), tuple("abc"))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(12, 20), st.integers(0, 2))
def test_numbers_are_drawn_as_defined(seed, n_rows, n_given):
    random = np.random.default_rng(seed)
    space = orthonormal(random.normal(size=(n_rows, n_given)))
    columns = []
    for _ in range(2):
        # Scores differ by more than rounding where no two values are equal.
        values = random.normal(size=n_rows)
        columns.append(number(values))
    drawn = ConditionalDraws(columns, space).draw(np.random.default_rng(seed))
    donors = np.random.default_rng(seed).permutation(n_rows).tolist()
    for column, new in zip(columns, drawn, strict=True):
        plain = plain_number(column.values.tolist(), space.tolist(), donors)
        np.testing.assert_array_equal(new.values, plain)


def grouped(random):
    """Return three groups of rows, and codes of three levels that go with them."""
    group = np.repeat([0, 1, 2], 40)
    codes = np.where(random.random(120) < 0.5, group - 1, random.integers(-1, 3, 120))
    return group, codes, orthonormal(np.eye(3)[group][:, 1:])


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_fitted_shares_are_the_likeliest(seed):
    group, codes, space = grouped(np.random.default_rng(seed))
    shares = fitted_shares(np.eye(4)[codes], space)
    likeliest = np.array(plain_shares(codes.tolist(), group.tolist(), 3))
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    # The steps end early, which matters for shares that are all but 0.
    np.testing.assert_allclose(shares, likeliest, atol=0.01)


def test_shares_are_those_after_a_hundred_steps():
    """Three levels, unequally frequent, the first of which a direction tells apart."""
    codes = np.array([0, 0, 1, 1, 1, 2, 1, 2, 1, 1])
    z = np.array([3.0, 2.5, 0, -1, 0.5, 0, -2, 1, 0, 0])
    space = orthonormal(np.column_stack([z, np.arange(10) % 3]))
    flags = np.eye(3)[codes]
    expected = plain_steps(flags.tolist(), space.tolist(), 100)
    np.testing.assert_allclose(fitted_shares(flags, space), expected, rtol=1e-9)


def test_a_level_that_never_occurs_has_no_share():
    shares = fitted_shares(np.eye(3)[[0, 1] * 10], np.empty((20, 0)))
    np.testing.assert_allclose(shares, np.tile([0.5, 0.5, 0.0], (20, 1)))


@pytest.mark.parametrize("is_number", [False, True])
def test_levels_are_drawn_from_the_shares_that_are_fitted(is_number):
    """So are the values of a number that has few of them."""
    random = np.random.default_rng(0)
    _, codes, space = grouped(random)
    column = number(np.where(codes < 0, np.nan, codes)) if is_number else word(codes)
    draws = ConditionalDraws([column], space)
    counts = np.zeros((120, 4))
    n_draws = 2000
    for _ in range(n_draws):
        (new,) = draws.draw(random)
        found = np.where(np.isnan(new.values), -1, new.values).astype(int)
        counts[np.arange(120), found] += 1  # missing is the last
    shares = fitted_shares(np.eye(4)[codes], space)
    # Five deviations of each of 480 shares.
    bound = 5 * np.sqrt(shares * (1 - shares) / n_draws) + 1e-12
    assert np.all(np.abs(counts / n_draws - shares) <= bound)
    assert (new.levels, new.values.dtype) == (column.levels, column.values.dtype)


@pytest.mark.parametrize("n_values", [8, 9])
def test_numbers_of_up_to_eight_values_are_levels(n_values):
    """Chance says how often each of them is drawn; other numbers keep their counts."""
    column = number(np.arange(720) % n_values)
    draws = ConditionalDraws([column], np.empty((720, 0)))
    (new,) = draws.draw(np.random.default_rng(0))
    counts = np.bincount(new.values.astype(int))
    assert (len(set(counts)) == 1) == (n_values > 8)


def test_equal_sums_keep_the_order_of_rows():
    """A number of twelve values, given nothing: many rows have equal rests."""
    column = number(np.random.default_rng(6).integers(0, 12, 300))
    space = np.empty((300, 0))
    (new,) = ConditionalDraws([column], space).draw(np.random.default_rng(7))
    donors = np.random.default_rng(7).permutation(300)
    order = np.argsort(column.values[donors], kind="stable")
    np.testing.assert_array_equal(new.values[order], np.sort(column.values))


def test_a_row_without_a_value_gives_the_rest_of_one_with_a_value():
    """Where the known values are fitted exactly no row has a rest to give."""
    random = np.random.default_rng(8)
    values = random.normal(size=60)
    missing = random.random(60) < 0.3
    scores = np.zeros(60)
    places = np.argsort(np.argsort(values[~missing])) + 1
    scores[~missing] = norm.ppf(places / (len(places) + 1))
    scores[missing] = random.normal(size=missing.sum())
    space = orthonormal(scores[:, np.newaxis])
    values[missing] = np.nan
    (new,) = ConditionalDraws([number(values)], space).draw(random)
    known = ~new.missing
    by_fit = np.argsort((space[:, 0] * (space[:, 0] @ scores))[known])
    assert known.sum() > 30
    assert (np.diff(new.values[known][by_fit]) >= 0).all()


def test_a_draw_keeps_values_and_company_but_not_the_target():
    random = np.random.default_rng(3)
    n_rows = 2000
    z, own = random.normal(size=(2, n_rows))
    values = np.exp(0.8 * z + 0.6 * own)
    twin = 0.8 * z + 0.6 * (0.9 * own + 0.44 * random.normal(size=n_rows))
    draws = ConditionalDraws(
        [number(values), number(twin)], orthonormal(z[:, np.newaxis])
    )
    new, beside = (column.values for column in draws.draw(random))
    np.testing.assert_array_equal(np.sort(new), np.sort(values))
    assert abs(np.corrcoef(np.log(new), z)[0, 1] - 0.8) < 0.05
    assert abs(np.corrcoef(np.log(new), own)[0, 1]) < 0.08
    # Both go with each other as they did.
    together = np.corrcoef(np.log(new), beside)[0, 1]
    assert abs(together - np.corrcoef(np.log(values), twin)[0, 1]) < 0.05


def test_where_values_are_missing_goes_with_what_is_given():
    random = np.random.default_rng(4)
    z = random.normal(size=3000)
    values = 0.8 * z + 0.6 * random.normal(size=3000)
    values[z + random.normal(size=3000) > 1] = np.nan
    (new,) = ConditionalDraws([number(values)], orthonormal(z[:, np.newaxis])).draw(
        random
    )
    real = np.corrcoef(np.isnan(values), z)[0, 1]
    assert abs(np.corrcoef(new.missing, z)[0, 1] - real) < 0.06
    known, drawn = ~np.isnan(values), ~new.missing
    assert set(new.values[drawn]) <= set(values[known])
    shares = (0.1, 0.5, 0.9)
    spread = np.quantile(new.values[drawn], shares)
    np.testing.assert_allclose(spread, np.quantile(values[known], shares), atol=0.02)
    real = np.corrcoef(values[known], z[known])[0, 1]
    assert abs(np.corrcoef(new.values[drawn], z[drawn])[0, 1] - real) < 0.08


def test_the_draws_are_as_wide_as_the_columns_though_much_is_fitted():
    """Noise given many directions: rests are smaller than rows, draws are not."""
    random = np.random.default_rng(5)
    space = orthonormal(random.normal(size=(200, 50)))
    column = number(random.normal(size=200))
    fits = []
    draws = ConditionalDraws([column], space)
    for _ in range(200):
        (new,) = draws.draw(random)
        centred = new.values - new.values.mean()
        fits.append(((space.T @ centred) ** 2).sum() / (centred**2).sum())
    own = column.values - column.values.mean()
    real = ((space.T @ own) ** 2).sum() / (own**2).sum()
    # Between the share that noise has by chance and twice it, which is fit and rest.
    assert real / 1.1 < np.mean(fits) < 2.2 * real


def straight_loss(y, space):
    """Return a learner that fits straight lines to one half and errs on the other."""

    def loss(columns):
        x = np.column_stack([np.ones(len(y)), space, *(c.values for c in columns)])
        learnt = np.arange(len(y)) % 2 == 0
        weights = np.linalg.lstsq(x[learnt], y[learnt], rcond=None)[0]
        return float(((y - x @ weights)[~learnt] ** 2).mean())

    return loss


def null_p_value(seed, kind):
    random = np.random.default_rng([seed, 9])
    n_rows = 80
    z = random.normal(size=(n_rows, 2))
    proxies = 0.8 * z[:, np.arange(4) % 2] + 0.6 * random.normal(size=(n_rows, 4))
    if kind == "ties":
        proxies = np.round(proxies)
    elif kind == "two values":
        proxies = (proxies > 0).astype(float)
    elif kind == "alike":
        proxies = proxies[:, :1] + 0.2 * random.normal(size=(n_rows, 4))
    y = z.sum(axis=1) + random.normal(size=n_rows)
    space = orthonormal(z)
    columns = [number(own) for own in proxies.T]
    return drawn_p_value(straight_loss(y, space), columns, space, seed)


@pytest.mark.parametrize("kind", ["plain", "ties", "two values", "alike"])
def test_columns_that_only_stand_in_pass_as_often_as_they_may(kind):
    """Of 300 tables, at most as many as one test in a thousand has by chance."""
    p_values = np.array([null_p_value(seed, kind) for seed in range(300)])
    for level in (0.05, 0.2, 0.5):
        reached = int(np.count_nonzero(p_values <= level))
        assert reached <= binom.ppf(0.999, len(p_values), level)
        assert reached > 0


def test_columns_that_add_something_pass():
    random = np.random.default_rng(1)
    z, own = random.normal(size=(2, 100))
    space = orthonormal(z[:, np.newaxis])
    y = z + own + 0.5 * random.normal(size=100)
    loss = straight_loss(y, space)
    assert drawn_p_value(loss, [number(z + own)], space, 0) == 1 / (DRAWS + 1)


def test_the_first_draw_that_does_as_well_ends_the_test():
    """The least p-value is 1 of 40."""
    random = np.random.default_rng(2)
    column, space = number(random.normal(size=30)), np.empty((30, 0))
    for n_better in (0, 1, 5, DRAWS - 1, DRAWS, DRAWS + 1, 40):
        losses = iter([1.0, *[2.0] * n_better, 1.0, *[0.0] * DRAWS])
        found = drawn_p_value(lambda _: next(losses), [column], space, 0)  # noqa: B023
        assert found == 1 / min(n_better + 1, DRAWS + 1)
        assert found >= 0.025
