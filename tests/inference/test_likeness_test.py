"""One test of many columns: exact, given others, and equal to the plain version."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from featsieve.data import Column, ColumnKind
from featsieve.inference import _likeness_test
from featsieve.inference._exchange import FREE, WholeGroups, WithinStrata
from featsieve.inference._likeness_test import likeness_of_rows, likeness_test
from reference.group import (
    plain_likeness,
    plain_share_of_signs,
    plain_statistic,
)


def number(values):
    return Column("number", ColumnKind.NUMERIC, np.asarray(values, dtype=float))


def word(codes):
    return Column("word", ColumnKind.NOMINAL, np.asarray(codes, np.int32), tuple("abc"))


def classes_of(codes):
    return np.eye(int(max(codes)) + 1)[codes]


def p_value(columns, target, given=None, *, level=0.01, seed=0, exchange=FREE):
    return likeness_test(
        columns, target, level, seed=seed, given=given, exchange=exchange
    )


def noise(random, n_rows, correlated=0.0):
    """Two numbers and two words, the numbers correlated if asked for."""
    shared = np.sqrt(correlated) * random.normal(size=n_rows)
    own = np.sqrt(1 - correlated) * random.normal(size=(2, n_rows))
    return [
        *(number(shared + each) for each in own),
        *(word(random.integers(-1, 3, n_rows)) for _ in range(2)),
    ]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(4, 12))
def test_likeness_equals_the_plain_version(seed, n_rows):
    random = np.random.default_rng(seed)
    numbers = random.integers(0, 5, n_rows).astype(float)
    numbers[random.random(n_rows) < 0.2] = np.nan
    words = random.integers(-1, 3, n_rows)
    constant = np.ones(n_rows)
    fast = likeness_of_rows([number(numbers), word(words), number(constant)])
    plain = plain_likeness(
        [numbers.tolist(), [str(w) for w in words], constant.tolist()]
    )
    np.testing.assert_allclose(fast, plain, atol=1e-12)
    assert abs(fast.sum(axis=0)).max() < 1e-9
    alone = likeness_of_rows([word(words)])
    plain = plain_likeness([[str(w) for w in words]])
    np.testing.assert_allclose(alone, plain, atol=1e-12)


def test_p_value_is_the_share_of_permutations_that_are_as_alike():
    columns = noise(np.random.default_rng(3), 7)
    codes = [0, 1, 0, 1, 1, 0, 1]
    exact = plain_statistic(likeness_of_rows(columns).tolist(), codes)
    # A level of 1 never ends early; 999 draws are off by .016, one sd, at most.
    found = p_value(columns, classes_of(codes), level=1.0)
    assert found == pytest.approx(exact, abs=0.05)


def test_p_value_is_the_share_of_signs_that_make_rows_as_alike():
    random = np.random.default_rng(5)
    columns = noise(random, 9)
    given, target = random.normal(size=(9, 2)), random.normal(size=9)
    alike = likeness_of_rows(columns).tolist()
    exact = plain_share_of_signs(alike, given.T.tolist(), target.tolist())
    assert 0.1 < exact < 0.9
    found = p_value(columns, target[:, np.newaxis], given, level=1.0)
    assert found == pytest.approx(exact, abs=0.05)


def test_orders_that_are_as_alike_count():
    """Two of four rows are of a class: as alike if the classes change places, too."""
    found = p_value([number([0, 1, 5, 7])], classes_of([0, 0, 1, 1]), level=1.0)
    # 1 of 3 ways to part the rows: an error of four deviations is .06.
    assert found == pytest.approx(1 / 3, abs=0.06)


@pytest.mark.parametrize(
    ("level", "n_draws"), [(1e-4, 1), (0.1, 1), (0.19, 1), (0.2, 2), (0.55, 5), (1, 9)]
)
def test_so_many_draws_settle_it(level, n_draws, monkeypatch):
    """Nine draws at most, all of which are as alike: (2 + 1) / (9 + 1) is above .2."""
    monkeypatch.setattr(_likeness_test, "BLOCK", 1)
    monkeypatch.setattr(_likeness_test, "DRAWS", 9)
    drawn = []

    class Counting(WithinStrata):
        def orders(self, n_rows, random, count):
            drawn.append(count)
            return WithinStrata(np.zeros(n_rows)).orders(n_rows, random, count)

    columns = noise(np.random.default_rng(0), 20)
    flat = np.zeros((20, 1))
    assert p_value(columns, flat, level=level, exchange=Counting(np.zeros(20))) == 1
    assert drawn == [1] * n_draws


@pytest.mark.parametrize("ties", [False, True])
def test_level_is_kept_on_groups(ties):
    """200 tables of 12 groups of 3 rows that are alike: 20 ± 4.2 pass at 0.1."""
    random = np.random.default_rng(9)
    groups = np.repeat(np.arange(12), 3)
    found = 0
    for seed in range(200):
        x, y = (random.normal(size=12)[groups] for _ in range(2))
        x = x + 0.2 * random.normal(size=36)
        y = y + 0.2 * random.normal(size=36)
        columns = [number(np.round(x) if ties else x), number(random.normal(size=36))]
        target = y[:, np.newaxis]
        null = WholeGroups(groups)
        found += p_value(columns, target, level=0.1, seed=seed, exchange=null) <= 0.1
    assert binom.ppf(3e-5, 200, 0.1) <= found <= binom.isf(3e-5, 200, 0.1)


@pytest.mark.parametrize("kind", ["classes", "quantity", "correlated", "strata"])
def test_level_is_kept_on_noise(kind):
    """Of 200 tables 20 ± 4.2 pass at 0.1; the bounds are four deviations away."""
    random = np.random.default_rng(7)
    found = 0
    for seed in range(200):
        n_rows = 24
        columns = noise(random, n_rows, 0.95 if kind == "correlated" else 0.0)
        exchange = FREE
        target = classes_of(random.permutation(np.arange(n_rows) % 2))
        if kind == "quantity":
            target = random.normal(size=(n_rows, 1))
        if kind == "strata":  # which tell about both, and are known
            strata = np.repeat(np.arange(3, dtype=np.int32), 8)
            columns[0] = number(columns[0].values + 4 * strata)
            target = 4 * strata[:, np.newaxis] + random.normal(size=(n_rows, 1))
            exchange = WithinStrata(strata)
        found += (
            p_value(columns, target, level=0.1, seed=seed, exchange=exchange) <= 0.1
        )
    assert binom.ppf(3e-5, 200, 0.1) <= found <= binom.isf(3e-5, 200, 0.1)


@pytest.mark.parametrize("kind", ["line", "spread", "many"])
def test_level_is_kept_given_what_matters(kind):
    """Columns go with what is given, which alone the target hangs on.

    Of 200 tables 20 ± 4.2 pass at 0.1. The spread of the target may hang on it, too,
    and directions be half as many as rows.
    """
    random = np.random.default_rng(8)
    found = 0
    for seed in range(200):
        n_rows, n_given = 40, 20 if kind == "many" else 2
        given = random.normal(size=(n_rows, n_given))
        columns = [
            number(given[:, k % n_given] + 0.5 * random.normal(size=n_rows))
            for k in range(6)
        ]
        error = random.normal(size=n_rows)
        if kind == "spread":
            error *= 0.2 + given[:, 0] ** 2
        target = 3 * given[:, :2].sum(axis=1) + error
        p = p_value(columns, target[:, np.newaxis], given, level=0.1, seed=seed)
        found += p <= 0.1
    assert found <= binom.isf(3e-5, 200, 0.1)
    assert found >= binom.ppf(3e-5, 200, 0.05)


def test_what_is_given_is_taken_as_known():
    random = np.random.default_rng(0)
    known = random.integers(0, 2, 60)
    copy = np.where(random.random(60) < 0.9, known, 1 - known)
    other = random.integers(0, 2, 60)
    codes = np.where(random.random(60) < 0.9, known, 1 - known)
    columns = [word(copy), word(other)]
    assert p_value(columns, classes_of(codes)) < 0.01
    assert p_value(columns, classes_of(codes), known[:, np.newaxis]) > 0.05
    # The null of the rows counts, too.
    assert p_value(columns, classes_of(codes), exchange=WithinStrata(known)) > 0.05
    # What adds to it is found.
    more = np.where(random.random(60) < 0.9, other, 1 - other) + 2 * known
    assert p_value(columns, more[:, np.newaxis] * 1.0, known[:, np.newaxis]) < 0.01


def test_nothing_is_left_to_tell():
    x = np.repeat([0.0, 1.0], 12)
    directions = x[:, np.newaxis]
    assert p_value([number(np.arange(24))], directions, directions, level=1.0) == 1


def test_directions_are_given_of_exchangeable_rows_only():
    with pytest.raises(ValueError, match="only of rows that are exchangeable"):
        p_value(
            [word([0, 1, 0])],
            np.eye(3),
            np.arange(3.0)[:, np.newaxis],
            exchange=WithinStrata(np.zeros(3)),
        )


def test_ends_early_if_it_cannot_pass(monkeypatch):
    monkeypatch.setattr(_likeness_test, "BLOCK", 10)
    random = np.random.default_rng(2)
    columns = noise(random, 20)
    target = classes_of(random.integers(0, 2, 20))
    # At level 0.001 one draw of 999 that is as alike is enough to know.
    drawn = []
    whole = FREE.within(np.zeros(20))

    class Counting(WithinStrata):
        def within(self, strata):  # noqa: ARG002
            return self

        def take(self, rows):  # noqa: ARG002
            return self

        def orders(self, n_rows, random, count):
            drawn.append(count)
            return whole.orders(n_rows, random, count)

    null = Counting(np.zeros(20))
    assert p_value(columns, target, level=0.001, exchange=null) > 0.001
    n_blocks = len(drawn)
    assert n_blocks < 10
    # At level 0.05 fifty are: fewer could still pass.
    assert p_value(columns, target, level=0.05, exchange=null) > 0.05
    assert n_blocks < len(drawn) - n_blocks < 100
    drawn.clear()
    assert p_value(columns, target, level=1.0, exchange=null) * 1001 % 1 < 1e-9
    assert drawn == [10] * 100


def test_a_target_that_follows_its_rows_is_found():
    x = np.repeat([0, 1, 2], 10)
    assert p_value([word(x)], classes_of(x)) == 1 / 1000
    assert p_value([number(x)], x[:, np.newaxis].astype(float)) == 1 / 1000
    ordinary = np.zeros((30, 1))
    assert p_value([word(x)], ordinary, level=1.0) == 1
