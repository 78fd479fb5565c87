"""Consoles, bars and numbers: how things look, wherever they are shown."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from featsieve._text import visible

BLOCKS = " ▏▎▍▌▋▊▉█"
HEIGHTS = "▁▂▃▄▅▆▇"  # not the full block, which would touch the line above
# Quick work shows nothing: a line that flashes by only worries.
SECONDS_BEFORE_PROGRESS = 0.5


class SafeConsole(Console):
    """A console that prints text as it is: no markup, no emoji codes, no colouring."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def on_broken_pipe(self) -> NoReturn:
        """Leave it to the caller, who knows what a reader that left means."""
        raise BrokenPipeError


def sentence(text: str, style: str = "") -> Text:
    """Return text that is shown literally."""
    return Text(visible(text), style=style)


def name_cell(name: object, style: str = "") -> Text:
    """Return a name that is cut, not broken, where it does not fit."""
    return Text(visible(name), style=style, no_wrap=True, overflow="ellipsis")


def table_for_people(width: int) -> Table:
    """Return an empty table in the style of the house, tight where room is short."""
    tight = width < 100
    return Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 0) if tight else (0, 1, 0, 0),
    )


class Shown(NamedTuple):
    """A column for people: its title, what it shows of a row, how it is set.

    A "name" gives way where room is short, a "figure" stands at the right. Terminals
    narrower than `least` do without it; `size` is its width if that is fixed.
    """

    title: str
    cell: Callable[[Any], Any]
    kind: str = "mark"
    least: int = 0
    size: int | None = None


def grid_of(
    rows: Iterable[Any], columns: Iterable[Shown], width: int, faint: Iterable[Any] = ()
) -> Table:
    """Return rows as a table; a narrow terminal gets fewer columns, not broken ones."""
    grid = table_for_people(width)
    shown = [column for column in columns if width >= column.least]
    dim = {id(row) for row in faint}
    for column in shown:
        grid.add_column(
            column.title,
            justify="right" if column.kind == "figure" else "left",
            no_wrap=column.kind != "name",
            width=column.size,
        )
    for row in rows:
        style = "dim" if id(row) in dim else ""
        grid.add_row(*(column.cell(row) for column in shown), style=style)
    return grid


def bullet(text: str, indent: int = 0) -> Table:
    """Return an item of a list, its further lines under the first."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_row(" " * indent + "-", sentence(text))
    return grid


def bar(share: float, width: int) -> str:
    """Return a bar of `share` times `width` cells, to the eighth of a cell."""
    share = min(max(share, 0.0), 1.0)
    eighths = round(share * width * 8)
    if share > 0:
        eighths = max(eighths, 1)
    full, rest = divmod(eighths, 8)
    return "█" * full + (BLOCKS[rest] if rest else "")


def two_sided_bar(share: float, half: int) -> Text:
    """Return a bar to the right of a middle line, or to the left if it is negative."""
    left = right = ""
    if share < 0:
        # Blocks grow from the left only; but for a half, the right ones are missing.
        full, rest = divmod(max(round(min(-share, 1.0) * half * 2), 1), 2)
        left = ("▐" if rest else "") + "█" * full
    else:
        right = bar(share, half)
    text = Text().append(left.rjust(half), "blue").append("│", "dim")
    return text.append(right.ljust(half), "red")


def sparkline(counts: Sequence[int]) -> str:
    """Return one block per count, as high as the count; nothing where it is zero."""
    most = max(counts, default=0)
    return "".join(
        HEIGHTS[min(int(7 * n / most), 6)] if n else " " for n in counts if most
    )


def percent(share: float) -> str:
    """Return a share in percent, told apart from exactly none and exactly all."""
    if 0 < share < 0.005:
        return "<1 %"
    if 0.995 <= share < 1:
        return ">99 %"
    return f"{100 * share:.0f} %"


def probability(p: float) -> str:
    """Return a p-value as it is read: three digits, or below the last of them."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def kind_of(row: dict[str, Any]) -> str:
    """Return how many levels a column has, or what its numbers are."""
    if row["kind"] == "nominal":
        return plural(row["n_levels"], "level")
    return "date" if row.get("date") else "numeric"


