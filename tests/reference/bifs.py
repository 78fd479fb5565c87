"""BIFS by its definitions: every pair, every subset, every partition."""

from __future__ import annotations

import itertools
import math

from reference.measures import entropy_of, weigh


def joint_gain(columns, classes, weights=None):
    """Gain of some columns together; rows with None in any of them are left out."""
    rows = [
        (values, c, 1.0 if weights is None else weights[i])
        for i, (*values, c) in enumerate(zip(*columns, classes, strict=True))
        if None not in values
    ]
    rows = [(tuple(values), c, w) for values, c, w in rows if w > 0]
    if not rows:
        return 0.0
    total = sum(w for _, _, w in rows)
    gain = entropy_of(weigh([c for _, c, _ in rows], [w for *_, w in rows]))
    for cell in {values for values, _, _ in rows}:
        inside = [(c, w) for values, c, w in rows if values == cell]
        share = sum(w for _, w in inside) / total
        gain -= share * entropy_of(
            weigh([c for c, _ in inside], [w for _, w in inside])
        )
    return gain


def bifs(columns, classes, alpha, beta, *, mode="stop", weights=None):
    """Groups from weakest to strongest with whether they stay, and the features."""

    def gain(features):
        chosen = sorted(features)
        return joint_gain([columns[f] for f in chosen], classes, weights)

    n = len(columns)
    linked = {
        (i, j)
        for i, j in itertools.combinations(range(n), 2)
        if gain((i, j)) - gain((i,)) - gain((j,)) > alpha + 1e-10
    }
    cliques = [
        set(nodes)
        for size in range(1, n + 1)
        for nodes in itertools.combinations(range(n), size)
        if all(pair in linked for pair in itertools.combinations(nodes, 2))
    ]
    groups = [
        tuple(sorted(c)) for c in cliques if not any(c < other for other in cliques)
    ]
    groups.sort(key=lambda g: (round(gain(g) / len(g) / 1e-10), g))
    remaining = list(groups)
    everything = gain(set().union(*groups))
    for group in groups:
        rest = [other for other in remaining if other != group]
        before = everything if mode == "budget" else gain(set().union(*remaining))
        loss = before - (gain(set().union(*rest)) if rest else 0.0)
        if loss <= beta + 1e-10:
            remaining = rest
        elif mode == "stop":
            break
    kept = [group in remaining for group in groups]
    return groups, kept, sorted(set().union(*remaining)) if remaining else []


def partitions(members):
    """Every way to divide a set into parts."""
    if not members:
        yield []
        return
    first, *others = members
    for parts in partitions(others):
        yield [[first], *parts]
        for k in range(len(parts)):
            yield [*parts[:k], [first, *parts[k]], *parts[k + 1 :]]


def best_partition(columns, classes):
    """The most that a division into two or more parts tells."""
    best = -math.inf
    for parts in partitions(list(range(len(columns)))):
        if len(parts) > 1:
            total = sum(joint_gain([columns[f] for f in p], classes) for p in parts)
            best = max(best, total)
    return best
