"""How good subsets are: by nearest neighbours of our own, or by any classifier."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.utils.validation import has_fit_parameter

from featsieve._kernels import NeighbourVotes
from featsieve._types import Array, Codes, Floats, Positions
from featsieve.data import Table
from featsieve.data.api import is_frame, take_columns
from featsieve.engine import derive_seed, run_tasks
from featsieve.exceptions import DataError
from featsieve.measures.api import (
    CONFLICTS,
    NUMERIC,
    VOTES,
    Columns,
    ComparedRows,
    as_subsets,
    lay_out_columns,
    spread_of,
)

#: Distances that one task computes, about: tens of milliseconds, so that tasks spread
#: over threads and an interruption is noticed soon.
DISTANCES_PER_TASK = 50_000_000

#: Subsets of one task at least: they share the distances of what they begin with, which
#: is worth more the more features are chosen already.
LEAST_PER_TASK = 16

#: A correlation below this is rounding noise of none.
NO_CORRELATION = 1e-12

Subset = tuple[int, ...]
Record = Callable[[int, float], None]
Splits = Sequence[tuple[Positions, Positions]]


class Criterion(ABC):
    """Values subsets. `nothing` is what no features are worth."""

    greater_is_better = True
    relative = False
    tolerance = 0.0
    slack = 0.0
    nothing: float

    @abstractmethod
    def evaluate(self, subsets: list[Subset], record: Record) -> None:
        """Call `record(i, value)` for every subset, as soon as it is known."""


class NeighbourCriterion(Criterion):
    """Evaluates neighbouring subsets together, several such parts at a time."""

    classes: Codes
    n_jobs: int | None

    @abstractmethod
    def _values(self, part: list[Subset]) -> Sequence[float]: ...

    def evaluate(self, subsets: list[Subset], record: Record) -> None:
        """Call `record(i, value)` for every subset, as soon as it is known."""
        size = max(LEAST_PER_TASK, DISTANCES_PER_TASK // max(1, len(self.classes) ** 2))

        def evaluate(begin: int) -> None:
            part = subsets[begin : begin + size]
            for i, value in enumerate(self._values(part)):
                record(begin + i, float(value))

        tasks = [(begin,) for begin in range(0, len(subsets), size)]
        run_tasks(evaluate, tasks, n_jobs=self.n_jobs, shared_memory=True)


@dataclass(eq=False)
class NeighbourAccuracy(NeighbourCriterion):
    """Share of rows that their neighbours classify rightly."""

    rows: ComparedRows
    classes: Codes
    n_neighbors: int
    leave_one_out: bool
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        self.nothing = share_of_largest(self.classes)
        self._scanner = self.rows.scanner(
            self.classes, int(self.classes.max()) + 1, leave_one_out=self.leave_one_out
        )

    def _values(self, part: list[Subset]) -> Sequence[float]:
        right = self._scanner.right(*as_subsets(part), self.n_neighbors)
        return [int(count) / len(self.classes) for count in right]


@dataclass(eq=False)
class BoostedNeighbours(NeighbourCriterion):
    """Z of boosted neighbours: small is good."""

    greater_is_better = False
    relative = True
    tolerance = 0.01
    # Equal columns under other names, or levels in another order, give other sums.
    slack = 1e-10
    nothing = 1.0

    rows: ComparedRows
    classes: Codes
    n_neighbors: int
    n_rounds: int
    vote: str
    conflict: str | None
    left_out: Codes | None = None
    leave_one_out: bool = True
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        self._scanner = self.rows.scanner(
            self.classes,
            int(self.classes.max()) + 1,
            self.left_out,
            leave_one_out=self.leave_one_out,
        )

    def curves(self, subsets: list[Subset]) -> Floats:
        """Return Z after 1, 2, … rounds, subset by subset."""
        rounds = self.n_neighbors, self.n_rounds
        how = VOTES[self.vote], CONFLICTS[self.conflict]
        return self._scanner.boosting(*as_subsets(subsets), *rounds, *how)

    def _values(self, part: list[Subset]) -> Sequence[float]:
        return self.curves(part)[:, -1].tolist()


@dataclass(eq=False)
class FoldedNeighbours(NeighbourCriterion):
    """Mean accuracy over given splits, scaled by the training part of each."""

    table: Table
    classes: Codes
    splits: Splits
    n_neighbors: int
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        rows = compared_rows(self.table, scale=False)
        self._folds = [_fold(rows, self.classes, *split) for split in self.splits]
        self.nothing = share_of_largest(self.classes)

    def _values(self, part: list[Subset]) -> Sequence[float]:
        packed = as_subsets(part)
        scores = np.empty((len(part), len(self._folds)))
        for f, (votes, order, truth) in enumerate(self._folds):
            answers = votes.with_ties(*packed, self.n_neighbors, order)
            scores[:, f] = (answers == truth).mean(axis=1)
        return [float(np.mean(row)) for row in scores]


def _fold(
    rows: ComparedRows, classes: Codes, train: Positions, test: Positions
) -> tuple[NeighbourVotes, Codes, Codes]:
    """Return who votes, the classes from the most frequent on, and the truth."""
    voters = np.ascontiguousarray(rows.values[:, train])
    queries = np.ascontiguousarray(rows.values[:, test])
    for j in np.flatnonzero(rows.kinds <= NUMERIC + 1):
        spread = spread_of(voters[j])
        voters[j] = voters[j] / spread if spread else voters[j] * 0
        queries[j] = queries[j] / spread if spread else queries[j] * 0
    counts = np.bincount(classes[train], minlength=int(classes.max()) + 1)
    order = np.argsort(-counts, kind="stable").astype(np.int32)
    votes = NeighbourVotes(voters, queries, rows.kinds, classes[train])
    return votes, order, classes[test]


def compared_rows(table: Table, *, scale: bool = True) -> ComparedRows:
    """Return the columns of a table for comparisons; infinities have no distance."""
    for column in table:
        if not column.is_nominal and np.isinf(column.values).any():
            raise DataError(
                f"Column {column.name!r} holds infinity, which is infinitely far from "
                "all else. Mark it as missing, or cut it to a finite number."
            )
    nominal = np.array([column.is_nominal for column in table], dtype=bool)
    values: list[Array] = [column.values for column in table]
    return lay_out_columns(Columns(values, nominal, table.n_rows, False), scale=scale)


def folds_in_order(splits: Splits, n_rows: int) -> tuple[Positions, Codes]:
    """Return the rows fold by fold, and the range of its own fold for each of them."""
    order = np.concatenate([test for _, test in splits])
    if not np.array_equal(np.sort(order), np.arange(n_rows)):
        raise DataError(
            "Boosting needs one vote for every row, and the test parts of cv do not "
            "hold every row once. Use a splitter such as StratifiedKFold, or cv=None."
        )
    sizes = np.array([len(test) for _, test in splits])
    ends = np.cumsum(sizes)
    ranges = np.column_stack([ends - sizes, ends]).astype(np.int32)
    return order, np.repeat(ranges, sizes, axis=0)


def share_of_largest(classes: Codes) -> float:
    """Return the accuracy of always naming the most frequent class."""
    return float(np.bincount(classes).max() / len(classes))


def columns_of(X: Any, subset: Subset) -> Any:
    """Return some columns, in the order of the table."""
    columns = sorted(subset)
    return take_columns(X, columns) if is_frame(X) else X[:, columns]


class EstimatorCriterion(Criterion):
    """Evaluates as many subsets at a time as there are jobs, and records each batch.

    Values do not depend on the batches, and an interruption loses one batch at most.
    """

    n_jobs: int | None

    @abstractmethod
    def _value(self, subset: Subset) -> float: ...

    def evaluate(self, subsets: list[Subset], record: Record) -> None:
        """Call `record(i, value)` for every subset, as soon as it is known."""
        size = max(1, effective_n_jobs(self.n_jobs))
        for begin in range(0, len(subsets), size):
            batch = subsets[begin : begin + size]
            if size == 1:
                record(begin, self._value(batch[0]))
                continue
            tasks = [(subset,) for subset in batch]
            found = run_tasks(self._value, tasks, n_jobs=self.n_jobs)
            for i, value in enumerate(found):
                record(begin + i, value)


@dataclass(eq=False)
class ScoredEstimator(EstimatorCriterion):
    """Mean score over given splits, as ``cross_val_score`` has it."""

    estimator: Any
    scorer: Any
    X: Any
    y: Array
    splits: Splits | None
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        codes = np.unique(self.y, return_inverse=True)[1].astype(np.int32)
        self.nothing = share_of_largest(codes) if self.scorer == "accuracy" else 0.0

    def _value(self, subset: Subset) -> float:
        # A learner that fails is an error to be seen, not a bad subset.
        scores = cross_val_score(
            clone(self.estimator),
            columns_of(self.X, subset),
            self.y,
            cv=_or_all_rows(self.splits, len(self.y)),
            scoring=self.scorer,
            error_score="raise",
        )
        return float(scores.mean())


def _or_all_rows(splits: Splits | None, n_rows: int) -> Splits:
    """Return splits; without any, all rows train and are tested."""
    return [(np.arange(n_rows),) * 2] if splits is None else splits


@dataclass(eq=False)
class BoostedEstimator(EstimatorCriterion):
    """Z of a boosted classifier that votes for rows it was not trained on."""

    greater_is_better = False
    relative = True
    tolerance = BoostedNeighbours.tolerance
    slack = BoostedNeighbours.slack
    nothing = 1.0

    estimator: Any
    X: Any
    classes: Codes
    splits: Splits | None
    descriptions: Codes  # of columns, for conflicts
    n_rounds: int
    vote: str
    conflict: str | None
    seed: int
    n_jobs: int | None = None

    def _value(self, subset: Subset) -> float:
        X = columns_of(self.X, subset)
        n_classes = int(self.classes.max()) + 1
        problems = range(n_classes) if n_classes > 2 else (n_classes - 1,)
        seed = derive_seed(self.seed, *sorted(subset))
        return float(
            np.mean([self._boost(X, subset, positive, seed) for positive in problems])
        )

    def _boost(self, X: Any, subset: Subset, positive: int, seed: int) -> float:
        """Return Z of one class against the others."""
        labels = np.where(self.classes == positive, 1, -1)
        n = len(labels)
        start = np.full(n, 1 / n)
        if self.conflict is not None:
            start = self._without_conflicts(subset, labels)
        weights = start
        margins = np.zeros(n)
        for number in range(self.n_rounds):
            votes = self._votes(X, labels, weights, derive_seed(seed, positive, number))
            r = float(np.sum(weights * labels * votes))
            if r <= NO_CORRELATION:
                break
            r = min(r, 1 - 1 / n)
            alpha = 0.5 * math.log((1 + r) / (1 - r))
            margins += alpha * votes
            weights = weights * np.exp(-alpha * labels * votes)
            weights = weights / weights.sum()
        judged = start if self.conflict == "rounds_and_criterion" else np.full(n, 1 / n)
        return float(np.sum(judged * np.exp(-labels * margins)))

    def _without_conflicts(self, subset: Subset, labels: NDArray[np.int_]) -> Floats:
        codes = self.descriptions[list(subset)]
        numbers = np.unique(codes, axis=1, return_inverse=True)[1].ravel()
        agreement = np.abs(np.bincount(numbers, weights=labels)) / np.bincount(numbers)
        weights: Floats = agreement[numbers]
        total = weights.sum()
        return weights / total if total > 0 else np.full(len(labels), 1 / len(labels))

    def _votes(
        self, X: Any, labels: NDArray[np.int_], weights: Floats, seed: int
    ) -> Floats:
        votes = np.zeros(len(labels))
        rng = np.random.default_rng(seed)
        weighs = has_fit_parameter(self.estimator, "sample_weight")
        for known, test in _or_all_rows(self.splits, len(labels)):
            train, mass = known, weights[known]
            if mass.sum() <= 0:
                continue
            if not weighs:
                shares = mass / mass.sum()
                train = rng.choice(train, size=len(train), p=shares)
            elif (mass > 0).sum() < len(mass):
                train, mass = train[mass > 0], mass[mass > 0]
            if (labels[train] == labels[train[0]]).all():
                votes[test] = labels[train[0]]
                continue
            fitted = clone(self.estimator)
            # A mean of 1, since learners may have limits in units of rows.
            more = {"sample_weight": mass / mass.mean()} if weighs else {}
            fitted.fit(_rows(X, train), labels[train], **more)
            if self.vote == "real":
                votes[test] = 2 * fitted.predict_proba(_rows(X, test))[:, 1] - 1
            else:
                votes[test] = fitted.predict(_rows(X, test))
        return votes


def _rows(X: Any, rows: Positions) -> Any:
    return getattr(X, "iloc", X)[rows]
