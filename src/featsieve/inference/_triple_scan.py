"""Which triples interact although none of their pairs does, and which counts tell."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from featsieve._types import Array, Codes, Floats, Ints, Mask, Positions
from featsieve.engine import derive_seed
from featsieve.inference._pair_scan import (
    FoundPairs,
    ScanInput,
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

    members: Codes
    joint_gain: Floats
    synergy: Floats
    p_value: Floats
    q_value: Floats
    significant: Mask
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

    def scan(number: int, keep: int) -> Floats:
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


def _seeds(n_features: int, pairs: FoundPairs, most: int) -> Codes:
    """Return the most promising pairs, so few that not too many triples grow."""
    grown = min(most, MOST_GROWN) // n_features
    n_seeds = min(MOST_SEEDS, grown)
    return np.column_stack([pairs.first[:n_seeds], pairs.second[:n_seeds]])


def _best_triples(
    data: ScanInput, levels: Floats, n_classes: int, seeds: Codes | None, keep: int
) -> tuple[TripleGains, Floats, int]:
    """Return the best triples, best first, their t, and how many were looked at."""

    def freedom_of(members: Codes) -> Floats:
        freedom: Floats = np.prod(levels[members] - 1, axis=1)
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
    data: ScanInput, levels: Floats, seeds: Codes | None, keep: int
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


def _take(triples: TripleGains, positions: Positions) -> TripleGains:
    return TripleGains(
        triples.members[positions],
        triples.joint_gain[positions],
        triples.third_order[positions],
        triples.synergy[positions],
    )


#: Pairs of column and level that are searched at most, and the rows that guide it.
MOST_INDICATORS = 128
MOST_ROWS = 2000

#: Sets of a size that are kept on the way, the largest size, and the least of interest:
#: smaller ones are seen by tables of joint levels.
BEAM, LARGEST, LEAST = 30, 7, 3

Members = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CountedSet:
    """Columns, the level of each that is counted, and a bound of the p-value.

    The bound allows for all sets of that size and all choices of levels.
    """

    members: Members
    levels: tuple[int, ...]
    ratio: float
    p_value: float


def at_level(codes: Array, found: CountedSet) -> Codes:
    """Return per row and member of a set whether it is at its level."""
    wanted = np.array(found.levels)
    flags: Codes = (codes[:, list(found.members)] == wanted).astype(np.int32)
    return flags


def search_counts(codes: Array, classes: Codes) -> list[CountedSet]:
    """Return the best set of each size, by the likelihood ratio of count and class.

    Pairs of column and level are added one at a time, and some of the best sets of a
    size kept. With too many pairs nothing is searched.

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> codes = random.integers(0, 2, (300, 8))
    >>> classes = (codes[:, :4].sum(axis=1) == 2).astype(np.int32)
    >>> best = min(search_counts(codes, classes), key=lambda found: found.p_value)
    >>> best.members, best.p_value < 1e-30
    ((0, 1, 2, 3), True)
    """
    n_levels = codes.max(axis=0, initial=0).astype(int) + 1
    if n_levels.sum() > MOST_INDICATORS or codes.shape[1] < LEAST:
        return []
    owners = np.repeat(np.arange(codes.shape[1]), n_levels)
    levels = np.concatenate([np.arange(n) for n in n_levels])
    X = (codes[:, owners] == levels).astype(np.float64)
    by_class = np.eye(int(classes.max(initial=0)) + 1)[classes]
    kept: list[Members] = [()]
    found = []
    for size in range(1, min(LARGEST, codes.shape[1]) + 1):
        best = _grow(X[:MOST_ROWS], owners, by_class[:MOST_ROWS], kept)
        kept = [members for members, _ in best]
        if size < LEAST or not best:
            continue
        chosen = list(kept[0])
        ratio = best[0][1]
        if len(codes) > MOST_ROWS:
            count = X[:, chosen[1:]].sum(axis=1).astype(np.int64)
            ratio = float(_ratios(count, X[:, chosen[:1]], by_class)[0])
        rows = np.bincount(X[:, chosen].sum(axis=1).astype(np.int64))
        found.append(
            CountedSet(
                tuple(owners[chosen].tolist()),
                tuple(levels[chosen].tolist()),
                ratio,
                _bound(ratio, rows, by_class.shape[1], n_sets_with(n_levels, size)),
            )
        )
    return found


def n_sets_with(n_levels: Array, size: int) -> float:
    """Return how many sets of a size there are, times the choices of their levels."""
    sums = np.zeros(size + 1)
    sums[0] = 1.0
    for n in n_levels:
        sums[1:] += n * sums[:-1].copy()
    return float(sums[size])


def _grow(
    X: Floats, owners: Positions, by_class: Floats, kept: list[Members]
) -> list[tuple[Members, float]]:
    """Return the best sets with one pair more."""
    tried: dict[Members, float] = {}
    for members in kept:
        count = X[:, list(members)].sum(axis=1).astype(np.int64)
        ratio = _ratios(count, X, by_class)
        ratio[np.isin(owners, owners[list(members)])] = -1.0
        for k in np.argsort(-ratio, kind="stable")[:BEAM].tolist():
            if ratio[k] >= 0:
                tried[tuple(sorted((*members, k)))] = float(ratio[k])
    return sorted(tried.items(), key=lambda item: (-item[1], item[0]))[:BEAM]


def _ratios(count: Ints, X: Floats, by_class: Floats) -> Floats:
    """Return the likelihood ratio of a count with each further indicator added."""
    cells = np.eye(int(count.max(initial=0)) + 2)[count]  # rows by counts
    tables = []
    for own in by_class.T:
        with_it = (cells * own[:, np.newaxis]).T @ X  # count before, by indicator
        without = (cells.T @ own)[:, np.newaxis] - with_it
        tables.append(np.roll(with_it, 1, axis=0) + without)
    table = np.stack(tables)  # classes, counts, indicators
    whole = table.sum(axis=1, keepdims=True)
    ratio: Floats = 2 * (_log_likelihood(table) - _log_likelihood(whole))
    return np.maximum(ratio, 0.0)


def _log_likelihood(table: Floats) -> Floats:
    total = table.sum(axis=0)
    share = np.divide(table, total, where=total > 0, out=np.ones_like(table))
    logs = np.log(share, where=table > 0, out=np.zeros_like(table))
    summed: Floats = (table * logs).sum(axis=(0, 1))
    return summed


def _bound(ratio: float, rows: Array, n_classes: int, n_sets: float) -> float:
    """Return a bound of the p-value under permutation that holds for any rows.

    A table of likelihood ratio g has at most the chance exp(-g/2) among tables of its
    counts; of those there are at most (rows + 1)^(classes - 1) per count; and that
    classes have their totals has at least the chance (rows + 1)^-(classes - 1).
    """
    tables = float(np.log(rows + 1.0).sum()) + math.log(int(rows.sum()) + 1)
    log_p = (n_classes - 1) * tables - ratio / 2 + math.log(n_sets)
    return math.exp(min(0.0, log_p))
