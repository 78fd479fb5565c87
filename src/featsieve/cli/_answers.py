"""What answers have in common: a target, notes on the data, files to be written."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console

from featsieve._writing import whole_file, write_whole
from featsieve.cli._errors import QuestionError, UsageProblem, shell_words
from featsieve.cli._options import Source
from featsieve.cli._output import bullet, plural, sentence
from featsieve.data import Column, Table

__all__ = [
    "check_answerable",
    "choose_target_bins",
    "data_notes",
    "note_cut_target",
    "print_notes",
    "write_rows",
]

MOST_NOTES = 3
#: Classes that a numeric target is cut into unless asked otherwise.
TARGET_BINS = 5


def check_answerable(table: Table, source: Source) -> Column:
    """Return the target, or say why there is no answer."""
    target = table.target
    if target is None:
        message = (
            "Which column is to be explained? Say --target NAME, with one of "
            f"{_listed(table.names)}."
            if table.names
            else "The table has no columns, so there is nothing to explain."
        )
        raise UsageProblem(message)
    if not table.n_rows:
        message = f"{str(source.path)!r} has column names and no rows to learn from."
        raise QuestionError(message)
    if not table.n_columns:
        message = (
            f"{str(source.path)!r} has no column beside the target {target.name!r}, so "
            "there is nothing to ask about."
        )
        raise QuestionError(message)
    known = target.values[~target.missing]
    if (known == known[0]).all():
        value = target.levels[known[0]] if target.is_nominal else f"{known[0]:g}"
        message = (
            f"Target {target.name!r} is {value!r} in every row, so nothing can explain "
            "it. Choose another --target, or add rows of other classes."
        )
        raise QuestionError(message)
    return target


def _listed(names: tuple[str, ...]) -> str:
    shown = [repr(name) for name in names]
    if len(shown) > 12:  # the target is often the last column
        shown = [*shown[:8], "…", *shown[-3:]]
    return ", ".join(shown)


def data_notes(table: Table) -> list[dict[str, Any]]:
    """Return what looks wrong in the table, in words of the command line."""
    target = None if table.target is None else table.target.name
    return [
        {
            "code": note.code,
            "column": note.column,
            "message": shell_words(note.message, target),
        }
        for note in table.notes
    ]


def choose_target_bins(
    target: Column, wanted: int | None, notes: list[dict[str, Any]]
) -> int | None:
    """Return into how many classes a quantity is cut; note a wish that is idle."""
    if not target.is_nominal:
        return wanted or TARGET_BINS
    if wanted is not None:
        text = f"Target {target.name!r} has classes already; --target-bins is not used."
        notes.insert(0, {"code": "target_bins", "column": target.name, "message": text})
    return None


def note_cut_target(
    target: str, classes: list[str], notes: list[dict[str, Any]]
) -> None:
    """Say first of all that a quantity was cut into classes."""
    text = (
        f"Target {target!r} is a quantity; it was cut into {len(classes)} "
        f"classes of about equal size: {', '.join(classes)}. --target-bins sets "
        f"their number, `--nominal {shlex.quote(target)}` makes each value a "
        "class."
    )
    notes.insert(0, {"code": "target_cut", "column": target, "message": text})


def write_rows(path: Path, rows: list[dict[str, Any]], document: Any) -> None:
    """Write rows, or as JSON the document, in the format that the name tells."""
    suffix = path.suffix.lower()
    if suffix == ".json":
        text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
        write_whole(path, text + "\n")
    elif suffix == ".parquet":
        with whole_file(path) as beside:
            pq.write_table(pa.Table.from_pylist(rows), beside)
    else:
        delimiter = "\t" if suffix == ".tsv" else ","
        with (
            whole_file(path) as beside,
            beside.open("w", encoding="utf-8", newline="") as stream,
        ):
            writer = csv.DictWriter(
                stream, list(rows[0]), delimiter=delimiter, lineterminator="\n"
            )
            writer.writeheader()
            writer.writerows(rows)


def print_notes(console: Console, answer: dict[str, Any]) -> None:
    """Show the first notes, and where the others are."""
    notes = answer["notes"]
    if not notes:
        return
    console.print()
    shown = notes[:MOST_NOTES]
    more = ""
    if len(notes) > len(shown):
        path = shlex.quote(answer["data"])
        more = f", of which {len(shown)}; `featsieve inspect {path}` shows all"
    head = f"{plural(len(notes), 'note')} on the data{more}:"
    console.print(sentence(head, "yellow"))
    for note in shown:
        console.print(bullet(note["message"]))
