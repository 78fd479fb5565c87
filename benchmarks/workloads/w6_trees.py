"""W6: forests. W6l: local relevance. W6b: one exhaustive tree. W6c: C4.5."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier

from benchmarks._harness import Contestant, Workload
from featsieve.data import Column, ColumnKind, Table, read_table
from featsieve.ensembles import (
    RandomForestEnsembleClassifier,
    RandomForestEnsembleRegressor,
)
from featsieve.trees import C45Classifier, RandomTreeClassifier
from featsieve.trees._forest import ForestGrower

N_TREES = 100


@dataclass(frozen=True)
class Labelled:
    X: Any
    y: np.ndarray


def make_rows(rows: int, columns: int) -> Labelled:
    X, y = make_classification(
        rows, columns, n_informative=10, flip_y=0.1, random_state=0
    )
    return Labelled(X, y.astype(np.int32))


# One tree


def our_tree(data: Labelled) -> RandomTreeClassifier:
    return RandomTreeClassifier(max_features=None, random_state=0).fit(data.X, data.y)


def sklearn_tree(data: Labelled) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(criterion="entropy", random_state=0).fit(
        data.X, data.y
    )


def node_count(tree: Any) -> float:
    if isinstance(tree, list):
        return float(np.mean([len(each["feature"]) for each in tree]))
    if isinstance(tree, RandomForestEnsembleClassifier | RandomForestEnsembleRegressor):
        return float(tree.node_counts_.mean())
    if isinstance(tree, RandomForestClassifier | RandomForestRegressor):
        return float(np.mean([each.tree_.node_count for each in tree.estimators_]))
    return tree.node_count_ if hasattr(tree, "node_count_") else tree.tree_.node_count


def same_size(a: Any, b: Any) -> bool:
    """Whether trees have the same number of nodes; ties are broken differently."""
    return abs(node_count(a) / node_count(b) - 1) < 0.03


def fitted(fit: Any) -> Any:
    return lambda data: (fit(data), data.X)


def predict_shares(fitted_tree: tuple[Any, np.ndarray]) -> np.ndarray:
    tree, X = fitted_tree
    return tree.predict_proba(X)


def same_shares(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether both know their training rows by heart."""
    return bool(np.mean(a.argmax(axis=1) == b.argmax(axis=1)) > 0.999)


# Forests


def our_forest(data: Labelled, drawn: Any) -> RandomForestEnsembleClassifier:
    return RandomForestEnsembleClassifier(
        n_estimators=N_TREES, max_features=drawn, random_state=0
    ).fit(data.X, data.y)


def grown_trees(data: Labelled, drawn: Any, relevance: bool) -> list[Any]:
    """Grow the same trees, with or without sums of relevance, and nothing else."""
    estimator = RandomForestEnsembleClassifier(max_features=drawn)
    target: dict[str, Any] = {"classes": data.y, "n_classes": 2}
    if data.y.dtype == np.float64:
        target = {"numbers": data.y}
    grower = ForestGrower(estimator, read_table(data.X), target, None)
    return [grower.grow(seed, seed, relevance=relevance)[0] for seed in range(N_TREES)]


def its_trees(drawn: Any) -> tuple[Contestant, ...]:
    """Return our trees alone, with and without the sums: what relevance costs."""
    return tuple(
        Contestant(
            f"its trees, {label}",
            partial(grown_trees, drawn=drawn, relevance=relevance),
            ours=True,
        )
        for label, relevance in (("with relevance", True), ("without", False))
    )


def sklearn_forest(data: Labelled, drawn: Any) -> RandomForestClassifier:
    forest = RandomForestClassifier(
        N_TREES, criterion="entropy", max_features=drawn, random_state=0, n_jobs=1
    )
    return forest.fit(data.X, data.y)


# Forests for numbers


def make_numbers(rows: int, columns: int) -> Labelled:
    data = make_rows(rows, columns)
    noise = np.random.default_rng(0).normal(size=rows)
    return Labelled(data.X, data.y + 2 * data.X[:, 0] + noise)


