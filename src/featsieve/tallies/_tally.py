"""One column, or several as one, counted against the target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve._checks import check_choice
from featsieve._kernels import (
    CutPrice,
    ValueCounts,
    apply_cuts,
    class_tables,
    counted_cuts,
    key_ranges,
)
from featsieve._types import Array, Codes, Floats, Mask

#: Distinct numbers told apart in a column of a stream; beyond, their last bits are
#: dropped.
MOST_VALUES = 1 << 16

#: What may become of missing values.
MISSING_TREATMENTS = ("level", "ignore", "spread")


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Rows per level and class: what a column and the target have in common.

    The only thing that count-based measures and tests see. It is made from the rows of
    a table, from parts of a stream or on the workers of a cluster; tallies of parts add
    up to the tally of the whole, in any order. The levels may be those of a nominal
    column, bins of a numeric one, combinations of several columns, or the distinct
    numbers of a column that is still to be cut.

    Parameters
    ----------
    table : array-like of shape (n_levels + 1, n_classes)
        Rows per level and class, or sums of their weights; the last row counts missing
        values.
    levels : sequence, default=()
        What the levels stand for, if they have names; else they are numbered.
    keys : ndarray of uint64 or None, default=None
        Of a numeric column before cutting: its distinct numbers, ascending, as the
        kernels order them.
    dropped_bits : int, default=0
        Last bits of numbers that `keys` do not tell apart.
    range : tuple of float, default=(0.0, 0.0)
        The least and the greatest number of a numeric column before cutting.

    See Also
    --------
    featsieve.selectors.MeasureFilter : Scores columns by any function of a tally.

    Examples
    --------
    Quinlan's weather: outlook against play, in two parts.

    >>> from featsieve.tallies import Tally
    >>> monday = Tally([[2, 0], [0, 3], [1, 3], [0, 0]])
    >>> tuesday = Tally([[1, 2], [0, 1], [1, 0], [0, 0]])
    >>> both = monday + tuesday
    >>> both.counts
    array([[3, 2],
           [0, 4],
           [2, 3]])
    >>> both.level_totals, both.class_totals, both.total
    (array([5, 4, 5]), array([5, 9]), 14)
    """

    table: Array
    levels: tuple[Any, ...] = ()
    keys: NDArray[np.uint64] | None = None
    dropped_bits: int = 0
    range: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        table = _checked(self.table)
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "levels", tuple(self.levels))
        if self.levels and len(self.levels) != len(table) - 1:
            raise ValueError(
                f"A tally of {len(table) - 1} levels needs as many names. Got "
                f"{len(self.levels)}."
            )

    @classmethod
    def from_codes(
        cls, codes: ArrayLike, classes: ArrayLike, weights: ArrayLike | None = None
    ) -> Tally:
        """Count the rows of one column.

        Parameters
        ----------
        codes : array-like of int of shape (n_rows,)
            Levels from 0 up; negative is missing.
        classes : array-like of int of shape (n_rows,)
            Class codes from 0 up.
        weights : array-like of float of shape (n_rows,), default=None
            Weight of each row.

        Returns
        -------
        Tally
            The counts.

        Examples
        --------
        >>> from featsieve.tallies import Tally
        >>> Tally.from_codes([0, 0, 1, -1], [1, 0, 1, 1]).table.tolist()
        [[1, 1], [0, 1], [0, 1]]
        """
        x = np.ascontiguousarray(codes, dtype=np.int32)
        y = np.ascontiguousarray(classes, dtype=np.int32)
        own = None if weights is None else np.ascontiguousarray(weights, np.float64)
        n_levels = np.array([x.max(initial=-1) + 1], dtype=np.int32)
        n_classes = max(1, int(y.max(initial=-1)) + 1)
        return tally_codes(x[:, np.newaxis], y, n_classes, n_levels, own)[0]

    @classmethod
    def of_numbers(cls, numbers: Floats, table: Array) -> Tally:
        """Return the tally of distinct, ascending numbers, to be cut."""
        bounds = (float(numbers[0]), float(numbers[-1])) if len(numbers) else (0.0, 0.0)
        return trusted(table, (), ordered_keys(numbers), bounds)

    @property
    def counts(self) -> Array:
        """Rows per level and class, without missing values."""
        return self.table[:-1]

    @property
    def missing(self) -> Array:
        """Rows without a value, per class."""
        return self.table[-1]

    @property
    def n_levels(self) -> int:
        """How many levels there are."""
        return len(self.table) - 1

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.table.shape[1])

    @property
    def n_missing(self) -> Any:
        """Rows without a value."""
        return self.missing.sum().item()

    @property
    def level_totals(self) -> Array:
        """Rows per level."""
        return self.counts.sum(axis=1)

    @property
    def class_totals(self) -> Array:
        """Rows per class, those without a value among them."""
        return self.table.sum(axis=0)

    @property
    def total(self) -> Any:
        """All rows, or the sum of their weights."""
        return self.table.sum().item()

    def __add__(self, other: Tally) -> Tally:
        """Return the tally of the rows of both."""
        if not isinstance(other, Tally):
            return NotImplemented
        if self.n_classes != other.n_classes or (self.keys is None) != (
            other.keys is None
        ):
            raise ValueError(
                "Tallies add up if they count the same column by the same classes. Got "
                f"{self.n_classes} and {other.n_classes} classes, "
                f"{_kind(self)} and {_kind(other)}."
            )
        if self.keys is not None:
            return _add_numbers(self, other)
        if self.levels or other.levels:
            return _add_named(self, other)
        n_levels = max(self.n_levels, other.n_levels)
        dtype = np.result_type(self.table, other.table)
        table = np.zeros((n_levels + 1, self.n_classes), dtype=dtype)
        for one in (self, other):
            table[: one.n_levels] += one.counts
            table[-1] += one.missing
        return trusted(table)

    def settle(self, missing: str) -> Tally:
        """Return what is to be scored: a tally without missing values.

        Parameters
        ----------
        missing : {"level", "ignore", "spread"}
            Whether missing is one more level (the last; if any value is missing), such
            rows are left out, or shared out over the levels, class by class, in
            proportion to how frequent these are.

        Returns
        -------
        Tally
            Whose `missing` counts are 0.

        Examples
        --------
        >>> from featsieve.tallies import Tally
        >>> Tally([[2, 1], [1, 0]]).settle("level").counts
        array([[2, 1],
               [1, 0]])
        >>> Tally([[2, 1], [1, 0]]).settle("ignore").counts
        array([[2, 1]])
        """
        check_choice("missing", missing, MISSING_TREATMENTS, "Tally.settle")
        table = self.table
        if not self.missing.any():
            return self
        if missing == "level":
            return trusted(np.vstack([table, np.zeros_like(table[:1])]))
        settled = table.copy()
        if missing == "spread":
            settled = table.astype(np.float64)
            totals = settled[:-1].sum(axis=1)
            if (known := totals.sum()) > 0:
                settled[:-1] += np.outer(totals / known, settled[-1])
        settled[-1] = 0
        return trusted(settled, self.levels)

    def bounds(self) -> tuple[Floats, Floats]:
        """Return the least and the greatest number that each level counts."""
        assert self.keys is not None  # of a numeric column before cutting
        return key_ranges(self.keys, self.dropped_bits)

    def mdl_cuts(self, price: CutPrice) -> Floats:
        """Return the cuts of a numeric column that pay for themselves."""
        assert self.keys is not None  # of a numeric column before cutting
        return counted_cuts(self.keys, self.counts, self.dropped_bits, price)

    def even_cuts(self, n_bins: int) -> Floats:
        """Return cuts of a numeric column into bins of about as many rows each."""
        least, greatest = self.bounds()
        mass = self.level_totals.cumsum()
        return frequency_cuts(greatest[:-1], least[1:], mass, n_bins)

    def cut(self, cuts: Floats) -> Tally:
        """Return a numeric column as levels between cuts."""
        if not len(cuts):  # as columns that know nothing mostly are
            return trusted(np.array([self.counts.sum(axis=0), self.missing]))
        least, _ = self.bounds()
        table = np.zeros((len(cuts) + 2, self.n_classes), dtype=self.table.dtype)
        if len(least):  # values of a level follow each other
            levels, begins = np.unique(apply_cuts(least, cuts), return_index=True)
            table[levels] = np.add.reduceat(self.counts, begins, axis=0)
        table[-1] = self.missing
        return trusted(table)

    def lump(self, most: int) -> Tally:
        """Return at most so many levels, the rarest ones being taken as one."""
        if self.n_levels <= most:
            return trusted(self.table)
        order = np.argsort(-self.level_totals, kind="stable")
        kept, rare = order[: most - 1], order[most - 1 :]
        rest = self.counts[rare].sum(axis=0)
        return trusted(np.vstack([self.counts[kept], rest, self.missing]))


