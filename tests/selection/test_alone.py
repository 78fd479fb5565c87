"""What a column tells by itself: several tests of it, and one p-value for them."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from featsieve.data import read_table
from featsieve.data.api import RowDesign
from featsieve.inference.api import associate, measure, measure_shares
from featsieve.selection import _alone
from featsieve.selection._alone import (
    further_names,
    further_tables,
    judge_alone,
    look_at_probes,
    restricted_alone,
    scores_of,
)
from featsieve.selection._column_tests import weigh_columns
from featsieve.selection._material import prepare
from featsieve.tallies import Tally
from reference.combination import combined


def material_of(columns, y, seed=0):
    return prepare(read_table(columns, y), seed, 1)


def judged(columns, y, most_draws=None):
    return judge_alone(material_of(columns, y), most_draws)


def weighed(monkeypatch, columns, y):
    """Return the tests of single columns as they are weighed, and their p-values."""
    seen = []

    def weigh(tests, draws):
        seen.append(tests)
        return weigh_columns(tests, draws)

    monkeypatch.setattr(_alone, "weigh_columns", weigh)
    found = judged(columns, y)
    return seen[0], found.p_values


def table_p_value(x, y):
    """Return the p-value of the smaller of G and Pearson's statistic (n - 1) / n."""
    table = np.array(
        [[np.sum((x == a) & (y == b)) for b in np.unique(y)] for a in np.unique(x)]
    )
    pearson = stats.chi2_contingency(table, correction=False)
    ratio = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
    statistic = min(pearson.statistic * (len(x) - 1) / len(x), ratio.statistic)
    return stats.chi2.sf(statistic, pearson.dof)


def near(p_value, expected):
    """Whether two laws of the same statistic agree but for their far tails."""
    return abs(math.log(p_value / expected)) < 0.1 + 0.2 * -math.log(expected)


def kruskal(x, y):
    return stats.kruskal(*(y[x == level] for level in np.unique(x))).pvalue


X = np.arange(100) + 0.5
FIFTHS = np.arange(100) // 20


def test_levels_and_classes_make_one_test():
    y = np.repeat([0, 1], 50)
    found = judged({"x": list("ab" * 25) + list("cd" * 25)}, y)
    # Chi-square: 100 * 99 / 100 is Pearson's.
    assert found.p_values[0] == pytest.approx(stats.chi2.sf(99, 3))
    assert found.rank_p_values[0] == 1


def test_two_values_make_one_test_though_they_are_numbers():
    y = np.repeat([0, 1], 50)
    x = np.where(np.arange(100) % 50 < 40, y, 1 - y) * 2.5
    found = judged({"x": x}, y)
    # Fisher's exact test: 40 and 10 of 50.
    exact = stats.fisher_exact([[40, 10], [10, 40]]).pvalue
    assert found.p_values[0] == pytest.approx(exact)
    assert near(found.rank_p_values[0], kruskal(y, x))


def known_tests(tests, j):
    return {
        name: own[j] for name, own in tests.scores.items() if not np.isnan(own[j])
    }, {name for name, own in tests.tables.items() if j in own}


def test_numbers_are_tested_by_ranks_and_normal_scores(monkeypatch):
    y = (np.arange(100) * 37 % 100 < np.arange(100)).astype(int)
    gaps = np.where(np.arange(100) % 10 == 0, np.nan, X)
    sentinel = np.where(np.arange(100) % 6 == 0, -999, X)
    columns = {
        "x": X,
        "word": FIFTHS.astype(str),
        "gaps": gaps,
        "sentinel": sentinel,
        "months": np.arange(100) % 12.0,
        "halves": np.where(gaps > 50, 1.0, np.where(np.isnan(gaps), np.nan, 0)),
    }
    tests, p_values = weighed(monkeypatch, columns, y)
    found, tables = known_tests(tests, 0)
    assert near(found["ranks"], kruskal(y, X))
    scores = ndtri((np.arange(100) + 1) / 101)
    by_f = stats.f_oneway(scores[y == 0], scores[y == 1]).pvalue
    assert near(found["normal"], by_f)
    by_f = stats.f_oneway(X[y == 0], X[y == 1]).pvalue
    assert near(found["means"], by_f)
    assert set(found) == {"ranks", "normal", "means"}
    assert not tables
    assert known_tests(tests, 1) == ({}, set())
    assert tests.wide.tolist() == [True, False, True, True, True, True]
    assert [known_tests(tests, j)[1] for j in (2, 3, 4, 5)] == [
        {"gaps"},
        {"mode"},
        {"values"},
        {"gaps"},
    ]
    counts = tests.tables["mode"][3].counts
    assert counts.sum(axis=1).tolist() == [83, 17]
    assert tests.tables["gaps"][2].counts.sum(axis=1).tolist() == [90, 10]
    assert tests.tables["values"][4].n_levels == 12
    share = 50 / 950
    expected = combined(
        [*found.values(), table_p_value(FIFTHS, y)],
        [{"ranks": 0.2 * share, "normal": 0.25, "means": 0.25}[n] for n in found]
        + [0.15 * share],
    )
    # Cuts are tested beside these, with little weight.
    assert p_values[0] == pytest.approx(expected, rel=0.1)
    assert tests.levels[0].counts.sum(axis=1).tolist() == [20] * 5
    assert not tests.is_quantity