def our_regression(data: Labelled, drawn: Any) -> RandomForestEnsembleRegressor:
    return RandomForestEnsembleRegressor(
        n_estimators=N_TREES, max_features=drawn, random_state=0
    ).fit(data.X, data.y)


def sklearn_regression(data: Labelled, drawn: Any) -> RandomForestRegressor:
    forest = RandomForestRegressor(
        N_TREES, max_features=drawn, random_state=0, n_jobs=1
    )
    return forest.fit(data.X, data.y)


# Local relevance


def fitted_on_some(data: Labelled) -> tuple[RandomForestEnsembleClassifier, Labelled]:
    """Return a forest of rows that are few enough to grow quickly, and all rows."""
    some = slice(0, 10_000)
    forest = RandomForestEnsembleClassifier(n_estimators=N_TREES, random_state=0)
    return forest.fit(data.X[some], data.y[some]), data


def relevance_of_rows(
    ready: tuple[RandomForestEnsembleClassifier, Labelled],
) -> np.ndarray:
    forest, data = ready
    return forest.local_relevance(data.X, data.y)


def leaves_of_rows(
    ready: tuple[RandomForestEnsembleClassifier, Labelled],
) -> np.ndarray:
    forest, data = ready
    return forest.apply(data.X)


# C4.5


def make_mixed(rows: int, columns: int, missing: float = 0.01) -> Table:
    """Return numeric and nominal columns, a share missing, three classes."""
    random = np.random.default_rng(0)
    y = random.integers(0, 3, rows)
    made = []
    for j in range(columns):
        signal = (y + random.normal(0, 3 + j / 10, rows)) if j % 5 == 0 else None
        if j % 2 == 0:
            values = random.normal(size=rows) if signal is None else signal
            values = np.where(random.random(rows) < missing, np.nan, values)
            made.append(Column(f"n{j}", ColumnKind.NUMERIC, values))
        else:
            n_levels = 2 + j % 6
            codes = random.integers(0, n_levels, rows)
            if signal is not None:
                codes = np.clip(np.floor(signal), 0, n_levels - 1)
            codes = np.where(random.random(rows) < missing, -1, codes).astype(np.int32)
            levels = tuple(f"level {k}" for k in range(n_levels))
            made.append(Column(f"c{j}", ColumnKind.NOMINAL, codes, levels))
    target = Column("y", ColumnKind.NOMINAL, y.astype(np.int32), ("a", "b", "c"))
    return Table(tuple(made), target=target)


def grow_c45(table: Table, **options: Any) -> C45Classifier:
    return C45Classifier(**options).fit(table, None)


def sizes(rows: int, columns: int) -> dict[str, dict[str, int]]:
    return {
        "default": {"rows": rows, "columns": columns},
        "rows x2": {"rows": 2 * rows, "columns": columns},
        "columns x2": {"rows": rows, "columns": 2 * columns},
    }


def forest_workloads() -> list[Workload]:
    made = []
    for rows, columns, shape in ((10_000, 50, ""), (2_000, 500, "-wide")):
        for drawn in (1, "sqrt"):
            fit = partial(our_forest, drawn=drawn)
            peer = partial(sklearn_forest, drawn=drawn)
            made.append(
                Workload(
                    name=f"W6-{drawn}{shape}",
                    title=f"{N_TREES} entropy trees, bootstrap, {drawn} per node",
                    make=make_rows,
                    sizes=sizes(rows, columns),
                    contestants=(
                        Contestant("RandomForestEnsembleClassifier", fit, ours=True),
                        *its_trees(drawn),
                        Contestant("scikit-learn RandomForestClassifier", peer),
                    ),
                    targets="at least 4 times scikit-learn; relevance at most 1.3",
                    same=same_size,
                )
            )
            made.append(
                Workload(
                    name=f"W6p-{drawn}{shape}",
                    title=f"prediction of {N_TREES} such trees",
                    make=make_rows,
                    sizes={"default": {"rows": rows, "columns": columns}},
                    contestants=(
                        Contestant(
                            "RandomForestEnsembleClassifier",
                            predict_shares,
                            fitted(fit),
                            ours=True,
                        ),
                        Contestant(
                            "scikit-learn RandomForestClassifier",
                            predict_shares,
                            fitted(peer),
                        ),
                    ),
                    targets="at least 2 times scikit-learn",
                    same=same_shares,
                )
            )
    return made


