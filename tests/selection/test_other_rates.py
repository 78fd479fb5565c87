"""Answers at other rates: more columns at greater ones, none fewer."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import featsieve
from featsieve.data import read_table
from featsieve.selection._material import prepare
from featsieve.selection._other_rates import carrier_of, owes, with_fewer, with_more
from featsieve.selection._redundancy import Displaced, Redundancy

RATES = (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5)

#: 4 and 2 are kept; 1 and 3 are carried by 4, 0 is a copy of 1, 5 goes with both.
USUAL = Redundancy(
    [4, 2],
    {
        1: Displaced((4,), 0.9, 0.2, 0.05),
        3: Displaced((4, 2), 0.8, 0.3, 0.08),
        0: Displaced((1,), 0.99),
        5: Displaced((2, 4), 0.7, 0.4, 0.02),
    },
)
P_VALUES = np.array([0.004, 0.003, 0.0005, 0.002, 0.001, 0.006])


def test_carriers_of_carriers():
    assert [carrier_of(USUAL, j) for j in range(6)] == [4, 4, 2, 4, 4, 2]


@pytest.mark.parametrize(
    ("relevant", "kept", "by"),
    [
        (range(6), [4, 2], {1: (4,), 3: (4, 2), 0: (1,), 5: (2, 4)}),
        ([], [], {}),
        ([2], [2], {}),
        # The best of those that 4 carried takes its place, and carries the others.
        ([0, 1, 2, 3], [3, 2], {1: (3,), 0: (1,)}),
        ([0, 1, 2], [1, 2], {0: (1,)}),
        ([0, 3], [3], {0: (3,)}),
        ([4, 5], [4, 5], {}),
        ([3, 5, 0], [3, 5], {0: (3,)}),
        ([1, 3, 5], [3, 5], {1: (3,)}),
    ],
)
def test_fewer_relevant_columns(relevant, kept, by):
    found = with_fewer(USUAL, set(relevant), P_VALUES)
    assert found.kept == kept
    assert {j: why.by for j, why in found.displaced.items()} == by
    for j, why in found.displaced.items():
        assert why.association == USUAL.displaced[j].association


def test_every_set_of_relevant_columns_keeps_no_fewer_than_its_parts():
    order = np.argsort(P_VALUES).tolist()
    for begin in itertools.permutations(order):
        sizes = [
            len(with_fewer(USUAL, set(begin[:n]), P_VALUES).kept) for n in range(7)
        ]
        assert sizes == sorted(sizes)


def test_of_equal_p_values_the_first_column_stays():
    for p_values in (np.full(6, 0.01), np.array([0.02, 0.01, 0.5, 0.01, 0.5, 0.5])):
        found = with_fewer(USUAL, {1, 3}, p_values)
        assert found.kept == [1]
        assert found.displaced[3].by == (1,)


def test_what_was_refuted_stays_so_for_relevant_columns():
    usual = Redundancy([4, 2], dict(USUAL.displaced), {1: 0.3, 5: 0.2})
    assert with_fewer(usual, {1, 4}, P_VALUES).refuted == {1: 0.3}
    assert with_fewer(usual, set(), P_VALUES).refuted == {}


def test_a_column_owes_most_to_the_stage_of_least_p_value_for_its_weight():
    evidence = {
        "alone": np.array([0.03, np.nan, 0.02]),
        "together": np.array([0.001, 0.5, np.nan]),
        "context": np.array([0.02, 0.6, 0.02]),
    }
    weights = {"alone": 0.6, "together": 0.1, "context": 0.3}
    # 0.05, 0.01 and 0.067; none, 5 and 2; 0.033, none and 0.067.
    found = [owes(evidence, weights, j) for j in range(3)]
    assert found == ["together", "context", "alone"]


@pytest.fixture(scope="module")
def more():
    """Return a table: `a` and `b` matter, `near` goes with `a`, the rest with none."""
    random = np.random.default_rng(3)
    a, b, c, d = random.normal(size=(4, 200))
    near = a + 0.5 * random.normal(size=200)
    y = ((a + b + 0.3 * random.normal(size=200)) > 0) * 1
    columns = {"a": a, "b": b, "near": near, "c": c, "d": d}
    return prepare(read_table(columns, y), 0, 1)


def test_more_relevant_columns_join_if_nothing_tells_them(more):
    usual = Redundancy([0])
    found = with_more(usual, more, [2, 3, 1, 4], set())
    assert found.kept == [0, 3, 1, 4]
    assert found.displaced[2].by == (0,)
    assert found.displaced[2].most_added is not None
    assert with_more(usual, more, [2, 3, 1, 4], {2}).kept == [0, 2, 3, 1, 4]
    for n in range(4):
        fewer = with_more(usual, more, [2, 3, 1, 4][:n], set()).kept
        assert found.kept[: len(fewer)] == fewer
    displaced = {4: Displaced((0,), 0.5, 0.5, 0.05)}
    kept = with_more(Redundancy([0], displaced), more, [2], set())
    assert kept.kept == [0]
    assert kept.displaced[4] is displaced[4]
    assert with_more(usual, more, [2], {0, 2}).kept == [0, 2]
    refuted = with_more(Redundancy([0], {}, {1: 0.3}), more, [2], set())
    assert refuted.refuted == {1: 0.3}


def test_rows_limit_how_many_join():
    random = np.random.default_rng(4)
    x = random.normal(size=(20, 12))
    columns = {f"x{j:02d}": x[:, j] for j in range(12)}
    material = prepare(read_table(columns, np.arange(20) % 2), 0, 1)
    found = with_more(Redundancy([0]), material, list(range(1, 12)), {11})
    assert len(found.kept) == 6  # a quarter of the rows, and the one that stays
    assert found.kept[-1] == 11


def correlated(seed, n_rows, n_columns, rho):
    random = np.random.default_rng([seed, n_rows])
    x = random.normal(size=(n_rows, n_columns))
    for j in range(1, n_columns):
        x[:, j] = rho * x[:, j - 1] + np.sqrt(1 - rho**2) * x[:, j]
    score = x[:, ::3] @ random.normal(size=len(range(0, n_columns, 3)))
    y = (score + 1.5 * random.normal(size=n_rows) > 0).astype(int).astype(str)
    return read_table({f"x{j:02d}": x[:, j] for j in range(n_columns)}, y)


@pytest.mark.parametrize(
    ("seed", "n_rows", "n_columns", "rho"),
    [(0, 40, 30, 0.0), (1, 80, 16, 0.9), (2, 150, 12, 0.8), (3, 60, 12, 0.5)],
)
def test_a_larger_rate_never_keeps_fewer(seed, n_rows, n_columns, rho):
    table = correlated(seed, n_rows, n_columns, rho)
    found = [featsieve.select(table, fdr=rate, verbose=False) for rate in RATES]
    kept = [len(selection.features) for selection in found]
    assert kept == sorted(kept)
    assert kept[-1]
    either = [len({*s.features, *s.possible}) for s in found]
    assert either == sorted(either)
    for selection in found:
        ledger = selection.ledger.set_index("feature")
        carriers = {n for by in ledger["displaced_by"] for n in by}
        verdicts = set(ledger.loc[sorted(carriers), "verdict"])
        assert verdicts.isdisjoint({"irrelevant", "unusable"})
