"""Rows in memory and parts of a stream give the same tallies."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import tallies as reference

from featsieve.data import open_stream
from featsieve.tallies import Tally
from featsieve.tallies.api import tally_codes, tally_numbers

rows = st.lists(
    st.tuples(st.integers(-1, 4), st.integers(0, 2), st.sampled_from([0.5, 1.0, 2.25])),
    min_size=1,
    max_size=60,
)


@settings(max_examples=100, deadline=None)
@given(rows, st.booleans(), st.sampled_from([np.int32, np.uint16, np.uint8]))
def test_counts_by_definition(some, weighted, dtype):
    codes = np.array([[code] for code, _, _ in some])
    if dtype is not np.int32:
        codes = np.maximum(codes, 0)
    classes = np.array([label for _, label, _ in some], dtype=np.int32)
    weights = np.array([weight for _, _, weight in some]) if weighted else None
    (found,) = tally_codes(
        codes.astype(dtype), classes, 3, np.array([5], dtype=np.int32), weights
    )
    expected = reference.tally(codes[:, 0], classes, 5, 3, weights)
    assert found.table.tolist() == expected
    assert found.table.dtype == (np.float64 if weighted else np.int64)


def test_every_column_has_its_own_levels():
    codes = np.array([[0, 2], [1, 0], [-1, 1]], dtype=np.int32, order="F")
    classes = np.array([0, 1, 1], dtype=np.int32)
    one, other = tally_codes(codes, classes, 2, np.array([2, 3], dtype=np.int32))
    assert one.table.tolist() == [[1, 0], [0, 1], [0, 1]]
    assert other.table.tolist() == [[0, 1], [0, 1], [1, 0], [0, 0]]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.integers(3, 5), st.integers(0, 1)),
        min_size=2,
        max_size=60,
    ),
    st.integers(1, 4),
)
def test_numbers_from_rows_and_from_parts(some, n_parts):
    values = np.array([row[:2] for row in some], dtype=np.uint8, order="F")
    classes = np.array([row[2] for row in some], dtype=np.int32)
    found = tally_numbers(values, classes, 2)
    frame = pd.DataFrame(values.astype(np.int64), columns=["a", "b"])
    frame["y"] = np.array(["n", "p"])[classes]
    cuts = np.array_split(np.arange(len(frame)), min(n_parts, len(frame)))
    counted = open_stream([frame.iloc[part] for part in cuts], "y").count()
    present = np.unique(classes)
    for tally, column in zip(found, counted.columns, strict=True):
        assert np.array_equal(tally.keys, column.keys)
        assert np.array_equal(tally.table[:, present], column.table)
        assert tally.range == column.range


def test_no_rows():
    (empty,) = tally_numbers(
        np.empty((0, 1), dtype=np.uint8, order="F"), np.empty(0, dtype=np.int32), 2
    )
    assert empty.n_levels == 0
    assert empty.total == 0


def test_from_codes():
    tally = Tally.from_codes([0, 2, -1], [1, 0, 1], [0.5, 1.0, 4.0])
    assert tally.table.tolist() == [[0.0, 0.5], [0.0, 0.0], [1.0, 0.0], [0.0, 4.0]]
    assert Tally.from_codes([], []).table.tolist() == [[0]]


def test_a_cluster_counts_as_one_machine():
    dask = pytest.importorskip("dask.dataframe")
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": random.integers(0, 9, 300), "b": random.normal(size=300).round(1)}
    )
    frame["y"] = np.where(random.random(300) < 0.4, "n", "p")
    here = open_stream([frame[:50], frame[50:]], "y").count()
    there = open_stream(dask.from_pandas(frame, npartitions=3), "y").count()
    for one, other in zip(here.columns, there.columns, strict=True):
        assert np.array_equal(one.table, other.table)
        assert np.array_equal(one.keys, other.keys)
