"""Run many independent tasks, and give each its own seed; knows nothing of features."""

from featsieve.engine._cluster import (
    dask_parquet_files,
    dask_partitions,
    fetch,
    is_dask_frame,
    use,
)
from featsieve.engine._errors import ClusterError
from featsieve.engine._partitions import sum_over_parts
from featsieve.engine._run import run_tasks
from featsieve.engine._seeds import derive_seed, root_seed
from featsieve.engine._stream import stream_tasks

__all__ = [
    "ClusterError",
    "dask_parquet_files",
    "dask_partitions",
    "derive_seed",
    "fetch",
    "is_dask_frame",
    "root_seed",
    "run_tasks",
    "stream_tasks",
    "sum_over_parts",
    "use",
]
