"""The picture of a tree as SVG text; no library is needed for boxes and lines."""

from __future__ import annotations

import html
from typing import Any

from featsieve._docs import described_like
from featsieve.trees._picture import (
    BAR_HEIGHT,
    DETAIL_GAP,
    FONT,
    PADDING,
    SMALL,
    Box,
    Entry,
    Line,
    TreePicture,
    plot_tree,
)

INK, FAINT, RULE, PAPER = "#1b1f24", "#6a737d", "#a9b1ba", "#ffffff"
TEST, LEAF, EMPTY = "#eef1f4", "#ffffff", "#e3e6ea"


@described_like(plot_tree)
def tree_to_svg(
    tree: Any, *, max_depth: int | None = None, max_nodes: int = 300, decimals: int = 4
) -> str:
    """Return the picture of a tree as SVG, the same text for the same tree.

    Parameters
    ----------
    tree : Tree or estimator
        A tree, or a fitted tree estimator.

    Returns
    -------
    str
        An SVG element that may stand in a file or in a page. Names stay text; pointing
        at a node tells its classes.

    Examples
    --------
    >>> from featsieve.trees import Tree, tree_to_svg
    >>> tree = Tree([-1], [float("nan")], [-1], [0], [-1], [14], [[9, 5]], [0], [0],
    ...             features=[], classes=["yes", "no"])
    >>> "(14.0/5.0)" in tree_to_svg(tree)
    True
    """
    picture = plot_tree(
        tree, max_depth=max_depth, max_nodes=max_nodes, decimals=decimals
    )
    return write_svg(picture)


def write_svg(picture: TreePicture) -> str:
    """Return the picture as an SVG element."""
    width, height = picture.width, picture.height
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" '
        f'height="{height:g}" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{_safe(picture.description)}" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="{SMALL:g}">',
        f'<rect width="{width:g}" height="{height:g}" rx="6" fill="{PAPER}"/>',
    ]
    for entry in picture.legend:
        lines += _entry(entry)
    lines += [_path(line) for line in picture.lines]
    lines += [_label(line) for line in picture.lines]
    for box in picture.boxes:
        lines += _box(box)
    lines.append("</svg>")
    return "\n".join(lines)


def _entry(entry: Entry) -> list[str]:
    marks = []
    shift = 0.0
    if entry.colour != "none":
        shift = 16.0
        marks.append(
            f'<rect x="{entry.x:g}" y="{entry.y:g}" width="11" height="11" rx="2" '
            f'fill="{entry.colour}"/>'
        )
    text = f'<text x="{entry.x + shift:g}" y="{entry.y + 9.5:g}" fill="{INK}">'
    return [*marks, f"{text}{_safe(entry.label)}</text>"]


def _path(line: Line) -> str:
    (x, y), *rest = line.points
    way = f"M{x:g} {y:g}" + "".join(f"L{px:g} {py:g}" for px, py in rest)
    return (
        f'<path d="{way}" fill="none" stroke="{RULE}" stroke-width="{line.width:g}" '
        f'stroke-linejoin="round"/>'
    )


def _label(line: Line) -> str:
    # The halo keeps words readable where a thick line of a neighbour comes near.
    return (
        f'<text x="{line.x:g}" y="{line.y:g}" fill="{INK}" stroke="{PAPER}" '
        f'stroke-width="3" paint-order="stroke">{_safe(line.label)}</text>'
    )


def _box(box: Box) -> list[str]:
    dashed = ' stroke-dasharray="4 3"' if box.cut else ""
    detail = f"({box.detail})"
    middle = box.y + 17
    made = [
        f'<g class="node"><title>{_safe(box.tip)}</title>',
        f'<rect x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" '
        f'height="{box.height:g}" rx="5" fill="{TEST if not box.leaf else LEAF}" '
        f'stroke="{RULE}"{dashed}/>',
        f'<text x="{box.x + PADDING:g}" y="{middle:g}" fill="{INK}" '
        f'font-size="{FONT:g}" font-weight="bold" xml:space="preserve">'
        f"{_safe(box.title)}"
        f'<tspan dx="{DETAIL_GAP:g}" fill="{FAINT}" font-size="{SMALL:g}" '
        f'font-weight="normal">'
        f"{_safe(detail)}</tspan></text>",
    ]
    made += _bar(box)
    made.append("</g>")
    return made


def _bar(box: Box) -> list[str]:
    x, y = box.x + PADDING, box.y + box.height - BAR_HEIGHT - 5
    room = box.width - 2 * PADDING
    made = [
        f'<rect x="{x:g}" y="{y:g}" width="{room:g}" height="{BAR_HEIGHT:g}" '
        f'fill="{EMPTY}"/>'
    ]
    for colour, share in box.bar:
        width = round(room * share, 2)
        made.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{BAR_HEIGHT:g}" '
            f'fill="{colour}"/>'
        )
        x = round(x + width, 2)
    return made


def _safe(text: str) -> str:
    return html.escape(text, quote=True)
