"""Where the nodes of an interaction graph go, and how it is drawn with matplotlib."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from featsieve._types import Floats, Ints, Mask
from featsieve.report._style import (
    FAINT,
    INK,
    LABEL_SIZE,
    SMALL_SIZE,
    TITLE_SIZE,
    count_of,
    new_figure,
    steady_style,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: Room of linked nodes, as a multiple of what nodes and labels cover: less hides lines
#: between them, more makes them small on the page.
ROOM = 2.4
#: Width to height of linked nodes, and of the whole.
ASPECT = 1.5
LEAST_WIDTH, LEAST_HEIGHT = 7.2, 0.5
#: Between nodes that are linked, so that a line is seen; and between parts.
LINE, GAP = 0.35, 0.12
ROUNDS = 300


@dataclass(frozen=True, slots=True)
class Layout:
    """Centres of nodes in inches, from the lower left, and the size of it all."""

    places: Floats
    width: float
    height: float


def lay_out(boxes: Floats, edges: Sequence[tuple[int, int]]) -> Layout:
    """Return places for boxes of given widths and heights so that none overlap.

    Nodes that are linked are drawn together by springs and pushed apart by their
    boxes. Such parts, the largest first, stand in rows, nodes without links last.
    """
    parts = _connected(len(boxes), edges)
    inner, sizes = [], np.zeros((len(parts), 2))
    for k, part in enumerate(parts):
        places, sizes[k] = _lay_out_part(boxes, edges, part)
        inner.append(places)
    area = float(np.prod(sizes + 2 * GAP, axis=1).sum())
    width = max([LEAST_WIDTH, (area * ASPECT) ** 0.5, *(sizes[:, 0] + 2 * GAP)])
    corners, height = _rows(sizes, [len(part) == 1 for part in parts], width)
    centres = np.zeros((len(boxes), 2))
    for part, places, corner in zip(parts, inner, corners, strict=True):
        centres[part] = places + corner
    return Layout(centres, float(width), max(height, LEAST_HEIGHT))


def _connected(n: int, edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the connected parts of the graph, the largest first."""
    ends = np.array([*edges]).reshape(-1, 2).T
    links = coo_array((np.ones(ends.shape[1]), (ends[0], ends[1])), shape=(n, n))
    n_parts, part_of = connected_components(links, directed=False)
    parts = [np.flatnonzero(part_of == part).tolist() for part in range(n_parts)]
    return sorted(parts, key=lambda part: (-len(part), part[0]))


def _lay_out_part(
    boxes: Floats, edges: Sequence[tuple[int, int]], part: list[int]
) -> tuple[Floats, Floats]:
    """Return places of connected nodes from their lower left, and the size of it."""
    own = boxes[part]
    if len(part) == 1:
        return own / 2, own[0]
    number = {node: k for k, node in enumerate(part)}
    pairs = np.array([(number[i], number[j]) for i, j in edges if i in number])
    padded = own + LINE
    area = ROOM * float(np.prod(padded, axis=1).sum())
    room = np.array([(area * ASPECT) ** 0.5, (area / ASPECT) ** 0.5])
    room = np.maximum(room, padded.max(axis=0))
    wanted = _springs(len(part), pairs)
    places, free = _push_apart(wanted * room, padded, room)
    while not free:  # a larger room has a solution
        room = room * 1.15
        places, free = _push_apart(wanted * room, padded, room)
    low = (places - own / 2).min(axis=0)
    return places - low, (places + own / 2).max(axis=0) - low


def _rows(sizes: Floats, single: list[bool], width: float) -> tuple[Floats, float]:
    """Return lower left corners of parts in centred rows from the top, and the height.

    Nodes without links begin a row of their own.
    """
    rows: list[list[int]] = []
    used = width
    for k, size in enumerate(sizes):
        wide = size[0] + 2 * GAP
        begins = k > 0 and single[k] and not single[k - 1]
        if used + wide > width + 1e-9 or begins:
            rows.append([])
            used = 0.0
        rows[-1].append(k)
        used += wide
    corners = np.zeros((len(sizes), 2))
    bottom = GAP
    for row in reversed(rows):
        tall = sizes[row, 1].max()
        spare = (width - (sizes[row, 0] + 2 * GAP).sum()) / (len(row) + 1)
        left = spare
        for k in row:
            corners[k] = left + GAP, bottom + (tall - sizes[k, 1]) / 2
            left += sizes[k, 0] + 2 * GAP + spare
        bottom += tall + 2 * GAP
    return corners, float(bottom)


