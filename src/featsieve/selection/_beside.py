"""Stage 5: what a column adds to all that was found, by itself and beside others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from featsieve.inference.api import (
    Association,
    GrowingSet,
    ShrinkingSet,
    column_basis,
    detail_for,
)
from featsieve.selection._alone import gain_of
from featsieve.selection._apart import MOST_GIVEN, describe, target_basis
from featsieve.selection._material import Material

#: Columns are tested as a line and a bend, which costs a third of bins.
DETAIL = 1

#: Numbers that the directions of columns that are tested at a time may take.
AT_A_TIME = 500_000


def judge_beside(
    material: Material, kept: Sequence[int], products: Sequence[tuple[int, ...]]
) -> NDArray[np.float64]:
    """Return the p-value of every column given all of `kept` but itself.

    `products` are sets of kept columns of which the joint levels are given, too. NaN
    where nothing is kept, or rows are too few for what is.

    What is given was found by a look at the target, at all columns but the one that is
    tested: a column that has nothing to do with any of them is as one drawn afterwards,
    so its p-value is that of a test given any other set.
    """
    unknown = np.full(material.n_features, np.nan)
    columns, target = material.table.columns, target_basis(material)
    most = int(MOST_GIVEN * material.n_rows) - target.directions.shape[1]
    given = describe(material, kept, products, most)
    if not given:
        return unknown
    n_classes = 1 if material.is_numeric_target else material.n_classes
    detail = min(DETAIL, detail_for(material.n_rows, n_classes, 1))
    p_values = unknown
    inside = set(kept)
    others = [j for j in range(material.n_features) if j not in inside]
    size = max(1, AT_A_TIME // (material.n_rows * (2 * DETAIL + 1)))
    for begin in range(0, len(others), size):
        some = others[begin : begin + size]
        tests = GrowingSet([column_basis(columns[j], detail) for j in some], target)
        for basis in given:
            tests.give(basis)
        tests.give_curve()
        p_values[some] = tests.test().p_values
    own = [(k,) for k in range(len(kept))]
    p_values[list(kept)] = ShrinkingSet(given, own, target).test().p_values
    return p_values


def find_partner(
    material: Material, j: int, kept: Sequence[int]
) -> tuple[int, Association]:
    """Return beside which of the kept columns a column is most informative."""
    found = {}
    for other in kept:
        codes = material.tuple_codes((j, other))
        found[other] = gain_of(material, codes[:, 0], codes[:, 1])
    best = max(found, key=lambda other: found[other].gain)
    return best, found[best]
