"""Run many independent tasks; a few lines over joblib, so that any backend serves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from joblib import Parallel, delayed

__all__ = ["run_tasks"]

Task = TypeVar("Task")
Result = TypeVar("Result")


def run_tasks(
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    *,
    n_jobs: int | None = None,
) -> list[Result]:
    """Return ``[function(task) for task in tasks]``, computed by several workers.

    Threads by default, since our kernels release the interpreter's lock; a backend
    chosen with ``joblib.parallel_config`` is respected.

    Parameters
    ----------
    function : callable
        Takes one task. Must be picklable where the backend uses processes.
    tasks : iterable
        One argument per call. Each task carries its own seed where it needs one, so
        that the answer does not depend on who runs it.
    n_jobs : int, default=None
        Number of workers; None is 1 unless joblib is configured otherwise, -1 all.

    Returns
    -------
    list
        Results in the order of the tasks.

    Examples
    --------
    >>> from featsieve.engine import run_tasks
    >>> run_tasks(abs, [-1, 2, -3], n_jobs=2)
    [1, 2, 3]
    """
    results: list[Result] = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(function)(task) for task in tasks
    )
    return results