def _springs(n: int, pairs: Ints) -> Floats:
    """Return places in the unit square by Fruchterman and Reingold's forces."""
    if n == 2:  # side by side, where labels have room
        return np.array([[0.0, 0.5], [1.0, 0.5]])
    angles = 2 * np.pi * np.arange(n) / n
    places = np.column_stack([np.cos(angles), np.sin(angles)]) / 2
    random = np.random.default_rng(0)  # breaks the symmetry of the circle
    places += random.normal(scale=0.02, size=places.shape)
    ideal = 0.8 / n**0.5
    for step in range(ROUNDS):
        apart = places[:, np.newaxis] - places
        distance = np.maximum(np.linalg.norm(apart, axis=2), 1e-3)
        force = (apart / distance[..., np.newaxis] ** 2).sum(axis=1) * ideal**2
        along = apart[pairs[:, 0], pairs[:, 1]]
        pull = along * np.linalg.norm(along, axis=1, keepdims=True) / ideal
        np.subtract.at(force, pairs[:, 0], pull)
        np.add.at(force, pairs[:, 1], pull)
        size = np.maximum(np.linalg.norm(force, axis=1, keepdims=True), 1e-9)
        places = places + force / size * np.minimum(size, 0.1 * (1 - step / ROUNDS))
    return _fitted(places)


def _fitted(places: Floats) -> Floats:
    """Return the places turned to lie wide, filling the unit square."""
    places = places - places.mean(axis=0)
    _, axes = np.linalg.eigh(places.T @ places)  # the longer axis is the last
    axes = axes[:, ::-1]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), [0, 1]])
    places = places @ axes
    low, high = places.min(axis=0), places.max(axis=0)
    # Three in a line have no height to be stretched.
    span = np.maximum(high - low, 0.2 * (high - low).max())
    return 0.5 + (places - (low + high) / 2) / span


def _push_apart(places: Floats, boxes: Floats, room: Floats) -> tuple[Floats, bool]:
    """Move boxes by their smaller overlap, within the room; say if none is left."""
    least, most = boxes / 2, np.maximum(room - boxes / 2, boxes / 2)
    reach = (boxes[:, np.newaxis] + boxes) / 2
    order = np.arange(len(places))
    others = order[:, np.newaxis] != order
    before = np.where(order[:, np.newaxis] < order, -1.0, 1.0)  # for equal places
    for _ in range(ROUNDS):
        places = np.clip(places, least, most)
        apart = places[:, np.newaxis] - places
        overlap = reach - np.abs(apart)
        hit = (overlap > 1e-3).all(axis=2) & others
        if not hit.any():
            return places, True
        axis = overlap.argmin(axis=2)
        moves = np.zeros_like(places)
        for k in (0, 1):
            sign = np.where(apart[..., k] == 0, before, np.sign(apart[..., k]))
            moves[:, k] = np.where(hit & (axis == k), overlap[..., k] * sign, 0).sum(1)
        places = places + 0.4 * moves
    return places, False


# Red and blue that colour-blind readers tell apart (ColorBrewer's RdBu); redundancy is
# dashed as well, for print in black and white.
SYNERGY, REDUNDANCY = "#b2182b", "#2166ac"
KEPT, LEFT_OUT, GROUP = "#3b4754", "#ffffff", "#eef0f2"

