"""Run one contestant once in a fresh process and print its peak memory as JSON.

``python -m benchmarks._child WORKLOAD CONTESTANT``; the harness calls it.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from typing import Any

from benchmarks._harness import find_workloads, run_once

STATUS = Path("/proc/self/status")


def forget_peak() -> None:
    """Make the peak start at what is used now, where the system can do that."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return  # the peak of making the data then hides smaller ones


def peak_mib() -> float:
    if STATUS.exists():
        for line in STATUS.read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def try_contestant(workload_name: str, contestant_name: str) -> dict[str, Any]:
    workload = find_workloads()[workload_name]
    contestant = workload.contestant(contestant_name)
    data = workload.make(**workload.sizes["default"])
    try:
        prepared = contestant.prepare(data)
        forget_peak()
        before = peak_mib()
        seconds, _ = run_once(contestant, prepared)
    except ImportError as error:
        return {"status": f"not installed ({error.name})"}
    peak = max(0.0, peak_mib() - before)
    return {"status": "ok", "seconds": seconds, "peak_mib": peak}


if __name__ == "__main__":
    print(json.dumps(try_contestant(*sys.argv[1:3])))
