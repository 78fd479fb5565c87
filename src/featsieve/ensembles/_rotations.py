"""Turn columns of numbers: rotations as a few columns each, and columns as numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from featsieve.trees import TreeFeature

__all__ = ["NumberCoder", "Rotation", "pair_rotation", "principal_rotation"]

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Rotation:
    """New columns as sums of few old ones.

    Parameters
    ----------
    columns : ndarray of intp of shape (n_columns, width)
        The old columns that a new one is made of.
    weights : ndarray of float64 of shape (n_columns, width)
        How much of each.
    """

    columns: NDArray[np.intp]
    weights: Matrix

    def apply(self, matrix: Matrix) -> Matrix:
        """Return the turned rows, X Rᵀ.

        Element by element in a fixed order: equal rows stay equal to the last bit,
        wherever they stand, which a product of matrices does not promise.
        """
        turned = matrix[:, self.columns[:, 0]] * self.weights[:, 0]
        for k in range(1, self.columns.shape[1]):
            turned += matrix[:, self.columns[:, k]] * self.weights[:, k]
        return turned

    def matrix(self) -> Matrix:
        """Return R, with one row per new column."""
        size = len(self.columns)
        dense = np.zeros((size, size))
        rows = np.arange(size)
        for k in range(self.columns.shape[1]):
            np.add.at(dense, (rows, self.columns[:, k]), self.weights[:, k])
        return dense


def pair_rotation(n_columns: int, generator: np.random.Generator) -> Rotation:
    """Return the rotation of random pairs of columns by random angles in [0, π/2).

    New a = cos β · a + sin β · b and new b = cos β · b − sin β · a; a column without a
    partner stays.
    """
    order = generator.permutation(n_columns)
    half = n_columns // 2
    angles = generator.uniform(0, np.pi / 2, half)
    return turned_pairs(n_columns, order[:half], order[half : 2 * half], angles)


def turned_pairs(
    n_columns: int,
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    angles: NDArray[np.float64],
) -> Rotation:
    """Return the rotation of given pairs of columns by given angles."""
    columns = np.tile(np.arange(n_columns)[:, np.newaxis], (1, 2))
    weights = np.tile([1.0, 0.0], (n_columns, 1))
    columns[first, 1], columns[second, 1] = second, first
    weights[first, 0] = weights[second, 0] = np.cos(angles)
    weights[first, 1], weights[second, 1] = np.sin(angles), -np.sin(angles)
    return Rotation(columns, weights)


def principal_rotation(
    matrix: Matrix,
    bag: NDArray[np.int64],
    group_size: int,
    generator: np.random.Generator,
) -> Rotation:
    """Return the principal axes of random groups of columns, over the rows of a bag.

    Every group keeps all of its axes, the longest first; each points where its largest
    part is positive.
    """
    n_columns = matrix.shape[1]
    width = min(group_size, n_columns)
    order = generator.permutation(n_columns)
    shares = bag / bag.sum()
    columns = np.tile(np.arange(n_columns)[:, np.newaxis], (1, width))
    weights = np.zeros((n_columns, width))
    for begin in range(0, n_columns, width):
        group = np.sort(order[begin : begin + width])
        # Halved or doubled until squares neither overflow nor vanish; axes stay.
        values = np.ldexp(matrix[:, group], -_size(matrix[:, group]))
        centred = values - shares @ values
        axes = np.linalg.eigh((centred * shares[:, np.newaxis]).T @ centred)[1][:, ::-1]
        largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=0)[np.newaxis], 0)
        axes = axes * np.sign(largest)
        columns[group, : len(group)] = group
        weights[group, : len(group)] = axes.T
    return Rotation(columns, weights)


def _size(values: Matrix) -> int:
    """Return the power of two above all values; ``ldexp`` brings them near 1 by it."""
    return int(np.frexp(np.abs(values).max(initial=0.0))[1])


class NumberCoder:
    """Turns rows of mixed columns into rows of numbers without gaps.

    A nominal column becomes one column of ones and zeros per level. A missing number
    becomes the mean of its column in training, a missing level zeros.

    Parameters
    ----------
    matrix : ndarray of float64 of shape (n_rows, n_columns)
        Training rows, levels by number, NaN for missing.
    features : tuple of TreeFeature
        The columns.
    scaling : {"standard", None}
        Whether to divide by the standard deviation in training.
    """

    def __init__(
        self, matrix: Matrix, features: tuple[TreeFeature, ...], scaling: str | None
    ) -> None:
        self._n_levels = [len(each.levels or ()) for each in features]
        self._nominal = [each.is_nominal for each in features]
        self._means = np.zeros(len(features))
        for j, nominal in enumerate(self._nominal):
            known = matrix[~np.isnan(matrix[:, j]), j]
            if not nominal and len(known):
                size = _size(known)
                self._means[j] = np.ldexp(np.ldexp(known, -size).mean(), size)
        self._scales: Matrix | float = 1.0
        if scaling == "standard":
            numbers = self.code(matrix)
            sizes = [_size(column) for column in numbers.T]
            deviations = np.ldexp(
                np.ldexp(numbers, np.negative(sizes)).std(axis=0), sizes
            )
            self._scales = np.where(deviations > 0, deviations, 1.0)

    def code(self, matrix: Matrix) -> Matrix:
        """Return rows as numbers."""
        parts = []
        for j, nominal in enumerate(self._nominal):
            values = matrix[:, j]
            if nominal:
                parts += [values == level for level in range(self._n_levels[j])]
            else:
                parts.append(np.where(np.isnan(values), self._means[j], values))
        if not parts:  # nominal columns without levels only
            return np.zeros((len(matrix), 1))
        return np.column_stack(parts).astype(np.float64) / self._scales
