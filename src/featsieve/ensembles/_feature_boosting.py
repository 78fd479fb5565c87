"""Weights of features, raised and lowered by how well members do that see them.

H. Bommaganti's feature boosting; table 3 and equation 8 of his thesis.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve.engine import run_tasks
from featsieve.ensembles._distributions import Distribution
from featsieve.ensembles._members import Columns, Matrix, MemberPlan
from featsieve.ensembles._training import GrownMember, Training

__all__ = [
    "BoostingHistory",
    "BoostingRules",
    "boost_features",
    "first_weights",
    "subset_count",
    "weight_change",
]

#: Accuracies that differ by less are the same; their deviation is then rounding.
LEAST_DEVIATION = 1e-12
#: A weight keeps at least this part of itself, also where ψ is rounded to -1.
LEAST_KEPT = 1e-9


@dataclass(frozen=True, slots=True)
class BoostingRules:
    """How features are boosted.

    Parameters
    ----------
    n_iterations : int
        How many subsets are tried.
    n_waiting : int
        So many are tried before weights begin to change.
    accuracy : {"training", "out_of_bag"}
        Members see all rows and are judged by them; or they see a bag of rows and are
        judged by the others.
    include_current : bool
        Whether the mean and the deviation are those of all accuracies so far, or of the
        former ones.
    """

    n_iterations: int
    n_waiting: int
    accuracy: str = "training"
    include_current: bool = True


@dataclass(slots=True, eq=False)
class BoostingHistory:
    """What was tried, and what it did to the weights; one entry per iteration."""

    distribution: Distribution
    subsets: list[Columns] = field(default_factory=list)
    accuracies: list[float] = field(default_factory=list)
    means: list[float] = field(default_factory=list)
    deviations: list[float] = field(default_factory=list)
    changes: list[float] = field(default_factory=list)
    #: Weights of the features before the first iteration and after each.
    weights: list[Matrix] = field(default_factory=list)

    def record(
        self,
        distribution: Distribution,
        subset: Columns,
        numbers: tuple[float, float, float, float],
    ) -> None:
        """Add an iteration: accuracy, mean, deviation and δ, and what came of it."""
        columns = (self.accuracies, self.means, self.deviations, self.changes)
        for column, number in zip(columns, numbers, strict=True):
            column.append(number)
        self.subsets.append(subset)
        self.weights.append(distribution.of_features())
        self.distribution = distribution

    def steps(self, names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
        """Yield every iteration in words and numbers."""
        for i, subset in enumerate(self.subsets):
            yield {
                "iteration": i + 1,
                "features": tuple(names[j] for j in subset.tolist()),
                "accuracy": self.accuracies[i],
                "mean": self.means[i],
                "deviation": self.deviations[i],
                "change": self.changes[i],
            }


def sigmoid(x: float) -> float:
    """Return ψ(x) = (1 − e^(−4x)) / (1 + e^(−4x)) = tanh 2x."""
    return math.tanh(2 * x)


def weight_change(
    accuracy: float, mean: float, deviation: float, *, size: int, n_features: int
) -> float:
    """Return δ = (|F| − k) / (|F| − 1) · ψ((acc − mean) / deviation), equation 8.

    0 if all accuracies are the same, and if a subset holds all features.
    """
    if n_features < 2 or deviation <= LEAST_DEVIATION:
        return 0.0
    pace = (n_features - size) / (n_features - 1)
    return max(pace * sigmoid((accuracy - mean) / deviation), LEAST_KEPT - 1)


def change_weights(
    distribution: Distribution, subset: Columns, change: float
) -> Distribution:
    """Return (1 + δ) w for what lies in the subset, scaled to sum 1."""
    seen = np.zeros(distribution.n_features, dtype=bool)
    seen[subset] = True
    whole = [bool(seen[group].all()) for group in distribution.groups]
    raised = np.concatenate([seen, np.array(whole, dtype=bool)])
    weights = distribution.weights * np.where(raised, 1 + change, 1.0)
    return replace(distribution, weights=weights / weights.sum())


def boost_features(
    training: Training,
    start: Distribution,
    size: int,
    rules: BoostingRules,
    *,
    n_jobs: int | None,
) -> BoostingHistory:
    """Try subsets drawn by weights that change with the accuracy they lead to.

    The random numbers of an iteration are made of its number, so that iterations before
    the first change can be run at the same time.
    """

    def try_subset(number: int, distribution: Distribution) -> tuple[Columns, float]:
        subset = distribution.draw(size, training.generator("boosting", number))
        # Members of the ensemble have the numbers from 0.
        own = -1 - number
        if rules.accuracy == "training":
            plan = MemberPlan(own, weights=training.given_weights, columns=subset)
        else:
            plan = MemberPlan(own, bag=training.draw_bag(own), columns=subset)
        return subset, _accuracy(training, training.grow(plan))

    waiting = min(rules.n_waiting, rules.n_iterations)
    early = iter(
        run_tasks(
            try_subset,
            ((number, start) for number in range(waiting)),
            n_jobs=n_jobs,
            shared_memory=True,
        )
    )
    history = BoostingHistory(start, weights=[start.of_features()])
    for number in range(rules.n_iterations):
        now = history.distribution
        subset, accuracy = next(early, None) or try_subset(number, now)
        former = history.accuracies
        known = [*former, accuracy] if rules.include_current else former or [accuracy]
        mean, deviation = float(np.mean(known)), float(np.std(known))
        change = 0.0
        if number >= rules.n_waiting:
            change = weight_change(
                accuracy, mean, deviation, size=size, n_features=now.n_features
            )
            now = change_weights(now, subset, change)
        history.record(now, subset, (accuracy, mean, deviation, change))
    return history


def _accuracy(training: Training, member: GrownMember) -> float:
    """Return the share of rows that a member gets right, out of its bag if it has one.

    A share of whole rows is the same number whichever rows it is.
    """
    right = member.codes == training.codes
    weights = training.given_weights
    if member.bag is not None and not member.bag.all():
        out = member.bag == 0
        right, weights = right[out], None if weights is None else weights[out]
    return float(np.average(right, weights=weights))


def subset_count(size: Any, n_features: int) -> int:
    """Return how many features a subset holds, from a checked number or share."""
    if isinstance(size, (int, np.integer)):
        return min(int(size), n_features)
    return min(max(2, int(size * n_features)), n_features)


def first_weights(n_features: int, groups: list[NDArray[np.intp]]) -> Distribution:
    """Return where weights start: half on the features, half on the groups if any."""
    if not groups:
        return Distribution(np.full(n_features, 1 / n_features))
    weights = np.repeat(
        [0.5 / n_features, 0.5 / len(groups)], [n_features, len(groups)]
    )
    return Distribution(weights, groups)
