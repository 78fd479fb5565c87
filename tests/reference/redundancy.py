"""What columns share, by loops over cells; for nominal columns and classes."""

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


def plain_entropy(x):
    return -sum(c / len(x) * math.log2(c / len(x)) for c in Counter(x).values())


def plain_uncertainty(x, y):
    """Return 2 I / (H(x) + H(y)) and I in bits."""
    shared, _ = stratified_information(x, y, [0] * len(x))
    return 2 * shared / (plain_entropy(x) + plain_entropy(y)), shared
