"""The facts about a counted table: those of a table in memory, as counts show them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from featsieve._types import Floats
from featsieve.data._discretize import MDLDiscretizer
from featsieve.data._facts import (
    column_facts,
    copy_fact,
    gives_away,
    leak_fact,
    noted_codes,
    target_facts,
)
from featsieve.data._looks import CountLook
from featsieve.data._table import Effect, Note
from featsieve.data.read._encode import Codes, Numbers
from featsieve.data.read._settle import Request, mark_missing
from featsieve.data.stream._counted_table import CountedColumn, CountedTable
from featsieve.data.stream._counting import ClassRule
from featsieve.data.stream._parts import Part


class Rows(Protocol):
    """What was counted, to be read again."""

    request: Request
    target: str

    def sum_over(self, function: Callable[..., Any], plan: Any) -> Any:
        """Sum up what a function returns for all parts."""


def counted_facts(counted: CountedTable, rows: Rows, rule: ClassRule) -> list[Note]:
    """Return what counts show; rows are read again where two columns have the same.

    A quantity was cut into classes for counting; a leak is then what gives away one of
    these.
    """
    noted = noted_codes(counted.notes)
    lost = {column for column, codes in noted.items() if "uncounted" in codes}
    columns = [column for column in counted.columns if column.name not in lost]
    looks = [CountLook(c, counted.n_rows, noted.get(c.name, ())) for c in columns]
    notes = column_facts(looks)
    gone = {note.column for note in notes if note.effect is Effect.DROP}
    columns = [column for column in columns if column.name not in gone]
    copies = _copies(columns, rows, rule)
    tallies = MDLDiscretizer().fit_tallies(columns, [c.levels for c in columns])
    leaks = [
        leak_fact(column.name)
        for column, tally in zip(columns, tallies, strict=True)
        if column.name not in copies and gives_away(tally.table)
    ]
    notes += [*(copy_fact(*pair) for pair in copies.items()), *leaks]
    if rule.quantity:
        return notes
    return [*target_facts(rows.target, counted.classes, counted.class_totals), *notes]


def _copies(
    columns: list[CountedColumn], rows: Rows, rule: ClassRule
) -> dict[str, str]:
    """Return the columns that equal an earlier one, with that one."""
    alike: dict[Any, list[CountedColumn]] = {}
    for column in columns:
        values = column.levels if column.keys is None else column.keys.tobytes()
        counts = column.counts.tobytes(), column.missing.tobytes()
        alike.setdefault((column.kind, values, counts), []).append(column)
    groups = {
        column.name: (number, column)
        for number, group in enumerate(alike.values())
        for column in group
        if len(group) > 1
    }
    if not groups:
        return {}
    given = tuple(column.given for _, column in groups.values())
    plan = SigningPlan(tuple(groups), given, rows.request, rows.target, rule)
    signatures: Signatures = rows.sum_over(sign_parts, plan)
    copies: dict[str, str] = {}
    first: dict[tuple[int, int], str] = {}
    for (name, (number, _)), own in zip(groups.items(), signatures.values, strict=True):
        twin = first.setdefault((number, own), name)
        if twin != name:
            copies[name] = twin
    return copies


@dataclass(frozen=True, slots=True)
class SigningPlan:
    """Which columns to sign, and which rows count: those with a class.

    `given` tells for each column what became of its texts.
    """

    names: tuple[str, ...]
    given: tuple[dict[Any, float], ...]
    request: Request
    target: str
    rule: ClassRule


@dataclass(slots=True)
class Signatures:
    """A number for each column; those of other rows are added, in any order."""

    values: list[int]

    def merge(self, other: Signatures, plan: SigningPlan) -> None:  # noqa: ARG002
        """Add the numbers of other rows."""
        self.values = [a + b for a, b in zip(self.values, other.values, strict=True)]


def sign_parts(
    parts: Sequence[Part],
    plan: SigningPlan,
    progress: Callable[[int], None] | None = None,
) -> Signatures:
    """Sum up hashes of the batches of each column: equal columns have equal sums."""
    found = Signatures([0] * len(plan.names))
    for part in parts:
        for batch in part.batches([*plan.names, plan.target]):
            target = mark_missing(batch[-1], plan.request)
            rows = plan.rule.classes(target, len(target)) >= 0
            for j, given in enumerate(plan.given):
                raw = mark_missing(batch[j], plan.request)
                values = _plain_numbers(raw, given)[rows] + 0.0  # -0.0 is 0.0
                values[np.isnan(values)] = np.nan  # of several, one
                digest = hashlib.blake2b(values.tobytes(), digest_size=16).digest()
                found.values[j] += int.from_bytes(digest, "little")
            if progress is not None:
                progress(len(rows))
    return found


def _plain_numbers(raw: Codes | Numbers, given: dict[Any, float]) -> Floats:
    """Return numbers as they are, and names as the numbers of what they became."""
    if isinstance(raw, Numbers):
        return raw.values
    places = [given.get(level, np.nan) for level in raw.levels]
    return np.array([*places, np.nan])[raw.codes]
