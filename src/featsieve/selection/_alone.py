"""Stage 2: what every column tells about the target by itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from featsieve._types import Array, Codes, Floats, Ints, Mask, Positions
from featsieve.data import MDLDiscretizer, Table
from featsieve.engine import derive_seed, run_tasks
from featsieve.inference.api import (
    Association,
    Law,
    Probe,
    Ranked,
    centred_values,
    combine_p_values,
    correlation_p_values,
    draw_probes,
    exchange_of,
    group_p_values,
    group_scores,
    measure,
    measure_shares,
    normal_scores,
    rank_columns,
    restricted_p_values,
    tie_runs,
)
from featsieve.measures import class_association, target_association
from featsieve.selection._column_tests import (
    MOST_DRAWS,
    ColumnTests,
    Draws,
    Runs,
    weigh_columns,
)
from featsieve.selection._material import Material, compact
from featsieve.tallies import Tally
from featsieve.tallies.api import tally_codes

#: Bins of numeric columns: enough for a hump, few enough for the smallest tables.
BINS = 5

#: Columns per task, and cells of all of them; no answer depends on it.
TOGETHER, CELLS_TOGETHER = 32, 640_000

#: Floats that are rather levels: so many distinct ones, no more, and repeated.
LEAST_VALUES, MOST_VALUES = 6, 40

#: A most frequent value stands out if it has so many rows, and so many times those of
#: the next.
LEAST_MODE, STANDS_OUT = 10, 2

#: Missing and known rows that a test of missing against known needs.
LEAST_GAPS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Alone:
    """Evidence on single columns, one entry per usable column.

    `p_values` combine all tests that were made of one column; `codes` are those that
    the scores were measured on.
    """

    p_values: Floats
    rank_p_values: Floats
    rank_associations: Floats
    scores: list[Association]
    codes: Array


def judge_alone(material: Material, most_draws: int | None) -> Alone:
    """Test each column alone, on the rows of a table; see `weigh_columns`."""
    codes = material.codes(BINS)
    wide = np.array(
        [not c.is_nominal and not _is_binary(c.values) for c in material.table],
        dtype=bool,
    )
    scores, tables = _score_columns(material, codes, wide)
    cut_codes: dict[int, Codes] = {}
    cut = partial(_cut, material, np.flatnonzero(wide), cut_codes)
    tests = ColumnTests(
        _tally(material, codes),
        np.bincount(material.classes, minlength=material.n_classes),
        wide,
        material.is_numeric_target,
        scores,
        tables,
        None if material.is_numeric_target else cut,
    )
    draws = Draws(most_draws or MOST_DRAWS, material.seed, material.n_jobs)
    p_values, _ = weigh_columns(tests, draws)
    best_codes = codes.copy(order="F")
    for j, own in cut_codes.items():
        best_codes[:, j] = own  # never more levels than fit into a byte
    return Alone(
        p_values,
        np.where(np.isnan(scores["ranks"]), 1.0, scores["ranks"]),
        _rank_associations(material),
        scores_of(material, best_codes),
        best_codes,
    )


def _score_columns(
    material: Material, codes: Array, wide: Mask
) -> tuple[dict[str, Floats], dict[str, dict[int, Tally]]]:
    """Return p-values of all tests that need no draws, and further tables to test."""
    names = ["ranks", "normal", "means"]
    if material.is_numeric_target:
        names = ["ranks", "means", "lines", "bins", "values", "mode", "gaps"]
    scores = {name: np.full(material.n_features, np.nan) for name in names}
    tables: dict[str, dict[int, Tally]] = {"values": {}, "mode": {}, "gaps": {}}

    def score(chosen: Positions) -> dict[str, Any]:
        if material.is_numeric_target:
            return _score_by_quantity(material, codes, chosen, wide)
        return _score_by_classes(material, chosen, wide)

    tasks = [(some,) for some in _blocks(material, material.n_features)]
    for found in run_tasks(score, tasks, n_jobs=material.n_jobs, shared_memory=True):
        for name, by_column in found.items():
            for j, value in by_column.items():
                if isinstance(value, Tally):
                    tables[name][j] = value
                else:
                    scores[name][j] = value
    return scores, {} if material.is_numeric_target else tables


def _blocks(material: Material, n_columns: int) -> list[Positions]:
    """Return the columns of each task."""
    each = int(np.clip(CELLS_TOGETHER // max(material.n_rows, 1), 1, TOGETHER))
    begins = range(0, n_columns, each)
    return [np.arange(begin, min(begin + each, n_columns)) for begin in begins]


def _ranked(material: Material, columns: Positions) -> tuple[Floats, Ranked]:
    values = np.stack([material.table.columns[j].values for j in columns.tolist()])
    return values, rank_columns(values)


def _by_column(columns: Positions, p_values: Floats) -> dict[int, float]:
    return dict(zip(columns.tolist(), p_values.tolist(), strict=True))


def _numbers(material: Material, chosen: Positions) -> Positions:
    columns = material.table.columns
    numeric = [j for j in chosen.tolist() if not columns[j].is_nominal]
    return np.array(numeric, dtype=np.intp)


def _score_by_classes(
    material: Material, chosen: Positions, wide: Mask
) -> dict[str, dict[int, Any]]:
    """Test numbers by ranks and normal scores; count what is tested as tables."""
    numbers = _numbers(material, chosen)
    if not len(numbers):
        return {}
    values, ranked = _ranked(material, numbers)
    classes = material.classes
    found: dict[str, dict[int, Any]] = {}
    for name, scores, law in (
        ("ranks", ranked.ranks, Law.RANKS),
        ("normal", normal_scores(ranked), Law.BETA),
        ("means", centred_values(values), Law.BETA),
    ):
        sums = group_scores(scores, ranked.missing, classes, material.n_classes)
        found[name] = _by_column(numbers, group_p_values(sums, law))
    for j, own in zip(numbers.tolist(), values, strict=True):
        for name, levels in _further_levels(own).items() if wide[j] else ():
            tally = Tally.from_codes(levels, classes)
            found.setdefault(name, {})[j] = tally
    return found


def _score_by_quantity(
    material: Material, codes: Array, chosen: Positions, wide: Mask
) -> dict[str, dict[int, Any]]:
    """Test columns against the ranks of a quantity, and against its values."""
    quantity, raw = material.quantity, material.raw
    assert quantity is not None
    assert raw is not None
    ranks, raw = quantity - quantity.mean(), centred_values(raw[np.newaxis])[0]
    levels = codes[:, chosen].T.astype(np.int64)

    def compare(target: Floats, groups: Ints, law: Law) -> Floats:
        repeated = np.broadcast_to(target, groups.shape)
        sums = group_scores(repeated, None, groups, int(groups.max(initial=0)) + 1)
        return group_p_values(sums, law)

    found = {"bins": _by_column(chosen, compare(ranks, levels, Law.RANKS))}
    few = ~wide[chosen]
    means = compare(raw, levels[few], Law.BETA) if few.any() else np.empty(0)
    found["means"] = _by_column(chosen[few], means)
    numbers = _numbers(material, chosen)
    if not len(numbers):
        return found
    values, ranked = _ranked(material, numbers)
    p_values = correlation_p_values(ranked.ranks, ranks, ranked.missing, Law.RANKS)
    found["ranks"] = _by_column(numbers, p_values)
    scores = normal_scores(ranked)
    p_values = correlation_p_values(scores, raw, ranked.missing, Law.BETA)
    found["means"] = _by_column(numbers, p_values) | found["means"]
    own = centred_values(values)
    p_values = correlation_p_values(own, raw, ranked.missing, Law.BETA)
    found["lines"] = _by_column(numbers, p_values)
    for j, own in zip(numbers.tolist(), values, strict=True):
        for name, groups in _further_levels(own).items() if wide[j] else ():
            p_value = compare(ranks, groups.astype(np.int64)[np.newaxis], Law.RANKS)
            found.setdefault(name, {})[j] = float(p_value[0])
    return found


def _further_levels(values: Floats) -> dict[str, Codes]:
    """Return other ways to see a number as levels, where they apply."""
    missing = np.isnan(values)
    counts = tie_runs(values)
    wanted = further_names(counts, int(np.count_nonzero(missing)))
    if not set(wanted) - {"gaps"}:  # the rule, and numbers need no levels
        return {name: missing.astype(np.int32) for name in wanted}
    distinct, places = np.unique(values[~missing], return_inverse=True)
    levels = np.full(len(values), len(distinct), dtype=np.int32)
    levels[~missing] = places
    made = {"gaps": missing.astype(np.int32), "values": levels}
    if "mode" in wanted:
        made["mode"] = (levels == int(np.argmax(counts))).astype(np.int32)
    return {name: made[name] for name in wanted}


def further_tables(column: Tally) -> dict[str, Tally]:
    """Return the same of a numeric column that was counted, against the classes."""
    table, totals = column.table, column.level_totals
    mode = int(np.argmax(totals)) if len(totals) else 0

    def two(one: Array) -> Tally:
        return Tally(np.stack([table.sum(axis=0) - one, one, np.zeros_like(one)]))

    made = {"gaps": two(column.missing), "mode": two(table[mode])}
    made["values"] = Tally(table)
    return {name: made[name] for name in further_names(totals, column.n_missing)}


def further_names(counts: Array, n_missing: int) -> list[str]:
    """Return which further tests apply to numbers of so many rows each.

    Missing against known; the most frequent number against the rest if it stands out;
    distinct numbers as levels if there are some, not many, and they repeat.
    """
    found = []
    n_known = int(counts.sum())
    if min(n_missing, n_known) >= LEAST_GAPS:
        found.append("gaps")
    if not LEAST_VALUES <= len(counts) < n_known:
        return found
    second, first = np.sort(counts)[-2:].tolist()
    if first >= max(LEAST_MODE, STANDS_OUT * second):
        found.append("mode")
    if len(counts) <= MOST_VALUES:
        found.append("values")
    return found


def _is_binary(values: Floats) -> bool:
    low, high = np.nanmin(values), np.nanmax(values)
    return bool(np.all((values == low) | (values == high)))


def _tally(material: Material, codes: Array) -> list[Tally]:
    n_levels = codes.max(axis=0, initial=0).astype(np.int32) + 1
    return tally_codes(codes, material.classes, material.n_classes, n_levels)


def _cut(
    material: Material, places: Positions, cut_codes: dict[int, Any]
) -> dict[int, tuple[Tally, Runs]]:
    """Cut columns by MDL; put the codes of those that it cuts into `cut_codes`."""
    if not len(places):
        return {}
    table = Table(tuple(material.table.columns[j] for j in places))
    classes, n_classes = material.classes, material.n_classes
    cuts = MDLDiscretizer().fit_table(table, classes, n_classes, None)
    codes = cuts.encode(table)
    tallies = tally_codes(codes, classes, n_classes, cuts.n_levels_)
    found: dict[int, tuple[Tally, Runs]] = {}
    for k, j in enumerate(places.tolist()):
        if cuts.n_levels_[k] > 1:
            cut_codes[j] = compact(codes[:, [k]])[:, 0]
            values = np.ascontiguousarray(table.columns[k].values)
            found[j] = tallies[k], partial(tie_runs, values)
    return found


def scores_of(material: Material, codes: Array) -> list[Association]:
    """Return what each coded column tells: bits, or share of a quantity's variance."""

    def score(chosen: Positions) -> list[Association]:
        if material.quantity is None:
            return [measure(codes[:, j], material.classes) for j in chosen.tolist()]
        quantity = material.quantity
        return [measure_shares(codes[:, j], quantity) for j in chosen.tolist()]

    tasks = [(some,) for some in _blocks(material, codes.shape[1])]
    parts = run_tasks(score, tasks, n_jobs=material.n_jobs, shared_memory=True)
    return [association for part in parts for association in part]


