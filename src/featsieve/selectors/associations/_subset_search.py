"""Searches for a subset of high merit: M. A. Hall's, on given associations.

The merit of k features is Σ cf / √(k + 2 Σ ff): cf are their associations with the
class, ff those of unordered pairs of them. A copy of a strong feature can raise the
merit of a set of weaker ones, because it adds to the weight of the strong one; without
`copies`, features that tell the same as a chosen one (ff = 1) are no candidates.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from featsieve._types import Floats, Mask, Positions
from featsieve.selectors.associations._associations import Associations

#: A new best subset must be better by more than this, as in Weka.
LEAST_IMPROVEMENT = 1e-5

Subset = tuple[int, ...]


@dataclass(slots=True)
class SubsetSearch:
    """What a search found, and how.

    `subset` is ascending; `steps` has one entry per expansion or per feature that came
    or went; `n_evaluated` counts merits, the empty set's not.
    """

    subset: Subset
    merit: float
    n_evaluated: int
    steps: list[dict[str, Any]] = field(default_factory=list)


def subset_merit(associations: Associations, subset: Iterable[int]) -> float:
    """Return the merit of a set of features; the empty set has none."""
    members = sorted(subset)
    if not members:
        return 0.0
    relevance = associations.with_class[members].sum()
    redundancy = 0.0
    for k, feature in enumerate(members[:-1]):
        redundancy += associations.row(feature)[members[k + 1 :]].sum()
    return float(relevance / np.sqrt(len(members) + 2 * redundancy))


class _Expansion:
    """A subset, and the merits of all subsets with one more feature."""

    def __init__(
        self, associations: Associations, subset: Subset, *, copies: bool
    ) -> None:
        members = list(subset)
        with_class = associations.with_class
        shared = np.zeros(len(with_class))
        self.is_new = np.ones(len(with_class), dtype=bool)
        self.is_new[members] = False
        for feature in members:
            row = associations.row(feature)
            shared += row
            if not copies:
                self.is_new &= row < 1
        inside = shared[members].sum()
        inside -= sum(associations.row(feature)[feature] for feature in members)
        redundancy = inside / 2 + shared
        relevance = with_class[members].sum() + with_class
        self.merits = relevance / np.sqrt(len(members) + 1 + 2 * redundancy)


def best_first(
    associations: Associations,
    *,
    max_stale: int = 5,
    reenter: bool = False,
    copies: bool = True,
) -> SubsetSearch:
    """Expand the best subset known, until `max_stale` expansions found no better one.

    At most `max_stale` subsets wait for expansion. With `reenter` a subset that is
    reached again waits again, and merits are remembered only until as many subsets as
    there are columns have been seen, both as in Weka: the first may end a search
    sooner, the second only counts merits twice.
    """
    search = SubsetSearch((), 0.0, 0)
    waiting: list[tuple[float, Subset]] = [(0.0, ())]
    expanded: list[Subset] = []
    cache = _WekaCache(len(associations.with_class))
    stale = 0
    while stale < max_stale and waiting:
        _, subset = waiting.pop(0)
        expansion = _Expansion(associations, subset, copies=copies)
        if not reenter:
            _leave_out_seen(expansion.is_new, subset, expanded)
            expanded.append(subset)
        candidates = np.flatnonzero(expansion.is_new)
        if reenter:
            search.n_evaluated += cache.count(subset, candidates)
        else:
            search.n_evaluated += len(candidates)
        merits = expansion.merits[candidates]
        improved = _take_improvements(search, subset, candidates, merits)
        stale = 0 if improved else stale + 1
        # Stable, so that of equal ones the first found is expanded first.
        order = np.argsort(-merits, kind="stable")[:max_stale]
        waiting += [
            (float(merits[k]), _with(subset, int(candidates[k]))) for k in order
        ]
        waiting = sorted(waiting, key=lambda entry: -entry[0])[:max_stale]
        search.steps.append(
            {
                "expanded": subset,
                "best": search.subset,
                "merit": search.merit,
                "improved": improved,
            }
        )
    return search


def _with(subset: Subset, feature: int) -> Subset:
    return tuple(sorted((*subset, feature)))


def _take_improvements(
    search: SubsetSearch, subset: Subset, candidates: Positions, merits: Floats
) -> bool:
    """Go through the merits in order, as if one by one, and keep the last record."""
    improved = False
    begin = 0
    while True:
        records = np.flatnonzero(merits[begin:] - search.merit > LEAST_IMPROVEMENT)
        if len(records) == 0:
            return improved
        k = begin + int(records[0])
        search.merit = float(merits[k])
        search.subset = _with(subset, int(candidates[k]))
        improved = True
        begin = k + 1


def _leave_out_seen(is_new: Mask, subset: Subset, expanded: list[Subset]) -> None:
    """Leave out features whose subset an earlier expansion has made already."""
    members = set(subset)
    for other in expanded:
        if len(other) == len(subset):
            extra = set(other) - members
            if len(extra) == 1:
                is_new[extra.pop()] = False


class _WekaCache:
    """How many merits Weka computes: it forgets all when its table is full."""

    def __init__(self, n_features: int) -> None:
        self._most = n_features + 1  # attributes, the class included
        self._n_kept = 0
        self._seen: set[int] = set()
        # A subset is the exclusive or of its features' numbers; bit sets of thousands
        # of features would fill the memory.
        random = np.random.default_rng(0)
        self._numbers: list[int] = random.integers(2**63, size=n_features).tolist()

    def count(self, subset: Subset, candidates: Positions) -> int:
        """Return how many of the subsets with one more feature are not remembered."""
        whole = 0
        for feature in subset:
            whole ^= self._numbers[feature]
        n_computed = 0
        for feature in candidates.tolist():
            key = whole ^ self._numbers[feature]
            if key in self._seen:
                continue
            n_computed += 1
            if self._n_kept > self._most:
                self._seen.clear()
                self._n_kept = 0
            self._seen.add(key)
            self._n_kept += 1
        return n_computed


def greedy_forward(
    associations: Associations, *, n_features: int | None = None, copies: bool = True
) -> SubsetSearch:
    """Add the feature that makes the merit highest, as long as it grows.

    With `n_features`, go on to that many whether it grows or not.
    """
    search = SubsetSearch((), 0.0, 0)
    p = len(associations.with_class)
    while len(search.subset) < (p if n_features is None else n_features):
        expansion = _Expansion(associations, search.subset, copies=copies)
        candidates = np.flatnonzero(expansion.is_new)
        if len(candidates) == 0:
            break
        search.n_evaluated += len(candidates)
        best = int(candidates[np.argmax(expansion.merits[candidates])])
        merit = float(expansion.merits[best])
        if n_features is None and not merit > search.merit:
            break
        search.subset, search.merit = _with(search.subset, best), merit
        search.steps.append({"feature": best, "action": "added", "merit": merit})
    return search


def greedy_backward(associations: Associations, *, copies: bool = True) -> SubsetSearch:
    """Drop the feature whose loss leaves the merit highest, while it does not fall.

    Of equally good losses the last is taken, so that the first of equal features stays.
    """
    between = associations.matrix()
    with_class = associations.with_class
    members = np.arange(len(with_class))
    if not copies:
        members = np.flatnonzero(~(np.triu(between, 1) >= 1).any(axis=0))
    shared = between[:, members].sum(axis=1)
    shared[members] -= np.diagonal(between)[members]
    relevance, redundancy = with_class[members].sum(), shared[members].sum() / 2
    merit = relevance / np.sqrt(len(members) + 2 * redundancy) if len(members) else 0.0
    search = SubsetSearch((), float(merit), int(len(members) > 0))
    while len(members) > 0:
        left = np.sqrt(len(members) - 1 + 2 * (redundancy - shared[members]))
        gone = relevance - with_class[members]
        merits = np.divide(gone, left, out=np.zeros(len(members)), where=left > 0)
        search.n_evaluated += len(members)
        best = len(merits) - 1 - int(np.argmax(merits[::-1]))
        if merits[best] < search.merit:
            break
        feature = int(members[best])
        search.merit = float(merits[best])
        relevance -= with_class[feature]
        redundancy -= shared[feature]
        shared -= between[feature]
        members = np.delete(members, best)
        step = {"feature": feature, "action": "dropped", "merit": search.merit}
        search.steps.append(step)
    search.subset = tuple(members.tolist())
    return search


def add_locally_predictive(
    associations: Associations, subset: Subset, *, copies: bool = True
) -> list[int]:
    """Return features to add: nearer to the class than to any feature of the subset.

    The others are visited from the nearest to the class down, and each that is added
    counts for those after it. With `copies`, as in Weka, a feature that tells nothing
    of the class is nearer to it than to no feature at all.
    """
    with_class = associations.with_class
    nearest = np.zeros(len(with_class))  # greatest association with the subset
    taken = np.zeros(len(with_class), dtype=bool)

    def take(feature: int) -> None:
        taken[feature] = True
        np.maximum(nearest, associations.row(feature), out=nearest)

    for feature in subset:
        take(feature)
    added = []
    for feature in np.argsort(-with_class, kind="stable").tolist():
        if with_class[feature] <= 0 and not copies:
            break
        if taken[feature] or (nearest[feature] >= 1 and not copies):
            continue
        if nearest[feature] <= with_class[feature]:
            take(feature)
            added.append(feature)
    return added
