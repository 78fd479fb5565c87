"""Sums over parts on the workers of a cluster, told row by row as they are done."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from typing import Any

from joblib.parallel import get_active_backend

#: Partial sums merged by one task of the tree: few enough to keep memory low, many
#: enough to keep the tree flat.
MERGED_AT_ONCE = 8
#: Rows of one task at most, as far as parts go: every task starts its counts anew,
#: which takes as long as half a million rows, and is lost whole with its worker.
ROWS_PER_TASK = 8_000_000
#: Tasks per thread if nobody knows how many rows parts have.
TASKS_PER_THREAD = 4
#: Seconds between two looks at a cluster that is busy, and without any worker or
#: scheduler until it is given up.
LOOK_EVERY = 1.0
PATIENCE = 60.0

Progress = Callable[[int], None]
#: Those who are told in this process, by the topic of their sum.
LISTENERS: dict[str, Callable[[int, int], None]] = {}


class ClusterError(RuntimeError):
    """A cluster does not answer or cannot do the work; the message says what to do.

    Examples
    --------
    >>> from featsieve.engine import ClusterError
    >>> issubclass(ClusterError, RuntimeError)
    True
    """


def is_delayed(source: Any) -> bool:
    """Whether a source is a delayed value of Dask."""
    if "dask" not in sys.modules:
        return False
    from dask.delayed import Delayed  # noqa: PLC0415 - only if Dask is there

    return isinstance(source, Delayed)


def current_client(*, anyway: bool = False) -> Any:
    """Return the client of the Dask backend that is in use, None if none is.

    With `anyway` that of this process, even if joblib's tasks run here.
    """
    if "distributed" not in sys.modules:
        return None
    backend, _ = get_active_backend(prefer="threads")
    client = getattr(backend, "client", None)
    if client is None and anyway:
        from distributed import get_client  # noqa: PLC0415 - it is there

        with contextlib.suppress(ValueError):
            client = get_client()
    return client


def sum_on_cluster(
    function: Callable[..., Any],
    parts: Sequence[Any],
    plan: Any,
    client: Any = None,
    progress: Progress | None = None,
) -> Any:
    """Sum over partitions: counted on their workers, merged in a tree.

    Sums of whole numbers do not depend on the tree, so any partitioning and any order
    of completion gives the same bits. A worker that dies is Dask's to replace: what it
    held is counted again. Without a client delayed parts are computed by Dask here.
    """
    with _told(client, progress) as (topic, rows):
        if is_delayed(getattr(parts[0], "source", None)):
            total = _delayed_sum(function, parts, plan, topic)
            if client is None:
                return total.compute()
            futures = [client.compute(total)]
        else:
            groups = _groups(parts, client)
            futures = [
                client.submit(
                    _count_group, function, group, plan, topic, number, pure=False
                )
                for number, group in enumerate(groups)
            ]
            futures = _merge_tree(
                futures, lambda some: client.submit(_merge, some, plan, pure=False)
            )
        try:
            result = _result(client, futures[-1])
        except ClusterError:
            raise
        except BaseException:
            # What waits for a sum that nobody wants any more need not run.
            with contextlib.suppress(Exception):
                client.cancel(futures)
            raise
        rows.complete(sum(getattr(part, "rows", 0) for part in parts))
        return result


def _groups(parts: Sequence[Any], client: Any) -> list[list[Any]]:
    """Return the parts in groups, one task each; parts of all ages are in each."""
    threads = max(1, sum(client.nthreads().values()))
    wanted = threads * TASKS_PER_THREAD
    if all(hasattr(part, "rows") for part in parts):
        rows = sum(part.rows for part in parts)
        wanted = max(threads, -(-rows // ROWS_PER_TASK))
    n_groups = min(len(parts), wanted)
    return [list(parts[i::n_groups]) for i in range(n_groups)]


def _merge_tree(sums: list[Any], merge: Callable[[list[Any]], Any]) -> list[Any]:
    """Return sums and the tasks that merge them, the root of the tree last."""
    made = sums
    while len(sums) > 1:
        starts = range(0, len(sums), MERGED_AT_ONCE)
        sums = [merge(sums[i : i + MERGED_AT_ONCE]) for i in starts]
        made = made + sums
    return made


def _delayed_sum(
    function: Callable[..., Any], parts: Sequence[Any], plan: Any, topic: str | None
) -> Any:
    """Return the sum over delayed partitions, itself delayed."""
    from dask import delayed  # noqa: PLC0415 - only if Dask is there

    shared = delayed(plan, pure=False, traverse=False)
    count = delayed(_count_partition, pure=False)
    sums = [
        count(function, part.without_source(), part.source, shared, topic, number)
        for number, part in enumerate(parts)
    ]
    merge = delayed(_merge, pure=False)
    return _merge_tree(sums, lambda some: merge(some, shared))[-1]


def _count_group(
    function: Callable[..., Any],
    parts: list[Any],
    plan: Any,
    topic: str | None,
    number: int,
) -> Any:
    return function(parts, plan, _teller(topic, number))


def _count_partition(  # noqa: PLR0917 - Dask passes by position
    function: Callable[..., Any],
    part: Any,
    frame: Any,
    plan: Any,
    topic: str | None,
    number: int,
) -> Any:
    return function([part.with_source(frame)], plan, _teller(topic, number))


def _merge(sums: list[Any], plan: Any) -> Any:
    # Dask owns what it hands in, and may hand it in again.
    total = copy.deepcopy(sums[0]) if len(sums) > 1 else sums[0]
    for other in sums[1:]:
        total.merge(other, plan)
    return total


def _teller(topic: str | None, number: int) -> Progress | None:
    """Return what tells the process that wants the sum how many rows are done."""
    if topic is None:
        return None
    tell = LISTENERS.get(topic)
    if tell is None:
        from distributed import get_worker  # noqa: PLC0415 - we are on one

        try:
            worker = get_worker()
        except ValueError:  # a process that cannot tell
            return None

        def tell(task: int, rows: int) -> None:
            worker.log_event(topic, {"task": task, "rows": rows})

    done = 0

    def count(n_rows: int) -> None:
        nonlocal done
        done += n_rows
        tell(number, done)

    return count


class _Rows:
    """Rows that are done, task by task; one that is done again counts once."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._lock = threading.Lock()
        self._done: dict[int, int] = {}
        self._told = 0

    def note(self, task: int, rows: int) -> None:
        """Take note of how many rows of a task are done."""
        with self._lock:
            self._done[task] = max(rows, self._done.get(task, 0))
            self._tell(sum(self._done.values()))

    def complete(self, total: int) -> None:
        """Tell of rows that somebody has forgotten to tell of."""
        with self._lock:
            self._tell(total)

    def _tell(self, rows: int) -> None:
        if self._progress is not None and rows > self._told:
            self._progress(rows - self._told)
            self._told = rows


