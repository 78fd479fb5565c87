"""Draw a prepared interaction graph with matplotlib."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from featsieve.report._graph_layout import Layout, lay_out
from featsieve.report._style import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Picture", "draw"]

# Red and blue that colour-blind readers tell apart (ColorBrewer's RdBu); redundancy is
# dashed as well, for print in black and white.
SYNERGY, REDUNDANCY = "#b2182b", "#2166ac"
KEPT, LEFT_OUT, INK, FAINT, GROUP = (
    "#3b4754",
    "#ffffff",
    "#1b1f24",
    "#6a737d",
    "#eef0f2",
)

LEAST_RADIUS, SAMPLE_RADIUS, MOST_RADIUS = 0.05, 0.1, 0.24  # inches
LEAST_LINE, MOST_LINE = 0.8, 6.0  # points
LABEL_SIZE, SMALL_SIZE, TITLE_SIZE = 8.5, 8.0, 11.5  # points
MARGIN, HEADER, FOOTER = 0.15, 0.42, 0.62  # inches
LABEL_GAP = 0.03


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn, checked and cut to the most important nodes."""

    names: list[str]
    labels: list[str]
    gains: NDArray[np.float64]
    edges: list[tuple[int, int, float]]
    selected: NDArray[np.bool_] | None
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
            f"{_count(together, 'pair')} that tell more together (red, solid)",
            f"{_count(same, 'pair')} that tell the same (blue, dashed)",
        ]
        strongest = sorted(self.edges, key=lambda edge: -abs(edge[2]))[:10]
        told = [
            f"{self.names[i]} and {self.names[j]}: {synergy:+.3g} {self.unit}"
            for i, j, synergy in strongest
        ]
        return "; ".join(parts) + "." + (f" {'; '.join(told)}." if told else "")


def draw(picture: Picture, *, transparent: bool) -> Figure:
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
        figure.patch.set_alpha(0)
    return figure


def _radii(gains: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return radii in inches: areas proportional to gains, but for the smallest."""
    most = float(gains.max(initial=0.0)) or 1.0
    radii: NDArray[np.float64] = MOST_RADIUS * np.sqrt(gains / most)
    return np.maximum(radii, LEAST_RADIUS)


def _line_widths(edges: list[tuple[int, int, float]]) -> list[float]:
    most = max((abs(synergy) for *_, synergy in edges), default=1.0)
    return [max(MOST_LINE * abs(s) / most, LEAST_LINE) for *_, s in edges]


def _label_sizes(figure: Any, labels: list[str]) -> NDArray[np.float64]:
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


def _draw_groups(ax: Any, picture: Picture, centres: NDArray[np.float64]) -> None:
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


def _draw_edges(ax: Any, picture: Picture, centres: NDArray[np.float64]) -> None:
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


def _draw_nodes(
    ax: Any,
    picture: Picture,
    centres: NDArray[np.float64],
    radii: NDArray[np.float64],
) -> None:
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


def _count(n: int, word: str) -> str:
    return f"{n:,} {word}" + ("" if n == 1 else "s")
