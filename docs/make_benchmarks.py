"""Write docs/benchmarks.rst: the tables of the last `make bench`, if there was one.

`make docs` runs this. Without results the page says how to get some; numbers are never
kept in the repository, since only ratios from one run on one machine mean anything.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
RESULTS = DOCS.parent / "benchmarks" / "results"
PAGE = DOCS / "benchmarks.rst"
COLUMNS = ("contestant", "CPU s", "ratio", "peak MiB", "note")
OPENING = """\
Benchmarks
==========

Speed and memory beside other libraries: the same data, one process, one thread. ``make
bench`` measures, ``make docs`` writes this page from what it found.

- **CPU s** is the processor time of the best of several runs.
- **ratio** is that time divided by ours: 12 takes twelve times as long as we do, 0.5
  half as long.
- **peak MiB** is memory above the prepared data, in a fresh process.

Only ratios of one run on one machine mean anything.
"""
NOTHING = """
Nothing has been measured on this machine yet. Say ``make bench``, or ``make bench
WORK=W1`` for a single workload, and build the pages again.
"""


def read_workloads(folder: Path) -> list[dict[str, Any]]:
    """Return the last outcome of every workload, in the order of their names."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.json")):
        report = json.loads(path.read_text(encoding="utf-8"))
        # Other files, such as the recovery board's, have another shape.
        for workload in report.get("workloads", []) if "machine" in report else []:
            about = {key: report[key] for key in ("when", "machine", "versions")}
            found[workload["name"]] = workload | about
    return [found[name] for name in sorted(found, key=_natural)]


def _natural(name: str) -> tuple[int, str]:
    digits = "".join(c for c in name[1:3] if c.isdigit())
    return int(digits or 0), name


def write_page(workloads: list[dict[str, Any]]) -> str:
    """Return the page as text."""
    parts = [OPENING] + [_section(workload) for workload in workloads]
    return "".join(parts if workloads else [OPENING, NOTHING])


def _section(workload: dict[str, Any]) -> str:
    title = f"{workload['name']}: {workload['title']}"
    size = workload["sizes"]["default"].items()
    facts = [", ".join(f"{key} = {value:,}" for key, value in size)] if size else []
    machine = workload["machine"]
    facts += [f"measured {workload['when'][:10]}", str(machine["processor"])]
    facts += [f"{machine['cores']} cores", f"Python {machine['python']}"]
    rows = [_row(outcome) for outcome in workload["outcomes"]]
    lines = ["", title, "-" * len(title), "", "; ".join(facts) + ".", ""]
    lines += [".. list-table::", "   :header-rows: 1", "   :widths: 40 12 10 12 26", ""]
    for cells in [COLUMNS, *rows]:
        lines += [f"   {'* -' if i == 0 else '  -'} {c}" for i, c in enumerate(cells)]
    return "\n".join(lines) + "\n"


def _row(outcome: dict[str, Any]) -> tuple[str, ...]:
    note = outcome.get("quality", "")
    if outcome["status"] != "ok":
        note = outcome["status"]
    if outcome["same"] is False:
        note = "another result"
    name = _escaped(outcome["name"])
    return (
        f"**{name}**" if outcome["ours"] else name,
        _number(outcome["seconds"], ".4f"),
        _number(outcome["ratio"], ".2f"),
        _number(outcome["peak_mib"], ".1f"),
        _escaped(note),
    )


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def _escaped(text: str) -> str:
    """Return text in which no character means anything to reStructuredText."""
    return "".join("\\" + c if c in "\\*`|_<>[]" else c for c in text)


def main() -> None:
    PAGE.write_text(write_page(read_workloads(RESULTS)), encoding="utf-8")


if __name__ == "__main__":
    main()
