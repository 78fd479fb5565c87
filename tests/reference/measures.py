"""Entropy measures by their definitions: dictionaries, loops, nothing clever."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict

import numpy as np
from scipy.special import kl_div


def weigh(rows, weights=None):
    """Total weight of each distinct value."""
    totals = defaultdict(float)
    for i, row in enumerate(rows):
        totals[row] += 1.0 if weights is None else weights[i]
    return {value: total for value, total in totals.items() if total > 0}


def entropy_of(totals):
    total = sum(totals.values())
    return -sum(w / total * math.log2(w / total) for w in totals.values() if w > 0)


def joint_table(x, y, weights=None, missing="level"):
    """(x, y) -> weight, with missing x treated as asked; None is missing."""
    n = len(x)
    weights = [1.0] * n if weights is None else list(weights)
    table = defaultdict(float)
    if missing in ("level", "ignore"):
        for a, b, w in zip(x, y, weights, strict=True):
            if a is None and missing == "ignore":
                continue
            table[a, b] += w
        return {cell: w for cell, w in table.items() if w > 0}
    frequency = defaultdict(float)
    for a, w in zip(x, weights, strict=True):
        if a is not None:
            frequency[a] += w
    known = sum(frequency.values())
    if known == 0:
        return {}
    for a, b, w in zip(x, y, weights, strict=True):
        if a is not None:
            table[a, b] += w
        else:
            for value, share in frequency.items():
                table[value, b] += w * share / known
    return {cell: w for cell, w in table.items() if w > 0}


def margins(table):
    rows, columns = defaultdict(float), defaultdict(float)
    for (a, b), w in table.items():
        rows[a] += w
        columns[b] += w
    return rows, columns


def information_gain(x, y, weights=None, missing="level"):
    table = joint_table(x, y, weights, missing)
    if not table:
        return 0.0
    rows, columns = margins(table)
    total = sum(rows.values())
    conditional = 0.0
    for value, weight in rows.items():
        within = {b: w for (a, b), w in table.items() if a == value}
        conditional += weight / total * entropy_of(within)
    return entropy_of(columns) - conditional


def gain_ratio(x, y, weights=None, missing="level"):
    table = joint_table(x, y, weights, missing)
    own = entropy_of(margins(table)[0]) if table else 0.0
    return information_gain(x, y, weights, missing) / own if own > 1e-12 else 0.0


def symmetrical_uncertainty(x, y, weights=None, missing="level"):
    table = joint_table(x, y, weights, missing)
    if not table:
        return 0.0
    rows, columns = margins(table)
    both = entropy_of(rows) + entropy_of(columns)
    if both <= 1e-12:
        return 0.0
    return 2 * information_gain(x, y, weights, missing) / both


def permutation_mean(x, y):
    """Mean gain over every ordering of the class, by trying them all."""
    orders = list(itertools.permutations(y))
    return sum(information_gain(x, order) for order in orders) / len(orders)


def exceedance_share(x, y, score, statistic):
    """Share of all orderings of the class that score at least as high."""
    orders = list(itertools.permutations(y))
    return sum(statistic(x, order) >= score - 1e-9 for order in orders) / len(orders)


class TiedError(Exception):
    """Both descriptions are equally long; rounding decides."""


def shorter_when_cut(pairs, left, right):
    """Kononenko: are there fewer tables with this cut than tables without, exactly."""
    k = len({c for _, c in pairs})

    def ways(some):
        n = len(some)
        orders = math.factorial(n)
        for count in weigh([c for _, c in some]).values():
            orders //= math.factorial(int(count))
        return math.comb(n + k - 1, k - 1) * orders

    uncut, cut = ways(pairs), (len(pairs) - 1) * ways(left) * ways(right)
    if uncut == cut:
        raise TiedError
    return uncut > cut


def mdl_cuts(values, classes, encoding="fayyad_irani"):
    """Fayyad and Irani's cuts by trying every midpoint, recursively."""
    pairs = sorted(
        (v, c) for v, c in zip(values, classes, strict=True) if not math.isnan(v)
    )
    distinct = sorted({v for v, _ in pairs})
    if len(distinct) < 2:
        return []

    def information(some):
        return entropy_of(weigh([c for _, c in some]))

    n = len(pairs)
    best = None
    for low, high in itertools.pairwise(distinct):
        left = [p for p in pairs if p[0] <= low]
        right = [p for p in pairs if p[0] > low]
        e = len(left) / n * information(left) + len(right) / n * information(right)
        if best is None or e < best[0] - 1e-12:
            best = (e, (low + high) / 2, left, right)
    e, cut, left, right = best
    gain = information(pairs) - e
    k, k1, k2 = (len({c for _, c in part}) for part in (pairs, left, right))
    delta = math.log2(3**k - 2) - (
        k * information(pairs) - k1 * information(left) - k2 * information(right)
    )
    naming = math.log2(n - 1 if encoding == "fayyad_irani" else len(distinct) - 1)
    worth = gain > 1e-12 and gain > (naming + delta) / n
    if encoding == "kononenko":
        worth = k > 1 and shorter_when_cut(pairs, left, right)
    if not worth:
        return []
    return sorted(
        [
            *mdl_cuts(*zip(*left, strict=True), encoding),
            cut,
            *mdl_cuts(*zip(*right, strict=True), encoding),
        ]
    )


def three_way_distance(table):
    """Return X² or, if less, the deviance from no interaction, and its degrees."""
    counts = np.asarray(table, dtype=np.float64)
    for axis in range(3):
        others = tuple(k for k in range(3) if k != axis)
        counts = np.compress(counts.sum(axis=others) > 0, counts, axis=axis)
    n_classes, n_first, n_second = counts.shape
    occupied = int(np.count_nonzero(counts.sum(axis=0)))
    degrees = (n_classes - 1) * (occupied - n_first - n_second + 1)
    if degrees <= 0:
        return 0.0, 0
    fitted = np.broadcast_to(counts.sum(axis=0) > 0, counts.shape).astype(np.float64)
    wanted = [counts.sum(axis=axis, keepdims=True) for axis in range(3)]
    for _ in range(200):
        gap = 0.0
        for axis, margin in enumerate(wanted):
            now = fitted.sum(axis=axis, keepdims=True)
            gap = max(gap, float(np.abs(now - margin).max()))
            fitted *= np.divide(margin, now, out=np.zeros_like(margin), where=now > 0)
        if gap <= 1e-9 * counts.sum():
            break
    apart = (counts - fitted) ** 2
    terms = np.divide(apart, fitted, out=np.zeros_like(fitted), where=fitted > 0)
    deviance = 2 * float(kl_div(counts, fitted)[fitted > 0].sum())
    return max(0.0, min(float(terms.sum()), deviance)), degrees
