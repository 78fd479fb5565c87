"""Stage 3: columns that tell something only beside others."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from featsieve._types import Array, Codes, Floats
from featsieve.engine import derive_seed
from featsieve.inference.api import (
    CountedSet,
    FoundPairs,
    FoundTriples,
    ScanInput,
    at_level,
    exchange_of,
    find_pairs,
    find_triples,
    gain_p_values,
    measure,
    n_sets_with,
    restricted_given_p_value,
    search_counts,
)
from featsieve.measures import gains_of_tuples, joint_codes
from featsieve.selection._alone import Alone
from featsieve.selection._material import Material

#: Shares of the error that go to pairs, triples, and sets of four and of five.
ORDER_SHARES = {2: 0.5, 3: 0.3, 4: 0.1, 5: 0.1}

#: Share that counts have beside all of these; the reserve of the stages covers it.
COUNT_SHARE = 0.1

#: Sets of one size that are all looked at, and the best of them that are tested.
MOST_TRIPLES = 100_000
MOST_SETS = 60_000
MOST_TESTED = 400

#: Sets tested for the sake of one column.
PER_COLUMN = 3

#: A partner below this p-value matters by itself, and then what a pair tells varies
#: more than under permuted classes: the other member is tested with it given.
PARTNER_MATTERS = 0.01


@dataclass(frozen=True, slots=True)
class Candidate:
    """A set that a scan proposes.

    `p_value` is that of the set, `factor` what it is multiplied by for all the sets a
    member could have been in.
    """

    members: tuple[int, ...]
    p_value: float
    factor: float
    steady: bool = False


@dataclass(frozen=True, slots=True)
class Tuple:
    """A set of columns that tell more together; `p_values` is one per member.

    `steady` says that the synergy lies above zero by its own standard error, which
    matters where members tell something by themselves. Of a `counted` set the number
    of members at their level tells, not which.
    """

    members: tuple[int, ...]
    p_value: float
    p_values: tuple[float, ...]
    steady: bool
    counted: CountedSet | None = None


@dataclass(slots=True, eq=False)
class Together:
    """Evidence on columns beside others.

    `p_values` are, per column, corrected for all the sets it could have been in;
    `best` is the set that each owes it to.
    """

    p_values: Floats
    best: dict[int, Tuple]
    tuples: list[Tuple]
    notes: list[str] = field(default_factory=list)


def judge_together(
    material: Material,
    alone: Alone,
    level: float,
    *,
    most_triples: int = MOST_TRIPLES,
    known_pairs: Iterable[tuple[tuple[int, int], float]] | None = None,
) -> Together:
    """Scan pairs, triples and, where there are few columns, sets of four and five.

    A scan proposes sets; each member is then tested on its own account: does it tell
    anything about the class once the others are known? A column of noise does not,
    whatever the others are, so a strong column cannot pull noise along. The p-value is
    multiplied by the number of sets of that size the column is in, and by the share of
    the error that the size has.

    `known_pairs` are pairs with p-values of their interaction, best first, from more
    rows than the material has; they then stand for the pairs that it shows.
    """
    n_features = material.n_features
    found = Together(np.ones(n_features), {}, [])
    if n_features < 2:
        return found
    seed = derive_seed(material.seed, "together")
    pairs = find_pairs(_scan_input(material, 2), fdr=level * ORDER_SHARES[2], seed=seed)
    if known_pairs is None:
        _take_pairs(material, alone, pairs, level, found)
    else:
        _take_known_pairs(known_pairs, n_features, level, found)
    material.forget_codes()
    if n_features > 2 and most_triples > 0:
        triples = find_triples(
            _scan_input(material, 3),
            pairs,
            fdr=level * ORDER_SHARES[3],
            seed=seed,
            most=most_triples,
        )
        _take_triples(material, alone, triples, level, found)
    for order in (4, 5):
        _take_sets(material, alone, order, level, found)
    _take_counts(material, alone, level, found)
    found.p_values = np.minimum(found.p_values, 1.0)
    return found


def _scan_input(material: Material, order: int) -> ScanInput:
    codes = material.codes_for(order)
    exchange = exchange_of(material.design)
    return ScanInput(codes, material.classes, None, "level", material.n_jobs, exchange)


def _take_pairs(
    material: Material, alone: Alone, pairs: FoundPairs, level: float, found: Together
) -> None:
    factor = (material.n_features - 1) / ORDER_SHARES[2]
    members = np.column_stack([pairs.first, pairs.second])
    chosen = _promising(members, pairs.p_value * factor, level, material.n_features)
    # Pairs that interact are told of even if both members matter by themselves. Whether
    # they do is known of rows that may be exchanged freely.
    significant = pairs.significant & material.design.is_free
    steady = np.flatnonzero(significant)[:MOST_TESTED].tolist()
    codes = material.codes_for(2)
    for k in dict.fromkeys([*chosen, *steady]):
        candidate = Candidate(
            tuple(members[k].tolist()),
            float(pairs.p_value[k]),
            factor,
            steady=bool(significant[k]),
        )
        _consider(material, alone, codes, candidate, found)


def _take_known_pairs(
    known: Iterable[tuple[tuple[int, int], float]],
    n_features: int,
    level: float,
    found: Together,
) -> None:
    """Take pairs whose interaction was tested beside what each member tells alone.

    The class then depends on either one within levels of the other, so that neither is
    noise, whatever the other is.
    """
    factor = (n_features - 1) / ORDER_SHARES[2]
    for members, p_value in itertools.islice(known, MOST_TESTED):
        own = min(1.0, p_value * factor)
        if own > level:
            break
        _note(Tuple(members, p_value, (own, own), steady=True), found)


def _take_triples(
    material: Material,
    alone: Alone,
    triples: FoundTriples,
    level: float,
    found: Together,
) -> None:
    n = material.n_features
    n_sets = math.comb(n - 1, 2) if triples.exhaustive else triples.null.n_candidates
    if not triples.exhaustive:
        found.notes.append(
            f"{math.comb(n, 3):,} triples are too many to look at each; "
            f"{triples.null.n_candidates:,} grown from the best pairs were."
        )
    factor = n_sets / ORDER_SHARES[3]
    codes = material.codes_for(3)
    for k in _promising(triples.members, triples.p_value * factor, level, n):
        members = tuple(triples.members[k].tolist())
        candidate = Candidate(members, float(triples.p_value[k]), factor)
        _consider(material, alone, codes, candidate, found)


def _promising(
    members: Array, p_values: Floats, level: float, n_features: int
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
    codes: Array,
    candidate: Candidate,
    found: Together,
) -> None:
    """Test every member given the others, and note what it is worth."""
    members = candidate.members
    own = codes[:, list(members)].astype(np.int32)
    p_values = []
    for k in range(len(members)):
        others = [i for i in range(len(members)) if i != k]
        matter = (alone.p_values[members[i]] < PARTNER_MATTERS for i in others)
        p = candidate.p_value
        if len(members) > 2 or not material.design.is_free or any(matter):
            given = joint_codes(*(own[:, i] for i in others))
            p = max(p, _p_value_given(material, own[:, k], given))
        p_values.append(min(1.0, p * candidate.factor))
    _note(Tuple(members, candidate.p_value, tuple(p_values), candidate.steady), found)


def _p_value_given(material: Material, own: Codes, given: Codes) -> float:
    """Test the levels of a column given those of others, as rows may be exchanged."""
    if material.design.is_free:
        return measure(own, material.classes, given).p_value
    return restricted_given_p_value(
        own,
        given,
        material.outcomes(),
        exchange_of(material.design),
        derive_seed(material.seed, "given"),
    )


def _note(judged: Tuple, found: Together) -> None:
    found.tuples.append(judged)
    for member, p in zip(judged.members, judged.p_values, strict=True):
        if p < found.p_values[member]:
            found.p_values[member] = p
            found.best[member] = judged


def _take_sets(
    material: Material, alone: Alone, order: int, level: float, found: Together
) -> None:
    """Look at all sets of four or five columns, while there are few enough.

    A parity of five bits shows in no set of four. What a member adds to the others of
    the set is a difference of two joint gains. Sets all members of which have shown
    themselves already have nothing to add.
    """
    n = material.n_features
    if n < order or math.comb(n, order) > MOST_SETS:
        return
    codes = material.codes_for(order)
    levels = codes.max(axis=0, initial=0).astype(float) + 1
    room = material.n_rows / (material.n_classes * 2.5)
    if float(np.prod(np.sort(levels)[:order])) > room:
        return
    sets = np.array(list(itertools.combinations(range(n), order)), dtype=np.int32)
    settled = np.minimum(alone.p_values, found.p_values) <= level / n
    cells = np.prod(levels[sets], axis=1)
    sets = sets[(cells <= room) & ~settled[sets].all(axis=1)]
    if not len(sets):
        return
    gains = gains_of_tuples(codes, material.classes, sets, n_jobs=material.n_jobs)
    parts = _gains_without(material, codes, sets)
    added = np.maximum(gains[:, np.newaxis] - parts, 0.0)
    freedom = np.prod(levels[sets], axis=1)[:, np.newaxis] * (1 - 1 / levels[sets])
    freedom = np.maximum(freedom * (material.n_classes - 1), 1)
    p_values = gain_p_values(added, material.n_rows, freedom)
    factor = math.comb(n - 1, order - 1) / ORDER_SHARES[order]
    # A set is only as good as its weakest member: else it is a smaller one.
    weakest = p_values.max(axis=1)
    best = np.argsort(weakest, kind="stable")[: PER_COLUMN * n]
    for k in best[weakest[best] * factor <= level].tolist():
        members = tuple(sets[k].tolist())
        if not _explained(members, found):
            candidate = Candidate(members, float(weakest[k]), factor)
            _consider(material, alone, codes, candidate, found)


def _gains_without(material: Material, codes: Array, sets: Codes) -> Floats:
    """Return the joint gain of each set without each of its members."""
    order = sets.shape[1]
    parts = np.stack([np.delete(sets, k, axis=1) for k in range(order)], axis=1)
    # Sorted, sets that begin alike follow each other and share work.
    base = codes.shape[1] ** np.arange(order - 2, -1, -1)
    _, first, places = np.unique(parts @ base, return_index=True, return_inverse=True)
    smaller = parts.reshape(-1, order - 1)[first]
    gains = gains_of_tuples(codes, material.classes, smaller, n_jobs=material.n_jobs)
    return gains[places.reshape(sets.shape)]


def _explained(members: tuple[int, ...], found: Together) -> bool:
    """Whether smaller sets that were found already account for all members."""
    inside = [t.members for t in found.tuples if set(t.members) < set(members)]
    return set().union(*map(set, inside)) == set(members) if inside else False


def _take_counts(
    material: Material, alone: Alone, level: float, found: Together
) -> None:
    """Look for sets of which the number of columns at some level tells.

    "Two of six" shows in no table of joint levels while rows are few. Every member is
    tested given which of the others are at their level: given their number only, what
    tells one of two strong members from the other would look like news.
    """
    n = material.n_features
    codes = material.codes_for(4)
    settled = np.minimum(alone.p_values, found.p_values) <= level / n
    if settled.all():
        return
    sets = search_counts(codes, material.classes)
    best = min(sets, key=lambda each: each.p_value, default=None)
    if best is None or best.p_value > level or settled[list(best.members)].all():
        return
    n_levels = codes.max(axis=0, initial=0).astype(int) + 1
    flags = at_level(codes, best)
    p_values = []
    for k, j in enumerate(best.members):
        others = np.delete(n_levels, j)
        factor = n_levels[j] * n_sets_with(others, len(best.members) - 1) / COUNT_SHARE
        given = joint_codes(*np.delete(flags, k, axis=1).T)
        own = _p_value_given(material, flags[:, k], given)
        p = max(best.p_value / COUNT_SHARE, own * factor)
        p_values.append(min(1.0, p))
    _note(
        Tuple(best.members, best.p_value, tuple(p_values), steady=False, counted=best),
        found,
    )
