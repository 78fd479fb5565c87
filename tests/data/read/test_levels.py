"""The order of levels, and numbers among them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve.data.read._encode import Codes
from featsieve.data.read._levels import (
    level_numbers,
    sort_levels,
    text_array,
    text_numbers,
)
from featsieve.exceptions import DataError


@given(
    st.lists(st.sampled_from("abcdefgh"), unique=True),
    st.lists(st.integers(-1, 7)),
    st.booleans(),
)
def test_sorted_levels_mean_the_same_rows(levels, rows, own):
    codes = np.array([r for r in rows if r < len(levels)], dtype=np.int32)
    meant = [None if c < 0 else levels[c] for c in codes]
    before = codes.copy()
    column = sort_levels(Codes(codes, levels, own=own), numerically=False)
    assert column.levels == sorted({level for level in meant if level is not None})
    assert [None if c < 0 else column.levels[c] for c in column.codes] == meant
    if not own:
        assert codes.tolist() == before.tolist()


@pytest.mark.parametrize("wrong", [2, -2])
def test_codes_without_a_level_are_a_damaged_file(wrong):
    codes = np.array([0, 1, wrong], dtype=np.int32)
    with pytest.raises(DataError, match="may be damaged"):
        sort_levels(Codes(codes, ["b", "a"]), numerically=False)


@given(
    st.lists(
        st.one_of(st.text(max_size=4), st.sampled_from(["1", " 2", "x", "Inf", "nan"]))
    )
)
def test_a_quick_look_at_levels_misses_no_number(levels):
    values, mask = level_numbers(levels)
    plain_values, plain_mask = text_numbers(text_array(levels))
    np.testing.assert_array_equal(values, plain_values)
    np.testing.assert_array_equal(mask, plain_mask)
