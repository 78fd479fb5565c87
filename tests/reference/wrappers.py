"""Searches as one writes them first: every subset, from scratch, by any criterion."""

from __future__ import annotations


def forward(n_features, value, *, better, improves, most=None):
    """Add the best feature as long as it improves; of equal ones the first."""
    chosen, reached = [], None
    while len(chosen) < min(n_features, most or n_features):
        others = [j for j in range(n_features) if j not in chosen]
        values = [value([*chosen, j]) for j in others]
        best = 0
        for i in range(1, len(others)):
            if better(values[i], values[best]):
                best = i
        if reached is not None and not improves(values[best], reached):
            break
        chosen.append(others[best])
        reached = values[best]
    return chosen, reached


def backward(n_features, value, *, better, improves):
    """Take away what is missed least, as long as having it does not pay."""
    chosen = list(range(n_features))
    reached = value(chosen)
    while len(chosen) > 1:
        values = [value([k for k in chosen if k != j]) for j in chosen]
        best = 0
        for i in range(1, len(chosen)):
            if better(values[i], values[best]):
                best = i
        if improves(reached, values[best]):
            break
        chosen.pop(best)
        reached = values[best]
    return chosen, reached
