"""Parameter and target checks, and all the wording of their errors and warnings."""

from __future__ import annotations

import inspect
import math
import numbers
import operator
import sys
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Characters of a wrong value that an error repeats.
MOST_SHOWN = 160


def _owner(owner: object) -> str:
    return owner if isinstance(owner, str) else type(owner).__name__


def _fail(name: str, owner: object, must_be: str, value: Any) -> ValueError:
    return ValueError(
        f"The {name!r} parameter of {_owner(owner)} must be {must_be}. "
        f"Got {_shown(value)} instead."
    )


def _shown(value: Any) -> str:
    """Return `value` in one line that can be read; whole arrays cannot."""
    text = " ".join(repr(value).split())
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]} …"


def check_that(good: Any, name: str, value: Any, owner: object, must_be: str) -> None:
    """Raise unless `good`, saying what the parameter must be."""
    if not good:
        raise _fail(name, owner, must_be, value)


def check_choice(name: str, value: Any, choices: Sequence[Any], owner: object) -> None:
    """Raise unless `value` is one of `choices`."""
    if any(value is choice or _equal(value, choice) for choice in choices):
        return
    listed = ", ".join(repr(choice) for choice in choices)
    raise _fail(name, owner, f"one of {listed}", value)


def _equal(value: Any, choice: Any) -> bool:
    return isinstance(value, str) and isinstance(choice, str) and value == choice


def check_flag(name: str, value: Any, owner: object) -> bool:
    """Return `value` as a bool, or raise; ``"no"`` would be taken for true."""
    if not isinstance(value, (bool, np.bool_)):
        raise _fail(name, owner, "True or False", value)
    return bool(value)


def check_sequence(name: str, value: Any, owner: object, items: str) -> list[Any]:
    """Return the items of `value` as a list, or raise unless it holds some."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise _fail(name, owner, f"a list of {items}", value)
    try:
        return list(value)
    except TypeError:  # an array of no dimension
        raise _fail(name, owner, f"a list of {items}", value) from None


def check_function(name: str, value: Any, owner: object, of: str) -> None:
    """Raise unless `value` is None or can be called with what `of` says."""
    if value is not None and not callable(value):
        raise _fail(name, owner, f"a function of {of}, or None", value)


def check_learner(value: Any, owner: object) -> None:
    """Raise unless `value` is an estimator that can be copied, fitted and asked."""
    missing = [m for m in ("get_params", "fit", "predict") if not hasattr(value, m)]
    if missing or isinstance(value, type):
        name, must_be = "estimator", "an estimator such as C45Classifier()"
        raise _fail(name, owner, must_be, value)


def check_jobs(value: Any, owner: object) -> None:
    """Raise unless `value` is a number of jobs as joblib understands it."""
    good = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if value is not None and (not good or value == 0):
        name, must_be = "n_jobs", "an int >= 1, -1 for one per processor, or None"
        raise _fail(name, owner, must_be, value)


def check_seed(value: Any, owner: object) -> None:
    """Raise unless `value` is a seed as scikit-learn understands it; draws nothing."""
    if value is None or value is np.random or isinstance(value, np.random.RandomState):
        return
    if not isinstance(value, numbers.Integral) or value < 0:
        name, must_be = "random_state", "an int >= 0, a RandomState or None"
        raise _fail(name, owner, must_be, value)


def check_numbers(name: str, value: Any, owner: object) -> NDArray[np.float64]:
    """Return `value` as an array of float64, or raise unless it holds numbers only."""
    try:
        given = np.asarray(value)
        if given.dtype.kind == "c":  # of which the cast would drop a half
            given = given.astype(object)
        array: NDArray[np.float64] = given.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        shown = np.asarray(value, dtype=object).ravel()
        culprit = next((v for v in shown if not isinstance(v, numbers.Real)), value)
        raise _fail(name, owner, "an array of numbers", culprit) from None
    return array


def check_integer(
    name: str, value: Any, owner: object, *, at_least: int, most: int | None = None
) -> int:
    """Return `value` as an int, or raise unless it is one within the bounds."""
    good = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not good or value < at_least or (most is not None and value > most):
        bounds = f">= {at_least}" + ("" if most is None else f" and <= {most}")
        raise _fail(name, owner, f"an int {bounds}", value)
    return int(value)


def check_real(
    name: str,
    value: Any,
    owner: object,
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    most: float | None = None,
) -> float:
    """Return `value` as a float, or raise unless it is a number within the bounds."""
    good = isinstance(value, numbers.Real) and not isinstance(value, bool)
    bounds = []
    for sign, bound, holds in (
        (">", above, operator.gt),
        (">=", at_least, operator.ge),
        ("<", below, operator.lt),
        ("<=", most, operator.le),
    ):
        if bound is None:
            continue
        bounds.append(f"{sign} {bound}")
        good = good and holds(value, bound)
    if not good or math.isnan(value):
        must_be = f"a number {' and '.join(bounds)}".rstrip()
        raise _fail(name, owner, must_be, value)
    return float(value)


def check_unused(names: Sequence[str], owner: object, mode: str, way_out: str) -> None:
    """Raise if one of these parameters was set, which do nothing in this mode."""
    signature = inspect.signature(type(owner).__init__).parameters
    for name in names:
        value, default = getattr(owner, name), signature[name].default
        if value is not default and not np.array_equal(value, default):
            raise ValueError(
                f"The {name!r} parameter of {_owner(owner)} does nothing with {mode}. "
                f"Leave it out, or {way_out}. Got {_shown(value)}."
            )


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn, and name the line from which this library was called."""
    level, frame = 2, sys._getframe(1)
    while (
        frame.f_back is not None
        and frame.f_globals.get("__name__", "").partition(".")[0] == "featsieve"
    ):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
