"""Run many independent tasks, each with a seed that depends on what it does."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from featsieve._types import Ints
from featsieve.engine._cluster_sums import (
    current_client,
    is_delayed,
    sum_on_cluster,
)

Result = TypeVar("Result")
#: Odd constants of splitmix64 (Steele, Lea and Flood 2014).
GOLDEN, MIX_1, MIX_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
ALL_BITS = 2**64 - 1


def parallel(n_jobs: int | None, **options: Any) -> Any:
    """Return what runs so many jobs at a time, in threads unless told otherwise."""
    # To joblib an explicit None is 1, whatever parallel_config says.
    asked = {} if n_jobs is None else {"n_jobs": n_jobs}
    return Parallel(prefer="threads", **asked, **options)


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
    require = "sharedmem" if shared_memory else None
    return parallel(n_jobs, require=require)(calls)


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
    results = parallel(n_jobs, return_as="generator_unordered")(calls)
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


def root_seed(random_state: Any) -> int:
    """Return one 64-bit seed for a whole run.

    Parameters
    ----------
    random_state : None, int or numpy.random.RandomState
        scikit-learn's convention; None draws a fresh seed.

    Returns
    -------
    int
        The seed; an int is its own seed.

    Examples
    --------
    >>> from featsieve.engine import root_seed
    >>> root_seed(7)
    7
    """
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        return int(random_state)
    try:
        random = check_random_state(random_state)
    except ValueError:
        raise ValueError(
            "The 'random_state' parameter must be an int >= 0, a RandomState or None. "
            f"Got {random_state!r} instead."
        ) from None
    return int(random.randint(2**31 - 1))


def derive_seed(seed: int, *content: bytes | str | int) -> int:
    """Return a 64-bit seed made of a root seed and of what it is for.

    Parameters
    ----------
    seed : int
        The root.
    *content : bytes, str or int
        What distinguishes this use, for example the margins of a table.

    Returns
    -------
    int
        The same for the same arguments, on every machine.

    Examples
    --------
    >>> from featsieve.engine import derive_seed
    >>> derive_seed(0, "a") == derive_seed(0, "a") != derive_seed(0, "b")
    True
    """
    digest = hashlib.blake2b(str(int(seed)).encode(), digest_size=8)
    for part in content:
        raw = part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(raw).to_bytes(8, "little"))
        digest.update(raw)
    return int.from_bytes(digest.digest(), "little")


def row_keys(rows: Ints, seed: int) -> NDArray[np.uint64]:
    """Return a random 64-bit number for each row, from a seed and the row's number.

    The rows with the least keys are a sample without replacement that can be drawn in
    one pass, in any order, by anyone.
    """
    with np.errstate(over="ignore"):
        x = rows.astype(np.uint64) + np.uint64((seed * GOLDEN + GOLDEN) & ALL_BITS)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(MIX_1)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(MIX_2)
        # Twice, as neighbouring rows start as neighbouring numbers.
        x = (x + np.uint64(GOLDEN) ^ (x >> np.uint64(31))) * np.uint64(MIX_1)
        return x ^ (x >> np.uint64(29))


def sum_over_parts(
    function: Callable[..., Any],
    parts: Sequence[Any],
    plan: Any,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Any:
    """Return the sum of ``function(some_parts, plan, progress)`` over all parts.

    Partial results have a method ``merge(other, plan)``; sums must not depend on how
    parts are grouped, as those of whole numbers do not. Jobs are threads unless
    ``joblib.parallel_config`` says otherwise. `progress` is passed on to threads of
    this process; elsewhere it is told the rows of every group of parts that is done.
    """
    late = is_delayed(getattr(parts[0], "source", None))
    remote = late or getattr(parts[0], "remote", False)
    client = current_client(anyway=remote)
    if late or (client is not None and (remote or len(parts) > 1)):
        return sum_on_cluster(function, parts, plan, client, progress)
    if remote and n_jobs is None:
        n_jobs = -1  # as Dask would have it
    # One group per job: parts of all ages are in each, and every group starts its
    # counts anew, which takes as long as counting half a million rows.
    n_groups = min(len(parts), max(1, effective_n_jobs(n_jobs)))
    groups = [list(parts[i::n_groups]) for i in range(n_groups)]
    if n_groups == 1:
        return function(groups[0], plan, progress)
    backend, _ = get_active_backend(prefer="threads")
    here = getattr(backend, "supports_sharedmem", False)
    partial = parallel(n_jobs, return_as="generator")(
        delayed(function)(group, plan, progress if here else None) for group in groups
    )
    total = None
    for group, found in zip(groups, partial, strict=True):
        if total is None:
            total = found
        else:
            total.merge(found, plan)
        if progress is not None and not here:
            progress(sum(getattr(part, "rows", 0) for part in group))
    return total
