"""Which orders of rows are as likely as the one that was seen, if nothing is there.

A null says what may be exchanged. Whatever permutes rows (permutation tests, scans,
shuffled copies, conditional tests) takes one and asks it for orders; nothing else in
the library decides how rows move. A further null is one more class in this module.
Where it can be done, tests are spared one: a group whose rows share one target is a
unit, described by the means of its rows; of rows that follow each other what is new is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from featsieve._types import Array, Codes, Floats, Mask, Positions
from featsieve.data import Column, ColumnKind, Table
from featsieve.data.api import ANY_ORDER, RowDesign
from featsieve.inference._innovations import class_innovations, innovations
from featsieve.measures import joint_codes


class Exchange(ABC):
    """How rows may be exchanged under the null hypothesis.

    What a null promises:

    - Exactness. If the targets, in all orders that the null can draw, are equally
      likely given the columns, then (reached + 1) / (drawn + 1) is a p-value: at most
      u with chance at most u, for any statistic, any sample size, ties or not. So the
      orders must be uniform on a group of permutations, the identity among them: of
      rows, or of the units that `WholeGroups` exchanges.
    - Determinism. Orders depend on the generator and on the number of rows only, never
      on how many jobs ask for them: a task is handed a seed of its own.
    - Target and weight of a row move together; columns stay.
    """

    #: Whether all n! orders are equally likely. Only then do counts of a permuted table
    #: follow the hypergeometric law that kernels draw from without any rows.
    is_free: bool = False

    @abstractmethod
    def orders(self, n_rows: int, random: np.random.Generator, count: int) -> Positions:
        """Return `count` orders, shape (n_rows, count).

        In order k the row at place i gets the target of row ``orders[i, k]``.
        """

    @abstractmethod
    def take(self, rows: Positions) -> Exchange:
        """Return the null of some rows, or of all in another order."""

    @abstractmethod
    def within(self, strata: Array) -> Exchange:
        """Return the null that, besides, exchanges only rows of the same stratum.

        It keeps whatever strata tell about the target, and so is the null of a test
        given them.
        """

    def order(self, n_rows: int, random: np.random.Generator) -> Positions:
        """Return one order."""
        return self.orders(n_rows, random, 1)[:, 0]

    def draw(self, n_rows: int, seed: int, number: int) -> Positions:
        """Return the order of draw `number`, whatever was drawn before."""
        return self.order(n_rows, np.random.default_rng([seed, number]))


@dataclass(frozen=True, slots=True)
class Free(Exchange):
    """Any row may take the place of any other: rows are exchangeable."""

    @property
    def is_free(self) -> bool:  # type: ignore[override]
        """Whether all orders are equally likely: they are."""
        return True

    def orders(self, n_rows: int, random: np.random.Generator, count: int) -> Positions:
        """Return orders, all equally likely."""
        drawn = np.empty((n_rows, count), dtype=np.intp)
        for k in range(count):
            drawn[:, k] = random.permutation(n_rows)
        return drawn

    def take(self, rows: Positions) -> Free:  # noqa: ARG002
        """Return the same null: it holds for any rows."""
        return self

    def within(self, strata: Array) -> WithinStrata:
        """Return the null that exchanges only rows of the same stratum."""
        return WithinStrata(strata)


@dataclass(frozen=True, slots=True, eq=False)
class WithinStrata(Exchange):
    """Rows may take each other's place within their stratum only.

    `strata` holds a code for every row; rows of a negative one are a stratum, too.
    """

    strata: Array
    _places: Positions = field(init=False, repr=False)
    _ordered: Positions = field(init=False, repr=False)

    def __post_init__(self) -> None:
        numbers = np.unique(self.strata, return_inverse=True)[1]
        places = np.argsort(numbers, kind="stable")
        object.__setattr__(self, "_places", places)
        object.__setattr__(self, "_ordered", numbers[places])

    def orders(self, n_rows: int, random: np.random.Generator, count: int) -> Positions:
        """Return orders in which every row stays in its stratum, all equally likely."""
        if n_rows != len(self.strata):
            message = f"The null is that of {len(self.strata)} rows, not of {n_rows}."
            raise ValueError(message)
        # Sorted by stratum and, within, by chance: seven times as fast as by two keys,
        # and a key that rounding lifts to the next whole number stays where it is,
        # since the sort is stable.
        keys = random.random((n_rows, count)) + self._ordered[:, np.newaxis]
        drawn = np.empty((n_rows, count), dtype=np.intp)
        drawn[self._places] = self._places[np.argsort(keys, axis=0, kind="stable")]
        return drawn

    def take(self, rows: Positions) -> WithinStrata:
        """Return the null of some rows, or of all in another order."""
        return WithinStrata(self.strata[rows])

    def within(self, strata: Array) -> WithinStrata:
        """Return the null that exchanges only rows of the same stratum of both."""
        return WithinStrata(joint_codes(self.strata, strata))


@dataclass(frozen=True, slots=True, eq=False)
class WholeGroups(Exchange):
    """Groups of rows take each other's place as a whole, and rows within their group.

    For rows of one patient, of one machine, or repeated rows. A group gets the targets
    of another one (of the same stratum), in any order.

    Where groups are of equal size these orders are a group of permutations of rows, and
    tests are exact if groups are exchangeable and so are the rows of a group: a target
    with an effect of every group, say. Where the target is the same in all rows of a
    group, sizes do not matter: what is permuted are the targets of groups, one for
    each, and that is exact for any statistic, since the target of a row is that of its
    group. Only where sizes differ *and* targets vary inside is it an approximation: a
    large group gets the targets of a small one more than once, which makes the targets
    of a group more alike than they are and the test more cautious.

    `groups` and `strata` hold a code for every row; a group lies in one stratum.
    """

    groups: Array
    strata: Array | None = None
    _by_group: Positions = field(init=False, repr=False)
    _numbers: Positions = field(init=False, repr=False)
    _units: WithinStrata | Free = field(init=False, repr=False)

    def __post_init__(self) -> None:
        first, numbers = np.unique(self.groups, return_index=True, return_inverse=True)[
            1:
        ]
        by_group = np.argsort(numbers, kind="stable")
        units: WithinStrata | Free = FREE
        if self.strata is not None:
            units = WithinStrata(self.strata[first])
            if not np.array_equal(self.strata[first][numbers], self.strata):
                message = "A group must lie in one stratum."
                raise ValueError(message)
        object.__setattr__(self, "_by_group", by_group)
        object.__setattr__(self, "_numbers", numbers[by_group])
        object.__setattr__(self, "_units", units)

    def orders(self, n_rows: int, random: np.random.Generator, count: int) -> Positions:
        """Return orders in which every group gets the targets of one group.

        Where sizes differ these are no permutations of rows: the targets of a larger
        group are drawn without, those of a smaller one with repetition, each as often
        as any other as far as possible.
        """
        if n_rows != len(self.groups):
            message = f"The null is that of {len(self.groups)} rows, not of {n_rows}."
            raise ValueError(message)
        numbers = self._numbers[:, np.newaxis]
        sizes = np.bincount(self._numbers)
        begins = np.cumsum(sizes) - sizes
        places = np.arange(n_rows)[:, np.newaxis] - begins[numbers]
        # Whose targets each group gets, and in which order its rows give theirs.
        source = self._units.orders(len(sizes), random, count)[self._numbers]
        keys = random.random((n_rows, count)) + numbers
        inside = self._by_group[np.argsort(keys, axis=0, kind="stable")]
        taken = (begins[source] + places % sizes[source]).astype(np.intp)
        drawn = np.empty((n_rows, count), dtype=np.intp)
        drawn[self._by_group] = np.take_along_axis(inside, taken, axis=0)
        return drawn

    def take(self, rows: Positions) -> WholeGroups:
        """Return the null of some rows, or of all in another order."""
        strata = None if self.strata is None else self.strata[rows]
        return WholeGroups(self.groups[rows], strata)

    def within(self, strata: Array) -> WholeGroups:
        """Return the null that exchanges parts of groups within the same stratum.

        The rows of a group that lie in one stratum are a unit then. What is given may
        vary inside groups, and no two of them agree in all of it.
        """
        inside = strata if self.strata is None else joint_codes(self.strata, strata)
        return WholeGroups(joint_codes(self.groups, strata), inside)


#: The null wherever none is passed.
FREE = Free()


def exchange_of(design: RowDesign) -> Exchange:
    """Return the null that groups and strata make.

    Rows that follow each other in time have none: `to_units` makes them exchangeable.
    """
    if design.groups is not None:
        return WholeGroups(design.groups, design.strata)
    return FREE if design.strata is None else WithinStrata(design.strata)


#: Scores this close are equal; the kernels use the same slack.
TIE = 1e-12


def monte_carlo_p_values(
    reached: Any, drawn: Any, stop_after: int | None = None
) -> Floats:
    """Return p-values of scores that so many of so many draws reached.

    (reached + 1) / (drawn + 1): what was seen is one of the equally likely scores. A
    test that was to end once `stop_after` draws had reached the score, and did, has
    reached / drawn (Besag and Clifford, "Sequential Monte Carlo p-values", Biometrika
    1991). Both are exact: at most u with chance at most u under the null, provided that
    a draw which ties with the score counts as reaching it. No draws: 1.
    """
    at_least, n = np.asarray(reached), np.asarray(drawn)
    p_values: Floats = (at_least + 1) / (n + 1)
    if stop_after is None:
        return p_values
    return np.where(at_least >= stop_after, at_least / np.maximum(n, 1), p_values)


def permutation_p_value(
    score: Callable[[Positions], float],
    n_rows: int,
    exchange: Exchange,
    random: np.random.Generator,
    *,
    most_draws: int,
    stop_after: int,
    tie: float = TIE,
) -> float:
    """Test the score of the rows as they are against that of rows exchanged.

    `score` takes an order of the rows; high scores are evidence, and scores within
    `tie` are equal. Ends once `stop_after` draws have reached it.
    """
    observed = score(np.arange(n_rows)) - tie
    reached = drawn = 0
    while drawn < most_draws and reached < stop_after:
        reached += score(exchange.order(n_rows, random)) >= observed
        drawn += 1
    return float(monte_carlo_p_values(reached, drawn, stop_after))


#: Neighbours of a nominal column that are equal more often than chance makes them, in
#: deviations: then the column has a memory.
LEAST_MEMORY = 4.0

#: Numbers of so few values are levels.
FEW_VALUES = 10

#: What people are told.
NO_MEMORY = "Rows follow each other in time, but the target has no memory of its past."
NEWS_OF_BOTH = (
    "Rows follow each other in time: what is new in the target, beyond what its own "
    "past foretells, is held against what is new in numeric columns. A column that "
    "only repeats the past of the target adds nothing to it."
)
NEWS_OF_COLUMNS = (
    "Rows follow each other in time: the target is held against what is new in each "
    "column, beyond what its own past foretells."
)

#: The level of a row that has the level of the one before.
AS_BEFORE = "(as before)"


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """A table of units, how they may be exchanged, and what was done to get there.

    `weights` are sums of those of the rows of each unit.
    """

    table: Table
    design: RowDesign
    text: str | None = None
    weights: Floats | None = None


def to_units(
    table: Table,
    design: RowDesign,
    weights: Floats | None = None,
    *,
    seed: int = 0,
    classes: bool = False,
) -> Units:
    """Return the units of rows of which the design says how they belong together.

    The table has a target; with `classes`, classes stay what they are. The `seed` parts
    rows that tie.
    """
    if design.time is not None:
        return _news(table, design, weights, seed, classes)
    if design.groups is not None and _is_constant_inside(table.target, design.groups):
        return _one_row_per_group(table, design, weights)
    return Units(table, design, _text_of_null(design), weights)


def _text_of_null(design: RowDesign) -> str | None:
    if design.groups is not None:
        count = int(design.groups.max()) + 1
        return (
            f"The target varies within the {count} groups: what is compared are rows "
            "of one group, and whole groups with each other."
        )
    if design.strata is not None:
        count = int(design.strata.max()) + 1
        return (
            f"Rows are compared within {count} strata only; what strata differ by is "
            "not tested."
        )
    return None


def _is_constant_inside(target: Column | None, groups: Positions) -> bool:
    assert target is not None  # callers have one
    first = np.unique(groups, return_index=True)[1]
    return bool(np.array_equal(target.values[first][groups], target.values))


def _one_row_per_group(
    table: Table, design: RowDesign, weights: Floats | None
) -> Units:
    groups, target = design.groups, table.target
    assert groups is not None  # the caller has seen them
    assert target is not None
    first = np.unique(groups, return_index=True)[1]
    columns = tuple(_of_groups(column, groups, first) for column in table)
    strata = None if design.strata is None else design.strata[first]
    text = (
        f"The target is the same in all rows of a group, so that {len(first)} groups, "
        f"not {table.n_rows} rows, are the evidence; of each group the means of its "
        "numbers and its most frequent levels are looked at."
    )
    units = Table(columns, target.take(first), table.source_notes, len(first))
    if weights is not None:
        weights = np.bincount(groups, weights).astype(np.float64)
    return Units(units, RowDesign(strata=strata), text, weights)


def _of_groups(column: Column, groups: Positions, first: Positions) -> Column:
    """Return one value per group: the mean, or the most frequent level."""
    if column.is_nominal:
        counts = np.zeros((len(first), column.n_levels), dtype=np.int64)
        known = column.values >= 0
        np.add.at(counts, (groups[known], column.values[known]), 1)
        levels = np.where(counts.any(axis=1), counts.argmax(axis=1), -1)
        return replace(column, values=levels.astype(np.int32))
    known = ~np.isnan(column.values)
    start = column.values[first]
    constant = np.array_equal(start[groups], column.values, equal_nan=True)
    if constant:
        return replace(column, values=start)
    counts = np.bincount(groups[known], minlength=len(first))
    sums = np.bincount(groups[known], column.values[known], minlength=len(first))
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return replace(column, values=means)


@dataclass(frozen=True, slots=True)
class _Series:
    """How news are told: of which series, from which seed, as classes if need be."""

    codes: Positions | None
    seed: int
    classes: bool

    def of_target(self, target: Column) -> Column:
        """Return the target without memory; the same if it has none, or must stay."""
        if not target.is_nominal:
            return replace(target, values=innovations(target.values, self.codes))
        present = np.unique(target.values)
        if self.classes or len(present) != 2:
            return target
        flags = (target.values == present[1]).astype(np.float64)
        news = class_innovations(flags, self.seed, self.codes)
        if news is None:
            return target
        return Column(target.name, ColumnKind.NUMERIC, news)

    def of_column(self, column: Column) -> Column:
        """Return a numeric column as news; few values are levels, which stay."""
        if column.is_nominal or len(np.unique(column.values)) <= FEW_VALUES:
            return column
        return replace(column, values=innovations(column.values, self.codes))

    def without_memory(self, column: Column) -> Column:
        """Return a column as news, levels too: those that are as before say so."""
        values = column.values
        if not column.is_nominal and len(np.unique(values)) > FEW_VALUES:
            return self.of_column(column)
        same = _same(values[1:], values[:-1])
        if self.codes is not None:
            same &= self.codes[1:] == self.codes[:-1]
        if not _has_memory(values, same):
            return column
        if not column.is_nominal:
            return replace(column, values=np.diff(values, prepend=values[:1]))
        levels: tuple[Any, ...] = (*column.levels, AS_BEFORE)
        values = values.copy()
        values[1:][same] = len(levels) - 1
        return Column(column.name, ColumnKind.NOMINAL, values, levels)


def _news(
    table: Table, design: RowDesign, weights: Floats | None, seed: int, classes: bool
) -> Units:
    """Return what is new in each row, in the order of time.

    It is enough that the target has no memory: then columns of levels are taken as they
    are. Columns of numbers are looked at for their news, too, which show an effect
    better. A target of classes that keeps its memory asks for columns without any.
    """
    assert design.time is not None  # the caller has seen it
    order = np.argsort(design.time, kind="stable")
    codes = None if design.strata is None else design.strata[order]
    ordered = table.take(order)
    assert ordered.target is not None
    series = _Series(codes, seed, classes)
    target = series.of_target(ordered.target)
    columns, text = ordered.columns, NO_MEMORY
    if target.kind is not ordered.target.kind or not np.array_equal(
        target.values, ordered.target.values
    ):
        columns = tuple(series.of_column(column) for column in ordered)
        text = NEWS_OF_BOTH
    elif target.is_nominal and _remembers(target.values, codes):
        columns = tuple(series.without_memory(column) for column in ordered)
        text = NEWS_OF_COLUMNS
    units = Table(columns, target, table.source_notes)
    own = None if weights is None else weights[order]
    return Units(units, ANY_ORDER, text, own)


def _remembers(codes: Codes, series: Positions | None) -> bool:
    """Whether any of the classes is foretold by the past."""
    present = np.unique(codes)
    flags = ((codes == code).astype(np.float64) for code in present.tolist())
    return any(innovations(own, series) is not own for own in flags)


def _same(a: Array, b: Array) -> Mask:
    same: Mask = a == b
    if a.dtype.kind == "f":
        same |= np.isnan(a) & np.isnan(b)
    return same


def _has_memory(values: Array, same: Mask) -> bool:
    shares = np.unique(values, return_counts=True)[1] / max(len(values), 1)
    expected = float(np.sum(shares**2))
    spread = np.sqrt(max(expected * (1 - expected), 0.0) * max(len(same), 1))
    excess = float(np.count_nonzero(same)) - expected * len(same)
    return spread > 0 and excess / spread > LEAST_MEMORY
