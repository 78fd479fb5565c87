"""Ours and the peers, each in its recommended use, as functions of one problem.

A method takes a problem and returns the names of the features it selects. Methods that
only rank are there three times: with their default cut; with the number of features
that lets a forest do best in cross-validation, as `GridSearchCV` over a pipeline would
find it; and "told" the true number, which flatters them. Peers get missing values
filled in (median, or one more level), and nominal columns as what suits them: a column
for each level where the method is linear (a feature is selected with any of them),
marked as nominal where that can be said, numbers of levels elsewhere.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import featsieve
from featsieve.datasets import Problem
from featsieve.selection._custom import as_numbers

__all__ = ["METHODS", "OURS"]

Method = Callable[[Problem, int], list[str]]

OURS = "featsieve select"

N_TREES = 200
FDR = 0.05
#: Above so many levels a column for each would be a column for each row.
MOST_LEVELS = 50
#: Numbers of features to try in cross-validation, as far as there are so many.
COUNTS = (1, 2, 3, 5, 8, 13, 21)


#: From rows, classes, whether those are quantities, and a seed to scores of columns.
Ranking = Callable[[Problem, NDArray[Any], NDArray[Any], bool, int], NDArray[Any]]


def _numbers(problem: Problem) -> tuple[NDArray[Any], NDArray[Any], bool]:
    """Return columns, target, and whether that is a quantity."""
    X, _ = as_numbers(problem.table, takes_gaps=False)
    target = problem.table.target
    return X, np.asarray(target.values), not target.is_nominal


def _named(problem: Problem, chosen: Any) -> list[str]:
    names = np.array(problem.table.names, dtype=object)
    return names[np.asarray(chosen)].tolist()


def _told(problem: Problem) -> int:
    return len(problem.truth.groups)


def _best(scores: NDArray[Any], count: int) -> NDArray[np.intp]:
    return np.argsort(-np.asarray(scores), kind="stable")[:count]


def _dummies(problem: Problem, X: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return a column for each of three and more levels, and whose each column is."""
    columns, owners = [], []
    for j, column in enumerate(problem.table):
        levels = np.unique(X[:, j])
        if column.is_nominal and 2 < len(levels) <= MOST_LEVELS:
            columns += [(X[:, j] == level).astype(float) for level in levels]
            owners += [j] * len(levels)
        elif len(levels) > 1:
            columns.append(X[:, j])
            owners.append(j)
    return np.column_stack(columns), np.array(owners)


def _cut_by_folds(ranking: Ranking) -> Method:
    """Return the method that keeps as many as let a forest do best in three folds."""

    def run(problem: Problem, seed: int) -> list[str]:
        from sklearn.model_selection import KFold, StratifiedKFold

        X, y, quantity = _numbers(problem)
        counts = [count for count in COUNTS if count <= X.shape[1]]
        folds = (KFold if quantity else StratifiedKFold)(
            3, shuffle=True, random_state=seed
        )
        score = np.zeros(len(counts))
        for train, test in folds.split(X, y):
            order = _best(ranking(problem, X[train], y[train], quantity, seed), 99)
            for i, count in enumerate(counts):
                forest = _forest(quantity, seed, n_estimators=50)
                forest.fit(X[np.ix_(train, order[:count])], y[train])
                score[i] += forest.score(X[np.ix_(test, order[:count])], y[test])
        count = counts[int(np.argmax(score))]
        return _named(problem, _best(ranking(problem, X, y, quantity, seed), count))

    return run


def _cut_when_told(ranking: Ranking) -> Method:
    """Return the method told the true number: where that is none, it keeps none."""

    def run(problem: Problem, seed: int) -> list[str]:
        if not _told(problem):
            return []
        scores = ranking(problem, *_numbers(problem), seed)
        return _named(problem, _best(scores, _told(problem)))

    return run


def _cut_at(ranking: Ranking, count: int) -> Method:
    """Return the method that keeps so many, whatever the problem."""

    def run(problem: Problem, seed: int) -> list[str]:
        scores = ranking(problem, *_numbers(problem), seed)
        return _named(problem, _best(scores, count))

    return run


def auto(problem: Problem, seed: int) -> list[str]:
    """With what the problem says about its rows, as far as `select` takes it."""
    known = inspect.signature(featsieve.select).parameters
    options = {key: value for key, value in problem.options.items() if key in known}
    selection = featsieve.select(
        problem.table, random_state=seed, n_jobs=1, verbose=False, **options
    )
    return selection.features


def mutual_information(
    problem: Problem, X: NDArray[Any], y: NDArray[Any], quantity: bool, seed: int
) -> NDArray[Any]:
    from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

    score = mutual_info_regression if quantity else mutual_info_classif
    nominal = [column.is_nominal for column in problem.table]
    return score(X, y, discrete_features=nominal, random_state=seed)


