"""W11: import and first call, each in a fresh process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks._harness import Contestant, Seconds, Workload

PACKAGES = ("measures", "data", "selectors", "datasets")

CALLS = """
import time
import numpy as np
from featsieve.measures import information_gain
random = np.random.default_rng(0)
X = np.asfortranarray(random.integers(0, 5, (10_000, 100), dtype=np.uint8))
y = random.integers(0, 3, 10_000, dtype=np.int32)
X.sum(), y.sum()
for call in range({calls}):
    begin = time.process_time()
    information_gain(X, y)
    seconds = time.process_time() - begin
print(seconds)
"""


def python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1]
        if "ModuleNotFoundError" in last:
            raise ImportError(last, name=last.split("'")[1])
        raise RuntimeError(last)
    return done.stdout


def importing(modules: str) -> Callable[[None], None]:
    def run(_: None) -> None:
        python(f"import {modules}")

    return run


def calling(calls: int) -> Callable[[None], Seconds]:
    return lambda _: Seconds(python(CALLS.format(calls=calls)))


def command_help(_: None) -> None:
    command = Path(sys.executable).parent / "featsieve"
    done = subprocess.run([command, "--help"], capture_output=True, check=False)
    if done.returncode != 0:
        message = f"featsieve --help ended with {done.returncode}"
        raise RuntimeError(message)


WORKLOADS = [
    Workload(
        name="W11",
        title="import in a fresh process",
        make=lambda: None,
        sizes={"default": {}},
        contestants=(
            Contestant("import featsieve", importing("featsieve"), ours=True),
            *(
                Contestant(
                    f"import featsieve.{package}",
                    importing(f"featsieve.{package}"),
                    ours=True,
                )
                for package in PACKAGES
            ),
            Contestant("featsieve --help", command_help, ours=True),
            Contestant("bare Python", lambda _: python("pass") and None),
            Contestant("import numpy", importing("numpy")),
            Contestant(
                "import sklearn.base, numpy, scipy.stats",
                importing("sklearn.base, numpy, scipy.stats"),
            ),
            Contestant("import fast_select", importing("fast_select")),
        ),
        targets="import featsieve at most 1.2 times import sklearn.base, numpy, "
        "scipy.stats",
    ),
    Workload(
        name="W11-call",
        title="information_gain of 10,000 x 100 codes in a fresh process",
        make=lambda: None,
        sizes={"default": {}},
        contestants=(
            Contestant("first call", calling(1), ours=True),
            Contestant("second call", calling(2), ours=True),
            Contestant("fifth call", calling(5), ours=True),
        ),
        targets="first call as fast as the second",
    ),
]
