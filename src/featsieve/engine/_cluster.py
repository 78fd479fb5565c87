"""Dask: partitions that are counted where they are, and tasks that run on workers."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import Any

import joblib

from featsieve._checks import check_that
from featsieve.engine._cluster_sums import ClusterError, is_delayed

#: Seconds in which a scheduler must answer.
CONNECT_SECONDS = 10.0


def is_dask_frame(source: Any) -> bool:
    """Whether `source` is a Dask DataFrame, without importing Dask to find out."""
    return "dask" in sys.modules and all(
        hasattr(source, name) for name in ("dask", "to_delayed", "npartitions", "_meta")
    )


def dask_parquet_files(frame: Any) -> list[tuple[str, tuple[int, ...] | None]] | None:
    """Return the files a Dask DataFrame is about to read, with row groups (None: all).

    Workers then can read what they need of them without Dask making frames of it,
    which takes several times as long. None if the frame does anything else, or files
    are not on a local disk.
    """
    try:
        reader = frame.simplify().expr
        if type(reader).__name__ == "Projection":  # columns in another order
            reader = reader.frame
        if not type(reader).__name__.startswith("ReadParquet") or not _is_plain(reader):
            return None
        found = _files_of_reader(reader)
    # What is not documented may be otherwise in another version: Dask reads it then.
    except (AttributeError, KeyError, TypeError, ValueError, IndexError):
        return None
    return found


def _is_plain(reader: Any) -> bool:
    """Whether a reader takes all rows as they are in the files."""
    unused = ("filters", "categories", "_series", "arrow_to_pandas")
    if any(_operand(reader, name) for name in unused):
        return False
    options = _operand(reader, "kwargs") or {}
    return not any(options.values())


def _operand(reader: Any, name: str) -> Any:
    return reader.operand(name) if name in reader._parameters else None


def _files_of_reader(reader: Any) -> list[tuple[str, tuple[int, ...] | None]] | None:
    chosen = _operand(reader, "_partitions")
    if hasattr(reader, "fragments"):  # the reader that leaves all to pyarrow
        if type(reader.fs).__name__ != "LocalFileSystem":
            return None
        pieces: list[Any] = [[(file.path, None)] for file in reader.fragments]
    else:
        if type(reader._dataset_info["fs"]).__name__ != "LocalFileSystem":
            return None
        pieces = [_pieces(part) for part in reader._plan["parts"]]
    if chosen is not None:
        pieces = [pieces[k] for k in chosen]
    return [piece for part in pieces for piece in part]


def _pieces(part: Any) -> list[tuple[str, tuple[int, ...] | None]]:
    """Return the files of one partition; several make one if they are small."""
    found = []
    for one in part if isinstance(part, list) else [part]:
        path, groups, *_ = one["piece"]
        own = None if groups in (None, [None]) else tuple(int(k) for k in groups)
        found.append((str(path), own))
    return found


def fetch(source: Any) -> Any:
    """Return a table that is in memory, computing it first if Dask has not yet."""
    return source.compute() if is_delayed(source) else source


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
    must_be = f"one of {', '.join(backends)}"
    check_that(backend in backends, "backend", backend, "use", must_be)
    if backend != "dask":
        with joblib.parallel_config(backends[backend], n_jobs=n_jobs):
            yield
        return
    try:
        from distributed import Client, get_client  # noqa: PLC0415 - an extra
    except ImportError:
        raise ImportError("A cluster needs Dask: pip install featsieve[dask]") from None
    with contextlib.ExitStack() as stack:
        if isinstance(client, str):
            check_scheduler(client, CONNECT_SECONDS)
            client = stack.enter_context(Client(client, timeout=CONNECT_SECONDS))
        elif client is None:
            try:
                client = get_client()
            except ValueError:
                raise ValueError(
                    "There is no Dask client in this process. Make one with "
                    "`distributed.Client(address)` and pass it to use."
                ) from None
        stack.enter_context(client.as_current())
        stack.enter_context(joblib.parallel_config("dask", n_jobs=n_jobs))
        yield


def check_scheduler(address: str, seconds: float) -> None:
    """Raise unless a scheduler of Dask answers at an address within some seconds.

    Dask's own client waits for ever for somebody who takes the call and says nothing.
    """
    found: list[BaseException | None] = []

    def ask() -> None:
        try:
            asyncio.run(_ask(address, seconds))
        except BaseException as error:
            found.append(error)
        else:
            found.append(None)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(seconds + 1)
    if found == [None]:
        return
    if found and isinstance(found[0], ValueError):
        raise ValueError(
            f"{address!r} is no address of a scheduler: {found[0]}. Say one such as "
            "tcp://host:8786."
        )
    raise ClusterError(
        f"No scheduler of Dask answers at {address!r} within {seconds:g} seconds. "
        "Check the address, and that the cluster is running."
    )


async def _ask(address: str, seconds: float) -> None:
    from distributed import Security, rpc  # noqa: PLC0415 - an extra

    keys = Security().get_connection_args("client")
    async with rpc(address, timeout=seconds, connection_args=keys) as scheduler:
        about = await asyncio.wait_for(scheduler.identity(), seconds)
    if about.get("type") != "Scheduler":
        raise ValueError(f"a {about.get('type', 'stranger')} of Dask answers there")
