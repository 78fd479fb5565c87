"""Entropy trees that stop by description length, and random trees, the plain way.

The description length is that of the thesis of seed 004, eq. 2.23 and 2.24; several
branches, missing values, weights and regression are our own generalisation.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reference.trees import Node, Sample, class_weights, entropy, majority, send_down
from reference.trees_c45 import midpoint

SLACK = 1e-12  # gains this near (variance: times that of all) are equal: first wins
# The copies of a row double with every test of a value it lacks: stop at some point.
LEAST_PART = 0.01 * (1 - 1e-9)


@dataclass
class Split:
    """A split that may be made at a node."""

    feature: int
    threshold: float
    levels: list | None
    gain: float
    parts: list  # (rows, weights) with a known value, by branch


def gini(weights):
    weights = np.asarray(weights, dtype=float)
    total = weights.sum()
    return float(1 - ((weights / total) ** 2).sum()) if total > 0 else 0.0


def variance(values, weights):
    total = weights.sum()
    if total <= 0:
        return 0.0
    mean = (weights * values).sum() / total
    return float((weights * (values - mean) ** 2).sum() / total)


def impurity(sample, rows, weights, criterion):
    if criterion == "variance":
        return variance(sample.target[rows], weights)
    counts = class_weights(sample, rows, weights)
    return entropy(counts) if criterion == "entropy" else gini(counts)


def partitions(sample, rows, weights, feature, n_thresholds=None):
    """Every split of the rows with a known value: threshold, levels, parts."""
    known = sample.known(feature, rows)
    rows, weights = rows[known], weights[known]
    values = sample.columns[feature][rows]
    present = np.unique(values)
    if len(present) < 2:
        return
    if sample.levels[feature] is not None:
        levels = present.tolist()
        parts = [(rows[values == v], weights[values == v]) for v in levels]
        yield math.nan, levels, parts
        return
    for threshold in _thresholds(present, n_thresholds):
        low = values <= threshold
        parts = [(rows[side], weights[side]) for side in (low, ~low)]
        yield threshold, None, parts


def _thresholds(present, n_thresholds):
    low, high = float(present[0]), float(present[-1])
    if n_thresholds is None:
        return [midpoint(a, b) for a, b in itertools.pairwise(present)]
    steps = range(1, n_thresholds + 1)
    cuts = [low + (high - low) * i / (n_thresholds + 1) for i in steps]
    return [cut for cut in cuts if low <= cut < high]


def gain_of(sample, parts, total, criterion):
    """Impurity removed, over the known rows, times their share of the node."""
    sizes = [weights.sum() for _, weights in parts]
    rows = np.concatenate([rows for rows, _ in parts])
    weights = np.concatenate([weights for _, weights in parts])
    removed = sum(sizes) * impurity(sample, rows, weights, criterion) - sum(
        size * impurity(sample, *part, criterion)
        for size, part in zip(sizes, parts, strict=True)
    )
    return float(removed / total)


def best_split(
    sample,
    rows,
    weights,
    features,
    *,
    criterion,
    slack,
    n_thresholds=None,
    accept=None,
    min_cases=0.0,
):
    """The split of greatest gain; the first feature, then the lowest cut, of equals.

    With `accept`, only features whose best cut it accepts take part.
    """
    total = weights.sum()
    best = None
    for feature in features:
        mine = None
        for threshold, levels, parts in partitions(
            sample, rows, weights, feature, n_thresholds
        ):
            heavy = [w.sum() >= min_cases - 1e-9 for _, w in parts]
            if sum(heavy) < 2:
                continue
            gain = gain_of(sample, parts, total, criterion)
            if mine is None or gain > mine.gain + slack:
                mine = Split(feature, threshold, levels, gain, parts)
        if mine is None or (accept is not None and not accept(mine)):
            continue
        if best is None or mine.gain > best.gain + slack:
            best = mine
    return best


def is_pure(sample, rows, weights, spread):
    if len(rows) == 0:
        return True
    if sample.n_classes is None:
        return variance(sample.target[rows], weights) <= SLACK * spread
    counts = class_weights(sample, rows, weights)
    return counts.sum() - counts.max() <= 1e-9 * counts.sum()


def make_node(sample, rows, weights):
    total = float(weights.sum())
    if sample.n_classes is None:
        mean = (weights * sample.target[rows]).sum() / total
        return Node(np.array([mean]), total)
    counts = class_weights(sample, rows, weights)
    return Node(counts, total, majority(counts))


def attach(node, split):
    node.feature, node.threshold = split.feature, split.threshold
    node.levels, node.gain = split.levels, max(split.gain, 0.0)


def grow_random(
    sample: Sample,
    candidates: Callable[[tuple], list],
    *,
    criterion="entropy",
    missing="fractional",
    min_cases=0.0,
    max_depth=None,
) -> Node:
    """Grow until pure on the features given for every node.

    `candidates` is asked with the path to the node: the places of the children taken
    from the root on, () for the root.
    """

    all_cases = sample.cases()
    spread = impurity(sample, *all_cases, criterion) if criterion == "variance" else 1.0

    def grow(path, rows, weights):
        node = make_node(sample, rows, weights)
        if len(path) == max_depth or is_pure(sample, rows, weights, spread):
            return node
        if node.weight < 2 * min_cases - 1e-9:
            return node
        split = best_split(
            sample,
            rows,
            weights,
            candidates(path),
            min_cases=min_cases,
            criterion=criterion,
            slack=SLACK * spread,
        )
        if split is None:
            return node
        attach(node, split)
        parts = send_down(
            sample, node, rows, weights, missing=missing, least_part=LEAST_PART
        )
        node.children = [grow((*path, i), *part) for i, part in enumerate(parts)]
        return node

    return grow((), *all_cases)


class FeatureCost:
    """Bits to name the feature of a split, given the features used before (2.24)."""

    def __init__(self, n_features, kind="full"):
        self.key = math.log2(n_features) if kind == "full" else 0.0
        self.free = kind is None
        self.used, self.n_splits = set(), 0

    def bits(self, feature):
        n_used, d = len(self.used), self.n_splits
        if self.free:
            return 0.0
        if feature in self.used:
            return math.log2(n_used)
        past = d * math.log2(n_used) if d else 0.0
        return self.key + (d + 1) * math.log2(n_used + 1) - past

    def pay(self, feature):
        self.used.add(feature)
        self.n_splits += 1


def description_bits(counts, parts_counts, total):
    """Bits for the cut and for the class shares of its branches (eq. 2.23)."""
    k = int(np.count_nonzero(counts))
    bits = math.log2(max(total - 1, 1.0))
    # Each class is in some of the branches, not all in one only: 3^k - 2 for two.
    b = sum(1 for part in parts_counts if np.count_nonzero(part))
    bits += math.log2((2**b - 1) ** k - b) - k * entropy(counts)
    return bits + sum(np.count_nonzero(part) * entropy(part) for part in parts_counts)


def normal_bits(sample, parts, total, floor):
    """Bits saved by a mean for every branch around one variance, and their price."""
    rows = np.concatenate([rows for rows, _ in parts])
    weights = np.concatenate([weights for _, weights in parts])
    known, k = weights.sum(), len(parts)
    price = math.log2(max(total - 1, 1.0)) + (k - 1) / 2 * math.log2(max(total, 1.0))
    if known - k <= 0:
        return 0.0, price
    inside = sum(w.sum() * variance(sample.target[r], w) for r, w in parts)
    before = known * variance(sample.target[rows], weights) / (known - 1)
    after = max(inside / (known - k), floor)
    return max(
        (known - k) / 2 * math.log2(before / after), 0.0
    ) if before else 0.0, price


def grow_mdl(
    sample: Sample,
    *,
    n_thresholds=None,
    missing="fractional",
    feature_cost="full",
    max_depth=None,
) -> Node:
    """Grow while a split pays for its description; depth first, first child first.

    Features whose best cut pays compete by gain.
    """
    all_cases = sample.cases()
    cost = FeatureCost(len(sample.columns), feature_cost)
    regression = sample.n_classes is None
    criterion = "variance" if regression else "entropy"
    spread = impurity(sample, *all_cases, criterion) if regression else 1.0

    def pays(split, total):
        if regression:
            saved, price = normal_bits(sample, split.parts, total, SLACK * spread)
        else:
            parts = [class_weights(sample, *part) for part in split.parts]
            saved = total * split.gain
            price = description_bits(sum(parts), parts, total)
        return saved >= price + cost.bits(split.feature)

    def grow(rows, weights, depth):
        node = make_node(sample, rows, weights)
        if depth == max_depth or is_pure(sample, rows, weights, spread):
            return node
        split = best_split(
            sample,
            rows,
            weights,
            range(len(sample.columns)),
            criterion=criterion,
            slack=SLACK * spread,
            n_thresholds=n_thresholds,
            accept=lambda split: pays(split, node.weight),
        )
        if split is None:
            return node
        cost.pay(split.feature)
        attach(node, split)
        parts = send_down(
            sample, node, rows, weights, missing=missing, least_part=LEAST_PART
        )
        node.children = [grow(*part, depth + 1) for part in parts]
        return node

    return grow(*all_cases, 0)
