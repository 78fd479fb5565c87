"""Trees the plain way: recursive nodes, every sum taken afresh.

A tree grown here is made of `Node`s; `to_arrays` and `from_arrays` go to and from the
flat arrays of `featsieve.trees`, `differences` says where two trees differ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Sample:
    """A training table; rows of weight 0 are left out as if they were not there.

    Numeric columns are floats with NaN for missing, nominal ones codes with -1;
    `levels` holds the number of declared levels, None for a numeric column. `target`
    holds class codes (-1: no class, only counted), or numbers if `n_classes` is None.
    """

    columns: list
    levels: list
    target: np.ndarray
    n_classes: int | None
    weights: np.ndarray | None = None

    def __post_init__(self):
        self.target = np.asarray(self.target)
        if self.weights is None:
            self.weights = np.ones(len(self.target))
        self.weights = np.asarray(self.weights, dtype=float)
        self.given = (self.columns, self.target, self.weights)
        there = self.weights > 0
        self.columns = [np.asarray(column)[there] for column in self.columns]
        self.target, self.weights = self.target[there], self.weights[there]

    def known(self, feature, rows):
        """Which of these rows have a value."""
        values = self.columns[feature][rows]
        return ~np.isnan(values) if self.levels[feature] is None else values >= 0

    def cases(self):
        """Rows with a class, and their weights."""
        rows = np.arange(len(self.target))
        if self.n_classes is not None:
            rows = rows[self.target >= 0]
        return rows, self.weights[rows]


@dataclass
class Node:
    """A node; `value` holds class weights, or the mean in regression."""

    value: np.ndarray
    weight: float
    prediction: int = 0
    feature: int = -1
    threshold: float = math.nan
    levels: list | None = None  # level codes of the children of a nominal test
    gain: float = 0.0
    children: list = field(default_factory=list)

    def make_leaf(self):
        self.feature, self.threshold, self.levels = -1, math.nan, None
        self.gain, self.children = 0.0, []

    def become(self, other):
        self.__dict__.update(other.__dict__)

    @property
    def errors(self):
        """Training errors if this were a leaf."""
        return self.weight - self.value.max(initial=0.0)


def majority(counts):
    """The heaviest class; the first of those that differ by rounding only."""
    return first_greatest(counts, 1e-9 * counts.sum())


def class_weights(sample, rows, weights):
    return np.bincount(sample.target[rows], weights, sample.n_classes)


def entropy(weights):
    """Entropy in bits."""
    weights = np.asarray(weights, dtype=float)
    weights = weights[weights > 0]
    if len(weights) == 0:
        return 0.0
    shares = weights / weights.sum()
    return float(-(shares * np.log2(shares)).sum())


def branch_of(sample, node, rows):
    """Which child each row goes to; -1 if its value is missing or has no child."""
    values = sample.columns[node.feature][rows]
    if node.levels is None:
        side = np.where(values <= node.threshold, 0, 1)
        return np.where(np.isnan(values), -1, side)
    place = {level: i for i, level in enumerate(node.levels)}
    return np.array([place.get(v, -1) for v in values.tolist()], dtype=int)


def known_weights(sample, node, rows, weights):
    """Weight of the rows with a known value, for every child."""
    branch = branch_of(sample, node, rows)
    known = branch >= 0
    return np.bincount(branch[known], weights[known], len(node.levels or (0, 1)))


def send_down(
    sample,
    node,
    rows,
    weights,
    *,
    missing="fractional",
    least_share=0.0,
    least_part=0.0,
):
    """Rows and weights of every child; without a known value, nothing is sent.

    A row without a value goes to every child in proportion to the known weight there,
    or ("largest") whole to the child where that is greatest, the first of equals. A
    row of which some child would get less than `least_part` is not divided either.
    """
    branch = branch_of(sample, node, rows)
    shares = known_weights(sample, node, rows, weights)
    if shares.sum() > 0:
        shares = shares / shares.sum()
    heaviest = first_greatest(shares, 1e-9)
    smallest = min((s for s in shares if s > least_share), default=1)
    small = weights * smallest < least_part * sample.weights[rows]
    whole = small | (missing == "largest")
    branch = np.where((branch == -1) & whole, heaviest, branch)
    parts = []
    for child, share in enumerate(shares):
        here = branch == child
        part, part_weights = rows[here], weights[here]
        if share > least_share:
            lost = branch == -1
            part = np.concatenate([part, rows[lost]])
            part_weights = np.concatenate([part_weights, weights[lost] * share])
        parts.append((part, part_weights))
    return parts


def first_greatest(values, slack):
    """Place of the greatest value; a later one must exceed it by more than slack."""
    best = 0
    for i, value in enumerate(values):
        if value - values[best] > slack:
            best = i
    return best


def predict(
    root, columns, *, missing="fractional", empty="parent_class", regression=False
):
    """Answers of the tree for every row: class shares, or the mean."""
    n_rows = len(columns[0])
    rules = {"missing": missing, "empty": empty, "regression": regression}
    return np.array([_answer(root, None, columns, i, **rules) for i in range(n_rows)])


def _answer(node, parent, columns, row, **rules):
    if node.feature < 0:
        return _leaf_answer(node, parent, rules)
    child = _child_for(node, columns[node.feature][row])
    if child is not None:
        return _answer(node.children[child], node, columns, row, **rules)
    shares = np.array([child.weight for child in node.children])
    if rules["missing"] == "largest":
        shares = np.arange(len(shares)) == first_greatest(shares, 1e-9)
    elif shares.sum() == 0:
        shares = np.ones(len(shares))
    shares = shares / shares.sum()
    return sum(
        share * _answer(child, node, columns, row, **rules)
        for child, share in zip(node.children, shares, strict=True)
        if share > 0
    )


def _child_for(node, value):
    if node.levels is None:
        return None if math.isnan(value) else int(not value <= node.threshold)
    return node.levels.index(value) if value in node.levels else None


def _leaf_answer(node, parent, rules):
    if rules["regression"]:
        return node.value
    if node.weight > 0:
        return node.value / node.weight
    if rules["empty"] == "parent_shares" and parent is not None and parent.weight > 0:
        return parent.value / parent.weight
    return np.eye(len(node.value))[node.prediction]


def count_nodes(node):
    return 1 + sum(count_nodes(child) for child in node.children)


def count_leaves(node):
    return sum(count_leaves(child) for child in node.children) or 1


def to_arrays(root, n_outputs):
    """The flat arrays of a tree: children side by side, after their parent."""
    nodes, levels, first = [root], [-1], []
    for node in nodes:  # grows while it is walked
        first.append(len(nodes) if node.children else -1)
        nodes.extend(node.children)
        levels.extend(node.levels or [-1] * len(node.children))
    return {
        "feature": np.array([node.feature for node in nodes], dtype=np.int32),
        "threshold": np.array([node.threshold for node in nodes]),
        "first_child": np.array(first, dtype=np.int32),
        "n_children": np.array([len(node.children) for node in nodes], dtype=np.int32),
        "level": np.array(levels, dtype=np.int32),
        "weight": np.array([node.weight for node in nodes]),
        "value": np.array([node.value for node in nodes]).reshape(-1, n_outputs),
        "prediction": np.array([node.prediction for node in nodes], dtype=np.int32),
        "gain": np.array([node.gain for node in nodes]),
    }


def from_arrays(tree, i=0):
    """The nodes of a flat tree, any object that has the arrays as attributes."""
    start, n_children = int(tree.first_child[i]), int(tree.n_children[i])
    children = range(start, start + n_children)
    nominal = n_children > 0 and math.isnan(tree.threshold[i])
    return Node(
        np.array(tree.value[i], dtype=float),
        float(tree.weight[i]),
        int(tree.prediction[i]),
        int(tree.feature[i]),
        float(tree.threshold[i]),
        [int(tree.level[child]) for child in children] if nominal else None,
        float(tree.gain[i]),
        [from_arrays(tree, child) for child in children],
    )


def differences(ours, other, slack=1e-9, path="root", *, tied=False):
    """What differs between two trees, in words; an empty list if nothing does.

    Classes that rounding alone sets apart are equal, also for empty children that
    take over their parent's class.
    """
    found = []
    scale = max(1.0, abs(other.weight), np.abs(other.value).max(initial=0.0))
    for name in ("weight", "value", "gain"):
        mine, theirs = getattr(ours, name), getattr(other, name)
        if not np.allclose(mine, theirs, rtol=0, atol=slack * scale):
            found.append(f"{path}: {name} {mine} is not {theirs}")
    if other.weight > 0:
        two = (other.value[ours.prediction], other.value[other.prediction])
        tied = abs(two[0] - two[1]) <= slack * scale
    same = ("feature", "levels") if tied else ("feature", "levels", "prediction")
    for name in same:
        mine, theirs = getattr(ours, name), getattr(other, name)
        if mine != theirs:
            found.append(f"{path}: {name} {mine} is not {theirs}")
    if not np.array_equal(ours.threshold, other.threshold, equal_nan=True):
        found.append(f"{path}: threshold {ours.threshold} is not {other.threshold}")
    n_ours, n_other = len(ours.children), len(other.children)
    if n_ours != n_other:
        return [*found, f"{path}: {n_ours} children, not {n_other}"]
    tied = tied and ours.prediction != other.prediction
    for i, pair in enumerate(zip(ours.children, other.children, strict=True)):
        found += differences(*pair, slack, f"{path}.{i}", tied=tied)
    return found
