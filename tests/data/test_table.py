"""Typed columns as frames, and notes: each kind has one effect, a row in the guide."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from featsieve.data import Column, ColumnKind, Effect, Note, Table, read_table
from featsieve.data._table import KINDS, frame_library, make_frame

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "data.rst"


def test_a_note_knows_its_effect_and_reason():
    note = Note("identical", "b", "Column 'b' is identical to column 'a'.", "a")
    assert note.effect is Effect.DROP
    assert note.reason == "is identical to column 'a'"
    assert pickle.loads(pickle.dumps(note)) == note
    other = Note("separator", None, "Another separator?")
    assert (other.effect, other.reason) == (Effect.WARN, "Another separator?")


def test_what_is_not_in_the_table_has_no_effect():
    with pytest.raises(KeyError):
        _ = Note("unheard_of", "a", "Column 'a' is odd.").effect


def test_the_guide_gives_the_effect_of_every_fact_about_a_column():
    rows = re.findall(r"\* - ``(\w+)``\n.*?\n     - (\w+)\n", GUIDE.read_text(), re.S)
    told = dict(rows)
    about_columns = {
        code
        for code, kind in KINDS.items()
        if "target" not in code and "class" not in code and kind.of_columns
    }
    assert about_columns <= set(told)
    assert told == {code: KINDS[code].effect.value for code in told}


@pytest.fixture
def table() -> Table:
    size = np.array([1, 0, -1, 1], dtype=np.int32)
    y = np.array([0, 1, 1, 0], dtype=np.int32)
    return Table(
        (
            Column("age", ColumnKind.NUMERIC, np.array([1.5, np.nan, 3.0, 4.0])),
            Column("size", ColumnKind.NOMINAL, size, ("small", "large", "unused")),
        ),
        Column("y", ColumnKind.NOMINAL, y, (False, True)),
    )


def test_take_by_index_and_by_mask(table):
    for rows in (np.array([3, 0]), np.array([True, False, False, True])):
        part = table.take(rows)
        assert part.n_rows == len(part) == 2
        assert set(part["age"].values) == {1.5, 4.0}
        assert part["size"].levels == ("small", "large", "unused")
        assert part.target.values.tolist() == [0, 0]


def test_select_keeps_order_asked_for(table):
    assert table.select(["size"]).names == ("size",)
    with pytest.raises(KeyError):
        table["nope"]


def test_to_pandas(table):
    X, y = table.to_pandas()
    assert list(X["size"].cat.categories) == ["small", "large", "unused"]
    assert X["size"].isna().tolist() == [False, False, True, False]
    assert X["age"].isna().tolist() == [False, True, False, False]
    assert y.tolist() == [False, True, True, False]


def test_to_polars(table):
    X, y = table.to_polars()
    assert X["size"].dtype.categories.to_list() == ["small", "large", "unused"]
    assert X["size"].to_list() == ["large", "small", None, "large"]
    assert X["age"].to_list() == [1.5, None, 3.0, 4.0]
    assert y.to_list() == ["False", "True", "True", "False"]


def test_to_arrow(table):
    X, y = table.to_arrow()
    assert X["size"].to_pylist() == ["large", "small", None, "large"]
    assert X["size"].chunk(0).dictionary.to_pylist() == ["small", "large", "unused"]
    assert y.to_pylist() == [False, True, True, False]


@pytest.mark.parametrize("way", ["to_pandas", "to_polars", "to_arrow"])
def test_exports_read_back_the_same(table, way):
    X, y = getattr(table, way)()
    back = read_table(X, y)
    assert back["size"].levels == ("small", "large", "unused")
    for column in table:
        np.testing.assert_array_equal(back[column.name].values, column.values)
    assert back.target.values.tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("way", ["to_pandas", "to_polars", "to_arrow"])
def test_awkward_levels_are_exported(way):
    codes = np.array([0, 1, 2], dtype=np.int32)
    for levels in ((1, "1", 2.5), ("\ud800", "b", "c"), (1, True, "x")):
        awkward = Table((Column("a", ColumnKind.NOMINAL, codes, levels),))
        X, y = getattr(awkward, way)()
        assert len(X) == 3
        assert y is None
    empty = Table((Column("a", ColumnKind.NOMINAL, codes[:0], ()),))
    assert len(getattr(empty, way)()[0]) == 0


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_export_without_the_library_says_how_to_install_it(table, library, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, library, None)
    with pytest.raises(ImportError, match=rf"pip install featsieve\[{library}\]"):
        getattr(table, f"to_{library}")()


def test_table_without_columns_has_its_rows():
    assert Table(()).n_rows == 0
    assert read_table(np.empty((3, 0)), ["a", "b", "b"]).n_rows == 3


COLUMNS = {"name": ["a", "b"], "score": [None, 0.5], "n": [1, 2], "good": [True, False]}
FIELD_KINDS = {"name": str, "score": float, "n": int, "good": bool}


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_every_library(library):
    frame = make_frame(COLUMNS, FIELD_KINDS, library)
    assert frame_library(frame) == library
    table = read_table(frame)
    assert table.names == ("name", "score", "n", "good")
    assert table["score"].n_missing == 1


def test_columns_without_any_value_keep_their_kind():
    frame = make_frame({"score": [None, None]}, {"score": float}, "pandas")
    assert frame["score"].dtype == "float64"
    assert make_frame({"score": []}, {"score": float}, "polars").schema == {
        "score": pl.Float64
    }


def test_lazy_frames_and_other_things():
    assert frame_library(pl.LazyFrame({"a": [1]})) == "polars"
    assert frame_library(pa.table({"a": [1]})) == "pyarrow"
    assert frame_library(pd.DataFrame({"a": [1]})) == "pandas"
    assert frame_library([[1, 2]]) == "pandas"
    assert frame_library("data.csv") == "pandas"
