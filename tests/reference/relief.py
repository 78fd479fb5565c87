"""Relief as the papers write it: every pair of rows, one anchor after the other.

A column is an array of floats (numeric, NaN is missing) or of ints (nominal codes, a
negative one is missing).
"""

from __future__ import annotations

import numpy as np

GRID = 2.0**40


def differences(column, weights):
    """Return how much every two rows differ; a missing value is a random known one."""
    n = len(column)
    nominal = column.dtype.kind == "i"
    known = [
        i for i in range(n) if (column[i] >= 0 if nominal else column[i] == column[i])
    ]
    result = np.zeros((n, n))
    if not known:
        return result
    span = max(column[i] for i in known) - min(column[i] for i in known)

    def apart(i, j):
        if nominal:
            return float(column[i] != column[j])
        return abs(column[i] - column[j]) / span if span else 0.0

    total = sum(weights[i] for i in known)
    for i in range(n):
        for j in range(n):
            firsts = [i] if i in known else known
            seconds = [j] if j in known else known
            result[i, j] = sum(
                weights[a] ** (i not in known)
                * weights[b] ** (j not in known)
                * apart(a, b)
                for a in firsts
                for b in seconds
            ) / total ** ((i not in known) + (j not in known))
    return result


def all_differences(columns, weights):
    return np.array([differences(column, weights) for column in columns])


def distances(apart):
    """Return sums over columns in whole steps of a grid, so that ties are exact."""
    return np.round(apart * GRID).astype(np.int64).sum(axis=0)


def nearest(anchor, candidates, far, weights, *, k, sigma):
    """Return {row: weight} of the k nearest; a row of weight w stands for w rows.

    Places among the nearest are worth exp(−(rank/sigma)²); equally far rows share
    theirs. An anchor's own copies are neighbours too.
    """
    mass = {j: weights[j] for j in candidates if j != anchor}
    if anchor in candidates and weights[anchor] > 1:
        mass[anchor] = weights[anchor] - 1

    def worth(begin, end):
        total = 0.0
        for rank in range(k):
            overlap = min(end, rank + 1) - max(begin, rank)
            if overlap > 0:
                total += overlap * (np.exp(-((rank / sigma) ** 2)) if sigma else 1.0)
        return total

    result, before = {}, 0.0
    for distance in sorted({far[anchor, j] for j in mass}):
        tied = [j for j in mass if far[anchor, j] == distance]
        together = sum(mass[j] for j in tied)
        for j in tied:
            result[j] = worth(before, before + together) * mass[j] / together
        before += together
    everything = sum(result.values())
    return {j: w / everything for j, w in result.items()}


def relieff(columns, classes, *, k, sigma=None, weights=None):
    n = len(classes)
    weights = np.ones(n) if weights is None else weights
    apart = all_differences(columns, weights)
    far = distances(apart)
    share = {c: weights[classes == c].sum() / weights.sum() for c in set(classes)}
    scores, total = np.zeros(len(columns)), 0.0
    for i in range(n):
        parts = {}
        for c in share:
            members = np.flatnonzero(classes == c).tolist()
            near = nearest(i, members, far, weights, k=k, sigma=sigma)
            if near:
                parts[c] = sum(w * apart[:, i, j] for j, w in near.items())
        if classes[i] not in parts or len(parts) < 2:
            continue
        total += weights[i]
        for c, part in parts.items():
            own = c == classes[i]
            factor = -1.0 if own else share[c] / (1 - share[classes[i]])
            scores += weights[i] * factor * part
    return scores / total if total else scores


def rrelieff(columns, target, *, k, sigma=None, weights=None):
    n = len(target)
    weights = np.ones(n) if weights is None else weights
    apart = all_differences(columns, weights)
    far = distances(apart)
    span = target.max() - target.min()
    if not span:
        return np.zeros(len(columns))
    m = differ = 0.0
    feature, both = np.zeros(len(columns)), np.zeros(len(columns))
    for i in range(n):
        near = nearest(i, list(range(n)), far, weights, k=k, sigma=sigma)
        if not near:
            continue
        m += weights[i]
        for j, w in near.items():
            d = abs(target[i] - target[j]) / span
            differ += weights[i] * w * d
            feature += weights[i] * w * apart[:, i, j]
            both += weights[i] * w * d * apart[:, i, j]
    if differ <= 0:
        return np.zeros(len(columns))
    rest = (feature - both) / (m - differ) if m > differ else 0.0
    return both / differ - rest


def multisurf(columns, target, *, weights=None):
    """Classes if `target` holds ints, else a regression."""
    n = len(target)
    weights = np.ones(n) if weights is None else weights
    apart = all_differences(columns, weights)
    far = distances(apart) / GRID
    regression = target.dtype.kind == "f"
    scores = np.zeros(len(columns))
    if np.all(target == target[0]):
        return scores
    if regression:
        mean = np.average(target, weights=weights)
        squares = np.sum(weights * (target - mean) ** 2)
        same = np.sqrt(squares / (weights.sum() - 1))
    share = {
        c: weights[target == c].sum() / weights.sum() for c in set(target.tolist())
    }
    for i in range(n):
        mass = weights.copy()
        mass[i] = max(mass[i] - 1, 0)
        if not mass.sum():
            continue
        mean = np.average(far[i], weights=mass)
        spread = np.sqrt(np.average((far[i] - mean) ** 2, weights=mass))
        bound = mean - spread / 2
        near = far[i] < bound - 1e-9 * max(1, mean)
        if regression:
            hit = np.abs(target - target[i]) < same
            parts = [(hit, -1.0), (~hit, 1.0)]
        else:
            parts = [
                (target == c, -1.0 if c == target[i] else p / (1 - share[target[i]]))
                for c, p in share.items()
            ]
        for members, factor in parts:
            chosen = mass * (near & members)
            if chosen.sum():
                mean_apart = (apart[:, i] * chosen).sum(axis=1) / chosen.sum()
                scores += weights[i] * factor * mean_apart
    return scores / weights.sum()
