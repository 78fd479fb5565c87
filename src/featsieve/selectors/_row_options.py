"""Selectors that test, and so must be told how rows belong together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from featsieve._checks import warn_caller
from featsieve.data import Column, ColumnKind, Table, TableStream
from featsieve.data.api import (
    RowDesign,
    Target,
    Training,
    named_column,
    option_column,
    read_design,
    weight_column,
)
from featsieve.engine import root_seed
from featsieve.exceptions import DataError, DependentRowsWarning
from featsieve.inference.api import look_for_dependence, to_units
from featsieve.selectors._base import BaseSelector


@dataclass(frozen=True, slots=True)
class RowOptions:
    """What `fit` was told of the rows, as it came."""

    groups: Any = "auto"
    time: Any = None
    strata: Any = None

    @property
    def is_auto(self) -> bool:
        """Whether the rows themselves are to show how they belong together."""
        alone = self.time is None and self.strata is None
        return alone and isinstance(self.groups, str) and self.groups == "auto"

    @property
    def given(self) -> dict[str, Any]:
        """The options that were given a value, by name."""
        named = {"groups": self.groups, "time": self.time, "strata": self.strata}
        auto = isinstance(self.groups, str) and self.groups == "auto"
        return {
            name: value
            for name, value in named.items()
            if value is not None and not (name == "groups" and auto)
        }


@dataclass(eq=False, repr=False)
class RowOptionsSelector(BaseSelector):
    """Base of selectors whose tests exchange rows, or depend on their number.

    `_fit` finds how rows belong together in the `design` of its `Training`; rows that
    follow each other in time are replaced by what is new in them before. Where
    `_collapses`, groups whose rows share one target come as one row each. Unless
    `_keeps_classes`, two classes that follow each other may come as a quantity.
    """

    _collapses = False
    _keeps_classes = True
    _rows: ClassVar[RowOptions] = RowOptions()
    _named: ClassVar[tuple[int, ...]] = ()

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = "auto",
        time: Any = None,
        strata: Any = None,
    ) -> Self:
        """Score the features and choose among them.

        Parameters
        ----------
        sample_weight : array-like of shape (n_rows,), str or None, default=None
            Weight of each row, or the name of a column of `X`.
        groups : array-like of shape (n_rows,), str, "auto" or None, default="auto"
            Which rows belong together, such as those of one patient: a value per row,
            or the name of a column of `X`, which then is no feature. ``"auto"`` looks
            for repeated rows, identifiers and series, heeds them and warns; None says
            that rows are exchangeable.
        time : array-like of shape (n_rows,), str or None, default=None
            When each row was seen, if neighbours in time are alike: numbers, dates, or
            the name of a column. Columns are then compared by what is new in each row.
        strata : array-like of shape (n_rows,), str or None, default=None
            Rows are exchanged only within these; with `time`, each is a series.
        """
        self.__dict__["_rows"] = RowOptions(groups, time, strata)
        try:
            return self._fit_to(X, y, sample_weight)
        finally:
            for name in ("_rows", "_named"):
                self.__dict__.pop(name, None)

    def _tests(self) -> bool:
        """Whether anything is tested, so that it matters how rows belong together."""
        return True

    def _fit_to(self, X: Any, y: Any, sample_weight: Any) -> Self:
        given = self._rows.given
        if isinstance(X, TableStream) and given:
            message = (
                f"{type(self).__name__} takes no {next(iter(given))} with a stream, of "
                "which rows are counted only. Fit it on a sample: "
                "`fit(stream.sample(100000), None, ...)`."
            )
            raise DataError(message)
        super()._fit_to(X, y, sample_weight)
        self.support_[list(self._named)] = False
        return self

    def _read_weights(self, weights: Any, table: Table) -> NDArray[np.float64] | None:
        if isinstance(weights, str):
            weights = weight_column(type(self).__name__, weights, table)
        return super()._read_weights(weights, table)

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Training:
        training = super()._read(X, y, sample_weight)
        given = self._rows.given
        named = {v for v in (*given.values(), sample_weight) if isinstance(v, str)}
        names = training.table.names
        self.__dict__["_named"] = tuple(j for j, n in enumerate(names) if n in named)
        if not given:
            training = replace(training, table=_without_values(training.table, named))
            if not self._rows.is_auto or not self._tests():
                return training
            return self._find_design(training)
        owner, table = type(self).__name__, training.table
        mask = training.target.rows
        n_rows = table.n_rows if mask is None else len(mask)
        columns = {}
        for option, value in given.items():
            if isinstance(value, str):
                columns[option] = named_column(owner, option, value, table)
                continue
            column = option_column(owner, option, value, n_rows)
            columns[option] = column if mask is None else column.take(mask)
        table = _without_values(table, named)
        design = read_design(owner, table.n_rows, **columns)
        return self._settle(replace(training, table=table), design)

    def _find_design(self, training: Training) -> Training:
        """Heed what the rows show, and say so."""
        if training.weights is not None:
            return training
        table = replace(training.table, target=training.target.column)
        for found in look_for_dependence(table):
            warn_caller(found.note.message, DependentRowsWarning)
            if found.rows is not None:
                training = _take(training, found.rows)
            else:
                training = self._settle(training, found.design)
        return training

    def _settle(self, training: Training, design: RowDesign) -> Training:
        """Return rows that may be exchanged as their design says."""
        if design.time is None and not self._collapses:
            return replace(training, design=design)
        table = replace(training.table, target=training.target.column)
        units = to_units(
            table,
            design,
            training.weights,
            seed=root_seed(getattr(self, "random_state", 0)),
            classes=self._keeps_classes,
        )
        assert units.table.target is not None  # it came with one
        target = _target_of(units.table.target, training.target)
        bare = replace(units.table, target=None)
        return Training(bare, target, units.weights, training.source, units.design)


def _without_values(table: Table, names: set[str]) -> Table:
    """Return the table with these columns constant, so that they tell nothing."""
    if not names:
        return table
    zeros = np.zeros(table.n_rows)
    columns = tuple(
        Column(c.name, ColumnKind.NUMERIC, zeros) if c.name in names else c
        for c in table
    )
    return replace(table, columns=columns)


def _take(training: Training, rows: Any) -> Training:
    used = np.zeros(training.table.n_rows, dtype=bool)
    used[rows] = True
    return replace(
        training,
        table=training.table.take(used),
        target=training.target.take(used),
        design=training.design.take(used),
    )


def _target_of(column: Column, before: Target) -> Target:
    """Return the target of units."""
    if column.is_nominal:
        return Target(column.values, before.classes, None, None, before.name)
    codes = np.zeros(len(column.values), dtype=np.int32)
    return Target(codes, (), None, column.values, before.name)
