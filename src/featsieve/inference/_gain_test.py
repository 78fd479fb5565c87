"""The published tests of gains against what is expected of an irrelevant feature.

Reference: Ensemble algorithms and feature selection, 2007, sections 7.4 and 8.2.
"""

from __future__ import annotations

import math

import numpy as np

from featsieve._types import Floats
from featsieve.trees.api import TriedSums

#: Exponent of the published upper bound (eq. 7.14).
UPPER_EXPONENT = -0.82


def expected_gain(counts: Floats) -> Floats:
    """Return the gain expected of an irrelevant feature in nodes of these classes.

    For two classes it is the mean of the published bounds (n/2)^−0.82 and
    1/n − (n−1)/n · log2((n−1)/n). Of k classes G = 2 n ln 2 · gain behaves like the
    greatest of many χ² of k − 1 degrees of freedom, whose mean grows with k − 1 and
    whose deviation with its root: G(k) = k − 1 + (G(2) − 1) √(k − 1), at most a bit per
    row.
    """
    n = np.maximum(counts.sum(axis=-1), 2.0)
    rest = (n - 1) / n
    lower = 1 / n - rest * np.log2(rest)
    middle = (lower + (n / 2) ** UPPER_EXPONENT) / 2
    freedom = np.maximum(np.count_nonzero(counts, axis=-1) - 1, 1)
    unit = 2 * n * math.log(2)
    many = (freedom + (unit * middle - 1) * np.sqrt(freedom)) / unit
    expected: Floats = np.where(freedom > 1, np.minimum(many, 1.0), middle)
    return expected


def mean_excess(sums: TriedSums) -> Floats:
    """Return the weighted mean of gains above expectation, −1 without any."""
    drawn = sums.weight > 0
    weight = np.where(drawn, sums.weight, 1.0)
    return np.where(drawn, sums.excess / weight, -1.0)


def t_test(sums: TriedSums) -> Floats:
    """Return the p-values of a one-sided t-test that the mean excess is positive.

    Mean and variance are weighted, and every node counts as a sample of its own
    (eq. 7.19).
    """
    from scipy.stats import t  # noqa: PLC0415  (slow to import)

    testable = (sums.n_nodes > 1) & (sums.weight > 0)
    n = np.where(testable, sums.n_nodes, 2)
    weight = np.where(testable, sums.weight, 1.0)
    mean = sums.excess / weight
    variance = np.maximum(sums.square / weight - mean**2, 0.0) * n / (n - 1)
    p_values = np.where(mean > 0, 0.0, 1.0)  # of gains that do not vary
    varies = testable & (variance > 0)
    p_values[varies] = t.sf(
        mean[varies] / np.sqrt(variance[varies] / n[varies]), n[varies] - 1
    )
    p_values[~testable] = 1.0
    return p_values
