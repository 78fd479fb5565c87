"""Row groups of Parquet files, decoded column by column."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from featsieve.data.read._encode import Codes, Numbers
from featsieve.data.read._settle import Request
from featsieve.data.stream import _parquet_parts
from featsieve.data.stream._parquet_parts import (
    Batch,
    ParquetPart,
    ViewedPart,
    check_columns,
    parquet_parts,
    with_keys,
    without_keys,
)
from featsieve.exceptions import DataError


def test_a_column_is_encoded_each_time_it_is_asked_for():
    asked = []
    batch = Batch(3, lambda at: asked.append(at) or f"column {at}")
    assert len(batch) == 3
    assert asked == []
    assert (batch[1], batch[-1], batch[1]) == ("column 1", "column 2", "column 1")
    assert asked == [1, 2, 1]
    assert list(batch) == ["column 0", "column 1", "column 2"]
    with pytest.raises(IndexError):
        batch[3]


def test_columns_may_be_in_any_order():
    check_columns(["a", "b"], ["b", "a"], "part 1")


@pytest.mark.parametrize(
    ("found", "fault"),
    [(["a"], "part 1 has no column 'b'"), (["a", "b", "c"], "has another column 'c'")],
)
def test_a_part_with_other_columns_is_named(found, fault):
    with pytest.raises(DataError, match=fault):
        check_columns(["a", "b"], found, "part 1")


@dataclass(frozen=True)
class Plain:
    """Two batches of two columns."""

    path: str = "folder/file"
    names: tuple = ("a", "b")
    label: str = "a part"
    rows: int = 5

    def batches(self, wanted):
        for n_rows in (2, 3):
            columns = {"a": np.zeros(n_rows), "b": np.ones(n_rows)}
            yield Batch(
                len(wanted),
                lambda at, own=columns: Numbers(own[wanted[at]], integer=True),
            )


def view(keys, request=None):
    (part,) = with_keys([Plain()], {"folder/file": keys}, request or Request())
    return part


def test_a_folder_is_a_constant_column():
    part = view({"year": 2024, "town": "Oslo"})
    assert part.names == ("a", "b", "year", "town")
    first, second = part.batches(["town", "b", "year"])
    assert [len(batch[k]) for batch in (first, second) for k in (0, 1, 2)] == [
        *(2, 2, 2, 3, 3, 3)
    ]
    town, b, year = second
    assert [town.levels[code] for code in town.codes] == ["Oslo"] * 3
    assert (b.values.tolist(), year.values.tolist()) == ([1.0] * 3, [2024.0] * 3)


def test_constants_alone_have_as_many_rows_as_the_part():
    lengths = [len(batch[0]) for batch in view({"year": 2024}).batches(["year"])]
    assert lengths == [2, 3]


def test_a_number_asked_for_as_a_name_is_a_level():
    (_, second) = view({"year": 2024}, Request(nominal=["year"])).batches(["year"])
    assert [str(second[0].levels[code]) for code in second[0].codes] == ["2024"] * 3


def test_a_column_of_the_file_is_taken_from_there():
    assert view({"a": 7}) == Plain()


def test_what_a_part_knows_shows_through():
    part = ViewedPart(Plain(), ("b",))
    assert (part.path, part.rows, part.label) == ("folder/file", 5, "a part")
    with pytest.raises(AttributeError):
        _ = part.groups


def test_folders_are_left_out_of_what_is_asked_of_files():
    request = Request("year", nominal=["town", "a"], numeric="all")
    own = without_keys(request, {"year", "town"})
    assert (own.target, own.nominal, own.numeric) == (None, ["a"], "all")


N = 10
TABLE = pa.table(
    {
        "number": np.arange(N) / 4,
        "code": np.arange(N) % 3,
        "word": pa.array(["x", "y"] * (N // 2)).dictionary_encode(),
        "text": [f"t{k}" for k in range(N)],
    }
)


def write(path, table=TABLE, rows=4, **options):
    pq.write_table(table, path, row_group_size=rows, **options)
    return path


def texts(raw):
    assert isinstance(raw, Codes)
    return [raw.levels[code] for code in raw.codes]


def test_a_part_for_each_row_group(tmp_path):
    parts = parquet_parts([write(tmp_path / "a.parquet")], Request(nominal="code"), [])
    assert [(part.groups, part.rows) for part in parts] == [
        *(((0,), 4), ((1,), 4), ((2,), 2))
    ]
    assert parts[0].names == ("number", "code", "word", "text")


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("stored", [True, False])
def test_columns_are_those_that_were_written(tmp_path, monkeypatch, whole, stored):
    if not whole:  # batches, as of a large row group
        monkeypatch.setattr(_parquet_parts, "GROUP_ROWS", 0)
        monkeypatch.setattr(_parquet_parts, "BATCH_ROWS", 3)
    path = write(tmp_path / "a.parquet", store_schema=stored)
    parts = parquet_parts([path], Request(nominal=["code"]), [])
    wanted = ["text", "number", "word", "code"]
    batches = [list(batch) for part in parts for batch in part.batches(wanted)]
    text, number, word, code = zip(*batches, strict=True)
    assert isinstance(number[0], Numbers)
    assert np.concatenate([raw.values for raw in number]).tolist() == [
        k / 4 for k in range(N)
    ]
    assert [t for raw in text for t in texts(raw)] == TABLE["text"].to_pylist()
    assert [t for raw in word for t in texts(raw)] == TABLE["word"].to_pylist()
    assert [int(t) for raw in code for t in texts(raw)] == TABLE["code"].to_pylist()


def test_two_columns_of_one_name_are_told_apart(tmp_path):
    doubled = pa.table([TABLE["number"], TABLE["text"]], names=["a", "a"])
    notes = []
    (part,) = parquet_parts(
        [write(tmp_path / "a.parquet", doubled, N)], Request(), notes
    )
    assert len(set(part.names)) == 2
    assert notes
    ((number, text),) = (list(batch) for batch in part.batches(part.names))
    assert isinstance(number, Numbers)
    assert texts(text) == TABLE["text"].to_pylist()


def test_a_column_of_two_kinds_is_refused(tmp_path):
    first = write(tmp_path / "a.parquet", pa.table({"x": [1, 2]}))
    second = write(tmp_path / "b.parquet", pa.table({"x": ["u", "v"]}))
    with pytest.raises(DataError, match=r"'x' holds text in .*b\.parquet.* numbers"):
        parquet_parts([first, second], Request(), [])


def test_a_changed_file_is_read_anew(tmp_path):
    path = write(tmp_path / "a.parquet")
    assert len(parquet_parts([path], Request(), [])) == 3
    write(path, rows=N + 1, compression="gzip")
    assert len(parquet_parts([path], Request(), [])) == 1


def test_a_file_without_rows_is_one_empty_part(tmp_path):
    path = tmp_path / "a.parquet"
    pq.ParquetWriter(path, TABLE.schema).close()
    (part,) = parquet_parts([path], Request(), [])
    assert part == ParquetPart(path, tuple(TABLE.column_names), (), frozenset(), 0)
    assert part.label == repr(str(path))
