"""The words and colours in which trees are told, as J48 prints them."""

from __future__ import annotations

import colorsys
import math
from typing import Any

import numpy as np

from featsieve._checks import check_integer
from featsieve._text import visible
from featsieve._types import Floats, Ints
from featsieve.trees._tree import Tree

#: Weights closer to 0 than this are rounding errors of fractional cases.
NOTHING = 1e-6


def as_tree(source: Any, owner: str) -> Tree:
    """Return the tree, or the tree of a fitted estimator."""
    if isinstance(source, Tree):
        return source
    tree = getattr(source, "tree_", None)
    if isinstance(tree, Tree):
        return tree
    if hasattr(source, "fit"):
        from sklearn.utils.validation import check_is_fitted  # noqa: PLC0415  (slow)

        check_is_fitted(source, "tree_")
    raise TypeError(
        f"The 'tree' parameter of {owner} must be a Tree or a fitted tree estimator of "
        f"featsieve. Got {type(source).__name__} instead."
    )


def check_depth(max_depth: int | None, owner: str) -> int | None:
    """Return the depth at which to cut, None to show everything."""
    if max_depth is None:
        return None
    return check_integer("max_depth", max_depth, owner, at_least=0)


def number_text(value: float, decimals: int) -> str:
    """Return the number rounded to so many decimals, without trailing zeros.

    What would round to 0 but is not 0 is written with an exponent, because a test
    ``x <= 0`` says something else.
    """
    if not math.isfinite(value) or abs(value) >= 1e16:
        return str(value)
    # The shortest text that reads back, if that has fewer digits.
    text = min(f"{value:.{decimals}f}", np.format_float_positional(value), key=len)
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    if text in ("0", "-0"):
        return f"{value:.{max(decimals, 1)}g}" if value else "0"
    return text


def weight_text(value: float) -> str:
    """Return a weight rounded to two decimals, halves up, as J48 does."""
    return repr(math.floor(value * 100 + 0.5) / 100) if value < 1e14 else repr(value)


def evidence_text(weight: float, errors: float) -> str:
    """Return the weight, and after a slash that of the errors if there are any."""
    text = weight_text(weight)
    return f"{text}/{weight_text(errors)}" if errors else text


def subtree_sizes(tree: Tree) -> Ints:
    """Return how many nodes lie below each node."""
    below = [0] * tree.n_nodes
    parents = tree.parents().tolist()
    for node in range(tree.n_nodes - 1, 0, -1):  # children before their parents
        below[parents[node]] += below[node] + 1
    return np.array(below, dtype=np.int64)


class Words:
    """Tests and answers of one tree in words; names are made safe to show."""

    def __init__(self, tree: Tree, decimals: int, owner: str) -> None:
        self.tree = tree
        # More decimals than a float64 has would only show its rounding.
        self.decimals = check_integer("decimals", decimals, owner, at_least=0, most=17)
        self.names: list[str] = [visible(feature.name) for feature in tree.features]
        self.labels: list[str] = [visible(label) for label in tree.classes or ()]
        # Lists, because an entry of an array takes several times as long to get.
        self.feature: list[int] = tree.feature.tolist()
        self.weight: list[float] = tree.weight.tolist()
        self._threshold: list[float] = tree.threshold.tolist()
        self._first_child: list[int] = tree.first_child.tolist()
        self._n_children: list[int] = tree.n_children.tolist()
        self._level: list[int] = tree.level.tolist()
        self._prediction: list[int] = tree.prediction.tolist()
        self._errors: list[float] = _errors(tree).tolist()

    def children(self, node: int) -> range:
        """Return the children of a node, none for a leaf."""
        first = self._first_child[node]
        return range(first, first + self._n_children[node])

    def branch(self, node: int, child: int) -> str:
        """Return what leads from a node to its child: ``<= 2.5`` or ``= sunny``."""
        code = self._level[child]
        if code >= 0:
            levels = self.tree.features[self.feature[node]].levels or ()
            return f"= {visible(levels[code])}"
        sign = "<=" if child == self._first_child[node] else ">"
        return f"{sign} {number_text(self._threshold[node], self.decimals)}"

    def condition(self, node: int, child: int) -> str:
        """Return what leads from a node to its child: ``wage <= 2.5``."""
        return f"{self.names[self.feature[node]]} {self.branch(node, child)}"

    def answer(self, node: int) -> str:
        """Return what a node predicts: a class, or a mean."""
        if self.tree.classes is None:
            return number_text(float(self.tree.value[node, 0]), self.decimals)
        return self.labels[self._prediction[node]]

    def errors(self, node: int) -> float:
        """Return the weight of the training cases of other classes than predicted."""
        return self._errors[node]

    def evidence(self, node: int) -> str:
        """Return the weight of a node, and of its errors if it has any."""
        return evidence_text(self.weight[node], self._errors[node])


def _errors(tree: Tree) -> Floats:
    if tree.classes is None:
        return np.zeros(tree.n_nodes)
    right = tree.value[np.arange(tree.n_nodes), tree.prediction]
    errors: Floats = tree.value.sum(axis=1) - right
    return np.where((errors > NOTHING) & (tree.weight > 0), errors, 0.0)


# Paul Tol's "bright" scheme: told apart by colour-blind readers.
BRIGHT = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#ee7733")
MEAN = BRIGHT[0]
GOLDEN_ANGLE = 0.381966  # of a turn: the next hue is far from all before it


def class_colours(n_classes: int) -> list[str]:
    """Return a colour for each class; beyond seven they are only different."""
    colours = list(BRIGHT[:n_classes])
    for k in range(len(BRIGHT), n_classes):
        lightness = 0.45 + 0.1 * (k % 3)
        rgb = colorsys.hls_to_rgb(k * GOLDEN_ANGLE % 1, lightness, 0.5)
        colours.append("#" + "".join(f"{round(255 * part):02x}" for part in rgb))
    return colours


def blended(colour: str, share: float) -> str:
    """Return the colour mixed with white; at share 0 nothing of it is left."""
    parts = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - c) * share):02x}" for c in parts)


def mean_positions(tree: Tree) -> Floats:
    """Return where the mean of each node lies between the least and the greatest."""
    means = tree.value[:, 0]
    known = means[np.isfinite(means)]
    if not known.size or known.min() == known.max():
        return np.where(np.isfinite(means), 0.5, 0.0)
    low, high = known.min() / 2, known.max() / 2  # halves: a difference can overflow
    positions: Floats = (means / 2 - low) / (high - low)
    return np.nan_to_num(positions)
