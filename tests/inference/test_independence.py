"""The tests that decide: equal to plain loops, and to those of SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from featsieve.inference import _independence
from featsieve.inference._independence import (
    Association,
    associate,
    correlation_p_value,
    gain_p_values,
    measure,
    measure_shares,
    merge_rare_levels,
    rank_test,
)
from reference.inference import (
    fisher,
    rank_variance_ratio,
    stratified_shares,
    stratified_table,
    table_p_value,
)

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
