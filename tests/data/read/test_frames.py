"""Tables in memory: every library gives the same columns."""

from __future__ import annotations

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from featsieve.data import ColumnKind, read_table
from featsieve.exceptions import DataError

DATA = {
    "whole": [1, 2, None],
    "real": [1.5, None, 3.0],
    "text": ["b", None, "a"],
    "truth": [True, None, False],
    "day": [dt.date(1970, 1, 2), None, dt.date(2000, 1, 1)],
    "moment": [dt.datetime(1970, 1, 1, 12), None, dt.datetime(1969, 12, 31)],
    "span": [dt.timedelta(hours=36), None, dt.timedelta(0)],
    "exact": [decimal.Decimal("1.5"), None, decimal.Decimal("-2")],
    "nothing": [None, None, None],
}
LEVELS = ["v", "w", "u"]
WANTED = {
    "whole": [1, 2, np.nan],
    "real": [1.5, np.nan, 3.0],
    "text": ("a", "b"),
    "truth": (False, True),
    "day": [1, np.nan, 10957],
    "moment": [0.5, np.nan, -1],
    "span": [1.5, np.nan, 0],
    "exact": [1.5, np.nan, -2],
    "nothing": [np.nan] * 3,
}


@pytest.mark.parametrize(
    "source",
    [
        DATA,
        [dict(zip(DATA, row, strict=True)) for row in zip(*DATA.values(), strict=True)],
        pd.DataFrame(DATA),
        pd.DataFrame(DATA, dtype=object),
        pl.DataFrame(DATA),
        pl.DataFrame(DATA).lazy(),
        pa.table(DATA),
        pa.record_batch(DATA),
    ],
    ids=["dict", "rows", "pandas", "objects", "polars", "lazy", "arrow", "batch"],
)
def test_all_sources_agree(source):
    table = read_table(source)
    assert table.names == tuple(DATA)
    for name, wanted in WANTED.items():
        column = table[name]
        if isinstance(wanted, tuple):
            assert column.levels == wanted
            assert column.values.tolist() == [1, -1, 0]
            assert column.values.dtype == np.int32
        else:
            assert column.kind is ColumnKind.NUMERIC
            np.testing.assert_array_equal(column.values, wanted)
            assert column.values.dtype == np.float64
    dates = [note.column for note in table.notes if note.code == "date"]
    assert dates == ["day", "moment", "span"]


@pytest.mark.parametrize(
    "source",
    [
        pd.DataFrame(
            {"a": pd.Categorical(["u", None, "v"], categories=["v", "w", "u"])}
        ),
        pl.DataFrame(
            {"a": pl.Series(["u", None, "v"], dtype=pl.Enum(["v", "w", "u"]))}
        ),
        pa.table(
            {
                "a": pa.DictionaryArray.from_arrays(
                    pa.array([2, None, 0]), LEVELS, ordered=True
                )
            }
        ),
    ],
    ids=["pandas", "polars", "arrow"],
)
def test_declared_levels_keep_their_order(source):
    column = read_table(source)["a"]
    assert column.levels == ("v", "w", "u")
    assert column.values.tolist() == [2, -1, 0]


@pytest.mark.parametrize(
    "source",
    [
        pl.DataFrame({"a": pl.Series(["u", None, "b"], dtype=pl.Categorical)}),
        pa.table({"a": pa.array(["u", None, "b"]).dictionary_encode()}),
        pa.table({"a": pa.array(["u", None, "b"], pa.string_view())}),
        pa.table({"a": pa.chunked_array([["u"], [None], ["b"]])}),
        np.array([["u"], [None], ["b"]], dtype=object),
    ],
)
def test_undeclared_levels_are_sorted(source):
    column = next(iter(read_table(source)))
    assert column.levels == ("b", "u")
    assert column.values.tolist() == [1, -1, 0]


def test_pandas_curiosities():
    frame = pd.DataFrame(
        {
            "cut": pd.cut([1, 2, 3], 2),
            "Int": pd.array([1, None, 3], "Int64"),
            "bool": pd.array([True, None, False], "boolean"),
            "sparse": pd.arrays.SparseArray([0.0, 1.0, 0.0]),
            "mixed": np.array([1, "x", None], dtype=object),
        }
    )
    table = read_table(frame)
    assert table["cut"].levels == ("(0.998, 2.0]", "(2.0, 3.0]")
    np.testing.assert_array_equal(table["Int"].values, [1, np.nan, 3])
    assert table["bool"].levels == (False, True)
    assert table["sparse"].values.tolist() == [0, 1, 0]
    assert table["mixed"].levels == (1, "x")


