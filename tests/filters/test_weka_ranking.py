import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from featsieve.filters._significance import CodedColumns
from featsieve.filters._weka_ranking import weka_order, weka_uncertainties
from reference import subsets as plain

# Ranked by Weka 3.9.7.
RANKED = [
    ([1, 1], [1, 0]),
    ([0, 0, 0], [2, 1, 0]),
    ([0] * 7, [6, 2, 1, 3, 5, 4, 0]),
    ([0] * 12, [11, 10, 3, 2, 1, 4, 5, 6, 9, 8, 7, 0]),
    ([2, 0, 3, 2, 1, 3, 0], [2, 5, 0, 3, 4, 1, 6]),
    ([3, 3, 3, 4, 3, 4, 3], [3, 5, 2, 1, 6, 4, 0]),
    ([5, 5, 2, 4, 3, 0, 0, 4, 3, 0, 0, 5], [11, 1, 0, 3, 7, 8, 4, 2, 9, 10, 6, 5]),
    ([2, 0, 0, 1, 1, 0, 2, 2, 1, 0, 1, 1], [0, 7, 6, 10, 3, 4, 11, 8, 1, 2, 9, 5]),
]


@pytest.mark.parametrize(("scores", "expected"), RANKED)
def test_equal_scores_come_as_in_weka(scores, expected):
    assert weka_order(scores) == expected


@given(st.lists(st.integers(0, 9), max_size=60))
def test_order_is_a_descending_one(scores):
    order = weka_order(scores)
    assert sorted(order) == list(range(len(scores)))
    ranked = [scores[j] for j in order]
    assert ranked == sorted(scores, reverse=True)


@given(st.integers(0, 10**6), st.sampled_from(["spread", "level"]))
def test_uncertainties_equal_the_definition(seed, missing):
    random = np.random.default_rng(seed)
    n, levels = random.integers(1, 40), random.integers(1, 6, size=4)
    codes = np.asfortranarray(random.integers(-1, levels, (n, 4)), dtype=np.int32)
    codes[:, 0] = np.maximum(codes[:, 0], 0)
    y = random.integers(0, 3, n).astype(np.int32)
    columns = CodedColumns(codes, levels.astype(np.int32), {}, y, 3, None)
    expected = [
        plain.uncertainty([c if c >= 0 else None for c in column], y, missing=missing)[
            0
        ]
        for column in codes.T.tolist()
    ]
    assert_allclose(weka_uncertainties(columns, missing), expected, atol=1e-12)
