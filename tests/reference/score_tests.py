"""Shares of variance and their law under all orders of rows, by trying every order."""

from __future__ import annotations

import itertools
import math


def mid_ranks(values):
    """Return, for each value, the mean of the ranks it shares; None for missing."""
    known = [v for v in values if not math.isnan(v)]
    return [
        None
        if math.isnan(v)
        else sum(o < v for o in known) + (sum(o == v for o in known) + 1) / 2
        for v in values
    ]


def share_of_groups(scores, groups):
    """Return which share of the variance of scores lies between groups."""
    mean = sum(scores) / len(scores)
    whole = sum((s - mean) ** 2 for s in scores)
    between = 0.0
    for group in set(groups):
        own = [s for s, g in zip(scores, groups, strict=True) if g == group]
        between += len(own) * (sum(own) / len(own) - mean) ** 2
    return between / whole


def squared_correlation(x, y):
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    product = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return product**2 / (
        sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y)
    )


def all_shares(statistic, scores, others):
    """Return the statistic for every order of the scores."""
    return [statistic(list(order), others) for order in itertools.permutations(scores)]


def mean_and_variance(numbers):
    mean = sum(numbers) / len(numbers)
    return mean, sum((x - mean) ** 2 for x in numbers) / len(numbers)
