"""Random forests that know which features matter, everywhere and for single rows.

References: L. Breiman, Random forests, Machine Learning 45, 2001; Ensemble algorithms
and feature selection, PhD thesis, 2007, chapters 7 and 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from featsieve._checks import check_choice
from featsieve._types import Array, Codes, Floats
from featsieve.data import Table
from featsieve.data.api import read_quantity, read_target
from featsieve.ensembles._base import vote_shares
from featsieve.ensembles._forest_base import BaseForest
from featsieve.ensembles._forest_left_out import (
    dynamic_shares,
    left_out_outcomes,
    left_out_sums,
    left_out_votes,
)
from featsieve.exceptions import DataError
from featsieve.measures import entropy
from featsieve.trees import RandomTreeClassifier, RandomTreeRegressor
from featsieve.trees.api import read_classes, read_numbers

INTEGRATIONS = ("vote", "average", "dynamic")


@dataclass(kw_only=True, eq=False, repr=False)
class RandomForestEnsembleClassifier(ClassifierMixin, BaseForest):
    """Many random trees that vote, and tell which features matter, where.

    Every tree is grown on a bag of the rows until its leaves are pure, trying a few
    features drawn at every node. What a feature gains where it is tried, averaged over
    all nodes and weighted by how much a node can tell (node complexity), is its
    *relevance*: unlike a filter's score it is measured in the context of other
    features. How much the tests of a feature tell about a single row is its *local
    relevance*: a feature may matter only in a part of the table.

    Nominal columns are split into their levels; missing values follow the heaviest
    branch, or spread. Levels that were not seen in training count as missing.

    Parameters
    ----------
    integration : {"vote", "average", "dynamic"}, default="vote"
        "vote": each tree votes for one class. "average": class shares of leaves are
        averaged, which differs where leaves are not pure. "dynamic": votes are weighted
        by how well the tree does on out-of-bag rows near the row in question (eq. 7.20
        to 7.22). A tree that does worse than chance there has a negative weight and
        votes, with its size, for every class but its own.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    relevance_ : ndarray of shape (n_features,)
        Mean gain of each feature over the nodes where it was tried and not constant,
        weighted by node complexity: bits.
    chance_relevance_ : ndarray of shape (n_features, 2)
        Between which bounds an irrelevant numeric feature without ties would be
        expected in the same nodes, by the thesis' approximations (eq. 7.13, 7.14) for
        two classes. A hint, not a test.
    members_ : list of RandomTreeClassifier
        The trees.
    oob_score_ : float
        Share of right predictions by trees that do not know the row.
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
        Class shares by trees that do not know the row; NaN where there is no such tree.

    See Also
    --------
    RandomForestEnsembleRegressor : The same for numbers.
    featsieve.trees.RandomTreeClassifier : A single tree.

    Notes
    -----
    Equal votes: the class that comes first. The training rows are kept, for everything
    that is computed on demand.

    Examples
    --------
    A feature that matters only on one side of another one:

    >>> import numpy as np
    >>> from featsieve.ensembles import RandomForestEnsembleClassifier
    >>> X = np.random.default_rng(0).random((600, 3))
    >>> y = np.where(X[:, 0] < 0.5, 0, (X[:, 1] > 0.5) + 1)
    >>> forest = RandomForestEnsembleClassifier(random_state=0).fit(X, y)
    >>> forest.relevance_.round(2).tolist()
    [0.82, 0.44, 0.03]
    >>> right = X[:, 0] > 0.5
    >>> forest.local_relevance_[right].mean(axis=0).round(2).tolist()
    [0.63, 0.68, 0.04]
    >>> forest.local_relevance_[~right].mean(axis=0).round(2).tolist()
    [1.02, 0.03, 0.03]
    """

    integration: str = "vote"
    _kind = RandomTreeClassifier

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("integration", self.integration, INTEGRATIONS, self)
        if self.integration == "dynamic" and not self.bootstrap:
            raise ValueError(
                "integration='dynamic' weighs trees by rows they have not learnt from, "
                "and with bootstrap=False there are none. Use bootstrap=True."
            )

    def _read_target(self, y: Any, table: Table) -> tuple[dict[str, Any], Any]:
        return read_classes(self, y, table.n_rows)

    def _greatest_gain(self, target: dict[str, Any]) -> float:
        return float(np.log2(max(target["n_classes"], 2)))

    def _spread(self, target: dict[str, Any]) -> float:
        return float(entropy(target["classes"]))

    def member_predict(self, X: Any) -> Codes:
        """Return the class that every tree predicts.

        Returns
        -------
        ndarray of int32 of shape (n_trees, n_rows)
            Positions in ``classes_``.
        """
        matrix = self._matrix(X)
        return self._forest.member_classes(matrix)

    def predict_proba(self, X: Any) -> Floats:
        """Return the share of every class in the votes."""
        return self._shares(self._matrix(X))

    def _shares(self, matrix: Floats) -> Floats:
        forest = self._forest
        if self.integration == "dynamic":
            return dynamic_shares(forest, matrix, self._neighbours(), self.n_jobs)
        count = forest.votes if self.integration == "vote" else forest.sums
        return count(matrix, self.n_jobs) / forest.n_trees

    def predict(self, X: Any) -> Array:
        """Return the class of the greatest share, the first of equals."""
        shares = self.predict_proba(X)
        return self.classes_[np.argmax(shares, axis=1)]

    def _neighbours(self) -> tuple[Any, NDArray[np.int8]]:
        """Return the leaves of the training rows, and which tree is right on which."""
        forest = self._forest
        if "neighbours" not in forest.cache:
            outcomes = left_out_outcomes(
                forest, self._rows, self._target, self._left_out()
            )
            forest.cache["neighbours"] = forest.leaf_index(self._rows), outcomes
        return forest.cache["neighbours"]

    @property
    def oob_decision_function_(self) -> Floats:
        """Class shares of each training row by trees that do not know it."""
        left_out = self._out_of_bag("oob_decision_function_")
        forest = self._forest
        if self.integration != "dynamic":
            votes = self.integration == "vote"
            count = left_out_votes if votes else left_out_sums
            return vote_shares(count(forest, self._rows, left_out), np.nan)
        return dynamic_shares(
            forest, self._rows, self._neighbours(), self.n_jobs, left_out
        )

    @property
    def oob_score_(self) -> float:
        """Share of training rows that trees which do not know them get right."""
        shares = self.oob_decision_function_
        asked = ~np.isnan(shares[:, 0])
        if not asked.any():
            return float("nan")
        return float(np.mean(shares[asked].argmax(axis=1) == self._target[asked]))

    def local_relevance(self, X: Any, y: Any = None) -> Floats:
        """Return how much tests of each feature tell about the class of new rows.

        For every test on the way of a row through all trees, the change of log2 of the
        share of the row's class; averaged by feature. A class that does not occur in a
        node would have an infinite logarithm, so every node is taken to hold one more
        row, evenly of all classes. For training rows, ``local_relevance_``
        asks the trees that have learnt from them, as published, without that.

        Parameters
        ----------
        y : array-like of shape (n_rows,) or None, default=None
            The classes; None takes those that are predicted.

        Returns
        -------
        ndarray of float64 of shape (n_rows, n_features)
            Bits; negative where a feature leads astray, 0 where it is never asked.
        """
        matrix = self._matrix(X)
        if y is None:
            codes = self._shares(matrix).argmax(axis=1).astype(np.int32)
        else:
            codes = self._codes(y, len(matrix))
        return self._forest.local_relevance(matrix, codes, None, self.n_jobs)

    def _codes(self, y: Any, n_rows: int) -> Codes:
        target = read_target(self, y, n_rows)
        places = {label: code for code, label in enumerate(self.classes_.tolist())}
        new = [label for label in target.classes if label not in places]
        if target.rows is not None or new:
            came = f"{new[0]!r}" if new else "a missing value"
            raise DataError(f"y must hold classes that were learnt in fit. Got {came}.")
        codes = np.array([places[label] for label in target.classes], dtype=np.int32)
        return codes[target.codes]


class RandomForestEnsembleRegressor(RegressorMixin, BaseForest):
    """Many random regression trees, and which features matter to them, where.

    Splits reduce the variance and predictions are averaged; else as
    `RandomForestEnsembleClassifier`. Gains are parts of the node's variance.

    Attributes
    ----------
    relevance_ : ndarray of shape (n_features,)
        Mean gain of each feature over the nodes where it was tried and not constant,
        weighted by node complexity: a part of the node's variance.
    members_ : list of RandomTreeRegressor
        The trees.
    oob_score_ : float
        R² of predictions by trees that do not know the row.
    oob_prediction_ : ndarray of shape (n_rows,)
        Mean of trees that do not know the row; NaN where there is no such tree.

    See Also
    --------
    RandomForestEnsembleClassifier : The same for classes.

    Examples
    --------
    >>> import numpy as np
    >>> from featsieve.ensembles import RandomForestEnsembleRegressor
    >>> X = np.random.default_rng(0).random((300, 3))
    >>> y = np.where(X[:, 0] > 0.5, 5.0 + X[:, 1], X[:, 0])
    >>> forest = RandomForestEnsembleRegressor(random_state=0).fit(X, y)
    >>> int(forest.relevance_.argmax())
    0
    >>> bool(forest.oob_score_ > 0.9)
    True
    """

    _kind = RandomTreeRegressor

    def _read_target(self, y: Any, table: Table) -> tuple[dict[str, Any], Any]:
        return read_numbers(self, y, table.n_rows)

    def _greatest_gain(self, target: dict[str, Any]) -> float:  # noqa: ARG002  (classes need it)
        return 1.0  # all of the variance

    _spread = _greatest_gain

    def _scaled(self, values: Floats) -> Floats:
        variance = float(np.var(self._target))
        return values / variance if variance > 0 else values

    def member_predict(self, X: Any) -> Floats:
        """Return the number that every tree predicts.

        Returns
        -------
        ndarray of float64 of shape (n_trees, n_rows)
            Predictions.
        """
        matrix = self._matrix(X)
        return self._forest.member_numbers(matrix)

    def predict(self, X: Any) -> Floats:
        """Return the mean of what the trees predict.

        Returns
        -------
        ndarray of float64 of shape (n_rows,)
            Predictions.
        """
        return self._means(self._matrix(X))

    def _means(self, matrix: Floats) -> Floats:
        forest = self._forest
        return forest.sums(matrix, self.n_jobs)[:, 0] / forest.n_trees

    @property
    def oob_prediction_(self) -> Floats:
        """Mean prediction for each training row by trees that do not know it."""
        left_out = self._out_of_bag("oob_prediction_")
        sums = left_out_sums(self._forest, self._rows, left_out)[:, 0]
        with np.errstate(invalid="ignore"):
            mean: Floats = sums / left_out.sum(axis=0, dtype=np.int64)
        return mean

    @property
    def oob_score_(self) -> float:
        """R² of the out-of-bag predictions."""
        predicted = self.oob_prediction_
        asked = ~np.isnan(predicted)
        known = self._target[asked]
        spread = float(((known - known.mean()) ** 2).sum()) if len(known) else 0.0
        if not spread > 0:
            return float("nan")
        return 1 - float(((known - predicted[asked]) ** 2).sum()) / spread

    def local_relevance(self, X: Any, y: Any = None) -> Floats:
        """Return how much tests of each feature tell about the number of new rows.

        For every test on the way of a row through all trees, how much closer its number
        is to the mean of the branch than to that of the node, in squares; averaged by
        feature.

        Parameters
        ----------
        y : array-like of shape (n_rows,) or None, default=None
            The numbers; None takes those that are predicted.

        Returns
        -------
        ndarray of float64 of shape (n_rows, n_features)
            Parts of the target's variance; negative where a feature leads astray.
        """
        matrix = self._matrix(X)
        if y is None:
            numbers = self._means(matrix)
        else:
            numbers, rows = read_quantity(self, y, len(matrix))
            if rows is not None:
                raise DataError(
                    "y must have a value in every row, and some are missing. Leave "
                    "these rows out, or leave out y to take what the forest predicts."
                )
        return self._scaled(
            self._forest.local_relevance(matrix, numbers, None, self.n_jobs)
        )
