"""Rank features and show it: a plain dictionary first, then a table for people."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

import featsieve
from featsieve._text import visible
from featsieve.cli._answers import (
    check_answerable,
    choose_target_bins,
    data_notes,
    note_cut_target,
    print_notes,
    write_rows,
)
from featsieve.cli._counted_answers import count_stream, counted_notes
from featsieve.cli._options import Source
from featsieve.cli._output import (
    bar,
    count,
    name_cell,
    percent,
    plural,
    probability,
    sentence,
    table_for_people,
    working,
)
from featsieve.data import (
    EqualFrequencyDiscretizer,
    EqualWidthDiscretizer,
    MDLDiscretizer,
    Table,
)
from featsieve.data._counted import CountedTable
from featsieve.exceptions import NoFeatureSelectedWarning
from featsieve.filters import InformationGainFilter

__all__ = ["Question", "print_ranking", "rank_features", "write_ranking"]

#: A person reads no further; files and JSON hold everything.
MOST_SHOWN = 50
TEST_FIELDS = ("p_value", "q_value", "n_permutations", "above_chance")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about a table; `alpha` None means no test against chance."""

    target: str | None
    measure: str = "information_gain"
    alpha: float | None = 0.05
    missing: str = "level"
    bins: str = "mdl"
    n_bins: int = 5
    target_bins: int | None = None
    jobs: int = -1
    seed: int = 0

    def discretizer(self) -> Any:
        """Return what cuts the numeric features."""
        if self.bins == "equal-frequency":
            return EqualFrequencyDiscretizer(self.n_bins)
        if self.bins == "equal-width":
            return EqualWidthDiscretizer(self.n_bins)
        return MDLDiscretizer("fayyad_irani" if self.bins == "mdl" else self.bins)

    def selector(self, target_bins: int | None) -> InformationGainFilter:
        """Return the filter that answers."""
        return InformationGainFilter(
            self.measure,
            alpha=self.alpha,
            missing=self.missing,
            discretizer=self.discretizer(),
            target_bins=target_bins,
            n_jobs=self.jobs,
            random_state=self.seed,
        )


def rank_features(source: Source, question: Question, *, quiet: bool) -> dict[str, Any]:
    """Read the table and rank its features; all that is shown is in the answer."""
    if source.is_stream:
        return _rank_stream(source, question, quiet=quiet)
    with working(f"Reading {source.path.name}", quiet=quiet):
        table = source.read(question.target)
    target = check_answerable(table, source)
    notes = data_notes(table)
    target_bins = choose_target_bins(target, question.target_bins, notes)
    selector = question.selector(target_bins)
    _fit(selector, table, table.n_columns, quiet=quiet)
    if target_bins is not None:
        note_cut_target(target.name, _labels(selector), notes)
    return _answer(source, question, target.name, table, selector, notes)


def _rank_stream(source: Source, question: Question, *, quiet: bool) -> dict[str, Any]:
    """Rank the features of a table that is read part by part."""
    with working(f"Opening {source.label}", quiet=quiet):
        stream = source.open(question.target)
    with source.where():
        counted, target_bins = count_stream(
            stream, question.target_bins, jobs=question.jobs, quiet=quiet
        )
    notes = counted_notes(counted, stream.target)
    selector = question.selector(target_bins)
    _fit(selector, stream, len(counted.columns), quiet=quiet)
    if target_bins is not None:
        note_cut_target(stream.target, _labels(selector), notes)
    return _answer(source, question, stream.target, counted, selector, notes)