def f_test(problem: Problem, _: int) -> list[str]:
    from sklearn.feature_selection import SelectFdr, f_classif, f_regression

    X, y, quantity = _numbers(problem)
    X, owners = _dummies(problem, X)
    selector = SelectFdr(f_regression if quantity else f_classif, alpha=FDR).fit(X, y)
    return _named(problem, np.unique(owners[selector.get_support()]))


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
    """The penalty by the log-likelihood of five folds; no intercept is penalised."""
    from sklearn.feature_selection import SelectFromModel
    from sklearn.linear_model import LassoCV, LogisticRegressionCV
    from sklearn.preprocessing import StandardScaler

    X, y, quantity = _numbers(problem)
    X, owners = _dummies(problem, X)
    X = StandardScaler().fit_transform(X)
    if quantity:
        model: Any = LassoCV(cv=5, random_state=seed)
    else:
        model = LogisticRegressionCV(
            Cs=np.geomspace(1e-3, 1, 7), cv=5, l1_ratios=(1,), solver="saga", tol=1e-3,
            max_iter=300, scoring="neg_log_loss", random_state=seed,
            use_legacy_attributes=False,
        )  # fmt: skip
    selector = SelectFromModel(model, threshold=1e-5).fit(X, y)
    return _named(problem, np.unique(owners[selector.get_support()]))


def permutation_importance(told: bool) -> Method:
    """Kept without being told: what is twice its own spread above nothing."""

    def run(problem: Problem, seed: int) -> list[str]:
        from sklearn.inspection import permutation_importance as importance
        from sklearn.model_selection import train_test_split

        if told and not _told(problem):
            return []
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
    # As its own page has it: shallow trees, classes of equal weight.
    weights = {} if quantity else {"class_weight": "balanced"}
    forest = _forest(quantity, seed, max_depth=5, **weights)
    selector = BorutaPy(forest, n_estimators="auto", random_state=seed)
    return _named(problem, selector.fit(X, y).support_)


def multisurf(
    problem: Problem, X: NDArray[Any], y: NDArray[Any], quantity: bool, _: int
) -> NDArray[Any]:
    from fast_select import MultiSURF

    if quantity:
        raise NotImplementedError
    # Columns of so many values are compared as levels; ten unless told.
    limit = max([10, *(c.n_levels + 1 for c in problem.table if c.is_nominal)])
    selector = MultiSURF(n_features_to_select=1, discrete_limit=limit, n_jobs=1)
    return np.asarray(selector.fit(X, y).feature_importances_)


def multisurf_positive(problem: Problem, seed: int) -> list[str]:
    return _named(problem, multisurf(problem, *_numbers(problem), seed) > 0)


def correlation_subset(by_classes: bool) -> Method:
    """CFS over its own ten bins, or over cuts chosen by class, as its author has it."""

    def run(problem: Problem, _: int) -> list[str]:
        from fast_select import CFS

        from featsieve.data import MDLDiscretizer

        X, y, quantity = _numbers(problem)
        if quantity:
            raise NotImplementedError
        if by_classes:
            numeric = np.array([not column.is_nominal for column in problem.table])
            if numeric.any():
                X[:, numeric] = MDLDiscretizer().fit_transform(X[:, numeric], y)
            X = X.astype(np.int64)
        support = CFS(n_jobs=1).fit(X, y).get_support()
        return _named(problem, np.asarray(support))

    return run


def minimum_redundancy(
    problem: Problem, X: NDArray[Any], y: NDArray[Any], quantity: bool, _: int
) -> NDArray[Any]:
    import pandas as pd
    from mrmr import mrmr_classif, mrmr_regression

    names = list(problem.table.names)
    frame = pd.DataFrame(X, columns=names)
    nominal = [c.name for c in problem.table if c.is_nominal and c.n_levels > 2]
    # Its own coding of levels is a mean of the target, which needs a number.
    marked = nominal if quantity or len(np.unique(y)) == 2 else []
    found = (mrmr_regression if quantity else mrmr_classif)(
        frame, pd.Series(y), K=min(max(COUNTS), len(names)), show_progress=False,
        n_jobs=1, cat_features=marked or None,
    )  # fmt: skip
    scores = np.full(len(names), -1.0)
    for rank, name in enumerate(found):
        scores[names.index(name)] = len(found) - rank
    return scores


def interactions_fast(problem: Problem, seed: int) -> list[str]:
    """FAST pairs above the strongest pair with one of ten columns of noise."""
    from interpret.utils import measure_interactions

    X, y, quantity = _numbers(problem)
    if not quantity and len(np.unique(y)) > 2:
        raise NotImplementedError
    n_features = X.shape[1]
    noise = np.random.default_rng(seed).normal(size=(len(X), 10))
    objective = "rmse" if quantity else "log_loss"
    kinds = ["nominal" if c.is_nominal else "continuous" for c in problem.table]
    found = measure_interactions(
        np.column_stack([X, noise]), y, interactions=200, objective=objective,
        feature_types=kinds + ["continuous"] * 10,
    )  # fmt: skip
    line = max((s for pair, s in found if max(pair) >= n_features), default=0.0)
    chosen = {
        j for pair, s in found if s > line and max(pair) < n_features for j in pair
    }
    return _named(problem, sorted(chosen)) if chosen else []


