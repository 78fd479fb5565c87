"""Maximal cliques of a small graph, with a bound on how many there may be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


class TooManyCliquesError(RuntimeError):
    """The graph has more maximal cliques than the caller can use."""


def maximal_cliques(
    n_nodes: int, edges: Iterable[tuple[int, int]], *, most: int | None = None
) -> list[tuple[int, ...]]:
    """Return all maximal cliques, members ascending, in ascending order.

    Bron and Kerbosch's search in degeneracy order with Tomita's pivot; sets of nodes
    are bits of an integer. A node without edges is a clique of one.

    Raises
    ------
    TooManyCliquesError
        As soon as more than `most` have been found.
    """
    neighbours = [0] * n_nodes
    for i, j in edges:
        neighbours[i] |= 1 << j
        neighbours[j] |= 1 << i
    found: list[tuple[int, ...]] = []
    later = (1 << n_nodes) - 1
    for node in _degeneracy_order(neighbours):
        later &= ~(1 << node)
        candidates = neighbours[node] & later
        excluded = neighbours[node] & ~later
        for clique in _expand(neighbours, 1 << node, candidates, excluded):
            found.append(tuple(_members(clique)))
            if most is not None and len(found) > most:
                raise TooManyCliquesError(f"more than {most} maximal cliques")
    return sorted(found)


def _expand(
    neighbours: list[int], clique: int, candidates: int, excluded: int
) -> Iterator[int]:
    """Yield the maximal cliques that extend `clique`, by an explicit stack."""
    stack = [(clique, candidates, excluded)]
    while stack:
        clique, candidates, excluded = stack.pop()
        if not candidates:
            if not excluded:
                yield clique
            continue
        pivot = max(
            _members(candidates | excluded),
            key=lambda node: (candidates & neighbours[node]).bit_count(),
        )
        for node in _members(candidates & ~neighbours[pivot]):
            bit = 1 << node
            near = neighbours[node]
            stack.append((clique | bit, candidates & near, excluded & near))
            candidates &= ~bit
            excluded |= bit


def _members(bits: int) -> list[int]:
    members = []
    while bits:
        low = bits & -bits
        members.append(low.bit_length() - 1)
        bits ^= low
    return members


def _degeneracy_order(neighbours: list[int]) -> list[int]:
    """Return the nodes so that each has few neighbours among those after it."""
    degrees = [near.bit_count() for near in neighbours]
    buckets: list[set[int]] = [set() for _ in range(max(degrees, default=0) + 1)]
    for node, degree in enumerate(degrees):
        buckets[degree].add(node)
    order, left = [], (1 << len(neighbours)) - 1
    lowest = 0
    while left:
        lowest = max(lowest - 1, 0)
        while not buckets[lowest]:
            lowest += 1
        node = min(buckets[lowest])
        buckets[lowest].remove(node)
        order.append(node)
        left &= ~(1 << node)
        for near in _members(neighbours[node] & left):
            buckets[degrees[near]].remove(near)
            degrees[near] -= 1
            buckets[degrees[near]].add(near)
    return order