def trusted(
    table: Array,
    levels: tuple[Any, ...] = (),
    keys: NDArray[np.uint64] | None = None,
    range: tuple[float, float] = (0.0, 0.0),
) -> Tally:
    """Return a tally of counts that need no check, which takes longer than counting."""
    tally = object.__new__(Tally)
    fields = zip(Tally.__slots__, (table, levels, keys, 0, range), strict=True)
    for name, value in fields:
        object.__setattr__(tally, name, value)
    table.flags.writeable = False
    return tally


def tally_codes(
    codes: Array,
    classes: Codes,
    n_classes: int,
    n_levels: Codes,
    weights: Floats | None = None,
) -> list[Tally]:
    """Count the columns of a matrix of codes by class.

    `codes` are uint8, uint16 or int32 of shape (n_rows, n_features), negative where
    missing; `n_levels` are the levels of each column, `weights` those of the rows.
    """
    sizes = (n_levels.astype(np.int64) + 1) * n_classes
    if weights is None:
        flat = class_tables(codes, classes, n_classes, n_levels)
        tables = np.split(flat, np.cumsum(sizes)[:-1])[: len(sizes)]
    else:
        places = np.where(codes < 0, n_levels, codes.astype(np.int64))
        tables = [
            np.bincount(column * n_classes + classes, weights, minlength=size)
            for column, size in zip(places.T, sizes, strict=True)
        ]
    return [trusted(table.reshape(-1, n_classes)) for table in tables]


