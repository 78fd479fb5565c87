"""The measures of one column against a class, from a table of counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from featsieve._checks import check_choice
from featsieve._kernels import counted_entropies
from featsieve.measures._codes import MISSING
from featsieve.measures._parts import Parts, ratio

__all__ = ["counted_gain"]

MEASURES = ("information_gain", "gain_ratio", "symmetrical_uncertainty")


def counted_gain(
    table: ArrayLike, *, measure: str = "information_gain", missing: str = "level"
) -> float:
    """Return what a column tells about the class, from its counts.

    The same bits as from the rows, so that tables counted part by part, anywhere, and
    added up give the answer of one machine.

    Parameters
    ----------
    table : array-like of int of shape (n_levels + 1, n_classes)
        Rows per level and class; the last row counts missing values.
    measure : str, default="information_gain"
        ``"information_gain"``, ``"gain_ratio"`` or ``"symmetrical_uncertainty"``.
    missing : {"level", "ignore", "spread"}, default="level"
        What becomes of missing values, as in `information_gain`.

    Returns
    -------
    float
        The measure.

    See Also
    --------
    information_gain : The same from codes.

    Examples
    --------
    Quinlan's weather: outlook against play, counted.

    >>> from featsieve.measures import counted_gain
    >>> round(counted_gain([[3, 2], [0, 4], [2, 3], [0, 0]]), 4)
    0.2467
    """
    check_choice("measure", measure, MEASURES, "counted_gain")
    check_choice("missing", missing, tuple(MISSING), "counted_gain")
    counts = np.ascontiguousarray(table)
    if counts.ndim != 2 or counts.dtype.kind not in "iu" or counts.min(initial=0) < 0:
        message = (
            "table must hold counts, one row per level and one for missing values. Got "
            f"{counts.dtype} of shape {counts.shape}."
        )
        raise ValueError(message)
    fields = counted_entropies(counts.astype(np.int64, copy=False), MISSING[missing])
    parts = Parts(*fields[:, np.newaxis])
    gain = parts.gain
    if measure == "gain_ratio":
        gain = ratio(gain, parts.feature)
    elif measure == "symmetrical_uncertainty":
        gain = ratio(2 * gain, parts.feature + parts.target)
    return float(gain[0])
