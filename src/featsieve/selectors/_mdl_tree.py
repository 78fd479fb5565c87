"""The features that a tree of shortest description uses, or could use."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from featsieve._checks import check_choice, check_integer
from featsieve._types import Codes
from featsieve.data.api import Training
from featsieve.selectors._base import BaseSelector
from featsieve.trees import MDLTreeClassifier, MDLTreeRegressor

FEATURES = ("used", "feasible")


@dataclass(eq=False, repr=False)
class MDLTreeSelector(BaseSelector):
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
        Whether naming a feature costs bits; see `featsieve.trees.MDLTreeClassifier`.
        ``"without_key"`` imitates the published numbers of features.
    n_thresholds : int or None, default=None
        Try only so many equally spaced thresholds per feature and node; None tries all.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Gain of the splits of a feature that count, summed over nodes by their share of
        the rows: in bits per row, or in units of the target's variance.
    tree_ : Tree
        The tree.
    steps_ : list of dict
        The nodes at which some feature was feasible: their share of the rows, the
        feature split on and all feasible ones.

    See Also
    --------
    ForestSelector : Asks many random trees instead of one.
    featsieve.trees.MDLTreeClassifier : The tree.

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

    >>> from featsieve.selectors import MDLTreeSelector
    >>> X = [[i % 20, i % 20, i % 7] for i in range(60)]
    >>> y = ["low" if i % 20 < 8 else "high" for i in range(60)]
    >>> MDLTreeSelector().fit(X, y).support_
    array([ True, False, False])
    >>> MDLTreeSelector(features="feasible").fit(X, y).support_
    array([ True,  True, False])
    """

    _takes_quantities = True

    features: str = "used"
    _: KW_ONLY
    feature_cost: str | None = "full"
    n_thresholds: int | None = None

    def _check_parameters(self) -> None:
        check_choice("features", self.features, FEATURES, self)
        costs = ("full", "without_key", None)
        check_choice("feature_cost", self.feature_cost, costs, self)
        if self.n_thresholds is not None:
            check_integer(
                "n_thresholds", self.n_thresholds, self, at_least=1, most=10**9
            )

    def _fit(self, training: Training) -> None:
        column = training.target.column
        kind = MDLTreeClassifier if column.is_nominal else MDLTreeRegressor
        fitted = kind(
            n_thresholds=self.n_thresholds, feature_cost=self.feature_cost, observe=True
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
    nodes: Codes = np.unique(tried.node[tried.passes])
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
