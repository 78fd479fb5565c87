"""Dask: partitions that are counted where they are, and tasks that run on workers."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import joblib

__all__ = ["dask_partitions", "fetch", "is_dask_frame", "sum_on_cluster", "use"]

#: Partial sums merged by one task of the tree: few enough to keep memory low, many
#: enough to keep the tree flat.
MERGED_AT_ONCE = 8


def is_dask_frame(source: Any) -> bool:
    """Whether `source` is a Dask DataFrame, without importing Dask to find out.

    Parameters
    ----------
    source : object
        Anything.

    Returns
    -------
    bool
        True for a Dask DataFrame.

    Examples
    --------
    >>> from featsieve.engine import is_dask_frame
    >>> is_dask_frame({"a": [1]})
    False
    """
    return "dask" in sys.modules and all(
        hasattr(source, name) for name in ("dask", "to_delayed", "npartitions", "_meta")
    )


def dask_partitions(frame: Any) -> list[Any]:
    """Return the partitions of a Dask DataFrame, none of them computed.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        Any number of partitions.

    Returns
    -------
    list of dask.delayed.Delayed
        One per partition.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from featsieve.engine import dask_partitions
    >>> frame = dd.from_pandas(pd.DataFrame({"a": [1, 2, 3]}), npartitions=2)
    >>> len(dask_partitions(frame))
    2
    """
    # A partition is one task: fused with what makes it, it is made on its worker.
    return list(frame.to_delayed())


def fetch(source: Any) -> Any:
    """Return a table that is in memory, computing it first if Dask has not yet.

    Parameters
    ----------
    source : object
        A table, or a delayed one.

    Returns
    -------
    object
        The table.

    Examples
    --------
    >>> from featsieve.engine import fetch
    >>> fetch([1, 2])
    [1, 2]
    """
    return source.compute() if is_delayed(source) else source


def is_delayed(source: Any) -> bool:
    """Whether a source is a delayed value of Dask."""
    if "dask" not in sys.modules:
        return False
    from dask.delayed import Delayed  # noqa: PLC0415 - only if Dask is there

    return isinstance(source, Delayed)


def sum_on_cluster(
    function: Callable[..., Any], parts: Sequence[Any], plan: Any
) -> Any:
    """Sum over partitions: counted on their workers, merged in a tree.

    Sums of whole numbers do not depend on the tree, so any partitioning and any order
    of completion gives the same bits. A worker that dies is Dask's to replace: what it
    held is counted again.
    """
    from dask import delayed  # noqa: PLC0415 - only if Dask is there

    shared = delayed(plan, pure=False, traverse=False)
    sums = [
        delayed(_count_partition, pure=False)(
            function, part.without_source(), part.source, shared
        )
        for part in parts
    ]
    merge = delayed(_merge, pure=False)
    while len(sums) > 1:
        sums = [
            merge(sums[i : i + MERGED_AT_ONCE], shared)
            for i in range(0, len(sums), MERGED_AT_ONCE)
        ]
    return sums[0].compute()


def _count_partition(
    function: Callable[..., Any], part: Any, frame: Any, plan: Any
) -> Any:
    return function([part.with_source(frame)], plan, None)


def _merge(sums: list[Any], plan: Any) -> Any:
    total = sums[0]
    for other in sums[1:]:
        total.merge(other, plan)
    return total


@contextlib.contextmanager
def use(backend: str, client: Any = None, *, n_jobs: int = -1) -> Iterator[None]:
    """Run the tasks of all estimators elsewhere, within a ``with`` block.

    Parameters
    ----------
    backend : {"threads", "processes", "dask"}
        Where tasks run. Answers do not depend on it.
    client : distributed.Client or str, default=None
        For ``"dask"``: the client, or the address of a scheduler; None takes the client
        of this process.
    n_jobs : int, default=-1
        Jobs at a time; -1 for all there are.

    Yields
    ------
    None
        Until the block ends.

    Examples
    --------
    >>> from featsieve.engine import run_tasks, use
    >>> with use("threads", n_jobs=2):
    ...     run_tasks(pow, [(2, 3), (3, 2)])
    [8, 9]
    """
    backends = {"threads": "threading", "processes": "loky", "dask": "dask"}
    if backend not in backends:
        message = (
            f"The 'backend' parameter of use must be one of {', '.join(backends)}. Got "
            f"{backend!r} instead."
        )
        raise ValueError(message)
    if backend != "dask":
        with joblib.parallel_config(backends[backend], n_jobs=n_jobs):
            yield
        return
    try:
        from distributed import Client, get_client  # noqa: PLC0415 - an extra
    except ImportError:
        message = "A cluster needs Dask: pip install featsieve[dask]"
        raise ImportError(message) from None
    with contextlib.ExitStack() as stack:
        if isinstance(client, str):
            client = stack.enter_context(Client(client))
        elif client is None:
            try:
                client = get_client()
            except ValueError:
                message = (
                    "There is no Dask client in this process. Make one with "
                    "`distributed.Client(address)` and pass it to use."
                )
                raise ValueError(message) from None
        stack.enter_context(client.as_current())
        stack.enter_context(joblib.parallel_config("dask", n_jobs=n_jobs))
        yield
