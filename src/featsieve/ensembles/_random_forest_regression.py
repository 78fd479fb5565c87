"""Random forests for numbers that know which features matter, and where."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from featsieve.data import Table
from featsieve.data._inputs import read_quantity
from featsieve.ensembles._forest_base import BaseForest
from featsieve.exceptions import DataError
from featsieve.trees import RandomRegressionTree
from featsieve.trees._reading import read_numbers

__all__ = ["RandomForestRegressionEnsemble"]

Matrix = NDArray[np.float64]


class RandomForestRegressionEnsemble(RegressorMixin, BaseForest):
    """Many random regression trees, and which features matter to them, where.

    Splits reduce the variance and predictions are averaged; else as
    `RandomForestEnsemble`. Gains are parts of the node's variance.

    Parameters
    ----------
    n_trees : int, default=100
        Trees.
    max_features : int, float, "sqrt", "log2" or None, default=1
        Features drawn per node: a number, a share, the square root or the logarithm of
        their number, or all.
    feature_sampling : {"uniform", "confidence", "gain", "tree", "local"}, \
default="uniform"
        How features are drawn for a node. "uniform": with equal chances. "confidence":
        after every tree by the most uniform distribution within the confidence
        intervals of the features' relevance so far (Algorithm 3). "gain": after every
        tree by the sum of the trees' mean gains, damped (eq. 7.6). "tree": by the gains
        of all features in one exhaustive MDL tree. "local": by what features have told
        about the very rows of the node in a first forest (Algorithm 5).
    bootstrap : bool or "distinct", default=True
        Grow every tree on as many rows as there are, drawn with replacement; with
        "distinct" a row counts once however often it is drawn. False grows all trees
        on all rows, and there is nothing out of bag.
    max_depth : int or None, default=None
        Greatest number of tests on a path.
    min_cases : float, default=1
        Least weight of both sides of a cut, and of two branches of a nominal test; 1
        or less is no limit.
    thresholds : int or None, default=None
        Try only so many equally spaced thresholds per feature and node; None tries all
        midpoints. 20 imitates the published tree sizes.
    failed_draw : {"redraw", "leaf"}, default="redraw"
        When all drawn features are constant in the node: draw others, or stop there,
        as the published forests did.
    missing : {"largest", "fractional"}, default="largest"
        A case whose value is missing follows the heaviest branch, or goes to every
        branch with a part of its weight.
    confidence : float, default=0.95
        Level of the intervals of relevance.
    damping : float, default=1.0
        How slowly "gain" sampling leaves equal chances behind (λ of eq. 7.6).
    n_jobs : int or None, default=None
        Trees, or blocks of rows, at a time. "confidence" and "gain" grow one tree after
        another whatever it says. The answer does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of bags and draws.
    progress : callable or None, default=None
        Called as ``progress(grown, n_trees)`` whenever a tree has been grown; "local"
        sampling grows twice as many.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Features, by name or position, whose kind is not the one of their type.

    Attributes
    ----------
    relevance_ : ndarray of shape (n_features,)
        Mean gain of each feature over the nodes where it was tried and not constant,
        weighted by node complexity: a part of the node's variance.
    relevance_interval_ : ndarray of shape (n_features, 2)
        Confidence interval of the relevance (eq. 7.9); wide for features that were
        hardly tried.
    local_relevance_ : ndarray of shape (n_rows, n_features)
        Relevance of every feature for every training row, computed when asked for.
    feature_chances_ : ndarray of shape (n_features,)
        Chances with which features were drawn for the last tree; equal ones if
        `feature_sampling` is "local", where every node has its own.
    feature_importances_ : ndarray of shape (n_features,)
        `relevance_` divided by its sum.
    members_ : list of RandomRegressionTree
        The trees.
    node_counts_ : ndarray of shape (n_trees,)
        Nodes of each tree.
    oob_score_ : float
        R² of predictions by trees that do not know the row.
    oob_prediction_ : ndarray of shape (n_rows,)
        Mean of trees that do not know the row; NaN where there is no such tree.

    See Also
    --------
    RandomForestEnsemble : The same for classes.

    Examples
    --------
    >>> import numpy as np
    >>> from featsieve.ensembles import RandomForestRegressionEnsemble
    >>> X = np.random.default_rng(0).random((300, 3))
    >>> y = np.where(X[:, 0] > 0.5, 5.0 + X[:, 1], X[:, 0])
    >>> forest = RandomForestRegressionEnsemble(random_state=0).fit(X, y)
    >>> int(forest.relevance_.argmax())
    0
    >>> bool(forest.oob_score_ > 0.9)
    True
    """

    def _read_target(self, y: Any, table: Table) -> tuple[dict[str, Any], Any]:
        return read_numbers(self, y, table.n_rows)

    def _greatest_gain(self, target: dict[str, Any]) -> float:  # noqa: ARG002  (classes need it)
        return 1.0  # all of the variance

    _spread = _greatest_gain

    def _member(self, number: int) -> RandomRegressionTree:
        member: RandomRegressionTree = self._as_member(RandomRegressionTree, number)
        return member

    def _scaled(self, values: Matrix) -> Matrix:
        variance = float(np.var(self._target))
        return values / variance if variance > 0 else values

    def member_predict(self, X: Any) -> Matrix:
        """Return the number that every tree predicts.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of float64 of shape (n_trees, n_rows)
            Predictions.
        """
        matrix = self._matrix(X)
        return self._forest.member_numbers(matrix)

    def predict(self, X: Any) -> Matrix:
        """Return the mean of what the trees predict.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of float64 of shape (n_rows,)
            Predictions.
        """
        return self._means(self._matrix(X))

    def _means(self, matrix: Matrix) -> Matrix:
        forest = self._forest
        return forest.sums(matrix, self.n_jobs)[:, 0] / forest.n_trees

    @property
    def oob_prediction_(self) -> Matrix:
        """Mean prediction for each training row by trees that do not know it."""
        left_out = self._out_of_bag("oob_prediction_")
        sums = np.zeros(len(self._rows))
        for tree, own in enumerate(left_out):
            rows = np.flatnonzero(own)
            if len(rows):
                sums[rows] += self._forest.member_numbers(self._rows[rows], [tree])[0]
        with np.errstate(invalid="ignore"):
            mean: Matrix = sums / left_out.sum(axis=0, dtype=np.int64)
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

    def local_relevance(self, X: Any, y: Any = None) -> Matrix:
        """Return how much tests of each feature tell about the number of new rows.

        For every test on the way of a row through all trees, how much closer its number
        is to the mean of the branch than to that of the node, in squares; averaged by
        feature.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Columns as in `fit`.
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
                message = (
                    "y must have a value in every row, and some are missing. Leave "
                    "these rows out, or leave out y to take what the forest predicts."
                )
                raise DataError(message)
        return self._scaled(
            self._forest.local_relevance(matrix, numbers, None, self.n_jobs)
        )
