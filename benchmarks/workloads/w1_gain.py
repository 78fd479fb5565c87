"""W1: information gain of every nominal feature. W1b: encoding floats first."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.feature_selection import mutual_info_classif

from benchmarks._harness import Contestant, Workload
from featsieve._kernels import encode_bytes
from featsieve.measures import information_gain
from featsieve.selectors import MeasureFilter


@dataclass(frozen=True)
class Codes:
    X: np.ndarray  # uint8, column-major
    y: np.ndarray  # int32


def make_codes(rows: int, columns: int, classes: int = 3) -> Codes:
    """Return columns of 2 to 10 levels; every tenth one follows the class."""
    random = np.random.default_rng(1)
    y = random.integers(0, classes, rows, dtype=np.int32)
    X = np.empty((rows, columns), dtype=np.uint8, order="F")
    for j, levels in enumerate(random.integers(2, 11, columns)):
        X[:, j] = random.integers(0, levels, rows)
        if j % 10 == 0:
            X[:, j] = np.where(random.random(rows) < 0.3, y % levels, X[:, j])
    return Codes(X, y)


def as_layout(dtype: Any, order: Any) -> Any:
    return lambda data: Codes(np.asarray(data.X, dtype=dtype, order=order), data.y)


def measure(data: Codes) -> np.ndarray:
    return information_gain(data.X, data.y)


def as_category_frame(data: Codes) -> tuple[Any, np.ndarray]:
    names = [f"x{j}" for j in range(data.X.shape[1])]
    columns = {
        name: pd.Categorical.from_codes(
            data.X[:, j], [f"level {level}" for level in range(data.X[:, j].max() + 1)]
        )
        for j, name in enumerate(names)
    }
    return pd.DataFrame(columns), data.y


def as_integer_frame(data: Codes) -> tuple[Any, np.ndarray]:
    names = [f"x{j}" for j in range(data.X.shape[1])]
    return pd.DataFrame(data.X.astype(np.int64), columns=names), data.y


def filter_scores(data: tuple[Any, np.ndarray]) -> np.ndarray:
    selector = MeasureFilter(nominal="all", n_features_to_select=10)
    return selector.fit(*data).scores_


def filter_frame_scores(data: tuple[Any, np.ndarray]) -> np.ndarray:
    return MeasureFilter(n_features_to_select=10).fit(*data).scores_


def sklearn_scores(data: Codes) -> np.ndarray:
    nats = mutual_info_classif(data.X, data.y, discrete_features=True, n_jobs=1)
    return nats / math.log(2)


def numpy_scores(data: Codes) -> np.ndarray:
    """Information gain as one writes it with NumPy: a bincount per column."""
    X, y = data.X, data.y
    rows, classes = len(y), int(y.max()) + 1
    wide = y.astype(np.int64)
    gains = np.empty(X.shape[1])
    for j in range(X.shape[1]):
        levels = int(X[:, j].max()) + 1
        counts = np.bincount(X[:, j] * classes + wide, minlength=levels * classes)
        table = counts.reshape(levels, classes) / rows
        gains[j] = (
            _plug_in(table.sum(axis=1)) + _plug_in(table.sum(axis=0)) - _plug_in(table)
        )
    return gains


def _plug_in(shares: np.ndarray) -> float:
    some = shares[shares > 0]
    return float(-np.sum(some * np.log2(some)))


def warm_fast_select(data: Codes) -> Codes:
    prepared = Codes(np.asfortranarray(data.X, dtype=np.int32), data.y)
    fast_select_scores(Codes(prepared.X[:, :2], prepared.y))
    return prepared


def fast_select_scores(data: Codes) -> np.ndarray:
    """Its kernel for one pair in a loop: the public function wants all pairs too."""
    from fast_select.mutual_information import _mi_pair_cpu

    bit = math.log(2)
    return np.array(
        [_mi_pair_cpu(data.X[:, j], data.y, bit) for j in range(data.X.shape[1])]
    )


def close(a: np.ndarray, b: np.ndarray) -> bool:
    # fast-select sums with fast-math.
    return np.allclose(a, b, rtol=0, atol=1e-7)


OURS = (
    Contestant("information_gain, uint8 F", measure, ours=True),
    Contestant(
        "information_gain, uint8 C", measure, as_layout(np.uint8, "C"), ours=True
    ),
    Contestant(
        "information_gain, int32 F", measure, as_layout(np.int32, "F"), ours=True
    ),
)
PEERS = (
    Contestant("NumPy bincount loop, uint8 F", numpy_scores),
    Contestant(
        "fast-select kernel, int32 F, warm", fast_select_scores, warm_fast_select
    ),
)


WORKLOADS = [
    Workload(
        name="W1",
        title="information gain of nominal features, 2-10 levels, 3 classes",
        make=make_codes,
        sizes={
            "default": {"rows": 10_000, "columns": 1_000},
            "rows x2": {"rows": 20_000, "columns": 1_000},
            "columns x2": {"rows": 10_000, "columns": 2_000},
        },
        contestants=(
            *OURS,
            Contestant(
                "information_gain, int32 C",
                measure,
                as_layout(np.int32, "C"),
                ours=True,
            ),
            Contestant(
                "information_gain, float64 C",
                measure,
                as_layout(np.float64, "C"),
                ours=True,
            ),
            Contestant(
                "MeasureFilter, int64 array",
                filter_scores,
                lambda data: (data.X.astype(np.int64, order="C"), data.y),
                ours=True,
            ),
            Contestant(
                "MeasureFilter, pandas category",
                filter_frame_scores,
                as_category_frame,
                ours=True,
            ),
            Contestant(
                "MeasureFilter, pandas int64",
                filter_scores,
                as_integer_frame,
                ours=True,
            ),
            *PEERS,
            Contestant("scikit-learn mutual_info_classif", sklearn_scores),
        ),
        targets="at least 10 times the best peer, at most 2.5 times the limit",
        same=close,
    ),
    Workload(
        name="W1-tall",
        title="the same on many rows",
        make=make_codes,
        sizes={
            "default": {"rows": 1_000_000, "columns": 100},
            "rows x2": {"rows": 2_000_000, "columns": 100},
            "columns x2": {"rows": 1_000_000, "columns": 200},
        },
        contestants=(
            *OURS,
            *PEERS,
            Contestant("scikit-learn mutual_info_classif", sklearn_scores),
        ),
        targets="at least 10 times the best peer, at most 2.5 times the limit",
        same=close,
    ),
]


def make_floats(rows: int, columns: int) -> np.ndarray:
    random = np.random.default_rng(2)
    return random.integers(0, 10, (rows, columns)).astype(np.float64)


def encode(values: np.ndarray) -> np.ndarray:
    return encode_bytes(values).T


def numpy_encode(values: np.ndarray) -> np.ndarray:
    return values.astype(np.uint8, order="F")


def numpy_checked(values: np.ndarray) -> np.ndarray:
    codes = values.astype(np.uint8, order="F")
    if not np.array_equal(codes, values):
        message = "not codes"
        raise ValueError(message)
    return codes


WORKLOADS.append(
    Workload(
        name="W1b",
        title="float64 rows to uint8 columns, checked",
        make=make_floats,
        sizes={
            "default": {"rows": 10_000, "columns": 1_000},
            "rows x2": {"rows": 20_000, "columns": 1_000},
            "columns x2": {"rows": 10_000, "columns": 2_000},
        },
        contestants=(
            Contestant("encode_bytes", encode, ours=True),
            Contestant("NumPy astype, unchecked", numpy_encode),
            Contestant("NumPy astype, checked afterwards", numpy_checked),
            Contestant("NumPy copy of the floats (memory speed)", np.copy),
        ),
        targets="at most 2 times the limit; no second copy",
    )
)
