"""Write docs/guide/reproduced.rst: what `featsieve reproduce` found, table by table.

Run after a change of numbers:

    featsieve reproduce --data DIR --journal all.journal --out all.json
    python docs/make_reproduction.py all.json
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


if __name__ == "__main__":
    PAGE.write_text(write(json.loads(Path(sys.argv[1]).read_text())), encoding="utf-8")
