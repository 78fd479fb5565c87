"""What is asked of a selection, checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from featsieve._checks import check_choice, check_integer, check_real
from featsieve._text import nearest
from featsieve.engine import root_seed
from featsieve.exceptions import DataError

__all__ = ["Settings", "check_costs", "check_settings"]


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
        time_budget = check_real(
            "time_budget", time_budget, owner, above=0, below=math.inf
        )
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
        near = nearest(strangers[0], names, 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        message = (
            f"'costs' names {strangers[0]!r}, which is no column of the table.{hint}"
        )
        raise DataError(message)
