"""Check what measures of diversity are given: answers of members, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np

from featsieve._types import Array, Codes, Mask
from featsieve.exceptions import DataError

#: What pandas and polars call missing is not an answer.
_KINDS = "biufUSO"


def check_matrix(name: str, given: Any) -> Array:
    """Return what members answer, one row each, as a matrix that is not empty."""
    array = np.asarray(given)
    if array.ndim != 2 or 0 in array.shape:
        raise DataError(
            f"{name} must be a matrix of one row per member and one column per row of "
            f"data, neither empty. Got shape {array.shape}."
        )
    return array


def check_correct(correct: Any) -> Mask:
    """Return who is right in which row, as bools of shape (n_members, n_rows)."""
    return _as_bools(check_matrix("correct", correct), "correct")


def check_pair(first: Any, second: Any) -> tuple[Array, Array]:
    """Return two vectors of equal length, not empty."""
    a, b = np.asarray(first), np.asarray(second)
    if a.ndim != 1 or a.shape != b.shape or not len(a):
        raise DataError(
            "first and second must be vectors of equal length, not empty. Got shapes "
            f"{a.shape} and {b.shape}."
        )
    return a, b


def as_correct_pair(first: Any, second: Any) -> tuple[Mask, Mask]:
    """Return two vectors of who is right, as bools."""
    a, b = check_pair(first, second)
    return _as_bools(a, "first"), _as_bools(b, "second")


def check_predictions(predictions: Any, y: Any) -> tuple[Array, Array]:
    """Return the answers of members, one row each, and the true answers."""
    answers, truth = check_matrix("predictions", predictions), np.asarray(y)
    if truth.shape != answers.shape[1:]:
        raise DataError(
            f"y must have one class per column of predictions: {answers.shape[1]}. Got "
            f"shape {truth.shape}."
        )
    for name, array in (("predictions", answers), ("y", truth)):
        if array.dtype.kind not in _KINDS:
            message = f"{name} must hold class labels. Got values of {array.dtype}."
            raise DataError(message)
    return answers, truth


def class_codes(predictions: Any, y: Any) -> tuple[Codes, Codes, int]:
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
        raise DataError(
            "predictions and y must hold labels of one kind, text or numbers. Convert "
            "one of them, for example with astype(str)."
        ) from error
    return codes[0].astype(np.int32), codes[1].astype(np.int32), len(labels)


def _as_bools(array: Array, name: str) -> Mask:
    if array.dtype.kind not in "biuf" or not np.isin(array, (0, 1)).all():
        raise DataError(
            f"{name} must tell who is right by True and False, or 1 and 0. Compare "
            "predictions with the truth first: predictions == y."
        )
    return array.astype(np.bool_)
