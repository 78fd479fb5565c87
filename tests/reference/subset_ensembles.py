"""Subset ensembles the plain way: levels of a tree, draws, feature boosting, votes."""

from __future__ import annotations

import math

from reference.trees import Node, class_weights, majority, send_down
from reference.trees_c45 import Options, _choose_test, evaluate


def level_gains(sample, max_levels, min_cases):
    """Gain of every feature at the root, and its mean over the nodes of each level."""
    options = Options(min_cases=min_cases, release8_penalty=False)
    features = range(len(sample.columns))

    def gains_of(rows, weights):
        tests = [evaluate(sample, options, rows, weights, j) for j in features]
        return [0.0 if test is None else test.gain for test in tests]

    def test_of(rows, weights):
        counts = class_weights(sample, rows, weights)
        node = Node(counts, float(counts.sum()), majority(counts))
        return node, _choose_test(sample, options, rows, weights, node)

    root = sample.cases()
    counts = class_weights(sample, *root)
    at_root = [0.0 for _ in features]
    pure = counts.sum() - counts.max() <= 1e-9
    if counts.sum() >= 2 * min_cases - 1e-9 and not pure:
        at_root = gains_of(*root)
    by_level, level = [], [root]
    while len(by_level) < max_levels:
        split = []
        for rows, weights in level:
            node, test = test_of(rows, weights)
            if test is not None:
                node.feature, node.threshold = test.feature, test.threshold
                node.levels = test.levels
                split.append((node, rows, weights))
        if not split:
            break
        sizes = [weights.sum() for _, _, weights in split]
        gains = [gains_of(rows, weights) for _, rows, weights in split]
        by_level.append(
            [
                sum(d * g[j] for d, g in zip(sizes, gains, strict=True)) / sum(sizes)
                for j in features
            ]
        )
        level = [
            part
            for node, rows, weights in split
            for part in send_down(sample, node, rows, weights)
            if len(part[0])
        ]
    return at_root, by_level


def choose_by_level(at_root, by_level, count):
    """(feature, level) of the best new feature per level; then the best at the root."""
    chosen = []
    left = list(range(len(at_root)))
    for level, gains in enumerate(by_level):
        if not left or (count is not None and len(chosen) == count):
            break
        best = max(left, key=lambda j: (gains[j], -j))
        left.remove(best)
        chosen.append((best, level))
    while count is not None and left and len(chosen) < count:
        best = max(left, key=lambda j: (at_root[j], -j))
        left.remove(best)
        chosen.append((best, -1))
    return chosen


def subset_chances(weights, size):
    """Probability of every subset: one after another by weight, without the drawn."""
    chances = {}

    def draw(drawn, chance):
        if len(drawn) == size:
            key = tuple(sorted(drawn))
            chances[key] = chances.get(key, 0.0) + chance
            return
        left = [j for j in range(len(weights)) if j not in drawn]
        total = sum(weights[j] for j in left)
        for j in left:
            share = weights[j] / total if total > 0 else 1 / len(left)
            if share > 0:
                draw([*drawn, j], chance * share)

    draw([], 1.0)
    return chances


def boosted_weights(n_features, subsets, accuracies, waiting, include_current=True):
    """Weights after each of these subsets was tried (table 3, equation 8)."""
    weights = [1 / n_features] * n_features
    history = [list(weights)]
    known = []
    for i, (subset, accuracy) in enumerate(zip(subsets, accuracies, strict=True)):
        if include_current:
            known.append(accuracy)
        mean = sum(known) / len(known) if known else accuracy
        spread = sum((a - mean) ** 2 for a in known) / len(known) if known else 0.0
        deviation = math.sqrt(spread)
        if not include_current:
            known.append(accuracy)
        if i >= waiting and n_features > 1 and deviation > 1e-12:
            x = (accuracy - mean) / deviation
            psi = (1 - math.exp(-4 * x)) / (1 + math.exp(-4 * x)) if x > -50 else -1.0
            change = (n_features - len(subset)) / (n_features - 1) * psi
            for j in subset:
                weights[j] *= 1 + max(change, 1e-9 - 1)
            total = sum(weights)
            weights = [w / total for w in weights]
        history.append(list(weights))
    return history


def vote(accuracies, answers, n_classes):
    """The class of greatest summed accuracy, the first of equals."""
    shares = [0.0] * n_classes
    for accuracy, answer in zip(accuracies, answers, strict=True):
        shares[answer] += accuracy
    return shares.index(max(shares))
