"""How much the classes of a node can tell about a split of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve._checks import check_numbers
from featsieve.exceptions import DataError

__all__ = ["node_complexity"]


def node_complexity(counts: ArrayLike) -> NDArray[np.float64]:
    """Return the complexity of nodes with these class counts, in bits.

    Rows of given classes can be arranged along a feature in M = n! / Π c! ways; those
    that equal their own reflection, A of them, tell a cut apart from its mirror image.
    The complexity is log2 M − (1 − A / M): 0 for a pure node and for two rows of two
    classes, greater the more ways there are to arrange the rows.

    Parameters
    ----------
    counts : array-like of int of shape (..., n_classes)
        Rows of each class in each node; not negative.

    Returns
    -------
    ndarray of float64 of shape (...)
        Bits.

    Raises
    ------
    DataError
        If counts are negative or not whole.

    References
    ----------
    Ensemble algorithms and feature selection, 2007, eq. 7.5 and table 7.1, here for
    any number of classes.

    Examples
    --------
    >>> from featsieve.measures import node_complexity
    >>> node_complexity([[1, 1], [2, 1], [10, 10]]).round(6).tolist()
    [0.0, 0.918296, 16.496626]
    """
    given = check_numbers("counts", counts, "node_complexity")
    whole = np.all(np.isfinite(given)) and np.all(given == np.floor(given))
    if given.ndim == 0 or not whole or given.min(initial=0) < 0:
        message = "counts must be whole numbers, not negative, one per class."
        raise DataError(message)
    arrangements = _log2_arrangements(given)
    odd = np.count_nonzero(given % 2, axis=-1)
    symmetric = _log2_arrangements(given // 2)
    # Halves of the counts arrange half of the rows; an odd one sits in the middle.
    share = np.where(odd <= 1, np.exp2(symmetric - arrangements), 0.0)
    bits: NDArray[np.float64] = np.maximum(arrangements - (1 - share), 0.0)
    return bits


def _log2_arrangements(counts: NDArray[np.float64]) -> Any:
    from scipy.special import gammaln  # noqa: PLC0415  (slow to import)

    parts = gammaln(counts + 1).sum(axis=-1)
    return (gammaln(counts.sum(axis=-1) + 1) - parts) / math.log(2)
