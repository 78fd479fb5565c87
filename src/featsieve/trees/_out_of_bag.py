"""How well a forest predicts the rows that its trees have not seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from featsieve._kernels import GrowthRules, MissingCases, SplitScore, grow_tree
from featsieve._types import Floats
from featsieve.data import Table
from featsieve.data.api import tree_columns
from featsieve.engine import derive_seed, run_tasks
from featsieve.trees._base import tree_features
from featsieve.trees._tree import Tree
from featsieve.trees._tree_rows import leaf_answers, row_matrix, tree_router, tree_rows

#: Trees per task.
BLOCK = 16


def out_of_bag_error(
    table: Table,
    target: dict[str, Any],
    *,
    seed: int,
    n_jobs: int | None = None,
) -> float:
    """Return the error of a random forest on rows out of the bags of its trees.

    A row is predicted by the trees that were grown without it: the share of rows that
    most of them take for another class, or the mean square error of their mean. Rows
    that are in every bag do not count. Without features, the majority or the mean of
    all rows answers.
    """
    if table.n_columns == 0:
        if "numbers" in target:
            return float(np.var(target["numbers"]))
        return float(1 - np.bincount(target["classes"]).max() / len(target["classes"]))
    answers = out_of_bag_answers(table, target, seed=seed, n_jobs=n_jobs)
    seen = ~np.isnan(answers[:, 0])
    if not seen.any():
        return 1.0
    if "numbers" in target:
        return float(np.mean((answers[seen, 0] - target["numbers"][seen]) ** 2))
    predicted = np.argmax(answers[seen], axis=1)
    return float(np.mean(predicted != target["classes"][seen]))


def out_of_bag_answers(
    table: Table,
    target: dict[str, Any],
    *,
    n_trees: int = 100,
    n_drawn: int = 1,
    seed: int,
    n_jobs: int | None = None,
) -> Floats:
    """Return what the trees that were grown without a row answer for it.

    Mean shares of the classes, one column each, or the mean number in one column; NaN
    for rows that are in every bag. Bags depend on the seed and the number of rows only,
    so that forests on different columns can be compared row by row.
    """
    votes = np.zeros((table.n_rows, target.get("n_classes", 1)))
    counts = np.zeros(table.n_rows)
    forest = _Forest(table, target, n_drawn)
    seeds = [derive_seed(seed, "forest", tree) for tree in range(n_trees)]
    tasks = [(seeds[i : i + BLOCK],) for i in range(0, n_trees, BLOCK)]
    blocks = run_tasks(forest.block_votes, tasks, n_jobs=n_jobs, shared_memory=True)
    for block_votes, block_counts in blocks:
        votes += block_votes
        counts += block_counts
    counts[counts == 0] = np.nan
    return votes / counts[:, np.newaxis]


class _Forest:
    """Grows trees on bags and lets them answer for the rows outside."""

    def __init__(self, table: Table, target: dict[str, Any], n_drawn: int) -> None:
        self.columns = tree_columns(table)
        self.features = tree_features(table)
        self.rows = tree_rows(row_matrix(table, self.features))
        self.target = target
        self.rules = GrowthRules()
        self.rules.missing = MissingCases.LARGEST
        self.rules.n_drawn = n_drawn
        self.classes = None
        if "numbers" in target:
            self.rules.score = SplitScore.VARIANCE
        else:
            self.classes = list(range(target["n_classes"]))

    def block_votes(self, seeds: list[int]) -> tuple[Floats, Floats]:
        """Return the answers to rows out of bag, summed, and how many trees gave one.

        Trees answer with class shares, which are whole votes where leaves are pure.
        """
        n_rows = self.columns.n_rows
        votes = np.zeros((n_rows, len(self.classes or [0])))
        counts = np.zeros(n_rows)
        for seed in seeds:
            random = np.random.default_rng(seed)
            bag = np.bincount(random.integers(n_rows, size=n_rows), minlength=n_rows)
            tree = self.grow(bag.astype(np.float64), seed)
            out = bag == 0
            votes[out] += tree_router(tree).predict(self.rows, leaf_answers(tree))[out]
            counts[out] += 1
        return votes, counts

    def grow(self, bag: Floats, seed: int) -> Tree:
        """Return one tree."""
        arrays, _ = grow_tree(
            self.columns, self.rules, weights=bag, seed=seed, **self.target
        )
        return Tree(
            **arrays, features=self.features, classes=self.classes, missing="largest"
        )
