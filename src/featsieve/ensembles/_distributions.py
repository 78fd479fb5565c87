"""Which columns a member sees: weights of features, and subsets drawn by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from featsieve.data._inputs import Target
from featsieve.ensembles._members import Columns, Matrix
from featsieve.exceptions import DataError
from featsieve.filters import _base as filters
from featsieve.filters._bifs import BINS_WITHOUT_CUT
from featsieve.filters._coding import code_columns
from featsieve.filters._pair_scan import ScanInput
from featsieve.measures import pairwise_gain

__all__ = [
    "Distribution",
    "distribution_of_array",
    "distribution_of_pairs",
    "even_distribution",
]

#: Pairs that may be drawn: those of greatest joint gain.
MOST_PAIRS = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """Weights of features, and of groups of features that are drawn together.

    Parameters
    ----------
    weights : ndarray of shape (n_features + n_groups,)
        How likely features, then groups, are drawn; not negative.
    groups : sequence of ndarray
        The features of every group.
    """

    weights: Matrix
    groups: Sequence[NDArray[np.intp]] = field(default=())

    @property
    def n_features(self) -> int:
        """How many features there are."""
        return len(self.weights) - len(self.groups)

    def of_features(self) -> Matrix:
        """Return the weight of every feature, sum 1; groups share theirs out."""
        shares = self.weights[: self.n_features].copy()
        for group, weight in zip(
            self.groups, self.weights[self.n_features :], strict=True
        ):
            shares[group] += weight / len(group)
        total = shares.sum()
        return shares / total if total > 0 else np.full_like(shares, 1 / len(shares))

    def draw(self, size: int, generator: np.random.Generator) -> Columns:
        """Return that many different features, in ascending order.

        They are drawn one after another by weight, those drawn being out of the game:
        the first of exponential clocks that run at these speeds to ring, which is the
        law of the greatest keys u^(1/w). What has weight 0 is drawn when nothing else
        is left. A group that has no room any more is passed over.
        """
        clocks = generator.standard_exponential(len(self.weights))
        speeds = self.weights / max(self.weights.max(), np.finfo(float).tiny)
        rings = np.full_like(clocks, np.inf)
        with np.errstate(over="ignore"):
            np.divide(clocks, speeds, out=rings, where=speeds > 0)
        order = np.lexsort((clocks, rings))
        if not len(self.groups):
            return np.sort(order[:size]).astype(np.uint32)
        drawn: set[int] = set()
        for unit in order.tolist():
            if unit < self.n_features:
                drawn.add(unit)
            else:
                fresh = drawn.union(self.groups[unit - self.n_features].tolist())
                drawn = fresh if len(fresh) <= size else drawn
            if len(drawn) == size:
                break
        return np.array(sorted(drawn), dtype=np.uint32)


def even_distribution(n_features: int, features: Any = None) -> Distribution:
    """Return equal weights of all features, or of these and 0 of the others."""
    weights = np.zeros(n_features)
    weights[slice(None) if features is None else features] = 1
    return Distribution(weights / weights.sum())


def distribution_of_array(given: Any, n_features: int, owner: str) -> Distribution:
    """Return weights that a user gave, checked.

    Raises
    ------
    DataError
        If they are not one number per feature, finite, not negative, not all 0.
    """
    try:
        weights = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.empty((0, 0))
    good = weights.shape == (n_features,)
    good = good and bool(np.isfinite(weights).all() and weights.min() >= 0)
    if not good or not weights.any():
        message = (
            f"The 'strategy' parameter of {owner}, if it is an array, must hold one "
            f"weight for each of the {n_features} features, finite, not negative and "
            f"not all 0. Got {given!r} instead."
        )
        raise DataError(message)
    scaled = weights / weights.max()  # first, because the sum may overflow
    return Distribution(scaled / scaled.sum())


def distribution_of_pairs(
    training: filters.Training, n_jobs: int | None
) -> Distribution:
    """Return weights of pairs by what they tell together, and of features alone.

    A weight is the gain in bits less what the best of as many that tell nothing would
    reach: the chance gain of a table is about χ² / (2 n ln 2).
    """
    columns, _, _ = code_columns(training, None, bins_without_cut=BINS_WITHOUT_CUT)
    data = ScanInput(columns.codes, columns.classes, columns.weights, "level", n_jobs)
    n_features = data.n_features
    if n_features < 2:
        return even_distribution(n_features)
    pairs = pairwise_gain(
        columns.codes,
        columns.classes,
        top=min(MOST_PAIRS, n_features * (n_features - 1) // 2),
        by="joint_gain",
        weights=columns.weights,
        n_jobs=n_jobs,
    )
    levels = np.maximum(data.levels_present(), 1)
    cells = np.minimum(levels[pairs.first] * levels[pairs.second], data.total)
    n_pairs = n_features * (n_features - 1) // 2
    weights = np.concatenate(
        [
            _beyond_chance(pairs.gain, levels, training.target, data.total, n_features),
            _beyond_chance(
                pairs.joint_gain, cells, training.target, data.total, n_pairs
            ),
        ]
    )
    groups = np.column_stack([pairs.first, pairs.second]).astype(np.intp)
    return Distribution(weights, list(groups))


def _beyond_chance(
    gains: Matrix, cells: Matrix, target: Target, total: float, count: int
) -> Matrix:
    """Return gains less what the best of `count` gains by chance would be."""
    freedom = np.maximum((cells - 1) * (target.n_classes - 1), 0.5)
    chance = chi2.isf(1 / (count + 1), freedom) / (2 * np.log(2) * total)
    beyond: Matrix = np.maximum(gains - chance, 0.0)
    return beyond
