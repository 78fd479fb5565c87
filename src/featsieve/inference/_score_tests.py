"""Tests of scores (ranks, normal scores, values) against groups and other scores.

Which share of the variance of scores do groups explain, or other scores? If rows may be
exchanged, the mean and the variance of that share over all orders of the rows are known
exactly (Pitman, "Significance tests which may be applied to samples from any
populations", 1937-38). A beta distribution with these two moments gives the p-value: of
normal scores within a factor of 2 down to 1e-5 for some twenty rows, whatever the
number of groups and however many are small, where the law of chi-square is off by up to
a thousand. For ranks in few groups the truth lies between the two laws, see `Law`. A
rare group of skewed values has a longer tail than both: the third moment of its mean is
known, too, and a gamma distribution with it bounds the p-value from below.
"""

from __future__ import annotations

import enum
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import special

from featsieve._types import Array, Floats, Ints, Mask


class Law(enum.Enum):
    """How a share of variance becomes a p-value; k is the number of groups.

    `BETA` is for normal scores and values. `RANKS` leans on chi-square by
    1 / (2 (k − 1)): ranks have no tails, and beta is too small far out.
    """

    BETA = enum.auto()
    RANKS = enum.auto()


class Ranked(NamedTuple):
    """Columns by mid-ranks, one row per column, less their mean; missing is 0.

    `known` counts the rows that have a value; `missing` is None if none lacks one.
    """

    ranks: Floats
    known: Ints
    missing: Mask | None


