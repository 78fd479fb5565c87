"""Say on a terminal or in a notebook how far a selection has come."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

__all__ = ["STAGES", "showing_progress"]

STAGES = {
    "screen": "Looking the columns over",
    "alone": "Each column alone",
    "together": "Columns together",
    "context": "In the context of a forest",
    "redundancy": "What others tell already",
}


@contextlib.contextmanager
def showing_progress(wanted: bool) -> Iterator[Callable[..., None]]:
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
