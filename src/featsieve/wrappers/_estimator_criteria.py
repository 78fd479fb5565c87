"""How good subsets are, by any classifier: scored, or boosted."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.utils.validation import has_fit_parameter

from featsieve.data._inputs import is_frame, take_columns
from featsieve.engine import derive_seed, run_tasks
from featsieve.wrappers._criteria import (
    BoostedNeighbours,
    Record,
    Splits,
    Subset,
    share_of_largest,
)

__all__ = ["BoostedEstimator", "ScoredEstimator"]

#: A correlation below this is rounding noise of none.
NO_CORRELATION = 1e-12


def columns_of(X: Any, subset: Subset) -> Any:
    """Return some columns, in the order of the table."""
    columns = sorted(subset)
    return take_columns(X, columns) if is_frame(X) else X[:, columns]


def evaluate_in_batches(
    value: Callable[[Subset], float],
    subsets: list[Subset],
    record: Record,
    n_jobs: int | None,
) -> None:
    """Evaluate as many subsets at a time as there are jobs, and record each batch.

    Values do not depend on the batches, and an interruption loses one batch at most.
    """
    size = max(1, effective_n_jobs(n_jobs))
    for begin in range(0, len(subsets), size):
        batch = subsets[begin : begin + size]
        if size == 1:
            record(begin, value(batch[0]))
            continue
        tasks = [(subset,) for subset in batch]
        for i, found in enumerate(run_tasks(value, tasks, n_jobs=n_jobs)):
            record(begin + i, found)


class ScoredEstimator:
    """Mean score over given splits, as ``cross_val_score`` has it."""

    greater_is_better = True
    relative = False
    tolerance = 0.0
    slack = 0.0

    def __init__(
        self,
        estimator: Any,
        scorer: Any,
        X: Any,
        y: NDArray[Any],
        *,
        splits: Splits | None,
        n_jobs: int | None,
    ) -> None:
        self._estimator = estimator
        self._scorer = scorer
        self._X, self._y = X, y
        self._splits = splits
        self._n_jobs = n_jobs
        codes = np.unique(y, return_inverse=True)[1].astype(np.int32)
        self.nothing = share_of_largest(codes) if scorer == "accuracy" else 0.0

    def evaluate(self, subsets: list[Subset], record: Record) -> None:
        """Call `record(i, value)` for every subset."""
        evaluate_in_batches(self._value, subsets, record, self._n_jobs)

    def _value(self, subset: Subset) -> float:
        X = columns_of(self._X, subset)
        splits = self._splits
        if splits is None:
            everything = np.arange(len(self._y))
            splits = [(everything, everything)]
        # A learner that fails is an error to be seen, not a bad subset.
        scores = cross_val_score(
            clone(self._estimator),
            X,
            self._y,
            cv=splits,
            scoring=self._scorer,
            error_score="raise",
        )
        return float(scores.mean())


class BoostedEstimator:
    """Z of a boosted classifier that votes for rows it was not trained on."""

    greater_is_better = False
    relative = True
    tolerance = BoostedNeighbours.tolerance
    slack = BoostedNeighbours.slack
    nothing = 1.0

    def __init__(
        self,
        estimator: Any,
        X: Any,
        classes: NDArray[np.int32],
        splits: Splits | None,
        *,
        descriptions: NDArray[np.int32],
        n_rounds: int,
        vote: str,
        conflict: str | None,
        seed: int,
        n_jobs: int | None,
    ) -> None:
        self._estimator = estimator
        self._X = X
        self._classes = classes
        everything = np.arange(len(classes))
        self._splits = [(everything, everything)] if splits is None else splits
        self._descriptions = descriptions
        self._n_rounds = n_rounds
        self._real = vote == "real" and hasattr(estimator, "predict_proba")
        self._conflict = conflict
        self._seed = seed
        self._n_jobs = n_jobs
        self._weighs = has_fit_parameter(estimator, "sample_weight")

    def evaluate(self, subsets: list[Subset], record: Record) -> None:
        """Call `record(i, value)` for every subset."""
        evaluate_in_batches(self._value, subsets, record, self._n_jobs)

    def _value(self, subset: Subset) -> float:
        X = columns_of(self._X, subset)
        n_classes = int(self._classes.max()) + 1
        problems = range(n_classes) if n_classes > 2 else (n_classes - 1,)
        seed = derive_seed(self._seed, *sorted(subset))
        return float(
            np.mean([self._boost(X, subset, positive, seed) for positive in problems])
        )

    def _boost(self, X: Any, subset: Subset, positive: int, seed: int) -> float:
        """Return Z of one class against the others."""
        labels = np.where(self._classes == positive, 1, -1)
        n = len(labels)
        start = np.full(n, 1 / n)
        if self._conflict is not None:
            start = self._without_conflicts(subset, labels)
        weights = start
        margins = np.zeros(n)
        for number in range(self._n_rounds):
            votes = self._votes(X, labels, weights, derive_seed(seed, positive, number))
            r = float(np.sum(weights * labels * votes))
            if r <= NO_CORRELATION:
                break
            r = min(r, 1 - 1 / n)
            alpha = 0.5 * math.log((1 + r) / (1 - r))
            margins += alpha * votes
            weights = weights * np.exp(-alpha * labels * votes)
            weights = weights / weights.sum()
        judged = (
            start if self._conflict == "rounds_and_criterion" else np.full(n, 1 / n)
        )
        return float(np.sum(judged * np.exp(-labels * margins)))

    def _without_conflicts(
        self, subset: Subset, labels: NDArray[np.int_]
    ) -> NDArray[np.float64]:
        codes = self._descriptions[list(subset)]
        numbers = np.unique(codes, axis=1, return_inverse=True)[1].ravel()
        agreement = np.abs(np.bincount(numbers, weights=labels)) / np.bincount(numbers)
        weights: NDArray[np.float64] = agreement[numbers]
        total = weights.sum()
        return weights / total if total > 0 else np.full(len(labels), 1 / len(labels))

    def _votes(
        self,
        X: Any,
        labels: NDArray[np.int_],
        weights: NDArray[np.float64],
        seed: int,
    ) -> NDArray[np.float64]:
        votes = np.zeros(len(labels))
        rng = np.random.default_rng(seed)
        for known, test in self._splits:
            train, mass = known, weights[known]
            if mass.sum() <= 0:
                continue
            if not self._weighs:
                shares = mass / mass.sum()
                train = rng.choice(train, size=len(train), p=shares)
            elif (mass > 0).sum() < len(mass):
                train, mass = train[mass > 0], mass[mass > 0]
            if (labels[train] == labels[train[0]]).all():
                votes[test] = labels[train[0]]
                continue
            fitted = clone(self._estimator)
            # A mean of 1, since learners may have limits in units of rows.
            more = {"sample_weight": mass / mass.mean()} if self._weighs else {}
            fitted.fit(_rows(X, train), labels[train], **more)
            if self._real:
                votes[test] = 2 * fitted.predict_proba(_rows(X, test))[:, 1] - 1
            else:
                votes[test] = fitted.predict(_rows(X, test))
        return votes


def _rows(X: Any, rows: NDArray[np.intp]) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows]
