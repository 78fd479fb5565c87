"""Differential prioritisation: relevance against antiredundancy, by degree."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from featsieve._checks import check_integer, check_real
from featsieve.data.api import Training
from featsieve.selectors._base import count_wanted
from featsieve.selectors.associations._associations import (
    Associations,
    MeasuredAssociations,
    MeasuredFilter,
)


def choose_by_priority(
    associations: Associations, n_features: int, alpha: float
) -> list[tuple[int, float]]:
    """Add the feature that makes V^α · U^(1−α) highest, up to a number of features.

    V is the mean association of the set with the class, U the mean of one minus the
    association over pairs of the set; one feature alone has U = 1. Returns the features
    in the order of choice, each with the merit of the set it completed.
    """
    with_class = np.abs(associations.with_class)
    free = np.ones(len(with_class), dtype=bool)
    shared = np.zeros(len(with_class))
    relevance = redundancy = 0.0
    choices: list[tuple[int, float]] = []
    while len(choices) < n_features and free.any():
        size = len(choices) + 1
        n_pairs = size * (size - 1) / 2
        value = (relevance + with_class) / size
        apart = 1.0 - (redundancy + shared) / n_pairs if n_pairs else np.ones(len(free))
        merits = value**alpha * np.maximum(0.0, apart) ** (1.0 - alpha)
        candidates = np.flatnonzero(free)
        best = int(candidates[np.argmax(merits[candidates])])
        choices.append((best, float(merits[best])))
        relevance += with_class[best]
        redundancy += shared[best]
        free[best] = False
        if len(choices) < n_features:
            shared = shared + np.abs(associations.row(best))
    return choices


@dataclass(eq=False, repr=False)
class DifferentialPrioritizationFilter(MeasuredFilter):
    """Choose a number of features, weighing relevance against difference by degree.

    Ooi, Chetty and Teng's criterion V^α · U^(1−α), where α is `relevance_weight`: V is
    the mean association of the chosen features with the class, U the mean of one minus
    their association with each other. Features are added one by one, each making the
    criterion as high as possible.

    Parameters
    ----------
    relevance_weight : float, default=0.5
        From 0, where only difference counts, to 1, where only relevance does.
    n_features_to_select : int or float, default=10
        Choose so many features, or this share of them.

    Attributes
    ----------
    steps_ : list of dict
        The choices: feature, association with the class, merit of the set.

    See Also
    --------
    MRMRFilter : Relevance minus redundancy, on information.
    DecisionRuleFilter : Levels of association instead of a merit.

    Notes
    -----
    Only the pairs of chosen features are measured. Of equal features the first is
    taken.

    References
    ----------
    C. H. Ooi, M. Chetty, S. W. Teng, "Differential prioritization in feature selection
    and classifier aggregation for multiclass microarray datasets", Data Mining and
    Knowledge Discovery 14, 2007.

    Examples
    --------
    >>> from featsieve.selectors import DifferentialPrioritizationFilter
    >>> X = [["a", "x", "a"], ["a", "y", "a"], ["b", "x", "b"], ["b", "y", "b"]] * 5
    >>> y = [0, 1, 1, 1] * 5
    >>> selector = DifferentialPrioritizationFilter(n_features_to_select=2).fit(X, y)
    >>> selector.selected_
    array([0, 1])
    """

    relevance_weight: float = 0.5
    _: KW_ONLY
    n_features_to_select: int | float = 10

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_real("relevance_weight", self.relevance_weight, self, at_least=0, most=1)
        if self.n_features_to_select is None:
            check_integer("n_features_to_select", None, self, at_least=1)

    def _fit(self, training: Training) -> None:
        n_columns = training.table.n_columns
        most = count_wanted(self.n_features_to_select, n_columns, self)
        associations = MeasuredAssociations(
            training, self.association, self.missing, self.n_jobs
        )
        choices = choose_by_priority(
            associations, n_columns if most is None else most, self.relevance_weight
        )
        self.scores_ = associations.with_class
        self._keep(j for j, _ in choices)
        self.steps_ = [
            {
                "feature": training.table.names[j],
                "score": float(self.scores_[j]),
                "merit": merit,
            }
            for j, merit in choices
        ]
