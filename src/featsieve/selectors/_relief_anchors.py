"""Relief's rows laid out, and averages over anchors: all, a sample, or as few as do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

import numpy as np
from scipy.special import stdtrit

from featsieve._types import Array, Codes, Floats, Mask, Positions
from featsieve.data import Column, Table
from featsieve.engine import run_tasks
from featsieve.selectors._base import best_features

#: Columns that are turned into rows together, for the sake of caches.
COLUMNS_AT_ONCE = 32

LARGEST = np.finfo(np.float64).max

#: Weka takes numbers whose range is below this for equal.
WEKA_RANGE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class ReliefRows:
    """Rows as the kernel reads them.

    Columns lie in four groups: complete numeric and nominal ones, then those with
    missing values; `positions` says where each column of the table went.
    """

    values: Floats
    expected: Floats
    groups: tuple[int, int, int, int]
    positions: Codes


def lay_out_rows(
    table: Table, order: Positions, weights: Floats | None, *, weka: bool
) -> ReliefRows:
    """Return rows of a table in the given order.

    Floats are scaled by the range of all rows of the table. A missing value differs
    from another one as much as a value drawn from the column would on average, or as
    Weka has it; a column without any known value is constant, except to Weka.
    """
    group = np.array([_group(column, weka) for column in table], dtype=np.intp)
    least = WEKA_RANGE if weka else 0.0
    places = np.argsort(group, kind="stable")
    a, b, c, d = (int(size) for size in np.bincount(group, minlength=4))
    values = np.empty((len(order), table.n_columns))
    expected = np.empty((len(order), c + d))
    for begin in range(0, table.n_columns, COLUMNS_AT_ONCE):
        some = [table.columns[j] for j in places[begin : begin + COLUMNS_AT_ONCE]]
        if begin + len(some) <= a:
            lines = _scale_together(np.stack([column.values for column in some]), least)
        else:
            lines = np.stack([_plain_numbers(column, least) for column in some])
        values[:, begin : begin + len(some)] = lines[:, order].T
    empty = np.flatnonzero(np.isnan(values[:1, : a + b]).ravel())
    values[:, empty] = 0.0  # columns without any value
    difference = _weka_difference if weka else _expected_difference
    for place, j in enumerate(places[a + b :].tolist()):
        column = table.columns[j]
        line = difference(column, _plain_numbers(column, least), weights)
        expected[:, place] = line[order]
    positions = np.empty(table.n_columns, dtype=np.int32)
    positions[places] = np.arange(table.n_columns)
    return ReliefRows(values, expected, (a, b, c, d), positions)


def _group(column: Column, weka: bool) -> int:
    """Return 0 or 1 for numeric or nominal columns, 2 more if values are missing."""
    kind = int(column.is_nominal)
    least = column.values.min()
    complete = least >= 0 if column.is_nominal else not np.isnan(least)
    if complete or (not weka and column.missing.all()):
        return kind
    return kind + 2


def _scale_together(lines: Floats, least_range: float) -> Floats:
    """Scale numbers to 0..1, line by line; without special cases all at once."""
    low, high = lines.min(axis=1, keepdims=True), lines.max(axis=1, keepdims=True)
    with np.errstate(over="ignore"):
        span = high - low
    if np.all((span > 0) & (span >= least_range) & np.isfinite(span)):
        lines -= low
        lines /= span
        return np.minimum(lines, 1.0, out=lines)
    return np.stack([scale_to_unit(line, least_range) for line in lines])


def scale_to_unit(values: Floats, least_range: float = 0.0) -> Floats:
    """Return numbers scaled to 0..1 by their range; 0 where they are all the same.

    They are taken for the same too where their range is below `least_range`.
    """
    if np.isnan(values).all():
        return values
    low, high = np.nanmin(values), np.nanmax(values)
    if low == high or high / 2 - low / 2 < least_range / 2:
        return np.where(np.isnan(values), np.nan, 0.0)
    if high / 2 - low / 2 > LARGEST / 2:  # the range overflows, its half does not
        values, low, high = values / 2, low / 2, high / 2
    # Ranges of the smallest numbers there are lose digits, and may exceed 1 by them.
    return np.minimum((values - low) / (high - low), 1.0)


def _plain_numbers(column: Column, least_range: float) -> Floats:
    """Return scaled numbers or codes, NaN where missing."""
    if not column.is_nominal:
        return scale_to_unit(column.values, least_range)
    codes: Floats = column.values.astype(np.float64)
    if column.n_missing:
        codes[column.missing] = np.nan
    return codes


def _expected_difference(
    column: Column, values: Floats, weights: Floats | None
) -> Floats:
    """Return how much each value differs from a random known one of the column.

    In rows where the value itself is missing: how much two random ones differ.
    """
    known = ~np.isnan(values)
    mass = np.ones(len(values)) if weights is None else weights
    some, mass = values[known], mass[known]
    total = mass.sum()
    if column.is_nominal:
        codes = some.astype(np.intp)
        apart = 1 - np.bincount(codes, weights=mass)[codes] / total
    else:
        apart = _mean_distances(some, mass) / total
    line = np.full(len(values), float(np.sum(mass * apart) / total))
    line[known] = apart
    return np.clip(line, 0.0, 1.0)


def _mean_distances(values: Floats, mass: Floats) -> Floats:
    """Return Σ mass · |value − other| for every value, by one sort."""
    order = np.argsort(values, kind="stable")
    ascending, weight = values[order], mass[order]
    up_to, moment = np.cumsum(weight), np.cumsum(weight * ascending)
    sums = np.empty(len(values))
    sums[order] = ascending * (2 * up_to - up_to[-1]) + moment[-1] - 2 * moment
    return sums


def _weka_difference(
    column: Column,
    values: Floats,
    weights: Floats | None,  # noqa: ARG001 - Weka's rule has none
) -> Floats:
    """Return the same in Weka's eyes: levels equally likely, numbers far away."""
    if column.is_nominal:
        return np.full(len(values), 1 - 1 / max(column.n_levels, 1))
    return np.where(np.isnan(values), 1.0, np.maximum(values, 1 - values))


