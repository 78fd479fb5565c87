"""Choose one feature per level of a tree, by its gain in all nodes of the level.

H. Bommaganti's way to choose features for the members of an ensemble; section 3.5 and
figure 8 of his thesis.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._checks import check_integer, check_real
from featsieve._kernels import GrowthRules, MissingCases, SplitScore, grow_tree
from featsieve.data import Table
from featsieve.data._tree_columns import tree_columns
from featsieve.filters._base import BaseFilter, Training, count_wanted, rank_scores
from featsieve.filters._cfs import mask_of

__all__ = [
    "CumulativeGainFilter",
    "LevelGains",
    "choose_by_level",
    "cumulative_gain",
    "level_gains",
]

#: Gains that agree in so many decimals are equal: beyond lies rounding.
DECIMALS = 12
#: Neighbouring values must differ by more than this for a cut between them, in C4.5.
LEAST_GAP = 1e-5


@dataclass(frozen=True, slots=True, eq=False)
class LevelGains:
    """What features tell in the nodes of a tree, level by level, in bits.

    `at_root` is their gain on all rows, also where the root is not split; row l of
    `by_level` is their cumulative gain on level l.
    """

    at_root: NDArray[np.float64]
    by_level: NDArray[np.float64]


def cumulative_gain(
    gains: NDArray[np.float64], sizes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return Σ |Dᵢ| Gain(Dᵢ, A) / Σ |Dᵢ| for every feature A.

    `gains` has one row per node of the level, `sizes` the weight of its cases.
    """
    means: NDArray[np.float64] = sizes @ gains / sizes.sum()
    return means


def level_gains(
    table: Table,
    classes: NDArray[np.int32],
    n_classes: int,
    weights: NDArray[np.float64] | None,
    *,
    max_levels: int,
    min_cases: float = 2,
) -> LevelGains:
    """Return the gains in the nodes of an unpruned C4.5 tree of so many levels.

    Nodes that are not split, because they are pure or have no test, are on no level. A
    feature without a test in a node tells nothing there.
    """
    rules = GrowthRules()
    rules.score = SplitScore.GAIN_RATIO
    rules.minimum_share = True
    rules.min_cases = float(min_cases)
    rules.min_weight = 2.0 * min_cases
    rules.min_gap = LEAST_GAP
    rules.missing = MissingCases.FRACTIONAL
    rules.all_levels = True
    rules.max_depth = max_levels
    tree, tried = grow_tree(
        tree_columns(table),
        rules,
        classes=classes,
        n_classes=n_classes,
        weights=weights,
        observe=True,
    )
    assert tried is not None
    # Every node that was looked at has tried all features in order.
    gains = tried["gain"].reshape(-1, table.n_columns)
    looked_at = tried["node"][:: table.n_columns]
    place = np.full(len(tree["feature"]), -1)
    place[looked_at] = np.arange(len(looked_at))
    at_root = gains[0] if len(gains) else np.zeros(table.n_columns)
    by_level = [
        cumulative_gain(gains[place[nodes]], tree["weight"][nodes])
        for nodes in _levels_of(tree["first_child"], tree["n_children"])
    ]
    gains_by_level = np.reshape(by_level, (-1, table.n_columns))
    return LevelGains(at_root.round(DECIMALS), gains_by_level.round(DECIMALS))


def _levels_of(
    first_child: NDArray[np.int32], n_children: NDArray[np.int32]
) -> list[NDArray[np.intp]]:
    """Return the nodes of every level that are split."""
    levels = []
    nodes = np.zeros(1, dtype=np.intp)
    while len(nodes := nodes[n_children[nodes] > 0]):
        levels.append(nodes)
        counts = n_children[nodes]
        begins = np.repeat(first_child[nodes] - np.cumsum(counts) + counts, counts)
        nodes = begins + np.arange(counts.sum(), dtype=np.intp)
    return levels


def choose_by_level(gains: LevelGains, count: int | None) -> list[tuple[int, int]]:
    """Return (feature, level) of the best new feature of every level.

    With a `count`, if the tree has fewer levels, the features of greatest gain at the
    root follow, on level -1. The first of equals is best.
    """
    n_features = len(gains.at_root)
    most = n_features if count is None else min(count, n_features)
    is_open = np.ones(n_features, dtype=bool)
    chosen = []
    for level, values in enumerate(gains.by_level[:most]):
        best = int(np.argmax(np.where(is_open, values, -np.inf)))
        chosen.append((best, level))
        is_open[best] = False
    if count is None:
        return chosen
    rest = np.argsort(-gains.at_root, kind="stable")
    rest = rest[is_open[rest]][: most - len(chosen)]
    return chosen + [(feature, -1) for feature in rest.tolist()]


