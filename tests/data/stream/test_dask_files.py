"""Parquet files behind a Dask DataFrame, read without Dask."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from featsieve.data import ColumnKind
from featsieve.data.read._settle import Request
from featsieve.data.stream._dask_files import files_of_frame
from featsieve.data.stream._viewed_parts import ViewedPart

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