def test_arrays():
    table = read_table(np.arange(6, dtype=np.int8).reshape(3, 2))
    assert table.names == ("x0", "x1")
    assert table["x1"].values.tolist() == [1, 3, 5]
    structured = np.array([(1, "a"), (2, "b")], dtype=[("n", "i4"), ("s", "U1")])
    table = read_table(structured)
    assert table["n"].values.tolist() == [1, 2]
    assert table["s"].levels == ("a", "b")
    masked = np.ma.masked_array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]])
    np.testing.assert_array_equal(read_table(masked)["x1"].values, [np.nan, 4])
    assert read_table(np.array([["2020-01-01"]], "M8[D]"))["x0"].values[0] == 18262
    assert read_table(np.array([[True], [False]]))["x0"].levels == (False, True)
    assert read_table([[1, "a"], [2, "b"]])["x1"].levels == ("a", "b")
    assert read_table(np.arange(4).reshape(2, 2), nominal=[0])["x0"].levels == (0, 2)


def test_reading_does_not_share_memory_with_the_source():
    array = np.ones((3, 2))
    read_table(array)["x0"].values[0] = 7
    assert array[0, 0] == 1


def test_names_are_made_unique_and_noted():
    frame = pd.DataFrame([[1, 2, 3, 4]], columns=["a", "a", "", 7])
    table = read_table(frame)
    assert table.names == ("a", "a_2", "column_3", "7")
    assert [n.code for n in table.notes[:2]] == ["duplicate_name", "empty_name"]
    arrow = pa.Table.from_arrays([pa.array([1])] * 3, names=["a", "a", "a_2"])
    assert read_table(arrow).names == ("a", "a_3", "a_2")
    assert read_table(pl.DataFrame({"": [1]})).names == ("column_1",)
    multi = pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")]))
    assert read_table(multi).names == ("('a', 'b')",)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (pd.DataFrame({"z": [[1], [2]]}), "Column 'z' holds values of type list"),
        (pl.DataFrame({"z": [{"a": 1}]}), "Column 'z' holds values of type struct"),
        (pd.DataFrame({"z": [b"a"]}), "Column 'z' holds values of type binary"),
        (pd.DataFrame({"z": [1j]}), "Column 'z' holds values of type complex"),
        (np.array([[1j]]), "Column 'x0' holds values of type complex"),
        (np.array([[b"a"]]), "Column 'x0' holds values of type"),
        ([{"z": [1]}, {"z": "a"}], "Column 'z' holds values of type list"),
        (np.arange(3), r"array.reshape\(-1, 1\)"),
        (np.ones((2, 2, 2)), r"two dimensions. Got shape \(2, 2, 2\)"),
        (pd.Series([1]), "Call `.to_frame"),
        (scipy.sparse.csr_array([[1, 0]]), "Call `.toarray"),
        ([1, 2], "A list must hold dictionaries or rows"),
        ([[1, 2], [3]], "A list must hold dictionaries or rows"),
        ({"a": [1], "b": [1, 2]}, "Column 'a' has 1 rows, column 'b' has 2"),
        ({"a": 5}, "must be a sequence"),
        (None, "cannot read an object of type NoneType"),
        (5, "cannot read an object of type int"),
    ],
)
def test_what_cannot_be_read_says_why(source, message):
    with pytest.raises(DataError, match=message):
        read_table(source)


@pytest.mark.parametrize(
    "target",
    [
        ["a", "b", "b"],
        ("a", "b", "b"),
        np.array(["a", "b", "b"]),
        np.array([["a"], ["b"], ["b"]]),
        pd.Series(["a", "b", "b"], name="y"),
        pl.Series("y", ["a", "b", "b"]),
        pa.array(["a", "b", "b"]),
        pd.DataFrame({"y": ["a", "b", "b"]}),
    ],
)
def test_targets_of_all_sorts(target):
    table = read_table(np.ones((3, 1)), target)
    assert table.target.levels == ("a", "b")
    assert table.target.name == (
        "y"
        if hasattr(target, "to_numpy") and not isinstance(target, pa.Array)
        else "target"
    )


