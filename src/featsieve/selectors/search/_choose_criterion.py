"""From what a user asks for to what values subsets: the fastest that gives the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.model_selection import check_cv

from featsieve._checks import check_choice, check_integer
from featsieve._types import Array, Codes, Positions
from featsieve.data import Table
from featsieve.data.api import Training, is_frame, plain_input, table_values
from featsieve.exceptions import DataError
from featsieve.selectors.search._criteria import (
    BoostedEstimator,
    BoostedNeighbours,
    Criterion,
    FoldedNeighbours,
    NeighbourAccuracy,
    ScoredEstimator,
    Splits,
    compared_rows,
    folds_in_order,
)
from featsieve.selectors.search._exact_neighbours import (
    LARGEST,
    ExactNeighbours,
    plain_neighbours,
)

#: Criteria of our own.
CRITERIA = ("accuracy", "boosting_z", "boosting_z_conflict")

RESUBSTITUTION = "resubstitution"


@dataclass(frozen=True, slots=True, eq=False)
class LearnerRows:
    """What an estimator is trained on."""

    X: Any  # what was passed, as a frame or an array; None if nothing is trained
    labels: Array  # classes as they were
    codes: Codes  # of those that occur
    dropped: bool  # whether rows were left out


def learner_rows(training: Training, *, trained: bool) -> LearnerRows:
    """Return the rows whose class is known, with columns if a learner is `trained`."""
    rows = training.target.rows
    codes = training.target.codes
    _, used = np.unique(codes, return_inverse=True)
    labels = np.array(training.target.classes)[codes]
    values = _columns_as_passed(training) if trained else None
    return LearnerRows(values, labels, used.astype(np.int32), rows is not None)


def _columns_as_passed(training: Training) -> Any:
    rows = training.target.rows
    X = plain_input(training.source)
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
        raise DataError(
            "cv gives rows by number, and rows without a target were left out, so the "
            "numbers do not fit. Drop those rows first, or pass a splitter."
        )
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
        raise DataError(
            f"The 'cv' parameter of {type(owner).__name__} must be an int >= 2, a "
            "splitter of scikit-learn, or pairs of training and test rows. Got "
            f"{cv!r} instead."
        ) from None
    if not splits or any(not len(part) for split in splits for part in split):
        raise DataError(
            "cv must give at least one split, each with training and test rows. Ask "
            "for fewer folds, or leave out splits without rows."
        )
    return splits


def _row_numbers(part: Any, n_rows: int) -> Positions:
    numbers = np.asarray(part)
    if numbers.dtype == np.bool_:
        numbers = np.flatnonzero(numbers)
    if len(numbers) and (numbers.min() < 0 or numbers.max() >= n_rows):
        wrong = numbers.min() if numbers.min() < 0 else numbers.max()
        raise DataError(
            f"cv must number rows from 0 to {n_rows - 1}. Got {wrong}; make the splits "
            "from the rows that are fitted."
        )
    return numbers.astype(np.intp)


def choose_criterion(
    owner: Any, training: Training, rows: LearnerRows, splits: Splits | None, seed: int
) -> Criterion:
    """Return what values subsets for a wrapper with these parameters."""
    boosts = isinstance(owner.scoring, str) and owner.scoring.startswith("boosting")
    if isinstance(owner.scoring, str) and owner.scoring not in CRITERIA:
        known = (*CRITERIA, *get_scorer_names())
        check_choice("scoring", owner.scoring, known, owner)
    if boosts:
        return _boosted(owner, training.table, rows, splits, seed)
    if owner.estimator is None:
        return _own_neighbours(owner, training.table, rows, splits)
    if owner.scoring == "accuracy" and splits is not None:
        exact = _exact_neighbours(owner, training.table, rows, splits)
        if exact is not None:
            return exact
    check_scoring(owner.estimator, owner.scoring)
    return ScoredEstimator(
        owner.estimator, owner.scoring, rows.X, rows.labels, splits, owner.n_jobs
    )


def _own_neighbours(
    owner: Any, table: Table, rows: LearnerRows, splits: Splits | None
) -> Criterion:
    if owner.scoring != "accuracy":
        raise ValueError(
            f"scoring={owner.scoring!r} scores an estimator, and there is "
            "none. Pass one, or use 'accuracy', 'boosting_z' or 'boosting_z_conflict'."
        )
    k, n_jobs = owner.n_neighbors, owner.n_jobs
    if splits is not None:
        return FoldedNeighbours(table, rows.codes, splits, k, n_jobs)
    alone = owner.cv is None
    return NeighbourAccuracy(compared_rows(table), rows.codes, k, alone, n_jobs)


def _boosted(
    owner: Any, table: Table, rows: LearnerRows, splits: Splits | None, seed: int
) -> Criterion:
    """Return Z of nearest neighbours of our own, or of an estimator."""
    codes, left_out, conflict = rows.codes, None, None
    if owner.scoring == "boosting_z_conflict":
        conflict = owner.conflict_scope
    if splits is not None:
        order, left_out = folds_in_order(splits, len(codes))
    how = (owner.n_rounds, owner.boosting_vote, conflict)
    if owner.estimator is None:
        if splits is not None:
            table, codes = table.take(order), np.ascontiguousarray(codes[order])
        own = (compared_rows(table), codes, owner.n_neighbors, *how, left_out)
        return BoostedNeighbours(*own, owner.cv is None, owner.n_jobs)
    described = np.zeros((0, 0), dtype=np.int32)
    if conflict is not None:
        described = compared_rows(table, scale=False).codes
    other = (owner.estimator, rows.X, codes, splits, described)
    return BoostedEstimator(*other, *how, seed, owner.n_jobs)


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
    return ExactNeighbours(owner.estimator, parts, X, codes, splits, owner.n_jobs)


def _double_precision(X: Any) -> bool:
    """Whether scikit-learn would compute with 64 bits."""
    if is_frame(X):
        kinds = nw.from_native(X, eager_only=True).schema.values()
        return not any(kind == nw.Float32 for kind in kinds)
    return bool(X.dtype == np.float64 or X.dtype.kind in "iu")
