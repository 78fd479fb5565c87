"""Tests of independence: in strata, of columns in numbers, of rows alike, of sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import gammaln
from scipy.stats import rankdata

from featsieve._types import Array, Codes, Floats, Mask
from featsieve.data import Column
from featsieve.inference._column_basis import (
    LEAST_LEFT,
    Basis,
    Given,
    TargetBasis,
    independent,
    orthonormal,
)
from featsieve.inference._exchange import FREE, Exchange, monte_carlo_p_values
from featsieve.inference._partial_test import harmonic_means, pillai_p_values
from featsieve.measures import joint_codes

#: Levels of fewer rows are taken together: no law holds for them.
LEAST_LEVEL = 5

#: Cells of a table that is held densely; beyond, levels are numbered as they occur.
MOST_CELLS = 4_000_000

LN2 = float(np.log(2.0))

#: Of the intervals: two-sided 95 %.
WIDTH = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Association:
    """What one column tells about the class, other columns given or not.

    `gain` is the bias-corrected gain (bits, or share of variance), `low` and `high`
    its interval, `p_value` that of independence, and `spread` the standard deviation of
    the gain if there were none.
    """

    gain: float
    low: float
    high: float
    p_value: float
    spread: float
    freedom: int


def measure(x: Array, classes: Codes, strata: Codes | None = None) -> Association:
    """Return what `x` tells about the class within strata, in bits.

    The p-value is that of the smaller of G and Pearson's statistic: with few rows to a
    cell the former is too great where classes are common, the latter where they are
    rare. Within a stratum Pearson's times (n − 1) / n has the mean of its law under
    permutation exactly. Freedom counts levels and classes that occur in the stratum.
    Where two levels and two classes are all, the test is Fisher's, which is exact: the
    law of chi-square would be too small by up to two times with 60 rows.
    """
    if strata is None:
        strata = np.zeros(len(x), dtype=np.int32)
    return associate(_table(x, classes, strata))


def associate(counts: Array) -> Association:
    """Return the same from counts of rows, (strata, levels, classes) or of one stratum.

    On noise with few rows to a level, at level 0.01, G alone was seen to pass up to all
    columns and Pearson's statistic alone up to 9 of 100.
    """
    counts = counts.astype(np.float64)
    counts = counts if counts.ndim == 3 else counts[np.newaxis]
    rows, columns = counts.sum(axis=2), counts.sum(axis=1)
    totals = rows.sum(axis=1)
    n = float(totals.sum())
    freedom = int(
        (
            np.maximum((rows > 0).sum(axis=1) - 1, 0)
            * np.maximum((columns > 0).sum(axis=1) - 1, 0)
        ).sum()
    )
    if freedom == 0:
        return Association(0.0, 0.0, 0.0, 1.0, 0.0, 0)
    expected = rows[:, :, np.newaxis] * columns[:, np.newaxis, :]
    expected = expected / np.maximum(totals, 1)[:, np.newaxis, np.newaxis]
    some = counts > 0
    local = np.log2(counts[some] / expected[some])
    weight = counts[some] / n
    plain = float(weight @ local)
    occupied = expected > 0
    squares = np.zeros_like(expected)
    squares[occupied] = (counts[occupied] - expected[occupied]) ** 2
    squares[occupied] /= expected[occupied]
    shrink = (totals - 1) / np.maximum(totals, 1)
    pearson = float(squares.sum(axis=(1, 2)) @ shrink)
    statistic = min(2 * n * LN2 * plain, pearson)
    bias = freedom / (2 * n * LN2)
    spread = np.sqrt(2 * freedom) / (2 * n * LN2)
    error = float(np.sqrt(max(weight @ (local - plain) ** 2, 0.0) / n))
    half = WIDTH * max(error, spread / 2)
    gain = plain - bias
    return Association(
        gain,
        max(0.0, gain - half),
        max(0.0, gain + half),
        _chance_of(counts, statistic, freedom),
        float(spread),
        freedom,
    )


def _chance_of(counts: Floats, statistic: float, freedom: int) -> float:
    """Return the p-value of tables: exact of one with four cells, else by chi-square.

    Weighted rows are not counted, so that nothing is exact.
    """
    if freedom == 1:
        levels, classes = counts.sum(axis=2) > 0, counts.sum(axis=1) > 0
        (k,) = np.flatnonzero((levels.sum(axis=1) > 1) & (classes.sum(axis=1) > 1))
        table = counts[k][np.ix_(levels[k], classes[k])]
        if np.array_equal(table, np.floor(table)):
            return fourfold_p_value(table)
    return float(stats.chi2.sf(statistic, freedom))


def fourfold_p_value(table: Floats) -> float:
    """Return the two-sided p-value of Fisher's exact test of two levels and classes.

    Of all tables with these margins, those count whose first cell is as far from what
    is expected, or further.
    """
    (first, second), (column, _) = table.sum(axis=1), table.sum(axis=0)
    n = first + second
    expected = first * column / n
    away = abs(table[0, 0] - expected) - 1e-9 * n
    # Cells at the end of a tail of thousands are too unlikely to count.
    reach = 50 + 12 * np.sqrt(expected * (second / n) * (1 - column / n))
    low, high = max(0.0, column - second), min(first, column)
    above = np.arange(np.ceil(expected + away), high + 1)[: int(reach)]
    below = np.arange(np.floor(expected - away), low - 1, -1)[: int(reach)]
    cells = np.unique(np.concatenate([above, below]))
    margins = gammaln(np.array([first, second, column, n - column, n]) + 1)
    inside = np.stack([cells, first - cells, column - cells, second - column + cells])
    chances = margins[:4].sum() - margins[4] - gammaln(inside + 1).sum(axis=0)
    return float(min(1.0, np.exp(chances).sum()))


def merge_rare_levels(counts: Array) -> Array:
    """Return counts (levels, classes) with all levels of few rows taken as one."""
    rows = counts.sum(axis=1)
    counts, rare = counts[rows > 0], rows[rows > 0] < LEAST_LEVEL
    if not rare.any():
        return counts
    return np.vstack((counts[~rare], counts[rare].sum(axis=0)))


def gain_p_values(bits: Any, n_rows: float, freedom: Any) -> Floats:
    """Return the chance of gains as large, by the law of chi-square.

    2 n ln 2 times a plug-in gain is about chi-square where all cells hold many rows;
    with few rows to a cell it is too large, and the p-values too small.
    """
    p_values: Floats = stats.chi2.sf(2 * LN2 * n_rows * bits, freedom)
    return p_values


def _table(x: Array, classes: Codes, strata: Codes) -> Floats:
    """Return counts (strata, levels, classes), of those that occur."""
    n_x, n_y = int(x.max(initial=0)) + 1, int(classes.max(initial=0)) + 1
    n_s = int(strata.max(initial=0)) + 1
    if n_s * n_x * n_y > MOST_CELLS:
        x, strata = joint_codes(x), joint_codes(strata)
        n_x, n_s = int(x.max()) + 1, int(strata.max()) + 1
    cells = (strata.astype(np.int64) * n_x + x) * n_y + classes
    counts = np.bincount(cells, minlength=n_s * n_x * n_y)
    return counts.reshape(n_s, n_x, n_y).astype(np.float64)


def measure_shares(x: Array, ranks: Floats, strata: Codes | None = None) -> Association:
    """Return which share of the variance of ranks levels explain within strata.

    The test is Kruskal and Wallis'; with strata, its sum over them.
    """
    n = len(x)
    if strata is None:
        strata = np.zeros(n, dtype=np.int32)
    n_x = int(x.max(initial=0)) + 1
    n_s = int(strata.max(initial=0)) + 1
    cells = strata.astype(np.int64) * n_x + x
    size = np.bincount(strata, minlength=n_s).astype(np.float64)
    mean = np.bincount(strata, ranks, minlength=n_s) / np.maximum(size, 1)
    centred = ranks - mean[strata]
    counts = np.bincount(cells, minlength=n_s * n_x).astype(np.float64)
    sums = np.bincount(cells, centred, minlength=n_s * n_x)
    between = (sums**2 / np.maximum(counts, 1)).reshape(n_s, n_x).sum(axis=1)
    within = np.bincount(strata, centred**2, minlength=n_s)
    degrees = np.maximum((counts.reshape(n_s, n_x) > 0).sum(axis=1) - 1, 0)
    usable = (within > 0) & (degrees > 0)
    freedom = int(degrees[usable].sum())
    whole = float(((ranks - ranks.mean()) ** 2).sum())
    if freedom == 0 or whole == 0:
        return Association(0.0, 0.0, 0.0, 1.0, 0.0, 0)
    variance = within[usable] / np.maximum(size[usable] - 1, 1)
    statistic = float((between[usable] / variance).sum())
    bias = float((variance * degrees[usable]).sum())
    gain = (float(between[usable].sum()) - bias) / whole
    spread = float(np.sqrt(2 * freedom) * (bias / freedom) / whole)
    share = min(max(gain, 0.0), 1.0)
    error = 2 * np.sqrt(share) * (1 - share) / np.sqrt(max(n, 1))  # Olkin and Finn
    half = WIDTH * max(float(error), spread / 2)
    return Association(
        gain,
        max(0.0, gain - half),
        min(1.0, max(0.0, gain + half)),
        float(stats.chi2.sf(statistic, freedom)),
        spread,
        freedom,
    )


def rank_test(values: Floats, classes: Codes, quantity: Floats | None) -> float:
    """Return the p-value of a rank association of a numeric column with the target.

    Kruskal and Wallis' test for classes, Spearman's for a quantity; rows whose value
    is missing are left out.
    """
    known = ~np.isnan(values)
    n = int(np.count_nonzero(known))
    if n < 3:
        return 1.0
    ranks = stats.rankdata(values[known])
    if quantity is None:
        return measure_shares(classes[known], ranks).p_value
    other = stats.rankdata(quantity[known])
    if np.ptp(ranks) == 0 or np.ptp(other) == 0:
        return 1.0
    return correlation_p_value(float(np.corrcoef(ranks, other)[0, 1]), n)


def correlation_p_value(r: float, n_rows: int) -> float:
    """Return the two-sided p-value of a correlation (Student's t), or of ranks.

    Exact for normal values; for ranks of some ten rows or more a good approximation. A
    correlation of 1 is beyond doubt, and two rows say nothing.
    """
    if n_rows < 3:
        return 1.0
    if abs(r) >= 1:
        return 0.0
    t = abs(r) * np.sqrt((n_rows - 2) / (1 - r * r))
    return float(2 * stats.t.sf(t, n_rows - 2))


#: Rows are alike if they are nearer than this part of the mean distance: near enough
#: for interactions, far enough to have neighbours in a table with noise.
NEAR = 0.25

#: Permutations of the target, and how many are made at a time.
DRAWS = 999
BLOCK = 37

#: A target of which less is left per row, in squares, is explained but for rounding.
ALL_TOLD = 1e-12


def likeness_test(
    columns: Sequence[Column],
    target: Floats,
    level: float,
    *,
    seed: int,
    given: Floats | None = None,
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


def _likeness(alike: Floats, space: Floats, rests: Floats) -> Floats:
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
    return np.asarray(told / np.maximum(size, ALL_TOLD * n_rows))


def likeness_of_rows(columns: Sequence[Column]) -> Floats:
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
    alike = np.exp(-distance / (NEAR * max(n_used, 1)))
    alike -= alike.mean(axis=0)
    alike -= alike.mean(axis=1)[:, np.newaxis]
    return alike


def _distances(column: Column) -> Floats:
    missing = column.missing
    if column.is_nominal:
        values = column.values
        differ: Mask = values[:, np.newaxis] != values
        return differ.astype(np.float64)
    ranks = np.zeros(len(missing))
    known = ~missing
    ranks[known] = rankdata(column.values[known]) / max(np.count_nonzero(known), 1)
    distances: Floats = np.abs(ranks[:, np.newaxis] - ranks)
    # The mean distance of two ranks.
    distances[missing[:, np.newaxis] != missing] = 1 / 3
    return distances


class Company:
    """Tests of whether columns go with a set that grows, by themselves or given more.

    Parameters
    ----------
    bases : sequence of Basis
        The columns.
    target : TargetBasis
        The target.
    given_target : bool, default=False
        Whether the target is known anyway: what columns share through it is no company.
    """

    def __init__(
        self,
        bases: Sequence[Basis],
        target: TargetBasis,
        *,
        given_target: bool = False,
    ) -> None:
        self._n_rows, n_rows = target.n_rows, len(target.directions)
        self._given = target.directions if given_target else np.empty((n_rows, 0))
        self._rests = [
            independent(self._without_given(basis.directions), math.sqrt(LEAST_LEFT))
            for basis in bases
        ]
        self._ordered = [basis.ordered for basis in bases]
        self._set = Given(n_rows)

    @property
    def rank(self) -> int:
        """The number of directions of the set."""
        return self._set.rank

    def _without_given(self, directions: Floats) -> Floats:
        return np.asarray(directions - self._given @ (self._given.T @ directions))

    def add(self, basis: Basis) -> None:
        """Add a column to the set."""
        self._set.add(self._without_given(basis.directions))

    def test(self, k: int) -> float:
        """Return the p-value of a column and the set having nothing in common."""
        own = self._rests[k]
        n_free = self._n_rows - 1 - self._given.shape[1]
        shared = (self._set.inner(own) ** 2).sum(axis=0)
        width = own.shape[1]
        p_value = pillai_p_values(shared.sum(), width, self.rank, n_free)
        if not self._ordered[k] or not width:
            return float(p_value)
        line = pillai_p_values(shared[0], 1, self.rank, n_free)
        return float(harmonic_means(p_value, line))
