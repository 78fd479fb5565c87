"""Columns that are possible as a group, and what is over a limit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from featsieve._types import Floats
from featsieve.data import Column, Table
from featsieve.engine import derive_seed
from featsieve.inference.api import (
    GrowingSet,
    likeness_test,
)
from featsieve.selection._apart import (
    basis_of,
    describe,
    most_given,
    target_basis,
)
from featsieve.selection._material import Material
from featsieve.trees.api import out_of_bag_answers

#: Trees of each forest that is asked.
N_TREES = 100


def forest_loss(
    material: Material, columns: Sequence[Column], n_trees: int = N_TREES
) -> float:
    """Return the mean squared error of a forest on these columns, out of bag."""
    table = Table(tuple(columns))
    answers = out_of_bag_answers(
        table,
        material.tree_target(),
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
    return float(np.nanmean(losses))


def best_size(
    material: Material, kept: Sequence[Column], others: Sequence[Column], least: int = 0
) -> int:
    """Return beside how many of the others, from the first on, a forest errs least."""
    losses = {
        size: forest_loss(material, [*kept, *others[:size]])
        for size in _sizes(len(others))
        if size >= least and (kept or size)
    }
    return min(losses, key=lambda size: (losses[size], size))


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


def fill_up(
    material: Material, kept: list[int], first: list[int], p_values: Floats, least: int
) -> list[int]:
    """Return further columns, so that there are at least so many.

    Those that come `first` do so in their order. Then the rest, one by one, by what
    they add to all that is there: the least p-value given it, or the column's own one,
    whichever is greater, so that a column that fits the others by chance is not taken
    for one that matters. Where rows are too few to tell, by their own p-values.
    """
    n_missing = least - len(kept)
    added = first[: max(n_missing, 0)]
    if len(added) >= n_missing:
        return added
    present = {*kept, *first}
    rest = [j for j in range(material.n_features) if j not in present]
    adding = GrowingSet(
        [basis_of(material, j, 0) for j in rest], target_basis(material)
    )
    for j in [*kept, *first]:
        adding.give(basis_of(material, j, 0))
    left = set(range(len(rest)))
    while len(added) < n_missing and left:
        given = np.ones(len(rest))
        if adding.rank < most_given(material):
            given = adding.test().p_values
        worst = np.maximum(given, p_values[rest])
        best = min(left, key=lambda k: (worst[k], p_values[rest[k]], rest[k]))
        left.remove(best)
        added.append(rest[best])
        adding.give(basis_of(material, rest[best], 0))
    return added


#: The share of the error that goes to the one test; see `SHARES` of the stages.
GROUP_SHARE = 0.2

#: With fewer rows nothing can be said; with more columns show themselves.
LEAST_ROWS, MOST_ROWS = 4, 500


@dataclass(frozen=True, slots=True)
class Group:
    """Columns one of which matters, best first, and the p-value of all undecided."""

    members: tuple[int, ...]
    p_value: float


def find_group(
    material: Material,
    kept: list[int],
    undecided: list[int],
    p_values: Floats,
    fdr: float,
    *,
    sets: Sequence[tuple[int, ...]] = (),
) -> Group | None:
    """Return undecided columns that matter as a group beside those that are kept.

    If all of them together tell something, as many are taken, in the order of their
    `p_values`, as a forest errs least with on rows out of its bags. That one of them
    matters is as certain as the test is; it does not say which. `sets` are those of
    the kept columns that were found together. Only whether there is a group depends on
    the rate, not its members, and a greater rate never makes it none.
    """
    if not undecided or not LEAST_ROWS <= material.n_rows <= MOST_ROWS:
        return None
    given = _directions(material, kept, sets)
    if given is None:
        return None
    level = GROUP_SHARE * fdr
    p_value = likeness_test(
        [material.table.columns[j] for j in undecided],
        _outcomes(material),
        level,
        seed=derive_seed(material.seed, "group"),
        given=given,
    )
    if p_value > level:
        return None
    order = sorted(undecided, key=lambda j: (p_values[j], j))
    columns = material.table.columns
    best = best_size(material, [columns[j] for j in kept], [columns[j] for j in order])
    return Group(tuple(order[:best]), p_value) if best else None


def _directions(
    material: Material, kept: list[int], sets: Sequence[tuple[int, ...]]
) -> Floats | None:
    """Return what kept columns and sets of them fit, as finely as rows allow.

    The bends of their fit are among it; None if even straight lines are too many.
    """
    growing = GrowingSet([], target_basis(material))
    if not kept:
        return growing.given.directions
    bases = describe(material, kept, sets, most_given(material))
    if not bases:
        return None
    for basis in bases:
        growing.give(basis)
    growing.give_curve()
    return growing.given.directions


def _sizes(most: int) -> list[int]:
    """Return 0, 1, 2, 3, 4, 6, 8, 12, 16 and so on, and all."""
    sizes = {0, 1, 3, most} | {
        size
        for power in range(1, most.bit_length() + 1)
        for size in (2**power, 3 * 2 ** (power - 1))
    }
    return sorted(size for size in sizes if size <= most)


def _outcomes(material: Material) -> Floats:
    """Return the target in columns: one per class, or a quantity."""
    if material.quantity is not None:
        return material.quantity[:, np.newaxis]
    return np.eye(material.n_classes)[material.classes]
