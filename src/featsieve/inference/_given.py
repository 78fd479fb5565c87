"""Directions that are given, and directions side by side that are asked about."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from featsieve.inference._column_basis import ROWS_AT_A_TIME, Basis, independent

Numbers = NDArray[np.float64]

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
        self._full: list[Numbers] = []
        self._last = np.empty((n_rows, 0), order="F")
        self._used = 0
        self.rank = 0

    @property
    def blocks(self) -> list[Numbers]:
        """The directions, orthonormal, some at a time."""
        return [*self._full, self._last[:, : self._used]] if self._used else self._full

    @property
    def directions(self) -> Numbers:
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

    def inner(self, values: Numbers) -> Numbers:
        """Return the products of every direction with columns of values."""
        none = np.empty((0, values.shape[1]))
        return np.vstack([none, *(block.T @ values for block in self.blocks)])

    def projection(self, values: Numbers) -> Numbers:
        """Return what the set fits of columns; like rows are fitted alike."""
        fit = np.zeros(values.shape, order="F")
        for block in self.blocks:
            fit += block @ (block.T @ values)
        return fit

    def rest_of(self, values: Numbers, times: int = 1) -> Numbers:
        """Return what the set leaves of columns, taken out so many times."""
        rest = np.array(values, order="F")
        for _ in range(times):
            for block in self.blocks:
                weights = block.T @ rest
                for begin in range(0, self._n_rows, ROWS_AT_A_TIME):
                    some = slice(begin, begin + ROWS_AT_A_TIME)
                    rest[some] -= block[some] @ weights
        return rest

    def add(self, directions: Numbers) -> Numbers:
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
