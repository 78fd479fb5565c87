import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from featsieve.evaluation import (
    accuracy,
    class_rates,
    roc_area,
    roc_points,
    score_gain,
    score_ratio,
)
from featsieve.exceptions import DataError


def test_wilson_by_its_formula():
    rate = accuracy([1] * 20, [1] * 17 + [0] * 3)
    z, p, n = 1.959963984540054, 17 / 20, 20
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    ends = (middle - half, middle + half)
    assert (rate.low, rate.high) == pytest.approx(ends, abs=1e-10)
    assert (rate.n_right, rate.n_cases) == (17, 20)


@pytest.mark.parametrize("interval", ["wilson", "exact"])
@pytest.mark.parametrize(("n_right", "n"), [(0, 5), (5, 5), (17, 20), (299, 333)])
def test_intervals_are_scipys(interval, n_right, n):
    rate = accuracy(
        [1] * n, [1] * n_right + [0] * (n - n_right), interval_method=interval
    )
    theirs = stats.binomtest(n_right, n).proportion_ci(0.95, method=interval)
    assert (rate.low, rate.high) == pytest.approx((theirs.low, theirs.high), abs=1e-10)


def test_rates_by_class():
    truth = np.array(["a", "a", "b", "b", "b", "c"])
    said = np.array(["a", "c", "b", "b", "a", "c"])
    rates = class_rates(truth, said, labels=["a", "b", "c", "d"])
    assert [rate.value for rate in rates.values()][:3] == [0.5, 2 / 3, 1.0]
    assert math.isnan(rates["d"].value)
    assert rates["d"].n_cases == 0


def test_equal_classes_make_accuracy_the_mean_rate():
    random = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 10)
    said = random.integers(0, 3, 30)
    rates = class_rates(truth, said)
    mean = np.mean([rate.value for rate in rates.values()])
    assert accuracy(truth, said).value == pytest.approx(mean)


def test_ratio():
    # Table 6.1 of the thesis: (A - S) / (1 - S), which is 1 - error_A / error_S.
    assert score_ratio(0.754, 0.678) == pytest.approx(1 - 0.246 / 0.322)
    got = score_ratio([0.5, 1.0, 0.9], [1.0, 1.0, 0.95])
    assert math.isnan(got[0])
    assert got[1:] == pytest.approx([0.0, -1.0])


def test_scores_that_cannot_be_compared_are_told():
    with pytest.raises(ValueError, match=r"'single' parameter of score_.* Got 'x'"):
        score_ratio([0.5, 0.6], [0.5, "x"])
    with pytest.raises(DataError, match=r"same shape.* \(2,\) and \(3,\)"):
        score_ratio([0.5, 0.6], [0.5, 0.6, 0.7])


def test_gain_is_a_paired_test():
    a, s = [0.8, 0.82, 0.85, 0.79], [0.7, 0.75, 0.8, 0.76]
    gain = score_gain(a, s)
    theirs = stats.ttest_rel(a, s)
    ends = theirs.confidence_interval(0.95)
    got = (gain.p_value, gain.low, gain.high)
    assert got == pytest.approx((theirs.pvalue, ends.low, ends.high), abs=1e-10)
    assert gain.ratio == pytest.approx((0.815 - 0.7525) / (1 - 0.7525))


def test_bad_answers_are_named():
    with pytest.raises(DataError, match=r"shapes \(1,\) and \(2,\)"):
        accuracy([1], [1, 2])
    with pytest.raises(DataError, match="at least one row"):
        class_rates([], [])
    with pytest.raises(ValueError, match="'interval_method' parameter of accuracy"):
        accuracy([1], [1], interval_method="wald")


@given(st.integers(0, 10_000), st.booleans())
def test_areas_are_scikit_learns(seed, weighted):
    random = np.random.default_rng(seed)
    y = np.concatenate([np.arange(3), random.integers(0, 3, 40)])
    scores = random.integers(1, 6, (43, 3)).astype(float)  # with ties
    scores /= scores.sum(axis=1, keepdims=True)
    average = "weighted" if weighted else "macro"
    rest = roc_auc_score(y, scores, multi_class="ovr", average=average)
    got = roc_area(y, scores, method="one_versus_rest", weighted=weighted)
    assert got == pytest.approx(rest, abs=1e-10)
    pairs = roc_auc_score(y, scores, multi_class="ovo", average=average)
    got = roc_area(y, scores, weighted=weighted)
    # scikit-learn weighs a pair by its share of rows, as we do.
    assert got == pytest.approx(pairs, abs=1e-10)


def test_two_classes_are_the_usual_area():
    y = np.array([0, 0, 1, 1, 1])
    p = np.array([0.1, 0.6, 0.35, 0.8, 0.7])
    both = np.column_stack([1 - p, p])
    assert roc_area(y, both) == pytest.approx(roc_auc_score(y, p), abs=1e-12)


def test_a_class_without_rows_is_left_out():
    y = np.array(["a", "b", "a", "b"])
    p = np.array([[0.9, 0.1, 0], [0.2, 0.8, 0], [0.4, 0.6, 0], [0.5, 0.4, 0.1]])
    assert roc_area(y, p, labels=["a", "b", "c"]) == roc_area(y, p[:, :2])


def test_points_of_a_curve():
    false, true = roc_points(["a", "b", "a", "b"], [0.9, 0.8, 0.7, 0.1], "a")
    assert np.trapezoid(true, false) == pytest.approx(0.75)


def test_what_has_no_curve_is_said():
    with pytest.raises(DataError, match="no row is 'z'"):
        roc_points(["a", "b"], [0, 1], "z")
    with pytest.raises(DataError, match="every row is 'a'"):
        roc_points(["a", "a"], [0, 1], "a")
    with pytest.raises(DataError, match="one score per row"):
        roc_points(["a", "b"], [0], "a")
    with pytest.raises(DataError, match=r"per class \(2\)"):
        roc_area(["a", "b"], [[1], [2]])
    with pytest.raises(DataError, match="one class only"):
        roc_area(["a", "a"], [[1.0], [2.0]])


def test_what_is_no_score_is_named():
    with pytest.raises(
        ValueError, match="'y_score' parameter of roc_points must be an"
    ):
        roc_points([0, 1], ["high", "low"], 1)
    with pytest.raises(
        DataError, match="'y_score' parameter of roc_points must hold no"
    ):
        roc_points([0, 1], [0.5, np.nan], 1)
    with pytest.raises(DataError, match="y_true must hold one class per row"):
        roc_area(1, [[0.5, 0.5]])
