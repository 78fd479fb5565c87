"""Pearson's correlation of all pairs, row by row and at once."""

from __future__ import annotations

import numpy as np
import pytest

from featsieve.measures._correlation import MomentPairs


def plain_correlation(x, y, weights):
    """Return |r| over the rows that both know, by sums."""
    known = ~np.isnan(x) & ~np.isnan(y) & (weights > 0)
    x, y, w = x[known], y[known], weights[known]
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0
    x, y = x - np.average(x, weights=w), y - np.average(y, weights=w)
    return abs(np.sum(w * x * y)) / np.sqrt(np.sum(w * x * x) * np.sum(w * y * y))


@pytest.mark.parametrize("gaps", [0.0, 0.3])
@pytest.mark.parametrize("weighted", [False, True])
def test_equals_the_definition(gaps, weighted):
    random = np.random.default_rng(0)
    columns = list(random.normal(size=(5, 40)) * 1e3 + 1e6)
    columns[1] = columns[0] * -2 + random.normal(size=40)
    columns[4] = np.full(40, 7.0)
    for column in columns:
        column[random.random(40) < gaps] = np.nan
    weights = random.integers(0, 4, 40).astype(float)
    pairs = MomentPairs(columns, weights if weighted else None)
    own = weights if weighted else np.ones(40)
    expected = [[plain_correlation(x, y, own) for y in columns] for x in columns]
    np.testing.assert_allclose(pairs.matrix(None), expected, atol=1e-9)
    for j in range(5):
        np.testing.assert_allclose(pairs.row(j), expected[j], atol=1e-9)


def test_scale_and_sign_do_not_matter():
    random = np.random.default_rng(1)
    x, y = random.normal(size=(2, 30))
    one = MomentPairs([x, y], None).matrix(None)
    other = MomentPairs([-1e9 * x + 5, y / 1e9], None).matrix(None)
    np.testing.assert_allclose(other, one, rtol=1e-9)
    assert one[0, 0] == pytest.approx(1)
    assert (one <= 1).all()


def test_what_is_constant_where_both_are_known_goes_with_nothing():
    x = np.array([1.0, 1.0, 1.0, 5.0])
    y = np.array([2.0, 3.0, 9.0, np.nan])
    assert MomentPairs([x, y], None).row(0)[1] == 0
    nothing = MomentPairs([np.array([np.nan] * 3), np.arange(3.0)], None)
    assert nothing.matrix(None)[0].tolist() == [0, 0]
