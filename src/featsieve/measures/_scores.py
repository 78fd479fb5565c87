"""What columns tell about a class, in bits: gains, ratios, uncertainty, interaction."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from featsieve._checks import check_choice
from featsieve._docs import described_like
from featsieve._kernels import expected_information
from featsieve._types import Array, Codes, Floats, Ints
from featsieve.exceptions import DataError
from featsieve.measures._codes import as_codes, as_column, joint_codes, shaped
from featsieve.measures._entropy import Parts, find_parts, ratio, tally_parts
from featsieve.tallies import Tally

CORRECTIONS = (None, "miller_madow", "permutation")

#: Codes up to this are counted in place.
FEW_CODES = 1 << 12

#: A share of the entropies below which a difference from chance is rounding.
CHANCE_IS_ALL = 1e-11


def information_gain(
    x: ArrayLike | Tally,
    target: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    missing: str = "level",
    correction: str | None = None,
    scale_by_known: bool = False,
) -> Any:
    """Return how many bits each column tells about the class: H(y) − H(y | x).

    Parameters
    ----------
    x : array-like of int of shape (n_rows,) or (n_rows, n_features), or Tally
        Codes from 0 up; negative is missing. A matrix gives one gain per column; uint8,
        uint16 and int32 are read in place, column-major fastest. A tally, which has
        counted target and weights already, gives the same bits as its rows.
    target : array-like of int of shape (n_rows,), default=None
        Class codes; None only for a tally.
    weights : array-like of float of shape (n_rows,), default=None
        Weight of each row.
    missing : {"level", "ignore", "spread"}, default="level"
        ``"level"``: missing is one more value. ``"ignore"``: rows with a missing value
        are left out, column by column. ``"spread"``: they are shared out over the
        values, class by class, in proportion to how frequent these are (as Weka does).
    correction : {None, "miller_madow", "permutation"}, default=None
        The plug-in estimate favours columns of many levels: an irrelevant one gains
        about (levels − 1)(classes − 1) / (2 n ln 2). ``"miller_madow"`` corrects the
        three entropies to first order; ``"permutation"`` takes away the exact mean over
        all permutations of the class. Corrected gains may be negative.
    scale_by_known : bool, default=False
        Multiply by the share of rows whose value is known, as C4.5 does.

    Returns
    -------
    float or ndarray of shape (n_features,)
        Bits.

    See Also
    --------
    joint_information_gain : Gain of several columns together.
    pairwise_gain : Gain and synergy of all pairs.

    Notes
    -----
    Cost: one pass over the codes.

    Examples
    --------
    Quinlan's weather: outlook (sunny, overcast, rainy) against play.

    >>> from featsieve.measures import information_gain
    >>> outlook = [0, 0, 1, 2, 2, 2, 1, 0, 0, 2, 0, 1, 1, 2]
    >>> play = [0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0]
    >>> round(information_gain(outlook, play), 4)
    0.2467

    The same from counts, by outlook and play, with none missing:

    >>> from featsieve.tallies import Tally
    >>> round(information_gain(Tally([[3, 2], [0, 4], [2, 3], [0, 0]])), 4)
    0.2467
    """
    check_choice("correction", correction, CORRECTIONS, "information_gain")
    parts, single = find_parts(x, target, weights, missing)
    gains = parts.gain
    if correction == "miller_madow":
        excess = parts.levels + parts.classes - parts.cells - 1
        gains = gains + ratio(excess, 2 * np.log(2) * parts.known)
    elif correction == "permutation":
        gains = gains - _permutation_means(x, target, weights, missing)
    if scale_by_known:
        gains = gains * ratio(parts.known, parts.total)
    return shaped(gains, single)


def _permutation_means(
    x: ArrayLike | Tally,
    target: ArrayLike | None,
    weights: ArrayLike | None,
    missing: str,
) -> Floats:
    weighted = isinstance(x, Tally) and x.table.dtype != np.int64
    if weights is not None or weighted or missing == "spread":
        raise ValueError(
            "correction='permutation' needs whole counts. Got weights or "
            "missing='spread'; leave them out, or use correction='miller_madow'."
        )
    if isinstance(x, Tally):
        table = x.settle(missing).table
        totals = [np.ascontiguousarray(table.sum(axis=axis)) for axis in (1, 0)]
        return np.array([expected_information(*totals)])
    codes = as_codes(x, "x")
    matrix = codes[:, np.newaxis] if codes.ndim == 1 else codes
    other = as_column(target, "target")  # type: ignore[arg-type]  # find_parts looked
    return np.array([chance_information(c, other, missing) for c in matrix.T])


def chance_information(x: Array, target: Codes, missing: str = "ignore") -> float:
    """Return the mean gain, in bits, over all permutations of the class."""
    first, second = x, target
    if missing == "ignore":
        known = first >= 0
        if second.min(initial=0) < 0:
            known &= second >= 0
        if not known.all():
            first, second = first[known], second[known]
    return expected_information(_totals(first), _totals(second))


def _totals(codes: Array) -> Ints:
    """Return how often each code occurs; missing is a code like any other."""
    gaps = codes.min(initial=0) < 0
    if codes.max(initial=0) <= FEW_CODES + len(codes):
        counted = np.bincount(codes.astype(np.int64) + 1 if gaps else codes)
    else:  # a few rows with great codes
        counted = np.unique(codes, return_counts=True)[1]
    return counted.astype(np.int64, copy=False)


def joint_information_gain(
    columns: ArrayLike,
    target: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    missing: str = "level",
    correction: str | None = None,
) -> float:
    """Return how many bits several columns together tell about the class.

    Parameters
    ----------
    columns : array-like of int of shape (n_rows, n_features)
        Codes; negative is missing.
    target, weights, correction
        As for `information_gain`; corrections matter more here, since cells are many.
    missing : {"level", "ignore"}, default="level"
        Whether missing is one more value of its column, or rows with any missing value
        are left out.

    Returns
    -------
    float
        Bits.

    Examples
    --------
    Neither bit of an exclusive or tells anything; both together tell all.

    >>> from featsieve.measures import information_gain, joint_information_gain
    >>> bits = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> differ = [0, 1, 1, 0]
    >>> information_gain(bits, differ)
    array([0., 0.])
    >>> joint_information_gain(bits, differ)
    1.0
    """
    check_choice("missing", missing, ("level", "ignore"), "joint_information_gain")
    matrix = as_codes(columns, "columns")
    if matrix.ndim != 2:
        raise ValueError(f"columns must be a matrix of codes. Got {matrix.ndim} axes.")
    if matrix.shape[1] == 0:
        return 0.0
    joint = joint_codes(*matrix.T, missing=missing)
    gain = information_gain(
        joint, target, weights=weights, missing="ignore", correction=correction
    )
    return float(gain)


@described_like(information_gain)
def split_information(
    x: ArrayLike | Tally,
    target: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    missing: str = "level",
) -> Any:
    """Return how many bits it takes to say a column's own value: H(x).

    Examples
    --------
    >>> from featsieve.measures import split_information
    >>> split_information([0, 1, 2, 3], [0, 0, 1, 1])
    2.0
    """
    parts, single = find_parts(x, target, weights, missing)
    return shaped(parts.feature, single)


@described_like(information_gain)
def gain_ratio(
    x: ArrayLike | Tally,
    target: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    missing: str = "level",
) -> Any:
    """Return the gain as a share of the column's own entropy; 0 if that is 0.

    Returns
    -------
    float or ndarray of shape (n_features,)
        Between 0 and 1.

    Examples
    --------
    >>> from featsieve.measures import gain_ratio
    >>> gain_ratio([0, 1, 2, 3], [0, 0, 1, 1])
    0.5
    """
    parts, single = find_parts(x, target, weights, missing)
    return shaped(ratio(parts.gain, parts.feature), single)


def symmetrical_uncertainty(
    x: ArrayLike | Tally,
    target: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    missing: str = "level",
    correction: str | None = None,
) -> Any:
    """Return 2 · gain / (H(x) + H(y)): 0 for independent, 1 for equivalent columns.

    Parameters
    ----------
    x, target, weights, missing
        As for `information_gain`; the target may be another feature, and missing too.
    correction : {None, "permutation"}, default=None
        Columns of many levels seem to tell much, an identifier all.
        ``"permutation"`` takes the mean gain over all permutations of the class, E,
        from both sides of the fraction: (gain − E) / ((H(x) + H(y)) / 2 − E). That is 0
        on average for independent columns, 1 for equivalent ones, and may be negative.

    Returns
    -------
    float or ndarray of shape (n_features,)
        Between 0 and 1, without `correction`.

    References
    ----------
    N. X. Vinh, J. Epps, J. Bailey, "Information theoretic measures for clusterings
    comparison", JMLR 11, 2010, for the correction.

    Examples
    --------
    >>> from featsieve.measures import symmetrical_uncertainty
    >>> symmetrical_uncertainty([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    >>> symmetrical_uncertainty([0, 1, 2, 3], [1, 1, 0, 0])  # a name for each row
    0.6666666666666666
    >>> symmetrical_uncertainty([0, 1, 2, 3], [1, 1, 0, 0], correction="permutation")
    0.0
    """
    owner = "symmetrical_uncertainty"
    check_choice("correction", correction, (None, "permutation"), owner)
    parts, single = find_parts(x, target, weights, missing)
    if correction is None:
        return shaped(ratio(2 * parts.gain, parts.feature + parts.target), single)
    means = _permutation_means(x, target, weights, missing)
    return shaped(less_chance(parts, means), single)


def less_chance(parts: Parts, means: Floats) -> Floats:
    """Return symmetrical uncertainty less what chance gains; 0 if it gains all."""
    above = parts.gain - means
    below = (parts.feature + parts.target) / 2 - means
    # Where every row has a name of its own on both sides nothing is left but rounding.
    some = below > CHANCE_IS_ALL * (parts.feature + parts.target)
    above = np.where(np.abs(above) < CHANCE_IS_ALL * parts.target, 0.0, above)
    return np.divide(above, below, out=np.zeros_like(above), where=some)


def interaction_information(
    first: ArrayLike,
    second: ArrayLike,
    target: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    missing: str = "level",
) -> float:
    """Return what two columns tell together beyond what each tells alone.

    IG(first & second) − IG(first) − IG(second): positive is synergy, negative is
    redundancy.

    Parameters
    ----------
    first, second : array-like of int of shape (n_rows,)
        Codes; negative is missing.
    target, weights, missing
        As for `joint_information_gain`.

    Returns
    -------
    float
        Bits.

    See Also
    --------
    pairwise_gain : The same for all pairs at once.

    Examples
    --------
    >>> from featsieve.measures import interaction_information
    >>> interaction_information([0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0])
    1.0
    >>> interaction_information([0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1])
    -1.0
    """
    matrix = np.column_stack([as_column(first, "first"), as_column(second, "second")])
    classes = as_column(target, "target")
    if missing == "ignore":
        known = (matrix >= 0).all(axis=1)
        matrix, classes = matrix[known], classes[known]
        weights = None if weights is None else np.asarray(weights)[known]
    alone = information_gain(matrix, classes, weights=weights, missing=missing)
    together = joint_information_gain(matrix, classes, weights=weights, missing=missing)
    return float(together - alone.sum())


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
