"""Columns drawn anew as others leave them free, and what such draws decide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from featsieve.data import Column
from featsieve.inference._score_tests import normal_scores, rank_columns

Numbers = NDArray[np.float64]

#: Draws that the columns themselves are held against: the least p-value is .05.
DRAWS = 19

#: A number of so many values is drawn as a nominal column is.
MOST_LEVELS = 8

#: Steps of a logistic regression.
STEPS = 100


class ConditionalDraws:
    """Columns like the given ones, that have nothing of the target but what others say.

    A drawn column has the values of the real one. It goes with the directions that are
    given as that does, and with nothing else. A number is what these fit of its normal
    scores and the rest of another row, the same one for all numbers, so that these go
    together as they did; the sum is replaced by the value of its rank. So is whether a
    value is missing. A nominal value is drawn from the shares that a logistic regression
    fits.

    Parameters
    ----------
    columns : sequence of Column
        The columns.
    given : ndarray of shape (n_rows, n_given)
        Orthonormal directions, centred.
    """

    def __init__(self, columns: Sequence[Column], given: Numbers) -> None:
        self._columns, self._given = tuple(columns), given
        self._n_rows = len(given)
        # What is fitted is nearer to the rows than the truth is; the rest makes up.
        n_free = max(self._n_rows - 1 - given.shape[1], 1)
        self._stretch = np.sqrt(max(self._n_rows - 1, 1) / n_free)
        self._parts = [self._prepare(column) for column in columns]

    def draw(self, random: np.random.Generator) -> tuple[Column, ...]:
        """Return the columns, drawn anew."""
        donors = random.permutation(self._n_rows)
        return tuple(
            replace(column, values=self._values(column, parts, donors, random))
            for column, parts in zip(self._columns, self._parts, strict=True)
        )

    def _prepare(self, column: Column) -> _Parts:
        missing = column.missing
        known = np.unique(column.values[~missing])
        if not column.is_nominal and len(known) > MOST_LEVELS:
            scores = normal_scores(rank_columns(column.values[np.newaxis]))[0]
            return _Parts([self._fit(scores), self._fit(missing.astype(np.float64))])
        levels = np.append(known, -1 if column.is_nominal else np.nan)
        codes = np.full(self._n_rows, len(known))
        codes[~missing] = np.searchsorted(known, column.values[~missing])
        flags = np.eye(len(levels))[codes]
        return _Parts([], levels, fitted_shares(flags, self._given).cumsum(axis=1))

    def _fit(self, values: Numbers) -> tuple[Numbers, Numbers]:
        """Return what the directions fit, and the rest."""
        mean = values.mean(axis=0)
        fit = mean + self._given @ (self._given.T @ (values - mean))
        return fit, (values - fit) * self._stretch

    def _values(
        self,
        column: Column,
        parts: _Parts,
        donors: NDArray[np.intp],
        random: np.random.Generator,
    ) -> NDArray[Any]:
        if parts.shares is not None and parts.levels is not None:
            points = random.random(self._n_rows) * parts.shares[:, -1]
            codes = (points[:, np.newaxis] >= parts.shares).sum(axis=1)
            return parts.levels[codes].astype(column.values.dtype)
        scores, flags = (fit + rest[donors] for fit, rest in parts.fits)
        known = np.sort(column.values[~column.missing])
        values = np.full(self._n_rows, np.nan)
        # The rows of the least flags are known.
        rows = np.sort(np.argsort(flags, kind="stable")[: len(known)])
        values[rows[np.argsort(scores[rows], kind="stable")]] = known
        return values


class _Parts(NamedTuple):
    """What a column is drawn from: fits and rests, or cumulated shares of levels."""

    fits: list[tuple[Numbers, Numbers]]
    levels: Numbers | None = None
    shares: Numbers | None = None


def fitted_shares(flags: Numbers, given: Numbers) -> Numbers:
    """Return the shares of levels in every row, by a logistic regression on directions.

    `flags` has a column of zeros and ones per level. Every step uses the bound that
    Böhning has given for the curvature, so the likelihood never falls; it ends early,
    before shares of rows that can be separated are 0 and 1.
    """
    seen = flags.any(axis=0)
    mean = flags.mean(axis=0)
    begin = np.where(seen, np.log(np.where(seen, mean, 1.0)), -np.inf)
    constant = np.full((len(flags), 1), 1 / np.sqrt(len(flags)))
    directions = np.hstack([constant, given])
    weights = np.zeros((directions.shape[1], flags.shape[1]))
    shares = np.broadcast_to(mean, flags.shape)
    for _ in range(STEPS):
        weights += 2 * directions.T @ (flags - shares)
        power = begin + directions @ weights
        shares = np.exp(power - power.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
    return shares


def drawn_p_value(
    loss: Callable[[Sequence[Column]], float],
    columns: Sequence[Column],
    given: Numbers,
    seed: int,
) -> float:
    """Return the p-value of columns beside what is given, by what a learner loses.

    `loss` says how much a learner errs that sees the columns beside the given ones. If
    it errs less than with every draw of them, the p-value is 1 / (`DRAWS` + 1); the
    first draw that does as well ends the test, as Besag and Clifford have it. A column
    that only stands in for the given ones is as good as its draws.
    """
    draws = ConditionalDraws(columns, given)
    random = np.random.default_rng(seed)
    found = loss(columns)
    for drawn in range(1, DRAWS + 1):
        if loss(draws.draw(random)) <= found:
            return 1 / drawn
    return 1 / (DRAWS + 1)
