"""Directories as writers leave them: keys in names, stray files, files that go."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pytest

from featsieve.data import open_stream
from featsieve.exceptions import DataError
from featsieve.selectors import MeasureFilter, stream_interactions


def rows(n_rows=400):
    random = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "size": random.normal(size=n_rows).round(2),
            "colour": random.choice(["red", "green"], n_rows),
            "year": random.choice([2023, 2024], n_rows),
            "land": random.choice(["de", "fr", "Côte d'Or"], n_rows),
        }
    )
    frame["class"] = np.where((frame["year"] == 2024) ^ (frame["size"] > 1), "p", "n")
    return frame


def write_by_key(frame, folder, suffix=".parquet"):
    for (year, land), part in frame.groupby(["year", "land"]):
        place = folder / f"year={year}" / f"land={land.replace(' ', '%20')}"
        place.mkdir(parents=True)
        own = part.drop(columns=["year", "land"])
        if suffix == ".parquet":
            own.to_parquet(place / "part-0.parquet", index=False)
        else:
            own.to_csv(place / f"part-0{suffix}", index=False)


def gains(stream):
    counted = stream.count()
    found = MeasureFilter().fit(stream, None)
    return dict(zip(counted.names, found.scores_.tolist(), strict=True))


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".csv.gz"])
def test_names_of_folders_are_columns(tmp_path, suffix):
    frame = rows()
    write_by_key(frame, tmp_path, suffix)
    whole = gains(open_stream(frame, "class"))
    stream = open_stream(tmp_path, "class")
    assert stream.names == ("size", "colour", "year", "land")
    found = gains(stream)
    assert found == pytest.approx(whole, abs=1e-12)
    assert found["year"] > 0.5
    kinds = {column.name: column.is_nominal for column in stream.count().columns}
    assert kinds == {"size": False, "colour": True, "year": False, "land": True}
    assert set(stream.sample(50)["land"].levels) == {"de", "fr", "Côte d'Or"}
    assert stream_interactions(stream).names == stream.names


def test_names_of_folders_by_pattern_kind_and_target(tmp_path):
    write_by_key(rows(), tmp_path)
    pattern = str(tmp_path / "year=*" / "*" / "*.parquet")
    stream = open_stream(pattern, "class", nominal=["year"])
    assert gains(stream)["year"] > 0.5
    assert stream.count().columns[2].levels == (2023, 2024)
    # One folder of it is a table without that key.
    one = open_stream(tmp_path / "year=2023", "class")
    assert one.names == ("size", "colour", "land")
    by_land = open_stream(tmp_path, "land")
    assert by_land.names == ("size", "colour", "class", "year")
    assert by_land.count().classes == ("Côte d'Or", "de", "fr")


def test_a_key_that_is_in_the_file_and_one_without_value(tmp_path):
    frame = rows()
    for name in ("year=1", "year=2"):
        (tmp_path / name).mkdir()
        frame.to_parquet(tmp_path / name / "part.parquet")
    stream = open_stream(tmp_path, "class", nominal=["year"])
    assert stream.count().columns[2].levels == (2023, 2024)
    other = tmp_path / "other"
    for name in ("code=007", "code=__HIVE_DEFAULT_PARTITION__"):
        (other / name).mkdir(parents=True)
        frame.to_parquet(other / name / "part.parquet")
    column = open_stream(other, "class").count().columns[-1]
    assert (column.levels, column.n_missing) == (("007",), 400)


def test_files_with_other_keys_are_named(tmp_path):
    write_by_key(rows(), tmp_path)
    rows().drop(columns=["year", "land"]).to_parquet(tmp_path / "new.parquet")
    with pytest.raises(DataError, match="has another column 'year'"):
        open_stream(tmp_path, "class")


def test_what_writers_leave_behind_is_passed_over(tmp_path):
    frame = rows().drop(columns=["year", "land"])
    frame[:200].to_parquet(tmp_path / "a.parquet")
    (tmp_path / "deep").mkdir()
    frame[200:].to_parquet(tmp_path / "deep" / "b.parquet")
    frame[:0].to_parquet(tmp_path / "empty.parquet")
    for name in ("_SUCCESS", ".a.parquet.crc", "_metadata", "notes.txt", "._a.parquet"):
        (tmp_path / name).write_bytes(b"no table")
    for name in ("_temporary", ".ipynb_checkpoints"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "c.parquet").write_bytes(b"half")
    stream = open_stream(tmp_path, "class")
    assert stream.n_rows == 400
    assert stream.count().n_rows == 400


def test_folders_without_a_table(tmp_path):
    with pytest.raises(DataError, match="no CSV, TSV or Parquet files"):
        open_stream(tmp_path, "class")
    (tmp_path / "none.csv").write_bytes(b"")
    with pytest.raises(DataError, match="is empty"):
        open_stream(tmp_path, "class")
    (tmp_path / "none.csv").write_text("a,class\n")
    with pytest.raises(DataError, match="no rows to learn from"):
        open_stream(tmp_path, "class").count()
    (tmp_path / "some.csv").write_text("a,class\n1,p\n2,n\n")
    assert open_stream(tmp_path, "class").count().n_rows == 2


def test_other_columns_in_one_file(tmp_path):
    rows().to_parquet(tmp_path / "a.parquet")
    rows().rename(columns={"size": "width"}).to_parquet(tmp_path / "b.parquet")
    with pytest.raises(DataError, match=r"b\.parquet' has no column 'size'"):
        open_stream(tmp_path, "class")
    rows().assign(size="large").to_parquet(tmp_path / "b.parquet")
    with pytest.raises(DataError, match=r"'size' holds text in .*b\.parquet'"):
        open_stream(tmp_path, "class")


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_a_file_that_goes_or_changes_between_passes(tmp_path, suffix):
    def write(frame, name):
        path = tmp_path / f"{name}{suffix}"
        if suffix == ".csv":
            frame.to_csv(path, index=False)
        else:
            frame.to_parquet(path)
        return path

    write(rows()[:200], "a")
    last = write(rows()[200:], "b")
    stream = open_stream(tmp_path, "class")
    stream.class_rule(None)
    before = last.stat()
    write(rows()[200:].assign(colour="blue"), "b")
    os.utime(last, ns=(before.st_atime_ns, before.st_mtime_ns + 10**9))
    with pytest.raises(DataError, match=rf"b\{suffix}' has changed since"):
        stream.count()
    stream = open_stream(tmp_path, "class")
    stream.class_rule(None)
    last.unlink()
    with pytest.raises(DataError, match=rf"b\{suffix}' was there when"):
        stream.count()
