"""What every column tells by itself where rows may not be exchanged freely."""

from __future__ import annotations

import numpy as np

from featsieve._types import Array, Floats
from featsieve.engine import derive_seed
from featsieve.inference.api import (
    combine_p_values,
    exchange_of,
    normal_scores,
    rank_columns,
    restricted_p_values,
)
from featsieve.selection._material import Material

#: Bins of numeric columns, and levels of nominal ones, the rarest beyond taken as one.
BINS, MOST_LEVELS = 5, 16

#: Shares of the tests of a number: its scores, and its bins.
SCORES, LEVELS = 0.6, 0.4


def restricted_alone(material: Material) -> Floats:
    """Return a p-value per column, by orders of the rows that their design allows.

    Levels, or bins, and the normal scores of numbers are held against the classes, or
    the normal scores of a quantity; within groups, and between them.
    """
    exchange = exchange_of(material.design)
    seed = derive_seed(material.seed, "restricted")
    target = material.outcomes()
    codes = material.codes(BINS, MOST_LEVELS)
    levels = [_indicators(codes[:, j]) for j in range(material.n_features)]
    by_levels = restricted_p_values(
        levels, target, exchange, seed, n_jobs=material.n_jobs
    )
    by_scores = np.full(by_levels.shape, np.nan)
    numeric = [j for j, c in enumerate(material.table) if not c.is_nominal]
    if numeric:
        values = np.stack([material.table.columns[j].values for j in numeric])
        scores = normal_scores(rank_columns(values))
        by_scores[numeric] = restricted_p_values(
            [own[:, np.newaxis] for own in scores],
            target,
            exchange,
            seed,
            n_jobs=material.n_jobs,
        )
    tests = np.concatenate([by_scores, by_levels], axis=1).T
    n_parts = by_levels.shape[1]
    weights = np.repeat([SCORES, LEVELS], n_parts)
    made = ~np.isnan(tests).all(axis=0)
    p_values = np.ones(material.n_features)
    p_values[made] = combine_p_values(tests[:, made], weights)
    return p_values


def _indicators(codes: Array) -> Floats:
    present = np.unique(codes)
    flags: Floats = (codes[:, np.newaxis] == present[1:]).astype(np.float64)
    return flags
