"""A table as counts, column by column, and the facts that counts show."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from featsieve._checks import check_integer
from featsieve._kernels import ValueCounts, apply_cuts
from featsieve._types import Floats, Ints
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
from featsieve.data._table import ColumnKind, Effect, Note
from featsieve.data.read._encode import Codes, Numbers
from featsieve.data.read._settle import (
    Request,
    mark_missing,
    settle_column,
    settle_target,
)
from featsieve.data.stream._counting import MOST_LEVELS, ClassRule, ColumnTally
from featsieve.data.stream._parts import Part
from featsieve.exceptions import DataError
from featsieve.tallies import Tally
from featsieve.tallies.api import MOST_VALUES


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CountedColumn(Tally):
    """The tally of a column of a stream: its distinct numbers, or levels, by class.

    `given` tells what became of every text of the source: a number, or the position of
    a level.
    """

    name: str
    kind: ColumnKind
    given: dict[Any, float] = field(default_factory=dict)

    @property
    def is_nominal(self) -> bool:
        """Whether the column is nominal."""
        return self.kind is ColumnKind.NOMINAL


@dataclass(frozen=True, slots=True, eq=False)
class CountedTable:
    """Counts of all columns against one target, from `TableStream.count`."""

    columns: tuple[CountedColumn, ...]
    classes: tuple[Any, ...]  # their labels
    class_totals: Ints  # rows of each
    n_rows: int  # those that have a class
    notes: tuple[Note, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        return tuple(column.name for column in self.columns)


def settle_tally(
    name: str,
    tally: ColumnTally,
    wanted: ColumnKind | None,
    request: Request,
    *,
    infer: bool,
) -> tuple[CountedColumn, list[Note]]:
    """Settle the kind of a counted column, as `read_table` would from its rows."""
    if tally.values is not None:
        return _settle_numbers(name, tally, wanted, request)
    nothing = np.zeros(tally.n_classes, dtype=np.int64)
    missing = nothing if tally.missing is None else tally.missing
    if tally.overflowed:
        text = (
            f"Column {name!r} has more than {MOST_LEVELS:,} levels, too many to be "
            "counted, and is left out."
        )
        empty = nothing[np.newaxis]
        column = CountedColumn(empty, name=name, kind=ColumnKind.NOMINAL)
        return column, [Note("uncounted", name, text)]
    levels = list(tally.levels)
    counts = np.zeros((0, tally.n_classes), dtype=np.int64)
    if tally.counts is not None:
        counts = tally.counts[: len(levels)]
    # One row per level, so that the rules for columns apply as they are.
    each = np.arange(len(levels), dtype=np.int32)
    declared = tally.declared is not None
    raw = Codes(each, levels, declared)
    rows = counts.sum(axis=1)
    settled, notes = settle_column(name, raw, wanted, request, infer, counts=rows)
    given = dict(zip(levels, settled.values.tolist(), strict=True))
    if settled.is_nominal:
        table = np.zeros((settled.n_levels + 1, tally.n_classes), dtype=np.int64)
        np.add.at(table, settled.values, counts)
        table[-1] = missing
        kind = ColumnKind.NOMINAL
        column = CountedColumn(table, settled.levels, name=name, kind=kind, given=given)
        return column, notes
    values = ValueCounts(tally.n_classes, MOST_VALUES)
    for c in range(tally.n_classes):  # numbers that stood in the file as text
        rows = np.repeat(settled.values, counts[:, c])
        values.add(rows, np.full(len(rows), c, dtype=np.int32))
    return replace(_counted_numbers(name, values, missing), given=given), notes


def _settle_numbers(
    name: str, tally: ColumnTally, wanted: ColumnKind | None, request: Request
) -> tuple[CountedColumn, list[Note]]:
    assert tally.values is not None  # the caller looked
    nothing = np.zeros(tally.n_classes, dtype=np.int64)
    column = _counted_numbers(name, tally.values, nothing)
    if wanted is ColumnKind.NOMINAL and column.dropped_bits:
        raise DataError(
            f"Column {name!r} has more than {MOST_VALUES} different numbers, too many "
            "for the levels of a nominal column. Leave it numeric."
        )
    distinct, _ = column.bounds()
    raw = Numbers(distinct, tally.integer, tally.date)
    settled, notes = settle_column(name, raw, wanted, request, infer=False)
    if not settled.is_nominal:
        return column, notes
    kind = ColumnKind.NOMINAL
    return CountedColumn(column.table, settled.levels, name=name, kind=kind), notes


def _counted_numbers(name: str, values: ValueCounts, missing: Ints) -> CountedColumn:
    keys, counts, gaps, dropped_bits, least, greatest = values.table()
    return CountedColumn(
        np.vstack([counts, gaps + missing]),
        keys=keys,
        dropped_bits=dropped_bits,
        range=(least, greatest),
        name=name,
        kind=ColumnKind.NUMERIC,
    )


def class_rule(
    column: CountedColumn,
    tally: ColumnTally,
    wanted: ColumnKind | None,
    request: Request,
    target_bins: int | None,
) -> tuple[ClassRule, tuple[Any, ...]]:
    """Return the rule and the labels of the classes, from the counted target."""
    target = column.name
    if not len(column.counts):
        raise DataError(f"Target {target!r} is missing in all rows. Choose another.")
    in_text = tally.values is None
    raw: Codes | Numbers
    if column.is_nominal:
        each = np.arange(len(column.levels), dtype=np.int32)
        raw = Codes(each, list(column.levels), declared=True)
    else:
        raw = Numbers(column.bounds()[0], tally.integer and not in_text, tally.date)
    settled, _ = settle_target(
        target, raw, wanted, replace(request, missing_values=None), False
    )
    if settled.is_nominal and not column.dropped_bits:
        codes, labels = settled.values, settled.levels
        cuts = None
    else:
        cuts = _target_cuts(column, target_bins)
        edges = ["-inf", *(f"{cut:.6g}" for cut in cuts), "inf"]
        labels = tuple(f"({a}, {b}]" for a, b in itertools.pairwise(edges))
        codes = apply_cuts(column.bounds()[0], cuts)
    n = len(labels)
    quantity = cuts is not None
    if not column.given:
        values = column.bounds()[0]
        return ClassRule({}, values, codes, cuts, n, quantity), labels
    if column.is_nominal:
        places = {text: int(codes[int(at)]) for text, at in column.given.items()}
    else:  # numbers that stood in the file as text
        at = np.searchsorted(column.bounds()[0], list(column.given.values()))
        places = dict(zip(column.given, codes[at].tolist(), strict=True))
    return ClassRule(places, n_classes=n, quantity=quantity), labels


def _target_cuts(column: CountedColumn, target_bins: int | None) -> Floats:
    if target_bins is not None:
        check_integer("target_bins", target_bins, "TableStream", at_least=2)
        return column.even_cuts(target_bins)
    raise DataError(
        f"Classes are needed, and the target {column.name!r} is a continuous "
        f"quantity with {len(column.counts)} different values. Cut it with "
        "`target_bins=5`, or say `target_kind='nominal'` if they are classes."
    )


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
