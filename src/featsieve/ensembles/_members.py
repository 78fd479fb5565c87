"""Grow single members and ask them: our own trees directly, other learners by `fit`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from featsieve._types import Array, Codes, Floats, Ints
from featsieve.data import Table
from featsieve.exceptions import DataError
from featsieve.trees import TreeFeature
from featsieve.trees.api import (
    ClassificationTree,
    MemberRows,
    TreeGrower,
    numeric_table,
)

Columns = NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class MemberPlan:
    """What makes one member differ from the others; its seed is made of its number."""

    number: int
    bag: Ints | None = None  # how often each row is in its bag
    weights: Floats | None = None  # of the rows, where no bag is drawn
    columns: Columns | None = None  # those it sees; None for all
    matrix: Floats | None = None  # what it sees instead of the table
    codes: Codes | None = None  # what it has to learn, 0 or 1, instead of the class


@dataclass(eq=False)
class ForeignRows:
    """Rows for other learners: an array, or a frame if there are nominal columns."""

    matrix: Floats
    features: tuple[TreeFeature, ...]
    n_classes: int

    def __post_init__(self) -> None:
        self.values: Any = self.matrix
        if any(feature.is_nominal for feature in self.features):
            self.values = _frame(self.matrix, self.features)

    def take(self, rows: Array | None, columns: Columns | None) -> Any:
        """Return some rows and columns; None for all."""
        values = self.values
        if columns is not None:
            values = getattr(values, "iloc", values)[:, columns]
        return values if rows is None else getattr(values, "iloc", values)[rows]

    def codes(self, member: Any, columns: Columns | None) -> Codes:
        """Return the class that a member predicts."""
        return np.asarray(member.predict(self.take(None, columns)), dtype=np.int32)

    def shares(self, member: Any, columns: Columns | None) -> Floats:
        """Return the class shares; a class that a bag lacked has none."""
        given = member.predict_proba(self.take(None, columns))
        shares = np.zeros((len(given), self.n_classes))
        shares[:, np.asarray(member.classes_, dtype=np.intp)] = given
        return shares

    def hard_column(self) -> str | None:
        """Say which column a learner may not be able to take, None if there is none."""
        for j, feature in enumerate(self.features):
            if feature.is_nominal:
                return f"column {feature.name!r} is nominal"
            if np.isnan(self.matrix[:, j]).any():
                return f"column {feature.name!r} has missing values"
        return None


Rows = MemberRows | ForeignRows
"""Rows that members are asked about."""


def _frame(matrix: Floats, features: tuple[TreeFeature, ...]) -> Any:
    """Return rows as a pandas frame, nominal columns as categoricals."""
    try:
        import pandas as pd  # noqa: PLC0415  (optional)
    except ImportError:
        raise ImportError(
            "Nominal columns reach learners other than our trees as a pandas frame, "
            "and pandas is not installed. Say `pip install featsieve[pandas]`."
        ) from None
    columns = {}
    for j, feature in enumerate(features):
        values: Any = matrix[:, j]
        if feature.levels is not None:
            codes = np.where(np.isnan(values), -1, values).astype(np.int32)
            values = pd.Categorical.from_codes(codes, list(feature.levels))
        columns[feature.name] = values
    return pd.DataFrame(columns)


class Learner(ABC):
    """Grows members on training rows."""

    #: Whether what it works on stays in this process.
    shared_memory: bool

    def __init__(self, estimator: Any, rows: Rows, n_classes: int) -> None:
        self._estimator, self._rows, self._n_classes = estimator, rows, n_classes

    @abstractmethod
    def fit(self, plan: MemberPlan, codes: Codes, seed: int) -> Any:
        """Return a new member."""

    def rows_of(self, plan: MemberPlan) -> Rows:
        """Return the training rows as a member of this plan sees them."""
        if plan.matrix is None:
            return self._rows
        return make_rows(self._estimator, plan.matrix, (), self._n_classes)


class TreeLearner(Learner):
    """Grows trees of ours on columns that are coded once."""

    shared_memory = True

    def __init__(self, rows: Rows, grower: TreeGrower) -> None:
        super().__init__(grower.tree, rows, len(grower.classes))
        self._grower = grower
        self._seeded = "random_state" in grower.tree.get_params(deep=False)

    def fit(self, plan: MemberPlan, codes: Codes, seed: int) -> Any:
        """Return a grown tree."""
        grower = self._grower
        if plan.matrix is not None:
            table = numeric_table(plan.matrix)
            grower = TreeGrower(grower.tree, table, grower.classes)
        elif plan.columns is not None:
            grower = grower.select(plan.columns)
        weights = plan.weights if plan.bag is None else plan.bag.astype(np.float64)
        seeded: dict[str, Any] = {"random_state": seed} if self._seeded else {}
        if plan.codes is None:
            return grower.grow(codes, weights, **seeded)
        return grower.grow(plan.codes, weights, np.array([0, 1]), **seeded)


class ForeignLearner(Learner):
    """Fits clones of any classifier; they learn the positions of the classes."""

    shared_memory = False
    _rows: ForeignRows

    def fit(self, plan: MemberPlan, codes: Codes, seed: int) -> Any:
        """Return a fitted clone."""
        member = clone(self._estimator)
        names = member.get_params(deep=True)
        seeds = [n for n in names if n.rpartition("__")[2] == "random_state"]
        member.set_params(**dict.fromkeys(seeds, seed % 2**31))
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
        name = type(self._estimator).__name__
        if plan.weights is not None:
            if not has_fit_parameter(self._estimator, "sample_weight"):
                raise DataError(
                    f"{name}.fit takes no sample_weight, so its rows cannot be "
                    "weighted. Let rows be drawn by weight instead "
                    "(sampling='resample' in boosting, bootstrap=True elsewhere)."
                )
            options["sample_weight"] = plan.weights
        try:
            return member.fit(values, own, **options)
        except (TypeError, ValueError) as error:
            trouble = self._rows.hard_column()
            if trouble is None:  # what our trees would not take either
                raise
            raise DataError(
                f"{name} cannot learn from this table, in which {trouble} "
                f"({str(error).splitlines()[0][:200]}). Prepare the columns in a "
                "Pipeline around the learner, or use a tree of featsieve.trees, which "
                "takes them as they are."
            ) from error


def make_rows(
    estimator: Any, matrix: Floats, features: tuple[TreeFeature, ...], n_classes: int
) -> Rows:
    """Return rows that members can be asked about, numeric ones without `features`."""
    if isinstance(estimator, ClassificationTree):
        return MemberRows(matrix, features or (TreeFeature("x"),) * matrix.shape[1])
    return ForeignRows(matrix, features, n_classes)


def make_learner(
    estimator: Any, table: Table, rows: Rows, classes: Array, *, named: bool
) -> Learner:
    """Return what grows members; `named` columns have names of their own."""
    if isinstance(rows, MemberRows):
        return TreeLearner(rows, TreeGrower(estimator, table, classes, named=named))
    return ForeignLearner(estimator, rows, len(classes))
