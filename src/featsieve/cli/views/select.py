"""Select features and show it: verdicts for people."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from featsieve._text import visible
from featsieve.cli._errors import UsageProblem, shell_words
from featsieve.cli._options import Source, which_target
from featsieve.cli.views.output import (
    bar,
    bullet,
    name_cell,
    plural,
    probability,
    sentence,
    table_for_people,
)
from featsieve.data import copy_columns
from featsieve.exceptions import DroppedRowsWarning
from featsieve.selection import Selection, select

#: A person reads no further; the report and JSON hold everything.
MOST_SHOWN = 40
MOST_NOTES = 5
MOST_NAMES = 12
MOST_SETS = 5

COLOURS = {
    "strongly relevant": "green",
    "relevant together": "magenta",
    "relevant locally": "cyan",
    "possible": "yellow",
    "filled in": "yellow",
    "not told apart": "yellow",
    "redundant": "yellow",
    "over the limit": "yellow",
}


def check_reportable() -> None:
    """Complain before the work if the page cannot be made."""
    if find_spec("jinja2") is None:
        message = "--report needs Jinja2. Say `pip install 'featsieve[report]'`."
        raise UsageProblem(message)


def select_features(source: Source, *, quiet: bool, **wishes: Any) -> Selection:
    """Select as `featsieve.select` does, of what the command line names."""
    if wishes["target"] is None:
        names = None if source.is_stream else source.read(None).names
        raise UsageProblem(which_target(names))
    with source.where(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DroppedRowsWarning)  # it is in the notes
        return select(source.data, **wishes, **source.reading, verbose=not quiet)


def write_selected(source: Source, selection: Selection, out: Path) -> None:
    """Copy the selected features and the target from the file to another."""
    known = selection.to_dict()
    target = known["target"]
    kinds = {row["feature"]: row["kind"] for row in known["ledger"]}
    kinds[target["name"]] = target["kind"]
    how = source.reading | {"nominal": [n for n, k in kinds.items() if k == "nominal"]}
    del how["numeric"]
    copy_columns(source.path, [*selection.features, target["name"]], out, **how)


def print_selection(console: Console, selection: Selection, *, quiet: bool) -> None:
    """Show what is kept and why, what is set aside for what, and what is noise."""
    summary = selection.to_dict()
    rows = {row["feature"]: row for row in summary["ledger"]}
    kept = [rows[name] for name in summary["features"]]
    if kept:
        console.print(_heading(summary))
        console.print(_grid(selection, kept[:MOST_SHOWN], console.width))
        if len(kept) > MOST_SHOWN:
            text = f"… and {len(kept) - MOST_SHOWN} more; --json and --report have all."
            console.print(sentence(text, "dim"))
        console.print()
    console.print(_verdict(summary))
    for text in _others(selection, summary):
        console.print(bullet(text))
    if quiet:
        return
    _print_notes(console, summary)


def _heading(summary: dict[str, Any]) -> Text:
    text = Text("Features that matter for ", "bold")
    text.append(visible(repr(summary["target"]["name"])))
    n_rows, used = summary["table"]["n_rows"], summary["computation"]["n_rows_used"]
    rows = plural(n_rows, "row")
    if used < n_rows:
        rows += f", {used:,} of them tested"
    text.append(f"  ({rows}; {summary['measure']['name']}", "dim")
    unit = summary["measure"]["unit"]
    text.append(f" in {unit})" if unit == "bits" else ")", "dim")
    return text


def _grid(selection: Selection, kept: list[dict[str, Any]], width: int) -> Grid:
    scale = max((row["score"] or 0.0 for row in kept), default=1.0) or 1.0
    wide = width >= 72
    bar_width = 20 if width >= 110 else 10
    grid = table_for_people(width)
    grid.add_column("feature")
    grid.add_column("verdict")
    grid.add_column("score", justify="right", no_wrap=True)
    if wide:
        grid.add_column("", no_wrap=True, width=bar_width)
        grid.add_column("95 % interval", justify="right", no_wrap=True)
    grid.add_column("p", justify="right", no_wrap=True)
    for row in kept:
        colour = COLOURS.get(row["verdict"], "")
        score = row["score"] or 0.0
        cells = [
            name_cell(row["feature"]),
            Text(visible(selection.verdict(row["feature"], in_words=True)), colour),
            Text(f"{score:.3f}"),
        ]
        if wide:
            cells.append(Text(bar(score / scale, bar_width), colour))
            cells.append(Text(_interval(row), "dim"))
        p = row["p_value"]
        cells.append(Text("" if p is None else probability(p), "dim"))
        grid.add_row(*cells)
    return grid


def _interval(row: dict[str, Any]) -> str:
    if row["low"] is None or row["high"] is None:
        return ""
    return f"{row['low']:.3f} … {row['high']:.3f}"


def _verdict(summary: dict[str, Any]) -> Text:
    n_kept, n_columns = len(summary["features"]), summary["table"]["n_columns"]
    target = repr(summary["target"]["name"])
    rate = summary["computation"]["parameters"].get("fdr", 0.05)
    if not n_kept:
        text = f"None of {plural(n_columns, 'feature')} tells about {target} beyond "
        return sentence(f"{text}chance.", "bold")
    text = f"{n_kept} of {plural(n_columns, 'feature')} kept for {target} "
    return sentence(f"{text}(false discovery rate {100 * rate:g} %).", "bold")


def _others(selection: Selection, summary: dict[str, Any]) -> list[str]:
    """Return a line for each fate of the columns that are not kept."""
    lines = []
    by_verdict: dict[str, list[dict[str, Any]]] = {}
    for row in summary["ledger"]:
        if not row["kept"]:
            by_verdict.setdefault(row["verdict"], []).append(row)
    for verdict, word in (("redundant", "with"), ("not told apart", "from")):
        told = [
            f"{row['feature']} ({word} {', '.join(row['displaced_by'])})"
            for row in by_verdict.get(verdict, [])
        ]
        if told:
            lines.append(f"{verdict}: {_shortened(told)}")
    near = {row["feature"] for row in by_verdict.get("not told apart", [])}
    for kept, *rest in selection.interchangeable[:MOST_SETS]:
        others = [name for name in rest if name in near]  # of copies it goes without
        if others:
            lines.append(f"could be kept instead of {kept}: {_shortened(others)}")
    for verdict in ("possible", "over the limit", "irrelevant"):
        rows = by_verdict.get(verdict, [])
        if rows:
            names = _shortened([row["feature"] for row in rows])
            lines.append(f"{verdict}: {len(rows)} ({names})")
    unusable = by_verdict.get("unusable", [])
    if unusable:
        told = [f"{row['feature']} ({row['note']})" for row in unusable]
        lines.append(f"unusable: {_shortened(told)}")
    return lines


def _shortened(words: list[str]) -> str:
    rest = len(words) - MOST_NAMES
    shown = ", ".join(words[:MOST_NAMES])
    return f"{shown} and {rest} more" if rest > 0 else shown


def _print_notes(console: Console, summary: dict[str, Any]) -> None:
    notes = sorted(summary["notes"], key=lambda note: note["severity"] != "warning")
    if not notes:
        return
    console.print()
    head = plural(len(notes), "note")
    console.print(sentence(f"{head}:", "yellow"))
    for note in notes[:MOST_NOTES]:
        name = note["feature"]
        text = shell_words(note["text"])
        about = name is not None and repr(name) not in text
        console.print(bullet(f"{name}: {text}" if about else text))
    if len(notes) > MOST_NOTES:
        more = f"… and {len(notes) - MOST_NOTES} more; --json and --report have all."
        console.print(sentence(more, "dim"))
