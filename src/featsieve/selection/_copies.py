"""Columns that are all but one: of near copies the preferred one stays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.stats import rankdata

from featsieve._types import Floats
from featsieve.data import Column
from featsieve.measures import pairwise_uncertainty
from featsieve.selection._material import Material

#: Columns this alike are one: mutual uncertainty, or correlation of ranks.
SAME_UNCERTAINTY = 0.97
SAME_CORRELATION = 0.99

#: Ranks of all known rows, instead of the common ones, differ by less than this.
SLACK = 0.05

#: Rows in which both must be known: in number, and of those where one is.
LEAST_COMMON = 10
COMMON_PART = 0.25

#: Bins and levels that nominal columns are compared by.
BINS, LEVELS = 8, 64

#: Columns that are compared with all others at a time; no answer depends on it.
BLOCK = 512


def find_copies(
    material: Material, columns: Sequence[int], preference: Sequence[tuple[Any, ...]]
) -> dict[int, tuple[int, float]]:
    """Return the columns that are all but identical to one that is preferred.

    Each with the one that stays, of the least `preference`, and how alike they are.
    Numbers are compared by the correlation of their ranks, whatever its sign, other
    columns by their mutual uncertainty.
    """
    alike: dict[int, dict[int, float]] = {j: {} for j in columns}
    for a, b, likeness in _pairs(material, list(columns)):
        alike[a][b] = alike[b][a] = likeness
    gone: dict[int, tuple[int, float]] = {}
    stays: set[int] = set()
    for j in sorted(columns, key=lambda j: (*preference[j], j)):
        same = [(-likeness, other) for other, likeness in alike[j].items()]
        carrier = next((other for _, other in sorted(same) if other in stays), None)
        if carrier is None:
            stays.add(j)
        else:
            gone[j] = carrier, alike[j][carrier]
    return gone


def _pairs(material: Material, columns: list[int]) -> Iterator[tuple[int, int, float]]:
    numeric = [j for j in columns if not material.table.columns[j].is_nominal]
    yield from _numeric_pairs(material, numeric)
    if len(numeric) < len(columns):
        yield from _other_pairs(material, columns)


def _numeric_pairs(
    material: Material, numeric: list[int]
) -> Iterator[tuple[int, int, float]]:
    """Yield pairs of numbers that rise or fall together."""
    if len(numeric) < 2:
        return
    own = [material.table.columns[j] for j in numeric]
    ranks = np.column_stack([_ranks(column) for column in own])
    known = np.column_stack([~column.missing for column in own]).astype(np.float64)
    for begin in range(0, len(numeric), BLOCK):
        some = slice(begin, min(begin + BLOCK, len(numeric)))
        close = np.abs(_correlations(ranks, known, some)) >= SAME_CORRELATION - SLACK
        for a, b in np.argwhere(close).tolist():
            if begin + a < b:
                likeness = _rank_correlation(own[begin + a], own[b])
                if likeness >= SAME_CORRELATION:
                    yield numeric[begin + a], numeric[b], likeness


def _correlations(ranks: Floats, known: Floats, some: slice) -> Floats:
    """Return the correlations of some columns with all, of rows where both are known.

    Ranks are about their mean, and 0 where they are not known.
    """
    left, mask = ranks[:, some], known[:, some]
    shared = left.T @ ranks
    if known.all():
        lengths = np.linalg.norm(ranks, axis=0)
        size = np.outer(lengths[some], lengths)
    else:
        common = np.maximum(mask.T @ known, 1)
        sums = left.T @ known, mask.T @ ranks
        shared = shared - sums[0] * sums[1] / common
        squares = (
            (left**2).T @ known - sums[0] ** 2 / common,
            mask.T @ ranks**2 - sums[1] ** 2 / common,
        )
        size = np.sqrt(np.maximum(squares[0], 0) * np.maximum(squares[1], 0))
    return np.divide(shared, size, out=np.zeros_like(shared), where=size > 1e-9)


def _ranks(column: Column) -> Floats:
    """Return ranks about their mean; 0 where the value is missing."""
    ranks = np.zeros(len(column.values))
    known = ~column.missing
    if known.any():
        own = rankdata(column.values[known])
        ranks[known] = own - own.mean()
    return ranks


def _rank_correlation(first: Column, second: Column) -> float:
    """Return Spearman's correlation without its sign; 0 for want of common rows."""
    common = ~(first.missing | second.missing)
    n_common = int(np.count_nonzero(common))
    n_either = int(np.count_nonzero(~(first.missing & second.missing)))
    if n_common < LEAST_COMMON or n_common < COMMON_PART * n_either:
        return 0.0
    a, b = rankdata(first.values[common]), rankdata(second.values[common])
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    return abs(float(np.corrcoef(a, b)[0, 1]))


def _other_pairs(
    material: Material, columns: list[int]
) -> Iterator[tuple[int, int, float]]:
    """Yield pairs, at least one of them nominal, that tell each other."""
    codes = material.codes_of(columns, BINS, LEVELS)
    uncertainty = pairwise_uncertainty(codes, n_jobs=material.n_jobs)
    nominal = np.array([material.table.columns[j].is_nominal for j in columns])
    close = uncertainty >= SAME_UNCERTAINTY
    close &= nominal[:, np.newaxis] | nominal
    for a, b in np.argwhere(close).tolist():
        if a < b:
            yield columns[a], columns[b], float(uncertainty[a, b])
