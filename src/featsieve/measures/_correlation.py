"""Pearson's correlation and its kin: winsorised, Spearman's on ranks, of all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from featsieve._checks import check_real
from featsieve._docs import described_like
from featsieve._kernels import RankedColumn
from featsieve._types import Array, Codes, Floats
from featsieve.measures._codes import (
    as_numbers,
    as_weights,
    check_finite,
    read_columns,
    shaped,
)

#: The share of values at each end that winsorising pulls in.
WINSORISED_SHARE = 0.05


def pearson_correlation(
    x: ArrayLike, y: ArrayLike, *, weights: ArrayLike | None = None
) -> Any:
    """Return Pearson's correlation, from -1 to 1.

    Parameters
    ----------
    x : array-like of shape (n_rows,) or (n_rows, n_features)
        Finite numbers; NaN is missing, and such rows are left out.
    y : array-like of shape (n_rows,)
        The other column.
    weights : array-like of shape (n_rows,), default=None
        Weight of each row.

    Returns
    -------
    float or ndarray of shape (n_features,)
        0 where a column is constant.

    Examples
    --------
    >>> from featsieve.measures import pearson_correlation
    >>> round(pearson_correlation([1, 2, 2, 3, 3, 3], [0, 0, 1, 1, 0, 1]), 6)
    0.447214
    """
    columns = read_columns(x)
    other = as_numbers(np.asarray(y), "y")
    _check_length(other, columns.n_rows)
    checked = as_weights(weights, columns.n_rows)
    check_finite(other, "y")
    values = np.empty(len(columns))
    for j, column in enumerate(columns.values):
        check_finite(column, f"Column {j} of x")
        values[j] = correlate(column, other, checked)
    return shaped(values, columns.single)


@described_like(pearson_correlation)
def spearman_correlation(x: ArrayLike, y: ArrayLike) -> Any:
    """Return Spearman's correlation: Pearson's of the mean ranks.

    Parameters
    ----------
    x : array-like of shape (n_rows,) or (n_rows, n_features)
        Numbers; NaN is missing: rows are ranked that both columns know. Infinities are
        values like others.

    Returns
    -------
    float or ndarray of shape (n_features,)
        From -1 to 1; 0 where a column is constant.

    Examples
    --------
    >>> from featsieve.measures import spearman_correlation
    >>> spearman_correlation([1, 2, 3], [1, 10, 100])
    1.0
    """
    columns = read_columns(x)
    other = as_numbers(np.asarray(y), "y")
    _check_length(other, columns.n_rows)
    values = np.array([rank_correlation(column, other) for column in columns.values])
    return shaped(values.astype(np.float64), columns.single)


@described_like(pearson_correlation)
def winsorise(
    values: ArrayLike,
    *,
    share: float = WINSORISED_SHARE,
    weights: ArrayLike | None = None,
) -> Floats:
    """Pull the outermost values of a column in to the nearest value that stays.

    Parameters
    ----------
    values : array-like of shape (n_rows,)
        Numbers; NaN is missing and stays.
    share : float, default=0.05
        The share of known rows (of their weight) at each end that is pulled in.

    Returns
    -------
    ndarray of shape (n_rows,)
        The column with no value beyond those that stay.

    Examples
    --------
    >>> from featsieve.measures import winsorise
    >>> winsorise([1, 2, 3, 4, 900], share=0.2)
    array([2., 2., 3., 4., 4.])
    """
    bound = check_real("share", share, "winsorise", at_least=0, below=0.5)
    column = as_numbers(np.asarray(values), "values")
    row_weights = as_weights(weights, len(column))
    known = ~np.isnan(column)
    if row_weights is not None:
        known &= row_weights > 0
    if not known.any():
        return column.copy()
    order = np.sort(column[known])
    if row_weights is None:
        cut = int(bound * len(order))
        return np.clip(column, order[cut], order[-1 - cut])
    by_value = np.argsort(column[known], kind="stable")
    mass = row_weights[known][by_value].cumsum()
    # The first value that more than the share of the weight reaches, from each end.
    low = order[np.searchsorted(mass, bound * mass[-1], side="right")]
    below = mass[-1] - np.concatenate(([0.0], mass[:-1]))
    high = order[len(order) - 1 - int(np.argmax(below[::-1] > bound * mass[-1]))]
    return np.clip(column, low, high)


def _check_length(other: Array, n_rows: int) -> None:
    if len(other) != n_rows:
        raise ValueError(f"y must have {n_rows} rows, as x. Got {len(other)}.")


def correlate(x: Floats, y: Floats, weights: Floats | None = None) -> float:
    """Return the correlation over rows that both columns know; infinities are not."""
    known = ~(np.isnan(x) | np.isnan(y))
    if weights is not None:
        known &= weights > 0
    if not known.all():
        x, y = x[known], y[known]
        weights = None if weights is None else weights[known]
    first, second = centre(x, weights), centre(y, weights)
    below = float(np.sqrt((first @ first) * (second @ second)))
    return float(np.clip(first @ second / below, -1.0, 1.0)) if below > 0 else 0.0


def centre(x: Floats, weights: Floats | None) -> Floats:
    """Return a complete column centred, within -1 and 1; zeros if constant.

    With weights, rows are multiplied by the roots of theirs.
    """
    if len(x) == 0 or x.min() == x.max():
        return np.zeros(len(x))
    # Halved and scaled first: sums of huge numbers and squares of tiny ones are lost.
    x = x / 2 - x[0] / 2
    x = x / np.abs(x).max()
    if weights is None:
        x = x - x.mean()
    else:
        shares = weights / weights.max()
        x = (x - np.average(x, weights=shares)) * np.sqrt(shares)
    return x


def rank_correlation(x: Floats, y: Floats) -> float:
    """Return Spearman's correlation over rows that both columns know."""
    known = ~(np.isnan(x) | np.isnan(y))
    first = RankedColumn(np.ascontiguousarray(x[known])).mid_ranks()
    second = RankedColumn(np.ascontiguousarray(y[known])).mid_ranks()
    return correlate(first, second)


