"""W5: subsets by CFS, FCBF and mRMR, and symmetrical uncertainty of all pairs.

Every tenth column follows the class a little, the next one follows that column, and the
rest is noise. Our filters get a table that has been read: its codes are made in `fit`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from benchmarks._harness import Contestant, Workload
from benchmarks.workloads.w2_pairs import Codes, log_terms
from featsieve.data import Table, read_table
from featsieve.measures import pairwise_uncertainty
from featsieve.selectors import CFSFilter, FCBFFilter, MRMRFilter


def make_codes(rows: int, columns: int, classes: int = 3) -> Codes:
    """Return columns of 2 to 5 levels."""
    random = np.random.default_rng(1)
    y = random.integers(0, classes, rows, dtype=np.int32)
    X = np.empty((rows, columns), dtype=np.uint8, order="F")
    for j, levels in enumerate(random.integers(2, 6, columns)):
        X[:, j] = random.integers(0, levels, rows)
        share = 0.1 + 0.3 * random.random()
        if j % 10 == 0:
            X[:, j] = np.where(random.random(rows) < share, y % levels, X[:, j])
        elif j % 10 == 1:
            X[:, j] = np.where(random.random(rows) < 0.8, X[:, j - 1], X[:, j])
    return Codes(X, y)


def as_table(data: Codes) -> tuple[Table, np.ndarray]:
    return read_table(data.X, nominal="all"), data.y


def as_array(data: Codes) -> tuple[np.ndarray, np.ndarray]:
    return data.X, data.y


# Ours


def ours_cfs(data: Any) -> np.ndarray:
    return np.flatnonzero(CFSFilter(nominal="all").fit(*data).support_)


def ours_cfs_table(data: Any) -> np.ndarray:
    return np.flatnonzero(CFSFilter().fit(*data).support_)


def ours_weka_table(data: Any) -> np.ndarray:
    selector = CFSFilter(compatibility="weka").fit(*data)
    return np.flatnonzero(selector.search_support_)


def ours_fcbf_table(data: Any) -> np.ndarray:
    return FCBFFilter().fit(*data).selected_


def ours_mrmr_table(data: Any) -> np.ndarray:
    return MRMRFilter(20).fit(*data).selected_


def ours_matrix(data: Codes) -> np.ndarray:
    return pairwise_uncertainty(data.X)


# NumPy


def gemm_matrix(data: Codes) -> np.ndarray:
    """Count all pairs of levels as products of columns of 0 and 1."""
    n, p = data.X.shape
    levels = int(data.X.max()) + 1
    planes = np.concatenate([level == data.X for level in range(levels)], axis=1)
    planes = planes.astype(np.float32)
    terms = log_terms(n)
    counts = (planes.T @ planes).astype(np.int32)
    single = terms[np.diagonal(counts)].reshape(levels, p).sum(axis=0)
    joint = terms[counts].reshape(levels, p, levels, p).sum(axis=(0, 2))
    both = 2 * terms[n] - single[:, None] - single[None, :]
    return 2 * (both - (terms[n] - joint)) / both


def as_wide(data: Codes) -> Codes:
    return Codes(np.asfortranarray(data.X, dtype=np.int64), data.y.astype(np.int64))


def numpy_fcbf(data: Codes) -> np.ndarray:
    """FCBF as one writes it with NumPy: a bincount per pair that is asked for."""
    X = data.X
    with_class = bincount_uncertainty(X, data.y)
    order = np.argsort(-with_class, kind="stable")
    kept = []
    while len(order):
        best, order = int(order[0]), order[1:]
        kept.append(best)
        if len(order):
            shared = bincount_uncertainty(X[:, order], X[:, best])
            order = order[shared < with_class[order]]
    return np.array(kept)


def bincount_uncertainty(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Symmetrical uncertainty of every column with one."""
    terms = log_terms(len(y))
    size = int(y.max()) + 1
    own = terms[np.bincount(y)].sum()
    values = np.empty(X.shape[1])
    for j in range(X.shape[1]):
        levels = int(X[:, j].max()) + 1
        cells = np.bincount(X[:, j] * size + y, minlength=levels * size)
        rows = cells.reshape(levels, size).sum(axis=1)
        both = 2 * terms[-1] - own - terms[rows].sum()
        values[j] = 2 * (both - terms[-1] + terms[cells].sum()) / both
    return values


