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


def plain_share_of_signs(alike, given, target):
    """Return the share of all signs of rests that make rows as alike or more.

    `given` are directions, lists of numbers; `target` is one.
    """
    n = len(target)
    space = []
    for direction in [[1.0] * n, *given]:
        rest = _beside(list(direction), space)
        length = math.sqrt(sum(v * v for v in rest))
        space.append([v / length for v in rest])
    rests = _beside(list(target), space)

    def told(signs):
        moved = _beside([s * r for s, r in zip(signs, rests, strict=True)], space)
        pairs = itertools.product(range(n), repeat=2)
        total = sum(moved[i] * alike[i][k] * moved[k] for i, k in pairs)
        return total / sum(v * v for v in moved)

    found = told([1] * n) - 1e-9
    every = list(itertools.product([-1, 1], repeat=n))
    return sum(told(signs) >= found for signs in every) / len(every)


def _beside(values, space):
    for own in space:
        part = sum(a * b for a, b in zip(values, own, strict=True))
        values = [a - part * b for a, b in zip(values, own, strict=True)]
    return values


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
