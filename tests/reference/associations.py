"""Associations by their definitions: loops over pairs of rows, one pair of columns."""

from __future__ import annotations

import itertools
import math


def known_rows(x, y):
    return [
        (a, b)
        for a, b in zip(x, y, strict=True)
        if not (math.isnan(a) or math.isnan(b))
    ]


def concordance(x, y):
    """(rows, concordant, discordant, tied first only, second only, both)."""
    rows = known_rows(x, y)
    kinds = [0] * 5
    for (a, b), (c, d) in itertools.combinations(rows, 2):
        if a == c and b == d:
            kinds[4] += 1
        elif a == c:
            kinds[2] += 1
        elif b == d:
            kinds[3] += 1
        elif (a < c) == (b < d):
            kinds[0] += 1
        else:
            kinds[1] += 1
    return (len(rows), *kinds)


def tau_b(x, y):
    _, same, opposite, first, second, _ = concordance(x, y)
    below = math.sqrt((same + opposite + first) * (same + opposite + second))
    return (same - opposite) / below if below else 0.0


def gamma(x, y, min_untied=1):
    _, same, opposite, *_ = concordance(x, y)
    untied = same + opposite
    return (same - opposite) / untied if untied and untied >= min_untied else 0.0


def pearson(x, y, weights=None):
    weights = [1.0] * len(x) if weights is None else weights
    rows = [
        (a, b, w)
        for a, b, w in zip(x, y, weights, strict=True)
        if not (math.isnan(a) or math.isnan(b)) and w > 0
    ]
    total = math.fsum(w for *_, w in rows)
    if not rows or len({a for a, *_ in rows}) == 1 or len({b for _, b, _ in rows}) == 1:
        return 0.0
    mean_x = math.fsum(w * a for a, _, w in rows) / total
    mean_y = math.fsum(w * b for _, b, w in rows) / total
    cross = math.fsum(w * (a - mean_x) * (b - mean_y) for a, b, w in rows)
    square_x = math.fsum(w * (a - mean_x) ** 2 for a, _, w in rows)
    square_y = math.fsum(w * (b - mean_y) ** 2 for _, b, w in rows)
    return cross / math.sqrt(square_x * square_y)


def mid_ranks(values):
    return [
        sum(other < value for other in values)
        + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]


def spearman(x, y):
    rows = known_rows(x, y)
    return pearson(mid_ranks([a for a, _ in rows]), mid_ranks([b for _, b in rows]))


def symmetrical_uncertainty(x, y):
    """Of codes, rows with a negative one left out."""
    rows = [(a, b) for a, b in zip(x, y, strict=True) if a >= 0 and b >= 0]

    def entropy(values):
        n = len(values)
        shares = [values.count(value) / n for value in set(values)]
        return -sum(p * math.log2(p) for p in shares)

    if not rows:
        return 0.0
    both = entropy([a for a, _ in rows]) + entropy([b for _, b in rows])
    return 2 * (both - entropy(rows)) / both if both else 0.0


def class_association(measure, x, classes):
    """Sum over classes of their share times |measure of x with "is of this class"|."""
    total = 0.0
    for c in set(classes):
        member = [float(k == c) for k in classes]
        share = sum(member) / len(member)
        total += share * abs(measure(x, member))
    return total
