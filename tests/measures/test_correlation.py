import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mstats

from featsieve.measures import pearson_correlation, spearman_correlation, winsorise
from reference import associations as reference

value = st.sampled_from([0.0, 1.0, 2.0, -3.5, 0.1, np.nan])


@given(st.lists(st.tuples(value, value, st.sampled_from([0.0, 1.0, 2.5])), max_size=30))
def test_pearson_is_the_definition(rows):
    x, y, weights = (np.array([row[k] for row in rows]) for k in range(3))
    expected = reference.pearson(x.tolist(), y.tolist())
    assert pearson_correlation(x, y) == pytest.approx(expected, abs=1e-12)
    expected = reference.pearson(x.tolist(), y.tolist(), weights.tolist())
    got = pearson_correlation(x, y, weights=weights)
    assert got == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.tuples(value, value), max_size=30))
def test_spearman_is_the_definition(rows):
    x, y = [a for a, _ in rows], [b for _, b in rows]
    got = spearman_correlation(np.array(x, dtype=float), np.array(y, dtype=float))
    assert got == pytest.approx(reference.spearman(x, y), abs=1e-12)


def test_whole_weights_are_repeated_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    times = rng.integers(0, 4, 50)
    repeated = pearson_correlation(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(
        pearson_correlation(X, y, weights=times), repeated, atol=1e-14
    )
    np.testing.assert_array_equal(
        winsorise(np.repeat(y, times)), np.repeat(winsorise(y, weights=times), times)
    )


def test_extreme_numbers_are_no_trouble():
    x = np.array([1.0, 2.0, 4.0, 3.0])
    for scale in (1e300, 1e-300, 1e308 / 4):
        assert pearson_correlation(x * scale, x) == pytest.approx(1)
    constant = np.full(1000, 0.1)
    assert pearson_correlation(constant, np.arange(1000)) == 0
    assert pearson_correlation(x + 1e9, x) == pytest.approx(1)


def test_winsorising_is_scipys():
    rng = np.random.default_rng(1)
    values = rng.normal(size=203)
    expected = np.asarray(mstats.winsorize(values, limits=(0.05, 0.05)))
    np.testing.assert_array_equal(winsorise(values), expected)
    np.testing.assert_array_equal(winsorise(values, weights=np.ones(203)), expected)
    gaps = np.array([np.nan, 1.0, -np.inf])
    np.testing.assert_array_equal(winsorise(gaps, share=0.0), gaps)
    assert np.isnan(winsorise([np.nan])).all()


def test_wrong_input_is_explained():
    with pytest.raises(ValueError, match="Column 0 of x holds inf in row 1"):
        pearson_correlation([1.0, np.inf], [1.0, 2.0])
    with pytest.raises(ValueError, match="y holds -inf in row 0"):
        pearson_correlation([1.0, 2.0], [-np.inf, 2.0])
    with pytest.raises(ValueError, match="y must have 2 rows"):
        pearson_correlation([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="y must have 2 rows"):
        spearman_correlation([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="'share' parameter of winsorise"):
        winsorise([1.0], share=0.5)
    assert spearman_correlation([-np.inf, 1.0, np.inf], [1, 2, 3]) == 1
