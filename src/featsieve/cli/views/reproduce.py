"""Run published tables and show them: first the numbers, then tables for people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from featsieve.cli._errors import UsageProblem
from featsieve.cli.views.answers import write_rows
from featsieve.cli.views.output import (
    Shown,
    bullet,
    grid_of,
    name_cell,
    plural,
    sentence,
    showing_rounds,
)
from featsieve.exceptions import DataError
from featsieve.reproduce import (
    PublishedTable,
    Reproduction,
    published_tables,
    reproduce,
)

NONE = "–"
LONGEST_TEXT = 24


def _chosen(names: list[str]) -> list[PublishedTable]:
    try:
        return list(published_tables(names).values())
    except DataError as error:
        raise UsageProblem(f"{error} `featsieve reproduce --list` shows all.") from None


def list_tables(names: list[str]) -> list[dict[str, Any]]:
    """Return the tables that were asked for, without running them."""
    return [
        {
            "name": table.name,
            "title": table.title,
            "source": table.source,
            "n_cells": len(table.cells),
            "generated": table.generated,
            "datasets": table.datasets,
            "not_fetchable": table.not_fetchable,
            "known": list(table.known),
        }
        for table in _chosen(names)
    ]


def print_list(console: Console, answer: list[dict[str, Any]], *, quiet: bool) -> None:
    """Show names and titles, and what each needs."""
    columns = (
        Shown("table", lambda table: name_cell(table["name"]), "name"),
        Shown("what it shows", lambda table: sentence(table["title"]), "name"),
        Shown("cells", lambda table: str(table["n_cells"] or NONE), "figure"),
        Shown("needs", _needs, "name"),
    )
    console.print(grid_of(answer, columns, console.width))
    if not quiet:
        text = "--json tells which data sets, and what is known not to match."
        console.print(sentence(text, "dim"))


def _needs(table: dict[str, Any]) -> str:
    if not table["n_cells"]:
        return "cannot be run"
    needs = plural(len(table["datasets"]), "data set") if table["datasets"] else ""
    if table["generated"]:
        return f"some of {needs}" if needs else "nothing"
    return needs


def run_tables(names: list[str], *, quiet: bool, **wishes: Any) -> Reproduction:
    """Run what can be run; all that is shown is in the answer."""
    _chosen(names)
    title = "Fetching data sets" if wishes["fetch"] else "Reproducing"
    with showing_rounds(title, quiet=quiet) as progress:
        return reproduce(names, progress=progress, **wishes)


def write_reproduction(found: Reproduction, path: Path) -> None:
    """Write cells, everything, or a page, as the name tells."""
    if path.suffix.lower() in (".html", ".htm"):
        found.report(path)
        return
    rows = found.rows()
    if path.suffix.lower() == ".parquet":
        # A column has one type there.
        for row in rows:
            for key in ("published", "ours"):
                row[key] = None if row[key] is None else str(row[key])
    write_rows(path, rows, found.to_dict())


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
    def digits(cell: dict[str, Any]) -> int:
        """Of ours: one more than print has where it is a mean of several runs."""
        return int(cell["digits"] + (cell["n_runs"] > 1 and cell["digits"] < 3))

    def verdict(cell: dict[str, Any]) -> Text:
        style = {"differs": "red", "within 3 s.e.": "yellow"}.get(cell["verdict"], "")
        note = f": {cell['note']}" if style and cell["note"] else ""
        return sentence(cell["verdict"] + note, style)

    columns = (
        Shown("row", lambda cell: sentence(cell["row"]), "name"),
        Shown("column", lambda cell: sentence(cell["column"]), "name"),
        Shown(
            "published",
            lambda cell: _shown(cell["published"], cell["digits"]),
            "figure",
        ),
        Shown("ours", lambda cell: _shown(cell["ours"], digits(cell)), "figure"),
        Shown("±", lambda cell: _shown(cell["standard_error"], digits(cell)), "figure"),
        Shown("z", lambda c: NONE if c["z"] is None else f"{c['z']:+.1f}", "figure"),
        Shown("verdict", verdict, "name"),
    )
    return grid_of([cell for cell in table["cells"] if cell["n_runs"]], columns, width)


def _shown(value: float | str | None, digits: int) -> str:
    if value is None:
        return NONE
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else value[: LONGEST_TEXT - 1] + "…"
    return f"{value:.{digits}f}"
