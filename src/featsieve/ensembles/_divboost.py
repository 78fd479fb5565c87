"""Boosting of rows that members dispute, rather than of those that all of them miss.

After t members, of whom H⁺ are right about a row, its weight says how likely the row is
ambiguous: that right and wrong votes are equally likely and came out as they did by
chance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from featsieve._checks import check_choice
from featsieve.ensembles._base import BaseEnsemble
from featsieve.ensembles._training import Training

__all__ = ["DivBoostEnsemble"]

WEIGHTINGS = ("tail", "binomial")


def log_dispute(
    right: NDArray[np.int64], rival: NDArray[np.int64], weighting: str
) -> NDArray[np.float64]:
    """Return the logarithm of how likely rows are ambiguous.

    With t = right + rival: C(t, right) / 2^t ("binomial", equation 4.26), or the sum of
    C(t, j) / 2^t for j up to the smaller of both ("tail", 4.25). Where t is the same in
    all rows, as with two classes, the 2^t cancels when weights are normalised.
    """
    total, fewer = right + rival, np.minimum(right, rival)
    values = np.empty(len(total))
    for count in np.unique(total):
        j = np.arange(count + 1)
        logs = gammaln(count + 1) - gammaln(j + 1) - gammaln(count - j + 1)
        if weighting == "tail":
            logs = np.logaddexp.accumulate(logs)
        rows = total == count
        values[rows] = logs[fewer[rows]] - count * np.log(2)
    return values


def dispute_weights(
    right: NDArray[np.int64],
    rival: NDArray[np.int64],
    weighting: str,
    start: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return weights that sum to 1, whatever the number of members."""
    logs = log_dispute(right, rival, weighting)
    weights = np.exp(logs - logs.max())  # no overflow, however many members
    if start is not None:
        weights = weights * start
    scaled: NDArray[np.float64] = weights / weights.sum()
    return scaled


class DivBoostEnsemble(BaseEnsemble):
    """Let members vote of whom each looks at what the former dispute.

    AdaBoost gives most weight to rows that nearly all members miss, which are outliers
    as often as not. Here a row weighs most when members are split over it, and little
    when they agree, rightly or wrongly. Votes are equal.

    With more than two classes, the votes for the true class stand against those for its
    strongest rival.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What members are: any scikit-learn classifier, cloned; None for
        ``featsieve.trees.MDLTree()``. Trees of ours take nominal columns and missing
        values as they are and grow on a table that is coded once.
    n_members : int, default=100
        How many members to grow.
    weighting : {"tail", "binomial"}, default="tail"
        Weight of a row with h of t members right: the probability that t tosses of a
        coin fall as unevenly as that or more on one side (W1), or of exactly h heads
        (W2).
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
    AdaBoostEnsemble : More accurate where labels are clean.
    find_outliers : Rows that most members miss.

    Notes
    -----
    Learners that know their training rows by heart never dispute any. Take trees that
    stop in time, such as the default. Where classes hardly overlap, few rows are in
    dispute, and wrong labels may be among them. Weights are computed in logarithms, for
    any number of members.

    References
    ----------
    J. D. Rogers, S. R. Gunn, Ensemble algorithms for feature selection, 2007.

    Examples
    --------
    >>> from featsieve.datasets import make_friedman
    >>> from featsieve.ensembles import DivBoostEnsemble
    >>> X, y = make_friedman(random_state=0).table.to_pandas()
    >>> ensemble = DivBoostEnsemble(n_members=51, random_state=0).fit(X, y)
    >>> right = (ensemble.member_predict(X) == y.cat.codes.to_numpy()).sum(axis=0)
    >>> heaviest = right[ensemble.row_weights_.argmax()]
    >>> int(abs(heaviest - 25.5) + 0.5)  # members nearly split in half
    1
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_members: int = 100,
        weighting: str = "tail",
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
        self.weighting = weighting
        self.sampling = sampling
        self.early_stopping = early_stopping
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.nominal = nominal
        self.numeric = numeric

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("weighting", self.weighting, WEIGHTINGS, self)
        check_choice("sampling", self.sampling, ("resample", "reweight"), self)

    def _grow(self, training: Training) -> None:
        every = np.arange(training.n_rows)
        votes = np.zeros((training.n_rows, training.n_classes), dtype=np.int64)
        weights = training.uniform()
        for number in range(self.n_members):
            plan = training.plan_by_weights(number, weights, self.sampling)
            member = training.grow(plan)
            votes[every, member.codes] += 1
            weights = self._weigh(training, votes)
            if not training.keep(member):
                break
        training.row_weights = weights

    def _weigh(
        self, training: Training, votes: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        every = np.arange(training.n_rows)
        right = votes[every, training.codes]
        others = votes.copy()
        others[every, training.codes] = 0
        rival = others.max(axis=1)
        start = None if training.given_weights is None else training.uniform()
        return dispute_weights(right, rival, self.weighting, start)
