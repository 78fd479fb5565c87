"""What a column tells within strata, by loops over cells."""

from __future__ import annotations

import math
from collections import Counter


def stratified_information(x, y, strata):
    """Return I(x; y | strata) in bits and the degrees of freedom of its test."""
    n = len(x)
    cells = Counter(zip(strata, x, y, strict=True))
    left = Counter(zip(strata, x, strict=True))
    right = Counter(zip(strata, y, strict=True))
    sizes = Counter(strata)
    gain = sum(
        c / n * math.log2(c * sizes[s] / (left[s, a] * right[s, b]))
        for (s, a, b), c in cells.items()
    )
    freedom = 0
    for s in sizes:
        levels = sum(1 for key in left if key[0] == s)
        classes = sum(1 for key in right if key[0] == s)
        freedom += (levels - 1) * (classes - 1)
    return gain, freedom


def pearson_within(x, y, strata):
    """Return Pearson's statistic, summed over strata, each times (n − 1) / n."""
    total = 0.0
    for s in set(strata):
        rows = [k for k in range(len(x)) if strata[k] == s]
        size = len(rows)
        left, right = Counter(x[k] for k in rows), Counter(y[k] for k in rows)
        cells = Counter((x[k], y[k]) for k in rows)
        for a in left:
            for b in right:
                expected = left[a] * right[b] / size
                total += (cells[a, b] - expected) ** 2 / expected * (size - 1) / size
    return total
