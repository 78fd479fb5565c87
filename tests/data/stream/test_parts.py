"""Where the rows of a stream come from: files, frames, iterators."""

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from featsieve.data import ColumnKind
from featsieve.data.read._encode import Codes, Numbers
from featsieve.data.read._read_table import TextFormat
from featsieve.data.read._settle import Request
from featsieve.data.stream._parquet_parts import ViewedPart
from featsieve.data.stream._parts import (
    CsvPart,
    FramePart,
    PassingPart,
    files_of_frame,
    find_parts,
    settle_types,
    target_parts,
)
from featsieve.exceptions import DataError

FRAME = pd.DataFrame({"x": [1, 2, 3], "y": ["p", "q", "p"]})


def find(source, **request):
    parts, _ = find_parts(source, Request("y", **request), TextFormat())
    return parts


def write(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def only(part, *wanted):
    (columns,) = (list(batch) for batch in part.batches(wanted))
    return columns


def test_frames_are_parts_that_can_be_read_again():
    parts = find([FRAME, FRAME[:1]])
    assert [type(part) for part in parts] == [FramePart] * 2
    assert [part.label for part in parts] == ["part 0", "part 1"]
    for _ in range(2):
        y, x = only(parts[0], "y", "x")
        assert [y.levels[code] for code in y.codes] == ["p", "q", "p"]
        assert x.values.tolist() == [1, 2, 3]
    bare = parts[0].without_source()
    assert bare.source is None
    assert only(bare.with_source(FRAME), "x")[0].values.tolist() == [1, 2, 3]


def test_an_iterator_is_read_once():
    (part,) = find(iter([FRAME, FRAME[:1]]))
    assert isinstance(part, PassingPart)
    assert [len(batch[0]) for batch in part.batches(["x"])] == [3, 1]
    with pytest.raises(DataError, match="an iterator gives them once"):
        list(part.batches(["x"]))


@pytest.mark.parametrize("source", [[], iter([])])
def test_nothing_is_no_stream(source):
    with pytest.raises(DataError, match="at least one file or frame"):
        find(source)


def test_types_hold_for_all_files(tmp_path):
    files = [
        write(tmp_path, "a.csv", "x,z,y\n1,1,p\n"),
        write(tmp_path, "b.csv", "y,x,z\nq,0.5,u\n"),
    ]
    parts = find([str(file) for file in files])
    assert [type(part) for part in parts] == [CsvPart] * 2
    types = [dict(zip(part.names, part.types, strict=True)) for part in parts]
    assert types[0] == types[1]
    assert types[0]["x"] == pa.float64()
    x, z = only(parts[0], "x", "z")
    assert isinstance(x, Numbers)
    assert isinstance(z, Codes)
    assert parts[1].label == repr(str(files[1]))


def test_a_later_row_settles_the_type(tmp_path):
    (part,) = find(write(tmp_path, "a.csv", "x,y\n1,p\n2,q\n"))
    part.path.write_text("x,y\n1,p\nu,q\n", encoding="utf-8")
    (settled,) = settle_types([part])
    assert dict(zip(settled.names, settled.types, strict=True))["x"] != part.types[0]


def test_a_header_alone_is_an_empty_part(tmp_path):
    (part,) = find(write(tmp_path, "a.csv", "x,y\n"))
    assert part.names == ("x", "y")
    assert list(part.batches(["x"])) == []


@pytest.mark.parametrize(
    ("names", "fault"),
    [
        (("a.csv", "b.parquet"), "CSV or of Parquet files, not of both"),
        (("a.csv", "b.doc"), "is no CSV, TSV or Parquet file"),
    ],
)
def test_files_of_one_format(tmp_path, names, fault):
    for name in names:
        write(tmp_path, name, "x,y\n1,p\n")
    with pytest.raises(DataError, match=fault):
        find([str(tmp_path / name) for name in names])


def test_the_target_is_read_alone_where_that_is_cheaper():
    alone = FramePart(0, ("y",), FRAME[["y"]], Request())
    whole = FramePart(0, ("x", "y"), FRAME, Request(), (alone,))
    assert target_parts([whole]) == [alone]
    assert target_parts([alone]) == [alone]


TABLE = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "y": ["p", "q", "p", "q"]})


@pytest.fixture
def path(tmp_path):
    folder = tmp_path / "year=2024"
    folder.mkdir()
    pq.write_table(TABLE, folder / "a.parquet", row_group_size=2)
    return str(folder / "a.parquet")


def test_all_row_groups_or_some(path):
    parts = files_of_frame([(path, None)], ["x", "y"], Request("y"))
    assert [part.groups for part in parts] == [(0,), (1,)]
    assert all(part.remote for part in parts)
    (part,) = files_of_frame([(path, (1,))], ["x", "y"], Request("y"))
    assert part.groups == (1,)


def test_columns_in_the_order_of_the_frame(path):
    parts = files_of_frame([(path, None)], ["y", "x"], Request("y"))
    assert all(isinstance(part, ViewedPart) for part in parts)
    assert [part.names for part in parts] == [("y", "x")] * 2
    assert all(part.remote for part in parts)


def test_a_folder_is_a_column_if_the_frame_has_it(path):
    request = Request("y", nominal=["year"])
    first, _ = files_of_frame([(path, None)], ["x", "y", "year"], request)
    assert first.names == ("x", "y", "year")
    (year,) = (batch[0] for batch in first.batches(["year"]))
    assert [str(year.levels[code]) for code in year.codes] == ["2024"] * 2
    kinds = dict(zip(first.names, request.kinds(first.names), strict=True))
    assert kinds["year"] is ColumnKind.NOMINAL


@pytest.mark.parametrize("columns", [["x", "other", "y"], ["x", 3]])
def test_other_columns_are_left_to_dask(path, columns):
    assert files_of_frame([(path, None)], columns, Request()) is None


def test_files_that_are_not_here_or_come_twice_are_left_to_dask(path, tmp_path):
    gone = str(tmp_path / "gone.parquet")
    assert files_of_frame([(gone, None)], ["x"], Request()) is None
    assert files_of_frame([(path, None), (path, None)], ["x", "y"], Request()) is None
    assert files_of_frame([], ["x"], Request()) is None
