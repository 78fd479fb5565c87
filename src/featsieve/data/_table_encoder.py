"""A whole table as one matrix of codes, ready for the kernels."""

from __future__ import annotations

from typing import Self

import numpy as np

from featsieve._kernels import TreeColumns
from featsieve._types import Array, Codes, Floats
from featsieve.data._discretize import BaseDiscretizer
from featsieve.data._table import Table


class TableEncoder:
    """Turn typed columns into integer levels; cuts are learnt in `fit` only.

    Parameters
    ----------
    discretizer : MDLDiscretizer, EqualFrequencyDiscretizer or EqualWidthDiscretizer
        Says where numeric columns are cut. It is fitted in place.

    Attributes
    ----------
    n_levels_ : ndarray of int32 of shape (n_features,)
        Levels of each column, missing not counted.

    Examples
    --------
    >>> from featsieve.data import EqualWidthDiscretizer, TableEncoder, read_table
    >>> table = read_table({"size": [1.0, 2.0, 9.0], "colour": ["red", "blue", "red"]})
    >>> encoder = TableEncoder(EqualWidthDiscretizer(n_bins=2)).fit(table)
    >>> encoder.transform(table).tolist()
    [[0, 1], [0, 0], [1, 1]]
    """

    def __init__(self, discretizer: BaseDiscretizer) -> None:
        self.discretizer = discretizer

    def fit(
        self,
        table: Table,
        classes: Codes | None = None,
        n_classes: int = 0,
        weights: Floats | None = None,
    ) -> Self:
        """Learn the cuts of numeric columns.

        Parameters
        ----------
        table : Table
            The training rows.
        classes : ndarray of int32 of shape (n_rows,), default=None
            Class codes; needed if the discretizer looks at the class.
        n_classes : int, default=0
            Number of classes.
        weights : ndarray of float64 of shape (n_rows,), default=None
            Weight of each row.

        Returns
        -------
        self
        """
        self.discretizer.fit_table(table, classes, n_classes, weights)
        cut_points = self.discretizer.cut_points_
        self.n_levels_ = np.array(
            [
                column.n_levels if cuts is None else len(cuts) + 1
                for column, cuts in zip(table, cut_points, strict=True)
            ],
            dtype=np.int32,
        )
        return self

    def transform(self, table: Table) -> Array:
        """Return the codes of a table with the same columns.

        Parameters
        ----------
        table : Table
            Columns as in `fit`.

        Returns
        -------
        ndarray of shape (n_rows, n_features)
            Column-major; uint8 where no value is missing and levels are few, else
            int32 with -1 for missing.
        """
        columns = [self.discretizer.code(j, column) for j, column in enumerate(table)]
        narrow = self.n_levels_.max(initial=0) <= 256 and all(
            column.min(initial=0) >= 0 for column in columns
        )
        codes = np.empty(
            (table.n_rows, table.n_columns),
            dtype=np.uint8 if narrow else np.int32,
            order="F",
        )
        for j, column in enumerate(columns):
            codes[:, j] = column
        return codes


def tree_columns(table: Table) -> TreeColumns:
    """Return the columns coded for growing trees."""
    columns = TreeColumns(table.n_rows)
    for column in table:
        values = np.ascontiguousarray(column.values)
        if column.is_nominal:
            columns.add_nominal(values, column.n_levels)
        else:
            columns.add_numeric(values)
    return columns
