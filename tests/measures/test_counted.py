"""Measures from counts equal those from rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featsieve.measures import (
    counted_gain,
    gain_ratio,
    information_gain,
    symmetrical_uncertainty,
)

FUNCTIONS = {
    "information_gain": information_gain,
    "gain_ratio": gain_ratio,
    "symmetrical_uncertainty": symmetrical_uncertainty,
}


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-1, 4), st.integers(0, 2)), min_size=1, max_size=60),
    st.sampled_from(sorted(FUNCTIONS)),
    st.sampled_from(["level", "ignore", "spread"]),
)
def test_the_same_bits_as_from_codes(rows, measure, missing):
    codes = np.array([code for code, _ in rows], dtype=np.int32)
    classes = np.array([label for _, label in rows], dtype=np.int32)
    table = np.zeros((6, classes.max() + 1), dtype=np.int64)
    np.add.at(table, (codes, classes), 1)  # -1 is the last row
    expected = FUNCTIONS[measure](codes, classes, missing=missing)
    assert counted_gain(table, measure=measure, missing=missing) == expected


@pytest.mark.parametrize("table", [[1, 2], [[0.5, 1.0]], [[-1, 2]]])
def test_only_tables_of_counts(table):
    with pytest.raises(ValueError, match="table must hold counts"):
        counted_gain(table)


def test_parameters_are_checked():
    with pytest.raises(ValueError, match="'measure' parameter of counted_gain"):
        counted_gain([[1]], measure="gini")
    with pytest.raises(ValueError, match="'missing' parameter of counted_gain"):
        counted_gain([[1]], missing="guess")
