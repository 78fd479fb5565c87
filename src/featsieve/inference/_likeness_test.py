"""Whether rows that are alike have targets that are: one test of many columns."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from featsieve.data import Column
from featsieve.inference._column_basis import orthonormal
from featsieve.inference._exchange import FREE, Exchange, monte_carlo_p_values

#: Rows are alike if they are nearer than this part of the mean distance: near enough
#: for interactions, far enough to have neighbours in a table with noise.
WIDTH = 0.25

#: Permutations of the target, and how many are made at a time.
DRAWS = 999
BLOCK = 37

#: A target of which less is left per row, in squares, is explained but for rounding.
LEAST_LEFT = 1e-12


def likeness_test(
    columns: Sequence[Column],
    target: NDArray[np.float64],
    level: float,
    *,
    seed: int,
    given: NDArray[np.float64] | None = None,
    exchange: Exchange = FREE,
) -> float:
    """Return the p-value of independence of the target and columns, all at once.

    Whether rows that are alike have targets that are (Gretton and others' criterion of
    independence, with a Laplace kernel). `target` has one column per class, or one of
    numbers. It ends early if the p-value is going to be above `level`.

    Without anything `given` the target is permuted as `exchange` says, and the test is
    exact. Else what the directions that are given fit is taken out of the target, and
    the rest of each row keeps its size and gets its sign by chance (a wild bootstrap:
    rows that the directions explain better have smaller rests, and permuting would mix
    them with others). What the directions would fit of that is taken out again, and
    each statistic divided by the squares of its rests. That is as good as the fit:
    the rests must be about zero on average wherever they stand.
    """
    n_rows = len(target)
    alike = likeness_of_rows(columns)
    space = orthonormal(np.empty((n_rows, 0)) if given is None else given)
    if space.shape[1] and not exchange.is_free:
        message = "Directions can be given only of rows that are exchangeable."
        raise ValueError(message)
    rest = target - target.mean(axis=0)
    rest -= space @ (space.T @ rest)
    random = np.random.default_rng(seed)
    found = float(_likeness(alike, space, rest[:, np.newaxis])[0])
    # Sums in another order differ in the last digits; that is no difference.
    found -= 1e-9 * max(abs(found), 1.0)
    enough = max(1, math.floor(level * (DRAWS + 1)))
    reached, drawn = 0, 0
    while drawn < DRAWS and reached < enough:
        if space.shape[1]:
            signs = random.integers(0, 2, (n_rows, BLOCK)) * 2.0 - 1.0
            moved = rest[:, np.newaxis] * signs[:, :, np.newaxis]
        else:
            moved = rest[exchange.orders(n_rows, random, BLOCK)]
        told = _likeness(alike, space, moved)
        reached += int(np.count_nonzero(told >= found))
        drawn += BLOCK
    return float(monte_carlo_p_values(reached, drawn))


def _likeness(
    alike: NDArray[np.float64], space: NDArray[np.float64], rests: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return how much rows that are alike have rests that are, for every draw.

    `rests` has rows, draws and columns of the target; 0 is what chance gives.
    """
    n_rows, n_draws, _ = rests.shape
    flat = rests.reshape(n_rows, -1)
    flat = flat - flat.mean(axis=0)
    flat = flat - space @ (space.T @ flat)
    shape = (n_rows, n_draws, -1)
    told = (flat * (alike @ flat)).reshape(shape).sum(axis=(0, 2))
    size = (flat**2).reshape(shape).sum(axis=(0, 2))
    return np.asarray(told / np.maximum(size, LEAST_LEFT * n_rows))


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
