"""Lay out typed columns for Relief: scaled rows, and what missing values stand for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from featsieve._types import Codes, Floats, Positions
from featsieve.data import Column, Table

#: Columns that are turned into rows together, for the sake of caches.
COLUMNS_AT_ONCE = 32

LARGEST = np.finfo(np.float64).max

#: Weka takes numbers whose range is below this for equal.
WEKA_RANGE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class ReliefRows:
    """Rows as the kernel reads them.

    Columns lie in four groups: complete numeric and nominal ones, then those with
    missing values; `positions` says where each column of the table went.
    """

    values: Floats
    expected: Floats
    groups: tuple[int, int, int, int]
    positions: Codes


def lay_out_rows(
    table: Table, order: Positions, weights: Floats | None, *, weka: bool
) -> ReliefRows:
    """Return rows of a table in the given order.

    Floats are scaled by the range of all rows of the table. A missing value differs
    from another one as much as a value drawn from the column would on average, or as
    Weka has it; a column without any known value is constant, except to Weka.
    """
    group = np.array([_group(column, weka) for column in table], dtype=np.intp)
    least = WEKA_RANGE if weka else 0.0
    places = np.argsort(group, kind="stable")
    a, b, c, d = (int(size) for size in np.bincount(group, minlength=4))
    values = np.empty((len(order), table.n_columns))
    expected = np.empty((len(order), c + d))
    for begin in range(0, table.n_columns, COLUMNS_AT_ONCE):
        some = [table.columns[j] for j in places[begin : begin + COLUMNS_AT_ONCE]]
        if begin + len(some) <= a:
            lines = _scale_together(np.stack([column.values for column in some]), least)
        else:
            lines = np.stack([_plain_numbers(column, least) for column in some])
        values[:, begin : begin + len(some)] = lines[:, order].T
    empty = np.flatnonzero(np.isnan(values[:1, : a + b]).ravel())
    values[:, empty] = 0.0  # columns without any value
    difference = _weka_difference if weka else _expected_difference
    for place, j in enumerate(places[a + b :].tolist()):
        column = table.columns[j]
        line = difference(column, _plain_numbers(column, least), weights)
        expected[:, place] = line[order]
    positions = np.empty(table.n_columns, dtype=np.int32)
    positions[places] = np.arange(table.n_columns)
    return ReliefRows(values, expected, (a, b, c, d), positions)


def _group(column: Column, weka: bool) -> int:
    """Return 0 or 1 for numeric or nominal columns, 2 more if values are missing."""
    kind = int(column.is_nominal)
    least = column.values.min()
    complete = least >= 0 if column.is_nominal else not np.isnan(least)
    if complete or (not weka and column.missing.all()):
        return kind
    return kind + 2


def _scale_together(lines: Floats, least_range: float) -> Floats:
    """Scale numbers to 0..1, line by line; without special cases all at once."""
    low, high = lines.min(axis=1, keepdims=True), lines.max(axis=1, keepdims=True)
    with np.errstate(over="ignore"):
        span = high - low
    if np.all((span > 0) & (span >= least_range) & np.isfinite(span)):
        lines -= low
        lines /= span
        return np.minimum(lines, 1.0, out=lines)
    return np.stack([scale_to_unit(line, least_range) for line in lines])


def scale_to_unit(values: Floats, least_range: float = 0.0) -> Floats:
    """Return numbers scaled to 0..1 by their range; 0 where they are all the same.

    They are taken for the same too where their range is below `least_range`.
    """
    if np.isnan(values).all():
        return values
    low, high = np.nanmin(values), np.nanmax(values)
    if low == high or high / 2 - low / 2 < least_range / 2:
        return np.where(np.isnan(values), np.nan, 0.0)
    if high / 2 - low / 2 > LARGEST / 2:  # the range overflows, its half does not
        values, low, high = values / 2, low / 2, high / 2
    # Ranges of the smallest numbers there are lose digits, and may exceed 1 by them.
    return np.minimum((values - low) / (high - low), 1.0)


def _plain_numbers(column: Column, least_range: float) -> Floats:
    """Return scaled numbers or codes, NaN where missing."""
    if not column.is_nominal:
        return scale_to_unit(column.values, least_range)
    codes: Floats = column.values.astype(np.float64)
    if column.n_missing:
        codes[column.missing] = np.nan
    return codes


def _expected_difference(
    column: Column, values: Floats, weights: Floats | None
) -> Floats:
    """Return how much each value differs from a random known one of the column.

    In rows where the value itself is missing: how much two random ones differ.
    """
    known = ~np.isnan(values)
    mass = np.ones(len(values)) if weights is None else weights
    some, mass = values[known], mass[known]
    total = mass.sum()
    if column.is_nominal:
        codes = some.astype(np.intp)
        apart = 1 - np.bincount(codes, weights=mass)[codes] / total
    else:
        apart = _mean_distances(some, mass) / total
    line = np.full(len(values), float(np.sum(mass * apart) / total))
    line[known] = apart
    return np.clip(line, 0.0, 1.0)


def _mean_distances(values: Floats, mass: Floats) -> Floats:
    """Return Σ mass · |value − other| for every value, by one sort."""
    order = np.argsort(values, kind="stable")
    ascending, weight = values[order], mass[order]
    up_to, moment = np.cumsum(weight), np.cumsum(weight * ascending)
    sums = np.empty(len(values))
    sums[order] = ascending * (2 * up_to - up_to[-1]) + moment[-1] - 2 * moment
    return sums


def _weka_difference(
    column: Column,
    values: Floats,
    weights: Floats | None,  # noqa: ARG001 - Weka's rule has none
) -> Floats:
    """Return the same in Weka's eyes: levels equally likely, numbers far away."""
    if column.is_nominal:
        return np.full(len(values), 1 - 1 / max(column.n_levels, 1))
    return np.where(np.isnan(values), 1.0, np.maximum(values, 1 - values))
