"""MultiSURF: Relief with neighbours by distance instead of by number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._kernels import ReliefScanner
from featsieve.filters._relief import BaseRelief, ReliefTraining, check_copies
from featsieve.filters._relief_anchors import Scan

__all__ = ["MultiSURFFilter"]


class MultiSURFFilter(BaseRelief):
    """Keep features in which near rows differ if, and only if, their classes do.

    As `ReliefFFilter`, but near are all rows whose distance from the anchor is below
    the mean of all its distances less half their standard deviation; there is no
    number of neighbours to choose. A feature's score is the mean over all rows of

        Σ_c P(c) / (1 − P(own)) · mean difference from near misses of class c
        − mean difference from near hits,

    where a mean over no rows is 0. Of a numeric target, near rows whose target differs
    by less than its (sample) standard deviation are hits, all others misses.

    Distances and missing values are as in `ReliefFFilter`. Neither the order of rows
    nor that of columns matters.

    Parameters
    ----------
    n_anchors : int, float, "race" or None, default=None
        Take so many rows, or this share of them, as anchors, drawn at random; None is
        all rows. ``"race"`` draws until it is settled which features are kept.
    confidence : float, default=0.95
        Of `interval_`; also the probability of settling a race rightly.
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
    ReliefFFilter : A fixed number of neighbours; faster.

    Notes
    -----
    Cost: O(rows · anchors · features) time, O(rows · features) memory. To be
    near, a row must be below the bound by more than rounding can do (1e-9).
    `sample_weight` counts copies: a row of weight 2 is two rows. There is no test of
    significance: a score above 0 is no evidence by itself.

    References
    ----------
    R. J. Urbanowicz, R. S. Olson, P. Schmitt, M. Meeker, J. H. Moore, "Benchmarking
    relief-based feature selection methods for bioinformatics data mining", Journal of
    Biomedical Informatics 85, 2018, section 2.2.

    Examples
    --------
    >>> from featsieve.datasets import make_gaussian_xor
    >>> from featsieve.filters import MultiSURFFilter
    >>> table, truth = make_gaussian_xor(n_noise=3, random_state=0)
    >>> selector = MultiSURFFilter(n_features_to_select=2).fit(table, None)
    >>> selector.get_feature_names_out().tolist()
    ['x1', 'x2']
    """

    def __init__(
        self,
        *,
        n_anchors: int | float | str | None = None,
        confidence: float = 0.95,
        n_features_to_select: int | float | None = None,
        threshold: float | None = None,
        nominal: Any = None,
        numeric: Any = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_anchors = n_anchors
        self.confidence = confidence
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.nominal = nominal
        self.numeric = numeric
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_training(self, training: ReliefTraining) -> None:
        check_copies(training.weights, 1)

    def _scan(
        self,
        scanner: ReliefScanner,
        training: ReliefTraining,
        positions: NDArray[np.int32],  # noqa: ARG002 - of Weka's order of columns
    ) -> Scan:
        same = 0.0
        if training.quantities is not None:
            values = training.quantities
            copies = 1.0 if training.weights is None else training.weights
            total = len(values) if training.weights is None else training.weights.sum()
            mean = np.sum(copies * values) / total
            squares = np.sum(copies * (values - mean) ** 2)
            same = float(np.sqrt(squares / (total - 1)))
        return lambda anchors: scanner.near(anchors, same)