# Packages


def warm_fast_select(run: Any) -> Any:
    def prepare(data: Codes) -> Codes:
        prepared = Codes(np.ascontiguousarray(data.X, dtype=np.int32), data.y)
        run(Codes(np.ascontiguousarray(prepared.X[:300, :30]), data.y[:300]))
        return prepared

    return prepare


def fast_select_cfs(data: Codes) -> np.ndarray:
    from fast_select import CFS

    return np.flatnonzero(
        CFS(backend="cpu", n_jobs=1).fit(data.X, data.y).get_support()
    )


def fast_select_mrmr(data: Codes) -> np.ndarray:
    from fast_select import mRMR

    return np.asarray(mRMR(20, backend="cpu").fit(data.X, data.y).top_features_)


def as_frame(data: Codes) -> tuple[Any, Any]:
    import mrmr  # noqa: F401  (loaded before the clock)

    names = [str(j) for j in range(data.X.shape[1])]
    frame = pd.DataFrame(data.X.astype(np.float64), columns=names)
    return frame, pd.Series(data.y)


def mrmr_selection(data: tuple[Any, Any]) -> Any:
    """Its F statistics and correlations, which is another measure."""
    from mrmr import mrmr_classif

    mrmr_classif(data[0], data[1], K=20, show_progress=False, n_jobs=1)


def same_features(a: np.ndarray, b: Any) -> bool:
    return b is None or sorted(a) == sorted(b)


def close(a: np.ndarray, b: np.ndarray) -> bool:
    return np.allclose(a, b, rtol=0, atol=1e-6)


def subset_workload(
    name: str, title: str, contestants: tuple[Contestant, ...], same: Any
) -> Workload:
    return Workload(
        name=name,
        title=f"{title}, 2-5 levels, 3 classes",
        make=make_codes,
        sizes={
            "default": {"rows": 5_000, "columns": 500},
            "rows x2": {"rows": 10_000, "columns": 500},
            "columns x2": {"rows": 5_000, "columns": 1_000},
        },
        contestants=contestants,
        targets="at least 50 times fast-select, at most 2.5 times the limit",
        same=same,
    )


WORKLOADS = [
    subset_workload(
        "W5-cfs",
        "CFS, best first",
        (
            Contestant("CFSFilter, table", ours_cfs_table, as_table, ours=True),
            Contestant("CFSFilter, array", ours_cfs, as_array, ours=True),
            Contestant("CFSFilter, weka, table", ours_weka_table, as_table, ours=True),
            Contestant(
                "fast-select CFS, warm",
                fast_select_cfs,
                warm_fast_select(fast_select_cfs),
            ),
        ),
        same_features,
    ),
    subset_workload(
        "W5-fcbf",
        "FCBF",
        (
            Contestant("FCBFFilter, table", ours_fcbf_table, as_table, ours=True),
            Contestant("NumPy bincount", numpy_fcbf, as_wide),
        ),
        same_features,
    ),
    subset_workload(
        "W5-mrmr",
        "mRMR, 20 features",
        (
            Contestant("MRMRFilter, table", ours_mrmr_table, as_table, ours=True),
            Contestant(
                "fast-select mRMR, warm",
                fast_select_mrmr,
                warm_fast_select(fast_select_mrmr),
            ),
            Contestant("mrmr_selection, F and correlations", mrmr_selection, as_frame),
        ),
        same_features,
    ),
    subset_workload(
        "W5-matrix",
        "symmetrical uncertainty of all pairs",
        (
            Contestant("pairwise_uncertainty", ours_matrix, ours=True),
            Contestant("NumPy one-hot GEMM", gemm_matrix),
        ),
        close,
    ),
]
