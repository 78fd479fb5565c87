"""What a workload is, and how a contestant is timed, weighed and judged."""

from __future__ import annotations

import importlib
import json
import pkgutil
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

__all__ = [
    "Contestant",
    "Outcome",
    "Seconds",
    "Settings",
    "Workload",
    "find_workloads",
    "run_workload",
]

#: Short runs are repeated up to this many times while they fit into CHEAP_SECONDS: the
#: best of three is still noisy when a run takes a millisecond.
MOST_REPEATS = 40
CHEAP_SECONDS = 0.5

#: Seconds on the wall that a limit of one CPU second may take.
PATIENCE = 20


class Seconds(float):
    """CPU seconds that a contestant measured itself, returned instead of a result."""


@dataclass(frozen=True)
class Contestant:
    """One way to do the work.

    `run` takes what `prepare` made of the data and is timed; `prepare` is not (memory
    order, a warm JIT). Import peers inside these functions: an ImportError shows as
    "not installed".
    """

    name: str
    run: Callable[[Any], Any]
    prepare: Callable[[Any], Any] = field(default=lambda data: data)
    ours: bool = False


@dataclass(frozen=True)
class Workload:
    """One job at several sizes.

    `sizes` has "default" and, where growth makes sense, "rows x2" and "columns x2";
    each is the keyword arguments of `make`. The first contestant that is ours is what
    ratios refer to. `same` compares its result with the others'; `judge` says of the
    data and a result how good it is.
    """

    name: str
    title: str
    make: Callable[..., Any]
    sizes: dict[str, dict[str, Any]]
    contestants: tuple[Contestant, ...]
    targets: str = ""
    same: Callable[[Any, Any], bool] | None = None
    judge: Callable[[Any, Any], str] | None = None

    @property
    def reference(self) -> Contestant:
        return next(c for c in self.contestants if c.ours)

    def contestant(self, name: str) -> Contestant:
        return next(c for c in self.contestants if c.name == name)


@dataclass(frozen=True)
class Settings:
    repeats: int = 3
    limit: float = 60.0
    peers: bool = True
    growth: bool = True


@dataclass
class Outcome:
    """What is known about one contestant; `status` is "ok" or why it has no time."""

    name: str
    ours: bool
    status: str = "ok"
    seconds: float | None = None
    runs: int = 0
    peak_mib: float | None = None
    ratio: float | None = None
    same: bool | None = None
    quality: str = ""
    growth: dict[str, float] = field(default_factory=dict)


def find_workloads() -> dict[str, Workload]:
    """Return the workloads of all modules of benchmarks/workloads, by name."""
    folder = Path(__file__).parent / "workloads"
    found: dict[str, Workload] = {}
    for module in sorted(m.name for m in pkgutil.iter_modules([str(folder)])):
        loaded = importlib.import_module(f"benchmarks.workloads.{module}")
        for workload in getattr(loaded, "WORKLOADS", []):
            found[workload.name] = workload
    return found


def cpu_clock() -> float:
    """Return CPU seconds of this process and of the children it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def run_once(contestant: Contestant, data: Any) -> tuple[float, Any]:
    """Return CPU seconds and the result of one run."""
    begin = cpu_clock()
    result = contestant.run(data)
    seconds = cpu_clock() - begin
    return (float(result) if isinstance(result, Seconds) else seconds), result


def _try_in_child(
    workload: Workload, contestant: Contestant, limit: float
) -> dict[str, Any]:
    """Run once in a fresh process: is it there, does it work, what does it weigh?

    The limit is one of CPU seconds, imports and data included; a process that waits for
    others on a busy machine is given more time.
    """
    whole = max(1, int(limit))
    command = [sys.executable, "-m", "benchmarks._child", workload.name]
    try:
        child = subprocess.run(
            [*command, contestant.name],
            capture_output=True,
            text=True,
            timeout=PATIENCE * limit,
            check=False,
            preexec_fn=partial(
                resource.setrlimit, resource.RLIMIT_CPU, (whole, whole + 5)
            ),
        )
    except subprocess.TimeoutExpired:
        return {"status": f"over {limit:g} s"}
    if child.returncode == -signal.SIGXCPU:
        return {"status": f"over {limit:g} s"}
    if child.returncode != 0:
        last = child.stderr.strip().splitlines()[-1:] or [f"exit {child.returncode}"]
        return {"status": f"failed: {last[0]}"}
    answer: dict[str, Any] = json.loads(child.stdout.strip().splitlines()[-1])
    return answer


def _best_of(contestant: Contestant, data: Any, repeats: int) -> tuple[float, int, Any]:
    prepared = contestant.prepare(data)
    times: list[float] = []
    result = None
    while len(times) < repeats or (
        len(times) < MOST_REPEATS and sum(times) < CHEAP_SECONDS
    ):
        seconds, result = run_once(contestant, prepared)
        times.append(seconds)
    return min(times), len(times), result


def run_workload(
    workload: Workload,
    settings: Settings,
    tell: Callable[[str], None] = lambda _: None,
) -> list[Outcome]:
    """Run all contestants at the default size, and ours at the doubled ones."""
    chosen = [c for c in workload.contestants if c.ours or settings.peers]
    outcomes = {c.name: Outcome(c.name, c.ours) for c in chosen}
    for contestant in chosen:
        tell(f"{workload.name}: {contestant.name}, in a child")
        answer = _try_in_child(workload, contestant, settings.limit)
        outcomes[contestant.name].status = answer["status"]
        outcomes[contestant.name].peak_mib = answer.get("peak_mib")

    data = workload.make(**workload.sizes["default"])
    expected = None
    for contestant in chosen:
        outcome = outcomes[contestant.name]
        if outcome.status != "ok":
            continue
        tell(f"{workload.name}: {contestant.name}")
        outcome.seconds, outcome.runs, result = _best_of(
            contestant, data, settings.repeats
        )
        if workload.judge is not None:
            outcome.quality = workload.judge(data, result)
        if contestant is workload.reference:
            expected = result
        elif workload.same is not None and expected is not None:
            outcome.same = bool(workload.same(expected, result))
    _add_ratios(outcomes, workload.reference.name)

    if settings.growth:
        for label, size in workload.sizes.items():
            if label == "default":
                continue
            tell(f"{workload.name}: {label}")
            del data
            data = workload.make(**size)
            for outcome in outcomes.values():
                if outcome.ours and outcome.seconds:
                    contestant = workload.contestant(outcome.name)
                    seconds, _, _ = _best_of(contestant, data, settings.repeats)
                    outcome.growth[label] = seconds / outcome.seconds
    return list(outcomes.values())


def _add_ratios(outcomes: dict[str, Outcome], reference: str) -> None:
    base = outcomes[reference].seconds
    for outcome in outcomes.values():
        if base and outcome.seconds is not None:
            outcome.ratio = outcome.seconds / base
