import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from featsieve.filters._pair_null import (
    best_positions,
    to_normal_scale,
    to_tail_scale,
)


@given(st.lists(st.integers(0, 5), max_size=30), st.integers(1, 10))
def test_best_positions_are_a_stable_sort(values, keep):
    scores = np.array(values, dtype=float)
    expected = np.argsort(-scores, kind="stable")[:keep]
    np.testing.assert_array_equal(best_positions(scores, keep), expected)


def test_tails_are_about_those_of_chi_square():
    freedom = np.array([1.0, 4.0, 8.0, 2.0])
    bits = np.array([0.02, 0.03, 0.04, 0.001])
    tails = to_tail_scale(bits, freedom, 500)
    exact = -chi2.logsf(bits * 2 * np.log(2) * 500, freedom)
    np.testing.assert_allclose(tails, exact, rtol=0.05)


def test_scales_have_the_same_order_and_nothing_without_freedom():
    rng = np.random.default_rng(0)
    bits, freedom = rng.normal(size=100) * 0.01, rng.integers(0, 5, 100).astype(float)
    scores = to_normal_scale(bits, freedom, 500)
    tails = to_tail_scale(bits, freedom, 500)
    some = bits > 0
    np.testing.assert_array_equal(np.argsort(scores[some]), np.argsort(tails[some]))
    assert (tails[freedom == 0] == 0).all()
    assert not np.signbit(tails).any()


def test_no_synergy_is_no_evidence():
    bits = np.array([-1.0, 0.0, 0.01])
    tails = to_tail_scale(bits, np.ones(3), 4.0)
    assert tails[:2].tolist() == [0.0, 0.0]
    assert tails[2] > 0
