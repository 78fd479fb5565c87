"""The rows of a table: how they belong together, and an order of their own.

How they belong together the caller says: by whom, when, and among which. The order is
by what rows, columns and levels hold, not by place or name. Bags, draws and folds go by
position. In this order the same table has the same answer, whatever the order of its
rows and columns, the names of columns, levels and classes, and the units of numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._text import nearest
from featsieve._types import Array, Codes, Floats, Positions
from featsieve.data._table import Column, ColumnKind, Table
from featsieve.data.read._read_table import read_table
from featsieve.exceptions import DataError

#: Any odd numbers with bits all over will do.
MISSING = np.uint64(0x9E3779B97F4A7C15)
SPREAD = np.uint64(0xD1342543DE82EF95)

#: Times that marks are refined, as long as some are shared.
MOST_ROUNDS = 3

Marks = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class CanonicalForm:
    """Old positions of rows, columns, levels of each column and classes, in new order.

    `levels` has one entry per column of the table, in its order; numbers have none.
    """

    rows: Positions
    columns: Positions
    levels: tuple[Positions, ...]
    classes: Positions

    def column(self, table: Table, j: int, rows: Array) -> Column:
        """Return a column at some rows with its levels in their new order."""
        return _renumbered(table.columns[j].take(rows), self.levels[j])

    def target(self, table: Table, rows: Array) -> Column:
        """Return the target at some rows with its classes in their new order."""
        assert table.target is not None  # callers have one
        return _renumbered(table.target.take(rows), self.classes)


def _renumbered(column: Column, levels: Positions) -> Column:
    if not column.is_nominal:
        return column
    place = np.full(len(levels) + 1, -1, dtype=np.int32)  # the last is missing
    place[levels] = np.arange(len(levels), dtype=np.int32)
    named = tuple(column.levels[code] for code in levels.tolist())
    return Column(column.name, column.kind, place[column.values], named)


def canonical_order(
    table: Table, target: Column, weights: Floats | None
) -> tuple[Positions, Positions]:
    """Return positions of rows and of columns in an order of their own."""
    beside = []
    if weights is not None:
        beside.append(Column("weights", ColumnKind.NUMERIC, weights))
    form = canonical_form(table, target, beside)
    return form.rows, form.columns


def canonical_form(
    table: Table, target: Column, beside: Sequence[Column] = ()
) -> CanonicalForm:
    """Return rows, columns, levels and classes in an order of their own.

    Values get marks that do not depend on labels: numbers by their rank, levels by the
    rows that hold them. Columns get marks by how their values go with those of the
    rest, and rows by the values that they hold; levels of equal marks get finer ones
    from their rows, and so on (Weisfeiler and Lehman's refinement). What still has
    equal marks keeps its order: nothing but a label tells it apart. Equal rows, and
    columns that rise and fall alike, do so, too. Columns `beside` the table, such as
    weights or groups, tell rows apart and have a fixed place.
    """
    columns = [_Values(column) for column in table]
    others = [_Values(column) for column in beside]
    outcome = _Values(target)
    outcome.refine(np.zeros(table.n_rows, dtype=np.uint64))
    rows = scattered(outcome.of_rows())
    for values in (*columns, *others):
        values.refine(rows)
    for _ in range(MOST_ROUNDS):
        of_columns = np.array([v.mark_beside(rows) for v in columns], dtype=np.uint64)
        rows = _mark_rows([outcome, *others, *columns], len(others) + 1, of_columns)
        if _all_differ(of_columns) and all(v.are_apart for v in (outcome, *columns)):
            break
        for values in (outcome, *columns, *others):
            values.refine(rows)
    order = np.argsort(of_columns, kind="stable")
    levels = tuple(values.settle() for values in columns)
    classes = outcome.settle()
    for values in others:
        values.settle()
    # Places instead of marks: columns that go with the rest alike have places, too.
    places = np.empty(len(order), dtype=np.uint64)
    places[order] = np.arange(1, len(order) + 1, dtype=np.uint64) * MISSING
    rows = _mark_rows([outcome, *others, *columns], len(others) + 1, places)
    return CanonicalForm(np.argsort(rows, kind="stable"), order, levels, classes)


def _mark_rows(values: Sequence[_Values], n_fixed: int, of_columns: Marks) -> Marks:
    """Return marks of rows; the first columns have a fixed mark, the rest their own."""
    fixed = np.arange(1, n_fixed + 1, dtype=np.uint64) * SPREAD
    rows = np.zeros(len(values[0].places), dtype=np.uint64)
    for own, mark in zip(values, (*fixed, *of_columns), strict=True):
        rows += scattered(own.of_rows() ^ mark)
    return rows


class _Values:
    """The values of a column by number, and a mark for each of the numbers.

    Numbers have the mark of their rank; levels get theirs from the rows that hold them.
    """

    def __init__(self, column: Column) -> None:
        self._is_nominal = column.is_nominal
        self._n = column.n_levels
        self.places = column.values
        if not column.is_nominal:
            self.places = dense_ranks(column.values)
            self._n = int(self.places.max(initial=-1)) + 1
        self._marks = scattered(np.arange(1, self._n + 2, dtype=np.uint64) * SPREAD)
        self._marks[-1] = MISSING

    def of_rows(self) -> Marks:
        """Return the mark of every row's value; missing, -1, is the last."""
        return self._marks.take(self.places)

    def refine(self, rows: Marks) -> None:
        """Give every level the mark of the rows that hold it."""
        if self._is_nominal:
            sums = np.zeros(self._n + 1, dtype=np.uint64)
            np.add.at(sums, self.places, scattered(rows) | np.uint64(1))
            self._marks = scattered(sums)
            self._marks[-1] = MISSING

    def mark_beside(self, rows: Marks) -> np.uint64:
        """Return a mark of the column, by how its values go with marks of rows."""
        kind = MISSING if self._is_nominal else SPREAD
        return np.uint64(scattered(self.of_rows() ^ rows).sum() ^ kind)

    @property
    def are_apart(self) -> bool:
        """Whether no two levels that occur have the same mark."""
        if not self._is_nominal:
            return True
        return _all_differ(
            self._marks[:-1][np.bincount(self._held(), minlength=self._n) > 0]
        )

    def settle(self) -> Positions:
        """Renumber the levels, frequent ones first, and return their old numbers."""
        if not self._is_nominal:
            return np.empty(0, dtype=np.intp)
        counts = np.bincount(self._held(), minlength=self._n)
        order = np.lexsort((np.arange(self._n), self._marks[:-1], -counts))
        self._marks[order] = scattered(
            np.arange(1, self._n + 1, dtype=np.uint64) * SPREAD
        )
        return order

    def _held(self) -> Array:
        return self.places[self.places >= 0]


def dense_ranks(values: Floats) -> Codes:
    """Return ranks from 0 in which equal values count once; missing is -1."""
    ranks = np.unique(values, return_inverse=True)[1].astype(np.int32)
    ranks[np.isnan(values)] = -1
    return ranks


def _all_differ(marks: Marks) -> bool:
    return len(np.unique(marks)) == len(marks)


def scattered(bits: Marks) -> Marks:
    """Return numbers scattered by splitmix64's finaliser; overflow is meant."""
    bits = bits ^ (bits >> np.uint64(30))
    bits *= np.uint64(0xBF58476D1CE4E5B9)
    bits ^= bits >> np.uint64(27)
    bits *= np.uint64(0x94D049BB133111EB)
    bits ^= bits >> np.uint64(31)
    return bits


#: What each option holds, for errors.
MEANS = {
    "groups": "which rows belong together",
    "time": "when each row was seen",
    "strata": "among which rows each may be exchanged",
    "sample_weight": "how much each row counts",
}


@dataclass(frozen=True, slots=True)
class RowOptions:
    """What was said of the rows, as it came: values, or names of columns."""

    groups: Any = "auto"
    time: Any = None
    strata: Any = None
    sample_weight: Any = None

    @property
    def all(self) -> dict[str, Any]:
        """Every option by its name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def is_auto(self) -> bool:
        """Whether the rows themselves are to show how they belong together."""
        alone = self.time is None and self.strata is None
        return alone and isinstance(self.groups, str) and self.groups == "auto"

    @property
    def given(self) -> dict[str, Any]:
        """The options that were given a value, by name."""
        return {
            name: value
            for name, value in self.all.items()
            if value is not None
            and not (name == "groups" and isinstance(value, str) and value == "auto")
        }


@dataclass(frozen=True, slots=True, eq=False)
class RowDesign:
    """Codes of groups and strata, and the place of each row in time; None is unsaid.

    Rows of equal time keep their order.
    """

    groups: Positions | None = None
    time: Positions | None = None
    strata: Positions | None = None

    @property
    def is_free(self) -> bool:
        """Whether any row may take the place of any other."""
        return self.groups is None and self.time is None and self.strata is None

    def take(self, rows: Array) -> RowDesign:
        """Return the design of some rows, or of all in another order."""
        if self.is_free:
            return self
        parts = (self.groups, self.time, self.strata)
        return RowDesign(*(None if part is None else part[rows] for part in parts))


#: Rows that may all be exchanged.
ANY_ORDER = RowDesign()


def read_design(
    owner: str,
    n_rows: int,
    *,
    groups: Any = None,
    time: Any = None,
    strata: Any = None,
) -> RowDesign:
    """Return the design of `n_rows` from arrays, or say what is wrong with one."""
    given = {"groups": groups, "time": time, "strata": strata}
    columns = {
        name: option_column(owner, name, values, n_rows)
        for name, values in given.items()
        if values is not None
    }
    if "groups" in columns and "time" in columns:
        message = (
            f"{owner} takes groups or time, not both. Rows of several series are "
            "strata: say `time=` and `strata=`; if only groups matter, leave out time."
        )
        raise DataError(message)
    design = RowDesign(
        _codes(columns.get("groups")),
        _places(owner, columns.get("time")),
        _codes(columns.get("strata")),
    )
    _check_groups(owner, design)
    if design.strata is not None and np.bincount(design.strata).max(initial=0) < 2:
        message = (
            f"The strata of {owner} have one row each, so that no row can be "
            "exchanged. Give coarser strata, or leave them out."
        )
        raise DataError(message)
    return design


def option_column(owner: str, name: str, values: Any, n_rows: int) -> Column:
    """Return an option that has a value for every row, or say what is wrong with it."""
    if isinstance(values, Column):
        column = values
    elif isinstance(values, (str, int, Mapping)):
        message = (
            f"The '{name}' of {owner} must be one value per row, saying {MEANS[name]}. "
            f"Got {values!r} instead."
        )
        raise DataError(message)
    else:
        column = read_table({name: values}).columns[0]
    if len(column.values) != n_rows:
        message = (
            f"The '{name}' of {owner} must have one value per row: {n_rows}. Got "
            f"{len(column.values)}."
        )
        raise DataError(message)
    if column.n_missing:
        row = int(np.flatnonzero(column.missing)[0])
        message = (
            f"The '{name}' of {owner} must be known in every row. It is missing in "
            f"{column.n_missing} of {n_rows}, first in row {row}; leave such rows out."
        )
        raise DataError(message)
    return column


def _codes(column: Column | None) -> Positions | None:
    if column is None:
        return None
    codes: Positions = np.unique(column.values, return_inverse=True)[1]
    return codes


def _places(owner: str, column: Column | None) -> Positions | None:
    """Return the place of each row in the order of time."""
    if column is None:
        return None
    order = np.argsort(moment_codes(owner, column), kind="stable")
    places = np.empty(len(order), dtype=np.intp)
    places[order] = np.arange(len(order))
    return places


def moment_codes(owner: str, column: Column) -> Positions:
    """Return 0, 1, … for the moments of rows, the same one for rows of equal time."""
    values: Array = column.values
    if column.is_nominal:
        try:
            moments = np.array([str(level) for level in column.levels], "datetime64")
        except ValueError:
            message = (
                f"The 'time' of {owner} must be numbers or dates. Got text such as "
                f"{column.levels[0]!r}."
            )
            raise DataError(message) from None
        values = moments[column.values].astype(np.int64)
    if len(values) > 1 and values.min() == values.max():
        message = (
            f"The 'time' of {owner} is the same in every row, so there is no order. "
            "Leave it out, or give the moment of each row."
        )
        raise DataError(message)
    codes: Positions = np.unique(values, return_inverse=True)[1]
    return codes


def _check_groups(owner: str, design: RowDesign) -> None:
    groups, strata = design.groups, design.strata
    if groups is None:
        return
    if len(groups) and int(groups.max()) == 0:
        message = (
            f"The groups of {owner} are one group only, so that nothing can be "
            "exchanged. Leave them out, or give the group of each row."
        )
        raise DataError(message)
    if strata is None:
        return
    first = np.unique(groups, return_index=True)[1]
    torn = np.flatnonzero(strata[first][groups] != strata)
    if len(torn):
        message = (
            f"A group of {owner} must lie in one stratum. The group of row "
            f"{int(torn[0])} lies in several; give coarser strata."
        )
        raise DataError(message)


def named_column(owner: str, option: str, name: str, table: Table) -> Column:
    """Return the column that an option names, or say which it may mean."""
    if table.target is not None and name == table.target.name:
        message = f"'{option}' of {owner} names {name!r}, which is the target."
        raise DataError(message)
    if name not in table.names:
        near = nearest(name, list(table.names), 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        message = (
            f"'{option}' of {owner} names {name!r}, which is no column of the "
            f"table.{hint}"
        )
        raise DataError(message)
    return table[name]


def weight_column(owner: str, name: str, table: Table) -> Floats:
    """Return the weights that a column holds; whether they are fit is asked later."""
    column = named_column(owner, "sample_weight", name, table)
    if column.is_nominal:
        message = (
            f"'sample_weight' of {owner} names {name!r}, which holds names such as "
            f"{column.levels[0]!r}. Name a column of numbers."
        )
        raise DataError(message)
    return column.values


def take_options(
    owner: str, table: Table, given: Mapping[str, Any]
) -> tuple[Table, dict[str, Column], Any]:
    """Return the table without the columns that options name, the options, weights.

    `given` has values or names of columns by the name of the option. What is returned
    of groups, time and strata are columns, of `sample_weight` numbers or None.
    """
    columns = {}
    weights = given.get("sample_weight")
    for option, value in given.items():
        if isinstance(value, str):
            if option == "sample_weight":
                weights = weight_column(owner, value, table)
            else:
                columns[option] = named_column(owner, option, value, table)
            continue
        _check_no_row_gone(owner, table, option, value)
        if option != "sample_weight":
            columns[option] = option_column(owner, option, value, table.n_rows)
    named = {value for value in given.values() if isinstance(value, str)}
    kept = [name for name in table.names if name not in named]
    return table.select(kept) if named else table, columns, weights


def _check_no_row_gone(owner: str, table: Table, option: str, value: Any) -> None:
    """Raise if values are those of rows some of which were left out in reading."""
    gone = [note for note in table.source_notes if note.code == "missing_target"]
    if gone and hasattr(value, "__len__") and len(value) != table.n_rows:
        message = (
            f"The '{option}' of {owner} must have one value per row with a target: "
            f"{table.n_rows}. Got {len(value)}. {gone[0].message} Leave them out "
            f"before, or name a column: `{option}='...'`."
        )
        raise DataError(message)
