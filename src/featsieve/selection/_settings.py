"""What is asked of a selection: parameters, checked, and code that asks again."""

from __future__ import annotations

import inspect
import math
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from featsieve._checks import check_choice, check_flag, check_integer, check_real
from featsieve._text import nearest
from featsieve.data import read_table
from featsieve.engine import root_seed
from featsieve.exceptions import DataError

#: Options on rows, if nothing is said.
ROWS = {"groups": "auto", "time": None, "strata": None, "sample_weight": None}


@dataclass(frozen=True, slots=True)
class Settings:
    """The parameters of a selection, checked."""

    max_selected: int | None = None
    fdr: float = 0.05
    method: Any = "auto"
    min_features: int | None = None
    include_possible: bool = False
    time_budget: float | None = None
    seed: int = 0
    n_jobs: int | None = None
    costs: Mapping[str, float] = field(default_factory=dict)


def check_settings(
    owner: str,
    *,
    max_selected: Any,
    fdr: Any,
    method: Any,
    min_features: Any,
    include_possible: Any,
    time_budget: Any,
    random_state: Any,
    n_jobs: Any,
    costs: Any,
) -> Settings:
    """Return the parameters, or say which is wrong and how to put it right."""
    if max_selected is not None:
        max_selected = check_integer("max_selected", max_selected, owner, at_least=1)
    if min_features is not None:
        min_features = check_integer("min_features", min_features, owner, at_least=1)
    if None not in (min_features, max_selected) and min_features > max_selected:
        message = (
            f"The 'min_features' parameter of {owner} is {min_features}, and "
            f"'max_selected' is {max_selected}. Ask for no more than may be kept."
        )
        raise ValueError(message)
    include_possible = check_flag("include_possible", include_possible, owner)
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
    elif min_features is not None or include_possible:
        name = "include_possible" if min_features is None else "min_features"
        message = (
            f"The '{name}' parameter of {owner} needs the p-values of method='auto'; "
            "leave it out, or set it on the selector itself if that has it."
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
        max_selected,
        fdr,
        method,
        min_features,
        include_possible,
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


def check_minimum(least: int | None, n_usable: int, n_columns: int) -> None:
    """Raise unless so many columns can be kept at all."""
    if least is None or least <= n_usable:
        return
    way_out = f"Ask for at most {n_usable}" if n_usable else "Leave it out"
    message = (
        f"'min_features' is {least}, but only {n_usable} of {n_columns} columns can be "
        f"used. {way_out}."
    )
    raise DataError(message)


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked, for the record.

    `parameters` are plain data, `source` is what people call the table, and `code` are
    the lines that ask again.
    """

    parameters: dict[str, Any]
    source: str | None
    code: str

    @classmethod
    def of(
        cls, data: Any, target: Any, settings: Settings, reading: dict[str, Any]
    ) -> Question:
        """Return what was asked about some data, with options of `read_table`."""
        usual = inspect.signature(read_table).parameters
        defaults = {
            name: usual[name].default if name in usual else ROWS[name]
            for name in reading
        } | {
            name: getattr(Settings(), name)
            for name in (
                "max_selected",
                "fdr",
                "method",
                "min_features",
                "include_possible",
                "costs",
                "time_budget",
            )
        }
        asked = {
            "max_selected": settings.max_selected,
            "fdr": settings.fdr,
            "method": settings.method,
            "min_features": settings.min_features,
            "include_possible": settings.include_possible,
            "costs": settings.costs,
            **reading,
            "time_budget": settings.time_budget,
            "random_state": settings.seed,
        }
        code = _repeating_code(data, target, asked, defaults)
        is_column = isinstance(target, (str, int, np.integer))
        told = {
            "target": target if is_column else None,
            "method": str(settings.method),
            "costs": dict(settings.costs) or None,
        }
        return cls({"target": None} | asked | told, _shown_name(data), code)


def names_files(data: Any) -> bool:
    """Whether data is the path of a file, a folder or a pattern, or a list of them."""
    if isinstance(data, (list, tuple)):
        return bool(data) and all(isinstance(item, (str, os.PathLike)) for item in data)
    return isinstance(data, (str, os.PathLike))


def _shown_name(data: Any) -> str | None:
    """Return what people call files; what is in memory has no name."""
    if not names_files(data):
        return None
    first, *others = data if isinstance(data, (list, tuple)) else [data]
    name = Path(first).name or None
    return f"{name} and {len(others)} more" if others else name


def _repeating_code(
    data: Any, target: Any, asked: Mapping[str, Any], defaults: Mapping[str, Any]
) -> str:
    """Return lines that give the same selection.

    What stands in memory is called `data`, and what code cannot spell by the name of
    its parameter. Options that have their default are left out, but for the seed.
    """
    writer = _Writer()
    words = ["data"]
    if names_files(data):
        listed = isinstance(data, (list, tuple))
        words = [repr([os.fspath(x) for x in data] if listed else os.fspath(data))]
    if isinstance(target, (str, int, np.integer)):
        words.append(f"target={writer.spell(target)}")
    elif target is not None:  # else the table has one
        words.append("target=target")
    for name, value in asked.items():
        same = name in defaults and _same(value, defaults[name])
        if name == "random_state" or not same:
            words.append(f"{name}={writer.spell_or_name(value, name)}")
    imported = sorted((home, name) for name, home in writer.imports.items())
    lines = ["import featsieve", *(f"from {a} import {b}" for a, b in imported)]
    call = f"selection = featsieve.select({', '.join(words)})"
    return "\n".join([*lines, "", call, ""])


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and value == default)


class _UnspeakableError(Exception):
    """A value that lasts no longer than the process."""


@dataclass(slots=True)
class _Writer:
    """Spells values as Python does, and keeps the imports that they need."""

    imports: dict[str, str] = field(default_factory=dict)

    def spell_or_name(self, value: Any, name: str) -> str:
        before = dict(self.imports)
        try:
            return self.spell(value)
        except _UnspeakableError:
            self.imports = before
            return name

    def spell(self, value: Any) -> str:
        """Return an expression for a value."""
        if isinstance(value, (np.generic, np.ndarray)):
            value = value.tolist()
        if isinstance(value, float) and not math.isfinite(value):
            return f"float('{value}')"
        if value is None or isinstance(value, (bool, int, float, str)):
            return repr(str(value) if isinstance(value, str) else value)
        if isinstance(value, (Mapping, tuple, list, set, frozenset)):
            return self._spell_collection(value)
        if hasattr(value, "get_params") and not isinstance(value, type):
            return self._spell_estimator(value)
        return self._import(value)

    def _spell_collection(self, value: Any) -> str:
        if isinstance(value, Mapping):
            pairs = (f"{self.spell(k)}: {self.spell(v)}" for k, v in value.items())
            return f"{{{', '.join(pairs)}}}"
        if isinstance(value, tuple):
            inner = ", ".join(map(self.spell, value))
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        return f"[{', '.join(map(self.spell, value))}]"

    def _spell_estimator(self, estimator: Any) -> str:
        kind = type(estimator)
        known = inspect.signature(kind).parameters
        words = [
            f"{name}={self.spell(value)}"
            for name, value in estimator.get_params(deep=False).items()
            if name not in known or not _same(value, known[name].default)
        ]
        return f"{self._import(kind)}({', '.join(words)})"

    def _import(self, thing: Any) -> str:
        """Return the name of a class or function, imported from where it is public."""
        name: str | None = getattr(thing, "__qualname__", None)
        module = getattr(thing, "__module__", None) or "__main__"
        if name is None or not name.isidentifier() or module == "__main__":
            raise _UnspeakableError
        parts = module.split(".")
        homes = [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
        homes.sort(key=lambda home: "._" in home)  # stable: public ones first
        for home in homes:
            if getattr(sys.modules.get(home), name, None) is thing:
                if self.imports.setdefault(name, home) != home:
                    break
                return name
        raise _UnspeakableError
