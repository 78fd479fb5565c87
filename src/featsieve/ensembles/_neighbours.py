"""The nearest rows of a typed table, and what they say about a class."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from featsieve.data import Column, Table

__all__ = ["LEAST_DISTANCE", "NearestRows", "neighbour_votes"]

#: Instead of distance zero, so that reciprocal distances stay finite.
LEAST_DISTANCE = 1e-9
ROWS_AT_ONCE = 512


class NearestRows(BaseEstimator):
    """Remember typed rows and find those nearest to others.

    Numeric columns are scaled by their range in training, so that the greatest
    difference there is 1; nominal values differ by 0 or 1; a missing value differs by
    1 from every other, missing ones included. Distances are Euclidean; of rows at the
    same distance the first are nearest.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many rows are found.
    """

    def __init__(self, n_neighbors: int = 5) -> None:
        self.n_neighbors = n_neighbors

    def fit(self, X: Table, y: NDArray[Any]) -> Self:
        """Remember the rows."""
        self.classes_ = np.unique(y)
        self._low, self._scale = {}, {}
        for column in X:
            if column.is_nominal:
                continue
            known = column.values[~column.missing]
            low = float(known.min()) if len(known) else 0.0
            width = float(known.max()) - low if len(known) else 0.0
            self._low[column.name] = low
            self._scale[column.name] = 1 / width if width > 0 else 0.0
        self._points = self._embedded(X)
        self._squares = (self._points**2).sum(axis=1)
        self._gaps = {c.name: c.missing for c in X if c.n_missing}
        self._table = X
        return self

    def kneighbors(self, X: Table) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return distances and training rows of the nearest, nearest first."""
        k = min(self.n_neighbors, len(self._points))
        distances = np.empty((X.n_rows, k))
        nearest = np.empty((X.n_rows, k), dtype=np.int64)
        for start in range(0, X.n_rows, ROWS_AT_ONCE):
            rows = np.arange(start, min(start + ROWS_AT_ONCE, X.n_rows))
            squares = self._squared_distances(X.take(rows))
            found = _smallest(squares, k)
            nearest[rows] = found
            distances[rows] = np.sqrt(np.take_along_axis(squares, found, axis=1))
        return distances, nearest

    def _squared_distances(self, block: Table) -> NDArray[np.float64]:
        points = self._embedded(block)
        squares = points @ self._points.T
        squares *= -2
        squares += self._squares
        squares += (points**2).sum(axis=1)[:, None]
        # Rounding may leave equal rows a little apart, or below zero.
        squares[squares < 1e-12] = 0
        for column in block:
            gaps, ours = column.missing, self._gaps.get(column.name)
            if ours is None and not gaps.any():
                continue
            missing = gaps[:, None] | (False if ours is None else ours[None, :])
            usual = self._difference(column)
            squares += np.where(missing, 1 - usual, 0.0)
        return squares

    def _difference(self, column: Column) -> NDArray[np.float64]:
        """Return what one column adds to the squared distances of embedded points."""
        ours = self._coordinates(self._table[column.name])
        theirs = self._coordinates(column)
        if column.is_nominal:
            same = ours[None, :] == theirs[:, None]
            filled = (ours[None, :] >= 0) * 0.5 + (theirs[:, None] >= 0) * 0.5
            return np.where(same & (ours[None, :] >= 0), 0.0, filled)
        return (ours[None, :] - theirs[:, None]) ** 2

    def _coordinates(self, column: Column) -> NDArray[np.float64]:
        if column.is_nominal:
            return column.values.astype(np.float64)
        values = column.values - self._low[column.name]
        values *= self._scale[column.name]
        return np.where(column.missing, 0.0, values)

    def _embedded(self, table: Table) -> NDArray[np.float64]:
        """Return points whose Euclidean distances are those of the complete rows."""
        parts: list[NDArray[np.float64]] = []
        for column in table:
            values = self._coordinates(column)
            if not column.is_nominal:
                parts.append(values[:, None])
                continue
            # Two levels are 1 apart if each has a coordinate of 1 / √2 of its own.
            levels = np.arange(column.n_levels)
            parts.append((values[:, None] == levels) * np.sqrt(0.5))
        return np.hstack(parts)


def _smallest(squares: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Return the columns of the k least values of each row, the first of equals."""
    n = squares.shape[1]
    if k < n:
        found = np.sort(np.argpartition(squares, k - 1, axis=1)[:, :k], axis=1)
        limits = np.take_along_axis(squares, found, axis=1).max(axis=1)
        # Of several rows as far as the last, the partition takes any.
        for row in np.flatnonzero((squares <= limits[:, None]).sum(axis=1) > k):
            near = np.flatnonzero(squares[row] <= limits[row])
            order = np.argsort(squares[row, near], kind="stable")[:k]
            found[row] = np.sort(near[order])
    else:
        found = np.tile(np.arange(n), (len(squares), 1))
    values = np.take_along_axis(squares, found, axis=1)
    order = np.argsort(values, axis=1, kind="stable")
    return np.take_along_axis(found, order, axis=1)


def neighbour_votes(
    distances: NDArray[np.float64], codes: NDArray[np.int64], n_codes: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the share of neighbours of each class, and their reciprocal distances."""
    shares = np.zeros((len(codes), n_codes))
    nearness = np.zeros((len(codes), n_codes))
    rows = np.arange(len(codes))
    near = 1 / np.maximum(distances, LEAST_DISTANCE)
    for j in range(codes.shape[1]):
        np.add.at(shares, (rows, codes[:, j]), 1 / codes.shape[1])
        np.add.at(nearness, (rows, codes[:, j]), near[:, j])
    return shares.round(12), nearness
