"""`select` on tables in parts: is noise left alone, and is found what is there?

Run with ``python -m benchmarks.recovery.streams [--seeds 100] [--first 0]
[--part noise,problems,large] [--only XOR] [--json streams.json]``. With ``--json``
every run is kept as soon as it is done, and the next call goes on from there.

So that rows are really drawn and the forest really races, the numbers of rows that are
drawn, tested and given to the forest are lowered in ``noise`` and ``problems``; in
``large`` they are those that users get. Beside each run on parts stands the answer for
the same rows in memory (in ``noise`` for the first ``--memory-seeds``).

On noise every discovery is false, so the share of runs with one is the false discovery
rate, which must not lie above 0.05; the interval is that of Clopper and Pearson. Where
something is there, "FDP" is the mean share of noise among what is kept. ``problems``
also says of how many tables the parts, drawn whole, gave the ledger of the table in
memory.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

import featsieve
from benchmarks.recovery.associations import SHAPES
from benchmarks.recovery.board import chosen
from benchmarks.recovery.summary import share_interval
from featsieve import datasets
from featsieve.data import TableStream, open_stream
from featsieve.datasets import Problem
from featsieve.selection import _context, _opening, _select

FDR = 0.05
N_PARTS = 3
TARGET = "the target"


@dataclass(frozen=True)
class Budget:
    """Rows that are drawn, that tests are made on, and that the forest begins with."""

    drawn: int
    tested: int
    forest: int


SMALL = Budget(drawn=3_000, tested=1_600, forest=400)


@contextlib.contextmanager
def limited(budget: Budget | None) -> Iterator[None]:
    """Let selections have fewer rows within a block."""
    if budget is None:
        yield
        return
    with (
        mock.patch.object(_opening, "MOST_DRAWN", budget.drawn),
        mock.patch.object(_select, "MOST_ROWS", budget.tested),
        mock.patch.object(_context, "FOREST_ROWS", budget.forest),
    ):
        yield


@dataclass(frozen=True)
class Rows:
    """A table with its target, and what of it is noise."""

    frame: pd.DataFrame
    problem: Problem | None = None

    def score(self, kept: list[str]) -> dict[str, Any]:
        if self.problem is None:
            return {"false": len(kept)}
        found = self.problem.truth.score(kept)
        false = set(kept) & set(self.problem.truth.irrelevant)
        return {
            "false": len(false),
            "f1": found["f1"],
            "fdp": found["false_discovery_proportion"],
        }


def noise(
    shapes: list[str], n_columns: int, n_rows: int, shares: tuple[float, ...]
) -> Callable[[int], Rows]:
    """Return a maker of columns that know nothing; without shares of a quantity."""

    def make(seed: int) -> Rows:
        random = np.random.default_rng([seed, n_rows, n_columns, len(shares)])
        columns: dict[str, Any] = {}
        for j in range(n_columns):
            kind = shapes[j % len(shapes)]
            n_levels, draw = SHAPES[kind]
            values: Any = draw(n_rows, random)
            if n_levels:
                words = np.array([*(f"v{v}" for v in range(values.max() + 1)), None])
                values = words[values]  # -1, which is missing, is the last
            columns[f"{kind} {j}"] = values
        target: Any = random.normal(size=n_rows)
        if shares:
            target = np.array([f"class {c}" for c in range(len(shares))])[
                random.choice(len(shares), n_rows, p=shares)
            ]
        return Rows(pd.DataFrame(columns).assign(**{TARGET: target}))

    return make


def problem(make: Callable[[int], Problem]) -> Callable[[int], Rows]:
    """Return a maker of the rows of a generated problem."""

    def rows(seed: int) -> Rows:
        made = make(seed)
        X, y = made.table.to_pandas()
        return Rows(X.assign(**{TARGET: y.to_numpy()}), made)

    return rows


EVEN = (0.5, 0.5)
NAMES = ["3 levels", "20 levels", "20, gaps", "rare"]
NOISE = {
    "20 normal, 2 classes": noise(["normal"], 20, 6_000, EVEN),
    "20 binary, 2 classes": noise(["binary"], 20, 6_000, EVEN),
    "20 of 3 and 20 levels, gaps": noise(NAMES, 20, 6_000, EVEN),
    "30 of ten shapes, 2 classes": noise(list(SHAPES), 30, 6_000, EVEN),
    "20 of ten shapes, classes 90:8:2": noise(
        list(SHAPES), 20, 6_000, (0.9, 0.08, 0.02)
    ),
    "20 of ten shapes, a quantity": noise(list(SHAPES), 20, 6_000, ()),
    "8 of ten shapes, 40,000 rows": noise(list(SHAPES), 8, 40_000, EVEN),
}
PROBLEMS = {
    "XOR + 18 noise": problem(
        lambda s: datasets.make_parity(
            6_000, n_bits=2, n_noise=18, label_noise=0.1, random_state=s
        )
    ),
    "XOR, 45 % label noise": problem(
        lambda s: datasets.make_parity(
            12_000, n_bits=2, n_noise=18, label_noise=0.45, random_state=s
        )
    ),
    "parity-3 + 12 noise": problem(
        lambda s: datasets.make_parity(6_000, n_bits=3, n_noise=12, random_state=s)
    ),
    "multiplexer-6 + 14 noise": problem(
        lambda s: datasets.make_multiplexer(
            6_000, n_address=2, n_noise=14, random_state=s
        )
    ),
    "local line + 18 noise": problem(
        lambda s: datasets.make_local_line(6_000, n_noise=18, random_state=s)
    ),
    "copies 5 x 3 + 15 noise": problem(
        lambda s: datasets.make_copies(6_000, n_noise=15, random_state=s)
    ),
    "mixed": problem(lambda s: datasets.make_mixed(6_000, random_state=s)),
    "friedman, a quantity": problem(
        lambda s: datasets.make_friedman(
            6_000, target_kind="numeric", n_noise=15, random_state=s
        )
    ),
    "rare class + 15 noise": problem(
        lambda s: datasets.make_rare_class(6_000, n_noise=15, random_state=s)
    ),
}
LARGE = {
    "20 of ten shapes, 150,000 rows": noise(list(SHAPES), 20, 150_000, EVEN),
    "XOR + 18 noise, 150,000 rows": problem(
        lambda s: datasets.make_parity(
            150_000, n_bits=2, n_noise=18, label_noise=0.4, random_state=s
        )
    ),
    "mixed, 150,000 rows": problem(
        lambda s: datasets.make_mixed(150_000, random_state=s)
    ),
}
PARTS: dict[str, tuple[dict[str, Callable[[int], Rows]], Budget | None]] = {
    "noise": (NOISE, SMALL),
    "problems": (PROBLEMS, SMALL),
    "large": (LARGE, None),
}


def in_parts(frame: pd.DataFrame) -> TableStream:
    size = -(-len(frame) // N_PARTS)
    parts = [frame[k : k + size] for k in range(0, len(frame), size)]
    return open_stream(parts, TARGET)


def try_once(
    rows: Rows, seed: int, budget: Budget | None, *, in_memory: bool, compare: bool
) -> dict[str, Any]:
    """Select from the parts, and from the table in memory if asked."""
    settings = {"random_state": seed, "progress": False, "fdr": FDR, "n_jobs": 1}
    begin = time.process_time()
    with limited(budget):
        found = featsieve.select(in_parts(rows.frame), **settings)
    told = found.to_dict()["computation"]["sampling"]
    result = {
        "cpu_seconds": round(time.process_time() - begin, 3),
        "kept": found.features,
        "sizes": n_sizes(told or ""),
        **rows.score(found.features),
    }
    if in_memory or compare:
        whole = featsieve.select(rows.frame, TARGET, **settings)
        score = rows.score(whole.features)
        result["in_memory"] = {"kept": whole.features, **score}
        if compare:  # drawn whole, the parts are the table
            fits = featsieve.select(in_parts(rows.frame), **settings)
            ledgers = [json.dumps(s.to_dict()["ledger"]) for s in (fits, whole)]
            result["same_ledger"] = ledgers[0] == ledgers[1]
    return result


def n_sizes(told: str) -> int:
    """Return how many numbers of rows the forest has tried."""
    found = re.search(r"drawn at random.*the forest on (.+?) of them", told)
    assert found is not None, "no rows were drawn"
    return len(found[1].split(", "))


def run(options: argparse.Namespace, results: dict[str, Any]) -> None:
    """Add what is asked for and not there yet."""
    for part in options.part.split(","):
        tables, budget = PARTS[part]
        for name in chosen(list(tables), options.only):
            for seed in range(options.first, options.first + options.seeds):
                key = f"{part}/{name}/{seed}"
                if key in results:
                    continue
                number = seed - options.first
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    results[key] = try_once(
                        tables[name](seed),
                        seed,
                        budget,
                        in_memory=part != "noise" or number < options.memory_seeds,
                        compare=part == "problems",
                    )
                if options.json is not None:
                    options.json.write_text(json.dumps(results), encoding="utf-8")
        print_part(part, results)


def interval(hits: int, n: int) -> str:
    """Return a share of runs with its interval, marked if it breaks the promise."""
    low, high = share_interval(hits, n)
    mark = " !" if low > FDR else ""
    return f"{hits:>3} of {n:<4} ({low:.3f} - {high:.3f}){mark}"


def print_part(part: str, results: dict[str, Any]) -> None:
    """Print a line per table, and one for all."""
    print(f"\n{part}: {'with false ones':38} sizes   F1 memory   FDP memory  CPU s")
    names = dict.fromkeys(k.split("/")[1] for k in results if k.startswith(f"{part}/"))
    everything = []
    for name in names:
        runs = [r for k, r in results.items() if k.startswith(f"{part}/{name}/")]
        everything += runs
        print_line(name, runs)
    if len(names) > 1:
        print_line("all", everything)


def print_line(name: str, runs: list[dict[str, Any]]) -> None:
    words = [f"  {name:34}"]
    words.append(f"{interval(sum(r['false'] > 0 for r in runs), len(runs)):28}")
    words.append(f"{np.mean([r['sizes'] for r in runs]):4.1f}")
    beside = [r["in_memory"] for r in runs if "in_memory" in r]
    for field in ("f1", "fdp"):
        for some in (runs, beside):
            values = [r[field] for r in some if field in r]
            words.append(f"{np.mean(values):.3f}" if values else "     ")
    words.append(f"{np.mean([r['cpu_seconds'] for r in runs]):5.2f}")
    if beside and "f1" not in runs[0]:
        hits = sum(r["false"] > 0 for r in beside)
        words.append(f" in memory {interval(hits, len(beside))}")
    same = [r["same_ledger"] for r in runs if "same_ledger" in r]
    if same:
        words.append(f" same ledger {sum(same)} of {len(same)}")
    print(" ".join(words), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--memory-seeds", type=int, default=20)
    parser.add_argument("--part", default="noise,problems")
    parser.add_argument("--only", help="tables whose names hold one of these words")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results = {}
    if options.json is not None and options.json.exists():
        results = json.loads(options.json.read_text(encoding="utf-8"))
    run(options, results)


if __name__ == "__main__":
    main()
