"""What subset searches ask: how features go with the class and with each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve._kernels import Measure, UncertaintyScanner
from featsieve.filters._significance import CodedColumns
from featsieve.measures._codes import MISSING
from featsieve.measures._uncertainty import fill_matrix

__all__ = [
    "Associations",
    "GivenAssociations",
    "UncertaintyAssociations",
    "on_grid",
    "weka_rounding",
]

#: Associations are whole multiples of 2^-40 in our searches: sums of thousands of them
#: are exact, so that the order of columns and ties cannot depend on rounding.
GRID = 2.0**40

#: An uncertainty below this counts as none in Weka.
WEKA_ZERO = 1e-6

#: Rounds an array of associations; the second argument says "with the class".
Rounding = Callable[[NDArray[np.float64], bool], NDArray[np.float64]]


class Associations(Protocol):
    """Associations with the class, and one feature's with all others on demand."""

    with_class: NDArray[np.float64]

    def row(self, feature: int) -> NDArray[np.float64]:
        """Return one feature's association with every feature."""

    def matrix(self) -> NDArray[np.float64]:
        """Return all of them."""


class GivenAssociations:
    """Associations that are known beforehand."""

    def __init__(self, with_class: ArrayLike, between: ArrayLike) -> None:
        self.with_class = np.asarray(with_class, dtype=np.float64)
        self._between = np.asarray(between, dtype=np.float64)

    def row(self, feature: int) -> NDArray[np.float64]:
        """Return one feature's association with every feature."""
        row: NDArray[np.float64] = self._between[feature]
        return row

    def matrix(self) -> NDArray[np.float64]:
        """Return all of them."""
        return self._between


class UncertaintyAssociations:
    """Associations counted from codes, row by row, when they are asked for.

    Parameters
    ----------
    columns : CodedColumns
        Features and class.
    missing : {"level", "ignore", "spread"}
        As for `featsieve.measures.pairwise_uncertainty`.
    measure : Measure
        Symmetrical uncertainty, or information gain for the mutual information.
    rounding : callable or None
        What is done to every association before a search sees it.
    n_jobs : int or None
        Threads for the whole matrix.
    """

    def __init__(
        self,
        columns: CodedColumns,
        missing: str,
        *,
        measure: Measure = Measure.SYMMETRICAL_UNCERTAINTY,
        rounding: Rounding | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self._scanner = UncertaintyScanner(
            columns.codes, columns.classes, MISSING[missing], weights=columns.weights
        )
        self._measure = measure
        self._rounding = rounding
        self._n_jobs = n_jobs
        self._rows: dict[int, NDArray[np.float64]] = {}
        self.raw_with_class = self._scanner.row(self._scanner.n_features, measure)
        self.with_class = self._round(self.raw_with_class, True)

    def _round(self, values: NDArray[np.float64], cls: bool) -> NDArray[np.float64]:
        return values if self._rounding is None else self._rounding(values, cls)

    def row(self, feature: int) -> NDArray[np.float64]:
        """Return one feature's association with every feature."""
        if feature not in self._rows:
            values = self._scanner.row(feature, self._measure)
            self._rows[feature] = self._round(values, False)
        return self._rows[feature]

    def matrix(self) -> NDArray[np.float64]:
        """Return all of them."""
        whole = fill_matrix(self._scanner, self._measure, self._n_jobs)
        return self._round(whole, False)


def on_grid(values: NDArray[np.float64], _with_class: bool) -> NDArray[np.float64]:
    """Round to the grid on which sums are exact."""
    rounded: NDArray[np.float64] = np.rint(values * GRID) / GRID
    return rounded


def weka_rounding(values: NDArray[np.float64], with_class: bool) -> NDArray[np.float64]:
    """Round to 32 bits, and take no association between two features for a full one."""
    nothing = 0.0 if with_class else 1.0
    chosen = np.where(np.abs(values) < WEKA_ZERO, nothing, values)
    rounded: NDArray[np.float64] = chosen.astype(np.float32).astype(np.float64)
    return rounded
