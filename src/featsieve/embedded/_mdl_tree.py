"""The features that a tree of shortest description uses, or could use."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._checks import check_choice, check_integer
from featsieve.embedded._base import BaseEmbedded
from featsieve.trees import MDLRegressionTree, MDLTree

__all__ = ["MDLTreeSelector"]

FEATURES = ("used", "feasible")


class MDLTreeSelector(BaseEmbedded):
    """Keep the features that one MDL tree splits on, or could have split on.

    The tree splits a node only if that shortens the description of the target. At every
    node, features whose best split does are feasible; the one that gains most is used.
    Feasible features keep stand-ins of each other, used ones seldom do.

    Parameters
    ----------
    features : {"used", "feasible"}, default="used"
        Keep features that some node was split on (DT1), or that were feasible at some
        node (DT2).
    feature_cost : {"full", "without_key", None}, default="full"
        Whether naming a feature costs bits; see `featsieve.trees.MDLTree`.
        ``"without_key"`` imitates the published numbers of features.
    thresholds : int or None, default=None
        Try only so many equally spaced thresholds per feature and node; None tries all.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Columns whose kind is not the one of their type.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Gain of the splits of a feature that count, summed over nodes by their share of
        the rows: in bits per row, or in units of the target's variance.
    ranking_ : ndarray of int of shape (n_features,)
        1 for the greatest score; of equal ones the first is better.
    support_ : ndarray of bool of shape (n_features,)
        Which features are kept.
    tree_ : Tree
        The tree.
    steps_ : list of dict
        The nodes at which some feature was feasible: their share of the rows, the
        feature split on and all feasible ones.
    classes_ : ndarray
        The classes; empty if the target is a quantity.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of str
        Their names, when all are strings.

    See Also
    --------
    ForestSelector : Asks many random trees instead of one.
    featsieve.trees.MDLTree : The tree.

    Notes
    -----
    As fast as growing one tree. What matters only together, such as the bits of a
    parity, is missed, since no feature pays at the root. Equal gains: the feature that
    comes first is used.

    References
    ----------
    Ensemble algorithms and feature selection, 2007, section 8.1 (tables 8.3 and 8.6).

    Examples
    --------
    The second feature is a copy of the first, so it is feasible but not used.

    >>> from featsieve.embedded import MDLTreeSelector
    >>> X = [[i % 20, i % 20, i % 7] for i in range(60)]
    >>> y = ["low" if i % 20 < 8 else "high" for i in range(60)]
    >>> MDLTreeSelector().fit(X, y).support_
    array([ True, False, False])
    >>> MDLTreeSelector(features="feasible").fit(X, y).support_
    array([ True,  True, False])
    """

    def __init__(
        self,
        features: str = "used",
        *,
        feature_cost: str | None = "full",
        thresholds: int | None = None,
        nominal: Any = None,
        numeric: Any = None,
    ) -> None:
        self.features = features
        self.feature_cost = feature_cost
        self.thresholds = thresholds
        self.nominal = nominal
        self.numeric = numeric

    def _check_parameters(self) -> None:
        check_choice("features", self.features, FEATURES, self)
        costs = ("full", "without_key", None)
        check_choice("feature_cost", self.feature_cost, costs, self)
        if self.thresholds is not None:
            check_integer("thresholds", self.thresholds, self, at_least=1, most=10**9)

    def _fit(self, training: Any) -> None:
        column = training.column
        kind = MDLTree if column.is_nominal else MDLRegressionTree
        fitted = kind(
            thresholds=self.thresholds, feature_cost=self.feature_cost, observe=True
        ).fit(training.table, column, training.weights)
        self.tree_ = fitted.tree_
        tried, tree = fitted.tried_, fitted.tree_
        counts = tried.passes
        if self.features == "used":
            counts = tree.feature[tried.node] == tried.feature
        share = tree.weight[tried.node[counts]] / tree.weight[0]
        n_features = training.table.n_columns
        self.scores_ = np.bincount(
            tried.feature[counts], share * tried.gain[counts], n_features
        )
        self.support_ = np.bincount(tried.feature[counts], minlength=n_features) > 0
        self.steps_ = _tell(tree, tried, training.table.names)


def _tell(tree: Any, tried: Any, names: tuple[str, ...]) -> list[dict[str, Any]]:
    nodes: NDArray[np.int32] = np.unique(tried.node[tried.passes])
    return [
        {
            "node": int(node),
            "share": float(tree.weight[node] / tree.weight[0]),
            "used": names[tree.feature[node]],
            "feasible": [
                names[j] for j in tried.feature[tried.passes & (tried.node == node)]
            ],
        }
        for node in nodes
    ]
