"""Where everything goes in the picture of a tree: boxes, lines and their words.

Trees of many branches are wide, and text is wider than high; so the root is at the
left and each box has a row of its own among its siblings.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from featsieve._checks import check_integer
from featsieve._text import shortened, write_whole
from featsieve.trees._tree import Tree
from featsieve.trees._words import (
    MEAN,
    Words,
    as_tree,
    check_depth,
    class_colours,
    mean_positions,
    number_text,
    subtree_sizes,
)

FONT, SMALL = 12.0, 11.0  # pixels
MARGIN, PADDING, GAP = 16.0, 8.0, 8.0
BOX_HEIGHT, BAR_HEIGHT, LEAST_WIDTH = 34.0, 5.0, 56.0
ELBOW = 14.0  # between a column of boxes and where its lines turn
DETAIL_GAP = 6.0
LEGEND_ROW = 20.0
LONGEST = 30  # characters of a name
MOST_LEGEND = 12
THINNEST, THICKEST = 1.0, 5.0
LEAST_SHARE = 0.004  # of a bar, below which a class is not seen

# Widths of characters in ems, of Helvetica and the like.
WIDE = dict.fromkeys("mMwW@%", 0.95)
NARROW = frozenset("iljtfrI.,:;'|!()[]{}`\" -")


@dataclass(frozen=True, slots=True)
class Box:
    """A node: a bold title, a few words beside it, and a bar of class shares."""

    node: int
    x: float
    y: float
    width: float
    height: float
    title: str
    detail: str
    bar: list[tuple[str, float]]
    cut: bool
    leaf: bool
    tip: str


@dataclass(frozen=True, slots=True)
class Line:
    """The way from a node to its child, which turns twice."""

    points: list[tuple[float, float]]
    width: float
    label: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Entry:
    """A class and its colour."""

    x: float
    y: float
    colour: str
    label: str


@dataclass(frozen=True, slots=True)
class TreePicture:
    """A drawn tree: shown by notebooks, saved as SVG, or handed on as plain lists.

    Parameters
    ----------
    width, height : float
        Size in pixels; y grows downwards.
    description : str
        The picture in words, for those who do not see it.
    boxes, lines, legend : list
        What is drawn; `to_dict` tells the fields.

    Examples
    --------
    >>> from featsieve.trees import Tree, TreeFeature, plot_tree
    >>> tree = Tree([-1], [float("nan")], [-1], [0], [-1], [14], [[9, 5]], [0], [0],
    ...             features=[], classes=["yes", "no"])
    >>> picture = plot_tree(tree)
    >>> picture.description
    'Decision tree of 1 node and depth 0.'
    >>> picture.to_svg().startswith("<svg ")
    True
    """

    width: float
    height: float
    description: str
    boxes: list[Box]
    lines: list[Line]
    legend: list[Entry]

    def to_dict(self) -> dict[str, Any]:
        """Return the picture as plain dicts and lists, as `tree_figure` wants."""
        return asdict(self)

    def to_svg(self) -> str:
        """Return the picture as SVG."""
        from featsieve.trees._svg import write_svg  # noqa: PLC0415  (it draws pictures)

        return write_svg(self)

    def save(self, path: str | Path) -> Path:
        """Write the picture to a .svg file."""
        path = Path(path)
        if path.suffix.lower() != ".svg":
            raise ValueError(
                f"The 'path' parameter of TreePicture.save must end in .svg. Got "
                f"{str(path)!r} instead. For .png and .pdf say "
                "save_figure(path, tree_figure(picture.to_dict())) of featsieve.report."
            )
        write_whole(path, self.to_svg())
        return path

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def __repr__(self) -> str:
        return f"<TreePicture: {self.description}>"


def plot_tree(
    tree: Any, *, max_depth: int | None = None, max_nodes: int = 300, decimals: int = 4
) -> TreePicture:
    """Draw a tree: what each node asks or answers, and its classes as a bar.

    Parameters
    ----------
    tree : Tree or estimator
        A tree, or a fitted tree estimator.
    max_depth : int or None, default=None
        Cut branches after so many tests.
    max_nodes : int, default=300
        Show at most so many nodes, those near the root first. A branch that is cut is
        dashed, answers as if it were a leaf, and says how many nodes are not shown.
    decimals : int, default=4
        Decimals of thresholds and means.

    Returns
    -------
    TreePicture
        The picture; notebooks show it, ``picture.save("tree.svg")`` writes it.

    See Also
    --------
    featsieve.report.tree_figure : The same with matplotlib, for other files.

    Examples
    --------
    >>> from featsieve.trees import C45Classifier, plot_tree
    >>> wages = {"wage": [1.0, 1.5, 2.5, 3.0, 4.0]}
    >>> tree = C45Classifier().fit(wages, ["bad"] * 3 + ["good"] * 2)
    >>> plot_tree(tree)
    <TreePicture: Decision tree of 3 nodes and depth 1.>
    """
    tree = as_tree(tree, "plot_tree")
    words = Words(tree, decimals, "plot_tree")
    deepest = check_depth(max_depth, "plot_tree")
    most = check_integer("max_nodes", max_nodes, "plot_tree", at_least=1)
    shown = _Shown(tree, deepest, most)
    drawing = _Drawing(words, shown)
    legend, top = _legend(words)
    boxes, lines = drawing.place(top)
    right = [box.x + box.width for box in boxes]
    right += [entry.x + _text_width(entry.label, SMALL) for entry in legend]
    bottom = max(box.y + box.height for box in boxes)
    description = f"{tree.n_nodes:,} node{'' if tree.n_nodes == 1 else 's'}"
    if len(boxes) < tree.n_nodes:
        description += f", {len(boxes)} of them shown,"
    return TreePicture(
        width=round(max(right) + MARGIN, 1),
        height=round(bottom + MARGIN, 1),
        description=f"Decision tree of {description} and depth {tree.depth}.",
        boxes=boxes,
        lines=lines,
        legend=legend,
    )


class _Shown:
    """Which nodes are in the picture, from the root down until they are too many."""

    def __init__(self, tree: Tree, deepest: int | None, most: int) -> None:
        self.depth = {0: 0}
        self.opened: dict[int, range] = {}
        waiting = deque([0])
        while waiting:
            node = waiting.popleft()
            depth = self.depth[node]
            children = tree.children(node)
            room = len(self.depth) + len(children) <= most
            if not children or depth == deepest or not room:
                continue
            self.opened[node] = children
            self.depth |= dict.fromkeys(children, depth + 1)
            waiting.extend(children)

    def preorder(self) -> list[int]:
        order = []
        waiting = [0]
        while waiting:
            node = waiting.pop()
            order.append(node)
            waiting += reversed(self.opened.get(node, ()))
        return order


class _Drawing:
    def __init__(self, words: Words, shown: _Shown) -> None:
        self.words, self.tree, self.shown = words, words.tree, shown
        self.below = subtree_sizes(self.tree).tolist()
        self.colours = class_colours(self.tree.n_outputs)
        self.positions = None if self.tree.classes else mean_positions(self.tree)

    def place(self, top: float) -> tuple[list[Box], list[Line]]:
        shown = self.shown
        order = shown.preorder()
        parts = {node: self._words_of(node) for node in order}
        labels = {
            child: shortened(
                re.sub("^<=", "≤", self.words.branch(node, child)), LONGEST
            )
            for node, children in shown.opened.items()
            for child in children
        }
        columns = 1 + max(shown.depth.values())
        widths, gaps = [LEAST_WIDTH] * columns, [0.0] * columns
        for node in order:
            depth = shown.depth[node]
            widths[depth] = max(widths[depth], parts[node][2])
            if node in labels:
                room = 2 * ELBOW + _text_width(labels[node], SMALL)
                gaps[depth] = max(gaps[depth], room + PADDING)
        lefts = np.cumsum([MARGIN, *widths[:-1]]) + np.cumsum(gaps)
        middles = self._middles(order, top)
        boxes = [
            self._box(node, lefts[shown.depth[node]], middles[node], parts[node])
            for node in order
        ]
        lines = []
        for node in order:
            depth = shown.depth[node]
            start = float(lefts[depth]) + parts[node][2]
            turn = float(lefts[depth]) + widths[depth] + ELBOW
            for child in shown.opened.get(node, ()):
                end = float(lefts[depth + 1])
                path = (start, turn, end), (middles[node], middles[child])
                lines.append(self._line(child, path, labels[child]))
        return boxes, lines

    def _middles(self, order: list[int], top: float) -> dict[int, float]:
        """Return heights: leaves one below the other, a test amid its children."""
        middles = {}
        row = top + BOX_HEIGHT / 2
        for node in order:
            if node not in self.shown.opened:
                middles[node] = row
                row += BOX_HEIGHT + GAP
        for node in reversed(order):
            if children := self.shown.opened.get(node):
                middles[node] = (middles[children[0]] + middles[children[-1]]) / 2
        return middles

    def _words_of(self, node: int) -> tuple[str, str, float]:
        """Return title, detail and the width of the box they need."""
        words = self.words
        if node in self.shown.opened:
            title = words.names[words.feature[node]]
            detail = words.evidence(node).partition("/")[0]
        else:
            title = words.answer(node)
            detail = words.evidence(node)
            if self.below[node]:
                detail += f" … {self.below[node]:,} more"
        title = shortened(title, LONGEST)
        width = 1.08 * _text_width(title, FONT)  # it is bold
        width += DETAIL_GAP + _text_width(f"({detail})", SMALL)
        return title, detail, round(max(width + 2 * PADDING, LEAST_WIDTH), 1)

    def _box(
        self, node: int, left: float, middle: float, parts: tuple[str, str, float]
    ) -> Box:
        title, detail, width = parts
        opened = node in self.shown.opened
        return Box(
            node=node,
            x=round(float(left), 1),
            y=round(middle - BOX_HEIGHT / 2, 1),
            width=width,
            height=BOX_HEIGHT,
            title=title,
            detail=detail,
            bar=self._bar(node),
            cut=not opened and bool(self.below[node]),
            leaf=not opened and not self.below[node],
            tip=self._tip(node),
        )

    def _bar(self, node: int) -> list[tuple[str, float]]:
        if self.positions is not None:
            share = float(self.positions[node])
            return [(MEAN, round(share, 4))] if share else []
        values = self.tree.value[node]
        total = float(values.sum())
        if not total:
            return []
        shares = values / total
        seen = np.flatnonzero(shares >= LEAST_SHARE).tolist()
        return [(self.colours[k], round(float(shares[k]), 4)) for k in seen]

    def _tip(self, node: int) -> str:
        words, tree = self.words, self.tree
        told = [f"node {node}: {words.answer(node)} ({words.evidence(node)})"]
        if tree.n_children[node]:
            name = words.names[words.feature[node]]
            told.append(f"asks {name}, gain {tree.gain[node]:.4g}")
        if tree.classes is not None:
            values = tree.value[node]
            heaviest = np.argsort(-values, kind="stable")[:8].tolist()
            told += [
                f"{words.labels[k]}: {number_text(float(values[k]), 2)}"
                for k in heaviest
                if values[k] > 0
            ]
        return "\n".join(told)

    def _line(
        self, child: int, path: tuple[Any, tuple[float, float]], label: str
    ) -> Line:
        (start, turn, end), (above, height) = path
        points = [(start, above), (turn, above), (turn, height), (end, height)]
        share = float(self.tree.weight[child]) / (float(self.tree.weight[0]) or 1.0)
        width = THINNEST + (THICKEST - THINNEST) * min(share, 1.0)
        return Line(
            points=[(round(float(x), 1), round(y, 1)) for x, y in points],
            width=round(width, 2),
            label=label,
            x=round(turn + PADDING, 1),
            y=round(height - 3 - width / 2, 1),
        )


def _legend(words: Words) -> tuple[list[Entry], float]:
    """Return the classes with their colours, and where the tree may begin."""
    tree = words.tree
    if tree.classes is None:
        return [], MARGIN
    colours = class_colours(tree.n_outputs)
    heaviest = np.argsort(-tree.value[0], kind="stable")[:MOST_LEGEND]
    entries = []
    x, y = MARGIN, MARGIN
    for k in sorted(heaviest.tolist()):
        label = shortened(words.labels[k], LONGEST)
        width = 18 + _text_width(label, SMALL) + 2 * PADDING
        if x > MARGIN and x + width > 900:
            x, y = MARGIN, y + LEGEND_ROW
        entries.append(Entry(round(x, 1), y, colours[k], label))
        x += width
    if tree.n_outputs > MOST_LEGEND:
        more = f"… and {tree.n_outputs - MOST_LEGEND:,} more"
        entries.append(Entry(round(x, 1), y, "none", more))
    return entries, y + LEGEND_ROW + PADDING


def _text_width(text: str, size: float) -> float:
    """Return about how wide the text is in a sans-serif font, rather too much."""
    return size * sum(map(_character_width, text))


def _character_width(character: str) -> float:
    if character in NARROW:
        return 0.36
    if ord(character) < 0x250:
        return WIDE.get(character, 0.74 if character.isupper() else 0.57)
    if unicodedata.combining(character):
        return 0.0
    wide = unicodedata.east_asian_width(character) in ("W", "F")
    return 1.3 if wide else 0.7
