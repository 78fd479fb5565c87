import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from featsieve.data import read_table
from featsieve.data._answer_frames import frame_library, make_frame

COLUMNS = {"name": ["a", "b"], "score": [None, 0.5], "n": [1, 2], "good": [True, False]}
KINDS = {"name": str, "score": float, "n": int, "good": bool}


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_every_library(library):
    frame = make_frame(COLUMNS, KINDS, library)
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