def gain_of(material: Material, x: Codes, strata: Codes | None = None) -> Association:
    """Return what a code tells about the target, in the unit of the target."""
    if material.quantity is not None:
        return measure_shares(x, material.quantity, strata)
    return measure(x, material.classes, strata)


def _rank_associations(material: Material) -> Floats:
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


class Probed(NamedTuple):
    """A fake column that knows nothing of the target, and what it seems to tell."""

    kind: str
    n_levels: int | None
    score: float


def look_at_probes(material: Material, n_probes: int = 5) -> list[Probed]:
    """Return what fake columns of the kinds of the true ones seem to tell."""
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
        found.append(Probed(probe.kind, probe.n_levels, max(0.0, score.gain)))
    return found


def _without_gaps(column: Any) -> Any:
    if not column.missing.any():
        return column
    return column.take(np.flatnonzero(~column.missing))


def _any_numeric(table: Table) -> bool:
    return any(not column.is_nominal for column in table)


def _probe_codes(probe: Probe) -> Codes:
    if probe.n_levels is not None:
        return probe.values.astype(np.int32)
    if probe.kind == "binary":
        return probe.values.astype(np.int32)
    order = np.argsort(np.argsort(probe.values, kind="stable"), kind="stable")
    return (order * BINS // len(order)).astype(np.int32)


#: Levels of nominal columns, the rarest beyond taken as one.
MOST_LEVELS = 16

#: Shares of the tests of a number: its scores, and its bins.
SCORES, LEVELS = 0.6, 0.4


def restricted_alone(material: Material) -> Floats:
    """Return a p-value per column, by orders of the rows that their design allows.

    Levels, or bins, and the normal scores of numbers are held against the classes, or
    the normal scores of a quantity; within groups, and between them.
    """
    exchange = exchange_of(material.design)
    seed = derive_seed(material.seed, "restricted")
    target = material.outcomes()
    codes = material.codes(BINS, MOST_LEVELS)
    levels = [_indicators(codes[:, j]) for j in range(material.n_features)]
    by_levels = restricted_p_values(
        levels, target, exchange, seed, n_jobs=material.n_jobs
    )
    by_scores = np.full(by_levels.shape, np.nan)
    numeric = [j for j, c in enumerate(material.table) if not c.is_nominal]
    if numeric:
        values = np.stack([material.table.columns[j].values for j in numeric])
        scores = normal_scores(rank_columns(values))
        by_scores[numeric] = restricted_p_values(
            [own[:, np.newaxis] for own in scores],
            target,
            exchange,
            seed,
            n_jobs=material.n_jobs,
        )
    tests = np.concatenate([by_scores, by_levels], axis=1).T
    n_parts = by_levels.shape[1]
    weights = np.repeat([SCORES, LEVELS], n_parts)
    made = ~np.isnan(tests).all(axis=0)
    p_values = np.ones(material.n_features)
    p_values[made] = combine_p_values(tests[:, made], weights)
    return p_values


def _indicators(codes: Array) -> Floats:
    present = np.unique(codes)
    flags: Floats = (codes[:, np.newaxis] == present[1:]).astype(np.float64)
    return flags