def gaps_of(row: dict[str, Any]) -> str:
    """Return which share of a column is missing."""
    return percent(row["missing_share"]) if row["n_missing"] else "–"


def number(value: float) -> str:
    """Return a number with four significant digits, without decimals from 1000 on."""
    size = abs(value)
    if size < 1e10 and (size >= 1000 or value == int(value)):
        return f"{value:.0f}"
    return f"{value:.4g}"


def count(n: int) -> str:
    """Return a count with its thousands apart."""
    return f"{n:,}"


def plural(n: int, word: str) -> str:
    """Return "1 row", "2 rows", "3 classes"."""
    ending = "" if n == 1 else "es" if word.endswith("s") else "s"
    return f"{count(n)} {word}{ending}"


def print_json(data: Any) -> None:
    """Print data for programs, and nothing else, to standard output."""
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    # Lone surrogates, as in odd file names, are not UTF-8.
    text = json.dumps(data, indent=2, ensure_ascii=not unicode, allow_nan=False)
    sys.stdout.write(text + "\n")


def tell_written(console: Console, *paths: Path | None) -> None:
    """Say which files were written, of those that were asked for."""
    for path in paths:
        if path is not None:
            console.print(f"Written to {str(path)!r}.", style="dim", soft_wrap=True)


def _bars(columns: str, *, quiet: bool) -> Any:
    """Return bars of these columns for a terminal's standard error, if it is one."""
    console = SafeConsole(stderr=True)
    if quiet or not console.is_terminal:
        return None
    from rich import progress

    known = {
        "text": progress.TextColumn("{task.description}"),
        "spinner": progress.SpinnerColumn(),
        "bar": progress.BarColumn(),
        "done": progress.MofNCompleteColumn(),
        "spent": progress.TimeElapsedColumn(),
        "left": progress.TimeRemainingColumn(),
    }
    wanted = [known[word] for word in columns.split()]
    return progress.Progress(*wanted, console=console, transient=True)


def _literal(text: str) -> str:
    return visible(text).replace("[", "\\[")


@contextlib.contextmanager
def working(text: str, *, quiet: bool) -> Iterator[None]:
    """Show on a terminal's standard error that work goes on, if it takes a while."""
    bars = _bars("spinner text spent", quiet=quiet)
    if bars is None:
        yield
        return
    bars.add_task(_literal(text), total=None)
    finished = threading.Event()

    def show() -> None:
        if not finished.wait(SECONDS_BEFORE_PROGRESS):
            with bars:
                finished.wait()

    shower = threading.Thread(target=show, daemon=True)
    shower.start()
    try:
        yield
    finally:
        finished.set()
        shower.join()


@contextlib.contextmanager
def counting(
    text: str, total: int | None, *, quiet: bool, then: str | None = None
) -> Iterator[Callable[[int], None] | None]:
    """Show how many rows are done, of how many if that is known; yield the counter.

    `then` is what is done when all rows are, without an end that is known.
    """
    bars = _bars("text bar done spent left", quiet=quiet)
    if bars is None:
        yield None
        return
    with bars:
        task = bars.add_task(_literal(text), total=total)
        done = 0

        def count_rows(rows: int) -> None:
            nonlocal done
            done += rows
            bars.update(task, completed=done)
            if then is not None and total is not None and done >= total:
                bars.reset(task, total=None, description=then)

        yield count_rows


@contextlib.contextmanager
def showing_rounds(
    title: str, *, quiet: bool
) -> Iterator[Callable[[Any], None] | None]:
    """Show on a terminal's standard error how far a `Progress` is, and what is left."""
    bars = _bars("bar text", quiet=quiet)
    if bars is None:
        yield None
        return
    with bars:
        task = bars.add_task(title, total=None)

        def show(progress: Any) -> None:
            told = {"completed": progress.done, "description": str(progress)}
            bars.update(task, total=progress.total, **told)

        yield show
