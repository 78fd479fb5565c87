"""Is one model better than another, or was it luck? Tests on scores and answers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from featsieve._checks import check_choice, check_flag, check_numbers, check_real
from featsieve._docs import described_like
from featsieve._types import Floats
from featsieve.exceptions import DataError

#: Below so many answers that differ, McNemar's chi-square is too rough.
FEW_DIFFERENT = 25
MCNEMAR = ("auto", "exact", "corrected", "plain")
ZEROS = ("wilcox", "pratt", "zsplit")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a test says about the difference of two models.

    Parameters
    ----------
    test : str
        Name of the test.
    estimate : float
        The difference: mean of the first less mean of the second, or what the test is
        about otherwise.
    low, high : float
        Interval of confidence of the difference; NaN for tests that have none.
    statistic : float
        The test's statistic.
    degrees_of_freedom : float
        Of the statistic; NaN if it has none.
    p_value : float
        Two-sided.

    Examples
    --------
    >>> from featsieve.evaluation import paired_t_test
    >>> paired_t_test([0.9, 0.8, 0.9], [0.7, 0.7, 0.6]).test
    'paired t'
    """

    test: str
    estimate: float
    low: float
    high: float
    statistic: float
    degrees_of_freedom: float
    p_value: float


def paired_t_test(
    first: ArrayLike, second: ArrayLike, *, confidence: float = 0.95
) -> Verdict:
    """Test whether two models score the same on independent test sets.

    Parameters
    ----------
    first, second : array-like of shape (n_tests,)
        Scores of both models on each of at least two test sets.
    confidence : float, default=0.95
        Coverage of the interval.

    Returns
    -------
    Verdict
        If all differences are equal there is no spread to judge by: the p-value is
        then 1 if they are zero and 0 otherwise.

    See Also
    --------
    corrected_resampled_t_test : For scores of cross-validation, which overlap.

    Examples
    --------
    >>> from featsieve.evaluation import paired_t_test
    >>> verdict = paired_t_test([0.9, 0.8, 0.9, 0.7], [0.7, 0.7, 0.8, 0.7])
    >>> round(verdict.estimate, 3), round(verdict.statistic, 3)
    (0.1, 2.449)
    """
    return _t_test("paired_t_test", "paired t", first, second, 0.0, confidence)


@described_like(paired_t_test)
def corrected_resampled_t_test(
    first: ArrayLike, second: ArrayLike, test_ratio: float, *, confidence: float = 0.95
) -> Verdict:
    """Test whether two models score the same, when training sets overlap.

    Scores of cross-validation and of repeated splits share training rows, so they are
    not independent, and the plain paired test finds differences far too often. Nadeau
    and Bengio (2003) enlarge the variance of the mean from ``s² / J`` to
    ``s² (1 / J + n_test / n_train)``.

    Parameters
    ----------
    first, second : array-like of shape (n_splits,)
        Scores of both models on the same splits.
    test_ratio : float
        Rows for testing per row for training: 1/9 in ten folds.

    Returns
    -------
    Verdict
        The t-test with ``n_splits - 1`` degrees of freedom.

    References
    ----------
    Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. *Machine
    Learning* 52, 239–281. Bouckaert, R. and Frank, E. (2004) for repeated folds.

    Examples
    --------
    >>> from featsieve.evaluation import corrected_resampled_t_test
    >>> a, b = [0.9, 0.8, 0.9, 0.7], [0.7, 0.7, 0.8, 0.7]
    >>> round(corrected_resampled_t_test(a, b, 1 / 3).statistic, 3)
    1.604
    """
    owner = "corrected_resampled_t_test"
    check_real("test_ratio", test_ratio, owner, at_least=0)
    name = "corrected resampled t"
    return _t_test(owner, name, first, second, test_ratio, confidence)


