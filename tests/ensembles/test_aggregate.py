"""Aggregates of tables that pass by once: files, frames in parts, Dask."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from featsieve.data import open_stream, read_table
from featsieve.ensembles import OneVersusAllClassifier, PositiveVersusNegativeClassifier
from featsieve.exceptions import DataError, DroppedRowsWarning

dd = pytest.importorskip("dask.dataframe")

BOTH = [OneVersusAllClassifier, PositiveVersusNegativeClassifier]


def connections(n=900, seed=0):
    """Four classes, two of them alike, one rare; numbers, names and gaps."""
    random = np.random.default_rng(seed)
    code = random.choice(4, n, p=[0.5, 0.3, 0.17, 0.03])
    frame = pd.DataFrame(
        {
            "bytes": np.array([0.0, 1.0, 6.0, 9.0])[code] + random.normal(size=n),
            "protocol": np.array(["tcp", "udp", "icmp", "tcp"])[code],
            "kind": np.array(["normal", "probe", "smurf", "root"])[code],
            "noise": random.integers(0, 5, n),
        }
    )
    frame.loc[::13, "bytes"] = np.nan
    frame.loc[::17, "protocol"] = None
    return frame


def folder_of(path, frame, n_parts):
    path.mkdir()
    for k, rows in enumerate(np.array_split(np.arange(len(frame)), n_parts)):
        frame.iloc[rows].to_parquet(path / f"{k:03}.parquet", row_group_size=50)
    return path


def answers(model, frame):
    groups = [group.tolist() for group in model.groups_]
    return groups, model.predict_proba(frame.drop(columns="kind")).tolist()


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("estimator", ["c4.5", "5-nn"])
def test_a_stream_is_as_good_as_the_table(tmp_path, kind, estimator):
    frame = connections()
    X, y = frame.drop(columns="kind"), frame["kind"]
    whole = answers(kind(estimator, random_state=0).fit(X, y), frame)
    stream = open_stream(folder_of(tmp_path / "parts", frame, 7), "kind")
    assert answers(kind(estimator, random_state=0).fit(stream, None), frame) == whole
    lazy = dd.from_pandas(frame, npartitions=3)
    assert answers(kind(estimator, random_state=0).fit(lazy, "kind"), frame) == whole
    features, target = lazy[list(X)], lazy["kind"]
    assert (
        answers(kind(estimator, random_state=0).fit(features, target), frame) == whole
    )


@pytest.mark.parametrize("kind", BOTH)
def test_parts_are_no_matter_where_rows_are_drawn(tmp_path, kind, monkeypatch):
    monkeypatch.setattr("featsieve.ensembles._aggregate.CONFUSION_ROWS", 20)
    monkeypatch.setattr("featsieve.data.stream._class_pool.SPARE_ROWS", 30)
    frame = connections()
    model = kind(sample_size=150, random_state=0)
    expected = answers(model.fit(open_stream(frame, "kind"), None), frame)
    for n_parts in (2, 7, 40):
        folder = folder_of(tmp_path / str(n_parts), frame, n_parts)
        assert answers(model.fit(open_stream(folder, "kind"), None), frame) == expected
    for n_parts in (1, 5):
        lazy = dd.from_pandas(frame, npartitions=n_parts)
        assert answers(model.fit(lazy, "kind"), frame) == expected
    passing = (frame[i : i + 100] for i in range(0, len(frame), 100))
    assert answers(model.fit(open_stream(passing, "kind"), None), frame) == expected
    whole = model.fit(frame.drop(columns="kind"), frame["kind"])
    assert answers(whole, frame) != expected  # it chose among other rows


def test_no_class_runs_short_that_has_the_rows():
    frame = connections(12_000)
    by_share = {"positive_share": 0.8, "sample_size": 2000, "boost": 1.0}
    stream = open_stream([frame[:5000], frame[5000:]], "kind")
    for parameters in ({}, by_share):
        drawn = OneVersusAllClassifier(**parameters, random_state=0).fit(stream, None)
        whole = OneVersusAllClassifier(**parameters, random_state=0).fit(
            frame.drop(columns="kind"), frame["kind"]
        )
        for mine, theirs in zip(drawn.experts_, whole.experts_, strict=True):
            # Shares of "other" follow the confusion, which other rows have measured.
            assert mine.n_rows == pytest.approx(theirs.n_rows, abs=3)
            assert mine.n_different == pytest.approx(theirs.n_different, rel=0.1)


def test_answers_come_batch_by_batch(tmp_path):
    frame = connections()
    folder = folder_of(tmp_path / "parts", frame, 3)
    model = OneVersusAllClassifier(random_state=0).fit(
        open_stream(folder, "kind"), None
    )
    whole = model.predict(frame.drop(columns="kind"))
    said = [
        model.predict(batch.select(list(model.feature_names_in_)))
        for path in sorted(folder.iterdir())
        for batch in pq.ParquetFile(path).iter_batches(64)
    ]
    np.testing.assert_array_equal(np.concatenate(said), whole)
    lazy = dd.from_pandas(frame.drop(columns="kind"), npartitions=4)
    by_part = lazy.map_partitions(model.predict, meta=("kind", object)).compute()
    np.testing.assert_array_equal(by_part, whole)


def test_a_sample_drawn_before_gives_the_same():
    frame = connections()
    stream = open_stream(iter([frame[:300], frame[300:]]), "kind")
    sample = stream.class_sample(5000)
    first = OneVersusAllClassifier(random_state=0).fit(sample, None)
    second = OneVersusAllClassifier(random_state=0).fit(read_table(frame, "kind"), None)
    assert answers(first, frame) == answers(second, frame)


def test_rows_without_a_class_are_left_out_with_a_warning():
    frame = connections()
    frame.loc[:9, "kind"] = None
    with pytest.warns(DroppedRowsWarning, match="10 of 900 rows"):
        model = OneVersusAllClassifier(random_state=0).fit(
            open_stream(frame, "kind"), None
        )
    assert model.classes_.tolist() == ["normal", "probe", "root", "smurf"]


def test_what_a_stream_cannot_do_is_said():
    frame = connections()
    stream, lazy = open_stream(frame, "kind"), dd.from_pandas(frame, npartitions=2)
    with pytest.raises(DataError, match=r"Say `fit\(stream, None\)`"):
        OneVersusAllClassifier(random_state=0).fit(stream, frame["kind"])
    with pytest.raises(DataError, match="name them in `open_stream`"):
        OneVersusAllClassifier(nominal=["noise"]).fit(stream, None)
    with pytest.raises(DataError, match="no column 'sort'"):
        OneVersusAllClassifier(random_state=0).fit(lazy, "sort")
    with pytest.raises(DataError, match="Got NoneType instead"):
        OneVersusAllClassifier(random_state=0).fit(lazy, None)
    with pytest.raises(DataError, match="'bytes' is a quantity"):
        OneVersusAllClassifier(random_state=0).fit(open_stream(frame, "bytes"), None)
    nominal = OneVersusAllClassifier(nominal=[2]).fit(lazy, "kind")
    assert nominal._reference["noise"].is_nominal  # positions are those of features
