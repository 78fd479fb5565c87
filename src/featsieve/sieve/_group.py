"""Columns that no test of one can tell from chance: whether all of them can be.

In a few dozen rows the evidence on each column may be too weak for any rate of false
discoveries, although rows that are alike plainly have the same class. One test of all
such columns at once sees that, and pays for one test only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from featsieve.data import Column
from featsieve.engine import derive_seed
from featsieve.measures import joint_codes
from featsieve.sieve._material import Material
from featsieve.sieve._second_look import forest_losses

__all__ = ["Group", "find_group", "independence_test", "likeness_of_rows"]

#: The share of the error that goes to the one test; see `SHARES` of the stages.
GROUP_SHARE = 0.2

#: With more rows columns show themselves.
MOST_ROWS = 500

#: Rows are alike if they are nearer than this part of the mean distance: near enough
#: for interactions, far enough to have neighbours in a table with noise.
WIDTH = 0.25

#: Bins of the columns that are given, and rows that a stratum of them should have.
GIVEN_BINS = (8, 4, 3, 2)
ROWS_PER_STRATUM = 4

#: Permutations of the target, and how many are made at a time.
DRAWS = 999
BLOCK = 37


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
    p_value = independence_test(material, undecided, strata, level)
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
    for bins in GIVEN_BINS:
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


def independence_test(
    material: Material, columns: list[int], strata: NDArray[np.int32], level: float
) -> float:
    """Return the p-value of independence of the target and columns, all at once.

    Whether rows that are alike have targets that are, within strata (Gretton and
    others' criterion of independence, with a Laplace kernel), against permutations of
    the target within the strata, so that it is exact. It ends early if the p-value is
    going to be above `level`.
    """
    alike = likeness_of_rows(material, columns)
    if material.quantity is not None:
        target = material.quantity[:, np.newaxis]
    else:
        target = np.eye(material.n_classes)[material.classes]
    sizes = np.bincount(strata)[:, np.newaxis]
    means = np.stack([np.bincount(strata, values) for values in target.T], axis=1)
    target = target - (means / np.maximum(sizes, 1))[strata]
    by_stratum = np.argsort(strata, kind="stable")
    alike = alike[np.ix_(by_stratum, by_stratum)]
    target, strata = target[by_stratum], strata[by_stratum]
    random = np.random.default_rng(derive_seed(material.seed, "group"))
    found = float((target * (alike @ target)).sum())
    # Sums in another order differ in the last digits; that is no difference.
    found -= 1e-9 * abs(found)
    enough = max(1, math.floor(level * (DRAWS + 1)))
    exceeding, drawn = 0, 0
    while drawn < DRAWS and exceeding < enough:
        keys = random.random((len(strata), BLOCK)) + strata[:, np.newaxis]
        shuffled = target[np.argsort(keys, axis=0)].reshape(len(strata), -1)
        told = (shuffled * (alike @ shuffled)).reshape(len(strata), BLOCK, -1)
        exceeding += int(np.count_nonzero(told.sum(axis=(0, 2)) >= found))
        drawn += BLOCK
    return (exceeding + 1) / (drawn + 1)


def likeness_of_rows(material: Material, columns: list[int]) -> NDArray[np.float64]:
    """Return how alike every two rows are, centred, so that chance is zero.

    Distances of nominal values are 0 or 1, those of numbers are between their ranks;
    missing is a value of its own. Every column has the same mean distance.
    """
    n_rows = material.n_rows
    distance = np.zeros((n_rows, n_rows))
    n_used = 0
    for j in columns:
        own = _distances(material.table.columns[j])
        mean = float(own.sum()) / (n_rows * (n_rows - 1))
        if mean > 0:
            distance += own / mean
            n_used += 1
    alike = np.exp(-distance / (WIDTH * max(n_used, 1)))
    alike -= alike.mean(axis=0)
    alike -= alike.mean(axis=1)[:, np.newaxis]
    return alike


def _distances(column: Column) -> NDArray[np.float64]:
    missing = column.missing
    if column.is_nominal:
        values = column.values
        differ: NDArray[np.bool_] = values[:, np.newaxis] != values
        return differ.astype(np.float64)
    ranks = np.zeros(len(missing))
    known = ~missing
    ranks[known] = rankdata(column.values[known]) / max(np.count_nonzero(known), 1)
    distances: NDArray[np.float64] = np.abs(ranks[:, np.newaxis] - ranks)
    # The mean distance of two ranks.
    distances[missing[:, np.newaxis] != missing] = 1 / 3
    return distances
