"""Write docs/guide/reproduced.rst: what `featsieve reproduce` found, table by table.

Run after a change of numbers:

    featsieve reproduce --data DIR --journal all.journal --out all.json
    python docs/make_reproduction.py all.json

or, for a page of one work that was run longer:

    python docs/make_reproduction.py forests.json reproduced_forests "Forests at length"
"""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parent / "guide" / "reproduced.rst"
WORKS = {
    "bifs": "Interactions of features",
    "ensembles": "Ensembles",
    "forests": "Forests and relevance",
    "subsets": "Ensembles on subsets of features",
    "fs2boost": "Boosting in wrappers",
    "largedata": "Features from many samples",
}
HEAD = """\
{title}
{line}

Written by ``docs/make_reproduction.py`` from the output of
``featsieve reproduce{works} --data DIR{repeats}``, featsieve {featsieve}; its runs took
{minutes:.0f} minutes one after the other, on a busy machine. :doc:`reproduce` says how
to run it and what verdicts mean.

Cells by verdict
----------------

"""
LONGEST_TEXT = 60


def grid(header: list[str], rows: list[list[str]], widths: str, kind: str) -> str:
    """Return a table of reStructuredText, a line for each row."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    for row in [header, *rows]:
        writer.writerow([cell.replace("*", "\\*") or "–" for cell in row])
    head = [".. csv-table::", "   :header-rows: 1", f"   :widths: {widths}"]
    lines = [*head, f"   :class: {kind}", "", *text.getvalue().splitlines()]
    return "\n".join(lines[:5] + [f"   {line}" for line in lines[5:]]) + "\n"


def shown(value: float | str | None, digits: int) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value if len(value) < LONGEST_TEXT else f"{value[: LONGEST_TEXT - 1]}…"
    return f"{value:.{digits}f}"


def overview(document: dict[str, Any], ran: list[dict[str, Any]]) -> str:
    """Return how many cells of each table got which verdict."""
    names = [name for name, n in document["verdicts"].items() if n]
    rows = [
        [table["name"], table["title"]]
        + [str(table["verdicts"][name] or "") for name in names]
        for table in ran
    ]
    rows.append(["all", "", *(str(document["verdicts"][name]) for name in names)])
    widths = "16 44" + " 8" * len(names)
    return grid(["table", "what it shows", *names], rows, widths, "numbers")


def section(table: dict[str, Any]) -> str:
    """Return all cells of a table, and what is known of it."""
    title = f"{table['name']}: {table['title']}"
    cells = [
        [
            cell["row"],
            cell["column"],
            shown(cell["published"], cell["digits"]),
            shown(cell["ours"], min(cell["digits"] + (cell["n_runs"] > 1), 4)),
            "" if cell["z"] is None else f"{cell['z']:+.1f}",
            cell["verdict"],
        ]
        for cell in table["cells"]
    ]
    header = ["row", "column", "published", "ours", "z", "verdict"]
    text = f"\n{title}\n{'^' * len(title)}\n\n"
    text += grid(header, cells, "26 30 14 14 8 14", "numbers")
    notes = [
        f"{cell['row']}, {cell['column']}: {cell['note']}"
        for cell in table["cells"]
        if cell["verdict"] == "differs" and cell["note"]
    ]
    for line in dict.fromkeys([*table["known"], *notes]):
        text += f"\n- {line}".replace("*", "\\*")
    return text + ("\n" if table["known"] or notes else "")


def write(document: dict[str, Any], title: str = "What was found") -> str:
    """Return the page."""
    ran = [table for table in document["tables"] if table["cells"]]
    found = dict.fromkeys(table["name"].split("-")[0] for table in ran)
    asked = document["repeats"]
    text = HEAD.format(
        title=title,
        line="=" * len(title),
        works="" if len(found) == len(WORKS) else "".join(f" {work}" for work in found),
        repeats=" --full" if asked is None else f" --repeats {asked}",
        featsieve=document["featsieve"],
        minutes=document["work"] / 60,
    )
    text += overview(document, ran)
    for work, name in WORKS.items():
        own = [table for table in ran if table["name"].split("-")[0] == work]
        if own:
            text += f"\n{name}\n{'-' * len(name)}\n\n{own[0]['source']}.\n"
            text += "".join(map(section, own))
    return text


if __name__ == "__main__":
    source, *page = sys.argv[1:]
    text = write(json.loads(Path(source).read_text("utf-8")), *page[1:])
    (PAGE.with_name(f"{page[0]}.rst") if page else PAGE).write_text(text, "utf-8")