def class_correlations(
    x: Floats, classes: Codes, n_classes: int, weights: Floats | None
) -> Floats:
    """Return the correlation of a column with membership of each class.

    Made of the weight and the sum of each class, which add up.
    """
    known = ~np.isnan(x)
    if weights is not None:
        known &= weights > 0
    x, classes = x[known], classes[known]
    if len(x) == 0:
        return np.zeros(n_classes)
    weights = None if weights is None else weights[known]
    centred = centre(x, weights)
    roots = np.ones(len(x)) if weights is None else np.sqrt(weights / weights.max())
    sums = np.bincount(classes, weights=centred * roots, minlength=n_classes)
    sizes = np.bincount(classes, weights=roots**2, minlength=n_classes)
    total = sizes.sum()
    # Of a column of mean 0 with an indicator: its sum over both their lengths.
    below = np.sqrt(sizes * (total - sizes) * float(centred @ centred))
    values = np.divide(
        sums * np.sqrt(total), below, out=np.zeros(n_classes), where=below > 0
    )
    return np.clip(values, -1.0, 1.0)


#: A variance below this share of the mean square is rounding.
ROUNDING = 1e-13


class MomentPairs:
    """Columns centred and scaled once; rows that either of two lacks are left out.

    Moments of the rows that two columns both know are sums over products with the masks
    of what is known.
    """

    def __init__(self, columns: list[Floats], weights: Floats | None) -> None:
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

    def row(self, position: int) -> Floats:
        """Return the absolute correlation of one column with every column."""
        return self._block(position, position + 1)[0]

    def matrix(self, _: int | None) -> Floats:
        """Return the absolute correlation of all pairs; BLAS has its own threads."""
        block = self._block(0, self._values.shape[1])
        return (block + block.T) / 2

    def _block(self, begin: int, end: int) -> Floats:
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


def _variance(square: Floats, total: Floats, n: Floats) -> Floats:
    variance = square - total**2 / n
    return np.where(variance > ROUNDING * square, variance, 0.0)


def _ratio(cross: Floats, first: Floats, second: Floats) -> Floats:
    below = np.sqrt(first * second)
    values = np.divide(cross, below, out=np.zeros_like(cross), where=below > 0)
    return np.minimum(np.abs(values), 1.0)
