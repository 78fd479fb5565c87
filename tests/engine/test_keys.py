"""A random number for every row, known by its number alone."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from featsieve.engine.api import row_keys

MOST = 2**64
GOLDEN, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def plain_key(row, seed):
    """Return two rounds of splitmix64 in whole numbers of Python."""
    x = (row + seed * GOLDEN + GOLDEN) % MOST
    x = (x ^ (x >> 30)) * FIRST % MOST
    x = (x ^ (x >> 27)) * SECOND % MOST
    x = ((x + GOLDEN) % MOST ^ (x >> 31)) * FIRST % MOST
    return x ^ (x >> 29)


@given(st.lists(st.integers(0, 2**62), max_size=9), st.integers(0, 2**64))
def test_keys_equal_the_plain_version(rows, seed):
    found = row_keys(np.array(rows, dtype=np.int64), seed)
    assert found.dtype == np.uint64
    assert found.tolist() == [plain_key(row, seed) for row in rows]


def test_keys_are_spread_evenly_and_differ_by_seed():
    keys = row_keys(np.arange(20_000), 1)
    assert len(np.unique(keys)) == 20_000
    eighths = np.bincount((keys >> np.uint64(61)).astype(int), minlength=8)
    # 2,500 are expected; five deviations are 234.
    assert abs(eighths - 2500).max() < 234
    least = set(np.argsort(keys)[:1000].tolist())
    other = set(np.argsort(row_keys(np.arange(20_000), 2))[:1000].tolist())
    assert len(least & other) < 100  # 50 are expected


def test_parts_have_the_keys_of_the_whole():
    rows = np.arange(1000)
    whole = row_keys(rows, 7)
    np.testing.assert_array_equal(row_keys(rows[500:], 7), whole[500:])
