"""From what a user asks for to what values subsets: the fastest that gives the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.model_selection import check_cv

from featsieve._checks import check_choice, check_integer
from featsieve.data import Table
from featsieve.data._inputs import is_frame, plain_input, table_values
from featsieve.exceptions import DataError
from featsieve.filters._base import Training
from featsieve.wrappers._criteria import (
    BoostedNeighbours,
    Criterion,
    FoldedNeighbours,
    NeighbourAccuracy,
    Splits,
    compared_rows,
    folds_in_order,
)
from featsieve.wrappers._estimator_criteria import BoostedEstimator, ScoredEstimator
from featsieve.wrappers._exact_neighbours import (
    LARGEST,
    ExactNeighbours,
    plain_neighbours,
)

__all__ = ["CRITERIA", "LearnerRows", "choose_criterion", "learner_rows", "read_splits"]

#: Criteria of our own.
CRITERIA = ("accuracy", "boosting_z", "boosting_z_conflict")

RESUBSTITUTION = "resubstitution"


@dataclass(frozen=True, slots=True, eq=False)
class LearnerRows:
    """What an estimator is trained on.

    `X` is what was passed, as a frame or an array (None if nothing is trained);
    `labels` are the classes as they were, and `codes` number those that occur.
    `dropped` says that rows were left out.
    """

    X: Any
    labels: NDArray[Any]
    codes: NDArray[np.int32]
    dropped: bool


def learner_rows(X: Any, training: Training, *, trained: bool) -> LearnerRows:
    """Return the rows whose class is known, with columns if a learner is `trained`."""
    rows = training.target.rows
    codes = training.target.codes
    _, used = np.unique(codes, return_inverse=True)
    labels = np.array(training.target.classes)[codes]
    values = _columns_as_passed(X, training) if trained else None
    return LearnerRows(values, labels, used.astype(np.int32), rows is not None)


def _columns_as_passed(X: Any, training: Training) -> Any:
    rows = training.target.rows
    X = plain_input(X)
    if isinstance(X, (Table, pa.Table)) or not (is_frame(X) or hasattr(X, "dtype")):
        return table_values(training.table, "default")
    if not is_frame(X):
        return np.asarray(X) if rows is None else np.asarray(X)[rows]
    if rows is None:
        return X
    frame = nw.from_native(X, eager_only=True)
    return frame[np.flatnonzero(rows).tolist(), :].to_native()


def read_splits(owner: Any, rows: LearnerRows) -> Splits | None:
    """Return training and test rows; None for leave-one-out and resubstitution."""
    cv = owner.cv
    if isinstance(cv, str):
        check_choice("cv", cv, (RESUBSTITUTION,), owner)
        return None
    if cv is None and owner.estimator is None:
        return None
    given = isinstance(cv, Iterable) and not hasattr(cv, "split")
    if given and rows.dropped:
        message = (
            "cv gives rows by number, and rows without a target were left out, so the "
            "numbers do not fit. Drop those rows first, or pass a splitter."
        )
        raise DataError(message)
    if isinstance(cv, Integral):
        check_integer("cv", cv, owner, at_least=2, most=len(rows.codes))
    n_rows = len(rows.codes)
    try:
        splitter = check_cv(5 if cv is None else cv, rows.labels, classifier=True)
        splits = [
            (_row_numbers(train, n_rows), _row_numbers(test, n_rows))
            for train, test in splitter.split(np.zeros((n_rows, 1)), rows.labels)
        ]
    except TypeError:
        message = (
            f"The 'cv' parameter of {type(owner).__name__} must be an int >= 2, a "
            "splitter of scikit-learn, or pairs of training and test rows. Got "
            f"{cv!r} instead."
        )
        raise DataError(message) from None
    if not splits or any(not len(part) for split in splits for part in split):
        message = (
            "cv must give at least one split, each with training and test rows. Ask "
            "for fewer folds, or leave out splits without rows."
        )
        raise DataError(message)
    return splits


def _row_numbers(part: Any, n_rows: int) -> NDArray[np.intp]:
    numbers = np.asarray(part)
    if numbers.dtype == np.bool_:
        numbers = np.flatnonzero(numbers)
    if len(numbers) and (numbers.min() < 0 or numbers.max() >= n_rows):
        wrong = numbers.min() if numbers.min() < 0 else numbers.max()
        message = (
            f"cv must number rows from 0 to {n_rows - 1}. Got {wrong}; make the splits "
            "from the rows that are fitted."
        )
        raise DataError(message)
    return numbers.astype(np.intp)


def choose_criterion(
    owner: Any, training: Training, rows: LearnerRows, splits: Splits | None, seed: int
) -> Criterion:
    """Return what values subsets for a wrapper with these parameters."""
    boosts = isinstance(owner.criterion, str) and owner.criterion.startswith("boosting")
    if isinstance(owner.criterion, str) and owner.criterion not in CRITERIA:
        known = (*CRITERIA, *get_scorer_names())
        check_choice("criterion", owner.criterion, known, owner)
    if owner.estimator is None:
        return (_boosted_neighbours if boosts else _own_neighbours)(
            owner, training.table, rows, splits
        )
    if boosts:
        return _boosted_estimator(owner, training.table, rows, splits, seed)
    if owner.criterion == "accuracy" and splits is not None:
        exact = _exact_neighbours(owner, training.table, rows, splits)
        if exact is not None:
            return exact
    check_scoring(owner.estimator, owner.criterion)
    return ScoredEstimator(
        owner.estimator,
        owner.criterion,
        rows.X,
        rows.labels,
        splits=splits,
        n_jobs=owner.n_jobs,
    )


def _own_neighbours(
    owner: Any, table: Table, rows: LearnerRows, splits: Splits | None
) -> Criterion:
    if owner.criterion != "accuracy":
        message = (
            f"The criterion {owner.criterion!r} scores an estimator, and there is "
            "none. Pass one, or use 'accuracy', 'boosting_z' or 'boosting_z_conflict'."
        )
        raise ValueError(message)
    if splits is not None:
        return FoldedNeighbours(
            table,
            rows.codes,
            splits,
            n_neighbors=owner.n_neighbors,
            n_jobs=owner.n_jobs,
        )
    return NeighbourAccuracy(
        compared_rows(table),
        rows.codes,
        n_neighbors=owner.n_neighbors,
        leave_one_out=owner.cv is None,
        n_jobs=owner.n_jobs,
    )


def _conflict(owner: Any) -> str | None:
    conflict = owner.criterion == "boosting_z_conflict"
    return owner.conflict_scope if conflict else None


def _boosted_neighbours(
    owner: Any, table: Table, rows: LearnerRows, splits: Splits | None
) -> Criterion:
    codes, left_out = rows.codes, None
    if splits is not None:
        order, left_out = folds_in_order(splits, len(codes))
        table, codes = table.take(order), np.ascontiguousarray(codes[order])
    return BoostedNeighbours(
        compared_rows(table),
        codes,
        n_neighbors=owner.n_neighbors,
        n_rounds=owner.n_rounds,
        vote=owner.vote,
        conflict=_conflict(owner),
        left_out=left_out,
        leave_one_out=owner.cv is None,
        n_jobs=owner.n_jobs,
    )


def _boosted_estimator(
    owner: Any, table: Table, rows: LearnerRows, splits: Splits | None, seed: int
) -> Criterion:
    if splits is not None:
        folds_in_order(splits, len(rows.codes))
    conflict = _conflict(owner)
    codes = (
        np.zeros((0, 0), dtype=np.int32)
        if conflict is None
        else compared_rows(table, scale=False).codes
    )
    return BoostedEstimator(
        owner.estimator,
        rows.X,
        rows.codes,
        splits,
        descriptions=codes,
        n_rounds=owner.n_rounds,
        vote=owner.vote,
        conflict=conflict,
        seed=seed,
        n_jobs=owner.n_jobs,
    )


def _exact_neighbours(
    owner: Any, table: Table, rows: LearnerRows, splits: Splits
) -> Criterion | None:
    """Return the fast way for plain nearest neighbours of plain numbers, if it is."""
    parts = plain_neighbours(owner.estimator)
    if parts is None or any(column.is_nominal for column in table):
        return None
    if parts.classifier.n_neighbors > min(len(train) for train, _ in splits):
        return None
    if not _double_precision(rows.X):
        return None
    X = np.column_stack([column.values for column in table])
    largest = np.abs(X).max()
    if not largest <= LARGEST:  # NaN, too
        return None
    # Classes in the order of their labels, as scikit-learn has them, not of levels.
    codes = np.unique(rows.labels, return_inverse=True)[1].astype(np.int32)
    return ExactNeighbours(
        owner.estimator, parts, X, codes, splits=splits, n_jobs=owner.n_jobs
    )


def _double_precision(X: Any) -> bool:
    """Whether scikit-learn would compute with 64 bits."""
    if is_frame(X):
        kinds = nw.from_native(X, eager_only=True).schema.values()
        return not any(kind == nw.Float32 for kind in kinds)
    return bool(X.dtype == np.float64 or X.dtype.kind in "iu")
