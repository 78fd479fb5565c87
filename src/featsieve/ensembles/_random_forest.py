"""Random forests that know which features matter, everywhere and for single rows.

References: L. Breiman, Random forests, Machine Learning 45, 2001; Ensemble algorithms
and feature selection, PhD thesis, 2007, chapters 7 and 8.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from featsieve._checks import check_choice
from featsieve.data import Table
from featsieve.data._inputs import read_target
from featsieve.ensembles._forest_base import BaseForest
from featsieve.ensembles._forest_votes import (
    dynamic_shares,
    left_out_outcomes,
    left_out_sums,
    left_out_votes,
    shares_of,
)
from featsieve.exceptions import DataError
from featsieve.measures import entropy
from featsieve.trees import RandomTree
from featsieve.trees._reading import read_classes

__all__ = ["RandomForestEnsemble"]

INTEGRATIONS = ("vote", "average", "dynamic")

Matrix = NDArray[np.float64]


class RandomForestEnsemble(ClassifierMixin, BaseForest):
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
    integration : {"vote", "average", "dynamic"}, default="vote"
        "vote": each tree votes for one class. "average": class shares of leaves are
        averaged, which differs where leaves are not pure. "dynamic": votes are weighted
        by how well the tree does on out-of-bag rows near the row in question (eq. 7.20
        to 7.22). A tree that does worse than chance there has a negative weight and
        votes, with its size, for every class but its own.
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
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    relevance_ : ndarray of shape (n_features,)
        Mean gain of each feature over the nodes where it was tried and not constant,
        weighted by node complexity: bits.
    relevance_interval_ : ndarray of shape (n_features, 2)
        Confidence interval of the relevance (eq. 7.9); wide for features that were
        hardly tried.
    chance_relevance_ : ndarray of shape (n_features, 2)
        Between which bounds an irrelevant numeric feature without ties would be
        expected in the same nodes, by the thesis' approximations (eq. 7.13, 7.14) for
        two classes. A hint, not a test.
    local_relevance_ : ndarray of shape (n_rows, n_features)
        Relevance of every feature for every training row, computed when asked for.
    feature_chances_ : ndarray of shape (n_features,)
        Chances with which features were drawn for the last tree; equal ones if
        `feature_sampling` is "local", where every node has its own.
    feature_importances_ : ndarray of shape (n_features,)
        `relevance_` divided by its sum.
    members_ : list of RandomTree
        The trees.
    node_counts_ : ndarray of shape (n_trees,)
        Nodes of each tree.
    oob_score_ : float
        Share of right predictions by trees that do not know the row.
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
        Class shares by trees that do not know the row; NaN where there is no such tree.

    See Also
    --------
    RandomForestRegressionEnsemble : The same for numbers.
    featsieve.trees.RandomTree : A single tree.

    Notes
    -----
    Equal votes: the class that comes first. The training rows are kept, for everything
    that is computed on demand.

    Examples
    --------
    A feature that matters only on one side of another one:

    >>> import numpy as np
    >>> from featsieve.ensembles import RandomForestEnsemble
    >>> X = np.random.default_rng(0).random((600, 3))
    >>> y = np.where(X[:, 0] < 0.5, 0, (X[:, 1] > 0.5) + 1)
    >>> forest = RandomForestEnsemble(random_state=0).fit(X, y)
    >>> forest.relevance_.round(2).tolist()
    [0.82, 0.44, 0.03]
    >>> right = X[:, 0] > 0.5
    >>> forest.local_relevance_[right].mean(axis=0).round(2).tolist()
    [0.63, 0.68, 0.04]
    >>> forest.local_relevance_[~right].mean(axis=0).round(2).tolist()
    [1.02, 0.03, 0.03]
    """

    def __init__(
        self,
        *,
        n_trees: int = 100,
        max_features: int | float | str | None = 1,
        feature_sampling: str = "uniform",
        integration: str = "vote",
        bootstrap: bool | str = True,
        max_depth: int | None = None,
        min_cases: float = 1,
        thresholds: int | None = None,
        failed_draw: str = "redraw",
        missing: str = "largest",
        confidence: float = 0.95,
        damping: float = 1.0,
        n_jobs: int | None = None,
        random_state: Any = None,
        progress: Any = None,
        nominal: Any = None,
        numeric: Any = None,
    ) -> None:
        super().__init__(
            n_trees=n_trees,
            max_features=max_features,
            feature_sampling=feature_sampling,
            bootstrap=bootstrap,
            max_depth=max_depth,
            min_cases=min_cases,
            thresholds=thresholds,
            failed_draw=failed_draw,
            missing=missing,
            confidence=confidence,
            damping=damping,
            n_jobs=n_jobs,
            random_state=random_state,
            progress=progress,
            nominal=nominal,
            numeric=numeric,
        )
        self.integration = integration

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("integration", self.integration, INTEGRATIONS, self)
        if self.integration == "dynamic" and not self.bootstrap:
            message = (
                "integration='dynamic' weighs trees by rows they have not learnt from, "
                "and with bootstrap=False there are none. Use bootstrap=True."
            )
            raise ValueError(message)

    def _read_target(self, y: Any, table: Table) -> tuple[dict[str, Any], Any]:
        return read_classes(self, y, table.n_rows)

    def _greatest_gain(self, target: dict[str, Any]) -> float:
        return float(np.log2(max(target["n_classes"], 2)))

    def _spread(self, target: dict[str, Any]) -> float:
        return float(entropy(target["classes"]))

    def _member(self, number: int) -> RandomTree:
        member: RandomTree = self._as_member(RandomTree, number)
        return member

    def _scaled(self, values: Matrix) -> Matrix:
        return values

    def member_predict(self, X: Any) -> NDArray[np.int32]:
        """Return the class that every tree predicts.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of int32 of shape (n_trees, n_rows)
            Positions in ``classes_``.
        """
        matrix = self._matrix(X)
        return self._forest.member_classes(matrix)

    def predict_proba(self, X: Any) -> Matrix:
        """Return the share of every class in the votes.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of float64 of shape (n_rows, n_classes)
            Shares in the order of ``classes_``.
        """
        return self._shares(self._matrix(X))

    def _shares(self, matrix: Matrix) -> Matrix:
        forest = self._forest
        if self.integration == "dynamic":
            return dynamic_shares(forest, matrix, self._neighbours(), self.n_jobs)
        count = forest.votes if self.integration == "vote" else forest.sums
        return count(matrix, self.n_jobs) / forest.n_trees

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of the greatest share, the first of equals.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of shape (n_rows,)
            Class labels.
        """
        shares = self.predict_proba(X)
        labels: NDArray[Any] = self.classes_[np.argmax(shares, axis=1)]
        return labels

    def _neighbours(self) -> tuple[Any, NDArray[np.int8]]:
        """Return the leaves of the training rows, and which tree is right on which."""
        forest = self._forest
        if "neighbours" not in forest.cache:
            outcomes = left_out_outcomes(
                forest, self._rows, self._target, self._left_out()
            )
            forest.cache["neighbours"] = forest.leaf_index(self._rows), outcomes
        made: tuple[Any, NDArray[np.int8]] = forest.cache["neighbours"]
        return made

    @property
    def oob_decision_function_(self) -> Matrix:
        """Class shares of each training row by trees that do not know it."""
        left_out = self._out_of_bag("oob_decision_function_")
        forest = self._forest
        if self.integration != "dynamic":
            votes = self.integration == "vote"
            count = left_out_votes if votes else left_out_sums
            return shares_of(count(forest, self._rows, left_out))
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
        right = shares[asked].argmax(axis=1) == self._target[asked]
        return float(right.mean())

    def local_relevance(self, X: Any, y: Any = None) -> Matrix:
        """Return how much tests of each feature tell about the class of new rows.

        For every test on the way of a row through all trees, the change of log2 of the
        share of the row's class; averaged by feature. A class that does not occur in a
        node would have an infinite logarithm, so every node is taken to hold one more
        row, evenly of all classes. For training rows, ``local_relevance_``
        asks the trees that have learnt from them, as published, without that.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Columns as in `fit`.
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

    def _codes(self, y: Any, n_rows: int) -> NDArray[np.int32]:
        target = read_target(self, y, n_rows)
        places = {label: code for code, label in enumerate(self.classes_.tolist())}
        new = [label for label in target.classes if label not in places]
        if target.rows is not None or new:
            came = f"{new[0]!r}" if new else "a missing value"
            message = f"y must hold classes that were learnt in fit. Got {came}."
            raise DataError(message)
        codes = np.array([places[label] for label in target.classes], dtype=np.int32)
        return codes[target.codes]
