"""Rank features and show it: a plain dictionary first, then a table for people."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

import featsieve
from featsieve._text import visible
from featsieve.cli._errors import UsageProblem
from featsieve.cli._options import Source
from featsieve.cli.views.answers import (
    check_answerable,
    choose_target_bins,
    count_stream,
    fit_noting,
    note_cut_target,
    print_notes,
    shown_notes,
    take_row_options,
    write_rows,
)
from featsieve.cli.views.output import (
    Shown,
    bar,
    count,
    gaps_of,
    grid_of,
    kind_of,
    name_cell,
    plural,
    probability,
    sentence,
    working,
)
from featsieve.data import (
    EqualFrequencyDiscretizer,
    EqualWidthDiscretizer,
    MDLDiscretizer,
)
from featsieve.selectors import MeasureFilter

#: A person reads no further; files and JSON hold everything.
MOST_SHOWN = 50
#: Of the scores that have one.
UNITS = {
    "information_gain": "bits",
    "gain_ratio": "ratio",
    "symmetrical_uncertainty": "ratio",
}
TEST_FIELDS = ("p_value", "q_value", "n_permutations", "above_chance")


def rank_features(
    source: Source,
    *,
    quiet: bool,
    target: str | None,
    measure: str = "information_gain",
    fdr: float | None = 0.05,
    missing: str = "level",
    bins: str = "mdl",
    n_bins: int = 5,
    target_bins: int | None = None,
    rows: dict[str, Any] | None = None,
    jobs: int = -1,
    seed: int = 0,
) -> dict[str, Any]:
    """Read the table and rank its features; all that is shown is in the answer.

    Without `fdr` there is no test against chance.
    """
    data: Any
    taken: dict[str, Any] = {}
    if source.is_stream:
        data, table, cut = count_stream(source, target, target_bins, jobs, quiet=quiet)
        name, notes = data.target, shown_notes(table.notes, data.target)
    else:
        with working(f"Reading {source.path.name}", quiet=quiet):
            whole = source.read(target)
        data, taken = take_row_options(whole, rows or {})
        table = data
        goal = check_answerable(table, source)
        name, notes = goal.name, shown_notes(table.notes, goal.name)
        cut = choose_target_bins(goal, target_bins, notes)
    selector = MeasureFilter(
        load_measure(measure) if ":" in measure else measure,
        fdr=fdr,
        missing=missing,
        discretizer=_discretizer(bins, n_bins),
        target_bins=cut,
        n_jobs=jobs,
        random_state=seed,
    )
    n_features = len(table.columns)
    doing = "Scoring" if fdr is None else "Testing against chance"
    with working(f"{doing}: {plural(n_features, 'feature')}", quiet=quiet):
        notes = fit_noting(selector, data, taken) + notes
    classes = [str(level) for level in selector.classes_]
    if cut is not None:
        note_cut_target(name, classes, notes)
    return {
        "featsieve": featsieve.__version__,
        "data": source.label,
        "target": name,
        "classes": classes,
        "n_rows": table.n_rows,
        "n_features": n_features,
        "measure": measure,
        "unit": UNITS.get(measure),
        "fdr": fdr,
        "missing": missing,
        "bins": bins,
        "n_bins": n_bins if bins.startswith("equal") else None,
        "target_bins": cut,
        "seed": seed,
        "n_above_chance": None if fdr is None else int(selector.support_.sum()),
        "ranking": _ranking(table, selector),
        "notes": notes,
    }


def _discretizer(bins: str, n_bins: int) -> Any:
    """Return what cuts the numeric features."""
    if bins == "equal-frequency":
        return EqualFrequencyDiscretizer(n_bins)
    if bins == "equal-width":
        return EqualWidthDiscretizer(n_bins)
    return MDLDiscretizer("fayyad_irani" if bins == "mdl" else bins)


def load_measure(word: str) -> Callable[..., Any]:
    """Return the function that ``module:function`` names, or say what is amiss."""
    module_name, _, name = word.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:  # as `python -m` has it
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise _unusable(word, f"importing it failed: {error}") from error
        text = (
            f"there is no module {module_name!r} in this folder or among installed "
            "packages"
        )
        raise _unusable(word, text) from error
    except (Exception, SystemExit) as error:  # a script without a guard may exit
        text = f"importing it failed: {type(error).__name__}: {error}"
        raise _unusable(word, text) from error
    for part in name.split("."):
        if not hasattr(found, part):
            raise _unusable(word, f"module {module_name!r} has no {name!r}")
        found = getattr(found, part)
    if not callable(found):
        raise _unusable(word, f"{name!r} is no function but {found!r}")
    return found


def _unusable(word: str, why: str) -> UsageProblem:
    return UsageProblem(f"--measure {word} cannot be used: {why.rstrip('.')}.")


def _ranking(table: Any, selector: MeasureFilter) -> list[dict[str, Any]]:
    tested = selector.fdr is not None
    rows = []
    for j in np.argsort(selector.ranking_).tolist():
        column = table.columns[j]
        rows.append(
            {
                "rank": int(selector.ranking_[j]),
                "feature": column.name,
                "kind": column.kind.value,
                "n_levels": column.n_levels if column.is_nominal else None,
                "n_missing": column.n_missing,
                "missing_share": column.n_missing / table.n_rows,
                "score": float(selector.scores_[j]),
                "p_value": float(selector.p_values_[j]) if tested else None,
                "q_value": float(selector.q_values_[j]) if tested else None,
                "n_permutations": int(selector.n_permutations_[j]) if tested else None,
                "above_chance": bool(selector.support_[j]) if tested else None,
            }
        )
    return rows


def write_ranking(answer: dict[str, Any], path: Path, top: int | None) -> None:
    """Write the ranking in the format that the name of the file tells."""
    rows = answer["ranking"][:top]
    if answer["fdr"] is None:
        rows = [
            {key: value for key, value in row.items() if key not in TEST_FIELDS}
            for row in rows
        ]
    write_rows(path, rows, answer | {"ranking": rows})


def print_ranking(
    console: Console, answer: dict[str, Any], *, top: int | None, quiet: bool
) -> None:
    """Show the ranking, the verdict in words, and what to be careful about."""
    rows = answer["ranking"][: MOST_SHOWN if top is None else top]
    title = Text("What each feature alone tells about ", "bold")
    console.print(title.append(visible(repr(answer["target"]))))
    console.print(_legend(answer))
    console.print(_grid(answer, rows, console.width))
    hidden = len(answer["ranking"]) - len(rows)
    if hidden and top is None:
        text = f"… and {plural(hidden, 'feature')} more; --top "
        text += f"{len(answer['ranking'])} shows all, --out FILE saves all."
        console.print(sentence(text, "dim"))
    console.print()
    console.print(_verdict(answer))
    if quiet:
        return
    for text in _hints(answer):
        console.print(sentence(text, "dim"))
    print_notes(console, answer)


def _legend(answer: dict[str, Any]) -> Text:
    score = answer["measure"]
    if ":" not in score:
        score = score.replace("_", " ")
    if answer["unit"] == "bits":
        score += " in bits"
    parts = [
        f"{plural(answer['n_rows'], 'row')}, {plural(len(answer['classes']), 'class')}",
        score,
    ]
    if answer["fdr"] is not None:
        parts.append(f"● above chance (q ≤ {answer['fdr']:g})")
    return sentence("; ".join(parts), "dim")


def _grid(answer: dict[str, Any], rows: list[dict[str, Any]], width: int) -> Grid:
    scale = _scale(answer["ranking"])
    bar_width = 24 if width >= 110 else 12 if width >= 72 else 6

    def colour(row: dict[str, Any]) -> str:
        return "dim" if row["above_chance"] is False else "green"

    columns = [
        Shown("", lambda row: Text(str(row["rank"]), "dim"), "figure"),
        Shown("feature", lambda row: name_cell(row["feature"]), "name"),
        Shown("kind", kind_of, least=72),
        Shown("missing", gaps_of, "figure", least=60),
        Shown("score", lambda row: f"{row['score']:.4f}", "figure"),
        Shown(
            "",
            lambda row: Text(bar(row["score"] / scale, bar_width), colour(row)),
            size=bar_width,
        ),
    ]
    if answer["fdr"] is not None:
        columns += [
            Shown("p", lambda row: probability(row["p_value"]), "figure"),
            Shown("q", lambda row: probability(row["q_value"]), "figure", least=80),
            Shown(
                "", lambda row: Text("●" if row["above_chance"] else "·", colour(row))
            ),
        ]
    faint = [row for row in rows if row["above_chance"] is False]
    return grid_of(rows, columns, width, faint)


def _scale(ranking: list[dict[str, Any]]) -> float:
    """Return the score of a full bar: the best that is no luck.

    Else an ID, whose score is the greatest possible, would flatten all other bars.
    """
    good = [row["score"] for row in ranking if row["above_chance"]]
    return max(good or [row["score"] for row in ranking]) or 1.0


def _verdict(answer: dict[str, Any]) -> Text:
    target, n_features = repr(answer["target"]), answer["n_features"]
    if answer["fdr"] is None:
        text = f"{plural(n_features, 'feature')}, not tested against chance."
        return sentence(text, "bold")
    found = answer["n_above_chance"]
    how_many = f"{count(found)} of {plural(n_features, 'feature')}"
    if not found:
        how_many = f"None of {plural(n_features, 'feature')}"
    rate = f"{100 * answer['fdr']:g} %"
    verb = "tells" if found <= 1 else "tell"
    text = f"{how_many} {verb} about {target} beyond chance (false discovery rate "
    return sentence(f"{text}{rate}).", "bold")


def _hints(answer: dict[str, Any]) -> list[str]:
    hints = []
    ranking = answer["ranking"]
    last_good = max((row["rank"] for row in ranking if row["above_chance"]), default=0)
    lucky = [
        row
        for row in ranking
        if row["above_chance"] is False
        and row["rank"] < last_good
        and row["kind"] == "nominal"
    ]
    if lucky:
        names = ", ".join(
            f"{row['feature']!r} ({plural(row['n_levels'], 'level')})"
            for row in lucky[:3]
        )
        more = f" and {len(lucky) - 3} others" if len(lucky) > 3 else ""
        hints.append(
            f"Many levels score high by luck: {names}{more} ranked above features that "
            "do tell, and permuted classes give scores as high. Trust p, not the score."
        )
    hints.append(
        "Each feature was taken alone: features that tell only together look like "
        "noise here."
    )
    return hints
