"""Run many independent tasks, and give each its own seed; knows nothing of features."""

from featsieve.engine._cluster import use
from featsieve.engine._cluster_sums import ClusterError
from featsieve.engine._run import derive_seed, root_seed, run_tasks, stream_tasks

__all__ = [
    "ClusterError",
    "derive_seed",
    "root_seed",
    "run_tasks",
    "stream_tasks",
    "use",
]
