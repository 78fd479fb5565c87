"""Pages without scripts: of a comparison, and of published tables run again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from featsieve._text import visible
from featsieve.report._critical_difference import critical_difference_svg
from featsieve.report._style import (
    NOTHING,
    format_p_value,
    format_seconds,
    new_environment,
)

#: Features of the table of selections; those selected most often come first.
MOST_FEATURES = 40
MOST_FAILURES = 50


def comparison_page(document: Mapping[str, Any]) -> str:
    """Return the page of a comparison, from what ``Comparison.to_dict()`` gives."""
    template = plain_environment().get_template("comparison.html")
    ranks = document["ranks"]
    picture = ""
    if ranks is not None:
        picture = critical_difference_svg(
            ranks["selectors"],
            ranks["mean_ranks"],
            ranks["critical_difference"],
            not_different=ranks["groups"],
        )
    return template.render(
        known=document,
        ranks=ranks,
        picture=picture,
        boards=[_board(document, name) for name in document["estimators"]],
        selections=_selections(document),
        failures=document["failures"][:MOST_FAILURES],
    )


def plain_environment() -> Any:
    """Return what fills the templates of pages without scripts."""
    environment = new_environment()
    environment.filters["shown"] = visible
    environment.filters["figure"] = _figure
    environment.filters["p"] = format_p_value
    environment.filters["seconds"] = format_seconds
    return environment


def _board(document: Mapping[str, Any], estimator: str) -> dict[str, Any]:
    """Return the selectors with one learner, best first, with places on a scale."""
    rows = [row for row in document["table"] if row["estimator"] == estimator]
    rows.sort(key=lambda row: (row["score"] is None, -(row["score"] or 0)))
    ends = [
        value
        for row in rows
        for value in (row["score"], row["score_low"], row["score_high"])
        if value is not None
    ]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    room = (high - low) or 1.0

    def place(value: float | None) -> float | None:
        return None if value is None else round(4 + 92 * (value - low) / room, 2)

    return {
        "estimator": estimator,
        "low": low,
        "high": high,
        "rows": [
            row
            | {
                "at": place(row["score"]),
                "from": place(row["score_low"]),
                "to": place(row["score_high"]),
            }
            for row in rows
        ],
        "tests": [test for test in document["tests"] if test["estimator"] == estimator],
    }


def _selections(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return how often each selector chose each feature, most often chosen first."""
    selected: Mapping[str, Sequence[float] | None] = document["selected"]
    columns = {
        name: shares
        for name, shares in selected.items()
        if shares is not None and min(shares) < 1
    }
    order = sorted(
        range(document["n_features"]),
        key=lambda j: (-sum(shares[j] for shares in columns.values()), j),
    )
    rows = [
        {
            "feature": document["features"][j],
            "shares": [shares[j] for shares in columns.values()],
        }
        for j in order[:MOST_FEATURES]
    ]
    return {
        "names": list(columns),
        "rows": [row for row in rows if any(row["shares"])],
        "n_features": document["n_features"],
    }


def _figure(value: float | None, digits: int = 3) -> str:
    return NOTHING if value is None else f"{value:.{digits}f}"


def reproduction_page(document: Mapping[str, Any]) -> str:
    """Return the page of what ``Reproduction.to_dict()`` gives."""
    tables = [
        dict(table) | {"cells": [_with_digits(cell) for cell in table["cells"]]}
        for table in document["tables"]
    ]
    template = plain_environment().get_template("reproduction.html")
    return template.render(known=dict(document) | {"tables": tables})


def _with_digits(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Return a cell with as many decimals for ours as a mean of several runs needs."""
    more = isinstance(cell["ours"], float) and cell["n_runs"] > 1 and cell["digits"] < 3
    return dict(cell) | {"shown_digits": cell["digits"] + more}
