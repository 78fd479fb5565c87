"""Whether flat arrays are a tree: all that C++ and the exports rely on, in O(nodes).

A tree may come from a file that was damaged or written by hand; what passes here can
be walked without looking left or right again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve.data import ColumnKind
from featsieve.exceptions import DataError

if TYPE_CHECKING:
    from featsieve.trees._tree import Tree

__all__ = ["check_nodes", "child_ids", "class_labels", "frozen_array"]

Mask = NDArray[np.bool_]


def frozen_array(name: str, values: ArrayLike, kind: type, n_axes: int) -> NDArray[Any]:
    """Return the values as a read-only array of this kind; copied if it could change.

    An array that is read-only already is taken as it is, so that trees mapped from a
    file are not copied in every process.
    """
    try:
        given = np.asarray(values)
    except (ValueError, OverflowError) as error:  # ragged lists, integers without end
        _refuse(name, f"{n_axes}-dimensional", str(error), error)
    if given.ndim != n_axes:
        _refuse(name, f"{n_axes}-dimensional", f"{given.ndim} dimensions")
    whole = kind is np.int32
    if given.size and given.dtype.kind not in ("iu" if whole else "iuf"):
        must = "whole numbers" if whole else "numbers"
        _refuse(name, must, f"values of type {given.dtype}")
    if whole and given.size and given.dtype != np.int32:
        low, high = given.min(), given.max()
        if low < -(2**31) or high > 2**31 - 1:
            _refuse(name, "32-bit integers", f"{low} to {high}")
    fits = given.dtype == kind and given.flags.c_contiguous
    if fits and not given.flags.writeable:
        return given
    array: NDArray[Any] = np.array(given, dtype=kind, order="C")
    if kind is np.float64:
        # One kind of NaN, so that equal trees are equal bit for bit.
        array[np.isnan(array)] = np.nan
    array.flags.writeable = False
    return array


def class_labels(classes: Sequence[Any] | NDArray[Any]) -> tuple[Any, ...]:
    """Return the labels as plain Python values, all different."""
    labels = tuple(
        label.item() if isinstance(label, np.generic) else label for label in classes
    )
    if not labels:
        _refuse("classes", "at least one label, or None in regression", "none")
    if len({(type(label), label) for label in labels}) < len(labels):
        _refuse("classes", "different labels", f"{labels!r}")
    return labels


def child_ids(
    first_child: NDArray[np.int32], n_children: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Return the children of node 0, then those of node 1, and so on."""
    before = np.cumsum(n_children, dtype=np.int64) - n_children
    shift = np.repeat(first_child.astype(np.int64) - before, n_children)
    return shift + np.arange(len(shift))


def check_nodes(tree: Tree) -> None:
    """Raise unless the arrays of the tree are what its class promises."""
    _check_lengths(tree)
    leaf = tree.feature == -1
    nominal, n_levels = _tests(tree, leaf)
    _check_children(tree, leaf)
    _check_levels(tree, nominal, n_levels)
    _check_numbers(tree, leaf)


def _check_lengths(tree: Tree) -> None:
    n_nodes = len(tree.feature)
    if n_nodes == 0:
        _refuse("feature", "the features of at least one node, the root", "none")
    names = "threshold first_child n_children level weight value prediction gain"
    for name in names.split():
        if len(getattr(tree, name)) != n_nodes:
            must = f"of length {n_nodes}, as 'feature' is"
            _refuse(name, must, f"length {len(getattr(tree, name))}")
    wanted = 1 if tree.classes is None else len(tree.classes)
    if tree.value.shape[1] != wanted:
        must = f"{wanted} wide, one number for each class (one in regression)"
        _refuse("value", must, f"{tree.value.shape[1]} columns")


