"""`featsieve select`: the features to keep, and why; the main job."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import typer

from featsieve.cli import _options as options
from featsieve.cli._errors import UsageProblem
from featsieve.cli._options import Source, at_least, option

REPORT_SUFFIXES = (".html", ".htm")
TABLE_SUFFIXES = (".csv", ".tsv", ".parquet")


def _seconds(value: float | None) -> float | None:
    if value is not None and not 0 < value < math.inf:
        message = f"{value:g} is not a number of seconds above 0."
        raise typer.BadParameter(message)
    return value


@options.takes_table(in_parts=True, rows=True)
def select(
    source: Source,
    rows: dict[str, Any],
    target: options.TargetOption = None,
    report: Path | None = option(
        None,
        "Write a page to look at: one .html file that needs nothing else.",
        "FILE",
        flags="--report -r",
    ),
    out: Path | None = option(
        None,
        "Write the table with the selected features and the target only, to a .csv, "
        ".tsv or .parquet file.",
        "FILE",
        flags="--out -o",
    ),
    max_selected: int | None = option(
        None,
        "Keep at most N features; interactions are not torn apart.",
        "N",
        at_least(1),
    ),
    fdr: float = option(
        0.05,
        "False discovery rate: this share of the relevant features may be noise.",
        "RATE",
        options.check_rate,
    ),
    min_features: int | None = option(
        None,
        "Keep at least N features, the best first, even if fewer matter.",
        "N",
        at_least(1),
    ),
    include_possible: bool = option(
        False,
        "Also keep features some of which matter though rows are too few to say which.",
        flags="--include-possible",
    ),
    time_budget: float | None = option(
        None,
        "Time to aim at; fewer rows and permutations are used to keep to it.",
        "SECONDS",
        _seconds,
    ),
    jobs: options.JobsOption = -1,
    seed: options.SeedOption = 0,
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
    debug: options.DebugOption = False,  # noqa: ARG001  (its callback hears it)
) -> None:
    """Select the features of a table that matter for a target, and say why.

    Features that matter alone, only together with others, or only for some rows are
    kept; what others tell already is set aside, and the one that displaced it named.
    Of several files or a directory columns and pairs are counted in all rows, the rest
    is judged on up to 100,000 rows that are drawn.

    Example: featsieve select customers.csv --target churn --report report.html
    """
    options.check_out("--report", report, source.files, REPORT_SUFFIXES)
    options.check_out("--out", out, source.files, TABLE_SUFFIXES)
    if out is not None and source.is_stream:
        message = (
            "--out takes the columns out of one file, and DATA is in parts. Leave it "
            "out; --json has the names of the features."
        )
        raise UsageProblem(message)
    # Late, so that `--help` need not wait for numpy and scikit-learn.
    from featsieve.cli.views import output

    with output.working("Starting", quiet=quiet or as_json):
        from featsieve.cli.views import select as view

    if report is not None:
        view.check_reportable()
    selection = view.select_features(
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
        view.write_selected(source, selection, out)
    if as_json:
        output.print_json(selection.to_dict())
        return
    console = output.SafeConsole()
    view.print_selection(console, selection, quiet=quiet)
    if not quiet:
        output.tell_written(console, report, out)
