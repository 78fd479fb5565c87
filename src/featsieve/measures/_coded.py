"""Checks of coded features, classes and weights that several measures share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve._checks import check_choice
from featsieve._kernels import MissingRule

__all__ = ["Coded", "check_coded"]

_CODE_TYPES = (np.uint8, np.uint16, np.int32)
_MISSING_RULES = {"level": MissingRule.LEVEL, "ignore": MissingRule.IGNORE}


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """Checked input in the types the kernels read."""

    codes: NDArray[Any]
    classes: NDArray[np.int32]
    n_classes: int
    missing: MissingRule
    weights: NDArray[np.float64] | None


def check_coded(
    codes: ArrayLike,
    target: ArrayLike,
    missing: str,
    weights: ArrayLike | None,
    owner: str,
) -> Coded:
    """Return the input of a measure of coded features, or raise and say what to do."""
    check_choice("missing", missing, tuple(_MISSING_RULES), owner)
    checked = _check_codes(codes)
    n_rows = checked.shape[0]
    classes = _check_target(target, n_rows)
    n_classes = int(classes.max()) + 1 if n_rows else 0
    if n_classes > n_rows:  # then some codes are not used
        classes = np.unique(classes, return_inverse=True)[1].astype(np.int32)
        n_classes = int(classes.max()) + 1
    return Coded(
        checked,
        classes,
        n_classes,
        _MISSING_RULES[missing],
        _check_weights(weights, n_rows),
    )


def _check_codes(codes: ArrayLike) -> NDArray[Any]:
    """Return codes as a matrix of a type the kernels read, copied only if it is not."""
    array = np.asarray(codes)
    if array.ndim != 2:
        message = (
            f"codes must have two dimensions, rows and features. Got an array of shape "
            f"{array.shape}; give one feature as codes.reshape(-1, 1)."
        )
        raise ValueError(message)
    if array.dtype == np.bool_:
        return array.view(np.uint8)
    if array.dtype.kind not in "iu":
        message = (
            f"codes must be integers, one per level. Got {array.dtype} values; encode "
            f"or discretize the features first."
        )
        raise TypeError(message)
    if array.dtype in _CODE_TYPES and array.dtype.isnative:
        return array
    most = np.iinfo(np.int32).max - 1
    if array.size and array.max() > most:
        message = f"codes must be at most {most}; number the levels from 0."
        raise ValueError(message)
    if array.dtype.kind == "i":
        array = np.maximum(array, -1)
    return array.astype(np.int32)


def _check_target(target: ArrayLike, n_rows: int) -> NDArray[np.int32]:
    array = np.asarray(target)
    if array.shape != (n_rows,):
        message = (
            f"target must have one class per row, shape ({n_rows},). Got an array of "
            f"shape {array.shape}."
        )
        raise ValueError(message)
    if array.dtype.kind not in "iub" and n_rows:
        message = (
            f"target must be integer class codes. Got {array.dtype} values; encode "
            f"them, for example with np.unique(target, return_inverse=True)[1]."
        )
        raise TypeError(message)
    if n_rows and array.min() < 0:
        message = (
            f"target must not have negative codes. Got {array.min()} in row "
            f"{int(array.argmin())}; leave out rows whose class is missing."
        )
        raise ValueError(message)
    if n_rows and array.max() >= np.iinfo(np.int32).max:
        array = np.unique(array, return_inverse=True)[1]
    return np.ascontiguousarray(array, dtype=np.int32)


def _check_weights(
    weights: ArrayLike | None, n_rows: int
) -> NDArray[np.float64] | None:
    if weights is None:
        return None
    array = np.ascontiguousarray(weights, dtype=np.float64)
    if array.shape != (n_rows,):
        message = (
            f"weights must have one number per row, shape ({n_rows},). Got an array of "
            f"shape {array.shape}."
        )
        raise ValueError(message)
    if not (np.isfinite(array).all() and (array >= 0).all()):
        bad = int(np.flatnonzero(~(np.isfinite(array) & (array >= 0)))[0])
        message = (
            f"weights must be finite and not negative. Got {array[bad]} in row {bad}."
        )
        raise ValueError(message)
    return array
