"""Choose one feature per level of a tree, by its gain in all nodes of the level.

H. Bommaganti's way to choose features for the members of an ensemble; section 3.5 and
figure 8 of his thesis.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from featsieve._checks import check_real
from featsieve._types import Positions
from featsieve.data.api import Training
from featsieve.selectors._base import BaseSelector, count_wanted
from featsieve.trees.api import choose_by_level, level_gains


@dataclass(eq=False, repr=False)
class CumulativeGainFilter(BaseSelector):
    """Keep the features that tell most on each level of a decision tree.

    A feature may tell little about all rows and much about parts of them. An unpruned
    C4.5 tree is grown; on every level the information gain of every feature is averaged
    over the nodes of the level, weighted by their cases, and the feature of greatest
    average that is not kept yet is kept: one per level.

    Nominal features are split into their levels and numeric ones in two, as in
    `featsieve.trees.C45Classifier`. A row whose value is missing goes down every branch
    with a part of its weight, and the gain of a feature shrinks by the share of rows
    that miss it.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Keep so many features, or this share of them; where the tree has fewer levels,
        the features of greatest gain on all rows follow. None keeps one feature per
        level of the tree.
    min_cases : float, default=2
        Least weight of at least two branches of a test.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Cumulative gain on the level where a feature was chosen, in bits; gain on all
        rows where it was not. Scores of deep levels speak of few rows.
    ranking_ : ndarray of int of shape (n_features,)
        The order of choice from 1; those that were not chosen follow by score.
    selected_ : ndarray of int of shape (n_selected,)
        The kept features in the order of choice.
    cumulative_gains_ : ndarray of shape (n_levels, n_features)
        The cumulative gain of every feature on every level of the tree.
    steps_ : list of dict
        The choices: feature, level (None where the tree had no more), score.

    See Also
    --------
    MeasureFilter : Gain on all rows, with a test against chance.
    featsieve.ensembles.SubsetEnsembleClassifier : Trees that see such features vote.

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

    >>> from featsieve.selectors import CumulativeGainFilter
    >>> X = [["a", "x", "p"], ["a", "y", "q"], ["b", "x", "q"], ["b", "y", "p"]] * 6
    >>> y = [0, 0, 0, 1] * 6
    >>> selector = CumulativeGainFilter().fit(X, y)
    >>> selector.selected_, selector.scores_.round(4).tolist()
    (array([0, 1]), [0.3113, 1.0, 0.3113])
    """

    n_features_to_select: int | float | None = None
    _: KW_ONLY
    min_cases: float = 2
    target_bins: int | None = None

    def _check_parameters(self) -> None:
        check_real("min_cases", self.min_cases, self, above=0)

    def _fit(self, training: Training) -> Positions:
        table = training.table
        wanted = count_wanted(self.n_features_to_select, table.n_columns, self)
        levels = table.n_columns if wanted is None else wanted
        gains = level_gains(training, max_levels=levels, min_cases=self.min_cases)
        choices = choose_by_level(gains, wanted)
        self.cumulative_gains_ = gains.by_level
        self.scores_ = gains.at_root.copy()
        for feature, level in choices:
            if level >= 0:
                self.scores_[feature] = gains.by_level[level, feature]
        self._keep(feature for feature, _ in choices)
        self.steps_ = [
            {
                "feature": table.names[feature],
                "level": None if level < 0 else level,
                "score": float(self.scores_[feature]),
            }
            for feature, level in choices
        ]
        by_score = np.argsort(-self.scores_, kind="stable")
        return np.concatenate([self.selected_, by_score[~self.support_[by_score]]])
