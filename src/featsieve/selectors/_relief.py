"""Relief: how the nearest rows differ, of other classes and of the same."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from featsieve._checks import check_choice, check_integer, check_real, check_unused
from featsieve._kernels import ReliefScanner
from featsieve._types import Codes, Floats
from featsieve.data.api import Training, read_features
from featsieve.engine import derive_seed, root_seed
from featsieve.exceptions import DataError
from featsieve.selectors._base import BaseSelector, count_wanted
from featsieve.selectors._relief_anchors import (
    AnchorMeans,
    Decision,
    Scan,
    lay_out_rows,
    mean_over_anchors,
    race_anchors,
    scale_to_unit,
)


@dataclass(kw_only=True, eq=False, repr=False)
class BaseRelief(BaseSelector):
    """Base of the Relief filters: a subclass says what its neighbours are.

    It names its scan of anchors in `_scan`, checks in `_check_training` what it cannot
    learn from, and adds its own parameters to `_check_parameters`.

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
    steps_ : list of dict
        Features from best to worst with score, interval and whether kept.
    """

    _takes_quantities = True
    n_features_to_select: int | float | None = None
    threshold: float | None = None
    n_anchors: int | float | str | None = None
    confidence: float = 0.95
    n_jobs: int | None = None
    random_state: Any = 0

    def _check_parameters(self) -> None:
        if self.threshold is not None:
            check_real("threshold", self.threshold, self)
        check_real("confidence", self.confidence, self, above=0, below=1)
        if isinstance(self.n_anchors, str):
            check_choice("n_anchors", self.n_anchors, ("race",), self)
        elif isinstance(self.n_anchors, float):
            check_real("n_anchors", self.n_anchors, self, above=0, most=1)
        elif self.n_anchors is not None:
            check_integer("n_anchors", self.n_anchors, self, at_least=1)
        else:
            way_out = "take a part of the rows as anchors"
            check_unused(["confidence"], self, "n_anchors=None", way_out)

    @abstractmethod
    def _check_training(self, training: Training) -> None: ...

    def _fit(self, training: Training) -> None:
        self._check_training(training)
        most = count_wanted(self.n_features_to_select, training.table.n_columns, self)
        threshold = self.threshold
        if most is None and threshold is None:
            threshold = 0.0
        decision = Decision(most, threshold)
        means, self.settled_ = self._score(training, decision)
        self.scores_ = means.scores
        self.interval_ = means.interval(self.confidence)
        self.n_anchors_ = means.n_anchors
        self.support_ = decision.keep(self.scores_)
        self.steps_ = self._ranked_steps(
            training.table.names, lower=self.interval_[:, 0], upper=self.interval_[:, 1]
        )

    def _score(
        self, training: Training, decision: Decision
    ) -> tuple[AnchorMeans, bool]:
        """Return scores in the order of the columns."""
        weka = getattr(self, "compatibility", None) == "weka"
        codes = training.target.codes
        order = np.argsort(codes, kind="stable")
        if np.all(training.target.values == training.target.values[0]) and not weka:
            nothing = np.zeros(training.table.n_columns)
            return AnchorMeans(nothing, nothing, len(codes)), False
        table, places = training.table, order
        rows = training.target.rows
        if weka and rows is not None:  # Weka takes ranges from rows without a class too
            kinds = {"nominal": self.nominal, "numeric": self.numeric}
            table = read_features(self, training.source, reset=False, **kinds)
            places = np.flatnonzero(rows)[order]
        layout = lay_out_rows(table, places, training.weights, weka=weka)
        quantity = training.target.quantity
        counts = np.bincount(codes, minlength=max(training.target.n_classes, 1))
        weights = None if training.weights is None else training.weights[order]
        scanner = ReliefScanner(
            layout.values,
            layout.expected,
            layout.groups,
            np.append(0, np.cumsum(counts)).astype(np.int32),
            self._factors(training, table.n_rows if weka else None),
            None if quantity is None else scale_to_unit(quantity)[order],
            weights,
        )
        scan = self._scan(scanner, training, layout.positions)
        means, settled = self._run(scan, len(codes), weights, decision)
        # Weka skips rows without a class, and divides by all.
        share = len(codes) / table.n_rows if weka else 1.0
        at, n = layout.positions, means.n_anchors
        return AnchorMeans(
            means.scores[at] * share, means.errors[at] * share, n
        ), settled

    @abstractmethod
    def _scan(
        self, scanner: ReliefScanner, training: Training, positions: Codes
    ) -> Scan: ...

    def _run(
        self, scan: Scan, n_rows: int, weights: Floats | None, decision: Decision
    ) -> tuple[AnchorMeans, bool]:
        anchors, n = np.arange(n_rows, dtype=np.int32), self.n_anchors
        if n is not None:
            seed = derive_seed(root_seed(self.random_state), "anchors")
            anchors = np.random.default_rng(seed).permutation(anchors)
        if isinstance(n, str):
            level, jobs = self.confidence, self.n_jobs
            return race_anchors(scan, anchors, weights, decision, level, jobs)
        if n is not None:
            anchors = anchors[
                : max(1, round(n * n_rows)) if isinstance(n, float) else n
            ]
        return mean_over_anchors(scan, anchors, weights, n_rows, self.n_jobs), False

    def _factors(self, training: Training, n_rows: int | None) -> Floats:
        """Return what hits (diagonal) and misses count, by class of the anchor.

        `n_rows` is the number of all rows if Weka's factors are wanted, else None.
        """
        if training.target.quantity is not None:
            return np.zeros((0, 0))
        n_classes = training.target.n_classes
        mass = np.bincount(
            training.target.codes, weights=training.weights, minlength=n_classes
        )
        share = mass / (mass.sum() if n_rows is None else n_rows)
        factors = np.ones((n_classes, n_classes))
        if n_rows is None or n_classes > 2:
            others = (1 - share)[:, None]
            factors = np.divide(
                share[None, :], others, out=factors * 0, where=others > 0
            )
        np.fill_diagonal(factors, -1)
        return np.ascontiguousarray(factors)


def check_copies(weights: Floats | None, n_neighbors: int) -> None:
    """Raise if weights add up to less than the neighbours that are asked for."""
    if weights is None:
        return
    needed = min(len(weights), n_neighbors + 1)
    if weights.sum() < needed:
        raise DataError(
            "sample_weight counts copies of rows here, so that neighbours can be "
            f"counted. Its sum is {weights.sum():.6g}, less than {needed}; scale it, "
            "for example to a mean of 1."
        )


@dataclass(eq=False, repr=False)
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
    compatibility : {"weka"} or None, default=None
        ``"weka"`` gives the numbers of Weka 3.9: of equally far rows the first in the
        file are taken, missing values are as far as can be (numeric) or one of equally
        likely levels (nominal), misses of two classes are not weighted, and sums are
        divided by all rows, those without a class included.

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
    >>> from featsieve.selectors import ReliefFFilter
    >>> table, truth = make_gaussian_xor(n_noise=3, random_state=0)
    >>> selector = ReliefFFilter(n_features_to_select=2).fit(table, None)
    >>> selector.get_feature_names_out().tolist()
    ['x1', 'x2']
    """

    n_neighbors: int = 10
    _: KW_ONLY
    sigma: float | None = None
    compatibility: str | None = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_integer("n_neighbors", self.n_neighbors, self, at_least=1)
        if self.sigma is not None:
            check_real("sigma", self.sigma, self, above=0)
        check_choice("compatibility", self.compatibility, (None, "weka"), self)

    def _check_training(self, training: Training) -> None:
        if self.compatibility == "weka":
            if training.weights is not None:
                raise DataError(
                    "ReliefFFilter takes no sample_weight with compatibility='weka'. "
                    "Leave one of them out."
                )
            if training.target.quantity is not None:
                raise DataError(
                    "ReliefFFilter needs classes with compatibility='weka', and the "
                    "target is a quantity. Leave compatibility out, or pass the "
                    "values as text if they are classes."
                )
        check_copies(training.weights, self.n_neighbors)

    def _scan(
        self, scanner: ReliefScanner, training: Training, positions: Codes
    ) -> Scan:
        # More neighbours than rows are no more than all rows.
        n_neighbors = self.n_neighbors
        if training.weights is None:
            n_neighbors = min(n_neighbors, training.table.n_rows)
        sigma = 0.0 if self.sigma is None else float(self.sigma)
        order = positions if self.compatibility == "weka" else None
        return lambda anchors: scanner.nearest(anchors, n_neighbors, sigma, order)


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
    >>> from featsieve.selectors import MultiSURFFilter
    >>> table, truth = make_gaussian_xor(n_noise=3, random_state=0)
    >>> selector = MultiSURFFilter(n_features_to_select=2).fit(table, None)
    >>> selector.get_feature_names_out().tolist()
    ['x1', 'x2']
    """

    def _check_training(self, training: Training) -> None:
        check_copies(training.weights, 1)

    def _scan(
        self,
        scanner: ReliefScanner,
        training: Training,
        positions: Codes,  # noqa: ARG002 - of Weka's order of columns
    ) -> Scan:
        same = 0.0
        if training.target.quantity is not None:
            values = scale_to_unit(training.target.quantity)
            copies = 1.0 if training.weights is None else training.weights
            total = len(values) if training.weights is None else training.weights.sum()
            mean = np.sum(copies * values) / total
            squares = np.sum(copies * (values - mean) ** 2)
            same = float(np.sqrt(squares / (total - 1)))
        return lambda anchors: scanner.near(anchors, same)
