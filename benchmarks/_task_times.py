"""Seconds that tasks of a cluster take on its workers, by what they do."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import featsieve.data
import featsieve.selectors  # noqa: F401  (loaded before the clock)
from featsieve.engine import _cluster_sums as tasks

SPENT: dict[str, float] = {}
KINDS = {
    "_count_group": "reading and counting in tasks",
    "_count_partition": "reading and counting in tasks",
    "_merge": "merging in tasks",
}


def start_worker() -> None:
    """Measure tasks by the clock of their thread from now on."""
    for name, kind in KINDS.items():
        setattr(tasks, name, _timed(getattr(tasks, name), kind))


def _timed(function: Callable[..., Any], kind: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*arguments: Any) -> Any:
        begin = time.thread_time()
        try:
            return function(*arguments)
        finally:
            SPENT[kind] = SPENT.get(kind, 0.0) + time.thread_time() - begin

    return run


def spent_in_tasks() -> dict[str, float]:
    """Return the seconds of this worker so far."""
    return SPENT
