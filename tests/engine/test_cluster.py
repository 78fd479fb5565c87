"""Dask: the same bits for any partitioning, also when a worker dies."""

from __future__ import annotations

import os
import time

import numpy as np
import pandas as pd
import pytest

from featsieve.data import open_stream
from featsieve.engine import run_tasks, use
from featsieve.engine.api import fetch, is_dask_frame
from featsieve.exceptions import DataError
from featsieve.selectors import MeasureFilter, stream_interactions

dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client():
    # Ports are the system's choice, so that tests may run side by side.
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as own,
    ):
        yield own


def table(n_rows=600):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "size": random.normal(size=n_rows),
            "colour": random.choice(["red", "green", "blue"], n_rows),
            "shape": random.choice(["round", "square"], n_rows),
        }
    )
    frame["class"] = np.where(
        (frame["colour"] == "red") ^ (frame["shape"] == "round"), "p", "n"
    )
    frame.loc[::31, "size"] = np.nan
    return frame


def test_threads_and_processes():
    with use("threads", n_jobs=2):
        assert run_tasks(pow, [(2, 2)]) == [4]
    with pytest.raises(ValueError, match="one of threads, processes, dask"), use("gpu"):
        pass
    assert fetch(5) == 5


def test_a_cluster_needs_a_client():
    with pytest.raises(ValueError, match="no Dask client"), use("dask"):
        pass


@pytest.mark.usefixtures("client")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("n_partitions", [1, 2, 7, 40])
def test_partitions_do_not_matter(n_partitions):
    frame = table()
    whole = MeasureFilter(fdr=0.05)
    whole.fit(frame.drop(columns="class"), frame["class"])
    parts = dd.from_pandas(frame, npartitions=n_partitions, sort=False)
    assert is_dask_frame(parts)
    stream = open_stream(parts, "class")
    selector = MeasureFilter(fdr=0.05).fit(stream, None)
    assert np.array_equal(whole.scores_, selector.scores_)
    assert np.array_equal(whole.p_values_, selector.p_values_)
    if n_partitions == 7:
        best = stream_interactions(stream).best(1e-9)
        assert best[0][:2] == ("colour", "shape")
        assert stream.sample(50).n_rows == 50


def test_tasks_run_on_workers(client):
    here = os.getpid()
    with use("dask", client, n_jobs=2):
        pids = run_tasks(os.getpid, [() for _ in range(4)])
    assert here not in pids


def test_files_are_counted_on_workers(client, tmp_path):
    table()[:300].to_parquet(tmp_path / "a.parquet")
    table()[300:].to_parquet(tmp_path / "b.parquet")
    stream = open_stream(tmp_path, "class")
    told = []
    with use("dask", client):
        counted = stream.count(progress=told.append)
        workers = stream.sum_over(where_it_runs, None)
    assert counted.class_totals.sum() == 600
    # A bar in this process does not keep the work here, and is told all the same.
    assert sum(told) == 600
    assert os.getpid() not in workers.pids


class Pids:
    def __init__(self, pid):
        self.pids = {pid}

    def merge(self, other, _):
        self.pids |= other.pids


def where_it_runs(_parts, _plan, _progress):
    return Pids(os.getpid())


@pytest.mark.usefixtures("client")
def test_a_partition_of_other_columns_is_named():
    parts = dd.from_map(
        lambda k: table()[:5].rename(columns={"size": "width"} if k else {}),
        range(2),
        meta=table()[:0],
        enforce_metadata=False,
    )
    with pytest.raises(DataError, match="part 1 has no column 'size'"):
        open_stream(parts, "class").count()


def slow_part(number, marker):
    """Return a part of the table; the first worker to make part 3 dies of it."""
    if number == 3 and not marker.exists():
        marker.touch()
        os._exit(1)
    time.sleep(0.05)
    return table()[number * 100 : (number + 1) * 100]


@pytest.mark.usefixtures("client")
@pytest.mark.filterwarnings("ignore")
def test_a_worker_that_dies_changes_nothing(tmp_path):
    marker = tmp_path / "died"
    parts = dd.from_map(slow_part, range(6), marker=marker, meta=table()[:0])
    counted = open_stream(parts, "class").count()
    assert marker.exists()
    expected = open_stream(table(), "class").count()
    for one, other in zip(counted.columns, expected.columns, strict=True):
        assert np.array_equal(one.counts, other.counts)
        assert np.array_equal(one.missing, other.missing)


@pytest.mark.parametrize(
    "read",
    [
        dd.read_parquet,
        lambda folder: dd.read_parquet(folder, filesystem="arrow"),
        lambda folder: dd.read_parquet(folder, split_row_groups=True),
        lambda folder: dd.read_parquet(folder)[["shape", "class", "size"]],
        lambda folder: dd.read_parquet(folder).partitions[[0]],
        lambda folder: dd.read_parquet(folder).repartition(npartitions=3),
        lambda folder: dd.read_parquet(folder, filters=[("size", ">", 0)]),
    ],
)
def test_parquet_files_of_a_frame_are_its_rows(client, tmp_path, read):  # noqa: ARG001
    for k in range(2):
        place = tmp_path / f"year={2020 + k}"
        place.mkdir()
        part = table()[k * 300 : (k + 1) * 300]
        part.to_parquet(place / "part.parquet", row_group_size=100, index=False)
    frame = read(tmp_path)
    expected = frame.compute().astype({"class": str, "shape": str})
    if "year" in expected:
        expected["year"] = expected["year"].astype(int)
    told = []
    stream = open_stream(frame, "class")
    counted = stream.count(progress=told.append)
    whole = open_stream([expected], "class").count()
    assert stream.names == tuple(n for n in frame.columns if n != "class")
    assert sum(told) == counted.n_rows == len(expected)
    for one in whole.columns:
        other = next(column for column in counted.columns if column.name == one.name)
        assert sorted(one.counts.tolist()) == sorted(other.counts.tolist())
        assert np.array_equal(one.missing, other.missing)
