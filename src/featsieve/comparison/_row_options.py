"""How rows belong together and what they count: for splits, contestants and scores."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sklearn import get_config
from sklearn.feature_selection import RFE, RFECV, SelectFromModel
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter

from featsieve._checks import warn_caller
from featsieve._types import Array, Floats, Ints
from featsieve.data import Table
from featsieve.data.api import moment_codes, read_design, read_weights, take_options
from featsieve.exceptions import DependentRowsWarning
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
