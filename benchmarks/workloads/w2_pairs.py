"""W2: joint gain of all pairs of features with the class, against NumPy and others.

Run as ``python -m benchmarks.workloads.w2_pairs``. CPU time of whole calls, encoding
included, best of several in one process; peak memory in a child process.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._kernels import best_instructions
from featsieve.measures import pairwise_gain


@dataclass(frozen=True)
class Workload:
    name: str
    n_rows: int
    n_features: int
    levels: tuple[int, int]
    n_classes: int


WORKLOADS = (
    Workload("W2", 10_000, 1_000, (3, 3), 2),
    Workload("W2b 2 levels, 2 classes", 10_000, 1_000, (2, 2), 2),
    Workload("W2b 5 levels, 5 classes", 10_000, 1_000, (5, 5), 5),
    Workload("W2b 2-5 levels, 3 classes", 10_000, 1_000, (2, 5), 3),
    Workload("W2c", 1_000, 500, (3, 3), 2),
)


def make_data(work: Workload, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """Columns of bytes without any signal; the work does not depend on it."""
    rng = np.random.default_rng(seed)
    low, high = work.levels
    levels = rng.integers(low, high + 1, work.n_features)
    codes = np.empty((work.n_rows, work.n_features), dtype=np.uint8, order="F")
    for j, n in enumerate(levels):
        codes[:, j] = rng.integers(0, n, work.n_rows, dtype=np.uint8)
    return codes, rng.integers(0, work.n_classes, work.n_rows).astype(np.int32)


def ours_all(codes, target):
    return pairwise_gain(codes, target).joint_gain


def ours_top(codes, target):
    return pairwise_gain(codes, target, top=100)


def numpy_gemm(codes, target):
    """The fastest NumPy trick: counts of all pairs of levels as products of 0/1."""
    n, p = codes.shape
    levels = codes.max(axis=0).astype(np.int64) + 1
    planes = np.concatenate(
        [codes == level for level in range(levels.max())], axis=1
    ).astype(np.float32)  # level-major, so that a level of all pairs is one block
    by_class = [planes[target == c] for c in range(target.max() + 1)]
    n_levels = levels.max()
    log = np.arange(n + 1, dtype=np.float64)
    log[1:] *= np.log2(log[1:])
    sums = np.zeros((p, p))
    totals = np.zeros((n_levels * p, n_levels * p), dtype=np.float32)
    for part in by_class:
        counts = part.T @ part
        totals += counts
        terms = log[counts.astype(np.int32)]
        sums += terms.reshape(n_levels, p, n_levels, p).sum(axis=(0, 2))
    terms = log[totals.astype(np.int32)]
    sums -= terms.reshape(n_levels, p, n_levels, p).sum(axis=(0, 2))
    classes = log[n] - log[np.bincount(target)].sum()
    return ((sums + classes) / n)[np.triu_indices(p, 1)]


def numpy_bincount(codes, target, n_first=20):
    """The plain NumPy way, on the pairs of a few first features; scaled up."""
    p = codes.shape[1]
    n_classes = target.max() + 1
    levels = codes.max(axis=0).astype(np.int64) + 1
    wide = codes.astype(np.int64)
    gains = []
    for i in range(n_first):
        first = (wide[:, i] * n_classes) + target
        for j in range(i + 1, p):
            cells = np.bincount(
                wide[:, j] * (levels[i] * n_classes) + first,
                minlength=levels[i] * levels[j] * n_classes,
            ).reshape(-1, n_classes)
            totals = cells.sum(axis=1)
            within = np.sum(cells[cells > 0] * np.log2(cells[cells > 0]))
            gains.append(
                within - np.sum(totals[totals > 0] * np.log2(totals[totals > 0]))
            )
    return gains


def fast_select_mdr(codes, target):
    from fast_select import MDR

    return MDR(k=2, cv=2).fit(codes.astype(np.int32), target)


def cpu_time(function: Callable[[], Any], repeats: int) -> float:
    best = float("inf")
    for _ in range(repeats):
        started = time.process_time()
        function()
        best = min(best, time.process_time() - started)
    return best


def peak_memory(work: Workload, call: str) -> float:
    """MiB that a call adds to the peak of a fresh process with the data (Linux)."""
    script = (
        "def peak():\n"
        "    with open('/proc/self/status') as lines:\n"
        "        return next(int(x.split()[1]) for x in lines if 'VmHWM' in x)\n"
        "from benchmarks.workloads import w2_pairs as w2\n"
        f"codes, target = w2.make_data(w2.{work!r})\n"
        "w2.ours_top(codes[:10, :2], target[:10])\n"
        "before = peak()\n"
        f"{call}\n"
        "print(peak() - before)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, text=True
    )
    return int(result.stdout) / 1024


def run_workload(work: Workload, repeats: int) -> None:
    codes, target = make_data(work)
    np.testing.assert_allclose(
        ours_all(codes, target), numpy_gemm(codes, target), atol=1e-9
    )
    ours = cpu_time(lambda: ours_top(codes, target), repeats)
    everything = cpu_time(lambda: ours_all(codes, target), repeats)
    gemm = cpu_time(lambda: numpy_gemm(codes, target), 3)
    n_pairs = work.n_features * (work.n_features - 1) / 2
    few = 20
    share = (few * work.n_features - few * (few + 1) / 2) / n_pairs
    bincount = cpu_time(lambda: numpy_bincount(codes, target, few), 1) / share
    peak = peak_memory(work, "w2.ours_top(codes, target)")
    print(
        f"{work.name:28} top 100 {ours:.4f} s, all {everything:.4f} s | "
        f"GEMM {gemm:.2f} s = {gemm / ours:.0f}x, "
        f"bincount ~{bincount:.1f} s = {bincount / ours:.0f}x | peak +{peak:.0f} MiB"
    )
    if work.name == "W2" and importlib.util.find_spec("fast_select"):
        mdr = cpu_time(lambda: fast_select_mdr(codes, target), 1)
        print(f"{'':28} fast-select MDR {mdr:.1f} s = {mdr / ours:.0f}x")


def run_growth(repeats: int) -> None:
    def seconds(n_rows: int, n_features: int) -> float:
        codes, target = make_data(Workload("growth", n_rows, n_features, (3, 3), 2))
        return cpu_time(lambda: ours_top(codes, target), repeats)

    base = seconds(10_000, 1_000)
    print(
        f"growth: twice the rows {seconds(20_000, 1_000) / base:.2f}x, "
        f"twice the features {seconds(10_000, 2_000) / base:.2f}x"
    )


def run_large() -> None:
    """50 million pairs of binary features on all processors."""
    work = Workload("10,000 binary features", 10_000, 10_000, (2, 2), 2)
    codes, target = make_data(work)
    started, cpu = time.perf_counter(), time.process_time()
    pairwise_gain(codes, target, top=1000, n_jobs=-1)
    wall, cpu = time.perf_counter() - started, time.process_time() - cpu
    peak = peak_memory(work, "w2.pairwise_gain(codes, target, top=1000, n_jobs=-1)")
    print(f"{work.name:28} {wall:.2f} s wall, {cpu:.2f} s CPU | peak +{peak:.0f} MiB")


def main(repeats: int = 7) -> None:
    print(f"counting with {best_instructions().name}")
    for work in WORKLOADS:
        run_workload(work, repeats)
    run_growth(3)
    run_large()


if __name__ == "__main__":
    main()
