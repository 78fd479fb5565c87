"""Pearson's correlation and its kin: winsorised, and Spearman's on ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve._checks import check_real
from featsieve._kernels import RankedColumn
from featsieve.measures._codes import as_weights
from featsieve.measures._columns import as_numbers, check_finite, read_columns
from featsieve.measures._parts import shaped

__all__ = [
    "class_correlations",
    "correlate",
    "pearson_correlation",
    "spearman_correlation",
    "winsorise",
]

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


def spearman_correlation(x: ArrayLike, y: ArrayLike) -> Any:
    """Return Spearman's correlation: Pearson's of the mean ranks.

    Parameters
    ----------
    x : array-like of shape (n_rows,) or (n_rows, n_features)
        Numbers; NaN is missing: rows are ranked that both columns know. Infinities are
        values like others.
    y : array-like of shape (n_rows,)
        The other column.

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


def winsorise(
    values: ArrayLike,
    *,
    share: float = WINSORISED_SHARE,
    weights: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Pull the outermost values of a column in to the nearest value that stays.

    Parameters
    ----------
    values : array-like of shape (n_rows,)
        Numbers; NaN is missing and stays.
    share : float, default=0.05
        The share of known rows (of their weight) at each end that is pulled in.
    weights : array-like of shape (n_rows,), default=None
        Weight of each row.

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


def _check_length(other: NDArray[Any], n_rows: int) -> None:
    if len(other) != n_rows:
        message = f"y must have {n_rows} rows, as x. Got {len(other)}."
        raise ValueError(message)


def correlate(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    weights: NDArray[np.float64] | None = None,
) -> float:
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


def centre(
    x: NDArray[np.float64], weights: NDArray[np.float64] | None
) -> NDArray[np.float64]:
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
    centred: NDArray[np.float64] = x
    return centred


def rank_correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Return Spearman's correlation over rows that both columns know."""
    known = ~(np.isnan(x) | np.isnan(y))
    first = RankedColumn(np.ascontiguousarray(x[known])).mid_ranks()
    second = RankedColumn(np.ascontiguousarray(y[known])).mid_ranks()
    return correlate(first, second)


def class_correlations(
    x: NDArray[np.float64],
    classes: NDArray[np.int32],
    n_classes: int,
    weights: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
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
    bounded: NDArray[np.float64] = np.clip(values, -1.0, 1.0)
    return bounded
