"""W10: a CSV and a Parquet file of mixed columns to encoded ones.

The files are kept in the system's folder for temporary files, because every contestant
reads them in a process of its own.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._harness import Contestant, Workload

N_LEVELS = [2, 3, 5, 8, 10, 20, 30, 50, 80, 100, 200, 300, 500, 800, 1000]
TEXTS = [f"s{i}" for i in range(len(N_LEVELS))]

Read = Callable[[], Any]


def make_file(rows: int, kind: str) -> Path:
    """Return a file of 25 floats, 10 integers and 15 texts of 2 to 1000 levels."""
    path = Path(tempfile.gettempdir()) / f"featsieve-w10-{rows}.{kind}"
    if not path.exists():
        _write(path, rows)
    return path


def make_csv(rows: int) -> Path:
    return make_file(rows, "csv")


def make_parquet(rows: int) -> Path:
    return make_file(rows, "parquet")


def _write(path: Path, rows: int) -> None:
    import pyarrow as pa
    import pyarrow.csv as pa_csv
    import pyarrow.parquet as pq

    random = np.random.default_rng(0)
    columns: dict[str, Any] = {}
    for i in range(25):
        columns[f"f{i}"] = pa.array(np.round(random.normal(size=rows), 6))
    for i in range(10):
        columns[f"i{i}"] = pa.array(random.integers(0, 10 ** (i % 6 + 1), rows))
    for name, n_levels in zip(TEXTS, N_LEVELS, strict=True):
        levels = pa.array([f"level_{j}" for j in range(n_levels)])
        columns[name] = levels.take(pa.array(random.integers(0, n_levels, rows)))
    write = pa_csv.write_csv if path.suffix == ".csv" else pq.write_table
    # Under another name first: what was interrupted must not be taken for the file.
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    write(pa.table(columns), unfinished)
    unfinished.replace(path)


def read_here(read: Read) -> Any:
    return read()


def with_featsieve(path: Path) -> Read:
    from featsieve.data import read_table

    return lambda: read_table(path)


def with_pyarrow(path: Path) -> Read:
    if path.suffix == ".csv":
        import pyarrow.csv as pa_csv

        return lambda: pa_csv.read_csv(path)
    import pyarrow.parquet as pq

    return lambda: pq.read_table(path)


def with_pyarrow_dictionaries(path: Path) -> Read:
    if path.suffix == ".csv":
        import pyarrow.csv as pa_csv

        options = pa_csv.ConvertOptions(
            auto_dict_encode=True, auto_dict_max_cardinality=10**6
        )
        return lambda: pa_csv.read_csv(path, convert_options=options)
    import pyarrow.parquet as pq

    return lambda: pq.read_table(path, read_dictionary=TEXTS)


def with_pyarrow_alone(path: Path) -> Read:
    """Decode into codes and numbers in one thread and keep nothing: a limit."""
    import pyarrow.parquet as pq

    def decode() -> None:
        with pq.ParquetFile(path, read_dictionary=TEXTS) as file:
            for name in file.schema_arrow.names:
                for group in range(file.num_row_groups):
                    file.read_row_group(group, [name], use_threads=False)

    return decode


def with_polars(path: Path) -> Read:
    import polars as pl

    if path.suffix == ".csv":
        return lambda: pl.read_csv(path)
    return lambda: pl.read_parquet(path)


def with_polars_categories(path: Path) -> Read:
    import polars as pl

    kinds = dict.fromkeys(TEXTS, pl.Categorical)
    if path.suffix == ".csv":
        return lambda: pl.read_csv(path, schema_overrides=kinds)
    return lambda: pl.read_parquet(path).cast(kinds)


def with_duckdb(path: Path) -> Read:
    import duckdb

    return lambda: duckdb.sql(f"select * from '{path}'").to_arrow_table()


def reading(
    name: str,
    kind: str,
    make: Callable[..., Path],
    limits: tuple[Contestant, ...] = (),
) -> Workload:
    return Workload(
        name=name,
        title=f"a {kind} file of 50 mixed columns to encoded columns",
        make=make,
        sizes={"default": {"rows": 1_000_000}, "rows x2": {"rows": 2_000_000}},
        contestants=(
            Contestant("read_table", read_here, with_featsieve, ours=True),
            Contestant("pyarrow", read_here, with_pyarrow),
            Contestant("pyarrow, dictionaries", read_here, with_pyarrow_dictionaries),
            Contestant("polars", read_here, with_polars),
            Contestant("polars, categories", read_here, with_polars_categories),
            Contestant("duckdb", read_here, with_duckdb),
            *limits,
        ),
        targets=(
            "at most 1.5 times the fastest reader; peak at most twice the encoded "
            "size (about 290 MiB) and one batch (16 MiB)"
        ),
    )


WORKLOADS = [
    reading("W10-csv", "CSV", make_csv),
    reading(
        "W10-parquet",
        "Parquet",
        make_parquet,
        limits=(
            Contestant(
                "pyarrow, columns decoded and dropped", read_here, with_pyarrow_alone
            ),
        ),
    ),
]
