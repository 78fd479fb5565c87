"""`featsieve rank`: what each feature tells about a target."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from featsieve.cli._errors import UsageProblem
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

__all__ = ["rank"]

MEASURES = ("information-gain", "gain-ratio", "symmetrical-uncertainty")
BINS = ("mdl", "better", "equal-frequency", "equal-width")
MISSING = ("level", "ignore", "spread")


def rank(
    data: FilesArgument,
    target: TargetOption = None,
    measure: Annotated[
        str,
        typer.Option(
            metavar="|".join(MEASURES),
            help="The score. The last two are fairer to features of few levels.",
            callback=choice(*MEASURES),
        ),
    ] = "information-gain",
    top: Annotated[
        int | None,
        typer.Option(
            "--top",
            "-k",
            metavar="K",
            callback=at_least(1),
            help="Show, and write, the K best features only.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write the ranking to a .csv, .tsv, .parquet or .json file.",
        ),
    ] = None,
    alpha: Annotated[
        float,
        typer.Option(
            metavar="RATE",
            help="False discovery rate: this share of the features marked as above "
            "chance may be wrong.",
            callback=check_rate,
        ),
    ] = 0.05,
    no_test: Annotated[
        bool,
        typer.Option(
            "--no-test",
            help="Do not test scores against permutations of the target.",
        ),
    ] = False,
    missing: Annotated[
        str,
        typer.Option(
            metavar="|".join(MISSING),
            help="Missing values are a level of their own, left out feature by "
            "feature, or spread over the levels.",
            callback=choice(*MISSING),
        ),
    ] = "level",
    bins: Annotated[
        str,
        typer.Option(
            metavar="|".join(BINS),
            help="How numeric features are cut: where the class changes (Fayyad and "
            "Irani's price of a cut, or Weka's 'better' one), or blindly.",
            callback=choice(*BINS),
        ),
    ] = "mdl",
    n_bins: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            callback=at_least(2),
            help="Levels of a numeric feature, with --bins equal-...; 5 by default.",
        ),
    ] = None,
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
    """Rank the features of a table by what each alone tells about a target.

    Scores are tested against permutations of the target, so that a feature of many
    levels does not win by luck. Single features are looked at: what two columns tell
    only together stays hidden here.

    Example: featsieve rank customers.csv --target churn --top 20 --out ranking.csv
    """
    if n_bins is not None and not bins.startswith("equal"):
        message = (
            f"--n-bins needs --bins equal-frequency or --bins equal-width; {bins} "
            "finds the number of levels itself."
        )
        raise UsageProblem(message)
    if out is not None:
        check_out("--out", out, data, OUT_SUFFIXES)
    source = Source(
        data, nominal, numeric, missing_values, separator, encoding, engine, scheduler
    )
    # Late, so that `--help` need not wait for numpy and scikit-learn.
    from featsieve.cli._output import SafeConsole, print_json, tell_written, working

    with working("Starting", quiet=quiet or as_json):
        from featsieve.cli._ranking import (
            Question,
            print_ranking,
            rank_features,
            write_ranking,
        )

    question = Question(
        target=target,
        measure=measure.replace("-", "_"),
        alpha=None if no_test else alpha,
        missing=missing,
        bins=bins,
        n_bins=5 if n_bins is None else n_bins,
        target_bins=target_bins,
        jobs=jobs,
        seed=seed,
    )
    answer = rank_features(source, question, quiet=quiet or as_json)
    if out is not None:
        write_ranking(answer, out, top)
    if as_json:
        print_json(answer | {"ranking": answer["ranking"][:top]})
        return
    console = SafeConsole()
    print_ranking(console, answer, top=top, quiet=quiet)
    if not quiet:
        tell_written(console, out)
