"""Whether columns tell anything about a target beside all others that are kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betainc, chndtr, chndtrinc

from featsieve._types import Floats, Ints, Mask, Positions
from featsieve.inference._column_basis import (
    LEAST_LEFT,
    Basis,
    Given,
    Stack,
    TargetBasis,
    curve_basis,
)

#: Bounds of what a column adds hold with this confidence.
CONFIDENCE = 0.95


class Evidence(NamedTuple):
    """Per block: the p-value, Pillai's trace, and how many directions it has left."""

    p_values: Floats
    traces: Floats
    widths: Ints


class Products(NamedTuple):
    """Inner products of blocks of directions and a target, what is given taken out.

    `own` of each block with itself (blocks, b, b), `cross` with the target
    (blocks, b, q), `target` of the target with itself, for every block or for all
    (q, q). `n_free` is the number of dimensions: rows, less one for the mean and one
    for each direction that is given.
    """

    own: Floats
    cross: Floats
    target: Floats
    n_free: float


def pillai_p_values(traces: Floats, n_left: Any, n_right: Any, n_free: float) -> Floats:
    """Return the p-values of Pillai's traces, by the usual F approximation.

    Of `n_left` directions on one side and `n_right` on the other in a space of `n_free`
    dimensions. With one direction on either side it is exact for normal variables.
    Without dimensions to spare nothing can be said: 1.
    """
    least, most = np.minimum(n_left, n_right), np.maximum(n_left, n_right)
    spare = least * (n_free - most)
    rest = 1 - np.clip(traces / np.maximum(least, 1), 0.0, 1.0)
    p_values = betainc(np.maximum(spare, 1) / 2, np.maximum(least * most, 1) / 2, rest)
    return np.where(spare > 0, p_values, 1.0)


def most_told(traces: Floats, n_left: Any, n_right: Any, n_free: float) -> Floats:
    """Return upper bounds of Pillai's traces without what chance adds to them.

    `n_free` times a trace is about a chi-square variable; the bound is the greatest
    noncentrality under which one as small still has a chance of 1 in 20.
    """
    freedom = np.maximum(n_left * n_right, 1).astype(np.float64)
    found = np.maximum(n_free, 1) * traces
    chance = 1 - CONFIDENCE
    possible = chndtr(found, freedom, 0.0) > chance
    bound = chndtrinc(np.where(possible, found, freedom), freedom, chance)
    return np.where(possible, bound, 0.0) / max(n_free, 1)


def harmonic_means(first: Floats, second: Floats) -> Floats:
    """Return the harmonic means of two rows of p-values."""
    tiny = np.finfo(float).tiny
    rates = 1 / np.maximum(first, tiny) + 1 / np.maximum(second, tiny)
    return np.asarray(2 / rates)


def judge_blocks(products: Products, n_straight: int, ordered: Mask) -> Evidence:
    """Test every block of directions against the target.

    Directions that nothing is left of do not count. Of `ordered` blocks the first
    direction is tested by itself, too, against the `n_straight` plain directions of the
    target, and the harmonic mean of both p-values is taken.
    """
    left, n_blocks = products.own.copy(), len(products.own)
    told, alive = _whiten(products)
    traces, straight = np.zeros(n_blocks), np.zeros(n_blocks)
    widths = np.zeros(n_blocks, dtype=np.int64)
    has_line = np.zeros(n_blocks, dtype=bool)
    for k in range(left.shape[1]):
        pivot = left[:, k, k]
        some = pivot > LEAST_LEFT
        scale = np.where(some, 1 / np.sqrt(np.where(some, pivot, 1.0)), 0.0)
        row = left[:, k, :] * scale[:, np.newaxis]
        part = told[:, k, :] * scale[:, np.newaxis]
        if k == 0:
            has_line = some & ordered
            straight = (part[:, :n_straight] ** 2).sum(axis=1)
        traces += (part**2).sum(axis=1)
        widths += some
        left -= row[:, :, np.newaxis] * row[:, np.newaxis, :]
        told -= row[:, :, np.newaxis] * part[:, np.newaxis, :]
    n_target = alive.sum(axis=-1)
    n_plain = alive[..., :n_straight].sum(axis=-1)
    p_values = pillai_p_values(traces, widths, n_target, products.n_free)
    line = pillai_p_values(straight, has_line.astype(int), n_plain, products.n_free)
    both = harmonic_means(p_values, line)
    return Evidence(np.where(has_line, both, p_values), traces, widths)


