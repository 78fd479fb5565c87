"""W1m: cut numeric columns by description length."""

from __future__ import annotations

import numpy as np

from benchmarks._harness import Contestant, Workload
from benchmarks.workloads.w1p_permutations import (
    Problem,
    make_numeric,
    make_rounded,
    sizes,
)
from featsieve._kernels import CutPrice, mdl_cuts
from featsieve.data import MDLDiscretizer


def column_major(problem: Problem) -> Problem:
    X, y, nominal = problem
    return np.asfortranarray(X), y, nominal


def cut_columns(problem: Problem) -> list[np.ndarray]:
    X, y, _ = problem
    return [mdl_cuts(x, y, 3, None, CutPrice.FAYYAD_IRANI) for x in X.T]


def fit_discretizer(problem: Problem) -> list[np.ndarray]:
    X, y, _ = problem
    return MDLDiscretizer().fit(X, y).cut_points_


def sort_columns(problem: Problem) -> np.ndarray:
    return np.argsort(problem[0], axis=0)


def same_cuts(a: list[np.ndarray], b: list[np.ndarray] | np.ndarray) -> bool:
    if isinstance(b, np.ndarray):
        return True  # the sort is a yardstick, no peer
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


CONTESTANTS = (
    Contestant(
        "mdl_cuts, one column after another", cut_columns, column_major, ours=True
    ),
    Contestant("MDLDiscretizer.fit", fit_discretizer, ours=True),
    Contestant("NumPy argsort of the columns (yardstick)", sort_columns, column_major),
)

WORKLOADS = [
    Workload(
        name="W1m",
        title="MDL cuts of numeric columns, 3 classes",
        make=make_numeric,
        sizes=sizes(columns=1_000),
        contestants=CONTESTANTS,
        same=same_cuts,
    ),
    Workload(
        name="W1m-rounded",
        title="the same with ties",
        make=make_rounded,
        sizes=sizes(columns=1_000),
        contestants=CONTESTANTS,
        same=same_cuts,
    ),
]
