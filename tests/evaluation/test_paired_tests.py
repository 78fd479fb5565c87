import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from featsieve.evaluation import (
    corrected_resampled_t_test,
    holm_adjusted,
    independent_t_test,
    mcnemar_test,
    paired_t_test,
    wilcoxon_test,
)
from featsieve.exceptions import DataError

RANDOM = np.random.default_rng(3)
A = RANDOM.normal(0.8, 0.05, 12)
B = RANDOM.normal(0.77, 0.05, 12)


def test_paired_t_is_scipys():
    ours, theirs = paired_t_test(A, B), stats.ttest_rel(A, B)
    ends = theirs.confidence_interval(0.95)
    got = (ours.statistic, ours.p_value, ours.low, ours.high, ours.degrees_of_freedom)
    wanted = (theirs.statistic, theirs.pvalue, ends.low, ends.high, theirs.df)
    assert got == pytest.approx(wanted, abs=1e-10)


@pytest.mark.parametrize("equal", [True, False])
def test_independent_t_is_scipys(equal):
    ours = independent_t_test(A, B[:7], equal_variances=equal)
    theirs = stats.ttest_ind(A, B[:7], equal_var=equal)
    assert (ours.statistic, ours.p_value) == pytest.approx(
        (theirs.statistic, theirs.pvalue), abs=1e-10
    )


@given(ratio=st.floats(0, 2))
def test_corrected_t_is_the_plain_one_with_a_larger_error(ratio):
    plain, corrected = paired_t_test(A, B), corrected_resampled_t_test(A, B, ratio)
    shrink = math.sqrt(1 / (1 + len(A) * ratio))
    assert corrected.statistic == pytest.approx(plain.statistic * shrink, rel=1e-10)
    assert corrected.high - corrected.low == pytest.approx(
        (plain.high - plain.low) / shrink, rel=1e-10
    )


def test_corrected_t_by_hand():
    # Differences .2, .1, .1, 0: mean .1, variance 1/150; error² = (1/4 + 1/3) / 150.
    got = corrected_resampled_t_test([0.9, 0.8, 0.9, 0.7], [0.7, 0.7, 0.8, 0.7], 1 / 3)
    t = 0.1 / math.sqrt((1 / 4 + 1 / 3) / 150)
    assert got.statistic == pytest.approx(t, abs=1e-10)
    assert got.p_value == pytest.approx(2 * stats.t.sf(t, 3), abs=1e-10)


def test_no_spread_is_no_error():
    same = paired_t_test(A, A)
    assert (same.statistic, same.p_value, same.low, same.high) == (0, 1, 0, 0)
    shifted = corrected_resampled_t_test(A + 0.1, A, 0.1)
    assert shifted.p_value == 0
    assert shifted.statistic == math.inf
    assert independent_t_test([1, 1], [0, 0]).p_value == 0


# Counts of Agresti (1990, p. 350), the example of R's mcnemar.test; the numbers are
# those of statsmodels 0.15.
AGRESTI = {
    "exact": (86.0, 3.7159361395713866e-05),
    "corrected": (16.81779661016949, 4.114562281345944e-05),
    "plain": (17.35593220338983, 3.099293441045215e-05),
}


@pytest.mark.parametrize("method", AGRESTI)
def test_mcnemar_on_published_counts(method):
    counts = [(1, 1, 794), (1, 0, 86), (0, 1, 150), (0, 0, 570)]
    first = np.repeat([a for a, _, _ in counts], [n for *_, n in counts])
    second = np.repeat([b for _, b, _ in counts], [n for *_, n in counts])
    got = mcnemar_test(np.ones(1600), first, second, method=method)
    assert (got.statistic, got.p_value) == pytest.approx(AGRESTI[method], abs=1e-10)
    assert got.estimate == pytest.approx((86 - 150) / 1600)


def test_mcnemar_chooses_by_the_number_of_differences():
    truth = np.ones(60)
    few, many = np.ones(60), np.ones(60)
    few[:24] = 0
    many[:25] = 0
    assert mcnemar_test(truth, truth, few).test == "exact McNemar"
    assert mcnemar_test(truth, truth, many).test == "McNemar"
    assert mcnemar_test(truth, truth, truth).p_value == 1
    assert mcnemar_test(truth, truth, truth, method="plain").p_value == 1


def test_wilcoxon_is_scipys():
    theirs = stats.wilcoxon(A, B)
    ours = wilcoxon_test(A, B)
    assert (ours.statistic, ours.p_value) == pytest.approx(
        (theirs.statistic, theirs.pvalue), abs=1e-10
    )
    assert wilcoxon_test(A, A).p_value == 1


def test_holm_on_statsmodels_numbers():
    got = holm_adjusted([0.01, 0.04, 0.03, 0.005, 0.2])
    assert got == pytest.approx([0.04, 0.09, 0.09, 0.025, 0.2], abs=1e-12)


def test_bad_scores_are_named():
    with pytest.raises(DataError, match="'second' parameter of paired_t_test"):
        paired_t_test(A, [np.nan] * 12)
    with pytest.raises(DataError, match=r"same length\. Got 12 and 11"):
        wilcoxon_test(A, B[:11])
    with pytest.raises(DataError, match="numbers from 0 to 1"):
        holm_adjusted([0.1, 2])
    with pytest.raises(DataError, match="lists of the same length"):
        mcnemar_test([1], [1, 2], [1])
    with pytest.raises(ValueError, match="'test_ratio' parameter"):
        corrected_resampled_t_test(A, B, -1)
