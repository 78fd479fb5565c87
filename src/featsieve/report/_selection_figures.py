"""The pictures of a selection: where things stand in them, and the graph."""

from __future__ import annotations

import functools
import html
import math
import re
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from featsieve._checks import check_integer, check_that
from featsieve._text import shortened, visible
from featsieve._types import Floats
from featsieve.report._graph_drawing import (
    GROUP,
    HEADER,
    KEPT,
    LEFT_OUT,
    REDUNDANCY,
    SYNERGY,
    Picture,
    draw,
)
from featsieve.report._style import (
    FAINT,
    INK,
    MINUS,
    VERDICT_COLOURS,
    count_of,
    describe_svg,
    figure_svg,
    format_number,
    format_p_value,
    shown_name,
    ticks,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from featsieve.report._selection_view import Ledger

MOST_POINTS = 40
MOST_IN_MATRIX = 30
MOST_IN_HEAT_MAP = 40
#: Shades of a heat map; more could not be told apart.
SHADES = 12
CELL = 22  # of the matrix, in pixels
LETTER, LONGEST_LABEL = 7.4, 18  # pixels of a wide letter of 12 pixels
LONGEST_NAME = 24  # of a dot
SLANT = math.radians(60)
HEAT_WIDTH, HEAT_HEIGHT = 10, 22


def relevance_plot(summary: dict[str, Any], ledger: Ledger) -> dict[str, Any] | None:
    """Return points with intervals on one axis, the strongest first, and the probes."""
    scored = [row for row in ledger.rows if row["score"] is not None]
    if not scored:
        return None
    kept = [row for row in scored if row["kept"]]
    others = [row for row in scored if not row["kept"]]
    shown = [*kept, *others][:MOST_POINTS]
    shown.sort(key=lambda row: -row["score"])
    axis = ledger.axis
    return {
        "points": [_point(row, ledger) for row in shown],
        "ticks": [
            {"place": axis.place(tick), "label": f"{tick:.6g}".replace("-", MINUS)}
            for tick in ticks(axis.low, axis.high)
        ],
        "probes": [
            {
                "place": axis.place(probe["score"]),
                "tip": f"{_probe_name(probe)}: "
                f"{format_number(probe['score'])} {ledger.unit}",
            }
            for probe in summary["probes"]
        ],
        "has_alone": any(_alone_apart(row) for row in shown),
        "has_interval": any(row["low"] is not None for row in shown),
        "has_probe": any(row["probe"] is not None for row in shown),
        "n_left_out": len(scored) - len(shown),
    }


def _probe_name(probe: dict[str, Any]) -> str:
    levels = probe["n_levels"]
    return f"{shown_name(probe['kind'])} probe" + (
        "" if levels is None else f" of {count_of(levels, 'level')}"
    )


def _point(row: dict[str, Any], ledger: Ledger) -> dict[str, Any]:
    alone = row["alone"]["score"] if _alone_apart(row) else None
    told = f"{format_number(row['score'])} {ledger.unit}"
    if row["low"] is not None and row["high"] is not None:
        low, high = format_number(row["low"]), format_number(row["high"])
        told += f", interval {low} to {high}"
    if row["p_value"] is not None:
        told += f", p {format_p_value(row['p_value'])}"
    if alone is not None:
        told += f"; alone {format_number(alone)}"
    if row["probe"] is not None:
        told += f"; its probes reach {format_number(row['probe'])}"
    return {
        "feature": ledger.link(row["feature"]),
        "colour": VERDICT_COLOURS[row["verdict"]],
        "verdict": row["verdict"],
        "kept": row["kept"],
        "bar": ledger.axis.bar(row),
        "alone": None if alone is None else ledger.axis.place(alone),
        "value": format_number(row["score"]),
        "told": told,
    }


def _alone_apart(row: dict[str, Any]) -> bool:
    """Say if what a feature tells alone is worth a mark of its own."""
    apart = row["verdict"] in ("relevant together", "relevant locally")
    return apart and row["alone"]["score"] is not None


def interaction_matrix(
    summary: dict[str, Any], ledger: Ledger
) -> dict[str, Any] | None:
    """Return the pairs that interact as squares, the most involved features first."""
    pairs: dict[frozenset[str], dict[str, Any]] = {}
    weight: dict[str, float] = {}
    for found in summary["interactions"]:
        pair = frozenset(found["members"])
        if len(pair) == 2 and pair not in pairs:
            pairs[pair] = found
            for name in found["members"]:
                weight[name] = weight.get(name, 0.0) + abs(found["synergy"])
    if not pairs:
        return None
    names = sorted(weight, key=lambda name: -weight[name])[:MOST_IN_MATRIX]
    number = {name: k for k, name in enumerate(names)}
    inside = [found for pair, found in pairs.items() if pair <= number.keys()]
    most = max((abs(found["synergy"]) for found in inside), default=0.0) or 1.0
    cells = []
    for found in inside:
        first, second = sorted(number[name] for name in found["members"])
        share = abs(found["synergy"]) / most
        cell = {
            "positive": found["synergy"] > 0,
            "opacity": round(0.45 + 0.55 * share, 3),
            "size": round(CELL * (0.35 + 0.55 * share**0.5), 1),
            "tip": _pair_told(found, ledger.unit),
        }
        cells += [
            cell | {"x": CELL * column, "y": CELL * row, "mirrored": row < column}
            for row, column in ((second, first), (first, second))
        ]
    return {
        "features": [ledger.link(name) for name in names],
        "cells": sorted(cells, key=lambda cell: (cell["y"], cell["x"])),
        "cell": CELL,
        "side": CELL * len(names),
        **_margins([shown_name(name) for name in names]),
        "n_pairs": count_of(len(inside), "pair"),
        "n_left_out": len(weight) - len(names),
    }


def _margins(names: list[str]) -> dict[str, int]:
    """Return the room for names: left of a matrix and, slanted, above and right."""
    longest = min(max(map(len, names)), LONGEST_LABEL) * LETTER
    slanted = longest + 14
    return {
        "left": round(longest + 14),
        "top": round(slanted * math.sin(SLANT)),
        "right": round(max(slanted * math.cos(SLANT) - CELL / 2, 4)),
        "longest_label": LONGEST_LABEL,
    }


def _pair_told(found: dict[str, Any], unit: str) -> str:
    names = " and ".join(shown_name(name) for name in found["members"])
    how = "more together" if found["synergy"] > 0 else "told by both"
    size = format_number(abs(found["synergy"]))
    p_value = found["p_value"]
    evidence = "" if p_value is None else f", p {format_p_value(p_value)}"
    return f"{names}: {size} {unit} {how}{evidence}"


def heat_map(summary: dict[str, Any], ledger: Ledger) -> dict[str, Any] | None:
    """Return where along one feature others tell how much, as paths of equal shade."""
    local = summary["local_relevance"]
    if local is None or not local["features"] or not local["positions"]:
        return None
    values = local["values"][:MOST_IN_HEAT_MAP]
    most = max(abs(value) for row in values for value in row) or 1.0
    least = min(value for row in values for value in row)
    shades: dict[int, list[str]] = {}
    square = f"h{HEAT_WIDTH}v{HEAT_HEIGHT}h-{HEAT_WIDTH}z"
    for k, row in enumerate(values):
        for j, value in enumerate(row):
            shade = round(SHADES * value / most)
            if shade:
                corner = f"M{HEAT_WIDTH * j} {HEAT_HEIGHT * k}"
                shades.setdefault(shade, []).append(corner + square)
    n_bins = len(local["positions"])
    return {
        "features": [
            ledger.link(name) for name in local["features"][:MOST_IN_HEAT_MAP]
        ],
        "ordered_by": ledger.link(local["ordered_by"]),
        "shades": [
            {
                "opacity": round(abs(shade) / SHADES, 3),
                "negative": shade < 0,
                "path": "".join(squares),
            }
            for shade, squares in sorted(shades.items())
        ],
        "width": HEAT_WIDTH * n_bins,
        "height": HEAT_HEIGHT * len(values),
        "row_height": HEAT_HEIGHT,
        "column_width": HEAT_WIDTH,
        "most": format_number(most),
        "least": format_number(-most if least < 0 else 0.0),
        "has_negative": least < 0,
        "first": _position_label(local["positions"][0]),
        "middle": _position_label(local["positions"][n_bins // 2]),
        "last": _position_label(local["positions"][-1]),
        "peaks": _peaks(local, values),
        "n_left_out": len(local["features"]) - len(values),
        "data": {
            "names": [shown_name(name) for name in local["features"]][: len(values)],
            "positions": [_position_label(place) for place in local["positions"]],
            "values": [[float(f"{value:.3g}") for value in row] for row in values],
            "by": shown_name(local["ordered_by"]),
            "unit": ledger.unit,
        },
    }


def _position_label(place: float | str) -> str:
    return shown_name(place) if isinstance(place, str) else format_number(place)


def _peaks(local: dict[str, Any], values: list[list[float]]) -> list[dict[str, str]]:
    """Return where each feature tells most, for those who do not see the map."""
    places = [max(range(len(row)), key=row.__getitem__) for row in values]
    return [
        {
            "name": shown_name(name),
            "place": _position_label(local["positions"][j]),
            "value": format_number(row[j]),
        }
        for name, j, row in zip(local["features"], places, values, strict=False)
    ]


MOST_NODES = 30
_COLOURS = {
    SYNERGY: "together",
    REDUNDANCY: "redundant",
    KEPT: "ink",
    INK: "ink",
    FAINT: "quiet",
    GROUP: "raised",
    LEFT_OUT: "surface",
}


def graph_for_page(summary: dict[str, Any], ledger: Ledger) -> str | None:
    """Return the graph as SVG to stand in HTML, or None if nothing interacts."""
    edges = _edges(summary["interactions"])
    if not edges:
        return None
    names = list(dict.fromkeys(name for pair in edges for name in pair))
    number = {name: k for k, name in enumerate(names)}
    rows = [ledger.row(name) for name in names]
    gains = [(row["alone"]["score"] or 0.0) if row else 0.0 for row in rows]
    graph = interaction_graph(
        [shown_name(name) for name in names],
        gains,
        [(number[a], number[b], synergy) for (a, b), synergy in edges.items()],
        selected=[bool(row and row["kept"]) for row in rows],
        feature_groups=[
            [number[name] for name in found["members"]]
            for found in summary["interactions"]
            if found["kind"] == "synergy" and len(set(found["members"])) > 2
        ],
        max_shown=MOST_NODES,
        title="",
        transparent=True,
        unit=ledger.unit,
    )
    return _themed(figure_svg(graph))


def _edges(interactions: list[dict[str, Any]]) -> dict[tuple[str, str], float]:
    """Return the synergy of pairs; those of a larger tuple share what it tells."""
    edges: dict[tuple[str, str], float] = {}
    for found in sorted(interactions, key=lambda found: len(found["members"])):
        members = list(dict.fromkeys(found["members"]))
        for first, second in combinations(sorted(members), 2):
            if found["synergy"]:
                edges.setdefault((first, second), found["synergy"])
    return edges


def _themed(svg: str) -> str:
    """Return the drawing without what is for files only, its colours left to CSS."""
    svg = svg[svg.index("<svg") :]
    # A style in a drawing would hold for the whole page.
    files_only = r"<metadata>.*?</metadata>|<defs>\s*<style.*?</defs>"
    svg = re.sub(files_only, "", svg, count=2, flags=re.DOTALL)
    svg = re.sub(r' (?:width|height)="[\d.]+pt"', "", svg, count=2)
    # Its dots can be pointed at one by one, which those of an image cannot.
    svg = svg.replace('role="img"', 'role="group"', 1)
    # Only within tags: names are text, and stay as they are.
    return re.sub(r"<[a-z][^<>]*>", _themed_tag, svg)


def _themed_tag(match: re.Match[str]) -> str:
    tag = match[0]
    if tag.startswith("<svg"):
        return re.sub(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', _without_title, tag)
    for code, name in _COLOURS.items():
        tag = tag.replace(code, f"var(--{name})")
    tag = re.sub(r"font: ([\d.]+px) [^;\"]*", r"font-size: \1", tag)
    return re.sub(r"(\d\.\d\d)\d+", r"\1", tag)


def _without_title(match: re.Match[str]) -> str:
    """Return a view that leaves out the room of the title; the page has its own."""
    top = 72 * HEADER * 0.8
    return f'viewBox="0 {top:.0f} {match[1]} {float(match[2]) - top:.0f}"'


def interaction_graph(
    names: Sequence[str],
    gains: ArrayLike,
    edges: Sequence[tuple[int, int, float]],
    *,
    selected: ArrayLike | None = None,
    feature_groups: Sequence[Sequence[int]] = (),
    max_shown: int = 40,
    show_isolated: bool = True,
    title: str = "What features tell together",
    transparent: bool = False,
    unit: str = "bits",
) -> Figure:
    """Draw features as dots, and lines where two tell more together, or the same.

    The area of a dot is what the feature tells alone, the width of a line what two
    features tell beyond that: red and solid if they tell more together (synergy), blue
    and dashed if they tell the same (redundancy).

    Parameters
    ----------
    names : sequence of str
        Names of the features; anything is shown literally, long ones are shortened.
    gains : array-like of shape (n_features,)
        What each feature tells alone, in bits.
    edges : sequence of (int, int, float)
        Two features and their synergy in bits, negative for redundancy.
    selected : array-like of bool of shape (n_features,) or None, default=None
        Features that were kept are filled, others hollow.
    feature_groups : sequence of sequences of int, default=()
        Features that interact as a whole; three or more get a common ground.
    max_shown : int, default=40
        Show at most so many features: those with the greatest sum of gain and of the
        sizes of their edges. The picture says how many there are.
    show_isolated : bool, default=True
        Whether features that have no edge and were not selected are shown.
    title : str, default="What features tell together"
        Title of the picture.
    transparent : bool, default=False
        Whether the background is left out.
    unit : str, default="bits"
        What gains and synergies are counted in.

    Returns
    -------
    matplotlib.figure.Figure
        The picture; it needs no display and is unknown to pyplot.

    See Also
    --------
    save_figure : Write it to a file.
    figure_svg : The same as text for a page.

    Notes
    -----
    The same input gives the same picture: the layout has no randomness of its own. In
    SVG names stay text, pointing at a dot or line tells its full name and bits, and the
    picture is described for those who do not see it.

    Examples
    --------
    >>> from featsieve.report import interaction_graph
    >>> edges = [(0, 1, 0.14), (2, 3, -0.17)]
    >>> names = ["router", "line", "city", "dialling code"]
    >>> figure = interaction_graph(names, [0.0, 0.0, 0.17, 0.17], edges)
    >>> figure.axes[0].get_title()
    'What features tell together'
    """
    owner = "interaction_graph"
    check_integer("max_shown", max_shown, owner, at_least=1)
    n = len(names)
    bits = _numbers("gains", gains, n, owner)
    chosen = None
    if selected is not None:
        chosen = _numbers("selected", selected, n, owner).astype(bool)
    pairs = _checked_edges(edges, n, owner)
    importance = np.maximum(bits, 0)
    has_edge = np.zeros(n, dtype=bool)
    for i, j, synergy in pairs:
        importance[[i, j]] += abs(synergy)
        has_edge[[i, j]] = True
    order = np.argsort(-importance, kind="stable")
    if not show_isolated:
        wanted = has_edge if chosen is None else has_edge | chosen
        order = order[wanted[order]]
    shown = sorted(order[:max_shown].tolist())
    number = {feature: node for node, feature in enumerate(shown)}
    texts = [visible(name) for name in names]
    picture = Picture(
        names=[texts[feature] for feature in shown],
        labels=[shortened(texts[feature], LONGEST_NAME) for feature in shown],
        gains=np.maximum(bits[shown], 0),
        edges=[
            (number[i], number[j], synergy)
            for i, j, synergy in pairs
            if i in number and j in number
        ],
        selected=None if chosen is None else chosen[shown],
        groups=[
            tuple(number[member] for member in group)
            for group in feature_groups
            if all(member in number for member in group)
        ],
        indices=shown,
        n_features=n,
        title=visible(title),
        unit=visible(unit),
    )
    figure = draw(picture, transparent=transparent)
    describe_svg(figure, functools.partial(_describe, picture=picture))
    return figure


def _numbers(name: str, values: ArrayLike, n: int, owner: str) -> Floats:
    numbers = np.asarray(values, dtype=np.float64)
    good = numbers.shape == (n,) and np.isfinite(numbers).all()
    check_that(good, name, values, owner, f"{n} finite numbers, one for each name")
    return numbers


def _checked_edges(
    edges: Sequence[tuple[int, int, float]], n: int, owner: str
) -> list[tuple[int, int, float]]:
    """Return edges with the lower index first, one a pair, none of exactly nothing."""
    pairs: dict[tuple[int, int], float] = {}
    for edge in edges:
        i, j, synergy = int(edge[0]), int(edge[1]), float(edge[2])
        good = 0 <= i < n and 0 <= j < n and i != j and np.isfinite(synergy)
        must_be = f"triples of two different features from 0 to {n - 1} and "
        check_that(good, "edges", edge, owner, f"{must_be}a finite number")
        if synergy:
            pairs.setdefault((min(i, j), max(i, j)), synergy)
    return [(i, j, synergy) for (i, j), synergy in sorted(pairs.items())]


def _describe(svg: str, picture: Picture) -> str:
    """Add what pointing at a dot or line tells, and the picture in words."""
    told = {}
    for feature, name, gain in zip(
        picture.indices, picture.names, picture.gains, strict=True
    ):
        told[f"node-{feature}"] = f"{name}: {gain:.3g} {picture.unit} alone"
    for i, j, synergy in picture.edges:
        pair = f"edge-{picture.indices[i]}-{picture.indices[j]}"
        names = f"{picture.names[i]} and {picture.names[j]}"
        how = "more together" if synergy > 0 else "told by both"
        told[pair] = f"{names}: {abs(synergy):.3g} {picture.unit} {how}"

    def title(match: re.Match[str]) -> str:
        text = html.escape(told[match[1]], quote=False)
        return f"{match[0]}\n<title>{text}</title>"

    svg = re.sub(r'<g id="((?:node|edge)-[\d-]+)">', title, svg)
    start = svg.index("<svg")
    end = svg.index(">", start)
    return (
        f'{svg[:end]} role="img" aria-labelledby="graph-title graph-description">\n'
        f' <title id="graph-title">{html.escape(picture.title, quote=False)}</title>\n'
        f' <desc id="graph-description">'
        f"{html.escape(picture.description, quote=False)}</desc>{svg[end + 1 :]}"
    )
