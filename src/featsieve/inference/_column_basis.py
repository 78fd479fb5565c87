"""Columns and targets as a few directions that straight-line tests can work with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from featsieve.data import Column
from featsieve.inference._score_tests import rank_columns

Numbers = NDArray[np.float64]

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

    directions: Numbers
    ordered: bool


class TargetBasis(NamedTuple):
    """Orthonormal directions of a target; the first `n_straight` are the plain ones.

    With `units`, numbers of groups of rows, all directions are about the means of
    these: rows of the same unit are compared, and only they.
    """

    directions: Numbers
    n_straight: int
    units: NDArray[np.intp] | None = None

    @property
    def n_rows(self) -> int:
        """The number of rows, less those that the means of units take."""
        return len(self.directions) - n_taken(self.units)


def n_taken(units: NDArray[np.intp] | None) -> int:
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


def shares_below(values: Numbers) -> Numbers:
    """Return the share of known rows below each, half of its equals among them.

    One half where a value is missing.
    """
    ranked = rank_columns(values[np.newaxis])
    n_known = max(int(ranked.known[0]), 1)
    return np.asarray((ranked.ranks[0] + n_known / 2) / n_known)


def column_basis(
    column: Column, detail: int, units: NDArray[np.intp] | None = None
) -> Basis:
    """Return the directions of a column, about the means of units if there are any.

    A number has the normal scores z of its ranks and whether it is missing; with more
    detail z², then z³ and bins of equal frequency. A nominal column has its levels,
    missing among them, the rarest taken as one.
    """
    if column.is_nominal:
        flags = _level_indicators(column, detail)
        return Basis(orthonormal(flags, units), ordered=False)
    missing = column.missing
    share = shares_below(column.values)
    z = ndtri(share)
    parts = [z, *_bends(z, share, detail)]
    # With the flag, it does not matter where on the curve a missing value is put.
    if missing.any():
        parts.append(missing.astype(np.float64))
    return Basis(orthonormal(_side_by_side(parts), units), ordered=True)


def _bends(
    z: Numbers, share: Numbers, detail: int, n_bins: int = BINS
) -> list[Numbers]:
    """Return what shows that a line bends: z², then z³ and bins of equal frequency."""
    parts: list[Numbers] = []
    if detail >= 1:
        parts.append(z**2)
    if detail >= 2:
        parts.append(z * z * z)
        bins = (share * n_bins).astype(int)
        # The last is what the others, and missing values, leave.
        parts += [(bins == k).astype(np.float64) for k in range(n_bins - 1)]
    return parts


def _level_indicators(column: Column, detail: int) -> Numbers:
    codes = column.values.astype(np.int64)
    codes = np.where(codes < 0, column.n_levels, codes)
    counts = np.bincount(codes)
    most = int(np.clip(len(codes) // ROWS_PER_LEVEL, LEAST_LEVELS, MOST_LEVELS[detail]))
    # The most frequent one is what the others are held against.
    chosen = np.argsort(-counts, kind="stable")[1:most]
    flags: Numbers = np.empty((len(codes), len(chosen)), order="F")
    np.equal(codes[:, np.newaxis], chosen, out=flags)
    return flags


def product_basis(codes: NDArray[Any], units: NDArray[np.intp] | None = None) -> Basis:
    """Return what the joint levels of columns of codes say beside those of each."""
    products = np.ones((len(codes), 1))
    for own in codes.T:
        wider = products[:, :, np.newaxis] * _deviations(own)[:, np.newaxis, :]
        products = wider.reshape(len(codes), -1)
    return Basis(orthonormal(products, units), ordered=False)


def _deviations(codes: NDArray[Any]) -> Numbers:
    """Return indicators of all levels but one, centred."""
    flags = np.eye(int(codes.max(initial=0)) + 1)[codes.astype(np.intp)]
    flags = flags[:, flags.any(axis=0)][:, 1:]
    return np.asarray(flags - flags.mean(axis=0))


def class_basis(
    classes: NDArray[np.int32], units: NDArray[np.intp] | None = None
) -> TargetBasis:
    """Return the directions of classes; all that tells them apart is plain."""
    flags = np.eye(int(classes.max(initial=0)) + 1)[classes]
    directions = orthonormal(flags[:, 1:], units)
    return TargetBasis(directions, directions.shape[1], units)


def quantity_basis(
    values: Numbers, units: NDArray[np.intp] | None = None
) -> TargetBasis:
    """Return the directions of a quantity: normal scores, then its outer thirds."""
    share = shares_below(values)
    outer = [share < 1 / 3, share > 2 / 3]
    directions = orthonormal(_side_by_side([ndtri(share), *outer]), units)
    return TargetBasis(directions, 1, units)


def curve_basis(
    fit: Numbers, target: Numbers, units: NDArray[np.intp] | None = None
) -> Numbers:
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
    parts: list[Numbers] = []
    for own, goal in zip(fit.T, target.T, strict=True):
        share = shares_below(own)
        z = ndtri(share)
        if n_fits > MOST_BINNED:
            parts += [z, *_bends(z, share, 1)][:most_bends]
            continue
        n_low = np.count_nonzero(goal < (goal.min() + goal.max()) / 2)
        step = share * n_rows + 0.25 > n_low  # ranks are whole or halves
        bends = _bends(z, share, 2, n_bins)
        parts += [z, *bends, step.astype(np.float64)]
    if not parts:
        return np.empty((n_rows, 0))
    return orthonormal(_side_by_side(parts), units)


def _side_by_side(parts: Sequence[NDArray[Any]]) -> Numbers:
    """Return columns as a matrix in which each lies in one piece."""
    matrix = np.empty((len(parts[0]), len(parts)), order="F")
    for k, part in enumerate(parts):
        matrix[:, k] = part
    return matrix


def orthonormal(parts: Numbers, units: NDArray[np.intp] | None = None) -> Numbers:
    """Return an orthonormal basis of columns about their means, in their order.

    About the means of units, if there are any. Each column has its projection on the
    earlier ones taken out, twice, as rounding asks for; of one that next to nothing is
    left of, nothing is taken, nor of a constant.
    """
    centred = parts - parts.mean(axis=0)
    lengths = _lengths(centred)
    varies = lengths > ROUNDING * _lengths(parts)
    if not varies.all():
        centred, lengths = np.asfortranarray(centred[:, varies]), lengths[varies]
    if units is not None:
        centred -= unit_means(centred, units)
    return independent(centred, TOLERANCE * lengths)


def _lengths(columns: Numbers) -> Numbers:
    return np.sqrt(np.einsum("ij,ij->j", columns, columns))


def unit_means(values: Numbers, units: NDArray[np.intp]) -> Numbers:
    """Return the mean of each column over the unit of each row."""
    counts = np.maximum(np.bincount(units), 1)
    sums = np.empty((len(counts), values.shape[1]))
    for k, own in enumerate(values.T):
        sums[:, k] = np.bincount(units, own)
    return np.asarray((sums / counts[:, np.newaxis])[units])


def independent(columns: Numbers, least: Any) -> Numbers:
    """Return an orthonormal basis of columns, of those with more length left than that.

    `least` is one length, or one for every column. Where all of them have more, which
    is the rule, they are done at once.
    """
    bounds = np.broadcast_to(least, columns.shape[1])
    if 0 < columns.shape[1] <= len(columns):
        at_once = _orthogonal(columns, bounds)
        if at_once is not None:
            return at_once
    basis = np.empty(columns.shape, order="F")
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


def _orthogonal(columns: Numbers, bounds: Numbers) -> Numbers | None:
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
        basis = ((np.linalg.inv(left) / own) @ basis.T).T
        if part.min() > WELL_APART:
            break
    return basis
