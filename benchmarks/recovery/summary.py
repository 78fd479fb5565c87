"""What the runs of a board say together: means, intervals, one table by family."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.recovery.problems import FAMILIES, NOISE

__all__ = [
    "MEASURES",
    "Run",
    "family_table",
    "has_scores",
    "mean_of_means",
    "seed_interval",
    "share_interval",
]

Run = dict[str, Any]

#: Field of a run to what the tables call it.
MEASURES = {
    "f1": "F1",
    "strict_f1": "strict F1",
    "false_discovery_proportion": "false share",
    "strict_false": "strict false share",
}
HEAD = (
    f"| family, problem | {' | '.join(MEASURES.values())} | nothing kept | runs |\n"
    f"|---|{'---|' * len(MEASURES)}---|---|"
)


def has_scores(run: Run) -> bool:
    """Say whether a run has ended; a method that fails has found nothing."""
    return bool(run["status"] == "ok" or run["status"].startswith("failed"))


def mean_of_means(runs: list[Run], field: str) -> float:
    """Return the mean over problems of the means over seeds."""
    problems = dict.fromkeys(run["problem"] for run in runs)
    if not problems:
        return math.nan
    of = {p: [r[field] for r in runs if r["problem"] == p] for p in problems}
    return float(np.mean([np.mean(values) for values in of.values()]))


def seed_interval(runs: list[Run], field: str) -> tuple[float, float]:
    """Return the 95 % interval of a mean over problems, by Student's t over seeds.

    Seeds count that all of these problems were run with; with one there is none.
    """
    problems = {run["problem"] for run in runs}
    by_seed: dict[int, list[float]] = {}
    for run in runs:
        by_seed.setdefault(run["seed"], []).append(run[field])
    means = [
        np.mean(values) for values in by_seed.values() if len(values) == len(problems)
    ]
    if len(means) < 2:
        return math.nan, math.nan
    half = stats.t.ppf(0.975, len(means) - 1) * np.std(means, ddof=1)
    half /= math.sqrt(len(means))
    middle = float(np.mean(means))
    return max(0.0, middle - half), min(1.0, middle + half)


def share_interval(hits: int, n: int) -> tuple[float, float]:
    """Return the 95 % interval of Clopper and Pearson for a share of runs."""
    low = float(stats.beta.ppf(0.025, hits, n - hits + 1)) if hits else 0.0
    high = float(stats.beta.ppf(0.975, hits + 1, n - hits)) if hits < n else 1.0
    return low, high


def family_table(runs: Iterable[Run], *, problems: bool = True) -> Iterator[str]:
    """Yield the lines of a table in Markdown: families, and their problems.

    The runs are those of one method.
    """
    scored = [run for run in runs if has_scores(run)]
    yield HEAD
    for family, members in FAMILIES.items():
        own = [run for run in scored if run["problem"] in members]
        if own:
            yield _line(f"**{family}**", own)
        for name in members if problems else ():
            if same := [run for run in own if run["problem"] == name]:
                yield _line(name, same)
    found = [run for run in scored if run["problem"] not in NOISE]
    for name, part in (("with something to find", found), ("all", scored)):
        if part:
            yield _line(f"**{name}**", part)


def _line(name: str, runs: list[Run]) -> str:
    cells = [name]
    noise = all(run["problem"] in NOISE for run in runs)
    for field in MEASURES:
        # On noise all four say one thing: how often nothing was kept.
        told = "" if noise else f"{mean_of_means(runs, field):.3f}"
        low, high = seed_interval(runs, field)
        if told and not math.isnan(low):
            told += f" ({low:.2f}–{high:.2f})"
        cells.append(told)
    on_noise = [run for run in runs if run["problem"] in NOISE]
    quiet = ""
    if on_noise:
        hits = sum(not run["selected"] for run in on_noise)
        low, high = share_interval(hits, len(on_noise))
        quiet = f"{hits} of {len(on_noise)} ({low:.2f}–{high:.2f})"
    return f"| {' | '.join([*cells, quiet, str(len(runs))])} |"