def _fit(
    selector: InformationGainFilter, data: Any, n_features: int, *, quiet: bool
) -> None:
    doing = "Scoring" if selector.alpha is None else "Testing against chance"
    with (
        working(f"{doing}: {plural(n_features, 'feature')}", quiet=quiet),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", NoFeatureSelectedWarning)
        selector.fit(data, None)


def _labels(selector: InformationGainFilter) -> list[str]:
    return [str(level) for level in selector.classes_]


def _answer(
    source: Source,
    question: Question,
    target: str,
    table: Table | CountedTable,
    selector: InformationGainFilter,
    notes: list[dict[str, Any]],
) -> dict[str, Any]:
    return {
        "featsieve": featsieve.__version__,
        "data": source.label,
        "target": target,
        "classes": _labels(selector),
        "n_rows": table.n_rows,
        "n_features": len(table.columns),
        "measure": question.measure,
        "unit": "bits" if question.measure == "information_gain" else "ratio",
        "alpha": question.alpha,
        "missing": question.missing,
        "bins": question.bins,
        "n_bins": question.n_bins if question.bins.startswith("equal") else None,
        "target_bins": selector.target_bins,
        "seed": question.seed,
        "n_above_chance": (
            None if question.alpha is None else int(selector.support_.sum())
        ),
        "ranking": _ranking(table, selector),
        "notes": notes,
    }


def _ranking(
    table: Table | CountedTable, selector: InformationGainFilter
) -> list[dict[str, Any]]:
    tested = selector.alpha is not None
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
    if answer["alpha"] is None:
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
    console.print(_heading(answer))
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


def _heading(answer: dict[str, Any]) -> Text:
    text = Text("What each feature alone tells about ", "bold")
    text.append(visible(repr(answer["target"])))
    return text


def _legend(answer: dict[str, Any]) -> Text:
    score = answer["measure"].replace("_", " ")
    if answer["unit"] == "bits":
        score += " in bits"
    parts = [
        f"{plural(answer['n_rows'], 'row')}, {plural(len(answer['classes']), 'class')}",
        score,
    ]
    if answer["alpha"] is not None:
        parts.append(f"● above chance (q ≤ {answer['alpha']:g})")
    return sentence("; ".join(parts), "dim")


def _grid(answer: dict[str, Any], rows: list[dict[str, Any]], width: int) -> Grid:
    """Return the table; a narrow terminal gets fewer columns, not broken ones."""
    tested = answer["alpha"] is not None
    scale = _scale(answer["ranking"])
    bar_width = 24 if width >= 110 else 12 if width >= 72 else 6
    grid = table_for_people(width)
    grid.add_column("", justify="right", no_wrap=True)
    grid.add_column("feature")  # the only one that gives way
    if width >= 72:
        grid.add_column("kind", no_wrap=True)
    if width >= 60:
        grid.add_column("missing", justify="right", no_wrap=True)
    grid.add_column("score", justify="right", no_wrap=True)
    grid.add_column("", no_wrap=True, width=bar_width)
    if tested:
        grid.add_column("p", justify="right", no_wrap=True)
    if tested and width >= 80:
        grid.add_column("q", justify="right", no_wrap=True)
    if tested:
        grid.add_column("", no_wrap=True)
    for row in rows:
        good = row["above_chance"] is not False
        style, colour = ("", "green") if good else ("dim", "dim")
        cells = [Text(str(row["rank"]), "dim"), name_cell(row["feature"], style)]
        if width >= 72:
            cells.append(Text(_kind(row), style))
        if width >= 60:
            gaps = percent(row["missing_share"]) if row["n_missing"] else "–"
            cells.append(Text(gaps, style))
        cells.append(Text(f"{row['score']:.4f}", style))
        cells.append(Text(bar(row["score"] / scale, bar_width), colour))
        if tested:
            cells.append(Text(probability(row["p_value"]), style))
        if tested and width >= 80:
            cells.append(Text(probability(row["q_value"]), style))
        if tested:
            cells.append(Text("●" if good else "·", colour))
        grid.add_row(*cells)
    return grid


def _scale(ranking: list[dict[str, Any]]) -> float:
    """Return the score of a full bar: the best that is no luck.

    Else an ID, whose score is the greatest possible, would flatten all other bars.
    """
    good = [row["score"] for row in ranking if row["above_chance"]]
    return max(good or [row["score"] for row in ranking]) or 1.0


def _kind(row: dict[str, Any]) -> str:
    if row["kind"] == "numeric":
        return "numeric"
    return plural(row["n_levels"], "level")


def _verdict(answer: dict[str, Any]) -> Text:
    target, n_features = repr(answer["target"]), answer["n_features"]
    if answer["alpha"] is None:
        text = f"{plural(n_features, 'feature')}, not tested against chance."
        return sentence(text, "bold")
    found = answer["n_above_chance"]
    how_many = f"{count(found)} of {plural(n_features, 'feature')}"
    if not found:
        how_many = f"None of {plural(n_features, 'feature')}"
    rate = f"{100 * answer['alpha']:g} %"
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
