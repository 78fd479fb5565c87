"""Lead rows through a tree: which leaves they reach and what these answer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from featsieve._kernels import TreeRouter, TreeRows
from featsieve.data import Table, read_table
from featsieve.data._inputs import read_features
from featsieve.exceptions import DataError
from featsieve.trees._tree import Tree, TreeFeature

__all__ = [
    "check_kinds",
    "feature_matrix",
    "has_infinity",
    "leaf_answers",
    "row_matrix",
    "tree_paths",
    "tree_predict",
    "tree_router",
    "tree_rows",
]


#: Kinds of NumPy arrays that hold numbers.
NUMBERS = "biuf"


def feature_matrix(
    estimator: Any, X: Any, features: tuple[TreeFeature, ...]
) -> NDArray[np.float64]:
    """Return rows to predict as trees take them, checked against those of `fit`."""
    plain = isinstance(X, np.ndarray) and X.dtype.kind in NUMBERS
    plain = plain and not isinstance(X, np.ma.MaskedArray)  # whose mask would be lost
    if plain and X.ndim == 2 and not any(each.is_nominal for each in features):
        checked = validate_data(
            estimator, X, reset=False, dtype=np.float64, ensure_all_finite=False
        )
        if not has_infinity(checked):
            matrix: NDArray[np.float64] = checked
            return matrix
    nominal = [j for j, each in enumerate(features) if each.is_nominal]
    table = read_features(estimator, X, reset=False, nominal=nominal)
    check_kinds(table, features)
    return row_matrix(table, features)


def has_infinity(values: NDArray[np.float64]) -> bool:
    """Whether a number among the values is infinite."""
    # A finite sum spares the search.
    with np.errstate(all="ignore"):
        return not np.isfinite(values.sum()) and bool(np.isinf(values).any())


def row_matrix(table: Table, features: tuple[TreeFeature, ...]) -> NDArray[np.float64]:
    """Return rows as trees take them: numbers, levels by number, NaN for unknown.

    A level the tree has not heard of is unknown too.
    """
    matrix = np.empty((table.n_rows, len(features)), dtype=np.float64)
    for j, (column, feature) in enumerate(zip(table, features, strict=True)):
        if feature.levels is None:
            matrix[:, j] = column.values
            continue
        numbers = {level: code for code, level in enumerate(feature.levels)}
        codes = [numbers.get(str(level), np.nan) for level in column.levels]
        matrix[:, j] = np.array([*codes, np.nan])[column.values]
    return matrix


def tree_rows(matrix: NDArray[np.float64]) -> TreeRows:
    """Return rows ready to be sent down any number of trees."""
    return TreeRows(np.ascontiguousarray(matrix, dtype=np.float64))


def tree_router(tree: Tree) -> TreeRouter:
    """Return what leads rows through the tree."""
    n_levels = [len(feature.levels or ()) for feature in tree.features]
    return TreeRouter(
        tree.feature,
        tree.threshold,
        tree.first_child,
        tree.n_children,
        tree.level,
        tree.weight,
        np.array(n_levels, dtype=np.int32),
        fractional=tree.missing == "fractional",
    )


def leaf_answers(tree: Tree) -> NDArray[np.float64]:
    """Return what each node answers as a leaf: class shares, or the mean."""
    if tree.classes is None:
        return np.array(tree.value)
    empty = ~(tree.weight > 0)
    totals = np.where(empty, 1.0, tree.weight)
    answers: NDArray[np.float64] = np.array(tree.value / totals[:, np.newaxis])
    nodes = np.flatnonzero(empty)
    if not len(nodes):
        return answers
    answers[nodes] = 0
    if tree.empty == "parent_class":
        answers[nodes, tree.prediction[nodes]] = 1
        return answers
    parents = tree.parents()
    for node in nodes.tolist():  # parents come first, so theirs are settled
        answers[node] = answers[parents[node]] if node else 1 / tree.n_outputs
    return answers


def tree_paths(tree: Tree, rows: TreeRows) -> Any:
    """Return the nodes every row passes, as a sparse matrix of ones."""
    from scipy.sparse import csr_matrix  # noqa: PLC0415  (slow to import)

    starts, nodes = tree_router(tree).paths(rows)
    ones = np.ones(len(nodes), dtype=np.int64)
    return csr_matrix((ones, nodes, starts), shape=(rows.n_rows, tree.n_nodes))


def tree_predict(tree: Tree, X: Any) -> NDArray[np.float64]:
    """Return what a tree answers for every row, without the estimator that grew it.

    Parameters
    ----------
    tree : Tree
        For instance one that `tree_from_json` has read.
    X : table of shape (n_rows, n_features)
        Anything that `featsieve.data.read_table` reads. Columns are found by name if
        all names of the tree occur, in any order and among others. If none occurs there
        must be as many as the tree has features, in the same order.

    Returns
    -------
    ndarray of float64 of shape (n_rows, n_outputs)
        Class shares in the order of ``tree.classes``, or the mean in regression.

    Raises
    ------
    DataError
        If a column is missing, or holds text where the tree expects numbers.

    Examples
    --------
    >>> from featsieve.trees import C45Tree, tree_from_json, tree_predict
    >>> X = {"colour": ["red", "blue"] * 4, "size": [3, 1, 2, 4, 3, 1, 2, 4]}
    >>> text = C45Tree().fit(X, ["yes", "no"] * 4).to_json()
    >>> tree = tree_from_json(text)
    >>> tree.classes, tree_predict(tree, {"size": [9], "colour": ["red"]}).tolist()
    (('no', 'yes'), [[0.0, 1.0]])
    """
    table = read_table(X)
    names = [feature.name for feature in tree.features]
    if set(names) <= set(table.names):
        table = table.select(names)
    elif table.n_columns != len(names) or not set(names).isdisjoint(table.names):
        lost = next(name for name in names if name not in table.names)
        message = (
            f"The tree has {len(names)} features, and none of the columns of the table "
            f"({table.n_columns}) is called {lost!r}. Name the columns as in training."
        )
        raise DataError(message)
    nominal = [
        name
        for name, feature in zip(table.names, tree.features, strict=True)
        if feature.is_nominal
    ]
    table = read_table(table, nominal=nominal) if nominal else table
    check_kinds(table, tree.features)
    rows = tree_rows(row_matrix(table, tree.features))
    answers: NDArray[np.float64] = tree_router(tree).predict(rows, leaf_answers(tree))
    return answers


def check_kinds(table: Table, features: tuple[TreeFeature, ...]) -> None:
    """Raise if a column holds text where numbers were learnt from."""
    for column, feature in zip(table, features, strict=True):
        if column.is_nominal and not feature.is_nominal and not column.missing.all():
            message = (
                f"Column {column.name!r} was numeric in fit and holds text now, "
                f"such as {column.levels[0]!r}. Mark what means missing as missing."
            )
            raise DataError(message)
