"""Whether the class depends on two columns together beyond what each adds."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chi2

from featsieve._checks import check_numbers

__all__ = ["interaction_test"]

MOST_ROUNDS = 200
#: Margins of the fit may be off by this share of the rows.
CLOSE = 1e-9


def interaction_test(table: ArrayLike) -> tuple[float, int, float]:
    """Test whether a three-way table needs a three-way interaction.

    The log-linear model in which every two of class, first and second column depend on
    each other, but the three do not, is fitted by iterative proportions; Pearson's
    distance X² of the table from it is compared with its chi-square law, which it keeps
    better than the deviance where cells hold few rows. With a hundred rows or less,
    permutations as in `featsieve.filters.BIFSFilter` are better.

    Parameters
    ----------
    table : array-like of int of shape (n_classes, n_first, n_second)
        Rows per class and levels.

    Returns
    -------
    distance : float
        X².
    degrees : int
        Degrees of freedom; cells in which no row of any class lies, and levels that do
        not occur, do not count.
    p_value : float
        Chance of such a distance without interaction; 1 without degrees of freedom.

    References
    ----------
    Y. M. M. Bishop, S. E. Fienberg, P. W. Holland, "Discrete Multivariate Analysis",
    MIT Press, 1975, chapter 3.

    Examples
    --------
    The class is the exclusive or of two bits, but for one row in ten:

    >>> from featsieve.measures import interaction_test
    >>> distance, degrees, p_value = interaction_test(
    ...     [[[90, 10], [10, 90]], [[10, 90], [90, 10]]]
    ... )
    >>> round(distance, 6), degrees, p_value < 1e-50
    (256.0, 1, True)
    """
    counts = check_numbers("table", table, "interaction_test")
    if counts.ndim != 3 or not np.isfinite(counts).all() or counts.min(initial=0) < 0:
        message = (
            "table must hold counts per class, first and second level. Got shape "
            f"{counts.shape}."
        )
        raise ValueError(message)
    for axis in range(3):
        others = tuple(k for k in range(3) if k != axis)
        counts = np.compress(counts.sum(axis=others) > 0, counts, axis=axis)
    n_classes, n_first, n_second = counts.shape
    occupied = int(np.count_nonzero(counts.sum(axis=0)))
    degrees = (n_classes - 1) * (occupied - n_first - n_second + 1)
    if degrees <= 0:
        return 0.0, 0, 1.0
    fitted = _fit(counts)
    apart = (counts - fitted) ** 2
    terms = np.divide(apart, fitted, out=np.zeros_like(fitted), where=fitted > 0)
    distance = float(terms.sum())
    return distance, degrees, float(chi2.sf(distance, degrees))


def _fit(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return expected counts with all two-way margins and no three-way interaction."""
    fitted = np.broadcast_to(counts.sum(axis=0) > 0, counts.shape).astype(np.float64)
    wanted = [counts.sum(axis=axis, keepdims=True) for axis in range(3)]
    for _ in range(MOST_ROUNDS):
        gap = 0.0
        for axis, margin in enumerate(wanted):
            now = fitted.sum(axis=axis, keepdims=True)
            gap = max(gap, float(np.abs(now - margin).max()))
            fitted *= np.divide(margin, now, out=np.zeros_like(margin), where=now > 0)
        if gap <= CLOSE * counts.sum():
            break
    return fitted
