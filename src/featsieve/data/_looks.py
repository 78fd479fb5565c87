"""How levels stand in order, and what facts ask of a column of them."""

from __future__ import annotations

import string
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from featsieve._kernels import recode_levels
from featsieve._types import Floats, Ints, Mask
from featsieve.data._table import Column, ColumnKind
from featsieve.data.read._encode import Codes, as_numpy, is_number, to_float
from featsieve.exceptions import DataError

# RE2 has no look-around, so sign, digits and exponent are spelled out once. What the
# CSV reader accepts as float64 must be a subset, or results would depend on its blocks.
NUMBER_PATTERN = (
    r"^[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    r"|(?i:inf|infinity|nan))$"
)
# Letters that start neither a number nor "inf" and "nan": a quick way to tell text.
NO_NUMBERS_BEGIN = frozenset(string.ascii_letters) - frozenset("iInN")


def level_numbers(levels: Sequence[Any]) -> tuple[Floats, Mask]:
    """Return the numbers that levels spell (NaN where none) and a mask of them."""
    if set(map(type, levels)) == {str} and {x[:1] for x in levels} <= NO_NUMBERS_BEGIN:
        return np.full(len(levels), np.nan), np.zeros(len(levels), dtype=np.bool_)
    return text_numbers(text_array(levels))


def text_array(levels: Sequence[Any]) -> Any:
    """Return arrow text of the levels; what is not text becomes null."""
    texts = [level if isinstance(level, str) else None for level in levels]
    try:
        return pa.array(texts, pa.large_string())
    except UnicodeError:  # lone surrogates, which Python text may hold
        safe = [t and t.encode("utf-8", "replace").decode() for t in texts]
        return pa.array(safe, pa.large_string())


def text_numbers(texts: Any) -> tuple[Floats, Mask]:
    """Parse arrow text; return the values (NaN where none) and a mask of numbers."""
    trimmed = pc.utf8_trim_whitespace(texts)
    good = pc.match_substring_regex(trimmed, NUMBER_PATTERN).fill_null(False)
    mask = as_numpy(good.cast(pa.uint8())).astype(np.bool_)
    values = np.full(len(mask), np.nan)
    if mask.any():
        digits = pc.utf8_ltrim(trimmed.filter(good), "+")
        values[mask] = as_numpy(digits.cast(pa.float64()))
    return values, mask


def sort_levels(raw: Codes, *, numerically: bool) -> Codes:
    """Sort undeclared levels and drop unused ones, so that row order is no matter.

    Numbers are sorted by value, text by code point, mixtures by type first. Text that
    is all numbers is sorted by value if `numerically`.
    """
    if raw.declared:
        return raw
    order = _level_order(raw.levels, numerically)
    out = raw.codes if raw.own else np.empty(len(raw.codes), dtype=np.int32)
    used = _recode(raw.codes, order, out)
    if not used.all():
        # A second pass, since which levels occur is known only now.
        kept = np.flatnonzero(used)
        _recode(out, kept.tolist(), out, n_levels=len(order))
        order = [order[i] for i in kept]
    return Codes(out, [raw.levels[i] for i in order], own=True)


def _recode(
    codes: NDArray[np.int32],
    order: list[int],
    out: NDArray[np.int32],
    n_levels: int | None = None,
) -> Mask:
    """Write the place in `order` of each code; return which places occur."""
    n_places = len(order) if n_levels is None else n_levels
    table = np.full(n_places + 1, -1, dtype=np.int32)  # missing comes first
    table[1:][order] = np.arange(len(order), dtype=np.int32)
    used = np.zeros(n_places + 1, dtype=np.uint8)
    try:
        recode_levels(codes, table, out, used)
    except ValueError:
        msg = "A column refers to texts that it does not hold. The file may be damaged."
        raise DataError(msg) from None
    return used[1:][order] != 0


def _level_order(levels: list[Any], numerically: bool) -> list[int]:
    positions = range(len(levels))
    if numerically and levels:
        values, mask = level_numbers(levels)
        if mask.all() and not np.isnan(values).any():
            return sorted(positions, key=lambda i: (values[i], levels[i]))
    try:
        return sorted(positions, key=levels.__getitem__)
    except TypeError:
        return sorted(positions, key=lambda i: _mixed_key(levels[i]))


def _mixed_key(level: Any) -> tuple[str, Any, str]:
    if is_number(level) or isinstance(level, bool):
        return "", to_float(level), ""
    return type(level).__name__, 0.0, str(level)


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
