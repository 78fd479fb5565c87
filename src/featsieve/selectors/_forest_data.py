"""What a forest grows on: rows in an order of their own, halves of them, relatives."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import rankdata

from featsieve._types import Array, Codes, Floats, Mask, Positions
from featsieve.data import Column, Table
from featsieve.data.api import ANY_ORDER, RowDesign, Training, canonical_order
from featsieve.measures import pairwise_uncertainty
from featsieve.tallies.api import equal_frequency_cuts

#: Rows, and groups of rows, that a half must have.
LEAST_ROWS, LEAST_UNITS = 50, 10
#: A stratum of fewer rows goes to one half as a whole, so that its rows have others to
#: be exchanged with.
WHOLE_STRATUM = 8
#: Numeric columns are cut into so many levels to ask what they tell of each other.
N_LEVELS = 4
#: A feature is used up by one that tells this share of its entropy; of two Gaussians
#: that is a correlation of 0.8.
SHARE = 0.25
#: With more features a matrix of all pairs is no longer small, and few nodes of a
#: tree lie below a relative.
MOST_FEATURES, SOME_FEATURES = 4000, 1000
#: A squared correlation that does not make shadows gain alike.
WEAK = 0.05
#: So many rows are enough to tell relatives from strangers.
MOST_ROWS = 5000


@dataclass(frozen=True, slots=True)
class ForestData:
    """Rows and columns in an order of their own; `columns` leads back to the table's.

    `target` is that for the grower: classes, or the ranks of a quantity.
    """

    table: Table
    target: dict[str, Any]
    weights: Floats | None
    columns: Positions
    design: RowDesign = ANY_ORDER

    def restore(self, values: Array) -> Array:
        """Return one value per feature in the order of the table."""
        restored = np.empty_like(values)
        restored[self.columns] = values
        return restored

    def take(self, rows: Positions) -> ForestData:
        """Return some of the rows."""
        target = {
            name: value[rows] if isinstance(value, np.ndarray) else value
            for name, value in self.target.items()
        }
        weights = None if self.weights is None else self.weights[rows]
        design = self.design.take(rows)
        return ForestData(self.table.take(rows), target, weights, self.columns, design)

    def select(self, columns: Positions) -> ForestData:
        """Return some of the columns."""
        table = self.table.select([self.table.names[j] for j in columns])
        return replace(self, table=table, columns=self.columns[columns])


def order_data(training: Training) -> ForestData:
    """Return the data in an order that does not depend on that of rows and columns."""
    table, weights = training.table, training.weights
    column = training.target.column
    rows, columns = canonical_order(table, column, weights)
    ordered = table
    if not np.array_equal(rows, np.arange(len(rows))):  # spare the copy
        ordered = table.take(rows)
    names = table.names
    return ForestData(
        ordered.select([names[j] for j in columns]),
        grower_target(column.take(rows)),
        None if weights is None else np.ascontiguousarray(weights[rows]),
        columns,
        training.design.take(rows),
    )


def grower_target(column: Column) -> dict[str, Any]:
    """Return the target for the grower: classes, or the ranks of a quantity.

    Ranks, because a few far values would rule every node that holds them.
    """
    if column.is_nominal:
        codes = np.ascontiguousarray(column.values, dtype=np.int32)
        return {"classes": codes, "n_classes": len(column.levels)}
    ranks: Floats = rankdata(column.values)
    return {"numbers": ranks / len(ranks)}


def deal_halves(data: ForestData, seed: int) -> tuple[Positions, Positions] | None:
    """Return two halves of the rows that share no group; None if rows are too few.

    Groups, small strata and else single rows are dealt out by turns, in an order by
    chance within strata and classes, so that both halves have their share of each.
    """
    n_rows, design = data.table.n_rows, data.design
    random = np.random.default_rng(seed)
    strata, kinds = design.strata, data.target.get("classes")
    if strata is None:
        strata = np.zeros(n_rows, dtype=np.intp)
    if kinds is None:
        kinds = np.zeros(n_rows)
    units = design.groups
    if units is None:
        small = np.bincount(strata)[strata] < WHOLE_STRATUM
        units = np.where(
            small & (design.strata is not None), strata - n_rows, np.arange(n_rows)
        )
    first, unit = np.unique(units, return_index=True, return_inverse=True)[1:]
    order = np.lexsort((random.random(len(first)), kinds[first], strata[first]))
    side = np.empty(len(first), dtype=np.intp)
    side[order] = np.arange(len(first)) % 2
    parts = np.flatnonzero(side[unit] == 0), np.flatnonzero(side[unit] == 1)
    enough = len(first) >= 2 * LEAST_UNITS and min(map(len, parts)) >= LEAST_ROWS
    return parts if enough else None


@dataclass(frozen=True, slots=True)
class Likeness:
    """What features tell of each other.

    `used_up` marks for each feature (row) which others tell much of it; None if there
    are none. `n_effective` is how many independent features would be as different as
    these are.
    """

    used_up: Mask | None
    n_effective: float


def likeness(table: Table, *, n_jobs: int | None = None) -> Likeness:
    """Compare features by mutual information, corrected for what chance adds.

    Of many rows the first are taken, so they should come in no order; of too many
    columns some, and then nothing is said of single ones.
    """
    n_rows = min(table.n_rows, MOST_ROWS)
    columns = table.columns
    if len(columns) > MOST_FEATURES:
        columns = columns[:: math.ceil(len(columns) / SOME_FEATURES)]
    codes = np.empty((n_rows, len(columns)), dtype=np.int32, order="F")
    for j, column in enumerate(columns):
        codes[:, j] = _levels(column.take(np.arange(n_rows)))
    shared = pairwise_uncertainty(codes, measure="mutual_information", n_jobs=n_jobs)
    entropy = np.diagonal(shared)
    freedom = np.array([len(np.unique(column)) - 1.0 for column in codes.T])
    beyond = shared - np.outer(freedom, freedom) / (2 * n_rows * math.log(2))
    related = beyond > SHARE * entropy[:, None]
    np.fill_diagonal(related, val=False)
    # Squared correlations of Gaussians that share as many bits. Those of weak ones are
    # dropped: of many they would add up, and hardly matter.
    squared = 1 - np.exp2(-2 * np.maximum(beyond, 0))
    squared[squared < WEAK] = 0
    np.fill_diagonal(squared, val=1)
    n_effective = len(columns) ** 2 / max(float(squared.sum()), 1.0)
    if len(columns) < table.n_columns or not related.any():
        return Likeness(None, n_effective)
    return Likeness(related, n_effective)


def _levels(column: Column) -> Codes:
    if column.is_nominal:
        return np.asarray(column.values, dtype=np.int32)
    cuts = equal_frequency_cuts(column.values, N_LEVELS, None)
    codes = np.searchsorted(cuts, column.values, side="left")
    return np.where(column.missing, -1, codes).astype(np.int32)
