"""The steps of BIFS: group features that interact, drop idle groups, describe."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from featsieve.engine import derive_seed
from featsieve.inference.api import (
    FREE,
    Exchange,
    TupleGains,
    conditional_p_value,
    conditioning_set,
    synergy_p_value,
)


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


#: Gains that differ by less are equal. Corral has synergies that are exactly 0 while
#: the least edge of SPECT is 9.45e-8; a slack must lie between.
SLACK = 1e-10


@dataclass(frozen=True, slots=True)
class Group:
    """A maximal set of features every two of which interact."""

    members: tuple[int, ...]
    joint_gain: float

    @property
    def gain_per_feature(self) -> float:
        """The joint gain divided by the number of features (IGPF in the thesis)."""
        return self.joint_gain / len(self.members)


def group_features(
    n_features: int,
    edges: list[tuple[int, int, float]],
    *,
    most: int,
    max_degree: int | None,
) -> tuple[list[tuple[int, ...]], float | None]:
    """Return the maximal cliques of the interaction graph.

    If noise makes more than `most` of them, weak edges are left out until it does not:
    the second result is then the least synergy that was kept, else None. The list is
    never cut short, because the order of cliques would decide the result. Without any
    edge every feature is a group, so that there may always be as many.
    """
    most = max(most, n_features)
    strongest = sorted(edges, key=lambda edge: (-edge[2], edge[0], edge[1]))

    def attempt(count: int) -> list[tuple[int, ...]] | None:
        pairs = [(i, j) for i, j, _ in strongest[:count]]
        try:
            cliques = maximal_cliques(n_features, pairs, most=most)
        except TooManyCliquesError:
            return None
        return _cut_to_degree(cliques, max_degree)

    whole = attempt(len(strongest))
    if whole is not None:
        return whole, None
    fails = works = len(strongest)
    while (found := attempt(works)) is None:
        fails, works = works, works * 9 // 10
    while fails - works > 1:
        middle = (fails + works) // 2
        tried = attempt(middle)
        if tried is None:
            fails = middle
        else:
            found, works = tried, middle
    return found, strongest[works - 1][2] if works else float("inf")


def _cut_to_degree(
    cliques: list[tuple[int, ...]], max_degree: int | None
) -> list[tuple[int, ...]]:
    if max_degree is None:
        return cliques
    parts = {
        part
        for clique in cliques
        for part in itertools.combinations(clique, min(len(clique), max_degree))
    }
    return sorted(parts)


def rank_groups(members: list[tuple[int, ...]], gains: TupleGains) -> list[Group]:
    """Return groups from the least to the greatest gain per feature."""
    groups = [Group(tuple(m), gains(m)) for m in members]
    return sorted(groups, key=lambda g: (round(g.gain_per_feature / SLACK), g.members))


class _Remaining:
    """The features of the groups that are left, counted so that dropping is cheap."""

    def __init__(self, groups: list[Group]) -> None:
        self.counts = Counter(f for group in groups for f in group.members)
        self.features = frozenset(self.counts)

    def own(self, group: Group) -> tuple[int, ...]:
        """Return the features that no other remaining group has."""
        return tuple(f for f in group.members if self.counts[f] == 1)

    def drop(self, group: Group) -> None:
        """Take a group away."""
        self.features -= set(self.own(group))
        self.counts.subtract(group.members)


def eliminate(
    groups: list[Group], gains: TupleGains, beta: float, mode: str
) -> tuple[list[bool], list[dict[str, Any]]]:
    """Drop groups, weakest first, whose loss is at most `beta`.

    ``"stop"`` ends at the first group that is needed, as the published tables do;
    ``"full"`` tries them all; ``"budget"`` tries them all while the total loss stays
    within `beta`.
    """
    remaining = _Remaining(groups)
    kept = [True] * len(groups)
    steps = []
    everything = gains(remaining.features)
    for position, group in enumerate(groups):
        before = everything if mode == "budget" else gains(remaining.features)
        loss = before - gains(remaining.features - set(remaining.own(group)))
        kept[position] = loss > beta + SLACK
        steps.append({"group": group.members, "loss": loss, "kept": kept[position]})
        if not kept[position]:
            remaining.drop(group)
        elif mode == "stop":
            break
    return kept, steps


def eliminate_by_test(
    groups: list[Group],
    gains: TupleGains,
    level: float,
    seed: int,
    exchange: Exchange = FREE,
) -> tuple[list[bool], list[dict[str, Any]]]:
    """Drop groups, weakest first, that tell nothing beyond the remaining ones.

    The question is put to an exact conditional permutation test, at a level shared by
    all groups. What is given are the features of the remaining groups that resemble
    the tested ones most, as many as leave cells of several rows.
    """
    remaining = _Remaining(groups)
    strongest = list(dict.fromkeys(f for g in reversed(groups) for f in g.members))
    kept = [True] * len(groups)
    steps = []
    for position, group in enumerate(groups):
        own = remaining.own(group)
        others = remaining.features - set(own)
        p_value = 1.0
        given: tuple[int, ...] = ()
        if own:
            near = [f for f in strongest if f in others]
            given = conditioning_set(gains, own, near)
            own_seed = derive_seed(seed, "conditional", str(group.members))
            p_value = conditional_p_value(gains, own, given, own_seed, exchange)
        kept[position] = p_value <= level / len(groups)
        steps.append(
            {
                "group": group.members,
                "loss": gains((*given, *own)) - gains(given),
                "given": given,
                "p_value": p_value,
                "kept": kept[position],
            }
        )
        if not kept[position]:
            remaining.drop(group)
    return kept, steps


#: Splitting a set into parts costs 3^k gains; larger groups are not verified.
LARGEST_VERIFIED = 8


@dataclass(frozen=True, slots=True)
class Interaction:
    """A group of features that tell more about the class together than apart.

    Parameters
    ----------
    members : tuple of str
        Names of the features.
    joint_gain : float
        What they tell together, in bits.
    synergy : float
        What they tell beyond their best split into parts.
    gain_per_feature : float
        Joint gain divided by the number of features.
    p_value : float or None
        Of the scan that found it, for pairs and triples found by
        ``min_synergy="auto"``; else of the verification; None if neither was made.
    best_split : tuple of tuple of str
        The parts that come closest to telling as much.
    is_real : bool or None
        Whether the group as a whole is an interaction (Definition 4 of the thesis, and
        not by chance), or only a chain of smaller ones; None if not verified.
    kept : bool
        Whether the selection kept the group.

    Examples
    --------
    >>> from featsieve.datasets import make_parity
    >>> from featsieve.selectors import BIFSFilter
    >>> table, _ = make_parity(400, n_bits=2, random_state=0)
    >>> found = BIFSFilter().fit(table, None).interactions_[0]
    >>> found.members, found.is_real, found.kept
    (('x1', 'x2'), True, True)
    """

    members: tuple[str, ...]
    joint_gain: float
    synergy: float
    gain_per_feature: float
    p_value: float | None
    best_split: tuple[tuple[str, ...], ...]
    is_real: bool | None
    kept: bool


def describe_groups(
    groups: list[Group],
    kept: list[bool],
    gains: TupleGains,
    names: tuple[str, ...],
    p_values: dict[tuple[int, ...], float],
    *,
    verify: bool,
    seed: int,
    exchange: Exchange = FREE,
) -> list[Interaction]:
    """Return the groups of two or more features, strongest per feature first."""
    found = []
    for group, stays in reversed(list(zip(groups, kept, strict=True))):
        members = group.members
        if len(members) < 2:
            continue
        small = len(members) <= LARGEST_VERIFIED
        parts_gain, parts = gains.best_partition(members) if small else (0.0, ())
        synergy = group.joint_gain - parts_gain if small else float("nan")
        p_value = p_values.get(members)
        is_real = None
        if verify and small:
            if p_value is None:
                own_seed = derive_seed(seed, "verify", str(members))
                p_value = synergy_p_value(gains, members, own_seed, exchange)
            is_real = bool(synergy > 0 and p_value <= 0.05)
        found.append(
            Interaction(
                tuple(names[f] for f in members),
                group.joint_gain,
                synergy,
                group.gain_per_feature,
                p_value,
                tuple(tuple(names[f] for f in part) for part in parts),
                is_real,
                stays,
            )
        )
    return found
