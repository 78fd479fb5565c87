import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from featsieve.data import read_class_sample
from featsieve.exceptions import DataError

dd = pytest.importorskip("dask.dataframe")

RANDOM = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "x": np.arange(5000.0),
        "colour": RANDOM.choice(["red", "blue", None], 5000),
        "kind": RANDOM.choice(["a", "b", "c"], 5000, p=[0.9, 0.099, 0.001]),
    }
)
FRAME.loc[::50, "kind"] = None


def drawn(source, n=40, **settings):
    return read_class_sample(source, "kind", n, **settings)["x"].values.tolist()


def test_every_class_has_what_was_asked_or_all_it_has():
    sample = read_class_sample(FRAME, "kind", 40)
    sizes = FRAME["kind"].value_counts()
    counts = np.bincount(sample.target.values).tolist()
    assert counts == [40, 40, min(40, sizes["c"])]
    assert sizes["c"] < 40
    assert sample.names == ("x", "colour")
    rows = sample["x"].values.astype(int)
    assert (np.diff(rows) > 0).all()
    kinds = [sample.target.levels[code] for code in sample.target.values]
    assert FRAME["kind"].iloc[rows].tolist() == kinds
    colours = [*sample["colour"].levels, None]
    got = [colours[code] for code in sample["colour"].values]
    assert [
        c if isinstance(c, str) else None for c in FRAME["colour"].iloc[rows]
    ] == got


@pytest.mark.parametrize("size", [7, 100, 1234, 5000])
def test_batches_are_no_matter(size, monkeypatch):
    monkeypatch.setattr("featsieve.data._class_sample.ROWS_PER_BATCH", 50)
    table = pa.Table.from_pandas(FRAME)
    assert drawn(table.to_batches(size)) == drawn(FRAME)


def test_files_and_frames_are_no_matter(tmp_path):
    path = tmp_path / "kinds.parquet"
    pq.write_table(pa.Table.from_pandas(FRAME), path, row_group_size=700)
    wanted = drawn(FRAME)
    assert drawn(path) == wanted
    assert drawn(str(path)) == wanted
    assert drawn(pl.from_pandas(FRAME)) == wanted
    assert drawn([FRAME[:2000], FRAME[2000:]]) == wanted


def test_partitions_of_dask_are_no_matter():
    assert drawn(dd.from_pandas(FRAME, npartitions=3)) == drawn(FRAME)


def test_other_seeds_draw_others():
    assert drawn(FRAME, random_state=1) != drawn(FRAME)
    assert drawn(FRAME, random_state=0) == drawn(FRAME)


def test_numbers_may_be_classes():
    frame = pd.DataFrame({"x": np.arange(100.0), "kind": [1.0, 2.0, np.nan, 2.0] * 25})
    sample = read_class_sample(frame, "kind", 5)
    assert np.bincount(sample.target.values).tolist() == [5, 5]


def test_what_cannot_be_drawn_is_said(tmp_path):
    with pytest.raises(DataError, match="no column 'sort' to be the target"):
        read_class_sample(FRAME, "sort", 5)
    with pytest.raises(DataError, match=r"streams \.parquet files"):
        read_class_sample(tmp_path / "a.csv", "kind", 5)
    with pytest.raises(DataError, match="Got int"):
        read_class_sample([3], "kind", 5)
    with pytest.raises(DataError, match="No row has a class"):
        read_class_sample(FRAME[FRAME["kind"].isna()], "kind", 5)
    with pytest.raises(ValueError, match="'n_per_class' parameter"):
        read_class_sample(FRAME, "kind", 0)
