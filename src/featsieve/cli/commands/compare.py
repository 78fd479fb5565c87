"""`featsieve compare`: which selector serves which learner best."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from featsieve.cli import _options as options
from featsieve.cli._errors import UsageProblem
from featsieve.cli._options import Source, at_least, option


def _folds(value: str) -> str:
    """Take 10x3, 10 or loo."""
    word = value.strip().lower()
    counts = re.fullmatch(r"(\d+)(?:\s*[x×]\s*(\d+))?", word)
    if counts is None and word not in ("loo", "leave-one-out"):
        raise UsageProblem(f"--cv must be like 10x3, 10 or loo. Got {value!r}.")
    if counts is not None and (int(counts[1]) < 2 or int(counts[2] or 1) < 1):
        raise UsageProblem(f"--cv must ask for 2 folds or more. Got {value!r}.")
    return value


@options.takes_table(in_parts=False, rows=True)
def compare(
    source: Source,
    rows: dict[str, Any],
    target: options.TargetOption = None,
    selectors: list[str] | None = option(
        None,
        "Selectors, comma-separated or repeated: all (keeps everything), association, "
        "bifs, cfs, decision-rules, differential-prioritization, fcbf, forest, "
        "gain-ratio, information-gain, mdl-tree, mrmr, multisurf, relieff, sieve, "
        "symmetrical-uncertainty. By default all,information-gain,cfs,bifs.",
        "NAMES",
    ),
    estimators: list[str] | None = option(
        None,
        "Learners: 5-nn, c4.5, forest, linear, mdl-tree, naive-bayes. By default "
        "c4.5,naive-bayes,5-nn, or for a quantity mdl-tree,linear,5-nn.",
        "NAMES",
    ),
    cv: str = option(
        "10x3",
        "K folds, R times over; or loo, to leave one row out at a time.",
        "KxR",
        _folds,
    ),
    scoring: str | None = option(
        None,
        "A score of scikit-learn, greater is better; accuracy by default, r2 for a "
        "quantity.",
        "NAME",
    ),
    alpha: float = option(
        0.05,
        "Level of the tests, and one less the coverage of intervals.",
        "LEVEL",
        options.check_rate,
    ),
    journal: Path | None = option(
        None, "Keep every round here; the same command goes on after a kill.", "FILE"
    ),
    report: Path | None = option(
        None, "Write a page, .html, that stands alone.", "FILE"
    ),
    out: Path | None = option(
        None,
        "Write the table to a .csv, .tsv or .parquet file, all to .json.",
        "FILE",
        flags="--out -o",
    ),
    jobs: options.JobsOption = -1,
    seed: int = option(0, "Seed of folds, selectors and learners.", "N", at_least(0)),
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
    debug: options.DebugOption = False,  # noqa: ARG001  (its callback hears it)
) -> None:
    """Compare selectors by how well learners do with what they select.

    Every selector and every learner is fitted to the training rows of each fold only,
    and scored on the others. Differences are tested knowing that folds overlap. Rows of
    one group are never on both sides; with --time what is tested comes later.

    Example: featsieve compare customers.csv --target churn --selectors all,cfs,bifs
    --cv 10x3 --journal churn.journal --report churn.html
    """
    options.check_out("--out", out, source.files, options.OUT_SUFFIXES)
    options.check_out("--report", report, source.files, (".html", ".htm"))
    both = journal is not None and journal.exists() and source.path.exists()
    if journal is not None and both and journal.samefile(source.path):
        message = f"--journal {str(journal)!r} is DATA itself. Choose another name."
        raise UsageProblem(message)
    # Late, so that `--help` need not wait for numpy and scikit-learn.
    from featsieve.cli.views import output

    with output.working("Starting", quiet=quiet or as_json):
        from featsieve.cli.views import compare as view

    comparison, answer = view.compare_selectors(
        source,
        quiet=quiet or as_json,
        target=target,
        selectors=options.split_list(selectors),
        estimators=options.split_list(estimators),
        cv=cv,
        scoring=scoring,
        alpha=alpha,
        rows=rows,
        journal=journal,
        n_jobs=jobs,
        random_state=seed,
    )
    if out is not None:
        view.write_comparison(answer, out)
    if report is not None:
        comparison.report(report)
    if as_json:
        output.print_json(answer)
        return
    console = output.SafeConsole()
    view.print_comparison(console, answer, quiet=quiet)
    if not quiet:
        output.tell_written(console, out, report)