def _tests(tree: Tree, leaf: Mask) -> tuple[Mask, NDArray[np.int64]]:
    """Return which nodes test a nominal feature, and how many levels it has."""
    n_features = len(tree.features)
    wrong = (tree.feature < -1) | (tree.feature >= n_features)
    _all("feature", ~wrong, f"-1 at a leaf, else from 0 to {n_features - 1}", tree)
    # The last entry stands for the feature -1 of leaves.
    kinds = [feature.kind is ColumnKind.NOMINAL for feature in tree.features]
    levels = [len(feature.levels or ()) for feature in tree.features]
    nominal = np.array([*kinds, False], dtype=np.bool_)[tree.feature]
    n_levels = np.array([*levels, 0], dtype=np.int64)[tree.feature]
    numeric = ~leaf & ~nominal
    good = np.isnan(tree.threshold) != numeric
    _all(
        "threshold", good, "a number where a numeric feature is tested, else NaN", tree
    )
    right = np.where(numeric, tree.n_children == 2, tree.n_children == 0)
    many = (tree.n_children >= 1) & (tree.n_children <= n_levels)
    must = "0 at a leaf, 2 at a numeric test, at most one per level at a nominal test"
    _all("n_children", np.where(nominal, many, right), must, tree)
    return nominal, n_levels


def _check_children(tree: Tree, leaf: Mask) -> None:
    """Every node but the root is the child of one node, which comes before it."""
    n_nodes = len(leaf)
    first = tree.first_child.astype(np.int64)
    ends = first + tree.n_children
    inner = (first > np.arange(n_nodes)) & (ends <= n_nodes)
    must = "-1 at a leaf, else after its node and with room for the children"
    _all("first_child", np.where(leaf, first == -1, inner), must, tree)
    if int(tree.n_children.sum(dtype=np.int64)) != n_nodes - 1:
        total = int(tree.n_children.sum(dtype=np.int64))
        must = f"{n_nodes - 1} in sum, every node but the root once"
        _refuse("n_children", must, f"{total} in sum")
    children = child_ids(tree.first_child, tree.n_children)
    times = np.bincount(children, minlength=n_nodes)
    times[0] += 1
    if (times != 1).any():
        node = int(np.argmax(times != 1))
        must = "such that each node but the root has one parent"
        _refuse("first_child", must, f"{int(times[node])} of node {node}")


def _check_levels(tree: Tree, nominal: Mask, n_levels: NDArray[np.int64]) -> None:
    children = child_ids(tree.first_child, tree.n_children)
    above = np.repeat(np.arange(len(nominal)), tree.n_children)
    expected = np.zeros(len(nominal), dtype=np.int64)  # how many levels the test has
    expected[children] = np.where(nominal[above], n_levels[above], 0)
    level = tree.level.astype(np.int64)
    good = np.where(expected == 0, level == -1, (level >= 0) & (level < expected))
    _all("level", good, "a level of the test above, or -1 where it has none", tree)
    siblings = (above[1:] == above[:-1]) & nominal[above[1:]]
    rising = np.ones(len(nominal), dtype=np.bool_)
    rising[children[1:]] = ~siblings | (level[children[1:]] > level[children[:-1]])
    _all("level", rising, "ascending among the children of a node", tree)


def _check_numbers(tree: Tree, leaf: Mask) -> None:
    _all("weight", _finite(tree.weight) & (tree.weight >= 0), "finite and >= 0", tree)
    # The least and the greatest of a row are NaN if any of it is.
    finite = _finite(tree.value.min(axis=1)) & _finite(tree.value.max(axis=1))
    if tree.classes is None:
        # An empty branch has no mean of its own.
        _all("value", finite | (tree.weight == 0), "finite", tree)
        _all("prediction", tree.prediction == 0, "0 in regression", tree)
    else:
        good = finite & (tree.value.min(axis=1) >= 0)
        _all("value", good, "finite and >= 0", tree)
        n_classes = len(tree.classes)
        good = (tree.prediction >= 0) & (tree.prediction < n_classes)
        _all("prediction", good, f"from 0 to {n_classes - 1}", tree)
    good = _finite(tree.gain) & (~leaf | (tree.gain == 0))
    _all("gain", good, "finite, and 0 at a leaf", tree)


def _finite(values: NDArray[np.float64]) -> Mask:
    mask: Mask = np.isfinite(values)
    return mask


def _all(name: str, good: Mask, must: str, tree: Tree) -> None:
    if not good.all():
        node = int(np.argmin(good))
        came = f"{getattr(tree, name)[node].tolist()} at node {node}"
        _refuse(name, must, came)


def _refuse(
    name: str, must: str, came: str, cause: Exception | None = None
) -> NoReturn:
    message = f"The {name!r} of a tree must be {must}. Got {came}."
    raise DataError(message) from cause
