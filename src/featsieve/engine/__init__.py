"""Run many independent tasks, and give each its own seed; knows nothing of features."""

from featsieve.engine._run import run_tasks
from featsieve.engine._seeds import derive_seed, root_seed
from featsieve.engine._stream import stream_tasks

__all__ = ["derive_seed", "root_seed", "run_tasks", "stream_tasks"]
