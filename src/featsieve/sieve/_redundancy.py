"""Stage 5: columns whose information others carry."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from featsieve.measures import joint_codes, pairwise_uncertainty
from featsieve.sieve._evidence import LN2, Association, measure, measure_shares
from featsieve.sieve._material import Material, from_zero, merge_levels

__all__ = ["Displaced", "Redundancy", "find_redundant"]

#: Columns this alike are one: mutual uncertainty, or correlation of ranks.
SAME_UNCERTAINTY = 0.97
SAME_CORRELATION = 0.99

#: A column is carried by others if, once they are known, it tells nothing beyond
#: chance at this level, and at most this part of what it told before.
LEVEL = 0.01
PART_LEFT = 0.5

#: Only columns that go together beyond doubt can stand in for each other.
LEAST_EVIDENCE = 1e-6
LEAST_UNCERTAINTY = 0.02
MOST_DISPLACERS = 5

#: Bins of the columns that are given; fine ones, since a coarse one leaves something to
#: tell even for a perfect copy.
GIVEN_BINS = (32, 16, 8, 4)

#: Degrees of freedom that a test may have per row.
MOST_FREEDOM = 1 / 3


@dataclass(frozen=True, slots=True)
class Displaced:
    """Why a column was set aside: by which, how alike, and how little it still told."""

    by: tuple[int, ...]
    association: float
    gain: float
    p_value: float | None
    reason: str


@dataclass(slots=True)
class Redundancy:
    """Which of the relevant columns stay, in order of strength, and which do not.

    `returned` are columns that stay although others carry most of what they tell.
    """

    kept: list[int] = field(default_factory=list)
    displaced: dict[int, Displaced] = field(default_factory=dict)
    returned: dict[int, Displaced] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """What is known of the relevant columns when copies are looked for."""

    material: Material
    codes: NDArray[Any]
    own_gain: dict[int, Association]
    partners: dict[int, tuple[int, ...]]
    likeness: dict[tuple[int, int], float]


def find_redundant(
    material: Material,
    codes: NDArray[np.int32],
    own_gain: dict[int, Association],
    partners: dict[int, tuple[int, ...]],
    preference: Sequence[tuple[Any, ...]],
) -> Redundancy:
    """Go through the relevant columns from the strongest on, and set copies aside.

    `codes` are those that columns were found by, `own_gain` what each tells, alone or
    beside its `partners`; a member of an interaction goes only if a column that is kept
    can take its place in it. Of near-identical columns the one of the least
    `preference` (missing values, cost, position) stays.
    """
    relevant = sorted(own_gain)
    search = _Search(material, codes, own_gain, partners, _likeness(material, relevant))
    found = Redundancy()
    twins = _collapse(search, relevant, preference)
    found.displaced.update(twins)
    # What stands for several is as strong as the strongest of them.
    power = {j: own_gain[j].gain for j in relevant}
    for twin, displaced in twins.items():
        stays = displaced.by[0]
        power[stays] = max(power[stays], power[twin])
    order = sorted(
        (j for j in relevant if j not in twins), key=lambda j: (-power[j], j)
    )
    for j in order:
        reason = _carried(search, j, found.kept)
        if reason is None:
            found.kept.append(j)
        else:
            found.displaced[j] = reason
    return found


def _likeness(material: Material, relevant: list[int]) -> dict[tuple[int, int], float]:
    """Return the uncertainty of every two relevant columns that go together."""
    if len(relevant) < 2:
        return {}
    found: dict[tuple[int, int], float] = {}
    # Fine bins tell how alike columns are, coarse ones show it in few rows.
    for bins, most_levels in ((8, 64), (3, 8)):
        codes = material.codes_of(relevant, bins, most_levels)
        uncertainty = pairwise_uncertainty(codes, n_jobs=material.n_jobs)
        shared = pairwise_uncertainty(
            codes, measure="mutual_information", n_jobs=material.n_jobs
        )
        levels = codes.max(axis=0).astype(float) + 1
        freedom = np.maximum(np.outer(levels - 1, levels - 1), 1)
        evidence = stats.chi2.sf(2 * LN2 * material.n_rows * shared, freedom)
        close = (uncertainty >= LEAST_UNCERTAINTY) & (evidence <= LEAST_EVIDENCE)
        for a, b in np.argwhere(close).tolist():
            if a != b:
                pair = (relevant[a], relevant[b])
                found.setdefault(pair, float(uncertainty[a, b]))
    return found


def _collapse(
    search: _Search, relevant: list[int], preference: Sequence[tuple[Any, ...]]
) -> dict[int, Displaced]:
    """Return the columns that are all but identical to one that is preferred."""
    gone: dict[int, Displaced] = {}
    stays: list[int] = []
    for j in sorted(relevant, key=lambda j: (*preference[j], j)):
        for other in stays:
            uncertainty = search.likeness.get((j, other))
            if uncertainty is None:
                continue
            same = _sameness(search.material, j, other, uncertainty)
            if same is not None:
                told = f"all but identical (association {same:.3f})"
                gone[j] = Displaced((other,), same, 0.0, None, told)
                break
        else:
            stays.append(j)
    return gone


def _sameness(
    material: Material, first: int, second: int, uncertainty: float
) -> float | None:
    """Return how alike two columns are if they are as good as one, else None."""
    a, b = (material.table.columns[j] for j in (first, second))
    if not a.is_nominal and not b.is_nominal:
        if uncertainty < 0.3:
            return None
        known = ~(a.missing | b.missing)
        if np.count_nonzero(known) < 10:
            return None
        rho = abs(float(stats.spearmanr(a.values[known], b.values[known]).statistic))
        return rho if rho >= SAME_CORRELATION else None
    return uncertainty if uncertainty >= SAME_UNCERTAINTY else None


def _carried(search: _Search, j: int, kept: list[int]) -> Displaced | None:
    """Return by which kept columns a column is carried, or None."""
    likeness = search.likeness
    near = [d for d in kept if (j, d) in likeness]
    near.sort(key=lambda d: (-likeness[j, d], d))
    near = near[:MOST_DISPLACERS]
    whole = search.own_gain[j].gain
    if whole <= 0:
        return None
    x = from_zero(merge_levels(search.codes[:, [j]], 4)[:, 0])
    beside = tuple(p for p in search.partners.get(j, ()) if p not in near)
    for size in (1, 2):
        best: tuple[float, Displaced] | None = None
        for by in itertools.combinations(near, size):
            left = _what_is_left(search.material, x, by, beside)
            if left is None:
                continue
            if left.p_value > LEVEL and left.gain + left.spread <= PART_LEFT * whole:
                told = f"adds {max(0.0, left.gain):.3f} of {whole:.3f}"
                reason = Displaced(
                    by, likeness[j, by[0]], left.gain, left.p_value, told
                )
                if best is None or left.gain < best[0]:
                    best = (left.gain, reason)
        if best is not None:
            return best[1]
    return None


def _what_is_left(
    material: Material,
    x: NDArray[np.int32],
    by: tuple[int, ...],
    beside: tuple[int, ...],
) -> Association | None:
    """Return what `x` tells when other columns are known, or None for want of rows."""
    extra = [material.levels_of(p, 3) for p in beside]
    n_levels = int(x.max(initial=0)) + 1
    n_outcomes = 2 if material.is_numeric_target else material.n_classes
    for bins in GIVEN_BINS:
        given = [material.levels_of(d, bins if len(by) == 1 else bins // 2) for d in by]
        strata = joint_codes(*given, *extra).astype(np.int32)
        freedom = (int(strata.max(initial=0)) + 1) * (n_levels - 1) * (n_outcomes - 1)
        if freedom <= MOST_FREEDOM * material.n_rows:
            if material.quantity is not None:
                return measure_shares(x, material.quantity, strata)
            return measure(x, material.classes, strata)
    return None