def tally_numbers(
    values: NDArray[np.uint8], classes: Codes, n_classes: int
) -> list[Tally]:
    """Count the columns of a matrix of small whole numbers, none missing, by class.

    `values` are column-major; each tally is of distinct numbers, to be cut or taken as
    levels.
    """
    # All of one size: a level more costs less than another size.
    size = int(values.max(initial=0)) + 1
    n_levels = np.full(values.shape[1], size, dtype=np.int32)
    flat = class_tables(values, classes, n_classes, n_levels)
    tables = flat.reshape(values.shape[1], size + 1, n_classes)
    present: Mask = tables.any(axis=2)  # type: ignore[assignment]
    present[:, -1] = True  # the row of missing values
    numbers = np.arange(size, dtype=np.float64)
    keys = ordered_keys(numbers)
    if present.all():
        bounds = (0.0, float(size - 1))
        return [trusted(table, (), keys, bounds) for table in tables]
    tallies = []
    for table, mask in zip(tables, present, strict=True):
        some = mask[:-1]
        own = numbers[some]
        bounds = (float(own[0]), float(own[-1])) if len(own) else (0.0, 0.0)
        tallies.append(trusted(table[mask], (), keys[some], bounds))
    return tallies


def ordered_keys(numbers: Floats) -> NDArray[np.uint64]:
    """Return numbers as whole numbers of the same order, as the kernels do."""
    bits = (numbers + 0.0).view(np.uint64)  # without a negative zero
    negative = bits >> np.uint64(63) != 0
    return np.where(negative, ~bits, bits | np.uint64(1 << 63))


