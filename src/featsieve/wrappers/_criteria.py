"""How good subsets are, by nearest neighbours of our own: no model is trained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from featsieve._kernels import NeighbourVotes
from featsieve.data import Table
from featsieve.engine import run_tasks
from featsieve.exceptions import DataError
from featsieve.measures._boosting import CONFLICTS, VOTES
from featsieve.measures._columns import Columns
from featsieve.measures._neighbours import (
    NUMERIC,
    ComparedRows,
    as_subsets,
    lay_out_columns,
    spread_of,
)

__all__ = [
    "BoostedNeighbours",
    "Criterion",
    "FoldedNeighbours",
    "NeighbourAccuracy",
    "Splits",
    "compared_rows",
    "folds_in_order",
    "share_of_largest",
]

#: Distances that one task computes, about: tens of milliseconds, so that tasks spread
#: over threads and an interruption is noticed soon.
DISTANCES_PER_TASK = 50_000_000

#: Subsets of one task at least: they share the distances of what they begin with, which
#: is worth more the more features are chosen already.
LEAST_PER_TASK = 16

Subset = tuple[int, ...]
Record = Callable[[int, float], None]
Splits = Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]]


class Criterion(Protocol):
    """Values subsets. `nothing` is what no features are worth."""

    greater_is_better: bool
    relative: bool
    tolerance: float
    slack: float
    nothing: float

    def evaluate(self, subsets: list[Subset], record: Record) -> None:
        """Call `record(i, value)` for every subset, as soon as it is known."""


def evaluate_in_parts(
    values: Callable[[list[Subset]], Sequence[float]],
    subsets: list[Subset],
    record: Record,
    *,
    n_rows: int,
    n_jobs: int | None,
) -> None:
    """Evaluate neighbouring subsets together, several such parts at a time."""
    size = max(LEAST_PER_TASK, DISTANCES_PER_TASK // max(1, n_rows * n_rows))

    def evaluate(begin: int) -> None:
        part = subsets[begin : begin + size]
        for i, value in enumerate(values(part)):
            record(begin + i, float(value))

    tasks = [(begin,) for begin in range(0, len(subsets), size)]
    run_tasks(evaluate, tasks, n_jobs=n_jobs, shared_memory=True)


class NeighbourAccuracy:
    """Share of rows that their neighbours classify rightly."""

    greater_is_better = True
    relative = False
    tolerance = 0.0
    slack = 0.0

    def __init__(
        self,
        rows: ComparedRows,
        classes: NDArray[np.int32],
        *,
        n_neighbors: int,
        leave_one_out: bool,
        n_jobs: int | None,
    ) -> None:
        n_classes = int(classes.max()) + 1
        self._scanner = rows.scanner(classes, n_classes, leave_one_out=leave_one_out)
        self._n_rows = len(classes)
        self._n_neighbors = n_neighbors
        self._n_jobs = n_jobs
        self.nothing = share_of_largest(classes)

    def evaluate(self, subsets: list[Subset], record: Record) -> None:
        """Call `record(i, value)` for every subset."""

        def values(part: list[Subset]) -> Sequence[float]:
            right = self._scanner.right(*as_subsets(part), self._n_neighbors)
            return [int(count) / self._n_rows for count in right]

        evaluate_in_parts(
            values, subsets, record, n_rows=self._n_rows, n_jobs=self._n_jobs
        )


class BoostedNeighbours:
    """Z of boosted neighbours: small is good."""

    greater_is_better = False
    relative = True
    tolerance = 0.01
    # Equal columns under other names, or levels in another order, give other sums.
    slack = 1e-10
    nothing = 1.0

    def __init__(
        self,
        rows: ComparedRows,
        classes: NDArray[np.int32],
        *,
        n_neighbors: int,
        n_rounds: int,
        vote: str,
        conflict: str | None,
        left_out: NDArray[np.int32] | None = None,
        leave_one_out: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        n_classes = int(classes.max()) + 1
        self._scanner = rows.scanner(
            classes, n_classes, left_out, leave_one_out=leave_one_out
        )
        self._n_rows = len(classes)
        self._n_neighbors, self._n_rounds = n_neighbors, n_rounds
        self._vote, self._conflict = VOTES[vote], CONFLICTS[conflict]
        self._n_jobs = n_jobs

    def curves(self, subsets: list[Subset]) -> NDArray[np.float64]:
        """Return Z after 1, 2, … rounds, subset by subset."""
        columns, begins = as_subsets(subsets)
        return self._scanner.boosting(
            columns,
            begins,
            self._n_neighbors,
            self._n_rounds,
            self._vote,
            self._conflict,
        )

    def evaluate(self, subsets: list[Subset], record: Record) -> None:
        """Call `record(i, value)` for every subset."""

        def values(part: list[Subset]) -> Sequence[float]:
            last: Sequence[float] = self.curves(part)[:, -1].tolist()
            return last

        evaluate_in_parts(
            values, subsets, record, n_rows=self._n_rows, n_jobs=self._n_jobs
        )


class FoldedNeighbours:
    """Mean accuracy over given splits, scaled by the training part of each."""

    greater_is_better = True
    relative = False
    tolerance = 0.0
    slack = 0.0

    def __init__(
        self,
        table: Table,
        classes: NDArray[np.int32],
        splits: Splits,
        *,
        n_neighbors: int,
        n_jobs: int | None,
    ) -> None:
        rows = compared_rows(table, scale=False)
        self._folds = [_fold(rows, classes, *split) for split in splits]
        self._n_neighbors = n_neighbors
        self._n_rows = len(classes)
        self._n_jobs = n_jobs
        self.nothing = share_of_largest(classes)

    def evaluate(self, subsets: list[Subset], record: Record) -> None:
        """Call `record(i, value)` for every subset."""

        def values(part: list[Subset]) -> Sequence[float]:
            packed = as_subsets(part)
            scores = np.empty((len(part), len(self._folds)))
            for f, (votes, order, truth) in enumerate(self._folds):
                answers = votes.with_ties(*packed, self._n_neighbors, order)
                scores[:, f] = (answers == truth).mean(axis=1)
            return [float(np.mean(row)) for row in scores]

        evaluate_in_parts(
            values, subsets, record, n_rows=self._n_rows, n_jobs=self._n_jobs
        )


def _fold(
    rows: ComparedRows,
    classes: NDArray[np.int32],
    train: NDArray[np.intp],
    test: NDArray[np.intp],
) -> tuple[NeighbourVotes, NDArray[np.int32], NDArray[np.int32]]:
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
            message = (
                f"Column {column.name!r} holds infinity, which is infinitely far from "
                "all else. Mark it as missing, or cut it to a finite number."
            )
            raise DataError(message)
    nominal = np.array([column.is_nominal for column in table], dtype=bool)
    values: list[NDArray[Any]] = [column.values for column in table]
    return lay_out_columns(Columns(values, nominal, table.n_rows, False), scale=scale)


def folds_in_order(
    splits: Splits, n_rows: int
) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """Return the rows fold by fold, and the range of its own fold for each of them.

    Raises
    ------
    DataError
        If the test parts do not hold every row once.
    """
    order = np.concatenate([test for _, test in splits])
    if not np.array_equal(np.sort(order), np.arange(n_rows)):
        message = (
            "Boosting needs one vote for every row, and the test parts of cv do not "
            "hold every row once. Use a splitter such as StratifiedKFold, or cv=None."
        )
        raise DataError(message)
    sizes = np.array([len(test) for _, test in splits])
    ends = np.cumsum(sizes)
    ranges = np.column_stack([ends - sizes, ends]).astype(np.int32)
    return order, np.repeat(ranges, sizes, axis=0)


def share_of_largest(classes: NDArray[np.int32]) -> float:
    """Return the accuracy of always naming the most frequent class."""
    return float(np.bincount(classes).max() / len(classes))
