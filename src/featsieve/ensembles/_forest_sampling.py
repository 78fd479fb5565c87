"""How features are drawn for the nodes of a forest: by what they have gained so far.

Reference: Ensemble algorithms and feature selection, PhD thesis, 2007, chapter 7.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featsieve._types import Floats
from featsieve.data import Table
from featsieve.measures import node_complexity
from featsieve.trees import MDLTreeClassifier, MDLTreeRegressor
from featsieve.trees.api import GainSums

#: Units of node complexity in the whole training set: m counts units.
UNITS = 10.0

Vector = Floats


def confidence_interval(
    mean: Vector, variance: Vector, count: Vector, level: float, most: float
) -> Vector:
    """Return Student's interval of means (eq. 7.9), cut to [0, most].

    `variance` is the unbiased one. Where at most one observation is counted nothing is
    known, and the interval is all of [0, most].
    """
    from scipy.special import stdtrit  # noqa: PLC0415  (slow to import)

    known = count > 1
    degrees = np.where(known, count - 1, 1.0)
    quantile = stdtrit(degrees, (1 + level) / 2)
    with np.errstate(invalid="ignore", over="ignore"):
        half = quantile * np.sqrt(variance / np.where(known, count, 1.0))
    known &= np.isfinite(half)
    half = np.where(known, half, 0.0)
    interval: Vector = np.empty((len(mean), 2))
    interval[:, 0] = np.where(known, np.clip(mean - half, 0, most), 0.0)
    interval[:, 1] = np.where(known, np.clip(mean + half, 0, most), most)
    return interval


def feature_intervals(
    sums: GainSums, unit: float, level: float, most: float, *, failed: bool
) -> Vector:
    """Return the interval of each feature's mean gain, weighted by node complexity.

    `unit` is the node complexity that counts as one observation; `failed` tells whether
    nodes in which the feature is constant count, as gains of 0.
    """
    phi = sums.phi if failed else sums.phi - sums.phi_failed
    mean, second = _ratio(sums.phi_gain, phi), _ratio(sums.phi_gain_squared, phi)
    count = phi / unit if unit > 0 else np.zeros_like(phi)
    freed = np.where(count > 1, count - 1, 1.0)
    variance = np.maximum(second - mean**2, 0.0) * count / freed
    return confidence_interval(mean, variance, count, level, most)


def most_uniform(interval: Vector) -> Vector:
    """Return the most uniform distribution within all intervals (Algorithm 3)."""
    lower, upper = interval.T
    middle = (lower.max() + upper.min()) / 2
    return _normalised(np.clip(middle, lower, upper))


def gain_chances(mean_gain_sums: Vector, damping: float) -> Vector:
    """Return chances by the sum over trees of mean gains, damped (eq. 7.6)."""
    return _normalised(damping + mean_gain_sums)


def mean_gains(sums: GainSums) -> Vector:
    """Return the plain mean of each feature's gains in one tree; 0 if it has none."""
    return _ratio(sums.gain, sums.tries - sums.failed)


def tree_chances(
    table: Table,
    target: dict[str, Any],
    weights: Vector | None,
    n_thresholds: int | None,
) -> Vector:
    """Return chances by the gains of all features in the splits of one MDL tree.

    The tree tries every feature everywhere. Gains are averaged over its split nodes,
    weighted by node complexity, weights rounded to whole rows.
    """
    numbers = "numbers" in target
    tree = (MDLTreeRegressor if numbers else MDLTreeClassifier)(
        n_thresholds=n_thresholds, feature_cost="without_key", missing_branch="largest"
    )
    tree.set_params(observe=True)
    tree.fit(table, target["numbers" if numbers else "classes"], weights)
    tried, grown = tree.tried_, tree.tree_
    if numbers:
        phi = _bits_of_different(grown.weight)
    else:
        phi = node_complexity(np.rint(grown.value))
    split = grown.feature[tried.node] >= 0
    gains = np.bincount(
        tried.feature[split],
        weights=phi[tried.node[split]] * np.maximum(tried.gain[split], 0),
        minlength=table.n_columns,
    )
    return _normalised(gains.astype(np.float64))


def target_complexity(target: dict[str, Any]) -> float:
    """Return the node complexity of all training rows together."""
    values = target.get("classes", target.get("value_codes"))
    counts = np.bincount(np.asarray(values))
    return float(node_complexity(counts[counts > 0]))


def _bits_of_different(weight: Vector) -> Vector:
    """Return the node complexity of rows whose numbers all differ."""
    from scipy.special import gammaln  # noqa: PLC0415  (slow to import)

    bits: Vector = np.maximum(gammaln(weight + 1) / np.log(2) - 1, 0)
    return bits


def _ratio(part: Vector, whole: Vector) -> Vector:
    """Return part / whole, 0 where there is nothing."""
    some = whole > 0
    return np.where(some, part / np.where(some, whole, 1.0), 0.0)


def _normalised(values: Vector) -> Vector:
    """Return values as chances that add up to 1; equal ones if all are 0."""
    total = float(values.sum())
    if not total > 0:
        return np.full(len(values), 1 / len(values))
    return values / total
