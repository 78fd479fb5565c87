"""Check what measures of diversity are given: answers of members, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve.exceptions import DataError

__all__ = [
    "as_correct_pair",
    "check_correct",
    "check_pair",
    "check_predictions",
    "class_codes",
]

#: What pandas and polars call missing is not an answer.
_KINDS = "biufUSO"


def check_correct(correct: Any) -> NDArray[np.bool_]:
    """Return who is right in which row, as bools of shape (n_members, n_rows)."""
    array = np.asarray(correct)
    if array.ndim != 2 or 0 in array.shape:
        message = (
            "correct must be a matrix of one row per member and one column per row of "
            f"data, neither empty. Got shape {array.shape}."
        )
        raise DataError(message)
    return _as_bools(array, "correct")


def check_pair(first: Any, second: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return two vectors of equal length, not empty."""
    a, b = np.asarray(first), np.asarray(second)
    if a.ndim != 1 or a.shape != b.shape or not len(a):
        message = (
            "first and second must be vectors of equal length, not empty. Got shapes "
            f"{a.shape} and {b.shape}."
        )
        raise DataError(message)
    return a, b


def as_correct_pair(
    first: Any, second: Any
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return two vectors of who is right, as bools."""
    a, b = check_pair(first, second)
    return _as_bools(a, "first"), _as_bools(b, "second")


def check_predictions(predictions: Any, y: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the answers of members, one row each, and the true answers."""
    answers, truth = np.asarray(predictions), np.asarray(y)
    if answers.ndim != 2 or 0 in answers.shape:
        message = (
            "predictions must be a matrix of one row per member and one column per row "
            f"of data, neither empty. Got shape {answers.shape}."
        )
        raise DataError(message)
    if truth.shape != answers.shape[1:]:
        message = (
            f"y must have one class per column of predictions: {answers.shape[1]}. Got "
            f"shape {truth.shape}."
        )
        raise DataError(message)
    for name, array in (("predictions", answers), ("y", truth)):
        if array.dtype.kind not in _KINDS:
            message = f"{name} must hold class labels. Got values of {array.dtype}."
            raise DataError(message)
    return answers, truth


def class_codes(
    predictions: Any, y: Any
) -> tuple[NDArray[np.int32], NDArray[np.int32], int]:
    """Return answers and truth as codes from 0, and how many classes there are."""
    answers, truth = check_predictions(predictions, y)
    if answers.dtype.kind in "biu" and truth.dtype.kind in "biu":
        low = min(int(answers.min()), int(truth.min()))
        high = max(int(answers.max()), int(truth.max()))
        if low >= 0 and high < answers.size:  # codes already, or nearly
            return answers.astype(np.int32), truth.astype(np.int32), high + 1
    try:
        labels = np.unique(np.concatenate([np.unique(answers), np.unique(truth)]))
        codes = np.searchsorted(labels, answers), np.searchsorted(labels, truth)
    except TypeError as error:
        message = (
            "predictions and y must hold labels of one kind, text or numbers. Convert "
            "one of them, for example with astype(str)."
        )
        raise DataError(message) from error
    return codes[0].astype(np.int32), codes[1].astype(np.int32), len(labels)


def _as_bools(array: NDArray[Any], name: str) -> NDArray[np.bool_]:
    if array.dtype.kind not in "biuf" or not np.isin(array, (0, 1)).all():
        message = (
            f"{name} must tell who is right by True and False, or 1 and 0. Compare "
            "predictions with the truth first: predictions == y."
        )
        raise DataError(message)
    flags: NDArray[np.bool_] = array.astype(np.bool_)
    return flags
