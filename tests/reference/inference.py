"""p-values and error rates from their definitions, slow and plain."""

from __future__ import annotations

import itertools
import math
from collections import Counter

from scipy import stats


def q_values(p_values):
    """Return the least level at which the step-up procedure rejects each test."""
    m = len(p_values)
    rates = []
    for mine in p_values:
        # A threshold t rejects all tests up to t; the rate it can promise is m t / r.
        promised = [
            m * t / sum(p <= t for p in p_values) for t in p_values if t >= mine
        ]
        rates.append(min(1.0, *promised))
    return rates


def n_rejected(p_values, level):
    """Return the greatest number of tests that the step-up procedure rejects."""
    m = len(p_values)
    counts = [
        k
        for k in range(1, m + 1)
        if sum(p <= level * k / m * (1 + 1e-12) for p in p_values) >= k
    ]
    return max(counts, default=0)


def exact_p_value(statistic, target, strata=None):
    """Return the share of all orders (within strata) whose statistic is as large."""
    n = len(target)
    strata = [0] * n if strata is None else list(strata)
    seen = statistic(list(target)) - 1e-9
    reached = total = 0
    for order in itertools.permutations(range(n)):
        if any(strata[i] != strata[j] for i, j in enumerate(order)):
            continue
        total += 1
        reached += statistic([target[j] for j in order]) >= seen
    return reached / total


def exact_p_value_of_groups(statistic, targets, groups):
    """Return the share of all ways to hand targets of groups on that score as high."""
    seen = statistic([targets[g] for g in groups]) - 1e-9
    ways = list(itertools.permutations(targets))
    return sum(statistic([way[g] for g in groups]) >= seen for way in ways) / len(ways)


def likelihood_ratio(x, y):
    """Return G = 2 Σ observed ln (observed / expected) of two lists of codes."""
    n, left, right = len(x), Counter(x), Counter(y)
    cells = Counter(zip(x, y, strict=True))
    return 2 * sum(
        c * math.log(c * n / (left[a] * right[b])) for (a, b), c in cells.items()
    )


def rank_variance_ratio(values, classes):
    """Return Kruskal and Wallis' statistic, corrected for ties, and its freedom."""
    n = len(values)
    ranks = [
        sum(o < v for o in values) + (sum(o == v for o in values) + 1) / 2
        for v in values
    ]
    between = 0.0
    for c in set(classes):
        own = [r for r, k in zip(ranks, classes, strict=True) if k == c]
        between += len(own) * (sum(own) / len(own) - (n + 1) / 2) ** 2
    spread = sum((r - (n + 1) / 2) ** 2 for r in ranks) / (n - 1)
    return between / spread, len(set(classes)) - 1


def weighted_t(pairs):
    """Return t of (weight, value) pairs against a mean of 0, and its freedom."""
    n, total = len(pairs), sum(w for w, _ in pairs)
    mean = sum(w * x for w, x in pairs) / total
    variance = sum(w * (x - mean) ** 2 for w, x in pairs) / total * n / (n - 1)
    return mean / math.sqrt(variance / n), n - 1


def stratified_table(x, y, strata):
    """Return gain, bias, spread, error, freedom and χ² of x and y within strata.

    Bits; all sums over strata, whose cells are those of levels and classes that occur
    in them. The error is that of a mean of local gains over rows.
    """
    n = len(x)
    squares, freedom, local = 0.0, 0, []
    for s in set(strata):
        rows = [k for k in range(n) if strata[k] == s]
        size = len(rows)
        left, right = Counter(x[k] for k in rows), Counter(y[k] for k in rows)
        cells = Counter((x[k], y[k]) for k in rows)
        freedom += (len(left) - 1) * (len(right) - 1)
        for a, b in itertools.product(left, right):
            expected = left[a] * right[b] / size
            squares += (cells[a, b] - expected) ** 2 / expected * (size - 1) / size
        local += [
            math.log2(cells[x[k], y[k]] * size / (left[x[k]] * right[y[k]]))
            for k in rows
        ]
    gain = sum(local) / n
    error = math.sqrt(sum((value - gain) ** 2 for value in local)) / n
    unit = 2 * n * math.log(2)
    spread = math.sqrt(2 * freedom) / unit
    return gain, freedom / unit, spread, error, freedom, min(squares, unit * gain)


