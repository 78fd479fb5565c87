"""Samples of rows, features and probes measured on each, and what they decide."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse, stats

from featsieve._types import Array, Floats, Ints, Mask, Positions
from featsieve.data import Table
from featsieve.engine import derive_seed, run_tasks
from featsieve.inference.api import (
    FREE,
    Exchange,
    Measuring,
    Probe,
    Shuffles,
    draw_probes,
    follows_a_law,
    probes_of_features,
)

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
    def none(cls, n_subsamples: int) -> Dependence:
        """Return that of samples without a row in common."""
        return cls(1.0, 1 / max(1, n_subsamples), max(0, n_subsamples - 1))

    @classmethod
    def of(cls, shared: Floats) -> Dependence:
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

    order: Positions
    positions: list[Positions]

    @property
    def size(self) -> int:
        """Rows in a sample."""
        return len(self.positions[0])

    def rows(self, sample: int) -> Positions:
        """Return the rows of one sample, ascending positions of the shuffle."""
        return self.order[self.positions[sample]]

    def dependence(self, n_subsamples: int) -> Dependence:
        """Return how much the first samples have in common."""
        chosen = self.positions[:n_subsamples]
        rows = np.concatenate(chosen)
        if n_subsamples < 2 or len(np.unique(rows)) == len(rows):
            return Dependence.none(n_subsamples)
        held = sparse.csr_array(
            (np.ones(len(rows)), rows, np.arange(n_subsamples + 1) * self.size)
        )
        return Dependence.of(np.asarray((held @ held.T).todense()) / self.size)

    def rows_of(self, n_subsamples: int) -> Positions:
        """Return the different rows that the first samples hold."""
        return self.order[np.unique(np.concatenate(self.positions[:n_subsamples]))]


def plan_samples(
    n_rows: int, n_subsamples: int, sample_size: int, seed: int
) -> SamplePlan:
    """Return samples that share rows only when the table is too small for all.

    A table of fewer than two samples is halved: samples that are all the same would
    show no spread.
    """
    most = n_rows if n_subsamples == 1 else max(1, n_rows // 2)
    size = min(sample_size, most)
    order = np.random.default_rng(derive_seed(seed, "rows")).permutation(n_rows)
    per_round = max(1, n_rows // size)
    positions: list[Positions] = []
    while len(positions) < n_subsamples:
        shuffle = np.arange(n_rows)
        if positions:  # rows are used up: start anew, in another order
            own = derive_seed(seed, "again", len(positions))
            shuffle = np.random.default_rng(own).permutation(n_rows)
        wanted = min(per_round, n_subsamples - len(positions))
        parts = (shuffle[k * size : (k + 1) * size] for k in range(wanted))
        positions += [np.sort(part) for part in parts]
    return SamplePlan(order, positions)


@dataclass(frozen=True, slots=True, eq=False)
class SampleMeans:
    """Mean over samples, its standard error and degrees of freedom, per column."""

    mean: Floats
    error: Floats
    freedom: float | Floats

    def interval(self, confidence: float) -> Floats:
        """Return lower and upper bounds, shape (n_columns, 2)."""
        enough = np.asarray(self.freedom) >= 1
        wide = stats.t.ppf((1 + confidence) / 2, np.maximum(self.freedom, 1))
        half = np.where(enough, wide * self.error, np.inf)
        return np.column_stack((self.mean - half, self.mean + half))

    def p_values(self, threshold: ArrayLike) -> Floats:
        """Return one-sided p-values of "the mean is at most the threshold"."""
        excess = self.mean - np.asarray(threshold)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = excess / self.error
        # No spread at all: the mean is what it is.
        certain = np.where(excess > 0, np.inf, -np.inf)
        ratio = np.where(self.error > 0, ratio, certain)
        p_values = stats.t.sf(ratio, np.maximum(self.freedom, 1))
        return np.where(np.asarray(self.freedom) >= 1, p_values, 1.0)


def summarise(values: Floats, dependence: Dependence | None = None) -> SampleMeans:
    """Return the means over samples (rows of `values`) and how sure they are."""
    n_subsamples = len(values)
    mean = values.mean(axis=0)
    if n_subsamples < 2:
        return SampleMeans(mean, np.full(len(mean), np.nan), 0)
    shared = Dependence.none(n_subsamples) if dependence is None else dependence
    # Of equal numbers np.var may find rounding, and the test would take it for spread.
    same = values.min(axis=0) == values.max(axis=0)
    variance = np.where(same, 0.0, values.var(axis=0, ddof=1))
    error = np.sqrt(variance * shared.mean / shared.seen)
    return SampleMeans(mean, error, shared.freedom)


#: Samples between two looks of a race: fewer say nothing of their spread.
SAMPLES_PER_LOOK = 4


@dataclass(slots=True, eq=False)
class Decision:
    """Which features are kept, and why each is or is not."""

    kept: Mask
    reasons: list[str]


@dataclass(frozen=True, slots=True, eq=False)
class Fakes:
    """What features are held against: draws of laws, or shuffled copies of themselves.

    `copied` says which features have copies.
    """

    probes: list[Probe]
    shuffles: Shuffles
    copied: Mask

    @classmethod
    def draw(  # noqa: PLR0917 - what they are drawn for, and how
        cls,
        table: Table,
        plan: SamplePlan,
        association: Any,
        kinds: tuple[str, ...],
        n_probes: int,
        seed: int,
        exchange: Exchange = FREE,
    ) -> Fakes:
        """Return as many probes as asked for, of each law and of each feature.

        Draws of a law are a match only where rows may be exchanged freely.
        """
        # Rows that no sample holds need no values.
        n_positions = 1 + max(int(each[-1]) for each in plan.positions)
        rows = plan.order[:n_positions]
        by_law = [
            exchange.is_free and follows_a_law(c, rows, association) for c in table
        ]
        copied = ~np.array(by_law, dtype=bool)
        plain = Table(tuple(c for c, own in zip(table, copied, strict=True) if not own))
        probes = draw_probes(plain, kinds, n_probes, n_positions, seed)
        return cls(probes, Shuffles.draw(rows, n_probes, seed, exchange), copied)


class SampledTable:
    """Associations of features and probes, one row of numbers per sample."""

    def __init__(  # noqa: PLR0917 - the parts of one thing
        self,
        table: Table,
        target: Array,
        weights: Floats | None,
        plan: SamplePlan,
        measuring: Measuring,
        fakes: Fakes | None = None,
        *,
        correct_overlap: bool = True,
    ) -> None:
        self.table, self.target, self.weights = table, target, weights
        self.plan, self.measuring, self.fakes = plan, measuring, fakes
        self.correct_overlap = correct_overlap
        self.nominal = np.array([c.is_nominal for c in table], dtype=bool)
        self.n_subsamples = np.zeros(table.n_columns, dtype=np.int64)
        n = len(plan.positions)
        self._values = np.full((n, table.n_columns), np.nan)
        self._present = np.zeros((n, table.n_columns), dtype=bool)
        if fakes is not None:
            self._of_laws = np.full((n, len(fakes.probes)), np.nan)
            shape = (n, table.n_columns, len(fakes.shuffles.orders))
            self._of_copies = np.full(shape, np.nan)

    def measure(
        self,
        samples: Iterable[int],
        n_jobs: int | None,
        features: Positions | None = None,
    ) -> None:
        """Add some samples, for all features or those that are still open."""
        if features is None:
            features = np.arange(self.table.n_columns)
        tasks = [(sample, features) for sample in samples]
        results = run_tasks(self._measure, tasks, n_jobs=n_jobs, shared_memory=True)
        for (sample, _), (values, present) in zip(tasks, results, strict=True):
            n = len(features)
            self._values[sample, features] = values[:n]
            self._present[sample, features] = present
            if self.fakes is not None:
                end = n + len(self.fakes.probes)
                self._of_laws[sample] = values[n:end]
                copied = features[self.fakes.copied[features]]
                shape = (len(copied), self._of_copies.shape[2])
                self._of_copies[sample, copied] = values[end:].reshape(shape)
        self.n_subsamples[features] += len(tasks)

    def _measure(self, sample: int, features: Positions) -> tuple[Floats, Mask]:
        rows = self.plan.rows(sample)
        columns = [self.table.columns[j].values[rows] for j in features.tolist()]
        nominal = self.nominal[features].tolist()
        present = np.array(
            [_varies(c, n) for c, n in zip(columns, nominal, strict=True)], dtype=bool
        )
        if self.fakes is not None:
            positions = self.plan.positions[sample]
            columns += [probe.values[positions] for probe in self.fakes.probes]
            nominal += [False] * len(self.fakes.probes)
            for j in features[self.fakes.copied[features]].tolist():
                values = self.table.columns[j].values
                copies = self.fakes.shuffles.copies(values, positions)
                columns += copies
                nominal += [bool(self.nominal[j])] * len(copies)
        weights = None if self.weights is None else self.weights[rows]
        measured = self.measuring.measure(
            columns, np.array(nominal, dtype=bool), self.target[rows], weights
        )
        return measured, present

    def _dependence(self, n_subsamples: int) -> Dependence:
        if self.correct_overlap:
            return self.plan.dependence(n_subsamples)
        return Dependence.none(n_subsamples)

    def means(self) -> SampleMeans:
        """Return the means of the features over the samples each was measured on."""
        mean, error = np.zeros(self.table.n_columns), np.zeros(self.table.n_columns)
        # In a race features differ in their number of samples.
        freedom = np.zeros(self.table.n_columns)
        for n in np.unique(self.n_subsamples).tolist():
            features = np.flatnonzero(self.n_subsamples == n)
            part = summarise(self._values[:n][:, features], self._dependence(n))
            mean[features], error[features] = part.mean, part.error
            freedom[features] = part.freedom
        return SampleMeans(mean, error, freedom)

    def bounds(
        self, features: Positions, n_subsamples: int, confidence: float
    ) -> Floats:
        """Return the intervals of some features after so many samples."""
        part = self._values[:n_subsamples][:, features]
        return summarise(part, self._dependence(n_subsamples)).interval(confidence)

    def fake_bounds(
        self, n_subsamples: Ints, confidence: float
    ) -> tuple[Floats, Floats]:
        """Return mean and bounds, shape (..., 3), of the draws and of the copies.

        Draws are measured in all samples, copies in those of their feature.
        """
        assert self.fakes is not None  # only asked with probes
        most = int(n_subsamples.max(initial=1))
        laws = _told(self._of_laws[:most], self._dependence(most), confidence)
        copies = np.full((*self._of_copies.shape[1:], 3), np.nan)
        for n in np.unique(n_subsamples[self.fakes.copied]).tolist():
            some = np.flatnonzero((n_subsamples == n) & self.fakes.copied)
            part = self._of_copies[:n, some].reshape(n, -1)
            told = _told(part, self._dependence(n), confidence)
            copies[some] = told.reshape(*copies[some].shape)
        return laws, copies

    def presence(self) -> Floats:
        """Return the share of its samples in which each feature varies."""
        return self._present.sum(axis=0) / np.maximum(self.n_subsamples, 1)

    def class_presence(self, n_classes: int) -> Floats:
        """Return the share of samples in which each class occurs."""
        if n_classes == 0:
            return np.empty(0)
        n = int(self.n_subsamples.max(initial=1))
        found = [
            np.bincount(self.target[self.plan.rows(k)], minlength=n_classes) > 0
            for k in range(n)
        ]
        return np.mean(found, axis=0)


def _varies(values: Array, nominal: bool) -> bool:
    known = values[values >= 0] if nominal else values[~np.isnan(values)]
    return len(known) > 0 and bool(known.min() != known.max())


def decide_by_test(
    p_values: Floats, thresholds: Floats | None, significance: float, what: str
) -> Decision:
    """Keep features whose p-value, or without thresholds q-value, is small enough."""
    kept = p_values <= significance
    questions = ["independent"] * len(kept)
    if thresholds is not None:
        questions = [f"{what} <= {threshold:.3g}" for threshold in thresholds]
    reasons = [
        f"{question}: {'q' if thresholds is None else 'p'} = {p:.3g} "
        f"{'<=' if keep else '>'} {significance:g}"
        for question, p, keep in zip(questions, p_values, kept, strict=True)
    ]
    return Decision(kept, reasons)


def decide_by_probes(
    sampled: SampledTable, intervals: Floats, confidence: float
) -> tuple[Decision, list[dict[str, Any]]]:
    """Keep features whose interval lies above those of all their probes."""
    fakes = sampled.fakes
    assert fakes is not None  # the caller has drawn them
    laws, copies = sampled.fake_bounds(sampled.n_subsamples, confidence)
    kept = np.zeros(len(intervals), dtype=bool)
    reasons = []
    by_law = np.all(intervals[:, np.newaxis] > laws[:, 1:], axis=2)
    own_laws = probes_of_features(sampled.table, fakes.probes)
    told = [
        {
            "kind": probe.kind,
            "feature": None,
            "missing": 1 - probe.known,
            **_as_record(laws[k], int(by_law[~fakes.copied, k].sum())),
        }
        for k, probe in enumerate(fakes.probes)
    ]
    for j, column in enumerate(sampled.table):
        own = copies[j] if fakes.copied[j] else laws[own_laws[j]]
        beaten = np.all(intervals[j] > own[:, 1:], axis=1)
        kept[j] = bool(beaten.all())
        name = "shuffled copies" if fakes.copied[j] else "probes of its kind"
        reasons.append(
            f"beats {int(beaten.sum())} of {len(own)} {name}; lower bound "
            f"{intervals[j, 0]:.4f} against {own[:, 1].max():.4f}"
        )
        if fakes.copied[j]:
            missing = float(column.missing.mean())
            told += [
                {
                    "kind": "shuffled",
                    "feature": column.name,
                    "missing": missing,
                    **_as_record(copy, int(beat)),
                }
                for copy, beat in zip(own, beaten, strict=True)
            ]
    return Decision(kept, reasons), told


def _as_record(bounds: Floats, n_beaten: int) -> dict[str, Any]:
    mean, lower, upper = bounds.tolist()
    return {"mean": mean, "lower": lower, "upper": upper, "n_beaten": n_beaten}


def _told(values: Floats, dependence: Dependence, confidence: float) -> Floats:
    means = summarise(values, dependence)
    return np.column_stack((means.mean, means.interval(confidence)))


def race(
    sampled: SampledTable,
    *,
    thresholds: Floats,
    significance: float,
    n_jobs: int | None,
) -> Ints:
    """Sample until every feature is settled or samples are used up.

    Returns 1 for features that are in, -1 for those that are out, 0 for open ones. At
    the k-th look the level is significance / 2 · 6 / (π k)², so that all looks together
    spend half of `significance`; the rest is for what is still open at the end. With
    probes a feature is in when its interval lies above those of all its probes, and out
    when it reaches neither above the lower bound of the strictest nor up to its
    threshold; without, when its interval lies to one side of the threshold.
    """
    settled = np.zeros(sampled.table.n_columns, dtype=np.int64)
    fakes = sampled.fakes
    own_laws = probes_of_features(sampled.table, fakes.probes) if fakes else []
    most = len(sampled.plan.positions)
    for look, begin in enumerate(range(0, most, SAMPLES_PER_LOOK), start=1):
        open_ones = np.flatnonzero(settled == 0)
        if len(open_ones) == 0:
            break
        samples = range(begin, min(begin + SAMPLES_PER_LOOK, most))
        sampled.measure(samples, n_jobs, open_ones)
        n = samples[-1] + 1
        level = significance * 3 / (np.pi * look) ** 2
        confidence = 1 - 2 * level  # each bound alone is at this level
        bounds = sampled.bounds(open_ones, n, confidence)
        wanted = thresholds[open_ones]
        if fakes is None:
            settled[open_ones[bounds[:, 0] > wanted]] = 1
            settled[open_ones[bounds[:, 1] < wanted]] = -1
            continue
        laws, copies = sampled.fake_bounds(sampled.n_subsamples, confidence)
        for j, least, (lower, upper) in zip(open_ones, wanted, bounds, strict=True):
            own = copies[j] if fakes.copied[j] else laws[own_laws[j]]
            if lower > own[:, 2].max():
                settled[j] = 1
            elif upper < least and lower <= own[:, 1].max():
                settled[j] = -1
    return settled
