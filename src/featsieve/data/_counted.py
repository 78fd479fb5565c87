"""A table as counts: what any number of rows comes down to, column by column."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._kernels import (
    CutPrice,
    ValueCounts,
    apply_cuts,
    counted_cuts,
    key_ranges,
)
from featsieve.data._counting import MOST_VALUES, ColumnTally
from featsieve.data._encode import Codes, Numbers
from featsieve.data._settle import Request, settle_column
from featsieve.data._table import ColumnKind, Note
from featsieve.exceptions import DataError
from featsieve.measures._cuts import frequency_cuts

__all__ = ["CountedColumn", "CountedTable", "settle_tally"]


@dataclass(frozen=True, slots=True, eq=False)
class CountedColumn:
    """Rows per value (or level) and class of one column.

    A numeric column has ascending `keys`, each of which stands for the numbers from
    `least` to `greatest` (one and the same unless `dropped_bits` were dropped), a
    nominal one `levels`. `counts` has a row per key or level, `missing` the rows
    without a value per class. `range` are the exact bounds of a numeric column.
    `given` tells what became of every text of the source: a number, or the position of
    a level.
    """

    name: str
    kind: ColumnKind
    counts: NDArray[np.int64]
    missing: NDArray[np.int64]
    levels: tuple[Any, ...] = ()
    keys: NDArray[np.uint64] | None = None
    dropped_bits: int = 0
    range: tuple[float, float] = (0.0, 0.0)
    given: dict[Any, float] = field(default_factory=dict)

    @property
    def is_nominal(self) -> bool:
        """Whether the column is nominal."""
        return self.kind is ColumnKind.NOMINAL

    @property
    def n_levels(self) -> int:
        """How many levels there are (0 for a numeric column)."""
        return len(self.levels)

    @property
    def n_missing(self) -> int:
        """How many values are missing."""
        return int(self.missing.sum())

    @property
    def totals(self) -> NDArray[np.int64]:
        """Rows per value or level."""
        sums: NDArray[np.int64] = self.counts.sum(axis=1)
        return sums

    def notes(self) -> list[Note]:
        """Return what looks wrong, as far as counts show it."""
        present = int(np.count_nonzero(self.totals))
        name = self.name
        if present == 0 and self.n_missing:
            text = f"Column {name!r} has no value in any row."
            return [Note("all_missing", name, text)]
        if present == 1 and not self.dropped_bits:
            at = int(np.argmax(self.totals))
            shown = repr(self.levels[at]) if self.is_nominal else f"{self.range[0]:g}"
            gaps = " and is missing elsewhere" if self.n_missing else ""
            text = f"Column {name!r} has one value ({shown}){gaps}."
            return [Note("constant", name, text)]
        return []

    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the least and the greatest number of every key."""
        assert self.keys is not None  # of a numeric column
        return key_ranges(self.keys, self.dropped_bits)

    def mdl_cuts(self, price: CutPrice) -> NDArray[np.float64]:
        """Return the cuts that pay for themselves."""
        assert self.keys is not None  # of a numeric column
        return counted_cuts(self.keys, self.counts, self.dropped_bits, price)

    def even_cuts(self, n_bins: int) -> NDArray[np.float64]:
        """Return cuts into bins of about as many rows each."""
        least, greatest = self.bounds()
        return frequency_cuts(greatest[:-1], least[1:], self.totals.cumsum(), n_bins)

    def level_counts(self, cuts: NDArray[np.float64] | None) -> NDArray[np.int64]:
        """Return rows per level and class, the last row for missing values."""
        if cuts is None:
            return np.vstack([self.counts, self.missing])
        least, _ = self.bounds()
        table = np.zeros((len(cuts) + 2, self.counts.shape[1]), dtype=np.int64)
        if len(least):  # values of a level follow each other
            levels, begins = np.unique(apply_cuts(least, cuts), return_index=True)
            table[levels] = np.add.reduceat(self.counts, begins, axis=0)
        table[-1] = self.missing
        return table