def _checked(given: ArrayLike) -> Array:
    """Return counts as int64, or weights as float64, that nobody changes any more."""
    table = np.ascontiguousarray(given)
    whole = table.dtype.kind in "iub"
    good = table.ndim == 2 and len(table) and table.shape[1]
    if not good or (not whole and table.dtype.kind != "f"):
        raise ValueError(
            "A tally must hold counts, one row per level and one for missing values, "
            f"one column per class. Got {table.dtype} of shape {table.shape}."
        )
    if table.min() < 0 or not np.isfinite(table.sum()):
        message = "A tally must hold counts or weights that are finite and at least 0."
        raise ValueError(message)
    own = table.astype(np.int64 if whole else np.float64)  # nobody else's
    own.flags.writeable = False
    return own


def _kind(tally: Tally) -> str:
    return "levels" if tally.keys is None else "numbers"


def _add_numbers(one: Tally, other: Tally) -> Tally:
    values = ValueCounts(one.n_classes, MOST_VALUES)
    for tally in (one, other):
        values.merge(
            tally.keys,  # type: ignore[arg-type]  # both have keys
            tally.counts,
            tally.missing,
            tally.dropped_bits,
            *tally.range,
        )
    keys, counts, missing, dropped_bits, least, greatest = values.table()
    return Tally(
        np.vstack([counts, missing]), (), keys, dropped_bits, (least, greatest)
    )


def _add_named(one: Tally, other: Tally) -> Tally:
    """Add tallies by the names of levels; those of `one` come first."""
    if (one.n_levels and not one.levels) or (other.n_levels and not other.levels):
        message = "A tally of named levels and one of numbered levels do not add up."
        raise ValueError(message)
    places: dict[Any, int] = {level: k for k, level in enumerate(one.levels)}
    at = [places.setdefault(level, len(places)) for level in other.levels]
    dtype = np.result_type(one.table, other.table)
    table = np.zeros((len(places) + 1, one.n_classes), dtype=dtype)
    table[: one.n_levels] = one.counts
    np.add.at(table, at, other.counts)
    table[-1] = one.missing + other.missing
    return trusted(table, tuple(places))


def equal_frequency_cuts(values: Floats, n_bins: int, weights: Floats | None) -> Floats:
    """Return cuts between distinct values, nearest to the wanted quantiles."""
    known = ~np.isnan(values)
    distinct, inverse = np.unique(values[known], return_inverse=True)
    mass = np.bincount(inverse, None if weights is None else weights[known]).cumsum()
    return frequency_cuts(distinct[:-1], distinct[1:], mass, n_bins)


def frequency_cuts(below: Floats, above: Floats, mass: Array, n_bins: int) -> Floats:
    """Return cuts nearest to the wanted quantiles.

    A cut may lie between the numbers `below` and `above`, one pair per boundary; `mass`
    is the weight up to each distinct value, the last included.
    """
    if len(below) == 0:
        return np.empty(0)
    wanted = mass[-1] * np.arange(1, n_bins) / n_bins
    # The boundary after distinct value i has mass[i] rows on its left.
    after = np.minimum(np.searchsorted(mass[:-1], wanted), len(below) - 1)
    before = np.maximum(after - 1, 0)
    nearer = np.abs(mass[before] - wanted) <= np.abs(mass[after] - wanted)
    chosen = np.unique(np.where(nearer, before, after))
    below, above = below[chosen], above[chosen]
    middle = below / 2 + above / 2
    # Neighbouring doubles have no middle; a cut must stay below the greater one.
    between = (middle >= below) & (middle < above)
    return np.where(between, middle, below)


def equal_width_cuts(values: Floats, n_bins: int) -> Floats:
    """Return cuts that divide the range of the values into equal parts."""
    known = values[~np.isnan(values)]
    if len(known) == 0 or known.min() == known.max():
        return np.empty(0)
    shares = np.arange(1, n_bins) / n_bins
    # Not low + share * (high - low): the difference of huge numbers overflows.
    cuts: Floats = known.min() * (1 - shares) + known.max() * shares
    return np.unique(cuts)
