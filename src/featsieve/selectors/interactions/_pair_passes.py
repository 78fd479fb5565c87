"""Joint counts of pairs in one pass over a stream; names are numbered as they come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._kernels import PairCounts, apply_cuts, best_instructions
from featsieve._types import Floats, Ints
from featsieve.data.api import (
    ClassRule,
    Codes,
    ColumnTally,
    Numbers,
    PartCounts,
    Raw,
    Request,
    class_totals,
    mark_missing,
    two_kinds,
)
from featsieve.exceptions import DataError

#: Columns of names with more levels stay out: their joint tables would be huge.
MOST_LEVELS = 32


@dataclass(frozen=True, slots=True)
class Coding:
    """How a column becomes levels: cuts of numbers, or places of names."""

    cuts: Floats | None
    places: dict[Any, int]
    known: int
    n_levels: int  # with one for missing values, if there are any

    def codes(self, raw: Raw) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """Return codes of the rows, and the level of every code and of -1."""
        found: list[int]
        if isinstance(raw, Numbers) and self.cuts is not None:
            codes = apply_cuts(np.ascontiguousarray(raw.values), self.cuts)
            found = list(range(self.known))
        elif isinstance(raw, Codes):
            codes = raw.codes
            found = [self.places.get(level, self.known) for level in raw.levels]
        else:
            distinct, inverse = np.unique(raw.values, return_inverse=True)
            codes = inverse.astype(np.int32)
            found = [self.places.get(v, self.known) for v in distinct.tolist()]
        return codes, np.array([*found, self.known], dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class PairPlan:
    """Which columns to pair; those without a coding are names not seen before."""

    names: tuple[str, ...]
    codings: tuple[Coding | None, ...]
    request: Request
    target: str
    rule: ClassRule

    def pair_counts(self, levels: Sequence[int]) -> PairCounts:
        """Return empty tables."""
        return PairCounts(list(levels), self.rule.n_classes, best_instructions())

    @property
    def fresh(self) -> tuple[str, ...]:
        """The columns that are counted by themselves too."""
        pairs = zip(self.names, self.codings, strict=True)
        return tuple(name for name, coding in pairs if coding is None)


class _KnownColumn:
    """A column whose levels are known."""

    def __init__(self, name: str, coding: Coding) -> None:
        self.name = name
        self.coding = coding
        self.n_levels = coding.n_levels

    def write(self, raw: Raw, j: int, pairs: PairCounts, *_: object) -> None:
        """Hand over the rows of a batch."""
        # What only rows without a class have was not declared, nor need be.
        if pairs.write(j, *self.coding.codes(raw)) >= self.n_levels:
            raise DataError(
                f"Column {self.name!r} changed while it was read. Try again."
            )


class _FreshColumn:
    """Names whose levels are numbered as they come, missing values (None) too.

    Beyond `MOST_LEVELS` the column is given up for pairs: it has one level, and only
    its own counts go on.
    """

    def __init__(self, name: str, n_classes: int) -> None:
        self.name = name
        self.tally = ColumnTally(n_classes)
        self.levels: dict[Any, int] | None = {}
        # Missing values of batches without any type, which the tally counts itself.
        self._blank = np.zeros(n_classes, dtype=np.int64)

    @property
    def n_levels(self) -> int:
        return max(1, len(self.levels or ()))

    def write(
        self,
        raw: Raw,
        j: int,
        pairs: PairCounts,
        classes: NDArray[np.int32],
        label: str,
    ) -> None:
        """Hand over the rows of a batch."""
        if isinstance(raw, Numbers):
            if not np.isnan(raw.values).all():
                where = f"numbers in {label} and names in other parts"
                raise two_kinds(self.name, where)
            self._write_blank(raw, j, pairs, classes, label)
            return
        if self.levels is not None and _too_many({*self.levels, *raw.levels}):
            self.take_margins(j, pairs)
            self.levels = None
        if self.levels is None:
            self.tally.add(raw, classes, self.name, label)
            pairs.leave_out(j)
            return
        self.tally.declare(raw)  # rows are counted together with those of pairs
        numbers = self.levels
        found = [numbers.setdefault(level, len(numbers)) for level in raw.levels]
        missing = numbers.get(None, len(numbers))
        places = np.array([*found, missing], dtype=np.uint8)
        if pairs.write(j, raw.codes, places) == missing:
            numbers.setdefault(None, missing)

    def _write_blank(
        self,
        raw: Numbers,
        j: int,
        pairs: PairCounts,
        classes: NDArray[np.int32],
        label: str,
    ) -> None:
        self.tally.add(raw, classes, self.name, label)
        if self.levels is None:
            pairs.leave_out(j)
            return
        self._blank += class_totals(classes, len(self._blank))
        missing = self.levels.setdefault(None, len(self.levels))
        rows = np.full(len(raw.values), -1, dtype=np.int32)
        pairs.write(j, rows, np.array([missing], dtype=np.uint8))

    def take_margins(self, j: int, pairs: PairCounts) -> None:
        """Add what was counted in pairs to the counts of the column itself."""
        if self.levels is None or self.tally.counts is None:
            return
        rows = pairs.margins(j).T
        missing = np.zeros(rows.shape[1], dtype=np.int64)
        named = [level for level in self.levels if level is not None]
        counts = np.zeros((len(named), rows.shape[1]), dtype=np.int64)
        # Levels of a batch that is not finished yet have no row so far.
        for at, level in enumerate(named):
            if (number := self.levels[level]) < len(rows):
                counts[at] = rows[number]
        if (gap := self.levels.get(None, len(rows))) < len(rows):
            missing = rows[gap] - self._blank
        self.tally.add_counts(named, counts, missing)


def _too_many(levels: set[Any]) -> bool:
    return len(levels - {None}) > MOST_LEVELS


@dataclass(slots=True)
class PairTally:
    """Joint counts of some rows, with the levels they are in; plain to be sent.

    `levels` has the numbers of names by fresh column, None where there are too many.
    `counts` are the rows of fresh columns by themselves.
    """

    tables: Ints
    n_levels: list[int]
    levels: list[dict[Any, int] | None]
    counts: PartCounts

    def merge(self, other: PairTally, plan: PairPlan) -> None:
        """Add the counts of other rows."""
        fresh = (j for j, coding in enumerate(plan.codings) if coding is None)
        n_levels = list(self.n_levels)
        own = [list(range(n)) for n in self.n_levels]
        others = [list(range(n)) for n in other.n_levels]
        for k, j in enumerate(fresh):
            self.levels[k] = _joined(self.levels[k], other.levels[k])
            n_levels[j] = max(1, len(self.levels[k] or ()))
            own[j] = [0] * self.n_levels[j]
            others[j] = [0] * other.n_levels[j]
            if (joined := self.levels[k]) is not None:
                own[j] = list(range(self.n_levels[j]))
                others[j] = [joined[v] for v in other.levels[k] or ()] or [0]
        pairs = plan.pair_counts(n_levels)
        every = list(range(len(n_levels)))
        pairs.merge_levels(self.tables, self.n_levels, every, own)
        pairs.merge_levels(other.tables, other.n_levels, every, others)
        self.tables, self.n_levels = pairs.counts(), n_levels
        self.counts.merge(other.counts, plan.fresh)

    def settled(self, plan: PairPlan, codings: dict[str, Coding]) -> PairCounts | None:
        """Return the tables of the columns that have codings, in their levels.

        None if a column was given up that has few levels after all.
        """
        known = iter(self.levels)
        features, places = [], []
        for j, (name, coding) in enumerate(zip(plan.names, plan.codings, strict=True)):
            levels = None if coding is not None else next(known)
            final = codings.get(name)
            if final is None:
                continue
            features.append(j)
            if coding is not None:
                places.append(list(range(coding.n_levels)))
            elif levels is None:
                return None
            else:
                # Missing values of rows without a class have no level, nor any count.
                last = min(final.known, final.n_levels - 1)
                places.append([final.places.get(v, last) for v in levels] or [0])
        pairs = plan.pair_counts([coding.n_levels for coding in codings.values()])
        pairs.merge_levels(self.tables, self.n_levels, features, places)
        return pairs


def _joined(
    one: dict[Any, int] | None, other: dict[Any, int] | None
) -> dict[Any, int] | None:
    """Return the numbers of `one` with what `other` has beyond; None if too many."""
    if one is None or other is None or _too_many({*one, *other}):
        return None
    joined = dict(one)
    for level in other:
        joined.setdefault(level, len(joined))
    return joined


def count_pairs(
    parts: Sequence[Any], plan: PairPlan, progress: Callable[[int], None] | None = None
) -> PairTally:
    """Count all pairs in the rows of some parts, one batch at a time."""
    n_classes = plan.rule.n_classes
    columns: list[_KnownColumn | _FreshColumn] = [
        _FreshColumn(name, n_classes) if coding is None else _KnownColumn(name, coding)
        for name, coding in zip(plan.names, plan.codings, strict=True)
    ]
    fresh = [column for column in columns if isinstance(column, _FreshColumn)]
    own = [column.tally for column in fresh]
    counts = PartCounts(own, np.zeros(n_classes, dtype=np.int64))
    n_levels = [column.n_levels for column in columns]
    pairs = plan.pair_counts(n_levels)
    for part in parts:
        for batch in part.batches([*plan.names, plan.target]):
            target = mark_missing(batch[-1], plan.request)
            n_rows = len(target)
            classes = plan.rule.classes(target, n_rows)
            pairs.start(classes)
            for j, column in enumerate(columns):
                raw = mark_missing(batch[j], plan.request)
                column.write(raw, j, pairs, classes, part.label)
            n_levels = _with_levels(pairs, columns, n_levels)
            pairs.finish()
            counts.add_rows(n_rows, class_totals(classes, n_classes))
            if progress is not None:
                progress(n_rows)
    for j, column in enumerate(columns):
        if isinstance(column, _FreshColumn):
            column.take_margins(j, pairs)
    levels = [column.levels for column in fresh]
    return PairTally(pairs.counts(), n_levels, levels, counts)


def _with_levels(pairs: PairCounts, columns: Sequence[Any], before: list[int]) -> Any:
    """Make room for new levels, and give it back where a column is given up."""
    n_levels = [column.n_levels for column in columns]
    if n_levels != before:
        places = [
            list(range(was)) if was <= now else [0] * was
            for was, now in zip(before, n_levels, strict=True)
        ]
        pairs.change_levels(n_levels, places)
    return n_levels
