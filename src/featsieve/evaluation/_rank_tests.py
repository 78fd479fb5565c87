"""Many models on many data sets: Friedman's test, Nemenyi's critical difference."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from featsieve._checks import check_integer, check_numbers, check_real
from featsieve._docs import described_like
from featsieve._types import Floats
from featsieve.exceptions import DataError


@dataclass(frozen=True, slots=True, eq=False)
class RankVerdict:
    """What Friedman's test says about several models.

    Parameters
    ----------
    mean_ranks : ndarray of float64 of shape (n_models,)
        Mean rank of each model; 1 is the best.
    n_blocks : int
        Data sets the ranks are means of.
    statistic, p_value : float
        Friedman's chi-square, corrected for ties.
    f_statistic, f_p_value : float
        Iman and Davenport's F of it, which is less conservative.

    Examples
    --------
    >>> from featsieve.evaluation import friedman_test
    >>> verdict = friedman_test([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8]])
    >>> verdict.mean_ranks.round(2).tolist()
    [1.0, 2.33, 2.67]
    """

    mean_ranks: Floats
    n_blocks: int
    statistic: float
    p_value: float
    f_statistic: float
    f_p_value: float


def friedman_test(scores: ArrayLike) -> RankVerdict:
    """Rank models on many data sets, and test whether all score the same.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_models)
        Greater is better; at least two data sets and two models.

    Returns
    -------
    RankVerdict
        The ranks and the tests.

    References
    ----------
    Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets.
    *Journal of Machine Learning Research* 7, 1–30, section 3.2.2.

    Examples
    --------
    >>> from featsieve.evaluation import friedman_test
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.7, 0.6, 0.5]]
    >>> round(friedman_test(scores).statistic, 6)
    6.5
    """
    values = check_numbers("scores", scores, "friedman_test")
    if values.ndim != 2 or min(values.shape) < 2 or np.isnan(values).any():
        raise DataError(
            "The 'scores' parameter of friedman_test must be a table without gaps, one "
            "row per data set and one column per model, at least two of each. Got "
            f"shape {values.shape}" + (" with NaN." if np.isnan(values).any() else ".")
        )
    ranks = stats.rankdata(-values, axis=1)
    n, k = ranks.shape
    sums = ranks.sum(axis=0)
    squares = float((ranks**2).sum())
    # Without ties this is 12 / (n k (k + 1)) Σ (sums - n (k + 1) / 2)².
    spread = squares - n * k * (k + 1) ** 2 / 4
    between = float(((sums - n * (k + 1) / 2) ** 2).sum())
    statistic = (k - 1) * between / spread if spread > 0 else 0.0
    room = n * (k - 1) - statistic
    f = (n - 1) * statistic / room if room > 1e-12 else math.inf
    return RankVerdict(
        ranks.mean(axis=0),
        n,
        statistic,
        float(stats.chi2.sf(statistic, k - 1)),
        f,
        float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
    )


def critical_difference(
    n_models: int, n_blocks: float, *, alpha: float = 0.05
) -> float:
    """Return by how much mean ranks must differ to be no luck (Nemenyi).

    Parameters
    ----------
    n_models : int
        Models that are compared.
    n_blocks : float
        Data sets the ranks are means of; may be a fraction, if blocks depend on each
        other and count for less.
    alpha : float, default=0.05
        Level for all pairs together.

    Returns
    -------
    float
        ``q / √2 · √(k (k + 1) / (6 N))`` with the studentised range's quantile q.

    Examples
    --------
    >>> from featsieve.evaluation import critical_difference
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    owner = "critical_difference"
    check_integer("n_models", n_models, owner, at_least=2)
    check_real("n_blocks", n_blocks, owner, above=0)
    check_real("alpha", alpha, owner, above=0, below=1)
    q = float(stats.studentized_range.ppf(1 - alpha, n_models, np.inf))
    return q / math.sqrt(2) * _rank_error(n_models, n_blocks)


def nemenyi_p_values(ranks: ArrayLike, n_blocks: float) -> Floats:
    """Return for every pair of models how likely such a difference of ranks is.

    Parameters
    ----------
    ranks : array-like of shape (n_models,)
        Mean ranks.
    n_blocks : float
        Data sets they are means of.

    Returns
    -------
    ndarray of float64 of shape (n_models, n_models)
        P-values for all pairs together; 1 on the diagonal.

    Examples
    --------
    >>> from featsieve.evaluation import nemenyi_p_values
    >>> nemenyi_p_values([1.2, 1.9, 2.9], 10).round(4)[0].tolist()
    [1.0, 0.2608, 0.0004]
    """
    check_real("n_blocks", n_blocks, "nemenyi_p_values", above=0)
    given = _mean_ranks(ranks, "nemenyi_p_values")
    if len(given) < 2:
        raise DataError(
            "ranks must be a list of the mean ranks of at least two models. Got "
            f"{len(given)}."
        )
    k = len(given)
    q = np.abs(given[:, None] - given) / _rank_error(k, n_blocks) * math.sqrt(2)
    p = np.ones((k, k))
    # A gap of zero is a certainty that the numeric integral would only approach.
    some = np.triu(q) > 0
    p[some] = np.clip(stats.studentized_range.sf(q[some], k, np.inf), 0, 1)
    return np.minimum(p, p.T)


@described_like(nemenyi_p_values)
def not_different_groups(ranks: ArrayLike, difference: float) -> list[list[int]]:
    """Return the largest groups of models whose ranks lie closer than a difference.

    Parameters
    ----------
    difference : float
        The critical difference.

    Returns
    -------
    list of list of int
        Groups of at least two models, best first; these are the bars of a
        critical-difference picture.

    Examples
    --------
    >>> from featsieve.evaluation import not_different_groups
    >>> not_different_groups([3.143, 2.0, 2.893, 1.964], 1.25)
    [[3, 1, 2, 0]]
    """
    given = _mean_ranks(ranks, "not_different_groups")
    check_real("difference", difference, "not_different_groups", at_least=0)
    order = np.argsort(given, kind="stable")
    groups: list[list[int]] = []
    last_end = -1
    for start in range(len(order)):
        end = start
        limit = given[order[start]] + difference
        while end + 1 < len(order) and given[order[end + 1]] < limit:
            end += 1
        if end > start and end > last_end:
            groups.append(order[start : end + 1].tolist())
            last_end = end
    return groups


def _mean_ranks(ranks: ArrayLike, owner: str) -> Floats:
    given = check_numbers("ranks", ranks, owner)
    if given.ndim != 1 or not np.isfinite(given).all():
        raise DataError(
            f"The 'ranks' parameter of {owner} must be a list of mean ranks, one per "
            f"model. Got shape {given.shape}"
            + ("." if np.isfinite(given).all() else " with NaN or infinity.")
        )
    return given


def _rank_error(n_models: int, n_blocks: float) -> float:
    return math.sqrt(n_models * (n_models + 1) / (6 * n_blocks))
