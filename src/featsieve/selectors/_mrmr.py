"""Minimum redundancy, maximum relevance: feature by feature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np

from featsieve._checks import check_choice, check_integer, check_real, check_unused
from featsieve._kernels import PairMeasure
from featsieve._types import Codes, Floats
from featsieve.data.api import Training
from featsieve.exceptions import DataError
from featsieve.inference.api import CodedColumns, code_columns, gain_p_values
from featsieve.measures import conditional_mutual_information
from featsieve.selectors._base import BaseSelector, count_wanted
from featsieve.selectors.associations._associations import (
    Associations,
    UncertaintyAssociations,
    on_grid,
)

SCHEMES = ("difference", "quotient")
MEASURES = ("mutual_information", "f_correlation")

#: Takes the next feature and those chosen before it, the nearest one first; says
#: whether to stop before it.
StopRule = Callable[[int, list[int]], bool]


class Choice(NamedTuple):
    """One step: a feature, what it tells, what was known of it, and the balance."""

    feature: int
    relevance: float
    redundancy: float
    score: float


def choose_relevant(
    associations: Associations,
    n_features: int,
    *,
    scheme: str = "difference",
    threshold: float | None = None,
    stop: StopRule | None = None,
) -> list[Choice]:
    """Choose features one by one, each by relevance against mean redundancy.

    The first is the most relevant; then the highest relevance minus (or divided by) the
    mean association with the features chosen so far, of equal ones the more relevant,
    then the first. A feature of no relevance at all comes after all others: it shares
    nothing with anything, and would beat whatever is somewhat redundant.
    """
    relevance = associations.with_class
    free = np.ones(len(relevance), dtype=bool)
    shared = np.zeros(len(relevance))
    choices: list[Choice] = []
    while len(choices) < n_features and free.any():
        redundancy = shared / max(1, len(choices))
        if not choices:
            scores = relevance
        elif scheme == "difference":
            scores = relevance - redundancy
        else:
            # Without redundancy any relevance is infinitely good, and none is 0.
            scores = np.where(relevance > 0, np.inf, 0.0)
            np.divide(relevance, redundancy, out=scores, where=redundancy > 0)
        relevant = free & (relevance > 0)
        candidates = np.flatnonzero(relevant if relevant.any() else free)
        order = np.lexsort((-relevance[candidates], -scores[candidates]))
        best = int(candidates[order[0]])
        if threshold is not None and choices and not scores[best] > threshold:
            break
        if stop is not None:
            chosen = [choice.feature for choice in choices]
            chosen.sort(key=lambda j: -associations.row(j)[best])
            if stop(best, chosen):
                break
        numbers = (float(each[best]) for each in (relevance, redundancy, scores))
        choices.append(Choice(best, *numbers))
        free[best] = False
        if len(choices) < n_features:
            shared = shared + associations.row(best)
    return choices


class FCorrelations:
    """F statistics with the class, absolute correlations between numeric features."""

    def __init__(
        self, values: Floats, classes: Codes, n_classes: int, weights: Floats | None
    ) -> None:
        w = np.ones(len(values)) if weights is None else weights
        total = w.sum()
        centred = values - (w @ values) / total
        within = np.zeros(values.shape[1])
        between = np.zeros(values.shape[1])
        for c in range(n_classes):
            rows = classes == c
            weight = w[rows].sum()
            if weight > 0:
                mean = (w[rows] @ centred[rows]) / weight
                between += weight * mean**2
                within += w[rows] @ (centred[rows] - mean) ** 2
        spread = np.sqrt(w @ centred**2)
        known = spread > np.finfo(float).eps * np.abs(values).max(axis=0, initial=0)
        between[~known] = 0.0
        ratio = np.where(between > 0, np.inf, 0.0)
        np.divide(between, within, out=ratio, where=within > 0)
        n_present = len(np.unique(classes[w > 0]))
        self.with_class = ratio * max(total - n_present, 0.0) / max(n_present - 1, 1)
        scaled = np.sqrt(w)[:, np.newaxis] * centred
        self._unit = np.divide(scaled, spread, out=np.zeros_like(scaled), where=known)

    def row(self, feature: int) -> Floats:
        """Return one feature's association with every feature."""
        row = np.abs(self._unit.T @ self._unit[:, feature])
        return np.asarray(np.minimum(1.0, row))

    def matrix(self) -> Floats:
        """Return all of them."""
        return np.asarray(np.minimum(1.0, np.abs(self._unit.T @ self._unit)))


def tells_nothing_more(columns: CodedColumns, missing: str, alpha: float) -> StopRule:
    """Return the rule that stops before a feature that the nearest one explains.

    G-test of I(feature; class | nearest chosen feature) = 0; 2 n ln 2 · I is then
    about χ² with as many degrees of freedom as cells can vary.
    """

    def stop(feature: int, chosen: list[int]) -> bool:
        x = columns.codes[:, feature].astype(np.int32)
        z = columns.codes[:, chosen[0]].astype(np.int32) if chosen else np.zeros_like(x)
        y = columns.classes
        if missing == "ignore":
            known = (x >= 0) & (z >= 0)
            x, y, z = x[known], y[known], z[known]
        weights = columns.weights
        if weights is not None and missing == "ignore":
            weights = weights[known]
        bits = conditional_mutual_information(x, y, z, weights=weights)
        total = len(x) if weights is None else weights.sum()
        freedom = 0
        for level in np.unique(z):
            rows = z == level
            n_x, n_y = len(np.unique(x[rows])), len(np.unique(y[rows]))
            freedom += (n_x - 1) * (n_y - 1)
        if freedom == 0:
            return True
        return bool(gain_p_values(bits, total, freedom) > alpha)

    return stop


