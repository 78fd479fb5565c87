"""Columns that stay as a group, and what is over a limit."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from featsieve.engine import derive_seed
from featsieve.inference.api import likeness_test
from featsieve.measures import joint_codes
from featsieve.selection._material import Material
from featsieve.trees.api import out_of_bag_answers

#: Trees of each forest that is asked.
N_TREES = 100


def forest_losses(
    material: Material, columns: list[int], n_trees: int = N_TREES
) -> NDArray[np.float64]:
    """Return the squared error of a forest on every row, out of bag."""
    table = material.table.select([material.table.names[j] for j in columns])
    target = material.tree_target()
    answers = out_of_bag_answers(
        table,
        target,
        n_trees=n_trees,
        n_drawn=max(1, round(math.sqrt(table.n_columns))),
        seed=derive_seed(material.seed, "losses"),
        n_jobs=material.n_jobs,
    )
    if material.quantity is not None:
        losses = (answers[:, 0] - material.quantity) ** 2
    else:
        answers[np.arange(len(answers)), material.classes] -= 1
        losses = (answers**2).sum(axis=1)
    return losses


def limit_features(
    kept: list[int], partners: dict[int, tuple[int, ...]], most: int
) -> set[int]:
    """Return which of the kept columns exceed the limit.

    Columns come in order of strength. A column that needs partners comes with them or,
    if there is no room for all, not at all: half an interaction is worth nothing.
    """
    chosen: list[int] = []
    stays = set(kept)
    for j in kept:
        if j in chosen:
            continue
        unit = [j, *(p for p in partners.get(j, ()) if p in stays and p not in chosen)]
        if len(chosen) + len(unit) <= most:
            chosen.extend(unit)
    return stays - set(chosen)


#: The share of the error that goes to the one test; see `SHARES` of the stages.
GROUP_SHARE = 0.2

#: With more rows columns show themselves.
MOST_ROWS = 500

#: Bins of the columns that are given, and rows that a stratum of them should have.
GROUP_BINS = (8, 4, 3, 2)
ROWS_PER_STRATUM = 4


@dataclass(frozen=True, slots=True)
class Group:
    """Columns that are kept together, best first, and the p-value of all columns."""

    members: tuple[int, ...]
    p_value: float


def find_group(
    material: Material,
    kept: list[int],
    undecided: list[int],
    p_values: NDArray[np.float64],
    fdr: float,
) -> Group | None:
    """Return undecided columns that matter as a group beside those that are kept.

    If all of them together tell something, as many are taken, in the order of their
    `p_values`, as a forest errs least with on rows out of its bags. That one of them
    matters is as certain as the test is; it does not say which.
    """
    if not undecided or not 4 <= material.n_rows <= MOST_ROWS:
        return None
    strata = _strata(material, kept)
    if strata is None:
        return None
    level = GROUP_SHARE * fdr
    p_value = likeness_test(
        [material.table.columns[j] for j in undecided],
        _outcomes(material),
        strata,
        level,
        seed=derive_seed(material.seed, "group"),
    )
    if p_value > level:
        return None
    order = sorted(undecided, key=lambda j: (p_values[j], j))
    losses = {
        count: float(np.nanmean(forest_losses(material, kept + order[:count])))
        for count in _sizes(len(order))
        if kept or count
    }
    best = min(losses, key=lambda count: (losses[count], count))
    return Group(tuple(order[:best]), p_value) if best else None


def _strata(material: Material, kept: list[int]) -> NDArray[np.int32] | None:
    """Return rows that kept columns do not tell apart, as finely as rows allow."""
    if not kept:
        return np.zeros(material.n_rows, dtype=np.int32)
    for bins in GROUP_BINS:
        codes = joint_codes(*(material.levels_of(j, bins) for j in kept))
        if int(codes.max()) + 1 <= material.n_rows / ROWS_PER_STRATUM:
            return codes.astype(np.int32)
    return None


def _sizes(most: int) -> list[int]:
    """Return 0, 1, 2, 3, 4, 6, 8, 12, 16 and so on, and all."""
    sizes = {0, 1, 3, most} | {
        size
        for power in range(1, most.bit_length() + 1)
        for size in (2**power, 3 * 2 ** (power - 1))
    }
    return sorted(size for size in sizes if size <= most)


def _outcomes(material: Material) -> NDArray[np.float64]:
    """Return the target in columns: one per class, or a quantity."""
    if material.quantity is not None:
        return material.quantity[:, np.newaxis]
    return np.eye(material.n_classes)[material.classes]
