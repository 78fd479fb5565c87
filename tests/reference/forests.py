"""Forests the plain way: sums, walks and votes taken one node and row at a time."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
from scipy import stats


def complexity(counts):
    """Node complexity from whole counts, by whole numbers until the last step."""
    counts = [int(count) for count in counts]
    ways = _arrangements(counts)
    odd = sum(count % 2 for count in counts)
    mirrored = _arrangements([count // 2 for count in counts]) if odd <= 1 else 0
    return max(0.0, math.log2(ways) - (1 - mirrored / ways))


def _arrangements(counts):
    ways = math.factorial(sum(counts))
    for count in counts:
        ways //= math.factorial(count)
    return ways


def chance_gain(n):
    """Eq. 7.13 and 7.14."""
    rest = (n - 1) / n
    lower = 1 / n - (rest * math.log2(rest) if rest > 0 else 0)
    return lower, (n / 2) ** -0.82


def gain_sums(tree, tried, n_features, values_of_node=None):
    """What the grower sums up by feature, from what it tried.

    `values_of_node` lists the target of every case of a node, in regression.
    """
    sums = np.zeros((n_features, 9))
    for node, feature, achieved, passes in zip(
        tried.node, tried.feature, tried.gain, tried.passes, strict=True
    ):
        gain = achieved
        if values_of_node is None:
            phi = complexity(tree.value[node])
            bounds = chance_gain(tree.weight[node])
        else:
            values = values_of_node(node)
            phi = complexity(Counter(values).values())
            gain = achieved / np.var(values)
            bounds = (0.0, 0.0)
        sums[feature, 0] += 1
        sums[feature, 3] += phi
        if not passes:
            sums[feature, 1] += 1
            sums[feature, 4] += phi
            continue
        sums[feature, 2] += gain
        sums[feature, 5] += phi * gain
        sums[feature, 6] += phi * gain**2
        sums[feature, 7] += phi * bounds[0]
        sums[feature, 8] += phi * bounds[1]
    return sums


def local_sums(root, columns, row, gain, missing="largest"):
    """Sums and shares of `gain(node, child)` over the tests one row meets in a tree."""
    sums, shares = np.zeros(len(columns)), np.zeros(len(columns))

    def walk(node, share):
        if node.feature < 0:
            return
        for child, part in _ways(node, columns[node.feature][row], missing):
            sums[node.feature] += share * part * gain(node, child)
            shares[node.feature] += share * part
            walk(child, share * part)

    walk(root, 1.0)
    return sums, shares


def _ways(node, value, missing):
    if node.levels is None and not math.isnan(value):
        return [(node.children[int(not value <= node.threshold)], 1.0)]
    if node.levels is not None and value in node.levels:
        return [(node.children[node.levels.index(value)], 1.0)]
    weights = [child.weight for child in node.children]
    if missing == "largest":
        return [(node.children[int(np.argmax(weights))], 1.0)]
    total = sum(weights)
    return [
        (child, weight / total)
        for child, weight in zip(node.children, weights, strict=True)
        if weight > 0
    ]


def class_gain(label, prior=0.0):
    """The change of log2 of the share of a class; `prior` rows are evenly of all."""

    def share(node):
        return (node.value[label] + prior / len(node.value)) / (node.weight + prior)

    return lambda node, child: math.log2(share(child) / share(node))


def number_gain(number):
    """How much closer a number is to the mean of the child, in squares."""
    return lambda node, child: (
        (number - node.value[0]) ** 2 - (number - child.value[0]) ** 2
    )


def confidence_interval(mean, variance, count, level, most):
    if count <= 1:
        return 0.0, most
    half = stats.t.ppf((1 + level) / 2, count - 1) * math.sqrt(variance / count)
    return min(max(mean - half, 0), most), min(max(mean + half, 0), most)


def most_uniform(lower, upper):
    middle = (max(lower) + min(upper)) / 2
    values = [
        min(max(middle, low), high) for low, high in zip(lower, upper, strict=True)
    ]
    return [value / sum(values) for value in values]


def shared_leaves(leaves, others):
    return np.array([[np.mean(a == b) for b in others] for a in leaves])


def tree_weights(leaves, others, outcomes, first=None):
    """Eq. 7.20 and 7.21; row i of `leaves` is row first + i of the others, if given."""
    weights = np.zeros(leaves.shape)
    shares = shared_leaves(leaves, others)
    for i, own in enumerate(shares):
        for t in range(leaves.shape[1]):
            num = den = 0.0
            for j, share in enumerate(own):
                if outcomes[j, t] == 0 or (first is not None and first + i == j):
                    continue
                num += share**3 * outcomes[j, t]
                den += share**3
            weights[i, t] = num / den if den > 0 else 0.0
    return weights


def signed_scores(labels, weights, n_classes):
    """Sum of weights of the trees that predict each class, for one row."""
    scores = [0.0] * n_classes
    for label, weight in zip(labels, weights, strict=True):
        if label >= 0:
            scores[label] += weight
    return scores
