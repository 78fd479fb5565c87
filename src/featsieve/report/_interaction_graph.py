"""Draw which features tell more together, and which tell the same."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve._checks import check_integer
from featsieve._text import visible
from featsieve._writing import write_whole
from featsieve.report._graph_drawing import Picture, draw
from featsieve.report._style import as_svg, check_suffix, house_style, write_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["interaction_graph", "interaction_graph_svg", "save_interaction_graph"]

LONGEST_LABEL = 24
TITLE = "What features tell together"


def interaction_graph(
    names: Sequence[str],
    gains: ArrayLike,
    edges: Sequence[tuple[int, int, float]],
    *,
    selected: ArrayLike | None = None,
    groups: Sequence[Sequence[int]] = (),
    max_nodes: int = 40,
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
    groups : sequence of sequences of int, default=()
        Features that interact as a whole; three or more get a common ground.
    max_nodes : int, default=40
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
    interaction_graph_svg : The same as text for a page.
    save_interaction_graph : The same in a file.

    Notes
    -----
    The same input gives the same picture: the layout has no randomness of its own.

    Examples
    --------
    >>> from featsieve.report import interaction_graph
    >>> edges = [(0, 1, 0.14), (2, 3, -0.17)]
    >>> names = ["router", "line", "city", "dialling code"]
    >>> figure = interaction_graph(names, [0.0, 0.0, 0.17, 0.17], edges)
    >>> figure.axes[0].get_title()
    'What features tell together'
    """
    picture = _prepare(
        names,
        gains,
        edges,
        selected=selected,
        groups=groups,
        max_nodes=max_nodes,
        show_isolated=show_isolated,
        title=title,
        unit=unit,
    )
    with house_style():
        return draw(picture, transparent=transparent)


def interaction_graph_svg(
    names: Sequence[str],
    gains: ArrayLike,
    edges: Sequence[tuple[int, int, float]],
    *,
    transparent: bool = False,
    **options: Any,
) -> str:
    """Return the interaction graph as SVG, the same bytes for the same input.

    Names stay text, so that they can be searched; pointing at a dot or line tells its
    full name and bits, and the picture is described for those who do not see it.

    Parameters
    ----------
    names, gains, edges, transparent, **options
        As for `interaction_graph`.

    Returns
    -------
    str
        An SVG document.

    Examples
    --------
    >>> from featsieve.report import interaction_graph_svg
    >>> svg = interaction_graph_svg(["a", "b"], [0.1, 0.2], [(0, 1, 0.3)])
    >>> '<g id="edge-0-1">' in svg
    True
    """
    picture = _prepare(names, gains, edges, **options)
    with house_style():
        figure = draw(picture, transparent=transparent)
    return _describe(as_svg(figure, transparent=transparent), picture)


def save_interaction_graph(
    path: str | Path,
    names: Sequence[str],
    gains: ArrayLike,
    edges: Sequence[tuple[int, int, float]],
    *,
    dpi: int = 150,
    **options: Any,
) -> Path:
    """Write the interaction graph to a .svg or .png file.

    Parameters
    ----------
    path : str or Path
        The file; its suffix tells the format.
    names, gains, edges
        As for `interaction_graph`.
    dpi : int, default=150
        Dots per inch of a .png file.
    **options
        Further parameters of `interaction_graph`.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from featsieve.report import save_interaction_graph
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/graph.png"
    ...     save_interaction_graph(path, "ab", [0, 0], [(0, 1, 1.0)]).name
    'graph.png'
    """
    path = check_suffix(path, (".svg", ".png"), "save_interaction_graph")
    check_integer("dpi", dpi, "save_interaction_graph", at_least=1)
    if path.suffix.lower() == ".svg":
        write_whole(path, interaction_graph_svg(names, gains, edges, **options))
    else:
        figure = interaction_graph(names, gains, edges, **options)
        transparent = bool(options.get("transparent", False))
        write_figure(path, figure, dpi, transparent=transparent)
    return path


def _prepare(
    names: Sequence[str],
    gains: ArrayLike,
    edges: Sequence[tuple[int, int, float]],
    *,
    selected: ArrayLike | None = None,
    groups: Sequence[Sequence[int]] = (),
    max_nodes: int = 40,
    show_isolated: bool = True,
    title: str = TITLE,
    unit: str = "bits",
) -> Picture:
    owner = "interaction_graph"
    check_integer("max_nodes", max_nodes, owner, at_least=1)
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
    shown = sorted(order[:max_nodes].tolist())
    number = {feature: node for node, feature in enumerate(shown)}
    texts = [visible(name) for name in names]
    return Picture(
        names=[texts[feature] for feature in shown],
        labels=[_shorten(texts[feature]) for feature in shown],
        gains=np.maximum(bits[shown], 0),
        edges=[
            (number[i], number[j], synergy)
            for i, j, synergy in pairs
            if i in number and j in number
        ],
        selected=None if chosen is None else chosen[shown],
        groups=[
            tuple(number[member] for member in group)
            for group in groups
            if all(member in number for member in group)
        ],
        indices=shown,
        n_features=n,
        title=visible(title),
        unit=visible(unit),
    )


def _numbers(name: str, values: ArrayLike, n: int, owner: str) -> NDArray[np.float64]:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.shape != (n,) or not np.isfinite(numbers).all():
        message = (
            f"The {name!r} parameter of {owner} must be {n} finite numbers, one for "
            f"each name. Got an array of shape {numbers.shape} instead."
        )
        raise ValueError(message)
    return numbers


def _checked_edges(
    edges: Sequence[tuple[int, int, float]], n: int, owner: str
) -> list[tuple[int, int, float]]:
    """Return edges with the lower index first, one a pair, none of exactly nothing."""
    pairs: dict[tuple[int, int], float] = {}
    for edge in edges:
        i, j, synergy = int(edge[0]), int(edge[1]), float(edge[2])
        if not (0 <= i < n and 0 <= j < n and i != j and np.isfinite(synergy)):
            message = (
                f"The 'edges' parameter of {owner} must be triples of two different "
                f"features from 0 to {n - 1} and a finite number. Got {edge!r} instead."
            )
            raise ValueError(message)
        if synergy:
            pairs.setdefault((min(i, j), max(i, j)), synergy)
    return [(i, j, synergy) for (i, j), synergy in sorted(pairs.items())]


def _shorten(name: str) -> str:
    if len(name) <= LONGEST_LABEL:
        return name or "(no name)"
    half = LONGEST_LABEL // 2
    return f"{name[: half - 1]}…{name[-half:]}"


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
