"""Draw a tree that is laid out already, for files that are no SVG."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from featsieve._checks import check_integer
from featsieve._text import visible
from featsieve.report._style import check_suffix, house_style, new_figure, write_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["save_tree", "tree_figure"]

INK, FAINT, RULE = "#1b1f24", "#6a737d", "#a9b1ba"
TEST, LEAF, EMPTY = "#eef1f4", "#ffffff", "#e3e6ea"
PIXELS_PER_INCH = 96.0  # of the layout, as browsers have it
# Points: less than 12 and 11 of those pixels, as matplotlib's font is an eighth wider.
FONT, SMALL = 7.9, 7.25
PADDING, DETAIL_GAP, BAR = 8.0, 6.0, 5.0
MOST_PIXELS = 2**16  # of a side: what matplotlib can paint
SUFFIXES = (".png", ".pdf")


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
    save_tree : The same in a file.

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
    _check(picture, "tree_figure")
    with house_style():
        return _draw(picture)


def save_tree(path: str | Path, picture: Mapping[str, Any], *, dpi: int = 150) -> Path:
    """Write the picture of a tree to a .png or .pdf file.

    Parameters
    ----------
    path : str or Path
        The file; its suffix tells the format. For .svg say
        ``featsieve.trees.plot_tree(tree).save(path)``, which needs no matplotlib.
    picture : mapping
        What ``featsieve.trees.plot_tree(tree).to_dict()`` gives.
    dpi : int, default=150
        Dots per inch of a .png file.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from featsieve.report import save_tree
    >>> from featsieve.trees import Tree, plot_tree
    >>> tree = Tree([-1], [float("nan")], [-1], [0], [-1], [14], [[9, 5]], [0], [0],
    ...             features=[], classes=["yes", "no"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_tree(f"{folder}/tree.png", plot_tree(tree).to_dict()).name
    'tree.png'
    """
    hint = " For .svg say plot_tree(tree).save(path)."
    path = check_suffix(path, SUFFIXES, "save_tree", hint)
    check_integer("dpi", dpi, "save_tree", at_least=1)
    _check(picture, "save_tree")
    side = max(picture["width"], picture["height"]) / PIXELS_PER_INCH * dpi
    if path.suffix.lower() == ".png" and side >= MOST_PIXELS:
        message = (
            f"The 'picture' parameter of save_tree must have sides of less than "
            f"{MOST_PIXELS} dots. Got {side:.0f} instead. Lower 'dpi', plot fewer "
            f"nodes (max_depth=, max_nodes=) or save it as .svg."
        )
        raise ValueError(message)
    with house_style():
        figure = _draw(picture)
    write_figure(path, figure, dpi)
    return path


def _check(picture: Any, owner: str) -> None:
    keys = ("width", "height", "boxes", "lines", "legend")
    if not isinstance(picture, Mapping) or any(key not in picture for key in keys):
        message = (
            f"The 'picture' parameter of {owner} must be what "
            f"plot_tree(tree).to_dict() gives. Got {type(picture).__name__} instead."
        )
        raise ValueError(message)


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
