"""Typed columns as numbers, for learners that know nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder

from featsieve._types import Floats
from featsieve.data._table import Column, Table
from featsieve.exceptions import DataError


class MatrixEncoder:
    """Learn from training rows how to turn a table into numbers without gaps.

    Missing numbers become the median of the training rows (0 if there is none).
    Nominal columns become one column of codes each, missing being a code of its own,
    or one column per level seen in training; a level seen later only is none of them.

    Parameters
    ----------
    one_hot : bool
        One column per level instead of one per feature.
    """

    def __init__(self, *, one_hot: bool) -> None:
        self.one_hot = one_hot

    def fit(self, table: Table) -> Self:
        """Learn medians and levels."""
        self._numeric = [c.name for c in table if not c.is_nominal]
        self._nominal = [c.name for c in table if c.is_nominal]
        if self._numeric:
            self._imputer = SimpleImputer(strategy="median", keep_empty_features=True)
            self._imputer.fit(_columns(table, self._numeric))
        if self._nominal and self.one_hot:
            self._levels = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
            self._levels.fit(_columns(table, self._nominal))
        return self

    def transform(self, table: Table) -> Floats:
        """Return the numbers; with codes, columns are in the order of the table."""
        parts: dict[str, Floats] = {}
        if self._numeric:
            filled = self._imputer.transform(_columns(table, self._numeric))
            parts |= dict(zip(self._numeric, filled.T, strict=True))
        if not self.one_hot:
            parts |= {c.name: c.values.astype(float) for c in table if c.is_nominal}
            return np.column_stack([parts[name] for name in table.names])
        blocks: list[Any] = [parts[name][:, None] for name in self._numeric]
        if self._nominal:
            blocks.append(self._levels.transform(_columns(table, self._nominal)))
        return np.hstack(blocks)


def reads_typed_tables(estimator: Any) -> bool:
    """Whether an estimator is one of ours, which know nominal and missing values."""
    return any(
        kind.__module__.partition(".")[0] == "featsieve"
        for kind in type(estimator).__mro__
    )


def _columns(table: Table, names: list[str]) -> Floats:
    by_name = {column.name: column.values for column in table}
    return np.column_stack([by_name[name] for name in names]).astype(np.float64)


def aligned_table(table: Table, reference: Table) -> Table:
    """Return the table with names and codes of a reference, by the texts of levels.

    Columns are those of the reference by their place: an array has no names of its own.
    A level that the reference does not have becomes missing.

    Raises
    ------
    DataError
        If a column is numeric here and nominal there, or the other way round.
    """
    columns = []
    for column, known in zip(table, reference, strict=True):
        if column.is_nominal != known.is_nominal and column.missing.all():
            gaps = -1 if known.is_nominal else np.nan
            values = np.full_like(known.values, gaps, shape=table.n_rows)
            columns.append(Column(known.name, known.kind, values, known.levels))
            continue
        if column.is_nominal != known.is_nominal:
            raise DataError(
                f"Column {known.name!r} was {known.kind.value} in fit and is "
                f"{column.kind.value} now. Give it the same kind."
            )
        if not known.is_nominal or column.levels == known.levels:
            columns.append(replace(column, name=known.name))
            continue
        places = {str(level): code for code, level in enumerate(known.levels)}
        recode = np.array(
            [*(places.get(str(level), -1) for level in column.levels), -1], np.int32
        )
        values = recode[column.values]
        columns.append(Column(known.name, column.kind, values, known.levels))
    return Table(tuple(columns), None, table.source_notes, table.n_rows)
