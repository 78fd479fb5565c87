"""Measures of diversity, written as they are defined: slow, and easy to believe."""

from __future__ import annotations

import itertools
import math


def pair_counts(first, second):
    pairs = list(zip(first, second, strict=True))
    return tuple(pairs.count(kind) for kind in ((1, 1), (1, 0), (0, 1), (0, 0)))


def ratio(above, below, otherwise):
    return above / below if below else otherwise


def pair_measure(name, first, second):
    n11, n10, n01, n00 = pair_counts(first, second)
    n = n11 + n10 + n01 + n00
    if name == "kappa":
        return label_kappa(first, second)
    return {
        "q_statistic": ratio(n11 * n00 - n10 * n01, n11 * n00 + n10 * n01, 0.0),
        "agreement": (n11 + n00) / n,
        "disagreement": (n10 + n01) / n,
        "double_fault": n00 / n,
        "coincident_failure": ratio(2 * n00, n10 + n01 + 2 * n00, 0.0),
        "error_correlation": correlation(first, second),
    }[name]


def label_kappa(first, second):
    n = len(first)
    labels = set(first) | set(second)
    agreed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    chance = sum(first.count(c) / n * second.count(c) / n for c in labels)
    return 1.0 if math.isclose(chance, 1) else (agreed - chance) / (1 - chance)


def correlation(first, second):
    n = len(first)
    mean_a, mean_b = sum(first) / n, sum(second) / n
    cross = sum((a - mean_a) * (b - mean_b) for a, b in zip(first, second, strict=True))
    spread = math.sqrt(
        sum((a - mean_a) ** 2 for a in first) * sum((b - mean_b) ** 2 for b in second)
    )
    return cross / spread if spread > 1e-12 else 0.0


def raw_margins(predictions, y):
    """One list per member; the rival is the most voted wrong class, lowest first."""
    classes = sorted({label for row in predictions for label in row} | set(y))
    rows = []
    for i, truth in enumerate(y):
        said = [member[i] for member in predictions]
        wrong = [label for label in classes if label != truth]
        rival = max(wrong, key=lambda label: (said.count(label), -label), default=None)
        rows.append([1 if s == truth else -1 if s == rival else 0 for s in said])
    return [list(member) for member in zip(*rows, strict=True)]


def mean_of_pairs(measure, members):
    pairs = list(itertools.combinations(members, 2))
    return sum(measure(a, b) for a, b in pairs) / len(pairs)
