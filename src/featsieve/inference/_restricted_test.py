"""Tests of many columns at once where rows may not be exchanged freely.

Laws such as that of chi-square hold for rows that come in any order. Elsewhere a
statistic is held against itself under the orders that the null allows. It is a square
of sums over rows, so that one product of matrices gives it for all columns and many
orders; and since a thousand orders cannot tell how unlikely a far value is, a beta law
with the mean and variance of what was drawn goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, gammaln
from scipy.stats import beta as beta_law

from featsieve._types import Floats, Positions
from featsieve.engine import run_tasks
from featsieve.inference._column_basis import unit_means
from featsieve.inference._exchange import (
    TIE,
    Exchange,
    WholeGroups,
    WithinStrata,
    monte_carlo_p_values,
)
from featsieve.inference._false_discovery import combine_p_values

#: Orders that are drawn: the mean and deviation of a statistic are known to 5 %.
N_ORDERS = 999

#: Draws that must reach a statistic before their share says it all.
ENOUGH_REACHED = 20

#: Draws that reach a statistic more often than a law has it by less than this chance
#: are believed, and the law is not: shares of few different values have lumps.
CONTRADICTED = 0.01

#: Columns that are looked at together; no answer depends on it.
TOGETHER = 32

#: Directions of a column that vary less than this, relative to the first, are none.
FLAT = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What remains of columns in one comparison: within units, or between them.

    `units` are codes of rows: what is constant in them is taken off. With `between`
    only that is left, less what is constant in the wider `strata`.
    """

    units: Positions
    between: bool = False
    strata: Positions | None = None

    def of(self, values: Floats) -> Floats:
        """Return this part of columns, one row per row."""
        if not values.shape[1]:
            return values
        if not self.between:
            return values - unit_means(values, self.units)
        strata = np.zeros_like(self.units) if self.strata is None else self.strata
        level = unit_means(values, self.units)
        return level - unit_means(level, strata)


def parts_of(exchange: Exchange) -> tuple[Part, ...]:
    """Return what a null lets be compared: rows within groups, and whole groups."""
    if isinstance(exchange, WithinStrata):
        return (Part(_numbers(exchange.strata)),)
    if isinstance(exchange, WholeGroups):
        groups = _numbers(exchange.groups)
        strata = None if exchange.strata is None else _numbers(exchange.strata)
        return Part(groups), Part(groups, between=True, strata=strata)
    message = "Rows that may be exchanged freely need no restricted test."
    raise TypeError(message)


def restricted_p_values(
    columns: Sequence[Floats],
    target: Floats,
    exchange: Exchange,
    seed: int,
    *,
    n_jobs: int | None = None,
) -> Floats:
    """Return a p-value per column and part of the null; NaN where a part is empty.

    A column is a matrix of rows by directions (scores, or one per level), `target` of
    rows by outcomes. The statistic is the share of the target's part that the column's
    part explains; with one direction and one outcome, a squared correlation.
    """
    parts = parts_of(exchange)
    n_rows = len(target)
    orders = exchange.orders(n_rows, np.random.default_rng(seed), N_ORDERS)
    wholes = [_part_sizes(part, target, orders) for part in parts]
    least = np.exp(-log_arrangements(exchange, target))

    def test(begin: int) -> list[list[float]]:
        some = columns[begin : begin + TOGETHER]
        return [
            _test_some([part.of(own) for own in some], target, orders, whole, least)
            for part, whole in zip(parts, wholes, strict=True)
        ]

    tasks = [(begin,) for begin in range(0, len(columns), TOGETHER)]
    found = run_tasks(test, tasks, n_jobs=n_jobs, shared_memory=True)
    rows = [[p for block in found for p in block[k]] for k in range(len(parts))]
    return np.array(rows).T.reshape(len(columns), len(parts))


def restricted_given_p_value(
    own: NDArray[np.integer],
    given: NDArray[np.integer],
    target: Floats,
    exchange: Exchange,
    seed: int,
) -> float:
    """Return the p-value of the levels of a column, those of others given.

    `own` and `given` are codes of rows, `target` is a matrix of rows by outcomes. Only
    rows, and parts of groups, of the same given level take each other's place, so that
    whatever the others tell stays where it is; what the column tells may differ from
    given level to given level. The parts of the null are combined. 1 if the column does
    not vary within the given levels.
    """
    cells = np.unique(np.stack([own, given]), axis=1, return_inverse=True)[1].ravel()
    flags: Floats = (cells[:, np.newaxis] == np.unique(cells)).astype(np.float64)
    parts = restricted_p_values([flags], target, exchange.within(given), seed)
    return float(combine_p_values(parts.T, np.ones(parts.shape[1]))[0])


def _numbers(codes: Positions) -> Positions:
    numbers: Positions = np.unique(codes, return_inverse=True)[1]
    return numbers


