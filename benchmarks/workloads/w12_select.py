"""W12: the whole job on a mixed table, beside the peers that do a part of it.

Peak memory is that above a process that has the table and has selected features of a
small one before, so that modules are loaded: what the work itself takes. The table
takes 5.7 MiB as typed columns, 4.4 MiB as a pandas frame of numbers and categories.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFECV

import featsieve
from benchmarks._harness import Contestant, Workload
from featsieve.datasets import Problem, make_mixed
from featsieve.selection._custom import as_numbers


def make_table(rows: int, columns: int) -> Problem:
    """Return the mixed table of the demo, with as much noise as fills the columns."""
    plain = make_mixed(20, n_noise=0, random_state=0).table.n_columns
    return make_mixed(rows, n_noise=columns - plain, random_state=0)


def warm(problem: Problem) -> Problem:
    our_selection(make_table(100, 20))
    return problem


def our_selection(problem: Problem) -> list[str]:
    return featsieve.select(problem.table, n_jobs=1, verbose=False).features


def warm_frame(problem: Problem) -> tuple[Any, Any]:
    our_frame_selection(make_table(100, 20).table.to_pandas())
    return problem.table.to_pandas()


def our_frame_selection(data: tuple[Any, Any]) -> list[str]:
    return featsieve.select(*data, n_jobs=1, verbose=False).features


def numbers(problem: Problem) -> tuple[Any, Any, Problem]:
    """Return what peers can read: levels as numbers, gaps filled in."""
    X, _ = as_numbers(problem.table, takes_gaps=False)
    return X, problem.table.target.values, problem


def boruta(data: tuple[Any, Any, Problem]) -> list[str]:
    from boruta import BorutaPy

    X, y, problem = data
    forest = RandomForestClassifier(max_depth=5, n_jobs=1, random_state=0)
    selector = BorutaPy(forest, n_estimators="auto", max_iter=30, random_state=0)
    return named(problem, selector.fit(X, y).support_)


def rfecv(data: tuple[Any, Any, Problem]) -> list[str]:
    X, y, problem = data
    forest = RandomForestClassifier(100, n_jobs=1, random_state=0)
    return named(problem, RFECV(forest, step=0.1, cv=5).fit(X, y).support_)


def multisurf(data: tuple[Any, Any, Problem]) -> list[str]:
    from fast_select import MultiSURF

    X, y, problem = data
    selector = MultiSURF(n_features_to_select=10).fit(X, y)
    return named(problem, np.asarray(selector.feature_importances_) > 0)


def recovery(problem: Problem, selected: list[str]) -> str:
    score = problem.truth.score(selected)
    false = score["false_discovery_proportion"]
    return f"F1 {score['f1']:.3f}, false {false:.2f}"


def named(problem: Problem, support: Any) -> list[str]:
    return np.array(problem.table.names, dtype=object)[support].tolist()


WORKLOADS = [
    Workload(
        name="W12",
        title="select the features of a mixed table",
        make=make_table,
        sizes={
            "default": {"rows": 10_000, "columns": 100},
            "rows x2": {"rows": 20_000, "columns": 100},
            "columns x2": {"rows": 10_000, "columns": 200},
        },
        contestants=(
            Contestant("featsieve select", our_selection, warm, ours=True),
            Contestant(
                "featsieve select, pandas categories",
                our_frame_selection,
                warm_frame,
                ours=True,
            ),
            Contestant("BorutaPy, 30 rounds", boruta, numbers),
            Contestant("RFECV forest, steps of 10 %", rfecv, numbers),
            Contestant("MultiSURF (fast-select)", multisurf, numbers),
        ),
        judge=recovery,
        targets="faster than all of them, at higher recovery; peak memory below three "
        "times the table",
    ),
]
