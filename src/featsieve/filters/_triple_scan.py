"""Which triples interact although none of their pairs does."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from featsieve.engine import derive_seed
from featsieve.filters._pair_null import TailNull, fit_tail, permuted, to_tail_scale
from featsieve.filters._pair_scan import FoundPairs, ScanInput
from featsieve.measures import gains_of_tuples, pairwise_gain

__all__ = ["FoundTriples", "find_triples"]

#: Pairs from which triples are grown when all triples would be too many.
MOST_SEEDS = 200

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
    candidates, exhaustive = _candidates(data.n_features, pairs, most)
    if len(candidates) == 0:
        nothing, none = np.empty(0), np.empty(0, dtype=bool)
        null = TailNull(0.0, 0.0, 1.0, 0, 0)
        return FoundTriples(
            candidates, nothing, nothing, nothing, nothing, none, null, exhaustive
        )
    levels = data.levels_present()
    n_classes = len(np.unique(data.classes))
    freedom = np.prod(levels[candidates] - 1, axis=1) * (n_classes - 1)
    triple_seed = derive_seed(seed, "triples")

    def scan(number: int, keep: int) -> NDArray[np.float64]:
        order = permuted(np.arange(len(data.classes)), triple_seed, number)
        weights = None if data.weights is None else data.weights[order]
        shuffled = ScanInput(
            data.codes, data.classes[order], weights, data.missing, n_jobs=1
        )
        third = _third_order(shuffled, candidates)[0]
        tails = to_tail_scale(third, freedom, data.total)
        keep = min(keep, len(tails))
        return np.partition(tails, len(tails) - keep)[len(tails) - keep :]

    null = fit_tail(scan, len(candidates), data.n_jobs)
    third, joint, synergy = _third_order(data, candidates)
    tails = to_tail_scale(third, freedom, data.total)
    best = np.lexsort((*candidates.T[::-1], -tails))[:MOST_TRIPLES]
    q_values = null.q_values(tails[best])
    return FoundTriples(
        candidates[best],
        joint[best],
        synergy[best],
        null.p_values(tails[best]),
        q_values,
        (q_values <= fdr) & (synergy[best] > 0),
        null,
        exhaustive,
    )


def _candidates(
    n_features: int, pairs: FoundPairs, most: int
) -> tuple[NDArray[np.int32], bool]:
    total = n_features * (n_features - 1) * (n_features - 2) // 6
    if total <= most:
        every = itertools.combinations(range(n_features), 3)
        return np.array(list(every), dtype=np.int32).reshape(-1, 3), True
    seeds = min(MOST_SEEDS, len(pairs.first), most // max(n_features, 1))
    grown = {
        tuple(sorted((i, j, k)))
        for i, j in zip(
            pairs.first[:seeds].tolist(), pairs.second[:seeds].tolist(), strict=True
        )
        for k in range(n_features)
        if k not in (i, j)
    }
    return np.array(sorted(grown), dtype=np.int32).reshape(-1, 3), False


def _third_order(
    data: ScanInput, candidates: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return, per triple, its third-order part, its joint gain and its synergy."""
    pairs = pairwise_gain(
        data.codes, data.classes, missing=data.missing, weights=data.weights
    )
    together = pairs.as_matrix("joint_gain")
    a, b, c = candidates.T
    joint = gains_of_tuples(
        data.codes,
        data.classes,
        candidates,
        missing=data.missing,
        weights=data.weights,
        n_jobs=data.n_jobs,
    )
    alone = pairs.gain[a] + pairs.gain[b] + pairs.gain[c]
    in_pairs = together[a, b] + together[a, c] + together[b, c]
    splits = np.stack(
        [
            alone,
            together[a, b] + pairs.gain[c],
            together[a, c] + pairs.gain[b],
            together[b, c] + pairs.gain[a],
        ]
    )
    return joint - in_pairs + alone, joint, joint - splits.max(axis=0)
