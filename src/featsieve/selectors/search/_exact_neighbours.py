"""scikit-learn's own cross-validated nearest neighbours, without its overhead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.base import clone
from sklearn.neighbors import KDTree, KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    RobustScaler,
    StandardScaler,
)

from featsieve._kernels import NeighbourVotes
from featsieve._types import Array, Codes, Floats, Positions
from featsieve.measures.api import as_subsets
from featsieve.selectors.search._criteria import (
    NeighbourCriterion,
    Splits,
    Subset,
    share_of_largest,
)

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
