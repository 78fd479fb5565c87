"""Boosted nearest neighbours as the paper writes them: every row, every round."""

from __future__ import annotations

import math

import numpy as np


def squared_distances(columns):
    """Numbers (floats) by their deviation, codes (ints, negative is missing) 0 or 1."""
    n = len(columns[0])
    total = np.zeros((n, n))
    for column in columns:
        nominal = column.dtype.kind == "i"
        known = column >= 0 if nominal else ~np.isnan(column)
        spread = 1.0 if nominal or not known.any() else np.std(column[known])
        for i in range(n):
            for j in range(n):
                if not (known[i] and known[j]):
                    total[i, j] += 1
                elif nominal:
                    total[i, j] += column[i] != column[j]
                elif spread > 1e-13:
                    total[i, j] += ((column[i] - column[j]) / spread) ** 2
    return total


def neighbours(distances, k, left_out):
    """Rows up to the k-th distance, ties included; `left_out(i)` are not among them."""
    lists = []
    for i in range(len(distances)):
        others = [j for j in range(len(distances)) if j not in left_out(i)]
        ordered = sorted(distances[i, j] for j in others)
        bound = ordered[min(k, len(ordered)) - 1] * (1 + 1e-9) if ordered else 0
        lists.append([j for j in others if distances[i, j] <= bound])
    return lists


def description_agreement(columns, labels):
    """|n⁺ − n⁻| / (n⁺ + n⁻) among the rows that are equal to each row."""

    def key(i):
        return tuple(
            None if (c[i] != c[i] or (c.dtype.kind == "i" and c[i] < 0)) else c[i]
            for c in columns
        )

    keys = [key(i) for i in range(len(labels))]
    return np.array(
        [
            abs(sum(y for y, other in zip(labels, keys, strict=True) if other == own))
            / keys.count(own)
            for own in keys
        ]
    )


def boost(lists, labels, n_rounds, vote, *, agreement=None, scope=None):
    """Return Z, r's, alphas, weights and margins for labels of ±1."""
    m = len(labels)
    plain = np.full(m, 1 / m)
    start = plain
    if agreement is not None and agreement.sum() > 0:
        start = plain * agreement / (plain * agreement).sum()
    weights = start.copy()
    margins = np.zeros(m)
    correlations, confidences = [], []
    for _ in range(n_rounds):
        votes = np.zeros(m)
        for i, near in enumerate(lists):
            total = sum(weights[j] for j in near)
            if total > 0:
                votes[i] = sum(weights[j] * labels[j] for j in near) / total
        if vote == "sign":
            votes = np.where(np.abs(votes) < 1e-12, 0, np.sign(votes))
        r = float(np.sum(weights * labels * votes))
        correlations.append(r)
        if r <= 1e-12:
            break
        r = min(r, 1 - 1 / m)
        alpha = 0.5 * math.log((1 + r) / (1 - r))
        confidences.append(alpha)
        margins += alpha * votes
        weights = weights * np.exp(-alpha * labels * votes)
        weights /= weights.sum()
    judged = start if scope == "rounds_and_criterion" else plain
    z = float(np.sum(judged * np.exp(-labels * margins)))
    return z, correlations, confidences, weights, margins


def z_of(columns, classes, left_out, *, k, n_rounds, vote, scope=None):
    lists = neighbours(squared_distances(columns), k, left_out)
    used = sorted(set(classes.tolist()))
    values = []
    for positive in used if len(used) > 2 else used[-1:]:
        labels = np.where(classes == positive, 1.0, -1.0)
        agreement = None if scope is None else description_agreement(columns, labels)
        more = {"agreement": agreement, "scope": scope}
        values.append(boost(lists, labels, n_rounds, vote, **more)[0])
    return float(np.mean(values))


def right_of(columns, classes, k, left_out):
    """Rows classified rightly; equal votes go to the class with more rows."""
    lists = neighbours(squared_distances(columns), k, left_out)
    totals = np.bincount(classes)
    right = 0
    for i, near in enumerate(lists):
        votes = np.bincount(classes[near], minlength=len(totals))
        best = max(range(len(totals)), key=lambda c: (votes[c], totals[c], -c))
        right += best == classes[i]
    return right
