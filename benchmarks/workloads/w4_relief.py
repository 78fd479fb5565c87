"""W4: ReliefF with 10 neighbours, numeric features; MultiSURF; races of anchors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks._harness import Contestant, Workload
from featsieve.selectors import MultiSURFFilter, ReliefFFilter

NEIGHBOURS = 10


@dataclass(frozen=True)
class Rows:
    X: np.ndarray  # float64, row-major
    y: np.ndarray


def make_rows(rows: int, columns: int) -> Rows:
    """Return uniform columns; the class is whether the first two add up to 1."""
    random = np.random.default_rng(4)
    X = random.random((rows, columns))
    return Rows(X, (X[:, 0] + X[:, 1] > 1).astype(np.int64))


def make_mixed(rows: int, columns: int) -> Rows:
    """Return the same with every second column of 3 levels and a tenth missing."""
    data = make_rows(rows, columns)
    random = np.random.default_rng(5)
    data.X[:, 1::2] = np.floor(3 * data.X[:, 1::2])
    data.X[random.random(data.X.shape) < 0.1] = np.nan
    return data


def relieff(**parameters: Any) -> Callable[[Rows], np.ndarray]:
    selector = ReliefFFilter(NEIGHBOURS, n_features_to_select=2, **parameters)
    return lambda data: selector.fit(data.X, data.y).scores_


def multisurf(data: Rows) -> np.ndarray:
    return MultiSURFFilter(n_features_to_select=2).fit(data.X, data.y).scores_


def relieff_mixed(data: Rows) -> np.ndarray:
    nominal = list(range(1, data.X.shape[1], 2))
    selector = ReliefFFilter(NEIGHBOURS, n_features_to_select=2, nominal=nominal)
    return selector.fit(data.X, data.y).scores_


def warm(name: str, **parameters: Any) -> Callable[[Rows], tuple[Any, Rows]]:
    """Return what compiles fast-select's class before the clock starts."""

    def prepare(data: Rows) -> tuple[Any, Rows]:
        import fast_select

        kind = getattr(fast_select, name)
        selector = kind(n_features_to_select=2, backend="cpu", n_jobs=1, **parameters)
        selector.fit(data.X[:200, :10], data.y[:200])
        return selector, data

    return prepare


def of_skrebate(name: str, **parameters: Any) -> Callable[[Rows], tuple[Any, Rows]]:
    def prepare(data: Rows) -> tuple[Any, Rows]:
        import skrebate

        kind = getattr(skrebate, name)
        return kind(n_features_to_select=2, n_jobs=1, **parameters), data

    return prepare


def fit_peer(prepared: tuple[Any, Rows]) -> np.ndarray:
    selector, data = prepared
    return np.asarray(selector.fit(data.X, data.y).feature_importances_)


def close(a: np.ndarray, b: np.ndarray) -> bool:
    # fast-select adds up in 32 bits.
    return bool(np.allclose(a, b, rtol=0, atol=1e-5))


FAST_SELECT = Contestant(
    "fast-select, warm", fit_peer, warm("ReliefF", n_neighbors=NEIGHBOURS)
)
SKREBATE = Contestant(
    "skrebate", fit_peer, of_skrebate("ReliefF", n_neighbors=NEIGHBOURS)
)
OURS = Contestant("ReliefFFilter", relieff(), ours=True)
RACE = Contestant(
    "ReliefFFilter, anchors by race", relieff(n_anchors="race"), ours=True
)
TARGET = "at least 2 times fast-select, at most 1.5 times the limit"


def sizes(rows: int, columns: int) -> dict[str, dict[str, int]]:
    return {
        "default": {"rows": rows, "columns": columns},
        "rows x2": {"rows": 2 * rows, "columns": columns},
        "columns x2": {"rows": rows, "columns": 2 * columns},
    }


WORKLOADS = [
    Workload(
        name="W4",
        title="ReliefF, 10 neighbours, 2,000 x 100 numbers",
        make=make_rows,
        sizes=sizes(2_000, 100),
        contestants=(OURS, FAST_SELECT, SKREBATE),
        targets=TARGET,
        same=close,
    ),
    Workload(
        name="W4-tall",
        title="the same, 10,000 x 100",
        make=make_rows,
        sizes=sizes(10_000, 100),
        contestants=(OURS, FAST_SELECT),
        targets=TARGET,
        same=close,
    ),
    Workload(
        name="W4-wide",
        title="the same, 2,000 x 1,000",
        make=make_rows,
        sizes=sizes(2_000, 1_000),
        contestants=(OURS, FAST_SELECT),
        targets=TARGET,
        same=close,
    ),
    Workload(
        name="W4-race",
        title="the same two features from as few anchors as will do, 10,000 x 100",
        make=make_rows,
        sizes=sizes(10_000, 100),
        contestants=(RACE, OURS),
        targets="growth with the rows below quadratic",
    ),
    Workload(
        name="W4-mixed",
        title="ReliefF, half the columns nominal, a tenth of the values missing",
        make=make_mixed,
        sizes=sizes(2_000, 100),
        contestants=(Contestant("ReliefFFilter", relieff_mixed, ours=True),),
    ),
    Workload(
        name="W4-multisurf",
        title="MultiSURF, 1,000 x 100 numbers",
        make=make_rows,
        sizes=sizes(1_000, 100),
        contestants=(
            Contestant("MultiSURFFilter", multisurf, ours=True),
            Contestant("fast-select, warm", fit_peer, warm("MultiSURF")),
            Contestant("skrebate", fit_peer, of_skrebate("MultiSURF")),
        ),
        same=close,
    ),
]
