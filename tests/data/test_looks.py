"""Rows and counts of the same column must give the same answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featsieve._kernels import ValueCounts
from featsieve.data._looks import CountLook, Look
from featsieve.data._table import Column, ColumnKind
from featsieve.data.stream._counted_table import _counted_numbers


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
