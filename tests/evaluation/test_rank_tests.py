import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from featsieve.evaluation import (
    critical_difference,
    friedman_test,
    nemenyi_p_values,
    not_different_groups,
)
from featsieve.exceptions import DataError

# Demšar (2006), table 6: AUC of C4.5 with m, cf, and both tuned, on 14 data sets.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def test_demsars_ranks_and_critical_differences():
    assert friedman_test(DEMSAR).mean_ranks.round(3).tolist() == [
        3.143,
        2.0,
        2.893,
        1.964,
    ]
    # Section 3.2.2: 1.25 at 0.05, 1.12 at 0.10; nothing differs at 0.05.
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=5e-3)
    assert critical_difference(4, 14, alpha=0.1) == pytest.approx(1.12, abs=5e-3)
    ranks = friedman_test(DEMSAR).mean_ranks
    assert not_different_groups(ranks, critical_difference(4, 14)) == [[3, 1, 2, 0]]
    groups = not_different_groups(ranks, critical_difference(4, 14, alpha=0.1))
    # At 0.10 plain C4.5 is worse than both that tune m.
    assert groups == [[3, 1, 2], [2, 0]]


@pytest.mark.parametrize(
    ("k", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (10, 3.164)]
)
def test_demsars_table_of_quantiles(k, q):
    got = critical_difference(k, 1) / np.sqrt(k * (k + 1) / 6)
    assert got == pytest.approx(q, abs=1e-3)


def test_friedman_is_scipys_ties_included():
    theirs = stats.friedmanchisquare(*DEMSAR.T)
    ours = friedman_test(DEMSAR)
    assert (ours.statistic, ours.p_value) == pytest.approx(
        (theirs.statistic, theirs.pvalue), abs=1e-10
    )
    n, k = DEMSAR.shape
    f = (n - 1) * ours.statistic / (n * (k - 1) - ours.statistic)
    assert ours.f_statistic == pytest.approx(f, abs=1e-10)


@given(st.integers(0, 10_000))
def test_friedman_is_scipys_on_random_tables(seed):
    scores = np.random.default_rng(seed).integers(0, 4, (6, 3)) / 4
    if all(len(set(row)) == 1 for row in scores.tolist()):
        return
    theirs = stats.friedmanchisquare(*scores.T)
    assert friedman_test(scores).statistic == pytest.approx(theirs.statistic, abs=1e-10)


def test_nemenyi_on_scikit_posthocs_numbers():
    # posthoc_nemenyi_friedman(DEMSAR) of scikit-posthocs 0.17.1.
    wanted = [0.08867270928888271, 0.9561771752218107, 0.0741847950687442]
    got = nemenyi_p_values(friedman_test(DEMSAR).mean_ranks, 14)
    assert got[0, 1:] == pytest.approx(wanted, abs=1e-10)
    wanted = [0.2592280701547286, 0.999859449385133]
    assert got[1, 2:] == pytest.approx(wanted, abs=1e-10)
    np.testing.assert_array_equal(got, got.T)
    assert np.diag(got).tolist() == [1, 1, 1, 1]


def test_everybody_equal_is_no_finding():
    verdict = friedman_test(np.ones((5, 3)))
    assert (verdict.statistic, verdict.p_value) == (0, 1)
    assert nemenyi_p_values([2, 2, 2], 5).tolist() == np.ones((3, 3)).tolist()


def test_perfect_agreement_has_an_infinite_f():
    verdict = friedman_test([[3, 2, 1]] * 4)
    assert verdict.f_p_value == 0
    assert verdict.statistic == pytest.approx(8)


def test_groups_do_not_repeat_what_a_larger_one_says():
    assert not_different_groups([1, 1.5, 3, 3.2, 9], 1) == [[0, 1], [2, 3]]
    assert not_different_groups([1, 2, 3], 0.5) == []


def test_bad_tables_are_named():
    with pytest.raises(DataError, match=r"'scores' parameter of friedman_test.*\(2, 1"):
        friedman_test([[1], [2]])
    with pytest.raises(DataError, match="with NaN"):
        friedman_test([[1, np.nan], [2, 3]])
    with pytest.raises(DataError, match="at least two models"):
        nemenyi_p_values([1], 3)


@pytest.mark.parametrize("ranks", [[1, np.nan, 3], [1, np.inf], ["a", "b"], 3])
def test_ranks_must_be_numbers(ranks):
    # NaN once came out as "certainly not different".
    with pytest.raises(ValueError, match="'ranks' parameter of nemenyi_p_values"):
        nemenyi_p_values(ranks, 5)
    with pytest.raises(ValueError, match="'ranks' parameter of not_different_groups"):
        not_different_groups(ranks, 1.0)
