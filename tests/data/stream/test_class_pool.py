import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from featsieve.data import open_stream, read_table
from featsieve.exceptions import DataError, DroppedRowsWarning

dd = pytest.importorskip("dask.dataframe")

RANDOM = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "x": np.arange(5000.0),
        "colour": RANDOM.choice(["red", "blue", None], 5000),
        "kind": RANDOM.choice(["a", "b", "c"], 5000, p=[0.9, 0.099, 0.001]),
    }
)
WITH_GAPS = FRAME.assign(kind=FRAME["kind"].where(FRAME.index % 50 > 0, None))


def class_sample(source, n):
    return open_stream(source, "kind").class_sample(n)


def drawn(source, n=40, random_state=0):
    stream = open_stream(source, "kind")
    return stream.class_sample(n, random_state=random_state)["x"].values.tolist()


def test_every_class_has_what_was_asked_or_all_it_has():
    with pytest.warns(DroppedRowsWarning, match="100 of 5000 rows have no target"):
        sample = class_sample(WITH_GAPS, 40)
    sizes = WITH_GAPS["kind"].value_counts()
    counts = np.bincount(sample.target.values).tolist()
    assert counts == [40, 40, min(40, sizes["c"])]
    assert sizes["c"] < 40
    assert sample.names == ("x", "colour")
    assert [note.code for note in sample.notes] == ["missing_target"]
    rows = sample["x"].values.astype(int)
    assert (np.diff(rows) > 0).all()
    kinds = [sample.target.levels[code] for code in sample.target.values]
    assert WITH_GAPS["kind"].iloc[rows].tolist() == kinds
    colours = [*sample["colour"].levels, None]
    got = [colours[code] for code in sample["colour"].values]
    assert [
        c if isinstance(c, str) else None for c in WITH_GAPS["colour"].iloc[rows]
    ] == got


@pytest.mark.parametrize("size", [7, 100, 1234, 5000])
def test_batches_are_no_matter(size, monkeypatch):
    monkeypatch.setattr("featsieve.data.stream._class_pool.SPARE_ROWS", 50)
    batches = pa.Table.from_pandas(FRAME).to_batches(size)
    assert drawn(batches) == drawn(FRAME)
    assert drawn(iter(batches)) == drawn(FRAME)


def test_files_and_frames_are_no_matter(tmp_path):
    path = tmp_path / "kinds.parquet"
    pq.write_table(pa.Table.from_pandas(FRAME), path, row_group_size=700)
    wanted = drawn(FRAME)
    assert drawn(path) == wanted
    assert drawn(str(path)) == wanted
    assert drawn(pl.from_pandas(FRAME)) == wanted
    assert drawn([FRAME[:2000], FRAME[2000:]]) == wanted
    assert drawn(pq.ParquetFile(path).iter_batches(300)) == wanted
    FRAME.to_csv(tmp_path / "kinds.csv", index=False)
    assert drawn(tmp_path / "kinds.csv") == wanted
    folder = tmp_path / "parts"
    folder.mkdir()
    for k, rows in enumerate(np.array_split(np.arange(5000), 9)):
        FRAME.iloc[rows].to_parquet(folder / f"{k}.parquet")
    assert drawn(folder) == wanted


def test_partitions_of_dask_are_no_matter():
    assert drawn(dd.from_pandas(FRAME, npartitions=3)) == drawn(FRAME)


def test_a_sample_of_all_rows_is_the_table():
    whole = read_table(FRAME, "kind")
    sample = open_stream([FRAME[:1], FRAME[1:]], "kind").class_sample(5000)
    assert sample.names == whole.names
    for mine, theirs in zip(
        (*sample, sample.target), (*whole, whole.target), strict=True
    ):
        assert mine.levels == theirs.levels
        np.testing.assert_array_equal(mine.values, theirs.values)


def test_every_row_of_a_class_is_as_likely():
    hits = np.zeros(5000)
    for seed in range(200):
        hits[np.array(drawn(FRAME, 450, random_state=seed), dtype=int)] += 1
    often = hits[(FRAME["kind"] == "a").to_numpy()]
    share = 450 / len(often)
    assert often.mean() == pytest.approx(200 * share)
    # Binomial counts: their variance over rows, within five standard errors.
    expected = 200 * share * (1 - share)
    assert often.var() == pytest.approx(expected, rel=5 * (2 / len(often)) ** 0.5)


def test_other_seeds_draw_others():
    assert drawn(FRAME, random_state=1) != drawn(FRAME)
    assert drawn(FRAME, random_state=0) == drawn(FRAME)


def test_numbers_may_be_classes():
    frame = pd.DataFrame({"x": np.arange(100.0), "kind": [1.0, 2.0, 3.0, 2.0] * 25})
    sample = class_sample(frame, 5)
    assert np.bincount(sample.target.values).tolist() == [5, 5, 5]
    many = frame.assign(kind=np.arange(100) % 50 + 0.5)
    with pytest.raises(DataError, match="a quantity with 50 different values or more"):
        class_sample(many, 5)
    sample = open_stream(many, "kind", nominal=["kind"]).class_sample(1)
    assert sample.target.n_levels == 50
    with pytest.raises(DataError, match="more than 100 different values"):
        class_sample(FRAME.assign(kind=FRAME["x"]), 5)


def test_types_that_do_not_hold_are_found_out(tmp_path, monkeypatch):
    monkeypatch.setattr("featsieve.data.read._files.BLOCK_BYTES", 200)
    rows = [f"{i},k{i % 2}" for i in range(200)] + ["many,k1"]
    path = tmp_path / "late.csv"
    path.write_text("\n".join(["x,kind", *rows]))
    sample = open_stream(path, "kind").class_sample(500)
    assert sample["x"].levels[-1] == "many"
    assert "many" in open_stream(path, "kind").sample(500)["x"].levels


def test_what_cannot_be_drawn_is_said(tmp_path):
    with pytest.raises(DataError, match="no column 'sort'"):
        open_stream(FRAME, "sort")
    with pytest.raises(DataError, match="no file"):
        class_sample(tmp_path / "a.csv", 5)
    with pytest.raises(DataError, match="type int"):
        class_sample([3], 5)
    with pytest.raises(DataError, match="at least one file or frame"):
        class_sample(iter([]), 5)
    with pytest.raises(DataError, match="'kind' is missing in all rows"):
        class_sample(FRAME.assign(kind=None), 5)
    with pytest.raises(DataError, match="there are no rows"):
        class_sample(FRAME[:0], 5)
    with pytest.raises(ValueError, match="'n_per_class' parameter"):
        class_sample(FRAME, 0)
    with pytest.raises(DataError, match="an iterator gives them once"):
        open_stream(iter([FRAME]), "kind").count()
