"""Stage 5: what a column adds to all that was found, by itself and beside others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from featsieve.inference.api import (
    Association,
    Basis,
    GrowingSet,
    ShrinkingSet,
    detail_for,
)
from featsieve.selection._alone import gain_of
from featsieve.selection._apart import (
    basis_of,
    describe,
    most_given,
    target_basis,
)
from featsieve.selection._material import Material

#: Columns are tested as a line and a bend, which costs a third of bins.
DETAIL = 1

#: Numbers that the directions of columns that are tested at a time may take.
AT_A_TIME = 200_000


def judge_beside(
    material: Material, kept: Sequence[int], products: Sequence[tuple[int, ...]]
) -> NDArray[np.float64]:
    """Return the p-value of every column given all of `kept` but itself.

    `products` are sets of kept columns of which the joint levels are given, too. NaN
    where nothing is kept, rows are too few for what is, or a column does not vary
    within the groups or strata of which rows are compared.

    What is given was found by a look at the target, at all columns but the one that is
    tested: a column that has nothing to do with any of them is as one drawn afterwards,
    so its p-value is that of a test given any other set.
    """
    unknown = np.full(material.n_features, np.nan)
    target = target_basis(material)
    most = most_given(material) - target.directions.shape[1]
    given = describe(material, kept, products, most)
    if not given:
        return unknown
    n_classes = 1 if material.is_numeric_target else material.n_classes
    detail = min(DETAIL, detail_for(material.n_rows, n_classes, 1))
    p_values = unknown
    inside = set(kept)
    others = [j for j in range(material.n_features) if j not in inside]
    size = max(1, AT_A_TIME // (material.n_rows * (2 * DETAIL + 1)))
    whole = GrowingSet([], target)
    for basis in given:
        whole.give(basis)
    whole.give_curve()
    for begin in range(0, len(others), size):
        some = others[begin : begin + size]
        bases = [basis_of(material, j, detail) for j in some]
        tests = GrowingSet(bases, target)
        tests.give_all(whole.given)
        p_values[some] = _of_varying(bases, tests.test().p_values)
    own = [(k,) for k in range(len(kept))]
    found = ShrinkingSet(given, own, target).test().p_values
    p_values[list(kept)] = _of_varying(given[: len(kept)], found)
    return p_values


def _of_varying(
    bases: Sequence[Basis], p_values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return p-values, NaN for columns that do not vary within units."""
    varies = [basis.directions.shape[1] > 0 for basis in bases]
    return np.where(varies, p_values, np.nan)


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
