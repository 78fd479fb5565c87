"""Which features a random forest gains by, and whether chance would have too."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import false_discovery_control, rankdata

from featsieve._checks import check_choice, check_integer, check_real
from featsieve.data import Column, Table
from featsieve.data._inputs import (
    Target,
    read_features,
    read_target_column,
    read_weights,
)
from featsieve.embedded._shadow_test import shadow_test
from featsieve.engine import root_seed
from featsieve.filters._base import BaseFilter, Training, leave_out_unknown
from featsieve.trees._random_tree import check_chances, count_drawn
from featsieve.trees._shadow_growth import TreeKind, grow_shadow_forest

__all__ = ["ForestSelector"]

TESTS = ("calibrated", "t", "threshold")
POWERS = {True: 1.0, False: 0.0, "sqrt": 0.5}
#: Shadows of each feature, and of all together at the least.
LEAST_SHADOWS = 5
LEAST_SHADOWS_IN_ALL = 60
#: Trees if nothing else is said: so many per feature, within these bounds.
TREES_PER_FEATURE = 2
LEAST_TREES, MOST_TREES = 300, 3000


class ForestSelector(BaseFilter):
    """Keep the features by which the trees of a random forest gain more than chance.

    Trees draw features at random, so each is tried at many nodes, alone and behind
    others: what matters only together is found too. ``test="calibrated"`` holds what a
    feature gains at the nodes where it was drawn against what its shadows would have
    gained there. Shadows are copies of the feature with the rows permuted: same values,
    same ties, no relation to the target. They are never split on.

    Parameters
    ----------
    test : {"calibrated"}, default="calibrated"
        What gains are held against.
    gamma : float, default=0.05
        Level of the test.
    n_trees : int or None, default=None
        Trees; None is two per feature, at least 300 and at most 3000.
    node_complexity : bool or "sqrt", default=True
        Weigh what is gained at a node by the node's complexity in bits, its root, or
        not at all.
    fdr : bool, default=True
        Whether `gamma` bounds the share of false ones among the kept features
        (Benjamini and Hochberg), or the risk of each feature by itself.
    max_features : "mixed", int, float, "sqrt", "log2" or None, default="mixed"
        Features drawn per node.
    n_shadows : int or None, default=None
        Shadows per feature, at least 2; None is 5, more if there are few features.
    feature_weights : array-like of shape (n_features,) or None, default=None
        Chance of each feature to be drawn.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Columns whose kind is not the one of their type.
    n_jobs : int or None, default=None
        Threads; any number gives the same answer.
    random_state : int, RandomState or None, default=0
        Seed of bags, draws and shadows.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        How far a feature is ahead of its shadows, in standard deviations of chance.
    p_values_ : ndarray of shape (n_features,)
        How often chance alone would be as far ahead.
    q_values_ : ndarray of shape (n_features,)
        The same for the whole selection, by Benjamini and Hochberg.
    ranking_ : ndarray of int of shape (n_features,)
        1 for the greatest score; of equal ones the first is better.
    support_ : ndarray of bool of shape (n_features,)
        Which features are kept.
    steps_ : list of dict
        Features from the greatest score to the least, with what was found.
    classes_ : ndarray
        The classes; empty if the target is a quantity.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of str
        Their names, when all are strings.

    Examples
    --------
    The class is the exclusive or of two bits, among six bits of noise.

    >>> from featsieve.datasets import make_parity
    >>> from featsieve.embedded import ForestSelector
    >>> table, truth = make_parity(400, n_bits=2, n_noise=6, random_state=0)
    >>> selector = ForestSelector().fit(table, None)
    >>> selector.get_feature_names_out().tolist()
    ['x1', 'x2']
    """

    def __init__(
        self,
        test: str = "calibrated",
        *,
        gamma: float = 0.05,
        n_trees: int | None = None,
        node_complexity: bool | str = True,
        fdr: bool = True,
        max_features: int | float | str | None = "mixed",
        n_shadows: int | None = None,
        feature_weights: Any = None,
        nominal: Any = None,
        numeric: Any = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.test = test
        self.gamma = gamma
        self.n_trees = n_trees
        self.node_complexity = node_complexity
        self.fdr = fdr
        self.max_features = max_features
        self.n_shadows = n_shadows
        self.feature_weights = feature_weights
        self.nominal = nominal
        self.numeric = numeric
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_choice("test", self.test, ("calibrated",), self)
        check_real("gamma", self.gamma, self, above=0, below=1)
        if self.n_trees is not None:
            check_integer("n_trees", self.n_trees, self, at_least=1)
        check_choice("node_complexity", self.node_complexity, tuple(POWERS), self)
        check_choice("fdr", self.fdr, (True, False), self)
        if self.n_shadows is not None:
            check_integer("n_shadows", self.n_shadows, self, at_least=2)

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Training:
        table = read_features(
            self, X, reset=True, nominal=self.nominal, numeric=self.numeric
        )
        if isinstance(X, Table) and y is None:
            y = X.target
        column, rows = read_target_column(self, y, table.n_rows)
        weights = read_weights(sample_weight, table.n_rows)
        table, weights = leave_out_unknown(table, weights, rows)
        if weights is not None and not weights.all():
            # Shadows would lend the values of such rows to others.
            used = weights > 0
            table, column, weights = table.take(used), column.take(used), weights[used]
        self._target = _grower_target(column)
        levels = column.levels if column.is_nominal else ()
        self.classes_ = np.fromiter(levels, object, len(levels))
        codes = self._target.get("classes", np.zeros(table.n_rows, dtype=np.int32))
        return Training(table, Target(codes, levels, rows), weights)

    def _fit(self, training: Training) -> None:
        table = training.table
        n_features = table.n_columns
        chances = None
        if self.feature_weights is not None:
            chances = check_chances(self.feature_weights, n_features)
        forests = grow_shadow_forest(
            table,
            self._target,
            self._kinds(n_features),
            n_shadows=self._count_shadows(n_features),
            row_chances=training.weights,
            chances=chances,
            seed=root_seed(self.random_state),
            n_jobs=self.n_jobs,
        )
        del self._target
        test = shadow_test(forests)
        self.scores_ = test.score
        self.p_values_ = test.p_values
        self.q_values_ = false_discovery_control(self.p_values_)
        decisive = self.q_values_ if self.fdr else self.p_values_
        self.support_ = decisive <= self.gamma
        self.steps_ = self._tell(table.names)

    def _kinds(self, n_features: int) -> list[TreeKind]:
        n_trees = self.n_trees
        if n_trees is None:
            wanted = TREES_PER_FEATURE * n_features
            n_trees = min(max(wanted, LEAST_TREES), MOST_TREES)
        power = POWERS[self.node_complexity]
        if self.max_features != "mixed":
            drawn = count_drawn(self.max_features, n_features, self)
            return [TreeKind(n_trees, drawn, power)]
        drawn = count_drawn("sqrt", n_features, self)
        narrow = TreeKind(n_trees, 1, power / 2)
        wide = TreeKind(math.ceil(n_trees / max(3, drawn / 2)), drawn, power)
        return [narrow, wide]

    def _count_shadows(self, n_features: int) -> int:
        if self.n_shadows is not None:
            return int(self.n_shadows)
        return max(LEAST_SHADOWS, math.ceil(LEAST_SHADOWS_IN_ALL / n_features))

    def _tell(self, names: tuple[str, ...]) -> list[dict[str, Any]]:
        return [
            {
                "feature": names[j],
                "rank": rank,
                "score": float(self.scores_[j]),
                "p_value": float(self.p_values_[j]),
                "q_value": float(self.q_values_[j]),
                "kept": bool(self.support_[j]),
            }
            for rank, j in enumerate(
                np.argsort(-self.scores_, kind="stable").tolist(), start=1
            )
        ]


def _grower_target(column: Column) -> dict[str, Any]:
    """Return the target for the grower: classes, or the ranks of a quantity."""
    if column.is_nominal:
        codes = np.ascontiguousarray(column.values, dtype=np.int32)
        return {"classes": codes, "n_classes": len(column.levels)}
    ranks: NDArray[np.float64] = rankdata(column.values)
    return {"numbers": ranks / len(ranks)}
