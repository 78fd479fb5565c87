"""Levels of nominal columns: which are numbers, and in what order they stand."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from featsieve._kernels import recode_levels
from featsieve._types import Floats, Mask
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
