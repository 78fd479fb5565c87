"""Members that see different samples of the rows."""

from __future__ import annotations

from typing import Any

from featsieve.ensembles._base import BaseEnsemble
from featsieve.ensembles._members import MemberPlan
from featsieve.ensembles._training import Training

__all__ = ["BaggingEnsemble"]


class BaggingEnsemble(BaseEnsemble):
    """Let members vote that were each grown on a bootstrap sample.

    As many rows as there are, drawn with replacement, are a bag; about a third of the
    rows are left out of it and tell the error without a test set.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What members are: any scikit-learn classifier, cloned; None for
        ``featsieve.trees.MDLTree()``. Trees of ours take nominal columns and missing
        values as they are and grow on a table that is coded once.
    n_members : int, default=100
        How many members to grow.
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

    See Also
    --------
    RandomSubspaceEnsemble : Members that see different columns too.
    RandomRotationEnsemble : Members that see the columns from different angles.

    References
    ----------
    L. Breiman, Bagging predictors, Machine Learning 24, 1996.

    Examples
    --------
    >>> from featsieve.datasets import make_friedman
    >>> from featsieve.ensembles import BaggingEnsemble
    >>> X, y = make_friedman(n_rows=300, random_state=0).table.to_pandas()
    >>> bagging = BaggingEnsemble(n_members=50, random_state=0).fit(X[:200], y[:200])
    >>> single = bagging.members_[0]
    >>> bagging.score(X[200:], y[200:]) > single.score(X[200:], y[200:])
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_members: int = 100,
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
        self.vote = vote
        self.early_stopping = early_stopping
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.nominal = nominal
        self.numeric = numeric

    def _grow(self, training: Training) -> None:
        training.grow_all(
            MemberPlan(number, bag=training.draw_bag(number))
            for number in range(self.n_members)
        )
