"""Directions that are given, and directions side by side that are asked about."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from featsieve.inference._column_basis import Basis, independent

Numbers = NDArray[np.float64]

#: A direction of which others leave less than this part of its square is theirs.
LEAST_LEFT = 1e-7

#: Numbers of directions that are copied to lie in one matrix; of more, so many are
#: copied at a time, row by row.
MOST_STACKED, STACKED_AT_A_TIME = 500_000, 100_000


class Given:
    """An orthonormal set of directions that grows.

    Parameters
    ----------
    n_rows : int
        The number of rows.
    """

    def __init__(self, n_rows: int) -> None:
        self._room = np.empty((n_rows, 0), order="F")
        self.rank = 0

    @property
    def directions(self) -> Numbers:
        """The directions, orthonormal."""
        return self._room[:, : self.rank]

    def copy(self) -> Given:
        """Return the same set; either may grow, and then has memory of its own."""
        other = Given(len(self._room))
        self._room = other._room = self.directions
        other.rank = self.rank
        return other

    def rest_of(self, values: Numbers) -> Numbers:
        """Return what the set leaves of columns."""
        own = self.directions
        return np.asarray(values - ((values.T @ own) @ own.T).T)

    def add(self, directions: Numbers) -> Numbers:
        """Add what the set leaves of directions, and return it, orthonormal.

        Twice, as rounding asks for.
        """
        fresh = self.rest_of(self.rest_of(directions)) if self.rank else directions
        fresh = independent(fresh, math.sqrt(LEAST_LEFT))
        end = self.rank + fresh.shape[1]
        if end > self._room.shape[1]:
            room = np.empty((len(self._room), max(end, 2 * self.rank)), order="F")
            room[:, : self.rank] = self.directions
            self._room = room
        self._room[:, self.rank : end] = fresh
        self.rank = end
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
        self._whole: Numbers | None = None
        if n_rows * self.width <= MOST_STACKED:
            self._whole = self._rows(slice(0, n_rows))
            self._parts = []

    def _rows(self, some: slice) -> Numbers:
        matrix = np.empty((some.stop - some.start, self.width), order="F")
        for begin, part in zip(self.begins.tolist(), self._parts, strict=True):
            matrix[:, begin : begin + part.shape[1]] = part[some]
        return matrix

    def _blocks(self) -> Iterator[tuple[slice, Numbers]]:
        """Yield all directions in some rows at a time."""
        if self._whole is not None:
            yield slice(0, self._n_rows), self._whole
            return
        size = max(STACKED_AT_A_TIME // self.width, 1)
        for begin in range(0, self._n_rows, size):
            some = slice(begin, min(begin + size, self._n_rows))
            yield some, self._rows(some)

    def inner(self, values: Numbers) -> Numbers:
        """Return the products of every direction with columns of values."""
        found = np.zeros((self.width, values.shape[1]))
        for some, block in self._blocks():
            found += block.T @ values[some]
        return found

    def gram(self) -> Numbers:
        """Return the products of every direction with every other."""
        found = np.zeros((self.width, self.width))
        for _, block in self._blocks():
            found += block.T @ block
        return found

    def times(self, weights: Numbers) -> Numbers:
        """Return sums of the directions, one by each column of weights."""
        sums = np.empty((self._n_rows, weights.shape[1]), order="F")
        for some, block in self._blocks():
            sums[some] = block @ weights
        return sums
