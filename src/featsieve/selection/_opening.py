"""What a selection works on, how its rows belong together, and how far it is."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from featsieve._types import Floats, Mask
from featsieve.data import Note, Table, TableStream, open_stream, read_table
from featsieve.data.api import (
    ANY_ORDER,
    RowDesign,
    RowOptions,
    canonical_order,
    read_design,
    read_weights,
    take_options,
)
from featsieve.engine import derive_seed
from featsieve.engine.api import is_dask_frame
from featsieve.exceptions import DataError
from featsieve.inference.api import look_for_dependence, to_units
from featsieve.selection._settings import Settings, names_files


class _Values:
    """Stands for values that are too many to repeat."""

    def __str__(self) -> str:
        return "(values)"


VALUES = _Values()


@dataclass(frozen=True, slots=True)
class RowWishes(RowOptions):
    """What was said of the rows, to be repeated or refused."""

    @property
    def asked(self) -> dict[str, Any]:
        """All options as code can repeat them; values are called by their option."""
        return {
            name: value if value is None or isinstance(value, str) else VALUES
            for name, value in self.all.items()
        }

    def refuse(self, what: str) -> None:
        """Raise if something was said that cannot be heeded."""
        for name in self.given:
            message = f"select takes no {name} with {what}. Leave it out."
            raise DataError(message)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The design and weights of the rows of a table; `auto` asks the rows as well."""

    design: RowDesign = ANY_ORDER
    weights: Floats | None = None
    auto: bool = False


def settle_rows(table: Table, wishes: RowWishes) -> tuple[Table, Rows]:
    """Return the table without the columns that options name, and its rows."""
    table, columns, weights = take_options("select", table, wishes.given)
    design = read_design("select", table.n_rows, **columns)
    weights = read_weights(weights, table.n_rows)
    return table, Rows(design, weights, wishes.is_auto)


def make_units(
    table: Table, whole: Table, rows: Rows, seed: int
) -> tuple[Table, RowDesign, list[Note]]:
    """Return the units that tests are made on, their design, and notes on both.

    `whole` has all columns, identifiers among them, which show groups.
    """
    notes: list[Note] = []
    design, weights = rows.design, rows.weights
    if rows.auto and weights is None:
        for found in look_for_dependence(whole):
            notes.append(found.note)
            if found.rows is not None:
                table = table.take(found.rows)
            else:
                design = found.design
    if weights is not None:
        assert table.target is not None  # the caller has checked
        order, _ = canonical_order(table, table.target, weights)
        used = np.empty(len(weights), dtype=bool)
        used[order] = thin(weights[order], seed)
        kept = int(np.count_nonzero(used))
        text = (
            f"Rows are drawn by their weights, {kept} of {len(used)}: tests have the "
            "effective number of rows."
        )
        notes.append(Note("row_options", None, text))
        table, design = table.take(used), design.take(used)
    units = to_units(table, design, seed=derive_seed(seed, "units"))
    if units.text is not None:
        notes.append(Note("row_options", None, units.text))
    bare = replace(units.table, source_notes=())
    return bare, units.design, notes


def thin(weights: Floats, seed: int) -> Mask:
    """Return which rows stay if each does with a chance by its weight.

    Of rows as heavy as the mean weight of the weight, or heavier, all stay, so that at
    most (Σ w)² / Σ w² do, the effective number of rows. They are a plain sample of the
    weighted table.
    """
    full = float((weights**2).sum() / weights.sum())
    random = np.random.default_rng(derive_seed(seed, "weights"))
    stays: Mask = random.random(len(weights)) * full < weights
    return stays


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


@dataclass(frozen=True, slots=True)
class Drawing:
    """How many rows of how many were drawn, and whether all were counted as well."""

    n_drawn: int
    n_rows: int
    counted: bool = False

    @property
    def text(self) -> str:
        """One sentence for people."""
        about = ABOUT_ALL if self.counted else ABOUT_DRAWN
        return (
            f"{self.n_drawn:,} of {self.n_rows:,} rows were drawn at random from all "
            f"parts; {about}."
        )

    def noted(self, table: Table) -> Table:
        """Return the drawn rows with a note that they are."""
        notes = (*table.source_notes, Note(SAMPLED, None, self.text))
        return replace(table, source_notes=notes)


@dataclass(slots=True, eq=False)
class Handover:
    """A table on its way down to who works on it.

    Callers that keep nothing but this let go of the table once it is taken, so that its
    memory is free as soon as the rows are there in another order.
    """

    table: Table | None
    rows: Rows = field(default_factory=Rows)
    drawing: Drawing | None = None

    def look(self) -> Table:
        """Return the table and leave it here."""
        assert self.table is not None  # it is taken once
        return self.table

    def take(self) -> Table:
        """Return the table and let go of it."""
        table, self.table = self.look(), None
        return table


