"""Forests grown to hear what features gain: against shadows, or against expectation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from featsieve._kernels import (
    FailedDraw,
    GrowthRules,
    MissingCases,
    Shadows,
    SplitScore,
    grow_tree,
    grow_with_shadows,
)
from featsieve.data import Table
from featsieve.data.api import tree_columns
from featsieve.engine import derive_seed, run_tasks
from featsieve.measures import node_complexity

#: Shadows that gain independently of each other, to judge by what chance does; rows of
#: all orders of shadows together (4 bytes each).
DRAWS_OF_CHANCE, MOST_ORDERED = 100, 20_000_000

#: Trees per task; no answer depends on it, but for rounding.
BLOCK = 16


class _Sums:
    """Arrays that add up, each with its like."""

    __slots__ = ()

    def __add__(self, other: Self) -> Self:
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        return type(self)(*(getattr(self, n) + getattr(other, n) for n in names))


@dataclass(frozen=True, slots=True)
class TreeKind:
    """Trees that are grown alike.

    `n_drawn` features are drawn at every node; what they gain weighs the complexity of
    the node to this `power`.
    """

    n_trees: int
    n_drawn: int
    power: float


@dataclass(frozen=True, slots=True)
class ShadowSums(_Sums):
    """What features and their shadows gained where the features were drawn.

    One entry per feature: how often it was drawn, the sum of the weights of these
    nodes, and the weighted sums of its gains and of those of each of its shadows.
    """

    n_draws: NDArray[np.int64]
    weight: NDArray[np.float64]
    gain: NDArray[np.float64]
    shadow_gain: NDArray[np.float64]


def count_orders(n_effective: float, n_shadows: int, n_rows: int) -> int:
    """Return in how many orders the rows of shadows should be.

    Were all features in the same few orders, the shadows of features that tell the same
    would gain the same, and what chance does would be judged by a few draws of it: of
    30 numbers that are copies of one but for some noise, p-values below 0.001 came five
    times too often. So as many as make enough draws together with the number of
    features that would be independent. Fewer are faster.
    """
    wanted = min(math.ceil(DRAWS_OF_CHANCE / n_effective), MOST_ORDERED // (n_rows + 1))
    return max(wanted, n_shadows)


def grow_shadow_forest(
    table: Table,
    target: dict[str, Any],
    kinds: Sequence[TreeKind],
    *,
    n_shadows: int,
    n_orders: int | None = None,
    row_chances: NDArray[np.float64] | None = None,
    row_groups: NDArray[np.intp] | None = None,
    orders: NDArray[np.intp] | None = None,
    chances: NDArray[np.float64] | None = None,
    used_up: NDArray[np.bool_] | None = None,
    seed: int,
    n_jobs: int | None = None,
) -> list[ShadowSums]:
    """Return the sums over the trees of each kind, all with the same shadows.

    `target` is what `grow_tree` takes: classes and their number, or numbers. Every tree
    has a bag of its own, drawn by `row_chances`, in which no row occurs twice, and of
    rows of one of the `row_groups` all or none; features are drawn by `chances`. Rows
    of shadows are in `n_orders` (None: `n_shadows`) free ones, or in those given, one
    column each; features take them in turn. Draws of a feature do not count below a
    split on itself, nor on another by which it is `used_up` (features by features).
    """
    marks = None if used_up is None else used_up.astype(np.uint8).ravel()
    columns = tree_columns(table)
    if orders is None:
        shadows = Shadows(
            columns, n_shadows, n_orders or n_shadows, derive_seed(seed, "shadows")
        )
    else:
        shadows = Shadows(
            columns, n_shadows, list(np.ascontiguousarray(orders.T, np.uint32))
        )
    groups = None if row_groups is None else row_groups.astype(np.uint32)
    grow = partial(
        _grow_block,
        shadows,
        dict(
            target,
            row_chances=row_chances,
            row_groups=groups,
            chances=chances,
            used_up_by=marks,
        ),
        regression="numbers" in target,
    )
    tasks = [
        (kind, seeds)
        for place, kind in enumerate(kinds)
        for seeds in _seed_blocks(kind.n_trees, seed, place)
    ]
    blocks = run_tasks(grow, tasks, n_jobs=n_jobs, shared_memory=True)
    sums = []
    for kind in kinds:
        own = [
            block
            for (each, _), block in zip(tasks, blocks, strict=True)
            if each is kind
        ]
        sums.append(sum(own[1:], start=own[0]))
    return sums


def _seed_blocks(n_trees: int, seed: int, place: int) -> list[NDArray[np.uint64]]:
    seeds = np.array(
        [derive_seed(seed, "tree", place, tree) for tree in range(n_trees)],
        dtype=np.uint64,
    )
    return np.array_split(seeds, math.ceil(n_trees / BLOCK))


def _grow_block(
    shadows: Shadows,
    data: dict[str, Any],
    kind: TreeKind,
    seeds: NDArray[np.uint64],
    *,
    regression: bool,
) -> ShadowSums:
    rules = GrowthRules()
    rules.score = SplitScore.VARIANCE if regression else SplitScore.INFORMATION_GAIN
    # Cases that are divided among branches would be no rows any more.
    rules.missing = MissingCases.LARGEST
    rules.n_drawn = kind.n_drawn
    sums = grow_with_shadows(
        shadows, rules, np.ascontiguousarray(seeds), kind.power, **data
    )
    return ShadowSums(**sums)


#: From the class counts of nodes to the gain expected there of any feature.
ExpectedGain = Callable[[NDArray[np.float64]], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class TriedSums(_Sums):
    """Gains above what was expected, where features were tried; one entry per feature.

    The number of nodes that weigh anything, the sum of their weights, and the weighted
    sums of gains above expectation and of their squares.
    """

    n_nodes: NDArray[np.int64]
    weight: NDArray[np.float64]
    excess: NDArray[np.float64]
    square: NDArray[np.float64]


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
