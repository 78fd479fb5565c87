"""Clusters that lose workers, run out of memory, or do not answer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import featsieve
from featsieve.data import open_stream
from featsieve.engine import ClusterError, _cluster_sums, use
from featsieve.engine._cluster_sums import current_client, is_delayed, sum_on_cluster
from featsieve.engine.api import sum_over_parts
from featsieve.selection import _opening
from featsieve.selectors import MeasureFilter, stream_interactions

dd = pytest.importorskip("dask.dataframe")


dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")


pytestmark = pytest.mark.filterwarnings("ignore")


N_ROWS = 1200


def table():
    random = np.random.default_rng(0)
    a, b = random.integers(0, 2, (2, N_ROWS))
    words = np.array(["no", "yes"])
    return pd.DataFrame(
        {
            "a": words[a],
            "b": words[b],
            "size": random.normal(size=N_ROWS).round(1),
            "class": words[a ^ b],
        }
    )


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0"
    ) as own:
        yield own


@pytest.fixture(scope="module")
def client(cluster):
    with distributed.Client(cluster) as own:
        yield own


def rank(stream):
    found = MeasureFilter(fdr=0.05, random_state=0).fit(stream, None)
    return [*found.scores_.tolist(), *found.p_values_.tolist()]


def scan(stream):
    found = stream_interactions(stream)
    return [*found.synergy.tolist(), *found.p_values.tolist()]


def select(stream):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_opening, "MOST_DRAWN", 400)  # so that all rows are counted
        found = featsieve.select(stream, verbose=False)
    return found.to_dict()["ledger"]


def fragile_part(number, marker, lives):
    """Return a part of the table; the first to make part 3 die of it."""
    if number == 3 and len(os.listdir(marker)) < lives:  # noqa: PTH208
        with open(f"{marker}/{os.getpid()}", "w", encoding="utf-8"):  # noqa: PTH123
            os._exit(1)
    return table()[number * 200 : (number + 1) * 200]


def fragile_frame(folder, lives):
    folder.mkdir()
    return dd.from_map(
        fragile_part, range(6), marker=str(folder), lives=lives, meta=table()[:0]
    )


@pytest.mark.parametrize("work", [rank, scan, select])
def test_a_worker_that_dies_changes_nothing(client, tmp_path, work):  # noqa: ARG001
    frame = fragile_frame(tmp_path / "deaths", 1)
    stream = open_stream(frame, "class")
    expected = work(open_stream([table()], "class"))
    assert work(stream) == expected
    assert len(list((tmp_path / "deaths").iterdir())) == 1


def kill_once(parts, plan, progress):
    """Count, but die on the first try, after having told of some rows."""
    marker = plan[0]
    progress(parts[0].rows // 2)
    if not os.path.exists(marker):  # noqa: PTH110
        with open(marker, "w", encoding="utf-8"):  # noqa: PTH123
            time.sleep(0.3)  # what was told is on its way
            os._exit(1)
    progress(sum(part.rows for part in parts) - parts[0].rows // 2)
    return Total(sum(part.rows for part in parts))


class Total:
    def __init__(self, value):
        self.value = value

    def merge(self, other, _):
        self.value += other.value


def test_rows_of_a_dead_worker_are_told_once(client, tmp_path):  # noqa: ARG001
    folder = tmp_path / "parts"
    folder.mkdir()
    for k in range(4):
        table()[k * 300 : (k + 1) * 300].to_parquet(folder / f"{k}.parquet")
    parts = open_stream(dd.read_parquet(folder), "class")._parts
    told = []
    marker = str(tmp_path / "died")
    total = sum_over_parts(kill_once, parts, (marker,), progress=told.append)
    assert total.value == sum(told) == N_ROWS
    assert min(told) > 0
    assert os.path.exists(marker)  # noqa: PTH110


def die(_parts, _plan, _progress):
    """Die as the nanny kills a worker whose memory runs out: again and again."""
    os.kill(os.getpid(), signal.SIGKILL)


def test_workers_that_die_again_and_again_are_a_clear_error(
    client,  # noqa: ARG001
    tmp_path,
    monkeypatch,
):
    # On a busy machine it takes a while until a worker is back.
    monkeypatch.setattr(_cluster_sums, "PATIENCE", 120)
    table().to_parquet(tmp_path / "all.parquet")
    parts = open_stream(dd.read_parquet(tmp_path), "class")._parts
    with pytest.raises(ClusterError, match="Give them more memory"):
        sum_over_parts(die, parts, None)


def test_memory_limit_of_workers(tmp_path):
    """A frame that does not fit into a worker: Dask's nanny ends it."""
    program = """
import warnings; warnings.simplefilter("ignore")
import logging; logging.disable(logging.CRITICAL)
import dask, dask.dataframe as dd, numpy as np, pandas as pd
from distributed import Client, LocalCluster
from featsieve.data import open_stream
from featsieve.engine import ClusterError

def large(k):
    held = [np.ones(30_000_000) for _ in range(10)]
    return pd.DataFrame({"a": held[0][:9], "class": ["p", "n", "p"] * 3})

if __name__ == "__main__":
    dask.config.set({"distributed.scheduler.allowed-failures": 0,
                     "distributed.admin.system-monitor.interval": "50ms",
                     "distributed.worker.memory.monitor-interval": "50ms"})
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0",
                      memory_limit="600MB") as own, Client(own):
        meta = pd.DataFrame({"a": [0.0], "class": ["p"]})[:0]
        frame = dd.from_map(large, range(2), meta=meta)
        try:
            open_stream(frame, "class").count()
        except ClusterError as error:
            print("CLEAR:", error)
"""
    path = tmp_path / "large.py"
    path.write_text(program)
    done = subprocess.run(
        [sys.executable, path],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "CLEAR: Workers of the cluster died again and again" in done.stdout, (
        done.stdout + done.stderr
    )


@pytest.fixture
def own_scheduler(tmp_path):
    """A scheduler in a process of its own, without any worker."""
    place = tmp_path / "scheduler.json"
    words = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    process = subprocess.Popen(
        [*words, "--port", "0", "--no-dashboard", "--scheduler-file", place],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(600):
            if place.exists() and place.stat().st_size:
                break
            time.sleep(0.1)
        address = pd.read_json(place, typ="series")["address"]
        yield address, process
    finally:
        process.kill()
        process.wait()


def files_in_parts(folder):
    folder.mkdir()
    for k in range(2):
        table()[k * 600 : (k + 1) * 600].to_parquet(folder / f"{k}.parquet")
    return open_stream(folder, "class")


def test_a_cluster_without_workers(own_scheduler, tmp_path, monkeypatch):
    monkeypatch.setattr(_cluster_sums, "PATIENCE", 0.5)
    stream = files_in_parts(tmp_path / "parts")
    with (
        use("dask", own_scheduler[0]),
        pytest.raises(ClusterError, match="has no workers"),
    ):
        stream.count()


def test_a_scheduler_that_goes(own_scheduler, tmp_path):
    stream = files_in_parts(tmp_path / "parts")
    address, process = own_scheduler
    timer = threading.Timer(1.5, process.kill)
    with use("dask", address):
        timer.start()
        with pytest.raises(ClusterError, match="connection to the scheduler"):
            stream.count()
    timer.join()


def test_a_worker_is_no_scheduler(cluster, client):
    cluster.scale(2)  # those that other tests have killed come back
    client.wait_for_workers(1, timeout=120)
    address = next(iter(cluster.workers.values())).worker_address
    with (
        pytest.raises(ValueError, match="a Worker of Dask answers"),
        use("dask", address),
    ):
        pass


@pytest.fixture(scope="module")
def near_client():
    with distributed.Client(
        processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None
    ) as own:
        yield own


class Groups:
    def __init__(self, groups):
        self.groups = groups

    def merge(self, other, plan):
        self.groups = self.groups + other.groups
        assert plan == "plan"


def add(parts, plan, progress):
    assert plan == "plan"
    for part in parts:
        if progress is not None:
            progress(part.rows)
    return Groups([[part.number for part in parts]])


def divide_by_zero(*_):
    raise ZeroDivisionError


def parts_of(n, rows=5):
    return [SimpleNamespace(number=k, rows=rows) for k in range(n)]


def test_every_part_is_counted_once_and_told_once(near_client):
    told = []
    found = sum_on_cluster(add, parts_of(7), "plan", near_client, told.append)
    assert sorted(number for group in found.groups for number in group) == [*range(7)]
    assert len(found.groups) == 2  # one task for each thread
    assert sum(told) == 35
    assert _cluster_sums.LISTENERS == {}


def test_tasks_are_of_so_many_rows(near_client, monkeypatch):
    monkeypatch.setattr(_cluster_sums, "ROWS_PER_TASK", 10)
    found = sum_on_cluster(add, parts_of(20), "plan", near_client)
    assert sorted(len(group) for group in found.groups) == [2] * 10
    unknown = [SimpleNamespace(number=k) for k in range(20)]
    found = sum_on_cluster(add, unknown, "plan", near_client)
    assert len(found.groups) == 8  # four tasks for each thread


def test_errors_of_counting_reach_the_caller(near_client):
    with pytest.raises(ZeroDivisionError):
        sum_on_cluster(divide_by_zero, parts_of(3), "plan", near_client)


class Late(SimpleNamespace):
    """A part whose frame Dask has yet to make."""

    def without_source(self):
        return Late(number=self.number)

    def with_source(self, frame):
        return Late(number=self.number, rows=frame)


def test_delayed_parts_need_no_client():
    parts = [Late(number=k, source=dask.delayed(k + 1)) for k in range(9)]
    found = sum_on_cluster(add, parts, "plan", None)
    assert sorted(group[0] for group in found.groups) == [*range(9)]
    assert is_delayed(parts[0].source)
    assert not is_delayed(3)


def test_rows_that_are_done_again_count_once():
    told = []
    rows = _cluster_sums._Rows(told.append)
    rows.note(0, 5)
    rows.note(1, 3)
    rows.note(0, 2)  # its worker died, and it began anew
    rows.note(0, 6)
    rows.complete(10)
    rows.complete(10)
    assert told == [5, 3, 1, 1]


def test_clients_are_used_if_joblib_does(near_client):
    assert current_client() is None
    assert current_client(anyway=True) is near_client
