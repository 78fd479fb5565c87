"""How well scores put the right class first: curves and areas, for any classes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from sklearn.metrics import roc_curve

from featsieve._checks import check_choice, check_numbers
from featsieve._types import Floats
from featsieve.exceptions import DataError

METHODS = ("hand_till", "one_versus_rest")


def roc_points(
    y_true: ArrayLike, y_score: ArrayLike, pos_label: Any
) -> tuple[Floats, Floats]:
    """Return the ROC curve of one class against the rest.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        The classes.
    y_score : array-like of shape (n_rows,)
        The greater, the surer is the model that the class is `pos_label`.
    pos_label : object
        The class asked about.

    Returns
    -------
    false_positive_rate, true_positive_rate : ndarray of float64
        Corners of the curve, from (0, 0) to (1, 1).

    Examples
    --------
    >>> from featsieve.evaluation import roc_points
    >>> false, true = roc_points(["a", "b", "a", "b"], [0.9, 0.8, 0.7, 0.1], "a")
    >>> false.tolist(), true.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    truth, given = np.asarray(y_true), check_numbers("y_score", y_score, "roc_points")
    if truth.ndim != 1 or truth.shape != given.shape:
        raise DataError(
            "roc_points needs one score per row. Got shapes "
            f"{truth.shape} and {given.shape}."
        )
    if not np.isfinite(given).all():
        row = int(np.flatnonzero(~np.isfinite(given))[0])
        raise DataError(
            "The 'y_score' parameter of roc_points must hold no NaN or infinity. Got "
            f"{given[row]} in row {row}; leave such rows out."
        )
    member = truth == pos_label
    if member.all() or not member.any():
        share = "every" if member.all() else "no"
        raise DataError(
            f"A curve needs rows of both sides, and {share} row is {pos_label!r}. "
            "Check 'pos_label', or add rows of the other side."
        )
    false_positive, true_positive, _ = roc_curve(member, given)
    return false_positive, true_positive


def roc_area(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    labels: Sequence[Any] | None = None,
    method: str = "hand_till",
    weighted: bool = False,
) -> float:
    """Return the area under the ROC curve, for two classes or more.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        The classes.
    y_score : array-like of shape (n_rows, n_classes)
        Score of every class; they need not add up to one.
    labels : sequence or None, default=None
        The class of each column; None means the classes of `y_true`, sorted.
    method : {"hand_till", "one_versus_rest"}, default="hand_till"
        The mean over pairs of classes of the area within the pair, both ways (Hand and
        Till's M, which does not depend on how frequent classes are), or the mean over
        classes of the area of each against the rest.
    weighted : bool, default=False
        Weight each class by its share in the one-versus-rest mean (Provost and
        Domingos), or each pair by its share in Hand and Till's.

    Returns
    -------
    float
        0.5 by chance, 1 if perfect. Classes without rows are left out.

    References
    ----------
    Hand, D. and Till, R. (2001). A simple generalisation of the area under the ROC
    curve for multiple class classification problems. *Machine Learning* 45, 171–186.

    Examples
    --------
    >>> from featsieve.evaluation import roc_area
    >>> p = [[0.8, 0.1, 0.1], [0.3, 0.4, 0.3], [0.2, 0.3, 0.5], [0.4, 0.3, 0.3]]
    >>> roc_area(["a", "b", "c", "b"], p)
    0.9583333333333334
    """
    check_choice("method", method, METHODS, "roc_area")
    truth = np.asarray(y_true)
    scores = check_numbers("y_score", y_score, "roc_area")
    if truth.ndim != 1:
        raise DataError(f"y_true must hold one class per row. Got shape {truth.shape}.")
    names = np.unique(truth).tolist() if labels is None else list(labels)
    if scores.shape != (len(truth), len(names)) or np.isnan(scores).any():
        raise DataError(
            f"The 'y_score' parameter of roc_area must have one row per case "
            f"({len(truth)}), one column per class ({len(names)}) and no NaN. Got "
            f"shape {scores.shape}."
        )
    members = [truth == name for name in names]
    known = [j for j, member in enumerate(members) if member.any()]
    if len(known) < 2:
        raise DataError(
            "An area needs rows of at least two classes. Got one class only; add rows "
            "of others, or look at class_rates."
        )
    sizes = np.array([np.count_nonzero(members[j]) for j in known], dtype=float)
    if method == "one_versus_rest":
        areas = [_area(scores[members[j], j], scores[~members[j], j]) for j in known]
        return float(np.average(areas, weights=sizes if weighted else None))
    areas, weights = [], []
    for (a, i), (b, j) in itertools.combinations(enumerate(known), 2):
        first, second = members[i], members[j]
        one_way = _area(scores[first, i], scores[second, i])
        other_way = _area(scores[second, j], scores[first, j])
        areas.append((one_way + other_way) / 2)
        weights.append(sizes[a] + sizes[b])
    return float(np.average(areas, weights=weights if weighted else None))


def _area(positive: Floats, negative: Floats) -> float:
    """Return how often a positive score beats a negative one; equals count half."""
    n, m = len(positive), len(negative)
    ranks = stats.rankdata(np.concatenate([positive, negative]))
    return float((ranks[:n].sum() - n * (n + 1) / 2) / (n * m))
