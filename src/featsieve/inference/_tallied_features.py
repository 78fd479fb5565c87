"""Features as tallies, from rows or from a stream: what scores and tests work on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from featsieve._kernels import tie_runs
from featsieve._types import Floats
from featsieve.data import MDLDiscretizer, TableStream
from featsieve.data.api import CountedColumn, CountedTable, CountingPlan, Target
from featsieve.inference._coding import CodedColumns
from featsieve.inference._permutation import Runs, TalliedFeatures
from featsieve.tallies import Tally
from featsieve.tallies.api import tally_codes, tally_numbers


def tally_rows(
    columns: CodedColumns, names: tuple[str, ...] | None = None
) -> TalliedFeatures:
    """Count features of which the rows are known."""
    tallies = tally_codes(
        columns.codes,
        columns.classes,
        columns.n_classes,
        columns.n_levels,
        columns.weights,
    )
    totals = np.bincount(columns.classes, columns.weights, columns.n_classes)
    numeric = columns.numeric

    def runs() -> Runs:
        return [
            tie_runs(numeric[j]) if j in numeric else None for j in range(len(tallies))
        ]

    return TalliedFeatures(tallies, totals, runs, names, columns)


def tally_stream(
    stream: TableStream,
    discretizer: Any,
    *,
    target_bins: int | None,
    n_jobs: int | None,
) -> tuple[TalliedFeatures, Any, CountedTable]:
    """Count a stream and cut its numeric columns; also return what cuts them."""
    counted = stream.count(target_bins=target_bins, n_jobs=n_jobs)
    columns = counted.columns
    fitted = MDLDiscretizer() if discretizer is None else clone(discretizer)
    tallies = fitted.fit_tallies(columns, [column.levels for column in columns])
    cuts = fitted.cut_points_
    doubtful = [j for j, column in enumerate(columns) if _cuts_inside(column, cuts[j])]
    if doubtful:
        plan = CountingPlan(
            tuple(counted.names[j] for j in doubtful),
            stream.request,
            stream.target,
            stream.class_rule(target_bins)[0],
            tuple(cuts[j] for j in doubtful),
        )
        again = stream.run(plan, n_jobs=n_jobs)
        for j, found in zip(doubtful, again.columns, strict=True):
            assert found.counts is not None  # cut columns are counted as levels
            assert found.missing is not None
            counts = found.counts[: tallies[j].n_levels]
            tallies[j] = Tally(np.vstack([counts, found.missing]))
    features = TalliedFeatures(
        tallies, counted.class_totals, _runs(columns, fitted), counted.names
    )
    return features, fitted, counted


def tally_small_numbers(
    numbers: NDArray[np.uint8],
    names: tuple[str, ...],
    target: Target,
    discretizer: Any,
    *,
    nominal: bool,
) -> tuple[TalliedFeatures, Any]:
    """Count features that are small whole numbers, and cut them unless nominal."""
    columns = tally_numbers(numbers, target.codes, target.n_classes)
    levels: list[tuple[Any, ...]] = [()] * len(columns)
    if nominal:
        levels = [tuple(map(int, column.bounds()[0])) for column in columns]
        columns = [Tally(column.table) for column in columns]
    fitted = MDLDiscretizer() if discretizer is None else clone(discretizer)
    tallies = fitted.fit_tallies(columns, levels)
    totals = np.bincount(target.codes, minlength=target.n_classes)
    return TalliedFeatures(tallies, totals, _runs(columns, fitted), names), fitted


def _runs(columns: Sequence[Tally], fitted: Any) -> Callable[[], Runs]:
    """Return what gives the rows per number of columns that are cut by class."""
    recut = isinstance(fitted, MDLDiscretizer)
    return lambda: [
        column.level_totals if recut and column.keys is not None else None
        for column in columns
    ]


def _cuts_inside(column: CountedColumn, cuts: Floats | None) -> bool:
    """Whether a cut falls between numbers that were counted as one.

    Only cuts of equal width do: others lie where the kept bits of numbers change. Such
    columns have to be counted anew.
    """
    if cuts is None or not column.dropped_bits:
        return False
    least, greatest = column.bounds()
    at = np.searchsorted(least, cuts, side="right") - 1
    return bool(((at >= 0) & (cuts >= least[at]) & (cuts < greatest[at])).any())
