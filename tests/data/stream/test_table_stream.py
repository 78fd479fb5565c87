"""Streams: parts, batches, jobs and clusters must not matter; faults are told."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featsieve._kernels import CutPrice, ValueCounts, mdl_cuts
from featsieve.data import open_stream, read_table
from featsieve.data.read import _files
from featsieve.data.stream import _counting, _parquet_parts
from featsieve.exceptions import DataError, DroppedRowsWarning


def table(n_rows=400, seed=0):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": random.normal(size=n_rows).round(2),
            "count": random.integers(0, 9, n_rows),
            "colour": random.choice(["red", "green", "blue"], n_rows),
            "class": random.choice(["no", "yes"], n_rows),
        }
    )
    frame.loc[::17, "size"] = np.nan
    frame.loc[::23, "colour"] = None
    return frame


def counts_of(stream):
    counted = stream.count()
    return {
        column.name: (column.levels, column.counts.tolist(), column.missing.tolist())
        for column in counted.columns
    }


def write_parts(folder, frame, n_parts, suffix="parquet"):
    folder.mkdir(exist_ok=True)
    for k, rows in enumerate(np.array_split(np.arange(len(frame)), n_parts)):
        part = frame.iloc[rows]
        if suffix == "parquet":
            part.to_parquet(folder / f"part-{k:03}.parquet", index=False)
        else:
            part.to_csv(folder / f"part-{k:03}.{suffix}", index=False)
    return folder


@pytest.mark.parametrize("suffix", ["parquet", "csv", "csv.gz"])
def test_number_of_files_does_not_matter(tmp_path, suffix):
    frame = table()
    whole = counts_of(
        open_stream(write_parts(tmp_path / "1", frame, 1, suffix), "class")
    )
    for n_parts in (2, 7, 100):
        folder = write_parts(tmp_path / str(n_parts), frame, n_parts, suffix)
        assert counts_of(open_stream(folder, "class")) == whole


def test_counts_are_those_of_the_rows():
    frame = table()
    counted = open_stream([frame[:100], frame[100:]], "class").count()
    colour = counted.columns[2]
    expected = pd.crosstab(frame["colour"], frame["class"])
    assert colour.levels == ("blue", "green", "red")
    assert colour.counts.tolist() == expected.to_numpy().tolist()
    missing = frame.loc[frame["colour"].isna(), "class"].value_counts()
    assert colour.missing.tolist() == [missing["no"], missing["yes"]]
    size = counted.columns[0]
    expected = pd.crosstab(frame["size"], frame["class"])
    assert size.bounds()[0].tolist() == expected.index.tolist()
    assert size.counts.tolist() == expected.to_numpy().tolist()


def test_order_batches_and_jobs_do_not_matter(tmp_path, monkeypatch):
    frame = table()
    parts = [frame[300:], frame[:50], frame[50:300]]
    expected = counts_of(open_stream(frame, "class"))
    assert counts_of(open_stream(parts, "class")) == expected
    folder = write_parts(tmp_path / "p", frame, 5)
    monkeypatch.setattr(_parquet_parts, "BATCH_ROWS", 7)
    monkeypatch.setattr(_parquet_parts, "GROUP_ROWS", 0)
    assert counts_of(open_stream(folder, "class")) == expected
    stream = open_stream(folder, "class")
    stream.count(n_jobs=2)
    assert counts_of(stream) == expected


def test_frames_of_all_libraries_make_parts():
    frame = table()
    expected = counts_of(open_stream(frame, "class"))
    parts = [pl.from_pandas(frame[:200]), pa.Table.from_pandas(frame[200:])]
    assert counts_of(open_stream(parts, "class")) == expected


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.floats(allow_infinity=False, width=32) | st.just(0.5),
            st.integers(-1, 2),
        ),
        max_size=60,
    ),
    st.integers(2, 20),
    st.integers(0, 60),
)
def test_values_told_apart_do_not_depend_on_parts(rows, most, split):
    values = np.array([value for value, _ in rows], dtype=np.float64)
    classes = np.array([label for _, label in rows], dtype=np.int32)
    whole = ValueCounts(3, most)
    whole.add(values, classes)
    first, second = ValueCounts(3, most), ValueCounts(3, most)
    first.add(values[:split], classes[:split])
    second.add(values[split:], classes[split:])
    first, second = pickle.loads(pickle.dumps((first, second)))
    second.merge(*first.table())
    for one, other in zip(whole.table(), second.table(), strict=True):
        assert np.array_equal(one, other)
    assert len(whole.table()[0]) <= most
    known = classes >= 0
    assert whole.table()[1].sum() == np.sum(known & ~np.isnan(values))


def test_many_values_are_told_apart_as_far_as_there_is_room(monkeypatch):
    monkeypatch.setattr(_counting, "MOST_VALUES", 64)
    random = np.random.default_rng(0)
    values = random.normal(size=5000)
    frame = pd.DataFrame({"x": values, "y": np.where(values > 0.5, "b", "a")})
    column = open_stream([frame[:1000], frame[1000:]], "y").count().columns[0]
    assert len(column.counts) <= 64
    assert column.range == (values.min(), values.max())
    cuts = column.mdl_cuts(CutPrice.FAYYAD_IRANI)
    exact = mdl_cuts(
        values,
        (frame["y"] == "b").to_numpy().astype(np.int32),
        2,
        None,
        CutPrice.FAYYAD_IRANI,
    )
    assert np.abs(cuts[:, None] - exact).min() < 0.1  # a bin of that width
    table = column.cut(cuts).table
    places = np.searchsorted(cuts, values)
    assert table[:-1].sum(axis=1).tolist() == np.bincount(places).tolist()


def test_samples_do_not_depend_on_parts(tmp_path):
    frame = table()
    one = open_stream(write_parts(tmp_path / "1", frame, 1), "class").sample(50)
    seven = open_stream(write_parts(tmp_path / "7", frame, 7), "class").sample(50)
    assert one.n_rows == seven.n_rows == 50
    for a, b in zip(one, seven, strict=True):
        assert a.levels == b.levels
        assert np.array_equal(a.values, b.values, equal_nan=not a.is_nominal)
    rows = {tuple(r) for r in frame[["size", "count"]].fillna(-9).to_numpy().tolist()}
    sampled = zip(
        np.nan_to_num(one["size"].values, nan=-9), one["count"].values, strict=True
    )
    assert {tuple(map(float, r)) for r in sampled} <= rows
    everything = open_stream(frame, "class").sample(10_000)
    assert everything.n_rows == len(frame)


def test_a_quantity_is_cut_into_classes(tmp_path):
    frame = table().rename(columns={"class": "label", "size": "class"}).dropna()
    folder = write_parts(tmp_path / "p", frame, 3)
    with pytest.raises(DataError, match=r"continuous quantity.*target_bins=5"):
        open_stream(folder, "class").count()
    stream = open_stream(folder, "class")
    assert stream.target_is_quantity()
    counted = stream.count(target_bins=4)
    assert len(counted.classes) == 4
    assert counted.class_totals.sum() == len(frame)
    assert counted.class_totals.min() > 0.2 * len(frame)


def test_whole_numbers_are_classes_and_text_numbers_are_numbers(tmp_path):
    frame = pd.DataFrame({"a": ["1", "2", "10", "x"] * 5, "y": [0, 1, 1, 0] * 5})
    (tmp_path / "a.csv").write_text(frame[:6].to_csv(index=False))
    (tmp_path / "b.csv").write_text(frame[6:].to_csv(index=False))
    counted = open_stream(str(tmp_path / "*.csv"), "y").count()
    whole = read_table(frame.astype({"a": str}), "y")
    assert counted.classes == whole.target.levels == (0, 1)
    assert counted.columns[0].levels == ("1", "10", "2", "x")
    late = pd.DataFrame({"a": [None] * 9 + ["7.5"], "y": [0, 1] * 5})
    late.to_csv(tmp_path / "late.csv", index=False)
    column = open_stream(tmp_path / "late.csv", "y").count().columns[0]
    assert not column.is_nominal
    assert column.range == (7.5, 7.5)


def test_a_later_row_may_show_that_numbers_are_text(tmp_path, monkeypatch):
    monkeypatch.setattr(_files, "BLOCK_BYTES", 64)
    frame = pd.DataFrame({"a": [*map(str, range(99)), "many"], "y": ["n", "p"] * 50})
    frame.to_csv(tmp_path / "a.csv", index=False)
    column = open_stream(tmp_path / "a.csv", "y").count().columns[0]
    assert column.is_nominal
    assert len(column.levels) == 100


def test_rows_without_a_target_are_left_out_with_a_warning():
    frame = table()
    frame.loc[:9, "class"] = None
    with pytest.warns(DroppedRowsWarning, match="10 of 400 rows"):
        counted = open_stream([frame[:5], frame[5:]], "class").count()
    assert counted.n_rows == 390
    assert "missing_target" in [note.code for note in counted.notes]


def test_a_part_may_have_no_target_at_all():
    frame = table().astype({"class": object})
    frame.loc[:9, "class"] = None
    with pytest.warns(DroppedRowsWarning, match="10 of 400 rows"):
        counted = open_stream([frame[:5], frame[5:10], frame[10:]], "class").count()
    assert counted.n_rows == 390


def test_constant_and_empty_columns_are_noted():
    frame = table().assign(same=1, gone=np.nan, word="x")
    notes = {n.column: n.code for n in open_stream(frame, "class").count().notes}
    assert notes == {"same": "constant", "gone": "all_missing", "word": "constant"}


def test_a_column_may_be_empty_in_some_parts():
    frame = table()
    frame.loc[:199, "colour"] = None
    expected = counts_of(open_stream(frame, "class"))
    blank = frame[:200].assign(colour=np.nan)  # numbers to pandas
    for parts in ([blank, frame[200:]], [frame[200:], blank]):
        assert counts_of(open_stream(parts, "class")) == expected


def test_a_million_names_are_given_up(monkeypatch):
    monkeypatch.setattr(_counting, "MOST_LEVELS", 50)
    frame = table().assign(name=[f"n{k}" for k in range(400)])
    counted = open_stream([frame[:200], frame[200:]], "class").count()
    assert [n.code for n in counted.notes] == ["uncounted"]
    assert len(counted.columns[3].counts) == 0


def test_faults_of_parts_are_told(tmp_path):
    frame = table()
    folder = write_parts(tmp_path / "p", frame, 2)
    with pytest.raises(DataError, match=r"no file .*gone\.parquet"):
        open_stream([folder / "part-000.parquet", tmp_path / "gone.parquet"], "class")
    with pytest.raises(DataError, match="no file matches"):
        open_stream(str(tmp_path / "none" / "*.csv"), "class")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="no CSV, TSV or Parquet files"):
        open_stream(tmp_path / "empty", "class")
    with pytest.raises(DataError, match=r"no column 'clas'.*Did you mean 'class'"):
        open_stream(folder, "clas")
    frame.drop(columns="size").to_parquet(folder / "part-002.parquet", index=False)
    with pytest.raises(DataError, match=r"part-002.*has no column 'size'"):
        open_stream(folder, "class")
    frame.assign(size="big").to_parquet(folder / "part-002.parquet", index=False)
    with pytest.raises(DataError, match=r"'size' holds text .*part-002"):
        open_stream(folder, "class")
    (folder / "more.csv").write_text("a\n1\n")
    with pytest.raises(DataError, match="not of both"):
        open_stream(folder, "class")
    with pytest.raises(DataError, match="at least one"):
        open_stream([], "class")
    with pytest.raises(DataError, match="part 1 has another column 'more'"):
        open_stream([frame, frame.assign(more=1)], "class").count()
    with pytest.raises(DataError, match="'count' holds names in part 1 and numbers"):
        open_stream([frame, frame.assign(count="many")], "class").count()
    with pytest.raises(DataError, match="infinity in part 1"):
        open_stream([frame, frame.assign(size=np.inf)], "class").count()
    with pytest.raises(DataError, match="missing in all rows"):
        open_stream(frame.assign(**{"class": None}), "class").count()


def test_a_damaged_row_group_is_one_clear_error(tmp_path):
    path = tmp_path / "bad.parquet"
    pq.write_table(pa.Table.from_pandas(table(5000)), path, row_group_size=500)
    raw = bytearray(path.read_bytes())
    raw[2000:6000] = bytes(4000)
    path.write_bytes(raw)
    with pytest.raises(DataError, match="may be damaged"):
        open_stream(path, "class").count()


def test_empty_files_and_parts_do_no_harm(tmp_path):
    frame = table()
    expected = counts_of(open_stream(frame, "class"))
    folder = write_parts(tmp_path / "p", frame, 2)
    frame[:0].to_parquet(folder / "part-009.parquet", index=False)
    assert counts_of(open_stream(folder, "class")) == expected
    folder = write_parts(tmp_path / "c", frame, 2, "csv")
    frame[:0].to_csv(folder / "part-009.csv", index=False)
    assert counts_of(open_stream(folder, "class")) == expected


def test_counts_beyond_32_bits_are_right():
    first = ValueCounts(1, 10)
    first.add(np.array([1.0]), np.zeros(1, dtype=np.int32))
    keys, counts, missing, *rest = first.table()
    huge = counts * (2**31 - 1)
    for _ in range(4):
        first.merge(keys, huge, missing + 2**40, *rest)
    assert first.table()[1].tolist() == [[4 * (2**31 - 1) + 1]]
    assert first.table()[2].tolist() == [4 * 2**40]


def test_a_sample_of_two_kinds_is_refused_and_of_gaps_is_not():
    numbers = pd.DataFrame({"a": [1.5, 2.0], "y": ["p", "q"]})
    names, gaps = numbers.assign(a=["u", "v"]), numbers.assign(a=[None, None])
    for parts in ([numbers, names], [names, numbers]):
        with pytest.raises(DataError, match="'a' holds numbers in some parts and name"):
            open_stream(parts, "y").sample(4)
    for parts, kind in (([gaps, numbers], "numeric"), ([names, gaps], "nominal")):
        column = open_stream(parts, "y").sample(4)["a"]
        assert column.kind.value == kind
        assert column.n_missing == 2


def test_no_rows_to_sample(tmp_path):
    empty = pd.DataFrame({"a": [1.5], "y": ["p"]})[:0]
    empty.to_parquet(tmp_path / "a.parquet")
    for source in (empty, tmp_path):
        with pytest.raises(DataError, match="no rows to learn from"):
            open_stream(source, "y").sample(4)