def fisher(x, y):
    """Return the share of orders in which two levels and classes agree as little.

    Both tails: tables as far from what is expected, or further.
    """
    n, first, column = len(x), x.count(max(x)), y.count(max(y))
    seen = sum(a == max(x) and b == max(y) for a, b in zip(x, y, strict=True))
    ways = {
        k: math.comb(first, k) * math.comb(n - first, column - k)
        for k in range(max(0, first + column - n), min(first, column) + 1)
    }
    away = abs(seen * n - first * column)
    far = sum(w for k, w in ways.items() if abs(k * n - first * column) >= away)
    return far / math.comb(n, column)


def table_p_value(x, y, strata):
    """Return the p-value of a table: Fisher's of four cells, else by chi-square."""
    *_, freedom, statistic = stratified_table(x, y, strata)
    if freedom == 1:
        for s in set(strata):
            rows = [k for k in range(len(x)) if strata[k] == s]
            own = [x[k] for k in rows], [y[k] for k in rows]
            if len(set(own[0])) == len(set(own[1])) == 2:
                return fisher(*own)
    return float(stats.chi2.sf(statistic, freedom))


def stratified_shares(x, ranks, strata):
    """Return gain, bias, freedom, χ² and variance of ranks by levels within strata."""
    n = len(x)
    mean = sum(ranks) / n
    whole = sum((r - mean) ** 2 for r in ranks)
    statistic, bias, total, freedom = 0.0, 0.0, 0.0, 0
    for s in set(strata):
        rows = [k for k in range(n) if strata[k] == s]
        own = sum(ranks[k] for k in rows) / len(rows)
        within = sum((ranks[k] - own) ** 2 for k in rows)
        levels = {x[k] for k in rows}
        if within < 1e-9 or len(levels) < 2:
            continue
        between = 0.0
        for level in levels:
            values = [ranks[k] - own for k in rows if x[k] == level]
            between += sum(values) ** 2 / len(values)
        variance = within / (len(rows) - 1)
        statistic += between / variance
        bias += variance * (len(levels) - 1)
        total += between
        freedom += len(levels) - 1
    return total, bias, freedom, statistic, whole


def wilson_hilferty(statistic, freedom):
    """Return the normal score of a χ² by its cube root."""
    spread = 2 / (9 * freedom)
    return ((statistic / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(spread)


def exponential_tail(scans, keep):
    """Return start, count per scan and rate of the tail of scans that keep k + 1 best.

    Beyond the greatest of the (k + 1)-th best of all scans every exceedance is known;
    nor are more taken than k per scan on average.
    """
    pooled = sorted((t for scan in scans for t in scan), reverse=True)
    known = max(
        (sorted(scan, reverse=True)[keep] for scan in scans if len(scan) > keep),
        default=0.0,
    )
    start = max(known, 0.0, pooled[min(len(pooled) - 1, len(scans) * keep)])
    beyond = [t - start for t in pooled if t > start + 1e-9]
    if not beyond:
        return start, None, 1.0
    return start, len(beyond) / len(scans), min(1.0, len(beyond) / sum(beyond))


def chance_gain(counts):
    """Return the gain of an irrelevant feature in a node of so many rows per class."""
    n, k = max(sum(counts), 2), max(sum(c > 0 for c in counts), 2)
    lower = 1 / n - (n - 1) / n * math.log2((n - 1) / n)
    two = (lower + (n / 2) ** -0.82) / 2
    if k == 2:
        return two
    unit = 2 * n * math.log(2)
    return min(1.0, (k - 1 + (unit * two - 1) * math.sqrt(k - 1)) / unit)


def ahead_of_shadows(gain, shadows, weight):
    """Return the mean gain above the shadows, and of each shadow in its place."""
    own, others = gain / weight, [s / weight for s in shadows]
    n = len(others)
    excess = own - sum(others) / n
    # The difference of one from the mean of n has variance 1 + 1 / n.
    scale = math.sqrt((1 + 1 / n) / (1 + 1 / (n - 1)))
    null = [scale * (s - (sum(others) - s) / (n - 1)) for s in others]
    return excess, null