def rank_columns(values: Floats) -> Ranked:
    """Return the mid-ranks of columns, given one row per column."""
    n_columns, n_rows = values.shape
    order = np.argsort(values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    missing = np.isnan(values)
    known = n_rows - np.count_nonzero(missing, axis=1)
    places = np.arange(n_rows)
    new = np.ones((n_columns, n_rows + 1), dtype=bool)
    new[:, 1:-1] = ordered[:, 1:] != ordered[:, :-1]
    if new.all():
        middle = np.broadcast_to(places.astype(np.float64), values.shape)
    else:
        first = np.maximum.accumulate(np.where(new[:, :-1], places, 0), axis=1)
        ends = np.where(new[:, 1:], places, n_rows)[:, ::-1]
        last = np.minimum.accumulate(ends, axis=1)[:, ::-1]
        middle = (first + last) / 2
    ranks = np.empty(values.shape)
    centre = (known - 1)[:, np.newaxis] / 2
    np.put_along_axis(ranks, order, middle - centre, axis=1)
    if (known == n_rows).all():
        return Ranked(ranks, known, None)
    ranks[missing] = 0.0
    return Ranked(ranks, known, missing)


def normal_scores(ranked: Ranked) -> Floats:
    """Return normal scores, Φ⁻¹(rank / (n + 1)), less their mean; missing is 0.

    Tied rows have the score of their mid-rank.
    """
    scores = np.empty_like(ranked.ranks)
    for j, (ranks, known) in enumerate(zip(ranked.ranks, ranked.known, strict=True)):
        # Twice a mid-rank is whole: a table spares most of the work.
        table = _half_scores(int(known))
        np.take(table, np.rint(2 * ranks).astype(np.intp) + known - 1, out=scores[j])
    return centred(scores, ranked.missing)


@lru_cache(maxsize=8)
def _half_scores(n: int) -> Floats:
    """Return the normal scores of ranks 1, 1.5, 2, …, n; of no rank, too."""
    scores: Floats = special.ndtri(np.arange(2, 2 * n + 1) / (2.0 * (n + 1)))
    return scores if n else np.zeros(1)


def centred_values(values: Floats) -> Floats:
    """Return columns less their means, in units of their greatest; missing is 0."""
    missing = np.isnan(values)
    known = np.where(missing, 0.0, values)
    greatest = np.abs(known).max(axis=1, initial=0.0, keepdims=True)
    known = known / np.where(greatest > 0, greatest, 1.0)
    return centred(known, missing if missing.any() else None)


def centred(scores: Floats, missing: Mask | None) -> Floats:
    """Return scores of columns less their mean over rows that have a value."""
    if missing is None:
        means: Floats = scores.mean(axis=1, keepdims=True)
        return scores - means
    scores = np.where(missing, 0.0, scores)
    known = np.maximum(np.count_nonzero(~missing, axis=1), 1)
    less = scores - (scores.sum(axis=1) / known)[:, np.newaxis]
    return np.where(missing, 0.0, less)


class Grouping(NamedTuple):
    """Sums of the scores of columns in groups, and what their law depends on.

    `sums` and `sizes` are of shape (columns, groups), the rest one entry per column:
    rows, sums of squares, of cubes and of fourth powers.
    """

    sums: Floats
    sizes: Floats
    rows: Floats
    squares: Floats
    cubes: Floats
    fourths: Floats


def group_scores(
    scores: Floats, missing: Mask | None, groups: Array, n_groups: int
) -> Grouping:
    """Sum the centred scores of columns up by groups of rows.

    `groups` has one code per row, or one row per column. Groups of a negative code are
    left out; scores must be 0 there, and where they are missing.
    """
    n_columns, n_rows = scores.shape
    cells = np.broadcast_to(groups, scores.shape) + np.int64(0)
    left_out = cells < 0 if missing is None else missing | (cells < 0)
    cells += n_groups * np.arange(n_columns)[:, np.newaxis]
    counted = None
    if left_out.any():
        cells = np.where(left_out, 0, cells)
        counted = (~left_out).ravel().astype(np.float64)
    size = n_columns * n_groups
    flat = cells.ravel()
    sums = np.bincount(flat, scores.ravel(), minlength=size).astype(np.float64)
    sizes = np.bincount(flat, counted, minlength=size).astype(np.float64)
    squares = scores**2
    return Grouping(
        sums.reshape(n_columns, n_groups),
        sizes.reshape(n_columns, n_groups),
        n_rows - np.count_nonzero(left_out, axis=1).astype(np.float64),
        squares.sum(axis=1),
        (squares * scores).sum(axis=1),
        (squares**2).sum(axis=1),
    )


def scores_of_totals(totals: Array) -> tuple[Floats, Floats]:
    """Return mid-ranks and normal scores of distinct numbers, not centred.

    `totals` are rows per number, ascending.
    """
    rows = totals.astype(np.float64)
    ranks = np.cumsum(rows) - (rows - 1) / 2
    return ranks, special.ndtri(ranks / (rows.sum() + 1))


def group_counted(scores: Floats, counts: Array) -> Grouping:
    """Return the same of one column from rows per score and group; centres scores."""
    table = counts.astype(np.float64)
    totals = table.sum(axis=1)
    rows = totals.sum()
    scores = scores - (totals @ scores) / max(rows, 1.0)
    return Grouping(
        (scores @ table)[np.newaxis],
        table.sum(axis=0)[np.newaxis],
        np.array([rows]),
        np.array([totals @ scores**2]),
        np.array([totals @ scores**3]),
        np.array([totals @ scores**4]),
    )


def group_p_values(found: Grouping, law: Law) -> Floats:
    """Test whether the mean of scores is the same in all groups, column by column.

    A p-value is never below the chance of the very division into groups that was seen.
    Columns with less than two groups, four rows or two scores have p-value 1.
    """
    p_values = np.ones(len(found.rows))
    k = (found.sizes > 0).sum(axis=1).astype(np.float64)
    usable = (k > 1) & (found.rows > 3) & (found.squares > 0) & (k < found.rows)
    if not usable.any():
        return p_values
    k = k[usable]
    sums, sizes, n, squares, cubes, fourths = (part[usable] for part in found)
    inverse = np.divide(1.0, sizes, where=sizes > 0, out=np.zeros_like(sizes))
    share = np.clip((sums**2 * inverse).sum(axis=1) / squares, 0.0, 1.0)
    moments = _group_moments(n, k, sizes, inverse, fourths * n / squares**2)
    found_p = _tail(share, *moments, (n, k - 1), law)
    part = sizes / n[:, np.newaxis]
    spread = np.sqrt(np.maximum(part * (1 - part), 1e-300))
    of_groups = np.where(sizes > 0, np.abs(1 - 2 * part) / spread, 0.0).max(axis=1)
    skewness = _skewness(n, cubes * np.sqrt(n) / squares**1.5, of_groups)
    log_least = special.gammaln(sizes + 1).sum(axis=1) - special.gammaln(n + 1)
    p_values[usable] = np.maximum(_skewed(found_p, skewness), np.exp(log_least))
    return p_values


def correlation_p_values(
    x: Floats, y: Floats, missing: Mask | None, law: Law
) -> Floats:
    """Test centred scores of columns, one row each, against scores of the target.

    Two-sided, by the square of the correlation. Rows where a column is missing are left
    out; `y` is then centred anew.
    """
    p_values = np.ones(len(x))
    rows = np.full(len(x), float(x.shape[1]))
    y = y[np.newaxis] - y.mean()
    if missing is not None:
        rows = (~missing).sum(axis=1).astype(np.float64)
        y = centred(np.broadcast_to(y, x.shape), missing)
    x2, x3, x4 = _powers(x, rows)
    y2, y3, y4 = _powers(y, rows)
    usable = (rows > 3) & (x2 > 0) & (y2 > 0)
    if not usable.any():
        return p_values
    products = (x * y).sum(axis=1)
    n, x2, x3, x4, y2, y3, y4, products = (
        part[usable] for part in (rows, x2, x3, x4, y2, y3, y4, products)
    )
    share = np.clip(products**2 / (x2 * y2), 0.0, 1.0)
    kinds = zip(_patterns(n), _products(n, x4), _products(n, y4), strict=True)
    fourth = sum(count * a * b for count, a, b in kinds) / n**4
    mean = 1 / (n - 1)
    found_p = _tail(share, mean, fourth - mean**2, (n, np.ones_like(n)), law)
    least = np.exp(-special.gammaln(n + 1))
    p_values[usable] = np.maximum(_skewed(found_p, _skewness(n, x3, y3)), least)
    return p_values


def _powers(scores: Floats, rows: Floats) -> tuple[Floats, Floats, Floats]:
    """Return sums of squares, and mean cubes and fourth powers for mean square 1."""
    squares = scores**2
    two = np.broadcast_to(squares.sum(axis=1), rows.shape)
    three, four = (squares * scores).sum(axis=1), (squares**2).sum(axis=1)
    size = np.where(two > 0, two, 1.0)
    return two, three * np.sqrt(rows) / size**1.5, four * rows / size**2


def _patterns(n: Floats) -> tuple[Floats, ...]:
    """Return how many of n⁴ quadruples of rows are of the kinds of `_products`."""
    two = n * (n - 1)
    three = two * (n - 2)
    return n, 4 * two, 3 * two, 6 * three, three * (n - 3)


def _products(n: Floats, kurtosis: Floats) -> tuple[Floats, ...]:
    """Return means of a⁴, a³b, a²b², a²bc and abcd over distinct rows.

    For scores of mean 0 and mean square 1 whose mean fourth power is `kurtosis`.
    """
    return (
        kurtosis,
        -kurtosis / (n - 1),
        (n - kurtosis) / (n - 1),
        (2 * kurtosis - n) / ((n - 1) * (n - 2)),
        3 * (n - 2 * kurtosis) / ((n - 1) * (n - 2) * (n - 3)),
    )


def _group_moments(
    n: Floats, k: Floats, sizes: Floats, inverse: Floats, kurtosis: Floats
) -> tuple[Floats, Floats]:
    """Return mean and variance of the share that groups explain, over all orders."""
    a4, a31, a22, a211, a1111 = _products(n, kurtosis)
    inverses = inverse.sum(axis=1)
    # Σ (s − 1) / s, Σ (s − 1)(s − 2) / s, Σ (s − 1)(s − 2)(s − 3) / s over groups.
    two = k - inverses
    three = n - 3 * k + 2 * inverses
    four = (sizes**2).sum(axis=1) - 6 * n + 11 * k - 6 * inverses
    same = a4 * inverses + two * (4 * a31 + 3 * a22) + 6 * three * a211 + four * a1111
    squares = (sizes**2).sum(axis=1) - 2 * n + k  # Σ (s − 1)²
    other = (
        k * (k - 1) * a22
        + 2 * (k - 1) * (n - k) * a211
        + ((n - k) ** 2 - squares) * a1111
    )
    mean = (k - 1) / (n - 1)
    return mean, (same + other) / n**2 - mean**2


def _tail(
    share: Floats, mean: Floats, variance: Floats, size: tuple[Floats, Floats], law: Law
) -> Floats:
    """Return the chance of a share as great; of one that cannot vary, 1.

    `size` is the number of rows and the degrees of freedom.
    """
    n, freedom = size
    varies = variance > 1e-12 * mean
    spread = np.where(varies, variance, 1.0)
    weight = np.maximum(mean * (1 - mean) / spread - 1, 1e-9)
    beta = special.betainc((1 - mean) * weight, mean * weight, 1 - share)
    beta = np.where(varies, beta, 1.0)
    if law is Law.BETA:
        return beta
    chi_square = np.where(varies, special.chdtrc(freedom, (n - 1) * share), 1.0)
    lean = 1 / (2 * freedom)
    blended: Floats = beta ** (1 - lean) * chi_square**lean
    return blended


def _skewness(n: Floats, left: Floats, right: Floats) -> Floats:
    """Return the skewness, over all orders, of a correlation of skewed scores."""
    correction = 1 + 3 / (n - 1) + 4 / ((n - 1) * (n - 2))
    found: Floats = np.abs(left * right) * correction / np.sqrt(n)
    return found * ((n - 1) / n) ** 1.5


def _skewed(p_values: Floats, skewness: Floats) -> Floats:
    """Return p-values, or those of the same deviate in a gamma law, if greater."""
    settled = np.clip(p_values, 1e-300, 1.0)
    deviate = -special.ndtri_exp(np.log(settled / 2))
    shape = 4 / np.clip(skewness, 1e-4, 1e4) ** 2
    away = deviate * np.sqrt(shape)
    tails = special.gammaincc(shape, shape + away)
    tails = tails + special.gammainc(shape, np.maximum(shape - away, 0.0))
    return np.where(skewness > 1e-3, np.maximum(p_values, tails), p_values)
