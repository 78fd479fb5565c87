"""Members that see different samples of the rows, or of the columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from featsieve._checks import check_flag
from featsieve.ensembles._base import BaseEnsemble
from featsieve.ensembles._feature_boosting import check_size, subset_count
from featsieve.ensembles._members import MemberPlan
from featsieve.ensembles._training import Training


@dataclass(kw_only=True, eq=False, repr=False)
class BaggingEnsembleClassifier(BaseEnsemble):
    """Let members vote that were each grown on a bootstrap sample.

    As many rows as there are, drawn with replacement, are a bag; about a third of the
    rows are left out of it and tell the error without a test set.

    See Also
    --------
    RandomSubspaceEnsembleClassifier : Members that see different columns too.
    RandomRotationEnsembleClassifier : Members see the columns from different angles.

    References
    ----------
    L. Breiman, Bagging predictors, Machine Learning 24, 1996.

    Examples
    --------
    >>> from featsieve.datasets import make_friedman
    >>> from featsieve.ensembles import BaggingEnsembleClassifier
    >>> X, y = make_friedman(n_rows=300, random_state=0).table.to_pandas()
    >>> bagging = BaggingEnsembleClassifier(n_estimators=50, random_state=0)
    >>> bagging = bagging.fit(X[:200], y[:200])
    >>> single = bagging.members_[0]
    >>> bagging.score(X[200:], y[200:]) > single.score(X[200:], y[200:])
    True
    """

    vote: str = "majority"

    def _grow(self, training: Training) -> None:
        training.grow_all(
            MemberPlan(number, bag=training.draw_bag(number))
            for number in range(self.n_estimators)
        )


@dataclass(kw_only=True, eq=False, repr=False)
class RandomSubspaceEnsembleClassifier(BaseEnsemble):
    """Let members vote that each see a random half of the columns.

    A member whose columns lack the strong features has to find out what the weak ones
    tell. ``members_features_`` says which columns each member sees.

    Parameters
    ----------
    subset_size : int or float, default=0.5
        Columns per member, or their share of all, which is two columns at least where
        there are two: what matters only together would be lost on single ones.
    bootstrap : bool, default=True
        Draw a bag of rows for every member; else all see all rows, and none is out of
        bag.

    References
    ----------
    T. K. Ho, The random subspace method for constructing decision forests, IEEE
    Transactions on Pattern Analysis and Machine Intelligence 20, 1998.

    Examples
    --------
    >>> from featsieve.datasets import make_friedman
    >>> from featsieve.ensembles import RandomSubspaceEnsembleClassifier
    >>> X, y = make_friedman(random_state=0).table.to_pandas()
    >>> subspace = RandomSubspaceEnsembleClassifier(n_estimators=20, random_state=0)
    >>> subspace = subspace.fit(X, y)
    >>> [len(columns) for columns in subspace.members_features_[:3]]
    [5, 5, 5]
    """

    subset_size: int | float = 0.5
    bootstrap: bool = True
    vote: str = "majority"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_flag("bootstrap", self.bootstrap, self)
        check_size(self.subset_size, self, automatic=False)

    def _grow(self, training: Training) -> None:
        n_columns = self.n_features_in_
        count = subset_count(self.subset_size, n_columns)

        def plan(number: int) -> MemberPlan:
            generator = training.generator("columns", number)
            drawn = generator.choice(n_columns, count, replace=False)
            columns = np.sort(drawn).astype(np.uint32)
            if self.bootstrap:
                bag = training.draw_bag(number)
                return MemberPlan(number, bag=bag, columns=columns)
            weights = training.given_weights
            return MemberPlan(number, weights=weights, columns=columns)

        training.grow_all(map(plan, range(self.n_estimators)))
