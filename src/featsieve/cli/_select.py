"""`featsieve select`: the features to keep, and why; the main job."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from featsieve.cli._errors import UsageProblem
from featsieve.cli._options import (
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
    TargetOption,
    at_least,
    check_out,
    check_rate,
)

__all__ = ["select"]

REPORT_SUFFIXES = (".html", ".htm")
TABLE_SUFFIXES = (".csv", ".tsv", ".parquet")


def _seconds(value: float | None) -> float | None:
    if value is not None and not 0 < value < math.inf:
        message = f"{value:g} is not a number of seconds above 0."
        raise typer.BadParameter(message)
    return value


def select(
    data: FilesArgument,
    target: TargetOption = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            "-r",
            metavar="FILE",
            help="Write a page to look at: one .html file that needs nothing else.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write the table with the selected features and the target only, to a "
            ".csv, .tsv or .parquet file.",
        ),
    ] = None,
    max_features: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            callback=at_least(1),
            help="Keep at most N features; interactions are not torn apart.",
        ),
    ] = None,
    fdr: Annotated[
        float,
        typer.Option(
            metavar="RATE",
            help="False discovery rate: this share of the relevant features may be "
            "noise.",
            callback=check_rate,
        ),
    ] = 0.05,
    time_budget: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            callback=_seconds,
            help="Time to aim at; fewer rows and permutations are used to keep to it.",
        ),
    ] = None,
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
    """Select the features of a table that matter for a target, and say why.

    Features that matter alone, only together with others, or only for some rows are
    kept; what others tell already is set aside, and the one that displaced it named.
    Of several files or a directory columns and pairs are counted in all rows, the rest
    is judged on up to 100,000 rows that are drawn.

    Example: featsieve select customers.csv --target churn --report report.html
    """
    if report is not None:
        check_out("--report", report, data, REPORT_SUFFIXES)
    if out is not None:
        check_out("--out", out, data, TABLE_SUFFIXES)
    source = Source(
        data, nominal, numeric, missing_values, separator, encoding, engine, scheduler
    )
    if out is not None and source.is_stream:
        message = (
            "--out takes the columns out of one file, and DATA is in parts. Leave it "
            "out; --json has the names of the features."
        )
        raise UsageProblem(message)
    # Late, so that `--help` need not wait for numpy and scikit-learn.
    from featsieve.cli._output import SafeConsole, print_json, tell_written, working

    with working("Starting", quiet=quiet or as_json):
        from featsieve.cli._selecting import (
            Wish,
            check_reportable,
            print_selection,
            select_features,
        )

    if report is not None:
        check_reportable()
    wish = Wish(target, max_features, fdr, time_budget, jobs, seed)
    selection, table = select_features(source, wish, quiet=quiet or as_json)
    if report is not None:
        selection.report(report)
    if out is not None:
        from featsieve.cli._chosen_columns import write_selected

        write_selected(source, table, selection.features, out)
    if as_json:
        print_json(selection.to_dict())
        return
    console = SafeConsole()
    print_selection(console, selection.to_dict(), quiet=quiet)
    if not quiet:
        tell_written(console, report, out)
