"""scikit-learn's own cross-validated nearest neighbours, without its overhead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    RobustScaler,
    StandardScaler,
)

from featsieve._kernels import NeighbourVotes
from featsieve.measures._neighbours import as_subsets
from featsieve.wrappers._criteria import (
    Record,
    Splits,
    Subset,
    evaluate_in_parts,
    share_of_largest,
)

__all__ = ["ExactNeighbours", "plain_neighbours"]

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


class ExactNeighbours:
    """Cross-validated accuracy, equal to that of ``cross_val_score``.

    Votes come from our own search wherever the nearest rows leave no choice. Where rows
    are equally near, and which of them vote decides about the class, scikit-learn
    itself is asked for these rows, because its choice depends on its tree.
    """

    greater_is_better = True
    relative = False
    tolerance = 0.0
    slack = 0.0

    def __init__(
        self,
        estimator: Any,
        parts: PlainNeighbours,
        X: NDArray[np.float64],
        classes: NDArray[np.int32],
        *,
        splits: Splits,
        n_jobs: int | None,
    ) -> None:
        self._estimator = estimator
        self._parts = parts
        self._X = X
        self._classes = classes
        self._n_classes = int(classes.max()) + 1
        self._splits = splits
        self._n_jobs = n_jobs
        self._folds = [self._fold(train, test) for train, test in splits]
        self.nothing = share_of_largest(classes)

    def _fold(
        self, train: NDArray[np.intp], test: NDArray[np.intp]
    ) -> tuple[NeighbourVotes, NDArray[np.float64]]:
        """Return who votes, and by how much sums of squares may be rounded."""
        rows, queries = self._X[train], self._X[test]
        if self._parts.scaler is not None:
            scaler = clone(self._parts.scaler).fit(rows)
            rows, queries = scaler.transform(rows), scaler.transform(queries)
        largest = np.maximum(np.abs(rows).max(axis=0), np.abs(queries).max(axis=0))
        kinds = np.zeros(rows.shape[1], dtype=np.uint8)
        votes = NeighbourVotes(
            np.ascontiguousarray(rows.T),
            np.ascontiguousarray(queries.T),
            kinds,
            self._classes[train],
        )
        return votes, 64 * np.finfo(np.float64).eps * largest**2

    def evaluate(self, subsets: list[Subset], record: Record) -> None:
        """Call `record(i, value)` for every subset."""
        evaluate_in_parts(
            self._values,
            subsets,
            record,
            n_rows=len(self._classes),
            n_jobs=self._n_jobs,
        )

    def _values(self, part: list[Subset]) -> Sequence[float]:
        packed = as_subsets(part)
        k = int(self._parts.classifier.n_neighbors)
        scores = np.empty((len(part), len(self._splits)))
        for f, (train, test) in enumerate(self._splits):
            votes, rounding = self._folds[f]
            slack = self._slack(part, rounding, len(train))
            answers = votes.of_exactly(*packed, k, self._n_classes, slack)
            for s, open_rows in enumerate(answers < 0):
                if open_rows.any():
                    answers[s, open_rows] = self._ask(part[s], train, test[open_rows])
            right = np.count_nonzero(answers == self._classes[test], axis=1)
            scores[:, f] = right / len(test)
        return [float(np.mean(row)) for row in scores]

    def _slack(
        self, part: list[Subset], rounding: NDArray[np.float64], n_train: int
    ) -> NDArray[np.float64]:
        classifier = self._parts.classifier
        if classifier.algorithm == "kd_tree":
            return np.zeros(len(part))
        all_pairs = classifier.algorithm == "brute" or (
            classifier.n_neighbors >= n_train // 2
        )
        return np.array(
            [
                rounding[list(subset)].sum()
                if all_pairs or len(subset) > MOST_FEATURES_OF_TREES
                else 0.0
                for subset in part
            ]
        )

    def _ask(
        self, subset: Subset, train: NDArray[np.intp], test: NDArray[np.intp]
    ) -> NDArray[Any]:
        """Return scikit-learn's own answers for a few rows."""
        columns = np.array(sorted(subset), dtype=np.intp)
        with config_context(assume_finite=True):
            fitted = clone(self._estimator).fit(
                self._X[np.ix_(train, columns)], self._classes[train]
            )
            answers: NDArray[Any] = fitted.predict(self._X[np.ix_(test, columns)])
        return answers