#: Anchors per task. The kernel shares work among them, and threads share the tasks.
ANCHORS_PER_TASK = 64

#: Anchors before the first look of a race; every further look has twice as many.
FIRST_LOOK = 128


#: Terms of anchors (anchors, lines, features), target differences, which count.
Terms = tuple[Array, Array, Array]
Scan = Callable[[Codes], Terms]


#: Weighted sums over anchors, and their products while an interval is wanted; both add
#: up. With classes the quantities are (1, c): an anchor adds c to a feature's score. Of
#: a regression they are (1, a, b, c): mean difference of the target, of the feature,
#: and of their product.
Moments = tuple[Floats, Floats | None]


def _add(one: Moments, other: Moments) -> Moments:
    products = None
    if one[1] is not None and other[1] is not None:
        products = one[1] + other[1]
    return one[0] + other[0], products


def _moments(
    scan: Scan, anchors: Codes, weights: Floats | None, spread: bool
) -> Moments:
    terms, apart, counts = scan(anchors)
    mass = counts.astype(np.float64)
    if weights is not None:
        mass = mass * weights[anchors]
    n, lines, p = terms.shape
    if lines == 1 and not spread:  # nothing but the sum is wanted, as mostly
        counted = terms[:, 0] if (mass == 1).all() else terms[:, 0] * mass[:, None]
        return np.stack([np.full(p, mass.sum()), counted.sum(axis=0)]), None
    known = [np.ones((n, 1, p))]
    if lines == 2:
        known.append(np.broadcast_to(apart[:, None, None], (n, 1, p)))
    quantities = np.concatenate([*known, terms], axis=1)
    # Multiplied out row by row: matrix products may add up in another order.
    weighted = quantities * mass[:, None, None]
    products = np.einsum("isp,itp->stp", weighted, weighted) if spread else None
    return weighted.sum(axis=0), products


@dataclass(frozen=True, slots=True, eq=False)
class AnchorMeans:
    """Scores and their standard errors, from so many of all anchors."""

    scores: Floats
    errors: Floats
    n_anchors: int

    def interval(self, confidence: float) -> Floats:
        """Return lower and upper bounds, shape (n_features, 2)."""
        width = np.zeros_like(self.scores)
        if self.n_anchors > 1:
            quantile = stdtrit(self.n_anchors - 1, (1 + confidence) / 2)
            width = quantile * self.errors
        elif self.errors.any():
            width = np.full_like(self.scores, np.inf)
        return np.stack([self.scores - width, self.scores + width], axis=1)