@dataclass(frozen=True, slots=True, eq=False)
class CountedTable:
    """Counts of all columns against one target, from `TableStream.count`.

    Parameters
    ----------
    columns : tuple of CountedColumn
        The features.
    classes : tuple
        Labels of the classes.
    class_totals : ndarray of int64
        Rows of each class.
    n_rows : int
        Rows that have a class.
    notes : tuple of Note
        What a person should know about the data.
    """

    columns: tuple[CountedColumn, ...]
    classes: tuple[Any, ...]
    class_totals: NDArray[np.int64]
    n_rows: int
    notes: tuple[Note, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        return tuple(column.name for column in self.columns)


def settle_tally(
    name: str,
    tally: ColumnTally,
    wanted: ColumnKind | None,
    request: Request,
    *,
    infer: bool,
) -> tuple[CountedColumn, list[Note]]:
    """Settle the kind of a counted column, as `read_table` would from its rows."""
    if tally.values is not None:
        return _settle_numbers(name, tally, wanted, request)
    nothing = np.zeros(tally.n_classes, dtype=np.int64)
    missing = nothing if tally.missing is None else tally.missing
    if tally.overflowed:
        text = (
            f"Column {name!r} has more than a million levels and is left out; it "
            "looks like an ID."
        )
        empty = np.zeros((0, tally.n_classes), dtype=np.int64)
        column = CountedColumn(name, ColumnKind.NOMINAL, empty, nothing)
        return column, [Note("row_id", name, text)]
    levels = list(tally.levels)
    counts = np.zeros((0, tally.n_classes), dtype=np.int64)
    if tally.counts is not None:
        counts = tally.counts[: len(levels)]
    # One row per level, so that the rules for columns apply as they are.
    each = np.arange(len(levels), dtype=np.int32)
    declared = tally.declared is not None
    raw = Codes(each, levels, declared)
    settled, notes = settle_column(name, raw, wanted, request, infer)
    given = dict(zip(levels, settled.values.tolist(), strict=True))
    if settled.is_nominal:
        table = np.zeros((settled.n_levels, tally.n_classes), dtype=np.int64)
        np.add.at(table, settled.values, counts)
        column = CountedColumn(
            name, ColumnKind.NOMINAL, table, missing, settled.levels, given=given
        )
        return column, notes
    values = ValueCounts(tally.n_classes, MOST_VALUES)
    for c in range(tally.n_classes):  # numbers that stood in the file as text
        rows = np.repeat(settled.values, counts[:, c])
        values.add(rows, np.full(len(rows), c, dtype=np.int32))
    return replace(_counted_numbers(name, values, missing), given=given), notes


def _settle_numbers(
    name: str, tally: ColumnTally, wanted: ColumnKind | None, request: Request
) -> tuple[CountedColumn, list[Note]]:
    assert tally.values is not None  # the caller looked
    nothing = np.zeros(tally.n_classes, dtype=np.int64)
    column = _counted_numbers(name, tally.values, nothing)
    if wanted is ColumnKind.NOMINAL and column.dropped_bits:
        message = (
            f"Column {name!r} has more than {MOST_VALUES} different numbers, too many "
            "for the levels of a nominal column. Leave it numeric."
        )
        raise DataError(message)
    distinct, _ = column.bounds()
    raw = Numbers(distinct, tally.integer, tally.date)
    settled, notes = settle_column(name, raw, wanted, request, infer=False)
    if not settled.is_nominal:
        return column, notes
    kind = ColumnKind.NOMINAL
    counts, missing = column.counts, column.missing
    return CountedColumn(name, kind, counts, missing, settled.levels), notes


def _counted_numbers(
    name: str, values: ValueCounts, missing: NDArray[np.int64]
) -> CountedColumn:
    keys, counts, gaps, dropped_bits, least, greatest = values.table()
    return CountedColumn(
        name,
        ColumnKind.NUMERIC,
        counts,
        gaps + missing,
        keys=keys,
        dropped_bits=dropped_bits,
        range=(least, greatest),
    )
