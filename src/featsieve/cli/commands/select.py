"""`featsieve select`: the features to keep, and why; the main job."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from featsieve.cli._errors import UsageProblem
from featsieve.cli._options import (
    DebugOption,
    JobsOption,
    JsonOption,
    QuietOption,
    SeedOption,
    Source,
    TargetOption,
    at_least,
    check_out,
    check_rate,
    out_option,
    takes_table,
)

REPORT_SUFFIXES = (".html", ".htm")
TABLE_SUFFIXES = (".csv", ".tsv", ".parquet")


def _seconds(value: float | None) -> float | None:
    if value is not None and not 0 < value < math.inf:
        message = f"{value:g} is not a number of seconds above 0."
        raise typer.BadParameter(message)
    return value


@takes_table(in_parts=True, rows=True)
def select(
    source: Source,
    rows: dict[str, Any],
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
        out_option(
            "Write the table with the selected features and the target only, to a "
            ".csv, .tsv or .parquet file."
        ),
    ] = None,
    max_selected: Annotated[
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
    min_features: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            callback=at_least(1),
            help="Keep at least N features, the best first, even if fewer matter.",
        ),
    ] = None,
    include_possible: Annotated[
        bool,
        typer.Option(
            "--include-possible",
            help="Also keep features some of which matter though rows are too few to "
            "say which.",
        ),
    ] = False,
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
    check_out("--report", report, source.files, REPORT_SUFFIXES)
    check_out("--out", out, source.files, TABLE_SUFFIXES)
    if out is not None and source.is_stream:
        message = (
            "--out takes the columns out of one file, and DATA is in parts. Leave it "
            "out; --json has the names of the features."
        )
        raise UsageProblem(message)
    # Late, so that `--help` need not wait for numpy and scikit-learn.
    from featsieve.cli.views import output

    with output.working("Starting", quiet=quiet or as_json):
        from featsieve.cli.views.select import (
            check_reportable,
            print_selection,
            select_features,
            write_selected,
        )

    if report is not None:
        check_reportable()
    selection = select_features(
        source,
        quiet=quiet or as_json,
        target=target,
        max_selected=max_selected,
        fdr=fdr,
        min_features=min_features,
        include_possible=include_possible,
        time_budget=time_budget,
        **rows,
        n_jobs=jobs,
        random_state=seed,
    )
    if report is not None:
        selection.report(report)
    if out is not None:
        write_selected(source, selection, out)
    if as_json:
        output.print_json(selection.to_dict())
        return
    console = output.SafeConsole()
    print_selection(console, selection, quiet=quiet)
    if not quiet:
        output.tell_written(console, report, out)
