"""A decision tree as flat arrays: what growers make and everything else reads."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve._checks import check_choice
from featsieve.data import ColumnKind
from featsieve.exceptions import DataError
from featsieve.trees._tree_checks import (
    check_nodes,
    child_ids,
    class_labels,
    frozen_array,
)

__all__ = ["Tree", "TreeFeature"]

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
            message = f"The name of a feature must be a str. Got {self.name!r}."
            raise DataError(message)
        if self.kind is ColumnKind.NUMERIC:
            good = self.levels is None
        else:
            good = (
                self.kind is ColumnKind.NOMINAL
                and isinstance(self.levels, tuple)
                and all(isinstance(level, str) for level in self.levels)
            )
        if not good:
            message = (
                f"Feature {self.name!r} must be numeric with levels None, or nominal "
                f"with a tuple of str. Got {self.kind!r} and {self.levels!r}."
            )
            raise DataError(message)

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

    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    first_child: NDArray[np.int32]
    n_children: NDArray[np.int32]
    level: NDArray[np.int32]
    weight: NDArray[np.float64]
    value: NDArray[np.float64]
    prediction: NDArray[np.int32]
    gain: NDArray[np.float64]
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
            message = "The 'features' of a tree must be a sequence of TreeFeature."
            raise DataError(message)
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

    def parents(self) -> NDArray[np.int32]:
        """Return the parent of every node, -1 for the root."""
        above = np.full(self.n_nodes, -1, dtype=np.int32)
        ids = np.arange(self.n_nodes, dtype=np.int32)
        children = child_ids(self.first_child, self.n_children)
        above[children] = np.repeat(ids, self.n_children)
        return above

    def node_depths(self) -> NDArray[np.int32]:
        """Return how many tests lie above every node."""
        depths = [0] * self.n_nodes
        # A parent comes before its children; arrays level by level would be slow for
        # chains, where a level is one node.
        for node, parent in enumerate(self.parents().tolist()):
            if parent >= 0:
                depths[node] = depths[parent] + 1
        return np.array(depths, dtype=np.int32)

    def feature_importances(self) -> NDArray[np.float64]:
        """Return each feature's part of all gain: weight · gain, summing to 1.

        All zeros if nothing is tested or no test gains anything.
        """
        inner = self.feature >= 0
        # Each is scaled first: the product of two huge numbers would overflow.
        gains = _scaled(self.weight[inner]) * _scaled(np.maximum(self.gain[inner], 0))
        sums: NDArray[np.float64] = np.bincount(
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


def _scaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values / (values.max(initial=0.0) or 1.0)


def _typed(classes: tuple[Any, ...] | None) -> Any:
    """Tell 1 from 1.0 and True, which are equal but print differently."""
    return classes and [(type(label), label) for label in classes]
