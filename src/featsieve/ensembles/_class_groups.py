"""Which classes one expert should tell apart: those mistaken for each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["confusion_groups"]


def confusion_groups(confusion: NDArray[np.float64]) -> list[list[int]]:
    """Put classes that are confused with each other into the same group.

    Starting with every class alone, the two groups with the greatest mean confusion
    between their classes (both ways) are joined, as long as it is more than the mean
    over all pairs of classes, two groups are left, and there is confusion at all. The
    first join happens in any case, so that there are fewer groups than classes.

    Parameters
    ----------
    confusion : ndarray of float64 of shape (n_classes, n_classes)
        Share of each class (row) that is taken for another (column).

    Returns
    -------
    list of list of int
        Groups of classes; every class is in one, and none holds all.
    """
    k = len(confusion)
    both_ways = (confusion + confusion.T) / 2
    usual = float(both_ways[~np.eye(k, dtype=bool)].mean()) if k > 1 else 0.0
    groups = [[c] for c in range(k)]
    while len(groups) > 2:
        confused, first, second = max(
            (float(both_ways[np.ix_(groups[a], groups[b])].mean()), -a, -b)
            for a in range(len(groups))
            for b in range(a + 1, len(groups))
        )
        if len(groups) < k and confused <= usual:
            break
        groups[-first] = sorted(groups[-first] + groups.pop(-second))
    return sorted(groups)
