"""Whether rows that are alike have targets that are: one test of many columns."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from featsieve.data import Column
from featsieve.inference._exchange import FREE, Exchange, monte_carlo_p_values

#: Rows are alike if they are nearer than this part of the mean distance: near enough
#: for interactions, far enough to have neighbours in a table with noise.
WIDTH = 0.25

#: Permutations of the target, and how many are made at a time.
DRAWS = 999
BLOCK = 37


def likeness_test(
    columns: Sequence[Column],
    target: NDArray[np.float64],
    strata: NDArray[np.int32],
    level: float,
    *,
    seed: int,
    exchange: Exchange = FREE,
) -> float:
    """Return the p-value of independence of the target and columns, all at once.

    Whether rows that are alike have targets that are, within strata (Gretton and
    others' criterion of independence, with a Laplace kernel), against permutations of
    the target within the strata, so that it is exact. `target` has one column per
    class, or one of numbers. It ends early if the p-value is going to be above `level`.
    """
    n_rows = len(target)
    alike = likeness_of_rows(columns)
    sizes = np.bincount(strata)[:, np.newaxis]
    means = np.stack([np.bincount(strata, values) for values in target.T], axis=1)
    target = target - (means / np.maximum(sizes, 1))[strata]
    by_stratum = np.argsort(strata, kind="stable")
    alike = alike[np.ix_(by_stratum, by_stratum)]
    target = target[by_stratum]
    null = exchange.take(by_stratum).within(strata[by_stratum])
    random = np.random.default_rng(seed)
    found = float((target * (alike @ target)).sum())
    # Sums in another order differ in the last digits; that is no difference.
    found -= 1e-9 * abs(found)
    enough = max(1, math.floor(level * (DRAWS + 1)))
    reached, drawn = 0, 0
    while drawn < DRAWS and reached < enough:
        orders = null.orders(n_rows, random, BLOCK)
        moved = target[orders].reshape(n_rows, -1)
        told = (moved * (alike @ moved)).reshape(n_rows, BLOCK, -1)
        reached += int(np.count_nonzero(told.sum(axis=(0, 2)) >= found))
        drawn += BLOCK
    return float(monte_carlo_p_values(reached, drawn))


def likeness_of_rows(columns: Sequence[Column]) -> NDArray[np.float64]:
    """Return how alike every two rows are, centred, so that chance is zero.

    Distances of nominal values are 0 or 1, those of numbers are between their ranks;
    missing is a value of its own. Every column has the same mean distance.
    """
    n_rows = len(columns[0].values)
    distance = np.zeros((n_rows, n_rows))
    n_used = 0
    for column in columns:
        own = _distances(column)
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
