"""What a selection works on: a table as it is, or rows drawn from a larger one."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from featsieve.data import Note, Table, TableStream, open_stream, read_table
from featsieve.engine import is_dask_frame
from featsieve.exceptions import DataError

__all__ = [
    "MOST_DRAWN",
    "SAMPLED",
    "Handover",
    "Origin",
    "draw_rows",
    "drawn_and_counted",
    "is_in_parts",
    "open_rows",
    "told_drawing",
]

#: Rows drawn from a table in parts: five times what tests are made on, so that scores
#: of several samples give an interval; wide tables of so many rows still fit.
MOST_DRAWN = 100_000

#: Code of the note that says so, and what it says of the rest.
SAMPLED = "sampled_rows"
ABOUT_DRAWN = "what is said is about these"
ABOUT_ALL = (
    "what each column and each pair tells was counted in all of them, larger sets, the "
    "forest and copies are about the drawn ones"
)


@dataclass(slots=True, eq=False)
class Handover:
    """A table on its way down to who works on it.

    Callers that keep nothing but this let go of the table once it is taken, so that its
    memory is free as soon as the rows are there in another order.
    """

    table: Table | None

    def look(self) -> Table:
        """Return the table and leave it here."""
        assert self.table is not None  # it is taken once
        return self.table

    def take(self) -> Table:
        """Return the table and let go of it."""
        table, self.table = self.look(), None
        return table


@dataclass(frozen=True, slots=True)
class Origin:
    """What a table is called, and how code would name it."""

    name: str | None = None
    expression: str = "data"

    @classmethod
    def of(cls, data: Any) -> Origin:
        """Return the name of files; what is in memory has none."""
        if isinstance(data, (str, os.PathLike)):
            name = Path(data).name
            return cls(name, repr(name)) if name else cls()
        if isinstance(data, (list, tuple)) and is_in_parts(data):
            names = [Path(item).name for item in data]
            rest = len(names) - 1
            return cls(f"{names[0]} and {rest} more" if rest else names[0], repr(names))
        return cls()


def is_in_parts(data: Any) -> bool:
    """Whether a table is read part by part: a stream, a folder, files, Dask."""
    if isinstance(data, TableStream) or is_dask_frame(data):
        return True
    if isinstance(data, (list, tuple)):
        return bool(data) and all(isinstance(item, (str, os.PathLike)) for item in data)
    if not isinstance(data, (str, os.PathLike)):
        return False
    path = Path(data)
    pattern = any(mark in str(data) for mark in "*?[")
    return path.is_dir() or (pattern and not path.exists())


def open_rows(
    data: Any, target: Any, seed: int, **reading: Any
) -> tuple[Table, TableStream | None]:
    """Read a table, or draw rows of one that is in parts; return these too."""
    if not is_in_parts(data):
        return read_table(data, target, **reading), None
    if isinstance(data, TableStream):
        _check_settled(target, reading, data)
        return draw_rows(data, seed), data
    by_name = isinstance(target, str | int | np.integer)
    if not by_name or isinstance(target, bool):
        message = (
            "The target of a table in parts must be one of its columns. Say `target=` "
            "with a name or a position."
        )
        raise DataError(message)
    stream = open_stream(data, target, **reading)
    return draw_rows(stream, seed), stream


def _check_settled(target: Any, reading: dict[str, Any], stream: TableStream) -> None:
    """Raise if something is asked that was settled when the stream was opened."""
    asked = [name for name, value in reading.items() if value is not None]
    if target is not None and not (isinstance(target, str) and target == stream.target):
        asked.insert(0, "target")
    if asked:
        message = (
            f"A stream knows its target and kinds already, so `{asked[0]}=` must be "
            "said to `open_stream`."
        )
        raise DataError(message)


def draw_rows(
    stream: TableStream, seed: int, progress: Callable[[int], None] | None = None
) -> Table:
    """Draw as many rows as a selection can use, and note how many there are."""
    n_rows = stream.n_rows
    table = stream.sample(MOST_DRAWN, random_state=seed, progress=progress)
    if n_rows <= MOST_DRAWN:
        return table
    text = (
        f"{MOST_DRAWN:,} of {n_rows:,} rows were drawn at random from all parts; "
        f"{ABOUT_DRAWN}."
    )
    notes = (*table.notes, Note(SAMPLED, None, text))
    return replace(table, notes=notes)


def drawn_and_counted(table: Table) -> Table:
    """Return drawn rows with a note that counts are of all rows."""
    notes = tuple(
        replace(note, message=note.message.replace(ABOUT_DRAWN, ABOUT_ALL))
        if note.code == SAMPLED
        else note
        for note in table.notes
    )
    return replace(table, notes=notes)


def told_drawing(table: Table) -> str | None:
    """Return what was noted on rows drawn from a larger table."""
    told = (note.message for note in table.notes if note.code == SAMPLED)
    return next(told, None)