def _linear_target(problem: Problem) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return columns for a linear model, whose each is, and a target of numbers.

    Two classes are 0 and 1; more do not apply. Of the levels of a column one is left
    out, as it is known from the others.
    """
    X, y, quantity = _numbers(problem)
    if not quantity and len(np.unique(y)) > 2:
        raise NotImplementedError
    X, owners = _dummies(problem, X)
    several = owners == np.r_[owners[1:], -1]
    kept = several | (owners != np.r_[-1, owners[:-1]])
    return X[:, kept], owners[kept], y.astype(float)


def distilled_test(problem: Problem, seed: int) -> list[str]:
    """dCRT with the lasso, its p-values by Benjamini and Hochberg.

    By default it tests the tenth of the columns with the largest coefficients only,
    which is meant for thousands; up to 200 all are tested.
    """
    from hidimstat import D0CRT
    from sklearn.linear_model import LassoCV

    X, owners, y = _linear_target(problem)
    share = 100 if X.shape[1] <= 200 else 10
    test = D0CRT(LassoCV(alphas=10), screening_threshold=share, random_state=seed)
    test.fit_importance(X, y)
    return _named(problem, np.unique(owners[test.fdr_selection(FDR) > 0]))


def conditional_importance(problem: Problem, seed: int) -> list[str]:
    """CFI of gradient boosting over five folds, by Benjamini and Hochberg."""
    from hidimstat import CFICV
    from sklearn.metrics import log_loss, mean_squared_error
    from sklearn.model_selection import KFold, StratifiedKFold

    X, y, quantity = _numbers(problem)
    folds = (KFold if quantity else StratifiedKFold)(5, shuffle=True, random_state=seed)
    test = CFICV(
        _boosting(quantity, seed),
        folds,
        method="predict" if quantity else "predict_proba",
        loss=mean_squared_error if quantity else log_loss,
        random_state=seed,
    )
    test.fit_importance(X, y)
    return _named(problem, test.fdr_selection(FDR) > 0)


def knockoffs(problem: Problem, seed: int) -> list[str]:
    """Gaussian knockoffs with the lasso.

    At a false discovery rate of .05 they can select no less than 20 columns, at .2,
    which is used here, five.
    """
    from hidimstat import ModelXKnockoff

    X, owners, y = _linear_target(problem)
    test = ModelXKnockoff(random_state=seed)
    test.fit_importance(X, y)
    return _named(problem, np.unique(owners[test.fdr_selection(0.2)]))


def _boosting(quantity: bool, seed: int) -> Any:
    from sklearn.ensemble import (
        HistGradientBoostingClassifier,
        HistGradientBoostingRegressor,
    )

    kind = HistGradientBoostingRegressor if quantity else HistGradientBoostingClassifier
    return kind(random_state=seed)


def shap_above_random(problem: Problem, seed: int) -> list[str]:
    """Mean |SHAP| of gradient boosting above that of every of five random columns."""
    import shap

    X, y, quantity = _numbers(problem)
    rng = np.random.default_rng(seed)
    wide = np.column_stack([X, rng.normal(size=(len(X), 5))])
    model = _boosting(quantity, seed).fit(wide, y)
    some = wide[rng.permutation(len(wide))[:1000]]
    found = np.abs(shap.TreeExplainer(model).shap_values(some))
    # With several classes there is a last axis for them.
    scores = found.mean(axis=0).reshape(wide.shape[1], -1).sum(axis=1)
    return _named(problem, scores[:-5] > scores[-5:].max())


METHODS: dict[str, Method] = {
    OURS: auto,
    "SelectKBest MI": _cut_at(mutual_information, 10),
    "SelectKBest MI, k by CV": _cut_by_folds(mutual_information),
    "SelectKBest MI, told k": _cut_when_told(mutual_information),
    "SelectFdr F": f_test,
    "RFECV forest": rfecv,
    "SelectFromModel L1": l1_model,
    "forest permutation": permutation_importance(told=False),
    "forest permutation, told k": permutation_importance(told=True),
    "BorutaPy": boruta,
    "MultiSURF": multisurf_positive,
    "MultiSURF, k by CV": _cut_by_folds(multisurf),
    "MultiSURF, told k": _cut_when_told(multisurf),
    "CFS (fast-select)": correlation_subset(by_classes=False),
    "CFS (fast-select), MDL cuts": correlation_subset(by_classes=True),
    "mRMR": _cut_at(minimum_redundancy, 10),
    "mRMR, k by CV": _cut_by_folds(minimum_redundancy),
    "mRMR, told k": _cut_when_told(minimum_redundancy),
    "FAST (interpret)": interactions_fast,
    "dCRT (hidimstat)": distilled_test,
    "CFI (hidimstat)": conditional_importance,
    "knockoffs (hidimstat), FDR .2": knockoffs,
    "SHAP above random columns": shap_above_random,
}
