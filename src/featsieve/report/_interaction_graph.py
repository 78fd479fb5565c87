"""Draw which features tell more together, and which tell the same."""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from featsieve._checks import check_integer, check_that
from featsieve._text import shortened, visible
from featsieve._types import Floats
from featsieve.report._graph_drawing import Picture, draw
from featsieve.report._style import describe_svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONGEST_LABEL = 24
TITLE = "What features tell together"


def interaction_graph(
    names: Sequence[str],
    gains: ArrayLike,
    edges: Sequence[tuple[int, int, float]],
    *,
    selected: ArrayLike | None = None,
    feature_groups: Sequence[Sequence[int]] = (),
    max_shown: int = 40,
    show_isolated: bool = True,
    title: str = TITLE,
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
        labels=[shortened(texts[feature], LONGEST_LABEL) for feature in shown],
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
    for k, feature in enumerate(picture.indices):
        told[f"node-{feature}"] = (
            f"{picture.names[k]}: {picture.gains[k]:.3g} {picture.unit} alone"
        )
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
