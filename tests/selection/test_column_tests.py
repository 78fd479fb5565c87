"""The tests of one column and their weights; which tables are permuted."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from featsieve.selection import _column_tests
from featsieve.selection._column_tests import (
    ColumnTests,
    Draws,
    shape_support,
    stage_weights,
    table_p_values,
    weigh_columns,
    weights_of,
)
from featsieve.tallies import Tally
from reference.combination import combined

DRAWS = Draws(1000, 0, 1)


def columns_of(n_rows, *, wide, is_quantity=False, **given):
    """Return columns of two levels that tell nothing."""
    quarter = n_rows // 4
    table = Tally([[quarter, quarter], [quarter, quarter], [0, 0]])
    totals = np.array([n_rows // 2, n_rows // 2])
    return ColumnTests(
        [table] * len(wide), totals, np.array(wide), is_quantity, **given
    )


def weights(n_rows, *, wide, is_quantity=False):
    found = weights_of(columns_of(n_rows, wide=[wide], is_quantity=is_quantity))
    return {name: own[0] for name, own in found.items() if own[0]}


def test_weights_with_rows_enough():
    shapes = {"values": 0.15, "mode": 0.15, "gaps": 0.15, "levels": 0.15}
    plain = {"ranks": 0.2, "normal": 0.25, "means": 0.25, "cuts": 0.15}
    assert weights(1000, wide=True) == plain | shapes
    assert weights(1000, wide=False) == {"levels": 1.0}
    plain = {"ranks": 0.2, "means": 0.25, "lines": 0.25, "bins": 0.15}
    assert weights(1000, wide=True, is_quantity=True) == plain | shapes
    assert weights(1000, wide=False, is_quantity=True) == {
        "bins": 0.5,
        "means": 0.3,
        "levels": 0.2,
    }


@pytest.mark.parametrize(
    ("n_rows", "support"),
    [(10, 0), (50, 0), (145, 0.1), (525, 0.5), (1000, 1)],
)
def test_few_rows_leave_no_weight_to_shapes(n_rows, support):
    assert shape_support(int(n_rows)) == pytest.approx(support)
    n_rows = int(n_rows) // 4 * 4
    found = weights(n_rows, wide=True)
    assert found["normal"] == 0.25
    assert found.get("ranks", 0) == pytest.approx(0.2 * shape_support(n_rows))
    assert found.get("cuts", 0) == pytest.approx(0.15 * shape_support(n_rows))
    assert found.get("mode", 0) == pytest.approx(0.15 * shape_support(n_rows))
    # Levels of a nominal column are all there is to it.
    assert weights(n_rows, wide=False) == {"levels": 1.0}


@pytest.mark.parametrize(
    ("n_rows", "support"), [(20, 0.25), (250, 0.25), (525, 0.5), (9000, 1)]
)
def test_later_stages_have_less_weight_in_few_rows(n_rows, support):
    assert stage_weights(n_rows) == pytest.approx(
        {
            "alone": 0.65,
            "together": 0.2 * support,
            "context": 0.15 * support,
            "beside": 0.25,  # a plain test, too
        }
    )


def test_tests_are_combined_by_their_weights():
    scores = {
        "ranks": np.array([1e-4, 0.3, np.nan]),
        "normal": np.array([1e-3, 0.4, np.nan]),
    }
    p_values, best = weigh_columns(
        columns_of(400, wide=[True, True, False], scores=scores), DRAWS
    )
    share = shape_support(400)
    weights = [0.2 * share, 0.25, 0.15 * share]
    expected = [
        combined([1e-4, 1e-3, 1.0], weights),
        combined([0.3, 0.4, 1.0], weights),
        1.0,
    ]
    assert p_values == pytest.approx(expected, rel=1e-9)
    assert [tally.table.tolist() for tally in best] == [
        [[100, 100], [100, 100], [0, 0]]
    ] * 3


def test_further_tables_count_where_they_are():
    mode = Tally([[30, 170], [170, 30], [0, 0]])
    tests = columns_of(400, wide=[True, True], tables={"mode": {1: mode}})
    p_values, _ = weigh_columns(tests, DRAWS)
    assert p_values[0] == 1.0
    by_mode = stats.chi2.sf(400 * 0.7**2 * 399 / 400, 1)
    assert p_values[1] == pytest.approx(2 * by_mode, rel=1e-6)


def answer(monkeypatch, *answers):
    """Have permutation tests answer in turn; return what they were asked."""
    asked = []

    def test(features, scores, scoring, **options):
        asked.append(
            options | {"tallies": features.tallies, "cut": scoring.price is not None}
        )
        p_value, draws = answers[len(asked) - 1]
        return SimpleNamespace(
            p_values=np.full(len(scores), p_value), draws=np.full(len(scores), draws)
        )

    monkeypatch.setattr(_column_tests, "permutation_test", test)
    return asked


@pytest.mark.parametrize(
    ("table", "sparse"),
    [
        ([[10, 10], [10, 10], [0, 0]], False),
        ([[5, 5], [45, 45], [0, 0]], False),  # five expected
        ([[5, 4], [45, 46], [0, 0]], True),  # 9 * 50 / 100
        ([[50, 50], [50, 50], [3, 3]], True),  # missing is a level
        ([[0, 0], [50, 50], [50, 50]], False),  # a level that does not occur is not
        ([[50, 0, 3], [50, 0, 3], [0, 0, 0]], True),  # a rare class
        ([[50, 0, 50], [50, 0, 50], [0, 0, 0]], False),  # nor a class that does not
        ([[1, 1], [0, 0], [0, 0]], False),  # nothing to compare
    ],
)
def test_sparse_tables_are_permuted(monkeypatch, table, sparse):
    asked = answer(monkeypatch, (0.4321, 999))
    table = np.array(table)
    (found,) = table_p_values([Tally(table)], table.sum(axis=0), DRAWS)
    assert len(asked) == sparse
    assert (found == 0.4321) == sparse
    if sparse:
        assert asked[0]["max_draws"] == 1000
        assert asked[0]["alpha"] == 0.001
        assert not asked[0]["cut"]


@pytest.mark.parametrize(("reached", "asymptotic"), [(0, True), (1, False)])
def test_chi_square_speaks_only_where_no_permutation_came_near(
    monkeypatch, reached, asymptotic
):
    table = np.array([[0, 50, 0], [50, 0, 0], [0, 0, 3], [0, 0, 0]])
    answer(monkeypatch, ((reached + 1) / 1000, 999))
    (found,) = table_p_values([Tally(table)], table.sum(axis=0), DRAWS)
    assert (found < 1e-9) == asymptotic
    if not asymptotic:
        assert found == 0.002


def test_chi_square_never_makes_a_p_value_greater(monkeypatch):
    table = np.array([[2, 3], [3, 2], [0, 0]])
    answer(monkeypatch, (1e-9, 99))
    assert table_p_values([Tally(table)], table.sum(axis=0), DRAWS) == [1e-9]


def test_small_tables_are_exact():
    """Of ten rows, five each: 5 + 0 against 0 + 5 is one of 252 tables, twice."""
    table = np.array([[5, 0], [0, 5], [0, 0]])
    (found,) = table_p_values([Tally(table)], table.sum(axis=0), Draws(20_000, 1, 1))
    assert found == pytest.approx(2 / 252, rel=0.4)


def cut_tests(n_columns, p_value, n_rows=1000):
    """Return tests of which all p-values but those of cuts are known."""
    cut = Tally([[90, 10], [n_rows // 2 - 90, n_rows // 2 - 10], [0, 0]])
    known = np.full(n_columns, p_value)
    return columns_of(
        n_rows,
        wide=[True] * n_columns,
        scores={"ranks": known, "normal": known, "levels": known},
        cut=lambda: {0: (cut, lambda: np.array([100, n_rows - 100]))},
    ), cut


def test_cuts_are_tested_where_the_rest_has_not_decided(monkeypatch):
    asked = answer(monkeypatch, (0.001, 999))
    tests, cut = cut_tests(2, 0.5)
    p_values, best = weigh_columns(tests, DRAWS)
    assert asked[0]["cut"]
    assert asked[0]["max_draws"] == 1000
    assert asked[0]["tallies"] == [cut]
    assert best[0] is cut
    assert best[1] is not cut
    weights = [0.2, 0.25, 0.15, 0.15]
    # The table of levels is one that tells nothing.
    assert p_values == pytest.approx(
        [combined([0.5, 0.5, 1, 0.001], weights), combined([0.5, 0.5, 1, 1], weights)]
    )


@pytest.mark.parametrize(("p_value", "n_asked"), [(1e-5, 0), (1e-3, 1)])
def test_columns_that_are_certain_are_not_cut_anew(monkeypatch, p_value, n_asked):
    asked = answer(monkeypatch, (0.001, 999))
    tests, cut = cut_tests(2, p_value)
    p_values, best = weigh_columns(tests, DRAWS)
    assert len(asked) == n_asked
    assert best[0] is cut
    if not n_asked:
        assert p_values[0] == p_values[1] < 2e-5


def test_few_rows_are_not_cut_anew_either(monkeypatch):
    asked = answer(monkeypatch)
    tests, cut = cut_tests(1, 0.5, n_rows=400)
    few = ColumnTests(
        tests.levels, np.array([25, 25]), tests.wide, False, tests.scores, {}, tests.cut
    )
    _, best = weigh_columns(few, DRAWS)
    assert not asked
    assert best == [cut]


def test_p_values_do_not_depend_on_the_rate():
    """Nothing here takes one; so a larger rate never finds less."""
    fields = {*ColumnTests.__slots__, *Draws.__slots__}
    assert not fields & {"fdr", "level", "alpha"}
