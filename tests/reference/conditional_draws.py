"""Columns drawn anew given others, from the definition, one value at a time."""

from __future__ import annotations

import math
from statistics import NormalDist


def plain_fit(values, given):
    """Return the mean of values and their projection on orthonormal directions."""
    n = len(values)
    mean = sum(values) / n
    fit = [mean] * n
    for direction in zip(*given, strict=True):
        weight = sum(d * v for d, v in zip(direction, values, strict=True))
        fit = [f + weight * d for f, d in zip(fit, direction, strict=True)]
    return fit


def plain_sums(values, given, donors):
    """Return for each row what is fitted there and the rest of its donor."""
    n, n_given = len(values), len(given[0])
    stretch = math.sqrt((n - 1) / max(n - 1 - n_given, 1))
    fit = plain_fit(values, given)
    rest = [v - f for v, f in zip(values, fit, strict=True)]
    return [fit[i] + stretch * rest[donors[i]] for i in range(n)]


def plain_scores(values):
    """Return normal scores of mid-ranks, less their mean; 0 where NaN."""
    known = [v for v in values if not math.isnan(v)]
    scores = []
    for v in values:
        below = sum(other < v for other in known)
        equal = sum(other == v for other in known)
        rank = below + (equal + 1) / 2
        scores.append(
            math.nan if math.isnan(v) else NormalDist().inv_cdf(rank / (len(known) + 1))
        )
    mean = sum(s for s in scores if not math.isnan(s)) / max(len(known), 1)
    return [0.0 if math.isnan(s) else s - mean for s in scores]


def plain_number(values, given, donors):
    """Return a drawn number without gaps: its values, in the order of the sums."""
    scores = plain_sums(plain_scores(values), given, donors)
    drawn = [math.nan] * len(values)
    by_score = sorted(range(len(values)), key=lambda i: (scores[i], i))
    for row, value in zip(by_score, sorted(values), strict=True):
        drawn[row] = value
    return drawn


def plain_shares(codes, group, n_levels):
    """Return the likeliest shares of levels in every row, given the group it is in.

    Missing, -1, is the last level.
    """
    rows = []
    for own in group:
        inside = [c for c, other in zip(codes, group, strict=True) if other == own]
        levels = [*range(n_levels), -1]
        rows.append([inside.count(level) / len(inside) for level in levels])
    return rows


def plain_steps(flags, given, n_steps):
    """Return the shares of levels in every row after so many steps.

    A level's share is proportional to how frequent it is times exp of a weighted sum of
    directions, a constant among them; weights begin at 0 and each step adds twice the
    sum over rows of direction times what the flag is above the share.
    """
    n, n_levels = len(flags), len(flags[0])
    frequent = [sum(row[k] for row in flags) / n for k in range(n_levels)]
    rows = [[1 / math.sqrt(n), *directions] for directions in given]
    weights = [[0.0] * n_levels for _ in rows[0]]

    def shares_of(row):
        sums = [
            sum(d * weight[k] for d, weight in zip(row, weights, strict=True))
            for k in range(n_levels)
        ]
        parts = [f * math.exp(own) for f, own in zip(frequent, sums, strict=True)]
        return [part / sum(parts) for part in parts]

    for _ in range(n_steps):
        shares = [shares_of(row) for row in rows]
        for i, weight in enumerate(weights):
            for k in range(n_levels):
                weight[k] += 2 * sum(
                    row[i] * (own[k] - share[k])
                    for row, own, share in zip(rows, flags, shares, strict=True)
                )
    return [shares_of(row) for row in rows]
