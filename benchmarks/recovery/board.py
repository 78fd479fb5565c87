"""The recovery board: do we find what is there, and nothing else?

Run with ``python -m benchmarks.recovery.board [--seeds 10] [--problems XOR,mixed]
[--methods select,Boruta] [--json board.json] [--limit 120]``. A method that exceeds the
limit on a problem is not tried on further seeds of it. Scores are those of
`featsieve.datasets.Truth.score`; a method that fails or does not apply scores as an
empty selection and is counted in the last column.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._machine import describe_machine, installed_versions
from benchmarks.recovery.methods import METHODS, OURS
from benchmarks.recovery.problems import NOISE, PROBLEMS

FIELDS = ("f1", "precision", "recall", "false_discovery_proportion", "redundant_kept")


def chosen(names: list[str], wanted: str | None) -> list[str]:
    """Return the names that contain one of the comma-separated words."""
    if not wanted:
        return names
    words = [word.strip().lower() for word in wanted.split(",")]
    return [name for name in names if any(word in name.lower() for word in words)]


def try_once(method: str, problem: Any, seed: int) -> dict[str, Any]:
    begin, cpu = time.perf_counter(), time.process_time()
    status = "ok"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            selected = METHODS[method](problem, seed)
    except ImportError as error:
        return {"status": f"not installed ({error.name})"}
    except NotImplementedError:
        selected, status = [], "does not apply"
    except Exception as error:  # a peer that fails has found nothing
        selected, status = [], f"{type(error).__name__}: {error}"[:120]
    wall, cpu = time.perf_counter() - begin, time.process_time() - cpu
    score = problem.truth.score(selected)
    return {
        "status": status,
        "selected": selected,
        "seconds": round(wall, 3),
        "cpu_seconds": round(cpu, 3),
        **{field: score[field] for field in FIELDS},
    }


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = []
    methods = chosen(list(METHODS), options.methods)
    gone: set[str] = set()
    for problem_name in chosen(list(PROBLEMS), options.problems):
        print(f"\n{problem_name}", flush=True)
        slow: set[str] = set()
        for seed in range(options.first, options.first + options.seeds):
            problem = PROBLEMS[problem_name](seed)
            for method in methods:
                if method in gone or method in slow:
                    continue
                found = try_once(method, problem, seed)
                if found["status"].startswith("not installed"):
                    print(f"  {method}: {found['status']}")
                    gone.add(method)
                    continue
                if found["seconds"] > options.limit:
                    slow.add(method)
                results.append(
                    {"problem": problem_name, "method": method, "seed": seed, **found}
                )
                if options.verbose and method == OURS:
                    _tell_mistakes(problem, found, seed)
        _print_problem(problem_name, methods, results)
    return results


def _tell_mistakes(problem: Any, found: dict[str, Any], seed: int) -> None:
    kept, truth = set(found["selected"]), problem.truth
    missed = [group[0] for group in truth.groups if not kept.intersection(group)]
    false = sorted(kept.intersection(truth.irrelevant))
    if missed or false:
        print(f"    seed {seed}: missed {missed}, false {false}", flush=True)


def _print_problem(
    problem: str, methods: list[str], results: list[dict[str, Any]]
) -> None:
    for method in methods:
        rows = [r for r in results if r["problem"] == problem and r["method"] == method]
        if rows:
            print(f"  {method:28} {_line(rows)}", flush=True)


def _line(rows: list[dict[str, Any]]) -> str:
    mean = {f: float(np.mean([r[f] for r in rows])) for f in FIELDS}
    failed = sum(r["status"] != "ok" for r in rows)
    seconds = float(np.mean([r["cpu_seconds"] for r in rows]))
    return (
        f"F1 {mean['f1']:.3f}  recall {mean['recall']:.2f}  "
        f"FDP {mean['false_discovery_proportion']:.3f}  "
        f"redundant {mean['redundant_kept']:4.1f}  {seconds:7.2f} s"
        + (f"  ({failed} failed)" if failed else "")
    )


def print_totals(results: list[dict[str, Any]]) -> None:
    """Print means over problems, and how often noise is left alone."""
    print("\nmean over problems")
    for method in METHODS:
        own = [r for r in results if r["method"] == method]
        if not own:
            continue
        problems = dict.fromkeys(r["problem"] for r in own)
        means = [
            {f: np.mean([r[f] for r in own if r["problem"] == p]) for f in FIELDS}
            for p in problems
        ]
        f1 = np.mean([m["f1"] for m in means])
        fdp = np.mean([m["false_discovery_proportion"] for m in means])
        noise = [r["f1"] for r in own if r["problem"] in NOISE]
        quiet = f"{np.mean(noise):.3f} of {len(noise)}" if noise else "-"
        seconds = np.sum([r["cpu_seconds"] for r in own])
        print(
            f"  {method:28} F1 {f1:.3f}  FDP {fdp:.3f}  noise left alone {quiet:12}"
            f"  {seconds:8.1f} s in all, {len(problems)} problems"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--problems", help="words in their names, comma-separated")
    parser.add_argument("--methods", help="words in their names, comma-separated")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds per run")
    parser.add_argument("--json", type=Path, help="where to write every run")
    parser.add_argument("--verbose", action="store_true", help="tell our mistakes")
    options = parser.parse_args()
    results = run(options)
    print_totals(results)
    if options.json is not None:
        document = {
            "machine": describe_machine(),
            "versions": installed_versions(),
            "runs": results,
        }
        options.json.write_text(json.dumps(document, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
