"""Results of many tasks as they come, so that each can be kept at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from joblib import Parallel, delayed

__all__ = ["stream_tasks"]

Result = TypeVar("Result")


def stream_tasks(
    function: Callable[..., Result],
    tasks: Sequence[tuple[Any, ...]],
    *,
    n_jobs: int | None = None,
) -> Iterator[tuple[int, Result]]:
    """Call a function once per task and yield each result as soon as it is there.

    Like `run_tasks`, but for work that is worth keeping piece by piece.

    Parameters
    ----------
    function : callable
        Called as ``function(*task)``.
    tasks : sequence of tuple
        The arguments of each call.
    n_jobs : int or None, default=None
        Jobs at a time; None is 1 unless ``joblib.parallel_config`` names a backend and
        a number, -1 is one per processor.

    Yields
    ------
    (int, object)
        The number of the task and its result, in the order in which they finish.

    Examples
    --------
    >>> from featsieve.engine import stream_tasks
    >>> sorted(stream_tasks(pow, [(2, 3), (3, 2)], n_jobs=2))
    [(0, 8), (1, 9)]
    """
    calls = (
        delayed(_numbered)(number, function, task) for number, task in enumerate(tasks)
    )
    # To joblib an explicit None is 1, whatever parallel_config says.
    asked: dict[str, Any] = {} if n_jobs is None else {"n_jobs": n_jobs}
    results = Parallel(prefer="threads", return_as="generator_unordered", **asked)(
        calls
    )
    for result in results:
        try:
            yield result
        except GeneratorExit:
            # Whoever leaves knows that tasks are still at work.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                results.close()
            raise


def _numbered(
    number: int, function: Callable[..., Result], task: tuple[Any, ...]
) -> tuple[int, Result]:
    return number, function(*task)
