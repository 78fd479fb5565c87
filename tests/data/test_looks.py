"""Rows and counts of the same column must give the same answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featsieve._kernels import ValueCounts
from featsieve.data._looks import (
    CountLook,
    Look,
    level_numbers,
    sort_levels,
    text_array,
    text_numbers,
)
from featsieve.data._table import Column, ColumnKind
from featsieve.data.read._encode import Codes
from featsieve.data.stream._counted_table import _counted_numbers
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


def looks(values, most=1 << 16):
    values = np.asarray(values, dtype=np.float64)
    counter = ValueCounts(1, most)
    counter.add(values, np.zeros(len(values), dtype=np.int32))
    nothing = np.zeros(1, dtype=np.int64)
    counted = _counted_numbers("x", counter, nothing)
    column = Column("x", ColumnKind.NUMERIC, values)
    return Look(column), CountLook(counted, len(values))


numbers = st.one_of(
    st.integers(-50, 50).map(float),
    st.sampled_from([0.5, 1e6, -999.0, 2.0**60, float("nan")]),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(numbers, min_size=1, max_size=60))
def test_rows_and_counts_agree(values):
    rows, counts = looks(values)
    assert rows.n_missing == counts.n_missing
    if rows.n_missing == rows.n_rows:
        return
    assert rows.range == counts.range
    assert rows.only_value == counts.only_value
    assert rows.distinct.tolist() == counts.distinct.tolist()
    assert rows.whole() == counts.whole()
    assert rows.step() == counts.step()
    assert rows.apart_from([-999.0, 0.5]) == counts.apart_from([-999.0, 0.5])
    if not rows.n_missing:
        assert rows.all_differ() == counts.all_differ()


@settings(max_examples=100, deadline=None)
@given(st.sets(st.integers(-999, 999), min_size=2, max_size=80), st.randoms())
def test_a_glance_never_finds_a_smaller_step(values, random):
    shuffled = list(values)
    random.shuffle(shuffled)
    rows, _ = looks(shuffled)
    glance, step = rows.glance_step(), rows.step()
    assert glance >= step > 0
    assert glance % step == 0


@pytest.mark.parametrize(
    ("values", "differ", "step"),
    [
        (np.random.default_rng(0).permutation(5000), True, 1),
        (np.random.default_rng(0).permutation(5000) * 3.0, True, 3),
        (np.random.default_rng(0).integers(0, 5000, 5000), False, 1),
        (np.random.default_rng(0).uniform(0, 5000, 5000), False, 1),
    ],
)
def test_bins_tell_row_numbers_from_quantities(values, differ, step):
    _, counts = looks(values, most=700)
    assert counts.capped
    assert counts.all_differ() == differ
    assert counts.step() == step
    assert counts.only_value is None


def test_levels_that_spell_numbers():
    codes = np.arange(3, dtype=np.int32)
    column = Column("x", ColumnKind.NOMINAL, codes, ("1", "20", "4"))
    numbers = Look(column).spelt_numbers()
    assert numbers is not None
    assert numbers.distinct.tolist() == [1, 4, 20]
    other = Column("x", ColumnKind.NOMINAL, codes, ("1", "b", "4"))
    assert Look(other).spelt_numbers() is None


def test_levels_that_do_not_occur_are_not_counted():
    codes = np.array([2, -1, 2], dtype=np.int32)
    look = Look(Column("x", ColumnKind.NOMINAL, codes, ("a", "b", "c")))
    assert (look.n_missing, look.n_present, look.only_value) == (1, 1, "'c'")
    assert [look.count_of(code) for code in range(3)] == [0, 0, 2]
