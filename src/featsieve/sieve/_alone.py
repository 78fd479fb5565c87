"""Stage 2: what every column tells about the target by itself."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve.data import MDLDiscretizer, Table, TableEncoder
from featsieve.engine import derive_seed, run_tasks
from featsieve.filters._probes import Probe, draw_probes
from featsieve.filters._significance import CodedColumns, Scoring, permutation_test
from featsieve.measures import class_association, target_association
from featsieve.sieve._evidence import Association, measure, measure_shares, rank_test
from featsieve.sieve._material import Material, compact, from_zero

__all__ = ["Alone", "judge_alone", "look_at_probes"]

#: Bins of numeric columns: enough for a hump, few enough for the smallest tables.
BINS = 5

#: Permutations of a column that is cut anew in each, which takes a pass over the rows.
MOST_CUT_DRAWS = 20_000

#: Columns per task; no answer depends on it.
TOGETHER = 32


@dataclass(frozen=True, slots=True, eq=False)
class Alone:
    """Evidence on single columns, one entry per usable column.

    `p_values` are corrected for the tests that were made of one column, not for the
    number of columns; `codes` are those that the scores were measured on.
    """

    p_values: NDArray[np.float64]
    rank_p_values: NDArray[np.float64]
    rank_associations: NDArray[np.float64]
    scores: list[Association]
    codes: NDArray[Any]


def judge_alone(material: Material, level: float, most_draws: int | None) -> Alone:
    """Test each column alone, in up to three ways, and correct for their number.

    Levels against classes by permutation, which is exact; a numeric column in bins of
    equal frequency, by its ranks, and cut where the class changes (MDL), the cuts being
    made anew in every permutation. Ranks see a slow rise, bins a hump, MDL a step.
    `level` is the error rate below which it matters how small a p-value is.
    """
    table = material.table
    n_features = table.n_columns
    codes = material.codes(BINS)
    by_table = _table_test(material, codes, level / 3, most_draws)
    ranks = np.ones(n_features)
    n_tests = np.ones(n_features)
    smallest = by_table.copy()
    shares = np.ones(n_features)
    for j, column in enumerate(table):
        plain = not column.is_nominal and not _is_binary(column.values)
        if not column.is_nominal:
            ranks[j] = rank_test(column.values, material.classes, material.quantity)
        if material.quantity is not None:
            shares[j] = measure_shares(
                from_zero(codes[:, j]), material.quantity
            ).p_value
            smallest[j] = min(smallest[j], shares[j])
            n_tests[j] += 1
        if plain:
            smallest[j] = min(smallest[j], ranks[j])
            n_tests[j] += 1
    best_codes = codes.copy(order="F")
    if not material.is_numeric_target:
        wide = np.array(
            [not c.is_nominal and not _is_binary(c.values) for c in table], dtype=bool
        )
        n_tests[wide] += 1
        by_cuts, cut_codes = _cut_test(
            material,
            wide & (smallest * n_tests > level / n_features),
            level / 3,
            most_draws,
            wide,
        )
        smallest = np.minimum(smallest, by_cuts)
        for j, cut in cut_codes.items():
            best_codes[:, j] = cut  # never more levels than fit into a byte
    return Alone(
        np.minimum(1.0, smallest * n_tests),
        ranks,
        _rank_associations(material),
        scores_of(material, best_codes),
        best_codes,
    )


def _is_binary(values: NDArray[np.float64]) -> bool:
    low, high = np.nanmin(values), np.nanmax(values)
    return bool(np.all((values == low) | (values == high)))


def _table_test(
    material: Material, codes: NDArray[Any], level: float, most_draws: int | None
) -> NDArray[np.float64]:
    """Test the table of levels and classes by permutation.

    Where no draw comes near, the law of chi-square says how much further it is: no
    number of draws that anybody waits for would.
    """
    n_levels = codes.max(axis=0, initial=0).astype(np.int32) + 1
    columns = CodedColumns(
        codes, n_levels, {}, material.classes, material.n_classes, None
    )
    scoring = Scoring("information_gain", "level", None)
    scores = scoring.scores(codes, material.classes, None)
    test = permutation_test(
        columns,
        scores,
        scoring,
        alpha=level,
        seed=derive_seed(material.seed, "alone"),
        n_jobs=material.n_jobs,
        max_draws=most_draws,
    )
    p_values = test.p_values.copy()
    for j in np.flatnonzero(p_values * (test.draws + 1) < 1.5).tolist():
        beyond = measure(from_zero(codes[:, j]), material.classes).p_value
        p_values[j] = min(p_values[j], beyond)
    return p_values


def _cut_test(
    material: Material,
    undecided: NDArray[np.bool_],
    level: float,
    most_draws: int | None,
    numeric: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], dict[int, NDArray[np.int32]]]:
    """Test the undecided columns cut by MDL; return codes of all that it cuts."""
    p_values = np.ones(material.n_features)
    places = np.flatnonzero(numeric)
    if not len(places):
        return p_values, {}
    table = Table(tuple(material.table.columns[j] for j in places))
    discretizer = MDLDiscretizer()
    encoder = TableEncoder(discretizer).fit(
        table, material.classes, material.n_classes, None
    )
    codes = encoder.transform(table)
    cut = {
        int(j): compact(codes[:, [k]])[:, 0]
        for k, j in enumerate(places)
        if encoder.n_levels_[k] > 1
    }
    # A column that is not cut scores nothing but by its missing values, which the table
    # of levels has seen.
    tried = [k for k, j in enumerate(places) if undecided[j] and int(j) in cut]
    if not tried:
        return p_values, cut
    columns = CodedColumns(
        np.asfortranarray(codes[:, tried]),
        encoder.n_levels_[tried],
        {
            position: np.ascontiguousarray(table.columns[k].values)
            for position, k in enumerate(tried)
        },
        material.classes,
        material.n_classes,
        None,
    )
    scoring = Scoring("information_gain", "level", discretizer.price)
    scores = scoring.scores(columns.codes, material.classes, None)
    draws = min(MOST_CUT_DRAWS, most_draws or math.ceil(material.n_features / level))
    test = permutation_test(
        columns,
        scores,
        scoring,
        alpha=level * len(tried) / material.n_features,
        seed=derive_seed(material.seed, "cuts"),
        n_jobs=material.n_jobs,
        max_draws=max(draws, 1000),
    )
    p_values[places[tried]] = test.p_values
    return p_values, cut


def scores_of(material: Material, codes: NDArray[Any]) -> list[Association]:
    """Return what each coded column tells: bits, or share of a quantity's variance."""

    def score(begin: int) -> list[Association]:
        end = min(begin + TOGETHER, codes.shape[1])
        if material.quantity is None:
            return [measure(codes[:, j], material.classes) for j in range(begin, end)]
        quantity = material.quantity
        return [measure_shares(codes[:, j], quantity) for j in range(begin, end)]

    tasks = [(begin,) for begin in range(0, codes.shape[1], TOGETHER)]
    parts = run_tasks(score, tasks, n_jobs=material.n_jobs, shared_memory=True)
    return [association for part in parts for association in part]


