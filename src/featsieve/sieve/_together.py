"""Stage 3: columns that tell something only beside others."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from featsieve.engine import derive_seed
from featsieve.filters._conditional_test import conditional_p_value
from featsieve.filters._pair_scan import FoundPairs, ScanInput, find_pairs
from featsieve.filters._triple_scan import find_triples
from featsieve.filters._tuple_gains import TupleGains
from featsieve.measures import gains_of_tuples, joint_codes
from featsieve.sieve._alone import Alone, from_zero_columns
from featsieve.sieve._material import Material
from featsieve.sieve._tests import LN2, measure

__all__ = ["Together", "Tuple", "judge_together"]

#: Shares of the error that go to pairs, triples, and sets of four and of five.
ORDER_SHARES = {2: 0.5, 3: 0.3, 4: 0.1, 5: 0.1}

#: Sets of one size that are all looked at, and the best of them that are tested.
MOST_TRIPLES = 100_000
MOST_SETS = 60_000
MOST_TESTED = 400

#: Sets tested for the sake of one column.
PER_COLUMN = 3

#: A partner below this p-value matters by itself, and then what a pair tells varies
#: more than under permuted classes: the other member is tested with it given.
PARTNER_MATTERS = 0.01

#: A last look by permutation, for sets that the law of chi-square lets pass.
CONFIRM = 0.02


@dataclass(frozen=True, slots=True)
class Tuple:
    """A set of columns that tell more together; `p_values` is one per member."""

    members: tuple[int, ...]
    joint_gain: float
    synergy: float
    p_value: float
    p_values: tuple[float, ...]


@dataclass(slots=True, eq=False)
class Together:
    """Evidence on columns beside others.

    `p_values` are, per column, corrected for all the sets it could have been in;
    `best` is the set that each owes it to.
    """

    p_values: NDArray[np.float64]
    best: dict[int, Tuple]
    tuples: list[Tuple]
    redundancies: list[tuple[int, int, float]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def judge_together(
    material: Material, alone: Alone, level: float, *, most_triples: int = MOST_TRIPLES
) -> Together:
    """Scan pairs, triples and, where there are few columns, sets of four and five.

    A scan proposes sets; each member is then tested on its own account: does it tell
    anything about the class once the others are known? A column of noise does not,
    whatever the others are, so a strong column cannot pull noise along. The p-value is
    multiplied by the number of sets of that size the column is in, and by the share of
    the error that the size has.
    """
    n_features = material.n_features
    together = Together(np.ones(n_features), {}, [])
    if n_features < 2:
        return together
    data = _scan_input(material, 2)
    pairs = find_pairs(
        data, fdr=level * ORDER_SHARES[2], seed=derive_seed(material.seed, "together")
    )
    _take_pairs(material, alone, data, pairs, level, together)
    if n_features > 2 and most_triples > 0:
        _take_triples(material, alone, pairs, level, together, most_triples)
    for order in (4, 5):
        _take_sets(material, order, level, together)
    together.p_values = np.minimum(together.p_values, 1.0)
    return together


def _scan_input(material: Material, order: int) -> ScanInput:
    codes = material.codes_for(order)
    return ScanInput(codes, material.classes, None, "level", material.n_jobs)


def _take_pairs(
    material: Material,
    alone: Alone,
    data: ScanInput,
    pairs: FoundPairs,
    level: float,
    together: Together,
) -> None:
    n_sets = material.n_features - 1
    members = np.column_stack([pairs.first, pairs.second])
    chosen = _promising(
        members, pairs.p_value * n_sets / ORDER_SHARES[2], level, material.n_features
    )
    steady = dict.fromkeys(np.flatnonzero(pairs.significant).tolist())
    for k in dict.fromkeys([*chosen, *itertools.islice(steady, MOST_TESTED)]):
        _consider(
            material,
            alone,
            data.codes,
            tuple(members[k].tolist()),
            float(pairs.joint_gain[k]),
            float(pairs.synergy[k]),
            float(pairs.p_value[k]),
            n_sets / ORDER_SHARES[2],
            together,
        )


def _take_triples(
    material: Material,
    alone: Alone,
    pairs: FoundPairs,
    level: float,
    together: Together,
    most: int,
) -> None:
    data = _scan_input(material, 3)
    triples = find_triples(
        data,
        pairs,
        fdr=level * ORDER_SHARES[3],
        seed=derive_seed(material.seed, "together"),
        most=most,
    )
    n = material.n_features
    n_sets = math.comb(n - 1, 2) if triples.exhaustive else triples.null.n_candidates
    if not triples.exhaustive:
        together.notes.append(
            f"{math.comb(n, 3):,} triples are too many to look at each; "
            f"{triples.null.n_candidates:,} grown from the best pairs were."
        )
    factor = n_sets / ORDER_SHARES[3]
    for k in _promising(triples.members, triples.p_value * factor, level, n):
        _consider(
            material,
            alone,
            data.codes,
            tuple(triples.members[k].tolist()),
            float(triples.joint_gain[k]),
            float(triples.synergy[k]),
            float(triples.p_value[k]),
            factor,
            together,
        )


def _promising(
    members: NDArray[Any], p_values: NDArray[np.float64], level: float, n_features: int
) -> list[int]:
    """Return which sets could make one of their members relevant, best first."""
    times = np.zeros(n_features, dtype=int)
    chosen: list[int] = []
    for k in np.flatnonzero(p_values <= level).tolist():
        if (times[members[k]] < PER_COLUMN).any():
            times[members[k]] += 1
            chosen.append(k)
        if len(chosen) >= MOST_TESTED:
            break
    return chosen


def _consider(
    material: Material,
    alone: Alone,
    codes: NDArray[Any],
    members: tuple[int, ...],
    joint_gain: float,
    synergy: float,
    scan_p: float,
    factor: float,
    together: Together,
) -> None:
    """Test every member given the others, and note what it is worth."""
    own = from_zero_columns(codes[:, list(members)])
    classes = material.classes
    p_values = []
    for k, member in enumerate(members):
        others = [i for i in range(len(members)) if i != k]
        strong = any(
            alone.p_values[members[i]] < PARTNER_MATTERS for i in others
        ) or len(members) > 2
        p = scan_p
        if strong:
            given = joint_codes(*(own[:, i] for i in others))
            p = max(scan_p, measure(own[:, k], classes, given).p_value)
            if p * factor < 1 and len(classes) < 5000:
                gains = TupleGains(own, classes, "level", None)
                seed = derive_seed(material.seed, "confirm", str(sorted(members)))
                if conditional_p_value(gains, (k,), tuple(others), seed) > CONFIRM:
                    p = 1.0
        p_values.append(min(1.0, p * factor))
    found = Tuple(members, joint_gain, synergy, scan_p, tuple(p_values))
    together.tuples.append(found)
    for member, p in zip(members, p_values, strict=True):
        if p < together.p_values[member]:
            together.p_values[member] = p
            together.best[member] = found


def _take_sets(
    material: Material, order: int, level: float, together: Together
) -> None:
    """Look at all sets of four or five columns, while there are few enough.

    A parity of five bits shows in no set of four. What a member adds to the others of
    the set is a difference of two joint gains.
    """
    n = material.n_features
    if n < order or math.comb(n, order) > MOST_SETS:
        return
    codes = material.codes(2, 4)
    levels = codes.max(axis=0, initial=0).astype(float) + 1
    levels += (codes < 0).any(axis=0)
    room = material.n_rows / (material.n_classes * 2.5)
    if float(np.prod(np.sort(levels)[:order])) > room:
        return
    sets = np.array(list(itertools.combinations(range(n), order)), dtype=np.int32)
    cells = np.prod(levels[sets], axis=1)
    sets = sets[cells <= room]
    if not len(sets):
        return
    gains = gains_of_tuples(
        codes, material.classes, sets.tolist(), n_jobs=material.n_jobs
    )
    parts = _gains_without(material, codes, sets)
    added = np.maximum(gains[:, np.newaxis] - parts, 0.0)
    freedom = np.prod(levels[sets], axis=1)[:, np.newaxis] * (1 - 1 / levels[sets])
    freedom = np.maximum(freedom * (material.n_classes - 1), 1)
    p_values = stats.chi2.sf(2 * LN2 * material.n_rows * added, freedom)
    factor = math.comb(n - 1, order - 1) / ORDER_SHARES[order]
    # A set is only as good as its weakest member: else it is a smaller one.
    weakest = p_values.max(axis=1)
    best = np.argsort(weakest, kind="stable")[:PER_COLUMN * n]
    for k in best[weakest[best] * factor <= level].tolist():
        members = tuple(sets[k].tolist())
        if _explained(members, together):
            continue
        _consider_set(
            material, codes, members, float(gains[k]), float(added[k].min()),
            float(weakest[k]), factor, together,
        )


def _gains_without(
    material: Material, codes: NDArray[Any], sets: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return the joint gain of each set without each of its members."""
    smaller: dict[tuple[int, ...], int] = {}
    places = np.empty(sets.shape, dtype=np.int64)
    for row, members in enumerate(sets.tolist()):
        for k in range(len(members)):
            part = (*members[:k], *members[k + 1 :])
            places[row, k] = smaller.setdefault(part, len(smaller))
    gains = gains_of_tuples(
        codes, material.classes, list(smaller), n_jobs=material.n_jobs
    )
    return gains[places]


def _explained(members: tuple[int, ...], together: Together) -> bool:
    """Whether smaller sets that were found already account for all members."""
    inside = [t.members for t in together.tuples if set(t.members) < set(members)]
    return set().union(*map(set, inside)) == set(members) if inside else False


def _consider_set(
    material: Material,
    codes: NDArray[Any],
    members: tuple[int, ...],
    joint_gain: float,
    synergy: float,
    p_value: float,
    factor: float,
    together: Together,
) -> None:
    own = from_zero_columns(codes[:, list(members)])
    p_values = []
    for k in range(len(members)):
        others = [own[:, i] for i in range(len(members)) if i != k]
        p = measure(own[:, k], material.classes, joint_codes(*others)).p_value
        p_values.append(min(1.0, max(p, p_value) * factor))
    found = Tuple(members, joint_gain, synergy, p_value, tuple(p_values))
    together.tuples.append(found)
    for member, p in zip(members, p_values, strict=True):
        if p < together.p_values[member]:
            together.p_values[member] = p
            together.best[member] = found


def subsets(members: Iterable[int], size: int) -> list[tuple[int, ...]]:
    """Return the parts of a set of one size."""
    return list(itertools.combinations(sorted(members), size))
