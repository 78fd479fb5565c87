"""Tables as the grower of trees takes them."""

from __future__ import annotations

import numpy as np

from featsieve._kernels import TreeColumns
from featsieve.data._table import Table

__all__ = ["LEAST_GAP", "least_gap", "tree_columns"]

#: Neighbouring values must differ by more than this for a cut between them, in C4.5.
LEAST_GAP = 1e-5
#: In columns of a small range so much of it is enough, else they could not be cut.
LEAST_SHARE = 1e-3


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


def least_gap(table: Table) -> float:
    """Return by how much neighbouring values must differ for a cut between them.

    That is C4.5's constant, unless a column spans less than a thousand times as much:
    metres instead of micrometres must not cost a column its cuts.
    """
    gap = LEAST_GAP
    for column in table:
        if column.is_nominal or not len(column.values):
            continue
        # fmin and fmax skip NaN; halves, since the difference may overflow.
        lowest, highest = np.fmin.reduce(column.values), np.fmax.reduce(column.values)
        span = 2 * LEAST_SHARE * (highest / 2 - lowest / 2)
        if highest > lowest and span < gap:
            gap = float(span)
    return gap
