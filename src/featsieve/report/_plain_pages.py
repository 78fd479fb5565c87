"""Pages without scripts: of a comparison, and of published tables run again."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from featsieve._text import shortened, visible
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


#: The page's own colour of text, so that it reads on light and dark.
INK = "currentColor"
FAINT = 0.55
LONGEST_LABEL = 28
#: Pixels: room for names at the sides, the scale, steps between names and bars.
SIDE, SCALE, STEP, BAR_STEP = 190.0, 380.0, 22.0, 9.0
TOP, FONT = 62.0, 12.0


def critical_difference_svg(
    names: Sequence[str],
    ranks: ArrayLike,
    difference: float,
    *,
    not_different: Sequence[Sequence[int]] = (),
    title: str = "Mean ranks (1 is best)",
) -> str:
    """Draw a critical-difference picture.

    Names hang from a scale of mean ranks, the best at the left; a thick bar joins
    those that cannot be told apart, and a ruler shows the critical difference.

    Parameters
    ----------
    names : sequence of str
        Names; anything is shown literally, long ones are shortened.
    ranks : array-like of shape (n_names,)
        Mean ranks, from 1 to the number of names.
    difference : float
        The critical difference.
    not_different : sequence of sequences of int, default=()
        Groups of names that cannot be told apart, as
        `featsieve.evaluation.not_different_groups` gives them.
    title : str, default="Mean ranks (1 is best)"
        What the scale shows.

    Returns
    -------
    str
        SVG for a page or a file.

    Examples
    --------
    >>> from featsieve.report import critical_difference_svg
    >>> svg = critical_difference_svg(["a", "b", "c"], [1.2, 1.9, 2.9], 1.0)
    >>> svg[:4], "CD = 1.00" in svg
    ('<svg', True)
    """
    values = np.asarray(ranks, dtype=np.float64)
    if values.ndim != 1 or len(values) != len(names) or len(names) < 2:
        raise ValueError(
            "critical_difference_svg needs one rank per name, and at least two names. "
            f"Got {len(names)} names and ranks of shape {values.shape}."
        )
    order = np.argsort(values, kind="stable").tolist()
    half = math.ceil(len(order) / 2)
    bars = TOP + 14.0
    below = bars + BAR_STEP * len(not_different) + 14.0
    height = below + STEP * half
    width = 2 * SIDE + SCALE
    parts = [*_ruler(difference, len(names)), *_scale(len(names), title)]
    for number, group in enumerate(not_different):
        ends = [_x(float(values[member]), len(names)) for member in group]
        y = bars + BAR_STEP * number
        parts.append(_line(min(ends) - 3, y, max(ends) + 3, y, width=4))
    for place, index in enumerate(order):
        left = place < half
        row = place if left else len(order) - 1 - place
        y = below + STEP * row
        x = _x(float(values[index]), len(names))
        end = SIDE - 12 if left else SIDE + SCALE + 12
        label = f"{_label(names[index])} ({values[index]:.2f})"
        parts += [
            _line(x, TOP, x, y, opacity=FAINT),
            _line(x, y, end, y, opacity=FAINT),
            _text(end + (-5 if left else 5), y + 4, label, "end" if left else "start"),
        ]
    said = "; ".join(f"{_label(names[i])} {values[i]:.2f}" for i in order)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="{FONT:g}">'
        f"<title>{_escaped(title)}: {_escaped(said)}</title>{''.join(parts)}</svg>"
    )


def _x(rank: float, n: int) -> float:
    return SIDE + SCALE * (rank - 1) / (n - 1)


def _ruler(difference: float, n: int) -> list[str]:
    """Return the critical difference as a length, at most that of the scale."""
    end = min(SIDE + SCALE * difference / (n - 1), SIDE + SCALE)
    label = f"CD = {difference:.2f}"
    return [
        _line(SIDE, 22, end, 22),
        _line(SIDE, 18, SIDE, 26),
        _line(end, 18, end, 26),
        _text(SIDE, 13, label, "start"),
    ]


def _scale(n: int, title: str) -> list[str]:
    parts = [
        _line(SIDE, TOP, SIDE + SCALE, TOP),
        _text(SIDE + SCALE, 13, title, "end", opacity=FAINT),
    ]
    step = max(1, math.ceil((n - 1) / 12))
    for rank in range(1, n + 1, step):
        x = _x(rank, n)
        parts += [_line(x, TOP - 6, x, TOP), _text(x, TOP - 10, str(rank), "middle")]
    return parts


def _line(  # noqa: PLR0917  (two points)
    x1: float, y1: float, x2: float, y2: float, width: float = 1, opacity: float = 1
) -> str:
    return (
        f'<line x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}" '
        f'stroke="{INK}" stroke-width="{width:g}" stroke-opacity="{opacity:g}"/>'
    )


def _text(x: float, y: float, text: str, anchor: str, opacity: float = 1) -> str:
    return (
        f'<text x="{x:.2f}" y="{y:.2f}" text-anchor="{anchor}" fill="{INK}" '
        f'fill-opacity="{opacity:g}">'
        f"{_escaped(text)}</text>"
    )


def _label(name: object) -> str:
    return shortened(visible(name), LONGEST_LABEL)


def _escaped(text: str) -> str:
    return html.escape(visible(text))
