"""Several tests of one hypothesis as one: Cauchy's combination of p-values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: A p-value above counts as this one: else a single test that is sure of nothing (p
#: near 1, as discrete and corrected tests often are) would undo what the others found.
GREATEST = 0.9

#: A smaller p-value counts as this one; no law is known further out.
LEAST = 1e-300


def cauchy_parts(p_values: Any, weights: Any) -> NDArray[np.float64]:
    """Return what each test adds to the combined statistic: w · tan((½ − p) π).

    Of shape (tests, columns); a test that was not made adds 0. `weights` are shared out
    anew among the tests that were made, so that they add up to 1 for every column.
    """
    tests = np.asarray(p_values, dtype=np.float64)
    made = ~np.isnan(tests)
    shares = np.where(made, _column(weights), 0.0)
    total = shares.sum(axis=0)
    shares = np.divide(shares, total, where=total > 0, out=np.zeros_like(shares))
    settled = np.clip(np.where(made, tests, GREATEST), LEAST, GREATEST)
    # tan((½ − p) π) = 1 / tan(p π), which loses no digits where p is tiny.
    parts: NDArray[np.float64] = shares / np.tan(np.pi * settled)
    return parts


def combine_p_values(p_values: Any, weights: Any) -> NDArray[np.float64]:
    """Return one p-value per column from those of its tests (Cauchy's combination).

    p = ½ − arctan(Σ w tan((½ − p) π) / Σ w) / π, with single p-values above 0.9 taken
    as 0.9, and the least of them where all are.

    - One test gives its own p-value, and so do several that agree.
    - The far tail: if only one test sees something, the result is its p-value divided
      by its share of the weight, as for weighted Bonferroni; if others see it too, less
      than that.
    - The result grows with each of the p-values.
    - Validity: for independent tests exact up to the cut at 0.9; under any dependence
      the error at small levels comes close to the level (Liu and Xie, "Cauchy
      combination test: a powerful test with analytic p-value calculation under
      arbitrary dependency structures", JASA 2020). Conservative tests stay so.

    Parameters
    ----------
    p_values : array-like of shape (n_tests, n_columns)
        NaN is a test that was not made; a column without any has p-value 1.
    weights : array-like of shape (n_tests,) or (n_tests, n_columns)
        At least 0; only their ratios matter.

    Returns
    -------
    ndarray of float64 of shape (n_columns,)
        The combined p-values.

    Examples
    --------
    >>> combine_p_values([[0.001, 0.02], [0.4, np.nan]], [3, 1]).round(5).tolist()
    [0.00133, 0.02]
    """
    tests = np.asarray(p_values, dtype=np.float64)
    statistic = cauchy_parts(tests, weights).sum(axis=0)
    combined = np.arctan2(1.0, statistic) / np.pi
    used = ~np.isnan(tests) & (np.broadcast_to(_column(weights), tests.shape) > 0)
    least = np.min(np.where(used, tests, 1.0), axis=0, initial=1.0)
    settled: NDArray[np.float64] = np.where(least >= GREATEST, least, combined)
    return settled


def _column(weights: Any) -> NDArray[np.float64]:
    shares = np.asarray(weights, dtype=np.float64)
    return shares[:, np.newaxis] if shares.ndim == 1 else shares
