"""Columns and targets as a few directions that straight-line tests can work with."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from featsieve._types import Array, Codes, Floats, Positions
from featsieve.data import Column
from featsieve.inference._score_tests import rank_columns

#: Rows, and rows per class, that a bend of a number needs, and five bins of it.
ROWS_FOR_BEND, ROWS_FOR_BINS = 100, 300
PER_CLASS_FOR_BEND, PER_CLASS_FOR_BINS = 15, 30

#: Bins of equal frequency: five show a hump and a step. Cuts that look at the class
#: would be fitted to it, and the test would see what is not there.
BINS = 5

#: A nominal column has a direction per level of so many rows, within bounds by detail.
ROWS_PER_LEVEL = 20
LEAST_LEVELS = 4
MOST_LEVELS = (4, 16, 60)

#: Rows of directions that are made of others at a time.
ROWS_AT_A_TIME = 1024

#: Numbers that all directions of a table may take, in memory.
MOST_NUMBERS = 20_000_000

#: Fitted values that are cut into bins, too, bins of them, and rows that each has; as
#: many rows, of those that are not cut, each bend has.
MOST_BINNED = 2
MOST_CURVE_BINS = 20
ROWS_PER_CURVE_BIN = 15

#: What is left of a direction beside the earlier ones must be more than this part of
#: its length; less is rounding.
TOLERANCE = 1e-6

#: A column that varies by less, relative to what it is, is constant but for rounding.
ROUNDING = 1e-12

#: A direction with less than this part of its length left is taken by itself; where all
#: have more than the greater one, they are orthonormal at once but for 1e-12 or less.
NEARLY_DEPENDENT, WELL_APART = 1e-3, 0.1


class Basis(NamedTuple):
    """Orthonormal directions of a column, centred.

    Of an `ordered` one the first is its straight line.
    """

    directions: Floats
    ordered: bool


class TargetBasis(NamedTuple):
    """Orthonormal directions of a target; the first `n_straight` are the plain ones.

    With `units`, numbers of groups of rows, all directions are about the means of
    these: rows of the same unit are compared, and only they.
    """

    directions: Floats
    n_straight: int
    units: Positions | None = None

    @property
    def n_rows(self) -> int:
        """The number of rows, less those that the means of units take."""
        return len(self.directions) - n_taken(self.units)


def n_taken(units: Positions | None) -> int:
    """Return how many dimensions the means of units take beside the one of all."""
    return 0 if units is None else int(units.max(initial=0))


def detail_for(n_rows: int, n_classes: int, n_columns: int) -> int:
    """Return how finely columns are described: 2 with bins, 1 with a bend, 0 as lines.

    As finely as rows, rows per class and memory allow; of a quantity there is one
    class.
    """
    per_class = n_rows / max(n_classes, 1)
    room = MOST_NUMBERS / max(n_rows * n_columns, 1)
    if n_rows >= ROWS_FOR_BINS and per_class >= PER_CLASS_FOR_BINS and room >= BINS + 2:
        return 2
    return int(
        n_rows >= ROWS_FOR_BEND and per_class >= PER_CLASS_FOR_BEND and room >= 2
    )


def shares_below(values: Floats) -> Floats:
    """Return the share of known rows below each, half of its equals among them.

    One half where a value is missing.
    """
    ranked = rank_columns(values[np.newaxis])
    n_known = max(int(ranked.known[0]), 1)
    return np.asarray((ranked.ranks[0] + n_known / 2) / n_known)


def column_basis(column: Column, detail: int, units: Positions | None = None) -> Basis:
    """Return the directions of a column, about the means of units if there are any.

    A number has the normal scores z of its ranks and whether it is missing; with more
    detail z², then z³ and bins of equal frequency. A nominal column has its levels,
    missing among them, the rarest taken as one.
    """
    if column.is_nominal:
        flags = _level_indicators(column, detail)
        return Basis(orthonormal_in_place(flags, units), ordered=False)
    missing = column.missing
    share = shares_below(column.values)
    z = ndtri(share)
    parts = [z, *_bends(z, share, detail)]
    # With the flag, it does not matter where on the curve a missing value is put.
    if missing.any():
        parts.append(missing)
    return Basis(orthonormal_in_place(_side_by_side(parts), units), ordered=True)


def _bends(z: Floats, share: Floats, detail: int, n_bins: int = BINS) -> list[Array]:
    """Return what shows that a line bends: z², then z³ and bins of equal frequency."""
    parts: list[Array] = []
    if detail >= 1:
        parts.append(z**2)
    if detail >= 2:
        parts.append(z * z * z)
        bins = (share * n_bins).astype(int)
        # The last is what the others, and missing values, leave.
        parts += [bins == k for k in range(n_bins - 1)]
    return parts


def _level_indicators(column: Column, detail: int) -> Floats:
    codes = column.values.astype(np.int64)
    codes = np.where(codes < 0, column.n_levels, codes)
    counts = np.bincount(codes)
    most = int(np.clip(len(codes) // ROWS_PER_LEVEL, LEAST_LEVELS, MOST_LEVELS[detail]))
    # The most frequent one is what the others are held against.
    chosen = np.argsort(-counts, kind="stable")[1:most]
    flags: Floats = np.empty((len(codes), len(chosen)), order="F")
    np.equal(codes[:, np.newaxis], chosen, out=flags)
    return flags


def product_basis(codes: Array, units: Positions | None = None) -> Basis:
    """Return what the joint levels of columns of codes say beside those of each."""
    products = np.ones((len(codes), 1))
    for own in codes.T:
        wider = products[:, :, np.newaxis] * _deviations(own)[:, np.newaxis, :]
        products = wider.reshape(len(codes), -1)
    return Basis(orthonormal_in_place(products, units), ordered=False)


def _deviations(codes: Array) -> Floats:
    """Return indicators of all levels but one, centred."""
    flags = np.eye(int(codes.max(initial=0)) + 1)[codes.astype(np.intp)]
    flags = flags[:, flags.any(axis=0)][:, 1:]
    return np.asarray(flags - flags.mean(axis=0))


def class_basis(classes: Codes, units: Positions | None = None) -> TargetBasis:
    """Return the directions of classes; all that tells them apart is plain."""
    flags = np.eye(int(classes.max(initial=0)) + 1)[classes]
    directions = orthonormal(flags[:, 1:], units)
    return TargetBasis(directions, directions.shape[1], units)


def quantity_basis(values: Floats, units: Positions | None = None) -> TargetBasis:
    """Return the directions of a quantity: normal scores, then its outer thirds."""
    share = shares_below(values)
    outer = [share < 1 / 3, share > 2 / 3]
    directions = orthonormal_in_place(_side_by_side([ndtri(share), *outer]), units)
    return TargetBasis(directions, 1, units)


def curve_basis(fit: Floats, target: Floats, units: Positions | None = None) -> Floats:
    """Return the bends of fitted values, each of a direction of the target.

    A class has no straight line: what a sum of columns says of it levels off where it
    is nearly certain, and a column that goes with the sum would be taken for news. Of
    one or two fits there are bins, and a cut that leaves as many rows on either side as
    the middle of the target does: where two classes are told by one step, this is it.
    Of more fits there are as many bends as rows allow: those of many classes would fit
    a few rows whatever they are bends of, and leave nothing to be told.
    """
    n_rows, n_fits = fit.shape
    n_bins = int(np.clip(n_rows // ROWS_PER_CURVE_BIN, 2, MOST_CURVE_BINS))
    most_bends = n_rows // (ROWS_PER_CURVE_BIN * n_fits)
    parts: list[Array] = []
    for own, goal in zip(fit.T, target.T, strict=True):
        share = shares_below(own)
        z = ndtri(share)
        if n_fits > MOST_BINNED:
            parts += [z, *_bends(z, share, 1)][:most_bends]
            continue
        n_low = np.count_nonzero(goal < (goal.min() + goal.max()) / 2)
        step = share * n_rows + 0.25 > n_low  # ranks are whole or halves
        bends = _bends(z, share, 2, n_bins)
        parts += [z, *bends, step]
    if not parts:
        return np.empty((n_rows, 0))
    return orthonormal_in_place(_side_by_side(parts), units)


def _side_by_side(parts: Sequence[Array]) -> Floats:
    """Return columns as a matrix in which each lies in one piece."""
    matrix = np.empty((len(parts[0]), len(parts)), order="F")
    for k, part in enumerate(parts):
        matrix[:, k] = part
    return matrix


def orthonormal(parts: Floats, units: Positions | None = None) -> Floats:
    """Return an orthonormal basis of columns about their means, in their order.

    About the means of units, if there are any. Each column has its projection on the
    earlier ones taken out, twice, as rounding asks for; of one that next to nothing is
    left of, nothing is taken, nor of a constant.
    """
    return orthonormal_in_place(np.array(parts, dtype=np.float64, order="F"), units)


def orthonormal_in_place(columns: Floats, units: Positions | None = None) -> Floats:
    """Return the same, in the memory of the columns where all of them have more left.

    Columns are many and wide; every copy counts.
    """
    raw = _lengths(columns)
    columns -= columns.mean(axis=0)
    lengths = _lengths(columns)
    varies = lengths > ROUNDING * raw
    if not varies.all():
        columns, lengths = np.asfortranarray(columns[:, varies]), lengths[varies]
    if units is not None:
        columns -= unit_means(columns, units)
    return independent(columns, TOLERANCE * lengths, out=columns)


def _lengths(columns: Floats) -> Floats:
    return np.sqrt(np.einsum("ij,ij->j", columns, columns))


def unit_means(values: Floats, units: Positions) -> Floats:
    """Return the mean of each column over the unit of each row."""
    counts = np.maximum(np.bincount(units), 1)
    sums = np.empty((len(counts), values.shape[1]))
    for k, own in enumerate(values.T):
        sums[:, k] = np.bincount(units, own)
    return np.asarray((sums / counts[:, np.newaxis])[units])


def independent(columns: Floats, least: Any, out: Floats | None = None) -> Floats:
    """Return an orthonormal basis of columns, of those with more length left than that.

    `least` is one length, or one for every column. Where all of them have more, which
    is the rule, they are done at once. The basis is in `out`, which may be the columns.
    """
    bounds = np.broadcast_to(least, columns.shape[1])
    if 0 < columns.shape[1] <= len(columns):
        at_once = _orthogonal(columns, bounds, out)
        if at_once is not None:
            return at_once
    # Where `out` are the columns, one is read before its place is taken.
    basis = np.empty(columns.shape, order="F") if out is None else out
    rank = 0
    for own, bound in zip(columns.T, bounds, strict=True):
        rest = own
        for _ in range(2):
            earlier = basis[:, :rank]
            rest = rest - earlier @ (earlier.T @ rest)
        length = float(np.linalg.norm(rest))
        if length > bound and rank < len(own):
            basis[:, rank] = rest / length
            rank += 1
    return basis[:, :rank]


def _orthogonal(columns: Floats, bounds: Floats, out: Floats | None) -> Floats | None:
    """Return the same by the products of columns, if none is nearly given by others.

    Once more where some are given for a good part, since rounding in the products is
    squared in what is left. That takes a fraction of the time of reflections where rows
    are many.
    """
    basis, lengths = columns, np.ones(columns.shape[1])
    for _ in range(2):
        products = basis.T @ basis
        own = np.sqrt(np.diagonal(products))
        if not own.all():
            return None
        try:
            left = np.linalg.cholesky(products / np.outer(own, own))
        except np.linalg.LinAlgError:
            return None
        part = np.diagonal(left)
        lengths = lengths * own * part
        if np.any(part < NEARLY_DEPENDENT) or np.any(lengths <= bounds):
            return None
        weights = (np.linalg.inv(left) / own).T
        if out is None:
            out = np.empty(columns.shape, order="F")
        for begin in range(0, len(basis), ROWS_AT_A_TIME):
            some = slice(begin, begin + ROWS_AT_A_TIME)
            out[some] = basis[some] @ weights
        basis = out
        if part.min() > WELL_APART:
            break
    return basis


#: A direction of which others leave less than this part of its square is theirs.
LEAST_LEFT = 1e-7

#: Numbers of directions that are copied to lie in one matrix; of more, so many are
#: copied at a time, row by row.
MOST_STACKED, STACKED_AT_A_TIME = 200_000, 100_000

#: Directions that a set makes room for at a time.
BLOCK = 16


class Given:
    """An orthonormal set of directions that grows.

    Parameters
    ----------
    n_rows : int
        The number of rows.
    """

    def __init__(self, n_rows: int) -> None:
        self._n_rows = n_rows
        self._full: list[Floats] = []
        self._last = np.empty((n_rows, 0), order="F")
        self._used = 0
        self.rank = 0

    @property
    def blocks(self) -> list[Floats]:
        """The directions, orthonormal, some at a time."""
        return [*self._full, self._last[:, : self._used]] if self._used else self._full

    @property
    def directions(self) -> Floats:
        """The directions in one piece."""
        return np.hstack([np.empty((self._n_rows, 0)), *self.blocks])

    def copy(self) -> Given:
        """Return the same set; what either gets from then on, the other has not."""
        self._close()
        other = Given(self._n_rows)
        other._full, other.rank = list(self._full), self.rank
        return other

    def _close(self) -> None:
        self._full = list(self.blocks)
        self._last, self._used = self._last[:, :0], 0

    def inner(self, values: Floats) -> Floats:
        """Return the products of every direction with columns of values."""
        none = np.empty((0, values.shape[1]))
        return np.vstack([none, *(block.T @ values for block in self.blocks)])

    def projection(self, values: Floats) -> Floats:
        """Return what the set fits of columns; like rows are fitted alike."""
        fit = np.zeros(values.shape, order="F")
        for block in self.blocks:
            fit += block @ (block.T @ values)
        return fit

    def rest_of(self, values: Floats, times: int = 1) -> Floats:
        """Return what the set leaves of columns, taken out so many times."""
        rest = np.array(values, order="F")
        for _ in range(times):
            for block in self.blocks:
                weights = block.T @ rest
                for begin in range(0, self._n_rows, ROWS_AT_A_TIME):
                    some = slice(begin, begin + ROWS_AT_A_TIME)
                    rest[some] -= block[some] @ weights
        return rest

    def add(self, directions: Floats) -> Floats:
        """Add what the set leaves of directions, and return it, orthonormal.

        What is there is taken out twice, as rounding asks for.
        """
        fresh = self.rest_of(directions, 2)
        fresh = independent(fresh, math.sqrt(LEAST_LEFT), out=fresh)
        self.rank += fresh.shape[1]
        if fresh.shape[1] >= BLOCK:
            self._close()
            self._full.append(fresh)
            return fresh
        end = self._used + fresh.shape[1]
        if end > self._last.shape[1]:
            self._close()
            end = fresh.shape[1]
            self._last = np.empty((self._n_rows, BLOCK), order="F")
        self._last[:, self._used : end] = fresh
        self._used = end
        return fresh


class Stack:
    """Directions of bases side by side, without a copy of all of them if they are many.

    Parameters
    ----------
    n_rows : int
        The number of rows.
    bases : sequence of Basis
        What has the directions.
    """

    def __init__(self, n_rows: int, bases: Sequence[Basis]) -> None:
        self._n_rows = n_rows
        self._parts = [basis.directions for basis in bases]
        self.widths = np.array([part.shape[1] for part in self._parts], dtype=np.int64)
        self.begins = np.cumsum(self.widths) - self.widths
        self.width = int(self.widths.sum())
        self._whole: Floats | None = None
        if n_rows * self.width <= MOST_STACKED:
            self._whole = self._rows(slice(0, n_rows))
            self._parts = []

    def _rows(self, some: slice) -> Floats:
        matrix = np.empty((some.stop - some.start, self.width), order="F")
        for begin, part in zip(self.begins.tolist(), self._parts, strict=True):
            matrix[:, begin : begin + part.shape[1]] = part[some]
        return matrix

    def _blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Yield all directions in some rows at a time."""
        if self._whole is not None:
            yield slice(0, self._n_rows), self._whole
            return
        size = max(STACKED_AT_A_TIME // self.width, 1)
        for begin in range(0, self._n_rows, size):
            some = slice(begin, min(begin + size, self._n_rows))
            yield some, self._rows(some)

    def inner(self, values: Floats) -> Floats:
        """Return the products of every direction with columns of values."""
        found = np.zeros((self.width, values.shape[1]))
        for some, block in self._blocks():
            found += block.T @ values[some]
        return found

    def gram(self) -> Floats:
        """Return the products of every direction with every other."""
        found = np.zeros((self.width, self.width))
        for _, block in self._blocks():
            found += block.T @ block
        return found

    def times(self, weights: Floats) -> Floats:
        """Return sums of the directions, one by each column of weights."""
        sums = np.empty((self._n_rows, weights.shape[1]), order="F")
        for some, block in self._blocks():
            sums[some] = block @ weights
        return sums
