"""A second look at what was set aside: whether a forest misses it.

One column after the other may add next to nothing to a few others and yet, taken
together, they steady what a learner makes of the rest. No test of single columns sees
that; a forest that is grown without them does.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from featsieve.engine import derive_seed
from featsieve.sieve._material import Material
from featsieve.sieve._redundancy import Displaced, Redundancy
from featsieve.trees._out_of_bag import out_of_bag_answers

__all__ = ["bring_back", "forest_losses"]

#: Trees of each forest that is asked.
N_TREES = 100

#: Losses that differ by fewer standard errors are taken for equal: Breiman's rule.
ERRORS_APART = 1.0

#: Columns as alike as this, in eight bins, are the same thing measured twice (as normal
#: variables they would correlate by about 0.9); a forest gains by averaging them, but
#: nobody would want both.
NEAR_COPY = 0.3


def bring_back(
    material: Material, found: Redundancy, n_trees: int | None = None
) -> Redundancy:
    """Return the redundancy without the columns that a forest misses.

    A forest on the columns that are kept is compared, by what it answers for rows out
    of its bags, with one that has those set aside, too, but for near copies. If it does
    worse, as few come back as make it do as well, those first that tell most beside
    their displacers.
    """
    doubtful = sorted(
        (j for j, why in found.displaced.items() if _may_return(why)),
        key=lambda j: (-found.displaced[j].gain, j),
    )
    if not doubtful or material.n_rows < 2:
        return found
    trees = min(N_TREES, n_trees or N_TREES)
    whole = forest_losses(material, found.kept + doubtful, trees)

    def suffices(count: int) -> bool:
        losses = forest_losses(material, found.kept + doubtful[:count], trees)
        return not _is_greater(losses, whole)

    if suffices(0):
        return found
    few, enough = 0, len(doubtful)
    while enough - few > 1:
        middle = (few + enough) // 2
        if suffices(middle):
            enough = middle
        else:
            few = middle
    back = doubtful[:enough]
    return replace(
        found,
        kept=[*found.kept, *back],
        displaced={j: why for j, why in found.displaced.items() if j not in back},
        returned={j: found.displaced[j] for j in back},
    )


def _may_return(why: Displaced) -> bool:
    return why.p_value is not None and why.association < NEAR_COPY


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
        seed=derive_seed(material.seed, "second look"),
        n_jobs=material.n_jobs,
    )
    if material.quantity is not None:
        losses = (answers[:, 0] - material.quantity) ** 2
    else:
        answers[np.arange(len(answers)), material.classes] -= 1
        losses = (answers**2).sum(axis=1)
    return losses


def _is_greater(some: NDArray[np.float64], others: NDArray[np.float64]) -> bool:
    """Whether losses of the same rows are greater by more than their error."""
    rise = (some - others)[~np.isnan(some)]
    if len(rise) < 2:
        return False
    error = float(rise.std(ddof=1)) / math.sqrt(len(rise))
    return float(rise.mean()) > ERRORS_APART * error
