"""How rows belong together, what they count, and how they are split."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.feature_selection import RFE, RFECV, SelectFromModel
from sklearn.model_selection import (
    GridSearchCV,
    LeaveOneGroupOut,
    LeaveOneOut,
    RandomizedSearchCV,
)
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter

from featsieve._checks import warn_caller
from featsieve._types import Array, Floats, Ints
from featsieve.data import Table
from featsieve.data.api import moment_codes, read_design, read_weights, take_options
from featsieve.evaluation import forward_folds, repeated_folds
from featsieve.exceptions import DataError, DependentRowsWarning
from featsieve.inference.api import look_for_dependence
from featsieve.selectors.api import RowOptionsSelector

Options = dict[str, Any]
#: Estimators whose `fit` passes all that it does not know on to the one they hold.
PASSING = (GridSearchCV, RandomizedSearchCV, SelectFromModel, RFE)
#: Estimators that split rows themselves, and take groups for it.
CROSS_VALIDATING = (GridSearchCV, RandomizedSearchCV, RFECV)
#: What those who do not take an option make of the rows.
WITHOUT = {
    "groups": "read the rows of a group as independent",
    "time": "read rows as independent of those before",
    "strata": "exchange rows between strata",
    "sample_weight": "count all rows alike",
}


@dataclass(frozen=True, slots=True, eq=False)
class GivenRows:
    """What is known of the rows, a value for each; None is unknown.

    `moments` are 0, 1, … in the order of time. `notes` say what was found and heeded.
    """

    groups: Ints | None = None
    moments: Ints | None = None
    strata: Ints | None = None
    weights: Floats | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def has_groups(self) -> bool:
        """Whether rows belong to groups."""
        return self.groups is not None

    @property
    def options(self) -> dict[str, Array]:
        """What is known, by the names of parameters of `fit`."""
        known = {
            "groups": self.groups,
            "time": self.moments,
            "strata": self.strata,
            "sample_weight": self.weights,
        }
        return {name: value for name, value in known.items() if value is not None}

    def for_fit(self, estimator: Any, rows: Ints) -> Options:
        """Return what the `fit` of an estimator takes of the options, for some rows."""
        options = {name: value[rows] for name, value in self.options.items()}
        taken = taken_options(estimator, options)
        if isinstance(estimator, RowOptionsSelector):
            # The whole table was asked already, so that it need not ask its part.
            taken.setdefault("groups", None)
        return taken

    def for_score(self, scorer: Callable[..., float], rows: Ints) -> Options:
        """Return the weights of some rows if the score takes them."""
        if self.weights is None or not takes_weights(scorer):
            return {}
        return {"sample_weight": self.weights[rows]}


#: Rows of which nothing is known.
ANY_ROWS = GivenRows()


def read_rows(table: Table, given: Mapping[str, Any]) -> tuple[Table, GivenRows]:
    """Return the rows with a target, without the columns that options name.

    `given` has groups, time, strata and sample_weight, None where nothing was said.
    With groups "auto" and nothing else the rows are asked how they belong together; of
    rows that repeat others one stays.
    """
    target = table.target
    assert target is not None
    asks = isinstance(given["groups"], str) and given["groups"] == "auto"
    said = {name: value for name, value in given.items() if value is not None}
    if asks:
        del said["groups"]
    table, columns, weights = take_options("compare", table, said)
    weights = read_weights(weights, table.n_rows)
    if target.missing.any():
        known = ~target.missing
        table = table.take(known)
        columns = {name: column.take(known) for name, column in columns.items()}
        weights = None if weights is None else weights[known]
    if asks and not said:
        return _ask_rows(table)
    design = read_design("compare", table.n_rows, **columns)
    time = columns.get("time")
    moments = None if time is None else moment_codes("compare", time)
    return table, GivenRows(design.groups, moments, design.strata, weights)


def _ask_rows(table: Table) -> tuple[Table, GivenRows]:
    groups, moments = None, None
    notes = []
    for found in look_for_dependence(table):
        warn_caller(found.note.message, DependentRowsWarning)
        notes.append(found.note.message)
        if found.rows is not None:
            table = table.take(found.rows)
        else:
            groups, moments = found.design.groups, found.design.time
    return table, GivenRows(groups, moments, notes=tuple(notes))


def taken_options(estimator: Any, options: Options) -> Options:
    """Return those options that `fit` takes, by the names that it takes them by.

    Of a pipeline every step is asked (``step__option``), of a search and of selectors
    around a learner also that; what cross-validates gets groups for its folds. Where
    scikit-learn's metadata routing is enabled, they get what was requested.
    """
    taken = {
        name: value
        for name, value in options.items()
        if has_fit_parameter(estimator, name)
    }
    if get_config()["enable_metadata_routing"]:
        routing = get_routing_for_object(estimator)
        return taken | {
            name: options[name] for name in routing.consumes("fit", list(options))
        }
    if isinstance(estimator, Pipeline):
        return {
            f"{step}__{name}": value
            for step, part in estimator.steps
            if hasattr(part, "fit")
            for name, value in taken_options(part, options).items()
        }
    if isinstance(estimator, PASSING) and not isinstance(estimator, RFECV):
        taken |= taken_options(estimator.estimator, options)
    if isinstance(estimator, CROSS_VALIDATING) and "groups" in options:
        taken["groups"] = options["groups"]
    return taken


def takes_weights(scorer: Callable[..., float]) -> bool:
    """Whether a score takes weights of rows."""
    function = getattr(scorer, "_score_func", scorer)
    try:
        return "sample_weight" in inspect.signature(function).parameters
    except (TypeError, ValueError):  # written in C
        return False


def unused_options(
    rows: GivenRows,
    selectors: Mapping[str, Any],
    estimators: Mapping[str, Any],
    scorer: Callable[..., float],
) -> list[str]:
    """Say which options are not taken by whom."""
    notes = []
    for name, value in rows.options.items():
        # Learners and scores are free to heed weights; the rest is about splits.
        asked = dict(selectors)
        if name == "sample_weight":
            asked |= {f"learner {key}": thing for key, thing in estimators.items()}
        without = [
            who
            for who, thing in asked.items()
            if thing is not None and not taken_options(thing, {name: value})
        ]
        if name == "sample_weight" and not takes_weights(scorer):
            without.append("the score")
        if without:
            notes.append(_say_without(name, without))
    return notes


def _say_without(option: str, who: Iterable[str]) -> str:
    names = ", ".join(who)
    return f"These take no {option}, and so {WITHOUT[option]}: {names}."


Split = tuple[Ints, Ints]
FOLDS = re.compile(r"(\d+)(?:\s*[x×]\s*(\d+))?")


def _fold_counts(cv: Any) -> tuple[int, int] | None:
    """Return folds and repetitions from "10x3", "10" or 10; None for other things."""
    if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
        return int(cv), 1
    match = FOLDS.fullmatch(cv.strip().lower()) if isinstance(cv, str) else None
    return None if match is None else (int(match[1]), int(match[2] or 1))


def _leaves_one_out(cv: Any) -> bool:
    return isinstance(cv, str) and cv.strip().lower() in ("loo", "leave-one-out")


def make_splits(
    cv: Any, target: Array, rows: GivenRows, *, classes: bool, seed: int
) -> list[Split]:
    """Return the rows for training and testing of every split.

    Rows of one group are never on both sides; with time, what is tested comes after all
    that is trained on.
    """
    counts = _fold_counts(cv)
    if counts is not None and (counts[0] < 2 or counts[1] < 1):
        message = (
            f"The 'cv' parameter of compare must have 2 folds or more. Got {cv!r}."
        )
        raise DataError(message)
    if counts is not None:
        splits = _make_folds(*counts, target, rows, classes=classes, seed=seed)
    elif _leaves_one_out(cv):
        splits = _leave_out(target, rows)
    else:
        splits = _read_splits(cv, target, rows)
        _check_splits(splits, len(target))
        _check_groups(splits, rows)
    if classes:
        _check_classes(splits, target)
    return splits


def _make_folds(
    n_folds: int,
    n_repeats: int,
    target: Array,
    rows: GivenRows,
    *,
    classes: bool,
    seed: int,
) -> list[Split]:
    if rows.moments is not None:
        # There is one order of time only, so that repetitions would be the same.
        return forward_folds(rows.moments, n_folds)
    labels = target
    if rows.strata is not None:
        both = (rows.strata, target) if classes else (rows.strata,)
        labels = np.unique(np.column_stack(both), axis=0, return_inverse=True)[1]
    return repeated_folds(
        np.ravel(labels),
        n_folds,
        n_repeats,
        stratified=classes or rows.strata is not None,
        groups=rows.groups,
        random_state=seed,
    )


def _leave_out(target: Array, rows: GivenRows) -> list[Split]:
    """Leave one row out, or one group."""
    matrix = np.zeros((len(target), 1))
    if rows.moments is not None:
        message = (
            "The 'cv' parameter of compare cannot leave one row out with 'time', since "
            "all later rows would be trained on. Say a number of folds."
        )
        raise DataError(message)
    if rows.groups is not None:
        return list(LeaveOneGroupOut().split(matrix, groups=rows.groups))
    return list(LeaveOneOut().split(matrix))


def _read_splits(cv: Any, target: Array, rows: GivenRows) -> list[Split]:
    try:
        with warnings.catch_warnings():
            # What such a splitter then makes of the groups is looked at.
            warnings.filterwarnings("ignore", message="The groups parameter is ignored")
            if hasattr(cv, "split") and not isinstance(cv, str):
                cv = cv.split(np.zeros((len(target), 1)), target, rows.groups)
            return [
                (np.asarray(train, np.int64), np.asarray(test, np.int64))
                for train, test in cv
            ]
    except (TypeError, ValueError):
        message = (
            "The 'cv' parameter of compare must be like '10x3', a number of folds, "
            f"'loo', a splitter or a list of (train, test) rows. Got {cv!r}."
        )
        raise DataError(message) from None


def _check_splits(splits: Sequence[Split], n_rows: int) -> None:
    for number, (train, test) in enumerate(splits):
        rows = np.concatenate([train, test])
        if not len(train) or not len(test) or rows.min() < 0 or rows.max() >= n_rows:
            message = (
                f"Split {number} of 'cv' must have rows for training and for testing, "
                f"numbered from 0 to {n_rows - 1}."
            )
            raise DataError(message)
        if np.isin(test, train).any():
            message = (
                f"Split {number} of 'cv' tests on rows that it trains on. Take them "
                "out of one of the two."
            )
            raise DataError(message)
    if not splits:
        message = "The 'cv' parameter of compare must give at least one split."
        raise DataError(message)


def _check_groups(splits: Sequence[Split], rows: GivenRows) -> None:
    """Raise if splits of the caller tear groups, or train on what comes later."""
    for number, (train, test) in enumerate(splits):
        groups, moments = rows.groups, rows.moments
        if groups is not None and np.isin(groups[test], groups[train]).any():
            message = (
                f"Split {number} of 'cv' trains and tests on rows of the same group. "
                "Say a number of folds, or a splitter that heeds groups, such as "
                "GroupKFold."
            )
            raise DataError(message)
        if moments is not None and moments[train].max() >= moments[test].min():
            message = (
                f"Split {number} of 'cv' trains on rows that are not before those it "
                "tests on. Say a number of folds, or sort the rows by time and use "
                "TimeSeriesSplit."
            )
            raise DataError(message)


def _check_classes(splits: Sequence[Split], target: Array) -> None:
    for number, (train, _) in enumerate(splits):
        if (target[train] == target[train[0]]).all():
            message = (
                f"All rows that split {number} of 'cv' trains on are of one class, so "
                "nothing can be learnt. Ask for fewer folds, or choose other groups or "
                "another time."
            )
            raise DataError(message)


def describe_cv(cv: Any, n_splits: int, rows: GivenRows) -> str:
    """Say in a few words how rows are split."""
    counts = _fold_counts(cv)
    if counts is None:
        kind = cv if isinstance(cv, str) else type(cv).__name__
        whole = " of whole groups" if _leaves_one_out(cv) and rows.has_groups else ""
        return f"{n_splits} splits{whole} ({kind})"
    if rows.moments is not None:
        return f"{n_splits} folds, each after the rows it is learnt from"
    folds = f"{counts[0]} folds" + " of whole groups" * rows.has_groups
    return folds if counts[1] == 1 else f"{folds}, {counts[1]} times"
