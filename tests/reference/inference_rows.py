"""Whether rows belong together: variances and correlations from the definitions."""

from __future__ import annotations

import itertools
import math


def variances(values, codes):
    """Return mean squares between and within groups, and both degrees of freedom."""
    groups = sorted(set(codes))
    n, width = len(codes), len(values[0])
    between = within = 0.0
    for column in range(width):
        own = [row[column] for row in values]
        mean = sum(own) / n
        for group in groups:
            some = [v for v, code in zip(own, codes, strict=True) if code == group]
            middle = sum(some) / len(some)
            between += len(some) * (middle - mean) ** 2
            within += sum((v - middle) ** 2 for v in some)
    freedom = (len(groups) - 1, n - len(groups))
    return between / freedom[0], within / freedom[1], freedom


def bends(values, codes, special):
    """Return the mean square of bends at inner levels, without special ones, and so on.

    Each bend is measured in units of the variance that independent rows would give it;
    also returned are how many count and the mean of the units.
    """
    levels, width = sorted(set(codes)), len(values[0])
    rows = [[values[i] for i, c in enumerate(codes) if c == level] for level in levels]
    means = [[sum(r[k] for r in own) / len(own) for k in range(width)] for own in rows]
    squares, units = [], []
    for j in range(1, len(levels) - 1):
        spread = 1 / len(rows[j]) + (1 / len(rows[j - 1]) + 1 / len(rows[j + 1])) / 4
        bend = [
            means[j][k] - (means[j - 1][k] + means[j + 1][k]) / 2 for k in range(width)
        ]
        squares.append(sum(b * b for b in bend) / spread)
        units.append(1 / spread)
    count = max(3, int(len(squares) * (1 - special)))
    kept = sorted(squares)[:count]
    return sum(kept) / count, count, sum(units) / len(units)


def serial(values, parts):
    """Return the correlation of neighbours of a part times the root of their number."""
    n, width = len(values), len(values[0])
    columns = [[row[k] for row in values] for k in range(width)]
    columns = [centred(own, parts) for own in columns]
    shared, count = 0.0, 0
    for part in set(parts):
        own = [i for i in range(n) if parts[i] == part]
        for i, j in itertools.pairwise(own):
            shared += sum(column[i] * column[j] for column in columns)
            count += 1
    whole = sum(v * v for column in columns for v in column) / n
    if count < 20 or whole <= 0:
        return 0.0
    return shared / count / whole * math.sqrt(count)


def centred(values, parts):
    """Return values less the mean of their part."""
    means = {
        part: sum(v for v, p in zip(values, parts, strict=True) if p == part)
        / parts.count(part)
        for part in set(parts)
    }
    return [v - means[part] for v, part in zip(values, parts, strict=True)]


def straight(values, along, parts):
    """Return values less a straight line in each part."""
    found = list(values)
    for part in set(parts):
        own = [i for i, p in enumerate(parts) if p == part]
        squares = sum(along[i] ** 2 for i in own)
        slope = sum(along[i] * values[i] for i in own) / squares if squares else 0.0
        for i in own:
            found[i] = values[i] - slope * along[i]
    return found
