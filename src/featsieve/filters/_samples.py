"""Samples without replacement, disjoint while rows last, and means over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from featsieve.engine import derive_seed

__all__ = ["SampleMeans", "SamplePlan", "plan_samples", "summarise"]


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

    def overlap(self, n_samples: int) -> float:
        """Return the share of rows that two of the first samples have in common."""
        if n_samples < 2:
            return 0.0
        times = np.bincount(np.concatenate(self.positions[:n_samples]))
        common = float(np.sum(times * (times - 1.0)))
        return common / (n_samples * (n_samples - 1) * self.size)

    def n_rows(self, n_samples: int) -> int:
        """Return how many different rows the first samples hold."""
        return len(np.unique(np.concatenate(self.positions[:n_samples])))


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
    freedom: int

    def interval(self, confidence: float) -> NDArray[np.float64]:
        """Return lower and upper bounds, shape (n_columns, 2)."""
        if self.freedom < 1:
            half = np.where(np.isnan(self.error), np.inf, 0.0)
        else:
            half = stats.t.ppf((1 + confidence) / 2, self.freedom) * self.error
        return np.column_stack((self.mean - half, self.mean + half))

    def p_values(self, threshold: float) -> NDArray[np.float64]:
        """Return one-sided p-values of "the mean is at most the threshold"."""
        excess = self.mean - threshold
        if self.freedom < 1:
            return np.ones(len(self.mean))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = excess / self.error
        # No spread at all: the mean is what it is.
        certain = np.where(excess > 0, np.inf, -np.inf)
        ratio = np.where(self.error > 0, ratio, certain)
        p_values: NDArray[np.float64] = stats.t.sf(ratio, self.freedom)
        return p_values


def summarise(values: NDArray[np.float64], overlap: float = 0.0) -> SampleMeans:
    """Return the means over samples (rows of `values`) and how sure they are.

    Two samples that share a part ρ of their rows have a correlation of about ρ. Then
    the spread s² seen between samples is (1 - ρ) of that of independent ones, and the
    variance of the mean of k is s² (1 + (k - 1) ρ) / (k (1 - ρ)).
    """
    n_samples = len(values)
    mean = values.mean(axis=0)
    if n_samples < 2:
        return SampleMeans(mean, np.full(len(mean), np.nan), 0)
    # Of equal numbers np.var may find rounding, and the test would take it for spread.
    same = values.min(axis=0) == values.max(axis=0)
    variance = np.where(same, 0.0, values.var(axis=0, ddof=1))
    share = min(overlap, 0.999)
    inflation = (1 + (n_samples - 1) * share) / (n_samples * (1 - share))
    return SampleMeans(mean, np.sqrt(variance * inflation), n_samples - 1)
