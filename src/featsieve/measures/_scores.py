"""A measure is a function of a tally; scores are what it says of many columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from featsieve._checks import check_choice
from featsieve._types import Floats
from featsieve.exceptions import DataError
from featsieve.measures._entropy import Parts, ratio, tally_parts
from featsieve.measures._gain import (
    gain_ratio,
    information_gain,
    symmetrical_uncertainty,
)
from featsieve.tallies import Tally


def gini_gain(tally: Tally, *, missing: str = "level") -> float:
    """Return by how much a column lowers Gini's impurity of the class.

    The chance that two rows, drawn with replacement, differ in class, less the same
    within the levels of the column. CART splits by it.

    Parameters
    ----------
    tally : Tally
        Rows per level and class.
    missing : {"level", "ignore", "spread"}, default="level"
        What becomes of missing values, as in `information_gain`.

    Returns
    -------
    float
        Between 0 and 1 − 1 / n_classes.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen, C. Stone, "Classification and Regression
    Trees", 1984.

    Examples
    --------
    Quinlan's weather: outlook against play.

    >>> from featsieve.measures import gini_gain
    >>> from featsieve.tallies import Tally
    >>> round(gini_gain(Tally([[3, 2], [0, 4], [2, 3], [0, 0]])), 4)
    0.1163
    """
    counts = tally.settle(missing).counts.astype(np.float64)
    levels = counts.sum(axis=1, keepdims=True)
    total = levels.sum()
    if total == 0:
        return 0.0
    shares = counts / np.where(levels > 0, levels, 1.0)
    within = float((counts * shares).sum() / total)
    # Rounding is not gain.
    return max(0.0, within - float(((counts.sum(axis=0) / total) ** 2).sum()))


#: The measures that have a name. Any other function of a tally serves as well.
MEASURES: dict[str, Callable[..., Any]] = {
    "information_gain": information_gain,
    "gain_ratio": gain_ratio,
    "symmetrical_uncertainty": symmetrical_uncertainty,
    "gini_gain": gini_gain,
}

#: Measures that are made of entropies, which are found for many tallies at once.
FROM_PARTS: dict[str, Callable[[Parts], Floats]] = {
    "information_gain": lambda parts: parts.gain,
    "gain_ratio": lambda parts: ratio(parts.gain, parts.feature),
    "symmetrical_uncertainty": lambda parts: ratio(
        2 * parts.gain, parts.feature + parts.target
    ),
}


def check_measure(measure: Any, owner: object) -> None:
    """Raise unless it is the name of a measure or a function."""
    if not callable(measure):
        check_choice("measure", measure, (*MEASURES, "a function of a tally"), owner)


def measure_name(measure: Any) -> str:
    """Return the name of a measure, "module:function" if it has none of ours."""
    if isinstance(measure, str):
        return measure
    for name, function in MEASURES.items():
        if function is measure:
            return name
    inner = getattr(measure, "func", measure)  # of functools.partial
    name = getattr(inner, "__qualname__", type(inner).__name__)
    return f"{getattr(inner, '__module__', '?')}:{name}"


def score_tallies(
    tallies: Sequence[Tally],
    measure: Any,
    missing: str,
    names: Sequence[str] | None = None,
) -> Floats:
    """Return the score of every tally.

    A measure has a name, or is a function that takes a tally, none of whose values is
    missing any more, and returns a number. `names` are those of columns in errors.
    """
    if (name := measure_name(measure)) in FROM_PARTS:
        return FROM_PARTS[name](tally_parts(tallies, missing))
    function = MEASURES[measure] if isinstance(measure, str) else measure
    scores = np.empty(len(tallies))
    for j, tally in enumerate(tallies):
        where = f"column {j}" if names is None else f"column {names[j]!r}"
        settled = tally.settle(missing)
        # A column without any row tells nothing, and most functions divide by rows.
        scores[j] = _score(function, settled, where) if settled.table.any() else 0.0
    return scores


def _score(function: Callable[[Tally], Any], tally: Tally, where: str) -> float:
    """Return what a function says of a tally, or whose fault it is that it does not."""
    name = measure_name(function)
    try:
        found = function(tally)
    except Exception as error:
        raise DataError(
            f"Measure {name} failed on {where}: {type(error).__name__}: {error}"
        ) from error
    try:
        score = float(found)
    except (TypeError, ValueError):
        score = math.nan
    if not math.isfinite(score):
        raise DataError(
            f"Measure {name} must return a finite number. For {where} it returned "
            f"{found!r}."
        )
    return score
