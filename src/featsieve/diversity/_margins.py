"""Margins of votes, and Breiman's bound on the error of an ensemble.

The margin of a row is the share of members that are right minus the share that vote for
the strongest wrong class. A member's part in it, its raw margin, is 1, 0 or -1.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve._checks import check_real
from featsieve._docs import described_like
from featsieve._types import Floats
from featsieve.diversity._predictions import class_codes
from featsieve.diversity._votes import count_votes

#: Entries of raw margins that are standardised at a time.
_CELLS = 1 << 22


def raw_margins(predictions: ArrayLike, y: ArrayLike) -> NDArray[np.int8]:
    """Return what every member adds to the margin of every row.

    I(h = y) - I(h = j), where j is the wrong class that most members vote for, the
    first of equals.

    Parameters
    ----------
    predictions : array-like of shape (n_members, n_rows)
        The class that each member predicts.
    y : array-like of shape (n_rows,)
        The true class.

    Returns
    -------
    ndarray of int8 of shape (n_members, n_rows)
        1 where a member is right, -1 where it votes for the strongest rival, else 0.

    Examples
    --------
    >>> from featsieve.diversity import raw_margins
    >>> raw_margins([[0, 1], [2, 1], [2, 0]], [0, 1])
    array([[ 1,  1],
           [-1,  1],
           [-1, -1]], dtype=int8)
    """
    codes, truth, n_classes = class_codes(predictions, y)
    votes = count_votes(codes, n_classes)
    votes[np.arange(len(truth)), truth] = -1
    rivals = votes.argmax(axis=1)
    raw: NDArray[np.int8] = (codes == truth).astype(np.int8)
    raw -= (codes == rivals) & (rivals != truth)  # one class only: no rival
    return raw


@described_like(raw_margins)
def margins(predictions: ArrayLike, y: ArrayLike) -> Floats:
    """Return the margin of every row: how clearly the vote is right.

    Returns
    -------
    ndarray of float64 of shape (n_rows,)
        From -1, all vote for the same wrong class, to 1, all are right.

    Examples
    --------
    >>> from featsieve.diversity import margins
    >>> margins([[0, 1], [2, 1], [2, 0]], [0, 1]).round(3).tolist()
    [-0.333, 0.333]
    """
    return raw_margins(predictions, y).mean(axis=0)


@described_like(raw_margins)
def strength(predictions: ArrayLike, y: ArrayLike) -> float:
    """Return the strength of an ensemble: the mean margin (equation 3.10).

    Returns
    -------
    float
        From -1 to 1.

    Examples
    --------
    >>> from featsieve.diversity import strength
    >>> strength([[0, 1, 1, 0], [0, 1, 1, 1]], [0, 1, 1, 1])
    0.75
    """
    return float(margins(predictions, y).mean())


@described_like(raw_margins)
def raw_margin_correlation(predictions: ArrayLike, y: ArrayLike) -> float:
    """Return the mean correlation of the raw margins of two members (equation 3.16).

    Pearson's r, which equation 3.13 means; 0 for a member whose raw margin is the same
    in every row. Computed without looking at pairs: the mean correlation follows from
    the variance of the sum of standardised vectors.

    Returns
    -------
    float
        From -1 to 1; NaN for fewer than two members.

    Examples
    --------
    >>> from featsieve.diversity import raw_margin_correlation
    >>> predictions = [[0, 1, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1]]
    >>> round(raw_margin_correlation(predictions, [0, 1, 1, 1]), 6)
    -0.333333
    """
    return mean_correlation(raw_margins(predictions, y))


def mean_correlation(raw: NDArray[np.int8]) -> float:
    """Return the mean correlation of two different rows of numbers from -1 to 1."""
    n_members, n_rows = raw.shape
    if n_members < 2:
        return math.nan
    means = raw.mean(axis=1, dtype=np.float64)
    squares = np.count_nonzero(raw, axis=1) / n_rows
    deviations = np.sqrt(squares - means**2)
    varies = deviations > 0
    if not varies.any():
        return 0.0
    scales = np.divide(1.0, deviations, out=np.zeros_like(means), where=varies)
    # z = (raw - mean) / deviation; |sum of z|² / n = members that vary + all pairs.
    shift = float(means @ scales)
    total = 0.0
    step = max(1, _CELLS // n_members)
    for begin in range(0, n_rows, step):
        sums = scales @ raw[:, begin : begin + step].astype(np.float64) - shift
        total += float(sums @ sums)
    pairs = total / n_rows - np.count_nonzero(varies)
    return float(pairs / (n_members * (n_members - 1)))


def breiman_bound(strength: float, correlation: float) -> float:
    """Return Breiman's bound on the error of a majority vote (equation 3.12).

    correlation · (1 - strength²) / strength². It is loose, often above 1, and says
    nothing unless the strength is positive.

    Parameters
    ----------
    strength : float
        The mean margin, see `strength`.
    correlation : float
        The mean correlation of raw margins, see `raw_margin_correlation`.

    Returns
    -------
    float
        The bound; infinite if the strength is not positive.

    Examples
    --------
    >>> from featsieve.diversity import breiman_bound
    >>> round(breiman_bound(0.5, 0.2), 6)
    0.6
    """
    check_real("strength", strength, "breiman_bound", at_least=-1, most=1)
    if not (isinstance(correlation, float) and math.isnan(correlation)):
        check_real("correlation", correlation, "breiman_bound")  # NaN is unknown
    if not strength > 0:
        return math.inf
    return float(correlation * (1 - strength**2) / strength**2)
