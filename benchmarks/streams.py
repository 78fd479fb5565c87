"""Tables larger than memory: rank and scan generated Parquet files of any length.

``python -m benchmarks.streams --rows 1 10 100`` (millions) prints, for each length, the
CPU and wall time of just reading and decoding the files with pyarrow, of ranking all
features and of scanning all pairs, and the peak memory of each, every one in a process
of its own. Every row is generated; ``--keep FOLDER`` leaves the files there for the
next run, and ``--repeats`` takes the least time of several. ``--dask`` adds the same
ranking over a local cluster of two workers, whose start is not counted, and what it
takes beyond the local one.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

N_NOMINAL = 40
N_NUMERIC = 10
ROWS_PER_FILE = 1_000_000
GROUP = 250_000


def make_file(path: Path, number: int, n_rows: int) -> None:
    """Write one part: an exclusive or, a numeric effect, and noise."""
    random = np.random.default_rng(number)
    codes = random.integers(0, 3, (N_NOMINAL, n_rows), dtype=np.int8)
    words = pa.array(["low", "middle", "high"])
    numbers = random.normal(size=(N_NUMERIC, n_rows)).astype(np.float32)
    chance = 0.3 + 0.2 * (codes[0] == codes[1]) + 0.15 * (numbers[0] > 0.5)
    label = (random.random(n_rows) < chance).astype(np.int8)
    columns = {
        f"n{j:02}": pa.DictionaryArray.from_arrays(pa.array(codes[j]), words)
        for j in range(N_NOMINAL)
    }
    columns |= {f"x{j}": pa.array(numbers[j]) for j in range(N_NUMERIC)}
    columns["y"] = pa.DictionaryArray.from_arrays(pa.array(label), pa.array(["a", "b"]))
    pq.write_table(pa.table(columns), path, row_group_size=GROUP)


def make_files(folder: Path, n_rows: int) -> list[Path]:
    """Return files of so many rows; those that are there are not made again."""
    paths = []
    for number, begin in enumerate(range(0, n_rows, ROWS_PER_FILE)):
        size = min(ROWS_PER_FILE, n_rows - begin)
        short = "" if size == ROWS_PER_FILE else f"-{size}"
        paths.append(folder / f"{number:04}{short}.parquet")
        if not paths[-1].exists():
            part = paths[-1].with_suffix(".part")
            make_file(part, number, size)
            part.rename(paths[-1])
    return paths


def read_only(files: list[Path]) -> None:
    for path in files:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(1 << 17, use_threads=False):
                assert batch.num_rows


def rank(files: list[Path], jobs: int) -> list[str]:
    from featsieve.data import open_stream
    from featsieve.selectors import MeasureFilter

    selector = MeasureFilter(fdr=0.05, n_jobs=jobs)
    selector.fit(open_stream(files, "y"), None)
    return selector.get_feature_names_out().tolist()


def scan(files: list[Path], jobs: int) -> list[tuple[str, str]]:
    from featsieve.data import open_stream
    from featsieve.selectors import stream_interactions

    found = stream_interactions(open_stream(files, "y"), n_jobs=jobs)
    return [pair[:2] for pair in found.best(1e-6)]


def rank_on_cluster(
    files: list[Path],
) -> tuple[list[str], float, float, dict[str, float]]:
    """Return what is found, CPU and wall seconds, and where the CPU seconds went."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    from benchmarks._task_times import spent_in_tasks, start_worker
    from featsieve.data import open_stream
    from featsieve.selectors import MeasureFilter

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as own,
        Client(own) as client,
    ):
        client.run(start_worker)

        def workers() -> float:
            return sum(client.run(time.process_time).values())

        before, wall = workers(), time.perf_counter()
        here, this_thread = time.process_time(), time.thread_time()
        frame = dd.read_parquet([str(path) for path in files])
        selector = MeasureFilter(fdr=0.05)
        selector.fit(open_stream(frame, "y"), None)
        found = selector.get_feature_names_out().tolist()
        here = time.process_time() - here
        this_thread = time.thread_time() - this_thread
        beyond, wall = workers() - before, time.perf_counter() - wall
        spent = {"reading and counting in tasks": 0.0, "merging in tasks": 0.0}
        for own_spent in client.run(spent_in_tasks).values():
            for key, seconds in own_spent.items():
                spent[key] += seconds
        spent["workers beside tasks (loops, transport)"] = beyond - sum(spent.values())
        spent["scheduler and client loops"] = here - this_thread
        spent["caller: plans, permutations"] = this_thread
        return found, beyond + here, wall, spent


