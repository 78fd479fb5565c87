"""Boosting as it is printed, on stumps that try everything: slow and plain."""

from __future__ import annotations

import itertools
import math


def adaboost(X, y, n_members):
    """Return (α, r, Z) of each member, the last weights and the vote F of each row.

    y is -1 or +1; the learner is the stump of greatest information gain under the
    weights, as a tree with one cut would be.
    """
    n = len(X)
    weights = [1 / n] * n
    rounds, votes = [], [0.0] * n
    for _ in range(n_members):
        answers = best_stump(X, y, weights)
        edge = sum(w * t * h for w, t, h in zip(weights, y, answers, strict=True))
        if edge <= 0:
            break
        error = min(max((1 - edge) / 2, 1e-10), 1 - 1e-10)
        alpha = 0.5 * math.log((1 - error) / error)
        raised = [
            w * math.exp(-alpha * t * h)
            for w, t, h in zip(weights, y, answers, strict=True)
        ]
        total = sum(raised)
        weights = [w / total for w in raised]
        votes = [f + alpha * h for f, h in zip(votes, answers, strict=True)]
        rounds.append((alpha, edge, total))
        if edge == 1:
            break
    return rounds, weights, votes


def best_stump(X, y, weights):
    best, answers = -1.0, None
    for j in range(len(X[0])):
        values = sorted({row[j] for row in X})
        for low, high in itertools.pairwise(values):
            left = [row[j] <= (low + high) / 2 for row in X]
            gain = information_gain(left, y, weights)
            if gain > best + 1e-12:
                best = gain
                answers = side_answers(left, y, weights)
    return answers


def information_gain(left, y, weights):
    def part(side):
        return [
            sum(
                w
                for w, s, t in zip(weights, left, y, strict=True)
                if s in side and t == k
            )
            for k in (-1, 1)
        ]

    def entropy(counts):
        total = sum(counts)
        return -sum(c / total * math.log2(c / total) for c in counts if c > 0)

    whole, one, other = part((True, False)), part((True,)), part((False,))
    inner = sum(one) * entropy(one) + sum(other) * entropy(other)
    return entropy(whole) - inner / sum(whole)


def side_answers(left, y, weights):
    """The heavier class of each side; -1 where both weigh the same."""
    balance = {True: 0.0, False: 0.0}
    for side, truth, weight in zip(left, y, weights, strict=True):
        balance[side] += truth * weight
    return [1 if balance[side] > 0 else -1 for side in left]
