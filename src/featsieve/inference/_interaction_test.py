"""Published tests of gains of nodes, and of two columns beyond what each adds."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc

from featsieve._checks import check_numbers
from featsieve._kernels import three_way_distances
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


def interaction_test(counts: ArrayLike) -> tuple[float, int, float]:
    """Test whether a three-way table needs a three-way interaction.

    The log-linear model in which every two of class, first and second column depend on
    each other, but the three do not, is fitted by iterative proportions. How far the
    table is from it is told by Pearson's X² and by the deviance, both of which follow
    chi-square where all cells hold many rows; the larger of their p-values is taken.
    Where few rows are expected in many cells, the deviance is too large as a rule;
    where next to none are, a single row makes X² huge. Neither is both. With a hundred
    rows or less, permutations as in `featsieve.selectors.BIFSFilter` are better.

    Parameters
    ----------
    counts : array-like of int of shape (n_classes, n_first, n_second)
        Rows per class and levels.

    Returns
    -------
    distance : float
        X².
    degrees : int
        Degrees of freedom; cells in which no row of any class lies, and levels that do
        not occur, do not count.
    p_value : float
        Chance of such distances without interaction, the larger of the two; 1 without
        degrees of freedom.

    References
    ----------
    Y. M. M. Bishop, S. E. Fienberg, P. W. Holland, "Discrete Multivariate Analysis",
    MIT Press, 1975, chapter 3.

    Examples
    --------
    The class is the exclusive or of two bits, but for one row in ten:

    >>> from featsieve.inference import interaction_test
    >>> distance, degrees, p_value = interaction_test(
    ...     [[[90, 10], [10, 90]], [[10, 90], [90, 10]]]
    ... )
    >>> round(distance, 6), degrees, p_value < 1e-50
    (256.0, 1, True)
    """
    table = check_numbers("counts", counts, "interaction_test")
    if table.ndim != 3 or not np.isfinite(table).all() or table.min(initial=0) < 0:
        message = (
            "counts must hold rows per class, first and second level. Got shape "
            f"{table.shape}."
        )
        raise ValueError(message)
    distance, deviance, degrees = three_way_distances(np.ascontiguousarray(table))
    return distance, degrees, float(three_way_p_values(distance, deviance, degrees))


def three_way_p_values(
    distances: ArrayLike, deviances: ArrayLike, degrees: ArrayLike
) -> Floats | float:
    """Return the chances of such distances; 1 without degrees of freedom."""
    # The lesser distance has the larger p-value, as both have the same law.
    # Rounding may leave a deviance just below 0.
    lesser = np.maximum(np.minimum(distances, deviances), 0)
    p_values: Floats | float = np.where(
        np.asarray(degrees) > 0, chdtrc(degrees, lesser), 1.0
    )
    return p_values
