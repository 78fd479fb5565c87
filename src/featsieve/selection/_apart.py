"""Columns and the target as directions, and which columns are apart from others."""

from __future__ import annotations

from collections.abc import Sequence

from featsieve.inference.api import (
    Basis,
    Company,
    GrowingSet,
    TargetBasis,
    class_basis,
    column_basis,
    detail_for,
    n_taken,
    product_basis,
    quantity_basis,
)
from featsieve.selection._material import Material

#: The error that the columns share which could still enter.
ENTER = 0.05

#: A column of the set goes if its p-value given the others is above this, or above the
#: share of `ENTER` that as many as are in the set have among the relevant ones.
STAY = 0.01

#: A column that chance can explain the company of, at this level, goes with nothing.
COMPANY = 0.01

#: Directions that may be given, per row; half of them for columns that stay anyway.
MOST_GIVEN = 1 / 4


class Apart:
    """A set that columns join if they are not told by those that are in it.

    A column counts unless it goes with columns of the set, by straight lines, and adds
    nothing to them.
    """

    def __init__(self, material: Material, columns: Sequence[int]) -> None:
        self._lines = [basis_of(material, j, 0) for j in columns]
        target = target_basis(material)
        self._tests = GrowingSet(self._lines, target)
        self._company = Company(self._lines, target)
        self._most_rank = most_given(material)

    @property
    def is_full(self) -> bool:
        """Whether rows are too few for the set to grow."""
        return self._tests.rank >= self._most_rank

    def counts(self, k: int) -> bool:
        """Whether the column at a place is apart from the set."""
        return self._company.test(k) > COMPANY or self._tests.test_one(k) <= STAY

    def join(self, k: int) -> None:
        """Put the column at a place into the set, unless it is full."""
        if not self.is_full:
            self._tests.give(self._lines[k])
            self._company.add(self._lines[k])


def count_apart(material: Material, order: Sequence[int]) -> list[int]:
    """Return, after each column in turn, how many are not told by those before them.

    Later columns do not change what was counted.
    """
    apart = Apart(material, order)
    counts: list[int] = []
    for k in range(len(order)):
        adds = apart.counts(k)
        counts.append((counts[-1] if counts else 0) + adds)
        if adds:
            apart.join(k)
    return counts


def target_basis(material: Material) -> TargetBasis:
    """Return the directions of the target, within units of rows if there are any."""
    if material.quantity is None:
        return class_basis(material.classes, material.units)
    return quantity_basis(material.quantity, material.units)


def basis_of(material: Material, j: int, detail: int) -> Basis:
    """Return the directions of a column, within units of rows if there are any."""
    return column_basis(material.table.columns[j], detail, material.units)


def most_given(material: Material) -> int:
    """Return how many directions may be given, beside the means of units."""
    return int(MOST_GIVEN * (material.n_rows - n_taken(material.units)))


def describe(
    material: Material,
    kept: Sequence[int],
    products: Sequence[tuple[int, ...]],
    most: int,
) -> list[Basis]:
    """Return columns, then products of levels, as finely as `most` directions allow.

    Nothing where they do not suffice.
    """
    return describe_with_detail(material, kept, products, most)[0]


def describe_with_detail(
    material: Material,
    kept: Sequence[int],
    products: Sequence[tuple[int, ...]],
    most: int,
) -> tuple[list[Basis], int]:
    """Return the same, and how finely columns are described."""
    joint = [
        product_basis(material.tuple_codes(members), material.units)
        for members in products
    ]
    n_classes = 1 if material.is_numeric_target else material.n_classes
    finest = detail_for(material.n_rows, n_classes, max(len(kept), 1))
    for detail in range(finest, -1, -1):
        own = [basis_of(material, j, detail) for j in kept]
        width = sum(basis.directions.shape[1] for basis in own + joint)
        if width <= most:
            return own + joint, detail
    return [], 0
