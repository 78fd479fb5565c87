"""An order of rows, columns and levels by what they hold, not by place or name.

Bags, draws and folds go by position. In this order the same table has the same answer,
whatever the order of its rows and columns, the names of columns, levels and classes,
and the units of numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from featsieve._types import Array, Floats, Positions
from featsieve.data._table import Column, ColumnKind, Table

#: Any odd numbers with bits all over will do.
MISSING = np.uint64(0x9E3779B97F4A7C15)
SPREAD = np.uint64(0xD1342543DE82EF95)

#: Times that marks are refined, as long as some are shared.
MOST_ROUNDS = 3

Marks = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class CanonicalForm:
    """Old positions of rows, columns, levels of each column and classes, in new order.

    `levels` has one entry per column of the table, in its order; numbers have none.
    """

    rows: Positions
    columns: Positions
    levels: tuple[Positions, ...]
    classes: Positions

    def column(self, table: Table, j: int, rows: Array) -> Column:
        """Return a column at some rows with its levels in their new order."""
        return _renumbered(table.columns[j].take(rows), self.levels[j])

    def target(self, table: Table, rows: Array) -> Column:
        """Return the target at some rows with its classes in their new order."""
        assert table.target is not None  # callers have one
        return _renumbered(table.target.take(rows), self.classes)


def _renumbered(column: Column, levels: Positions) -> Column:
    if not column.is_nominal:
        return column
    place = np.full(len(levels) + 1, -1, dtype=np.int32)  # the last is missing
    place[levels] = np.arange(len(levels), dtype=np.int32)
    named = tuple(column.levels[code] for code in levels.tolist())
    return Column(column.name, column.kind, place[column.values], named)


def canonical_order(
    table: Table, target: Column, weights: Floats | None
) -> tuple[Positions, Positions]:
    """Return positions of rows and of columns in an order of their own."""
    beside = []
    if weights is not None:
        beside.append(Column("weights", ColumnKind.NUMERIC, weights))
    form = canonical_form(table, target, beside)
    return form.rows, form.columns


def canonical_form(
    table: Table, target: Column, beside: Sequence[Column] = ()
) -> CanonicalForm:
    """Return rows, columns, levels and classes in an order of their own.

    Values get marks that do not depend on labels: numbers by their rank, levels by the
    rows that hold them. Columns get marks by how their values go with those of the
    rest, and rows by the values that they hold; levels of equal marks get finer ones
    from their rows, and so on (Weisfeiler and Lehman's refinement). What still has
    equal marks keeps its order: nothing but a label tells it apart. Equal rows, and
    columns that rise and fall alike, do so, too. Columns `beside` the table, such as
    weights or groups, tell rows apart and have a fixed place.
    """
    columns = [_Values(column) for column in table]
    others = [_Values(column) for column in beside]
    outcome = _Values(target)
    outcome.refine(np.zeros(table.n_rows, dtype=np.uint64))
    rows = _mix(outcome.of_rows())
    for values in (*columns, *others):
        values.refine(rows)
    for _ in range(MOST_ROUNDS):
        of_columns = np.array([v.mark_beside(rows) for v in columns], dtype=np.uint64)
        rows = _mark_rows([outcome, *others, *columns], len(others) + 1, of_columns)
        if _all_differ(of_columns) and all(v.are_apart for v in (outcome, *columns)):
            break
        for values in (outcome, *columns, *others):
            values.refine(rows)
    order = np.argsort(of_columns, kind="stable")
    levels = tuple(values.settle() for values in columns)
    classes = outcome.settle()
    for values in others:
        values.settle()
    # Places instead of marks: columns that go with the rest alike have places, too.
    places = np.empty(len(order), dtype=np.uint64)
    places[order] = np.arange(1, len(order) + 1, dtype=np.uint64) * MISSING
    rows = _mark_rows([outcome, *others, *columns], len(others) + 1, places)
    return CanonicalForm(np.argsort(rows, kind="stable"), order, levels, classes)


def _mark_rows(values: Sequence[_Values], n_fixed: int, of_columns: Marks) -> Marks:
    """Return marks of rows; the first columns have a fixed mark, the rest their own."""
    fixed = np.arange(1, n_fixed + 1, dtype=np.uint64) * SPREAD
    rows = np.zeros(len(values[0].places), dtype=np.uint64)
    for own, mark in zip(values, (*fixed, *of_columns), strict=True):
        rows += _mix(own.of_rows() ^ mark)
    return rows


class _Values:
    """The values of a column by number, and a mark for each of the numbers.

    Numbers have the mark of their rank; levels get theirs from the rows that hold them.
    """

    def __init__(self, column: Column) -> None:
        self._is_nominal = column.is_nominal
        self._n = column.n_levels
        self.places = column.values
        if not column.is_nominal:
            self.places = dense_ranks(column.values)
            self._n = int(self.places.max(initial=-1)) + 1
        self._marks = _mix(np.arange(1, self._n + 2, dtype=np.uint64) * SPREAD)
        self._marks[-1] = MISSING

    def of_rows(self) -> Marks:
        """Return the mark of every row's value; missing, -1, is the last."""
        return self._marks[self.places]

    def refine(self, rows: Marks) -> None:
        """Give every level the mark of the rows that hold it."""
        if self._is_nominal:
            sums = np.zeros(self._n + 1, dtype=np.uint64)
            np.add.at(sums, self.places, _mix(rows) | np.uint64(1))
            self._marks = _mix(sums)
            self._marks[-1] = MISSING

    def mark_beside(self, rows: Marks) -> np.uint64:
        """Return a mark of the column, by how its values go with marks of rows."""
        kind = MISSING if self._is_nominal else SPREAD
        return np.uint64(_mix(self.of_rows() ^ rows).sum() ^ kind)

    @property
    def are_apart(self) -> bool:
        """Whether no two levels that occur have the same mark."""
        if not self._is_nominal:
            return True
        return _all_differ(
            self._marks[:-1][np.bincount(self._held(), minlength=self._n) > 0]
        )

    def settle(self) -> Positions:
        """Renumber the levels, frequent ones first, and return their old numbers."""
        if not self._is_nominal:
            return np.empty(0, dtype=np.intp)
        counts = np.bincount(self._held(), minlength=self._n)
        order = np.lexsort((np.arange(self._n), self._marks[:-1], -counts))
        self._marks[order] = _mix(np.arange(1, self._n + 1, dtype=np.uint64) * SPREAD)
        return order

    def _held(self) -> Array:
        return self.places[self.places >= 0]


def dense_ranks(values: Floats) -> NDArray[np.int32]:
    """Return ranks from 0 in which equal values count once; missing is -1."""
    order = np.argsort(values)
    ordered = values[order]
    ranks = np.empty(len(values), dtype=np.int32)
    ranks[order] = np.cumsum(np.append(False, ordered[1:] != ordered[:-1]))[
        : len(values)
    ]
    ranks[np.isnan(values)] = -1
    return ranks


def _all_differ(marks: Marks) -> bool:
    return len(np.unique(marks)) == len(marks)


def _mix(bits: Marks) -> Marks:
    """Return numbers scattered by splitmix64's finaliser; overflow is meant."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
