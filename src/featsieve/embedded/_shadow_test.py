"""The test of features against their shadows, which holds its level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from featsieve.trees._shadow_growth import ShadowSums

__all__ = ["ShadowTest", "compare_with_shadows", "shadow_test"]

#: What shadows gain is skewed to the right, and its skewness is hard to estimate from
#: few features. The floor was chosen on tables of noise, the cap is an exponential's.
LEAST_SKEWNESS = 1.25
MOST_SKEWNESS = 2.0


@dataclass(frozen=True, slots=True)
class ShadowTest:
    """How far features are ahead of their shadows, and how often chance would be.

    `excess` is the mean gain of a feature less that of its shadows, `score` the excess
    in standard deviations of what chance does; both are sums where there are several
    kinds of trees. `null` holds what the score of each shadow would be in the feature's
    place. Features that were never drawn, or are constant, have p-value 1.
    """

    excess: NDArray[np.float64]
    score: NDArray[np.float64]
    null: NDArray[np.float64]
    deviation: float
    skewness: float
    p_values: NDArray[np.float64]


def compare_with_shadows(
    sums: ShadowSums,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Return the excess of features, of shadows in their place, and who was tested.

    A shadow is held against the mean of the others, of which there is one less: the
    scale makes up for it.
    """
    n_shadows = sums.shadow_gain.shape[1]
    tested = (sums.weight > 0) & (sums.shadow_gain.max(axis=1) > 0)
    weight = np.where(tested, sums.weight, 1.0)
    gain = sums.gain / weight
    shadows = sums.shadow_gain / weight[:, None]
    mean = shadows.mean(axis=1)
    others = (mean[:, None] * n_shadows - shadows) / (n_shadows - 1)
    scale = math.sqrt((1 + 1 / n_shadows) / (1 + 1 / (n_shadows - 1)))
    excess = np.where(tested, gain - mean, 0.0)
    null = np.where(tested[:, None], (shadows - others) * scale, 0.0)
    return excess, null, tested


def shadow_test(forests: Sequence[ShadowSums]) -> ShadowTest:
    """Test features by the sums of one or more kinds of trees with the same shadows.

    What a shadow does in place of its feature is what chance does. It is pooled over
    features and shadows; its tail is that of a Pearson type III distribution.
    """
    n_features = len(forests[0].weight)
    excess = np.zeros(n_features)
    score = np.zeros(n_features)
    null = np.zeros(forests[0].shadow_gain.shape)
    tested = np.zeros(n_features, dtype=bool)
    for sums in forests:
        own_excess, own_null, own_tested = compare_with_shadows(sums)
        deviation = _deviation(own_null[own_tested])
        if deviation == 0:
            continue
        excess += own_excess
        score += own_excess / deviation
        null += own_null / deviation
        tested |= own_tested
    deviation = _deviation(null[tested])
    p_values = np.ones(n_features)
    if deviation == 0:
        return ShadowTest(excess, score, null, 0.0, LEAST_SKEWNESS, p_values)
    skewness = _skewness(null[tested] / deviation)
    p_values[tested] = _upper_tail(score[tested] / deviation, skewness)
    return ShadowTest(
        excess, score / deviation, null / deviation, deviation, skewness, p_values
    )


def _deviation(null: NDArray[np.float64]) -> float:
    return math.sqrt(float(np.mean(null**2))) if null.size else 0.0


def _skewness(null: NDArray[np.float64]) -> float:
    return float(np.clip(np.mean(null**3), LEAST_SKEWNESS, MOST_SKEWNESS))


def _upper_tail(score: NDArray[np.float64], skewness: float) -> NDArray[np.float64]:
    from scipy.stats import pearson3  # noqa: PLC0415  (slow to import)

    tail: NDArray[np.float64] = pearson3.sf(score, skewness)
    return tail