def test_a_quantity_is_tested_by_ranks_and_by_means(monkeypatch):
    random = np.random.default_rng(0)
    y = np.exp(X / 50 + random.normal(size=100))
    months = np.arange(100) % 12.0
    words = np.array(list("abcd"))[np.arange(100) * 7 % 4]
    columns = {
        "x": X,
        "word": words,
        "gaps": np.where(np.arange(100) % 10 == 0, np.nan, X),
        "months": months,
        "flag": np.arange(100) % 2.0,
    }
    tests, p_values = weighed(monkeypatch, columns, y)
    found, tables = known_tests(tests, 0)
    assert set(found) == {"ranks", "means", "lines", "bins"}
    assert not tables
    assert tests.cut is None
    assert tests.is_quantity
    assert near(found["ranks"], stats.spearmanr(X, y).pvalue)
    scores = ndtri((np.arange(100) + 1) / 101)
    assert near(found["means"], stats.pearsonr(scores, y).pvalue)
    assert near(found["lines"], stats.pearsonr(X, y).pvalue)
    assert near(found["bins"], kruskal(FIFTHS, y))
    thirds = (stats.rankdata(y) - 0.5) * 3 // 100
    share = 50 / 950
    weights = {
        "ranks": 0.2 * share,
        "means": 0.25,
        "lines": 0.25,
        "bins": 0.15 * share,
    }
    expected = combined(
        [*found.values(), table_p_value(FIFTHS, thirds)],
        [weights[name] for name in found] + [0.15 * share],
    )
    assert p_values[0] == pytest.approx(expected)
    found, _ = known_tests(tests, 1)
    assert set(found) == {"bins", "means"}
    assert near(found["bins"], kruskal(words, y))
    by_f = stats.f_oneway(*(y[words == w] for w in "abcd")).pvalue
    assert near(found["means"], by_f)
    expected = combined(
        [found["bins"], found["means"], table_p_value(words, thirds)], [0.5, 0.3, 0.2]
    )
    assert p_values[1] == pytest.approx(expected)
    assert set(known_tests(tests, 2)[0]) == {
        "ranks",
        "means",
        "lines",
        "bins",
        "gaps",
    }
    found, _ = known_tests(tests, 3)
    assert near(found["values"], kruskal(months, y))
    found, _ = known_tests(tests, 4)
    assert near(found["means"], stats.f_oneway(y[::2], y[1::2]).pvalue)
    assert not tests.wide[4]


def test_means_show_what_ranks_miss():
    """In 2 % of the rows the quantity is far off, by the sign of the column."""
    random = np.random.default_rng(0)
    x = random.normal(size=2000)
    y = random.normal(size=2000) + 10 * x * (random.random(2000) < 0.02)
    by_rank = stats.spearmanr(x, y).pvalue
    assert judged({"x": x}, y).p_values[0] < 1e-3 * by_rank


@pytest.mark.parametrize(
    ("counts", "n_missing", "names"),
    [
        ([1] * 100, 0, []),
        ([1] * 100, 5, ["gaps"]),
        ([1] * 100, 4, []),
        ([1] * 4, 50, []),
        ([50, 50], 50, ["gaps"]),
        ([10] + [1] * 90, 0, ["mode"]),
        ([9] + [1] * 90, 0, []),
        ([10, 6] + [1] * 90, 0, []),
        ([10, 5] + [1] * 90, 0, ["mode"]),
        ([3] * 40, 0, ["values"]),
        ([3] * 41, 0, []),
        ([3] * 6, 0, ["values"]),
        ([3] * 5, 0, []),
        ([20] + [3] * 6, 9, ["gaps", "mode", "values"]),
        ([], 7, []),
    ],
)
def test_further_tests_where_they_apply(counts, n_missing, names):
    assert further_names(np.array(counts, dtype=int), n_missing) == names