def is_in_parts(data: Any) -> bool:
    """Whether a table is read part by part: a stream, a folder, files, Dask."""
    if not names_files(data):
        return isinstance(data, TableStream) or is_dask_frame(data)
    if isinstance(data, (list, tuple)):
        return True
    path = Path(data)
    pattern = any(mark in str(data) for mark in "*?[")
    return path.is_dir() or (pattern and not path.exists())


def open_rows(
    data: Any, target: Any, reading: dict[str, Any], settings: Settings, tell: Tell
) -> tuple[Handover, TableStream | None]:
    """Read a table, or draw rows of one that is in parts; return these too."""
    tell("read")
    if not is_in_parts(data):
        return Handover(read_table(data, target, **reading)), None
    if isinstance(data, TableStream):
        _check_settled(target, reading, data)
        return draw_rows(data, settings, tell), data
    by_name = isinstance(target, str | int | np.integer)
    if not by_name or isinstance(target, bool):
        message = (
            "The target of a table in parts must be one of its columns. Say `target=` "
            "with a name or a position."
        )
        raise DataError(message)
    stream = open_stream(data, target, **reading)
    return draw_rows(stream, settings, tell), stream


def _check_settled(target: Any, reading: dict[str, Any], stream: TableStream) -> None:
    """Raise if something is asked that was settled when the stream was opened."""
    usual = inspect.signature(open_stream).parameters
    asked = [name for name, value in reading.items() if value != usual[name].default]
    if target is not None and not (isinstance(target, str) and target == stream.target):
        asked.insert(0, "target")
    if asked:
        message = (
            f"A stream knows its target and kinds already, so `{asked[0]}=` must be "
            "said to `open_stream`."
        )
        raise DataError(message)


def draw_rows(stream: TableStream, settings: Settings, tell: Tell) -> Handover:
    """Draw as many rows as a selection can use, and remember how many there are."""
    if stream.n_rows_if_known is None:
        counted = RowsRead(tell, "read", None)
        stream.target_is_quantity(n_jobs=settings.n_jobs, progress=counted)
    n_rows = stream.n_rows
    read = RowsRead(tell, "read", n_rows)
    table = stream.sample(MOST_DRAWN, random_state=settings.seed, progress=read)
    if n_rows <= MOST_DRAWN:
        return Handover(table)
    return Handover(table, drawing=Drawing(MOST_DRAWN, n_rows))


#: Says which stage begins, or how far it is: its name, a share and a detail.
Tell = Callable[..., None]
#: Share of a stage that is reading rows.
ROWS_SHARE = 0.9

STAGES = {
    "read": "Reading the table",
    "screen": "Looking the columns over",
    "alone": "Each column alone",
    "together": "Columns together",
    "context": "In the context of a forest",
    "redundancy": "What others tell already",
}


@contextlib.contextmanager
def showing_progress(wanted: bool) -> Iterator[Tell]:
    """Yield a function that takes the name of a stage and how much of it is done."""
    if wanted:
        from rich.console import Console  # noqa: PLC0415  (slow, and seldom needed)

        console = Console(stderr=True)
        wanted = console.is_terminal or console.is_jupyter
    if not wanted:
        yield lambda *_: None
        return
    from rich.progress import (  # noqa: PLC0415  (as above)
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("Starting", total=len(STAGES))
        places = {stage: place for place, stage in enumerate(STAGES)}

        def tell(stage: str, share: float = 0.0, detail: str = "") -> None:
            at = places[stage] + share
            text = f"{STAGES[stage]}: {detail}" if detail else STAGES[stage]
            progress.update(task, description=text, completed=at)

        yield tell


class RowsRead:
    """Sums up rows that were read and says which share of all they are."""

    def __init__(self, tell: Tell, stage: str, n_rows: int | None) -> None:
        self._tell = tell
        self._stage = stage
        self._whole = n_rows
        self._done = 0

    def __call__(self, n_rows: int) -> None:
        """Add rows to those that were read."""
        self._done += n_rows
        if self._whole is None:
            self._tell(self._stage, 0.0, f"{self._done:,} rows")
            return
        self._done = min(self._done, self._whole)
        # What follows the last row, such as tests, is a part of the stage, too.
        share = ROWS_SHARE * self._done / max(1, self._whole)
        self._tell(self._stage, share, f"{self._done:,} of {self._whole:,} rows")
