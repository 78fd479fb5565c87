"""Write docs/guide/reproduced.rst: what `featsieve reproduce` found, table by table.

Run after a change of numbers:

    featsieve reproduce --data DIR --journal all.journal --out all.json
    python docs/make_reproduction.py all.json

With a second name, docs/guide/NAME.rst is written instead, with every cell:

    featsieve reproduce forests --data DIR --repeats 10 --out forests.json
    python docs/make_reproduction.py forests.json reproduced_forests
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parent / "guide" / "reproduced.rst"
HEAD = """\
What was found
==============

Written by ``docs/make_reproduction.py`` from the output of ``featsieve reproduce --data
DIR{repeats}``, featsieve {featsieve}; its runs took {minutes:.0f} minutes one after the
other, on a busy machine. :doc:`reproduce` says how to run it and what verdicts mean.

Cells by verdict
----------------

"""
CELLS_HEAD = """\
{title}
{line}

Written by ``docs/make_reproduction.py`` from the output of
``featsieve reproduce {names} --data DIR{repeats}``, featsieve {featsieve}; its runs
took {minutes:.0f} minutes one after the other, on a busy machine. In each cell:
published → ours ± its standard error (the difference in standard errors).
Cells: {counts}.

{known}

"""
DIFFERENCES = """
Cells that differ
-----------------

Beyond three standard errors, or not the same where chance plays no part. The tables say
what is known about them; here only what is known of single cells.

"""


def grid(header: list[str], rows: list[list[str]]) -> str:
    """Return a table of reStructuredText that holds any text."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in [header, *rows]:
        cells = [cell.replace("*", "\\*") or "–" for cell in row]
        lines += [f"   * - {cells[0]}", *(f"     - {cell}" for cell in cells[1:])]
    return "\n".join(lines) + "\n"


def shown(value: float | str, digits: int) -> str:
    if isinstance(value, str):
        return value if len(value) < 40 else f"{value[:39]}…"
    return f"{value:.{digits}f}"


def write(document: dict[str, Any]) -> str:
    ran = [table for table in document["tables"] if table["cells"]]
    names = [name for name, n in document["verdicts"].items() if n]
    counts = [
        [table["name"], table["title"]]
        + [str(table["verdicts"][name] or "") for name in names]
        for table in ran
    ]
    total = [str(document["verdicts"][name]) for name in names]
    differ = [
        [
            table["name"],
            cell["row"],
            cell["column"],
            shown(cell["published"], cell["digits"]),
            shown(cell["ours"], min(cell["digits"] + 1, 4)),
            "" if cell["z"] is None else f"{cell['z']:+.1f}",
            cell["note"],
        ]
        for table in ran
        for cell in table["cells"]
        if cell["verdict"] == "differs"
    ]
    asked = document["repeats"]
    head = HEAD.format(
        repeats=" --full" if asked is None else f" --repeats {asked}",
        featsieve=document["featsieve"],
        minutes=document["work"] / 60,
    )
    header = ["table", "row", "column", "published", "ours", "z", "what is known"]
    by_verdict = grid(
        ["table", "what it shows", *names], [*counts, ["all", "", *total]]
    )
    return head + by_verdict + DIFFERENCES + grid(header, differ)


def write_cells(document: dict[str, Any]) -> str:
    """Return a page with every cell: published, ours and its error, difference."""
    asked = document["repeats"]
    names = {table["name"].split("-")[0] for table in document["tables"]}
    counts = ", ".join(f"{n} {name}" for name, n in document["verdicts"].items() if n)
    title = f"Cell by cell: {', '.join(sorted(names))}"
    ran = [table for table in document["tables"] if table["cells"]]
    common = [k for k in ran[0]["known"] if all(k in table["known"] for table in ran)]
    parts = [
        CELLS_HEAD.format(
            title=title,
            line="=" * len(title),
            names=" ".join(sorted(names)),
            repeats=" --full" if asked is None else f" --repeats {asked}",
            featsieve=document["featsieve"],
            minutes=document["work"] / 60,
            counts=counts.removesuffix("."),
            known="\n".join(common),
        )
    ]
    for table in ran:
        heading = f"{table['name']}: {table['title']}"
        parts.append(f"{heading}\n{'-' * len(heading)}\n\n")
        parts += [f"{known}\n\n" for known in table["known"] if known not in common]
        cells = {(cell["row"], cell["column"]): cell for cell in table["cells"]}
        rows = list(dict.fromkeys(row for row, _ in cells))
        columns = list(dict.fromkeys(column for _, column in cells))
        body = [
            [row, *(compared(cells.get((row, column))) for column in columns)]
            for row in rows
        ]
        parts.append(grid(["", *columns], body) + "\n")
    return "".join(parts).rstrip() + "\n"


def compared(cell: dict[str, Any] | None) -> str:
    """Return a cell as "published → ours ± error (z)"."""
    if cell is None or cell["ours"] is None:
        return ""
    digits = cell["digits"]
    text = f"{shown(cell['published'], digits)} → {shown(cell['ours'], digits)}"
    if cell["standard_error"] is not None:
        text += f" ± {cell['standard_error']:.{max(digits, 1)}f}"
    return text if cell["z"] is None else f"{text} ({cell['z']:+.1f})"


if __name__ == "__main__":
    found = json.loads(Path(sys.argv[1]).read_text())
    if len(sys.argv) > 2:
        PAGE.with_name(f"{sys.argv[2]}.rst").write_text(write_cells(found), "utf-8")
    else:
        PAGE.write_text(write(found), encoding="utf-8")
