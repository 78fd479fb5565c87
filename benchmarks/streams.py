"""Tables larger than memory: rank and scan generated Parquet files of any length.

``python -m benchmarks.streams --rows 1 10 100`` (millions) prints, for each length, the
CPU and wall time of just reading and decoding the files with pyarrow, of ranking all
features and of scanning all pairs, and the peak memory of each, every one in a process
of its own. ``--dask`` adds the same ranking over a local cluster of two workers, whose
start is not counted, and what it takes beyond the local one.
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


def read_only(folder: Path) -> None:
    for path in sorted(folder.glob("*.parquet")):
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(1 << 17, use_threads=False):
                assert batch.num_rows


def rank(folder: Path, jobs: int) -> list[str]:
    from featsieve.data import open_stream
    from featsieve.filters import InformationGainFilter

    selector = InformationGainFilter(alpha=0.05, n_jobs=jobs)
    selector.fit(open_stream(folder, "y"), None)
    return selector.get_feature_names_out().tolist()


def scan(folder: Path, jobs: int) -> list[tuple[str, str]]:
    from featsieve.data import open_stream
    from featsieve.filters import stream_interactions

    found = stream_interactions(open_stream(folder, "y"), n_jobs=jobs)
    return [pair[:2] for pair in found.best(1e-6)]


def rank_on_cluster(folder: Path) -> tuple[list[str], float, float]:
    """Return what is found, and CPU and wall seconds once the cluster is there."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    from featsieve.data import open_stream
    from featsieve.filters import InformationGainFilter

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as own,
        Client(own) as client,
    ):
        client.run(start_worker)

        def cpu() -> float:
            return time.process_time() + sum(client.run(time.process_time).values())

        before, wall = cpu(), time.perf_counter()
        frame = dd.read_parquet(folder)
        selector = InformationGainFilter(alpha=0.05)
        selector.fit(open_stream(frame, "y"), None)
        found = selector.get_feature_names_out().tolist()
        return found, cpu() - before, time.perf_counter() - wall


def start_worker() -> None:
    import featsieve.data
    import featsieve.filters  # noqa: F401  (loaded before the clock)


def measure(job: str, folder: Path, jobs: int) -> dict[str, object]:
    """Run one job in a process of its own."""
    words = [sys.executable, "-m", "benchmarks.streams", "--job", job]
    words += ["--folder", str(folder), "--jobs", str(jobs)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    answer: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return answer


def run_job(job: str, folder: Path, jobs: int) -> None:
    # Everything is imported before the clock starts.
    import featsieve.data
    import featsieve.filters  # noqa: F401  (loaded before the clock)

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, wall = time.process_time(), time.perf_counter()
    found: object = None
    if job == "read":
        read_only(folder)
    elif job == "rank":
        found = rank(folder, jobs)
    elif job == "scan":
        found = scan(folder, jobs)
    cpu, seconds = time.process_time() - start, time.perf_counter() - wall
    if job == "dask":
        found, cpu, seconds = rank_on_cluster(folder)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    memory = (peak - before) / 1024
    print(json.dumps({"cpu": cpu, "wall": seconds, "memory": memory, "found": found}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, nargs="+", default=[1], help="millions")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--dask", action="store_true")
    parser.add_argument("--job")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    if options.job:
        run_job(options.job, options.folder, options.jobs)
        return
    print("million rows  job    CPU s   wall s  peak MiB above  × reading  found")
    for millions in options.rows:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            n_rows = int(millions * 1e6)
            for number, begin in enumerate(range(0, n_rows, ROWS_PER_FILE)):
                part = min(ROWS_PER_FILE, n_rows - begin)
                make_file(folder / f"{number:04}.parquet", number, part)
            reading = ranking = None
            for job in ("read", "rank", "scan", *(["dask"] if options.dask else [])):
                row = measure(job, folder, options.jobs)
                reading = reading or float(str(row["cpu"]))
                cpu = float(str(row["cpu"]))
                ranking = cpu if job == "rank" else ranking
                ratio = cpu / reading
                print(
                    f"{millions:>12g}  {job:5}{row['cpu']:8.2f}{row['wall']:9.2f}"
                    f"{row['memory']:16.0f}{ratio:11.2f}  {row['found'] or ''}",
                    flush=True,
                )
                if job == "dask" and ranking:
                    print(f"{'':14}Dask takes {cpu / ranking:.2f} × the local CPU time")


if __name__ == "__main__":
    main()
