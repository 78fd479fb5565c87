"""Boosting: every member looks at rows that the former ones got wrong, or dispute."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from featsieve._checks import check_choice
from featsieve._types import Codes, Floats, Ints, Mask
from featsieve.ensembles._base import BaseEnsemble
from featsieve.ensembles._members import Rows
from featsieve.ensembles._training import GrownMember, Training

#: Errors are taken to be at least this far from 0 and 1, so that votes stay finite.
LEAST_ERROR = 1e-10
WEIGHTINGS = ("tail", "binomial")


@dataclass(kw_only=True, eq=False, repr=False)
class BaseBoosting(BaseEnsemble):
    """Base of ensembles whose members follow from each other by weights of rows.

    Parameters
    ----------
    sampling : {"resample", "reweight"}, default="resample"
        Draw a bag of rows by their weights for every member, which `n_iter_no_change`
        needs, or give the weights to the learner.
    n_jobs : int or None, default=None
        Rows that are predicted at a time; members are grown one after another.

    Attributes
    ----------
    row_weights_ : ndarray of shape (n_rows,)
        Weights of the rows after the last member, summing to 1.
    """

    sampling: str = "resample"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("sampling", self.sampling, ("resample", "reweight"), self)


def vote_of_edge(edge: float, n_classes: int = 2) -> float:
    """Return α = ½ log((1 + r) / (1 − r)), plus ½ log(K − 1) for K classes (SAMME).

    The edge r = Σ w y h = 1 − 2 ε is the weight a member gets right less the weight it
    gets wrong.
    """
    error = min(max((1 - edge) / 2, LEAST_ERROR), 1 - LEAST_ERROR)
    return 0.5 * (math.log((1 - error) / error) + math.log(max(n_classes, 2) - 1))


def boost(weights: Floats, wrong: Mask, vote: float) -> tuple[Floats, float]:
    """Return w · e^{−α y h}, scaled to sum 1, and the sum Z before scaling."""
    raised = weights * np.where(wrong, math.exp(vote), math.exp(-vote))
    total = float(raised.sum())
    return raised / total, total


@dataclass(kw_only=True, eq=False, repr=False)
class AdaBoostEnsembleClassifier(BaseBoosting):
    """Let members vote of whom each looks at what the former got wrong.

    After every member the weights of the rows it gets wrong are raised, and its vote
    counts α = ½ log((1 − ε) / ε) for an error ε under the weights it was grown by. A
    member that is no better than chance (ε ≥ ½ for two classes) is dropped and ends the
    boosting; on noisy data that may be soon. If already the first one is, it stays
    alone.

    Parameters
    ----------
    algorithm : {"samme", "one_versus_rest"}, default="samme"
        For more than two classes: members that tell all classes, whose votes get
        ½ log(K − 1) more; or one boosting per class against all others.
    on_weak : {"stop", "reset"}, default="stop"
        What to do about a member that is no better than chance: drop it and stop, or
        drop it and start again from equal weights.

    Attributes
    ----------
    members_edges_ : ndarray of shape (n_estimators,)
        r = 1 − 2 ε of each member.
    normalisers_ : ndarray of shape (n_estimators,)
        Z of each member, the sum of the weights after it; for two classes the product
        of the first t bounds the training error of the vote after t members.

    See Also
    --------
    DivBoostEnsembleClassifier : For labels that are sometimes wrong.

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
    >>> from featsieve.ensembles import AdaBoostEnsembleClassifier
    >>> from featsieve.trees import MDLTreeClassifier
    >>> X = [[i] for i in range(40)]
    >>> y = [int(10 <= i < 30) for i in range(40)]  # one cut is not enough
    >>> stump = MDLTreeClassifier(max_depth=1)
    >>> boosted = AdaBoostEnsembleClassifier(stump, n_estimators=20, random_state=0)
    >>> boosted = boosted.fit(X, y)
    >>> stump.fit(X, y).score(X, y), boosted.score(X, y)
    (0.75, 1.0)
    """

    algorithm: str = "samme"
    on_weak: str = "stop"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        algorithms = ("samme", "one_versus_rest")
        check_choice("algorithm", self.algorithm, algorithms, self)
        check_choice("on_weak", self.on_weak, ("stop", "reset"), self)

    def _grow(self, training: Training) -> None:
        problems: list[int | None] = [None]  # all classes at once, or one by one
        n_classes = training.n_classes
        if self.algorithm == "one_versus_rest" and n_classes > 2:
            problems, n_classes = list(range(n_classes)), 2
        weights = {k: training.uniform() for k in problems}
        going = list(problems)
        edges: list[float] = []
        normalisers: list[float] = []
        self._class_of_member: list[int] = []

        def keep(member: GrownMember, vote: float, normaliser: float) -> bool:
            edges.append(edge)
            normalisers.append(normaliser)
            if k is not None:  # it knows one class, and so has no vote out of bag
                self._class_of_member.append(k)
                member = GrownMember(member.estimator, None, None, member.codes, None)
            return training.keep(member, vote)

        for number in range(self.n_estimators):
            for k in list(going):
                own = None if k is None else (training.codes == k).astype(np.int32)
                own_number = number * len(problems) + (k or 0)
                plan = training.plan_by_weights(
                    own_number, weights[k], self.sampling, codes=own
                )
                member = training.grow(plan)
                wrong = member.codes != (training.codes if own is None else own)
                edge = 1 - 2 * float(weights[k][wrong].sum())
                if (1 - edge) / 2 >= 1 - 1 / max(n_classes, 2):
                    if self.on_weak == "reset":
                        weights[k] = training.uniform()
                    else:
                        going.remove(k)
                    continue
                vote = vote_of_edge(edge, n_classes)
                weights[k], normaliser = boost(weights[k], wrong, vote)
                wanted = keep(member, vote, normaliser)
                # Without a bag, a faultless member would be grown again and again.
                if not wanted or (self.sampling == "reweight" and not wrong.any()):
                    going.remove(k)
        if not training.members:
            keep(member, 1.0, 1.0)
        training.row_weights = np.mean(list(weights.values()), axis=0)
        training.cut_to_best()
        self.members_edges_ = np.array(edges[: len(training.members)])
        self.normalisers_ = np.array(normalisers[: len(training.members)])

    # A member that knows one class has its part of that class's votes. ----------------

    def _add_vote(self, votes: Floats, number: int, rows: Rows) -> None:
        if not self._class_of_member:
            super()._add_vote(votes, number, rows)
            return
        positive = self._class_of_member[number]
        rivals = np.array(self._class_of_member) == positive
        part = self.members_votes_[number] / self.members_votes_[rivals].sum()
        votes[:, positive] += part * rows.codes(self.members_[number], None)

    def _member_codes(self, number: int, rows: Rows) -> Codes:
        codes = super()._member_codes(number, rows)
        if not self._class_of_member:
            return codes
        positive = self._class_of_member[number]
        return np.where(codes == 1, positive, -1).astype(np.int32)


def arc_weights(misses: Ints) -> Floats:
    """Return 1 + m⁴ for rows that m members have missed; not normalised."""
    return 1.0 + misses.astype(np.float64) ** 4


class ArcX4EnsembleClassifier(BaseBoosting):
    """Let members vote of whom each looks at what the former missed.

    A row that m of the members so far get wrong weighs 1 + m⁴ for the next one; all
    votes are equal.

    See Also
    --------
    AdaBoostEnsembleClassifier : Weights from accuracies.
    DivBoostEnsembleClassifier : Weights for rows in dispute, not those that all miss.

    References
    ----------
    L. Breiman, Arcing classifiers, Annals of Statistics 26, 1998.

    Examples
    --------
    >>> from featsieve.datasets import make_friedman
    >>> from featsieve.ensembles import ArcX4EnsembleClassifier
    >>> X, y = make_friedman(random_state=0).table.to_pandas()
    >>> ensemble = ArcX4EnsembleClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> misses = (ensemble.member_predict(X) != y.cat.codes.to_numpy()).sum(axis=0)
    >>> bool(ensemble.row_weights_[misses.argmax()] == ensemble.row_weights_.max())
    True
    """

    def _grow(self, training: Training) -> None:
        misses = np.zeros(training.n_rows, dtype=np.int64)
        for number in range(self.n_estimators):
            weights = training.uniform() * arc_weights(misses)
            plan = training.plan_by_weights(number, weights, self.sampling)
            member = training.grow(plan)
            misses += member.codes != training.codes
            if not training.keep(member):
                break
        training.row_weights = training.uniform() * arc_weights(misses)


def dispute_weights(
    right: Ints, rival: Ints, weighting: str, start: Floats | None = None
) -> Floats:
    """Return how likely rows are ambiguous, times `start`, scaled to sum 1.

    Ambiguous is a row whose right and wrong votes are equally likely and came out as
    they did by chance. With t = right + rival: C(t, right) / 2^t ("binomial", equation
    4.26), or the sum of C(t, j) / 2^t for j up to the smaller of both ("tail", 4.25).
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
    weights = np.exp(values - values.max())  # no overflow, however many members
    if start is not None:
        weights = weights * start
    return weights / weights.sum()