def test_tables_of_counted_numbers_are_those_of_rows(monkeypatch):
    random = np.random.default_rng(0)
    x = np.where(random.random(300) < 0.3, 4.0, random.integers(0, 9, 300) / 2)
    x[:20] = np.nan
    y = random.integers(0, 3, 300)
    tests, _ = weighed(monkeypatch, {"x": x}, y)
    classes = prepare(read_table({"x": x}, y), 0, 1).classes
    table = np.zeros((10, 3), dtype=np.int64)
    codes = np.where(np.isnan(x), 9, 2 * x).astype(int)
    np.add.at(table, (codes, y), 1)
    counted = further_tables(Tally.of_numbers(np.arange(9) / 2, table))
    assert set(counted) == {"gaps", "mode", "values"}
    assert len(classes) == 300
    for name, tally in counted.items():
        by_rows = tests.tables[name][0].table
        np.testing.assert_array_equal(tally.table.sum(axis=0), by_rows.sum(axis=0))
        one = associate(tally.table).p_value
        assert one == pytest.approx(associate(by_rows).p_value)


def test_no_p_value_is_above_one():
    found = judged({"x": X}, np.tile([0, 1], 50))
    assert 0.8 <= found.p_values[0] <= 1


def steps(n=2):
    """Return numbers that only cuts near both ends tell apart, and classes."""
    y = np.tile([0, 1], 300)
    y[:20] = y[-20:] = 1
    return {f"x{k}": np.arange(600) * (k + 1.0) for k in range(n)}, y


