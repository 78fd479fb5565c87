"""What luck adds to associations, one class at a time, from the formulas."""

from __future__ import annotations

import itertools
import math
from collections import Counter


def folded_mean(mean: float, deviation: float) -> float:
    """E|X| of a normal X."""
    if deviation == 0:
        return abs(mean)
    ratio = mean / deviation
    below = 0.5 * math.erfc(ratio / math.sqrt(2))
    bell = deviation * math.sqrt(2 / math.pi) * math.exp(-(ratio**2) / 2)
    return bell + mean * (1 - 2 * below)


def _untied(values) -> tuple[float, float]:
    """1 - Σp² and 1 - Σp³ for the shares p of equal values."""
    shares = [count / len(values) for count in Counter(values).values()]
    return 1 - sum(p * p for p in shares), 1 - sum(p**3 for p in shares)


def gamma_deviation(column, target, n: float) -> float:
    """Standard deviation of gamma = (C - D) / (C + D) in n rows of noise."""
    if not column:
        return math.inf
    pairs, triples = _untied(column)
    target_pairs, target_triples = _untied(target)
    if pairs <= 0 or target_pairs <= 0:
        return math.inf
    variance = n**3 / 9 * triples * target_triples
    total = n**2 / 2 * pairs * target_pairs
    return math.sqrt(variance) / total


def thresholds(column, target, n_known, *, practical, size, gamma, quantity):
    """Return the raised threshold and the deviation of one numeric column.

    `n_known` rows, or as many as their weights are worth, are known of the column.
    """
    n = n_known / len(target) * size
    values = [v for v in column if not math.isnan(v)]
    names = [None] if quantity else sorted(set(target))
    shares = [1.0] if quantity else [target.count(c) / len(target) for c in names]
    deviations = []
    for name in names:
        own = list(target) if quantity else [t == name for t in target]
        plain = 1 / math.sqrt(max(n - 1, 1))
        deviations.append(gamma_deviation(values, own, max(n, 1)) if gamma else plain)
    weigh = [s * (1 - s) if gamma else math.sqrt(s * (1 - s)) for s in shares]

    def shown(mean, k):
        if deviations[k] > 0.5:
            return 1.0
        return min(1.0, folded_mean(mean, deviations[k]))

    if quantity:
        most = shown(practical, 0)
    else:
        nothing = sum(s * shown(0.0, k) for k, s in enumerate(shares))
        most = nothing
        for a, b in itertools.combinations(range(len(shares)), 2):
            # a·s_a + b·s_b = practical and a·weigh_a = b·weigh_b
            scale = shares[a] * weigh[b] + shares[b] * weigh[a]
            total = nothing
            for own, other in ((a, b), (b, a)):
                strength = practical * weigh[other] / scale
                total += shares[own] * (shown(strength, own) - shown(0.0, own))
            most = max(most, total)
    pairs = zip(shares, deviations, strict=True) if gamma else ()
    return max(practical, most), sum(s * min(d, 1.0) for s, d in pairs)
