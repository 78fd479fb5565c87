"""`featsieve demo`: the main job on a built-in table whose answer is known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from featsieve.cli._options import DebugOption

__all__ = ["demo"]


def demo(
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Folder for the table, the report and the picture.",
        ),
    ] = Path("demo-output"),
    debug: DebugOption = False,  # noqa: ARG001  (its callback hears it)
) -> None:
    """Select from a built-in table, compare with the truth, and look behind it.

    The table is invented: 2,000 customers of a telephone company, of whom some stay,
    some downgrade and some leave. Which columns matter is known by construction.
    """
    from featsieve.cli._output import SafeConsole, working

    with working("Starting", quiet=False):
        from featsieve.cli._demonstration import run_demo

    run_demo(SafeConsole(), out)
