"""What luck adds to an association, and what therefore has to be exceeded.

Associations of numeric columns are absolute values, whose mean lies above 0 even for a
column that knows nothing: the fewer rows, the higher. (Symmetrical uncertainty has its
own correction, `featsieve.measures.symmetrical_uncertainty`.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from featsieve._types import Array, Floats, Positions
from featsieve.data import Column, Table
from featsieve.inference._association_tests import Measuring
from featsieve.measures.api import effective_rows

#: Gamma that varies more than this by luck alone can show nothing.
MOST_DEVIATION = 0.5


def n_known(column: Column, weights: Floats | None, missing: str) -> float:
    """Return how many rows say as much about a column, if they had equal weights."""
    known = ~column.missing
    if missing == "level" and column.is_nominal:
        known = np.ones(len(known), dtype=bool)
    if weights is None:
        return float(np.count_nonzero(known))
    return effective_rows(weights[known])


def folded_mean(mean: ArrayLike, deviation: ArrayLike) -> Floats:
    """Return the mean of absolute values of a normal variable."""
    m, s = np.asarray(mean, dtype=float), np.asarray(deviation, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(s > 0, m / s, np.inf)
    bell = s * np.sqrt(2 / np.pi) * np.exp(-(ratio**2) / 2)
    folded: Floats = bell + m * (1 - 2 * stats.norm.sf(ratio))
    return folded


@dataclass(frozen=True, slots=True, eq=False)
class Thresholds:
    """What has to be exceeded, feature by feature.

    `raised` is the most that a feature of association `practical` shows on average, by
    luck too; with thousands of rows that is `practical` itself. `deviation` is by how
    much luck varies, where that is more than for Pearson's correlation, else 0.
    """

    raised: Floats
    deviation: Floats

    @classmethod
    def plain(cls, practical: float, n_features: int) -> Thresholds:
        """Return the practical threshold itself, for every feature."""
        return cls(np.full(n_features, practical), np.zeros(n_features))

    @classmethod
    def of(
        cls,
        table: Table,
        target: Array,
        weights: Floats | None,
        measuring: Measuring,
        *,
        practical: float,
        size: int,
    ) -> Thresholds:
        """Return those for means over samples of so many rows of a table."""
        thresholds = cls.plain(practical, table.n_columns)
        name = measuring.association
        by_levels = callable(name) or name == "symmetrical_uncertainty"
        shares = _class_shares(target)
        for j, column in enumerate(table):
            if column.is_nominal or by_levels:
                continue
            known = n_known(column, weights, measuring.missing)
            n = known / max(1, table.n_rows) * size
            each = np.full(len(shares), 1 / np.sqrt(max(n - 1, 1.0)))
            balance = np.sqrt(shares * (1 - shares))
            if measuring.association == "gamma":
                each = _deviations_of_gamma(column, target, shares, n)
                balance = shares * (1 - shares)
                thresholds.deviation[j] = shares @ np.minimum(each, 1.0)
            mean = _most_on_average(practical, each, shares, balance)
            thresholds.raised[j] = max(practical, mean)
        return thresholds


def _most_on_average(
    practical: float, deviations: Floats, shares: Floats, balance: Floats
) -> float:
    """Return the highest mean that a weighted association of `practical` can show.

    What luck adds is most where the association of a class is 0, so it matters how
    `practical` comes about. One class above its rest means another below: the signed
    associations, times `balance`, add up to 0. Luck being convex, the worst is that two
    classes make all of the association.
    """
    some = shares > 0
    shares, balance, deviations = shares[some], balance[some], deviations[some]
    hopeless = deviations > MOST_DEVIATION

    def expected(mean: Floats, own: Positions) -> Any:
        folded = np.minimum(folded_mean(mean, deviations[own]), 1.0)
        return np.where(hopeless[own], 1.0, folded)

    every = np.arange(len(shares))
    if len(shares) < 2:  # a quantity
        return float(shares @ expected(np.full(len(shares), practical), every))
    lucky = expected(np.zeros(len(shares)), every)
    a, b = np.triu_indices(len(shares), 1)
    scale = shares[a] * balance[b] + shares[b] * balance[a]
    total = np.full(len(a), float(shares @ lucky))
    for own, other in ((a, b), (b, a)):
        strength = practical * balance[other] / scale
        total += shares[own] * (expected(strength, own) - lucky[own])
    return float(total.max())


def _class_shares(target: Array) -> Floats:
    if target.dtype == np.float64:  # a quantity counts as one class
        return np.ones(1)
    shares: Floats = np.bincount(target) / max(1, len(target))
    return shares


def _deviations_of_gamma(
    column: Column, target: Array, shares: Floats, n_rows: float
) -> Floats:
    """Return how much gamma with each class varies if the column knows nothing.

    The variance of C - D is about n³ / 9 (1 - Σp³)(1 - Σq³), p and q being the shares
    of equal values on either side, and C + D is n² / 2 (1 - Σp²)(1 - Σq²).
    """
    own = _widening(*_tie_sums(column.values[~column.missing]))
    if target.dtype == np.float64:
        other = np.array([_widening(*_tie_sums(target))])
    else:
        rest = 1 - shares
        other = np.array(
            [
                _widening(a**2 + b**2, a**3 + b**3)
                for a, b in zip(shares, rest, strict=True)
            ]
        )
    deviations: Floats = np.sqrt(4 / 9 * own * other / max(n_rows, 1.0))
    return deviations


def _tie_sums(values: Array) -> tuple[float, float]:
    """Return the sums of squares and cubes of the shares of equal values."""
    if len(values) == 0:
        return 1.0, 1.0
    shares = np.unique(values, return_counts=True)[1] / len(values)
    return float(np.sum(shares**2)), float(np.sum(shares**3))


def _widening(squares: float, cubes: float) -> float:
    untied = 1 - squares
    return (1 - cubes) / untied**2 if untied > 0 else np.inf
