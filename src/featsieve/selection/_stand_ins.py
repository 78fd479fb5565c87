"""Which of the columns that a forest has found only stand in for others."""

from __future__ import annotations

from collections.abc import Sequence

from featsieve.data import Column
from featsieve.engine import derive_seed
from featsieve.inference.api import Company, GrowingSet, drawn_p_value
from featsieve.selection._apart import (
    COMPANY,
    basis_of,
    describe,
    most_given,
    target_basis,
)
from featsieve.selection._material import Material
from featsieve.selection._possible import forest_loss

#: Rows that forests are compared on, and trees of each.
MOST_ROWS, N_TREES = 2_000, 100

#: Draws of a column, all of which a forest must err more with than with the column: a
#: stand-in stays once in twenty times.
DRAWS = 19


def find_stand_ins(
    material: Material,
    kept: Sequence[int],
    doubted: Sequence[int],
    products: Sequence[tuple[int, ...]],
) -> list[int]:
    """Return those of the doubted columns that add nothing to the others kept.

    Shadows in a forest go with no other column, so what goes with a column that matters
    beats them wherever a node was not offered that one. Here each doubted column that
    goes with others kept is held against draws of itself that do so just as it does,
    one column after the other; what goes is not given to the next. A column that goes
    with none of the others is no stand-in. `products` are sets of kept columns of which
    the joint levels are given, too.
    """
    sample = material.sample(MOST_ROWS)
    target = target_basis(sample)
    columns = sample.table.columns
    lines = {j: basis_of(sample, j, 0) for j in kept}
    stay, gone = list(kept), []
    for j in doubted:
        others = [k for k in stay if k != j]
        company = Company([lines[j]], target)
        for k in others:
            company.add(lines[k])
        if company.test(0) > COMPANY:
            continue
        joint = [members for members in products if set(members) <= set(others)]
        bases = describe(sample, others, joint, most_given(sample))
        if not bases:
            continue  # rows are too few to say
        growing = GrowingSet([], target)
        for basis in bases:
            growing.give(basis)
        beside = [columns[k] for k in others]

        def loss(own: Sequence[Column], beside: list[Column] = beside) -> float:
            return forest_loss(sample, [*beside, *own], N_TREES)

        seed = derive_seed(sample.seed, "stand-ins", j)
        p_value = drawn_p_value(
            loss, [columns[j]], growing.given.directions, seed, DRAWS
        )
        if p_value > 1 / (DRAWS + 1):
            stay.remove(j)
            gone.append(j)
    return gone
