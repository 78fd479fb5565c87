"""Settle the kind of each column, by type or as asked, and say what looked odd."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from featsieve._text import nearest
from featsieve._types import Floats, Ints, Mask
from featsieve.data._facts import date_fact, disguise_fact
from featsieve.data._looks import level_numbers, sort_levels, text_array
from featsieve.data._table import Column, ColumnKind, Note
from featsieve.data.read._encode import (
    LARGEST_EXACT_INTEGER,
    Codes,
    Numbers,
    Raw,
    is_number,
    plain_scalar,
    to_float,
)
from featsieve.exceptions import DataError

# Whole numbers are classes while there are few of them: 100 covers every classic task;
# floats are more often counts or measurements, so they get less.
MOST_INTEGER_CLASSES = 100
MOST_FLOAT_CLASSES = 20
LARGEST_INTEGER = 2.0**64
TIME_OF_DAY = re.compile(r"\d\d:\d\d(:\d\d(\.\d{1,6})?)?")


@dataclass(frozen=True, slots=True)
class Request:
    """What the caller of `read_table` asked for."""

    target: str | int | None = None
    nominal: Any = None
    numeric: Any = None
    missing_values: tuple[Any, ...] | None = None
    target_kind: ColumnKind | None = None
    decimal: str = "."

    def spelled_with_point(self, levels: Sequence[Any]) -> Sequence[Any]:
        """Return levels as they would be written where the decimal mark is a point."""
        if self.decimal == ".":
            return levels
        swap = str.maketrans({self.decimal: ".", ".": self.decimal})
        return [x.translate(swap) if isinstance(x, str) else x for x in levels]

    @property
    def missing_numbers(self) -> list[float]:
        """Numbers that count as missing."""
        return [to_float(v) for v in self.missing_values or () if is_number(v)]

    def find_target(self, names: Sequence[str]) -> int | None:
        """Return the position of the target among `names`."""
        if self.target is None:
            return None
        return _position(self.target, names, "target")

    def kinds(self, names: Sequence[str]) -> list[ColumnKind | None]:
        """Return the kind asked for each of `names`, None where none is."""
        asked = {ColumnKind.NOMINAL: self.nominal, ColumnKind.NUMERIC: self.numeric}
        rest = [k for k, w in asked.items() if isinstance(w, str) and w == "all"]
        if len(rest) > 1:
            raise DataError(
                "`nominal` and `numeric` cannot both be 'all'. Say 'all' for one of "
                "the two, and name columns for the other."
            )
        kinds: list[ColumnKind | None] = [rest[0] if rest else None] * len(names)
        target = self.find_target(names)
        if target is not None:
            kinds[target] = self.target_kind
        named: dict[int, ColumnKind] = {}
        for kind, wanted in asked.items():
            if wanted is None or kind in rest:
                continue
            for item in _listed(wanted, kind.value):
                position = _position(item, names, kind.value)
                if named.setdefault(position, kind) is not kind:
                    raise DataError(
                        f"Column {names[position]!r} is asked for both as nominal and "
                        "as numeric. Name it in one of the two."
                    )
                if position != target or self.target_kind is None:
                    kinds[position] = kind
        return kinds


@dataclass(slots=True)
class Loaded:
    """The columns of a source, before their kinds are settled.

    `kinds` is what was asked for; `infer` says that text may stand for numbers or
    dates, as in a CSV file.
    """

    names: list[str]
    raws: list[Raw]
    kinds: list[ColumnKind | None]
    target: int | None = None
    infer: bool = False
    notes: list[Note] = field(default_factory=list)
    n_rows: int = 0


def listed_values(given: Any) -> tuple[Any, ...] | None:
    """Return the values that count as missing; one need not be in a list."""
    if given is None:
        return None
    single = isinstance(given, (str, bytes)) or not isinstance(given, Iterable)
    if single or getattr(given, "ndim", 1) == 0:
        given = [given]
    values = tuple(
        v.item() if isinstance(v, (np.generic, np.ndarray)) and not v.ndim else v
        for v in given
    )
    for value in values:
        usable = isinstance(value, str) or is_number(value)
        if not usable and plain_scalar(value) is not None:
            raise DataError(
                "`missing_values` must list texts and numbers. Got "
                f"{value!r} among them."
            )
    return values


def _listed(wanted: Any, parameter: str) -> Iterable[Any]:
    """Return the columns that are asked for; one name need not be in a list."""
    if isinstance(wanted, str):
        return [wanted]
    if isinstance(wanted, Iterable) and getattr(wanted, "ndim", 1) != 0:
        return wanted
    raise DataError(
        f"`{parameter}` must list columns by name or position, or be 'all'. Got "
        f"{wanted!r} instead."
    )


def stray_separator(names: Sequence[str], used: str = ",") -> str | None:
    """Return the mark that may divide what looks like one column."""
    if len(names) != 1:
        return None
    return next((m for m in ";\t|," if m != used and m in names[0]), None)


def _position(item: Any, names: Sequence[str], parameter: str) -> int:
    if isinstance(item, (int, np.integer)) and not isinstance(item, bool):
        if -len(names) <= item < len(names):
            return int(item) % len(names)
        raise DataError(
            f"There is no column at position {item} (asked for as {parameter}); the "
            f"table has {len(names)} columns."
        )
    if item in names:
        return names.index(item)
    close = nearest(item, names)
    shown = close or list(names[:5])
    hint = "Did you mean" if close else "The first columns are"
    listed = ", ".join(repr(name) for name in shown)
    end = "?" if close else "."
    tail = f" {hint} {listed}{end}" if shown else " The table has no columns."
    mark = stray_separator(names)
    if mark is not None:
        tail += f" If {mark!r} stands between columns, say `separator={mark!r}`."
    raise DataError(f"There is no column {item!r} (asked for as {parameter}).{tail}")


def unique_names(given: Sequence[Any], notes: list[Note]) -> list[str]:
    """Return the names as unique, non-empty text, with a note for each change."""
    names = ["" if plain_scalar(name) is None else str(name) for name in given]
    taken = set(names)
    seen: set[str] = set()
    for position, name in enumerate(names):
        if name.strip() and name not in seen:
            seen.add(name)
            continue
        stem = name if name.strip() else "column"
        number = 2 if name.strip() else position + 1
        while (new := f"{stem}_{number}") in taken:
            number += 1
        names[position] = new
        taken.add(new)
        seen.add(new)
        code, text = "empty_name", f"Column {position + 1} has no name; it"
        if name.strip():
            code, text = "duplicate_name", f"The name {name!r} occurs twice; the later"
            text += " column"
        notes.append(Note(code, new, f"{text} is read as {new!r}."))
    return names


def settle_column(
    name: str,
    raw: Raw,
    wanted: ColumnKind | None,
    request: Request,
    infer: bool,
    *,
    counts: Ints | None = None,
) -> tuple[Column, list[Note]]:
    """Return the typed column, as asked for or by the type of its values.

    `counts` are the rows of each level where `raw` holds each but once.
    """
    notes: list[Note] = []
    raw = mark_missing(raw, request)
    if isinstance(raw, Codes) and wanted is not ColumnKind.NOMINAL:
        raw = _infer(name, raw, wanted, request, notes, infer=infer, counts=counts)
    if isinstance(raw, Numbers):
        _check_numbers(name, raw, notes)
        if wanted is not ColumnKind.NOMINAL:
            return Column(name, ColumnKind.NUMERIC, raw.values), notes
        raw = _numbers_to_codes(raw)
    codes = sort_levels(raw, numerically=infer)
    return Column(name, ColumnKind.NOMINAL, codes.codes, tuple(codes.levels)), notes


def settle_target(
    name: str, raw: Raw, wanted: ColumnKind | None, request: Request, infer: bool
) -> tuple[Column, list[Note]]:
    """Return the typed target; few whole numbers are classes unless asked otherwise."""
    if wanted is not None:
        return settle_column(name, raw, wanted, request, infer)
    raw = mark_missing(raw, request)
    if isinstance(raw, Codes) and infer:
        raw = _infer(name, raw, None, request, [], infer=infer)
    if isinstance(raw, Codes) or raw.date:
        return settle_column(name, raw, None, request, infer)
    most = MOST_INTEGER_CLASSES if raw.integer else MOST_FLOAT_CLASSES
    n_whole = _count_whole(raw.values)
    if 0 < n_whole <= most:
        return settle_column(name, raw, ColumnKind.NOMINAL, request, infer)
    column, notes = settle_column(name, raw, None, request, infer)
    if n_whole:
        text = (
            f"Target {name!r} has {n_whole} different whole numbers and is read as "
            "numeric. Say `target_kind='nominal'` if they are classes."
        )
        notes.append(Note("target_kind", name, text))
    return column, notes


def _count_whole(values: Floats) -> int:
    """Return the number of distinct values; 0 if one is not a finite whole number."""
    present = values[~np.isnan(values)]
    for some in (present[:1000], present):  # the head mostly tells
        if not np.isfinite(some).all() or (some != np.floor(some)).any():
            return 0
    return len(np.unique(present))


def mark_missing(raw: Raw, request: Request) -> Raw:
    if isinstance(raw, Numbers):
        if gone := request.missing_numbers:
            values = raw.values.copy()  # may be the caller's own array
            values[np.isin(values, gone)] = np.nan
            raw = Numbers(values, raw.integer, raw.date)
        return raw
    if not request.missing_values:
        return raw
    texts = {value for value in request.missing_values if isinstance(value, str)}
    figures = set(request.missing_numbers)
    keep = [
        level not in texts
        if isinstance(level, str)
        else isinstance(level, bool) or level not in figures
        for level in raw.levels
    ]
    if all(keep):
        return raw
    recode = np.full(len(keep) + 1, -1, dtype=np.int32)
    recode[:-1][keep] = np.arange(sum(keep), dtype=np.int32)
    levels = [level for level, kept in zip(raw.levels, keep, strict=True) if kept]
    return Codes(recode[raw.codes], levels, raw.declared)


def _infer(
    name: str,
    raw: Codes,
    wanted: ColumnKind | None,
    request: Request,
    notes: list[Note],
    *,
    infer: bool,
    counts: Ints | None = None,
) -> Raw:
    """Look whether the levels are numbers, dates or truth values in disguise."""
    if wanted is None and raw.declared:
        return raw
    values, mask = level_numbers(request.spelled_with_point(raw.levels))
    all_text = set(map(type, raw.levels)) <= {str}
    for i, level in () if all_text else enumerate(raw.levels):
        if isinstance(level, (int, float)) and not isinstance(level, bool):
            values[i], mask[i] = level, True
        elif isinstance(level, bool) and wanted is ColumnKind.NUMERIC:
            values[i], mask[i] = float(level), True
    if mask.all() and (infer or wanted is ColumnKind.NUMERIC):
        whole = all(
            not isinstance(x, str) or x.strip("+- \t").isdigit() for x in raw.levels
        )
        return Numbers(np.append(values, np.nan)[raw.codes], whole)
    if infer and (other := _other_meaning(raw)) is not None:
        return other
    if wanted is ColumnKind.NUMERIC:
        raise DataError(_text_in_numbers(name, raw, mask))
    if counts is None and mask.any():
        counts = np.bincount(raw.codes + 1, minlength=len(raw.levels) + 1)[1:]
    found = disguise_fact(name, raw.levels, mask, counts)
    if found is not None:
        notes.append(found)
    return raw


def _other_meaning(raw: Codes) -> Raw | None:
    """Return the column as truth values, dates or times, if all levels are such."""
    words = {level: str(level).strip().lower() for level in raw.levels}
    if set(words.values()) <= {"true", "false"}:
        truth = np.array([words[level] == "true" for level in raw.levels])
        codes = np.append(truth.astype(np.int32), np.int32(-1))[raw.codes]
        return Codes(codes, [False, True])
    if not all(word[:1].isdigit() for word in words.values()):
        return None
    word = "dates"
    texts = text_array(raw.levels)
    if all(TIME_OF_DAY.fullmatch(word) for word in words.values()):
        word = "times of day"
        day, join = (pa.scalar(x, texts.type) for x in ("1970-01-01", "T"))
        texts = pc.binary_join_element_wise(day, texts, join)
    for kind in (pa.timestamp("us"), pa.timestamp("us", "UTC")):
        try:
            micros = texts.cast(kind).cast(pa.int64()).to_numpy()
        except pa.ArrowException:
            continue
        return Numbers(np.append(micros / 86_400e6, np.nan)[raw.codes], date=word)
    return None


def _text_in_numbers(name: str, raw: Codes, mask: Mask) -> str:
    rows = np.flatnonzero(np.append(~mask, False)[raw.codes])
    if not len(rows):
        return ""
    first = raw.levels[raw.codes[rows[0]]]
    listed = [raw.levels[c] for c in dict.fromkeys(raw.codes[rows[:1000]].tolist())]
    shown = ", ".join(repr(level) for level in listed[:3])
    more = ", …" if len(listed) > 3 else ""
    return (
        f"Column {name!r} holds text in {len(rows)} of {len(raw.codes)} rows (first: "
        f"row {rows[0]}, {first!r}). Mark it as missing with "
        f"`missing_values=[{shown}{more}]` or as nominal with `nominal=[{name!r}]`."
    )


def _check_numbers(name: str, raw: Numbers, notes: list[Note]) -> None:
    if raw.date:
        notes.append(date_fact(name, raw.date))
    if not len(raw.values):
        return
    size = raw.greatest_size()
    if np.isinf(size):
        rows = np.flatnonzero(np.isinf(raw.values))
        raise DataError(
            f"Column {name!r} holds infinity in {len(rows)} of {len(raw.values)} rows "
            f"(first: row {rows[0]}). Replace it by a number or NaN, or read the "
            "table with `missing_values=[float('inf'), float('-inf')]`."
        )
    # Files do not tell integers from floats; 64 bits bound what an integer can be.
    # From 2**53 on: 2**53 + 1 has become 2**53 by now.
    if (
        size >= LARGEST_EXACT_INTEGER
        and (raw.integer or (size <= LARGEST_INTEGER and _count_whole(raw.values)))
        and not raw.date
    ):
        text = (
            f"Column {name!r} holds whole numbers from 2**53 on, which lose digits "
            f"as numbers. If they are names, say `nominal=[{name!r}]`."
        )
        notes.append(Note("large_integers", name, text))


def _numbers_to_codes(raw: Numbers) -> Codes:
    known = ~np.isnan(raw.values)
    found, inverse = np.unique(raw.values[known], return_inverse=True)
    codes = np.full(len(raw.values), -1, dtype=np.int32)
    codes[known] = inverse
    levels = [
        int(v) if v == np.floor(v) and abs(v) <= LARGEST_INTEGER else float(v)
        for v in found
    ]
    return Codes(codes, levels, declared=True)
