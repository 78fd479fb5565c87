"""Forests grown to hear whether features gain more than their shadows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._kernels import (
    GrowthRules,
    MissingCases,
    Shadows,
    SplitScore,
    grow_with_shadows,
)
from featsieve.data import Table
from featsieve.data._tree_columns import tree_columns
from featsieve.engine import derive_seed, run_tasks

__all__ = ["ShadowSums", "TreeKind", "grow_shadow_forest"]

#: Trees per task; no answer depends on it, but for rounding.
BLOCK = 16


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
class ShadowSums:
    """What features and their shadows gained where the features were drawn.

    One entry per feature: how often it was drawn, the sum of the weights of these
    nodes, and the weighted sums of its gains and of those of each of its shadows.
    """

    n_draws: NDArray[np.int64]
    weight: NDArray[np.float64]
    gain: NDArray[np.float64]
    shadow_gain: NDArray[np.float64]

    def __add__(self, other: ShadowSums) -> ShadowSums:
        return ShadowSums(
            self.n_draws + other.n_draws,
            self.weight + other.weight,
            self.gain + other.gain,
            self.shadow_gain + other.shadow_gain,
        )


def grow_shadow_forest(
    table: Table,
    target: dict[str, Any],
    kinds: Sequence[TreeKind],
    *,
    n_shadows: int,
    row_chances: NDArray[np.float64] | None = None,
    chances: NDArray[np.float64] | None = None,
    used_up: NDArray[np.bool_] | None = None,
    seed: int,
    n_jobs: int | None = None,
) -> list[ShadowSums]:
    """Return the sums over the trees of each kind, all with the same shadows.

    `target` is what `grow_tree` takes: classes and their number, or numbers. Every tree
    has a bag of its own, drawn by `row_chances`, in which no row occurs twice; features
    are drawn by `chances`. Draws of a feature do not count below a split on itself, nor
    on another by which it is `used_up` (features by features).
    """
    marks = None if used_up is None else used_up.astype(np.uint8).ravel()
    shadows = Shadows(tree_columns(table), n_shadows, derive_seed(seed, "shadows"))
    grow = partial(
        _grow_block,
        shadows,
        dict(target, row_chances=row_chances, chances=chances, used_up_by=marks),
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
