"""What facts ask of a column, answered from its rows or from its counts."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Any

import numpy as np

from featsieve._types import Floats, Ints
from featsieve.data._table import Column, ColumnKind
from featsieve.data.read._levels import level_numbers

#: Most columns of rows answer by a look at so few of them.
GLANCE = 32
LARGEST_EXACT = 2.0**53  # greater whole numbers are not told from their neighbours


class Look:
    """A column in memory; it is read no further than a question needs.

    Answers do not depend on the order of rows. `noted` are codes of notes that its
    source made, `capped` says that numbers were counted in bins since they were too
    many.
    """

    capped = False

    def __init__(self, column: Column, noted: Collection[str] = ()) -> None:
        values = column.values
        self.name, self.noted = column.name, noted
        self.is_nominal, self.levels = column.is_nominal, column.levels
        self.n_rows, self.n_missing = len(values), 0
        self._values = values
        low, high = values.min(), values.max()
        if low < 0 if self.is_nominal else np.isnan(low):
            missing = column.missing
            self.n_missing = int(np.count_nonzero(missing))
            known = values[~missing]
            low, high = (known.min(), known.max()) if len(known) else (0, 0)
        self.range = float(low), float(high)

    @property
    def is_date(self) -> bool:
        """Whether the numbers are days, or parts of one."""
        return "date" in self.noted

    @property
    def only_value(self) -> str | None:
        """The only value, as it is shown; None if there are several."""
        low, high = self.range
        if low != high:
            return None
        return repr(self.levels[int(low)]) if self.is_nominal else f"{low:g}"

    @cached_property
    def _counts(self) -> Ints:
        return np.bincount(self._values + 1, minlength=len(self.levels) + 1)[1:]

    @cached_property
    def n_present(self) -> int:
        """How many levels (or counted numbers) occur."""
        return int(np.count_nonzero(self._counts))

    def all_differ(self) -> bool:
        """Whether every row has a value of its own."""
        if self.is_nominal:
            return len(self.levels) >= self.n_rows == self.n_present
        return len(self.distinct) == self.n_rows

    @cached_property
    def distinct(self) -> Floats:
        """Different numbers, ascending."""
        found = np.unique(self._values)
        return found[:-1] if self.n_missing else found

    def count_of(self, value: float) -> int:
        """Return the rows with this number, or code of a level."""
        return int(np.count_nonzero(self._values == value))

    def whole(self) -> bool:
        """Whether all numbers are whole, and small enough to be told apart."""
        return is_whole(self.distinct)

    def step(self) -> float:
        """Return the greatest number that divides all distances."""
        return common_step(self.distinct)

    def glance_step(self) -> float:
        """Return a multiple of the step, quickly; 0 if there is none."""
        head = self._values[:GLANCE]
        # Whole numbers of which some are the same are in no steps.
        return common_step(head) if len(set(head.tolist())) == len(head) else 0.0

    def apart_from(
        self, values: Iterable[float]
    ) -> tuple[tuple[float, float], dict[float, int]]:
        """Return the range of all other numbers, and the rows of these values."""
        counts = {value: self.count_of(value) for value in sorted(values)}
        found = {value: count for value, count in counts.items() if count}
        rest = self.distinct[~np.isin(self.distinct, list(found))]
        return (rest[0], rest[-1]) if len(rest) else (0.0, 0.0), found

    def spelt_numbers(self) -> Look | None:
        """Return the numbers that levels spell if all do, one row each."""
        values, is_number = level_numbers(self.levels)
        if not is_number.all():
            return None
        return Look(Column(self.name, ColumnKind.NUMERIC, values))


def is_whole(values: Floats) -> bool:
    """Whether all numbers are whole, and small enough to be told apart."""
    exact = (values == np.floor(values)) & (np.abs(values) <= LARGEST_EXACT)
    return bool(exact.all())


def common_step(values: Floats) -> float:
    """Return the greatest number that divides all distances of whole numbers."""
    if not is_whole(values):
        return 0.0
    return float(np.gcd.reduce(np.diff(values.astype(np.int64))))


class CountLook(Look):
    """A counted column: rows per number (or bin of numbers) or level."""

    def __init__(self, column: Any, n_rows: int, noted: Collection[str] = ()) -> None:
        self.name, self.noted = column.name, noted
        self.is_nominal, self.levels = column.is_nominal, column.levels
        self.n_rows, self.n_missing = n_rows, column.n_missing
        self.capped = bool(column.dropped_bits)
        self.range = column.range
        self._counts = column.level_totals
        self._column = column

    @property
    def only_value(self) -> str | None:
        if self.n_present != 1 or self.capped:
            return None
        if self.is_nominal:
            return repr(self.levels[int(np.argmax(self._counts))])
        return f"{self.range[0]:g}"

    def all_differ(self) -> bool:
        """Whether every row has a value of its own, as far as bins can tell."""
        if not self.capped:
            return self.n_present == self.n_rows
        least, greatest = self._column.bounds()
        low, high = self.range
        step = self.step()
        first = np.ceil((np.maximum(least, low) - low) / step)
        last = np.floor((np.minimum(greatest, high) - low) / step)
        return bool((self._counts <= last - first + 1).all())

    @cached_property
    def distinct(self) -> Floats:
        """Different numbers, ascending; the least of each bin."""
        return self._column.bounds()[0]

    def whole(self) -> bool:
        """Whether all numbers are whole; of bins, whether the ends are."""
        return is_whole(np.array(self.range)) if self.capped else super().whole()

    def step(self) -> float:
        """Return the greatest number that divides all distances; of bins, a guess."""
        if not self.capped:
            return super().step()
        low, high = self.range
        even = (high - low) / max(self.n_rows - 1, 1)
        return max(even, 1.0) if even == np.floor(even) else 1.0

    def glance_step(self) -> float:
        return self.step()

    def count_of(self, value: float) -> int:
        if self.is_nominal:
            return int(self._counts[int(value)])
        return int(self._counts[self.distinct == value].sum())
