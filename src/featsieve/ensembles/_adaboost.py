"""Boosting of rows that members get wrong, and of votes that are often right."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._checks import check_choice
from featsieve.ensembles._base import BaseEnsemble
from featsieve.ensembles._members import Rows
from featsieve.ensembles._training import GrownMember, Training

__all__ = ["AdaBoostEnsemble"]

#: Errors are taken to be at least this far from 0 and 1, so that votes stay finite.
LEAST_ERROR = 1e-10


def vote_of_edge(edge: float, n_classes: int = 2) -> float:
    """Return α = ½ log((1 + r) / (1 − r)), plus ½ log(K − 1) for K classes (SAMME).

    The edge r = Σ w y h = 1 − 2 ε is the weight a member gets right less the weight it
    gets wrong.
    """
    error = min(max((1 - edge) / 2, LEAST_ERROR), 1 - LEAST_ERROR)
    return 0.5 * (math.log((1 - error) / error) + math.log(max(n_classes, 2) - 1))


def boost(
    weights: NDArray[np.float64], wrong: NDArray[np.bool_], vote: float
) -> tuple[NDArray[np.float64], float]:
    """Return w · e^{−α y h}, scaled to sum 1, and the sum Z before scaling."""
    raised = weights * np.where(wrong, math.exp(vote), math.exp(-vote))
    total = float(raised.sum())
    return raised / total, total


class AdaBoostEnsemble(BaseEnsemble):
    """Let members vote of whom each looks at what the former got wrong.

    After every member the weights of the rows it gets wrong are raised, and its vote
    counts α = ½ log((1 − ε) / ε) for an error ε under the weights it was grown by. A
    member that is no better than chance (ε ≥ ½ for two classes) is dropped and ends the
    boosting; on noisy data that may be soon. If already the first one is, it stays
    alone.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What members are: any scikit-learn classifier, cloned; None for
        ``featsieve.trees.MDLTree()``. Trees of ours take nominal columns and missing
        values as they are and grow on a table that is coded once.
    n_members : int, default=100
        How many members to grow.
    algorithm : {"samme", "one_versus_rest"}, default="samme"
        For more than two classes: members that tell all classes, whose votes get
        ½ log(K − 1) more; or one boosting per class against all others.
    sampling : {"resample", "reweight"}, default="resample"
        Draw a bag of rows by their weights for every member, or give the weights to the
        learner.
    on_weak : {"stop", "reset"}, default="stop"
        What to do about a member that is no better than chance: drop it and stop, or
        drop it and start again from equal weights.
    early_stopping : int or None, default=None
        Stop when so many members have not lowered the error out of bag, and keep those
        up to the lowest; None grows
        all. Needs ``sampling="resample"``.
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
    members_edges_ : ndarray of shape (n_members,)
        r = 1 − 2 ε of each member.
    normalisers_ : ndarray of shape (n_members,)
        Z of each member, the sum of the weights after it; for two classes the product
        of the first t bounds the training error of the vote after t members.

    See Also
    --------
    DivBoostEnsemble : For labels that are sometimes wrong.

    Notes
    -----
    With ``algorithm="one_versus_rest"`` a member says whether a row is of one class;
    `member_predict` gives -1 where it is not. There is no vote out of bag then.

    References
    ----------
    Y. Freund, R. E. Schapire, A decision-theoretic generalization of on-line learning
    and an application to boosting, Journal of Computer and System Sciences 55, 1997.
    J. Zhu, H. Zou, S. Rosset, T. Hastie, Multi-class AdaBoost, Statistics and Its
    Interface 2, 2009.

    Examples
    --------
    >>> from featsieve.ensembles import AdaBoostEnsemble
    >>> from featsieve.trees import MDLTree
    >>> X = [[i] for i in range(40)]
    >>> y = [int(10 <= i < 30) for i in range(40)]  # one cut is not enough
    >>> stump = MDLTree(max_depth=1)
    >>> boosted = AdaBoostEnsemble(stump, n_members=20, random_state=0).fit(X, y)
    >>> stump.fit(X, y).score(X, y), boosted.score(X, y)
    (0.75, 1.0)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_members: int = 100,
        algorithm: str = "samme",
        sampling: str = "resample",
        on_weak: str = "stop",
        early_stopping: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Any = None,
        nominal: Any = None,
        numeric: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_members = n_members
        self.algorithm = algorithm
        self.sampling = sampling
        self.on_weak = on_weak
        self.early_stopping = early_stopping
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.nominal = nominal
        self.numeric = numeric

    def _check_parameters(self) -> None:
        super()._check_parameters()
        algorithms = ("samme", "one_versus_rest")
        check_choice("algorithm", self.algorithm, algorithms, self)
        check_choice("sampling", self.sampling, ("resample", "reweight"), self)
        check_choice("on_weak", self.on_weak, ("stop", "reset"), self)

    def _grow(self, training: Training) -> None:
        self._class_of_member: list[int] = []
        self._edges: list[float] = []
        self._normalisers: list[float] = []
        if self.algorithm == "one_versus_rest" and training.n_classes > 2:
            self._grow_one_versus_rest(training)
        else:
            self._grow_samme(training)
        training.cut_to_best()
        kept = slice(len(training.members))
        self.members_edges_ = np.array(self._edges[kept])
        self.normalisers_ = np.array(self._normalisers[kept])
        del self._edges, self._normalisers

    def _grow_samme(self, training: Training) -> None:
        n_classes = training.n_classes
        weights = training.uniform()
        for number in range(self.n_members):
            plan = training.plan_by_weights(number, weights, self.sampling)
            member = training.grow(plan)
            wrong = member.codes != training.codes
            edge = 1 - 2 * float(weights[wrong].sum())
            if (1 - edge) / 2 >= 1 - 1 / max(n_classes, 2):
                if self.on_weak == "reset":
                    weights = training.uniform()
                    continue
                break
            vote = vote_of_edge(edge, n_classes)
            weights, normaliser = boost(weights, wrong, vote)
            wanted = self._keep(training, member, edge, vote, normaliser)
            # Without a bag, a faultless member would be grown again and again.
            if not wanted or (self.sampling == "reweight" and not wrong.any()):
                break
        if not training.members:
            training.keep(member, 1.0)
            self._edges, self._normalisers = [edge], [1.0]
        training.row_weights = weights

    def _keep(
        self,
        training: Training,
        member: GrownMember,
        edge: float,
        vote: float,
        normaliser: float,
    ) -> bool:
        self._edges.append(edge)
        self._normalisers.append(normaliser)
        return training.keep(member, vote)

    def _grow_one_versus_rest(self, training: Training) -> None:
        """Boost every class against the others, round by round."""
        n_classes = training.n_classes
        weights = {k: training.uniform() for k in range(n_classes)}
        going = set(range(n_classes))
        for number in range(self.n_members):
            for k in sorted(going):
                own = (training.codes == k).astype(np.int32)
                plan = training.plan_by_weights(
                    number * n_classes + k, weights[k], self.sampling, codes=own
                )
                member = training.grow(plan)
                wrong = member.codes != own
                edge = 1 - 2 * float(weights[k][wrong].sum())
                if edge <= 0 and self.on_weak == "reset":
                    weights[k] = training.uniform()
                    continue
                if edge <= 0:
                    going.discard(k)
                    continue
                vote = vote_of_edge(edge)
                weights[k], normaliser = boost(weights[k], wrong, vote)
                self._keep_binary(training, member, k, (edge, vote, normaliser))
                if self.sampling == "reweight" and not wrong.any():
                    going.discard(k)
        if not training.members:
            self._keep_binary(training, member, k, (edge, 1.0, 1.0))
        training.row_weights = np.mean([weights[k] for k in weights], axis=0)

    def _keep_binary(
        self,
        training: Training,
        member: GrownMember,
        positive: int,
        numbers: tuple[float, float, float],
    ) -> None:
        """Keep a member that knows one class, and so has no vote out of bag."""
        edge, vote, normaliser = numbers
        blind = GrownMember(member.estimator, None, None, member.codes, None)
        self._class_of_member.append(positive)
        self._keep(training, blind, edge, vote, normaliser)

    # A member that knows one class has its part of that class's votes. ----------------

    def _add_vote(self, votes: NDArray[np.float64], number: int, rows: Rows) -> None:
        if not self._class_of_member:
            super()._add_vote(votes, number, rows)
            return
        positive = self._class_of_member[number]
        rivals = np.array(self._class_of_member) == positive
        part = self.members_votes_[number] / self.members_votes_[rivals].sum()
        votes[:, positive] += part * rows.codes(self.members_[number], None)

    def _member_codes(self, number: int, rows: Rows) -> NDArray[np.int32]:
        codes = super()._member_codes(number, rows)
        if not self._class_of_member:
            return codes
        positive = self._class_of_member[number]
        return np.where(codes == 1, positive, -1).astype(np.int32)
