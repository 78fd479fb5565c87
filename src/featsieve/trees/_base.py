"""What every tree shares: reading a table, growing, predicting, telling about it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from featsieve._checks import check_flag
from featsieve._kernels import GrowthRules, TreeColumns, TreeRows, grow_tree
from featsieve._types import Array, Codes, Floats, Mask
from featsieve.data import ColumnKind, Table
from featsieve.data.api import tree_columns
from featsieve.trees._export import tree_to_graphviz, tree_to_rules, tree_to_text
from featsieve.trees._json import tree_to_json
from featsieve.trees._picture import plot_tree
from featsieve.trees._tree import Tree, TreeFeature
from featsieve.trees._tree_rows import (
    TypedInput,
    feature_matrix,
    leaf_answers,
    read_classes,
    read_numbers,
    read_training,
    tree_paths,
    tree_router,
    tree_rows,
)


@dataclass(frozen=True, slots=True)
class TriedFeatures:
    """Every feature that was tried at every node while a tree grew, in order.

    Parameters
    ----------
    node : ndarray of int32 of shape (n_tries,)
        The node, numbered as it was grown: before any pruning.
    feature : ndarray of int32 of shape (n_tries,)
        The feature.
    gain : ndarray of float64 of shape (n_tries,)
        Gain of its best test; 0 if it is constant in the node.
    passes : ndarray of bool of shape (n_tries,)
        Whether the rules allowed to split on it.

    Examples
    --------
    >>> from featsieve.trees import MDLTreeClassifier
    >>> X = [[0, 5], [1, 5], [2, 5], [7, 5], [8, 5], [9, 5]] * 3
    >>> tree = MDLTreeClassifier(observe=True).fit(X, [0, 0, 0, 1, 1, 1] * 3)
    >>> tree.tried_.feature.tolist(), tree.tried_.gain.round(3).tolist()
    ([0, 1], [1.0, 0.0])
    """

    node: Codes
    feature: Codes
    gain: Floats
    passes: Mask


@dataclass(kw_only=True, eq=False, repr=False)
class BaseTree(TypedInput):
    """Base of all trees: owns `fit`'s steps and everything that reads a tree.

    A subclass checks its parameters and returns the rules of growth from `_rules`.

    Parameters
    ----------
    observe : bool, default=False
        Keep every feature that was tried at every node in ``tried_``.

    Attributes
    ----------
    tree_ : Tree
        The tree as flat arrays.
    feature_importances_ : ndarray of shape (n_features,)
        Each feature's part of all gain, or of all reduction of variance.
    node_count_ : int
        Nodes, leaves included.
    tried_ : TriedFeatures
        With `observe` only.
    """

    observe: bool = False
    nominal: Any = None
    numeric: Any = None

    #: Where a case goes whose value is missing, where that is no parameter.
    missing_branch = "fractional"
    #: What a branch without training cases answers.
    _empty = "parent_class"

    @abstractmethod
    def _check_parameters(self) -> None: ...

    @abstractmethod
    def _rules(self, table: Table) -> GrowthRules: ...

    @abstractmethod
    def _read_target(self, y: Any, table: Table) -> tuple[dict[str, Any], Any]:
        """Return the target for the grower, and the mask of rows that have one."""

    def _growth_options(self, table: Table) -> dict[str, Any]:  # noqa: ARG002  (random trees ask it)
        """Return what else the grower is to be told."""
        return {}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        sample_weight : array-like of shape (n_rows,), default=None
            Weight of each row; a row of weight 2 counts as two rows.
        """
        self._check_parameters()
        check_flag("observe", self.observe, self)
        table, target, weights, _ = read_training(self, X, y, sample_weight)
        self._grow(table, target, weights)
        return self

    def _grow(
        self,
        table: Table,
        target: dict[str, Any],
        weights: Floats | None,
        columns: TreeColumns | None = None,
    ) -> None:
        arrays, tried = grow_tree(
            tree_columns(table) if columns is None else columns,
            self._rules(table),
            weights=weights,
            observe=bool(self.observe),
            **target,
            **self._growth_options(table),
        )
        classes = getattr(self, "classes_", None)
        self.tree_ = Tree(
            **arrays,
            features=tree_features(table),
            classes=None if classes is None else classes.tolist(),
            missing=self.missing_branch,
            empty=self._empty,
        )
        self.feature_importances_ = self.tree_.feature_importances()
        self.node_count_ = self.tree_.n_nodes
        if tried is not None:
            passes = tried.pop("passes").astype(bool)
            self.tried_ = TriedFeatures(**tried, passes=passes)
        elif hasattr(self, "tried_"):
            del self.tried_

    def _rows(self, X: Any) -> TreeRows:
        check_is_fitted(self)
        return tree_rows(feature_matrix(self, X, self.tree_.features))

    def apply(self, X: Any) -> Codes:
        """Return the leaf that each row reaches.

        Returns
        -------
        ndarray of int32 of shape (n_rows,)
            Node numbers of leaves. A row that is spread over several leaves, because
            values are missing, gets the one that holds most of it.
        """
        rows = self._rows(X)
        return tree_router(self.tree_).apply(rows)

    def decision_path(self, X: Any) -> Any:
        """Return the nodes that each row passes.

        Returns
        -------
        csr_matrix of shape (n_rows, n_nodes)
            1 where a row passes a node.
        """
        rows = self._rows(X)
        return tree_paths(self.tree_, rows)

    def _answers(self, X: Any) -> Floats:
        rows = self._rows(X)
        return tree_router(self.tree_).predict(rows, leaf_answers(self.tree_))

    def get_depth(self) -> int:
        """Return the number of tests on the longest path.

        Returns
        -------
        int
            0 if the tree is a single leaf.
        """
        check_is_fitted(self)
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves, empty ones included.

        Returns
        -------
        int
            1 if the tree is a single leaf.
        """
        check_is_fitted(self)
        return self.tree_.n_leaves

    export_text = tree_to_text
    export_rules = tree_to_rules
    export_graphviz = tree_to_graphviz
    plot = plot_tree
    to_json = tree_to_json


class ClassificationTree(ClassifierMixin, BaseTree):
    """A tree that predicts classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    """

    #: Shares that differ by less count as equal.
    _tie = 0.0

    def _read_target(self, y: Any, table: Table) -> tuple[dict[str, Any], Any]:
        return read_classes(self, y, table.n_rows)

    def predict_proba(self, X: Any) -> Floats:
        """Return the share of every class.

        Returns
        -------
        ndarray of float64 of shape (n_rows, n_classes)
            Class shares of the leaves a row reaches, in the order of ``classes_``.
        """
        return self._answers(X)

    def predict(self, X: Any) -> Array:
        """Return the most probable class, the first of equals."""
        shares = self._answers(X)
        if self._tie > 0:
            shares = shares > shares.max(axis=1, keepdims=True) - self._tie
        return self.classes_[np.argmax(shares, axis=1)]


class RegressionTree(RegressorMixin, BaseTree):
    """A tree that predicts a number."""

    def _read_target(self, y: Any, table: Table) -> tuple[dict[str, Any], Any]:
        return read_numbers(self, y, table.n_rows)

    def predict(self, X: Any) -> Floats:
        """Return the mean of the leaf that each row reaches.

        Returns
        -------
        ndarray of float64 of shape (n_rows,)
            Predictions.
        """
        return self._answers(X)[:, 0]


def tree_features(table: Table) -> tuple[TreeFeature, ...]:
    """Return what a tree has to know of its columns."""
    return tuple(
        TreeFeature(column.name, ColumnKind.NOMINAL, tuple(map(str, column.levels)))
        if column.is_nominal
        else TreeFeature(column.name)
        for column in table
    )
