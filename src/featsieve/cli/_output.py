"""Consoles, bars and numbers: how things look, wherever they are shown."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from featsieve._text import visible

__all__ = [
    "SafeConsole",
    "bar",
    "bullet",
    "count",
    "counting",
    "file_size",
    "name_cell",
    "number",
    "percent",
    "plural",
    "print_json",
    "probability",
    "sentence",
    "showing_rounds",
    "sparkline",
    "table_for_people",
    "tell_written",
    "two_sided_bar",
    "working",
]

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


def two_sided_bar(share: float, half: int, *, bright: bool) -> Text:
    """Return a bar to the right of a middle line, or to the left if it is negative."""
    left = right = ""
    if share < 0:
        # Blocks grow from the left only; but for a half, the right ones are missing.
        full, rest = divmod(max(round(min(-share, 1.0) * half * 2), 1), 2)
        left = ("▐" if rest else "") + "█" * full
    else:
        right = bar(share, half)
    text = Text().append(left.rjust(half), "blue" if bright else "dim blue")
    text.append("│", "dim")
    return text.append(right.ljust(half), "red" if bright else "dim red")


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


def file_size(size: int) -> str:
    """Return a size in bytes as people say it."""
    amount = float(size)
    for unit in ("bytes", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.3g} {unit}" if size >= 1000 else plural(size, "byte")
        amount /= 1000
    return f"{amount:.3g} GB"


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


@contextlib.contextmanager
def working(text: str, *, quiet: bool) -> Iterator[None]:
    """Show on a terminal's standard error that work goes on, if it takes a while."""
    console = SafeConsole(stderr=True)
    if quiet or not console.is_terminal:
        yield
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    progress = Progress(*columns, console=console, transient=True)
    progress.add_task(visible(text).replace("[", "\\["), total=None)
    finished = threading.Event()

    def show() -> None:
        if not finished.wait(SECONDS_BEFORE_PROGRESS):
            with progress:
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
    console = SafeConsole(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(visible(text).replace("[", "\\["), total=total)
        done = 0

        def count_rows(rows: int) -> None:
            nonlocal done
            done += rows
            progress.update(task, completed=done)
            if then is not None and total is not None and done >= total:
                progress.reset(task, total=None, description=then)

        yield count_rows


@contextlib.contextmanager
def showing_rounds(
    title: str, *, quiet: bool
) -> Iterator[Callable[[Any], None] | None]:
    """Show on a terminal's standard error how far a `Progress` is, and what is left."""
    console = SafeConsole(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(), TextColumn("{task.description}"))
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=None)

        def show(progress: Any) -> None:
            bar.update(
                task,
                total=progress.total,
                completed=progress.done,
                description=str(progress),
            )

        yield show
