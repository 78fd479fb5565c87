"""From what a user asks for to what values subsets: the fastest that gives the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from sklearn import config_context
from sklearn.base import clone
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.model_selection import check_cv
from sklearn.neighbors import KDTree, KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    RobustScaler,
    StandardScaler,
)

from featsieve._checks import check_choice, check_integer
from featsieve._kernels import NeighbourVotes
from featsieve._types import Array, Codes, Floats, Positions
from featsieve.data import Table
from featsieve.data.api import Training, is_frame, plain_input, table_values
from featsieve.exceptions import DataError
from featsieve.measures.api import as_subsets
from featsieve.selectors.search._criteria import (
    BoostedEstimator,
    BoostedNeighbours,
    Criterion,
    FoldedNeighbours,
    NeighbourAccuracy,
    NeighbourCriterion,
    ScoredEstimator,
    Splits,
    Subset,
    compared_rows,
    folds_in_order,
    share_of_largest,
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


#: Steps that treat every column by itself, so that they need not be fitted again for
#: every subset.
SCALERS = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler)

#: scikit-learn compares all rows with all by products of matrices beyond this many
#: features, which rounds by the size of the numbers, not of their distance.
MOST_FEATURES_OF_TREES = 15

#: Squares of larger numbers might overflow.
LARGEST = 1e100


@dataclass(frozen=True, slots=True)
class PlainNeighbours:
    """A classifier that is recognised: its last step, and the scaler before."""

    classifier: KNeighborsClassifier
    scaler: Any


def plain_neighbours(estimator: Any) -> PlainNeighbours | None:
    """Return the parts of a plain nearest neighbours classifier, None if it is not.

    Plain are Euclidean distances and uniform weights, by a tree or by brute force, with
    or without a scaler in front.
    """
    scaler = None
    if type(estimator) is Pipeline:
        if len(estimator.steps) != 2 or type(estimator.steps[0][1]) not in SCALERS:
            return None
        scaler, estimator = (step for _, step in estimator.steps)
    if type(estimator) is not KNeighborsClassifier:
        return None
    euclidean = estimator.metric == "euclidean" or (
        estimator.metric == "minkowski" and estimator.p == 2
    )
    if (
        not euclidean
        or estimator.metric_params is not None
        or estimator.weights != "uniform"
        or estimator.algorithm not in ("auto", "kd_tree", "brute")
        or not isinstance(estimator.n_neighbors, (int, np.integer))
        or estimator.n_neighbors < 1
    ):
        return None
    return PlainNeighbours(estimator, scaler)


@dataclass(eq=False)
class ExactNeighbours(NeighbourCriterion):
    """Cross-validated accuracy, equal to that of ``cross_val_score``.

    Votes come from our own search wherever the nearest rows leave no choice. Where rows
    are equally near, and which of them vote decides about the class, scikit-learn's own
    tree is asked for these rows, because the choice depends on its shape.
    """

    estimator: Any
    parts: PlainNeighbours
    X: Floats
    classes: Codes
    splits: Splits
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        self._n_classes = int(self.classes.max()) + 1
        self._folds = [self._fold(train, test) for train, test in self.splits]
        self.nothing = share_of_largest(self.classes)

    def _fold(self, train: Positions, test: Positions) -> tuple[NeighbourVotes, Floats]:
        """Return who votes, and by how much sums of squares may be rounded."""
        rows, queries = self.X[train], self.X[test]
        if self.parts.scaler is not None:
            scaler = clone(self.parts.scaler).fit(rows)
            rows, queries = scaler.transform(rows), scaler.transform(queries)
        largest = np.maximum(np.abs(rows).max(axis=0), np.abs(queries).max(axis=0))
        kinds = np.zeros(rows.shape[1], dtype=np.uint8)
        votes = NeighbourVotes(
            np.ascontiguousarray(rows.T),
            np.ascontiguousarray(queries.T),
            kinds,
            self.classes[train],
        )
        return votes, 64 * np.finfo(np.float64).eps * largest**2

    def _values(self, part: list[Subset]) -> Sequence[float]:
        packed = as_subsets(part)
        k = int(self.parts.classifier.n_neighbors)
        scores = np.empty((len(part), len(self.splits)))
        for f, (train, test) in enumerate(self.splits):
            votes, rounding = self._folds[f]
            slack = self._slack(part, rounding, len(train))
            answers = votes.of_exactly(*packed, k, self._n_classes, slack)
            for s, open_rows in enumerate(answers < 0):
                if open_rows.any():
                    answers[s, open_rows] = self._ask(part[s], train, test[open_rows])
            right = np.count_nonzero(answers == self.classes[test], axis=1)
            scores[:, f] = right / len(test)
        return [float(np.mean(row)) for row in scores]

    def _slack(self, part: list[Subset], rounding: Floats, n_train: int) -> Floats:
        return np.array(
            [
                0.0 if self._by_tree(subset, n_train) else rounding[list(subset)].sum()
                for subset in part
            ]
        )

    def _by_tree(self, subset: Subset, n_train: int) -> bool:
        """Whether scikit-learn builds a tree, by its own rules."""
        classifier = self.parts.classifier
        if classifier.algorithm == "auto":
            few = len(subset) <= MOST_FEATURES_OF_TREES
            return few and classifier.n_neighbors < n_train // 2
        return bool(classifier.algorithm == "kd_tree")

    def _ask(self, subset: Subset, train: Positions, test: Positions) -> Array:
        """Return scikit-learn's own answers for a few rows."""
        columns = np.array(sorted(subset), dtype=np.intp)
        rows, queries = self.X[np.ix_(train, columns)], self.X[np.ix_(test, columns)]
        answers: Array
        with config_context(assume_finite=True):
            if not self._by_tree(subset, len(train)):
                fitted = clone(self.estimator).fit(rows, self.classes[train])
                answers = fitted.predict(queries)
                return answers
            # The tree is all that decides, and most of the work is around it.
            if self.parts.scaler is not None:
                scaler = clone(self.parts.scaler).fit(rows)
                rows, queries = scaler.transform(rows), scaler.transform(queries)
            classifier = self.parts.classifier
            tree = KDTree(rows, leaf_size=classifier.leaf_size, metric="euclidean")
            k = int(classifier.n_neighbors)
            votes = self.classes[train][tree.query(queries, k, return_distance=False)]
        counts = (votes[:, :, np.newaxis] == np.arange(self._n_classes)).sum(axis=1)
        answers = counts.argmax(axis=1)
        return answers
