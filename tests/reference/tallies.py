"""Tallies and measures of them, written from the definition, row by row."""

from __future__ import annotations

from fractions import Fraction


def tally(codes, classes, n_levels, n_classes, weights=None):
    """Return rows (or weights) per level and class, missing values last."""
    table = [[0] * n_classes for _ in range(n_levels + 1)]
    for row, (code, label) in enumerate(zip(codes, classes, strict=True)):
        level = n_levels if code < 0 else code
        table[level][label] += 1 if weights is None else weights[row]
    return table


def without_missing(table, missing):
    """Return exact counts per level and class after a treatment of missing values."""
    exact = [[Fraction(count) for count in row] for row in table]
    known, gaps = exact[:-1], exact[-1]
    if missing == "level":
        return [*known, gaps] if any(gaps) else known
    total = sum(map(sum, known))
    if missing == "ignore" or not total:
        return known
    return [
        [count + sum(row) / total * gap for count, gap in zip(row, gaps, strict=True)]
        for row in known
    ]


def gini_gain(table, missing):
    """Return the exact drop in the chance that two rows differ in class."""
    counts = without_missing(table, missing)
    total = sum(map(sum, counts))
    if not total:
        return Fraction(0)

    def differ(cells):
        size = sum(cells)
        return 1 - sum((cell / size) ** 2 for cell in cells) if size else 0

    classes = [sum(column) for column in zip(*counts, strict=True)]
    within = sum(sum(level) / total * differ(level) for level in counts)
    return differ(classes) - within
