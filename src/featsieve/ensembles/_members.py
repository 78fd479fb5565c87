"""Grow single members and ask them: our own trees directly, other learners by `fit`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from featsieve.data import Table
from featsieve.exceptions import DataError
from featsieve.trees import TreeFeature
from featsieve.trees._base import ClassificationTree
from featsieve.trees._members import MemberRows, TreeGrower, numeric_table

__all__ = ["Learner", "MemberPlan", "Rows", "make_learner", "make_rows"]

Matrix = NDArray[np.float64]
Columns = NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class MemberPlan:
    """What makes one member differ from the others.

    Parameters
    ----------
    number : int
        Which member it is; its seed is made of that.
    bag : ndarray of int64 of shape (n_rows,) or None
        How often each row is in the member's bag; 0 is out of bag.
    weights : ndarray of float64 of shape (n_rows,) or None
        Weights of the rows, where no bag is drawn.
    columns : ndarray of uint32 or None
        The columns that the member sees; None for all.
    matrix : ndarray of float64 of shape (n_rows, n_columns) or None
        What the member sees instead of the table.
    codes : ndarray of int32 of shape (n_rows,) or None
        What the member has to learn, 0 or 1, instead of the class.
    """

    number: int
    bag: NDArray[np.int64] | None = None
    weights: Matrix | None = None
    columns: Columns | None = None
    matrix: Matrix | None = None
    codes: NDArray[np.int32] | None = None


class Rows(Protocol):
    """Rows that members are asked about."""

    def codes(self, member: Any, columns: Columns | None) -> NDArray[np.int32]:
        """Return the class that a member predicts, by position."""

    def shares(self, member: Any, columns: Columns | None) -> Matrix:
        """Return the class shares that a member predicts."""


class Learner(Protocol):
    """Grows members on training rows."""

    #: Whether tasks have to stay in this process.
    shared_memory: bool

    def rows_of(self, plan: MemberPlan) -> Rows:
        """Return the training rows as a member of this plan sees them."""

    def fit(self, plan: MemberPlan, codes: NDArray[np.int32], seed: int) -> Any:
        """Return a fitted member."""


class TreeRows:
    """Rows for trees of ours."""

    def __init__(self, matrix: Matrix, features: tuple[TreeFeature, ...]) -> None:
        self._rows = MemberRows(matrix, features)

    def codes(self, member: Any, columns: Columns | None) -> NDArray[np.int32]:
        """Return the most probable class, the first of equals."""
        codes = self.shares(member, columns).argmax(axis=1)
        return np.asarray(codes, dtype=np.int32)

    def shares(self, member: Any, columns: Columns | None) -> Matrix:
        """Return the class shares of the leaves."""
        return self._rows.shares(member.tree_, columns)


def numeric_rows(matrix: Matrix) -> TreeRows:
    """Return rows of numbers for trees of ours."""
    return TreeRows(matrix, (TreeFeature("x"),) * matrix.shape[1])


class ForeignRows:
    """Rows for other learners: an array, or a frame if there are nominal columns."""

    def __init__(
        self, matrix: Matrix, features: tuple[TreeFeature, ...], n_classes: int
    ) -> None:
        self._matrix = matrix
        self._features = features
        self._n_classes = n_classes

    @cached_property
    def values(self) -> Any:
        """The rows as other learners take them."""
        if not any(feature.is_nominal for feature in self._features):
            return self._matrix
        return _frame(self._matrix, self._features)

    def take(self, rows: NDArray[Any] | None, columns: Columns | None) -> Any:
        """Return some rows and columns; None for all."""
        values = self.values
        if hasattr(values, "iloc"):
            values = values if columns is None else values.iloc[:, columns]
            return values if rows is None else values.iloc[rows]
        values = values if columns is None else values[:, columns]
        return values if rows is None else values[rows]

    def codes(self, member: Any, columns: Columns | None) -> NDArray[np.int32]:
        """Return the class that a member predicts."""
        return np.asarray(member.predict(self.take(None, columns)), dtype=np.int32)

    def shares(self, member: Any, columns: Columns | None) -> Matrix:
        """Return the class shares; a class that a bag lacked has none."""
        given = member.predict_proba(self.take(None, columns))
        shares = np.zeros((len(given), self._n_classes))
        shares[:, np.asarray(member.classes_, dtype=np.intp)] = given
        return shares


def _frame(matrix: Matrix, features: tuple[TreeFeature, ...]) -> Any:
    """Return rows as a pandas frame, nominal columns as categoricals."""
    try:
        import pandas as pd  # noqa: PLC0415  (optional)
    except ImportError:
        message = (
            "Nominal columns reach learners other than our trees as a pandas frame, "
            "and pandas is not installed. Say `pip install featsieve[pandas]`."
        )
        raise ImportError(message) from None
    columns = {}
    for j, feature in enumerate(features):
        values: Any = matrix[:, j]
        if feature.levels is not None:
            codes = np.where(np.isnan(values), -1, values).astype(np.int32)
            values = pd.Categorical.from_codes(codes, list(feature.levels))
        columns[feature.name] = values
    return pd.DataFrame(columns)


class TreeLearner:
    """Grows trees of ours on columns that are coded once."""

    shared_memory = True  # the coded columns do not leave the process

    def __init__(
        self, tree: ClassificationTree, grower: TreeGrower, classes: Any, rows: TreeRows
    ) -> None:
        self._tree = tree
        self._classes = classes
        self._grower = grower
        self._seeded = "random_state" in tree.get_params(deep=False)
        self._rows = rows

    def rows_of(self, plan: MemberPlan) -> Rows:
        """Return the training rows as a member of this plan sees them."""
        return self._rows if plan.matrix is None else numeric_rows(plan.matrix)

    def fit(self, plan: MemberPlan, codes: NDArray[np.int32], seed: int) -> Any:
        """Return a grown tree."""
        grower = self._grower
        if plan.matrix is not None:
            grower = TreeGrower(self._tree, numeric_table(plan.matrix), self._classes)
        elif plan.columns is not None:
            grower = grower.select(plan.columns)
        weights = plan.weights if plan.bag is None else plan.bag.astype(np.float64)
        seeded: dict[str, Any] = {"random_state": seed} if self._seeded else {}
        if plan.codes is None:
            return grower.grow(codes, weights, **seeded)
        return grower.grow(plan.codes, weights, np.array([0, 1]), **seeded)


class ForeignLearner:
    """Fits clones of any classifier; they learn the positions of the classes."""

    shared_memory = False

    def __init__(self, estimator: Any, rows: ForeignRows, n_classes: int) -> None:
        self._estimator = estimator
        self._n_classes = n_classes
        self._rows = rows
        names = estimator.get_params(deep=True)
        self._seeds = [
            name
            for name in sorted(names)
            if name == "random_state" or name.endswith("__random_state")
        ]

    def rows_of(self, plan: MemberPlan) -> Rows:
        """Return the training rows as a member of this plan sees them."""
        if plan.matrix is None:
            return self._rows
        return ForeignRows(plan.matrix, (), self._n_classes)

    def fit(self, plan: MemberPlan, codes: NDArray[np.int32], seed: int) -> Any:
        """Return a fitted clone."""
        member = clone(self._estimator)
        if self._seeds:
            member.set_params(**dict.fromkeys(self._seeds, seed % 2**31))
        target = codes if plan.codes is None else plan.codes
        rows = None if plan.bag is None else np.repeat(np.arange(len(codes)), plan.bag)
        if plan.matrix is None:
            values = self._rows.take(rows, plan.columns)
        else:
            values = plan.matrix if rows is None else plan.matrix[rows]
        own = target if rows is None else target[rows]
        if (own == own[0]).all():  # many learners refuse a single class
            from sklearn.dummy import DummyClassifier  # noqa: PLC0415  (slow to import)

            return DummyClassifier(strategy="most_frequent").fit(values, own)
        options = {}
        if plan.weights is not None:
            self._check_takes_weights()
            options["sample_weight"] = plan.weights
        try:
            return member.fit(values, own, **options)
        except (TypeError, ValueError) as error:
            self._explain(error)
            raise

    def _check_takes_weights(self) -> None:
        if not has_fit_parameter(self._estimator, "sample_weight"):
            message = (
                f"{type(self._estimator).__name__}.fit takes no sample_weight, so its "
                "rows cannot be weighted. Let rows be drawn by weight instead "
                "(sampling='resample' in boosting, bootstrap=True elsewhere)."
            )
            raise DataError(message)

    def _explain(self, error: Exception) -> None:
        """Raise what to do, if the learner failed on what our trees would take."""
        trouble = _hard_column(self._rows)
        if trouble is None:
            return
        message = (
            f"{type(self._estimator).__name__} cannot learn from this table, in which "
            f"{trouble} ({str(error).splitlines()[0][:200]}). Prepare the columns in a "
            "Pipeline around the learner, or use a tree of featsieve.trees, which "
            "takes them as they are."
        )
        raise DataError(message) from error


def _hard_column(rows: ForeignRows) -> str | None:
    """Say which column a learner may not be able to take, None if there is none."""
    for j, feature in enumerate(rows._features):
        if feature.is_nominal:
            return f"column {feature.name!r} is nominal"
        if np.isnan(rows._matrix[:, j]).any():
            return f"column {feature.name!r} has missing values"
    return None


def make_rows(
    estimator: Any, matrix: Matrix, features: tuple[TreeFeature, ...], n_classes: int
) -> Rows:
    """Return rows that members of this kind can be asked about.

    Without features, all columns are numeric.
    """
    if isinstance(estimator, ClassificationTree):
        return TreeRows(matrix, features) if features else numeric_rows(matrix)
    return ForeignRows(matrix, features, n_classes)


def make_learner(
    estimator: Any, table: Table, rows: Rows, classes: NDArray[Any], *, named: bool
) -> Learner:
    """Return what grows members of this kind on the table.

    `named` says whether the columns of the table have names of their own.
    """
    if isinstance(estimator, ClassificationTree):
        assert isinstance(rows, TreeRows)
        grower = TreeGrower(estimator, table, classes, named=named)
        return TreeLearner(estimator, grower, classes, rows)
    assert isinstance(rows, ForeignRows)
    return ForeignLearner(estimator, rows, len(classes))
