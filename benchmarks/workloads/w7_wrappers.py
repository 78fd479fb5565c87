"""W7: forward search by nearest neighbours, on given folds and by boosting.

Numbers drawn around two centres per class, 8 columns of which tell, 4 are sums of these
and the rest is noise. All contestants get the same ten folds and must choose the same
five features. The large one has no peer: scikit-learn needs minutes for a tenth of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks._harness import Contestant, Workload
from featsieve.selectors import ForwardSelector

N_WANTED = 5


@dataclass(frozen=True)
class Folded:
    X: np.ndarray
    y: np.ndarray
    folds: list[tuple[np.ndarray, np.ndarray]]


def make_folded(rows: int, columns: int) -> Folded:
    X, y = make_classification(
        rows, columns, n_informative=8, n_redundant=4, flip_y=0.1, random_state=1
    )
    splitter = StratifiedKFold(10, shuffle=True, random_state=0)
    return Folded(X, y, list(splitter.split(X, y)))


def make_bits(rows: int, columns: int) -> Folded:
    """Few nominal levels, so that rows repeat until there are many columns."""
    rng = np.random.default_rng(2)
    X = rng.integers(0, 3, (rows, columns))
    y = (X[:, :3].sum(axis=1) + rng.integers(0, 3, rows) > 4).astype(int)
    return Folded(X, y, [])


def search(data: Folded, **parameters: Any) -> np.ndarray:
    selector = ForwardSelector(n_features_to_select=N_WANTED, **parameters)
    return np.sort(selector.fit(data.X, data.y).selected_)


def ours(data: Folded) -> np.ndarray:
    return search(data, estimator=KNeighborsClassifier(5), cv=data.folds)


def ours_scaled(data: Folded) -> None:
    learner = make_pipeline(StandardScaler(), KNeighborsClassifier(5))
    search(data, estimator=learner, cv=data.folds)


def ours_boosting(data: Folded) -> None:
    search(data, scoring="boosting_z")


def ours_backward(data: Folded) -> None:
    search(data, estimator=KNeighborsClassifier(5), cv=data.folds, direction="backward")


def scikit_learn(data: Folded) -> np.ndarray:
    selector = SequentialFeatureSelector(
        KNeighborsClassifier(5), n_features_to_select=N_WANTED, cv=data.folds
    )
    return np.flatnonzero(selector.fit(data.X, data.y).support_)


def with_mlxtend(data: Folded) -> Folded:
    import mlxtend.feature_selection  # noqa: F401  (loaded before the clock)

    return data


def mlxtend(data: Folded) -> np.ndarray:
    from mlxtend.feature_selection import SequentialFeatureSelector as Sequential

    selector = Sequential(KNeighborsClassifier(5), k_features=N_WANTED, cv=data.folds)
    return np.sort(selector.fit(data.X, data.y).k_feature_idx_)


def same_features(a: Any, b: Any) -> bool:
    return b is None or np.array_equal(a, b)


def folded_workload(name: str, rows: int, columns: int) -> Workload:
    return Workload(
        name=name,
        title="forward search to 5 features, 5-NN, 10 given folds",
        make=make_folded,
        sizes={
            "default": {"rows": rows, "columns": columns},
            "rows x2": {"rows": 2 * rows, "columns": columns},
            "columns x2": {"rows": rows, "columns": 2 * columns},
        },
        contestants=(
            Contestant("ForwardSelector(KNeighborsClassifier)", ours, ours=True),
            Contestant("the same, scaled in every fold", ours_scaled, ours=True),
            Contestant("the same, backward", ours_backward, ours=True),
            Contestant("boosting_z, leave-one-out", ours_boosting, ours=True),
            Contestant("scikit-learn SequentialFeatureSelector", scikit_learn),
            Contestant("mlxtend SequentialFeatureSelector", mlxtend, with_mlxtend),
        ),
        targets="at least 30 times faster than both, same features",
        same=same_features,
    )


def large_z(data: Folded) -> np.ndarray:
    selector = ForwardSelector(scoring="boosting_z", n_features_to_select=10)
    return selector.fit(data.X, data.y).selected_


def large_accuracy(data: Folded) -> None:
    ForwardSelector(n_features_to_select=10).fit(data.X, data.y)


def bits_z(data: Folded) -> np.ndarray:
    selector = ForwardSelector(
        scoring="boosting_z", n_features_to_select=N_WANTED, nominal="all"
    )
    return selector.fit(data.X, data.y).selected_


WORKLOADS = [
    folded_workload("W7", 500, 20),
    folded_workload("W7-1000", 1_000, 40),
    Workload(
        name="W7-large",
        title="forward search to 10 features, leave-one-out 3-NN",
        make=make_folded,
        sizes={"default": {"rows": 5_000, "columns": 100}},
        contestants=(
            Contestant("boosting_z, 50 rounds", large_z, ours=True),
            Contestant("accuracy", large_accuracy, ours=True),
        ),
        targets="bounded memory: a matrix of distances would be 191 MiB",
    ),
    Workload(
        name="W7-levels",
        title="boosting_z to 5 features of 3 levels: descriptions repeat",
        make=make_bits,
        sizes={
            "default": {"rows": 2_000, "columns": 20},
            "rows x2": {"rows": 4_000, "columns": 20},
            "columns x2": {"rows": 2_000, "columns": 40},
        },
        contestants=(Contestant("boosting_z, nominal", bits_z, ours=True),),
    ),
]
