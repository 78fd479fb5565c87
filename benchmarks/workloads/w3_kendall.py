"""W3: Kendall's tau-b of all pairs of columns, and of columns with a class."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from benchmarks._harness import Contestant, Workload
from featsieve.measures import kendall_tau, pairwise_association


def make_numbers(rows: int, columns: int) -> np.ndarray:
    rng = np.random.default_rng(3)
    common = rng.normal(size=(rows, 1))
    return np.asfortranarray(rng.normal(size=(rows, columns)) + 0.5 * common)


def make_levels(rows: int, columns: int) -> np.ndarray:
    rng = np.random.default_rng(4)
    levels = rng.integers(2, 6, columns)
    return np.asfortranarray(rng.integers(0, levels, (rows, columns)).astype(float))


def make_with_class(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    X = make_numbers(rows, columns)
    rng = np.random.default_rng(5)
    return X, np.digitize(X[:, 0] + rng.normal(size=rows), [-1, -0.3, 0.3, 1])


def all_pairs(X: np.ndarray) -> np.ndarray:
    return pairwise_association(X, association="kendall")


def all_pairs_scipy(X: np.ndarray) -> np.ndarray:
    from scipy.stats import kendalltau

    matrix = np.eye(X.shape[1])
    for i, j in itertools.combinations(range(X.shape[1]), 2):
        # The p-value's exact form would be a different, slower job.
        tau = kendalltau(X[:, i], X[:, j], method="asymptotic").statistic
        matrix[i, j] = matrix[j, i] = abs(tau)
    return matrix


def all_pairs_pandas(X: np.ndarray) -> np.ndarray:
    import pandas as pd

    return np.abs(pd.DataFrame(X).corr(method="kendall").to_numpy())


def with_class(data: Any) -> np.ndarray:
    return kendall_tau(*data)


def with_class_scipy(data: Any) -> np.ndarray:
    from scipy.stats import kendalltau

    X, y = data
    return np.array([kendalltau(x, y, method="asymptotic").statistic for x in X.T])


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.allclose(a, b, atol=1e-12))


def sizes(rows: int) -> dict[str, dict[str, int]]:
    return {
        "default": {"rows": rows, "columns": 20},
        "rows x2": {"rows": 2 * rows, "columns": 20},
        "columns x2": {"rows": rows, "columns": 40},
    }


PAIRS = (
    Contestant("pairwise_association", all_pairs, ours=True),
    Contestant("SciPy kendalltau", all_pairs_scipy),
    Contestant("pandas corr(method='kendall')", all_pairs_pandas),
)

WORKLOADS = [
    Workload(
        name="W3",
        title="Kendall's tau-b, all pairs of 20 numeric columns, 10,000 rows",
        make=make_numbers,
        sizes=sizes(10_000),
        contestants=PAIRS,
        targets="SciPy / ours >= 8",
        same=same,
    ),
    Workload(
        name="W3-long",
        title="the same with 100,000 rows",
        make=make_numbers,
        sizes=sizes(100_000),
        contestants=PAIRS,
        targets="ours <= 2.5 x hand-tuned C++, which is SciPy / 4.7",
        same=same,
    ),
    Workload(
        name="W3b",
        title="the same, columns of 2 to 5 levels, 10,000 rows",
        make=make_levels,
        sizes=sizes(10_000),
        contestants=PAIRS,
        targets="SciPy / ours >= 60",
        same=same,
    ),
    Workload(
        name="W3c",
        title="Kendall's tau-b of 20 numeric columns with a 5-level class",
        make=make_with_class,
        sizes=sizes(10_000),
        contestants=(
            Contestant("kendall_tau", with_class, ours=True),
            Contestant("SciPy kendalltau", with_class_scipy),
        ),
        same=same,
    ),
]
