import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve.evaluation import (
    selection_stability,
    stability_difference,
)
from featsieve.exceptions import DataError

STEADY = [
    [1, 1, 0, 0, 1, 0, 0, 0],
    [1, 0, 1, 0, 1, 0, 0, 0],
    [1, 1, 0, 0, 0, 0, 0, 1],
    [1, 1, 0, 1, 1, 0, 0, 0],
    [0, 1, 0, 0, 1, 0, 0, 0],
]
SHAKY = [
    [1, 1, 0, 0, 1, 0, 0, 0],
    [0, 0, 1, 0, 1, 0, 1, 0],
    [1, 0, 0, 1, 0, 0, 0, 1],
    [0, 0, 0, 1, 0, 1, 0, 0],
    [0, 1, 0, 0, 0, 0, 1, 1],
]


def test_numbers_of_the_authors_own_package():
    # Package "stability" of github.com/nogueirs/JMLR2018, value and variance.
    wanted = [(0.36, 0.012051342222222242), (-0.20879120879120894, 0.0035168054998967)]
    for selections, (value, variance) in zip((STEADY, SHAKY), wanted, strict=True):
        got = selection_stability(selections)
        assert got.value == pytest.approx(value, abs=1e-12)
        assert got.variance == pytest.approx(variance, abs=1e-12)
    got = selection_stability(STEADY)
    half = 1.959963984540054 * math.sqrt(got.variance)
    assert (got.low, got.high) == pytest.approx((0.36 - half, 0.36 + half), abs=1e-10)
    difference, statistic, p_value = stability_difference(STEADY, SHAKY)
    assert difference == pytest.approx(0.36 + 0.20879120879120894, abs=1e-12)
    assert statistic == pytest.approx(4.558630621172773, abs=1e-10)
    assert p_value == pytest.approx(5.1488237e-06, rel=1e-6)


@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(2, 9))
def test_equal_sizes_make_it_kunchevas_index(seed, m, d):
    random = np.random.default_rng(seed)
    k = int(random.integers(1, d))
    selections = np.zeros((m, d), dtype=int)
    for row in selections:
        row[random.choice(d, k, replace=False)] = 1
    sets = [set(np.flatnonzero(row)) for row in selections]
    pairs = [
        (len(a & b) * d - k * k) / (k * (d - k))
        for a, b in itertools.combinations(sets, 2)
    ]
    assert selection_stability(selections).value == pytest.approx(
        np.mean(pairs), abs=1e-10
    )


def test_all_or_nothing_cannot_be_told():
    for row in ([0, 0, 0], [1, 1, 1]):
        assert math.isnan(selection_stability([row, row]).value)
    assert math.isnan(stability_difference([[1, 1]] * 2, [[1, 0]] * 2)[2])


def test_two_perfect_selectors_do_not_differ():
    assert stability_difference([[1, 0]] * 3, [[0, 1]] * 3) == (0, 0, 1)
    assert stability_difference([[1, 0, 0]] * 3, SHAKY[:3])[1] > 0


def test_bad_selections_are_named():
    with pytest.raises(DataError, match="at least two"):
        selection_stability([[1, 0]])
    with pytest.raises(DataError, match="0 and 1 only"):
        selection_stability([[2, 0], [1, 0]])
