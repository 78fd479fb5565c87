"""The test of features against their shadows, which holds its level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from featsieve.data import Column, Table
from featsieve.inference._combination import combine_p_values
from featsieve.trees.api import ShadowSums

#: What shadows gain is skewed to the right, and its skewness is hard to estimate from
#: few features. The floor was chosen on tables of noise, the cap is an exponential's.
LEAST_SKEWNESS = 1.5
MOST_SKEWNESS = 2.0
#: How many features it takes to believe that variances differ between kinds of
#: features; chosen on tables of noise, too.
PRIOR_FEATURES = 2.0
#: Shadows whose gains differ by less, relative to them, gain the same: the feature is
#: constant or tells all rows apart, and nothing can be learnt about it.
SAME = 1e-9


@dataclass(frozen=True, slots=True)
class ShadowTest:
    """How far features are ahead of their shadows, and how often chance would be.

    `score` is in standard deviations of what chance does, `null` what each shadow
    scores in its feature's place, `skewness` that of the tail the p-values are from.
    Features that were never drawn, are constant or differ in every row have score 0
    and p-value 1.
    """

    score: NDArray[np.float64]
    null: NDArray[np.float64]
    skewness: float
    p_values: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Mean gains of features above those of their shadows, by one kind of trees.

    `null` is the same for each shadow in the place of its feature; both are 0 for
    features that could not be `tested`.
    """

    excess: NDArray[np.float64]
    null: NDArray[np.float64]
    tested: NDArray[np.bool_]


def compare_with_shadows(sums: ShadowSums) -> Comparison:
    """Return how features, and shadows in their place, compare with the shadows.

    A shadow is held against the mean of the others, of which there is one less: the
    scale makes up for it.
    """
    n_shadows = sums.shadow_gain.shape[1]
    most, least = sums.shadow_gain.max(axis=1), sums.shadow_gain.min(axis=1)
    tested = most - least > SAME * most
    weight = np.where(tested, sums.weight, 1.0)
    shadows = sums.shadow_gain / weight[:, None]
    level = shadows.mean(axis=1)
    others = (level[:, None] * n_shadows - shadows) / (n_shadows - 1)
    scale = math.sqrt((1 + 1 / n_shadows) / (1 + 1 / (n_shadows - 1)))
    return Comparison(
        np.where(tested, sums.gain / weight - level, 0.0),
        np.where(tested[:, None], (shadows - others) * scale, 0.0),
        tested,
    )


def feature_shapes(table: Table) -> NDArray[np.float64]:
    """Return what the variance of chance depends on, one row per feature.

    The logarithm of the entropy of the column, its square, and both kinds of columns
    apart: levels are all split at once, numbers are cut in two.
    """
    entropies = np.array([_entropy(column) for column in table])
    logs = np.log(np.maximum(entropies, 1e-3))
    nominal = np.array([column.is_nominal for column in table], dtype=np.float64)
    return np.column_stack([logs, logs**2, nominal, nominal * logs])


def _entropy(column: Column) -> float:
    """Return the entropy of the known values, by their share of the rows, in bits."""
    known = column.values[~column.missing]
    counts = np.unique(known, return_counts=True)[1]
    shares = counts / max(len(known), 1)
    return float(-np.sum(shares * np.log2(shares)) * len(known) / len(column.values))


