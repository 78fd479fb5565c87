"""Many random trees on the same columns: grown, asked and walked together.

What forests in `featsieve.ensembles` and selectors above them are made of. Arrays are
kept as the grower returns them; `Forest.tree` makes a readable `Tree` of one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._kernels import (
    GrowthRules,
    LeafIndex,
    SplitScore,
    TreeRouter,
    classify_by_trees,
    count_votes,
    draw_bag,
    grow_member,
    leaves_of_trees,
    local_relevance,
    predict_trees,
)
from featsieve.data import Table
from featsieve.data.api import tree_columns
from featsieve.engine import run_tasks
from featsieve.trees._base import tree_features
from featsieve.trees._random_tree import random_growth
from featsieve.trees._tree import Tree, TreeFeature
from featsieve.trees._tree_rows import level_counts, tree_rows

#: Arrays of a tree that lead a row to its leaf.
ROUTING = ("feature", "threshold", "first_child", "n_children", "level", "weight")
#: Rows that make one task, whatever the number of jobs.
ROWS_TOGETHER = 8192
#: Rows whose proximity to all others is in memory at a time.
NEIGHBOURS_TOGETHER = 256
#: A row's class may be absent from a node it passes, unless the row was in the bag:
#: every node is thought to hold this weight more, evenly of all classes.
PRIOR_WEIGHT = 1.0

Flags = NDArray[np.uint8]
Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class GainSums:
    """What each feature gained in the nodes where it was tried, summed over them.

    Parameters
    ----------
    tries, failed : ndarray of shape (n_features,)
        How often it was tried, and how often it was constant there.
    gain : ndarray of shape (n_features,)
        Sum of gains; bits, or parts of the node's variance in regression.
    phi, phi_failed : ndarray of shape (n_features,)
        Sums of node complexity over all tries, and over those that failed.
    phi_gain, phi_gain_squared : ndarray of shape (n_features,)
        Sums of gains and their squares times node complexity.
    phi_lower, phi_upper : ndarray of shape (n_features,)
        Sums of what an irrelevant feature gains by chance, from below and from above,
        times node complexity, where it did not fail; zeros in regression.
    """

    tries: Matrix
    failed: Matrix
    gain: Matrix
    phi: Matrix
    phi_failed: Matrix
    phi_gain: Matrix
    phi_gain_squared: Matrix
    phi_lower: Matrix
    phi_upper: Matrix

    @classmethod
    def from_array(cls, sums: Matrix) -> GainSums:
        """Return the columns of what the grower sums up by feature."""
        return cls(*np.ascontiguousarray(sums.T))


def bag_weights(
    bootstrap: Any, n_rows: int, weights: Matrix | None, seed: int
) -> Matrix | None:
    """Return the weights of rows in the bag of this seed; None for equal ones.

    With `bootstrap` as many rows as there are are drawn with replacement, by their
    weights; "distinct" counts each once. Without it the weights are returned.
    """
    if not bootstrap:
        return weights
    distinct = bootstrap == "distinct"
    return draw_bag(n_rows, seed, chances=weights, distinct=distinct)


def rows_left_out(bags: Sequence[Matrix | None], n_rows: int) -> Flags:
    """Return which rows are not in each bag, of shape (n_bags, n_rows)."""
    left_out = np.zeros((len(bags), n_rows), dtype=np.uint8)
    for own, bag in zip(left_out, bags, strict=True):
        if bag is not None:
            own[:] = bag == 0
    return left_out


class ForestGrower:
    """Grows the members of one forest, each on a bag of the same rows.

    Parameters
    ----------
    estimator : object
        Has the parameters of random growth, and `bootstrap`.
    table : Table
        Training columns.
    target : dict
        ``classes`` and ``n_classes``, or ``numbers``.
    weights : ndarray of shape (n_rows,) or None
        Chance of each row to be drawn; its weight if nothing is drawn.
    """

    def __init__(
        self,
        estimator: Any,
        table: Table,
        target: dict[str, Any],
        weights: Matrix | None,
    ) -> None:
        self.features = tree_features(table)
        self.n_rows = table.n_rows
        self.target = dict(target)
        self.weights = weights
        self.bootstrap = estimator.bootstrap
        score = SplitScore.INFORMATION_GAIN
        if "numbers" in target:
            score = SplitScore.VARIANCE
            _, codes = np.unique(target["numbers"], return_inverse=True)
            self.target["value_codes"] = codes.astype(np.int32)
        self.rules: GrowthRules = random_growth(estimator, score, table.n_columns)
        self.columns = tree_columns(table)
        self.tell(None, 0)

    def tell(self, progress: Callable[[int, int], Any] | None, n_planned: int) -> None:
        """Call ``progress(grown, n_planned)`` whenever a tree has been grown."""
        self._progress, self._n_planned, self._n_grown = progress, n_planned, 0
        self._lock = threading.Lock()

    def bag(self, seed: int) -> Matrix | None:
        """Return the weights of rows in the bag of this seed; None for equal ones."""
        return bag_weights(self.bootstrap, self.n_rows, self.weights, seed)

    def grow(
        self,
        bag_seed: int,
        seed: int,
        chances: Matrix | None = None,
        row_chances: Matrix | None = None,
        *,
        relevance: bool = True,
    ) -> tuple[dict[str, Any], Any]:
        """Return the arrays of one tree, and its `GainSums` as an array if wanted."""
        arrays, sums = grow_member(
            self.columns,
            self.rules,
            weights=self.bag(bag_seed),
            chances=chances,
            row_chances=row_chances,
            seed=seed,
            relevance=relevance,
            **self.target,
        )
        if self._progress is not None:
            with self._lock:
                self._n_grown += 1
                self._progress(self._n_grown, self._n_planned)
        return arrays, sums


class Forest:
    """Grown trees over the same features.

    Parameters
    ----------
    arrays : list of dict
        The arrays of each tree.
    features : tuple of TreeFeature
        The columns.
    classes : list or None
        Class labels; None in regression.
    missing : {"largest", "fractional"}
        Where a case goes whose value is missing.
    """

    def __init__(
        self,
        arrays: list[dict[str, Any]],
        features: tuple[TreeFeature, ...],
        classes: list[Any] | None,
        missing: str,
    ) -> None:
        self.arrays = arrays
        self.features = features
        self.classes = classes
        self.missing = missing
        #: What is made of the rest on demand; not pickled.
        self.cache: dict[str, Any] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "cache": {}}

    @property
    def n_trees(self) -> int:
        """The number of trees."""
        return len(self.arrays)

    def tree(self, number: int) -> Tree:
        """Return one tree, to be read."""
        return Tree(
            **self.arrays[number],
            features=self.features,
            classes=self.classes,
            missing=self.missing,
        )

    def node_counts(self) -> NDArray[np.int64]:
        """Return the number of nodes of every tree, leaves included."""
        return np.array([len(each["feature"]) for each in self.arrays], dtype=np.int64)

    def uses(self) -> NDArray[np.bool_]:
        """Return which tree tests which feature, of shape (n_trees, n_features)."""
        used = np.zeros((self.n_trees, len(self.features)), dtype=np.bool_)
        for own, arrays in zip(used, self.arrays, strict=True):
            own[arrays["feature"][arrays["feature"] >= 0]] = True
        return used

    # Rows through all trees. ----------------------------------------------------------

    def routers(self) -> list[TreeRouter]:
        """Return what leads rows through each tree."""
        if "routers" not in self.cache:
            n_levels = level_counts(self.features)
            self.cache["routers"] = [
                TreeRouter(
                    **{name: arrays[name] for name in ROUTING},
                    n_levels=n_levels,
                    fractional=self.missing == "fractional",
                )
                for arrays in self.arrays
            ]
        made: list[TreeRouter] = self.cache["routers"]
        return made

    def answers(self) -> list[Matrix]:
        """Return what each node of each tree answers: class shares, or the mean."""
        if "answers" not in self.cache:
            # Random trees have no empty branches, so that no weight is 0.
            self.cache["answers"] = [
                arrays["value"]
                if self.classes is None
                else arrays["value"] / arrays["weight"][:, np.newaxis]
                for arrays in self.arrays
            ]
        made: list[Matrix] = self.cache["answers"]
        return made

    def _labels(self) -> list[NDArray[np.int32]]:
        return [arrays["prediction"] for arrays in self.arrays]

    def votes(self, matrix: Matrix, n_jobs: int | None = None) -> Matrix:
        """Return how many trees vote for each class of each row."""
        trees = (self.routers(), self.answers(), self._labels())

        def count(begin: int, end: int) -> Matrix:
            return count_votes(*trees, tree_rows(matrix[begin:end]))

        return _by_rows(count, len(matrix), n_jobs)

    def sums(self, matrix: Matrix, n_jobs: int | None = None) -> Matrix:
        """Return the sums over trees of class shares, or of means."""
        trees = (self.routers(), self.answers())

        def add(begin: int, end: int) -> Matrix:
            return predict_trees(*trees, tree_rows(matrix[begin:end]))

        return _by_rows(add, len(matrix), n_jobs)

    def member_classes(
        self,
        matrix: Matrix,
        left_out: Flags | None = None,
        trees: Sequence[int] | None = None,
    ) -> NDArray[np.int32]:
        """Return the class code each tree gives each row; -1 where it is left out."""
        chosen = range(self.n_trees) if trees is None else trees
        routers, answers, labels = self.routers(), self.answers(), self._labels()
        return classify_by_trees(
            [routers[t] for t in chosen],
            [answers[t] for t in chosen],
            [labels[t] for t in chosen],
            tree_rows(matrix),
            left_out,
        )

    def member_numbers(
        self, matrix: Matrix, trees: Sequence[int] | None = None
    ) -> Matrix:
        """Return the number each tree gives each row, tree by tree."""
        chosen = range(self.n_trees) if trees is None else trees
        rows = tree_rows(matrix)
        routers, answers = self.routers(), self.answers()
        numbers = np.empty((len(chosen), len(matrix)))
        for own, t in zip(numbers, chosen, strict=True):
            own[:] = routers[t].predict(rows, answers[t])[:, 0]
        return numbers

    def member_shares(self, matrix: Matrix, tree: int) -> Matrix:
        """Return the class shares, or means, of one tree."""
        return self.routers()[tree].predict(tree_rows(matrix), self.answers()[tree])

    def leaves(self, matrix: Matrix) -> NDArray[np.int32]:
        """Return the leaf of each row in each tree, of shape (n_rows, n_trees)."""
        return leaves_of_trees(self.routers(), tree_rows(matrix))

    # Rows and their neighbours. -------------------------------------------------------

    def proximity(self, matrix: Matrix, others: Matrix, n_jobs: int | None) -> Matrix:
        """Return the share of trees in which two rows fall into the same leaf."""
        index = LeafIndex(self.leaves(others))
        shares = np.empty((len(matrix), len(others)))

        def fill(begin: int, end: int) -> None:
            shared = index.shared(self.leaves(matrix[begin:end]))
            np.divide(shared, self.n_trees, out=shares[begin:end], dtype=np.float64)

        blocks = _blocks(len(matrix), NEIGHBOURS_TOGETHER)
        run_tasks(fill, blocks, n_jobs=n_jobs, shared_memory=True)
        return shares

    def tree_weights(
        self,
        matrix: Matrix,
        index: LeafIndex,
        outcomes: NDArray[np.int8],
        n_jobs: int | None = None,
        *,
        known: bool = False,
    ) -> Matrix:
        """Return how well each tree does near each row (thesis, eq. 7.21).

        `outcomes` says of each row of the index whether each tree is right (1), wrong
        (-1) or has learnt from it (0). Rows that are `known` are those of the index;
        none counts for itself.
        """

        def weigh(begin: int, end: int) -> Matrix:
            leaves = self.leaves(matrix[begin:end])
            return index.outcome_means(leaves, outcomes, begin if known else -1)

        return _by_rows(weigh, len(matrix), n_jobs)

    def leaf_index(self, matrix: Matrix) -> LeafIndex:
        """Return which of these rows are in which leaf of every tree."""
        return LeafIndex(self.leaves(matrix))

    # What features tell about single rows. --------------------------------------------

    def local_relevance(
        self,
        matrix: Matrix,
        target: NDArray[Any],
        left_out: Flags | None = None,
        n_jobs: int | None = None,
        *,
        mean: bool = True,
    ) -> Matrix:
        """Return the local relevance of every feature for every row (eq. 8.3).

        With `left_out` the rows are those the trees have learnt from, each asked only
        of trees that know it; without, new ones. `mean` false returns sums. Class
        shares are those of the nodes for the former, pulled towards each other by one
        more row for the latter, and where values are missing and rows spread.
        """
        rows = tree_rows(matrix)
        learnt = left_out is not None
        if self.missing == "fractional":
            # Growing stops to divide rows when parts become small, asking does not.
            learnt = learnt and not np.isnan(matrix).any()
        prior = 0.0 if learnt else PRIOR_WEIGHT
        known = [self._information(arrays, prior) for arrays in self.arrays]
        name = "numbers" if self.classes is None else "classes"
        routers = self.routers()

        def walk(begin: int, end: int) -> Matrix:
            return local_relevance(
                routers,
                known,
                rows,
                begin,
                end,
                left_out=left_out,
                mean=mean,
                **{name: target},
            )

        return _by_rows(walk, len(matrix), n_jobs)

    def _information(self, arrays: dict[str, Any], prior: float) -> Matrix:
        """Return log2 of the class shares of every node, or its mean."""
        value: Matrix = arrays["value"]
        if self.classes is None:
            return value
        weight = arrays["weight"][:, np.newaxis]
        # A class that is absent from a node has no row there to ask for it.
        with np.errstate(divide="ignore"):
            shares: Matrix = np.log2(
                (value + prior / value.shape[1]) / (weight + prior)
            )
        return shares


def _blocks(n_rows: int, size: int) -> list[tuple[int, int]]:
    return [
        (begin, min(begin + size, n_rows)) for begin in range(0, max(n_rows, 1), size)
    ]


def _by_rows(task: Any, n_rows: int, n_jobs: int | None) -> Matrix:
    """Return the results of a task on a few rows at a time, one under the other."""
    blocks = _blocks(n_rows, ROWS_TOGETHER)
    if len(blocks) == 1:
        result: Matrix = task(*blocks[0])
        return result
    return np.concatenate(
        run_tasks(task, blocks, n_jobs=n_jobs, shared_memory=True), axis=0
    )
