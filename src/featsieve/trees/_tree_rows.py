"""Rows for trees: read, checked, led to their leaves, and what these answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from featsieve._docs import SharedDocs
from featsieve._kernels import TreeRouter, TreeRows
from featsieve._types import Codes, Floats, Mask
from featsieve.data import Column, ColumnKind, Table, read_table
from featsieve.data.api import (
    leave_out_unknown,
    read_features,
    read_quantity,
    read_target,
    read_weights,
)
from featsieve.exceptions import DataError
from featsieve.trees._tree import Tree, TreeFeature

#: Kinds of NumPy arrays that hold numbers.
NUMBERS = "biuf"


def feature_matrix(estimator: Any, X: Any, features: tuple[TreeFeature, ...]) -> Floats:
    """Return rows to predict as trees take them, checked against those of `fit`."""
    plain = isinstance(X, np.ndarray) and X.dtype.kind in NUMBERS
    plain = plain and not isinstance(X, np.ma.MaskedArray)  # whose mask would be lost
    if plain and X.ndim == 2 and not any(each.is_nominal for each in features):
        checked = validate_data(
            estimator, X, reset=False, dtype=np.float64, ensure_all_finite=False
        )
        if not has_infinity(checked):
            return checked
    nominal = [j for j, each in enumerate(features) if each.is_nominal]
    table = read_features(estimator, X, reset=False, nominal=nominal)
    check_kinds(table, features)
    return row_matrix(table, features)


def has_infinity(values: Floats) -> bool:
    """Whether a number among the values is infinite."""
    # A finite sum spares the search.
    with np.errstate(all="ignore"):
        return not np.isfinite(values.sum()) and bool(np.isinf(values).any())


def row_matrix(table: Table, features: tuple[TreeFeature, ...]) -> Floats:
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


def tree_rows(matrix: Floats) -> TreeRows:
    """Return rows ready to be sent down any number of trees."""
    return TreeRows(np.ascontiguousarray(matrix, dtype=np.float64))


def level_counts(features: Sequence[TreeFeature]) -> Codes:
    """Return how many levels each column has, 0 if it is numeric."""
    return np.array([len(each.levels or ()) for each in features], dtype=np.int32)


def tree_router(
    tree: Tree, feature: Codes | None = None, n_levels: Codes | None = None
) -> TreeRouter:
    """Return what leads rows through the tree.

    For rows of other columns than its own: the column each node tests, and their
    numbers of levels.
    """
    return TreeRouter(
        tree.feature if feature is None else feature,
        tree.threshold,
        tree.first_child,
        tree.n_children,
        tree.level,
        tree.weight,
        level_counts(tree.features) if n_levels is None else n_levels,
        fractional=tree.missing == "fractional",
    )


def leaf_answers(tree: Tree) -> Floats:
    """Return what each node answers as a leaf: class shares, or the mean."""
    if tree.classes is None:
        return np.array(tree.value)
    empty = ~(tree.weight > 0)
    totals = np.where(empty, 1.0, tree.weight)
    answers: Floats = np.array(tree.value / totals[:, np.newaxis])
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


def tree_predict(tree: Tree, X: Any) -> Floats:
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
    >>> from featsieve.trees import C45Classifier, tree_from_json, tree_predict
    >>> X = {"colour": ["red", "blue"] * 4, "size": [3, 1, 2, 4, 3, 1, 2, 4]}
    >>> text = C45Classifier().fit(X, ["yes", "no"] * 4).to_json()
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
        raise DataError(
            f"The tree has {len(names)} features, and none of the columns of the table "
            f"({table.n_columns}) is called {lost!r}. Name the columns as in training."
        )
    nominal = [
        name
        for name, feature in zip(table.names, tree.features, strict=True)
        if feature.is_nominal
    ]
    table = read_table(table, nominal=nominal) if nominal else table
    check_kinds(table, tree.features)
    rows = tree_rows(row_matrix(table, tree.features))
    return tree_router(tree).predict(rows, leaf_answers(tree))


def check_kinds(table: Table, features: tuple[TreeFeature, ...]) -> None:
    """Raise if a column holds text where numbers were learnt from."""
    for column, feature in zip(table, features, strict=True):
        if column.is_nominal and not feature.is_nominal and not column.missing.all():
            raise DataError(
                f"Column {column.name!r} was numeric in fit and holds text now, "
                f"such as {column.levels[0]!r}. Mark what means missing as missing."
            )


#: Squares of numbers beyond would overflow or vanish.
LARGEST_TARGET = 1e140
SMALLEST_SPREAD = 1e-140


class TypedInput(SharedDocs, BaseEstimator):
    """Base of estimators that take nominal columns and missing values as they are.

    Parameters
    ----------
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Features, by name or position, whose kind is not the one of their type.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def read_training(
    estimator: Any, X: Any, y: Any, sample_weight: Any, **kinds: Any
) -> tuple[Table, dict[str, Any], Floats | None, Mask]:
    """Return columns, target and weights of the rows to learn from, and a mask of them.

    Kinds of columns are those of the estimator unless given. The target is what
    `estimator._read_target` makes of it: arguments of the grower. Rows without a target
    are left out with a warning, rows of weight 0 without one.
    """
    kinds = kinds or {"nominal": estimator.nominal, "numeric": estimator.numeric}
    as_typed = all(kind is None for kind in kinds.values())
    table = _plain_table(estimator, X) if as_typed else None
    if table is None:
        table = read_features(estimator, X, reset=True, **kinds)
    if isinstance(X, Table) and y is None:
        y = X.target
    weights = read_weights(sample_weight, table.n_rows)
    target, rows = estimator._read_target(y, table)
    used = np.ones(table.n_rows, dtype=np.bool_) if rows is None else rows.copy()
    table, weights = leave_out_unknown(table, weights, rows)
    if weights is not None and not weights.all():
        some = weights > 0
        used[used] = some
        table, weights = table.take(some), weights[some]
        target = {
            name: np.ascontiguousarray(values[some])
            if isinstance(values, np.ndarray)
            else values
            for name, values in target.items()
        }
    if table.n_rows == 0:
        raise DataError(
            "sample_weight is zero in every row that has a target. Give weight to "
            "some of these rows, or leave sample_weight out."
        )
    return table, target, weights, used


