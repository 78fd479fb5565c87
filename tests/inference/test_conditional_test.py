"""What features tell once others are known: exact, and equal to all permutations."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, norm

from featsieve.data import Column, ColumnKind
from featsieve.inference import _conditional_test
from featsieve.inference._column_basis import orthonormal
from featsieve.inference._conditional_test import (
    DRAWS,
    ConditionalDraws,
    TupleGains,
    conditional_p_value,
    conditioning_set,
    drawn_p_value,
    fitted_shares,
    synergy_p_value,
)
from featsieve.inference._exchange import FREE, WithinStrata
from reference.conditional_draws import plain_number, plain_shares, plain_steps
from reference.inference import exact_p_value, likelihood_ratio


def entropy(values, weights):
    totals = Counter()
    for value, weight in zip(values, weights, strict=True):
        totals[value] += weight
    whole = sum(totals.values())
    return -sum(t / whole * math.log2(t / whole) for t in totals.values() if t > 0)


def plain_gain(codes, classes, features, missing, weights):
    """H(class) + H(cells) - H(both), by counting rows."""
    rows = range(len(classes))
    if missing == "ignore":
        rows = [i for i in rows if all(codes[i, j] >= 0 for j in features)]
    if not rows:
        return 0.0
    cells = [tuple(codes[i, list(features)].tolist()) for i in rows]
    known = [int(classes[i]) for i in rows]
    own = [1.0 if weights is None else float(weights[i]) for i in rows]
    if sum(own) == 0:
        return 0.0
    both = list(zip(cells, known, strict=True))
    return entropy(known, own) + entropy(cells, own) - entropy(both, own)


def partitions(members):
    if not members:
        yield []
        return
    first, *rest = members
    for smaller in partitions(rest):
        yield [(first,), *smaller]
        for k, part in enumerate(smaller):
            yield [*smaller[:k], (first, *part), *smaller[k + 1 :]]


def table(seed, n_rows, n_features=4):
    rng = np.random.default_rng(seed)
    codes = rng.integers(-1, 3, (n_rows, n_features)).astype(np.int32)
    classes = rng.integers(0, 3, n_rows).astype(np.int32)
    return rng, codes, classes


@given(
    st.integers(0, 10**6),
    st.integers(2, 40),
    st.sampled_from(["level", "ignore"]),
    st.booleans(),
)
def test_gain_is_that_of_counting(seed, n_rows, missing, weighted):
    rng, codes, classes = table(seed, n_rows)
    weights = rng.integers(1, 4, n_rows).astype(float) if weighted else None
    gains = TupleGains(codes, classes, missing, weights)
    for features in ((0,), (2, 1), (0, 1, 2), (3, 3, 0), (0, 1, 2, 3)):
        own = sorted(set(features))
        expected = plain_gain(codes, classes, own, missing, weights)
        assert gains(features) == pytest.approx(expected, abs=1e-9)
    assert gains(()) == 0.0


@given(st.integers(0, 10**6), st.sampled_from(["level", "ignore"]))
def test_cells_part_rows_as_joint_values_do(seed, missing):
    _, codes, classes = table(seed, 25)
    gains = TupleGains(codes, classes, missing, None)
    cells = gains.cells([2, 0])
    unknown = (codes[:, [0, 2]] < 0).any(axis=1)
    if missing == "ignore":
        assert ((cells == -1) == unknown).all()
    else:
        assert (cells >= 0).all()
    known = ~unknown if missing == "ignore" else np.ones(25, dtype=bool)
    for i in np.flatnonzero(known):
        for k in np.flatnonzero(known):
            same = (codes[i, [0, 2]] == codes[k, [0, 2]]).all()
            assert (cells[i] == cells[k]) == same


def test_a_cell_per_row_is_not_divided_further():
    codes = np.column_stack([np.arange(6), np.array([0, 0, 0, 1, 1, -1])])
    gains = TupleGains(
        codes.astype(np.int32), np.arange(6, dtype=np.int32), "ignore", None
    )
    assert gains.cells((0, 1)).tolist() == [0, 1, 2, 3, 4, -1]


@given(st.integers(0, 10**6), st.integers(2, 5))
def test_best_partition_is_the_best_of_all(seed, size):
    _, codes, classes = table(seed, 30, 5)
    gains = TupleGains(codes, classes, "level", None)
    members = tuple(range(size))
    value, parts = gains.best_partition(members)
    everything = [p for p in partitions(list(members)) if len(p) > 1]
    best = max(sum(gains(part) for part in p) for p in everything)
    assert value == pytest.approx(best, abs=1e-9)
    assert sorted(m for part in parts for m in part) == list(members)
    assert value == pytest.approx(sum(gains(part) for part in parts), abs=1e-9)
    assert len(parts) > 1


def test_of_equal_partitions_the_first_wins():
    codes = np.zeros((8, 3), dtype=np.int32)
    gains = TupleGains(codes, np.repeat([0, 1], 4).astype(np.int32), "level", None)
    assert gains.best_partition((2, 0, 1)) == (0.0, ((0,), (1, 2)))
    assert gains.best_partition((1,)) == (0.0, ())


def gains_of(codes, classes, missing="level", weights=None):
    codes = np.asfortranarray(np.array(codes, dtype=np.int32))
    return TupleGains(codes, np.array(classes, dtype=np.int32), missing, weights)


@pytest.fixture
def many_draws(monkeypatch):
    monkeypatch.setattr(_conditional_test, "MOST_DRAWS", 3000)
    monkeypatch.setattr(_conditional_test, "STOP_AFTER", 3001)


@pytest.mark.usefixtures("many_draws")
def test_is_the_share_of_orders_within_cells():
    given = [0, 0, 0, 0, 1, 1, 1, 1]
    tested = [0, 0, 1, 1, 0, 1, 1, 1]
    classes = [0, 0, 1, 1, 0, 1, 0, 1]
    joint = list(zip(given, tested, strict=True))
    exact = exact_p_value(lambda y: likelihood_ratio(joint, y), classes, given)
    assert 0.05 < exact < 0.95
    gains = gains_of(np.column_stack([given, tested]), classes)
    found = conditional_p_value(gains, (1,), (0,), seed=1)
    assert found == pytest.approx(exact, abs=4 * math.sqrt(exact / 3000))
    # Rows in another order, and given as a null instead of a column.
    order = np.random.default_rng(0).permutation(8)
    again = gains_of(gains.codes[order], gains.classes[order])
    found = conditional_p_value(again, (1,), (0,), seed=2)
    assert found == pytest.approx(exact, abs=4 * math.sqrt(exact / 3000))
    null = WithinStrata(np.array(given))
    alone = exact_p_value(lambda y: likelihood_ratio(tested, y), classes, given)
    found = conditional_p_value(gains, (1,), (), seed=3, exchange=null)
    assert found == pytest.approx(alone, abs=4 * math.sqrt(alone / 3000))


@pytest.mark.usefixtures("many_draws")
def test_rows_without_a_value_are_left_out_if_missing_is_ignored():
    given = [0, 0, 0, 1, 1, 1, 1, 0]
    tested = [0, 1, 1, 0, 1, 0, 0, -1]
    classes = [0, 1, 1, 1, 0, 1, 1, 2]
    joint = list(zip(given[:7], tested[:7], strict=True))
    exact = exact_p_value(lambda y: likelihood_ratio(joint, y), classes[:7], given[:7])
    gains = gains_of(np.column_stack([given, tested]), classes, "ignore")
    found = conditional_p_value(gains, (1,), (0,), seed=1)
    assert found == pytest.approx(exact, abs=4 * math.sqrt(exact / 3000))


def test_many_rows_are_sampled(monkeypatch):
    random = np.random.default_rng(0)
    x = random.integers(0, 2, 400)
    y = np.where(random.random(400) < 0.1, 1 - x, x)
    gains = gains_of(x[:, None], y)
    assert conditional_p_value(gains, (0,), (), seed=1) == 1 / 1000
    monkeypatch.setattr(_conditional_test, "MOST_ROWS", 6)
    assert conditional_p_value(gains, (0,), (), seed=1) > 1 / 1000
    seen = []
    information = _conditional_test._information

    def watched(joint, classes, n_classes):
        seen.append(len(joint))
        return information(joint, classes, n_classes)

    monkeypatch.setattr(_conditional_test, "_information", watched)
    conditional_p_value(gains, (0,), (), seed=1)
    assert set(seen) == {6}


def test_nothing_can_be_reached_more_often_than_it_is_drawn():
    gains = gains_of(np.zeros((10, 1)), [0, 1] * 5)
    assert conditional_p_value(gains, (0,), (), seed=1) == 1
    assert synergy_p_value(gains_of(np.zeros((10, 2)), [0, 1] * 5), (0, 1), 1) == 1


@pytest.mark.parametrize("kind", ["plain", "correlated"])
def test_level_is_kept_on_noise(kind, monkeypatch):
    """200 tables, 20 ± 4.2 pass at .1; a test that ignored what is given passes most.

    The tested column and the class both follow the given one.
    """
    monkeypatch.setattr(_conditional_test, "MOST_DRAWS", 99)
    random = np.random.default_rng(3)
    passed = 0
    for seed in range(200):
        given = random.integers(0, 3, 60)
        follow = 0.8 if kind == "correlated" else 0.0
        tested, classes = (
            np.where(random.random(60) < follow, given, random.integers(0, 3, 60))
            for _ in range(2)
        )
        gains = gains_of(np.column_stack([given, tested]), classes)
        passed += conditional_p_value(gains, (1,), (0,), seed) <= 0.1
    assert passed <= binom.isf(3e-5, 200, 0.1)
    assert passed >= 6


def synergy(codes, classes):
    """Return the joint information of two columns beyond that of each, by G."""
    a, b = codes
    both = likelihood_ratio(list(zip(a, b, strict=True)), classes)
    return both - likelihood_ratio(a, classes) - likelihood_ratio(b, classes)


def test_synergy_is_the_share_of_orders(monkeypatch):
    monkeypatch.setattr(_conditional_test, "SYNERGY_DRAWS", 400)
    monkeypatch.setattr(_conditional_test, "STOP_AFTER", 401)
    a, b = [0, 0, 1, 1, 0, 1, 1], [0, 1, 0, 1, 1, 1, 0]
    classes = [0, 1, 1, 0, 0, 0, 1]
    exact = exact_p_value(lambda y: synergy((a, b), y), classes)
    assert 0.02 < exact < 0.95
    noise = [1, 1, 0, 0, 1, 0, 1]
    gains = gains_of(np.column_stack([noise, a, b]), classes)
    found = synergy_p_value(gains, (1, 2), seed=1)
    assert found == pytest.approx(exact, abs=4 * math.sqrt(exact / 400))
    equal = gains_of(gains.codes, classes, weights=np.full(7, 2.0))
    assert synergy_p_value(equal, (1, 2), seed=1) == found
    strata = np.array([0, 0, 0, 1, 1, 1, 1])
    exact = exact_p_value(lambda y: synergy((a, b), y), classes, strata.tolist())
    null = WithinStrata(strata)
    found = synergy_p_value(gains, (1, 2), seed=1, exchange=null)
    assert found == pytest.approx(exact, abs=4 * math.sqrt(exact / 400))


def test_weights_move_with_their_class():
    """Rows of weight 0 have no say; of weight 1 they hide what the others show."""
    random = np.random.default_rng(5)
    codes = random.integers(0, 2, (240, 2))
    classes = codes.sum(axis=1) % 2
    classes[20:] = random.integers(0, 2, 220)
    weights = (np.arange(240) < 20).astype(float)
    hidden = gains_of(codes, classes, weights=np.ones(240))
    assert synergy_p_value(hidden, (0, 1), seed=1) > 0.02
    weighted = gains_of(codes, classes, weights=weights)
    assert synergy_p_value(weighted, (0, 1), seed=1) == 1 / 200


def test_missing_values_are_a_level_or_left_out():
    random = np.random.default_rng(8)
    codes = random.integers(0, 2, (200, 2))
    gaps = random.random((200, 2)) < 0.5
    classes = gaps.sum(axis=1) % 2  # what is missing tells, and nothing else
    codes[gaps] = -1
    level, ignored = (gains_of(codes, classes, m) for m in ("level", "ignore"))
    assert synergy_p_value(level, (0, 1), seed=1) == 1 / 200
    assert synergy_p_value(ignored, (0, 1), seed=1) > 0.05


def plain_draws(given, tested, classes, seed, most_rows):
    """Return the p-value of at most 999 draws, stopped at 20, by loops."""
    random = np.random.default_rng(seed)
    rows = np.arange(len(classes))
    if len(rows) > most_rows:
        rows = random.choice(len(rows), most_rows, replace=False)
    rows = rows[np.argsort(given[rows], kind="stable")]
    joint = list(zip(given[rows].tolist(), tested[rows].tolist(), strict=True))
    own = classes[rows]
    seen = likelihood_ratio(joint, own.tolist()) - 1e-6
    reached = 0
    for drawn in range(1, 1000):
        order = np.lexsort((random.random(len(rows)), given[rows]))
        reached += likelihood_ratio(joint, own[order].tolist()) >= seen
        if reached == 20:
            return 20 / drawn
    return (reached + 1) / 1000


@pytest.mark.parametrize("most_rows", [50, 80, 1000])
@pytest.mark.parametrize("effect", [0.0, 0.3])
def test_same_seed_same_bits(most_rows, effect, monkeypatch):
    monkeypatch.setattr(_conditional_test, "MOST_ROWS", most_rows)
    random = np.random.default_rng(9)
    given, tested, classes = random.integers(0, 3, (3, 80))
    classes = np.where(random.random(80) < effect, tested, classes)
    gains = gains_of(np.column_stack([given, tested]), classes)
    found = conditional_p_value(gains, (1,), (0,), seed=4)
    assert found == plain_draws(given, tested, classes, 4, most_rows)


def test_draws_end_early():
    random = np.random.default_rng(6)
    gains = gains_of(random.integers(0, 2, (50, 2)), random.integers(0, 2, 50))
    p_value = synergy_p_value(gains, (0, 1), seed=2)
    drawn = 20 / p_value
    assert drawn == pytest.approx(round(drawn))
    assert drawn < 199
    p_value = conditional_p_value(gains, (0,), (1,), seed=2)
    drawn = 20 / p_value
    assert drawn == pytest.approx(round(drawn))
    assert drawn < 999
    assert FREE.is_free


def test_those_most_alike_are_given_first_as_far_as_rows_allow():
    random = np.random.default_rng(7)
    own = random.integers(0, 2, 80)
    near = np.where(random.random(80) < 0.1, 1 - own, own)
    far = random.integers(0, 2, 80)
    finest = np.arange(80) % 40
    gains = gains_of(np.column_stack([own, far, near, near, finest]), own)
    assert conditioning_set(gains, (0,), [1, 2]) == (2, 1)
    assert conditioning_set(gains, (0,), [3, 1, 2]) == (3, 2, 1)
    assert conditioning_set(gains, (0,), [4, 1]) == (1,)
    assert conditioning_set(gains, (0,), []) == ()
    # Sixteen cells of five rows each are just enough for 80 rows.
    cells = gains_of(np.column_stack([np.arange(80) % 2, np.arange(80) // 2 % 8]), own)
    assert conditioning_set(cells, (0,), [1]) == (1,)
    fewer = gains_of(cells.codes[:79], own[:79])
    assert conditioning_set(fewer, (0,), [1]) == ()


def test_a_little_more_alike_is_more_alike():
    random = np.random.default_rng(11)
    own = random.integers(0, 2, 400)
    less, more = (
        np.where(random.random(400) < share, 1 - own, own) for share in (0.35, 0.25)
    )
    gains = gains_of(np.column_stack([own, less, more]), own)
    assert conditioning_set(gains, (0,), [1, 2]) == (2, 1)


def test_of_equal_ones_the_earlier_are_given():
    random = np.random.default_rng(10)
    own, near = random.integers(0, 2, (2, 60))
    gains = gains_of(np.column_stack([own, *[near, 1 - near] * 20]), own)
    assert conditioning_set(gains, (0,), list(range(1, 41))) == tuple(range(1, 41))


def test_likeness_goes_by_weight():
    own = np.array([0, 0, 1, 1] * 10)
    first = np.array([0, 0, 1, 1] * 5 + [0, 1] * 10)
    second = np.array([0, 1] * 10 + [0, 0, 1, 1] * 5)
    codes = np.column_stack([own, first, second])
    weights = np.repeat([1.0, 9.0], 20)
    assert conditioning_set(gains_of(codes, own), (0,), [1, 2]) == (1, 2)
    weighted = gains_of(codes, own, weights=weights)
    assert conditioning_set(weighted, (0,), [1, 2]) == (2, 1)


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