def _whiten(products: Products) -> tuple[Floats, Mask]:
    """Return cross products with an orthonormal target, and which directions it has."""
    target = np.broadcast_to(
        products.target, (len(products.cross), *products.target.shape[-2:])
    ).copy()
    told = products.cross.copy()
    alive = np.zeros(target.shape[:2], dtype=bool)
    for k in range(target.shape[1]):
        pivot = target[:, k, k]
        alive[:, k] = pivot > LEAST_LEFT
        some = alive[:, k]
        scale = np.where(some, 1 / np.sqrt(np.where(some, pivot, 1.0)), 0.0)
        row = target[:, k, :] * scale[:, np.newaxis]
        own = told[:, :, k] * scale[:, np.newaxis]
        target -= row[:, :, np.newaxis] * row[:, np.newaxis, :]
        told -= own[:, :, np.newaxis] * row[:, np.newaxis, :]
        told[:, :, k] = own
    return told, alive


def judge_beyond(
    products: Floats,
    n_beyond: int,
    target: TargetBasis,
    n_free: float,
    *,
    ordered: bool,
) -> float:
    """Return the p-value of a block of directions when further ones are given.

    `products` are those of the `n_beyond` further directions, the block, and the target
    with each other, what is given anyway taken out; this leaves `n_free` dimensions.
    """
    left, n_taken = products.copy(), 0
    for k in range(n_beyond):
        pivot = left[k, k]
        if pivot <= LEAST_LEFT:
            continue
        n_taken += 1
        row = left[k, k:].copy()
        left[k:, k:] -= np.outer(row, row / pivot)
    own = slice(n_beyond, len(left) - target.directions.shape[1])
    found = judge_blocks(
        Products(
            left[np.newaxis, own, own],
            left[np.newaxis, own, own.stop :],
            left[own.stop :, own.stop :],
            n_free - n_taken,
        ),
        target.n_straight,
        np.array([ordered]),
    )
    return float(found.p_values[0])


class GrowingSet:
    """Tests of columns given a set that grows.

    The products of every column with itself and with the target are kept up to date,
    so that a step costs one product of matrices for what enters.

    Parameters
    ----------
    bases : sequence of Basis
        The columns.
    target : TargetBasis
        The target.
    """

    def __init__(self, bases: Sequence[Basis], target: TargetBasis) -> None:
        self._target = target
        self._n_rows = target.n_rows
        n_rows = len(target.directions)
        self._stack = Stack(n_rows, bases)
        self._given = Given(n_rows)
        self._curve: Floats | None = None
        self._products = target.directions.T @ target.directions
        cross = self._stack.inner(target.directions)
        self._groups: list[_Group] = []
        self._home: dict[int, tuple[_Group, slice]] = {}
        widths, begins = self._stack.widths, self._stack.begins
        for width in np.unique(widths).tolist():
            members = np.flatnonzero(widths == width)
            places = begins[members][:, np.newaxis] + np.arange(width)
            ordered = np.array([bases[k].ordered for k in members.tolist()])
            own = np.broadcast_to(np.eye(width), (len(members), width, width)).copy()
            group = _Group(members, places, ordered, own, cross[places])
            self._groups.append(group)
            for i, k in enumerate(members.tolist()):
                self._home[k] = group, slice(i, i + 1)

    @property
    def rank(self) -> int:
        """The number of directions that are given."""
        return self._given.rank

    @property
    def given(self) -> Given:
        """The directions that are given."""
        return self._given.copy()

    @property
    def target_left(self) -> float:
        """The share of the target that the set leaves unexplained."""
        return float(np.trace(self._products)) / max(len(self._products), 1)

    def give_curve(self) -> None:
        """Add the bends of what the set fits to what is given."""
        self.give(Basis(self._bends(), ordered=False))

    def _bends(self) -> Floats:
        """Return the bends of what the set fits, which are those until it grows."""
        if self._curve is None:
            plain = self._target.directions[:, : self._target.n_straight]
            fit = self._given.projection(plain)
            self._curve = curve_basis(fit, plain, self._target.units)
        return self._curve

    def give(self, basis: Basis) -> None:
        """Add a column to what is given."""
        self._take_out(self._given.add(basis.directions))

    def give_all(self, given: Given) -> None:
        """Give all that another set has to one that has nothing yet."""
        self._given = given.copy()
        for block in given.blocks:
            self._take_out(block)

    def _take_out(self, fresh: Floats) -> None:
        """Take what has been given out of all products."""
        if not fresh.shape[1]:
            return
        self._curve = None
        out = self._stack.inner(fresh)
        of_target = fresh.T @ self._target.directions
        self._products = self._products - of_target.T @ of_target
        for group in self._groups:
            taken = out[group.places]  # blocks, directions, what enters
            group.own -= taken @ taken.transpose(0, 2, 1)
            group.cross -= taken @ of_target

    def test(self) -> Evidence:
        """Test every column given the set; what is in it has p-value 1."""
        n = len(self._home)
        found = Evidence(np.ones(n), np.zeros(n), np.zeros(n, dtype=np.int64))
        for group in self._groups:
            part = self._test(group, slice(None))
            for whole, some in zip(found, part, strict=True):
                whole[group.members] = some
        return found

    def test_one(self, k: int) -> float:
        """Return the p-value of one column given the set."""
        return float(self._test(*self._home[k]).p_values[0])

    def _test(self, group: _Group, some: slice) -> Evidence:
        products = Products(
            group.own[some],
            group.cross[some],
            self._products,
            self._n_rows - 1 - self.rank,
        )
        return judge_blocks(products, self._target.n_straight, group.ordered[some])

    def test_beyond_curve(self, block: Basis, beside: Sequence[Basis] = ()) -> float:
        """Test one column given the set, others, and the bends of what the set fits."""
        bends = Basis(self._bends(), ordered=False)
        beyond = [*beside, bends]
        goal = Basis(self._target.directions, ordered=False)
        everything = Stack(len(goal.directions), [*beyond, block, goal])
        products = everything.gram()
        for given in self._given.blocks:
            taken = everything.inner(given)
            products -= taken @ taken.T
        return judge_beyond(
            products,
            sum(basis.directions.shape[1] for basis in beyond),
            self._target,
            self._n_rows - 1 - self.rank,
            ordered=block.ordered,
        )


