"""The interaction graph of a selection, in the colours of the page."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

from featsieve.report._graph_drawing import (
    FAINT,
    GROUP,
    HEADER,
    INK,
    KEPT,
    LEFT_OUT,
    REDUNDANCY,
    SYNERGY,
)
from featsieve.report._interaction_graph import interaction_graph_svg
from featsieve.report._page_text import shown_name
from featsieve.report._selection_ledger import Ledger

__all__ = ["graph_for_page"]

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
    svg = interaction_graph_svg(
        [shown_name(name) for name in names],
        gains,
        [(number[a], number[b], synergy) for (a, b), synergy in edges.items()],
        selected=[bool(row and row["kept"]) for row in rows],
        groups=[
            [number[name] for name in found["members"]]
            for found in summary["interactions"]
            if found["kind"] == "synergy" and len(set(found["members"])) > 2
        ],
        max_nodes=MOST_NODES,
        title="",
        transparent=True,
        unit=ledger.unit,
    )
    return _themed(svg)


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
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, count=1, flags=re.DOTALL)
    # A style in a drawing would hold for the whole page.
    svg = re.sub(r"<defs>\s*<style.*?</defs>", "", svg, count=1, flags=re.DOTALL)
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
