"""How uncertain columns are, in bits: entropies, and what measures are made of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from featsieve._checks import check_choice, check_numbers
from featsieve._kernels import class_entropies, counted_entropies
from featsieve._types import Array, Codes, Floats
from featsieve.exceptions import DataError
from featsieve.measures._codes import (
    MISSING,
    as_codes,
    as_column,
    as_target,
    as_weights,
    contingency_table,
    joint_codes,
    shaped,
)
from featsieve.tallies import Tally

#: A gain below this share of the entropies it is the difference of is rounding; the
#: kernels use the same rule.
ROUNDING = 1e-14


@dataclass(frozen=True, slots=True)
class Parts:
    """Entropies of columns against a class, one entry per column."""

    total: Floats
    known: Floats
    feature: Floats
    target: Floats
    joint: Floats
    levels: Floats
    classes: Floats
    cells: Floats

    @property
    def gain(self) -> Floats:
        """The information gain of each column; rounding is not gain."""
        both = self.feature + self.target
        gain = both - self.joint
        return np.where(gain < ROUNDING * (1 + both), 0.0, gain)


def find_parts(
    x: ArrayLike | Tally,
    target: ArrayLike | None,
    weights: ArrayLike | None,
    missing: str,
) -> tuple[Parts, bool]:
    """Return the parts of every column of `x`, and whether `x` was a single column."""
    check_choice("missing", missing, tuple(MISSING), "a measure")
    if isinstance(x, Tally):
        if target is not None or weights is not None:
            raise TypeError(
                "A tally has counted target and weights already; leave them out."
            )
        return tally_parts([x], missing), True
    if target is None:
        raise TypeError("A measure of codes needs a target; only a tally has its own.")
    codes = as_codes(x, "x")
    single = codes.ndim == 1
    matrix = codes[:, np.newaxis] if single else codes
    if matrix.ndim != 2:
        raise ValueError(
            f"x must be a column or a matrix of codes. Got {codes.ndim} axes."
        )
    other = as_column(target, "target")
    if len(other) and other.min() < 0:
        return _of_pair(matrix, other, weights, missing), single
    classes, n_classes = as_target(other, len(matrix))
    rows = class_entropies(
        matrix, classes, n_classes, as_weights(weights, len(matrix)), MISSING[missing]
    )
    return Parts(*rows.T), single


def tally_parts(tallies: Sequence[Tally], missing: str) -> Parts:
    """Return the parts of several tallies: the same bits as from their rows."""
    how = MISSING[missing]
    rows = np.empty((len(tallies), 8))
    for row, tally in zip(rows, tallies, strict=True):
        table = tally.table
        if table.dtype == np.int64:
            row[:] = counted_entropies(table, how)
            continue
        # A cell is a row of its weight, which the kernel for rows counts as it is.
        n_levels, n_classes = len(table) - 1, table.shape[1]
        codes = np.repeat([*range(n_levels), -1], n_classes).astype(np.int32)
        classes = np.tile(np.arange(n_classes, dtype=np.int32), n_levels + 1)
        cells, weights = codes[:, np.newaxis], table.ravel()
        row[:] = class_entropies(cells, classes, n_classes, weights, how)[0]
    return Parts(*rows.T)


def _of_pair(
    matrix: Array, other: Codes, weights: ArrayLike | None, missing: str
) -> Parts:
    """Do the same where the second column has missing values too."""
    fields = []
    for column in matrix.T:
        table = contingency_table(column, other, weights=weights, missing=missing)
        counts = table.astype(np.float64)
        rows, columns = counts.sum(axis=1), counts.sum(axis=0)
        fields.append(
            (
                len(other) if weights is None else np.sum(weights),
                counts.sum(),
                plug_in(rows),
                plug_in(columns),
                plug_in(counts.ravel()),
                np.count_nonzero(rows),
                np.count_nonzero(columns),
                np.count_nonzero(counts),
            )
        )
    return Parts(*np.array(fields, dtype=np.float64).reshape(-1, 8).T)


def plug_in(counts: Array) -> float:
    """Return the entropy of relative frequencies, in bits."""
    present = counts[counts > 0].astype(np.float64)
    total = present.sum()
    if total <= 0:
        return 0.0
    bits = np.log2(total) - np.sum(present * np.log2(present)) / total
    return max(0.0, float(bits))


def ratio(above: Floats, below: Floats) -> Any:
    """Divide, with 0 where the denominator is 0."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


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
    weights, missing, correction
        As for `entropy`; ``"ignore"`` leaves rows out with any missing value.

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
    weights, missing
        As for `information_gain`.

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
    weights, missing
        As for `joint_entropy`.

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

    def h(*some: Codes) -> float:
        return joint_entropy(*some, weights=weights, missing=missing)

    bits = h(x_codes, z_codes) + h(y_codes, z_codes)
    bits -= h(x_codes, y_codes, z_codes) + h(z_codes)
    return max(0.0, bits)


def node_complexity(counts: ArrayLike) -> Floats:
    """Return the complexity of nodes with these class counts, in bits.

    Rows of given classes can be arranged along a feature in M = n! / Π c! ways; those
    that equal their own reflection, A of them, tell a cut apart from its mirror image.
    The complexity is log2 M − (1 − A / M): 0 for a pure node and for two rows of two
    classes, greater the more ways there are to arrange the rows.

    Parameters
    ----------
    counts : array-like of int of shape (..., n_classes)
        Rows of each class in each node; not negative.

    Returns
    -------
    ndarray of float64 of shape (...)
        Bits.

    Raises
    ------
    DataError
        If counts are negative or not whole.

    References
    ----------
    Ensemble algorithms and feature selection, 2007, eq. 7.5 and table 7.1, here for
    any number of classes.

    Examples
    --------
    >>> from featsieve.measures import node_complexity
    >>> node_complexity([[1, 1], [2, 1], [10, 10]]).round(6).tolist()
    [0.0, 0.918296, 16.496626]
    """
    given = check_numbers("counts", counts, "node_complexity")
    bad = ~np.isfinite(given) | (given != np.floor(given)) | (given < 0)
    if given.ndim == 0 or bad.any():
        came = given[bad][0] if bad.any() else given
        raise DataError(
            "The 'counts' parameter of node_complexity must be lists of whole numbers, "
            f"not negative, one for each class of a node. Got {came:g}; count the rows "
            "of each class, for example with numpy.bincount(codes)."
        )
    arrangements = _log2_arrangements(given)
    odd = np.count_nonzero(given % 2, axis=-1)
    symmetric = _log2_arrangements(given // 2)
    # Halves of the counts arrange half of the rows; an odd one sits in the middle.
    share = np.where(odd <= 1, np.exp2(symmetric - arrangements), 0.0)
    return np.maximum(arrangements - (1 - share), 0.0)


def _log2_arrangements(counts: Floats) -> Any:
    from scipy.special import gammaln  # noqa: PLC0415  (slow to import)

    parts = gammaln(counts + 1).sum(axis=-1)
    return (gammaln(counts.sum(axis=-1) + 1) - parts) / math.log(2)