def test_target_of_two_columns_is_an_error():
    with pytest.raises(DataError, match="one dimension"):
        read_table(np.ones((3, 1)), np.ones((3, 2)))


def test_large_integers_are_noted_and_kept_as_names():
    big = [2**60, 2**60 + 1, 2**60 + 1]
    table = read_table({"a": big})
    assert [note.code for note in table.notes] == ["large_integers", "constant"]
    assert read_table({"a": big}, nominal=["a"])["a"].levels == (2**60, 2**60 + 1)
    frame = pd.DataFrame({"a": big})
    assert read_table(frame, nominal=["a"])["a"].levels == (2**60, 2**60 + 1)


def test_dates_as_names():
    table = read_table(pl.DataFrame({"d": [dt.date(2020, 1, 2)]}), nominal=["d"])
    assert table["d"].levels == ("2020-01-02",)


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_infinity=False),
    st.text(),
    st.dates(),
    st.datetimes(),
    st.timedeltas(),
    st.times(),
    st.decimals(allow_infinity=False),
)


@given(st.lists(SCALARS, max_size=20))
def test_any_mixture_of_scalars_is_read(values):
    try:
        column = read_table({"a": values})["a"]
    except DataError as error:
        assert "infinity" in str(error)  # noqa: PT017  (an integer beyond floats)
        return
    assert len(column.values) == len(values)
    if column.is_nominal:
        assert len(set(column.levels)) == len(column.levels)
        for value, code in zip(values, column.values, strict=True):
            if code >= 0 and isinstance(value, str):
                assert column.levels[code] == value


@pytest.mark.parametrize(
    "dtype", ["i2", ">i2", "u2", "i4", "u4", ">i4", "i8", "f4", "f8"]
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_small_whole_numbers_are_coded_like_any_others(dtype, order):
    values = np.array([[0, 7, 255], [2, 7, 0], [0, 7, 9]])
    table = read_table(values.astype(dtype, order=order), nominal="all")
    assert [column.levels for column in table] == [(0, 2), (7,), (0, 9, 255)]
    assert [column.values.tolist() for column in table] == [
        [0, 1, 0],
        [0, 0, 0],
        [2, 0, 1],
    ]
    larger = read_table(np.vstack([values, [[256, 7, 0]]]).astype(dtype), nominal="all")
    assert larger.columns[0].levels == (0, 2, 256)
    assert larger.columns[1].levels == (7,)


@pytest.mark.parametrize("order", ["C", "F"])
def test_bytes_are_coded_like_any_other_numbers(order):
    values = np.array([[0, 7, 255], [2, 7, 0], [0, 7, 9]], dtype="u1", order=order)
    table = read_table(values, nominal="all")
    assert [column.levels for column in table] == [(0, 2), (7,), (0, 9, 255)]
    assert table["x2"].values.tolist() == [2, 0, 1]
    values[0, 0] = 9
    assert table["x0"].values.tolist() == [0, 1, 0]  # a copy
    negative = read_table(values.astype("i1"), nominal="all")
    assert [column.levels for column in negative] == [(0, 2, 9), (7,), (-1, 0, 9)]
    assert negative["x2"].values.tolist() == [0, 1, 2]


def test_nan_in_an_arrow_dictionary_is_missing():
    values = pa.DictionaryArray.from_arrays([0, 1, 0], [1.5, float("nan")])
    column = read_table(pa.table({"x": values}))["x"]
    assert column.levels == (1.5,)
    assert column.values.tolist() == [0, -1, 0]


def test_a_column_called_nan_has_no_name():
    frame = pd.DataFrame([[1, 2]], columns=[np.nan, "x"])
    assert read_table(frame).names == ("column_1", "x")


def test_levels_of_huge_floats_are_not_spelled_out():
    table = read_table({"x": [1, 2], "y": [1e300, 1.0]}, target="y")
    assert table.target.levels == (1, 1e300)
    assert isinstance(table.target.levels[1], float)
