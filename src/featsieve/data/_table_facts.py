"""The facts about a table in memory: single columns, copies, and leaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from featsieve._kernels import apply_cuts, mdl_cuts
from featsieve._types import Array, Positions
from featsieve.data._discretize import MDLDiscretizer
from featsieve.data._facts import (
    LEAK,
    LEAK_CORRELATION,
    column_facts,
    copy_fact,
    gives_away,
    leak_fact,
    ranks_like,
    target_facts,
)
from featsieve.data._looks import GLANCE, Look
from featsieve.data._table import Column, Effect, Note, Table
from featsieve.measures import target_association
from featsieve.tallies import Tally

#: Columns whose head is like that of another are compared by so many values.
SAMPLE = 1024
#: A column that does not give away the target nearly in so many rows does not in all.
MOST_ROWS, NEARLY = 20_000, 0.9


def table_facts(table: Table) -> list[Note]:
    """Return what the columns of a table and its target show."""
    if not table.n_rows:
        return []
    noted = noted_codes(table.source_notes)
    looks = [Look(column, noted.get(column.name, ())) for column in table]
    notes = column_facts(looks)
    gone = {note.column for note in notes if note.effect is Effect.DROP}
    varied = [column for column in table if column.name not in gone]
    notes.extend(_copies(varied))
    gone = {note.column for note in notes if note.effect is Effect.DROP}
    if table.target is None or table.target.n_missing:
        return notes
    varied = [column for column in varied if column.name not in gone]
    leaks = map(leak_fact, _leaks(varied, table.target))
    return [*_target_facts(table.target), *notes, *leaks]


def noted_codes(notes: Sequence[Note]) -> dict[str | None, set[str]]:
    """Return the codes of notes on every column."""
    codes: dict[str | None, set[str]] = {}
    for note in notes:
        codes.setdefault(note.column, set()).add(note.code)
    return codes


def _target_facts(target: Column) -> Iterator[Note]:
    if target.is_nominal:
        counts = np.bincount(target.values + 1, minlength=target.n_levels + 1)[1:]
        yield from target_facts(target.name, target.levels, counts)
    elif target.values.min() == target.values.max():
        text = f"Target {target.name!r} has one value, so nothing can explain it."
        yield Note("constant_target", target.name, text)


def _copies(columns: list[Column]) -> Iterator[Note]:
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
                yield copy_fact(column.name, other.name)
                break
        else:
            earlier.append(column)


def _fingerprint(column: Column, sample: Array) -> tuple[object, ...]:
    return column.kind, column.n_levels, (sample + 0).tobytes()  # -0.0 is 0.0


def _equal(a: Column, b: Column) -> bool:
    return bool(np.array_equal(a.values, b.values, equal_nan=not a.is_nominal))


def _leaks(columns: list[Column], target: Column) -> Iterator[str]:
    """Yield the columns that know the target too well to be true."""
    find = _class_leaks if target.is_nominal else _quantity_leaks
    rows = _some_rows(target)
    if len(rows) < len(target.values):
        some = [column.take(rows) for column in columns]
        names = set(find(some, target.take(rows), NEARLY))
        columns = [column for column in columns if column.name in names]
    yield from find(columns, target)


def _some_rows(target: Column) -> Positions:
    """Return rows that show a leak if all do: of each class some, of small ones all."""
    classes = [np.arange(len(target.values))]
    if target.is_nominal:
        classes = [np.flatnonzero(target.values == k) for k in range(target.n_levels)]
    most = max(MOST_ROWS // max(len(classes), 1), 1)
    return np.concatenate([rows[:: -(-len(rows) // most) or 1] for rows in classes])


def _class_leaks(
    columns: list[Column], target: Column, share: float = LEAK
) -> Iterator[str]:
    price = MDLDiscretizer().price
    for column in columns:
        codes = column.values
        if not column.is_nominal:
            values = np.ascontiguousarray(codes)
            cuts = mdl_cuts(values, target.values, target.n_levels, None, price)
            codes = apply_cuts(values, cuts)
        if gives_away(Tally.from_codes(codes, target.values).table, share):
            yield column.name


def _quantity_leaks(
    columns: list[Column], target: Column, share: float = LEAK_CORRELATION
) -> Iterator[str]:
    numeric = [column for column in columns if not column.is_nominal]
    if not numeric:
        return
    found = target_association(
        [column.values for column in numeric], target.values, association="spearman"
    )
    for column, correlation in zip(numeric, found, strict=True):
        n_known = len(target.values) - column.n_missing
        if ranks_like(correlation, n_known, share):
            yield column.name