def _plain_table(estimator: Any, X: Any) -> Table | None:
    """Return an array of fractional numbers as columns; None if it is none.

    The same as `read_features` gives, without a look at what may be wrong: of arrays
    of many columns that would take a quarter of the time a forest does.
    """
    if not (isinstance(X, np.ndarray) and X.dtype.kind == "f" and X.ndim == 2):
        return None
    if isinstance(X, np.ma.MaskedArray) or not X.size or has_infinity(X):
        return None
    checked = validate_data(estimator, X, dtype=np.float64, ensure_all_finite=False)
    values = np.array(checked.T, order="C")  # a copy, whatever the order is
    return Table(
        tuple(Column(f"x{j}", ColumnKind.NUMERIC, own) for j, own in enumerate(values))
    )


def read_classes(estimator: Any, y: Any, n_rows: int) -> tuple[dict[str, Any], Any]:
    """Return classes for the grower and the rows that have one; keeps their labels."""
    target = read_target(estimator, y, n_rows)
    estimator.classes_ = np.array(target.classes)
    estimator.n_classes_ = target.n_classes
    return {"classes": target.codes, "n_classes": target.n_classes}, target.rows


def read_numbers(estimator: Any, y: Any, n_rows: int) -> tuple[dict[str, Any], Any]:
    """Return numbers for the grower, checked, and the rows that have one."""
    numbers, rows = read_quantity(estimator, y, n_rows)
    size = float(np.abs(numbers).max())
    spread = float(numbers.max() / 2 - numbers.min() / 2) * 2
    if size > LARGEST_TARGET or 0 < spread < SMALLEST_SPREAD:
        raise DataError(
            f"The target of {type(estimator).__name__} must stay within "
            f"±{LARGEST_TARGET:g} and spread over at least {SMALLEST_SPREAD:g}, "
            f"for its squares. Got values from {numbers.min():g} to "
            f"{numbers.max():g}. Scale the target."
        )
    return {"numbers": numbers}, rows
