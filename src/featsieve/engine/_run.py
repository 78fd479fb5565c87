"""Run many independent tasks, here or on a cluster: a few lines over joblib."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from joblib import Parallel, delayed

__all__ = ["run_tasks"]

Result = TypeVar("Result")


def run_tasks(
    function: Callable[..., Result],
    tasks: Iterable[tuple[Any, ...]],
    *,
    n_jobs: int | None = None,
    shared_memory: bool = False,
) -> list[Result]:
    """Call a function once per task and return the results in the order of the tasks.

    Our kernels release the interpreter lock, so tasks run in threads unless
    ``joblib.parallel_config`` says otherwise; with its ``"dask"`` backend they run on a
    cluster.

    Parameters
    ----------
    function : callable
        Called as ``function(*task)``.
    tasks : iterable of tuple
        The arguments of each call. How work is cut into tasks must not depend on
        `n_jobs`, so that every number of jobs gives the same answer.
    n_jobs : int or None, default=None
        Jobs at a time; None is 1 unless ``joblib.parallel_config`` names a backend and
        a number, -1 is one per processor.
    shared_memory : bool, default=False
        Whether tasks read and write the caller's memory; they then stay in threads of
        this process, whatever ``joblib.parallel_config`` says.

    Returns
    -------
    list
        One result per task.

    Examples
    --------
    >>> from featsieve.engine import run_tasks
    >>> run_tasks(pow, [(2, 3), (3, 2)], n_jobs=2)
    [8, 9]
    """
    calls = (delayed(function)(*task) for task in tasks)
    # To joblib an explicit None is 1, whatever parallel_config says.
    asked: dict[str, Any] = {} if n_jobs is None else {"n_jobs": n_jobs}
    asked["require"] = "sharedmem" if shared_memory else None
    results: list[Result] = Parallel(prefer="threads", **asked)(calls)
    return results
