"""Measure features and probes sample by sample, and decide by what comes out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve.data import Table
from featsieve.engine import run_tasks
from featsieve.filters._association_tests import Measuring
from featsieve.filters._probes import Probe, probes_of_features
from featsieve.filters._samples import SampleMeans, SamplePlan, summarise

__all__ = [
    "Decision",
    "SampledTable",
    "decide_by_probes",
    "decide_by_test",
    "race",
]

#: Samples between two looks of a race: fewer say nothing of their spread.
SAMPLES_PER_LOOK = 4


@dataclass(slots=True, eq=False)
class Decision:
    """Which features are kept, and why each is or is not."""

    kept: NDArray[np.bool_]
    reasons: list[str]


class SampledTable:
    """Associations of features and probes, one row of numbers per sample."""

    def __init__(  # noqa: PLR0917 - the parts of one thing
        self,
        table: Table,
        target: NDArray[Any],
        weights: NDArray[np.float64] | None,
        plan: SamplePlan,
        probes: list[Probe],
        measuring: Measuring,
    ) -> None:
        self.table, self.target, self.weights = table, target, weights
        self.plan, self.probes, self.measuring = plan, probes, measuring
        self.nominal = np.array([c.is_nominal for c in table], dtype=bool)
        self.n_samples = np.zeros(table.n_columns, dtype=np.int64)
        n = len(plan.positions)
        self._values = np.full((n, table.n_columns), np.nan)
        self._present = np.zeros((n, table.n_columns), dtype=bool)
        self._of_probes = np.full((n, len(probes)), np.nan)

    def measure(
        self,
        samples: Iterable[int],
        n_jobs: int | None,
        features: NDArray[np.intp] | None = None,
    ) -> None:
        """Add some samples, for all features or those that are still open."""
        if features is None:
            features = np.arange(self.table.n_columns)
        tasks = [(sample, features) for sample in samples]
        results = run_tasks(self._measure, tasks, n_jobs=n_jobs, shared_memory=True)
        for (sample, _), (values, present) in zip(tasks, results, strict=True):
            self._values[sample, features] = values[: len(features)]
            self._present[sample, features] = present
            self._of_probes[sample] = values[len(features) :]
        self.n_samples[features] += len(tasks)

    def _measure(
        self, sample: int, features: NDArray[np.intp]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        rows = self.plan.rows(sample)
        positions = self.plan.positions[sample]
        chosen = features.tolist()
        columns = [self.table.columns[j].values[rows] for j in chosen]
        present = np.array(
            [
                _varies(c, bool(n))
                for c, n in zip(columns, self.nominal[features], strict=True)
            ],
            dtype=bool,
        )
        columns += [probe.values[positions] for probe in self.probes]
        of_probes = [probe.n_levels is not None for probe in self.probes]
        nominal = np.concatenate((self.nominal[features], np.array(of_probes, bool)))
        weights = None if self.weights is None else self.weights[rows]
        target = self.target[rows]
        return self.measuring.measure(columns, nominal, target, weights), present

    def means(self, *, correct_overlap: bool) -> SampleMeans:
        """Return the means of the features over the samples each was measured on."""
        parts = {}
        mean, error = np.zeros(self.table.n_columns), np.zeros(self.table.n_columns)
        for n in np.unique(self.n_samples).tolist():
            features = np.flatnonzero(self.n_samples == n)
            overlap = self.plan.overlap(n) if correct_overlap else 0.0
            part = summarise(self._values[:n][:, features], overlap)
            mean[features], error[features] = part.mean, part.error
            parts[n] = part.freedom
        # In a race features differ in their number of samples; the fewest is safe.
        return SampleMeans(mean, error, min(parts.values(), default=0))

    def probe_means(self, *, correct_overlap: bool) -> SampleMeans:
        """Return the means of the probes."""
        n = int(self.n_samples.max(initial=1))
        overlap = self.plan.overlap(n) if correct_overlap else 0.0
        return summarise(self._of_probes[:n], overlap)

    def bounds(
        self,
        features: NDArray[np.intp],
        n_samples: int,
        overlap: float,
        confidence: float,
    ) -> NDArray[np.float64]:
        """Return the intervals of some features after so many samples."""
        part = summarise(self._values[:n_samples][:, features], overlap)
        return part.interval(confidence)

    def presence(self) -> NDArray[np.float64]:
        """Return the share of its samples in which each feature varies."""
        share: NDArray[np.float64] = self._present.sum(axis=0) / np.maximum(
            self.n_samples, 1
        )
        return share

    def class_presence(self, n_classes: int) -> NDArray[np.float64]:
        """Return the share of samples in which each class occurs."""
        if n_classes == 0:
            return np.empty(0)
        n = int(self.n_samples.max(initial=1))
        found = [
            np.bincount(self.target[self.plan.rows(k)], minlength=n_classes) > 0
            for k in range(n)
        ]
        share: NDArray[np.float64] = np.mean(found, axis=0)
        return share


def _varies(values: NDArray[Any], nominal: bool) -> bool:
    known = values[values >= 0] if nominal else values[~np.isnan(values)]
    return len(known) > 0 and bool(known.min() != known.max())


def decide_by_test(
    p_values: NDArray[np.float64],
    practical: float | None,
    significance: float,
    what: str,
) -> Decision:
    """Keep features whose p-value (or q-value) is small enough."""
    kept = p_values <= significance
    question = "independent" if practical is None else f"{what} <= {practical:g}"
    reasons = [
        f"{question}: {'q' if practical is None else 'p'} = {p:.3g} "
        f"{'<=' if keep else '>'} {significance:g}"
        for p, keep in zip(p_values.tolist(), kept.tolist(), strict=True)
    ]
    return Decision(kept, reasons)


def decide_by_probes(
    sampled: SampledTable,
    intervals: NDArray[np.float64],
    *,
    confidence: float,
    correct_overlap: bool,
) -> tuple[Decision, list[dict[str, Any]]]:
    """Keep features whose interval lies above those of all probes of their kind."""
    means = sampled.probe_means(correct_overlap=correct_overlap)
    of_probes = means.interval(confidence)
    kept = np.zeros(len(intervals), dtype=bool)
    reasons = []
    beats = np.all(intervals[:, np.newaxis] > of_probes, axis=2)
    for j, own in enumerate(probes_of_features(sampled.table, sampled.probes)):
        kept[j] = bool(beats[j, own].all())
        strictest = own[np.argmax(of_probes[own, 0])]
        reasons.append(
            f"beats {int(beats[j, own].sum())} of {len(own)} "
            f"{sampled.probes[strictest].kind} and like probes; lower bound "
            f"{intervals[j, 0]:.4f} against {of_probes[own, 0].max():.4f}"
        )
    told = [
        {
            "kind": probe.kind,
            "n_levels": probe.n_levels,
            "missing": 1 - probe.known,
            "mean": float(means.mean[k]),
            "lower": float(of_probes[k, 0]),
            "upper": float(of_probes[k, 1]),
            "n_beaten": int(beats[:, k].sum()),
        }
        for k, probe in enumerate(sampled.probes)
    ]
    return Decision(kept, reasons), told


def race(
    sampled: SampledTable,
    *,
    practical: float,
    significance: float,
    correct_overlap: bool,
    n_jobs: int | None,
) -> NDArray[np.int64]:
    """Sample until every feature is settled or samples are used up.

    Returns 1 for features that are in, -1 for those that are out, 0 for open ones. At
    the k-th look the level is significance / 2 · 6 / (π k)², so that all looks together
    spend half of `significance`; the rest is for what is still open at the end. With
    probes a feature is in when its interval lies above those of all probes of its kind,
    and out when it reaches neither above the lower bound of the strictest nor up to
    `practical`; without, when its interval lies to one side of `practical`.
    """
    n_features = sampled.table.n_columns
    settled = np.zeros(n_features, dtype=np.int64)
    own = probes_of_features(sampled.table, sampled.probes) if sampled.probes else []
    most = len(sampled.plan.positions)
    for look, begin in enumerate(range(0, most, SAMPLES_PER_LOOK), start=1):
        open_ones = np.flatnonzero(settled == 0)
        if len(open_ones) == 0:
            break
        samples = range(begin, min(begin + SAMPLES_PER_LOOK, most))
        sampled.measure(samples, n_jobs, open_ones)
        n = samples[-1] + 1
        overlap = sampled.plan.overlap(n) if correct_overlap else 0.0
        level = significance * 3 / (np.pi * look) ** 2
        confidence = 1 - 2 * level  # each bound alone is at this level
        bounds = sampled.bounds(open_ones, n, overlap, confidence)
        if not sampled.probes:
            settled[open_ones[bounds[:, 0] > practical]] = 1
            settled[open_ones[bounds[:, 1] < practical]] = -1
            continue
        means = sampled.probe_means(correct_overlap=correct_overlap)
        of_probes = means.interval(confidence)
        for j, (lower, upper) in zip(open_ones.tolist(), bounds.tolist(), strict=True):
            if lower > of_probes[own[j], 1].max():
                settled[j] = 1
            elif upper < practical and lower <= of_probes[own[j], 0].max():
                settled[j] = -1
    return settled
