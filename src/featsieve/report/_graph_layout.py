"""Where the nodes of a small graph go: the same places for the same graph, always."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Layout", "lay_out"]

Floats = NDArray[np.float64]

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
    part_of = list(range(n))
    for i, j in edges:
        old, new = part_of[i], part_of[j]
        part_of = [new if part == old else part for part in part_of]
    parts: dict[int, list[int]] = {}
    for node, part in enumerate(part_of):
        parts.setdefault(part, []).append(node)
    return sorted(parts.values(), key=lambda part: (-len(part), part[0]))


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


def _springs(n: int, pairs: NDArray[np.int64]) -> Floats:
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
    fitted: Floats = 0.5 + (places - (low + high) / 2) / span
    return fitted


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
