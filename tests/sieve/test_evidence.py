"""The tests that decide: equal to plain loops, and to those of SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from featsieve.sieve._evidence import LN2, measure, measure_shares, rank_test
from reference.sieve import pearson_within, stratified_information

CODES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 2)),
    min_size=1,
    max_size=60,
)


@given(CODES)
def test_measure_equals_the_plain_version(rows):
    x, y, strata = np.array(rows, dtype=np.int32).T
    found = measure(x, y, strata)
    gain, freedom = stratified_information(x.tolist(), y.tolist(), strata.tolist())
    assert found.freedom == freedom
    if freedom == 0:
        assert found.p_value == 1
        return
    bias = freedom / (2 * len(x) * LN2)
    assert found.gain == pytest.approx(gain - bias, abs=1e-9)
    squares = pearson_within(x.tolist(), y.tolist(), strata.tolist())
    statistic = min(2 * len(x) * LN2 * gain, squares)
    expected = stats.chi2.sf(statistic, freedom)
    assert found.p_value == pytest.approx(expected, abs=1e-9)
    assert found.low <= max(found.gain, 0) <= found.high + 1e-12


def test_shares_are_those_of_kruskal_and_wallis():
    random = np.random.default_rng(0)
    x = random.integers(0, 4, 80).astype(np.int32)
    y = x + random.normal(size=80) * 2
    ranks = stats.rankdata(y)
    found = measure_shares(x, ranks)
    groups = [y[x == level] for level in range(4)]
    assert found.p_value == pytest.approx(stats.kruskal(*groups).pvalue)
    within = sum(((ranks[x == k] - ranks[x == k].mean()) ** 2).sum() for k in range(4))
    plain = 1 - within / ((ranks - ranks.mean()) ** 2).sum()
    assert found.gain < plain
    assert found.low <= found.gain <= found.high


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


def test_many_cells_are_numbered_as_they_occur():
    random = np.random.default_rng(0)
    x = random.integers(0, 2, 500).astype(np.int32) * 3_000_000
    y = random.integers(0, 2, 500).astype(np.int32)
    assert measure(x, y).gain == pytest.approx(measure(x // 3_000_000, y).gain)
