"""Columns taken out of files: cells as they stand there, types in Parquet."""

from __future__ import annotations

import gzip

import pyarrow.parquet as pq
import pytest

from featsieve.data import copy_columns
from featsieve.exceptions import DataError

CELLS = "code;size;when;word;y\n007;1,50;2021-01-02;NA;a\n012;-9,0;2021-02-03;ok;b\n"
GERMAN = {"separator": ";", "decimal": ","}


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "source.csv"
    path.write_text(CELLS, encoding="utf-8")
    return path


def test_text_stays_as_it_stands(source, tmp_path):
    out = tmp_path / "out.tsv"
    assert copy_columns(source, ["y", "code", "size"], out, **GERMAN) == out
    assert out.read_text() == "code\tsize\ty\n007\t1,50\ta\n012\t-9,0\tb\n"


def test_parquet_has_types_and_gaps(source, tmp_path):
    out = tmp_path / "out.parquet"
    names = ["code", "size", "when", "word"]
    copy_columns(
        source, names, out, nominal=["code"], missing_values=["NA", -9.0], **GERMAN
    )
    table = pq.read_table(out)
    assert [str(kind) for kind in table.schema.types] == [
        "string",
        "double",
        "date32[day]",
        "string",
    ]
    assert table["code"].to_pylist() == ["007", "012"]
    assert table["size"].to_pylist() == [1.5, None]
    assert table["word"].to_pylist() == [None, "ok"]


def test_other_sources(source, tmp_path):
    packed = tmp_path / "packed.csv.gz"
    packed.write_bytes(gzip.compress(CELLS.encode("utf-16")))
    copied = copy_columns(
        packed, ["y"], tmp_path / "y.csv", encoding="utf-16", separator=";"
    )
    assert copied.read_text() == "y\na\nb\n"
    parquet = copy_columns(source, ["size", "y"], tmp_path / "s.parquet", **GERMAN)
    copied = copy_columns(parquet, ["size"], tmp_path / "size.csv")
    assert copied.read_text() == '"size"\n1.5\n-9\n'
    arff = tmp_path / "t.arff"
    arff.write_text("@relation r\n@attribute a {x,z}\n@attribute b numeric\n@data\nz,2")
    copied = copy_columns(arff, ["a"], tmp_path / "a.csv")
    assert copied.read_text() == '"a"\n"z"\n'


def test_what_cannot_be_copied(source, tmp_path):
    with pytest.raises(DataError, match="no column 'z' to copy"):
        copy_columns(source, ["z"], tmp_path / "out.csv", **GERMAN)
    with pytest.raises(DataError, match=r"copied to \.csv, \.tsv, \.parquet files"):
        copy_columns(source, ["y"], tmp_path / "out.xlsx")
    with pytest.raises(ValueError, match="'decimal' parameter of copy_columns"):
        copy_columns(source, ["y"], tmp_path / "out.csv", decimal=";")