@dataclass(slots=True, eq=False)
class _Group:
    """Columns of as many directions, where these are, and their products."""

    members: Positions
    places: Ints
    ordered: Mask
    own: Floats
    cross: Floats


class ShrinkingSet:
    """Tests of each unit of a set given all the rest, while units are dropped.

    The inverse of one matrix of products answers for every unit at once: the part of
    the inverse that belongs to a unit is the inverse of what the others leave of it.

    Parameters
    ----------
    bases : sequence of Basis
        All directions of the set.
    units : sequence of sequence of int
        Which bases each unit has, most telling first; units may share bases (two
        columns share the product of their levels), and a basis without a unit is
        always given.
    target : TargetBasis
        The target.
    """

    def __init__(
        self,
        bases: Sequence[Basis],
        units: Sequence[Sequence[int]],
        target: TargetBasis,
    ) -> None:
        self._units = [tuple(unit) for unit in units]
        self._goal, self._n_rows = target, target.n_rows
        self._stack = stack = Stack(len(target.directions), bases)
        owner = np.repeat(np.arange(len(bases)), stack.widths)
        products = stack.gram()
        self._chosen = chosen = _pivots(products)
        self._owner = owner[chosen]
        lines = set(stack.begins.tolist())
        straight = {int(owner[k]) for k in chosen.tolist() if k in lines}
        self._ordered = np.array(
            [bases[unit[0]].ordered and unit[0] in straight for unit in self._units],
            dtype=bool,
        )
        self._products = products[np.ix_(chosen, chosen)]
        self._cross = stack.inner(target.directions)[chosen]
        self._inverse = np.linalg.inv(self._products)
        self._weights = self._inverse @ self._cross
        self._whole = target.directions.T @ target.directions
        self._target = self._whole - self._cross.T @ self._weights

    def test(self) -> Evidence:
        """Test every unit given the others; one that was dropped has p-value 1."""
        n = len(self._units)
        found = Evidence(np.ones(n), np.zeros(n), np.zeros(n, dtype=np.int64))
        rank = len(self._owner)
        by_width: dict[int, dict[int, Positions]] = {}
        for k, unit in enumerate(self._units):
            own = self._places(unit)
            by_width.setdefault(len(own), {})[k] = own
        by_width.pop(0, None)
        for width, members in by_width.items():
            places = np.stack(list(members.values()))
            across = places[:, :, np.newaxis], places[:, np.newaxis, :]
            left = np.linalg.inv(self._inverse[across])
            weights = self._weights[places]
            cross = left @ weights
            products = Products(
                left,
                cross,
                self._target + weights.transpose(0, 2, 1) @ cross,
                self._n_rows - 1 - (rank - width),
            )
            some = list(members)
            part = judge_blocks(products, self._goal.n_straight, self._ordered[some])
            for whole, tested in zip(found, part, strict=True):
                whole[some] = tested
        return found

    def test_beyond_curve(self, unit: int) -> float:
        """Test a unit given the others and the bends of what the others fit."""
        parts = self._apart(unit)
        left, n_bends = self._beyond(parts, ())
        return self._judge(parts, left, n_bends, self._ordered[unit])

    def test_instead(
        self, unit: int, blocks: Sequence[Basis]
    ) -> list[tuple[float, float]]:
        """Test each block in the place of a unit, and the unit beside that block.

        Both given the others and the bends of what these fit; the unit given the block,
        too.
        """
        parts = self._apart(unit)
        left, n_bends = self._beyond(parts, blocks)
        widths = [block.directions.shape[1] for block in blocks]
        ends = np.cumsum([n_bends, *widths, len(parts.places)])
        bends, *more, own, goal = np.split(np.arange(len(left)), ends)
        found = []
        for block, places in zip(blocks, more, strict=True):
            some = np.concatenate([bends, places, goal])
            both = np.concatenate([bends, places, own, goal])
            instead = left[np.ix_(some, some)], n_bends, block.ordered
            still = left[np.ix_(both, both)], n_bends + len(places), self._ordered[unit]
            found.append((self._judge(parts, *instead), self._judge(parts, *still)))
        return found

    def _beyond(self, parts: _Apart, blocks: Sequence[Basis]) -> tuple[Floats, int]:
        """Return products of directions that the rest of the set leaves, and of bends.

        Those of the bends of what the rest fits come first, so many of them, then those
        of other blocks, of the unit, and of the target.
        """
        places, rest, n_straight = parts.places, parts.rest, self._goal.n_straight
        plain = self._goal.directions[:, :n_straight]
        weights = np.zeros((self._stack.width, n_straight))
        weights[self._chosen[rest]] = parts.weights[:, :n_straight]
        fit = self._stack.times(weights)
        bends = curve_basis(fit, plain, self._goal.units)
        more = np.hstack([bends, *(block.directions for block in blocks)])
        of_more = self._stack.inner(more)[self._chosen]
        of_goal = more.T @ self._goal.directions
        own, cross = self._products[:, places], self._cross
        everything = np.block(
            [
                [more.T @ more, of_more[places].T, of_goal],
                [of_more[places], own[places], cross[places]],
                [of_goal.T, cross[places].T, self._whole],
            ]
        )
        given = np.hstack([of_more[rest], own[rest], cross[rest]])
        left = everything - given.T @ (parts.inverse @ given)
        return np.asarray(left), bends.shape[1]

    def _judge(self, parts: _Apart, left: Floats, n_beyond: int, ordered: Any) -> float:
        n_free = self._n_rows - 1 - len(parts.rest)
        return judge_beyond(left, n_beyond, self._goal, n_free, ordered=bool(ordered))

    def drop(self, unit: int) -> None:
        """Take a unit out of the set, with all bases it shares with others."""
        parts = self._apart(unit)
        weights = self._weights[parts.places]
        self._target = self._target + weights.T @ parts.own @ weights
        self._weights = parts.weights
        self._inverse = parts.inverse
        self._products = self._products[np.ix_(parts.rest, parts.rest)]
        self._cross = self._cross[parts.rest]
        self._owner = self._owner[parts.rest]
        self._chosen = self._chosen[parts.rest]
        self._units[unit] = ()

    def _apart(self, unit: int) -> _Apart:
        places = self._places(self._units[unit])
        rest = np.setdiff1d(np.arange(len(self._owner)), places)
        own = np.linalg.inv(self._inverse[np.ix_(places, places)])
        across = self._inverse[np.ix_(rest, places)]
        inverse = self._inverse[np.ix_(rest, rest)] - across @ own @ across.T
        weights = self._weights[rest] - across @ (own @ self._weights[places])
        return _Apart(places, rest, own, np.asarray(inverse), np.asarray(weights))

    def _places(self, unit: Iterable[int]) -> Positions:
        """Return where the directions of a unit are, in the order of its bases."""
        found = [np.flatnonzero(self._owner == basis) for basis in unit]
        return np.concatenate(found) if found else np.empty(0, dtype=np.intp)


class _Apart(NamedTuple):
    """Where a unit is and where the rest, with what the rest leaves of the unit.

    `own` are the products of what is left, `inverse` and `weights` are those of the
    rest by itself.
    """

    places: Positions
    rest: Positions
    own: Floats
    inverse: Floats
    weights: Floats


def _pivots(products: Floats) -> Positions:
    """Return which directions are not those of the ones before them."""
    left = products.copy()
    chosen = []
    for k in range(len(left)):
        pivot = left[k, k]
        if pivot <= LEAST_LEFT:
            continue
        chosen.append(k)
        row = left[k, k:].copy()
        left[k:, k:] -= np.outer(row, row / pivot)
    return np.array(chosen, dtype=np.intp)
