"""Stage 1: columns that cannot help, and those that look too good."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from featsieve.data import Column, Table
from featsieve.sieve._opening import SAMPLED

__all__ = ["Screening", "is_row_id", "screen"]

#: With fewer rows, "all values differ" says nothing.
LEAST_ROWS_FOR_ID = 10
ID_NAME = re.compile(r"(?i)(^|[^a-z])(id|key|index|idx|row|nr|uuid|guid)([^a-z]|$)")

#: Codes of notes that are no warnings.
HARMLESS = ("date", SAMPLED)

MANY_LEVELS = 1000
MUCH_MISSING = 0.5


@dataclass(slots=True)
class Screening:
    """What is known of the columns before any test.

    `unusable` maps a column to the reason, `copies` a column to the one it equals;
    `flags` are (column, sentence, is it a warning).
    """

    unusable: dict[str, str] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)
    flags: list[tuple[str | None, str, bool]] = field(default_factory=list)

    def usable(self, table: Table) -> list[str]:
        """Return the columns that go on."""
        return [
            name
            for name in table.names
            if name not in self.unusable and name not in self.copies
        ]


def screen(table: Table, costs: dict[str, float]) -> Screening:
    """Look the columns over, whatever the order of rows."""
    found = Screening()
    seen: dict[bytes, list[Column]] = {}
    dates = {note.column for note in table.notes if note.code == "date"}
    # Of identical columns the cheapest stays, of equal costs the leftmost.
    positions = sorted(
        range(table.n_columns), key=lambda j: (costs.get(table.names[j], 0.0), j)
    )
    for j in positions:
        column = table.columns[j]
        reason = _why_unusable(column, is_date=column.name in dates)
        if reason:
            found.unusable[column.name] = reason
            continue
        key = _fingerprint(column)
        twin = next((c for c in seen.get(key, []) if _same(c, column)), None)
        if twin is not None:
            found.copies[column.name] = twin.name
            continue
        seen.setdefault(key, []).append(column)
    for column in table:
        if column.name not in found.unusable:
            _flag(column, found)
    for note in table.notes:
        if note.code not in ("constant", "all_missing", "identical", "row_id"):
            found.flags.append((note.column, note.message, note.code not in HARMLESS))
    return found


def _why_unusable(column: Column, *, is_date: bool) -> str | None:
    known = column.values[~column.missing]
    if not len(known):
        return "no value in any row"
    if (known == known[0]).all() and len(known) == len(column.values):
        value = column.levels[known[0]] if column.is_nominal else f"{known[0]:g}"
        return f"the same value in every row: {value!r}"
    if not is_date and is_row_id(column):
        return "a value of its own for every row, like a row number or an ID"
    return None


def is_row_id(column: Column, *, numbered: bool = False) -> bool:
    """Whether every row has a value of its own that looks like a number of the row.

    `numbered` says that the values are as many as rows of which these are some.
    """
    n_rows = len(column.values)
    if n_rows < LEAST_ROWS_FOR_ID or column.missing.any():
        return False
    if column.is_nominal:
        return column.n_levels >= n_rows and len(np.unique(column.values)) == n_rows
    values = np.sort(column.values)
    if not np.isfinite(values).all() or (values != np.floor(values)).any():
        return False
    with np.errstate(over="ignore"):  # of huge numbers, which are no IDs
        steps = np.diff(values)
    if (steps == 0).any():
        return False
    in_turn = numbered or bool((steps == 1).all())
    return in_turn or bool(ID_NAME.search(column.name))


def _fingerprint(column: Column) -> bytes:
    step = max(1, len(column.values) // 256)
    values = column.values[::step] + 0
    return bytes(column.kind.value, "ascii") + values.tobytes()


def _same(a: Column, b: Column) -> bool:
    equal = np.array_equal(a.values, b.values, equal_nan=not a.is_nominal)
    return equal and a.levels == b.levels


def _flag(column: Column, found: Screening) -> None:
    share = float(column.missing.mean())
    if share > MUCH_MISSING:
        text = f"{100 * share:.0f} % of the values are missing."
        found.flags.append((column.name, text, True))
    if column.n_levels > MANY_LEVELS:
        text = f"It has {column.n_levels:,} levels; rare ones say little."
        found.flags.append((column.name, text, True))
