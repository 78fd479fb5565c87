"""How uncertain columns are, in bits: entropy, joint and conditional."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve._checks import check_choice
from featsieve.measures._codes import (
    as_column,
)
from featsieve.measures._contingency import contingency_table, joint_codes
from featsieve.measures._parts import find_parts, plug_in, shaped

__all__ = [
    "conditional_entropy",
    "conditional_mutual_information",
    "entropy",
    "joint_entropy",
]


def entropy(
    x: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    missing: str = "level",
    correction: str | None = None,
) -> float:
    """Return how uncertain a column is: −Σ p log2 p.

    Parameters
    ----------
    x : array-like of int of shape (n_rows,)
        Codes; negative is missing.
    weights : array-like of float of shape (n_rows,), default=None
        Weight of each row.
    missing : {"level", "ignore"}, default="level"
        Whether missing is one more value or such rows are left out.
    correction : {None, "miller_madow"}, default=None
        Miller and Madow add (values − 1) / (2 n ln 2), the first-order bias.

    Returns
    -------
    float
        Bits.

    Examples
    --------
    >>> from featsieve.measures import entropy
    >>> entropy([0, 0, 1, 1])
    1.0
    >>> round(entropy([0] * 9 + [1] * 5), 4)
    0.9403
    """
    return joint_entropy(x, weights=weights, missing=missing, correction=correction)


def joint_entropy(
    *columns: ArrayLike,
    weights: ArrayLike | None = None,
    missing: str = "level",
    correction: str | None = None,
) -> float:
    """Return how uncertain several columns are together.

    Parameters
    ----------
    *columns : array-like of int of shape (n_rows,)
        Codes; negative is missing.
    weights : array-like of float of shape (n_rows,), default=None
        Weight of each row.
    missing : {"level", "ignore"}, default="level"
        Whether missing is one more value, or rows with any missing value are left out.
    correction : {None, "miller_madow"}, default=None
        As for `entropy`.

    Returns
    -------
    float
        Bits.

    Examples
    --------
    >>> from featsieve.measures import joint_entropy
    >>> joint_entropy([0, 0, 1, 1], [0, 1, 0, 1])
    2.0
    """
    check_choice("correction", correction, (None, "miller_madow"), "entropy")
    codes = joint_codes(*columns, missing=missing)
    counts = contingency_table(codes, weights=weights, missing="ignore")
    bits = plug_in(counts)
    if correction is not None and counts.sum() > 0:
        bits += (np.count_nonzero(counts) - 1) / (2 * counts.sum() * np.log(2))
    return float(bits)


def conditional_entropy(
    y: ArrayLike,
    x: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    missing: str = "level",
) -> Any:
    """Return how uncertain `y` remains once `x` is known: H(y | x).

    Parameters
    ----------
    y : array-like of int of shape (n_rows,)
        Codes of what is uncertain.
    x : array-like of int of shape (n_rows,) or (n_rows, n_features)
        Codes of what is known; a matrix gives one number per column.
    weights : array-like of float of shape (n_rows,), default=None
        Weight of each row.
    missing : {"level", "ignore", "spread"}, default="level"
        Treatment of missing values, as for `information_gain`.

    Returns
    -------
    float or ndarray of shape (n_features,)
        Bits.

    Examples
    --------
    >>> from featsieve.measures import conditional_entropy
    >>> conditional_entropy([0, 1, 0, 1], [0, 0, 1, 1])
    1.0
    """
    parts, single = find_parts(x, y, weights, missing)
    return shaped(np.maximum(0.0, parts.joint - parts.feature), single)


def conditional_mutual_information(
    x: ArrayLike,
    y: ArrayLike,
    z: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    missing: str = "level",
) -> float:
    """Return how much `x` tells about `y` once `z` is known: I(x; y | z).

    Parameters
    ----------
    x, y, z : array-like of int of shape (n_rows,)
        Codes; negative is missing.
    weights : array-like of float of shape (n_rows,), default=None
        Weight of each row.
    missing : {"level", "ignore"}, default="level"
        Whether missing is one more value, or rows with any missing value are left out.

    Returns
    -------
    float
        Bits.

    Examples
    --------
    >>> from featsieve.measures import conditional_mutual_information
    >>> x, z = [0, 0, 1, 1], [0, 1, 0, 1]
    >>> differ = [0, 1, 1, 0]
    >>> conditional_mutual_information(x, differ, z)
    1.0
    """
    columns = [as_column(c, n) for c, n in ((x, "x"), (y, "y"), (z, "z"))]
    if missing == "ignore":
        known = np.logical_and.reduce([column >= 0 for column in columns])
        columns = [column[known] for column in columns]
        weights = None if weights is None else np.asarray(weights)[known]
    x_codes, y_codes, z_codes = columns

    def h(*some: NDArray[np.int32]) -> float:
        return joint_entropy(*some, weights=weights, missing=missing)

    bits = h(x_codes, z_codes) + h(y_codes, z_codes)
    bits -= h(x_codes, y_codes, z_codes) + h(z_codes)
    return max(0.0, bits)
