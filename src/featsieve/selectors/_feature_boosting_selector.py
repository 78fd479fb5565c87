"""Keep features with which trees do better than without them.

H. Bommaganti's feature boosting; section 3.6 of his thesis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from featsieve._checks import check_choice, check_flag, check_integer, check_sequence
from featsieve._types import Positions
from featsieve.data import Table
from featsieve.data.api import Training
from featsieve.engine import root_seed
from featsieve.ensembles.api import (
    Training as MemberTraining,
)
from featsieve.ensembles.api import (
    boost_features,
    check_size,
    first_weights,
    subset_count,
)
from featsieve.exceptions import DataError
from featsieve.selectors import BIFSFilter
from featsieve.selectors._base import BaseSelector, best_features, count_wanted
from featsieve.trees import C45Classifier

#: Pairs of the scan that are drawn as a whole: those of most evidence.
MOST_PAIRS = 1000


@dataclass(eq=False, repr=False)
class FeatureBoostingSelector(BaseSelector):
    """Keep features with which trees do better than without them.

    Random subsets of the features are drawn by weights that are equal at first, and a
    tree is grown on each. The weights of its features are then raised or lowered by how
    far its accuracy lies above or below those of all trees so far:

        w ← (1 + δ) w,   δ = (p − k) / (p − 1) · ψ((acc − mean) / deviation)

    with ψ(x) = tanh 2x, p features and k of them in a subset. Nominal columns and
    missing values are for the learner to take; C4.5 takes them as they are.

    Parameters
    ----------
    subset_size : int or float, default=0.5
        Features per subset, or their share of all, which is two features at least
        where there are two. Features that matter only together need subsets that are
        likely to hold them.
    n_iterations : int, default=100
        How many subsets are tried.
    n_waiting : int, default=15
        So many subsets are tried before weights begin to change. Weights that change
        from the start settle too early, on what the first few subsets happened to hold.
    n_features_to_select : int, float or None, default=None
        Keep so many features, or this share of them, those of greatest weight. None
        keeps features whose weight has risen above that of the start, 1 / p.
    accuracy : {"training", "out_of_bag"}, default="training"
        Trees see all rows and are judged by them, as in the thesis; or they see a bag
        of rows and are judged by the others, which is slower to settle and does not
        reward learning by heart.
    include_current : bool, default=True
        Whether mean and deviation are those of all accuracies so far, or of the former
        ones.
    feature_groups : "scan", sequence of sequences of str or int, or None, default=None
        Groups of features that are also drawn as a whole, and have a weight of their
        own: given by name or position; or found by `BIFSFilter`, the
        pairs and larger groups that tell about the class together. Groups larger than a
        subset are left out. At first all groups weigh as much as all features.
    estimator : classifier or None, default=None
        What is grown on a subset: any scikit-learn classifier, cloned; None for
        ``featsieve.trees.C45Classifier()``.
    n_jobs : int or None, default=None
        Trees that are grown at a time while weights wait; afterwards one follows from
        the other. Any number gives the same answer.
    random_state : int, RandomState or None, default=0
        Seed of the subsets and bags.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The weights in the end, sum 1; a group's weight is shared out to its features.
    steps_ : list of dict
        Every iteration: features, accuracy, mean, deviation, change.
    weights_ : ndarray of shape (n_iterations + 1, n_features)
        Weights at the start and after every iteration.
    accuracies_, means_, deviations_, changes_ : ndarray of shape (n_iterations,)
        Accuracy of every tree, mean and deviation of the accuracies, and δ.
    groups_ : list of tuple of str
        The groups.
    groups_weights_ : ndarray of shape (n_groups,)
        Their weights in the end; those of features and groups together have sum 1.
    subset_size_ : int
        Features per subset.

    See Also
    --------
    featsieve.ensembles.SubsetEnsembleClassifier : Trees that see such features vote.

    Notes
    -----
    δ is 0, and nothing is learnt, while all accuracies are equal and where a subset
    holds all features. The result is one run of a random search: weights of another
    seed differ, the more so the fewer iterations.

    References
    ----------
    H. Bommaganti, master's thesis on feature subset selection with ensembles,
    University of Minnesota, section 3.6, table 3 and equation 8.

    Examples
    --------
    In the first of the Monk's problems a1, a2 and a5 decide.

    >>> from featsieve.datasets import make_monks
    >>> from featsieve.selectors import FeatureBoostingSelector
    >>> table, truth = make_monks(1)
    >>> selector = FeatureBoostingSelector(subset_size=3).fit(table, None)
    >>> selector.get_feature_names_out().tolist()
    ['a1', 'a2', 'a5']
    >>> selector.weights_.shape, selector.steps_[0]["accuracy"]
    ((101, 6), 0.75)
    """

    subset_size: int | float = 0.5
    _: KW_ONLY
    n_iterations: int = 100
    n_waiting: int = 15
    n_features_to_select: int | float | None = None
    accuracy: str = "training"
    include_current: bool = True
    feature_groups: Any = None
    estimator: Any = None
    target_bins: int | None = None
    n_jobs: int | None = None
    random_state: Any = 0

    def _check_parameters(self) -> None:
        check_size(self.subset_size, self, automatic=False)
        check_integer("n_iterations", self.n_iterations, self, at_least=1)
        check_integer("n_waiting", self.n_waiting, self, at_least=0)
        choices = ("training", "out_of_bag")
        check_choice("accuracy", self.accuracy, choices, self)
        check_flag("include_current", self.include_current, self)
        if isinstance(self.feature_groups, str):
            check_choice("feature_groups", self.feature_groups, ("scan",), self)
        elif self.feature_groups is not None:
            check_sequence(
                "feature_groups", self.feature_groups, self, "groups of features"
            )
        learner = self._learner()
        if not hasattr(learner, "fit") or not is_classifier(learner):
            raise ValueError(
                "The 'estimator' parameter of FeatureBoostingSelector must be a "
                "classifier, or None for C45Classifier(). "
                f"Got {self.estimator!r} instead."
            )

    def _learner(self) -> Any:
        return C45Classifier() if self.estimator is None else self.estimator

    def _fit(self, training: Training) -> None:
        table = training.table
        n_features = table.n_columns
        wanted = count_wanted(self.n_features_to_select, n_features, self)
        groups = self._find_groups(training)
        self.subset_size_ = subset_count(self.subset_size, n_features)
        members = MemberTraining.on(
            table,
            np.ascontiguousarray(training.target.codes),
            self._learner(),
            np.arange(training.target.n_classes),
            given_weights=training.weights,
            seed=root_seed(self.random_state),
            n_estimators=self.n_iterations,
        )
        history = boost_features(
            members,
            first_weights(n_features, groups),
            self.subset_size_,
            n_iterations=self.n_iterations,
            n_waiting=self.n_waiting,
            accuracy=self.accuracy,
            include_current=bool(self.include_current),
            n_jobs=self.n_jobs,
        )
        self._distribution = history.distribution
        self.weights_ = np.array(history.weights)
        _, *numbers = zip(*history.iterations, strict=True)
        self.accuracies_, self.means_, self.deviations_, self.changes_ = map(
            np.array, numbers
        )
        self.groups_ = [tuple(table.names[j] for j in group) for group in groups]
        self.groups_weights_ = history.distribution.weights[n_features:]
        self.scores_ = self.weights_[-1]
        self.support_ = best_features(self.scores_, wanted)
        if wanted is None:
            self.support_ = self.scores_ > 1 / n_features
        self.steps_ = history.steps(table.names)

    def _find_groups(self, training: Training) -> list[Positions]:
        """Return the groups as positions of features."""
        if self.feature_groups is None:
            return []
        table = training.table
        members: Sequence[Any] = self.feature_groups
        if isinstance(self.feature_groups, str):
            scan = BIFSFilter(n_jobs=self.n_jobs, random_state=self.random_state)
            scan._fit(training)
            pairs = scan.pairs_
            found = pairs["is_interaction"]
            both = np.column_stack([pairs["first"][found], pairs["second"][found]])
            wholes = [each.members for each in scan.interactions_]
            members = [*both[:MOST_PAIRS].tolist(), *wholes]
        size = subset_count(self.subset_size, table.n_columns)
        groups = {tuple(_positions(group, table)) for group in members}
        return [
            np.array(group, dtype=np.intp)
            for group in sorted(groups)
            if len(group) <= size
        ]


def _positions(group: Any, table: Table) -> list[int]:
    """Return the features of a group, by name or position."""
    positions = []
    members = group if isinstance(group, (tuple, list, np.ndarray)) else ()
    for member in members:
        if isinstance(member, str) and member in table.names:
            positions.append(table.names.index(member))
        elif isinstance(member, (int, np.integer)) and 0 <= member < table.n_columns:
            positions.append(int(member))
    if len(set(positions)) < 2 or len(set(positions)) != len(members):
        raise DataError(
            "The 'feature_groups' parameter of FeatureBoostingSelector must hold "
            "groups of two or more different features, by name or position from 0 to "
            f"{table.n_columns - 1}. Got {group!r} among them."
        )
    return sorted(positions)
