"""Forests grown to hear what features gain, against what is expected of any."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._kernels import FailedDraw, GrowthRules, MissingCases, grow_tree
from featsieve.data import Table
from featsieve.data._tree_columns import tree_columns
from featsieve.engine import derive_seed, run_tasks
from featsieve.measures import node_complexity

__all__ = ["ExpectedGain", "TriedSums", "draw_distinct", "grow_tried_forest"]

#: Trees per task; no answer depends on it, but for rounding.
BLOCK = 16

#: From the class counts of nodes to the gain expected there of any feature.
ExpectedGain = Callable[[NDArray[np.float64]], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class TriedSums:
    """Gains above what was expected, where features were tried; one entry per feature.

    The number of nodes that weigh anything, the sum of their weights, and the weighted
    sums of gains above expectation and of their squares.
    """

    n_nodes: NDArray[np.int64]
    weight: NDArray[np.float64]
    excess: NDArray[np.float64]
    square: NDArray[np.float64]

    def __add__(self, other: TriedSums) -> TriedSums:
        return TriedSums(
            self.n_nodes + other.n_nodes,
            self.weight + other.weight,
            self.excess + other.excess,
            self.square + other.square,
        )


def grow_tried_forest(
    table: Table,
    target: dict[str, Any],
    expected: ExpectedGain,
    *,
    n_trees: int,
    n_drawn: int,
    n_thresholds: int | None,
    failed_draw: FailedDraw,
    power: float,
    row_chances: NDArray[np.float64] | None = None,
    chances: NDArray[np.float64] | None = None,
    seed: int,
    n_jobs: int | None = None,
) -> TriedSums:
    """Return the sums over trees whose bags hold every row at most once.

    At every node `n_drawn` features are tried, at `n_thresholds` equally spaced
    thresholds or at all. Nodes weigh their complexity to this `power`. A feature that
    could not be split on gained nothing; another is drawn then, or the node is a leaf.
    """
    rules = GrowthRules()
    rules.n_drawn = n_drawn
    rules.n_thresholds = n_thresholds or 0
    rules.failed_draw = failed_draw
    rules.missing = MissingCases.LARGEST
    columns = tree_columns(table)
    weigh = partial(
        _tree_sums, expected=expected, power=power, n_features=table.n_columns
    )

    def grow_block(seeds: list[int]) -> TriedSums:
        sums = []
        for own in seeds:
            bag = draw_distinct(table.n_rows, row_chances, derive_seed(own, "bag"))
            sums.append(
                weigh(
                    *grow_tree(
                        columns,
                        rules,
                        weights=bag,
                        chances=chances,
                        seed=own,
                        observe=True,
                        **target,
                    )
                )
            )
        return sum(sums[1:], start=sums[0])

    seeds = [derive_seed(seed, "tree", tree) for tree in range(n_trees)]
    tasks = [(seeds[i : i + BLOCK],) for i in range(0, n_trees, BLOCK)]
    blocks = run_tasks(grow_block, tasks, n_jobs=n_jobs, shared_memory=True)
    return sum(blocks[1:], start=blocks[0])


def draw_distinct(
    n_rows: int, row_chances: NDArray[np.float64] | None, seed: int
) -> NDArray[np.float64]:
    """Return the weights of rows in a bag: 1 if drawn at all in `n_rows` draws."""
    random = np.random.default_rng(seed)
    shares = None if row_chances is None else row_chances / row_chances.sum()
    weights = np.zeros(n_rows)
    weights[random.choice(n_rows, n_rows, p=shares)] = 1
    return weights


def _tree_sums(
    arrays: dict[str, Any],
    tried: Any,
    *,
    expected: ExpectedGain,
    power: float,
    n_features: int,
) -> TriedSums:
    nodes, places = np.unique(tried["node"], return_inverse=True)
    counts = arrays["value"][nodes]
    complexity = node_complexity(counts)
    weight = np.where(complexity > 0, complexity**power, 0.0)[places]
    excess = tried["gain"] - expected(counts)[places]
    feature = tried["feature"]

    def total(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(feature, weight * values, n_features).astype(np.float64)

    return TriedSums(
        np.bincount(feature, weight > 0, n_features).astype(np.int64),
        total(np.ones(len(feature))),
        total(excess),
        total(excess**2),
    )
