"""The tests that decide: equal to plain loops, and to those of SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import binom

from featsieve.data import Column, ColumnKind, read_table
from featsieve.inference import _independence
from featsieve.inference._column_basis import class_basis, column_basis
from featsieve.inference._exchange import FREE, WholeGroups, WithinStrata
from featsieve.inference._independence import (
    Association,
    Company,
    associate,
    correlation_p_value,
    gain_p_values,
    likeness_of_rows,
    likeness_test,
    measure,
    measure_shares,
    merge_rare_levels,
    rank_test,
)
from reference.group import (
    plain_likeness,
    plain_share_of_signs,
    plain_statistic,
)
from reference.inference import (
    fisher,
    rank_variance_ratio,
    stratified_shares,
    stratified_table,
    table_p_value,
)
from reference.partial import partial_p_value

CODES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 2)),
    min_size=1,
    max_size=60,
)


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9)


@given(CODES)
def test_measure_equals_the_definition(rows):
    x, y, strata = np.array(rows, dtype=np.int32).T
    found = measure(x, y, strata)
    plain = stratified_table(x.tolist(), y.tolist(), strata.tolist())
    gain, bias, spread, error, freedom, _ = plain
    assert found.freedom == freedom
    if freedom == 0:
        assert found == Association(0.0, 0.0, 0.0, 1.0, 0.0, 0)
        return
    assert found.gain == close(gain - bias)
    assert found.spread == close(spread)
    half = stats.norm.ppf(0.975) * max(error, spread / 2)
    assert found.low == close(max(0.0, gain - bias - half))
    assert found.high == close(max(0.0, gain - bias + half))
    expected = table_p_value(x.tolist(), y.tolist(), strata.tolist())
    assert found.p_value == close(expected)


@settings(max_examples=200)
@given(
    st.lists(st.integers(0, 30), min_size=4, max_size=4),
    st.sampled_from(["first", "last", "both", "none"]),
)
def test_two_levels_and_classes_are_fishers_test(cells, empty):
    """Exactly: by binomial coefficients, levels and classes without rows left out."""
    assume((np.reshape(cells, (2, 2)).any(axis=0)).all())
    assume((np.reshape(cells, (2, 2)).any(axis=1)).all())
    table = np.zeros((4, 3))
    table[np.ix_([0, 3] if empty in {"both", "none"} else [1, 2], [0, 2])] = np.reshape(
        cells, (2, 2)
    )
    x = np.repeat([1, 1, 0, 0], cells).tolist()
    y = np.repeat([1, 0, 1, 0], cells).tolist()
    assert associate(table).p_value == close(fisher(x, y))
    for cell in ([0, 0], [[0, 1], 0], [0, [0, 1]]):  # nothing to see in the others
        other = np.zeros((4, 3))
        other[tuple(cell)] = 5
        assert associate(np.stack([other, table])).p_value == close(fisher(x, y))


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ([[3, 1], [1, 3]], 34 / 70),  # Fisher's lady tasting tea, both tails
        ([[1, 0], [0, 50]], 1 / 51),
        ([[5, 0], [0, 5]], 2 / 252),
        ([[10, 10], [10, 10]], 1.0),
    ],
)
def test_fishers_test_by_hand(table, expected):
    assert associate(np.array(table)).p_value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("effect", [0, 1, 3, 7, 11, 13, 29, 100, 700, 4000])
def test_fishers_test_of_many_rows(effect):
    """Tails of tens of thousands of cells, as SciPy sums them up, down to 1e-300."""
    table = np.array([[30_000 + effect, 70_000], [30_000, 70_100]])
    ks = np.arange(min(table[0].sum(), table[:, 0].sum()) + 1)
    law = stats.hypergeom(table.sum(), table[0].sum(), table[:, 0].sum())
    away = abs(table[0, 0] - law.mean())
    logs = law.logpmf(ks)[abs(ks - law.mean()) >= away * (1 - 1e-12)]
    expected = np.exp(logs[np.isfinite(logs)]).sum()
    found = associate(table).p_value
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-300)


def test_weighted_rows_are_not_counted():
    """Half rows have no number of orders: the law of chi-square stays."""
    table = np.array([[5.5, 1.0], [2.0, 7.5]])
    pearson = stats.chi2_contingency(table, correction=False)
    ratio = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
    statistic = min(pearson.statistic * 15 / 16, ratio.statistic)
    assert associate(table).p_value == close(stats.chi2.sf(statistic, 1))


@pytest.mark.parametrize("n_rows", [20, 60, 200])
@pytest.mark.parametrize("ones", [0.5, 0.2])
@pytest.mark.parametrize("rate", [0.5, 0.1])
def test_two_values_and_classes_are_exact_or_cautious(n_rows, ones, rate):
    """At every p-value that can be: chance reaches it no more often than it says.

    No draws: the law of all tables with the margins is known.
    """
    first, column = round(n_rows * ones), round(n_rows * rate)
    cells = np.arange(max(0, first + column - n_rows), min(first, column) + 1)
    chances = stats.hypergeom(n_rows, first, column).pmf(cells)
    p_values = np.array(
        [
            associate(
                np.array([[k, first - k], [column - k, n_rows - first - column + k]])
            ).p_value
            for k in cells
        ]
    )
    for p_value in p_values:
        assert chances[p_values <= p_value * (1 + 1e-9)].sum() <= p_value * (1 + 1e-9)


def test_without_strata_all_rows_are_one():
    random = np.random.default_rng(1)
    x, y = random.integers(0, 3, (2, 50)).astype(np.int32)
    assert measure(x, y) == measure(x, y, np.zeros(50, dtype=np.int32))
    counts = np.zeros((3, 3), dtype=np.int64)
    np.add.at(counts, (x, y), 1)
    assert associate(counts) == associate(counts[np.newaxis]) == measure(x, y)
    assert associate(np.zeros((2, 2))).p_value == 1
    ranks = stats.rankdata(y)
    zero = np.zeros(50, dtype=np.int32)
    assert measure_shares(x, ranks) == measure_shares(x, ranks, zero)


@given(CODES)
def test_shares_equal_the_definition(rows):
    x, y, strata = np.array(rows, dtype=np.int32).T
    ranks = stats.rankdata(y + x % 2)
    found = measure_shares(x, ranks, strata)
    plain = stratified_shares(x.tolist(), ranks.tolist(), strata.tolist())
    total, bias, freedom, statistic, whole = plain
    assert found.freedom == freedom
    if freedom == 0:
        assert found == Association(0.0, 0.0, 0.0, 1.0, 0.0, 0)
        return
    gain = (total - bias) / whole
    spread = np.sqrt(2 / freedom) * bias / whole
    share = min(max(gain, 0), 1)
    half = stats.norm.ppf(0.975) * max(
        2 * np.sqrt(share) * (1 - share) / np.sqrt(len(x)), spread / 2
    )
    assert found.gain == close(gain)
    assert found.spread == close(spread)
    assert found.low == close(max(0.0, gain - half))
    assert found.high == close(min(1.0, max(0.0, gain + half)))
    assert found.p_value == close(stats.chi2.sf(statistic, freedom))


def test_shares_are_those_of_kruskal_and_wallis():
    random = np.random.default_rng(0)
    x = random.integers(0, 4, 80).astype(np.int32)
    y = x + random.normal(size=80) * 2
    groups = [y[x == level] for level in range(4)]
    expected = stats.kruskal(*groups).pvalue
    assert measure_shares(x, stats.rankdata(y)).p_value == pytest.approx(expected)


def test_strata_take_away_what_they_know():
    random = np.random.default_rng(0)
    strata = random.integers(0, 3, 600).astype(np.int32)
    x = np.where(random.random(600) < 0.9, strata, 0).astype(np.int32)
    y = strata + random.normal(size=600)
    classes = (y > 1).astype(np.int32)
    assert measure(x, classes).p_value < 1e-6
    assert measure(x, classes, strata).p_value > 1e-3
    ranks = stats.rankdata(y)
    assert measure_shares(x, ranks).p_value < 1e-6
    assert measure_shares(x, ranks, strata).p_value > 1e-3


def test_rank_test_equals_scipy():
    random = np.random.default_rng(0)
    x = random.normal(size=60)
    x[:5] = np.nan
    classes = random.integers(0, 3, 60).astype(np.int32)
    groups = [x[5:][classes[5:] == k] for k in range(3)]
    expected = stats.kruskal(*groups).pvalue
    assert rank_test(x, classes, None) == pytest.approx(expected)
    y = random.normal(size=60)
    expected = stats.spearmanr(x[5:], y[5:]).pvalue
    assert rank_test(x, classes, stats.rankdata(y)) == pytest.approx(expected)


def test_rank_test_of_next_to_nothing():
    nothing = np.array([np.nan, np.nan, 1.0, 2.0])
    classes = np.array([0, 1, 0, 1], dtype=np.int32)
    assert rank_test(nothing, classes, None) == 1
    same = np.ones(10)
    assert rank_test(same, np.zeros(10, dtype=np.int32), np.arange(10.0)) == 1
    line = np.arange(10.0)
    assert rank_test(line, np.zeros(10, dtype=np.int32), line) < 1e-30


def test_many_cells_are_numbered_as_they_occur(monkeypatch):
    random = np.random.default_rng(0)
    x, y, strata = random.integers(0, 3, (3, 500)).astype(np.int32)
    expected = measure(x, y, strata)
    wide = measure(x * 3_000_000, y, strata)
    assert wide.p_value == pytest.approx(expected.p_value)
    assert wide.freedom == expected.freedom
    seen = []
    joint = _independence.joint_codes
    monkeypatch.setattr(
        _independence, "joint_codes", lambda *c: seen.append(c) or joint(*c)
    )
    measure(x, y, strata)
    assert not seen
    monkeypatch.setattr(_independence, "MOST_CELLS", 26)
    assert measure(x, y, strata).p_value == pytest.approx(expected.p_value)
    assert len(seen) == 2
    monkeypatch.setattr(_independence, "MOST_CELLS", 27)
    measure(x, y, strata)
    assert len(seen) == 2


def test_rare_levels_are_taken_together():
    counts = np.array([[9, 3], [0, 0], [1, 2], [4, 0], [0, 7]])
    merged = merge_rare_levels(counts)
    assert merged.tolist() == [[9, 3], [0, 7], [5, 2]]
    assert merge_rare_levels(merged).tolist() == merged.tolist()
    assert associate(counts[:1]).p_value == 1
    assert associate(np.array([[5, 0], [7, 0]])).p_value == 1


@pytest.mark.parametrize("shares", [[0.5, 0.5], [0.5, 0.4, 0.1], [0.6, 0.39, 0.01]])
@pytest.mark.parametrize("n_levels", [50, 150, 300, 1000])
def test_few_rows_per_level_are_no_evidence(shares, n_levels):
    """100 columns of noise; more than 6 pass at 0.01 once in 10,000 times."""
    rng = np.random.default_rng(n_levels)
    passed = 0
    for _ in range(100):
        classes = rng.choice(len(shares), 1000, p=shares)
        counts = np.zeros((n_levels, len(shares)))
        np.add.at(counts, (rng.integers(n_levels, size=1000), classes), 1)
        passed += associate(merge_rare_levels(counts)).p_value <= 0.01
    assert passed <= 6


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=1))
def test_rank_tests_equal_the_definition(rows):
    values, classes = np.array(rows).T
    found = rank_test(values.astype(float), classes.astype(np.int32), None)
    if len(rows) < 3 or len(set(values)) == 1 or len(set(classes)) == 1:
        assert found == 1
        return
    statistic, freedom = rank_variance_ratio(values.tolist(), classes.tolist())
    assert found == close(stats.chi2.sf(statistic, freedom))


def test_the_smaller_of_two_statistics_decides():
    rare = np.array([[1, 0], [0, 25], [0, 25]])  # Pearson's is 50 here
    by_information = 2 * (np.log(51) + 50 * np.log(51 / 50))
    assert associate(rare).p_value == close(stats.chi2.sf(by_information, 2))
    common = np.array([[5, 0], [0, 5], [0, 5]])  # and G is 19.1 here
    assert associate(common).p_value == close(stats.chi2.sf(15 * 14 / 15, 2))


def test_no_rows_say_nothing():
    none = np.empty(0, dtype=np.int32)
    assert measure(none, none, none).p_value == 1
    assert associate(np.zeros((0, 3))).p_value == 1


def test_correlations_by_hand():
    assert correlation_p_value(0.0, 10) == 1
    assert correlation_p_value(1.0, 10) == correlation_p_value(-1.0, 10) == 0
    assert correlation_p_value(1.0, 2) == 1
    assert correlation_p_value(0.5, 3) == pytest.approx(2 / 3)
    assert correlation_p_value(-0.5, 3) == pytest.approx(2 / 3)
    x, y = np.random.default_rng(0).normal(size=(2, 40))
    r, p_value = stats.pearsonr(x, y)
    assert correlation_p_value(float(r), 40) == pytest.approx(p_value)


def test_three_rows_are_enough_for_ranks_and_two_are_not():
    x = np.array([1.0, 2.0, 3.0])
    classes = np.array([0, 0, 1], dtype=np.int32)
    assert rank_test(x, classes, None) < 1
    assert rank_test(x[:2], classes[:2], None) == 1
    assert rank_test(x, classes, np.array([2.0, 1.0, 3.0])) == pytest.approx(2 / 3)
    flat = np.full(3, 7.0)
    assert rank_test(flat, classes, x) == rank_test(x, classes, flat) == 1


def test_gains_by_chi_square():
    found = gain_p_values(np.array([0.01, 0.0]), 250, np.array([2, 3]))
    assert found == pytest.approx([np.exp(-250 * np.log(2) * 0.01), 1.0])


def test_just_enough_rows_make_a_level():
    counts = np.array([[5, 0], [4, 0], [3, 1], [2, 4]])
    assert merge_rare_levels(counts).tolist() == [[5, 0], [2, 4], [7, 1]]


@pytest.mark.parametrize("kind", ["plain", "ties", "strata", "correlated"])
def test_level_holds_on_noise(kind):
    """600 columns of noise, 30 ± 5.3 of which pass at .05; bounds are four deviations.

    Strata carry an effect on both sides. Correlated columns are ten noisy copies of one
    beside the same target, so that up to ten pass together and the deviation is at most
    three times as large.
    """
    random = np.random.default_rng(11)
    passed = np.zeros(3)
    n = 200
    for k in range(600):
        if kind != "correlated" or k % 10 == 0:
            base, y = random.normal(size=(2, n))
        x = base + 0.3 * random.normal(size=n) if kind == "correlated" else base
        strata = np.zeros(n, dtype=np.int32)
        if kind == "strata":
            strata = random.integers(0, 3, n).astype(np.int32)
            x, y = x + strata, y + strata
        levels = np.clip(np.floor(x), -1, 1).astype(np.int32) + 1
        values = np.round(x) if kind == "ties" else x
        classes = (y > np.median(y)).astype(np.int32)
        passed += [
            measure(levels, classes, strata).p_value <= 0.05,
            measure_shares(levels, stats.rankdata(y), strata).p_value <= 0.05,
            kind != "strata" and rank_test(values, classes, None) <= 0.05,
        ]
    wide = 2 if kind == "correlated" else 1
    assert (passed <= stats.binom.isf(3e-5, 600, 0.05) * wide).all()
    tests = passed[:2] if kind == "strata" else passed
    assert (tests >= (0 if kind == "correlated" else 12)).all()


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
    monkeypatch.setattr(_independence, "BLOCK", 1)
    monkeypatch.setattr(_independence, "DRAWS", 9)
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
    monkeypatch.setattr(_independence, "BLOCK", 10)
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


def bases_of(columns):
    table = read_table({f"x{k}": values for k, values in enumerate(columns)})
    return [column_basis(column, 2) for column in table]


def test_company_of_nobody():
    assert Company([], class_basis(np.arange(4, dtype=np.int32) % 2)).rank == 0


def test_what_goes_with_a_set_is_told():
    random = np.random.default_rng(6)
    x, other = random.normal(size=(2, 300))
    copy = x + random.normal(size=300)
    words = [f"l{k}" for k in random.integers(0, 3, 300)]
    bases = bases_of([copy, other, words])
    any_target = class_basis(np.arange(300, dtype=np.int32) % 2)
    company = Company(bases, any_target)
    assert [company.test(k) for k in range(3)] == [1, 1, 1]  # there is no set
    (own,) = bases_of([x])
    company.add(own)
    assert company.rank == 7
    company.add(own)
    assert company.rank == 7  # nothing new
    for k, basis in enumerate(bases):
        expected = partial_p_value(
            basis.directions,
            own.directions,
            [],
            ordered=basis.ordered,
            n_straight=7,
        )
        assert company.test(k) == pytest.approx(expected, rel=1e-6)
    assert company.test(0) < 1e-20


def test_what_the_target_makes_alike_is_no_company():
    """Two measures of a class go together, but not once the class is known."""
    random = np.random.default_rng(7)
    y = random.integers(0, 3, 600)
    first, second = y + random.normal(size=(2, 600))
    bases = bases_of([first, second])
    target = class_basis(y.astype(np.int32))
    for known in (False, True):
        company = Company(bases[1:], target, given_target=known)
        company.add(bases[0])
        assert (company.test(0) < 0.01) == (not known)
        parts = [target.directions] if known else []
        expected = partial_p_value(
            bases[1].directions,
            bases[0].directions,
            parts,
            ordered=True,
            n_straight=7,
        )
        assert company.test(0) == pytest.approx(expected, rel=1e-6)
