"""ReliefF: how the nearest rows differ, of other classes and of the same."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._checks import check_choice, check_integer, check_real
from featsieve._kernels import ReliefScanner
from featsieve.exceptions import DataError
from featsieve.filters._relief import BaseRelief, ReliefTraining, check_copies
from featsieve.filters._relief_anchors import Scan

__all__ = ["ReliefFFilter"]


class ReliefFFilter(BaseRelief):
    """Keep features in which near rows differ if, and only if, their classes do.

    For every row, the anchor, its `n_neighbors` nearest rows of its own class (hits)
    and of each other class c (misses) are found. A feature's score is the mean over
    anchors of

        Σ_c P(c) / (1 − P(own)) · mean difference from misses of c
        − mean difference from hits,

    between −1 and 1. Neighbours are near in all features, so that features that matter
    only together are seen. Of a numeric target (RReliefF) the score is
    P(differ | target differs) − P(differ | target does not), from the nearest rows.

    Distance is the sum of the differences in all features: ``abs(a - b) / range`` of
    numeric ones, 0 or 1 of nominal ones. A missing value differs from a known one, or
    from another missing one, as much as a value drawn from the column would on average.

    Rows that are equally far away share the places they take up among the nearest, so
    that neither the order of rows nor that of columns matters. To find such rows,
    differences are rounded to multiples of 2⁻⁴⁰ before they are added up. Where there
    are fewer rows than `n_neighbors`, all are taken; a row without hits or without
    misses is no anchor.

    Parameters
    ----------
    n_neighbors : int, default=10
        Neighbours per class.
    sigma : float or None, default=None
        Weight the neighbour of rank r (from 0) by exp(−(r / sigma)²) instead of
        equally; near ones then count more.
    n_anchors : int, float, "race" or None, default=None
        Take so many rows, or this share of them, as anchors, drawn at random; None is
        all rows. ``"race"`` draws until it is settled which features are kept.
    confidence : float, default=0.95
        Of `interval_`; also the probability of settling a race rightly.
    compatibility : {"weka"} or None, default=None
        ``"weka"`` gives the numbers of Weka 3.9: of equally far rows the first in the
        file are taken, missing values are as far as can be (numeric) or one of equally
        likely levels (nominal), misses of two classes are not weighted, and sums are
        divided by all rows, those without a class included.
    n_features_to_select : int, float or None, default=None
        Keep at most so many features, or this share of them.
    threshold : float or None, default=None
        Keep features with a score above this. Without any criterion features with a
        score above 0 are kept.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Columns whose kind is not the one of their type.
    n_jobs : int or None, default=None
        Threads; any number gives the same answer.
    random_state : int, RandomState or None, default=0
        Seed of the draw of anchors.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The score of every feature.
    interval_ : ndarray of shape (n_features, 2)
        Confidence interval for the score that all anchors would give; of no width when
        all were used. It does not speak about other tables.
    n_anchors_ : int
        Anchors that were used.
    settled_ : bool
        Whether a race ended early.
    ranking_ : ndarray of int of shape (n_features,)
        1 for the best feature; of equal ones the first is better.
    support_ : ndarray of bool of shape (n_features,)
        Which features are kept.
    steps_ : list of dict
        Features from best to worst with score, interval and whether kept.
    classes_ : ndarray
        The classes; empty if the target is numeric.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of str
        Their names, when all are strings.

    See Also
    --------
    MultiSURFFilter : Needs no number of neighbours.

    Notes
    -----
    Cost: O(rows · anchors · features) time in 16-bit arithmetic that finds candidates,
    and exact distances for these only; O(rows · features) memory. `sample_weight`
    counts copies: a row of weight 2 is two rows. There is no test of significance: a
    score above 0 is no evidence by itself.

    References
    ----------
    I. Kononenko, "Estimating attributes: analysis and extensions of RELIEF", ECML
    1994. M. Robnik-Šikonja, I. Kononenko, "Theoretical and empirical analysis of
    ReliefF and RReliefF", Machine Learning 53, 2003, equations 2, 8 and 11.

    Examples
    --------
    >>> from featsieve.datasets import make_gaussian_xor
    >>> from featsieve.filters import ReliefFFilter
    >>> table, truth = make_gaussian_xor(n_noise=3, random_state=0)
    >>> selector = ReliefFFilter(n_features_to_select=2).fit(table, None)
    >>> selector.get_feature_names_out().tolist()
    ['x1', 'x2']
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        sigma: float | None = None,
        n_anchors: int | float | str | None = None,
        confidence: float = 0.95,
        compatibility: str | None = None,
        n_features_to_select: int | float | None = None,
        threshold: float | None = None,
        nominal: Any = None,
        numeric: Any = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.n_anchors = n_anchors
        self.confidence = confidence
        self.compatibility = compatibility
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.nominal = nominal
        self.numeric = numeric
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_integer("n_neighbors", self.n_neighbors, self, at_least=1)
        if self.sigma is not None:
            check_real("sigma", self.sigma, self, above=0)
        check_choice("compatibility", self.compatibility, (None, "weka"), self)

    def _check_training(self, training: ReliefTraining) -> None:
        if self.compatibility == "weka":
            if training.weights is not None:
                message = (
                    "ReliefFFilter takes no sample_weight with compatibility='weka'. "
                    "Leave one of them out."
                )
                raise DataError(message)
            if training.quantities is not None:
                message = (
                    "ReliefFFilter needs classes with compatibility='weka', and the "
                    "target is a quantity. Leave compatibility out, or pass the "
                    "values as text if they are classes."
                )
                raise DataError(message)
        check_copies(training.weights, self.n_neighbors)

    def _scan(
        self,
        scanner: ReliefScanner,
        training: ReliefTraining,
        positions: NDArray[np.int32],
    ) -> Scan:
        # More neighbours than rows are no more than all rows.
        n_neighbors = self.n_neighbors
        if training.weights is None:
            n_neighbors = min(n_neighbors, training.table.n_rows)
        sigma = 0.0 if self.sigma is None else float(self.sigma)
        order = positions if self.compatibility == "weka" else None
        return lambda anchors: scanner.nearest(anchors, n_neighbors, sigma, order)
