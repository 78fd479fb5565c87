"""Members that see subsets of the columns, drawn by what is known of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from featsieve._checks import check_choice, check_unused
from featsieve._types import Codes, Floats, Mask
from featsieve.data import Column, ColumnKind, Table
from featsieve.data.api import TakesTables, Target
from featsieve.data.api import Training as Evidence
from featsieve.ensembles._base import BaseEnsemble
from featsieve.ensembles._feature_boosting import (
    BoostingHistory,
    Distribution,
    boost_features,
    check_size,
    distribution_of_array,
    distribution_of_pairs,
    even_distribution,
    subset_count,
)
from featsieve.ensembles._members import MemberPlan
from featsieve.ensembles._training import Training
from featsieve.trees import C45Classifier
from featsieve.trees.api import choose_by_level, level_gains

STRATEGIES = (
    "random",
    "information_gain",
    "cumulative_gain",
    "feature_boosting",
    "pair_gain",
)
SIZE_RULES = ("minimum", "one_standard_error")
#: How many subset sizes are tried at most if that is left to the rows out of bag.
MOST_SIZES = 8
#: Feature boosting tries so many subsets before weights change. The thesis does not say
#: how many; of 3, 15 and 20 this comes closest to its tables.
MOST_WAITING = 15


def sizes_to_try(n_features: int) -> list[int]:
    """Return subset sizes from 2 to all features, further and further apart."""
    least = min(2, n_features)
    sizes = np.geomspace(least, n_features, MOST_SIZES).round().astype(int)
    return [int(size) for size in np.unique(sizes)]


def best_size(errors: dict[int, float], rule: str, n_rows: int) -> int:
    """Return the size of least error, or the smallest one within a standard error."""
    best = min(errors, key=lambda size: (errors[size], size))
    if rule == "minimum":
        return best
    least = errors[best]
    slack = math.sqrt(least * (1 - least) / n_rows)
    return min(size for size, error in errors.items() if error <= least + slack)


@dataclass(eq=False, repr=False)
class SubsetEnsembleClassifier(BaseEnsemble):
    """Let members vote that see few columns each, chosen by a strategy.

    Members are C4.5 trees on bootstrap samples. A strategy gives every feature a
    weight; the columns of a member are drawn by these weights, one after another and
    without replacement. Nominal columns and missing values are taken as they are.

    Parameters
    ----------
    strategy : str, array-like of shape (n_features,) or selector, default="random"
        Where weights come from:

        - ``"random"``: all are equal.
        - ``"information_gain"``: the features of greatest gain, as many as a subset
          holds, so that all members see the same.
        - ``"cumulative_gain"``: the same with the choice of `CumulativeGainFilter`.
        - ``"feature_boosting"``: weights that rose and fell with the accuracy of trees
          that were tried before, `n_estimators` of them.
        - ``"pair_gain"``: pairs of features are drawn by what they tell together, and
          single ones by what they tell alone. For features that matter only together.
        - an array: these weights.
        - a selector of `featsieve.selectors` or `featsieve.selectors`: it is cloned and
          fitted to the same rows; its scores are the weights of what it keeps.
    subset_size : int, float or "auto", default=0.5
        Columns per member, or their share of all, which is two columns at least where
        there are two. With ``"auto"`` an ensemble is grown for each of up to eight
        sizes, and the one of least error out of bag is kept.
    n_estimators : int, default=25
        How many members to grow.
    vote : {"accuracy", "majority", "probability"}, default="accuracy"
        Votes that count as much as the member is accurate on all training rows; one
        vote each; or the mean of the members' class shares.
    estimator : classifier or None, default=None
        What members are: any scikit-learn classifier, cloned; None for
        ``featsieve.trees.C45Classifier()``. Trees of ours take nominal columns and
        missing values as they are and grow on a table that is coded once.
    size_rule : {"minimum", "one_standard_error"}, default="minimum"
        With ``subset_size="auto"``: the size of least error, or the smallest size whose
        error is within a standard error of it.
    progress : callable or None, default=None
        Called as ``progress(grown, total)`` whenever a member has been grown.

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,)
        The weights that columns were drawn by, sum 1; a pair's weight is shared out.
    subset_size_ : int
        Columns per member.
    size_errors_ : dict
        With ``subset_size="auto"``: the error out of bag of every size.
    boosting_steps_ : list of dict
        With ``strategy="feature_boosting"``: the subsets that were tried with their
        accuracy, the mean and deviation of accuracies, and the change of weights.
    selector_ : selector
        The fitted selector, if `strategy` is one.
    oob_error_ : float
        Error of votes by members that did not see the row; NaN without such votes. The
        least of several, and so a little too low, with ``subset_size="auto"``; too low
        also because strategies other than ``"random"`` have seen all rows.

    See Also
    --------
    RandomSubspaceEnsembleClassifier : Random columns for any learner.
    featsieve.selectors.CumulativeGainFilter : The choice by levels on its own.
    featsieve.selectors.FeatureBoostingSelector : The boosting on its own.

    Notes
    -----
    Members of different sizes share their bags, so that sizes differ in nothing else.
    For several sizes, gains are computed once and feature boosting once per size.

    References
    ----------
    H. Bommaganti, master's thesis on feature subset selection with ensembles,
    University of Minnesota, chapter 3.

    Examples
    --------
    The class is an exclusive or of two of twenty columns.

    >>> import numpy as np
    >>> from featsieve.ensembles import SubsetEnsembleClassifier
    >>> X = np.random.default_rng(0).integers(0, 2, (400, 20))
    >>> y = X[:, 3] ^ X[:, 11]
    >>> blind = SubsetEnsembleClassifier(subset_size=2, random_state=0)
    >>> blind = blind.fit(X[:300], y[:300])
    >>> pairs = SubsetEnsembleClassifier("pair_gain", subset_size=2, random_state=0)
    >>> pairs = pairs.fit(X[:300], y[:300])
    >>> blind.score(X[300:], y[300:]) < 0.7, pairs.score(X[300:], y[300:])
    (True, 1.0)
    >>> pairs.members_features_[0]
    array([ 3, 11])
    """

    _accuracy_on = "all"

    strategy: Any = "random"
    _: KW_ONLY
    subset_size: int | float | str = 0.5
    n_estimators: int = 25
    vote: str = "accuracy"
    estimator: Any = None
    size_rule: str = "minimum"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("size_rule", self.size_rule, SIZE_RULES, self)
        check_size(self.subset_size, self, automatic=True)
        if self.subset_size != "auto":
            mode = f"subset_size={self.subset_size!r}"
            check_unused(["size_rule"], self, mode, "use subset_size='auto'")
        named = isinstance(self.strategy, str) and self.strategy in STRATEGIES
        others = (list, tuple, np.ndarray, TakesTables)
        weights = hasattr(self.strategy, "__array__")
        if not named and not weights and not isinstance(self.strategy, others):
            listed = ", ".join(repr(name) for name in STRATEGIES)
            raise ValueError(
                f"The 'strategy' parameter of {type(self).__name__} must be one of "
                f"{listed}, an array of weights, or a selector of featsieve. Got "
                f"{self.strategy!r} instead."
            )

    def _learner_kind(self) -> Any:
        return C45Classifier() if self.estimator is None else self.estimator

    def _train(
        self, table: Table, codes: Codes, weights: Floats | None, used: Mask
    ) -> None:
        classes = tuple(str(label) for label in self.classes_)
        self._evidence = Evidence(table, Target(codes, classes, None), weights)
        for name in ("size_errors_", "boosting_steps_", "selector_"):
            self.__dict__.pop(name, None)  # an earlier fit has left it
        try:
            super()._train(table, codes, weights, used)
        finally:
            del self._evidence

    def _grow(self, training: Training) -> None:
        n_features = self.n_features_in_
        if self.subset_size != "auto":
            sizes = [subset_count(self.subset_size, n_features)]
        else:
            sizes = sizes_to_try(n_features)
        weigh = self._strategy(training, max(sizes))
        tried = {}
        for number, size in enumerate(sizes):
            trial = training.trial(
                begin=number * self.n_estimators, total=len(sizes) * self.n_estimators
            )
            distribution, told = weigh(size)
            draw = partial(self._plan, trial, distribution, size)
            trial.grow_all(map(draw, range(self.n_estimators)))
            trial.cut_to_best()
            tried[size] = trial, distribution, told
        errors = {size: trial.oob_error() for size, (trial, *_) in tried.items()}
        self.subset_size_ = best_size(errors, self.size_rule, training.n_rows)
        trial, distribution, told = tried[self.subset_size_]
        training.adopt(trial)
        self.feature_weights_ = distribution.of_features()
        if self.subset_size == "auto":
            self.size_errors_ = errors
        if isinstance(told, BoostingHistory):
            self.boosting_steps_ = told.steps(self._evidence.table.names)
        elif told is not None:
            self.selector_ = told

    def _plan(
        self, training: Training, distribution: Distribution, size: int, number: int
    ) -> MemberPlan:
        columns = distribution.draw(size, training.generator("columns", number))
        return MemberPlan(number, bag=training.draw_bag(number), columns=columns)

    # What is known of the features: weights for a size, and what else to tell. --------

    def _strategy(
        self, training: Training, most: int
    ) -> Callable[[int], tuple[Distribution, Any]]:
        n_features = self.n_features_in_
        strategy: Any = self.strategy
        if isinstance(self.strategy, TakesTables):
            if "subset_size" in strategy.get_params(deep=False):
                return lambda size: self._ask_selector(subset_size=size)
            asked = self._ask_selector()
            return lambda _: asked
        if not isinstance(strategy, str):
            given = distribution_of_array(strategy, n_features, type(self).__name__)
            return lambda _: (given, None)
        if strategy == "feature_boosting":
            return lambda size: self._boost(training, size)
        if strategy in ("information_gain", "cumulative_gain"):
            order = self._best_features(strategy, most)
            return lambda size: (even_distribution(n_features, order[:size]), None)
        known = even_distribution(n_features)
        if strategy == "pair_gain":
            known = distribution_of_pairs(self._evidence, self.n_jobs)
        return lambda _: (known, None)

    def _best_features(self, strategy: str, most: int) -> list[int]:
        """Return so many features, best first, by gain or cumulative gain."""
        by_level = strategy == "cumulative_gain"
        gains = level_gains(self._evidence, max_levels=most if by_level else 1)
        if by_level:
            return [feature for feature, _ in choose_by_level(gains, most)]
        return np.argsort(-gains.at_root, kind="stable")[:most].tolist()

    def _boost(
        self, training: Training, size: int
    ) -> tuple[Distribution, BoostingHistory]:
        history = boost_features(
            training,
            even_distribution(self.n_features_in_),
            size,
            n_iterations=self.n_estimators,
            n_waiting=min(MOST_WAITING, self.n_estimators * 3 // 5),
            n_jobs=self.n_jobs,
        )
        return history.distribution, history

    def _ask_selector(self, **parameters: int) -> tuple[Distribution, Any]:
        """Return the weights of a selector that is fitted to the training rows."""
        target = self._evidence.target
        classes = Column("class", ColumnKind.NOMINAL, target.codes, target.classes)
        selector = clone(self.strategy).set_params(**parameters)
        selector.fit(self._evidence.table, classes, self._evidence.weights)
        if hasattr(selector, "_distribution"):  # of features and groups of them
            return selector._distribution, selector
        scores = np.where(selector.support_, np.maximum(selector.scores_, 0.0), 0.0)
        if not scores.any():
            return even_distribution(len(scores)), selector
        return Distribution(scores / scores.sum()), selector
