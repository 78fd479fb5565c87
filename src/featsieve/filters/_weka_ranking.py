"""Weka's ranking to the last bit: of equal features it does not take the first.

Copies have the same uncertainty, and features that tell the same in other words have
the same up to rounding. Which of them Weka takes first hangs on the order in which it
adds and on a sort that is not stable, so both are done here as Weka does them.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from featsieve.filters._significance import CodedColumns

__all__ = ["weka_order", "weka_uncertainties"]

#: Counts and entropies below this are none in Weka.
WEKA_ZERO = 1e-6

Numbers = NDArray[np.float64]


def weka_uncertainties(columns: CodedColumns, missing: str) -> Numbers:
    """Return symmetrical uncertainties with the class, added up in Weka's order.

    `missing` is ``"spread"``, or ``"level"`` for a level after all others.
    """
    result = np.empty(len(columns.n_levels))
    for j, n_levels in enumerate(columns.n_levels.tolist()):
        # Rows of the table are levels, the last one is missing.
        table = np.bincount(
            np.where(columns.codes[:, j] < 0, n_levels, columns.codes[:, j])
            * np.intp(columns.n_classes)
            + columns.classes,
            weights=columns.weights,
            minlength=(n_levels + 1) * columns.n_classes,
        ).reshape(n_levels + 1, columns.n_classes)
        known = table[:n_levels]
        if missing == "spread" and known.any() and table[n_levels].any():
            shares = known.sum(axis=1) / known.sum()
            table = known + shares[:, None] * table[n_levels]
        result[j] = _uncertainty(table.astype(np.float64))
    return result


def _uncertainty(table: Numbers) -> float:
    of_level = _add_across(table)
    of_class = _add_across(table.T)
    whole = _log_terms(_add_up(of_class))
    levels = _add_up(_log_terms(of_level))
    class_entropy = whole - _add_up(_log_terms(of_class))
    level_entropy = whole - levels
    left = levels - _add_up(_log_terms(table).ravel())
    both = class_entropy + level_entropy
    if class_entropy < WEKA_ZERO or level_entropy < WEKA_ZERO:
        return 0.0
    return float(2.0 * (class_entropy - left) / both)


def _log_terms(counts: Numbers) -> Numbers:
    """Return c · ln c."""
    some = np.maximum(counts, WEKA_ZERO)
    terms: Numbers = np.where(counts < WEKA_ZERO, 0.0, counts * np.log(some))
    return terms


def _add_up(values: Numbers) -> Numbers:
    """Return the sum from left to right; NumPy's own adds pairs."""
    total: Numbers = np.add.accumulate(values)[-1]
    return total


def _add_across(table: Numbers) -> Numbers:
    """Return the sums of rows from left to right."""
    totals: Numbers = np.add.accumulate(table, axis=1)[:, -1]
    return totals


def weka_order(scores: Iterable[float]) -> list[int]:
    """Return features from the greatest score down, equal ones as Weka has them.

    That is the reverse of a quicksort by the median of the first, the middle and the
    last, whose partition starts with the pivot put aside as the last but one.
    """
    values = [float(score) for score in scores]
    order = list(range(len(values)))

    def put_in_order(*places: int) -> None:
        for k, low in enumerate(places):
            for high in places[k + 1 :]:
                if values[order[low]] > values[order[high]]:
                    order[low], order[high] = order[high], order[low]

    open_ranges = [(0, len(values) - 1)]
    while open_ranges:
        first, last = open_ranges.pop()
        if last - first < 3:
            put_in_order(*range(first, last + 1))
            continue
        middle = (first + last) // 2
        put_in_order(first, middle, last)
        order[middle], order[last - 1] = order[last - 1], order[middle]
        pivot = values[order[last - 1]]
        low, high = first + 1, last - 2
        while True:
            while values[order[low]] < pivot:
                low += 1
            while values[order[high]] > pivot:
                high -= 1
            if low >= high:
                break
            order[low], order[high] = order[high], order[low]
            low, high = low + 1, high - 1
        order[low], order[last - 1] = order[last - 1], order[low]
        open_ranges += [(first, low - 1), (low + 1, last)]
    return order[::-1]
