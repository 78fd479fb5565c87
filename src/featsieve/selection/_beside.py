"""Stage 5: what a column adds beside others, and which could be kept in its place."""

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
    STAY,
    basis_of,
    describe,
    describe_with_detail,
    most_given,
    target_basis,
)
from featsieve.selection._material import Material
from featsieve.selection._redundancy import Displaced, Redundancy

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


#: Columns that are asked for each kept one, those that it is most like first.
MOST_ASKED = 20


def find_interchangeable(
    material: Material, redundancy: Redundancy, products: Sequence[tuple[int, ...]]
) -> dict[int, tuple[int, ...]]:
    """Return, for kept columns, which others could be kept in their place.

    Such a column adds to the rest of what is kept as the kept one does, and once it is
    there, the kept one adds nothing that rows show. Near copies are such in any case.
    A member of `products`, sets of kept columns of which the joint levels matter, has
    no others.
    """
    kept, torn = redundancy.kept, {j for members in products for j in members}
    asked: dict[int, list[int]] = {j: [] for j in kept}
    sets: dict[int, list[int]] = {j: [] for j in kept}
    for j, own in sorted(redundancy.displaced.items(), key=lambda item: _order(*item)):
        first = own.by[0]
        if first not in sets:
            continue
        if own.p_value is None:
            sets[first].append(j)
        elif first not in torn and len(asked[first]) < MOST_ASKED:
            asked[first].append(j)
    bases: list[Basis] = []
    if any(asked.values()):
        most = most_given(material)
        bases, detail = describe_with_detail(material, kept, products, most)
    if bases:
        units = [(k,) for k in range(len(kept))]
        tests = ShrinkingSet(bases, units, target_basis(material))
        for k, a in enumerate(kept):
            if not asked[a] or tests.test_beyond_curve(k) > STAY:
                continue  # not shown to add anything either: it says nothing
            blocks = [basis_of(material, j, detail) for j in asked[a]]
            found = tests.test_instead(k, blocks)
            sets[a] += [
                j
                for j, (instead, still) in zip(asked[a], found, strict=True)
                if instead <= STAY < still
            ]
    return {a: tuple(members) for a, members in sets.items() if members}


def _order(j: int, own: Displaced) -> tuple[bool, float, int]:
    return own.p_value is not None, -own.association, j