def regression_workloads() -> list[Workload]:
    return [
        Workload(
            name=f"W6r-{drawn}",
            title=f"{N_TREES} trees for numbers, bootstrap, {drawn} per node",
            make=make_numbers,
            sizes=sizes(10_000, 50),
            contestants=(
                Contestant(
                    "RandomForestEnsembleRegressor",
                    partial(our_regression, drawn=drawn),
                    ours=True,
                ),
                *its_trees(drawn),
                Contestant(
                    "scikit-learn RandomForestRegressor",
                    partial(sklearn_regression, drawn=drawn),
                ),
            ),
            targets="ahead of scikit-learn; relevance at most 1.3",
            same=same_size,
        )
        for drawn in (1, "sqrt")
    ]


def local_workloads() -> list[Workload]:
    return [
        Workload(
            name="W6l",
            title=f"local relevance of rows unknown to {N_TREES} trees",
            make=make_rows,
            sizes={"default": {"rows": 100_000, "columns": 50}},
            contestants=(
                Contestant(
                    "local_relevance", relevance_of_rows, fitted_on_some, ours=True
                ),
                Contestant("apply", leaves_of_rows, fitted_on_some, ours=True),
            ),
            targets="bounded memory: the answer, and as much again for a block of rows",
        )
    ]


def tree_workloads() -> list[Workload]:
    made = []
    for rows, columns, shape in ((10_000, 50, ""), (2_000, 500, "-wide")):
        made.append(
            Workload(
                name=f"W6b{shape}",
                title="one exhaustive entropy tree",
                make=make_rows,
                sizes=sizes(rows, columns),
                contestants=(
                    Contestant(
                        "RandomTreeClassifier(max_features=None)", our_tree, ours=True
                    ),
                    Contestant("scikit-learn DecisionTreeClassifier", sklearn_tree),
                ),
                targets="at least 6 times scikit-learn",
                same=same_size,
            )
        )
    made.append(
        Workload(
            name="W6bp",
            title="prediction of such a tree",
            make=make_rows,
            sizes={"default": {"rows": 100_000, "columns": 20}},
            contestants=(
                Contestant(
                    "RandomTreeClassifier", predict_shares, fitted(our_tree), ours=True
                ),
                Contestant(
                    "scikit-learn DecisionTreeClassifier",
                    predict_shares,
                    fitted(sklearn_tree),
                ),
            ),
            targets="ahead of scikit-learn",
            same=same_shares,
        )
    )
    return made


def c45_workloads() -> list[Workload]:
    contestants = (
        Contestant("C45Classifier()", grow_c45, ours=True),
        Contestant(
            'C45Classifier(compatibility="j48")',
            partial(grow_c45, compatibility="j48"),
            ours=True,
        ),
        Contestant(
            "C45Classifier(prune=False)", partial(grow_c45, prune=False), ours=True
        ),
    )
    return [
        Workload(
            name=name,
            title=f"C4.5, numeric and nominal columns, {missing:.0%} missing",
            make=partial(make_mixed, missing=missing),
            sizes=sizes(20_000, 100),
            contestants=contestants,
            targets="at least 10 times J48, which runs elsewhere; see README",
        )
        for name, missing in (("W6c", 0.0), ("W6c-missing", 0.01))
    ]


WORKLOADS = [
    *forest_workloads(),
    *regression_workloads(),
    *local_workloads(),
    *tree_workloads(),
    *c45_workloads(),
]
