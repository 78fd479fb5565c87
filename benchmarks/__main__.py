"""``python -m benchmarks [WORKLOAD ...]``: run workloads, print tables, write JSON."""

from __future__ import annotations

import argparse
import dataclasses
import fnmatch
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks._harness import (
    Outcome,
    Settings,
    Workload,
    find_workloads,
    run_workload,
)
from benchmarks._machine import describe_machine, installed_versions

RESULTS = Path(__file__).parent / "results"


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help="workloads, such as W1 or 'W1*'")
    parser.add_argument("--list", action="store_true", help="list the workloads")
    parser.add_argument("--repeats", type=int, default=3, help="runs at least (best)")
    parser.add_argument("--limit", type=float, default=60.0, help="CPU seconds a trial")
    parser.add_argument("--json", type=Path, help="where to write the results")
    parser.add_argument("--no-peers", action="store_true", help="only ours")
    parser.add_argument("--no-growth", action="store_true", help="one size only")
    return parser.parse_args(arguments)


def choose(found: dict[str, Workload], names: list[str]) -> list[Workload]:
    """Return the workloads whose names match, all if none is named."""
    chosen: dict[str, Workload] = {}
    for pattern in names or ["*"]:
        matches = {
            name: workload
            for name, workload in found.items()
            if fnmatch.fnmatchcase(name.lower(), pattern.lower())
        }
        if not matches:
            sys.exit(f"No workload {pattern!r}. There are: {', '.join(found)}.")
        chosen |= matches
    return list(chosen.values())


def show(workload: Workload, outcomes: list[Outcome]) -> Table:
    size = ", ".join(f"{k}={v:,}" for k, v in workload.sizes["default"].items())
    title = f"{workload.name}  {workload.title}" + (f"  ({size})" if size else "")
    table = Table(title=title)
    table.title_justify = "left"
    table.add_column("contestant", overflow="fold")
    labels = [label for label in workload.sizes if label != "default"]
    for heading in ("CPU s", "ratio", "peak MiB", *labels):
        table.add_column(heading, justify="right")
    table.add_column("note", overflow="fold")
    for outcome in outcomes:
        note = outcome.quality if outcome.status == "ok" else outcome.status
        if outcome.same is False:
            note = "another result"
        table.add_row(
            f"[bold]{outcome.name}[/]" if outcome.ours else outcome.name,
            _number(outcome.seconds, ".5f"),
            _number(outcome.ratio, ".2f"),
            _number(outcome.peak_mib, ".1f"),
            *(_number(outcome.growth.get(label), ".2f") for label in labels),
            note,
        )
    if workload.targets:
        table.caption = f"target: {workload.targets}"
        table.caption_justify = "left"
    return table


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def main() -> None:
    options = parse()
    found = find_workloads()
    console = Console()
    if not console.is_terminal:
        console = Console(width=140)
    if options.list:
        for workload in found.values():
            console.print(f"{workload.name:14} {workload.title}", highlight=False)
        return
    settings = Settings(
        repeats=max(1, options.repeats),
        limit=options.limit,
        peers=not options.no_peers,
        growth=not options.no_growth,
    )
    results = []
    for workload in choose(found, options.names):
        with console.status(workload.name) as status:
            outcomes = run_workload(workload, settings, status.update)
        console.print(show(workload, outcomes), "")
        results.append(
            {
                "name": workload.name,
                "title": workload.title,
                "sizes": workload.sizes,
                "targets": workload.targets,
                "outcomes": [dataclasses.asdict(outcome) for outcome in outcomes],
            }
        )
    now = datetime.now(UTC)
    path = options.json or RESULTS / f"{now:%Y%m%dT%H%M%SZ}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    report = {
        "when": now.isoformat(timespec="seconds"),
        "machine": describe_machine(),
        "versions": installed_versions(),
        "settings": dataclasses.asdict(settings),
        "workloads": results,
    }
    path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    console.print(f"written: {path.name}")


if __name__ == "__main__":
    main()
