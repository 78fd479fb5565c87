"""What a block of columns adds to others, from the definitions, by least squares."""

from __future__ import annotations

import numpy as np
from scipy import stats


def residuals(values, given):
    """Return what is left of columns once a constant and others are fitted."""
    ones = np.ones((len(values), 1))
    design = np.hstack([ones, *given]) if given else ones
    return values - design @ np.linalg.lstsq(design, values, rcond=1e-9)[0]


def rank_of(parts):
    """Return the number of directions that columns have about their means."""
    if not parts:
        return 0
    matrix = np.hstack(parts)
    return int(np.linalg.matrix_rank(matrix - matrix.mean(axis=0), tol=1e-6))


def pillai(x, y, given):
    """Return Pillai's trace and the p-value of its F, all else given."""
    a, b = residuals(x, given), residuals(y, given)
    n_x = rank_of([*given, x]) - rank_of(given)
    n_y = rank_of([*given, y]) - rank_of(given)
    if not n_x or not n_y:
        return 0.0, 1.0
    hat_x = a @ np.linalg.pinv(a, rcond=1e-6)
    hat_y = b @ np.linalg.pinv(b, rcond=1e-6)
    trace = float(np.trace(hat_x @ hat_y))  # the sum of squared canonical correlations
    s, wide = min(n_x, n_y), max(n_x, n_y)
    error = len(x) - 1 - rank_of(given) - wide
    if error <= 0:
        return trace, 1.0
    f = (trace / (s * wide)) / ((s - trace) / (s * error))
    return trace, float(stats.f.sf(f, s * wide, s * error))


def partial_p_value(x, y, given, *, ordered, n_straight):
    """Return the p-value of a block: all of it and, if ordered, its first column."""
    p = pillai(x, y, given)[1]
    if not ordered or rank_of([*given, x[:, :1]]) == rank_of(given):
        return p
    line = pillai(x[:, :1], y[:, :n_straight], given)[1]
    return 2 / (1 / max(p, 1e-300) + 1 / max(line, 1e-300))
