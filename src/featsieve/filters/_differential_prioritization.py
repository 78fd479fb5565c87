"""Differential prioritisation: relevance against antiredundancy, by degree."""

from __future__ import annotations

from typing import Any

import numpy as np

from featsieve._checks import check_integer, check_real
from featsieve.filters._associations import Associations
from featsieve.filters._base import BaseFilter, Training, count_wanted
from featsieve.filters._cfs import mask_of
from featsieve.filters._measured_associations import (
    MeasuredAssociations,
    check_measured,
)

__all__ = ["DifferentialPrioritizationFilter"]


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


class DifferentialPrioritizationFilter(BaseFilter):
    """Choose a number of features, weighing relevance against difference by degree.

    Ooi, Chetty and Teng's criterion V^α · U^(1−α): V is the mean association of the
    chosen features with the class, U the mean of one minus their association with each
    other. Features are added one by one, each making the criterion as high as possible.

    Parameters
    ----------
    alpha : float, default=0.5
        From 0, where only difference counts, to 1, where only relevance does.
    n_features_to_select : int or float, default=10
        Choose so many features, or this share of them.
    association : str, default="auto"
        As for `featsieve.measures.class_association`: numeric features by Kendall's
        tau-b, nominal ones by symmetrical uncertainty. With `sample_weight`, which
        statistics of order do not have, ``"auto"`` is Pearson's correlation.
    missing : {"ignore", "level"}, default="ignore"
        Rows with a missing value are left out, pair by pair; or missing is one more
        level of a nominal feature.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Columns whose kind is not the one of their type.
    target_bins : int or None, default=None
        Cut a numeric target into so many classes of about equal size.
    n_jobs : int or None, default=None
        Threads; any number gives the same answer.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Association of every feature with the class.
    ranking_ : ndarray of int of shape (n_features,)
        1 for the greatest score; of equal ones the first is better.
    support_ : ndarray of bool of shape (n_features,)
        Which features are kept.
    selected_ : ndarray of int of shape (n_selected,)
        The kept features in the order of choice.
    steps_ : list of dict
        The choices: feature, association with the class, merit of the set.
    classes_ : ndarray
        The classes.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of str
        Their names, when all are strings.

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
    >>> from featsieve.filters import DifferentialPrioritizationFilter
    >>> X = [["a", "x", "a"], ["a", "y", "a"], ["b", "x", "b"], ["b", "y", "b"]] * 5
    >>> y = [0, 1, 1, 1] * 5
    >>> selector = DifferentialPrioritizationFilter(n_features_to_select=2).fit(X, y)
    >>> selector.selected_
    array([0, 1])
    """

    def __init__(
        self,
        alpha: float = 0.5,
        *,
        n_features_to_select: int | float = 10,
        association: str = "auto",
        missing: str = "ignore",
        nominal: Any = None,
        numeric: Any = None,
        target_bins: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.n_features_to_select = n_features_to_select
        self.association = association
        self.missing = missing
        self.nominal = nominal
        self.numeric = numeric
        self.target_bins = target_bins
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        check_real("alpha", self.alpha, self, at_least=0, most=1)
        if self.n_features_to_select is None:
            check_integer("n_features_to_select", None, self, at_least=1)
        check_measured(self)

    def _fit(self, training: Training) -> None:
        n_columns = training.table.n_columns
        most = count_wanted(self.n_features_to_select, n_columns, self)
        associations = MeasuredAssociations(
            training, self.association, self.missing, self.n_jobs
        )
        choices = choose_by_priority(
            associations, n_columns if most is None else most, self.alpha
        )
        self.scores_ = associations.with_class
        self.selected_ = np.array([j for j, _ in choices], dtype=np.int64)
        self.support_ = mask_of(self.selected_, n_columns)
        self.steps_ = [
            {
                "feature": training.table.names[j],
                "score": float(self.scores_[j]),
                "merit": merit,
            }
            for j, merit in choices
        ]