@dataclass(eq=False, repr=False)
class MRMRFilter(BaseSelector):
    """Keep features that tell much about the class and little about each other.

    Peng, Long and Ding's minimum redundancy, maximum relevance: features are chosen one
    by one, each with the greatest difference (or quotient) of what it tells about the
    class and what it tells, on average, about the features chosen before it. Features
    that tell nothing about the class, such as constants, come last.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        Choose so many features, or this share of them.
    scheme : {"difference", "quotient"}, default="difference"
        Relevance minus redundancy (MID, FCD), or divided by it (MIQ, FCQ).
    measure : {"mutual_information", "f_correlation"}, default="mutual_information"
        Bits on both sides, numeric features being cut into levels first; or the F
        statistic with the class and absolute correlations between features, for
        numeric features without missing values. F has no bound, so ``"quotient"`` is
        the scheme to use with it.
    threshold : float or None, default=None
        Stop before a feature whose difference or quotient is not above this. With 0 and
        ``"difference"``, before one that tells more about those chosen than about the
        class.
    alpha : float or None, default=None
        Stop before a feature that tells nothing about the class once the chosen feature
        nearest to it is known, by a G-test at this level; for mutual information.
    missing : {"level", "ignore", "spread"}, default="level"
        What becomes of missing values: one more level; rows left out, pair by pair; or
        shared out over the levels.
    discretizer : discretizer or None, default=None
        How numeric features are cut: None is ``MDLDiscretizer()``.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Relevance: what every feature tells about the class.
    selected_ : ndarray of int of shape (n_selected,)
        The kept features in the order of choice.
    steps_ : list of dict
        The choices: feature, relevance, mean redundancy and score.
    discretizer_ : discretizer
        The fitted discretizer; only for mutual information.

    See Also
    --------
    CFSFilter : Weighs whole subsets and says when to stop.

    Notes
    -----
    Only the pairs of chosen features are counted: features × features chosen.

    References
    ----------
    H. Peng, F. Long, C. Ding, "Feature selection based on mutual information: criteria
    of max-dependency, max-relevance, and min-redundancy", IEEE Transactions on Pattern
    Analysis and Machine Intelligence 27, 2005.

    Examples
    --------
    >>> from featsieve.selectors import MRMRFilter
    >>> X = [["a", "x", "a"], ["a", "y", "a"], ["b", "x", "b"], ["b", "y", "b"]] * 5
    >>> y = [0, 1, 1, 1] * 5
    >>> MRMRFilter(n_features_to_select=2).fit(X, y).selected_
    array([0, 1])
    """

    n_features_to_select: int | float = 10
    _: KW_ONLY
    scheme: str = "difference"
    measure: str = "mutual_information"
    threshold: float | None = None
    alpha: float | None = None
    missing: str = "level"
    discretizer: Any = None
    target_bins: int | None = None

    def _check_parameters(self) -> None:
        if self.n_features_to_select is None:
            check_integer("n_features_to_select", None, self, at_least=1)
        check_choice("scheme", self.scheme, SCHEMES, self)
        check_choice("measure", self.measure, MEASURES, self)
        check_choice("missing", self.missing, ("level", "ignore", "spread"), self)
        if self.threshold is not None:
            check_real("threshold", self.threshold, self)
        if self.alpha is not None:
            check_real("alpha", self.alpha, self, above=0, below=1)
        if self.measure != "mutual_information":
            unused = ("alpha", "missing", "discretizer")
            mode, way_out = f"measure={self.measure!r}", "use 'mutual_information'"
            check_unused(unused, self, mode, way_out)

    def _fit(self, training: Training) -> None:
        n_columns = training.table.n_columns
        most = count_wanted(self.n_features_to_select, n_columns, self)
        associations: Associations
        stop = None
        if self.measure == "mutual_information":
            columns, self.discretizer_, _ = code_columns(training, self.discretizer)
            associations = UncertaintyAssociations(
                columns,
                self.missing,
                measure=PairMeasure.MUTUAL_INFORMATION,
                rounding=on_grid,
            )
            if self.alpha is not None:
                stop = tells_nothing_more(columns, self.missing, self.alpha)
        else:
            associations = self._correlate(training)
        choices = choose_relevant(
            associations,
            n_columns if most is None else most,
            scheme=self.scheme,
            threshold=self.threshold,
            stop=stop,
        )
        self.scores_ = associations.with_class
        self._keep(choice.feature for choice in choices)
        names = training.table.names
        self.steps_ = [
            {**choice._asdict(), "feature": names[choice.feature]} for choice in choices
        ]

    def _correlate(self, training: Training) -> FCorrelations:
        for column in training.table:
            bad = ""
            if column.is_nominal:
                bad = "is nominal"
            elif not np.isfinite(column.values).all():
                bad = "holds missing or infinite values"
            if bad:
                raise DataError(
                    f"Column {column.name!r} {bad}, and measure='f_correlation' needs "
                    "numbers. Use measure='mutual_information', or fill or drop it."
                )
        values = np.column_stack([column.values for column in training.table])
        target = training.target
        return FCorrelations(values, target.codes, target.n_classes, training.weights)
