"""How the answer at the usual rate changes at others: a greater one keeps no fewer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from featsieve._types import Floats
from featsieve.selection._apart import Apart
from featsieve.selection._material import Material
from featsieve.selection._redundancy import (
    ConditionalSearch,
    Redundancy,
    Sets,
)


def with_fewer(usual: Redundancy, relevant: set[int], p_values: Floats) -> Redundancy:
    """Return what stays if only these columns are relevant, at a smaller rate.

    Of each kept column and those that it carries the kept one stays, or if it is not
    relevant any more the one of the least p-value that is. So the more columns are
    relevant, the more stay.
    """
    stays: dict[int, int] = {j: j for j in usual.kept if j in relevant}
    carried = [j for j in usual.displaced if j in relevant]
    for j in sorted(carried, key=lambda j: (p_values[j], j)):
        stays.setdefault(carrier_of(usual, j), j)
    found = Redundancy([stays[j] for j in usual.kept if j in stays])
    found.refuted = {j: p for j, p in usual.refuted.items() if j in relevant}
    for j in carried:
        if j in found.kept:
            continue
        by = [
            other if other in relevant else stays.get(carrier_of(usual, other))
            for other in usual.displaced[j].by
        ]
        named = dict.fromkeys(other for other in by if other is not None)
        found.displaced[j] = replace(usual.displaced[j], by=tuple(named))
    return found


def without(found: Redundancy, material: Material, gone: Sequence[int]) -> Redundancy:
    """Return the same without some of the kept columns, which others carry then."""
    kept = [j for j in found.kept if j not in gone]
    copies = {j: own for j, own in found.displaced.items() if own.p_value is None}
    out = [*gone, *(j for j in found.displaced if j not in copies)]
    search = ConditionalSearch(material, [*kept, *out], Sets())
    search.keep(kept)
    left = Redundancy(kept, {**search.reasons(), **copies}, dict(found.refuted))
    for j, own in copies.items():
        if own.by[0] in gone:
            left.displaced[j] = replace(own, by=(carrier_of(left, own.by[0]),))
    return left


def carrier_of(usual: Redundancy, j: int) -> int:
    """Return the kept column that carries a column; itself if it is kept."""
    while j in usual.displaced:
        j = usual.displaced[j].by[0]
    return j


def with_more(
    usual: Redundancy, material: Material, more: Sequence[int], fixed: set[int]
) -> Redundancy:
    """Return what stays if further columns are relevant, at a greater rate.

    All that was kept stays. The others come in their order, that of p-values, and each
    joins if it is apart from those before it, or is `fixed`. What comes later does not
    change that; so the more columns are relevant, the more stay.
    """
    columns = [*usual.kept, *more]
    apart = Apart(material, columns)
    n_kept = len(usual.kept)
    for k in range(n_kept):
        apart.join(k)
    joined = []
    for k in range(n_kept, len(columns)):
        is_fixed = columns[k] in fixed
        if is_fixed or (not apart.is_full and apart.counts(k)):
            joined.append(columns[k])
            apart.join(k)
    kept = [*usual.kept, *joined]
    out = [j for j in more if j not in joined]
    found = Redundancy(kept, dict(usual.displaced), dict(usual.refuted))
    if out:
        search = ConditionalSearch(material, [*kept, *out], Sets())
        search.keep(kept)
        found.displaced.update(search.reasons())
    return found


def owes(evidence: Mapping[str, Floats], weights: Mapping[str, float], j: int) -> str:
    """Return the stage that contributes most to a column, whatever the rate."""
    made = [stage for stage in evidence if not np.isnan(evidence[stage][j])]
    return min(made, key=lambda stage: evidence[stage][j] / weights[stage])
