"""What is asked of a selection, checked, and what a bound on time leaves of it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from featsieve._checks import check_choice, check_integer, check_real
from featsieve.engine import root_seed
from featsieve.exceptions import DataError
from featsieve.measures import pairwise_gain
from featsieve.sieve._material import Material

__all__ = ["Plan", "Settings", "check_costs", "check_settings", "make_plan"]

#: Rows that tests are made on: so many show an effect of a thousandth of a bit.
MOST_ROWS = 20_000

#: Rows that a forest is grown on; its shadows are copies of the table.
FOREST_ROWS = 5_000

#: Never fewer, however little time there is.
LEAST_ROWS = 500
LEAST_TREES = 50

#: Pair scans with permuted classes, at most and as a rule.
TYPICAL_SCANS = 40


@dataclass(frozen=True, slots=True)
class Settings:
    """The parameters of a selection, checked."""

    max_features: int | None = None
    fdr: float = 0.05
    method: Any = "auto"
    time_budget: float | None = None
    seed: int = 0
    n_jobs: int | None = None
    costs: Mapping[str, float] = field(default_factory=dict)


def check_settings(
    owner: str,
    *,
    max_features: Any,
    fdr: Any,
    method: Any,
    time_budget: Any,
    random_state: Any,
    n_jobs: Any,
    costs: Any,
) -> Settings:
    """Return the parameters, or say which is wrong and how to put it right."""
    if max_features is not None:
        max_features = check_integer("max_features", max_features, owner, at_least=1)
    fdr = check_real("fdr", fdr, owner, above=0, below=1)
    if time_budget is not None:
        time_budget = check_real("time_budget", time_budget, owner, above=0)
    if isinstance(method, str):
        check_choice("method", method, ("auto",), owner)
    elif isinstance(method, type) or not (
        hasattr(method, "fit") and hasattr(method, "get_support")
    ):
        message = (
            f"The 'method' parameter of {owner} must be 'auto' or a selector with "
            f"`fit` and `get_support`. Got {method!r} instead."
        )
        raise ValueError(message)
    if costs is not None and not isinstance(costs, Mapping):
        message = (
            f"The 'costs' parameter of {owner} must map names of columns to numbers. "
            f"Got {costs!r} instead."
        )
        raise ValueError(message)
    checked = {
        str(name): check_real("costs", cost, owner, at_least=0)
        for name, cost in (costs or {}).items()
    }
    return Settings(
        max_features,
        fdr,
        method,
        time_budget,
        root_seed(random_state),
        n_jobs,
        checked,
    )


def check_costs(costs: Mapping[str, float], names: tuple[str, ...]) -> None:
    """Raise unless every cost is that of a column."""
    strangers = [name for name in costs if name not in names]
    if strangers:
        message = f"'costs' names {strangers[0]!r}, which is no column of the table."
        raise DataError(message)


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is computed; `told` says what was left out for want of time."""

    n_rows: int
    forest_rows: int
    most_draws: int | None = None
    most_triples: int = 100_000
    n_trees: int | None = None
    told: tuple[str, ...] = ()


def make_plan(material: Material, budget: float | None, started: float) -> Plan:
    """Return how much of the work fits into the time, by trying a little of it.

    Rows, permutations, triples and trees are cut down, in this order; the error rate
    never is: with less evidence less is found, not more by mistake.
    """
    whole = Plan(material.n_rows, min(FOREST_ROWS, material.n_rows))
    if budget is None:
        return whole
    left = max(budget - (time.perf_counter() - started), 0.01)
    trial = material.sample(min(material.n_rows, LEAST_ROWS))
    begin = time.perf_counter()
    if material.n_features > 1:
        pairwise_gain(trial.codes_for(2), trial.classes, n_jobs=trial.n_jobs, top=1)
    scan = max(time.perf_counter() - begin, 1e-4) / trial.n_rows
    told: list[str] = []
    fits = int(0.25 * left / (TYPICAL_SCANS * scan))
    n_rows = int(np.clip(fits, min(LEAST_ROWS, material.n_rows), material.n_rows))
    plan = replace(whole, n_rows=n_rows, forest_rows=min(n_rows, whole.forest_rows))
    if n_rows < material.n_rows:
        told.append(f"{n_rows:,} of {material.n_rows:,} rows were used")
    scale = left / max(TYPICAL_SCANS * scan * n_rows, 1e-9) / 4
    if scale < 4:
        plan = replace(plan, most_draws=20_000, most_triples=5_000)
        told.append("fewer permutations were drawn and fewer triples looked at")
    trees_fit = int(left * 20_000_000 / (material.n_features + 20) / n_rows / 40)
    if trees_fit < 2 * material.n_features and trees_fit < 1000:
        plan = replace(plan, n_trees=max(LEAST_TREES, trees_fit))
        told.append(f"the forest has {plan.n_trees} trees")
    return replace(plan, told=tuple(told))
