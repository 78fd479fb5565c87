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
from featsieve.filters._probes import (
    Probe,
    Shuffles,
    draw_probes,
    follows_a_law,
    probes_of_features,
)
from featsieve.filters._samples import (
    Dependence,
    SampleMeans,
    SamplePlan,
    summarise,
)

__all__ = [
    "Decision",
    "Fakes",
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


@dataclass(frozen=True, slots=True, eq=False)
class Fakes:
    """What features are held against: draws of laws, or shuffled copies of themselves.

    `copied` says which features have copies.
    """

    probes: list[Probe]
    shuffles: Shuffles
    copied: NDArray[np.bool_]

    @classmethod
    def draw(  # noqa: PLR0917 - what they are drawn for, and how
        cls,
        table: Table,
        plan: SamplePlan,
        association: str,
        kinds: tuple[str, ...],
        n_probes: int,
        seed: int,
    ) -> Fakes:
        """Return as many probes as asked for, of each law and of each feature."""
        # Rows that no sample holds need no values.
        n_positions = 1 + max(int(each[-1]) for each in plan.positions)
        rows = plan.order[:n_positions]
        copied = ~np.array([follows_a_law(c, rows, association) for c in table], bool)
        plain = Table(tuple(c for c, own in zip(table, copied, strict=True) if not own))
        probes = draw_probes(plain, kinds, n_probes, n_positions, seed)
        return cls(probes, Shuffles.draw(rows, n_probes, seed), copied)


class SampledTable:
    """Associations of features and probes, one row of numbers per sample."""

    def __init__(  # noqa: PLR0917 - the parts of one thing
        self,
        table: Table,
        target: NDArray[Any],
        weights: NDArray[np.float64] | None,
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
        self.n_samples = np.zeros(table.n_columns, dtype=np.int64)
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
        features: NDArray[np.intp] | None = None,
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
        self.n_samples[features] += len(tasks)

    def _measure(
        self, sample: int, features: NDArray[np.intp]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
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

    def _dependence(self, n_samples: int) -> Dependence:
        if self.correct_overlap:
            return self.plan.dependence(n_samples)
        return Dependence.none(n_samples)

    def means(self) -> SampleMeans:
        """Return the means of the features over the samples each was measured on."""
        mean, error = np.zeros(self.table.n_columns), np.zeros(self.table.n_columns)
        # In a race features differ in their number of samples.
        freedom = np.zeros(self.table.n_columns)
        for n in np.unique(self.n_samples).tolist():
            features = np.flatnonzero(self.n_samples == n)
            part = summarise(self._values[:n][:, features], self._dependence(n))
            mean[features], error[features] = part.mean, part.error
            freedom[features] = part.freedom
        return SampleMeans(mean, error, freedom)

    def bounds(
        self, features: NDArray[np.intp], n_samples: int, confidence: float
    ) -> NDArray[np.float64]:
        """Return the intervals of some features after so many samples."""
        part = self._values[:n_samples][:, features]
        return summarise(part, self._dependence(n_samples)).interval(confidence)

    def fake_bounds(
        self, n_samples: NDArray[np.int64], confidence: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return mean and bounds, shape (..., 3), of the draws and of the copies.

        Draws are measured in all samples, copies in those of their feature.
        """
        assert self.fakes is not None  # only asked with probes
        most = int(n_samples.max(initial=1))
        laws = _told(self._of_laws[:most], self._dependence(most), confidence)
        copies = np.full((*self._of_copies.shape[1:], 3), np.nan)
        for n in np.unique(n_samples[self.fakes.copied]).tolist():
            some = np.flatnonzero((n_samples == n) & self.fakes.copied)
            part = self._of_copies[:n, some].reshape(n, -1)
            told = _told(part, self._dependence(n), confidence)
            copies[some] = told.reshape(*copies[some].shape)
        return laws, copies

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
    thresholds: NDArray[np.float64] | None,
    significance: float,
    what: str,
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
    sampled: SampledTable, intervals: NDArray[np.float64], confidence: float
) -> tuple[Decision, list[dict[str, Any]]]:
    """Keep features whose interval lies above those of all their probes."""
    fakes = sampled.fakes
    assert fakes is not None  # the caller has drawn them
    laws, copies = sampled.fake_bounds(sampled.n_samples, confidence)
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


def _as_record(bounds: NDArray[np.float64], n_beaten: int) -> dict[str, Any]:
    mean, lower, upper = bounds.tolist()
    return {"mean": mean, "lower": lower, "upper": upper, "n_beaten": n_beaten}


def _told(
    values: NDArray[np.float64], dependence: Dependence, confidence: float
) -> NDArray[np.float64]:
    means = summarise(values, dependence)
    return np.column_stack((means.mean, means.interval(confidence)))


def race(
    sampled: SampledTable,
    *,
    thresholds: NDArray[np.float64],
    significance: float,
    n_jobs: int | None,
) -> NDArray[np.int64]:
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
        laws, copies = sampled.fake_bounds(sampled.n_samples, confidence)
        for j, least, (lower, upper) in zip(open_ones, wanted, bounds, strict=True):
            own = copies[j] if fakes.copied[j] else laws[own_laws[j]]
            if lower > own[:, 2].max():
                settled[j] = 1
            elif upper < least and lower <= own[:, 1].max():
                settled[j] = -1
    return settled
