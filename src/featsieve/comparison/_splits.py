"""Which rows train and which test: folds that heed how rows belong together."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import LeaveOneGroupOut, LeaveOneOut

from featsieve._types import Array, Ints
from featsieve.comparison._row_options import GivenRows
from featsieve.evaluation import forward_folds, repeated_folds
from featsieve.exceptions import DataError

Split = tuple[Ints, Ints]
FOLDS = re.compile(r"(\d+)(?:\s*[x×]\s*(\d+))?")


def _fold_counts(cv: Any) -> tuple[int, int] | None:
    """Return folds and repetitions from "10x3", "10" or 10; None for other things."""
    if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
        return int(cv), 1
    match = FOLDS.fullmatch(cv.strip().lower()) if isinstance(cv, str) else None
    return None if match is None else (int(match[1]), int(match[2] or 1))


def _leaves_one_out(cv: Any) -> bool:
    return isinstance(cv, str) and cv.strip().lower() in ("loo", "leave-one-out")


def make_splits(
    cv: Any, target: Array, rows: GivenRows, *, classes: bool, seed: int
) -> list[Split]:
    """Return the rows for training and testing of every split.

    Rows of one group are never on both sides; with time, what is tested comes after all
    that is trained on.
    """
    counts = _fold_counts(cv)
    if counts is not None and (counts[0] < 2 or counts[1] < 1):
        message = (
            f"The 'cv' parameter of compare must have 2 folds or more. Got {cv!r}."
        )
        raise DataError(message)
    if counts is not None:
        splits = _make_folds(*counts, target, rows, classes=classes, seed=seed)
    elif _leaves_one_out(cv):
        splits = _leave_out(target, rows)
    else:
        splits = _read_splits(cv, target, rows)
        _check_splits(splits, len(target))
        _check_groups(splits, rows)
    if classes:
        _check_classes(splits, target)
    return splits


def _make_folds(
    n_folds: int,
    n_repeats: int,
    target: Array,
    rows: GivenRows,
    *,
    classes: bool,
    seed: int,
) -> list[Split]:
    if rows.moments is not None:
        # There is one order of time only, so that repetitions would be the same.
        return forward_folds(rows.moments, n_folds)
    labels = target
    if rows.strata is not None:
        both = (rows.strata, target) if classes else (rows.strata,)
        labels = np.unique(np.column_stack(both), axis=0, return_inverse=True)[1]
    return repeated_folds(
        np.ravel(labels),
        n_folds,
        n_repeats,
        stratified=classes or rows.strata is not None,
        groups=rows.groups,
        random_state=seed,
    )


def _leave_out(target: Array, rows: GivenRows) -> list[Split]:
    """Leave one row out, or one group."""
    matrix = np.zeros((len(target), 1))
    if rows.moments is not None:
        message = (
            "The 'cv' parameter of compare cannot leave one row out with 'time', since "
            "all later rows would be trained on. Say a number of folds."
        )
        raise DataError(message)
    if rows.groups is not None:
        return list(LeaveOneGroupOut().split(matrix, groups=rows.groups))
    return list(LeaveOneOut().split(matrix))


def _read_splits(cv: Any, target: Array, rows: GivenRows) -> list[Split]:
    try:
        with warnings.catch_warnings():
            # What such a splitter then makes of the groups is looked at.
            warnings.filterwarnings("ignore", message="The groups parameter is ignored")
            if hasattr(cv, "split") and not isinstance(cv, str):
                cv = cv.split(np.zeros((len(target), 1)), target, rows.groups)
            return [
                (np.asarray(train, np.int64), np.asarray(test, np.int64))
                for train, test in cv
            ]
    except (TypeError, ValueError):
        message = (
            "The 'cv' parameter of compare must be like '10x3', a number of folds, "
            f"'loo', a splitter or a list of (train, test) rows. Got {cv!r}."
        )
        raise DataError(message) from None


def _check_splits(splits: Sequence[Split], n_rows: int) -> None:
    for number, (train, test) in enumerate(splits):
        rows = np.concatenate([train, test])
        if not len(train) or not len(test) or rows.min() < 0 or rows.max() >= n_rows:
            message = (
                f"Split {number} of 'cv' must have rows for training and for testing, "
                f"numbered from 0 to {n_rows - 1}."
            )
            raise DataError(message)
        if np.isin(test, train).any():
            message = (
                f"Split {number} of 'cv' tests on rows that it trains on. Take them "
                "out of one of the two."
            )
            raise DataError(message)
    if not splits:
        message = "The 'cv' parameter of compare must give at least one split."
        raise DataError(message)


def _check_groups(splits: Sequence[Split], rows: GivenRows) -> None:
    """Raise if splits of the caller tear groups, or train on what comes later."""
    for number, (train, test) in enumerate(splits):
        groups, moments = rows.groups, rows.moments
        if groups is not None and np.isin(groups[test], groups[train]).any():
            message = (
                f"Split {number} of 'cv' trains and tests on rows of the same group. "
                "Say a number of folds, or a splitter that heeds groups, such as "
                "GroupKFold."
            )
            raise DataError(message)
        if moments is not None and moments[train].max() >= moments[test].min():
            message = (
                f"Split {number} of 'cv' trains on rows that are not before those it "
                "tests on. Say a number of folds, or sort the rows by time and use "
                "TimeSeriesSplit."
            )
            raise DataError(message)


def _check_classes(splits: Sequence[Split], target: Array) -> None:
    for number, (train, _) in enumerate(splits):
        if (target[train] == target[train[0]]).all():
            message = (
                f"All rows that split {number} of 'cv' trains on are of one class, so "
                "nothing can be learnt. Ask for fewer folds, or choose other groups or "
                "another time."
            )
            raise DataError(message)


def describe_cv(cv: Any, n_splits: int, rows: GivenRows) -> str:
    """Say in a few words how rows are split."""
    counts = _fold_counts(cv)
    if counts is None:
        kind = cv if isinstance(cv, str) else type(cv).__name__
        whole = " of whole groups" if _leaves_one_out(cv) and rows.has_groups else ""
        return f"{n_splits} splits{whole} ({kind})"
    if rows.moments is not None:
        return f"{n_splits} folds, each after the rows it is learnt from"
    folds = f"{counts[0]} folds" + " of whole groups" * rows.has_groups
    return folds if counts[1] == 1 else f"{folds}, {counts[1]} times"
