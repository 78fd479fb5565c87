"""Stage 4: columns that matter in the context of others, or only somewhere."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from featsieve.data import Column, ColumnKind, Table
from featsieve.data.api import RowDesign, canonical_order
from featsieve.engine import derive_seed
from featsieve.exceptions import NoFeatureSelectedWarning
from featsieve.inference.api import Association, measure, measure_shares
from featsieve.selection._alone import Alone
from featsieve.selection._material import Material
from featsieve.selectors import ForestSelector

#: Trees per column, and bounds: a forest sees every column some hundred times.
LEAST_TREES, MOST_TREES = 200, 1000

#: Bins of the column that says where.
PLACES = 4

#: Columns that may say where.
MOST_GUIDES = 12


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """Evidence of a forest, one entry per usable column; scores in deviations."""

    p_values: NDArray[np.float64]
    scores: NDArray[np.float64]
    n_trees: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a column matters, in words, and what it tells there."""

    guide: int
    words: str
    found: Association


def trees_for(n_features: int) -> int:
    """Return how many trees so many columns ask for."""
    return int(np.clip(2 * n_features, LEAST_TREES, MOST_TREES))


def judge_in_context(
    material: Material, n_rows: int, n_trees: int | None = None
) -> Context:
    """Grow a forest and hold what each column gains in it against its shadows.

    Columns that are known to be relevant take part, since what others tell may show
    only behind them. Of many rows so many are drawn.
    """
    n_features = material.n_features
    if n_trees is None:
        n_trees = trees_for(n_features)
    selector = ForestSelector(
        n_estimators=n_trees,
        # Fewer trees are a trial that times one; learning takes as long for any number.
        learn_chances=n_trees >= LEAST_TREES,
        n_jobs=material.n_jobs,
        random_state=derive_seed(material.seed, "context"),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoFeatureSelectedWarning)
        table, target, design = _drawn(material, n_rows)
        selector.fit(table, target, groups=design.groups, strata=design.strata)
    p_values = np.clip(np.nan_to_num(selector.p_values_, nan=1.0), 0.0, 1.0)
    return Context(p_values, np.nan_to_num(selector.scores_), n_trees)


def _drawn(material: Material, n_rows: int) -> tuple[Table, Column, RowDesign]:
    """Return rows in the order that the forest puts them in, so that it needs no copy.

    Nothing else holds them: copies of the table are what a forest takes most room by.
    """
    sample = material.sample(n_rows)
    target = _target(sample)
    rows, _ = canonical_order(sample.table, target, None)
    columns, design = list(sample.table.columns), sample.design.take(rows)
    del sample  # from here on a column goes when it is there in its new order
    for k in range(len(columns)):
        columns[k] = columns[k].take(rows)
    return Table(tuple(columns), n_rows=len(rows)), target.take(rows), design


def _target(material: Material) -> Column:
    if material.quantity is not None:
        return Column("target", ColumnKind.NUMERIC, material.quantity)
    levels = tuple(range(material.n_classes))
    return Column("target", ColumnKind.NOMINAL, material.classes, levels)


def find_place(
    material: Material, alone: Alone, feature: int, guides: list[int]
) -> Place | None:
    """Return where among the values of another column a column tells most.

    The rows are parted by levels or quarters of each guide in turn; where the column
    tells most, against chance, neighbouring quarters that tell as well are joined.
    """
    x = alone.codes[:, feature]
    best: tuple[float, Place] | None = None
    for guide in guides[:MOST_GUIDES]:
        if guide == feature:
            continue
        parts = material.levels_of(guide, PLACES)
        column = material.table.columns[guide]
        for chosen in _runs(parts, ordered=not column.is_nominal):
            rows = np.flatnonzero(np.isin(parts, chosen))
            if len(rows) < 10 or len(rows) > 0.8 * len(parts):
                continue
            found = _measure(material, x, rows)
            if best is None or found.p_value < best[0]:
                words = _words(column, rows)
                best = (found.p_value, Place(guide, words, found))
    return None if best is None else best[1]


def _runs(parts: NDArray[np.int32], *, ordered: bool) -> list[tuple[int, ...]]:
    levels = np.unique(parts).tolist()
    single: list[tuple[int, ...]] = [(level,) for level in levels]
    if not ordered:
        return single
    return single + list(itertools.pairwise(levels))


def _measure(
    material: Material, x: NDArray[np.int32], rows: NDArray[np.intp]
) -> Association:
    if material.quantity is not None:
        return measure_shares(x[rows], material.quantity[rows])
    return measure(x[rows], material.classes[rows])


def _words(column: Column, rows: NDArray[np.intp]) -> str:
    values = column.values[rows]
    if column.is_nominal:
        known = values[values >= 0]
        if len(known) == 0:
            return f"{column.name} is missing"
        levels = [str(column.levels[code]) for code in np.unique(known).tolist()]
        shown = ", ".join(levels[:3]) + (", …" if len(levels) > 3 else "")
        return f"{column.name} = {shown}"
    known = values[~np.isnan(values)]
    if len(known) == 0:
        return f"{column.name} is missing"
    return f"{column.name} between {known.min():.4g} and {known.max():.4g}"
