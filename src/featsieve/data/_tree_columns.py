"""Tables as the grower of trees takes them."""

from __future__ import annotations

import numpy as np

from featsieve._kernels import TreeColumns
from featsieve.data._table import Table

__all__ = ["tree_columns"]


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
