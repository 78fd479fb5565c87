"""Which columns that were set aside could be kept in the place of another."""

from __future__ import annotations

from collections.abc import Sequence

from featsieve.inference.api import ShrinkingSet
from featsieve.selection._apart import STAY, describe, most_given, target_basis
from featsieve.selection._material import Material
from featsieve.selection._redundancy import Displaced, Redundancy

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
    others = [j for a in kept for j in asked[a]]
    bases = describe(material, kept, products, most_given(material), others)
    n_given = len(bases) - len(others)
    if others and bases:
        beside = dict(zip(others, bases[n_given:], strict=True))
        units = [(k,) for k in range(len(kept))]
        tests = ShrinkingSet(bases[:n_given], units, target_basis(material))
        for k, a in enumerate(kept):
            if not asked[a] or tests.test_beyond_curve(k) > STAY:
                continue  # not shown to add anything either: it says nothing
            found = tests.test_instead(k, [beside[j] for j in asked[a]])
            sets[a] += [
                j
                for j, (instead, still) in zip(asked[a], found, strict=True)
                if instead <= STAY < still
            ]
    return {a: tuple(members) for a, members in sets.items() if members}


def _order(j: int, own: Displaced) -> tuple[bool, float, int]:
    return own.p_value is not None, -own.association, j
