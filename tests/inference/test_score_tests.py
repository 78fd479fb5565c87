"""Scores against groups and against scores: moments by trying every order of rows."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import ndtri

from featsieve.inference import _score_tests
from featsieve.inference._score_tests import (
    Law,
    centred,
    centred_values,
    correlation_p_values,
    group_counted,
    group_p_values,
    group_scores,
    normal_scores,
    rank_columns,
    scores_of_totals,
)
from reference.score_tests import (
    all_shares,
    mean_and_variance,
    mid_ranks,
    share_of_groups,
    squared_correlation,
)

#: Few values make ties; NaN is missing.
COLUMN = st.lists(st.sampled_from([0.0, 1.0, 2.5, 7.0, math.nan]), max_size=9)


@given(COLUMN | st.lists(st.floats(-1e9, 1e9), max_size=12))
def test_mid_ranks_equal_the_definition(values):
    assume(values)
    ranked = rank_columns(np.array([values, values[::-1]]))
    ranks = mid_ranks(values)
    known = [r for r in ranks if r is not None]
    centre = sum(known) / max(len(known), 1)
    expected = [0.0 if r is None else r - centre for r in ranks]
    assert ranked.ranks[0].tolist() == pytest.approx(expected, abs=1e-12)
    assert ranked.ranks[1].tolist() == ranked.ranks[0].tolist()[::-1]
    assert ranked.known.tolist() == [len(known)] * 2
    assert (ranked.missing is None) == (len(known) == len(values))
    scores = [0.0 if r is None else ndtri(r / (len(known) + 1)) for r in ranks]
    mean = sum(scores) / max(len(known), 1)
    less = [0.0 if r is None else s - mean for r, s in zip(ranks, scores, strict=True)]
    assert normal_scores(ranked)[0].tolist() == pytest.approx(less, abs=1e-12)


def test_columns_beside_each_other_do_not_matter():
    random = np.random.default_rng(0)
    values = random.integers(0, 5, (4, 30)).astype(float)
    values[1] = random.normal(size=30)
    values[2, :9] = np.nan
    together = rank_columns(values)
    for j in range(4):
        alone = rank_columns(values[j : j + 1])
        np.testing.assert_array_equal(alone.ranks[0], together.ranks[j])
        one, other = normal_scores(alone)[0], normal_scores(together)[j]
        np.testing.assert_array_equal(one, other)


@given(st.lists(st.integers(1, 5), min_size=2, max_size=8), st.data())
def test_counts_give_what_rows_give(totals, data):
    rows = sum(totals)
    classes = data.draw(
        st.lists(st.integers(0, 2), min_size=rows, max_size=rows).map(np.array)
    )
    values = np.repeat(np.arange(len(totals)) * 1.5, totals)
    counts = np.zeros((len(totals), 3), dtype=np.int64)
    np.add.at(counts, (np.repeat(np.arange(len(totals)), totals), classes), 1)
    ranked = rank_columns(values[np.newaxis])
    ranks, scores = scores_of_totals(np.array(totals))
    for law, by_row, by_value in (
        (Law.RANKS, ranked.ranks, ranks),
        (Law.BETA, normal_scores(ranked), scores),
    ):
        grouped = group_scores(by_row, None, classes, 3)
        counted = group_counted(by_value, counts)
        for one, other in zip(grouped, counted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
        assert group_p_values(counted, law) == pytest.approx(
            group_p_values(grouped, law), rel=1e-6
        )


def law_of(monkeypatch):
    """Have the tail return what it is given; return where that is put."""
    seen = []

    def tail(share, mean, variance, size, law):
        seen.append((share, mean, variance, *size, law))
        return np.full(len(share), 0.5)

    monkeypatch.setattr(_score_tests, "_tail", tail)
    return seen


@pytest.mark.parametrize("groups", [[0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 1], [0, 0, 0, 3]])
@pytest.mark.parametrize("heavy", [False, True])
def test_moments_are_those_of_all_orders(monkeypatch, groups, heavy):
    seen = law_of(monkeypatch)
    n = len(groups)
    values = [2.0, 3.5, 5.0, 5.0, 11.0, 4.0][:n]
    if heavy:
        values[1] = 400.0
    scores = centred(np.array([values]), None)
    group_p_values(group_scores(scores, None, np.array(groups), 4), Law.BETA)
    ((share, mean, variance, rows, freedom, law),) = seen
    assert share[0] == pytest.approx(share_of_groups(values, groups))
    expected = mean_and_variance(all_shares(share_of_groups, values, groups))
    assert (mean[0], variance[0]) == pytest.approx(expected)
    assert rows[0] == n
    assert (freedom[0], law) == (len(set(groups)) - 1, Law.BETA)


@pytest.mark.parametrize("n", [4, 5, 7])
def test_moments_of_correlations_are_those_of_all_orders(monkeypatch, n):
    seen = law_of(monkeypatch)
    x = [1.0, 2.0, 4.0, 4.0, 9.0, 11.0, 30.0][:n]
    y = [3.0, 1.0, 8.0, 2.0, 2.0, 50.0, 0.0][:n]
    found = correlation_p_values(
        centred(np.array([x]), None), np.array(y), None, Law.RANKS
    )
    assert found == [0.5]
    ((share, mean, variance, rows, freedom, law),) = seen
    assert share[0] == pytest.approx(squared_correlation(x, y))
    expected = mean_and_variance(all_shares(squared_correlation, x, y))
    assert (mean[0], variance[0]) == pytest.approx(expected)
    assert rows[0] == n
    assert (freedom[0], law) == (1, Law.RANKS)


def test_rows_without_a_value_are_left_out():
    random = np.random.default_rng(1)
    x, y = random.normal(size=(2, 40))
    classes = random.integers(0, 3, 40)
    missing = np.arange(40) % 4 == 0
    gappy = np.where(missing, np.nan, x)
    ranked, known = rank_columns(np.array([gappy, x])), rank_columns(x[~missing][None])
    for law, all_of, some_of in (
        (Law.RANKS, ranked.ranks, known.ranks),
        (Law.BETA, normal_scores(ranked), normal_scores(known)),
    ):
        found = group_p_values(group_scores(all_of, ranked.missing, classes, 3), law)
        some = group_scores(some_of, None, classes[~missing], 3)
        assert found[0] == pytest.approx(group_p_values(some, law)[0], rel=1e-12)
        found = correlation_p_values(all_of, y, ranked.missing, law)
        some_p = correlation_p_values(some_of, y[~missing], None, law)
        assert found[0] == pytest.approx(some_p[0], rel=1e-12)
    # So are rows of no group, of which the scores are then taken as 0.
    groups = np.where(missing, -1, classes)
    scores = np.where(missing, 0.0, ranked.ranks[:1])
    found = group_scores(scores, None, groups, 3)
    some = group_scores(known.ranks, None, classes[~missing], 3)
    for one, other in zip(found, some, strict=True):
        np.testing.assert_allclose(one, other)


def test_groups_may_differ_by_column():
    random = np.random.default_rng(2)
    scores = centred(random.normal(size=(2, 30)), None)
    groups = random.integers(0, 4, (2, 30))
    both = group_p_values(group_scores(scores, None, groups, 4), Law.BETA)
    for j in range(2):
        one = group_scores(scores[j : j + 1], None, groups[j], 4)
        assert group_p_values(one, Law.BETA)[0] == pytest.approx(both[j])


def test_laws():
    share, mean, variance = np.array([0.3]), np.array([0.05]), np.array([0.004])
    arguments = (share, mean, variance, (np.array([31.0]), np.array([2.0])))
    weight = 0.05 * 0.95 / 0.004 - 1
    beta = stats.beta.sf(0.3, 0.05 * weight, 0.95 * weight)
    chi_square = stats.chi2.sf(9.0, 2)
    assert _score_tests._tail(*arguments, Law.BETA) == pytest.approx(beta)
    expected = beta**0.75 * chi_square**0.25
    assert _score_tests._tail(*arguments, Law.RANKS) == pytest.approx(expected)
    still = (share, mean, np.zeros(1), (np.array([31.0]), np.array([2.0])))
    for law in Law:
        assert _score_tests._tail(*still, law) == [1.0]


def test_nothing_to_compare():
    for values, groups in (
        ([1.0, 1, 1, 1, 1], [0, 1, 0, 1, 0]),
        ([1.0, 2, 3, 4, 5], [0, 0, 0, 0, 0]),
        ([1.0, 2, 3], [0, 0, 1]),
        ([1.0, 2, 3, 4], [0, 1, 2, 3]),
        ([np.nan] * 5, [0, 1, 0, 1, 0]),
    ):
        ranked = rank_columns(np.array([values]))
        found = group_scores(ranked.ranks, ranked.missing, np.array(groups), 4)
        assert group_p_values(found, Law.BETA).tolist() == [1.0]
    line = centred(np.arange(5.0)[np.newaxis], None)
    flat = np.zeros((1, 5))
    assert correlation_p_values(flat, np.arange(5.0), None, Law.BETA).tolist() == [1.0]
    assert correlation_p_values(line, np.ones(5), None, Law.BETA).tolist() == [1.0]
    three = centred(np.arange(3.0)[np.newaxis], None)
    assert correlation_p_values(three, np.arange(3.0), None, Law.BETA) == [1.0]


def test_never_below_the_chance_of_what_was_seen():
    """Two times four rows fall apart in one of 70 ways, one of 120 orders is sorted."""
    ranked = rank_columns(np.arange(8.0)[np.newaxis])
    groups = np.repeat([0, 1], 4)
    for law in Law:
        found = group_p_values(group_scores(ranked.ranks, None, groups, 2), law)
        assert found[0] >= 1 / 70 * (1 - 1e-12)
    line = centred(np.arange(5.0)[np.newaxis], None)
    found = correlation_p_values(line, np.arange(5.0), None, Law.BETA)
    assert found[0] == pytest.approx(1 / 120)


def wilcoxon_tail(n1, n2):
    """Return P(U >= u) for every u, by the number of ways to make it."""
    ways = np.zeros((n1 + 1, n1 * (n1 + n2) + 1))
    ways[0, 0] = 1
    for rank in range(1, n1 + n2 + 1):
        for taken in range(min(rank, n1), 0, -1):
            ways[taken, rank:] += ways[taken - 1, :-rank]
    by_sum = ways[n1, n1 * (n1 + 1) // 2 :][: n1 * n2 + 1]
    return (by_sum[::-1].cumsum()[::-1]) / by_sum.sum()


@pytest.mark.parametrize(
    ("n1", "n2"), [(27, 14), (20, 20), (10, 10), (12, 40), (75, 75)]
)
def test_ranks_in_two_groups_come_close_to_wilcoxons_test(n1, n2):
    """Down to 1e-6, where the law of chi-square is off by up to ten times."""
    tail, n = wilcoxon_tail(n1, n2), n1 + n2
    ranks = np.arange(n) - (n - 1) / 2
    ratios = []
    for u in range(n1 * n2 // 2 + 1, n1 * n2):
        exact = 2 * tail[u]
        if not 1e-6 < exact < 0.2:
            continue
        first = u - n1 * n2 / 2  # the sum of centred ranks of the first group
        found = _score_tests.Grouping(
            np.array([[first, -first]]),
            np.array([[n1, n2]], dtype=float),
            np.array([float(n)]),
            np.array([(ranks**2).sum()]),
            np.zeros(1),
            np.array([(ranks**4).sum()]),
        )
        p_value = group_p_values(found, Law.RANKS)[0]
        ratios.append(p_value / exact)
    assert min(ratios) > 0.75
    assert max(ratios) < (2 if n1 == n2 else 4)


@pytest.mark.parametrize("law", list(Law))
@pytest.mark.parametrize("sizes", [(20, 20), (5, 36), (8,) * 5, (2,) * 15, (3, 3, 40)])
def test_levels_hold_under_exchange(law, sizes):
    """100,000 orders of fixed scores: shares that pass at .05, .01 and .001.

    Deviations are 1.4, 3 and 10 % of them; the laws may be off by a quarter at .01 and
    by half at .001.
    """
    random = np.random.default_rng(5)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    n = len(groups)
    ranks = np.arange(n) - (n - 1) / 2
    scores = {
        Law.RANKS: ranks,
        Law.BETA: ndtri((np.arange(n) + 1) / (n + 1)),
    }[law]
    drawn = random.permuted(np.tile(scores - scores.mean(), (100_000, 1)), axis=1)
    found = group_p_values(group_scores(drawn, None, groups, len(sizes)), law)
    for level, slack in ((0.05, 1.15), (0.01, 1.35), (0.001, 1.8)):
        passed = np.mean(found <= level)
        assert passed <= level * slack + 4 * np.sqrt(level / 100_000)
    if law is Law.BETA:
        assert np.mean(found <= 0.05) >= 0.035


@pytest.mark.parametrize("tail", ["normal", "lognormal", "cauchy", "counts"])
def test_levels_hold_for_correlations(tail):
    """Normal scores of 30 rows against values with any tails; bounds as above."""
    random = np.random.default_rng(6)
    n = 30
    u = (np.arange(n) + 1) / (n + 1)
    y = {
        "normal": ndtri(u),
        "lognormal": np.exp(1.5 * ndtri(u)),
        "cauchy": np.tan(np.pi * (u - 0.5)),
        "counts": np.floor(np.exp(ndtri(u))),
    }[tail]
    x = ndtri(u)
    drawn = random.permuted(np.tile(x - x.mean(), (100_000, 1)), axis=1)
    found = correlation_p_values(drawn, y, None, Law.BETA)
    for level, slack in ((0.05, 1.1), (0.01, 1.2), (0.001, 1.5)):
        passed = np.mean(found <= level)
        assert passed <= level * slack + 4 * np.sqrt(level / 100_000)
    assert np.mean(found <= 0.05) >= 0.04


@pytest.mark.parametrize("sizes", [(5, 36), (30, 270), (10, 490), (20, 20, 460)])
@pytest.mark.parametrize("tail", ["exponential", "lognormal", "rare", "cauchy"])
def test_levels_hold_for_skewed_values_in_rare_groups(sizes, tail):
    """40,000 orders; without the third moment up to ten times as many pass at 1e-4.

    Rare values make few different means, so that the level is not met from below.
    """
    random = np.random.default_rng(8)
    n = sum(sizes)
    values = {
        "exponential": random.exponential(size=n),
        "lognormal": np.exp(random.normal(size=n)),
        "rare": (np.arange(n) < max(2, n // 50)).astype(float),
        "cauchy": random.standard_cauchy(size=n),
    }[tail]
    groups = np.repeat(np.arange(len(sizes)), sizes)
    scores, passed = centred_values(values[np.newaxis])[0], np.zeros(3)
    for _ in range(20):
        drawn = random.permuted(np.tile(scores, (2000, 1)), axis=1)
        found = group_p_values(group_scores(drawn, None, groups, len(sizes)), Law.BETA)
        passed += [np.sum(found <= level) for level in (0.01, 0.001, 1e-4)]
    assert passed[0] <= 400 * 1.3 + 80
    assert passed[1] <= 40 * 1.5 + 26
    assert passed[2] <= 4 * 2 + 9


def test_skewness_is_that_of_all_orders():
    x, y = [1.0, 2.0, 2.0, 4.0, 9.0, 30.0], [0.0, 0.0, 0.0, 0.0, 1.0, 1.0]
    scores = centred(np.array([x, y]), None)
    scores /= np.sqrt((scores**2).mean(axis=1, keepdims=True))
    drawn = [
        np.dot(order, scores[1]) for order in itertools.permutations(scores[0].tolist())
    ]
    expected = np.mean(np.array(drawn) ** 3) / np.mean(np.array(drawn) ** 2) ** 1.5
    cubes = (scores**3).mean(axis=1)
    found = _score_tests._skewness(np.array([6.0]), cubes[:1], cubes[1:])
    assert found[0] == pytest.approx(abs(expected))
    p_values = np.array([0.5, 0.01, 1e-6])
    same = _score_tests._skewed(p_values, np.zeros(3))
    assert same.tolist() == p_values.tolist()
    more = _score_tests._skewed(p_values, np.full(3, 0.5))
    z = stats.norm.isf(p_values / 2)
    gamma = stats.pearson3(0.5)
    tails = gamma.sf(z) + gamma.cdf(-z)
    np.testing.assert_allclose(more, np.maximum(p_values, tails), rtol=1e-6)


@pytest.mark.parametrize("sizes", [(1, 5, 14), (3, 17), (10, 10)])
def test_skewness_is_that_of_values_and_of_the_rarest_group(monkeypatch, sizes):
    """Of a share p of rows, 1 for a row of the group: (1 - 2 p) / sqrt(p (1 - p))."""
    seen = []
    monkeypatch.setattr(
        _score_tests, "_skewness", lambda n, a, b: seen.append((n, a, b)) or np.zeros(1)
    )
    values = np.random.default_rng(4).exponential(size=20)
    groups = np.repeat([0, 1, 3][: len(sizes)], sizes)
    scores = centred_values(values[np.newaxis])
    group_p_values(group_scores(scores, None, groups, 4), Law.BETA)
    (((n,), (of_values,), (of_groups,)),) = seen
    shares = np.array(sizes) / 20
    assert n == 20
    assert of_values == pytest.approx(stats.skew(values))
    expected = np.abs(1 - 2 * shares) / np.sqrt(shares * (1 - shares))
    assert of_groups == pytest.approx(expected.max())
    # And of both sides of a correlation.
    other = values[::-1] ** 2
    correlation_p_values(scores, other, None, Law.BETA)
    _, (left,), (right,) = seen[1]
    assert (left, right) == pytest.approx((stats.skew(values), stats.skew(other)))


@pytest.mark.parametrize("unit", [1e-5, 1e5])
def test_p_values_do_not_depend_on_units(unit):
    x, y = np.random.default_rng(3).exponential(size=(2, 25)) + 0.05 * np.arange(25)
    x = centred(x[np.newaxis], None)
    groups = np.arange(25) // 9
    for law in Law:
        found = correlation_p_values(unit * x, y, None, law)
        assert found == pytest.approx(correlation_p_values(x, y, None, law))
        assert correlation_p_values(x, unit * y, None, law) == pytest.approx(found)
        grouped = (group_scores(own, None, groups, 3) for own in (x, unit * x))
        one, other = (group_p_values(own, law) for own in grouped)
        assert one == pytest.approx(other)


@pytest.mark.parametrize("sizes", [(20, 20), (7, 13, 20), (4,) * 10])
@pytest.mark.parametrize("ties", ["rounded", "counts"])
def test_levels_hold_for_ties(ties, sizes):
    """40,000 orders of ranks with ties: bounds as without, which few values make many.

    Two or three values in rare groups make so few different shares that no law holds;
    those columns are tested as levels, too.
    """
    random = np.random.default_rng(9)
    n = sum(sizes)
    values = random.normal(size=n)
    values = np.round(2 * values) if ties == "rounded" else np.floor(np.exp(values))
    ranks = rank_columns(values[np.newaxis]).ranks[0]
    groups = np.repeat(np.arange(len(sizes)), sizes)
    drawn = random.permuted(np.tile(ranks, (40_000, 1)), axis=1)
    found = group_p_values(group_scores(drawn, None, groups, len(sizes)), Law.RANKS)
    other = correlation_p_values(drawn, random.permutation(ranks), None, Law.RANKS)
    for level, slack in ((0.05, 1.15), (0.01, 1.35), (0.001, 1.8)):
        most = level * slack + 4 * np.sqrt(level / 40_000)
        assert np.mean(found <= level) <= most
        assert np.mean(other <= level) <= most


def test_values_in_any_unit():
    values = np.array([[1e200, -3e200, np.nan, 2e200], [0.0, 0.0, 0.0, 0.0]])
    found = centred_values(values)
    np.testing.assert_allclose(found[0], [1 / 3, -1, 0, 2 / 3])
    assert not found[1].any()


def test_squares_of_the_least_numbers_are_not_nothing():
    """1e-200 squared is 0: values are in units of the greatest, missing ones or not."""
    tiny = np.array([[1e-200, 2e-200]])
    assert centred_values(tiny).tolist() == [[-0.25, 0.25]]
    missing = np.array([[1e-200, 2e-200, np.nan]])
    assert centred_values(missing).tolist() == [[-0.25, 0.25, 0.0]]


def test_groups_that_explain_all_may_seem_to_explain_more():
    """Of 400 columns that are constant in groups rounding lifts some shares above 1."""
    groups = np.repeat(np.arange(5), [3, 4, 5, 6, 7])
    values = np.random.default_rng(0).normal(size=(400, 5))[:, groups]
    found = group_scores(centred(values, None), None, groups, 5)
    share = (found.sums**2 / found.sizes).sum(axis=1) / found.squares
    assert (share > 1).any()
    for law in Law:
        p_values = group_p_values(found, law)
        assert ((p_values > 0) & (p_values < 1e-8)).all()


def test_normal_scores_have_the_power_of_an_f_test():
    """Three classes of 15 rows whose means differ, 400 columns."""
    random = np.random.default_rng(7)
    classes = np.repeat([0, 1, 2], 15)
    values = random.normal(size=(400, 45)) + 0.55 * (classes - 1)
    ranked = rank_columns(values)
    found = group_scores(normal_scores(ranked), None, classes, 3)
    by_score = group_p_values(found, Law.BETA)
    by_f = stats.f_oneway(*(values[:, classes == c] for c in range(3)), axis=1).pvalue
    for level in (0.05, 0.001):
        assert np.mean(by_score <= level) >= np.mean(by_f <= level) - 0.05
