"""Lay out typed columns for nearest neighbours: scaled values, and equal ones coded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from featsieve._kernels import NeighbourScanner
from featsieve.measures._columns import Columns

__all__ = ["NUMERIC", "ComparedRows", "as_subsets", "lay_out_columns", "spread_of"]

#: How values of a column differ, as the kernel numbers it.
NUMERIC, NUMERIC_WITH_GAPS, NOMINAL = 0, 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class ComparedRows:
    """Columns as the kernel reads them, each a line of the matrices.

    `values` are scaled numbers, or codes of levels, with NaN for missing. `codes`
    number the different values of a column, a missing one among them.
    """

    values: NDArray[np.float64]
    kinds: NDArray[np.uint8]
    codes: NDArray[np.int32]
    n_levels: NDArray[np.int32]

    def scanner(
        self,
        classes: NDArray[np.int32],
        n_classes: int,
        left_out: NDArray[np.int32] | None = None,
        *,
        leave_one_out: bool = True,
    ) -> NeighbourScanner:
        """Return what evaluates subsets of the columns."""
        return NeighbourScanner(
            self.values,
            self.kinds,
            self.codes,
            self.n_levels,
            classes,
            n_classes,
            left_out,
            leave_one_out,
        )


def lay_out_columns(columns: Columns, *, scale: bool = True) -> ComparedRows:
    """Return columns for the kernel, numbers divided by their standard deviation."""
    shape = (len(columns), columns.n_rows)
    values = np.empty(shape)
    kinds = np.empty(len(columns), dtype=np.uint8)
    codes = np.empty(shape, dtype=np.int32)
    levels = np.empty(len(columns), dtype=np.int32)
    for j, (column, nominal) in enumerate(
        zip(columns.values, columns.nominal, strict=True)
    ):
        values[j] = column
        if nominal:
            values[j, column < 0] = np.nan
            kinds[j] = NOMINAL
        else:
            gaps = np.isnan(column).any()
            kinds[j] = NUMERIC_WITH_GAPS if gaps else NUMERIC
            if scale:
                values[j] = scaled(column)
        different, codes[j] = np.unique(values[j], return_inverse=True)
        levels[j] = len(different)
    return ComparedRows(values, kinds, codes, levels)


def spread_of(column: NDArray[np.float64]) -> float:
    """Return the standard deviation of the known values; 0 if they are all the same."""
    known = column[~np.isnan(column)]
    if not len(known) or known.min() == known.max():
        return 0.0
    # Squares of numbers within ±1 neither overflow nor vanish.
    size = float(np.abs(known).max())
    return float(np.std(known / size)) * size


def scaled(column: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers divided by their standard deviation; a constant becomes 0."""
    spread = spread_of(column)
    if spread == 0:
        return np.where(np.isnan(column), np.nan, 0.0)
    return column / spread


def as_subsets(
    subsets: list[tuple[int, ...]],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return subsets of columns one after the other, and where each begins."""
    columns = np.array([column for subset in subsets for column in subset], np.int32)
    begins = np.cumsum([0, *map(len, subsets)], dtype=np.int64)
    return columns, begins
