"""Look a table over and show it: a plain dictionary first, then a table for people."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
from rich import filesize
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

import featsieve
from featsieve._types import Floats
from featsieve.cli._options import Source
from featsieve.cli.views.answers import shown_notes
from featsieve.cli.views.output import (
    Shown,
    bar,
    bullet,
    gaps_of,
    grid_of,
    kind_of,
    name_cell,
    number,
    percent,
    plural,
    sentence,
    sparkline,
    working,
)
from featsieve.data import Column

#: Beyond so many columns a person wants the beginning, not the whole.
MANY_COLUMNS = 200
SHOWN_OF_MANY = 50
SHOWN_OF_GROUP = 8
SHOWN_CLASSES = 20
#: Levels that are listed by name, most frequent first.
LISTED_LEVELS = 10
SHAPE_WIDTH = 8


def inspect_table(source: Source, target: str | None, *, quiet: bool) -> dict[str, Any]:
    """Read the table and describe its columns; all that is shown is in the result."""
    with working(f"Reading {source.path.name}", quiet=quiet):
        table = source.read(target)
    goal = table.target
    with working(f"Looking at {plural(table.n_columns, 'column')}", quiet=quiet):
        dates = {n.column for n in table.notes if "holds dates" in n.message}
        return {
            "featsieve": featsieve.__version__,
            "data": str(source.path),
            "file_size": source.path.stat().st_size,
            "n_rows": table.n_rows,
            "n_columns": table.n_columns,
            "target": None if goal is None else _describe(goal, dates, most=None),
            "columns": [_describe(column, dates) for column in table],
            "notes": shown_notes(table.notes, None if goal is None else goal.name),
        }


def _describe(
    column: Column, dates: set[str | None], most: int | None = LISTED_LEVELS
) -> dict[str, Any]:
    n_rows = len(column.values)
    common = {
        "name": column.name,
        "kind": column.kind.value,
        "n_missing": column.n_missing,
        "missing_share": column.n_missing / n_rows if n_rows else 0.0,
    }
    known = column.values[~column.missing]
    if column.is_nominal:
        counts = np.bincount(known, minlength=column.n_levels)
        order = np.argsort(-counts, kind="stable")[:most]
        return common | {
            "n_levels": column.n_levels,
            "levels": [
                {
                    "value": _plain(column.levels[code]),
                    "count": int(counts[code]),
                    "share": counts[code] / max(len(known), 1),
                }
                for code in order.tolist()
            ],
        }
    if not len(known):
        return common | {"min": None, "median": None, "max": None, "histogram": []}
    ordered = np.sort(known)
    middle = len(ordered) // 2
    return common | {
        "date": column.name in dates,
        "min": float(ordered[0]),
        # Halved first, as the sum of two numbers may be too large for one.
        "median": float(ordered[-middle - 1] / 2 + ordered[middle] / 2),
        "max": float(ordered[-1]),
        "histogram": _histogram(ordered),
    }


def _histogram(ordered: Floats) -> list[int]:
    """Return counts in bins of equal width; outliers go to the outermost bins.

    Else one outlier would hide the shape. np.histogram refuses values that lie too
    close together or too far apart.
    """
    tail = (len(ordered) - 1) // 100
    left, right = ordered[tail], ordered[-tail - 1]
    if left == right:
        left, right = ordered[0], ordered[-1]
    shares = np.arange(1, SHAPE_WIDTH) / SHAPE_WIDTH
    edges = left * (1 - shares) + right * shares
    ends = [*np.searchsorted(ordered, edges), len(ordered)]
    return np.diff(ends, prepend=0).tolist()


def _plain(level: Any) -> Any:
    """Return a level as JSON has it."""
    return level if isinstance(level, str | bool | int) else str(level)


def print_inspection(
    console: Console, found: dict[str, Any], *, show_all: bool, quiet: bool
) -> None:
    """Show the columns, the target if there is one, and the notes."""
    path, size = repr(found["data"]), filesize.decimal(found["file_size"])
    columns = plural(found["n_columns"], "column")
    if found["target"] is not None:
        columns = f"{plural(found['n_columns'], 'feature')} and a target"
    head = f"{path}: {plural(found['n_rows'], 'row')}, {columns}, {size}"
    console.print(sentence(head, "bold"))
    shown = found["columns"]
    if len(shown) > MANY_COLUMNS and not show_all:
        shown = shown[:SHOWN_OF_MANY]
    if shown:
        console.print(_grid(found, shown, console.width))
    hidden = len(found["columns"]) - len(shown)
    if hidden:
        text = f"… and {plural(hidden, 'column')} more; --all shows them, --json too."
        console.print(sentence(text, "dim"))
    if found["target"] is not None:
        _print_target(console, found["target"])
    if found["n_rows"] or found["notes"]:
        _print_notes(console, found["notes"], show_all=show_all)
    else:
        console.print()
        console.print(sentence("There are no rows to look at.", "bold yellow"))
    if not quiet and found["target"] is None and found["n_rows"]:
        text = (
            "Next: `featsieve select DATA --target NAME` finds the columns that matter."
        )
        console.print()
        console.print(sentence(text, "dim"))


def _grid(found: dict[str, Any], shown: list[dict[str, Any]], width: int) -> Grid:
    noted = {note["column"] for note in found["notes"]}

    def gaps(row: dict[str, Any]) -> Text:
        return Text(gaps_of(row), "yellow" if row["missing_share"] >= 0.5 else "")

    columns = (
        Shown(
            "",
            lambda row: Text("!" if row["name"] in noted else "", "bold yellow"),
            size=1,
        ),
        # This and the last one give way, the longer first.
        Shown("column", lambda row: name_cell(row["name"]), "name"),
        Shown("kind", kind_of, least=50),
        Shown("missing", gaps, "figure"),
        Shown(
            "shape", lambda row: Text(_shape(row), "cyan"), least=64, size=SHAPE_WIDTH
        ),
        Shown("values", lambda row: name_cell(_values(row)), "name"),
    )
    return grid_of(shown, columns, width)


def _shape(row: dict[str, Any]) -> str:
    """Return a small picture: a histogram, or the most frequent levels."""
    if row["kind"] == "nominal":
        return sparkline([level["count"] for level in row["levels"][:SHAPE_WIDTH]])
    if row["min"] == row["max"]:
        return ""
    return sparkline(row["histogram"])


def _values(row: dict[str, Any]) -> str:
    if row["kind"] == "nominal":
        levels = [level for level in row["levels"] if level["count"]]
        if not levels:
            return "no value"
        if levels[0]["count"] == 1 and row["n_levels"] > 3:
            some = ", ".join(str(level["value"]) for level in levels[:3])
            return f"all differ: {some}, …"
        shown = [f"{level['value']} {percent(level['share'])}" for level in levels]
        return ", ".join(shown) + (", …" if row["n_levels"] > len(levels) else "")
    if row["min"] is None:
        return "no value"
    show = _date if row.get("date") else number
    low, median, high = (show(row[key]) for key in ("min", "median", "max"))
    return low if low == high else f"{low} … {median} … {high}"


def _date(days: float) -> str:
    try:
        return (datetime.date(1970, 1, 1) + datetime.timedelta(days=days)).isoformat()
    except OverflowError:  # before year 1 or after year 9999
        return number(days)


def _print_target(console: Console, target: dict[str, Any]) -> None:
    console.print()
    head = Text("Target ")
    head.append(sentence(repr(target["name"]), "bold"))
    if target["kind"] == "numeric":
        head.append(f": a quantity, {_values(target)}  ")
        head.append(_shape(target), "cyan")
        console.print(head)
        return
    head.append(f": {plural(target['n_levels'], 'class')}")
    console.print(head)
    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column()
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    bar_width = 30 if console.width >= 72 else 10
    grid.add_column(no_wrap=True, width=bar_width)
    levels = target["levels"]
    most = max((level["count"] for level in levels), default=0) or 1
    for level in levels[:SHOWN_CLASSES]:
        grid.add_row(
            name_cell(level["value"]),
            Text(str(level["count"])),
            Text(percent(level["share"])),
            Text(bar(level["count"] / most, bar_width), "cyan"),
        )
    console.print(grid)
    if len(levels) > SHOWN_CLASSES:
        rest = plural(len(levels) - SHOWN_CLASSES, "class")
        console.print(sentence(f"… and {rest} more", "dim"))


def _print_notes(
    console: Console, notes: list[dict[str, Any]], *, show_all: bool
) -> None:
    console.print()
    if not notes:
        console.print(sentence("Nothing looks wrong.", "green"))
        return
    console.print(sentence(f"{plural(len(notes), 'note')}:", "bold yellow"))
    groups: dict[str, list[str]] = {}
    for note in notes:
        groups.setdefault(note["title"], []).append(note["message"])
    for title, messages in groups.items():
        console.print(sentence(title, "yellow"))
        shown = messages if show_all else messages[:SHOWN_OF_GROUP]
        for message in shown:
            console.print(bullet(message, indent=2))
        if len(messages) > len(shown):
            rest = len(messages) - len(shown)
            console.print(sentence(f"  … and {rest} more; --all shows them", "dim"))
