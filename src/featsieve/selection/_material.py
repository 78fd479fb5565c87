"""What all stages work on: usable columns, in a form that labels do not touch."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.stats import rankdata

from featsieve._types import Array, Codes, Floats, Positions
from featsieve.data import (
    Column,
    ColumnKind,
    Effect,
    EqualFrequencyDiscretizer,
    Note,
    Table,
)
from featsieve.data.api import (
    ANY_ORDER,
    RowDesign,
    canonical_form,
    copy_fact,
)
from featsieve.engine import derive_seed
from featsieve.inference.api import normal_scores, rank_columns

#: Classes that a numeric target is cut into for gains: few, so that the cells of two
#: or three features stay filled; three still show a rise, a hump and a spread.
TARGET_CLASSES = 3

#: Rows per cell, of levels and classes, that bins are made for.
ROWS_PER_CELL = 5

#: Bins of a numeric column: more show no pattern that a sieve needs.
MOST_BINS = 4

#: Levels of a nominal column in sets of columns; the rarer ones are taken as one.
MOST_LEVELS = 8

#: Columns that are coded at a time; no answer depends on it.
TOGETHER = 16


@dataclass(eq=False)
class Material:
    """The usable columns and the target, ready for every stage.

    `classes` are the classes of the target, or of a numeric one the classes it is cut
    into; `quantity` then holds its mid-ranks and `raw` its values, else both are None.
    Seeds and ties go by position, see `in_own_order`; `design` says how rows may be
    exchanged.
    """

    table: Table
    classes: Codes
    n_classes: int
    quantity: Floats | None
    seed: int
    n_jobs: int | None
    raw: Floats | None = None
    design: RowDesign = ANY_ORDER
    _codes: dict[tuple[int, int | None], Array] = field(default_factory=dict)
    _columns: dict[tuple[int, int, int], Array] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.classes)

    @property
    def n_features(self) -> int:
        """The number of usable columns."""
        return self.table.n_columns

    @property
    def is_numeric_target(self) -> bool:
        """Whether the target is a quantity."""
        return self.quantity is not None

    @property
    def units(self) -> Positions | None:
        """Numbers of the groups, or strata, within which rows are compared, if any."""
        codes = self.design.strata
        if self.design.groups is not None:
            codes = self.design.groups
        return None if codes is None else np.unique(codes, return_inverse=True)[1]

    def tree_target(self) -> dict[str, Any]:
        """Return the target in the words of the growers of trees."""
        if self.quantity is not None:
            return {"numbers": self.quantity}
        return {"classes": self.classes, "n_classes": self.n_classes}

    def outcomes(self) -> Floats:
        """Return the target in columns: one per class, or normal scores."""
        if self.quantity is not None:
            return normal_scores(rank_columns(self.quantity[np.newaxis])).T
        return np.eye(self.n_classes)[self.classes]

    def bins_for(self, order: int) -> int:
        """Return into how many bins columns are cut that are taken `order` at a time.

        As many as leave some rows to every cell of the joint table with the class.
        """
        cells = self.n_rows / (ROWS_PER_CELL * max(self.n_classes, 2))
        return int(np.clip(math.floor(max(cells, 1.0) ** (1 / order)), 2, MOST_BINS))

    def codes(self, n_bins: int, most_levels: int | None = None) -> Array:
        """Return every column as codes, numeric ones in bins of equal frequency.

        Cuts do not look at the class, so tests on the codes need not repeat them.
        Missing is one more level. With `most_levels` rare levels of nominal columns are
        taken as one.
        """
        key = (n_bins, most_levels)
        if key not in self._codes:
            everything = range(self.n_features)
            self._codes[key] = self.codes_of(everything, n_bins, most_levels)
        return self._codes[key]

    def codes_of(
        self, columns: Sequence[int], n_bins: int, most_levels: int | None = None
    ) -> Array:
        """Return some of the columns as codes, a few at a time to spare memory."""
        codes: Array = np.empty((self.n_rows, len(columns)), np.uint8, order="F")
        for begin in range(0, len(columns), TOGETHER):
            some = columns[begin : begin + TOGETHER]
            table = Table(tuple(self.table.columns[j] for j in some))
            bins = EqualFrequencyDiscretizer(n_bins).fit_table(table, None, 0, None)
            block = bins.encode(table)
            if most_levels is not None:
                block = merge_levels(block, most_levels)
            block = compact(block)
            if block.dtype.itemsize > codes.dtype.itemsize:
                codes = codes.astype(block.dtype, order="F")
            codes[:, begin : begin + len(some)] = block
        return codes

    def codes_for(self, order: int) -> Array:
        """Return the codes for sets of `order` columns."""
        return self.codes(*self._bins_and_levels(order))

    def _bins_and_levels(self, order: int) -> tuple[int, int]:
        bins = self.bins_for(order) if order < 4 else 2
        return bins, max(bins, MOST_LEVELS if order == 2 else 4)

    def tuple_codes(self, members: tuple[int, ...]) -> Codes:
        """Return a set of columns as sets of its size are looked at.

        The codes are those of `codes_for`, made for these columns only.
        """
        bins, most_levels = self._bins_and_levels(min(len(members), 4))
        made = self._columns
        for j in members:
            if (j, bins, most_levels) not in made:
                codes = self.codes_of((j,), bins, most_levels)
                made[j, bins, most_levels] = codes[:, 0]
        columns = [made[j, bins, most_levels] for j in members]
        return np.column_stack(columns).astype(np.int32, order="F")

    def forget_codes(self) -> None:
        """Give back the memory of codes of all columns; they are made anew if asked."""
        self._codes.clear()

    def levels_of(self, column: int, n_bins: int) -> Codes:
        """Return one column in bins, missing as a level of its own, from 0 up."""
        one = Table((self.table.columns[column],))
        bins = EqualFrequencyDiscretizer(n_bins).fit_table(one, None, 0, None)
        codes = bins.encode(one)[:, 0].astype(np.int32)
        return from_zero(merge_levels(codes[:, np.newaxis], max(n_bins, 16))[:, 0])

    def stand_in(self, table: Table) -> Table:
        """Return a table with these columns in place of the same ones of `table`.

        For what is asked of single columns, where the order of rows does not matter: so
        that the rows need not be there twice. Levels of the other columns are counted
        but no longer named. A sample cannot stand in for all rows.
        """
        if table.n_rows != self.n_rows:
            return table
        own = {column.name: column for column in self.table}
        columns = tuple(
            own[column.name]
            if column.name in own
            else replace(column, levels=(None,) * column.n_levels)
            for column in table
        )
        return Table(columns, table.target, table.source_notes, table.n_rows)

    def draw(self, n_rows: int) -> Positions:
        """Return the positions of so many rows, drawn by the seed; or of all."""
        return _drawn(self.n_rows, n_rows, self.seed)

    def sample(self, n_rows: int) -> Material:
        """Return the same columns on some of the rows, drawn by the seed."""
        if n_rows >= self.n_rows:
            return self
        rows = self.draw(n_rows)
        quantity = None if self.quantity is None else rankdata(self.quantity[rows])
        classes = self.classes[rows]
        if quantity is not None:
            classes = quantity_classes(quantity)
        return Material(
            self.table.take(rows),
            classes,
            int(classes.max(initial=0)) + 1,
            quantity,
            self.seed,
            self.n_jobs,
            None if self.raw is None else self.raw[rows],
            self.design.take(rows),
        )


def in_own_order(
    table: Table, design: RowDesign, seed: int, most_rows: int
) -> tuple[Table, RowDesign]:
    """Return a table, or a sample of its rows, in an order that labels do not touch.

    Rows, columns, levels and classes are in the order of what they hold, so that seeds
    and ties mean the same whatever order, names and units they came in. Columns keep
    their names; groups and strata are numbered as they come.
    """
    assert table.target is not None  # the caller has checked
    form = canonical_form(table, table.target, _beside(design))
    rows = form.rows[_drawn(table.n_rows, most_rows, seed)]
    columns = tuple(form.column(table, j, rows) for j in form.columns.tolist())
    ordered = Table(columns, form.target(table, rows), (), len(rows))
    return ordered, _renumbered(design.take(rows))


def prepare(
    table: Table, seed: int, n_jobs: int | None, design: RowDesign = ANY_ORDER
) -> Material:
    """Code the target of a table, which is in its own order."""
    target = table.target
    assert target is not None  # the caller has checked
    quantity = raw = None
    if target.is_nominal:
        classes = target.values
    else:
        raw = target.values
        quantity = rankdata(raw)
        classes = quantity_classes(quantity)
    # Declared classes need not occur; what is counted should.
    present, codes = np.unique(classes, return_inverse=True)
    return Material(
        Table(table.columns, None, (), table.n_rows),
        codes.astype(np.int32),
        len(present),
        quantity,
        seed,
        n_jobs,
        raw,
        design,
    )


def _drawn(n_rows: int, n_drawn: int, seed: int) -> Positions:
    if n_drawn >= n_rows:
        return np.arange(n_rows)
    random = np.random.default_rng(derive_seed(seed, "sample", n_drawn))
    return np.sort(random.permutation(n_rows)[:n_drawn])


def _beside(design: RowDesign) -> list[Column]:
    """Return what a design says of rows as columns: time as numbers, else levels."""
    columns = []
    for name in ("groups", "strata", "time"):
        codes = getattr(design, name)
        if codes is None:
            continue
        if name == "time":
            columns.append(Column(name, ColumnKind.NUMERIC, codes.astype(np.float64)))
        else:
            levels = tuple(range(int(codes.max(initial=-1)) + 1))
            own = codes.astype(np.int32)
            columns.append(Column(name, ColumnKind.NOMINAL, own, levels))
    return columns


def _renumbered(design: RowDesign) -> RowDesign:
    """Return a design with groups and strata numbered as they come."""

    def as_they_come(codes: Positions | None) -> Positions | None:
        if codes is None:
            return None
        _, first, own = np.unique(codes, return_index=True, return_inverse=True)
        place = np.empty(len(first), dtype=np.intp)
        place[np.argsort(first)] = np.arange(len(first))
        return place[own]

    strata = as_they_come(design.strata)
    return RowDesign(as_they_come(design.groups), design.time, strata)


def quantity_classes(ranks: Floats) -> Codes:
    """Return classes of about equal size of a quantity, by its ranks."""
    share = (ranks - 0.5) / len(ranks)
    classes = np.minimum((share * TARGET_CLASSES).astype(np.int32), TARGET_CLASSES - 1)
    return np.unique(classes, return_inverse=True)[1].astype(np.int32)


def from_zero(codes: Array) -> Codes:
    """Return codes with missing (-1) as one more level."""
    codes = codes.astype(np.int32)
    missing = codes < 0
    if missing.any():
        codes[missing] = codes.max(initial=-1) + 1
    return codes


def compact(codes: Array) -> Array:
    """Return codes with missing as one more level, in bytes where levels are few."""
    levels = int(codes.max(initial=0)) + 1
    if codes.dtype == np.uint8:
        return codes
    small = np.empty(codes.shape, np.uint8 if levels < 256 else np.int32, order="F")
    for j in range(codes.shape[1]):
        small[:, j] = from_zero(codes[:, j])
    return small


def merge_levels(codes: Array, most: int) -> Array:
    """Return codes of at most `most` levels each, the rarest taken as one."""
    merged = codes
    for j in range(codes.shape[1]):
        column = codes[:, j]
        top = int(column.max(initial=0))
        if top < most:
            continue
        known = column >= 0
        counts = np.bincount(column[known], minlength=top + 1)
        if np.count_nonzero(counts) <= most:
            frequent = np.flatnonzero(counts)
        else:
            frequent = np.argsort(-counts, kind="stable")[: most - 1]
        new = np.full(top + 1, len(frequent), dtype=np.int32)
        new[frequent] = np.arange(len(frequent))
        if merged is codes:
            merged = codes.astype(np.int32, order="F")
        merged[known, j] = new[column[known]]
    return merged


@dataclass(frozen=True, slots=True)
class Screening:
    """What is known of the columns before any test.

    `dropped` maps a column to the fact that rules it out; `notes` are the other facts.
    """

    dropped: dict[str, Note]
    notes: list[Note]

    @property
    def copies(self) -> dict[str, str]:
        """Columns that are copies, with the ones they equal."""
        return {name: note.other for name, note in self.dropped.items() if note.other}

    def usable(self, table: Table) -> list[str]:
        """Return the columns that go on."""
        return [name for name in table.names if name not in self.dropped]


def screen(notes: Iterable[Note], costs: Mapping[str, float]) -> Screening:
    """Set aside the columns that facts rule out; of copies the cheapest stays."""
    dropped: dict[str, Note] = {}
    others = []
    for note in notes:
        if note.effect is not Effect.DROP or note.column is None:
            others.append(note)
        else:
            dropped.setdefault(note.column, note)
    twins: dict[str, list[str]] = {}
    for name, twin in Screening(dropped, others).copies.items():
        twins.setdefault(twin, []).append(name)
    for first, copies in twins.items():
        same = [first, *copies]
        kept = min(same, key=lambda name: costs.get(name, 0.0))
        dropped.update({name: copy_fact(name, kept) for name in same})
        del dropped[kept]
    return Screening(dropped, [n for n in others if n.column not in dropped])


def shown_note(note: Note) -> dict[str, Any]:
    """Return a fact as reports, files and people read it."""
    severity = "warning" if note.effect is Effect.WARN else "note"
    return {
        "feature": note.column,
        "code": note.code,
        "text": note.message,
        "severity": severity,
    }
