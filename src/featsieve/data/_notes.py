"""Look a table over: what a person should know before trusting a result."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve.data._table import Column, Note, Table

__all__ = ["column_notes"]

# Most columns are cleared by a look at so few rows, most others by this many; only the
# rest is read in full.
GLANCE = 32
SAMPLE = 1024
# With fewer rows, "all values differ" or "steps of one" says little.
LEAST_ROWS_FOR_ID = 10
LARGEST_ID = 2.0**64  # greater numbers are quantities
ID_NAME = re.compile(r"(?i)(^|[^a-z])(id|key|index|idx|row|nr|uuid|guid)([^a-z]|$)")
ID_NAME_CAMEL = re.compile(r"[a-z](ID|Id|Key|Index)$")


def column_notes(table: Table) -> list[Note]:
    """Return the notes that can be read off the columns of `table`."""
    notes: list[Note] = []
    if table.target is not None:
        notes.extend(_target_notes(table.target))
    if not table.n_rows:
        return notes
    varied = []
    for column in table.columns:
        note = _empty_or_constant(column)
        if note is not None:
            notes.append(note)
            continue
        varied.append(column)
        if _looks_like_id(column):
            text = f"Column {column.name!r} looks like a row number or an ID; "
            text += "it cannot help on new rows."
            notes.append(Note("row_id", column.name, text))
    notes.extend(_identical(varied))
    return notes


def _target_notes(target: Column) -> Iterator[Note]:
    name = target.name
    if not len(target.values):
        return
    if not target.is_nominal:
        if target.values.min() == target.values.max():
            text = f"Target {name!r} has one value, so nothing can explain it."
            yield Note("constant_target", name, text)
        return
    counts = np.bincount(target.values, minlength=target.n_levels)
    if np.count_nonzero(counts) == 1:
        text = f"Target {name!r} has one class, so nothing can explain it."
        yield Note("constant_target", name, text)
    rare = np.flatnonzero(counts == 1)
    if len(rare) > 5:
        text = (
            f"{len(rare)} of {target.n_levels} classes of target {name!r} have one row."
        )
        yield Note("rare_class", name, text)
        return
    for code in rare:
        text = f"Class {target.levels[code]!r} of target {name!r} has one row."
        yield Note("rare_class", name, text)


def _empty_or_constant(column: Column) -> Note | None:
    for head in (column.values[:GLANCE], column.values[:SAMPLE]):
        known = head[head >= 0] if column.is_nominal else head[~np.isnan(head)]
        if len(known) and (known != known[0]).any():
            return None
    missing = column.missing
    known = column.values[~missing]
    if not len(known):
        text = f"Column {column.name!r} has no value in any row."
        return Note("all_missing", column.name, text)
    if (known != known[0]).any():
        return None
    value = column.levels[known[0]] if column.is_nominal else f"{known[0]:g}"
    shown = repr(value) if column.is_nominal else value
    gaps = " and is missing elsewhere" if missing.any() else ""
    text = f"Column {column.name!r} has one value ({shown}){gaps}."
    return Note("constant", column.name, text)


def _looks_like_id(column: Column) -> bool:
    n_rows = len(column.values)
    if n_rows < LEAST_ROWS_FOR_ID:
        return False
    if column.is_nominal:
        full = column.n_levels >= n_rows and not column.n_missing
        return full and _all_differ(column.values)
    head = column.values[:SAMPLE]
    whole = _whole(head[:GLANCE]) and _whole(head)
    if not whole or np.abs(head).max() > LARGEST_ID:
        return False
    steps = np.diff(head)
    if (steps == steps[0]).all() and _whole(column.values):
        with np.errstate(over="ignore"):  # of huge numbers further down
            return bool((np.diff(column.values) == steps[0]).all())
    named = ID_NAME.search(column.name) or ID_NAME_CAMEL.search(column.name)
    if not named or not _all_differ(head):
        return False
    return _whole(column.values) and _all_differ(column.values)


def _whole(values: NDArray[np.float64]) -> bool:
    return bool((values == np.floor(values)).all())


def _all_differ(values: NDArray[Any]) -> bool:
    return len(np.unique(values)) == len(values)


def _identical(columns: list[Column]) -> Iterator[Note]:
    """Yield a note for each column that equals an earlier one."""
    for n_rows in (GLANCE, SAMPLE):
        heads = [_fingerprint(column, column.values[:n_rows]) for column in columns]
        common = Counter(heads)
        columns = [
            c for c, head in zip(columns, heads, strict=True) if common[head] > 1
        ]
    groups: dict[tuple[object, ...], list[Column]] = {}
    for column in columns:
        values = column.values
        # Few columns come this far; reading here and there is slower than the head.
        spread = _fingerprint(column, values[:: max(1, len(values) // SAMPLE)])
        earlier = groups.setdefault(spread, [])
        for other in earlier:
            if other.levels == column.levels and _equal(other, column):
                text = f"Column {column.name!r} is identical to column {other.name!r}."
                yield Note("identical", column.name, text)
                break
        else:
            earlier.append(column)


def _fingerprint(column: Column, sample: NDArray[Any]) -> tuple[object, ...]:
    return column.kind, column.n_levels, (sample + 0).tobytes()  # -0.0 is 0.0


def _equal(a: Column, b: Column) -> bool:
    return bool(np.array_equal(a.values, b.values, equal_nan=not a.is_nominal))