def _part_sizes(part: Part, target: Floats, orders: Positions) -> Floats:
    """Return the squares of the target's part: as it is, and in every order."""
    sizes = [float((part.of(target) ** 2).sum())]
    for own in _blocks(orders):
        moved = target[own].reshape(len(target), -1)
        squares = (part.of(moved) ** 2).sum(axis=0)
        sizes.extend(squares.reshape(own.shape[1], -1).sum(axis=1).tolist())
    # A part that is nothing but rounding is empty.
    found = np.array(sizes)
    return np.where(found > FLAT**2 * (target**2).sum(), found, 0.0)


def _blocks(orders: Positions, width: int = 100) -> Iterator[Positions]:
    for begin in range(0, orders.shape[1], width):
        yield orders[:, begin : begin + width]


def _test_some(
    columns: list[Floats],
    target: Floats,
    orders: Positions,
    whole: Floats,
    least: float,
) -> list[float]:
    """Return the p-value of one part of some columns."""
    bases = [_orthonormal(own) for own in columns]
    widths = [base.shape[1] for base in bases]
    if not sum(widths) or whole[0] <= 0:
        return [float("nan")] * len(columns)
    stacked = np.concatenate([base for base in bases if base.shape[1]], axis=1)
    owners = np.repeat(np.arange(len(bases)), widths)
    drawn = [_shares(stacked, owners, target[:, np.newaxis, :], len(bases))]
    drawn += [
        _shares(stacked, owners, target[own], len(bases)) for own in _blocks(orders)
    ]
    # Groups of unequal size may get targets that are all alike.
    shares = np.concatenate(drawn, axis=1) / np.where(whole > 0, whole, np.inf)
    return [
        tail_p_value(own[0], own[1:], least) if width else float("nan")
        for own, width in zip(shares, widths, strict=True)
    ]


def _shares(
    stacked: Floats, owners: Positions, moved: Floats, n_columns: int
) -> Floats:
    """Return the square that each column explains, in each order."""
    n_rows, n_orders, n_outcomes = moved.shape
    sums = (stacked.T @ moved.reshape(n_rows, -1)) ** 2
    squares = sums.reshape(-1, n_orders, n_outcomes).sum(axis=2)
    explained = np.zeros((n_columns, n_orders))
    np.add.at(explained, owners, squares)
    return explained


def _orthonormal(values: Floats) -> Floats:
    """Return as many directions of the columns as differ."""
    left, sizes, _ = np.linalg.svd(values, full_matrices=False)
    scale = float(sizes[0]) if len(sizes) else 0.0
    # A part that is nothing but rounding is empty.
    if scale <= FLAT * np.sqrt(len(values)):
        return left[:, :0]
    return left[:, sizes > FLAT * scale]


def tail_p_value(seen: float, drawn: Floats, least: float = 0.0) -> float:
    """Return the p-value of a share from shares under the null, of which few are drawn.

    By their number where enough reach it, else by the beta law of their mean and
    variance unless draws contradict it, but never less than one over the number of
    different orders.
    """
    reached = int(np.count_nonzero(drawn >= seen - TIE))
    counted = float(monte_carlo_p_values(reached, len(drawn)))
    if reached >= ENOUGH_REACHED:
        return counted
    mean, variance = float(drawn.mean()), float(drawn.var())
    if not 0 < mean < 1 or variance <= 0:
        return counted
    scale = mean * (1 - mean) / variance - 1
    if scale <= 0:
        return counted
    fitted = float(beta_law.sf(min(seen, 1.0), mean * scale, (1 - mean) * scale))
    if reached and bdtrc(reached - 1, len(drawn), fitted) < CONTRADICTED:
        return counted
    return min(1.0, max(fitted, least))


def log_arrangements(exchange: Exchange, target: Floats) -> float:
    """Return the logarithm of how many different targets the orders of a null make."""
    kinds = np.unique(target, axis=0, return_inverse=True)[1].ravel()
    if isinstance(exchange, WithinStrata):
        return _log_ways(_numbers(exchange.strata), kinds)
    assert isinstance(exchange, WholeGroups)  # see parts_of
    groups = _numbers(exchange.groups)
    inside = _log_ways(groups, kinds)
    sums = np.zeros((int(groups.max()) + 1, int(kinds.max()) + 1))
    np.add.at(sums, (groups, kinds), 1.0)
    alike = np.unique(sums, axis=0, return_inverse=True)[1].ravel()
    strata = np.zeros(len(sums), dtype=np.intp)
    if exchange.strata is not None:
        strata[groups] = _numbers(exchange.strata)
    return inside + _log_ways(strata, alike)


def _log_ways(units: Positions, kinds: Positions) -> float:
    """Return the log of the ways to put the kinds of each unit in another order."""
    cells = np.unique(np.stack([units, kinds]), axis=1, return_counts=True)[1]
    ways = gammaln(np.bincount(units) + 1.0).sum() - gammaln(cells + 1.0).sum()
    return float(max(ways, 0.0))
