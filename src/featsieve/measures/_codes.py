"""Turn what callers pass as codes into what the kernels read, without copies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve._kernels import Missing, encode_bytes

KERNEL_DTYPES = (np.dtype(np.uint8), np.dtype(np.uint16), np.dtype(np.int32))

#: The largest code; one more is kept free for missing values.
LARGEST_CODE = 2**31 - 3

MISSING = {
    "level": Missing.LEVEL,
    "ignore": Missing.IGNORE,
    "spread": Missing.SPREAD,
}


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
        message = f"{name} must hold codes up to {LARGEST_CODE}. Got {codes.max()}."
        raise ValueError(message)
    if codes.dtype.itemsize == 8:
        codes = np.maximum(codes, -1)
    return codes.astype(np.int32, order="K")


def _from_floats(codes: NDArray[Any], name: str) -> NDArray[Any]:
    if codes.ndim == 2 and codes.dtype in (np.float32, np.float64):
        narrow = encode_bytes(codes)
        if narrow is not None:
            return narrow.T
    missing = np.isnan(codes)
    known = codes[~missing]
    if known.size and (np.any(known != np.floor(known)) or known.max() > LARGEST_CODE):
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
    """Return class codes as int32 and their number."""
    target = as_column(values, "target")
    if len(target) != n_rows:
        message = f"target must have one class per row: {n_rows}. Got {len(target)}."
        raise ValueError(message)
    if len(target) and target.min() < 0:
        rows = int(np.count_nonzero(target < 0))
        message = (
            f"target must not be missing. Got {rows} negative codes; leave these rows "
            "out first."
        )
        raise ValueError(message)
    return target, (int(target.max()) + 1 if len(target) else 1)


def as_weights(weights: ArrayLike | None, n_rows: int) -> NDArray[np.float64] | None:
    """Return row weights as float64, checked, or None."""
    if weights is None:
        return None
    checked = np.ascontiguousarray(weights, dtype=np.float64)
    if checked.shape != (n_rows,):
        message = (
            f"weights must have one number per row: {n_rows}. Got shape "
            f"{checked.shape} instead."
        )
        raise ValueError(message)
    if not np.all(np.isfinite(checked)) or (n_rows and checked.min() < 0):
        message = "weights must be finite and not negative."
        raise ValueError(message)
    return checked
