"""W2: joint gain of all pairs of features with the class, and of all triples.

The noise tables of W2, W2b and W2c hold no signal: the work does not depend on it.
W2-xor asks who ranks the one true pair first; "another result" means not.

BitEpi is a program of its own without a package on PyPI, so it does not run here.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks._harness import Contestant, Seconds, Workload

#: First features whose pairs the slowest contestants really do.
FEW = 10

#: Pairs that pyitlib, slower still, really does.
FEW_PAIRS = 20

#: The pair whose exclusive or is the class of W2-xor.
TRUE_PAIR = (17, 150)


@dataclass(frozen=True)
class Codes:
    X: np.ndarray  # uint8, column-major
    y: np.ndarray  # int32


def make_noise(
    rows: int, columns: int, least: int = 3, most: int = 3, classes: int = 2
) -> Codes:
    random = np.random.default_rng(0)
    X = np.empty((rows, columns), dtype=np.uint8, order="F")
    for j, levels in enumerate(random.integers(least, most + 1, columns)):
        X[:, j] = random.integers(0, levels, rows, dtype=np.uint8)
    return Codes(X, random.integers(0, classes, rows).astype(np.int32))


def make_xor(rows: int, columns: int) -> Codes:
    """Return binary columns; the class is an exclusive or, wrong in a fifth of rows."""
    data = make_noise(rows, columns, 2, 2)
    first, second = TRUE_PAIR
    wrong = np.random.default_rng(1).random(rows) < 0.2
    return Codes(
        data.X, (data.X[:, first] ^ data.X[:, second] ^ wrong).astype(np.int32)
    )


def log_terms(n: int) -> np.ndarray:
    """Return c log2 c for counts up to n."""
    terms = np.arange(n + 1, dtype=np.float64)
    terms[1:] *= np.log2(terms[1:])
    return terms


def class_term(y: np.ndarray, terms: np.ndarray) -> float:
    return float(terms[len(y)] - terms[np.bincount(y)].sum())


def load_ours(data: Codes) -> Codes:
    """Import first, so that modules do not count as memory of the work."""
    import featsieve.measures  # noqa: F401  (loaded before the clock)

    return data


def load_interpret(data: Codes) -> Codes:
    import interpret.utils  # noqa: F401  (loaded before the clock)

    return data


# Ours


def ours_top(data: Codes) -> np.ndarray:
    from featsieve.measures import pairwise_gain

    return pairwise_gain(data.X, data.y, top=100).joint_gain


def ours_all(data: Codes) -> np.ndarray:
    from featsieve.measures import pairwise_gain

    return pairwise_gain(data.X, data.y).joint_gain


# NumPy


def one_hot_gemm(data: Codes) -> np.ndarray:
    """Count all pairs of levels as products of columns of 0 and 1."""
    n, p = data.X.shape
    levels = int(data.X.max()) + 1
    # Level-major, so that a level of all pairs is one block.
    planes = np.concatenate([level == data.X for level in range(levels)], axis=1)
    planes = planes.astype(np.float32)
    terms = log_terms(n)
    sums = np.zeros((p, p))
    totals = np.zeros((levels * p, levels * p), dtype=np.float32)
    for c in range(int(data.y.max()) + 1):
        part = planes[data.y == c]
        counts = part.T @ part
        totals += counts
        cells = terms[counts.astype(np.int32)]
        sums += cells.reshape(levels, p, levels, p).sum(axis=(0, 2))
    cells = terms[totals.astype(np.int32)]
    sums -= cells.reshape(levels, p, levels, p).sum(axis=(0, 2))
    return ((sums + class_term(data.y, terms)) / n)[np.triu_indices(p, 1)]


def dropped_level_gemm(data: Codes) -> np.ndarray:
    """Do the same without level 0, whose counts follow from the margins."""
    n, p = data.X.shape
    levels = int(data.X.max()) + 1
    planes = np.concatenate([level == data.X for level in range(1, levels)], axis=1)
    planes = planes.astype(np.float32)
    terms = log_terms(n)
    sums = np.zeros((p, p))
    totals = [
        [np.zeros((p, p), np.int32) for _ in range(levels)] for _ in range(levels)
    ]
    for c in range(int(data.y.max()) + 1):
        part = planes[data.y == c]
        counts = (part.T @ part).astype(np.int32).reshape(levels - 1, p, levels - 1, p)
        margins = part.sum(axis=0).astype(np.int32).reshape(levels - 1, p)
        cells: list[list[Any]] = [[None] * levels for _ in range(levels)]
        rest = np.full((p, p), len(part), dtype=np.int32)
        for a in range(1, levels):
            left = np.repeat(margins[a - 1][:, None], p, axis=1)
            for b in range(1, levels):
                cells[a][b] = counts[a - 1, :, b - 1]
                left -= cells[a][b]
            cells[a][0] = left
            cells[0][a] = left.T  # the table of (j, i) is that of (i, j) transposed
            rest -= margins[a - 1][None, :] + left
        cells[0][0] = rest
        for a in range(levels):
            for b in range(levels):
                sums += terms[cells[a][b]]
                totals[a][b] += cells[a][b]
    for row in totals:
        for total in row:
            sums -= terms[total]
    return ((sums + class_term(data.y, terms)) / n)[np.triu_indices(p, 1)]


def bincount_loop(data: Codes) -> Seconds:
    """Count pair by pair, on the pairs of a few first features; scaled up."""
    p = data.X.shape[1]
    classes = int(data.y.max()) + 1
    levels = data.X.max(axis=0).astype(np.int64) + 1
    wide = data.X.astype(np.int64)
    begin = time.process_time()
    for i in range(FEW):
        first = wide[:, i] * classes + data.y
        for j in range(i + 1, p):
            width = int(levels[i]) * classes
            cells = np.bincount(wide[:, j] * width + first)
            totals = np.add.reduceat(cells, np.arange(0, len(cells), classes))
            for counts in (cells, totals):
                some = counts[counts > 0]
                np.sum(some * np.log2(some))
    share = (FEW * p - FEW * (FEW + 1) / 2) / (p * (p - 1) / 2)
    return Seconds((time.process_time() - begin) / share)


# Packages


def numba_counter() -> Any:
    """Return a compiled loop over all pairs: a joint histogram, then its sums."""
    import numba

    @numba.njit(cache=False)
    def gains(X: Any, y: Any, levels: Any, classes: int, terms: Any) -> Any:
        n, p = X.shape
        most = levels.max()
        cells = np.zeros(most * most * classes, np.int64)
        out = np.empty(p * (p - 1) // 2)
        pair = 0
        for i in range(p):
            for j in range(i + 1, p):
                width = levels[j] * classes
                cells[: levels[i] * width] = 0
                for row in range(n):
                    cells[X[row, i] * width + X[row, j] * classes + y[row]] += 1
                total = 0.0
                for cell in range(levels[i] * levels[j]):
                    whole = 0
                    for c in range(classes):
                        count = cells[cell * classes + c]
                        total += terms[count]
                        whole += count
                    total -= terms[whole]
                out[pair] = total
                pair += 1
        return out

    return gains


def warm_numba(data: Codes) -> tuple[Any, Codes]:
    gains = numba_counter()
    numba_gains((gains, Codes(np.asfortranarray(data.X[:, :2]), data.y)))
    return gains, data


def numba_gains(prepared: tuple[Any, Codes]) -> np.ndarray:
    gains, data = prepared
    terms = log_terms(len(data.y))
    levels = data.X.max(axis=0).astype(np.int64) + 1
    sums = gains(data.X, data.y, levels, int(data.y.max()) + 1, terms)
    return (sums + class_term(data.y, terms)) / len(data.y)


def load_pyitlib(data: Codes) -> Codes:
    from pyitlib import discrete_random_variable  # noqa: F401  (loaded before the clock)

    return data


def pyitlib_time(data: Codes) -> Seconds:
    """Take a few pairs, each as one variable of joint levels; scaled up."""
    from pyitlib import discrete_random_variable as drv

    p = data.X.shape[1]
    wide = data.X.astype(np.int64)
    begin = time.process_time()
    for j in range(1, FEW_PAIRS + 1):
        joint = wide[:, 0] * (int(wide[:, j].max()) + 1) + wide[:, j]
        drv.information_mutual(joint, data.y)
    share = FEW_PAIRS / (p * (p - 1) / 2)
    return Seconds((time.process_time() - begin) / share)


def warm_fast_select(data: Codes) -> Codes:
    prepared = Codes(data.X.astype(np.int32, order="C"), data.y)
    fast_select_pair(Codes(np.ascontiguousarray(prepared.X[:200, :4]), data.y[:200]))
    return prepared


def fast_select_pair(data: Codes) -> tuple[int, ...]:
    """Find the best pair by multifactor dimensionality reduction, two folds."""
    from fast_select import MDR

    found = MDR(k=2, cv=2, backend="cpu").fit(data.X, data.y)
    return tuple(sorted(int(j) for j in found.best_interaction_))


def fast_select_time(data: Codes) -> Any:
    begin = time.process_time()
    fast_select_pair(data)
    return Seconds(time.process_time() - begin)


def interpret_pair(data: Codes) -> tuple[int, ...]:
    """Find the best pair by the ranking of explainable boosting machines (FAST)."""
    from interpret.utils import measure_interactions

    kinds = ["nominal"] * data.X.shape[1]
    found = measure_interactions(data.X, data.y, interactions=1, feature_types=kinds)
    return tuple(sorted(found[0][0]))


def interpret_time(data: Codes) -> Seconds:
    """Rank the pairs of a tenth of the features; scaled up."""
    from interpret.utils import measure_interactions

    p = data.X.shape[1]
    few = p // 10
    begin = time.process_time()
    measure_interactions(
        data.X[:, :few], data.y, interactions=1, feature_types=["nominal"] * few
    )
    return Seconds((time.process_time() - begin) * (p * (p - 1)) / (few * (few - 1)))


def close(a: np.ndarray, b: Any) -> bool:
    """Compare where both have a gain for every set; times and the best have not."""
    if b is None or isinstance(b, Seconds) or len(a) != len(b):
        return True
    return np.allclose(a, b, rtol=0, atol=1e-9)


PEERS = (
    Contestant("NumPy GEMM without one level", dropped_level_gemm),
    Contestant("NumPy one-hot GEMM", one_hot_gemm),
    Contestant(f"NumPy bincount, {FEW} features, extrapolated", bincount_loop),
)
PACKAGES = (
    Contestant("Numba joint histograms, warm", numba_gains, warm_numba),
    Contestant(f"pyitlib, {FEW_PAIRS} pairs, extrapolated", pyitlib_time, load_pyitlib),
    Contestant("fast-select MDR, 2 folds, warm", fast_select_time, warm_fast_select),
    Contestant(
        "interpret FAST, p/10 features, extrapolated", interpret_time, load_interpret
    ),
)


def pairs_workload(
    name: str,
    title: str,
    rows: int = 10_000,
    columns: int = 1_000,
    packages: tuple[Contestant, ...] = (),
    **kind: int,
) -> Workload:
    return Workload(
        name=name,
        title=f"joint gain of all pairs, {title}",
        make=make_noise,
        sizes={
            "default": {"rows": rows, "columns": columns, **kind},
            "rows x2": {"rows": 2 * rows, "columns": columns, **kind},
            "columns x2": {"rows": rows, "columns": 2 * columns, **kind},
        },
        contestants=(
            Contestant("pairwise_gain, all", ours_all, load_ours, ours=True),
            Contestant("pairwise_gain, top 100", ours_top, load_ours, ours=True),
            *PEERS,
            *packages,
        ),
        targets="at least 15 times any peer, at most 2.5 times the limit (W2c: 3)",
        same=close,
    )


# Who finds an exclusive or?


def ours_pair(data: Codes) -> tuple[int, ...]:
    from featsieve.measures import pairwise_gain

    best = pairwise_gain(data.X, data.y, top=1)
    return int(best.first[0]), int(best.second[0])


def gemm_pair(data: Codes) -> tuple[int, ...]:
    first, second = np.triu_indices(data.X.shape[1], 1)
    best = int(np.argmax(dropped_level_gemm(data)))
    return int(first[best]), int(second[best])


def importance_pair(data: Codes) -> tuple[int, ...]:
    """Take the two features that tell most alone, as every ranking does."""
    from sklearn.feature_selection import mutual_info_classif

    scores = mutual_info_classif(data.X, data.y, discrete_features=True)
    return tuple(sorted(int(j) for j in np.argsort(-scores)[:2]))


# Triples


def ours_triples(data: Codes) -> np.ndarray:
    from featsieve.measures import triple_gain

    return triple_gain(data.X, data.y).joint_gain


def ours_best_triples(data: Codes) -> Any:
    from featsieve.measures import triple_gain

    triple_gain(data.X, data.y, top=100)


def gemm_triples(data: Codes) -> np.ndarray:
    """Count all pairs among the rows of every level of a first feature."""
    p = data.X.shape[1]
    terms = log_terms(len(data.y))
    whole = class_term(data.y, terms)
    gains = []
    for i in range(p - 2):
        later = np.asfortranarray(data.X[:, i + 1 :])
        sums = 0.0
        for level in range(int(data.X[:, i].max()) + 1):
            rows = data.X[:, i] == level
            part = Codes(later[rows], data.y[rows])
            # Its gain is against the class among these rows only.
            sums = sums + dropped_level_gemm(part) * len(part.y)
            sums -= class_term(part.y, terms)
        gains.append((sums + whole) / len(data.y))
    return np.concatenate(gains)


def walked_triples(data: Codes) -> Seconds:
    """Take the sets of the first feature one by one; scaled up."""
    from featsieve.measures import gains_of_tuples

    p = data.X.shape[1]
    sets = [(0, j, k) for j in range(1, p) for k in range(j + 1, p)]
    begin = time.process_time()
    gains_of_tuples(data.X, data.y, sets)
    share = len(sets) / (p * (p - 1) * (p - 2) / 6)
    return Seconds((time.process_time() - begin) / share)


WORKLOADS = [
    pairs_workload("W2", "3 levels, 2 classes", packages=PACKAGES),
    pairs_workload("W2b-2", "2 levels, 2 classes", least=2, most=2),
    pairs_workload("W2b-5", "5 levels, 5 classes", least=5, most=5, classes=5),
    pairs_workload("W2b-mixed", "2-5 levels, 3 classes", least=2, most=5, classes=3),
    pairs_workload("W2c", "3 levels, 2 classes", 1_000, 500, packages=PACKAGES),
    Workload(
        name="W2-xor",
        title="the best pair where the class is an exclusive or",
        make=make_xor,
        sizes={"default": {"rows": 2_000, "columns": 200}},
        contestants=(
            Contestant("pairwise_gain, top 1", ours_pair, load_ours, ours=True),
            Contestant("NumPy GEMM without one level", gemm_pair),
            Contestant("fast-select MDR, 2 folds", fast_select_pair, warm_fast_select),
            Contestant("interpret FAST", interpret_pair, load_interpret),
            Contestant("scikit-learn mutual_info_classif, best two", importance_pair),
        ),
        targets="'another result' is not the true pair",
        same=lambda a, b: a == TRUE_PAIR == b,
    ),
    Workload(
        name="W2-triples",
        title="joint gain of all triples, 2 classes",
        make=make_noise,
        sizes={
            "default": {"rows": 2_000, "columns": 100, "least": 2, "most": 2},
            "rows x2": {"rows": 4_000, "columns": 100, "least": 2, "most": 2},
            "columns x2": {"rows": 2_000, "columns": 200, "least": 2, "most": 2},
        },
        contestants=(
            Contestant("triple_gain, all", ours_triples, load_ours, ours=True),
            Contestant("triple_gain, top 100", ours_best_triples, load_ours, ours=True),
            Contestant(
                "gains_of_tuples, extrapolated", walked_triples, load_ours, ours=True
            ),
            Contestant("NumPy GEMM without one level", gemm_triples),
        ),
        targets="at least 10 times gains_of_tuples",
        same=close,
    ),
]
