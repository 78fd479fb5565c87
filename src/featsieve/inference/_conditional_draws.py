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

#: Draws that the columns themselves are held against: the least p-value is .025.
DRAWS = 39

#: A number of so many values is drawn as a nominal column is.
MOST_LEVELS = 8

#: Steps of a logistic regression.
STEPS = 100


class ConditionalDraws:
    """Columns like the given ones, that have nothing of the target but what others say.

    A drawn column has the values of the real one. It goes with the directions that are
    given as that does, and with nothing else. A number is what these fit of its normal
    scores and the rest of another row, the same one for all numbers, so that these go
    together as they did; the sum is replaced by the value of its rank. Whether a value
    is missing, and levels of a nominal column or of a number that has few values, are
    drawn from the shares that a logistic regression fits.

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
        self._all = np.arange(self._n_rows)
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
        """Return what to draw from; the last level is that of missing values."""
        missing = column.missing
        known = np.unique(column.values[~missing])
        if column.is_nominal or len(known) <= MOST_LEVELS:
            levels = np.append(known, -1 if column.is_nominal else np.nan)
            codes = np.full(self._n_rows, len(known))
            codes[~missing] = np.searchsorted(known, column.values[~missing])
            return _Parts(self._fitted(np.eye(len(levels))[codes]), levels)
        scores = normal_scores(rank_columns(column.values[np.newaxis]))[0]
        if missing.any():
            constant = np.ones((self._n_rows, 1))
            lines = np.hstack([constant, self._given])
            fit = lines @ np.linalg.lstsq(lines[~missing], scores[~missing])[0]
        else:
            fit = self._given @ (self._given.T @ scores)
        # The rest of a row without a value is that of any row with one.
        pool = np.flatnonzero(~missing)
        donors = np.where(missing, pool[self._all % len(pool)], self._all)
        rest = ((scores - fit) * self._stretch)[donors]
        shares = self._fitted(np.column_stack([~missing, missing]).astype(np.float64))
        return _Parts(shares, np.sort(column.values[~missing]), fit, rest)

    def _fitted(self, flags: Numbers) -> Numbers:
        """Return the shares of levels in every row; where all have one, just that."""
        one = flags.all(axis=0).any()
        return flags if one else fitted_shares(flags, self._given)

    def _values(
        self,
        column: Column,
        parts: _Parts,
        donors: NDArray[np.intp],
        random: np.random.Generator,
    ) -> NDArray[Any]:
        sums = parts.shares.cumsum(axis=1)
        points = random.random(self._n_rows) * sums[:, -1]
        codes = (points[:, np.newaxis] >= sums).sum(axis=1)
        if parts.fit is None or parts.rest is None:
            return parts.values[codes].astype(column.values.dtype)
        rows = np.flatnonzero(codes == 0)
        scores = (parts.fit + parts.rest[donors])[rows]
        values = np.full(self._n_rows, np.nan)
        # As many known values as rows, spread evenly over those of the column.
        places = (np.arange(len(rows)) + 0.5) * len(parts.values) / max(len(rows), 1)
        chosen = parts.values[places.astype(np.intp)]
        values[rows[np.argsort(scores, kind="stable")]] = chosen
        return values


class _Parts(NamedTuple):
    """What a column is drawn from.

    The shares of its levels in every row, and the values of these; of a number with
    many values the shares of known and missing ones, the known ones sorted, what is
    fitted of its scores, and the rest.
    """

    shares: Numbers
    values: Numbers
    fit: Numbers | None = None
    rest: Numbers | None = None


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
    n_draws: int = DRAWS,
) -> float:
    """Return the p-value of columns beside what is given, by what a learner loses.

    `loss` says how much a learner errs that sees the columns beside the given ones. If
    it errs less than with every draw of them, the p-value is 1 / (`n_draws` + 1); the
    first draw that does as well ends the test, as Besag and Clifford have it. A column
    that only stands in for the given ones is as good as its draws.
    """
    draws = ConditionalDraws(columns, given)
    random = np.random.default_rng(seed)
    found = loss(columns)
    for drawn in range(1, n_draws + 1):
        if loss(draws.draw(random)) <= found:
            return 1 / drawn
    return 1 / (n_draws + 1)
