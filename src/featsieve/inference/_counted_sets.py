"""Sets of columns of which the number at some level tells, as "two of six" does."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Pairs of column and level that are searched at most, and the rows that guide it.
MOST_INDICATORS = 128
MOST_ROWS = 2000

#: Sets of a size that are kept on the way, the largest size, and the least of interest:
#: smaller ones are seen by tables of joint levels.
BEAM, LARGEST, LEAST = 30, 7, 3

Numbers = NDArray[np.float64]
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


def at_level(codes: NDArray[Any], found: CountedSet) -> NDArray[np.int32]:
    """Return per row and member of a set whether it is at its level."""
    wanted = np.array(found.levels)
    flags: NDArray[np.int32] = (codes[:, list(found.members)] == wanted).astype(
        np.int32
    )
    return flags


def search_counts(codes: NDArray[Any], classes: NDArray[np.int32]) -> list[CountedSet]:
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


def n_sets_with(n_levels: NDArray[Any], size: int) -> float:
    """Return how many sets of a size there are, times the choices of their levels."""
    sums = np.zeros(size + 1)
    sums[0] = 1.0
    for n in n_levels:
        sums[1:] += n * sums[:-1].copy()
    return float(sums[size])


def _grow(
    X: Numbers, owners: NDArray[np.intp], by_class: Numbers, kept: list[Members]
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


def _ratios(count: NDArray[np.int64], X: Numbers, by_class: Numbers) -> Numbers:
    """Return the likelihood ratio of a count with each further indicator added."""
    cells = np.eye(int(count.max(initial=0)) + 2)[count]  # rows by counts
    tables = []
    for own in by_class.T:
        with_it = (cells * own[:, np.newaxis]).T @ X  # count before, by indicator
        without = (cells.T @ own)[:, np.newaxis] - with_it
        tables.append(np.roll(with_it, 1, axis=0) + without)
    table = np.stack(tables)  # classes, counts, indicators
    whole = table.sum(axis=1, keepdims=True)
    ratio: Numbers = 2 * (_log_likelihood(table) - _log_likelihood(whole))
    return np.maximum(ratio, 0.0)


def _log_likelihood(table: Numbers) -> Numbers:
    total = table.sum(axis=0)
    share = np.divide(table, total, where=total > 0, out=np.ones_like(table))
    logs = np.log(share, where=table > 0, out=np.zeros_like(table))
    summed: Numbers = (table * logs).sum(axis=(0, 1))
    return summed


def _bound(ratio: float, rows: NDArray[Any], n_classes: int, n_sets: float) -> float:
    """Return a bound of the p-value under permutation that holds for any rows.

    A table of likelihood ratio g has at most the chance exp(-g/2) among tables of its
    counts; of those there are at most (rows + 1)^(classes - 1) per count; and that
    classes have their totals has at least the chance (rows + 1)^-(classes - 1).
    """
    tables = float(np.log(rows + 1.0).sum()) + math.log(int(rows.sum()) + 1)
    log_p = (n_classes - 1) * tables - ratio / 2 + math.log(n_sets)
    return math.exp(min(0.0, log_p))
