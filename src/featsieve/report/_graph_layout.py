"""Where the nodes of a small graph go: the same places for the same graph, always."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Layout", "lay_out"]

Floats = NDArray[np.float64]

#: Room per node, as a multiple of what node and label cover: less makes labels touch,
#: more makes them small on the page.
ROOM = 3.4
#: Width to height of the part with edges.
ASPECT = 1.5
LEAST_WIDTH, LEAST_HEIGHT, LEAST_SHELF = 7.2, 2.2, 0.5
GAP = 0.1
ROUNDS = 300


@dataclass(frozen=True, slots=True)
class Layout:
    """Centres of nodes in inches, from the lower left, and the size of it all."""

    places: Floats
    width: float
    height: float


def lay_out(boxes: Floats, edges: Sequence[tuple[int, int]]) -> Layout:
    """Return places for boxes of given widths and heights so that none overlap.

    Nodes with edges are drawn together by springs and pushed apart by their boxes;
    nodes without stand in rows below.
    """
    linked = sorted({node for edge in edges for node in edge})
    alone = [node for node in range(len(boxes)) if node not in set(linked)]
    area = ROOM * float(np.prod(boxes[linked] + GAP, axis=1).sum())
    width = max(LEAST_WIDTH, (area * ASPECT) ** 0.5, *boxes[:, 0])
    height = max(LEAST_HEIGHT, area / width) if linked else 0.0
    places = np.zeros((len(boxes), 2))
    rows, shelf = _rows(boxes, alone, width)
    places[alone] = rows
    if linked:
        number = {node: k for k, node in enumerate(linked)}
        pairs = np.array([(number[i], number[j]) for i, j in edges])
        room = np.array([width, height])
        spread = _springs(len(linked), pairs) * room
        places[linked] = _push_apart(spread, boxes[linked] + GAP, room)
        places[linked, 1] += shelf
    return Layout(places, float(width), float(max(height + shelf, LEAST_SHELF)))


def _rows(boxes: Floats, alone: list[int], width: float) -> tuple[Floats, float]:
    """Return centred rows of boxes, first one on top, and their height."""
    rows: list[list[int]] = []
    used = width
    for node in alone:
        wide = boxes[node, 0] + 2 * GAP
        if used + wide > width:
            rows.append([])
            used = 0.0
        rows[-1].append(node)
        used += wide
    places = {}
    bottom = GAP
    for row in reversed(rows):
        tall = boxes[row, 1].max()
        left = (width - sum(boxes[row, 0] + 2 * GAP)) / 2
        for node in row:
            left += boxes[node, 0] / 2 + GAP
            places[node] = (left, bottom + tall / 2)
            left += boxes[node, 0] / 2 + GAP
        bottom += tall + GAP
    ordered = np.array([places[node] for node in alone]).reshape(-1, 2)
    return ordered, (bottom if rows else 0.0)


def _springs(n: int, pairs: NDArray[np.int64]) -> Floats:
    """Return places in the unit square by Fruchterman and Reingold's forces."""
    angles = 2 * np.pi * np.arange(n) / n
    places = 0.5 + 0.4 * np.column_stack([np.cos(angles), np.sin(angles)])
    if n == 2:  # side by side, where labels have room
        return np.array([[0.25, 0.5], [0.75, 0.5]])
    random = np.random.default_rng(0)  # breaks the symmetry of the circle
    places += random.normal(scale=0.02, size=places.shape)
    ideal = 0.8 / n**0.5
    for step in range(ROUNDS):
        apart = places[:, np.newaxis] - places
        distance = np.maximum(np.linalg.norm(apart, axis=2), 1e-3)
        push = (apart / distance[..., np.newaxis] ** 2).sum(axis=1) * ideal**2
        along = apart[pairs[:, 0], pairs[:, 1]]
        pull = along * np.linalg.norm(along, axis=1, keepdims=True) / ideal
        force = push - 0.6 * (places - 0.5)  # keeps parts that are not linked near
        np.subtract.at(force, pairs[:, 0], pull)
        np.add.at(force, pairs[:, 1], pull)
        size = np.maximum(np.linalg.norm(force, axis=1, keepdims=True), 1e-9)
        places = places + force / size * np.minimum(size, 0.1 * (1 - step / ROUNDS))
    return _fitted(places)


def _fitted(places: Floats) -> Floats:
    """Return the places turned to lie wide, filling the unit square but its rim."""
    places = places - places.mean(axis=0)
    _, axes = np.linalg.eigh(places.T @ places)  # the longer axis is the last
    axes = axes[:, ::-1]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), [0, 1]])
    places = places @ axes
    low, high = places.min(axis=0), places.max(axis=0)
    rim = 0.3 / len(places) ** 0.5  # a small graph in the corners looks lost
    fitted: Floats = rim + (1 - 2 * rim) * (places - low) / np.maximum(high - low, 1e-9)
    return fitted


def _push_apart(places: Floats, boxes: Floats, room: Floats) -> Floats:
    """Move boxes by their smaller overlap until none is left, within the room."""
    places = places.copy()
    least, most = boxes / 2, np.maximum(room - boxes / 2, boxes / 2)
    reach = (boxes[:, np.newaxis] + boxes) / 2
    order = np.arange(len(places))
    before = np.where(order[:, np.newaxis] < order, -1.0, 1.0)  # for equal places
    for _ in range(2 * ROUNDS):
        places = np.clip(places, least, most)
        apart = places[:, np.newaxis] - places
        overlap = reach - np.abs(apart)
        hit = (overlap > 1e-6).all(axis=2) & (order[:, np.newaxis] != order)
        if not hit.any():
            break
        axis = overlap.argmin(axis=2)
        for k in (0, 1):
            sign = np.where(apart[..., k] == 0, before, np.sign(apart[..., k]))
            moved = np.where(hit & (axis == k), overlap[..., k] * sign, 0.0)
            places[:, k] += 0.35 * moved.sum(axis=1)
    return np.clip(places, least, most)
