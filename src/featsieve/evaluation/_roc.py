"""How well scores put the right class first: curves and areas, for any classes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from sklearn.metrics import roc_curve

from featsieve._checks import check_choice, check_numbers
from featsieve.exceptions import DataError

__all__ = ["roc_area", "roc_points"]

METHODS = ("hand_till", "one_versus_rest")


def roc_points(
    y_true: ArrayLike, scores: ArrayLike, positive: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ROC curve of one class against the rest.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        The classes.
    scores : array-like of shape (n_rows,)
        The greater, the surer is the model that the class is `positive`.
    positive : object
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
    truth, given = np.asarray(y_true), check_numbers("scores", scores, "roc_points")
    if truth.ndim != 1 or truth.shape != given.shape:
        message = (
            "roc_points needs one score per row. Got shapes "
            f"{truth.shape} and {given.shape}."
        )
        raise DataError(message)
    if not np.isfinite(given).all():
        row = int(np.flatnonzero(~np.isfinite(given))[0])
        message = (
            "The 'scores' parameter of roc_points must hold no NaN or infinity. Got "
            f"{given[row]} in row {row}; leave such rows out."
        )
        raise DataError(message)
    member = truth == positive
    if member.all() or not member.any():
        share = "every" if member.all() else "no"
        message = (
            f"A curve needs rows of both sides, and {share} row is {positive!r}. Check "
            "'positive', or add rows of the other side."
        )
        raise DataError(message)
    false_positive, true_positive, _ = roc_curve(member, given)
    return false_positive, true_positive


def roc_area(
    y_true: ArrayLike,
    probabilities: ArrayLike,
    *,
    classes: Sequence[Any] | None = None,
    method: str = "hand_till",
    weighted: bool = False,
) -> float:
    """Return the area under the ROC curve, for two classes or more.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        The classes.
    probabilities : array-like of shape (n_rows, n_classes)
        Score of every class; they need not add up to one.
    classes : sequence or None, default=None
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
    scores = check_numbers("probabilities", probabilities, "roc_area")
    if truth.ndim != 1:
        message = f"y_true must hold one class per row. Got shape {truth.shape}."
        raise DataError(message)
    names = np.unique(truth).tolist() if classes is None else list(classes)
    if scores.shape != (len(truth), len(names)) or np.isnan(scores).any():
        message = (
            f"The 'probabilities' parameter of roc_area must have one row per case "
            f"({len(truth)}), one column per class ({len(names)}) and no NaN. Got "
            f"shape {scores.shape}."
        )
        raise DataError(message)
    members = [truth == name for name in names]
    known = [j for j, member in enumerate(members) if member.any()]
    if len(known) < 2:
        message = (
            "An area needs rows of at least two classes. Got one class only; add rows "
            "of others, or look at class_rates."
        )
        raise DataError(message)
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


def _area(positive: NDArray[np.float64], negative: NDArray[np.float64]) -> float:
    """Return how often a positive score beats a negative one; equals count half."""
    n, m = len(positive), len(negative)
    ranks = stats.rankdata(np.concatenate([positive, negative]))
    return float((ranks[:n].sum() - n * (n + 1) / 2) / (n * m))