@contextlib.contextmanager
def _told(client: Any, progress: Progress | None) -> Iterator[tuple[str | None, _Rows]]:
    """Listen, within a block, to tasks that say how many rows are done."""
    rows = _Rows(progress)
    if progress is None:
        yield None, rows
        return
    topic = f"featsieve-rows-{uuid.uuid4().hex}"
    LISTENERS[topic] = rows.note
    if client is not None:
        client.subscribe_topic(
            topic, lambda event: rows.note(event[1]["task"], event[1]["rows"])
        )
    try:
        yield topic, rows
    finally:
        del LISTENERS[topic]
        if client is not None:
            with contextlib.suppress(Exception):  # it may be gone
                client.unsubscribe_topic(topic)


def _result(client: Any, future: Any) -> Any:
    """Return a result; say clearly why there is none."""
    from distributed import KilledWorker  # noqa: PLC0415 - only if Dask is there

    _wait(client, future)
    try:
        return future.result()
    except KilledWorker as error:
        raise ClusterError(
            "Workers of the cluster died again and again while they counted, as they "
            "do when memory runs out. Give them more memory, or make partitions "
            f"smaller. ({error.last_worker.address} was the last.)"
        ) from None
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.split(".")[0] == "featsieve":
            message = "Workers of the cluster need featsieve, in this version."
            raise ClusterError(message) from None
        raise
    except (CancelledError, asyncio.CancelledError, OSError) as error:
        if future.status == "error":
            raise
        raise _lost(client, error) from None


def _wait(client: Any, future: Any) -> None:
    """Wait until a future has an answer, while there is somebody to give it."""
    from distributed import wait  # noqa: PLC0415 - only if Dask is there

    lonely_since: float | None = None
    while True:
        try:
            wait([future], timeout=LOOK_EVERY)
        except TimeoutError:
            pass
        except (CancelledError, asyncio.CancelledError, OSError) as error:
            raise _lost(client, error) from None
        else:
            return
        if not _is_alone(client):
            lonely_since = None
        elif lonely_since is None:
            lonely_since = time.monotonic()
        elif time.monotonic() - lonely_since > PATIENCE:
            raise ClusterError(
                f"The cluster at {client.scheduler.address!r} has no workers. Start "
                "some, or choose another."
            )


def _is_alone(client: Any) -> bool:
    """Whether nobody is there who could work."""
    if client.status != "running":
        raise _lost(client, None)
    try:
        return not client.nthreads()
    except (OSError, TimeoutError) as error:
        raise _lost(client, error) from None


def _lost(client: Any, error: BaseException | None) -> ClusterError:
    where = getattr(client.scheduler, "address", None) or "the cluster"
    reason = f" ({error})" if error is not None and str(error) else ""
    return ClusterError(
        f"The connection to the scheduler {where!r} was lost{reason}. See whether it "
        "still runs, and try again."
    )
