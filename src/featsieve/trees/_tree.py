"""A decision tree as flat arrays: what growers make and everything else reads.

A tree may come from a file that was damaged or written by hand; what passes its checks
can be walked without looking left or right again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from featsieve._checks import check_choice
from featsieve._types import Array, Codes, Floats, Ints, Mask
from featsieve.data import ColumnKind
from featsieve.exceptions import DataError

MISSING = ("fractional", "largest")
EMPTY = ("parent_class", "parent_shares")
INTEGERS = ("feature", "first_child", "n_children", "level", "prediction")
ARRAYS = (
    "feature",
    "threshold",
    "first_child",
    "n_children",
    "level",
    "weight",
    "value",
    "prediction",
    "gain",
)


@dataclass(frozen=True, slots=True)
class TreeFeature:
    """What a tree knows of a column it may test.

    Parameters
    ----------
    name : str
        Name of the column.
    kind : ColumnKind, default=ColumnKind.NUMERIC
        Numeric or nominal.
    levels : tuple of str or None, default=None
        The declared levels of a nominal column; a code counts into them. None for a
        numeric column.

    Examples
    --------
    >>> from featsieve.data import ColumnKind
    >>> from featsieve.trees import TreeFeature
    >>> TreeFeature("outlook", ColumnKind.NOMINAL, ("sunny", "rainy")).levels
    ('sunny', 'rainy')
    >>> TreeFeature("humidity").levels is None
    True
    """

    name: str
    kind: ColumnKind = ColumnKind.NUMERIC
    levels: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise DataError(f"The name of a feature must be a str. Got {self.name!r}.")
        if self.kind is ColumnKind.NUMERIC:
            good = self.levels is None
        else:
            good = (
                self.kind is ColumnKind.NOMINAL
                and isinstance(self.levels, tuple)
                and all(isinstance(level, str) for level in self.levels)
            )
        if not good:
            raise DataError(
                f"Feature {self.name!r} must be numeric with levels None, or nominal "
                f"with a tuple of str. Got {self.kind!r} and {self.levels!r}."
            )

    @property
    def is_nominal(self) -> bool:
        """Whether the column is nominal."""
        return self.kind is ColumnKind.NOMINAL


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Tree:
    """A decision tree as flat, read-only arrays.

    Node 0 is the root. The children of a node have consecutive numbers, all greater
    than its own, so that one loop from the last node to the first goes bottom-up and
    nothing recurses, however deep the tree is.

    Growers make trees; users meet them as ``tree_`` of a fitted estimator or read them
    with `tree_from_json`.

    Parameters
    ----------
    feature : array-like of int of shape (n_nodes,)
        The feature a node tests, -1 at a leaf.
    threshold : array-like of float of shape (n_nodes,)
        A numeric test sends ``x <= threshold`` to its first child, else to its second.
        NaN at leaves and nominal tests.
    first_child, n_children : array-like of int of shape (n_nodes,)
        Where the children of a node are; -1 and 0 at a leaf.
    level : array-like of int of shape (n_nodes,)
        The level that leads to a child of a nominal test, ascending among siblings.
        A level without a child counts as unseen. -1 at other nodes.
    weight : array-like of float of shape (n_nodes,)
        Weight of the training cases that reached the node; 0 for an empty branch.
    value : array-like of float of shape (n_nodes, n_outputs)
        Weight of each class, or the mean in a single column in regression.
    prediction : array-like of int of shape (n_nodes,)
        The class predicted at the node; zeros in regression.
    gain : array-like of float of shape (n_nodes,)
        Gain of the test in bits, or reduction of variance; 0 at a leaf.
    features : sequence of TreeFeature
        The columns, tested or not.
    classes : sequence or None
        The class labels; None in regression.
    missing : {"fractional", "largest"}, default="fractional"
        Where a case goes whose value is unknown or of an unseen level: to all children
        in proportion to their weights, or to the heaviest.
    empty : {"parent_class", "parent_shares"}, default="parent_class"
        What a leaf of weight 0 answers: its `prediction`, or the shares of its parent.

    Raises
    ------
    DataError
        If the arrays are not a tree; the message names the array and the node.

    Examples
    --------
    >>> from featsieve.trees import Tree, TreeFeature
    >>> nan = float("nan")
    >>> tree = Tree(
    ...     feature=[0, -1, -1], threshold=[2.5, nan, nan],
    ...     first_child=[1, -1, -1], n_children=[2, 0, 0], level=[-1, -1, -1],
    ...     weight=[5, 3, 2], value=[[3, 2], [3, 0], [0, 2]], prediction=[0, 0, 1],
    ...     gain=[0.971, 0, 0], features=[TreeFeature("wage")], classes=["bad", "good"],
    ... )
    >>> tree
    Tree(n_nodes=3, n_leaves=2, depth=1)
    >>> list(tree.children(0))
    [1, 2]
    """

    feature: Codes
    threshold: Floats
    first_child: Codes
    n_children: Codes
    level: Codes
    weight: Floats
    value: Floats
    prediction: Codes
    gain: Floats
    features: tuple[TreeFeature, ...]
    classes: tuple[Any, ...] | None
    missing: str
    empty: str

    def __init__(  # noqa: PLR0917  (pickled by position)
        self,
        feature: ArrayLike,
        threshold: ArrayLike,
        first_child: ArrayLike,
        n_children: ArrayLike,
        level: ArrayLike,
        weight: ArrayLike,
        value: ArrayLike,
        prediction: ArrayLike,
        gain: ArrayLike,
        features: Any,
        classes: Any,
        missing: str = "fractional",
        empty: str = "parent_class",
    ) -> None:
        check_choice("missing", missing, MISSING, self)
        check_choice("empty", empty, EMPTY, self)
        columns = tuple(features)
        if not all(isinstance(column, TreeFeature) for column in columns):
            raise DataError(
                "The 'features' of a tree must be a sequence of TreeFeature."
            )
        structure = (feature, threshold, first_child, n_children, level)
        given = (*structure, weight, value, prediction, gain)
        for name, values in zip(ARRAYS, given, strict=True):
            kind = np.int32 if name in INTEGERS else np.float64
            array = frozen_array(name, values, kind, 2 if name == "value" else 1)
            object.__setattr__(self, name, array)
        object.__setattr__(self, "features", columns)
        labels = None if classes is None else class_labels(classes)
        object.__setattr__(self, "classes", labels)
        object.__setattr__(self, "missing", missing)
        object.__setattr__(self, "empty", empty)
        check_nodes(self)

    @property
    def n_nodes(self) -> int:
        """The number of nodes, leaves included."""
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        """The number of leaves, empty ones included."""
        return int(np.count_nonzero(self.n_children == 0))

    @property
    def n_features(self) -> int:
        """The number of columns, tested or not."""
        return len(self.features)

    @property
    def n_outputs(self) -> int:
        """The number of classes, or 1 in regression."""
        return int(self.value.shape[1])

    @property
    def depth(self) -> int:
        """The number of tests on the longest path; 0 for a single leaf."""
        return int(self.node_depths().max())

    @property
    def is_classifier(self) -> bool:
        """Whether the tree predicts classes."""
        return self.classes is not None

    def children(self, node: int) -> range:
        """Return the children of a node, none for a leaf."""
        first = max(int(self.first_child[node]), 0)
        return range(first, first + int(self.n_children[node]))

    def parents(self) -> Codes:
        """Return the parent of every node, -1 for the root."""
        above = np.full(self.n_nodes, -1, dtype=np.int32)
        ids = np.arange(self.n_nodes, dtype=np.int32)
        children = child_ids(self.first_child, self.n_children)
        above[children] = np.repeat(ids, self.n_children)
        return above

    def node_depths(self) -> Codes:
        """Return how many tests lie above every node."""
        depths = [0] * self.n_nodes
        # A parent comes before its children; arrays level by level would be slow for
        # chains, where a level is one node.
        for node, parent in enumerate(self.parents().tolist()):
            if parent >= 0:
                depths[node] = depths[parent] + 1
        return np.array(depths, dtype=np.int32)

    def feature_importances(self) -> Floats:
        """Return each feature's part of all gain: weight · gain, summing to 1.

        All zeros if nothing is tested or no test gains anything.
        """
        inner = self.feature >= 0
        # Each is scaled first: the product of two huge numbers would overflow.
        gains = _scaled(self.weight[inner]) * _scaled(np.maximum(self.gain[inner], 0))
        sums: Floats = np.bincount(
            self.feature[inner], weights=gains, minlength=self.n_features
        ).astype(np.float64)
        total = float(sums.sum())
        return sums / total if total else sums

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        for name in ARRAYS:
            exact = name in INTEGERS
            mine, its = getattr(self, name), getattr(other, name)
            if not np.array_equal(mine, its, equal_nan=not exact):
                return False
        return (
            self.features == other.features
            and _typed(self.classes) == _typed(other.classes)
            and self.missing == other.missing
            and self.empty == other.empty
        )

    def __hash__(self) -> int:
        return hash((self.feature.tobytes(), self.first_child.tobytes()))

    def __repr__(self) -> str:
        return (
            f"Tree(n_nodes={self.n_nodes}, n_leaves={self.n_leaves}, "
            f"depth={self.depth})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor, so that arrays are read-only again and checked.
        return Tree, tuple(getattr(self, field.name) for field in fields(self))


def _scaled(values: Floats) -> Floats:
    return values / (values.max(initial=0.0) or 1.0)


def _typed(classes: tuple[Any, ...] | None) -> Any:
    """Tell 1 from 1.0 and True, which are equal but print differently."""
    return classes and [(type(label), label) for label in classes]


def frozen_array(name: str, values: ArrayLike, kind: type, n_axes: int) -> Array:
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
    array: Array = np.array(given, dtype=kind, order="C")
    if kind is np.float64:
        # One kind of NaN, so that equal trees are equal bit for bit.
        array[np.isnan(array)] = np.nan
    array.flags.writeable = False
    return array


def class_labels(classes: Sequence[Any] | Array) -> tuple[Any, ...]:
    """Return the labels as plain Python values, all different."""
    labels = tuple(
        label.item() if isinstance(label, np.generic) else label for label in classes
    )
    if not labels:
        _refuse("classes", "at least one label, or None in regression", "none")
    if len({(type(label), label) for label in labels}) < len(labels):
        _refuse("classes", "different labels", f"{labels!r}")
    return labels


def child_ids(first_child: Codes, n_children: Codes) -> Ints:
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


def _tests(tree: Tree, leaf: Mask) -> tuple[Mask, Ints]:
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


def _check_levels(tree: Tree, nominal: Mask, n_levels: Ints) -> None:
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


def _finite(values: Floats) -> Mask:
    return np.isfinite(values)


def _all(name: str, good: Mask, must: str, tree: Tree) -> None:
    if not good.all():
        node = int(np.argmin(good))
        came = f"{getattr(tree, name)[node].tolist()} at node {node}"
        _refuse(name, must, came)


def _refuse(
    name: str, must: str, came: str, cause: Exception | None = None
) -> NoReturn:
    raise DataError(f"The {name!r} of a tree must be {must}. Got {came}.") from cause
