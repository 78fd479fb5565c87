"""Draw members of ensembles, how they agree and err, and trees that are laid out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from featsieve._checks import check_that
from featsieve._text import visible
from featsieve._types import Floats
from featsieve.report._style import (
    FAINT,
    INK,
    RULE,
    new_figure,
    plain_axes,
    steady_style,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: Told apart by most eyes, also in print (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
#: Points of a cloud that are drawn; more would only make a blot and a large file.
MOST_POINTS = 3000


def kappa_error_figure(clouds: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> Figure:
    """Draw the kappa-error diagram of one ensemble or several.

    Every point is a pair of members: to the right if they agree, higher if they err.
    A cross marks the middle of each cloud. Of more than 3000 pairs, as many evenly
    chosen ones are drawn.

    Parameters
    ----------
    clouds : mapping of str to (kappa, error)
        For every ensemble what ``diversity_report(...).kappa_error()`` gives.

    Returns
    -------
    matplotlib.figure.Figure
        The picture; it needs no display and is unknown to pyplot.

    See Also
    --------
    save_figure : Write it to a file.

    Examples
    --------
    >>> from featsieve.diversity import kappa_error
    >>> from featsieve.report import kappa_error_figure
    >>> points = kappa_error([[0, 1, 1, 0], [0, 1, 0, 0], [1, 1, 1, 1]], [0, 1, 1, 1])
    >>> figure = kappa_error_figure({"three members": points})
    >>> figure.axes[0].get_xlabel()
    'kappa: agreement of two members beyond chance'
    """
    checked = _checked(clouds)
    with steady_style():
        return _draw_clouds(checked)


Cloud = tuple[str, Floats, Floats]


def _checked(clouds: Any) -> list[Cloud]:
    checked = []
    good = isinstance(clouds, Mapping) and bool(clouds)
    for name, points in clouds.items() if good else ():
        try:
            kappas, errors = (np.asarray(each, dtype=np.float64) for each in points)
        except (TypeError, ValueError):
            good = False
            break
        good = good and kappas.ndim == 1 and kappas.shape == errors.shape
        good = good and len(kappas) > 0
        checked.append((str(name), kappas, errors))
    if not good:
        raise ValueError(
            "The 'clouds' parameter of kappa_error_figure must map names to pairs of "
            "vectors of equal length, not empty: kappa and error of pairs of members."
        )
    return checked


def _draw_clouds(clouds: list[Cloud]) -> Figure:
    figure = new_figure(figsize=(6.0, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for number, (name, kappas, errors) in enumerate(clouds):
        colour = COLOURS[number % len(COLOURS)]
        step = -(-len(kappas) // MOST_POINTS)
        label = visible(name).replace("$", r"\$")
        shown = slice(None, None, step)
        axes.scatter(
            kappas[shown], errors[shown], s=6, color=colour, alpha=0.3, linewidths=0
        )
        middle = ([kappas.mean()], [errors.mean()])
        axes.scatter(*middle, s=90, color=INK, marker="P", zorder=3)
        axes.scatter(*middle, s=45, color=colour, marker="P", label=label, zorder=4)
    axes.set_xlabel("kappa: agreement of two members beyond chance", color=INK)
    axes.set_ylabel("mean error of the two", color=INK)
    axes.grid(color="#e3e6ea", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(colors=FAINT)
    plain_axes(axes)
    axes.legend(frameon=False, loc="best")
    return figure


TEST, LEAF, EMPTY = "#eef1f4", "#ffffff", "#e3e6ea"
PIXELS_PER_INCH = 96.0  # of the layout, as browsers have it
# Points: less than 12 and 11 of those pixels, as matplotlib's font is an eighth wider.
FONT, SMALL = 7.9, 7.25
PADDING, DETAIL_GAP, BAR = 8.0, 6.0, 5.0


def tree_figure(picture: Mapping[str, Any]) -> Figure:
    """Draw a tree with matplotlib, as it was laid out.

    Parameters
    ----------
    picture : mapping
        What ``featsieve.trees.plot_tree(tree).to_dict()`` gives.

    Returns
    -------
    matplotlib.figure.Figure
        The picture; it needs no display and is unknown to pyplot.

    See Also
    --------
    save_figure : Write it to a file.

    Examples
    --------
    >>> from featsieve.report import tree_figure
    >>> from featsieve.trees import Tree, plot_tree
    >>> tree = Tree([-1], [float("nan")], [-1], [0], [-1], [14], [[9, 5]], [0], [0],
    ...             features=[], classes=["yes", "no"])
    >>> figure = tree_figure(plot_tree(tree).to_dict())
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['yes', 'no', 'yes', '(14.0/5.0)']
    """
    keys = ("width", "height", "boxes", "lines", "legend")
    good = isinstance(picture, Mapping) and all(key in picture for key in keys)
    must_be = "what plot_tree(tree).to_dict() gives"
    check_that(good, "picture", picture, "tree_figure", must_be)
    with steady_style():
        return _draw(picture)


def _draw(picture: Mapping[str, Any]) -> Figure:
    width, height = picture["width"], picture["height"]
    figure = new_figure(figsize=(width / PIXELS_PER_INCH, height / PIXELS_PER_INCH))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)  # downwards, as in the layout
    for entry in picture["legend"]:
        _draw_entry(axes, entry)
    for line in picture["lines"]:
        _draw_line(axes, line)
    for box in picture["boxes"]:
        _draw_box(axes, box)
    return figure


def _draw_entry(axes: Any, entry: Mapping[str, Any]) -> None:
    from matplotlib.patches import Rectangle

    shift = 0.0
    if entry["colour"] != "none":
        shift = 16.0
        corner = (entry["x"], entry["y"])
        axes.add_patch(Rectangle(corner, 11, 11, color=entry["colour"], linewidth=0))
    _write(axes, entry["x"] + shift, entry["y"] + 9.5, entry["label"])


def _draw_line(axes: Any, line: Mapping[str, Any]) -> None:
    xs, ys = zip(*line["points"], strict=True)
    points = line["width"] * 72 / PIXELS_PER_INCH
    axes.plot(xs, ys, color=RULE, linewidth=points, solid_joinstyle="round", zorder=1)
    _write(axes, line["x"], line["y"], line["label"])


def _draw_box(axes: Any, box: Mapping[str, Any]) -> None:
    from matplotlib.patches import FancyBboxPatch, Rectangle

    x, y, width, height = box["x"], box["y"], box["width"], box["height"]
    axes.add_patch(
        FancyBboxPatch(
            (x, y),
            width,
            height,
            boxstyle="round,pad=0,rounding_size=5",
            facecolor=LEAF if box["leaf"] else TEST,
            edgecolor=RULE,
            linewidth=0.75,
            linestyle="--" if box["cut"] else "-",
            zorder=2,
        )
    )
    title = _write(axes, x + PADDING, y + 17, box["title"], bold=True)
    # Beside the title wherever that ends in the font at hand.
    axes.annotate(
        f"({visible(box['detail'])})",
        xy=(1, 0),
        xycoords=title,
        xytext=(DETAIL_GAP * 72 / PIXELS_PER_INCH, 0),
        textcoords="offset points",
        fontsize=SMALL,
        color=FAINT,
        verticalalignment="bottom",
        parse_math=False,
        zorder=3,
    )
    left, room = x + PADDING, width - 2 * PADDING
    bottom = y + height - BAR - 5
    axes.add_patch(Rectangle((left, bottom), room, BAR, color=EMPTY, lw=0, zorder=3))
    for colour, share in box["bar"]:
        part = room * share
        axes.add_patch(
            Rectangle((left, bottom), part, BAR, color=colour, lw=0, zorder=3)
        )
        left += part


def _write(axes: Any, x: float, y: float, text: str, *, bold: bool = False) -> Any:
    return axes.text(
        x,
        y,
        visible(text),
        color=INK,
        fontsize=FONT if bold else SMALL,
        fontweight="bold" if bold else "normal",
        parse_math=False,  # a name may hold dollars
        zorder=3,
    )
