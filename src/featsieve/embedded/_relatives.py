"""Which features use each other up: below a split on one, the other tells less."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from featsieve.data import Column, Table
from featsieve.measures import pairwise_uncertainty
from featsieve.measures._cuts import equal_frequency_cuts

__all__ = ["used_up"]

#: Numeric columns are cut into so many levels to ask what they tell of each other.
N_LEVELS = 4
#: A feature is used up by one that tells this share of its entropy; of two Gaussians
#: that is a correlation of 0.8.
SHARE = 0.25
#: With more features a matrix of all pairs is no longer small, and few nodes of a
#: tree lie below a relative.
MOST_FEATURES = 4000
#: So many rows are enough to tell relatives from strangers.
MOST_ROWS = 5000


def used_up(table: Table, *, n_jobs: int | None = None) -> NDArray[np.bool_] | None:
    """Return for each feature (row) which other features tell much of it.

    None if there are none. Mutual information is corrected for what chance adds. Of
    many rows the first are taken, so they should come in no order.
    """
    if table.n_columns > MOST_FEATURES:
        return None
    n_rows = min(table.n_rows, MOST_ROWS)
    codes = np.empty((n_rows, table.n_columns), dtype=np.int32, order="F")
    for j, column in enumerate(table):
        codes[:, j] = _levels(column.take(np.arange(n_rows)))
    shared = pairwise_uncertainty(codes, measure="mutual_information", n_jobs=n_jobs)
    entropy = np.diagonal(shared)
    freedom = np.array([len(np.unique(column)) - 1.0 for column in codes.T])
    by_chance = np.outer(freedom, freedom) / (2 * n_rows * math.log(2))
    related = shared - by_chance > SHARE * entropy[:, None]
    np.fill_diagonal(related, val=False)
    return related if related.any() else None


def _levels(column: Column) -> NDArray[np.int32]:
    if column.is_nominal:
        return np.asarray(column.values, dtype=np.int32)
    cuts = equal_frequency_cuts(column.values, N_LEVELS, None)
    codes = np.searchsorted(cuts, column.values, side="left")
    return np.where(column.missing, -1, codes).astype(np.int32)