def test_cuts_show_a_step_that_ranks_and_bins_miss():
    columns, y = steps(1)
    found = judged(columns, y)
    others = min(table_p_value(np.arange(600) // 120, y), kruskal(y, columns["x0"]))
    assert others > 0.03
    assert found.p_values[0] < others / 2
    assert np.bincount(found.codes[:, 0]).tolist() == [20, 559, 21]


def test_codes_are_those_of_the_cuts_if_there_are_any():
    y = (X > 37).astype(int)
    found = judged({"x": X, "noise": X * 7919 % 101}, y)
    assert np.bincount(found.codes[:, 0]).tolist() == [37, 63]
    assert found.codes[:, 1].max() == 4
    assert found.scores[0].gain == pytest.approx(
        0.9507 - 1 / (200 * math.log(2)), abs=1e-4
    )


def test_associations_of_ranks():
    random = np.random.default_rng(0)
    y = X + random.normal(size=100) * 30
    found = judged({"x": X, "word": random.choice(list("ab"), 100)}, y)
    assert found.rank_associations[0] == pytest.approx(stats.spearmanr(X, y).statistic)
    assert np.isnan(found.rank_associations[1])
    classes = (y > 50).astype(int)
    tau = stats.kendalltau(X, classes).statistic
    found = judged({"x": X}, classes)
    assert abs(found.rank_associations[0]) == pytest.approx(abs(tau))


@pytest.mark.parametrize("quantity", [False, True])
def test_scores_are_in_the_order_of_columns(quantity):
    random = np.random.default_rng(0)
    y = random.normal(size=60) if quantity else random.integers(0, 2, 60)
    material = material_of({"x": random.normal(size=60)}, y)
    codes = random.integers(0, 3, (60, 70)).astype(np.int32)
    target = material.quantity if quantity else material.classes
    one = measure_shares if quantity else measure
    expected = [one(codes[:, j], target) for j in range(70)]
    assert scores_of(material, codes) == expected


def test_shuffled_rows_other_units_and_names_give_the_same_p_values():
    random = np.random.default_rng(2)
    n = 150
    y = random.integers(0, 2, n)
    x = y + random.normal(size=n) * 2
    word = np.where(random.random(n) < 0.3, y, random.integers(0, 3, n))
    one = judged({"x": x, "word": word.astype(str)}, y)
    shuffle = random.permutation(n)
    other = judged(
        {"size": (x * 9 - 4)[shuffle], "kind": [f"k{9 - v}" for v in word[shuffle]]},
        np.array(["no", "yes"])[y][shuffle],
    )
    np.testing.assert_allclose(other.p_values, one.p_values)
    np.testing.assert_allclose(other.rank_p_values, one.rank_p_values)
    np.testing.assert_allclose(
        [score.gain for score in other.scores], [score.gain for score in one.scores]
    )


def test_probes_have_the_kinds_of_the_columns():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 90)
    numbers = material_of({"x": random.normal(size=90)}, y)
    found = look_at_probes(numbers)
    assert Counter(probe.kind for probe in found) == dict.fromkeys(
        ("gaussian", "uniform", "binary"), 5
    )
    assert all(probe.n_levels is None and probe.score >= 0 for probe in found)
    assert max(probe.score for probe in found) < 0.2
    assert len(look_at_probes(numbers, 2)) < len(found)
    words = material_of({"w": random.choice(list("abc"), 90)}, y)
    assert {probe.n_levels for probe in look_at_probes(words)} == {3}
    both = material_of(
        {"w": random.choice(list("abc"), 90), "v": random.choice(list("ab"), 90)}, y
    )
    assert {probe.n_levels for probe in look_at_probes(both)} == {2, 3}


def test_probes_are_coded_as_columns_are(monkeypatch):
    coded = []

    def scores(_material, codes):
        coded.append(np.bincount(codes[:, 0]).tolist())
        return [measure(codes[:, 0], np.tile([0, 1], 45).astype(np.int32))]

    monkeypatch.setattr(_alone, "scores_of", scores)
    material = material_of({"x": np.arange(90) + 0.5}, np.tile([0, 1], 45))
    kinds = [probe.kind for probe in look_at_probes(material, 1)]
    by_kind = dict(zip(kinds, coded, strict=True))
    assert by_kind["gaussian"] == by_kind["uniform"] == [18] * 5  # bins of equal size
    assert len(by_kind["binary"]) == 2


def test_probes_of_many_numbers_of_levels_are_some_of_them():
    random = np.random.default_rng(0)
    columns = {f"w{k}": (np.arange(120) % k).astype(str) for k in range(2, 14)}
    material = material_of(columns, random.integers(0, 2, 120))
    found = look_at_probes(material)
    assert sorted({probe.n_levels for probe in found}) == [2, 5, 8, 11]


def test_probes_of_columns_with_gaps():
    random = np.random.default_rng(0)
    x = np.where(random.random(60) < 0.5, np.nan, random.normal(size=60))
    word = random.choice(["a", "b", None], 60)
    found = look_at_probes(material_of({"x": x, "w": word}, np.tile([0, 1], 30)))
    assert all(math.isfinite(probe.score) for probe in found)
    assert {probe.n_levels for probe in found} == {None, 2}


@pytest.mark.parametrize("classes", [False, True])
def test_effects_are_found_and_what_groups_share_is_not(classes):
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), 8)
    shared = random.normal(size=(30, 3))[groups] * 3
    x = random.normal(size=240)
    y = x + random.normal(size=30)[groups] * 3 + random.normal(size=240)
    columns = {
        "x": x + shared[:, 0],
        "n": np.where(x > 0, "u", "v"),
        "noise": shared[:, 1] + random.normal(size=240),
        "own": shared[:, 2],
        "flat": np.ones(240),
        "y": np.where(y > 0, "b", "a") if classes else y,
    }
    table = read_table(columns, "y")
    material = prepare(table, 0, 1, RowDesign(groups=groups))
    p_values = restricted_alone(material)
    assert (p_values[:2] < 1e-3).all()
    assert (p_values[2:4] > 1e-3).all()
    assert p_values[4] == 1


def test_uniform_under_the_null():
    """200 p-values; at 0.05, 22 or more have a chance of 4e-4, if none depend."""
    found = []
    for seed in range(20):
        random = np.random.default_rng([seed, 1])
        groups = np.repeat(np.arange(30), 6)
        shared = random.normal(size=(30, 11))[groups] * 2
        values = shared + random.normal(size=(180, 11))
        columns = {f"x{j}": values[:, j] for j in range(10)}
        y = values[:, 10] if seed % 2 else np.where(values[:, 10] > 0, "b", "a")
        table = read_table(columns | {"y": y}, "y")
        material = prepare(table, seed, 1, RowDesign(groups=groups))
        found.append(restricted_alone(material))
    p_values = np.concatenate(found)
    assert np.count_nonzero(p_values <= 0.05) < 22
    assert np.count_nonzero(p_values <= 0.5) > 70
