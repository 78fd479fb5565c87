"""W10: a CSV and a Parquet file of 1M x 50 mixed values to encoded columns.

Targets: at most 1.5 times the processor time of the fastest reader, and a peak of at
most twice the encoded size plus one batch. Every run is a process of its own, so that
the peak is that of the run; processor time counts all threads and starts after imports.

    python benchmarks/workloads/w10_reading.py [n_rows] [repeats]
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

N_ROWS = 1_000_000
N_LEVELS = [2, 3, 5, 8, 10, 20, 30, 50, 80, 100, 200, 300, 500, 800, 1000]
TEXTS = [f"s{i}" for i in range(len(N_LEVELS))]
FORMATS = ("csv", "parquet")
# A batch of ours is a block of CSV text or one column of a row group.
BATCH_MB = 16


def build(folder: Path, n_rows: int = N_ROWS, seed: int = 0) -> dict[str, Path]:
    """Write the files: 25 floats, 10 integers, 15 texts of 2 to 1000 levels."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    for i in range(25):
        columns[f"f{i}"] = pa.array(np.round(rng.normal(size=n_rows), 6))
    for i in range(10):
        columns[f"i{i}"] = pa.array(rng.integers(0, 10 ** (i % 6 + 1), n_rows))
    for name, n_levels in zip(TEXTS, N_LEVELS, strict=True):
        levels = pa.array([f"level_{j}" for j in range(n_levels)])
        columns[name] = levels.take(pa.array(rng.integers(0, n_levels, n_rows)))
    table = pa.table(columns)
    paths = {kind: folder / f"w10.{kind}" for kind in FORMATS}
    pa_csv.write_csv(table, paths["csv"])
    pq.write_table(table, paths["parquet"])
    return paths


def run_featsieve(path: Path) -> Callable[[], Any]:
    from featsieve.data import read_table

    return lambda: read_table(path)


def run_pyarrow(path: Path) -> Callable[[], Any]:
    if path.suffix == ".csv":
        return lambda: pa_csv.read_csv(path)
    return lambda: pq.read_table(path)


def run_pyarrow_dictionary(path: Path) -> Callable[[], Any]:
    if path.suffix == ".csv":
        options = pa_csv.ConvertOptions(
            auto_dict_encode=True, auto_dict_max_cardinality=10**6
        )
        return lambda: pa_csv.read_csv(path, convert_options=options)
    return lambda: pq.read_table(path, read_dictionary=TEXTS)


def run_polars(path: Path) -> Callable[[], Any]:
    import polars as pl

    if path.suffix == ".csv":
        return lambda: pl.read_csv(path)
    return lambda: pl.read_parquet(path)


def run_polars_categorical(path: Path) -> Callable[[], Any]:
    import polars as pl

    kinds = dict.fromkeys(TEXTS, pl.Categorical)
    if path.suffix == ".csv":
        return lambda: pl.read_csv(path, schema_overrides=kinds)
    return lambda: pl.read_parquet(path).cast(kinds)


def run_duckdb(path: Path) -> Callable[[], Any]:
    import duckdb

    return lambda: duckdb.sql(f"select * from '{path}'").to_arrow_table()


RUNS = {
    "featsieve": run_featsieve,
    "pyarrow": run_pyarrow,
    "pyarrow, dictionaries": run_pyarrow_dictionary,
    "polars": run_polars,
    "polars, categories": run_polars_categorical,
    "duckdb": run_duckdb,
}
NEEDS = {"polars": "polars", "polars, categories": "polars", "duckdb": "duckdb"}


def peak_mb() -> float:
    """Return the peak of this process; ru_maxrss would count its parent's, too."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(x.split(":", 1) for x in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_here(name: str, path: Path) -> dict[str, float]:
    """Run one reader in this process; return seconds and megabytes."""
    run = RUNS[name](path)
    before = peak_mb()
    start, wall = os.times(), time.perf_counter()
    result = run()
    end, wall = os.times(), time.perf_counter() - wall
    user, system = end.user - start.user, end.system - start.system
    peak = peak_mb() - before
    encoded = 0.0
    if name == "featsieve":
        encoded = sum(column.values.nbytes for column in result) / 2**20
    return {
        "cpu": user + system,
        "system": system,  # first touches of memory, uneven on virtual machines
        "wall": wall,
        "peak_mb": peak,
        "encoded_mb": encoded,
    }


def measure(name: str, path: Path) -> dict[str, float]:
    """Run one reader in a fresh process."""
    command = [sys.executable, __file__, "--one", name, str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    answer: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return answer


def compare(
    paths: dict[str, Path], repeats: int = 3
) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Yield format, reader and its best of `repeats` runs, which take turns."""
    rng = random.Random(0)
    for kind, path in paths.items():
        best: dict[str, dict[str, float]] = {}
        for _ in range(repeats):
            # The order changes: who runs after a large reader finds memory handed back.
            for name in rng.sample(list(RUNS), len(RUNS)):
                if name in NEEDS and importlib.util.find_spec(NEEDS[name]) is None:
                    continue
                found = measure(name, path)
                if name not in best or found["cpu"] < best[name]["cpu"]:
                    best[name] = found
        for name, found in best.items():
            yield kind, name, found


def main(n_rows: int, repeats: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = build(Path(folder), n_rows)
        rows = list(compare(paths, repeats))
    for kind in FORMATS:
        of_kind = {name: found for k, name, found in rows if k == kind}
        ours = of_kind["featsieve"]
        fastest = min(f["cpu"] for n, f in of_kind.items() if n != "featsieve")
        heads = f"{'CPU s':>7} {'system':>7} {'wall s':>7} {'peak MB':>8}"
        print(f"{kind:8} {'reader':24} {heads}")
        for name, found in of_kind.items():
            numbers = (
                f"{found['cpu']:7.2f} {found['wall']:7.2f} {found['peak_mb']:8.0f}"
            )
            print(f"{'':8} {name:24} {numbers}")
        allowed = 2 * ours["encoded_mb"] + BATCH_MB
        print(
            f"{'':8} CPU ratio {ours['cpu'] / fastest:.2f} (<= 1.5); "
            f"peak {ours['peak_mb']:.0f} MB, allowed {allowed:.0f} MB\n"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measure_here(sys.argv[2], Path(sys.argv[3]))))
    else:
        given = [int(arg) for arg in sys.argv[1:3]]
        main(*given, *(N_ROWS, 3)[len(given) :])
