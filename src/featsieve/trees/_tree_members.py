"""Trees as members of an ensemble: many of one kind, on a table that is coded once."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._kernels import TreeColumns
from featsieve._types import Array, Codes, Floats
from featsieve.data import Column, ColumnKind, Table
from featsieve.data.api import tree_columns
from featsieve.trees._base import ClassificationTree
from featsieve.trees._tree import Tree, TreeFeature
from featsieve.trees._tree_rows import (
    leaf_answers,
    level_counts,
    tree_router,
    tree_rows,
)


class TreeGrower:
    """Grows classification trees on rows that are read, checked and coded once.

    All rows have one of the `classes`; `named` trees know the names of the columns, as
    `fit` does of a frame.
    """

    def __init__(
        self,
        tree: ClassificationTree,
        table: Table,
        classes: Array,
        *,
        named: bool = False,
    ) -> None:
        tree._check_parameters()
        self.tree, self.classes = tree, classes
        self._table, self._named = table, named
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
        codes: Codes,
        weights: Floats | None,
        classes: Array | None = None,
        **parameters: Any,
    ) -> ClassificationTree:
        """Return a new tree, as if fitted on these columns, rows and weights.

        `codes` are of `classes`, if not of those of the grower; rows of weight 0 are
        not used; `parameters` are those in which this tree differs, such as its seed.
        """
        # A shallow copy stands for `clone`: trees do not change their parameters.
        tree = copy.copy(self.tree)
        for name, value in parameters.items():
            setattr(tree, name, value)
        tree.classes_ = self.classes if classes is None else classes
        tree.n_classes_ = len(tree.classes_)
        tree.n_features_in_ = self._table.n_columns
        if self._named:
            tree.feature_names_in_ = np.array(self._table.names, dtype=object)
        target = {"classes": codes, "n_classes": tree.n_classes_}
        tree._grow(self._table, target, weights, self._columns)
        return tree


def numeric_table(matrix: Floats, names: Sequence[str] | None = None) -> Table:
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

    `matrix` holds numbers, levels by number, and NaN for unknown.
    """

    def __init__(self, matrix: Floats, features: Sequence[TreeFeature]) -> None:
        self._rows = tree_rows(matrix)
        self._n_levels = level_counts(features)

    def shares(self, member: Any, columns: NDArray[np.uint32] | None = None) -> Floats:
        """Return the class shares of every row by a tree that knows these columns."""
        tree: Tree = member.tree_
        feature = tree.feature
        if columns is not None:
            # The last entry stands for the feature -1 of leaves.
            feature = np.append(columns.astype(np.int32), np.int32(-1))[feature]
        router = tree_router(tree, feature, self._n_levels)
        return router.predict(self._rows, leaf_answers(tree))

    def codes(self, member: Any, columns: NDArray[np.uint32] | None = None) -> Codes:
        """Return the most probable class, the first of equals."""
        return self.shares(member, columns).argmax(axis=1).astype(np.int32)