@described_like(paired_t_test)
def independent_t_test(
    first: ArrayLike,
    second: ArrayLike,
    *,
    equal_variances: bool = False,
    confidence: float = 0.95,
) -> Verdict:
    """Test whether the means of two unrelated samples of scores are the same.

    Parameters
    ----------
    first, second : array-like
        Scores; the samples may differ in size, each needs at least two.
    equal_variances : bool, default=False
        Student's test with a common variance, instead of Welch's.

    Returns
    -------
    Verdict
        The t-test.

    Examples
    --------
    >>> from featsieve.evaluation import independent_t_test
    >>> verdict = independent_t_test([5.1, 4.9, 5.3, 5.2], [4.5, 4.8, 4.6])
    >>> round(verdict.statistic, 3), round(verdict.degrees_of_freedom, 2)
    (4.005, 4.73)
    """
    owner = "independent_t_test"
    check_real("confidence", confidence, owner, above=0, below=1)
    a, b = _sample("first", first, owner), _sample("second", second, owner)
    estimate = float(a.mean() - b.mean())
    check_flag("equal_variances", equal_variances, owner)
    name = "Student's t" if equal_variances else "Welch's t"
    va, vb = float(a.var(ddof=1)) / len(a), float(b.var(ddof=1)) / len(b)
    if va + vb == 0:
        return _without_spread(name, estimate, len(a) + len(b) - 2)
    result = stats.ttest_ind(a, b, equal_var=bool(equal_variances))
    low, high = map(float, result.confidence_interval(confidence))
    numbers = map(float, (result.statistic, result.df, result.pvalue))
    return Verdict(name, estimate, low, high, *numbers)


def mcnemar_test(
    y_true: ArrayLike, first: ArrayLike, second: ArrayLike, *, method: str = "auto"
) -> Verdict:
    """Test whether two models are right equally often on the same rows.

    Only rows count that one model has right and the other wrong.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        What is.
    first, second : array-like of shape (n_rows,)
        What each model said.
    method : {"auto", "exact", "corrected", "plain"}, default="auto"
        The binomial test, or the chi-square test with or without Edwards' correction;
        "auto" is exact below 25 rows that count, else corrected.

    Returns
    -------
    Verdict
        The estimate is the difference of the accuracies. The statistic of the exact
        test is the smaller of the two counts.

    Examples
    --------
    >>> from featsieve.evaluation import mcnemar_test
    >>> truth = [1] * 8
    >>> verdict = mcnemar_test(truth, [1] * 7 + [0], [0] * 6 + [1, 1])
    >>> verdict.estimate, verdict.statistic, verdict.p_value
    (0.625, 1.0, 0.125)
    """
    check_choice("method", method, MCNEMAR, "mcnemar_test")
    truth, a, b = (np.asarray(values) for values in (y_true, first, second))
    if truth.ndim != 1 or not len(truth) or not truth.shape == a.shape == b.shape:
        raise DataError(
            "y_true, first and second must be lists of the same length, at least 1. "
            f"Got shapes {truth.shape}, {a.shape} and {b.shape}."
        )
    right_a, right_b = a == truth, b == truth
    only_a = int(np.count_nonzero(right_a & ~right_b))
    only_b = int(np.count_nonzero(right_b & ~right_a))
    different = only_a + only_b
    estimate = (only_a - only_b) / len(truth)
    if method == "auto":
        method = "exact" if different < FEW_DIFFERENT else "corrected"
    nan = math.nan
    if method == "exact":
        fewer = min(only_a, only_b)
        p = 1.0 if not different else float(stats.binomtest(fewer, different).pvalue)
        return Verdict("exact McNemar", estimate, nan, nan, float(fewer), nan, p)
    shrink = 1 if method == "corrected" else 0
    gap = max(abs(only_a - only_b) - shrink, 0)
    statistic = gap**2 / different if different else 0.0
    p = float(stats.chi2.sf(statistic, 1))
    return Verdict("McNemar", estimate, nan, nan, statistic, 1.0, p)


