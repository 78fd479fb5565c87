"""`featsieve interactions`: which features tell more about a target together."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import typer

from featsieve.cli import _options as options
from featsieve.cli._options import Source, at_least, option

MISSING = ("level", "ignore")
GRAPH_SUFFIXES = (".svg", ".png")


def _bits(value: str) -> str:
    """Take "auto" or a number; Typer has no type for both."""
    word = value.strip().lower()
    try:
        fine = word == "auto" or math.isfinite(float(word))
    except ValueError:
        fine = False
    if not fine:
        raise typer.BadParameter(f"{value!r} is neither auto nor a number of bits.")
    return word


def _auto(word: str) -> float | str:
    return word if word == "auto" else float(word)


@options.takes_table(in_parts=True, rows=True)
def interactions(
    source: Source,
    rows: dict[str, Any],
    target: options.TargetOption = None,
    top: int | None = option(
        None,
        "Show, and write, the K best pairs of each kind only.",
        "K",
        at_least(1),
        "--top -k",
    ),
    out: Path | None = option(
        None,
        "Write interactions and pairs to a .csv, .tsv, .parquet or .json file.",
        "FILE",
        flags="--out -o",
    ),
    graph: Path | None = option(
        None,
        "Draw features and what joins them to a .svg or .png file.",
        "FILE",
        flags="--graph -g",
    ),
    min_synergy: str = option(
        "auto",
        "Least synergy of an interaction; auto asks scans of permuted targets what is "
        "more than chance.",
        "auto|BITS",
        _bits,
    ),
    max_loss: str = option(
        "auto",
        "Loss of joint gain at which features may go; auto keeps what tells more than "
        "the others do, beyond chance.",
        "auto|BITS",
        _bits,
    ),
    fdr: float = option(
        0.05, "False discovery rate of what auto chooses.", "RATE", options.check_rate
    ),
    max_degree: int | None = option(
        None,
        "Largest number of features in an interaction; 2 looks at pairs only, which is "
        "faster.",
        "K",
        at_least(2),
    ),
    missing: str = option(
        "level",
        "Missing values are a level of their own, or left out pair by pair.",
        "|".join(MISSING),
        options.choice(*MISSING),
    ),
    target_bins: options.TargetBinsOption = None,
    jobs: options.JobsOption = -1,
    seed: options.SeedOption = 0,
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
    debug: options.DebugOption = False,  # noqa: ARG001  (its callback hears it)
) -> None:
    """Find features that tell more about a target together than apart.

    Every pair, and triples, are held against permutations of the target; what stands
    out is grouped, and features that tell nothing beyond the others are dropped. Pairs
    that tell the same are shown as well.

    Example: featsieve interactions customers.csv --target churn --graph graph.svg
    """
    options.check_out("--out", out, source.files, options.OUT_SUFFIXES)
    options.check_out("--graph", graph, source.files, GRAPH_SUFFIXES)
    # Late, so that `--help` need not wait for numpy and scikit-learn.
    from featsieve.cli.views import output

    with output.working("Starting", quiet=quiet or as_json):
        from featsieve.cli.views import interaction_answers as answers
        from featsieve.cli.views.interactions import print_interactions

        if graph is not None:
            answers.check_drawable()
    answer = answers.find_interactions(
        source,
        quiet=quiet or as_json,
        target=target,
        rows=rows,
        min_synergy=_auto(min_synergy),
        max_loss=_auto(max_loss),
        fdr=fdr,
        max_degree=max_degree,
        missing=missing,
        target_bins=target_bins,
        jobs=jobs,
        seed=seed,
    )
    if out is not None:
        answers.write_interactions(answers.shorten(answer, top), out)
    if graph is not None:
        answers.draw_graph(answer, graph)
    if as_json:
        output.print_json(answers.shorten(answer, top))
        return
    console = output.SafeConsole()
    print_interactions(console, answer, top=top, quiet=quiet)
    if not quiet:
        output.tell_written(console, out, graph)
