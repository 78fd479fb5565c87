"""Run one thing in a copy of this process, under a limit of CPU seconds.

What the parent has imported and compiled is there at once, what the run leaves behind
is gone afterwards, and its peak of memory is its own. Threads of libraries do not
survive the copying: set ``NUMBA_THREADING_LAYER=workqueue`` and ``OMP_NUM_THREADS=1``.
"""

from __future__ import annotations

import multiprocessing
import resource
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks._child import forget_peak, peak_mib

__all__ = ["Run", "run_isolated"]


@dataclass(frozen=True)
class Run:
    """What a run gave; `status` is "ok", "over 60 s" or how it crashed."""

    status: str
    result: Any = None
    seconds: float = 0.0
    peak_mib: float = 0.0


def run_isolated(work: Callable[[], Any], limit: float) -> Run:
    """Return the result of `work`, its CPU seconds and its peak of memory.

    Parameters
    ----------
    work : callable
        Its result is pickled. Errors are its own affair.
    limit : float
        CPU seconds after which the system ends the run.

    Returns
    -------
    Run
        Without result if the limit, or a crash, ended it.
    """
    context = multiprocessing.get_context("fork")
    reader, writer = context.Pipe(duplex=False)
    child = context.Process(target=_work, args=(work, limit, writer))
    child.start()
    writer.close()
    try:
        run = Run("ok", *reader.recv())
    except EOFError:
        run = None
    child.join()
    if run is not None:
        return run
    if child.exitcode == -signal.SIGXCPU:
        return Run(f"over {limit:g} s")
    return Run(f"crashed: exit {child.exitcode}")


def _work(work: Callable[[], Any], limit: float, writer: Any) -> None:
    # The clock of a copied process starts at zero, and the system's second is whole.
    whole = max(1, int(limit))
    resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 5))
    forget_peak()
    before, begin = peak_mib(), time.process_time()
    result = work()
    seconds = time.process_time() - begin
    writer.send((result, seconds, max(0.0, peak_mib() - before)))
