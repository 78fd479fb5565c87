"""`featsieve compare`: which selector serves which learner best."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from featsieve.cli._errors import UsageProblem
from featsieve.cli._options import (
    OUT_SUFFIXES,
    DataArgument,
    DebugOption,
    EncodingOption,
    JobsOption,
    JsonOption,
    MissingValuesOption,
    NominalOption,
    NumericOption,
    QuietOption,
    SeparatorOption,
    Source,
    TargetOption,
    at_least,
    check_out,
    check_rate,
    split_list,
)

__all__ = ["compare"]


def _check_journal(journal: Path, data: Path) -> None:
    if journal.samefile(data):
        message = f"--journal {str(journal)!r} is DATA itself. Choose another name."
        raise UsageProblem(message)


def compare(
    data: DataArgument,
    target: TargetOption = None,
    selectors: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Selectors, comma-separated or repeated: all (keeps everything), "
            "association, bifs, cfs, decision-rules, differential-prioritization, "
            "fcbf, forest, gain-ratio, information-gain, mdl-tree, mrmr, multisurf, "
            "relieff, sieve, symmetrical-uncertainty. By default "
            "all,information-gain,cfs,bifs.",
        ),
    ] = None,
    estimators: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Learners: 5-nn, c4.5, forest, linear, mdl-tree, naive-bayes. By "
            "default c4.5,naive-bayes,5-nn, or for a quantity mdl-tree,linear,5-nn.",
        ),
    ] = None,
    cv: Annotated[
        str,
        typer.Option(
            metavar="KxR",
            help="K folds, R times over; or loo, to leave one row out at a time.",
        ),
    ] = "10x3",
    scoring: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="A score of scikit-learn, greater is better; accuracy by default, r2 "
            "for a quantity.",
        ),
    ] = None,
    alpha: Annotated[
        float,
        typer.Option(
            metavar="LEVEL",
            help="Level of the tests, and one less the coverage of intervals.",
            callback=check_rate,
        ),
    ] = 0.05,
    journal: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep every round here; the same command goes on after a kill.",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a page, .html, that stands alone."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write the table to a .csv, .tsv or .parquet file, all to .json.",
        ),
    ] = None,
    jobs: JobsOption = -1,
    seed: Annotated[
        int,
        typer.Option(
            metavar="N",
            callback=at_least(0),
            help="Seed of folds, selectors and learners.",
        ),
    ] = 0,
    nominal: NominalOption = None,
    numeric: NumericOption = None,
    missing_values: MissingValuesOption = None,
    separator: SeparatorOption = None,
    encoding: EncodingOption = "utf-8",
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    debug: DebugOption = False,  # noqa: ARG001  (its callback hears it)
) -> None:
    """Compare selectors by how well learners do with what they select.

    Every selector and every learner is fitted to the training rows of each fold only,
    and scored on the others. Differences are tested knowing that folds overlap.

    Example: featsieve compare customers.csv --target churn --selectors all,cfs,bifs
    --cv 10x3 --journal churn.journal --report churn.html
    """
    if out is not None:
        check_out("--out", out, [data], OUT_SUFFIXES)
    if report is not None:
        check_out("--report", report, [data], (".html", ".htm"))
    if journal is not None and journal.exists() and data.exists():
        _check_journal(journal, data)
    source = Source([data], nominal, numeric, missing_values, separator, encoding)
    # Late, so that `--help` need not wait for numpy and scikit-learn.
    from featsieve.cli._output import SafeConsole, print_json, tell_written, working

    with working("Starting", quiet=quiet or as_json):
        from featsieve.cli._comparing import (
            Contest,
            compare_selectors,
            print_comparison,
            write_comparison,
        )

    contest = Contest(
        target=target,
        selectors=split_list(selectors),
        estimators=split_list(estimators),
        cv=cv,
        scoring=scoring,
        alpha=alpha,
        journal=journal,
        jobs=jobs,
        seed=seed,
    )
    comparison, answer = compare_selectors(source, contest, quiet=quiet or as_json)
    if out is not None:
        write_comparison(answer, out)
    if report is not None:
        comparison.report(report)
    if as_json:
        print_json(answer)
        return
    console = SafeConsole()
    print_comparison(console, answer, quiet=quiet)
    if not quiet:
        tell_written(console, out, report)
