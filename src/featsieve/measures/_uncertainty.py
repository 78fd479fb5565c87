"""How much every two columns tell about each other."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve._checks import check_choice
from featsieve._kernels import Measure, UncertaintyScanner
from featsieve.engine import run_tasks
from featsieve.measures._codes import MISSING, as_codes, as_weights

__all__ = ["pairwise_uncertainty"]

#: Pairs per task: milliseconds of work, however many threads there are.
_PAIRS_PER_TASK = 1 << 14

_MEASURES = {
    "symmetrical_uncertainty": Measure.SYMMETRICAL_UNCERTAINTY,
    "mutual_information": Measure.INFORMATION_GAIN,
}


def pairwise_uncertainty(
    codes: ArrayLike,
    *,
    measure: str = "symmetrical_uncertainty",
    missing: str = "level",
    weights: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Find out how much every two columns tell about each other.

    Parameters
    ----------
    codes : array-like of int of shape (n_rows, n_features)
        Codes from 0 up; negative is missing. Columns of bytes (Fortran-ordered uint8)
        are read as they are, other layouts and types cost a little more.
    measure : {"symmetrical_uncertainty", "mutual_information"}, \
default="symmetrical_uncertainty"
        Twice the mutual information divided by both entropies, from 0 to 1; or the
        mutual information itself, in bits.
    missing : {"level", "ignore", "spread"}, default="level"
        ``"level"``: missing is one more value. ``"ignore"``: rows where either column
        is missing are left out of that pair. ``"spread"``: they are shared out over the
        values, on both sides, in proportion to how frequent these are (as Weka does).
    weights : array-like of float of shape (n_rows,), default=None
        Weight of each row. Weighted pairs are counted row by row, which is slower.
    n_jobs : int or None, default=None
        Threads; any number gives the same answer.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        Symmetrical; on the diagonal what a column tells about itself.

    See Also
    --------
    symmetrical_uncertainty : Columns against one class.
    pairwise_gain : What two columns tell about a class together.

    Notes
    -----
    Time grows with n p² times the product of the numbers of levels while these are few,
    and with n p² when they are many. Without weights and spread values the sums are
    exact: nothing changes in any bit when rows, columns or levels change places.

    Examples
    --------
    >>> from featsieve.measures import pairwise_uncertainty
    >>> codes = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]]
    >>> pairwise_uncertainty(codes)
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    """
    owner = "pairwise_uncertainty"
    check_choice("measure", measure, tuple(_MEASURES), owner)
    check_choice("missing", missing, tuple(MISSING), owner)
    matrix = as_codes(codes, "codes")
    if matrix.ndim != 2:
        message = f"codes must be a matrix, rows by features. Got {matrix.ndim} axes."
        raise ValueError(message)
    scanner = UncertaintyScanner(
        matrix,
        np.zeros(len(matrix), dtype=np.int32),
        MISSING[missing],
        weights=as_weights(weights, len(matrix)),
    )
    return fill_matrix(scanner, _MEASURES[measure], n_jobs)


def fill_matrix(
    scanner: UncertaintyScanner, measure: Measure, n_jobs: int | None
) -> NDArray[np.float64]:
    """Return the whole matrix of a scanner's features (for other rooms)."""
    p = scanner.n_features
    values = np.empty((p, p))
    # Every pair belongs to its first feature, so early rows are longer.
    ends = np.cumsum(p - np.arange(p)) // _PAIRS_PER_TASK
    cuts = [0, *(np.flatnonzero(np.diff(ends)) + 1).tolist(), p]
    tasks = [(begin, end, measure, values) for begin, end in pairwise(cuts)]
    run_tasks(scanner.fill, tasks, n_jobs=n_jobs, shared_memory=True)
    return values
