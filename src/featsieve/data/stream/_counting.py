"""Count the columns of a part by class; counts of parts add up, in any order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._kernels import ValueCounts, add_by_class, apply_cuts
from featsieve._types import Floats, Ints
from featsieve.data.read._encode import Codes, Numbers, Raw
from featsieve.data.read._settle import Request, mark_missing
from featsieve.data.stream._parts import Part
from featsieve.exceptions import DataError
from featsieve.tallies.api import MOST_VALUES

#: A column of names with more levels is given up: its table would outgrow the rows.
MOST_LEVELS = 1 << 20


@dataclass(frozen=True, slots=True)
class ClassRule:
    """How the class of a row is read off the target column.

    Names are looked up in `levels`; numbers in the ascending `values` (whose codes are
    `codes`), or between `cuts`.
    """

    levels: dict[Any, int] = field(default_factory=dict)
    values: Floats | None = None
    codes: NDArray[np.int32] | None = None
    cuts: Floats | None = None
    n_classes: int = 1
    quantity: bool = False  # a number that was cut into classes

    def classes(self, raw: Raw | None, n_rows: int) -> NDArray[np.int32]:
        """Return the class of every row, -1 where it is missing."""
        if raw is None:
            return np.zeros(n_rows, dtype=np.int32)
        if isinstance(raw, Codes):
            lookup = [self.levels.get(level, -1) for level in raw.levels]
            translate = np.array([*lookup, -1], dtype=np.int32)
            return translate[raw.codes]
        if self.cuts is not None:
            return apply_cuts(raw.values, self.cuts)
        if self.values is None or self.codes is None:
            # Names elsewhere: a part without any has no type of its own. The pass over
            # the target has refused numbers beside names.
            return np.full(n_rows, -1, dtype=np.int32)
        known = ~np.isnan(raw.values)
        places = np.searchsorted(self.values, np.where(known, raw.values, 0))
        places = np.minimum(places, len(self.values) - 1)
        return np.where(known, self.codes[places], np.int32(-1)).astype(np.int32)


@dataclass(frozen=True, slots=True)
class CountingPlan:
    """What to count: the wanted columns of every part, against which class.

    `cuts` of a numeric column makes levels of it; None counts its values.
    """

    names: tuple[str, ...]
    request: Request
    target: str | None = None
    rule: ClassRule = field(default_factory=ClassRule)
    cuts: tuple[Floats | None, ...] = ()


@dataclass(slots=True)
class ColumnTally:
    """Counts of one column; `values` for numbers, `levels` and `counts` for names."""

    n_classes: int
    values: ValueCounts | None = None
    levels: dict[Any, int] = field(default_factory=dict)
    counts: Ints | None = None  # levels × classes, with room to grow
    missing: Ints | None = None
    declared: list[Any] | None = None  # levels in their declared order, if all agree
    integer: bool = True
    date: str = ""
    overflowed: bool = False

    def add(self, raw: Raw, classes: NDArray[np.int32], name: str, label: str) -> None:
        """Add the rows of a batch."""
        if isinstance(raw, Numbers):
            if self.counts is not None:
                blank = bool(np.isnan(raw.values).all())
                self._expect(numbers=True, name=name, label=label, empty=blank)
                assert self.missing is not None  # set together with counts
                self.missing += class_totals(classes, self.n_classes)
                return
            if self.values is None:
                self.values = ValueCounts(self.n_classes, MOST_VALUES)
            if np.isinf(raw.greatest_size()):
                raise DataError(
                    f"Column {name!r} holds infinity in {label}. Replace it by a "
                    "number or NaN, or read it with "
                    "`missing_values=[float('inf'), float('-inf')]`."
                )
            self.values.add(np.ascontiguousarray(raw.values), classes)
            self.integer &= raw.integer
            self.date = raw.date
            return
        self._expect(numbers=False, name=name, label=label)
        places = self._declare(raw)
        if places is not None:
            assert self.counts is not None  # made by _declare
            assert self.missing is not None
            add_by_class(raw.codes, places, classes, self.counts, self.missing)

    def _expect(
        self, *, numbers: bool, name: str, label: str, empty: bool = False
    ) -> None:
        """Raise if a column is of names in one part and of numbers in another."""
        other = self.counts is not None if numbers else self.values is not None
        if not other or empty:
            return
        if not numbers and self.values is not None and not len(self.values.table()[0]):
            missing = self.values.table()[2]
            self.values = None
            self.missing = missing
            return
        now, before = ("numbers", "names") if numbers else ("names", "numbers")
        where = f"{now} in {label} and {before} in parts before it"
        raise two_kinds(name, where)

    def _declare(self, raw: Codes) -> NDArray[np.int32] | None:
        """Make room for the levels of a batch; return their places, if not too many."""
        if self.missing is None:
            self.missing = np.zeros(self.n_classes, dtype=np.int64)
        declared = list(raw.levels) if raw.declared else None
        if self.counts is None:
            self.counts = np.zeros((8, self.n_classes), dtype=np.int64)
            self.declared = declared
        elif declared != self.declared:
            self.declared = None
        if self.overflowed:
            return None
        places = [self.levels.setdefault(v, len(self.levels)) for v in raw.levels]
        n = len(self.levels)
        if n > MOST_LEVELS:
            self.overflowed = True
            self.levels = {}
            self.counts = np.zeros((0, self.n_classes), dtype=np.int64)
            return None
        if n > len(self.counts):
            grown = np.zeros((max(n, 2 * len(self.counts)), self.n_classes), np.int64)
            grown[: len(self.counts)] = self.counts
            self.counts = grown
        return np.array(places, dtype=np.int32)

    def merge(self, other: ColumnTally, name: str, label: str) -> None:
        """Add the counts of the same column of other rows."""
        if other.values is not None:
            table = other.values.table()
            if self.counts is not None and not len(table[0]):
                assert self.missing is not None  # set together with counts
                self.missing += table[2]
                return
            self._expect(numbers=True, name=name, label=label)
            if self.values is None:
                self.values = ValueCounts(self.n_classes, MOST_VALUES)
            self.values.merge(*table)
            self.integer &= other.integer
            self.date = self.date or other.date
            return
        if other.counts is None:
            return
        self._expect(numbers=False, name=name, label=label)
        levels = list(other.levels)
        declared = other.declared is not None
        self.overflowed |= other.overflowed
        places = self._declare(Codes(np.empty(0, dtype=np.int32), levels, declared))
        assert self.missing is not None  # set by _declare
        assert other.missing is not None  # set together with counts
        self.missing += other.missing
        if places is not None:
            assert self.counts is not None  # set by _declare
            np.add.at(self.counts, places, other.counts[: len(levels)])


@dataclass(slots=True)
class PartCounts:
    """All tallies of some rows."""

    columns: list[ColumnTally]
    class_totals: Ints
    n_rows: int = 0
    n_without_class: int = 0

    def add_rows(self, n_rows: int, totals: Ints) -> None:
        """Note rows, with those of each class."""
        self.n_rows += n_rows
        self.n_without_class += n_rows - int(totals.sum())
        self.class_totals += totals

    def merge(self, other: PartCounts, plan: CountingPlan) -> None:
        """Add the counts of other rows, of the columns of a plan."""
        pairs = zip(plan.names, self.columns, other.columns, strict=True)
        for name, mine, theirs in pairs:
            mine.merge(theirs, name, "one part")
        self.n_rows += other.n_rows
        self.n_without_class += other.n_without_class
        self.class_totals += other.class_totals


def count_parts(
    parts: Sequence[Part],
    plan: CountingPlan,
    progress: Callable[[int], None] | None = None,
) -> PartCounts:
    """Count the rows of some parts, one batch at a time."""
    n_classes = plan.rule.n_classes
    columns = [ColumnTally(n_classes) for _ in plan.names]
    result = PartCounts(columns, np.zeros(n_classes, dtype=np.int64))
    wanted = list(plan.names)
    if plan.target is not None:
        wanted.append(plan.target)
    for part in parts:
        for batch in part.batches(wanted):
            # Asked for twice, a column would be decoded twice.
            last = mark_missing(batch[-1], plan.request)
            n_rows = len(last)
            classes = plan.rule.classes(None if plan.target is None else last, n_rows)
            for j, name in enumerate(plan.names):
                raw = (
                    last
                    if j == len(batch) - 1
                    else mark_missing(batch[j], plan.request)
                )
                cuts = plan.cuts[j] if plan.cuts else None
                if cuts is not None:
                    raw = _cut(raw, cuts)
                columns[j].add(raw, classes, name, part.label)
            result.add_rows(n_rows, class_totals(classes, n_classes))
            if progress is not None:
                progress(n_rows)
    return result


def class_totals(classes: NDArray[np.int32], n_classes: int) -> Ints:
    """Return the rows of each class; -1 is none."""
    return np.bincount(classes + 1, minlength=n_classes + 1)[1:]


def _cut(raw: Raw, cuts: Floats) -> Raw:
    """Return the levels of numbers; names stay as they are."""
    if not isinstance(raw, Numbers):
        return raw
    codes = apply_cuts(np.ascontiguousarray(raw.values), cuts)
    return Codes(codes, list(range(len(cuts) + 1)), declared=True)


class RowGatherer:
    """Collects chosen rows of batches into whole columns."""

    def __init__(self, names: Sequence[str]) -> None:
        self._chunks: dict[str, list[Raw]] = {name: [] for name in names}

    def add(self, batch: Sequence[Raw], rows: Ints) -> None:
        """Take these rows of a batch."""
        for chunks, raw in zip(self._chunks.values(), batch, strict=True):
            chunks.append(_taken(raw, rows))

    def keep(self, rows: Ints) -> None:
        """Keep these of the rows taken so far, and forget the others."""
        for name, chunks in self._chunks.items():  # one column twice in memory, not all
            chunks[:] = [_taken(_joined(name, chunks), rows)]

    def finish(self) -> list[Raw]:
        """Return the columns; parts that declare other levels declare none."""
        return [_joined(name, chunks) for name, chunks in self._chunks.items()]


def _taken(raw: Raw, rows: Ints) -> Raw:
    if isinstance(raw, Numbers):
        return Numbers(raw.values[rows], raw.integer, raw.date)
    return Codes(raw.codes[rows], raw.levels, raw.declared)


def gather_rows(
    parts: Sequence[Part],
    names: Sequence[str],
    rows: Ints,
    progress: Callable[[int], None] | None = None,
) -> list[Raw]:
    """Return some rows of all parts, by their numbers in ascending order."""
    gathered = RowGatherer(names)
    first = 0
    for part in parts:
        for batch in part.batches(names):
            end = first + len(batch[0])
            begin, stop = np.searchsorted(rows, [first, end])
            gathered.add(batch, rows[begin:stop] - first)
            if progress is not None:
                progress(end - first)
            first = end
    return gathered.finish()


def two_kinds(name: str, where: str) -> DataError:
    """Return the error for a column of names in one part and numbers in another."""
    message = (
        f"Column {name!r} holds {where}. Say `nominal=[{name!r}]`, or convert one of "
        "them."
    )
    return DataError(message)


def _joined(name: str, chunks: list[Raw]) -> Raw:
    """Return one column; chunks without any value fit to names and to numbers."""
    names = [chunk for chunk in chunks if isinstance(chunk, Codes)]
    numbers = [chunk for chunk in chunks if isinstance(chunk, Numbers)]
    if any(not np.isnan(chunk.values).all() for chunk in numbers):
        if any((chunk.codes >= 0).any() for chunk in names):
            raise two_kinds(name, "numbers in some parts and names in others")
        numbers = [
            chunk
            if isinstance(chunk, Numbers)
            else Numbers(np.full(len(chunk.codes), np.nan))
            for chunk in chunks
        ]
        names = []
    if not names:
        return Numbers(
            np.concatenate([chunk.values for chunk in numbers]),
            all(chunk.integer for chunk in numbers),
            numbers[0].date if numbers else "",
        )
    index: dict[Any, int] = {}
    codes = []
    for chunk in chunks:
        if isinstance(chunk, Numbers):  # a part without any value
            codes.append(np.full(len(chunk.values), -1, dtype=np.int32))
            continue
        places = [index.setdefault(v, len(index)) for v in chunk.levels]
        codes.append(np.array([*places, -1], dtype=np.int32)[chunk.codes])
    declared = all(c.declared and c.levels == names[0].levels for c in names)
    return Codes(np.concatenate(codes), list(index), declared)
