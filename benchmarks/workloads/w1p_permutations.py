"""W1p: which features stand out from chance, by permutations of the class."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.feature_selection import mutual_info_classif

from benchmarks._harness import Contestant, Seconds, Workload, cpu_clock
from benchmarks.workloads.w1_gain import Codes, make_codes, numpy_scores
from featsieve.selectors import MeasureFilter

#: What a user would ask of a plain loop. Ours draws up to n_features / alpha = 4,000.
LOOP = 1_000

Problem = tuple[np.ndarray, np.ndarray, Any]  # X, y, which columns are nominal


def make_nominal(rows: int, columns: int) -> Problem:
    data = make_codes(rows, columns)
    return data.X, data.y, "all"


def make_numeric(rows: int, columns: int) -> Problem:
    """Return normal columns; every tenth one is shifted by the class."""
    random = np.random.default_rng(3)
    y = random.integers(0, 3, rows, dtype=np.int32)
    X = random.normal(size=(rows, columns))
    X[:, ::10] += 0.2 * y[:, np.newaxis]
    return X, y, None


def make_rounded(rows: int, columns: int) -> Problem:
    """Return numeric columns with ties: each has a null distribution of its own."""
    X, y, _ = make_numeric(rows, columns)
    return X.round(2), y, None


def make_mixed(rows: int, columns: int) -> Problem:
    """Return nominal, numeric and rounded columns, a third each."""
    third = columns // 3
    codes = make_codes(rows, third)
    random = np.random.default_rng(4)
    X = random.normal(size=(rows, columns))
    X[:, ::10] += 0.2 * codes.y[:, np.newaxis]
    X[:, :third] = codes.X
    X[:, third : 2 * third] = X[:, third : 2 * third].round(1)
    return X, codes.y, list(range(third))


def significant(problem: Problem) -> np.ndarray:
    X, y, nominal = problem
    return MeasureFilter(fdr=0.05, nominal=nominal).fit(X, y).support_


def scores_only(problem: Problem) -> np.ndarray:
    X, y, nominal = problem
    selector = MeasureFilter(nominal=nominal, n_features_to_select=1)
    return selector.fit(X, y).scores_


def numpy_loop(problem: Problem) -> Seconds:
    X, y, _ = problem
    begin = cpu_clock()
    numpy_scores(Codes(X, y))
    return Seconds((cpu_clock() - begin) * LOOP)


def sklearn_loop(problem: Problem) -> Seconds:
    """Nominal columns by counting; numeric ones by nearest neighbours, a few only."""
    X, y, nominal = problem
    some = X[:, :: max(1, X.shape[1] // 10)][:, :10]
    begin = cpu_clock()
    mutual_info_classif(some, y, discrete_features=nominal == "all", random_state=0)
    return Seconds((cpu_clock() - begin) * LOOP * X.shape[1] / some.shape[1])


def sizes(rows: int = 10_000, columns: int = 200) -> dict[str, dict[str, int]]:
    return {
        "default": {"rows": rows, "columns": columns},
        "rows x2": {"rows": 2 * rows, "columns": columns},
        "columns x2": {"rows": rows, "columns": 2 * columns},
    }


OURS = (
    Contestant("MeasureFilter(fdr=0.05)", significant, ours=True),
    Contestant("the same without the test", scores_only, ours=True),
)
SKLEARN = Contestant(
    f"scikit-learn, {LOOP:,} permutations, extrapolated from 1 of 10 columns",
    sklearn_loop,
)

WORKLOADS = [
    Workload(
        name="W1p-nominal",
        title="permutation test of nominal features",
        make=make_nominal,
        sizes=sizes(),
        contestants=(
            *OURS,
            Contestant(f"NumPy loop, {LOOP:,} permutations, extrapolated", numpy_loop),
            SKLEARN,
        ),
    ),
    Workload(
        name="W1p-numeric",
        title="permutation test of numeric features, cut anew each time",
        make=make_numeric,
        sizes=sizes(),
        contestants=(*OURS, SKLEARN),
    ),
    Workload(
        name="W1p-rounded",
        title="the same with ties",
        make=make_rounded,
        sizes=sizes(),
        contestants=OURS,
    ),
    Workload(
        name="W1p-mixed",
        title="permutation test of nominal, numeric and rounded features",
        make=make_mixed,
        sizes=sizes(),
        contestants=OURS,
    ),
]
