"""What forests say of columns beside draws of them: what returns, what stands in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
from featsieve.selection._possible import best_size, forest_loss
from featsieve.selection._redundancy import Redundancy

#: Rows that forests are compared on.
MOST_ROWS = 2_000

#: Trees of forests that see all that was set aside, or one column that is doubted; of
#: the former twice as many see no more.
TREES_TOGETHER, TREES_ALONE = 50, 100

#: P-values that let columns return. Chance then brings stand-ins back in one table of
#: forty; what adds something on real tables passes as often as at .05.
LEVEL = 0.025


@dataclass(frozen=True, slots=True)
class Returned:
    """Columns that are kept since together they add something, and how sure that is."""

    members: tuple[int, ...] = ()
    p_value: float = 1.0


def find_returning(
    material: Material, found: Redundancy, products: Sequence[tuple[int, ...]]
) -> Returned:
    """Return which of the columns that were set aside are kept after all.

    Each was tested by itself, by a few directions, and neither found to add anything
    nor shown to add nothing. All at once, as a forest sees them, they may: it must err
    less with them, beside the kept ones, than with draws that go with the kept ones
    just as they do. Then as many return, from the least p-value on, as the forest errs
    least with; none if it errs no less with all than without. What is shown to be
    redundant, near copies among it, stays so. `products` are sets of kept columns of
    which the joint levels are given.
    """
    tested = {
        j: displaced.p_value
        for j, displaced in found.displaced.items()
        if displaced.p_value is not None and not displaced.is_shown
    }
    if not tested or not found.kept:
        return Returned()
    sample = material.sample(MOST_ROWS)
    growing = GrowingSet([], target_basis(sample))
    bases = describe(sample, found.kept, products, most_given(sample))
    if not bases:
        return Returned()
    for basis in bases:
        growing.give(basis)
    order = sorted(tested, key=lambda j: (tested[j], j))
    columns = sample.table.columns
    kept = [columns[j] for j in found.kept]

    def loss(more: Sequence[Column]) -> float:
        return forest_loss(sample, [*kept, *more], TREES_TOGETHER)

    others = [columns[j] for j in order]
    if loss(others) >= loss([]):
        return Returned()  # draws may be worse, but a forest has no use for the columns
    seed = derive_seed(sample.seed, "returned")
    p_value = drawn_p_value(loss, others, growing.given.directions, seed)
    if p_value > LEVEL:
        return Returned()
    size = best_size(sample, kept, others, least=1)
    return Returned(tuple(order[:size]), p_value)


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
            return forest_loss(sample, [*beside, *own], TREES_ALONE)

        seed = derive_seed(sample.seed, "stand-ins", j)
        p_value = drawn_p_value(
            loss, [columns[j]], growing.given.directions, seed, DRAWS
        )
        if p_value > 1 / (DRAWS + 1):
            stay.remove(j)
            gone.append(j)
    return gone
