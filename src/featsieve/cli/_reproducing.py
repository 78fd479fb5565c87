"""Run published tables and show them: first the numbers, then tables for people."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as Grid

from featsieve.cli._answers import write_rows
from featsieve.cli._errors import UsageProblem
from featsieve.cli._output import (
    bullet,
    name_cell,
    plural,
    sentence,
    showing_rounds,
    table_for_people,
)
from featsieve.exceptions import DataError
from featsieve.reproduce import Reproduction, reproduce
from featsieve.reproduce._run import choose_tables
from featsieve.reproduce._sources import NOT_THERE

__all__ = [
    "Errand",
    "list_tables",
    "print_list",
    "print_reproduction",
    "run_tables",
    "write_reproduction",
]

NONE = "–"
LONGEST_TEXT = 24


@dataclass(frozen=True, slots=True)
class Errand:
    """What is to be run, and how."""

    tables: list[str] = field(default_factory=list)
    data: Path | None = None
    repeats: int = 5
    full: bool = False
    journal: Path | None = None
    jobs: int = -1
    fetch: bool = False


def _chosen(errand: Errand) -> list[Any]:
    try:
        return choose_tables(errand.tables)
    except DataError as error:
        message = f"{error} `featsieve reproduce --list` shows all."
        raise UsageProblem(message) from None


def list_tables(errand: Errand) -> list[dict[str, Any]]:
    """Return the tables that were asked for, without running them."""
    return [
        {
            "name": table.name,
            "title": table.title,
            "source": table.source,
            "n_cells": len(table.cells),
            "generated": table.generated,
            "datasets": table.datasets,
            "not_fetchable": [n for n in table.datasets if n in NOT_THERE],
            "known": list(table.known),
        }
        for table in _chosen(errand)
    ]


def print_list(console: Console, answer: list[dict[str, Any]], *, quiet: bool) -> None:
    """Show names and titles, and what each needs."""
    grid = table_for_people(console.width)
    for name in ("table", "what it shows", "cells", "needs"):
        grid.add_column(name, justify="right" if name == "cells" else "left")
    for table in answer:
        needs = plural(len(table["datasets"]), "data set") if table["datasets"] else ""
        if table["generated"]:
            needs = f"some of {needs}" if needs else "nothing"
        if not table["n_cells"]:
            needs = "cannot be run"
        cells = str(table["n_cells"] or NONE)
        grid.add_row(name_cell(table["name"]), sentence(table["title"]), cells, needs)
    console.print(grid)
    if not quiet:
        text = "--json tells which data sets, and what is known not to match."
        console.print(sentence(text, "dim"))


def run_tables(errand: Errand, *, quiet: bool) -> Reproduction:
    """Run what can be run; all that is shown is in the answer."""
    _chosen(errand)
    title = "Fetching data sets" if errand.fetch else "Reproducing"
    with showing_rounds(title, quiet=quiet) as progress:
        return reproduce(
            errand.tables,
            data=errand.data,
            repeats=errand.repeats,
            full=errand.full,
            fetch=errand.fetch,
            journal=errand.journal,
            progress=progress,
            n_jobs=errand.jobs,
        )


def write_reproduction(found: Reproduction, path: Path) -> None:
    """Write cells, everything, or a page, as the name tells."""
    if path.suffix.lower() in (".html", ".htm"):
        found.report(path)
        return
    rows = found.rows()
    if path.suffix.lower() == ".parquet":
        # A column has one type there.
        rows = [
            row | {key: _text(row[key]) for key in ("published", "ours")}
            for row in rows
        ]
    write_rows(path, rows, found.to_dict())


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def print_reproduction(
    console: Console, found: Reproduction, *, has_data: bool, quiet: bool
) -> None:
    """Show every table that was run, then what was not, then the sum of it."""
    ran = [t for t in found.tables if any(c["n_runs"] for c in t["cells"])]
    for table in ran:
        console.print(sentence(f"{table['name']}: {table['title']}", "bold"))
        if not quiet:
            console.print(sentence(table["source"], "dim"))
        console.print(_grid(table, console.width))
        if not quiet:
            for text in table["known"]:
                console.print(bullet(text))
        for name, about in table["about_data"].items():
            console.print(sentence(f"{name}: {about}", "yellow"))
        if table["missing"]:
            text = f"Not run for want of data: {', '.join(table['missing'])}."
            console.print(sentence(text, "yellow"))
        console.print()
    _print_not_run(console, found, has_data=has_data)
    told = [f"{n} {name}" for name, n in found.verdicts.items() if n]
    console.print(sentence(f"Cells: {', '.join(told) or 'none'}."))
    if quiet:
        return
    text = (
        "z is ours less the published number in standard errors of the difference: "
        "of our runs, of those behind the published mean, and of its rounding."
    )
    console.print(sentence(text, "dim"))


def _print_not_run(console: Console, found: Reproduction, *, has_data: bool) -> None:
    reasons: dict[str, list[str]] = {}
    for table in found.tables:
        if not table["cells"]:
            reasons.setdefault(" ".join(table["known"]), []).append(table["name"])
    waiting = [
        table
        for table in found.tables
        if table["cells"] and not any(c["n_runs"] for c in table["cells"])
    ]
    if waiting:
        listed = ", ".join(table["name"] for table in waiting)
        way = (
            "their folders are not in --data"
            if has_data
            else "say --data DIR, or --fetch to get them from OpenML"
        )
        console.print(sentence(f"Without data, so not run: {listed}; {way}.", "yellow"))
    told = {f"{n}: {a}" for table in waiting for n, a in table["about_data"].items()}
    for text in sorted(told):
        console.print(sentence(text, "yellow"))
    for reason, names in reasons.items():
        text = f"{', '.join(names)} cannot be matched: {reason}"
        console.print(sentence(text, "dim"))


def _grid(table: dict[str, Any], width: int) -> Grid:
    grid = table_for_people(width)
    grid.add_column("row")
    grid.add_column("column")
    for name in ("published", "ours", "±", "z"):
        grid.add_column(name, justify="right", no_wrap=True)
    grid.add_column("verdict")
    for cell in table["cells"]:
        if not cell["n_runs"]:
            continue
        style = {"differs": "red", "within 3 s.e.": "yellow"}.get(cell["verdict"], "")
        digits = cell["digits"]
        more = digits + (cell["n_runs"] > 1 and digits < 3)
        off = cell["verdict"] in ("differs", "within 3 s.e.")
        verdict = cell["verdict"] + (
            f": {cell['note']}" if off and cell["note"] else ""
        )
        grid.add_row(
            sentence(cell["row"]),
            sentence(cell["column"]),
            _shown(cell["published"], digits),
            _shown(cell["ours"], more),
            _shown(cell["standard_error"], more),
            NONE if cell["z"] is None else f"{cell['z']:+.1f}",
            sentence(verdict, style),
        )
    return grid


def _shown(value: float | str | None, digits: int) -> str:
    if value is None:
        return NONE
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else value[: LONGEST_TEXT - 1] + "…"
    return f"{value:.{digits}f}"
