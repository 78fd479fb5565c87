"""Shares of right answers by class, with their uncertainty, and curves of scores."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from sklearn.metrics import roc_curve

from featsieve._checks import check_choice, check_numbers, check_real
from featsieve._docs import described_like
from featsieve._types import Array, Floats, Mask
from featsieve.evaluation._paired_tests import paired_t_test
from featsieve.exceptions import DataError

#: Intervals, by the names that SciPy has for them too.
INTERVALS = ("wilson", "exact")


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of successes with its interval of confidence.

    Parameters
    ----------
    value : float
        The share; NaN if there were no cases.
    low, high : float
        Ends of the interval.
    n_right, n_cases : int
        The counts behind it.

    Examples
    --------
    >>> from featsieve.evaluation import accuracy
    >>> accuracy([0, 0, 1, 1], [0, 0, 1, 0]).n_right
    3
    """

    value: float
    low: float
    high: float
    n_right: int
    n_cases: int


@dataclass(frozen=True, slots=True)
class Gain:
    """What a model A adds to a single model S, over several test sets.

    Parameters
    ----------
    mean, single_mean : float
        Mean scores of A and of S.
    difference : float
        ``Diff(A, S)``: the mean of A's scores less that of S's.
    low, high : float
        Interval of confidence of the mean difference (paired t).
    ratio : float
        ``Ratio(A, S)``: the difference as a share of what S leaves to be gained.
    p_value : float
        Of the paired t-test, two-sided.

    Examples
    --------
    >>> from featsieve.evaluation import score_gain
    >>> gain = score_gain([0.8, 0.9, 0.85], [0.7, 0.75, 0.8])
    >>> round(gain.difference, 3), round(gain.ratio, 3)
    (0.1, 0.4)
    """

    mean: float
    single_mean: float
    difference: float
    low: float
    high: float
    ratio: float
    p_value: float


def accuracy(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    confidence: float = 0.95,
    interval_method: str = "wilson",
) -> Rate:
    """Return the share of right predictions, with an interval.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,)
        What is, and what was said.
    confidence : float, default=0.95
        Coverage of the interval.
    interval_method : {"wilson", "exact"}, default="wilson"
        Wilson's score interval, or the longer one of Clopper and Pearson that never
        covers less than it says.

    Returns
    -------
    Rate
        The share and its interval.

    Examples
    --------
    >>> from featsieve.evaluation import accuracy
    >>> rate = accuracy([0, 0, 1, 1, 1], [0, 0, 1, 1, 0])
    >>> rate.value, round(rate.low, 3), round(rate.high, 3)
    (0.8, 0.376, 0.964)
    """
    truth, said = _answers(y_true, y_pred, confidence, interval_method, "accuracy")
    return _rate(truth == said, confidence, interval_method)


@described_like(accuracy)
def class_rates(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval_method: str = "wilson",
) -> dict[Any, Rate]:
    """Return the true-positive rate of every class, with intervals.

    Parameters
    ----------
    labels : sequence or None, default=None
        The classes asked about, in this order; None means those of `y_true`, sorted.

    Returns
    -------
    dict of Rate
        The share of the rows of a class that were recognised; a class without rows
        has the rate NaN.

    Examples
    --------
    >>> from featsieve.evaluation import class_rates
    >>> rates = class_rates(["a", "a", "b"], ["a", "b", "b"])
    >>> {name: rate.value for name, rate in rates.items()}
    {'a': 0.5, 'b': 1.0}
    """
    truth, said = _answers(y_true, y_pred, confidence, interval_method, "class_rates")
    wanted = np.unique(truth).tolist() if labels is None else list(labels)
    return {
        name: _rate(said[truth == name] == name, confidence, interval_method)
        for name in wanted
    }


def score_ratio(aggregate: ArrayLike, single: ArrayLike) -> Any:
    """Return ``Ratio(A, S)``: which share of S's errors A avoids.

    Parameters
    ----------
    aggregate, single : array-like
        Accuracies or true-positive rates of A and of S, at most 1.

    Returns
    -------
    float or ndarray
        ``(A - S) / (1 - S)``: 1 if A makes no error, negative if it makes more than S;
        0 if neither makes any, NaN if S alone makes none.

    Notes
    -----
    This is 1 less the ratio of errors of Ali and Pazzani (1996), so that more is
    better.

    Examples
    --------
    >>> from featsieve.evaluation import score_ratio
    >>> round(score_ratio(0.9, 0.8), 6), score_ratio(1.0, 1.0)
    (0.5, 0.0)
    """
    a = check_numbers("aggregate", aggregate, "score_ratio")
    s = check_numbers("single", single, "score_ratio")
    try:
        a, s = np.broadcast_arrays(a, s)
    except ValueError:
        raise DataError(
            "score_ratio compares scores one by one, so 'aggregate' and 'single' must "
            f"have the same shape, or one of them be a single number. Got shapes "
            f"{a.shape} and {s.shape}."
        ) from None
    difference, room = a - s, 1 - s
    ratio = np.full(difference.shape, np.nan)
    np.divide(difference, room, out=ratio, where=room > 0)
    ratio[(room == 0) & (difference == 0)] = 0.0
    return ratio if ratio.ndim else float(ratio)


def score_gain(
    aggregate: ArrayLike, single: ArrayLike, *, confidence: float = 0.95
) -> Gain:
    """Compare a model with a single one over the same test sets.

    Parameters
    ----------
    aggregate, single : array-like of shape (n_test_sets,)
        Scores of both models on each of at least two test sets.
    confidence : float, default=0.95
        Coverage of the interval of the mean difference.

    Returns
    -------
    Gain
        Differences, the ratio of the means, and the paired t-test.

    Examples
    --------
    >>> from featsieve.evaluation import score_gain
    >>> gain = score_gain([0.8, 0.9, 0.85], [0.7, 0.75, 0.8])
    >>> round(gain.low, 3), round(gain.high, 3), round(gain.p_value, 3)
    (-0.024, 0.224, 0.074)
    """
    test = paired_t_test(aggregate, single, confidence=confidence)
    a = float(np.mean(np.asarray(aggregate, dtype=np.float64)))
    s = float(np.mean(np.asarray(single, dtype=np.float64)))
    ratio = score_ratio(a, s)
    return Gain(a, s, test.estimate, test.low, test.high, ratio, test.p_value)


def _answers(
    y_true: Any, y_pred: Any, confidence: float, interval_method: str, owner: str
) -> tuple[Array, Array]:
    truth, said = np.asarray(y_true), np.asarray(y_pred)
    if truth.ndim != 1 or truth.shape != said.shape:
        raise DataError(
            "y_true and y_pred must be two lists of the same length. Got shapes "
            f"{truth.shape} and {said.shape}."
        )
    if not len(truth):
        raise DataError("y_true and y_pred must hold at least one row. Got none.")
    check_real("confidence", confidence, owner, above=0, below=1)
    check_choice("interval_method", interval_method, INTERVALS, owner)
    return truth, said


def _rate(right: Mask, confidence: float, interval_method: str) -> Rate:
    n_right, cases = int(np.count_nonzero(right)), len(right)
    if not cases:
        return Rate(float("nan"), float("nan"), float("nan"), 0, 0)
    ends = stats.binomtest(n_right, cases).proportion_ci(confidence, interval_method)
    return Rate(n_right / cases, float(ends.low), float(ends.high), n_right, cases)


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
