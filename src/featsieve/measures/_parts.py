"""The entropies that all measures of a column against a class are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve._checks import check_choice
from featsieve._kernels import class_entropies
from featsieve.measures._codes import (
    MISSING,
    as_codes,
    as_column,
    as_target,
    as_weights,
)
from featsieve.measures._contingency import contingency_table

__all__ = ["Parts", "find_parts", "plug_in", "ratio", "shaped"]

#: A gain below this share of the entropies it is the difference of is rounding; the
#: kernels use the same rule.
ROUNDING = 1e-14


@dataclass(frozen=True, slots=True)
class Parts:
    """Entropies of columns against a class, one entry per column."""

    total: NDArray[np.float64]
    known: NDArray[np.float64]
    feature: NDArray[np.float64]
    target: NDArray[np.float64]
    joint: NDArray[np.float64]
    levels: NDArray[np.float64]
    classes: NDArray[np.float64]
    cells: NDArray[np.float64]

    @property
    def gain(self) -> NDArray[np.float64]:
        """The information gain of each column; rounding is not gain."""
        both = self.feature + self.target
        gain = both - self.joint
        gains: NDArray[np.float64] = np.where(gain < ROUNDING * (1 + both), 0.0, gain)
        return gains


def find_parts(
    x: ArrayLike, target: ArrayLike, weights: ArrayLike | None, missing: str
) -> tuple[Parts, bool]:
    """Return the parts of every column of `x`, and whether `x` was a single column."""
    check_choice("missing", missing, tuple(MISSING), "a measure")
    codes = as_codes(x, "x")
    single = codes.ndim == 1
    matrix = codes[:, np.newaxis] if single else codes
    if matrix.ndim != 2:
        message = f"x must be a column or a matrix of codes. Got {codes.ndim} axes."
        raise ValueError(message)
    other = as_column(target, "target")
    if len(other) and other.min() < 0:
        return _of_pair(matrix, other, weights, missing), single
    classes, n_classes = as_target(other, len(matrix))
    rows = class_entropies(
        matrix,
        classes,
        n_classes,
        as_weights(weights, len(matrix)),
        MISSING[missing],
    )
    return Parts(*rows.T), single


def _of_pair(
    matrix: NDArray[Any],
    other: NDArray[np.int32],
    weights: ArrayLike | None,
    missing: str,
) -> Parts:
    """Do the same where the second column has missing values too."""
    fields = []
    for column in matrix.T:
        table = contingency_table(column, other, weights=weights, missing=missing)
        counts = table.astype(np.float64)
        rows, columns = counts.sum(axis=1), counts.sum(axis=0)
        fields.append(
            (
                len(other) if weights is None else np.sum(weights),
                counts.sum(),
                plug_in(rows),
                plug_in(columns),
                plug_in(counts.ravel()),
                np.count_nonzero(rows),
                np.count_nonzero(columns),
                np.count_nonzero(counts),
            )
        )
    return Parts(*np.array(fields, dtype=np.float64).T)


def plug_in(counts: NDArray[Any]) -> float:
    """Return the entropy of relative frequencies, in bits."""
    present = counts[counts > 0].astype(np.float64)
    total = present.sum()
    if total <= 0:
        return 0.0
    bits = np.log2(total) - np.sum(present * np.log2(present)) / total
    return max(0.0, float(bits))


def shaped(values: NDArray[np.float64], single: bool) -> Any:
    """Return a number for a single column, else the array."""
    return float(values[0]) if single else values


def ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> Any:
    """Divide, with 0 where the denominator is 0."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
