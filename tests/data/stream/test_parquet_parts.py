"""Row groups of Parquet files, decoded column by column."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from featsieve.data.read._encode import Codes, Numbers
from featsieve.data.read._settle import Request
from featsieve.data.stream import _parquet_parts
from featsieve.data.stream._parquet_parts import ParquetPart, parquet_parts
from featsieve.exceptions import DataError

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
