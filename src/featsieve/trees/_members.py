"""Trees as members of an ensemble: many of one kind, on a table that is coded once."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._kernels import TreeColumns, TreeRouter
from featsieve.data import Column, ColumnKind, Table
from featsieve.data._tree_columns import tree_columns
from featsieve.trees._base import ClassificationTree
from featsieve.trees._routing import leaf_answers, tree_rows
from featsieve.trees._tree import Tree, TreeFeature

__all__ = ["MemberRows", "TreeGrower", "numeric_table"]


class TreeGrower:
    """Grows classification trees on rows that are read, checked and coded once.

    Parameters
    ----------
    tree : ClassificationTree
        How to grow; it is not changed.
    table : Table
        The training rows, all of them with a class.
    classes : ndarray
        Class labels.
    named : bool, default=False
        Whether trees are to know the names of the columns, as `fit` does of a frame.
    """

    def __init__(
        self,
        tree: ClassificationTree,
        table: Table,
        classes: NDArray[Any],
        *,
        named: bool = False,
    ) -> None:
        tree._check_parameters()
        self._tree = tree
        self._table = table
        self._classes = classes
        self._named = named
        self._columns: TreeColumns = tree_columns(table)

    def select(self, columns: NDArray[np.uint32]) -> TreeGrower:
        """Return a grower on some of the columns, without coding them again."""
        selected = copy.copy(self)
        kept = tuple(self._table.columns[j] for j in columns)
        selected._table = Table(kept, n_rows=self._table.n_rows)
        selected._columns = self._columns.select(columns)
        return selected

    def grow(
        self,
        codes: NDArray[np.int32],
        weights: NDArray[np.float64] | None,
        classes: NDArray[Any] | None = None,
        **parameters: Any,
    ) -> ClassificationTree:
        """Return a new, fitted tree.

        Parameters
        ----------
        codes : ndarray of int32 of shape (n_rows,)
            The class of every row.
        weights : ndarray of float64 of shape (n_rows,) or None
            Weight of every row; rows of weight 0 are not used.
        classes : ndarray or None
            What the codes mean, if not the classes of the grower.
        **parameters
            Parameters in which this tree differs, such as its seed.

        Returns
        -------
        ClassificationTree
            As if fitted on these columns, rows and weights.
        """
        # A shallow copy stands for `clone`: trees do not change their parameters.
        tree = copy.copy(self._tree)
        for name, value in parameters.items():
            setattr(tree, name, value)
        tree.classes_ = self._classes if classes is None else classes
        tree.n_classes_ = len(tree.classes_)
        tree.n_features_in_ = self._table.n_columns
        if self._named:
            tree.feature_names_in_ = np.array(self._table.names, dtype=object)
        target = {"classes": codes, "n_classes": tree.n_classes_}
        tree._grow(self._table, target, weights, self._columns)
        return tree


def numeric_table(
    matrix: NDArray[np.float64], names: Sequence[str] | None = None
) -> Table:
    """Return a matrix as a table of numeric columns."""
    if names is None:
        names = [f"x{j}" for j in range(matrix.shape[1])]
    columns = tuple(
        Column(name, ColumnKind.NUMERIC, np.ascontiguousarray(matrix[:, j]))
        for j, name in enumerate(names)
    )
    return Table(columns, n_rows=len(matrix))


class MemberRows:
    """Rows for any number of trees, of which each may know some columns only.

    Parameters
    ----------
    matrix : ndarray of float64 of shape (n_rows, n_columns)
        Numbers, levels by number, NaN for unknown.
    features : sequence of TreeFeature
        The columns.
    """

    def __init__(
        self, matrix: NDArray[np.float64], features: Sequence[TreeFeature]
    ) -> None:
        self._rows = tree_rows(matrix)
        counts = [len(feature.levels or ()) for feature in features]
        self._n_levels = np.array(counts, dtype=np.int32)

    def shares(
        self, tree: Tree, columns: NDArray[np.uint32] | None = None
    ) -> NDArray[np.float64]:
        """Return the class shares of every row by one tree.

        Parameters
        ----------
        tree : Tree
            The tree.
        columns : ndarray of uint32 or None
            The columns that are its features; None for all.

        Returns
        -------
        ndarray of float64 of shape (n_rows, n_classes)
            What the leaves answer.
        """
        feature = tree.feature
        if columns is not None:
            # The last entry stands for the feature -1 of leaves.
            feature = np.append(columns.astype(np.int32), np.int32(-1))[feature]
        router = TreeRouter(
            feature,
            tree.threshold,
            tree.first_child,
            tree.n_children,
            tree.level,
            tree.weight,
            self._n_levels,
            fractional=tree.missing == "fractional",
        )
        shares: NDArray[np.float64] = router.predict(self._rows, leaf_answers(tree))
        return shares
