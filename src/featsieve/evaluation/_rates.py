"""Shares of right answers, by class and with their uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from featsieve._checks import check_choice, check_numbers, check_real
from featsieve._docs import described_like
from featsieve._types import Array, Mask
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
