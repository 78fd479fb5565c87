"""Several tests of one hypothesis as one, and false discovery rates over many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from featsieve._types import Floats, Mask, Positions

#: A p-value above counts as this one: else a single test that is sure of nothing (p
#: near 1, as discrete and corrected tests often are) would undo what the others found.
GREATEST = 0.9

#: A smaller p-value counts as this one; no law is known further out.
LEAST = 1e-300


def cauchy_parts(p_values: Any, weights: Any) -> Floats:
    """Return what each test adds to the combined statistic: w · tan((½ − p) π).

    Of shape (tests, columns); a test that was not made adds 0. `weights` are shared out
    anew among the tests that were made, so that they add up to 1 for every column.
    """
    tests = np.asarray(p_values, dtype=np.float64)
    made = ~np.isnan(tests)
    shares = np.where(made, _column(weights), 0.0)
    total = shares.sum(axis=0)
    shares = np.divide(shares, total, where=total > 0, out=np.zeros_like(shares))
    settled = np.clip(np.where(made, tests, GREATEST), LEAST, GREATEST)
    # tan((½ − p) π) = 1 / tan(p π), which loses no digits where p is tiny.
    parts: Floats = shares / np.tan(np.pi * settled)
    return parts


def combine_p_values(p_values: Any, weights: Any) -> Floats:
    """Return one p-value per column from those of its tests (Cauchy's combination).

    p = ½ − arctan(Σ w tan((½ − p) π) / Σ w) / π, with single p-values above 0.9 taken
    as 0.9, and the least of them where all are.

    - One test gives its own p-value, and so do several that agree.
    - The far tail: if only one test sees something, the result is its p-value divided
      by its share of the weight, as for weighted Bonferroni; if others see it too, less
      than that.
    - The result grows with each of the p-values.
    - Validity: for independent tests exact up to the cut at 0.9; under any dependence
      the error at small levels comes close to the level (Liu and Xie, "Cauchy
      combination test: a powerful test with analytic p-value calculation under
      arbitrary dependency structures", JASA 2020). Conservative tests stay so.

    Parameters
    ----------
    p_values : array-like of shape (n_tests, n_columns)
        NaN is a test that was not made; a column without any has p-value 1.
    weights : array-like of shape (n_tests,) or (n_tests, n_columns)
        At least 0; only their ratios matter.

    Returns
    -------
    ndarray of float64 of shape (n_columns,)
        The combined p-values.

    Examples
    --------
    >>> combine_p_values([[0.001, 0.02], [0.4, np.nan]], [3, 1]).round(5).tolist()
    [0.00133, 0.02]
    """
    tests = np.asarray(p_values, dtype=np.float64)
    statistic = cauchy_parts(tests, weights).sum(axis=0)
    combined = np.arctan2(1.0, statistic) / np.pi
    used = ~np.isnan(tests) & (np.broadcast_to(_column(weights), tests.shape) > 0)
    least = np.min(np.where(used, tests, 1.0), axis=0, initial=1.0)
    settled: Floats = np.where(least >= GREATEST, least, combined)
    return settled


def _column(weights: Any) -> Floats:
    shares = np.asarray(weights, dtype=np.float64)
    return shares[:, np.newaxis] if shares.ndim == 1 else shares


#: Weights of the stages in the p-value of a column; only their ratios matter. Plain
#: effects show alone, and lose little to the stages that look for the rest. "beside" is
#: left out where nothing was found that a column could be seen beside.
STAGE_WEIGHTS = {"alone": 0.65, "together": 0.2, "context": 0.15, "beside": 0.25}


def benjamini_hochberg(p_values: Floats) -> Floats:
    """Return q-values: the least rate at which each of m tests is a discovery.

    The least of p(k) · m / k over all k that rank at or after the test, at most 1. Of
    those with q ≤ level an expected share ≤ level is false, if p-values are independent
    or positively dependent. Equal p-values have equal q-values, a single test its own
    p-value; of no tests there are none.
    """
    order = np.argsort(p_values)
    rates = p_values[order] * (len(order) / np.arange(1, len(order) + 1))
    return _step_up(order, rates)


def rejection_threshold(
    p_values: Floats, level: float, count: int | None = None
) -> tuple[int, float]:
    """Return how many tests are discoveries at a level, and the p-value it takes.

    The same rule as q ≤ level: the greatest k with p(k) ≤ level · k / m, and that.
    A `count` that is given takes the place of k. Without a discovery the bound is that
    of one, which no p-value meets then.
    """
    m = max(len(p_values), 1)
    if count is None:
        steps = level * np.arange(1, len(p_values) + 1) / m
        passing = np.flatnonzero(np.sort(p_values) <= steps)
        count = int(passing[-1]) + 1 if len(passing) else 0
    return count, level * max(count, 1) / m


def rates_of_chance(expected: Floats) -> Floats:
    """Return the same where chance is known by numbers instead of p-values.

    `expected` is how many candidates chance alone puts at or beyond each discovery; the
    candidates left out are no better than those given.
    """
    order = np.argsort(expected)
    return _step_up(order, expected[order] / np.arange(1, len(order) + 1))


def _step_up(order: Positions, rates: Floats) -> Floats:
    """Return, in the order of tests, the least rate from each rank on."""
    q_values = np.empty(len(order))
    least = np.minimum.accumulate(rates[::-1])[::-1]
    q_values[order] = np.minimum(least, 1.0)
    return q_values


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """Which columns are relevant, by which stage, and the p-value that was needed."""

    p_values: Floats
    threshold: float
    relevant: Mask
    stages: list[str | None]


def judge(
    evidence: Mapping[str, Floats],
    fdr: float,
    count: int | None = None,
    stage_weights: Mapping[str, float] = STAGE_WEIGHTS,
) -> Judgement:
    """Join the p-values of the stages and control the false discovery rate.

    Benjamini and Hochberg's procedure finds the number of discoveries that the rate
    refers to. If some of them are then set aside as copies of others, noise is a larger
    share of the rest; `count` is how many are left, and the threshold is lowered to
    them (Katsevich, Sabatti and Bogomolov, "Filtering the rejection set while
    preserving false discovery rate control", JASA 2023).

    A relevant column owes it to the first stage, if the evidence of that one suffices,
    else to the one that contributes most. NaN stands for a test that was not made.
    """
    stages = [name for name in stage_weights if name in evidence]
    p_values = np.stack([evidence[name] for name in stages])
    weights = np.array([stage_weights[name] for name in stages])
    joined = combine_p_values(p_values, weights)
    count, threshold = rejection_threshold(joined, fdr, count)
    relevant = (joined <= threshold) & (count > 0)
    most = np.argmax(cauchy_parts(p_values, weights), axis=0)
    made = np.where(np.isnan(p_values), 0.0, weights[:, np.newaxis]).sum(axis=0)
    most[p_values[0] <= threshold * weights[0] / made] = 0
    owed = [
        stages[stage] if found else None
        for stage, found in zip(most.tolist(), relevant.tolist(), strict=True)
    ]
    return Judgement(joined, threshold, relevant, owed)