def null_variances(
    null: NDArray[np.float64], shapes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the variance of what chance does to each feature.

    It differs between kinds of features: one of many levels gains more by chance than a
    binary one, and varies more. A few shadows say little about it, so the logarithm of
    the variance is fitted by the `shapes` of features. The fit is drawn towards one
    variance for all.
    """
    own = np.mean(null**2, axis=1)
    basis = shapes - shapes.mean(axis=0)
    logs = np.log(own)
    prior = PRIOR_FEATURES * np.eye(basis.shape[1])
    slopes = np.linalg.solve(basis.T @ basis + prior, basis.T @ (logs - logs.mean()))
    fitted = np.exp(basis @ slopes)
    variances: NDArray[np.float64] = fitted * np.mean(own / fitted)
    return variances


def shadow_test(
    forests: Sequence[ShadowSums], shapes: NDArray[np.float64], *, alike: bool = True
) -> ShadowTest:
    """Test features by the sums of one or more kinds of trees with the same shadows.

    What a shadow does in place of its feature is what chance does. The excess of each
    kind of trees is divided by its deviation and added up, for features and for shadows
    alike; the sums of shadows, of all features together, have the tail of a Pearson
    type III distribution. Features of one shape vary `alike` where rows may be
    exchanged freely; elsewhere also by how much their shadows gain, which tells how
    much rows that belong together have in common.
    """
    n_features = len(forests[0].weight)
    score = np.zeros(n_features)
    null = np.zeros(forests[0].shadow_gain.shape)
    tested = np.zeros(n_features, dtype=bool)
    for sums in forests:
        comparison = compare_with_shadows(sums)
        here = comparison.tested
        if not here.any():
            continue
        # Features that were drawn less vary more.
        own = np.column_stack([shapes[here], np.log(sums.weight[here])])
        if not alike:
            level = sums.shadow_gain[here].mean(axis=1) / sums.weight[here]
            own = np.column_stack([own, np.log(level)])
        deviations = np.ones(n_features)
        deviations[here] = np.sqrt(null_variances(comparison.null[here], own))
        score += comparison.excess / deviations
        null += comparison.null / deviations[:, None]
        tested |= here
    return settle_test(score, null, tested)


def settle_test(
    score: NDArray[np.float64], null: NDArray[np.float64], tested: NDArray[np.bool_]
) -> ShadowTest:
    """Return p-values of scores from what shadows score, pooled over features."""
    p_values = np.ones(len(score))
    pooled = null[tested]
    deviation = math.sqrt(float(np.mean(pooled**2))) if pooled.size else 0.0
    if deviation == 0:
        return ShadowTest(np.zeros(len(score)), null, LEAST_SKEWNESS, p_values)
    score, null = score / deviation, null / deviation
    skewness = float(np.mean(null[tested] ** 3))
    skewness = min(max(skewness, LEAST_SKEWNESS), MOST_SKEWNESS)
    p_values[tested] = _upper_tail(score[tested], skewness)
    return ShadowTest(score, null, skewness, p_values)


#: Weights of the test on all rows and of each on a half of them. A feature that needs
#: what the other half has learnt is far ahead with it; all others should lose little.
ALL_ROWS, HALF_OF_ROWS = 0.8, 0.1
#: Where a half did not test a feature: neither for nor against it. Sharing its weight
#: among the others would favour features that the other half has found by chance, and
#: they are in the test on all rows once more.
UNDECIDED = 0.5
#: Smaller p-values are no longer told apart by themselves.
FAR_OUT = 1e-290


def join_shadow_tests(
    on_all: ShadowTest, on_halves: Sequence[NDArray[np.float64]]
) -> ShadowTest:
    """Return the test on all rows joined with p-values of tests on parts of them.

    NaN stands for features that a part did not test. The score is the one that chance
    would reach as often, and so is the p-value of one test alone.
    """
    tested = (on_all.p_values < 1) | (on_all.score != 0)
    parts = [np.where(np.isnan(p), UNDECIDED, p) for p in on_halves]
    weights = [ALL_ROWS, *(HALF_OF_ROWS for _ in parts)]
    p_values = np.where(tested, combine_p_values([on_all.p_values, *parts], weights), 1)
    score = _lower_limit(p_values, on_all.skewness)
    score = np.where(p_values < FAR_OUT, np.maximum(score, on_all.score), score)
    return replace(on_all, score=np.where(tested, score, 0.0), p_values=p_values)


def _lower_limit(p_values: NDArray[np.float64], skewness: float) -> NDArray[np.float64]:
    """Return the scores that have these p-values: `_upper_tail` the other way round."""
    from scipy.special import gammainccinv  # noqa: PLC0415  (slow to import)

    shape = 4 / skewness**2
    score: NDArray[np.float64] = (gammainccinv(shape, p_values) - shape) * skewness / 2
    return score


def _upper_tail(score: NDArray[np.float64], skewness: float) -> NDArray[np.float64]:
    from scipy.stats import pearson3  # noqa: PLC0415  (slow to import)

    tail: NDArray[np.float64] = pearson3.sf(score, skewness)
    return tail