def _rank_associations(material: Material) -> NDArray[np.float64]:
    """Return how strongly numeric columns rise or fall with the target."""
    values = np.full(material.n_features, np.nan)
    numeric = [j for j, c in enumerate(material.table) if not c.is_nominal]
    if numeric:
        columns = [material.table.columns[j].values for j in numeric]
        if material.quantity is None:
            found = class_association(
                columns, material.classes, association="kendall", n_jobs=material.n_jobs
            )
        else:
            found = target_association(
                columns,
                material.quantity,
                association="spearman",
                n_jobs=material.n_jobs,
            )
        values[numeric] = found
    return values


def look_at_probes(material: Material, n_probes: int = 5) -> list[tuple[str, float]]:
    """Return kind and score of fake columns that know nothing of the target."""
    shaped = Table(tuple(_without_gaps(column) for column in material.table))
    probes = draw_probes(
        shaped,
        ("gaussian", "uniform", "binary") if _any_numeric(shaped) else (),
        n_probes,
        material.n_rows,
        derive_seed(material.seed, "probes"),
    )
    levels = sorted({probe.n_levels for probe in probes if probe.n_levels})
    # A probe for every number of levels would be too many to look at.
    shown = set(levels[:: max(1, len(levels) // 4)])
    chosen = [p for p in probes if p.n_levels is None or p.n_levels in shown]
    found = []
    for probe in chosen:  # one at a time: all of them are as large as a small table
        (score,) = scores_of(material, _probe_codes(probe)[:, np.newaxis])
        found.append((probe.kind, max(0.0, score.gain)))
    return found


def _without_gaps(column: Any) -> Any:
    if not column.missing.any():
        return column
    return column.take(np.flatnonzero(~column.missing))


def _any_numeric(table: Table) -> bool:
    return any(not column.is_nominal for column in table)


def _probe_codes(probe: Probe) -> NDArray[np.int32]:
    if probe.n_levels is not None:
        return probe.values.astype(np.int32)
    if probe.kind == "binary":
        return probe.values.astype(np.int32)
    order = np.argsort(np.argsort(probe.values, kind="stable"), kind="stable")
    return (order * BINS // len(order)).astype(np.int32)
