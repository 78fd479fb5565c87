"""`featsieve rank`: what each feature tells about a target."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from featsieve.cli import _options as options
from featsieve.cli._errors import UsageProblem
from featsieve.cli._options import Source, at_least, option

MEASURES = ("information-gain", "gain-ratio", "symmetrical-uncertainty", "gini-gain")
BINS = ("mdl", "better", "equal-frequency", "equal-width")
MISSING = ("level", "ignore", "spread")


def _measure(value: str) -> str:
    """Take the name of a measure, or module:function."""
    if ":" in value:
        return value.strip()
    return options.choice(*MEASURES)(value).replace("-", "_")


@options.takes_table(in_parts=True, rows=True)
def rank(
    source: Source,
    rows: dict[str, Any],
    target: options.TargetOption = None,
    measure: str = option(
        "information_gain",
        "The score. Gain ratio and uncertainty are fairer to features of few levels. "
        "Or a function of your own, which takes a featsieve.tallies.Tally and returns "
        "a number.",
        "|".join((*MEASURES, "MODULE:FUNCTION")),
        _measure,
    ),
    top: int | None = option(
        None, "Show, and write, the K best features only.", "K", at_least(1), "--top -k"
    ),
    out: Path | None = option(
        None,
        "Write the ranking to a .csv, .tsv, .parquet or .json file.",
        "FILE",
        flags="--out -o",
    ),
    fdr: float = option(
        0.05,
        "False discovery rate: this share of the features marked as above chance may "
        "be wrong.",
        "RATE",
        options.check_rate,
    ),
    no_test: bool = option(
        False,
        "Do not test scores against permutations of the target.",
        flags="--no-test",
    ),
    missing: str = option(
        "level",
        "Missing values are a level of their own, left out feature by feature, or "
        "spread over the levels.",
        "|".join(MISSING),
        options.choice(*MISSING),
    ),
    bins: str = option(
        "mdl",
        "How numeric features are cut: where the class changes (Fayyad and Irani's "
        "price of a cut, or Weka's 'better' one), or blindly.",
        "|".join(BINS),
        options.choice(*BINS),
    ),
    n_bins: int | None = option(
        None,
        "Levels of a numeric feature, with --bins equal-...; 5 by default.",
        "N",
        at_least(2),
    ),
    target_bins: options.TargetBinsOption = None,
    jobs: options.JobsOption = -1,
    seed: options.SeedOption = 0,
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
    debug: options.DebugOption = False,  # noqa: ARG001  (its callback hears it)
) -> None:
    """Rank the features of a table by what each alone tells about a target.

    Scores are tested against permutations of the target, so that a feature of many
    levels does not win by luck. Single features are looked at: what two columns tell
    only together stays hidden here.

    Example: featsieve rank customers.csv --target churn --top 20 --out ranking.csv
    """
    if n_bins is not None and not bins.startswith("equal"):
        raise UsageProblem(
            f"--n-bins needs --bins equal-frequency or --bins equal-width; {bins} "
            "finds the number of levels itself."
        )
    options.check_out("--out", out, source.files, options.OUT_SUFFIXES)
    # Late, so that `--help` need not wait for numpy and scikit-learn.
    from featsieve.cli.views import output

    with output.working("Starting", quiet=quiet or as_json):
        from featsieve.cli.views import rank as view

    answer = view.rank_features(
        source,
        quiet=quiet or as_json,
        target=target,
        rows=rows,
        measure=measure,
        fdr=None if no_test else fdr,
        missing=missing,
        bins=bins,
        n_bins=n_bins or 5,
        target_bins=target_bins,
        jobs=jobs,
        seed=seed,
    )
    if out is not None:
        view.write_ranking(answer, out, top)
    if as_json:
        output.print_json(answer | {"ranking": answer["ranking"][:top]})
        return
    console = output.SafeConsole()
    view.print_ranking(console, answer, top=top, quiet=quiet)
    if not quiet:
        output.tell_written(console, out)
