"""Where to cut a numeric column without looking at the class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["equal_frequency_cuts", "equal_width_cuts", "frequency_cuts"]


def equal_frequency_cuts(
    values: NDArray[np.float64], n_bins: int, weights: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Return cuts between distinct values, nearest to the wanted quantiles."""
    known = ~np.isnan(values)
    distinct, inverse = np.unique(values[known], return_inverse=True)
    if len(distinct) < 2:
        return np.empty(0)
    mass = np.bincount(
        inverse, weights=None if weights is None else weights[known]
    ).cumsum()
    return frequency_cuts(distinct[:-1], distinct[1:], mass, n_bins)


def frequency_cuts(
    below: NDArray[np.float64],
    above: NDArray[np.float64],
    mass: NDArray[Any],
    n_bins: int,
) -> NDArray[np.float64]:
    """Return cuts nearest to the wanted quantiles.

    A cut may lie between the numbers `below` and `above`, one pair per boundary; `mass`
    is the weight up to each distinct value, the last included.
    """
    if len(below) == 0:
        return np.empty(0)
    wanted = mass[-1] * np.arange(1, n_bins) / n_bins
    # The boundary after distinct value i has mass[i] rows on its left.
    after = np.minimum(np.searchsorted(mass[:-1], wanted), len(below) - 1)
    before = np.maximum(after - 1, 0)
    nearer = np.abs(mass[before] - wanted) <= np.abs(mass[after] - wanted)
    chosen = np.unique(np.where(nearer, before, after))
    below, above = below[chosen], above[chosen]
    middle = below / 2 + above / 2
    # Neighbouring doubles have no middle; a cut must stay below the greater one.
    between = (middle >= below) & (middle < above)
    cuts: NDArray[np.float64] = np.where(between, middle, below)
    return cuts


def equal_width_cuts(values: NDArray[np.float64], n_bins: int) -> NDArray[np.float64]:
    """Return cuts that divide the range of the values into equal parts."""
    known = values[~np.isnan(values)]
    if len(known) == 0 or known.min() == known.max():
        return np.empty(0)
    shares = np.arange(1, n_bins) / n_bins
    # Not low + share * (high - low): the difference of huge numbers overflows.
    cuts: NDArray[np.float64] = known.min() * (1 - shares) + known.max() * shares
    return np.unique(cuts)
