"""The two steps of BIFS: group features that interact, drop groups nobody needs."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass
from typing import Any

from featsieve.engine import derive_seed
from featsieve.inference.api import (
    FREE,
    Exchange,
    TupleGains,
    conditional_p_value,
    conditioning_set,
)
from featsieve.selectors.interactions._cliques import (
    TooManyCliquesError,
    maximal_cliques,
)

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
