"""Subset searches by their definitions: loops over all candidates, nothing clever."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict

from reference.measures import entropy_of


def pair_table(x, y, weights=None, missing="level"):
    """(x, y) -> weight, with missing values (None) of both sides treated as asked."""
    weights = [1.0] * len(x) if weights is None else list(weights)
    rows = list(zip(x, y, weights, strict=True))
    table = defaultdict(float)
    if missing == "level":
        for a, b, w in rows:
            table[a, b] += w
        return table
    for a, b, w in rows:
        if a is not None and b is not None:
            table[a, b] += w
    if missing == "ignore":
        return table
    return shared_out(rows, table)


def shared_out(rows, known):
    """Share rows with a missing side out, in proportion to what is known."""
    left, right = defaultdict(float), defaultdict(float)
    for a, b, w in rows:
        left[a] += w
        right[b] += w
    left.pop(None, None)
    right.pop(None, None)
    table = defaultdict(float, known)
    for a, b, w in rows:
        cells = {}
        if a is None and b is None:
            cells = known if sum(known.values()) > 0 else {(None, None): 1.0}
        elif a is None:
            cells = {(value, b): total for value, total in left.items()}
        elif b is None:
            cells = {(a, value): total for value, total in right.items()}
        total = sum(cells.values())
        for cell, share in cells.items():
            if total > 0:
                table[cell] += w * share / total
    return table


def uncertainty(x, y, weights=None, missing="level"):
    """Symmetrical uncertainty and mutual information of two columns."""
    table = pair_table(x, y, weights, missing)
    table = {cell: w for cell, w in table.items() if w > 0}
    if not table:
        return 0.0, 0.0
    left, right = defaultdict(float), defaultdict(float)
    for (a, b), w in table.items():
        left[a] += w
        right[b] += w
    both = entropy_of(left) + entropy_of(right)
    bits = both - entropy_of(table)
    return (2 * bits / both if both > 0 else 0.0), bits


def merit(subset, cf, ff):
    """Hall's merit."""
    if not subset:
        return 0.0
    pairs = sum(ff[i][j] for i, j in itertools.combinations(sorted(subset), 2))
    return sum(cf[i] for i in subset) / math.sqrt(len(subset) + 2 * pairs)


def best_first(cf, ff, max_stale=5):
    """Kohavi's best-first search; a subset is made once."""
    best, best_merit, stale = frozenset(), 0.0, 0
    waiting, seen = [(0.0, frozenset())], {frozenset()}
    while waiting and stale < max_stale:
        _, subset = waiting.pop(0)
        stale += 1
        for feature in range(len(cf)):
            child = subset | {feature}
            if child in seen:
                continue
            seen.add(child)
            value = merit(child, cf, ff)
            waiting.append((value, child))
            if value - best_merit > 1e-5:
                best, best_merit, stale = child, value, 0
        waiting = sorted(waiting, key=lambda entry: -entry[0])[:max_stale]
    return sorted(best), best_merit, len(seen) - 1


def forward(cf, ff):
    subset, value = set(), 0.0
    while True:
        tried = [
            (merit(subset | {j}, cf, ff), -j) for j in range(len(cf)) if j not in subset
        ]
        if not tried or max(tried)[0] <= value:
            return sorted(subset), value
        value, feature = max(tried)
        subset.add(-feature)


def backward(cf, ff):
    subset = set(range(len(cf)))
    value = merit(subset, cf, ff)
    while subset:
        best, feature = max((merit(subset - {j}, cf, ff), j) for j in subset)
        if best < value:
            break
        subset.remove(feature)
        value = best
    return sorted(subset), value


def predominant(cf, ff):
    """FCBF on features with any association with the class."""
    kept = []
    for feature in sorted(range(len(cf)), key=lambda j: (-cf[j], j)):
        if cf[feature] > 0 and all(ff[k][feature] < cf[feature] for k in kept):
            kept.append(feature)
    return kept


def relevant(cf, ff, size):
    """Minimum redundancy, maximum relevance; differences."""
    chosen = []
    while len(chosen) < min(size, len(cf)):
        free = [j for j in range(len(cf)) if j not in chosen]
        free = [j for j in free if cf[j] > 0] or free

        def score(j):
            shared = sum(ff[k][j] for k in chosen) / max(1, len(chosen))
            return cf[j] - shared, cf[j], -j

        chosen.append(max(free, key=score))
    return chosen


def by_rules(cf, ff, levels=(0.1, 0.3, 0.5)):
    """Tables 5.9 and 5.10, case by case: [(feature, category)].

    Numbers that differ by 1e-12 or less are equal.
    """

    def level(value):
        return sum(value >= bound - 1e-12 for bound in levels)

    def category(j, chosen):
        near = level(cf[j])
        far = level(sum(ff[k][j] for k in chosen) / len(chosen)) if chosen else 0
        if near == 0 or (near == 1 and far == 3):
            return "F"
        if near == 1:
            return "C"
        if far == 3:
            return "E"
        if far == 2:
            return "D"
        return "A" if near == 3 else "B"

    chosen = []
    while True:
        named = [
            (
                category(j, [k for k, _ in chosen]),
                sum(ff[k][j] for k, _ in chosen) / max(1, len(chosen)),
                -cf[j],
                j,
            )
            for j in range(len(cf))
            if j not in [k for k, _ in chosen]
        ]
        named = [entry for entry in named if entry[0] in "ABCD"]
        if not named:
            return chosen
        named = [entry for entry in named if entry[0] == min(named)[0]]
        for place in (1, 2):
            least = min(entry[place] for entry in named)
            named = [entry for entry in named if entry[place] <= least + 1e-12]
        best = min(named, key=lambda entry: entry[3])
        chosen.append((best[3], best[0]))
