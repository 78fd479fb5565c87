"""Compare selectors and show it: the comparison first, then tables for people."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as Grid
from sklearn.metrics import get_scorer_names

from featsieve._text import visible
from featsieve.cli._errors import UsageProblem
from featsieve.cli._options import Source
from featsieve.cli.views.answers import (
    check_answerable,
    print_notes,
    shown_notes,
    take_row_options,
    write_rows,
)
from featsieve.cli.views.output import (
    Shown,
    grid_of,
    name_cell,
    plural,
    sentence,
    showing_rounds,
    working,
)
from featsieve.comparison import (
    Comparison,
    available_estimators,
    available_selectors,
    compare,
)
from featsieve.data import Note
from featsieve.exceptions import DependentRowsWarning

MOST_FAILURES = 3
NONE = "–"


def compare_selectors(
    source: Source,
    *,
    quiet: bool,
    target: str | None,
    rows: dict[str, Any] | None = None,
    **wishes: Any,
) -> tuple[Comparison, dict[str, Any]]:
    """Read the table and compare; all that is shown is in the answer."""
    wishes = {name: wish for name, wish in wishes.items() if wish not in (None, [])}
    _check(wishes)
    with working(f"Reading {source.path.name}", quiet=quiet):
        table = source.read(target)
    features, taken = take_row_options(table, rows or {})
    check_answerable(features, source)
    with (
        showing_rounds("Comparing", quiet=quiet) as progress,
        warnings.catch_warnings(),
    ):
        # A note of the comparison says the same.
        warnings.simplefilter("ignore", DependentRowsWarning)
        comparison = compare(features, progress=progress, **taken, **wishes)
    name = None if table.target is None else table.target.name
    found = [Note("row_options", None, text) for text in comparison.notes]
    notes = shown_notes((*found, *features.notes), name)
    return comparison, {"data": str(source.path)} | comparison.to_dict() | {
        "notes": notes
    }


def _check(wishes: dict[str, Any]) -> None:
    """Complain in words of the command line, before any work is done."""
    for what, known in (
        ("selectors", available_selectors()),
        ("estimators", available_estimators()),
    ):
        for name in wishes.get(what, ()):
            if name.strip().lower().replace("_", "-") not in known:
                message = f"--{what} knows no {name!r}. Say one of {', '.join(known)}."
                raise UsageProblem(message)
    scoring = wishes.get("scoring")
    if scoring is not None and scoring not in get_scorer_names():
        raise UsageProblem(
            f"--scoring knows no {scoring!r}. Say accuracy, balanced_accuracy, "
            "f1_macro, roc_auc_ovr, neg_log_loss, r2, or another name of scikit-learn."
        )


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
    best = rows[0] if rows[0]["score"] is not None else None
    columns = (
        Shown(
            visible(f"with {estimator}"),
            lambda row: name_cell(row["selector"], "green" if row is best else ""),
            "name",
        ),
        Shown("score", lambda row: _number(row["score"], "{:.4f}"), "figure"),
        Shown("interval", _interval, "figure", least=72),
        Shown("features", lambda row: _number(row["n_features"], "{:.1f}"), "figure"),
        Shown("stability", lambda row: _number(row["stability"], "{:.2f}"), "figure"),
        Shown("selecting", lambda row: _seconds(row["select_seconds"]), "figure"),
        Shown("failed", lambda row: str(row["n_failed"] or NONE), "figure"),
    )
    return grid_of(rows, columns, width)


def _interval(row: dict[str, Any]) -> str:
    low, high = row["score_low"], row["score_high"]
    return NONE if low is None else f"{low:.3f} to {high:.3f}"


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