class CumulativeGainFilter(BaseFilter):
    """Keep the features that tell most on each level of a decision tree.

    A feature may tell little about all rows and much about parts of them. An unpruned
    C4.5 tree is grown; on every level the information gain of every feature is averaged
    over the nodes of the level, weighted by their cases, and the feature of greatest
    average that is not kept yet is kept: one per level.

    Nominal features are split into their levels and numeric ones in two, as in
    `featsieve.trees.C45Tree`. A row whose value is missing goes down every branch with
    a part of its weight, and the gain of a feature shrinks by the share of rows that
    miss it.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Keep so many features, or this share of them; where the tree has fewer levels,
        the features of greatest gain on all rows follow. None keeps one feature per
        level of the tree.
    min_cases : float, default=2
        Least weight of at least two branches of a test.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Columns whose kind is not the one of their type.
    target_bins : int or None, default=None
        Cut a numeric target into so many classes of about equal size.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Cumulative gain on the level where a feature was chosen, in bits; gain on all
        rows where it was not. Scores of deep levels speak of few rows.
    ranking_ : ndarray of int of shape (n_features,)
        The order of choice from 1; those that were not chosen follow by score.
    support_ : ndarray of bool of shape (n_features,)
        Which features are kept.
    selected_ : ndarray of int of shape (n_selected,)
        The kept features in the order of choice.
    cumulative_gains_ : ndarray of shape (n_levels, n_features)
        The cumulative gain of every feature on every level of the tree.
    steps_ : list of dict
        The choices: feature, level (None where the tree had no more), score.
    classes_ : ndarray
        The classes.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of str
        Their names, when all are strings.

    See Also
    --------
    InformationGainFilter : Gain on all rows, with a test against chance.
    featsieve.ensembles.SubsetEnsemble : Lets trees vote that see such features.

    Notes
    -----
    Costs as much as a tree whose depth is the number of features to keep. Memory: one
    number per feature and node.

    References
    ----------
    H. Bommaganti, master's thesis on feature subset selection with ensembles,
    University of Minnesota, section 3.5. J. R. Quinlan, "C4.5: Programs for Machine
    Learning", 1993.

    Examples
    --------
    On the first level `left` tells most, below it `right` tells all.

    >>> from featsieve.filters import CumulativeGainFilter
    >>> X = [["a", "x", "p"], ["a", "y", "q"], ["b", "x", "q"], ["b", "y", "p"]] * 6
    >>> y = [0, 0, 0, 1] * 6
    >>> selector = CumulativeGainFilter().fit(X, y)
    >>> selector.selected_, selector.scores_.round(4).tolist()
    (array([0, 1]), [0.3113, 1.0, 0.3113])
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        min_cases: float = 2,
        nominal: Any = None,
        numeric: Any = None,
        target_bins: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.min_cases = min_cases
        self.nominal = nominal
        self.numeric = numeric
        self.target_bins = target_bins

    def _check_parameters(self) -> None:
        check_real("min_cases", self.min_cases, self, above=0)
        if self.target_bins is not None:
            check_integer("target_bins", self.target_bins, self, at_least=2)

    def _fit(self, training: Training) -> None:
        table, target = training.table, training.target
        wanted = count_wanted(self.n_features_to_select, table.n_columns, self)
        gains = level_gains(
            table,
            target.codes,
            target.n_classes,
            training.weights,
            max_levels=table.n_columns if wanted is None else wanted,
            min_cases=self.min_cases,
        )
        choices = choose_by_level(gains, wanted)
        self.cumulative_gains_ = gains.by_level
        self.scores_ = gains.at_root.copy()
        for feature, level in choices:
            if level >= 0:
                self.scores_[feature] = gains.by_level[level, feature]
        self.selected_ = np.array([feature for feature, _ in choices], dtype=np.int64)
        self.support_ = mask_of(self.selected_, table.n_columns)
        self.steps_ = [
            {
                "feature": table.names[feature],
                "level": None if level < 0 else level,
                "score": float(self.scores_[feature]),
            }
            for feature, level in choices
        ]

    def _ranking(self) -> NDArray[np.int64]:
        order = np.full(len(self.scores_), np.inf)
        order[self.selected_] = np.arange(len(self.selected_))
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[np.lexsort((rank_scores(self.scores_), order))] = np.arange(
            1, len(order) + 1
        )
        return ranks
