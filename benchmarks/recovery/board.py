"""The recovery board: do we find what is there, and nothing else?

Run with ``python -m benchmarks.recovery.board [--seeds 10] [--peer-seeds 2]
[--families proxies] [--problems XOR,mixed] [--methods select,Boruta] [--limit 120]
[--json board.json]``; ``--resume`` adds to a file that is there, so that a board can be
run in parts. Every run is made in a process of its own, on one thread, that ends after
the limit of CPU seconds; a method that reaches it on a problem is not tried on further
seeds of it. How often noise of every kind is left alone takes more seeds, of ours only:
``--families pure --methods "featsieve select" --seeds 200``.

Scores are those of `featsieve.datasets.Truth.score`, lenient and strict; a method that
fails has found nothing, one that cannot take the problem or is too slow is left out of
it, and the totals say so. That it takes longer than ours counts all the same.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._isolated import run_isolated
from benchmarks._machine import describe_machine, installed_versions
from benchmarks.recovery.methods import METHODS, OURS
from benchmarks.recovery.problems import FAMILIES, NOISE, PROBLEMS
from benchmarks.recovery.summary import family_table, has_scores, mean_of_means
from featsieve import datasets
from featsieve.datasets import Problem

FIELDS = ("f1", "precision", "recall", "false_discovery_proportion", "redundant_kept")
#: What the strict score calls them, by what a run does.
STRICT = {
    "strict_f1": "f1",
    "strict_recall": "recall",
    "strict_false": "false_discovery_proportion",
}
COSTS = ("cpu_seconds", "peak_mib")
#: Threads of numba and OpenMP would not survive the copying of the process.
ONE_THREAD = {
    "NUMBA_THREADING_LAYER": "workqueue",
    "NUMBA_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "TQDM_DISABLE": "1",
}
#: Nothing to compile, and long even on a small table.
SLOW = ("RFECV forest", "BorutaPy")
#: The status of a run that the limit has ended.
STOPPED = re.compile(r"over ([\d.]+) s")


def chosen(names: list[str], wanted: str | None) -> list[str]:
    """Return the names that contain one of the comma-separated words."""
    if not wanted:
        return names
    words = [word.strip().lower() for word in wanted.split(",")]
    return [name for name in names if any(word in name.lower() for word in words)]


def try_once(method: str, problem: Problem, seed: int, limit: float) -> dict[str, Any]:
    """Run a method in a copy of this process; score what it selects."""

    def work() -> tuple[str, list[str]]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return "ok", METHODS[method](problem, seed)
        except ImportError as error:
            return f"not installed ({error.name})", []
        except NotImplementedError:
            return "does not apply", []
        except Exception as error:  # a peer that fails has found nothing
            return f"failed: {type(error).__name__}: {error}"[:120], []

    run = run_isolated(work, limit)
    status, selected = run.result if run.status == "ok" else (run.status, [])
    if not has_scores({"status": status}):
        return {"status": status}
    score = problem.truth.score(selected)
    strict = problem.truth.score(selected, strict=True)
    return {
        "status": status,
        "selected": list(map(str, selected)),
        "cpu_seconds": round(run.seconds, 3),
        "peak_mib": round(run.peak_mib, 1),
        **{field: score[field] for field in FIELDS},
        **{name: strict[field] for name, field in STRICT.items()},
    }


def warm_up(methods: list[str]) -> None:
    """Let peers import and compile here, so that no run pays for it."""
    os.environ |= ONE_THREAD
    problem = datasets.make_corral(60, random_state=0)
    for method in methods:
        with warnings.catch_warnings(), contextlib.suppress(Exception):
            warnings.simplefilter("ignore")
            if method not in SLOW:
                METHODS[method](problem, 0)


def run(options: argparse.Namespace, results: list[dict[str, Any]]) -> None:
    """Add what is asked for and not there yet."""
    methods = chosen(list(METHODS), options.methods)
    warm_up(methods)
    done = {(r["problem"], r["method"], r["seed"]) for r in results}
    families = chosen(list(FAMILIES), options.families)
    names = [name for family in families for name in FAMILIES[family]]
    for problem_name in chosen(names, options.problems):
        print(f"\n{problem_name}", flush=True)
        hopeless: set[str] = set()
        for number in range(options.seeds):
            seed = options.first + number
            problem = PROBLEMS[problem_name](seed)
            for method in methods:
                spared = method != OURS and number >= options.peer_seeds
                key = (problem_name, method, seed)
                if spared or method in hopeless or key in done:
                    continue
                found = try_once(method, problem, seed, options.limit)
                if not has_scores(found):
                    hopeless.add(method)
                results.append(
                    {"problem": problem_name, "method": method, "seed": seed, **found}
                )
                if options.verbose and method == OURS:
                    _tell_mistakes(problem, found, seed)
        _print_problem(problem_name, methods, results)
        write(options.json, results)


def write(path: Path | None, results: list[dict[str, Any]]) -> None:
    if path is None:
        return
    document = {
        "machine": describe_machine(),
        "versions": installed_versions(),
        "runs": results,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1), encoding="utf-8")


def _tell_mistakes(problem: Problem, found: dict[str, Any], seed: int) -> None:
    kept, truth = set(found.get("selected", ())), problem.truth
    missed = [group[0] for group in truth.groups if not kept.intersection(group)]
    false = sorted(kept.intersection(truth.irrelevant))
    proxies = sorted(kept.intersection(truth.proxies))
    if missed or false or proxies:
        told = f"missed {missed}, false {false}, proxies {proxies}"
        print(f"    seed {seed}: {told}", flush=True)


def _print_problem(
    problem: str, methods: list[str], results: list[dict[str, Any]]
) -> None:
    for method in methods:
        rows = [r for r in results if r["problem"] == problem and r["method"] == method]
        if rows:
            print(f"  {method:28} {_line(rows)}", flush=True)


def _line(rows: list[dict[str, Any]]) -> str:
    scored = [r for r in rows if has_scores(r)]
    if not scored:
        return str(rows[0]["status"])
    fields = (*FIELDS, *STRICT, *COSTS)
    mean = {f: float(np.mean([r[f] for r in scored])) for f in fields}
    failed = sum(r["status"] != "ok" for r in rows)
    return (
        f"F1 {mean['f1']:.3f}  recall {mean['recall']:.2f}  "
        f"FDP {mean['false_discovery_proportion']:.3f}  "
        f"strict {mean['strict_f1']:.3f}, {mean['strict_false']:.3f}  "
        f"redundant {mean['redundant_kept']:4.1f}  {mean['cpu_seconds']:7.2f} s  "
        f"{mean['peak_mib']:6.1f} MiB"
        + (f"  ({failed} of {len(rows)}: {rows[-1]['status']})" if failed else "")
    )


def print_totals(results: list[dict[str, Any]]) -> None:
    """Print means over problems; of ours also over the runs of each peer."""
    ours = {
        (r["problem"], r["seed"]): r
        for r in results
        if r["method"] == OURS and has_scores(r)
    }
    print(
        "\nMeans over the problems a method was run on, and ours on the same problems "
        "and seeds\n"
        f"{'method':28}     F1   ours signal   ours strict   ours    FDP   ours"
        " strict   ours   CPU s    ours  slower   quiet  problems  runs"
    )
    for method in METHODS:
        own = [r for r in results if r["method"] == method]
        scored = [r for r in own if has_scores(r)]
        if not scored:
            continue
        shared = [r for r in scored if (r["problem"], r["seed"]) in ours]
        same = [ours[r["problem"], r["seed"]] for r in shared]
        noise = [r["f1"] for r in scored if r["problem"] in NOISE]
        signal = [
            mean_of_means([r for r in runs if r["problem"] not in NOISE], "f1")
            for runs in (scored, same)
        ]
        f1, strict, false, strict_false, seconds = (
            [mean_of_means(runs, field) for runs in (scored, same)]
            for field in (
                "f1", "strict_f1", "false_discovery_proportion", "strict_false",
                "cpu_seconds",
            )
        )  # fmt: skip
        columns = [
            *(f"{m:6.3f}" for m in (*f1, *signal, *strict, *false, *strict_false)),
            *(f"{mean:7.2f}" for mean in seconds),
            f"{count_slower(own, ours):>7}",
            f"{sum(noise):3.0f}/{len(noise):<3d}",
            f"{len({r['problem'] for r in scored}):9d}",
            f"{len(scored):5d}",
        ]
        print(f"{method:28} {' '.join(columns)}")
    print(
        "signal: F1 on problems that are not mere noise; slower: problems, of those "
        "run or stopped at the limit, where the method takes longer than ours; quiet: "
        "runs on noise with nothing selected"
    )
    _print_left_out(results)
    if ours:
        print(f"\n{OURS}, means and 95 % intervals over seeds")
        print("\n".join(family_table(ours.values())))


def count_slower(
    theirs: list[dict[str, Any]], ours: dict[tuple[str, int], dict[str, Any]]
) -> str:
    """Return on how many problems a method takes longer; one that was stopped does."""
    total: dict[str, list[float]] = {}
    for run in theirs:
        same = ours.get((run["problem"], run["seed"]))
        stopped = STOPPED.fullmatch(run["status"])
        if same is None or not (has_scores(run) or stopped):
            continue
        pair = total.setdefault(run["problem"], [0.0, 0.0])
        pair[0] += float(stopped[1]) if stopped else run["cpu_seconds"]
        pair[1] += same["cpu_seconds"]
    return f"{sum(their > our for their, our in total.values())}/{len(total)}"


def _print_left_out(results: list[dict[str, Any]]) -> None:
    """Print which problems a method was not run on, or failed on, and why."""
    told: dict[tuple[str, str], dict[str, None]] = {}
    for r in results:
        if r["status"] != "ok":
            told.setdefault((r["method"], r["status"]), {})[r["problem"]] = None
    for (method, status), problems in told.items():
        print(f"  {method}, {status}: {'; '.join(problems)}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--peer-seeds", type=int, default=10, help="those of peers")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--families", help="words in their names, comma-separated")
    parser.add_argument("--problems", help="words in their names, comma-separated")
    parser.add_argument("--methods", help="words in their names, comma-separated")
    parser.add_argument("--limit", type=float, default=120.0, help="CPU s of a run")
    parser.add_argument("--json", type=Path, help="where to write every run")
    parser.add_argument("--resume", action="store_true", help="go on with that file")
    parser.add_argument("--verbose", action="store_true", help="tell our mistakes")
    options = parser.parse_args()
    results: list[dict[str, Any]] = []
    if options.resume and options.json is not None and options.json.exists():
        results = json.loads(options.json.read_text(encoding="utf-8"))["runs"]
    run(options, results)
    print_totals(results)


if __name__ == "__main__":
    main()
