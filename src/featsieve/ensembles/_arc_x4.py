"""Boosting by how often a row was missed, without weights of votes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._checks import check_choice
from featsieve.ensembles._base import BaseEnsemble
from featsieve.ensembles._training import Training

__all__ = ["ArcX4Ensemble"]


def arc_weights(misses: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return 1 + m⁴ for rows that m members have missed; not normalised."""
    return 1.0 + misses.astype(np.float64) ** 4


class ArcX4Ensemble(BaseEnsemble):
    """Let members vote of whom each looks at what the former missed.

    A row that m of the members so far get wrong weighs 1 + m⁴ for the next one; all
    votes are equal.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What members are: any scikit-learn classifier, cloned; None for
        ``featsieve.trees.MDLTree()``. Trees of ours take nominal columns and missing
        values as they are and grow on a table that is coded once.
    n_members : int, default=100
        How many members to grow.
    sampling : {"resample", "reweight"}, default="resample"
        Draw a bag of rows by their weights for every member, or give the weights to the
        learner.
    early_stopping : int or None, default=None
        Stop when so many members have not lowered the error out of bag, and keep those
        up to the lowest; None grows all.
    random_state : int, RandomState or None, default=None
        Seed of everything drawn. The same seed gives the same members, whatever
        `n_jobs`.
    n_jobs : int or None, default=None
        Rows that are predicted at a time; members are grown one after another.
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
    row_weights_ : ndarray of shape (n_rows,)
        Weights of the rows after the last member, summing to 1.

    See Also
    --------
    AdaBoostEnsemble : Weights from accuracies.
    DivBoostEnsemble : Weights for rows in dispute, not for those that all miss.

    References
    ----------
    L. Breiman, Arcing classifiers, Annals of Statistics 26, 1998.

    Examples
    --------
    >>> from featsieve.datasets import make_friedman
    >>> from featsieve.ensembles import ArcX4Ensemble
    >>> X, y = make_friedman(random_state=0).table.to_pandas()
    >>> ensemble = ArcX4Ensemble(n_members=20, random_state=0).fit(X, y)
    >>> misses = (ensemble.member_predict(X) != y.cat.codes.to_numpy()).sum(axis=0)
    >>> bool(ensemble.row_weights_[misses.argmax()] == ensemble.row_weights_.max())
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_members: int = 100,
        sampling: str = "resample",
        early_stopping: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Any = None,
        nominal: Any = None,
        numeric: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_members = n_members
        self.sampling = sampling
        self.early_stopping = early_stopping
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.nominal = nominal
        self.numeric = numeric

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("sampling", self.sampling, ("resample", "reweight"), self)

    def _grow(self, training: Training) -> None:
        misses = np.zeros(training.n_rows, dtype=np.int64)
        for number in range(self.n_members):
            weights = training.uniform() * arc_weights(misses)
            plan = training.plan_by_weights(number, weights, self.sampling)
            member = training.grow(plan)
            misses += member.codes != training.codes
            if not training.keep(member):
                break
        training.row_weights = training.uniform() * arc_weights(misses)
