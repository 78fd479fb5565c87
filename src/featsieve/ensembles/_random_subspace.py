"""Members that see different columns."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from featsieve._checks import check_flag, check_integer, check_real
from featsieve.ensembles._base import BaseEnsemble
from featsieve.ensembles._members import Columns, MemberPlan
from featsieve.ensembles._training import Training

__all__ = ["RandomSubspaceEnsemble"]


class RandomSubspaceEnsemble(BaseEnsemble):
    """Let members vote that each see a random half of the columns.

    A member whose columns lack the strong features has to find out what the weak ones
    tell. ``members_features_`` says which columns each member sees.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What members are: any scikit-learn classifier, cloned; None for
        ``featsieve.trees.MDLTree()``. Trees of ours take nominal columns and missing
        values as they are and grow on a table that is coded once.
    n_members : int, default=100
        How many members to grow.
    max_features : int or float, default=0.5
        Columns per member, or their share of all, which is two columns at least where
        there are two: what matters only together would be lost on single ones.
    bootstrap : bool, default=True
        Draw a bag of rows for every member; else all see all rows, and none is out of
        bag.
    vote : {"majority", "accuracy", "probability"}, default="majority"
        One vote each; votes that count as much as the member is accurate out of bag; or
        the mean of the members' class shares.
    early_stopping : int or None, default=None
        Stop when so many members have not lowered the error out of bag, and keep those
        up to the lowest; None grows all.
    random_state : int, RandomState or None, default=None
        Seed of everything drawn. The same seed gives the same members, whatever
        `n_jobs`.
    n_jobs : int or None, default=None
        Members that are grown at a time, and rows that are predicted at a time.
    progress : callable or None, default=None
        Called as ``progress(grown, n_members)`` whenever a member has been grown.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Features, by name or position, whose kind is not the one of their type.

    Attributes
    ----------
    members_ : list of classifiers
        The members. Trees of ours know the class labels; other learners have learnt the
        positions of the classes in ``classes_``.
    members_votes_ : ndarray of shape (n_members,)
        How much each vote counts.
    members_features_ : list of ndarray
        The columns that each member sees.
    n_members_ : int
        How many members were kept.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    oob_error_ : float
        Error of votes by members that did not see the row; NaN without such votes.
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
        Shares of such votes; NaN for rows that every member has seen.

    References
    ----------
    T. K. Ho, The random subspace method for constructing decision forests, IEEE
    Transactions on Pattern Analysis and Machine Intelligence 20, 1998.

    Examples
    --------
    >>> from featsieve.datasets import make_friedman
    >>> from featsieve.ensembles import RandomSubspaceEnsemble
    >>> X, y = make_friedman(random_state=0).table.to_pandas()
    >>> subspace = RandomSubspaceEnsemble(n_members=20, random_state=0).fit(X, y)
    >>> [len(columns) for columns in subspace.members_features_[:3]]
    [5, 5, 5]
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_members: int = 100,
        max_features: int | float = 0.5,
        bootstrap: bool = True,
        vote: str = "majority",
        early_stopping: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Any = None,
        nominal: Any = None,
        numeric: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_members = n_members
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.vote = vote
        self.early_stopping = early_stopping
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.nominal = nominal
        self.numeric = numeric

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_flag("bootstrap", self.bootstrap, self)
        if isinstance(self.max_features, numbers.Integral):
            check_integer("max_features", self.max_features, self, at_least=1)
        else:
            check_real("max_features", self.max_features, self, above=0, most=1)

    def _grow(self, training: Training) -> None:
        training.grow_all(
            MemberPlan(
                number,
                bag=training.draw_bag(number) if self.bootstrap else None,
                weights=None if self.bootstrap else training.given_weights,
                columns=self._draw_columns(training, number),
            )
            for number in range(self.n_members)
        )

    def _draw_columns(self, training: Training, number: int) -> Columns:
        n_columns = self.n_features_in_
        if isinstance(self.max_features, numbers.Integral):
            count = min(int(self.max_features), n_columns)
        else:
            count = min(max(2, int(self.max_features * n_columns)), n_columns)
        generator = training.generator("columns", number)
        drawn = generator.choice(n_columns, count, replace=False)
        return np.sort(drawn).astype(np.uint32)
