"""From rows that belong together to units that may be exchanged.

Where it can be done, tests are spared a null of their own: a group whose rows share one
target is one unit, described by the means of its rows; and of rows that follow each
other what is new in each is a unit. The other nulls are those of `_exchange`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve.data import Column, ColumnKind, Table
from featsieve.data.api import ANY_ORDER, RowDesign
from featsieve.inference._innovations import class_innovations, innovations

#: Neighbours of a nominal column that are equal more often than chance makes them, in
#: deviations: then the column has a memory.
LEAST_MEMORY = 4.0

#: Numbers of so few values are levels.
FEW_VALUES = 10

#: What people are told.
NO_MEMORY = "Rows follow each other in time, but the target has no memory of its past."
NEWS_OF_BOTH = (
    "Rows follow each other in time: what is new in the target, beyond what its own "
    "past foretells, is held against what is new in numeric columns. A column that "
    "only repeats the past of the target adds nothing to it."
)
NEWS_OF_COLUMNS = (
    "Rows follow each other in time: the target is held against what is new in each "
    "column, beyond what its own past foretells."
)

#: The level of a row that has the level of the one before.
AS_BEFORE = "(as before)"


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """A table of units, how they may be exchanged, and what was done to get there.

    `weights` are sums of those of the rows of each unit.
    """

    table: Table
    design: RowDesign
    text: str | None = None
    weights: NDArray[np.float64] | None = None


def to_units(
    table: Table,
    design: RowDesign,
    weights: NDArray[np.float64] | None = None,
    *,
    seed: int = 0,
    classes: bool = False,
) -> Units:
    """Return the units of rows of which the design says how they belong together.

    The table has a target; with `classes`, classes stay what they are. The `seed` parts
    rows that tie.
    """
    if design.time is not None:
        return _news(table, design, weights, seed, classes)
    if design.groups is not None and _is_constant_inside(table.target, design.groups):
        return _one_row_per_group(table, design, weights)
    return Units(table, design, _text_of_null(design), weights)


def _text_of_null(design: RowDesign) -> str | None:
    if design.groups is not None:
        count = int(design.groups.max()) + 1
        return (
            f"The target varies within the {count} groups: what is compared are rows "
            "of one group, and whole groups with each other."
        )
    if design.strata is not None:
        count = int(design.strata.max()) + 1
        return (
            f"Rows are compared within {count} strata only; what strata differ by is "
            "not tested."
        )
    return None


def _is_constant_inside(target: Column | None, groups: NDArray[np.intp]) -> bool:
    assert target is not None  # callers have one
    first = np.unique(groups, return_index=True)[1]
    return bool(np.array_equal(target.values[first][groups], target.values))


def _one_row_per_group(
    table: Table, design: RowDesign, weights: NDArray[np.float64] | None
) -> Units:
    groups, target = design.groups, table.target
    assert groups is not None  # the caller has seen them
    assert target is not None
    first = np.unique(groups, return_index=True)[1]
    columns = tuple(_of_groups(column, groups, first) for column in table)
    strata = None if design.strata is None else design.strata[first]
    text = (
        f"The target is the same in all rows of a group, so that {len(first)} groups, "
        f"not {table.n_rows} rows, are the evidence; of each group the means of its "
        "numbers and its most frequent levels are looked at."
    )
    units = Table(columns, target.take(first), table.source_notes, len(first))
    if weights is not None:
        weights = np.bincount(groups, weights).astype(np.float64)
    return Units(units, RowDesign(strata=strata), text, weights)


def _of_groups(
    column: Column, groups: NDArray[np.intp], first: NDArray[np.intp]
) -> Column:
    """Return one value per group: the mean, or the most frequent level."""
    if column.is_nominal:
        counts = np.zeros((len(first), column.n_levels), dtype=np.int64)
        known = column.values >= 0
        np.add.at(counts, (groups[known], column.values[known]), 1)
        levels = np.where(counts.any(axis=1), counts.argmax(axis=1), -1)
        return replace(column, values=levels.astype(np.int32))
    known = ~np.isnan(column.values)
    start = column.values[first]
    constant = np.array_equal(start[groups], column.values, equal_nan=True)
    if constant:
        return replace(column, values=start)
    counts = np.bincount(groups[known], minlength=len(first))
    sums = np.bincount(groups[known], column.values[known], minlength=len(first))
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return replace(column, values=means)


@dataclass(frozen=True, slots=True)
class _Series:
    """How news are told: of which series, from which seed, as classes if need be."""

    codes: NDArray[np.intp] | None
    seed: int
    classes: bool

    def of_target(self, target: Column) -> Column:
        """Return the target without memory; the same if it has none, or must stay."""
        if not target.is_nominal:
            return replace(target, values=innovations(target.values, self.codes))
        present = np.unique(target.values)
        if self.classes or len(present) != 2:
            return target
        flags = (target.values == present[1]).astype(np.float64)
        news = class_innovations(flags, self.seed, self.codes)
        if news is None:
            return target
        return Column(target.name, ColumnKind.NUMERIC, news)

    def of_column(self, column: Column) -> Column:
        """Return a numeric column as news; few values are levels, which stay."""
        if column.is_nominal or len(np.unique(column.values)) <= FEW_VALUES:
            return column
        return replace(column, values=innovations(column.values, self.codes))

    def without_memory(self, column: Column) -> Column:
        """Return a column as news, levels too: those that are as before say so."""
        values = column.values
        if not column.is_nominal and len(np.unique(values)) > FEW_VALUES:
            return self.of_column(column)
        same = _same(values[1:], values[:-1])
        if self.codes is not None:
            same &= self.codes[1:] == self.codes[:-1]
        if not _has_memory(values, same):
            return column
        if not column.is_nominal:
            return replace(column, values=np.diff(values, prepend=values[:1]))
        levels: tuple[Any, ...] = (*column.levels, AS_BEFORE)
        values = values.copy()
        values[1:][same] = len(levels) - 1
        return Column(column.name, ColumnKind.NOMINAL, values, levels)


def _news(
    table: Table,
    design: RowDesign,
    weights: NDArray[np.float64] | None,
    seed: int,
    classes: bool,
) -> Units:
    """Return what is new in each row, in the order of time.

    It is enough that the target has no memory: then columns of levels are taken as they
    are. Columns of numbers are looked at for their news, too, which show an effect
    better. A target of classes that keeps its memory asks for columns without any.
    """
    assert design.time is not None  # the caller has seen it
    order = np.argsort(design.time, kind="stable")
    codes = None if design.strata is None else design.strata[order]
    ordered = table.take(order)
    assert ordered.target is not None
    series = _Series(codes, seed, classes)
    target = series.of_target(ordered.target)
    columns, text = ordered.columns, NO_MEMORY
    if target.kind is not ordered.target.kind or not np.array_equal(
        target.values, ordered.target.values
    ):
        columns = tuple(series.of_column(column) for column in ordered)
        text = NEWS_OF_BOTH
    elif target.is_nominal and _remembers(target.values, codes):
        columns = tuple(series.without_memory(column) for column in ordered)
        text = NEWS_OF_COLUMNS
    units = Table(columns, target, table.source_notes)
    own = None if weights is None else weights[order]
    return Units(units, ANY_ORDER, text, own)


def _remembers(codes: NDArray[np.int32], series: NDArray[np.intp] | None) -> bool:
    """Whether any of the classes is foretold by the past."""
    present = np.unique(codes)
    flags = ((codes == code).astype(np.float64) for code in present.tolist())
    return any(innovations(own, series) is not own for own in flags)


def _same(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = a == b
    if a.dtype.kind == "f":
        same |= np.isnan(a) & np.isnan(b)
    return same


def _has_memory(values: NDArray[Any], same: NDArray[np.bool_]) -> bool:
    shares = np.unique(values, return_counts=True)[1] / max(len(values), 1)
    expected = float(np.sum(shares**2))
    spread = np.sqrt(max(expected * (1 - expected), 0.0) * max(len(same), 1))
    excess = float(np.count_nonzero(same)) - expected * len(same)
    return spread > 0 and excess / spread > LEAST_MEMORY
