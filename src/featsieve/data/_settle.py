"""Settle the kind of each column, by type or as asked, and say what looked odd."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from featsieve._text import nearest
from featsieve.data._encode import (
    LARGEST_EXACT_INTEGER,
    Codes,
    Numbers,
    Raw,
    is_number,
    plain_scalar,
    to_float,
)
from featsieve.data._levels import level_numbers, sort_levels, text_array
from featsieve.data._table import Column, ColumnKind, Note
from featsieve.exceptions import DataError

__all__ = [
    "Loaded",
    "Request",
    "listed_values",
    "mark_missing",
    "settle_column",
    "settle_target",
    "stray_separator",
    "unique_names",
]

# Whole numbers are classes while there are few of them: 100 covers every classic task;
# floats are more often counts or measurements, so they get less.
MOST_INTEGER_CLASSES = 100
MOST_FLOAT_CLASSES = 20
LARGEST_INTEGER = 2.0**64
# A column is "numbers with some text" from this share of numbers on.
SHARE_OF_NUMBERS = 0.9
# However often it stands there, one word among this many numbers is no level.
NUMBERS_BESIDE_A_WORD = 5
TIME_OF_DAY = re.compile(r"\d\d:\d\d(:\d\d(\.\d{1,6})?)?")
#: Text that is a number to people: what it looks like, and how to make it one.
DISGUISES = (
    (
        re.compile(r"[+-]?[1-9]\d{0,2}([,' ]\d{3})+(\.\d+)?"),
        "numbers with marks between thousands",
        "Leave the marks out, or read the table with pandas and `thousands=`,",
    ),
    (
        re.compile(r"[+-]?(\d+|\d{1,3}([. ']\d{3})+),\d+"),
        "numbers with a decimal comma",
        "Write them with a point, or read the table with pandas and `decimal=','`,",
    ),
    (
        re.compile(
            r"[$€£¥] ?[+-]?\d+([.,]\d+)?"
            r"|[+-]?\d+([.,]\d+)?( ?[$€£¥%‰°]| [^\W\d]{1,4})"
        ),
        "numbers with a unit",
        "Leave the unit out",
    ),
)


@dataclass(frozen=True, slots=True)
class Request:
    """What the caller of `read_table` asked for."""

    target: str | int | None = None
    nominal: Any = None
    numeric: Any = None
    missing_values: tuple[Any, ...] | None = None
    target_kind: ColumnKind | None = None

    @property
    def missing_texts(self) -> frozenset[str]:
        """Texts that count as missing."""
        return frozenset(v for v in self.missing_values or () if isinstance(v, str))

    @property
    def missing_numbers(self) -> list[float]:
        """Numbers that count as missing."""
        given = self.missing_values or ()
        return [to_float(v) for v in given if is_number(v)]

    def find_target(self, names: Sequence[str]) -> int | None:
        """Return the position of the target among `names`."""
        if self.target is None:
            return None
        return _position(self.target, names, "target")

    def kinds(self, names: Sequence[str]) -> list[ColumnKind | None]:
        """Return the kind asked for each of `names`, None where none is."""
        kinds: list[ColumnKind | None] = [None] * len(names)
        asked = (
            ("nominal", self.nominal, ColumnKind.NOMINAL),
            ("numeric", self.numeric, ColumnKind.NUMERIC),
        )
        everything: list[ColumnKind | None] = [
            kind
            for _, wanted, kind in asked
            if isinstance(wanted, str) and wanted == "all"
        ]
        if len(everything) > 1:
            msg = (
                "`nominal` and `numeric` cannot both be 'all'. Say 'all' for one of "
                "the two, and name columns for the other."
            )
            raise DataError(msg)
        if everything:
            kinds = everything * len(names)
        target = self.find_target(names)
        if target is not None:
            kinds[target] = self.target_kind
        named: dict[int, str] = {}
        for parameter, wanted, kind in asked:
            if wanted is None or (isinstance(wanted, str) and wanted == "all"):
                continue
            for item in _listed(wanted, parameter):
                position = _position(item, names, parameter)
                if named.setdefault(position, parameter) != parameter:
                    msg = (
                        f"Column {names[position]!r} is asked for both as nominal and "
                        "as numeric. Name it in one of the two."
                    )
                    raise DataError(msg)
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
            msg = (
                "`missing_values` must list texts and numbers. Got "
                f"{value!r} among them."
            )
            raise DataError(msg)
    return values


def _listed(wanted: Any, parameter: str) -> Iterable[Any]:
    """Return the columns that are asked for; one name need not be in a list."""
    if isinstance(wanted, str):
        return [wanted]
    if isinstance(wanted, Iterable) and getattr(wanted, "ndim", 1) != 0:
        return wanted
    msg = (
        f"`{parameter}` must list columns by name or position, or be 'all'. Got "
        f"{wanted!r} instead."
    )
    raise DataError(msg)


def stray_separator(names: Sequence[str], used: str = ",") -> str | None:
    """Return the mark that may divide what looks like one column."""
    if len(names) != 1:
        return None
    return next((m for m in ";\t|," if m != used and m in names[0]), None)


def _position(item: Any, names: Sequence[str], parameter: str) -> int:
    if isinstance(item, (int, np.integer)) and not isinstance(item, bool):
        if -len(names) <= item < len(names):
            return int(item) % len(names)
        msg = (
            f"There is no column at position {item} (asked for as {parameter}); the "
            f"table has {len(names)} columns."
        )
        raise DataError(msg)
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
    msg = f"There is no column {item!r} (asked for as {parameter}).{tail}"
    raise DataError(msg)


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
        if name.strip():
            text = f"The name {name!r} occurs twice; the later column is read as "
            notes.append(Note("duplicate_name", new, f"{text}{new!r}."))
        else:
            text = f"Column {position + 1} has no name; it is read as "
            notes.append(Note("empty_name", new, f"{text}{new!r}."))
    return names


def settle_column(
    name: str, raw: Raw, wanted: ColumnKind | None, request: Request, infer: bool
) -> tuple[Column, list[Note]]:
    """Return the typed column, as asked for or by the type of its values."""
    notes: list[Note] = []
    raw = mark_missing(raw, request)
    if isinstance(raw, Codes) and wanted is not ColumnKind.NOMINAL:
        raw = _infer(name, raw, wanted, infer, notes)
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
        raw = _infer(name, raw, None, infer, [])
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


def _count_whole(values: NDArray[np.float64]) -> int:
    """Return the number of distinct values; 0 if one is not a finite whole number."""
    present = values[~np.isnan(values)]
    head = present[:1000]
    if not np.isfinite(head).all() or (head != np.floor(head)).any():
        return 0
    if not np.isfinite(present).all() or (present != np.floor(present)).any():
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
    texts, figures = request.missing_texts, set(request.missing_numbers)
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
    name: str, raw: Codes, wanted: ColumnKind | None, infer: bool, notes: list[Note]
) -> Raw:
    """Look whether the levels are numbers, dates or truth values in disguise."""
    if wanted is None and raw.declared:
        return raw
    values, mask = level_numbers(raw.levels)
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
    if not mask.any():
        notes.extend(_numbers_in_disguise(name, raw.levels))
        return raw
    counts = np.bincount(raw.codes[raw.codes >= 0], minlength=len(raw.levels))
    share = counts[mask].sum() / max(counts.sum(), 1)
    one_word = mask.sum() == len(mask) - 1 >= NUMBERS_BESIDE_A_WORD
    if share < 1 and (share >= SHARE_OF_NUMBERS or one_word):
        message = _text_in_numbers(name, raw, mask)
        notes.append(Note("text_in_numbers", name, message))
    elif share == 1 and any(isinstance(level, str) for level in raw.levels):
        text = f"Column {name!r} holds numbers as text and is read as nominal. Say "
        text += f"`numeric=[{name!r}]` if they are quantities."
        notes.append(Note("numbers_as_text", name, text))
    return raw


def _numbers_in_disguise(name: str, levels: Sequence[Any]) -> Iterator[Note]:
    """Yield a note if all levels look like numbers that somebody has dressed up."""
    if len(levels) < 2 or set(map(type, levels)) != {str}:
        return
    for pattern, what, way in DISGUISES:
        if all(pattern.fullmatch(level.strip()) for level in levels):
            text = (
                f"Column {name!r} holds {what}, such as {levels[0]!r}, and is read as "
                f"nominal. {way} if they are quantities."
            )
            yield Note("numbers_as_text", name, text)
            return


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


def _text_in_numbers(name: str, raw: Codes, mask: NDArray[np.bool_]) -> str:
    is_text = np.append(~mask, False)[raw.codes]
    rows = np.flatnonzero(is_text)
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
        since = " since 1970-01-01" if raw.date == "dates" else ""
        text = f"Column {name!r} holds {raw.date} and is read as days{since}."
        notes.append(Note("date", name, text))
    if not len(raw.values):
        return
    size = raw.greatest_size()
    if np.isinf(size):
        rows = np.flatnonzero(np.isinf(raw.values))
        msg = (
            f"Column {name!r} holds infinity in {len(rows)} of {len(raw.values)} rows "
            f"(first: row {rows[0]}). Replace it by a number or NaN, or read the "
            "table with `missing_values=[float('inf'), float('-inf')]`."
        )
        raise DataError(msg)
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