def wilcoxon_test(
    first: ArrayLike, second: ArrayLike, *, zeros: str = "wilcox"
) -> Verdict:
    """Test by ranks whether one model scores better, over several data sets.

    Parameters
    ----------
    first, second : array-like of shape (n_data_sets,)
        Scores of both models on each data set.
    zeros : {"wilcox", "pratt", "zsplit"}, default="wilcox"
        Whether equal scores are dropped, ranked but not counted, or shared between
        both models.

    Returns
    -------
    Verdict
        The signed-rank test; the estimate is the median difference.

    Examples
    --------
    >>> from featsieve.evaluation import wilcoxon_test
    >>> a, b = [0.9, 0.8, 0.7, 0.6, 0.95], [0.85, 0.7, 0.69, 0.61, 0.8]
    >>> wilcoxon_test(a, b).p_value
    0.1875
    """
    check_choice("zeros", zeros, ZEROS, "wilcoxon_test")
    difference = _differences(first, second, "wilcoxon_test")
    middle, statistic, p = float(np.median(difference)), 0.0, 1.0
    if difference.any():
        statistic, p = map(float, stats.wilcoxon(difference, zero_method=zeros))
    nan = math.nan
    return Verdict("Wilcoxon", middle, nan, nan, statistic, nan, p)


def holm_adjusted(p_values: ArrayLike) -> Floats:
    """Return p-values that hold for all tests together (Holm 1979).

    Parameters
    ----------
    p_values : array-like of shape (n_tests,)
        Of single tests.

    Returns
    -------
    ndarray of float64 of shape (n_tests,)
        Compared with a level, at most that share of families has any false finding.

    Examples
    --------
    >>> from featsieve.evaluation import holm_adjusted
    >>> holm_adjusted([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    p = check_numbers("p_values", p_values, "holm_adjusted")
    if p.ndim != 1 or np.isnan(p).any() or (p < 0).any() or (p > 1).any():
        raise DataError(
            f"p_values must be a list of numbers from 0 to 1. Got {p_values!r}; leave "
            "out tests that gave none."
        )
    order = np.argsort(p, kind="stable")
    steps = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return adjusted


def _sample(name: str, values: Any, owner: str) -> Floats:
    sample = check_numbers(name, values, owner)
    if sample.ndim != 1 or len(sample) < 2 or not np.isfinite(sample).all():
        raise DataError(
            f"The {name!r} parameter of {owner} must be a list of at least two finite "
            f"scores. Got an array of shape {sample.shape}"
            + ("." if np.isfinite(sample).all() else " with NaN or infinity.")
        )
    return sample


def _differences(first: Any, second: Any, owner: str) -> Floats:
    """Return by how much the first score is greater, pair by pair."""
    a, b = _sample("first", first, owner), _sample("second", second, owner)
    if len(a) != len(b):
        raise DataError(
            f"{owner} compares scores pair by pair, so 'first' and 'second' must have "
            f"the same length. Got {len(a)} and {len(b)}."
        )
    return a - b


def _t_test(  # noqa: PLR0917  (private)
    owner: str, name: str, first: Any, second: Any, ratio: float, confidence: float
) -> Verdict:
    difference = _differences(first, second, owner)
    check_real("confidence", confidence, owner, above=0, below=1)
    n, estimate = len(difference), float(difference.mean())
    error = float(difference.std(ddof=1)) * math.sqrt(1 / n + ratio)
    # Equal differences have a tiny spread of rounding, which is no evidence.
    if error == 0 or np.ptp(difference) <= 4e-16 * max(1.0, np.abs(difference).max()):
        return _without_spread(name, estimate, n - 1)
    t = estimate / error
    half = float(stats.t.ppf((1 + confidence) / 2, n - 1)) * error
    p = 2 * float(stats.t.sf(abs(t), n - 1))
    ends = estimate - half, estimate + half
    return Verdict(name, estimate, *ends, t, float(n - 1), p)


def _without_spread(name: str, estimate: float, df: int) -> Verdict:
    t = 0.0 if estimate == 0 else math.copysign(math.inf, estimate)
    p = 1.0 if estimate == 0 else 0.0
    return Verdict(name, estimate, estimate, estimate, t, float(df), p)
