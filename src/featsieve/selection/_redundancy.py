"""Which of the relevant columns stay: those that add to all that is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve.inference.api import (
    Association,
    Basis,
    Company,
    Given,
    GrowingSet,
    ShrinkingSet,
    detail_for,
    most_told,
    orthonormal_in_place,
    product_basis,
)
from featsieve.selection._apart import (
    COMPANY,
    ENTER,
    STAY,
    basis_of,
    most_given,
    target_basis,
)
from featsieve.selection._copies import find_copies
from featsieve.selection._material import Material

#: Such a column was found by luck if its p-value given the set is above this.
LUCK = 0.05

#: Straight lines that are looked at all at once to begin with.
MOST_LINES = 80

#: Rounds of growing and shrinking; the second one seldom changes anything.
ROUNDS = 3

#: A column is redundant if it is shown to add at most this part of what it tells.
PART_ADDED = 0.1

#: A target is explained if less than this share of it is left.
NOTHING_LEFT = 1e-6

#: Carriers are named that have at least this part in what a column shares with the set.
MOST_NAMED = 3
LEAST_PART = 0.25

#: Members of a set of columns that were found together.
Term = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Displaced:
    """Why a column was set aside.

    By which others, how alike the first of them is, its p-value given all that is kept,
    and at most which part of what it tells it adds to them. Of near copies only the
    first two are known.
    """

    by: tuple[int, ...]
    association: float
    p_value: float | None = None
    most_added: float | None = None

    @property
    def is_shown(self) -> bool:
        """Whether it is shown that the column adds next to nothing."""
        return self.most_added is None or self.most_added <= PART_ADDED

    @property
    def reason(self) -> str:
        """The reason in words."""
        if self.most_added is None:
            return f"all but identical (association {self.association:.3f})"
        if self.is_shown:
            return f"adds at most {100 * self.most_added:.1f} % of what it tells"
        most = min(100.0, 100 * self.most_added)
        return f"adds nothing that rows show, but up to {most:.0f} % of what it tells"


@dataclass(slots=True)
class Redundancy:
    """Which of the relevant columns stay, in order of strength, and which do not.

    `refuted` are the p-values, given all that is kept, of those that have nothing in
    common with it and are not significant beside it: chance made them look relevant.
    """

    kept: list[int] = field(default_factory=list)
    displaced: dict[int, Displaced] = field(default_factory=dict)
    refuted: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sets:
    """Sets of columns that were found together, best first; and columns that stay.

    The `doubtful` ones may be luck, if what is kept does not bear them out.
    """

    tuples: tuple[Term, ...] = ()
    fixed: frozenset[int] = frozenset()
    doubtful: frozenset[int] = frozenset()

    def with_stand_ins(self, stand_in: dict[int, int]) -> Sets:
        """Return the same with columns in the place of their copies."""
        moved = (tuple(sorted({stand_in[j] for j in old})) for old in self.tuples)
        # A set that shrinks held a column and its copy.
        whole = (
            new
            for new, old in zip(moved, self.tuples, strict=True)
            if len(new) == len(old)
        )
        return Sets(
            tuple(dict.fromkeys(whole)),
            frozenset(stand_in[j] for j in self.fixed),
            frozenset(j for j in self.doubtful if stand_in[j] == j),
        )


def find_redundant(
    material: Material,
    own_gain: dict[int, Association],
    sets: Sets,
    preference: Sequence[tuple[Any, ...]],
) -> Redundancy:
    """Set aside near copies, then all that adds nothing to what is kept.

    `own_gain` says what each relevant column tells, alone or beside its partners. Of
    near copies the one of the least `preference` (missing values, cost, what it tells)
    stays, of equal columns the first of the table. The rest is tested given the whole
    of what is kept.
    """
    copies = find_copies(material, sorted(own_gain), preference)
    power = {j: found.gain for j, found in own_gain.items()}
    # What stands for several is as strong as the strongest of them.
    for twin, (stays, _) in copies.items():
        power[stays] = max(power[stays], power[twin])
    order = sorted(set(power) - set(copies), key=lambda j: (-power[j], j))
    stand_in = {j: copies[j][0] if j in copies else j for j in own_gain}
    search = ConditionalSearch(material, order, sets.with_stand_ins(stand_in))
    search.run()
    kept = search.columns
    found = Redundancy([j for j in order if j in kept], refuted=search.refuted)
    for j, (by, likeness) in copies.items():
        if by in search.refuted:
            found.refuted[j] = search.refuted[by]
        else:
            found.displaced[j] = Displaced((by,), likeness)
    found.displaced.update(search.reasons())
    return found


class ConditionalSearch:
    """The search for a set of columns that leaves the others nothing to add.

    Columns, and products of the levels of columns that were found together, are the
    terms of a set. It begins with straight lines, all at once, of which the worst go
    one by one; grows by the best term, as long as one adds to it beyond chance; and
    shrinks by the worst column. What goes with nothing in the set is added in the end.

    Parameters
    ----------
    material : Material
        The rows.
    order : list of int
        The columns, strongest first.
    sets : Sets
        Which of them were found together, and which stay in any case.
    """

    def __init__(self, material: Material, order: list[int], sets: Sets) -> None:
        self._material, self._order, self._sets = material, order, sets
        self._fixed = sets.fixed
        self._most_rank = most_given(material)
        n_classes = 1 if material.is_numeric_target else material.n_classes
        self._target = target_basis(material)
        self._describe(detail_for(material.n_rows, n_classes, len(order)))
        # What does not vary within units of rows cannot be held against the others.
        self._fixed |= {j for j in order if not self._terms[j,].directions.shape[1]}

    def _describe(self, detail: int) -> None:
        """Take columns as finely as that, and an empty set."""
        self._detail = detail
        material = self._material
        self._terms: dict[Term, Basis] = {
            (j,): basis_of(material, j, detail) for j in self._order
        }
        for members in self._sets.tuples:
            codes = material.tuple_codes(members)
            self._terms[members] = product_basis(codes, material.units)
        self._kept: list[Term] = []
        self._lonely: list[int] = []
        self.refuted: dict[int, float] = {}
        self._is_full = False
        self._given_key: tuple[tuple[Term, ...], tuple[int, ...]] = (), ()
        self._all_given = Given(len(self._target.directions))

    @property
    def columns(self) -> set[int]:
        """The columns that stay."""
        inside = {j for term in self._kept for j in term}
        return inside | self._fixed | set(self._lonely)

    def run(self) -> None:
        """Search; if rows are too few for the set, take columns less finely."""
        self._search()
        while self._is_full and self._detail:
            self._describe(self._detail - 1)
            self._search()
        self._add_lonely()

    def keep(self, columns: Sequence[int]) -> None:
        """Take these columns as the set, as finely as rows allow, and do not search."""
        chosen: list[Term] = [(j,) for j in columns]
        while self._detail and self._rank_of(chosen) > self._most_rank:
            self._describe(self._detail - 1)
        self._kept = chosen

    def _rank_of(self, terms: Sequence[Term]) -> int:
        return sum(self._terms[term].directions.shape[1] for term in terms)

    def _search(self) -> None:
        rank = 0
        for j in self._order:
            if j in self._fixed:
                rank += self._terms[j,].directions.shape[1]
                if rank <= self._most_rank / 2:
                    self._kept.append((j,))
        self._kept += [(j,) for j in self._begin()]
        for k in range(ROUNDS):
            before = set(self._kept)
            self._grow()
            if k > 0 and set(self._kept) == before:
                break  # nothing came, so what stayed would stay again
            self._shrink()
            if set(self._kept) == before:
                break

    def _begin(self) -> list[int]:
        """Return the columns whose straight lines add to those of all others."""
        free = [
            j for j in self._order if j not in self._fixed and self._terms[j,].ordered
        ][: min(MOST_LINES, self._most_rank)]
        if not free:
            return []
        given = [self._terms[term] for term in self._kept]
        lines = [self._terms[j,].directions[:, :1] for j in free]
        tests = ShrinkingSet(
            [*given, *(Basis(line, ordered=True) for line in lines)],
            [(len(given) + k,) for k in range(len(free))],
            self._target,
        )
        left = list(range(len(free)))
        level = ENTER / len(self._order)
        while left:
            p_values = tests.test().p_values
            worst = max(left, key=lambda k: (p_values[k], k))
            if p_values[worst] <= level:
                break
            tests.drop(worst)
            left.remove(worst)
        return [free[k] for k in left]

    def _grow(self) -> None:
        """Add the best term, one by one, as long as one adds to the set."""
        out = [term for term in self._terms if term not in set(self._kept)]
        growing = self._given_to(out)
        left = list(range(len(out)))
        while left:
            found = growing.test()
            level = ENTER / len(left)
            adding = [k for k in left if found.p_values[k] <= level]
            room = self._most_rank - growing.rank
            able = [k for k in adding if found.widths[k] <= room]
            self._is_full |= len(able) < len(adding)
            able.sort(key=lambda k: (found.p_values[k], -found.traces[k], k))
            best = next((k for k in able if self._adds(growing, out[k], level)), None)
            if best is None:
                return
            # A product comes with its columns.
            for term in (out[best], *((j,) for j in out[best])):
                if term not in self._kept:
                    self._kept.append(term)
                    growing.give(self._terms[term])
            left = [k for k in left if out[k] not in self._kept]

    def _adds(self, growing: GrowingSet, term: Term, level: float) -> bool:
        """Whether a term adds to the set, the bends of what that fits given, too."""
        beside = [self._terms[j,] for j in term if len(term) > 1]
        return growing.test_beyond_curve(self._terms[term], beside) <= level

    def _given_to(self, terms: Sequence[Term]) -> GrowingSet:
        """Return tests of terms given the set."""
        growing = GrowingSet([self._terms[term] for term in terms], self._target)
        for term in self._kept:
            growing.give(self._terms[term])
        return growing

    def _shrink(self) -> None:
        """Take out the worst column, one by one, with the products it is in."""
        inside = {j for term in self._kept for j in term}
        free = [j for j in self._order if j in inside and j not in self._fixed]
        units = [
            [
                self._kept.index((j,)),
                *(
                    i
                    for i, term in enumerate(self._kept)
                    if j in term and len(term) > 1
                ),
            ]
            for j in free
        ]
        if not free:
            return
        tests = ShrinkingSet([self._terms[t] for t in self._kept], units, self._target)
        left = list(range(len(free)))
        while left:
            level = min(STAY, ENTER * len(left) / len(self._order))
            p_values = tests.test().p_values
            if p_values[left].max() <= level:
                for k in left:
                    p_values[k] = tests.test_beyond_curve(k)
            worst = max(left, key=lambda k: (p_values[k], k))
            if p_values[worst] <= level:
                return
            tests.drop(worst)
            left.remove(worst)
            self._kept = [term for term in self._kept if free[worst] not in term]

    def _add_lonely(self) -> None:
        """Keep columns that nothing in the set can stand in for, strongest first.

        What stands in for a column goes with it, and not only through the target: two
        columns that the target makes alike are two sources, not one, unless the set
        leaves next to nothing to add.
        """
        columns = self.columns
        out = [j for j in self._order if j not in columns]
        if not out:
            return
        _, most = self._most_added(out)
        alone, given = self._luck(out)
        lines = {j: self._line(j) for j in self._order}
        bases = [lines[j] for j in out]
        company = Company(bases, self._target)
        beyond = Company(bases, self._target, given_target=True)
        for j in (j for j in self._order if j in columns):
            company.add(lines[j])
            beyond.add(lines[j])
        together = {j for term in self._terms for j in term if len(term) > 1}
        doubtful = self._sets.doubtful - together
        for k, j in enumerate(out):
            if company.rank >= self._most_rank > 0:
                return
            is_alone = company.test(k) > COMPANY
            if not is_alone and (most[k] <= PART_ADDED or beyond.test(k) <= COMPANY):
                continue
            if is_alone and j in doubtful and alone[k] <= STAY and given[k] > LUCK:
                self.refuted[j] = float(given[k])
                continue
            self._lonely.append(j)
            company.add(lines[j])
            beyond.add(lines[j])

    def _line(self, j: int) -> Basis:
        basis = self._terms[j,]
        if basis.ordered:
            return Basis(basis.directions[:, :1], ordered=True)
        return basis

    def reasons(self) -> dict[int, Displaced]:
        """Return why the columns go that do not stay."""
        gone = self.columns.union(self.refuted)
        out = [j for j in self._order if j not in gone]
        if not out:
            return {}
        p_values, most = self._most_added(out)
        carriers = self._carriers(out)
        return {
            j: Displaced(*carriers[k], float(p_values[k]), float(most[k]))
            for k, j in enumerate(out)
        }

    def _most_added(
        self, out: list[int]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return p-values given the set, and at most which part columns add to it.

        What each tells by itself, with the products it is in, is the share of the
        target it explains, less what chance gives; what it adds is the share of what
        the set leaves of the target, at most.
        """
        everything = self._everything()
        tests = GrowingSet([self._whole(j) for j in out], self._target)
        alone = tests.test()
        tests.give_all(everything)
        n_rows, n_target = self._target.n_rows, self._target.directions.shape[1]
        chance = alone.widths * n_target / max(n_rows - 1, 1)
        told = np.maximum(alone.traces - chance, 0.0)
        given = tests.test()
        n_free = n_rows - 1 - tests.rank
        bound = most_told(given.traces, given.widths, n_target, n_free)
        if tests.target_left < NOTHING_LEFT:
            bound = np.zeros(len(out))
        return given.p_values, bound / np.maximum(told, 1e-12)

    def _luck(self, out: list[int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return p-values alone and given the set, by what sees a column best alone.

        0 given the set where it leaves too few rows to say.
        """
        best, given = np.ones(len(out)), np.ones(len(out))
        for detail in range(self._detail + 1):
            bases = [basis_of(self._material, j, detail) for j in out]
            tests = GrowingSet(bases, self._target)
            alone = tests.test().p_values
            tests.give_all(self._everything())
            better = alone < best
            taken = tests.rank + self._target.directions.shape[1]
            enough = taken <= self._most_rank
            given[better] = tests.test().p_values[better] if enough else 0.0
            best = np.minimum(alone, best)
        return best, given

    def _everything(self) -> Given:
        """Return all that is kept, and the bends of what it fits."""
        key = tuple(self._kept), tuple(self._lonely)
        if key != self._given_key:
            tests = self._given_to([])
            for j in self._lonely:
                tests.give(self._line(j))
            if tests.rank:
                tests.give_curve()
            self._given_key, self._all_given = key, tests.given
        return self._all_given

    def _whole(self, j: int) -> Basis:
        """Return a column with the products it is in."""
        parts = [b.directions for term, b in self._terms.items() if j in term]
        own = self._terms[j,]
        if len(parts) == 1:
            return own
        whole = np.vstack([part.T for part in parts]).T
        return Basis(orthonormal_in_place(whole), own.ordered)

    def _carriers(self, out: list[int]) -> list[tuple[tuple[int, ...], float]]:
        """Return which kept columns carry each of the others, and how alike they are.

        What a column shares with the set is parted among the columns of the set by
        their weights in the projection.
        """
        stay = self.columns
        terms = self._terms
        inside = [j for j in self._order if j in stay and terms[j,].directions.shape[1]]
        parts = [terms[j,].directions for j in inside]
        owner = np.repeat(np.arange(len(inside)), [part.shape[1] for part in parts])
        matrix = np.hstack(parts)
        inverse = np.linalg.pinv(matrix.T @ matrix, rcond=1e-7, hermitian=True)
        found = []
        for j in out:
            cross = matrix.T @ self._terms[j,].directions
            shared = (cross * (inverse @ cross)).sum(axis=1)
            share = np.bincount(owner, shared, minlength=len(inside))
            alike = self._likeness(owner, cross, len(inside))
            order = np.lexsort((np.arange(len(inside)), -alike, -np.round(share, 9)))
            named = [
                k for k in order[:MOST_NAMED] if share[k] >= LEAST_PART * share.sum()
            ] or [order[0]]
            found.append((tuple(inside[k] for k in named), float(alike[named[0]])))
        return found

    def _likeness(
        self, owner: NDArray[np.intp], cross: NDArray[np.float64], n: int
    ) -> NDArray[np.float64]:
        """Return how alike a column is to each of the kept ones, from 0 to 1.

        The correlation of their lines, or the root of the mean square of the canonical
        correlations, whichever is greater.
        """
        squares = np.bincount(owner, (cross**2).sum(axis=1), minlength=n)
        widths = np.minimum(np.bincount(owner, minlength=n), cross.shape[1])
        first = np.searchsorted(owner, np.arange(n))
        lines = np.abs(cross[first, 0])
        roots = np.sqrt(squares / np.maximum(widths, 1))
        alike: NDArray[np.float64] = np.minimum(np.maximum(lines, roots), 1.0)
        return alike
