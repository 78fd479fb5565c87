"""Small tables that tests of several selectors share."""

import numpy as np


def make(seed=0, n_rows=400, n_columns=12):
    """Three columns that tell of the class, a copy of the second, and noise."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, n_rows)
    X = random.integers(0, 4, (n_rows, n_columns))
    for j, share in ((1, 0.7), (4, 0.5), (7, 0.4)):
        right = random.random(n_rows) < share
        X[right, j] = y[right]
    X[:, 9] = 3 - X[:, 1]
    return X, y


def numbers(seed=0):
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, 300)
    X = random.normal(size=(300, 6))
    X[:, 1] += 2 * y
    X[:, 2] = X[:, 1] + 0.1 * random.normal(size=300)
    X[:, 4] += y
    return X, y
