"""Keep features with which trees do better than without them.

H. Bommaganti's feature boosting; section 3.6 of his thesis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from featsieve._checks import (
    check_choice,
    check_flag,
    check_integer,
    check_sequence,
)
from featsieve.data import Table
from featsieve.engine import root_seed
from featsieve.ensembles._feature_boosting import (
    BoostingRules,
    boost_features,
    first_weights,
    subset_count,
)
from featsieve.ensembles._members import make_learner, make_rows
from featsieve.ensembles._subset import check_size
from featsieve.ensembles._training import Settings
from featsieve.ensembles._training import Training as MemberTraining
from featsieve.exceptions import DataError
from featsieve.filters import BIFSFilter
from featsieve.filters._base import BaseFilter, Training, best_features, count_wanted
from featsieve.trees import C45Tree
from featsieve.trees._base import tree_features
from featsieve.trees._routing import row_matrix

__all__ = ["FeatureBoostingSelector"]

#: Pairs of the scan that are drawn as a whole: those of most evidence.
MOST_PAIRS = 1000


class FeatureBoostingSelector(BaseFilter):
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
    groups : "scan", sequence of sequences of str or int, or None, default=None
        Groups of features that are also drawn as a whole, and have a weight of their
        own: given by name or position; or found by `featsieve.filters.BIFSFilter`, the
        pairs and larger groups that tell about the class together. Groups larger than a
        subset are left out. At first all groups weigh as much as all features.
    estimator : classifier or None, default=None
        What is grown on a subset: any scikit-learn classifier, cloned; None for
        ``featsieve.trees.C45Tree()``.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Columns whose kind is not the one of their type.
    target_bins : int or None, default=None
        Cut a numeric target into so many classes of about equal size.
    n_jobs : int or None, default=None
        Trees that are grown at a time while weights wait; afterwards one follows from
        the other. Any number gives the same answer.
    random_state : int, RandomState or None, default=0
        Seed of the subsets and bags.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The weights in the end, sum 1; a group's weight is shared out to its features.
    ranking_ : ndarray of int of shape (n_features,)
        1 for the greatest weight; of equal ones the first is better.
    support_ : ndarray of bool of shape (n_features,)
        Which features are kept.
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
    classes_ : ndarray
        The classes.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of str
        Their names, when all are strings.

    See Also
    --------
    featsieve.ensembles.SubsetEnsemble : Lets trees vote that see features drawn so.

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
    >>> from featsieve.embedded import FeatureBoostingSelector
    >>> table, truth = make_monks(1)
    >>> selector = FeatureBoostingSelector(subset_size=3).fit(table, None)
    >>> selector.get_feature_names_out().tolist()
    ['a1', 'a2', 'a5']
    >>> selector.weights_.shape, selector.steps_[0]["accuracy"]
    ((101, 6), 0.75)
    """

    def __init__(
        self,
        subset_size: int | float = 0.5,
        *,
        n_iterations: int = 100,
        n_waiting: int = 15,
        n_features_to_select: int | float | None = None,
        accuracy: str = "training",
        include_current: bool = True,
        groups: Any = None,
        estimator: Any = None,
        nominal: Any = None,
        numeric: Any = None,
        target_bins: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.subset_size = subset_size
        self.n_iterations = n_iterations
        self.n_waiting = n_waiting
        self.n_features_to_select = n_features_to_select
        self.accuracy = accuracy
        self.include_current = include_current
        self.groups = groups
        self.estimator = estimator
        self.nominal = nominal
        self.numeric = numeric
        self.target_bins = target_bins
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_size(self.subset_size, self, automatic=False)
        check_integer("n_iterations", self.n_iterations, self, at_least=1)
        check_integer("n_waiting", self.n_waiting, self, at_least=0)
        choices = ("training", "out_of_bag")
        check_choice("accuracy", self.accuracy, choices, self)
        if self.target_bins is not None:
            check_integer("target_bins", self.target_bins, self, at_least=2)
        check_flag("include_current", self.include_current, self)
        if isinstance(self.groups, str):
            check_choice("groups", self.groups, ("scan",), self)
        elif self.groups is not None:
            check_sequence("groups", self.groups, self, "groups of features")
        learner = self._learner()
        if not hasattr(learner, "fit") or not is_classifier(learner):
            message = (
                "The 'estimator' parameter of FeatureBoostingSelector must be a "
                f"classifier, or None for C45Tree(). Got {self.estimator!r} instead."
            )
            raise ValueError(message)

    def _learner(self) -> Any:
        return C45Tree() if self.estimator is None else self.estimator

    def _fit(self, training: Training) -> None:
        table = training.table
        n_features = table.n_columns
        wanted = count_wanted(self.n_features_to_select, n_features, self)
        groups = self._find_groups(training)
        self.subset_size_ = subset_count(self.subset_size, n_features)
        rules = BoostingRules(
            self.n_iterations, self.n_waiting, self.accuracy, bool(self.include_current)
        )
        history = boost_features(
            self._members(training),
            first_weights(n_features, groups),
            self.subset_size_,
            rules,
            n_jobs=self.n_jobs,
        )
        self._distribution = history.distribution
        self.weights_ = np.array(history.weights)
        self.accuracies_ = np.array(history.accuracies)
        self.means_ = np.array(history.means)
        self.deviations_ = np.array(history.deviations)
        self.changes_ = np.array(history.changes)
        self.groups_ = [tuple(table.names[j] for j in group) for group in groups]
        self.groups_weights_ = history.distribution.weights[n_features:]
        self.scores_ = self.weights_[-1]
        self.support_ = best_features(self.scores_, wanted)
        if wanted is None:
            self.support_ = self.scores_ > 1 / n_features
        self.steps_ = list(history.steps(table.names))

    def _members(self, training: Training) -> MemberTraining:
        """Return what grows trees on subsets of the columns."""
        table, target = training.table, training.target
        used = None if training.weights is None else training.weights > 0
        codes, weights = target.codes, training.weights
        if used is not None and not used.all():
            assert weights is not None
            table, codes, weights = table.take(used), codes[used], weights[used]
        learner, classes = self._learner(), np.arange(target.n_classes)
        features = tree_features(table)
        matrix = row_matrix(table, features)
        rows = make_rows(learner, matrix, features, len(classes))
        return MemberTraining(
            make_learner(learner, table, rows, classes, named=False),
            np.ascontiguousarray(codes),
            len(classes),
            matrix=matrix,
            weights=weights,
            seed=root_seed(self.random_state),
            settings=Settings("majority", self.n_iterations, None, self.n_jobs, None),
        )

    def _find_groups(self, training: Training) -> list[NDArray[np.intp]]:
        """Return the groups as positions of features."""
        if self.groups is None:
            return []
        table = training.table
        members: Sequence[Any] = self.groups
        if isinstance(self.groups, str):
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
    """Return the features of a group, by name or position.

    Raises
    ------
    DataError
        If it is no group of two or more different features of the table.
    """
    positions = []
    members = group if isinstance(group, (tuple, list, np.ndarray)) else ()
    for member in members:
        if isinstance(member, str) and member in table.names:
            positions.append(table.names.index(member))
        elif isinstance(member, (int, np.integer)) and 0 <= member < table.n_columns:
            positions.append(int(member))
    if len(set(positions)) < 2 or len(set(positions)) != len(members):
        message = (
            "The 'groups' parameter of FeatureBoostingSelector must hold groups of two "
            "or more different features, by name or position from 0 to "
            f"{table.n_columns - 1}. Got {group!r} among them."
        )
        raise DataError(message)
    return sorted(positions)
