"""The test of all columns at once, slow and plain."""

from __future__ import annotations

import itertools
import math


def plain_likeness(columns, width=0.25):
    """Return how alike rows are, centred; columns hold numbers (or NaN) or words."""
    n = len(columns[0])
    total = [[0.0] * n for _ in range(n)]
    used = 0
    for column in columns:
        own = [[_distance(column, i, k) for k in range(n)] for i in range(n)]
        mean = sum(map(sum, own)) / (n * (n - 1))
        if mean > 0:
            used += 1
            for i, k in itertools.product(range(n), repeat=2):
                total[i][k] += own[i][k] / mean
    alike = [[math.exp(-d / (width * max(used, 1))) for d in row] for row in total]
    means = [sum(row) / n for row in alike]
    whole = sum(means) / n
    return [
        [alike[i][k] - means[i] - means[k] + whole for k in range(n)] for i in range(n)
    ]


def _distance(column, i, k):
    if isinstance(column[i], str):
        return float(column[i] != column[k])
    if math.isnan(column[i]) or math.isnan(column[k]):
        return 0.0 if math.isnan(column[i]) and math.isnan(column[k]) else 1 / 3
    known = [value for value in column if not math.isnan(value)]
    return abs(_rank(known, column[i]) - _rank(known, column[k])) / len(known)


def _rank(values, value):
    below = sum(other < value for other in values)
    same = sum(other == value for other in values)
    return below + (same + 1) / 2


def plain_statistic(alike, classes):
    """Return the share of all permutations of classes with rows as alike or more."""
    n = len(classes)

    def told(order):
        return sum(
            alike[i][k]
            for i, k in itertools.product(range(n), repeat=2)
            if classes[order[i]] == classes[order[k]]
        )

    found = told(range(n)) - 1e-9
    orders = list(itertools.permutations(range(n)))
    return sum(told(order) >= found for order in orders) / len(orders)


def share_of_orders(alike, target, strata):
    """Return the share of orders within strata in which rows alike agree as well.

    The target is taken less its mean in every stratum.
    """
    rows = range(len(target))
    of_stratum = [[j for j in rows if strata[j] == strata[i]] for i in rows]
    y = [
        target[i] - sum(target[j] for j in of_stratum[i]) / len(of_stratum[i])
        for i in rows
    ]

    def agree(order):
        return sum(y[order[i]] * alike[i][j] * y[order[j]] for i in rows for j in rows)

    seen = agree(list(rows))
    places = [[i for i in rows if strata[i] == s] for s in sorted(set(strata))]
    reached = []
    for orders in itertools.product(*(itertools.permutations(own) for own in places)):
        order = list(rows)
        for own, moved in zip(places, orders, strict=True):
            for i, j in zip(own, moved, strict=True):
                order[i] = j
        reached.append(agree(order) >= seen - 1e-9 * abs(seen))
    return sum(reached) / len(reached)
