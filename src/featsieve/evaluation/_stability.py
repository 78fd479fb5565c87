"""Does a selector choose the same features again? Stability of selections."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from featsieve._checks import check_numbers, check_real
from featsieve.exceptions import DataError


@dataclass(frozen=True, slots=True)
class Stability:
    """How alike repeated selections are.

    Parameters
    ----------
    value : float
        1 if all are the same, about 0 if they are as alike as by chance; NaN if it
        cannot be told, as when nothing or everything is always selected.
    low, high : float
        Interval of confidence.
    variance : float
        Of the value.
    n_selections : int
        Selections compared.

    Examples
    --------
    >>> from featsieve.evaluation import selection_stability
    >>> selection_stability([[1, 0, 0], [1, 0, 0]]).value
    1.0
    """

    value: float
    low: float
    high: float
    variance: float
    n_selections: int


def selection_stability(
    selections: ArrayLike, *, confidence: float = 0.95
) -> Stability:
    """Return how stable selections are, with an interval (Nogueira et al. 2018).

    With the share p of selections that hold a feature, k̄ the mean number selected of
    d, and M selections, it is ``1 - mean(M / (M - 1) p (1 - p)) / (k̄/d (1 - k̄/d))``.
    It corrects for chance, allows selections of different sizes, and equals
    Kuncheva's index if the sizes are the same.

    Parameters
    ----------
    selections : array-like of bool of shape (n_selections, n_features)
        One row per repetition: which features were selected.
    confidence : float, default=0.95
        Coverage of the interval, which is asymptotic in the number of selections.

    Returns
    -------
    Stability
        The value and its interval.

    Notes
    -----
    Selections from overlapping folds are not independent; the interval is then too
    narrow, and should be read as a lower bound of the doubt.

    References
    ----------
    Nogueira, S., Sechidis, K. and Brown, G. (2018). On the stability of feature
    selection algorithms. *Journal of Machine Learning Research* 18(174), 1–54,
    definition 4 and theorem 7.

    Examples
    --------
    >>> from featsieve.evaluation import selection_stability
    >>> chosen = [[1, 1, 0, 0, 0], [1, 0, 1, 0, 0], [1, 1, 0, 0, 0]]
    >>> round(selection_stability(chosen).value, 4)
    0.4444
    """
    check_real("confidence", confidence, "selection_stability", above=0, below=1)
    z = check_numbers("selections", selections, "selection_stability")
    if z.ndim != 2 or z.shape[0] < 2 or not z.shape[1]:
        raise DataError(
            "The 'selections' parameter of selection_stability must have one row per "
            "selection, at least two, and one column per feature. Got shape "
            f"{z.shape}."
        )
    if not np.isin(z, (0, 1)).all():
        raise DataError(
            "The 'selections' parameter of selection_stability must hold 0 and 1 only, "
            "1 where a feature is selected. Got "
            f"{z[~np.isin(z, (0, 1))][0]:g} among them."
        )
    m, d = z.shape
    share = z.mean(axis=0)
    sizes = z.sum(axis=1)
    mean_size = float(sizes.mean())
    chance = mean_size / d * (1 - mean_size / d)
    if chance == 0:
        nan = math.nan
        return Stability(nan, nan, nan, nan, m)
    value = 1 - float((m / (m - 1) * share * (1 - share)).mean()) / chance
    # Theorem 7: the value is asymptotically normal with this variance.
    parts = (
        z @ share / d
        - sizes * mean_size / d**2
        + value / 2 * (2 * mean_size * sizes / d**2 - sizes / d - mean_size / d + 1)
    ) / chance
    variance = 4 / m**2 * float(((parts - parts.mean()) ** 2).sum())
    half = float(stats.norm.ppf((1 + confidence) / 2)) * math.sqrt(variance)
    return Stability(value, value - half, value + half, variance, m)


def stability_difference(
    first: ArrayLike, second: ArrayLike
) -> tuple[float, float, float]:
    """Test whether two selectors are equally stable (Nogueira et al. 2018, section 4).

    Parameters
    ----------
    first, second : array-like of bool of shape (n_selections, n_features)
        Selections of both.

    Returns
    -------
    difference, statistic, p_value : float
        Stability of the first less that of the second, divided by its error, and the
        two-sided p-value of that.

    Examples
    --------
    >>> from featsieve.evaluation import stability_difference
    >>> steady = [[1, 1, 0, 0]] * 3 + [[1, 0, 1, 0]]
    >>> shaky = [[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]]
    >>> difference, statistic, p_value = stability_difference(steady, shaky)
    >>> round(difference, 3), p_value < 0.001
    (0.833, True)
    """
    a, b = selection_stability(first), selection_stability(second)
    difference = a.value - b.value
    error = (
        math.sqrt(a.variance + b.variance) if not math.isnan(difference) else math.nan
    )
    if error == 0:
        statistic = 0.0 if difference == 0 else math.copysign(math.inf, difference)
    else:
        statistic = difference / error
    return difference, statistic, 2 * float(stats.norm.sf(abs(statistic)))
