"""Pearson's correlation of all pairs of columns, as products of matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from featsieve.measures._correlation import centre

__all__ = ["MomentPairs"]

#: A variance below this share of the mean square is rounding.
ROUNDING = 1e-13


class MomentPairs:
    """Columns centred and scaled once; rows that either of two lacks are left out.

    Moments of the rows that two columns both know are sums over products with the masks
    of what is known.
    """

    def __init__(
        self,
        columns: list[NDArray[np.float64]],
        weights: NDArray[np.float64] | None,
    ) -> None:
        n_rows = len(columns[0]) if columns else 0
        self._values = np.zeros((n_rows, len(columns)), order="F")
        self._known = np.ones((n_rows, len(columns)), dtype=bool, order="F")
        for j, column in enumerate(columns):
            known = ~np.isnan(column)
            if weights is not None:
                known &= weights > 0
            some = None if weights is None else weights[known]
            scaled = centre(column[known], some)
            if some is not None and len(scaled):
                scaled = scaled / np.sqrt(some / some.max())
            self._values[known, j] = scaled
            self._known[:, j] = known
        self._complete = bool(self._known.all())
        shares = np.ones(n_rows)
        if weights is not None and weights.max(initial=0) > 0:
            shares = weights / weights.max()
        self._shares = shares[:, np.newaxis]

    def row(self, position: int) -> NDArray[np.float64]:
        """Return the absolute correlation of one column with every column."""
        row: NDArray[np.float64] = self._block(position, position + 1)[0]
        return row

    def matrix(self, _: int | None) -> NDArray[np.float64]:
        """Return the absolute correlation of all pairs; BLAS has its own threads."""
        block = self._block(0, self._values.shape[1])
        symmetric: NDArray[np.float64] = (block + block.T) / 2
        return symmetric

    def _block(self, begin: int, end: int) -> NDArray[np.float64]:
        values = self._values
        own = values[:, begin:end] * self._shares
        cross = own.T @ values
        if self._complete:
            square = np.sum(values**2 * self._shares, axis=0)
            return _ratio(cross, square[begin:end, np.newaxis], square)
        known = self._known.astype(np.float64)
        own_known = known[:, begin:end] * self._shares
        total = own_known.T @ known
        total = np.where(total > 0, total, 1.0)
        own_sum = own.T @ known
        other_sum = own_known.T @ values
        own_square = (own * values[:, begin:end]).T @ known
        other_square = own_known.T @ values**2
        return _ratio(
            cross - own_sum * other_sum / total,
            _variance(own_square, own_sum, total),
            _variance(other_square, other_sum, total),
        )


def _variance(
    square: NDArray[np.float64], total: NDArray[np.float64], n: NDArray[np.float64]
) -> NDArray[np.float64]:
    variance = square - total**2 / n
    certain: NDArray[np.float64] = np.where(variance > ROUNDING * square, variance, 0.0)
    return certain


def _ratio(
    cross: NDArray[np.float64],
    first: NDArray[np.float64],
    second: NDArray[np.float64],
) -> NDArray[np.float64]:
    below = np.sqrt(first * second)
    values = np.divide(cross, below, out=np.zeros_like(cross), where=below > 0)
    bounded: NDArray[np.float64] = np.minimum(np.abs(values), 1.0)
    return bounded
