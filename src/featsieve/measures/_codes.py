"""Turn what callers pass as codes into what the kernels read, without copies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve._checks import check_choice, check_numbers
from featsieve._kernels import Missing, encode_bytes

__all__ = [
    "MISSING",
    "Coded",
    "as_codes",
    "as_column",
    "as_target",
    "as_weights",
    "check_coded",
    "effective_rows",
]

KERNEL_DTYPES = (np.dtype(np.uint8), np.dtype(np.uint16), np.dtype(np.int32))

#: The largest code; one more is kept free for missing values.
LARGEST_CODE = 2**31 - 3

#: Beyond this, sums of w · log2 w lose what they are made of.
MOST_WEIGHT = 1e150

MISSING = {
    "level": Missing.LEVEL,
    "ignore": Missing.IGNORE,
    "spread": Missing.SPREAD,
}

#: Treatments that are defined for several features at once.
JOINT_MISSING = ("level", "ignore")


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """Several features, the class and weights in the types the kernels read."""

    codes: NDArray[Any]
    classes: NDArray[np.int32]
    n_classes: int
    missing: Missing
    weights: NDArray[np.float64] | None


def check_coded(
    codes: ArrayLike,
    target: ArrayLike,
    missing: str,
    weights: ArrayLike | None,
    owner: str,
) -> Coded:
    """Return the input of a measure of sets of features, or say what to do."""
    check_choice("missing", missing, JOINT_MISSING, owner)
    matrix = as_codes(codes, "codes")
    if matrix.ndim != 2:
        message = (
            f"codes must have two dimensions, rows and features. Got an array of shape "
            f"{matrix.shape}; give one feature as codes.reshape(-1, 1)."
        )
        raise ValueError(message)
    classes, n_classes = as_target(target, len(matrix))
    return Coded(
        matrix, classes, n_classes, MISSING[missing], as_weights(weights, len(matrix))
    )


def as_codes(values: ArrayLike, name: str) -> NDArray[Any]:
    """Return codes as uint8, uint16 or int32, in place where they already are.

    Whole floats are taken as codes and NaN as missing, because that is what a table
    of encoded columns looks like after a detour through NumPy or pandas.
    """
    codes = np.asarray(values)
    if codes.dtype in KERNEL_DTYPES:
        return codes
    if codes.dtype == np.bool_:
        return codes.view(np.uint8)
    if codes.dtype.kind == "f":
        return _from_floats(codes, name)
    if codes.dtype.kind not in "iu":
        message = (
            f"{name} must hold integer codes (negative = missing). Got dtype "
            f"{codes.dtype} instead; encode text with featsieve.data.read_table."
        )
        raise TypeError(message)
    if codes.size and codes.max() > LARGEST_CODE:
        message = (
            f"{name} must hold codes up to {LARGEST_CODE}. Got {codes.max()}; number "
            "the levels from 0."
        )
        raise ValueError(message)
    if codes.dtype.kind == "i" and codes.dtype.itemsize == 8:
        codes = np.maximum(codes, -1)
    return codes.astype(np.int32, order="K")


def _from_floats(codes: NDArray[Any], name: str) -> NDArray[Any]:
    if codes.ndim == 2 and codes.dtype in (np.float32, np.float64):
        narrow = encode_bytes(codes)
        if narrow is not None:
            return narrow.T
    if codes.dtype == np.float16:  # which has no number for the largest code
        codes = codes.astype(np.float32)
    missing = np.isnan(codes)
    known = codes[~missing]
    whole = np.all(known == np.floor(known)) and np.all(np.abs(known) <= LARGEST_CODE)
    if not whole:
        message = (
            f"{name} must hold whole numbers (codes). Got fractions or numbers "
            f"beyond {LARGEST_CODE}; cut numeric columns first, for example with "
            "featsieve.data.MDLDiscretizer."
        )
        raise ValueError(message)
    filled: NDArray[np.int32] = np.where(missing, -1, codes).astype(np.int32)
    return filled


def as_column(values: ArrayLike, name: str) -> NDArray[np.int32]:
    """Return one column of codes as int32."""
    codes = as_codes(values, name)
    if codes.ndim != 1:
        message = f"{name} must be one-dimensional. Got shape {codes.shape} instead."
        raise ValueError(message)
    column: NDArray[np.int32] = np.ascontiguousarray(codes, dtype=np.int32)
    return column


def as_target(values: ArrayLike, n_rows: int) -> tuple[NDArray[np.int32], int]:
    """Return class codes as int32 and their number.

    Sparse codes are numbered anew, so that there are no more classes than rows.
    """
    target = np.asarray(values)
    if target.shape != (n_rows,):
        message = (
            f"target must have one class per row, shape ({n_rows},). Got an array of "
            f"shape {target.shape}."
        )
        raise ValueError(message)
    if n_rows and target.dtype.kind in "iu" and target.max() > LARGEST_CODE:
        target = np.where(target < 0, -1, np.unique(target, return_inverse=True)[1])
    classes = as_column(target, "target")
    if n_rows == 0:
        return classes, 1
    if classes.min() < 0:
        rows = np.flatnonzero(classes < 0)
        message = (
            f"target must not be missing. Got {len(rows)} negative codes, the first "
            f"in row {rows[0]}; leave these rows out first."
        )
        raise ValueError(message)
    if classes.max() >= n_rows:
        classes = np.unique(classes, return_inverse=True)[1].astype(np.int32)
    return classes, int(classes.max()) + 1


def effective_rows(weights: NDArray[np.float64]) -> float:
    """Return how many rows of equal weight say as much as rows of these weights."""
    most = weights.max(initial=0.0)
    if most == 0:
        return 0.0
    shares = weights / most  # whose squares can neither overflow nor all vanish
    return float(shares.sum() ** 2 / (shares**2).sum())


def as_weights(weights: ArrayLike | None, n_rows: int) -> NDArray[np.float64] | None:
    """Return row weights as float64, checked, or None."""
    if weights is None:
        return None
    given = check_numbers("weights", weights, "a measure")
    checked = np.ascontiguousarray(given)
    if checked.shape != (n_rows,):
        message = (
            f"weights must have one number per row, shape ({n_rows},). Got an array of "
            f"shape {checked.shape}."
        )
        raise ValueError(message)
    good = np.isfinite(checked) & (checked >= 0)
    if not good.all():
        bad = int(np.argmin(good))
        message = (
            f"weights must be finite and not negative. Got {checked[bad]} in row {bad}."
        )
        raise ValueError(message)
    # Sums of weights and their squares must stay numbers.
    if checked.max(initial=0) > MOST_WEIGHT / max(n_rows, 1):
        message = f"weights must add up to at most {MOST_WEIGHT:g}. Scale them."
        raise ValueError(message)
    return checked
