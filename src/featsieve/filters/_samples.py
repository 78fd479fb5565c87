"""Samples without replacement, disjoint while rows last, and means over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse, stats

from featsieve.engine import derive_seed

__all__ = ["Dependence", "SampleMeans", "SamplePlan", "plan_samples", "summarise"]

#: Of the spread of independent samples: less cannot be told from none.
LEAST_SEEN = 1e-3


@dataclass(frozen=True, slots=True)
class Dependence:
    """What shared rows do to means over samples.

    Two samples that share a part of their rows have a correlation of that part. With
    the matrix R of these, k samples and A = I - 1/k, the spread s² seen between samples
    is on average `seen` = tr(AR) / (k - 1) of that of independent ones, the variance of
    the mean is `mean` = ΣR / k² times it, and s² has about tr(AR)² / tr(ARAR) degrees
    of freedom. Ten samples that are five pairs of halves have 5, not 9.
    """

    seen: float
    mean: float
    freedom: float

    @classmethod
    def none(cls, n_samples: int) -> Dependence:
        """Return that of samples without a row in common."""
        return cls(1.0, 1 / max(1, n_samples), max(0, n_samples - 1))

    @classmethod
    def of(cls, shared: NDArray[np.float64]) -> Dependence:
        """Return that of samples, from the parts that every two have in common."""
        k = len(shared)
        centred = shared - shared.mean(axis=0)
        trace, square = float(np.trace(centred)), float(np.sum(centred * centred.T))
        # Samples that are all the same show no spread to judge by.
        freedom = max(1.0, trace**2 / square) if square > 0 else 1.0
        seen = max(trace / (k - 1), LEAST_SEEN)
        return cls(seen, float(shared.mean()), freedom)


@dataclass(frozen=True, slots=True, eq=False)
class SamplePlan:
    """Which rows belong to which sample.

    `order` is a shuffle of the rows; sample k holds the rows at `positions[k]` of it.
    Probes have values by position, so that a row keeps its values in every sample.
    """

    order: NDArray[np.intp]
    positions: list[NDArray[np.intp]]

    @property
    def size(self) -> int:
        """Rows in a sample."""
        return len(self.positions[0])

    def rows(self, sample: int) -> NDArray[np.intp]:
        """Return the rows of one sample, ascending positions of the shuffle."""
        return self.order[self.positions[sample]]

    def dependence(self, n_samples: int) -> Dependence:
        """Return how much the first samples have in common."""
        chosen = self.positions[:n_samples]
        rows = np.concatenate(chosen)
        if n_samples < 2 or len(np.unique(rows)) == len(rows):
            return Dependence.none(n_samples)
        held = sparse.csr_array(
            (np.ones(len(rows)), rows, np.arange(n_samples + 1) * self.size)
        )
        return Dependence.of(np.asarray((held @ held.T).todense()) / self.size)

    def rows_of(self, n_samples: int) -> NDArray[np.intp]:
        """Return the different rows that the first samples hold."""
        return self.order[np.unique(np.concatenate(self.positions[:n_samples]))]


def plan_samples(
    n_rows: int, n_samples: int, sample_size: int, seed: int
) -> SamplePlan:
    """Return samples that share rows only when the table is too small for all.

    A table of fewer than two samples is halved: samples that are all the same would
    show no spread.
    """
    most = n_rows if n_samples == 1 else max(1, n_rows // 2)
    size = min(sample_size, most)
    order = np.random.default_rng(derive_seed(seed, "rows")).permutation(n_rows)
    per_round = max(1, n_rows // size)
    positions: list[NDArray[np.intp]] = []
    while len(positions) < n_samples:
        shuffle = np.arange(n_rows)
        if positions:  # rows are used up: start anew, in another order
            own = derive_seed(seed, "again", len(positions))
            shuffle = np.random.default_rng(own).permutation(n_rows)
        wanted = min(per_round, n_samples - len(positions))
        parts = (shuffle[k * size : (k + 1) * size] for k in range(wanted))
        positions += [np.sort(part) for part in parts]
    return SamplePlan(order, positions)


@dataclass(frozen=True, slots=True, eq=False)
class SampleMeans:
    """Mean over samples, its standard error and degrees of freedom, per column."""

    mean: NDArray[np.float64]
    error: NDArray[np.float64]
    freedom: float | NDArray[np.float64]

    def interval(self, confidence: float) -> NDArray[np.float64]:
        """Return lower and upper bounds, shape (n_columns, 2)."""
        enough = np.asarray(self.freedom) >= 1
        wide = stats.t.ppf((1 + confidence) / 2, np.maximum(self.freedom, 1))
        half = np.where(enough, wide * self.error, np.inf)
        return np.column_stack((self.mean - half, self.mean + half))

    def p_values(self, threshold: ArrayLike) -> NDArray[np.float64]:
        """Return one-sided p-values of "the mean is at most the threshold"."""
        excess = self.mean - np.asarray(threshold)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = excess / self.error
        # No spread at all: the mean is what it is.
        certain = np.where(excess > 0, np.inf, -np.inf)
        ratio = np.where(self.error > 0, ratio, certain)
        p_values = stats.t.sf(ratio, np.maximum(self.freedom, 1))
        return np.where(np.asarray(self.freedom) >= 1, p_values, 1.0)


def summarise(
    values: NDArray[np.float64], dependence: Dependence | None = None
) -> SampleMeans:
    """Return the means over samples (rows of `values`) and how sure they are."""
    n_samples = len(values)
    mean = values.mean(axis=0)
    if n_samples < 2:
        return SampleMeans(mean, np.full(len(mean), np.nan), 0)
    shared = Dependence.none(n_samples) if dependence is None else dependence
    # Of equal numbers np.var may find rounding, and the test would take it for spread.
    same = values.min(axis=0) == values.max(axis=0)
    variance = np.where(same, 0.0, values.var(axis=0, ddof=1))
    error = np.sqrt(variance * shared.mean / shared.seen)
    return SampleMeans(mean, error, shared.freedom)
