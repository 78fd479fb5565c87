import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from featsieve.inference._coding import CodedColumns
from featsieve.selectors.associations import _associations as weka
from featsieve.selectors.associations._associations import (
    WekaAssociations,
    weka_order,
    weka_uncertainties,
)
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


@pytest.mark.parametrize("missing", ["spread", "level"])
@pytest.mark.parametrize("doubt", [0.0, 3e-14, 1.0])
def test_pairs_equal_the_definition_whoever_adds_them_up(doubt, missing, monkeypatch):
    monkeypatch.setattr(weka, "DOUBT", doubt)
    random = np.random.default_rng(3)
    levels = np.array([2, 3, 5, 1, 4], dtype=np.int32)
    codes = np.asfortranarray(random.integers(0, levels, (200, 5)), dtype=np.int32)
    codes[::7, 4] = -1
    y = random.integers(0, 3, 200).astype(np.int32)
    columns = CodedColumns(codes, levels, {}, y, 3, None)
    named = [[c if c >= 0 else None for c in column] for column in codes.T.tolist()]
    expected = np.array(
        [
            [plain.uncertainty(a, b, missing=missing)[0] or 1.0 for b in named]
            for a in named
        ]
    )
    rows = WekaAssociations(columns, missing)
    found = np.stack([rows.row(j) for j in range(5)])
    assert_allclose(found, expected, rtol=1e-7)
    assert_array_equal(rows.matrix(), found)
