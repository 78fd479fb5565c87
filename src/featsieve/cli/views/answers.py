"""What answers have in common: a target, notes on the data, files to be written."""

from __future__ import annotations

import csv
import io
import json
import shlex
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console

from featsieve._text import nearest, whole_file, write_whole
from featsieve.cli._errors import QuestionError, UsageProblem, shell_words
from featsieve.cli._options import Source, which_target
from featsieve.cli.views.output import bullet, counting, plural, sentence, working
from featsieve.data import Column, Note, Table, TableStream
from featsieve.exceptions import (
    DependentRowsWarning,
    DroppedRowsWarning,
    NoFeatureSelectedWarning,
    WeakEvidenceWarning,
)

MOST_NOTES = 3
#: Classes that a numeric target is cut into unless asked otherwise.
TARGET_BINS = 5


def check_answerable(table: Table, source: Source) -> Column:
    """Return the target, or say why there is no answer."""
    target = table.target
    if target is None:
        raise UsageProblem(which_target(table.names))
    if not table.n_rows:
        message = f"{str(source.path)!r} has column names and no rows to learn from."
        raise QuestionError(message)
    if not table.n_columns:
        raise QuestionError(
            f"{str(source.path)!r} has no column beside the target {target.name!r}, so "
            "there is nothing to ask about."
        )
    known = target.values[~target.missing]
    if (known == known[0]).all():
        value = target.levels[known[0]] if target.is_nominal else f"{known[0]:g}"
        raise QuestionError(
            f"Target {target.name!r} is {value!r} in every row, so nothing can explain "
            "it. Choose another --target, or add rows of other classes."
        )
    return target


def take_row_options(
    table: Table, rows: dict[str, Any]
) -> tuple[Table, dict[str, Any]]:
    """Return the table without the columns that options name, and their values."""
    taken = dict(rows)
    for option, name in rows.items():
        if name is None or (option == "groups" and name == "auto"):
            continue
        flag = "--weights" if option == "sample_weight" else f"--{option}"
        if table.target is not None and name == table.target.name:
            raise UsageProblem(f"{flag} names {name!r}, which is the target.")
        if name not in table.names:
            near = nearest(name, list(table.names), 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise UsageProblem(f"{flag} names {name!r}, which is no column.{hint}")
        taken[option] = table[name]
        if option == "sample_weight":
            if table[name].is_nominal:
                raise UsageProblem(f"{flag} names {name!r}, which holds no numbers.")
            taken[option] = table[name].values
    named = set(rows.values())
    return table.select([name for name in table.names if name not in named]), taken


def fit_noting(selector: Any, data: Any, rows: dict[str, Any]) -> list[dict[str, Any]]:
    """Fit with options on rows; return as notes what belongs to the answer.

    That nothing was kept is told with it; all other warnings stay warnings.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        selector.fit(data, None, **rows)
    notes: list[dict[str, Any]] = []
    for each in caught:
        text = str(each.message)
        if issubclass(each.category, DependentRowsWarning):
            notes += shown_notes([Note("row_options", None, text)], None)
        elif issubclass(each.category, WeakEvidenceWarning):
            text = text.replace("`min_synergy`", "--min-synergy")
            text = text.replace("min_synergy='auto'", "--min-synergy auto")
            notes.append({"code": "weak_evidence", "column": None, "message": text})
        elif not issubclass(each.category, NoFeatureSelectedWarning):
            warnings.warn_explicit(
                each.message, each.category, each.filename, each.lineno
            )
    return notes


def open_parts(
    source: Source, target: str | None, target_bins: int | None, jobs: int, quiet: bool
) -> tuple[TableStream, int | None]:
    """Open the parts and read the target; say into how many classes it is cut."""
    with working(f"Opening {source.label}", quiet=quiet):
        stream = source.open(target)
    doing, total = f"Reading the target {stream.target!r}", stream.n_rows_if_known
    with source.where(), counting(doing, total, quiet=quiet) as progress:
        cut = None
        if stream.target_is_quantity(n_jobs=jobs, progress=progress):
            cut = target_bins or TARGET_BINS
        rule, labels = stream.class_rule(cut, n_jobs=jobs)
    if rule.n_classes < 2:
        raise QuestionError(
            f"Target {stream.target!r} is {str(labels[0])!r} in every row, so nothing "
            "can explain it. Choose another --target, or add rows of other classes."
        )
    if not stream.names:
        message = f"There is no column beside the target {stream.target!r}."
        raise QuestionError(message)
    return stream, cut


def count_stream(
    source: Source,
    target: str | None,
    target_bins: int | None,
    jobs: int,
    *,
    quiet: bool,
) -> tuple[TableStream, Any, int | None]:
    """Count all columns by class; return into how many classes a quantity was cut."""
    stream, cut = open_parts(source, target, target_bins, jobs, quiet)
    with (
        source.where(),
        warnings.catch_warnings(),
        counting("Counting", stream.n_rows, quiet=quiet) as progress,
    ):
        warnings.simplefilter("ignore", DroppedRowsWarning)
        counted = stream.count(target_bins=cut, n_jobs=jobs, progress=progress)
    return stream, counted, cut


def shown_notes(notes: Iterable[Note], target: str | None) -> list[dict[str, Any]]:
    """Return notes as answers have them, in words of the command line."""
    return [
        {
            "code": note.code,
            "title": note.title,
            "column": note.column,
            "effect": note.effect.value,
            "message": shell_words(note.message, target),
        }
        for note in notes
    ]


def own_note(code: str, target: str, text: str) -> dict[str, Any]:
    """Return a note on what the command line did with the target."""
    return {
        "code": code,
        "title": "What was done with the target",
        "column": target,
        "effect": "mention",
        "message": text,
    }


def choose_target_bins(
    target: Column, wanted: int | None, notes: list[dict[str, Any]]
) -> int | None:
    """Return into how many classes a quantity is cut; note a wish that is idle."""
    if not target.is_nominal:
        return wanted or TARGET_BINS
    if wanted is not None:
        text = f"Target {target.name!r} has classes already; --target-bins is not used."
        notes.insert(0, own_note("target_bins", target.name, text))
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
    notes.insert(0, own_note("target_cut", target, text))


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
        lines = io.StringIO(newline="")
        mark = "\t" if suffix == ".tsv" else ","
        writer = csv.DictWriter(lines, [*rows[0]], delimiter=mark, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        write_whole(path, lines.getvalue())


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
