"""Columns that are taken over as they are, or copied and recoded."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve.data import read_table
from featsieve.data._looks import sort_levels
from featsieve.data.read._encode import (
    CodeBuilder,
    NumberBuilder,
    Numbers,
)
from featsieve.exceptions import DataError


def mutable(values):
    """Return an arrow array of one buffer that may be written, as readers make them."""
    buffer = pa.allocate_buffer(values.nbytes, resizable=True)
    np.frombuffer(buffer, values.dtype)[:] = values
    return pa.Array.from_buffers(
        pa.from_numpy_dtype(values.dtype), len(values), [None, buffer]
    )


@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_an_array_of_ones_own_becomes_the_column(dtype):
    array = mutable(np.array([3, -5, 0], dtype))
    builder = NumberBuilder(array.type, 3)
    builder.append(array, own=True)
    column = builder.finish()
    assert column.values.tolist() == [3.0, -5.0, 0.0]
    assert column.size == 5.0
    assert column.values.ctypes.data == array.buffers()[1].address


@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_an_array_of_others_is_copied(dtype):
    given_values = np.array([3, -5, 0], dtype)
    array = mutable(given_values)
    builder = NumberBuilder(array.type, 3)
    builder.append(array)
    column = builder.finish()
    column.values[:] = 9
    assert array.to_numpy().tolist() == given_values.tolist()


@pytest.mark.parametrize(
    "pieces",
    [
        [[1.0, 2.0], [3.0]],  # more to come
        [[1.0, None, 3.0]],
        [[]],
    ],
)
def test_arrays_that_cannot_be_taken_over_are_copied(pieces):
    builder = NumberBuilder(pa.float64(), 3)
    for piece in pieces:
        builder.append(pa.array(piece, pa.float64()), own=True)
    flat = [np.nan if v is None else v for piece in pieces for v in piece]
    np.testing.assert_array_equal(builder.finish().values, flat)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("index", [pa.int8(), pa.int32()])
def test_codes_of_dictionaries(own, index):
    pieces = [
        (["b", None, "a"], [0, 1, None, 2]),
        (["a", "c"], [1, 0, 1]),
    ]
    builder = CodeBuilder(7)
    for dictionary, places in pieces:
        array = pa.DictionaryArray.from_arrays(pa.array(places, index), dictionary)
        builder.append(array, own=own)
    column = sort_levels(builder.finish(), numerically=False)
    assert column.levels == ["a", "b", "c"]
    assert column.codes.tolist() == [1, -1, -1, 0, 2, 0, 2]


@given(st.lists(st.floats(width=32)), st.sampled_from([1, 2, -1]))
def test_sizes_of_numbers_in_any_layout(values, step):
    column = Numbers(np.array(values, dtype=np.float64)[::step])
    finite = [abs(v) for v in column.values if not np.isnan(v)]
    if len(column.values):
        assert column.greatest_size() == max(finite, default=column.size) or not finite


def test_objects_without_a_text_of_their_own_are_refused():
    class Thing:
        pass

    with pytest.raises(DataError, match="Column 'a' holds values of type Thing"):
        read_table({"a": [Thing(), None, "x"]})  # its text would be an address
