"""`featsieve demo`: the main job on a built-in table whose answer is known."""

from __future__ import annotations

from pathlib import Path

from featsieve.cli._options import DebugOption, option


def demo(
    out: Path = option(
        Path("demo-output"),
        "Folder for the table, the report and the picture.",
        "DIR",
        flags="--out -o",
    ),
    debug: DebugOption = False,  # noqa: ARG001  (its callback hears it)
) -> None:
    """Select from a built-in table, compare with the truth, and look behind it.

    The table is invented: 2,000 customers of a telephone company, of whom some stay,
    some downgrade and some leave. Which columns matter is known by construction.
    """
    from featsieve.cli.views.output import SafeConsole, working

    with working("Starting", quiet=False):
        from featsieve.cli.views.demo import run_demo

    run_demo(SafeConsole(), out)