def measure(job: str, folder: Path, n_rows: int, jobs: int) -> dict[str, Any]:
    """Run one job in a process of its own."""
    words = [sys.executable, "-m", "benchmarks.streams", "--job", job]
    words += ["--keep", str(folder), "--rows", str(n_rows / 1e6), "--jobs", str(jobs)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def least(answers: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the answer of least CPU time, with the most memory of all."""
    best = min(answers, key=lambda answer: float(answer["cpu"]))
    return best | {"memory": max(float(answer["memory"]) for answer in answers)}


def run_job(job: str, files: list[Path], jobs: int) -> None:
    # Everything is imported before the clock starts.
    import featsieve.data
    import featsieve.selectors  # noqa: F401  (loaded before the clock)

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, wall = time.process_time(), time.perf_counter()
    found: object = None
    spent: dict[str, float] = {}
    if job == "read":
        read_only(files)
    elif job == "rank":
        found = rank(files, jobs)
    elif job == "scan":
        found = scan(files, jobs)
    cpu, seconds = time.process_time() - start, time.perf_counter() - wall
    if job == "dask":
        found, cpu, seconds, spent = rank_on_cluster(files)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    memory = (peak - before) / 1024
    row = {"cpu": cpu, "wall": seconds, "memory": memory, "found": found}
    print(json.dumps(row | {"spent": spent}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, nargs="+", default=[1], help="millions")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--dask", action="store_true")
    parser.add_argument("--job", help="run this one only, in this process")
    parser.add_argument("--keep", type=Path, help="where files are, and stay")
    parser.add_argument("--repeats", type=int, default=1)
    options = parser.parse_args()
    if options.job:
        files = make_files(options.keep, round(options.rows[0] * 1e6))
        run_job(options.job, files, options.jobs)
        return
    jobs = ("read", "rank", "scan", *(["dask"] if options.dask else []))
    print("million rows  job    CPU s   wall s  peak MiB above  × reading  found")
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        for millions in options.rows:
            compare(jobs, folder, millions, options)


def compare(jobs: tuple[str, ...], folder: Path, millions: float, options: Any) -> None:
    """Print what each job takes on files of so many rows, all in turn."""
    n_rows = round(millions * 1e6)
    make_files(folder, n_rows)
    answers: dict[str, list[dict[str, Any]]] = {job: [] for job in jobs}
    for _ in range(options.repeats):
        for job in jobs:
            answers[job].append(measure(job, folder, n_rows, options.jobs))
    best = {job: least(found) for job, found in answers.items()}
    for job, row in best.items():
        ratio = row["cpu"] / best["read"]["cpu"]
        print(
            f"{millions:>12g}  {job:5}{row['cpu']:8.2f}{row['wall']:9.2f}"
            f"{row['memory']:16.0f}{ratio:11.2f}  {row['found'] or ''}",
            flush=True,
        )
    if "dask" in best:
        ratio = best["dask"]["cpu"] / best["rank"]["cpu"]
        print(f"{'':14}Dask takes {ratio:.2f} × the local CPU time")
        for key, seconds in best["dask"]["spent"].items():
            print(f"{'':14}{seconds:8.2f}  {key}")


if __name__ == "__main__":
    main()
