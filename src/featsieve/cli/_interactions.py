"""`featsieve interactions`: which features tell more about a target together."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from featsieve.cli._options import (
    OUT_SUFFIXES,
    DebugOption,
    EncodingOption,
    EngineOption,
    FilesArgument,
    JobsOption,
    JsonOption,
    MissingValuesOption,
    NominalOption,
    NumericOption,
    QuietOption,
    SchedulerOption,
    SeedOption,
    SeparatorOption,
    Source,
    TargetBinsOption,
    TargetOption,
    at_least,
    check_out,
    check_rate,
    choice,
)

__all__ = ["interactions"]

MISSING = ("level", "ignore")
GRAPH_SUFFIXES = (".svg", ".png")


def _bits(value: str) -> str:
    """Take "auto" or a number; Typer has no type for both."""
    word = value.strip().lower()
    if word != "auto":
        try:
            fine = math.isfinite(float(word))
        except ValueError:
            fine = False
        if not fine:
            message = f"{value!r} is neither auto nor a number of bits."
            raise typer.BadParameter(message)
    return word


def _auto(word: str) -> float | str:
    return word if word == "auto" else float(word)


def _bits_option(help_text: str) -> Any:
    return typer.Option(metavar="auto|BITS", help=help_text, callback=_bits)


def interactions(
    data: FilesArgument,
    target: TargetOption = None,
    top: Annotated[
        int | None,
        typer.Option(
            "--top",
            "-k",
            metavar="K",
            callback=at_least(1),
            help="Show, and write, the K best pairs of each kind only.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write interactions and pairs to a .csv, .tsv, .parquet or .json "
            "file.",
        ),
    ] = None,
    graph: Annotated[
        Path | None,
        typer.Option(
            "--graph",
            "-g",
            metavar="FILE",
            help="Draw features and what joins them to a .svg or .png file.",
        ),
    ] = None,
    alpha: Annotated[
        str,
        _bits_option(
            "Least synergy of an interaction; auto asks scans of permuted targets "
            "what is more than chance."
        ),
    ] = "auto",
    beta: Annotated[
        str,
        _bits_option(
            "Loss of joint gain at which features may go; auto keeps what tells more "
            "than the others do, beyond chance."
        ),
    ] = "auto",
    fdr: Annotated[
        float,
        typer.Option(
            metavar="RATE",
            help="False discovery rate of what auto chooses.",
            callback=check_rate,
        ),
    ] = 0.05,
    max_degree: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            callback=at_least(2),
            help="Largest number of features in an interaction; 2 looks at pairs "
            "only, which is faster.",
        ),
    ] = None,
    missing: Annotated[
        str,
        typer.Option(
            metavar="|".join(MISSING),
            help="Missing values are a level of their own, or left out pair by pair.",
            callback=choice(*MISSING),
        ),
    ] = "level",
    target_bins: TargetBinsOption = None,
    jobs: JobsOption = -1,
    seed: SeedOption = 0,
    nominal: NominalOption = None,
    numeric: NumericOption = None,
    missing_values: MissingValuesOption = None,
    separator: SeparatorOption = None,
    encoding: EncodingOption = "utf-8",
    engine: EngineOption = "local",
    scheduler: SchedulerOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    debug: DebugOption = False,  # noqa: ARG001  (its callback hears it)
) -> None:
    """Find features that tell more about a target together than apart.

    Every pair, and triples, are held against permutations of the target; what stands
    out is grouped, and features that tell nothing beyond the others are dropped. Pairs
    that tell the same are shown as well.

    Example: featsieve interactions customers.csv --target churn --graph graph.svg
    """
    if out is not None:
        check_out("--out", out, data, OUT_SUFFIXES)
    if graph is not None:
        check_out("--graph", graph, data, GRAPH_SUFFIXES)
    source = Source(
        data, nominal, numeric, missing_values, separator, encoding, engine, scheduler
    )
    # Late, so that `--help` need not wait for numpy and scikit-learn.
    from featsieve.cli._output import SafeConsole, print_json, tell_written, working

    with working("Starting", quiet=quiet or as_json):
        from featsieve.cli._interaction_search import (
            Search,
            check_drawable,
            draw_graph,
            find_interactions,
            shorten,
            write_interactions,
        )
        from featsieve.cli._interaction_tables import print_interactions

        if graph is not None:
            check_drawable()
    search = Search(
        target=target,
        alpha=_auto(alpha),
        beta=_auto(beta),
        fdr=fdr,
        max_degree=max_degree,
        missing=missing,
        target_bins=target_bins,
        jobs=jobs,
        seed=seed,
    )
    answer = find_interactions(source, search, quiet=quiet or as_json)
    if out is not None:
        write_interactions(shorten(answer, top), out)
    if graph is not None:
        draw_graph(answer, graph)
    if as_json:
        print_json(shorten(answer, top))
        return
    console = SafeConsole()
    print_interactions(console, answer, top=top, quiet=quiet)
    if not quiet:
        tell_written(console, out, graph)