def _means(moments: Moments, n_used: int, n_all: int) -> AnchorMeans:
    """Return what the sums say about the scores over all anchors."""
    sums, products = moments
    total = sums[0]
    if not len(total) or total[0] <= 0:
        nothing = np.zeros(sums.shape[1])
        return AnchorMeans(nothing, nothing, n_used)
    means = sums / total
    scores, slopes = _score(means)
    errors = np.zeros_like(scores)
    if products is not None and n_used < n_all:
        # The linear part of a ratio estimator, with the finite population's factor.
        squares = np.einsum("sp,stp,tp->p", slopes, products, slopes)
        per_anchor = np.maximum(squares, 0) * (n_used / total) ** 2
        errors = np.sqrt(per_anchor / (n_used * max(n_used - 1, 1)))
        errors = errors * np.sqrt(1 - n_used / n_all)
        if n_used < 2:
            errors = np.full_like(scores, np.inf)
    return AnchorMeans(scores, errors, n_used)


def _score(means: Floats) -> tuple[Floats, Floats]:
    """Return scores from mean quantities, and their slopes in these, centred."""
    if len(means) == 2:
        return means[1], np.stack([-means[1], np.ones_like(means[1])])
    _, target, feature, both = means
    zero = np.zeros_like(target)
    inverse = np.divide(1.0, target, out=zero.copy(), where=target > 0)
    rest = np.divide(1.0, 1 - target, out=zero.copy(), where=target < 1)
    scores = both * inverse - (feature - both) * rest
    by_target = -both * inverse**2 - (feature - both) * rest**2
    by_feature, by_both = -rest, inverse + rest
    constant = -(by_target * target + by_feature * feature + by_both * both)
    scores[target <= 0] = 0  # all neighbours have the same target
    return scores, np.stack([constant, by_target, by_feature, by_both])


def mean_over_anchors(
    scan: Scan, anchors: Codes, weights: Floats | None, n_all: int, n_jobs: int | None
) -> AnchorMeans:
    """Return scores from the given anchors, the first of `n_all` in random order."""
    moments = _sum_moments(scan, anchors, weights, len(anchors) < n_all, n_jobs)
    return _means(moments, len(anchors), n_all)


def _sum_moments(
    scan: Scan, anchors: Codes, weights: Floats | None, spread: bool, n_jobs: int | None
) -> Moments:
    tasks = [
        (scan, anchors[begin : begin + ANCHORS_PER_TASK], weights, spread)
        for begin in range(0, len(anchors), ANCHORS_PER_TASK)
    ]
    return reduce(_add, run_tasks(_moments, tasks, n_jobs=n_jobs, shared_memory=True))


@dataclass(frozen=True, slots=True)
class Decision:
    """Which features are kept, by number, threshold or both."""

    most: int | None
    threshold: float | None

    def keep(self, scores: Floats) -> Mask:
        """Return which features are kept at these scores; ties to the first."""
        keep = best_features(scores, self.most)
        if self.threshold is not None:
            keep &= scores > self.threshold
        return keep

    def settled(self, interval: Floats) -> bool:
        """Whether scores anywhere within their intervals keep the same features."""
        low, high = interval[:, 0], interval[:, 1]
        inside = np.ones(len(low), dtype=bool)
        outside = np.zeros(len(low), dtype=bool)
        if self.most is not None:
            # Rivals that may be better, and those that surely are.
            may = len(high) - np.searchsorted(np.sort(high), low, side="left") - 1
            sure = len(low) - np.searchsorted(np.sort(low), high, side="right")
            inside &= may < self.most
            outside |= sure >= self.most
        if self.threshold is not None:
            inside &= low > self.threshold
            outside |= high <= self.threshold
        return bool(np.all(inside | outside))


def race_anchors(  # noqa: PLR0917  (as `mean_over_anchors`, and when to end)
    scan: Scan,
    anchors: Codes,
    weights: Floats | None,
    decision: Decision,
    confidence: float,
    n_jobs: int | None,
) -> tuple[AnchorMeans, bool]:
    """Return scores from as many anchors as the decision takes, and if fewer did.

    Looks come after 128, 256, 512, … anchors; the error probability is shared equally
    among all looks that could be needed and all features.
    """
    n_all = len(anchors)
    looks = [FIRST_LOOK]
    while 2 * looks[-1] < n_all:
        looks.append(2 * looks[-1])
    total: Moments | None = None
    done = 0
    for end in (*(look for look in looks if look < n_all), n_all):
        part = _sum_moments(scan, anchors[done:end], weights, True, n_jobs)
        total = part if total is None else _add(total, part)
        done = end
        means = _means(total, done, n_all)
        n_tests = len(looks) * max(len(means.scores), 1)
        bounds = means.interval(1 - (1 - confidence) / n_tests)
        if done < n_all and decision.settled(bounds):
            return means, True
    return means, False
