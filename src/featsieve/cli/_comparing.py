"""Compare selectors and show it: the comparison first, then tables for people."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text
from sklearn.metrics import get_scorer_names

from featsieve._text import visible
from featsieve.cli._answers import (
    check_answerable,
    data_notes,
    print_notes,
    write_rows,
)
from featsieve.cli._errors import UsageProblem
from featsieve.cli._options import Source
from featsieve.cli._output import (
    name_cell,
    plural,
    sentence,
    showing_rounds,
    table_for_people,
    working,
)
from featsieve.sieve import Comparison, compare
from featsieve.sieve._compare import fold_counts
from featsieve.sieve._contestants import ESTIMATORS, SELECTORS

__all__ = ["Contest", "compare_selectors", "print_comparison", "write_comparison"]

DEFAULT_SELECTORS = ("all", "information-gain", "cfs", "bifs")
LEARNERS_OF_CLASSES = ("c4.5", "naive-bayes", "5-nn")
LEARNERS_OF_NUMBERS = ("mdl-tree", "linear", "5-nn")
MOST_FAILURES = 3
NONE = "–"


@dataclass(frozen=True, slots=True)
class Contest:
    """What is to be compared, and how."""

    target: str | None
    selectors: list[str] = field(default_factory=list)
    estimators: list[str] = field(default_factory=list)
    cv: str = "10x3"
    scoring: str | None = None
    alpha: float = 0.05
    journal: Path | None = None
    jobs: int = -1
    seed: int = 0


def compare_selectors(
    source: Source, contest: Contest, *, quiet: bool
) -> tuple[Comparison, dict[str, Any]]:
    """Read the table and compare; all that is shown is in the answer."""
    _check(contest)
    with working(f"Reading {source.path.name}", quiet=quiet):
        table = source.read(contest.target)
    target = check_answerable(table, source)
    usual = LEARNERS_OF_CLASSES if target.is_nominal else LEARNERS_OF_NUMBERS
    with showing_rounds("Comparing", quiet=quiet) as progress:
        comparison = compare(
            table,
            selectors=contest.selectors or DEFAULT_SELECTORS,
            estimators=contest.estimators or usual,
            cv=contest.cv,
            scoring=contest.scoring,
            alpha=contest.alpha,
            journal=contest.journal,
            progress=progress,
            n_jobs=contest.jobs,
            random_state=contest.seed,
        )
    about = {"data": str(source.path), "notes": data_notes(table)}
    return comparison, about | comparison.to_dict()


def _check(contest: Contest) -> None:
    """Complain in words of the command line, before any work is done."""
    for option, given, known in (
        ("--selectors", contest.selectors, SELECTORS),
        ("--estimators", contest.estimators, ESTIMATORS),
    ):
        for name in given:
            if name.strip().lower().replace("_", "-") not in known:
                message = f"{option} knows no {name!r}. Say one of {', '.join(known)}."
                raise UsageProblem(message)
    counts = fold_counts(contest.cv)
    if counts is None and contest.cv.strip().lower() not in ("loo", "leave-one-out"):
        message = f"--cv must be like 10x3, 10 or loo. Got {contest.cv!r}."
        raise UsageProblem(message)
    if counts is not None and (counts[0] < 2 or counts[1] < 1):
        message = f"--cv must ask for 2 folds or more. Got {contest.cv!r}."
        raise UsageProblem(message)
    if contest.scoring is not None and contest.scoring not in get_scorer_names():
        message = (
            f"--scoring knows no {contest.scoring!r}. Say accuracy, balanced_accuracy, "
            "f1_macro, roc_auc_ovr, neg_log_loss, r2, or another name of scikit-learn."
        )
        raise UsageProblem(message)


def write_comparison(answer: dict[str, Any], path: Path) -> None:
    """Write the table, or as JSON everything, in the format that the name tells."""
    write_rows(path, answer["table"], answer)


def print_comparison(console: Console, answer: dict[str, Any], *, quiet: bool) -> None:
    """Show a table for each learner, the verdicts in words, and what failed."""
    title = f"Which selector serves {answer['target']!r} best?"
    console.print(sentence(title, "bold"))
    parts = [
        plural(answer["n_rows"], "row"),
        plural(answer["n_features"], "feature"),
        answer["scoring"],
        answer["cv"],
    ]
    console.print(sentence("; ".join(parts), "dim"))
    for estimator in answer["estimators"]:
        console.print()
        console.print(_grid(answer, estimator, console.width))
    console.print()
    for text in answer["summary"]:
        console.print(sentence(text))
    _print_failures(console, answer)
    if quiet:
        return
    text = (
        "Selectors and learners saw training rows only. Intervals and tests know that "
        "folds overlap (Nadeau and Bengio), and pairs are adjusted by Holm."
    )
    console.print(sentence(text, "dim"))
    print_notes(console, answer)


def _grid(answer: dict[str, Any], estimator: str, width: int) -> Grid:
    """Return the selectors with one learner, best first."""
    rows = [row for row in answer["table"] if row["estimator"] == estimator]
    rows.sort(key=lambda row: (row["score"] is None, -(row["score"] or 0)))
    grid = table_for_people(width)
    grid.add_column(visible(f"with {estimator}"))
    for name in ("score", "interval", "features", "stability", "selecting", "failed"):
        if name == "interval" and width < 72:
            continue
        grid.add_column(name, justify="right", no_wrap=True)
    for place, row in enumerate(rows):
        style = "green" if place == 0 and row["score"] is not None else ""
        cells: list[str | Text] = [
            name_cell(row["selector"], style),
            _number(row["score"], "{:.4f}"),
        ]
        if width >= 72:
            low, high = row["score_low"], row["score_high"]
            cells.append(NONE if low is None else f"{low:.3f} to {high:.3f}")
        cells += [
            _number(row["n_features"], "{:.1f}"),
            _number(row["stability"], "{:.2f}"),
            _seconds(row["select_seconds"]),
            str(row["n_failed"]) if row["n_failed"] else NONE,
        ]
        grid.add_row(*cells)
    return grid


def _number(value: float | None, form: str) -> str:
    return NONE if value is None else form.format(value)


def _seconds(value: float) -> str:
    if value < 0.001:
        return "<1 ms"
    return f"{1000 * value:.0f} ms" if value < 1 else f"{value:.1f} s"


def _print_failures(console: Console, answer: dict[str, Any]) -> None:
    failures = answer["failures"]
    if not failures:
        return
    console.print()
    head = f"{plural(len(failures), 'fit')} failed, --json and --report tell all:"
    console.print(sentence(head, "yellow"))
    for each in failures[:MOST_FAILURES]:
        whom = f" with {each['estimator']}" if each["estimator"] else ""
        text = f"{each['selector']}{whom}, split {each['split']}: {each['error']}"
        console.print(sentence(f"- {text}"))
