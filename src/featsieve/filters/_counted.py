"""Score and test features of a stream from counts alone, as from the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from featsieve.data import EqualFrequencyDiscretizer, MDLDiscretizer, TableStream
from featsieve.data._counted import CountedColumn, CountedTable
from featsieve.data._counting import CountingPlan
from featsieve.filters._significance import Law
from featsieve.measures import counted_gain
from featsieve.measures._cuts import equal_width_cuts

__all__ = ["CountedFeatures", "count_features"]

Cuts = list[NDArray[np.float64] | None]


class CountedFeatures:
    """Features of a stream as tables of levels by class, numeric ones cut.

    Parameters
    ----------
    counted : CountedTable
        The counts.
    discretizer : discretizer
        Fitted: its `cut_points_` are those of the tables.
    tables : list of ndarray
        Rows per level and class, the last row for missing values.
    """

    def __init__(
        self, counted: CountedTable, discretizer: Any, tables: list[NDArray[np.int64]]
    ) -> None:
        self.counted = counted
        self.discretizer = discretizer
        self.tables = tables

    @property
    def price(self) -> Any:
        """The price of cuts that were chosen by class, None for others."""
        return getattr(self.discretizer, "price", None)

    def scores(self, measure: str, missing: str) -> NDArray[np.float64]:
        """Return the score of every feature."""
        return np.array(
            [counted_gain(t, measure=measure, missing=missing) for t in self.tables],
            dtype=np.float64,
        )

    def laws(self) -> list[Law]:
        """Return what the null distribution of each feature depends on."""
        laws = []
        for column, table in zip(self.counted.columns, self.tables, strict=True):
            if self.price is not None and not column.is_nominal:
                laws.append(Law.of_runs(column.totals))
            else:
                laws.append(Law.of_totals(table.sum(axis=1)))
        return laws


def count_features(
    stream: TableStream,
    discretizer: Any,
    *,
    target_bins: int | None,
    n_jobs: int | None,
) -> CountedFeatures:
    """Count a stream, cut its numeric columns, and return the tables."""
    counted = stream.count(target_bins=target_bins, n_jobs=n_jobs)
    fitted = MDLDiscretizer() if discretizer is None else clone(discretizer)
    cuts: Cuts = [_cuts(column, fitted) for column in counted.columns]
    fitted.cut_points_ = cuts
    fitted.levels_ = [column.levels for column in counted.columns]
    fitted.n_features_in_ = len(counted.columns)
    tables = [
        column.level_counts(own)
        for column, own in zip(counted.columns, cuts, strict=True)
    ]
    doubtful = [
        j for j, column in enumerate(counted.columns) if _cuts_inside(column, cuts[j])
    ]
    if doubtful:
        plan = CountingPlan(
            tuple(counted.names[j] for j in doubtful),
            stream.request,
            stream.target,
            stream.class_rule(target_bins)[0],
            tuple(cuts[j] for j in doubtful),
        )
        again = stream.run(plan, n_jobs=n_jobs)
        for j, tally in zip(doubtful, again.columns, strict=True):
            assert tally.counts is not None  # cut columns are counted as levels
            assert tally.missing is not None
            n_levels = len(tables[j]) - 1
            tables[j] = np.vstack([tally.counts[:n_levels], tally.missing])
    return CountedFeatures(counted, fitted, tables)


def _cuts(column: CountedColumn, discretizer: Any) -> NDArray[np.float64] | None:
    if column.is_nominal:
        return None
    if isinstance(discretizer, MDLDiscretizer):
        return column.mdl_cuts(discretizer.price)
    if isinstance(discretizer, EqualFrequencyDiscretizer):
        return column.even_cuts(discretizer.n_bins)
    values = np.array(column.range) if len(column.counts) else np.empty(0)
    return equal_width_cuts(values, discretizer.n_bins)


def _cuts_inside(column: CountedColumn, cuts: NDArray[np.float64] | None) -> bool:
    """Whether a cut falls between numbers that were counted as one.

    Only cuts of equal width do: others lie where the kept bits of numbers change. Such
    columns have to be counted anew.
    """
    if cuts is None or not column.dropped_bits:
        return False
    least, greatest = column.bounds()
    at = np.searchsorted(least, cuts, side="right") - 1
    return bool(((at >= 0) & (cuts >= least[at]) & (cuts < greatest[at])).any())