LEAST_RADIUS, SAMPLE_RADIUS, MOST_RADIUS = 0.05, 0.1, 0.24  # inches
LEAST_LINE, MOST_LINE = 0.8, 6.0  # points
MARGIN, HEADER, FOOTER = 0.15, 0.42, 0.62  # inches
LABEL_GAP = 0.03


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn, checked and cut to the most important nodes."""

    names: list[str]
    labels: list[str]
    gains: Floats
    edges: list[tuple[int, int, float]]
    selected: Mask | None
    groups: list[tuple[int, ...]]
    indices: list[int]  # of the nodes among all features
    n_features: int
    title: str
    unit: str

    @property
    def description(self) -> str:
        """The picture in words, for those who do not see it."""
        together = sum(synergy > 0 for *_, synergy in self.edges)
        same = len(self.edges) - together
        parts = [
            f"{len(self.names)} of {self.n_features} features",
            f"{count_of(together, 'pair')} that tell more together (red, solid)",
            f"{count_of(same, 'pair')} that tell the same (blue, dashed)",
        ]
        strongest = sorted(self.edges, key=lambda edge: -abs(edge[2]))[:10]
        told = [
            f"{self.names[i]} and {self.names[j]}: {synergy:+.3g} {self.unit}"
            for i, j, synergy in strongest
        ]
        return "; ".join(parts) + "." + (f" {'; '.join(told)}." if told else "")


def draw(picture: Picture, *, transparent: bool) -> Figure:
    """Return the picture, whatever the user has set."""
    with steady_style():
        return _draw(picture, transparent=transparent)


def _draw(picture: Picture, *, transparent: bool) -> Figure:
    figure = new_figure(dpi=100)
    radii = _radii(picture.gains)
    sizes = _label_sizes(figure, picture.labels)
    boxes = np.column_stack(
        [
            np.maximum(sizes[:, 0], 2 * radii),
            2 * radii + LABEL_GAP + sizes[:, 1],
        ]
    ).reshape(-1, 2)
    layout = lay_out(boxes, [(i, j) for i, j, _ in picture.edges])
    figure.set_size_inches(layout.width + 2 * MARGIN, layout.height + HEADER + FOOTER)
    ax = _empty_axes(figure, layout, picture.title)
    centres = layout.places + np.column_stack(
        [np.zeros(len(radii)), boxes[:, 1] / 2 - radii]
    )
    _draw_groups(ax, picture, centres)
    _draw_edges(ax, picture, centres)
    _draw_nodes(ax, picture, centres, radii)
    _draw_legend(figure, picture)
    _make_room_for_legend(figure, ax)
    _draw_footnote(figure, picture)
    if transparent:
        figure.patch.set_facecolor("none")
    return figure


def _radii(gains: Floats) -> Floats:
    """Return radii in inches: areas proportional to gains, but for the smallest."""
    most = float(gains.max(initial=0.0)) or 1.0
    radii: Floats = MOST_RADIUS * np.sqrt(gains / most)
    return np.maximum(radii, LEAST_RADIUS)


def _line_widths(edges: list[tuple[int, int, float]]) -> list[float]:
    most = max((abs(synergy) for *_, synergy in edges), default=1.0)
    return [max(MOST_LINE * abs(s) / most, LEAST_LINE) for *_, s in edges]


def _label_sizes(figure: Any, labels: list[str]) -> Floats:
    """Return widths and heights of the labels in inches."""
    renderer = figure.canvas.get_renderer()
    sizes = np.zeros((len(labels), 2))
    for k, label in enumerate(labels):
        text = figure.text(0, 0, label, fontsize=LABEL_SIZE, parse_math=False)
        extent = text.get_window_extent(renderer)
        sizes[k] = extent.width / figure.dpi, LABEL_SIZE * 1.25 / 72
        text.remove()
    return sizes


def _empty_axes(figure: Any, layout: Layout, title: str) -> Any:
    width, height = figure.get_size_inches()
    place = (MARGIN / width, FOOTER / height)
    size = (layout.width / width, layout.height / height)
    ax = figure.add_axes((*place, *size))
    ax.set_xlim(0, layout.width)
    ax.set_ylim(0, layout.height)
    ax.set_axis_off()
    ax.set_title(title, fontsize=TITLE_SIZE, color=INK, parse_math=False)
    return ax


def _draw_groups(ax: Any, picture: Picture, centres: Floats) -> None:
    from matplotlib.patches import Polygon

    for k, group in enumerate(picture.groups):
        if len(group) < 3:
            continue
        corners = centres[list(group)]
        away = corners - corners.mean(axis=0)
        around = np.argsort(np.arctan2(away[:, 1], away[:, 0]), kind="stable")
        ground = Polygon(
            corners[around],
            closed=True,
            facecolor=GROUP,
            edgecolor=GROUP,
            linewidth=30,
            joinstyle="round",
            zorder=0,
            gid=f"group-{k}",
        )
        ax.add_patch(ground)


def _draw_edges(ax: Any, picture: Picture, centres: Floats) -> None:
    widths = _line_widths(picture.edges)
    # The strong ones last, on top.
    for k in np.argsort(widths, kind="stable").tolist():
        i, j, synergy = picture.edges[k]
        ax.plot(
            *centres[[i, j]].T,
            **_line(synergy, widths[k]),
            alpha=0.85,
            zorder=1,
            gid=f"edge-{picture.indices[i]}-{picture.indices[j]}",
        )


def _draw_nodes(ax: Any, picture: Picture, centres: Floats, radii: Floats) -> None:
    from matplotlib.patches import Circle

    for k, (x, y) in enumerate(centres.tolist()):
        kept = picture.selected is None or bool(picture.selected[k])
        dot = Circle(
            (x, y),
            radii[k],
            facecolor=KEPT if kept else LEFT_OUT,
            edgecolor=KEPT,
            linewidth=1.2,
            zorder=2,
            gid=f"node-{picture.indices[k]}",
        )
        ax.add_patch(dot)
        ax.text(
            x,
            y - radii[k] - LABEL_GAP,
            picture.labels[k],
            ha="center",
            va="top",
            fontsize=LABEL_SIZE,
            color=INK,
            parse_math=False,
            zorder=3,
            bbox={"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.6},
        )


def _draw_legend(figure: Any, picture: Picture) -> None:
    handles = [*_line_samples(picture), *_dot_samples(picture)]
    if not handles:
        return
    height = figure.get_size_inches()[1]
    figure.legend(
        handles=handles,
        loc="center",
        bbox_to_anchor=(0.5, (FOOTER * 0.62) / height),
        ncols=len(handles),
        frameon=False,
        fontsize=SMALL_SIZE,
        labelcolor=INK,
        handlelength=3.8,
        columnspacing=1.6,
    )


def _make_room_for_legend(figure: Any, ax: Any) -> None:
    """Widen the picture where a long unit makes the legend wider than it."""
    if not figure.legends:
        return
    extent = figure.legends[0].get_window_extent(figure.canvas.get_renderer())
    needed = extent.width / figure.dpi + 2 * MARGIN
    width, height = figure.get_size_inches()
    if needed > width:
        place = ax.get_position()
        share = place.width * width / needed
        ax.set_position(((1 - share) / 2, place.y0, share, place.height))
        figure.set_size_inches(needed, height)


def _line_samples(picture: Picture) -> list[Any]:
    """Return the widest line of each kind, with its bits."""
    from matplotlib.lines import Line2D

    samples = []
    widths = _line_widths(picture.edges)
    for sign, words in ((1, "more together"), (-1, "told by both")):
        sizes = [
            (abs(synergy), width)
            for (*_, synergy), width in zip(picture.edges, widths, strict=True)
            if synergy * sign > 0
        ]
        if sizes:
            most, width = max(sizes)
            label = f"{most:.2g} {picture.unit} {words}"
            samples.append(Line2D([], [], label=label, **_line(sign, width)))
    return samples


def _dot_samples(picture: Picture) -> list[Any]:
    """Return a dot of middle size, with its bits, and a hollow one if there are any."""
    from matplotlib.lines import Line2D

    samples = []
    dot: dict[str, Any] = {"marker": "o", "linestyle": "none", "color": KEPT}
    most = picture.gains.max(initial=0.0)
    if most > 0:
        bits = most * (SAMPLE_RADIUS / MOST_RADIUS) ** 2
        label = f"{bits:.2g} {picture.unit} alone"
        samples.append(
            Line2D([], [], **dot, markersize=144 * SAMPLE_RADIUS, label=label)
        )
    if picture.selected is not None and not picture.selected.all():
        dot["markerfacecolor"] = LEFT_OUT
        samples.append(Line2D([], [], **dot, markersize=7, label="not kept"))
    return samples


def _line(synergy: float, width: float) -> dict[str, Any]:
    return {
        "color": SYNERGY if synergy > 0 else REDUNDANCY,
        "linewidth": width,
        "linestyle": "solid" if synergy > 0 else (0, (1.6, 0.8)),
        "dash_capstyle": "butt",
    }


def _draw_footnote(figure: Any, picture: Picture) -> None:
    left_out = picture.n_features - len(picture.names)
    if not left_out:
        return
    text = f"{len(picture.names):,} of {picture.n_features:,} features shown"
    height = figure.get_size_inches()[1]
    figure.text(
        0.5,
        0.07 / height,
        f"{text}; {left_out:,} of less importance left out",
        ha="center",
        va="bottom",
        fontsize=SMALL_SIZE,
        color=FAINT,
        parse_math=False,
        gid="left-out",
    )
