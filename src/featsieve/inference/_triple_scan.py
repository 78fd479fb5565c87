"""Which triples interact although none of their pairs does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from featsieve.engine import derive_seed
from featsieve.inference._pair_scan import FoundPairs, ScanInput
from featsieve.inference._tail_null import (
    TailNull,
    best_positions,
    fit_tail,
    to_normal_scale,
    to_tail_scale,
)
from featsieve.measures import TripleGains, triple_gain, triple_gain_blocks

#: Pairs from which triples are grown when all triples would be too many, and about
#: how many triples may be grown.
MOST_SEEDS = 200
MOST_GROWN = 20_000

#: Triples that are looked at closely.
MOST_TRIPLES = 2000


@dataclass(frozen=True, slots=True)
class FoundTriples:
    """The best triples of a scan, best first.

    `synergy` is what the triple tells beyond its best split into parts.
    """

    members: NDArray[np.int32]
    joint_gain: NDArray[np.float64]
    synergy: NDArray[np.float64]
    p_value: NDArray[np.float64]
    q_value: NDArray[np.float64]
    significant: NDArray[np.bool_]
    null: TailNull
    exhaustive: bool


def find_triples(
    data: ScanInput, pairs: FoundPairs, *, fdr: float, seed: int, most: int
) -> FoundTriples:
    """Scan triples for interactions of third order, at a false discovery rate.

    All triples if there are at most `most`, else those grown from the most promising
    pairs, which cannot see a pure interaction of three. The statistic is the part of
    the joint gain that pairs and single features do not explain.
    """
    p = data.n_features
    n_all = p * (p - 1) * (p - 2) // 6
    exhaustive = n_all <= most
    seeds = None if exhaustive else _seeds(p, pairs, most)
    levels = data.levels_present()
    n_classes = len(np.unique(data.classes))
    found, tails, n_candidates = _best_triples(
        data, levels, n_classes, seeds, MOST_TRIPLES
    )
    triple_seed = derive_seed(seed, "triples")

    def scan(number: int, keep: int) -> NDArray[np.float64]:
        shuffled = data.permuted(triple_seed, number)
        return _best_triples(shuffled, levels, n_classes, seeds, keep)[1]

    null = fit_tail(scan, n_candidates, data.n_jobs)
    q_values = null.q_values(tails)
    return FoundTriples(
        found.members,
        found.joint_gain,
        found.synergy,
        null.p_values(tails),
        q_values,
        (q_values <= fdr) & (found.synergy > 0),
        null,
        exhaustive,
    )


def _seeds(n_features: int, pairs: FoundPairs, most: int) -> NDArray[np.int32]:
    """Return the most promising pairs, so few that not too many triples grow."""
    grown = min(most, MOST_GROWN) // n_features
    n_seeds = min(MOST_SEEDS, grown)
    return np.column_stack([pairs.first[:n_seeds], pairs.second[:n_seeds]])


def _best_triples(
    data: ScanInput,
    levels: NDArray[np.float64],
    n_classes: int,
    seeds: NDArray[np.int32] | None,
    keep: int,
) -> tuple[TripleGains, NDArray[np.float64], int]:
    """Return the best triples, best first, their t, and how many were looked at."""

    def freedom_of(members: NDArray[np.int32]) -> NDArray[np.float64]:
        freedom: NDArray[np.float64] = np.prod(levels[members] - 1, axis=1)
        return freedom * (n_classes - 1)

    kept, n_candidates = _no_triples(), 0
    for block in _blocks(data, levels, seeds, keep):
        n_candidates += len(block)
        together = _concatenate(kept, block)
        scores = to_normal_scale(
            together.third_order, freedom_of(together.members), data.total
        )
        # Triples come in order, so that equal ones are in order, too.
        kept = _take(together, best_positions(scores, keep))
    if seeds is None:
        p = data.n_features
        n_candidates = p * (p - 1) * (p - 2) // 6
    tails = to_tail_scale(kept.third_order, freedom_of(kept.members), data.total)
    return kept, tails, n_candidates


def _blocks(
    data: ScanInput,
    levels: NDArray[np.float64],
    seeds: NDArray[np.int32] | None,
    keep: int,
) -> Iterator[TripleGains]:
    if seeds is not None:
        yield triple_gain(data.codes, data.classes, pairs=seeds, **data.settings)
    elif len(np.unique(levels)) == 1:
        # One number of levels: the order by third order is the order by t.
        best = triple_gain(data.codes, data.classes, top=keep, **data.settings)
        yield _take(best, np.lexsort(best.members.T[::-1]))
    else:
        yield from triple_gain_blocks(data.codes, data.classes, **data.settings)


def _no_triples() -> TripleGains:
    nothing = np.empty(0)
    return TripleGains(np.empty((0, 3), dtype=np.int32), nothing, nothing, nothing)


def _concatenate(first: TripleGains, second: TripleGains) -> TripleGains:
    return TripleGains(
        np.concatenate([first.members, second.members]),
        np.concatenate([first.joint_gain, second.joint_gain]),
        np.concatenate([first.third_order, second.third_order]),
        np.concatenate([first.synergy, second.synergy]),
    )


def _take(triples: TripleGains, positions: NDArray[np.intp]) -> TripleGains:
    return TripleGains(
        triples.members[positions],
        triples.joint_gain[positions],
        triples.third_order[positions],
        triples.synergy[positions],
    )