@dataclass(kw_only=True, eq=False, repr=False)
class DivBoostEnsembleClassifier(BaseBoosting):
    """Let members vote of whom each looks at what the former dispute.

    AdaBoost gives most weight to rows that nearly all members miss, which are outliers
    as often as not. Here a row weighs most when members are split over it, and little
    when they agree, rightly or wrongly. Votes are equal.

    With more than two classes, the votes for the true class stand against those for its
    strongest rival.

    Parameters
    ----------
    weighting : {"tail", "binomial"}, default="tail"
        Weight of a row with h of t members right: the probability that t tosses of a
        coin fall as unevenly as that or more on one side (W1), or of exactly h heads
        (W2).

    See Also
    --------
    AdaBoostEnsembleClassifier : More accurate where labels are clean.
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
    >>> from featsieve.ensembles import DivBoostEnsembleClassifier
    >>> X, y = make_friedman(random_state=0).table.to_pandas()
    >>> ensemble = DivBoostEnsembleClassifier(n_estimators=51, random_state=0).fit(X, y)
    >>> right = (ensemble.member_predict(X) == y.cat.codes.to_numpy()).sum(axis=0)
    >>> heaviest = right[ensemble.row_weights_.argmax()]
    >>> int(abs(heaviest - 25.5) + 0.5)  # members nearly split in half
    1
    """

    weighting: str = "tail"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("weighting", self.weighting, WEIGHTINGS, self)

    def _grow(self, training: Training) -> None:
        every = np.arange(training.n_rows)
        votes = np.zeros((training.n_rows, training.n_classes), dtype=np.int64)
        weights = training.uniform()
        start = None if training.given_weights is None else training.uniform()
        for number in range(self.n_estimators):
            plan = training.plan_by_weights(number, weights, self.sampling)
            member = training.grow(plan)
            votes[every, member.codes] += 1
            right, others = votes[every, training.codes], votes.copy()
            others[every, training.codes] = 0
            rival = others.max(axis=1)
            weights = dispute_weights(right, rival, self.weighting, start)
            if not training.keep(member):
                break
        training.row_weights = weights
