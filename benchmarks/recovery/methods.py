"""Ours and the peers, each in its recommended use, as functions of one problem.

A method takes a problem and returns the names of the features it selects. Methods that
only rank are there twice: with their default cut, and "told" the true number of
features, which flatters them. Peers get nominal columns as numbers of levels and
missing values filled in (median, or one more level), because most take neither.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import featsieve
from featsieve.datasets import Problem
from featsieve.sieve._custom import as_numbers

__all__ = ["METHODS", "OURS"]

Method = Callable[[Problem, int], list[str]]

OURS = "featsieve select"

#: A quantity is what mutual information, F and forests have another function for.
N_TREES = 200


def _numbers(problem: Problem) -> tuple[NDArray[Any], NDArray[Any], bool]:
    X, _ = as_numbers(problem.table, takes_gaps=False)
    target = problem.table.target
    return X, np.asarray(target.values), not target.is_nominal


def _named(problem: Problem, chosen: Any) -> list[str]:
    names = np.array(problem.table.names, dtype=object)
    return names[np.asarray(chosen)].tolist()


def _told(problem: Problem) -> int:
    return len(problem.truth.groups)


def _knowing(method: Method) -> Method:
    """Return the method told the true number: where that is none, it keeps none."""
    return lambda problem, seed: method(problem, seed) if _told(problem) else []


def _best(scores: NDArray[Any], count: int) -> NDArray[np.intp]:
    return np.argsort(-np.asarray(scores), kind="stable")[:count]


def auto(problem: Problem, seed: int) -> list[str]:
    selection = featsieve.select(
        problem.table, random_state=seed, n_jobs=1, progress=False
    )
    return selection.features


def mutual_information(told: bool) -> Method:
    def run(problem: Problem, seed: int) -> list[str]:
        from sklearn.feature_selection import (
            mutual_info_classif,
            mutual_info_regression,
        )

        X, y, quantity = _numbers(problem)
        score = mutual_info_regression if quantity else mutual_info_classif
        nominal = [column.is_nominal for column in problem.table]
        scores = score(X, y, discrete_features=nominal, random_state=seed)
        # SelectKBest keeps ten unless told otherwise.
        return _named(problem, _best(scores, _told(problem) if told else 10))

    return run


def f_test(problem: Problem, _: int) -> list[str]:
    from sklearn.feature_selection import SelectFdr, f_classif, f_regression

    X, y, quantity = _numbers(problem)
    keep = X.std(axis=0) > 0
    selector = SelectFdr(f_regression if quantity else f_classif, alpha=0.05)
    selector.fit(X[:, keep], y)
    return _named(problem, np.flatnonzero(keep)[selector.get_support()])


def _forest(quantity: bool, seed: int, **options: Any) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    kind = RandomForestRegressor if quantity else RandomForestClassifier
    return kind(random_state=seed, n_jobs=1, **options)


def rfecv(problem: Problem, seed: int) -> list[str]:
    from sklearn.feature_selection import RFECV

    X, y, quantity = _numbers(problem)
    step = 0.1 if X.shape[1] > 60 else 1
    selector = RFECV(_forest(quantity, seed, n_estimators=100), step=step, cv=5)
    return _named(problem, selector.fit(X, y).support_)


def l1_model(problem: Problem, seed: int) -> list[str]:
    from sklearn.feature_selection import SelectFromModel
    from sklearn.linear_model import LassoCV, LogisticRegressionCV
    from sklearn.preprocessing import StandardScaler

    X, y, quantity = _numbers(problem)
    X = StandardScaler().fit_transform(X)
    if quantity:
        model: Any = LassoCV(cv=5, random_state=seed)
    else:
        model = LogisticRegressionCV(
            Cs=5, cv=3, penalty="l1", solver="saga", max_iter=100, tol=1e-2,
            random_state=seed,
        )  # fmt: skip
    selector = SelectFromModel(model, threshold=1e-5).fit(X, y)
    return _named(problem, selector.get_support())


def permutation_importance(told: bool) -> Method:
    def run(problem: Problem, seed: int) -> list[str]:
        from sklearn.inspection import permutation_importance as importance
        from sklearn.model_selection import train_test_split

        X, y, quantity = _numbers(problem)
        parts = train_test_split(X, y, random_state=seed)
        forest = _forest(quantity, seed, n_estimators=N_TREES).fit(parts[0], parts[2])
        found = importance(forest, parts[1], parts[3], n_repeats=5, random_state=seed)
        if told:
            return _named(problem, _best(found.importances_mean, _told(problem)))
        return _named(problem, found.importances_mean > 2 * found.importances_std)

    return run


def boruta(problem: Problem, seed: int) -> list[str]:
    from boruta import BorutaPy

    X, y, quantity = _numbers(problem)
    forest = _forest(quantity, seed, max_depth=5)
    selector = BorutaPy(forest, n_estimators="auto", random_state=seed)
    return _named(problem, selector.fit(X, y).support_)


def multisurf(told: bool) -> Method:
    def run(problem: Problem, _: int) -> list[str]:
        from fast_select import MultiSURF

        X, y, quantity = _numbers(problem)
        if quantity:
            raise NotImplementedError
        selector = MultiSURF(n_features_to_select=min(10, X.shape[1])).fit(X, y)
        scores = np.asarray(selector.feature_importances_)
        chosen = _best(scores, _told(problem)) if told else np.flatnonzero(scores > 0)
        return _named(problem, chosen)

    return run


def correlation_subset(problem: Problem, _: int) -> list[str]:
    from fast_select import CFS

    X, y, quantity = _numbers(problem)
    if quantity:
        raise NotImplementedError
    return _named(problem, np.asarray(CFS().fit(X, y).get_support()))


def minimum_redundancy(told: bool) -> Method:
    def run(problem: Problem, _: int) -> list[str]:
        import pandas as pd
        from mrmr import mrmr_classif, mrmr_regression

        X, y, quantity = _numbers(problem)
        frame = pd.DataFrame(X, columns=list(problem.table.names))
        count = _told(problem) if told else min(10, X.shape[1])
        run_one = mrmr_regression if quantity else mrmr_classif
        found = run_one(frame, pd.Series(y), K=count, show_progress=False, n_jobs=1)
        return list(found)

    return run


def interactions_fast(problem: Problem, seed: int) -> list[str]:
    """FAST pairs above the strongest pair with one of ten columns of noise."""
    from interpret.utils import measure_interactions

    X, y, quantity = _numbers(problem)
    if not quantity and len(np.unique(y)) > 2:
        raise NotImplementedError
    n_features = X.shape[1]
    noise = np.random.default_rng(seed).normal(size=(len(X), 10))
    objective = "rmse" if quantity else "log_loss"
    found = measure_interactions(
        np.column_stack([X, noise]), y, interactions=200, objective=objective
    )
    line = max((s for pair, s in found if max(pair) >= n_features), default=0.0)
    chosen = {
        j for pair, s in found if s > line and max(pair) < n_features for j in pair
    }
    return _named(problem, sorted(chosen)) if chosen else []


METHODS: dict[str, Method] = {
    OURS: auto,
    "SelectKBest MI": mutual_information(told=False),
    "SelectKBest MI, told k": _knowing(mutual_information(told=True)),
    "SelectFdr F": f_test,
    "RFECV forest": rfecv,
    "SelectFromModel L1": l1_model,
    "forest permutation": permutation_importance(told=False),
    "forest permutation, told k": _knowing(permutation_importance(told=True)),
    "BorutaPy": boruta,
    "MultiSURF": multisurf(told=False),
    "MultiSURF, told k": _knowing(multisurf(told=True)),
    "CFS (fast-select)": correlation_subset,
    "mRMR": minimum_redundancy(told=False),
    "mRMR, told k": _knowing(minimum_redundancy(told=True)),
    "FAST (interpret)": interactions_fast,
}
