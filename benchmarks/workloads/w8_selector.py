"""W8: the forest selector beside BorutaPy, with what both find."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks._harness import Contestant, Workload
from featsieve.data import Table
from featsieve.datasets import Problem, make_madelon_like
from featsieve.selectors import ForestSelector

ROUNDS = 30


def our_selection(problem: Problem) -> tuple[Problem, list[str]]:
    selector = ForestSelector().fit(problem.table, None)
    return problem, selector.get_feature_names_out().tolist()


def matrix(table: Table) -> np.ndarray:
    return np.column_stack([column.values for column in table])


def boruta_selection(problem: Problem) -> tuple[Problem, list[str]]:
    from boruta import BorutaPy
    from sklearn.ensemble import RandomForestClassifier

    assert problem.table.target is not None
    model = RandomForestClassifier(
        max_depth=5, class_weight="balanced", n_jobs=1, random_state=0
    )
    search = BorutaPy(model, n_estimators="auto", max_iter=ROUNDS, random_state=0)
    search.fit(matrix(problem.table), problem.table.target.values)
    names = problem.table.names
    return problem, [names[j] for j in np.flatnonzero(search.support_)]


def as_good(ours: Any, other: Any) -> bool:
    """Whether ours finds at least as many groups, with at most one false one more."""
    problem, own = ours
    scores = [problem.truth.score(names) for names in (own, other[1])]
    false = [
        len(set(names) & set(problem.truth.irrelevant)) for names in (own, other[1])
    ]
    return scores[0]["recall"] >= scores[1]["recall"] and false[0] <= false[1] + 1


def recovery(found: tuple[Problem, list[str]]) -> str:
    """Say how many groups were found, and how many features do not matter."""
    problem, names = found
    truth = problem.truth
    hits = round(truth.score(names)["recall"] * len(truth.groups))
    false = len(set(names) & set(truth.irrelevant))
    return f"{hits} of {len(truth.groups)} groups, {false} of {len(names)} kept false"


def make(rows: int, columns: int) -> Problem:
    return make_madelon_like(rows, n_features=columns, random_state=0)


WORKLOADS = [
    Workload(
        name="W8",
        title=f"forest selector, madelon-like; BorutaPy at depth 5, {ROUNDS} rounds",
        make=make,
        sizes={
            "default": {"rows": 2_000, "columns": 500},
            "rows x2": {"rows": 4_000, "columns": 500},
            "columns x2": {"rows": 2_000, "columns": 1_000},
        },
        contestants=(
            Contestant("ForestSelector()", our_selection, ours=True),
            Contestant("BorutaPy", boruta_selection, once=True),
        ),
        targets="at least 10 times BorutaPy at equal or better recovery",
        same=as_good,
        judge=lambda _, found: recovery(found),
    )
]
