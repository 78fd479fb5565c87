"""Which columns a member sees: weights of features, given or boosted, and draws.

Feature boosting is H. Bommaganti's; table 3 and equation 8 of his thesis.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import chi2

from featsieve._types import Floats, Positions
from featsieve.data.api import Training as Evidence
from featsieve.engine import run_tasks
from featsieve.ensembles._members import Columns, MemberPlan
from featsieve.ensembles._training import GrownMember, Training
from featsieve.exceptions import DataError
from featsieve.inference.api import BINS_WITHOUT_CUT, ScanInput, code_columns
from featsieve.measures import pairwise_gain

#: Pairs that may be drawn: those of greatest joint gain.
MOST_PAIRS = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """Weights of features, then of groups of features that are drawn together."""

    weights: Floats  # not negative
    groups: Sequence[Positions] = ()

    @property
    def n_features(self) -> int:
        """How many features there are."""
        return len(self.weights) - len(self.groups)

    def of_features(self) -> Floats:
        """Return the weight of every feature, sum 1; groups share theirs out."""
        shares = self.weights[: self.n_features].copy()
        for group, weight in zip(
            self.groups, self.weights[self.n_features :], strict=True
        ):
            shares[group] += weight / len(group)
        total = shares.sum()
        return shares / total if total > 0 else np.full_like(shares, 1 / len(shares))

    def draw(self, size: int, generator: np.random.Generator) -> Columns:
        """Return that many different features, in ascending order.

        They are drawn one after another by weight, those drawn being out of the game:
        the first of exponential clocks that run at these speeds to ring, which is the
        law of the greatest keys u^(1/w). What has weight 0 is drawn when nothing else
        is left. A group that has no room any more is passed over.
        """
        clocks = generator.standard_exponential(len(self.weights))
        speeds = self.weights / max(self.weights.max(), np.finfo(float).tiny)
        rings = np.full_like(clocks, np.inf)
        with np.errstate(over="ignore"):
            np.divide(clocks, speeds, out=rings, where=speeds > 0)
        order = np.lexsort((clocks, rings))
        if not len(self.groups):
            return np.sort(order[:size]).astype(np.uint32)
        drawn: set[int] = set()
        for unit in order.tolist():
            if unit < self.n_features:
                drawn.add(unit)
            else:
                fresh = drawn.union(self.groups[unit - self.n_features].tolist())
                drawn = fresh if len(fresh) <= size else drawn
            if len(drawn) == size:
                break
        return np.array(sorted(drawn), dtype=np.uint32)


def even_distribution(n_features: int, features: Any = None) -> Distribution:
    """Return equal weights of all features, or of these and 0 of the others."""
    weights = np.zeros(n_features)
    weights[slice(None) if features is None else features] = 1
    return Distribution(weights / weights.sum())


def distribution_of_array(given: Any, n_features: int, owner: str) -> Distribution:
    """Return weights that a user gave, checked."""
    try:
        weights = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.empty((0, 0))
    good = weights.shape == (n_features,)
    good = good and bool(np.isfinite(weights).all() and weights.min() >= 0)
    if not good or not weights.any():
        raise DataError(
            f"The 'strategy' parameter of {owner}, if it is an array, must hold one "
            f"weight for each of the {n_features} features, finite, not negative and "
            f"not all 0. Got {given!r} instead."
        )
    scaled = weights / weights.max()  # first, because the sum may overflow
    return Distribution(scaled / scaled.sum())


def distribution_of_pairs(training: Evidence, n_jobs: int | None) -> Distribution:
    """Return weights of pairs by what they tell together, and of features alone.

    A weight is the gain in bits less what the best of as many that tell nothing would
    reach: the chance gain of a table is about χ² / (2 n ln 2).
    """
    columns, _, _ = code_columns(training, None, bins_without_cut=BINS_WITHOUT_CUT)
    data = ScanInput(columns.codes, columns.classes, columns.weights, "level", n_jobs)
    n_features = data.n_features
    if n_features < 2:
        return even_distribution(n_features)
    n_pairs = n_features * (n_features - 1) // 2
    pairs = pairwise_gain(
        columns.codes,
        columns.classes,
        top=min(MOST_PAIRS, n_pairs),
        by="joint_gain",
        weights=columns.weights,
        n_jobs=n_jobs,
    )

    def beyond_chance(gains: Floats, cells: Floats, count: int) -> Floats:
        """Return gains less what the best of `count` gains by chance would be."""
        freedom = np.maximum((cells - 1) * (training.target.n_classes - 1), 0.5)
        chance = chi2.isf(1 / (count + 1), freedom) / (2 * np.log(2) * data.total)
        return np.maximum(gains - chance, 0.0)

    levels = np.maximum(data.levels_present(), 1)
    cells = np.minimum(levels[pairs.first] * levels[pairs.second], data.total)
    alone = beyond_chance(pairs.gain, levels, n_features)
    weights = np.append(alone, beyond_chance(pairs.joint_gain, cells, n_pairs))
    groups = np.column_stack([pairs.first, pairs.second]).astype(np.intp)
    return Distribution(weights, list(groups))


#: Accuracies that differ by less are the same; their deviation is then rounding.
LEAST_DEVIATION = 1e-12
#: A weight keeps at least this part of itself, also where ψ is rounded to -1.
LEAST_KEPT = 1e-9


class Iteration(NamedTuple):
    """A subset that was tried, and what its accuracy did to the weights (δ)."""

    subset: Columns
    accuracy: float
    mean: float
    deviation: float
    change: float


@dataclass(slots=True, eq=False)
class BoostingHistory:
    """What was tried, and the weights of the features before, and after each time."""

    distribution: Distribution
    iterations: list[Iteration]
    weights: list[Floats]

    def steps(self, names: tuple[str, ...]) -> list[dict[str, Any]]:
        """Return every iteration in words and numbers."""
        return [
            {
                "iteration": number,
                "features": tuple(names[j] for j in subset.tolist()),
                **dict(zip(Iteration._fields[1:], numbers, strict=True)),
            }
            for number, (subset, *numbers) in enumerate(self.iterations, start=1)
        ]


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
    *,
    n_iterations: int,
    n_waiting: int,
    accuracy: str = "training",
    include_current: bool = True,
    n_jobs: int | None,
) -> BoostingHistory:
    """Try subsets drawn by weights that change with the accuracy they lead to.

    The first `n_waiting` change nothing, and so are tried at the same time: the random
    numbers of an iteration are made of its number. Parameters are those of
    `featsieve.selectors.FeatureBoostingSelector`.
    """

    def try_subset(number: int, distribution: Distribution) -> tuple[Columns, float]:
        subset = distribution.draw(size, training.generator("boosting", number))
        # Members of the ensemble have the numbers from 0.
        own = -1 - number
        if accuracy == "training":
            plan = MemberPlan(own, weights=training.given_weights, columns=subset)
        else:
            plan = MemberPlan(own, bag=training.draw_bag(own), columns=subset)
        return subset, _accuracy(training, training.grow(plan))

    waiting = ((number, start) for number in range(min(n_waiting, n_iterations)))
    early = iter(run_tasks(try_subset, waiting, n_jobs=n_jobs, shared_memory=True))
    history = BoostingHistory(start, [], [start.of_features()])
    for number in range(n_iterations):
        now = history.distribution
        subset, own = next(early, None) or try_subset(number, now)
        former = [each.accuracy for each in history.iterations]
        known = [*former, own] if include_current else former or [own]
        mean, deviation = float(np.mean(known)), float(np.std(known))
        change = 0.0
        if number >= n_waiting:
            change = weight_change(
                own, mean, deviation, size=size, n_features=now.n_features
            )
            history.distribution = change_weights(now, subset, change)
        history.iterations.append(Iteration(subset, own, mean, deviation, change))
        history.weights.append(history.distribution.of_features())
    return history


def _accuracy(training: Training, member: GrownMember) -> float:
    """Return the share of rows that a member gets right, out of its bag if any."""
    right = member.codes == training.codes
    weights = training.given_weights
    if member.bag is not None and not member.bag.all():
        out = member.bag == 0
        right, weights = right[out], None if weights is None else weights[out]
    return float(np.average(right, weights=weights))


def check_size(size: Any, owner: object, *, automatic: bool) -> None:
    """Raise unless a subset size is a number or a share, or "auto" where allowed."""
    whole = isinstance(size, numbers.Integral) and not isinstance(size, bool)
    share = isinstance(size, numbers.Real) and not isinstance(size, numbers.Integral)
    if (whole and size >= 1) or (share and 0 < size <= 1):
        return
    if automatic and isinstance(size, str) and size == "auto":
        return
    choices = "an int >= 1, or a share > 0 and <= 1"
    if automatic:
        choices = "an int >= 1, a share > 0 and <= 1, or 'auto'"
    raise ValueError(
        f"The 'subset_size' parameter of {type(owner).__name__} must be {choices}. "
        f"Got {size!r} instead."
    )


def subset_count(size: Any, n_features: int) -> int:
    """Return how many features a subset holds, from a checked number or share."""
    if isinstance(size, (int, np.integer)):
        return min(int(size), n_features)
    return min(max(2, int(size * n_features)), n_features)


def first_weights(n_features: int, groups: list[Positions]) -> Distribution:
    """Return where weights start: half on the features, half on the groups if any."""
    if not groups:
        return Distribution(np.full(n_features, 1 / n_features))
    counts = [n_features, len(groups)]
    return Distribution(np.repeat(np.divide(0.5, counts), counts), groups)
