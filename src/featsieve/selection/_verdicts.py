"""From the evidence of all stages to what is kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from featsieve._types import Floats
from featsieve.data import Table
from featsieve.inference.api import (
    STAGE_WEIGHTS,
    Association,
    Judgement,
    at_level,
    judge,
)
from featsieve.measures import joint_codes
from featsieve.selection._all_rows import AllRows
from featsieve.selection._alone import Alone, Probed, gain_of
from featsieve.selection._apart import count_apart
from featsieve.selection._beside import find_interchangeable, find_partner, judge_beside
from featsieve.selection._column_tests import stage_weights
from featsieve.selection._context import (
    Context,
    Place,
    Plan,
    Race,
    find_place,
    rows_for_redundancy,
)
from featsieve.selection._forest_draws import Returned, find_returning, find_stand_ins
from featsieve.selection._material import Material, Screening
from featsieve.selection._opening import Drawing
from featsieve.selection._other_rates import (
    carrier_of,
    owes,
    with_fewer,
    with_more,
    without,
)
from featsieve.selection._possible import Group, fill_up, find_group, limit_features
from featsieve.selection._redundancy import Redundancy, Sets, find_redundant
from featsieve.selection._settings import Settings
from featsieve.selection._together import PER_COLUMN, Together

#: The rate that evidence is gathered for: p-values must not depend on the one that is
#: asked for, or a larger one could find less.
USUAL_RATE = 0.05

#: P-values of noise that passes are spread evenly up to the threshold, so that nine in
#: ten lie above this part of it; those of columns that matter seldom do.
DOUBTFUL_PART = 0.1


@dataclass(frozen=True, slots=True)
class Interplay:
    """A set of relevant columns with what it tells beyond its best split in two."""

    members: tuple[int, ...]
    joint_gain: float
    synergy: float
    p_value: float


@dataclass(slots=True, eq=False)
class Findings:
    """All evidence on a table; columns are numbered as in `names`, the usable ones.

    That is the order of the material, not that of the table. `whole` has the rows that
    single columns are tested on, of which `material` has those that the rest is.
    """

    table: Table
    settings: Settings
    screening: Screening
    names: list[str]
    whole: Material
    material: Material
    plan: Plan
    alone: Alone
    together: Together
    context: Context
    judgement: Judgement
    redundancy: Redundancy
    own_gain: dict[int, Association] = field(default_factory=dict)
    beside: tuple[int, ...] = ()  # what was found before that stage
    returned: Returned = field(default_factory=Returned)
    interchangeable: dict[int, tuple[int, ...]] = field(default_factory=dict)
    partners: dict[int, tuple[int, ...]] = field(default_factory=dict)
    places: dict[int, Place] = field(default_factory=dict)
    probes: list[Probed] = field(default_factory=list)
    over_limit: set[int] = field(default_factory=set)
    interactions: list[Interplay] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    all_rows: AllRows | None = None
    race: Race | None = None
    group: Group | None = None
    possible: list[int] = field(default_factory=list)
    filled: list[int] = field(default_factory=list)
    drawing: Drawing | None = None

    @property
    def candidates(self) -> list[int]:
        """The columns that stay but for a limit, in order of strength."""
        more = self.possible if self.settings.include_possible else []
        return [*self.redundancy.kept, *more]

    @property
    def kept(self) -> list[int]:
        """The columns that stay, in order of strength; last those that fill up."""
        stay = [j for j in self.candidates if j not in self.over_limit]
        return [*stay, *self.filled]

    def as_in_table(self, columns: Iterable[int]) -> tuple[int, ...]:
        """Return columns in the order that they have in the table."""
        place = {name: k for k, name in enumerate(self.table.names)}
        return tuple(sorted(columns, key=lambda j: place[self.names[j]]))

    def for_redundancy(self, n_columns: int) -> Material:
        """Return as many rows as so many columns can be held against each other on."""
        return self.whole.sample(rows_for_redundancy(self.whole, n_columns))


def judge_at(whole: Material, evidence: dict[str, Floats], fdr: float) -> Judgement:
    """Hold columns to the threshold of as many as tell something of their own.

    What is set aside does not dilute the noise among the rest: the threshold is the
    greatest that so many of the columns below it allow (Katsevich, Sabatti and
    Bogomolov's Focused BH). A greater rate never makes fewer columns relevant.
    """
    weights = stage_weights(whole.n_rows)
    judgement = judge(evidence, fdr, None, weights)
    p_values = judgement.p_values
    relevant = np.flatnonzero(judgement.relevant)
    order = relevant[np.argsort(p_values[relevant], kind="stable")].tolist()
    rows = rows_for_redundancy(whole, len(order))
    counts = count_apart(whole.sample(rows), order)
    allowed = [
        count
        for j, count in zip(order, counts, strict=True)
        if p_values[j] * len(p_values) <= fdr * count
    ]
    return judge(evidence, fdr, max(allowed, default=0), weights)


def settle(findings: Findings, evidence: dict[str, Floats]) -> None:
    """Find what stays at the usual rate, and from that what does at the one asked for.

    A search for what others carry that began afresh at every rate could keep less at a
    greater one.
    """
    _set_copies_aside(findings)
    _look_beside(findings, evidence)
    _set_stand_ins_aside(findings)
    _let_return(findings)
    usual, fdr = findings.redundancy, findings.settings.fdr
    p_values = findings.judgement.p_values
    _look_at_all(findings, usual)
    if fdr != USUAL_RATE:
        before = set(findings.own_gain)
        findings.judgement = judge_at(findings.whole, evidence, fdr)
        _attribute(findings, evidence)
        _weigh(findings, fdr)
        relevant = set(findings.own_gain)
        if fdr < USUAL_RATE:
            findings.redundancy = with_fewer(usual, relevant, p_values)
        else:
            more = sorted(relevant - before, key=lambda j: (p_values[j], j))
            weights = stage_weights(findings.whole.n_rows)
            on = findings.for_redundancy(len(usual.kept) + len(more))
            sets = {"together", "context"}
            fixed = {j for j in more if owes(evidence, weights, j) in sets}
            findings.redundancy = with_more(usual, on, more, fixed)
    on = findings.for_redundancy(len(findings.own_gain))
    findings.interchangeable = find_interchangeable(
        on, findings.redundancy, _products(findings)
    )
    if findings.group is not None:
        # Of what the usual rate keeps, all is possible that nothing has replaced.
        kept = set(findings.redundancy.kept)
        replaced = {carrier_of(usual, j) for j in kept}
        findings.possible = [
            j
            for j in [*usual.kept, *findings.group.members]
            if j not in kept | replaced
        ]


def _look_beside(findings: Findings, evidence: dict[str, Floats]) -> None:
    """Test all columns given what was found, and decide once more."""
    before, kept = findings.judgement.stages, findings.redundancy.kept
    evidence["beside"] = judge_beside(findings.material, kept, _products(findings))
    findings.beside = tuple(kept)
    findings.judgement = judge_at(findings.whole, evidence, USUAL_RATE)
    _attribute(findings, evidence)
    if findings.judgement.stages != before:
        _set_copies_aside(findings)


def _set_stand_ins_aside(findings: Findings) -> None:
    """Set aside what a forest has found and the others kept can stand in for.

    But no column that another one is kept together with.
    """
    if not findings.material.design.is_free:
        return  # the test has no form for such rows yet
    stages, found = findings.judgement.stages, findings.redundancy
    p_values, best = findings.judgement.p_values, findings.together.best
    needed = {i for j in found.kept if stages[j] == "together" for i in best[j].members}
    doubted = [j for j in found.kept if stages[j] == "context" and j not in needed]
    doubted.sort(key=lambda j: (-p_values[j], j))
    on = findings.for_redundancy(len(findings.own_gain))
    gone = find_stand_ins(on, found.kept, doubted, _products(findings))
    if gone:
        findings.redundancy = without(found, on, gone)


def _let_return(findings: Findings) -> None:
    """Keep columns after all that add something together, if not by themselves."""
    found = findings.redundancy
    if not findings.material.design.is_free:
        return  # the test has no form for such rows yet
    on = findings.for_redundancy(len(findings.own_gain))
    findings.returned = find_returning(on, found, _products(findings))
    for j in findings.returned.members:
        found.kept.append(j)
        del found.displaced[j]


def _attribute(findings: Findings, evidence: dict[str, Floats]) -> None:
    """Owe to other stages what was found before columns were tested beside it."""
    weights = stage_weights(findings.whole.n_rows)
    others = {name: own for name, own in evidence.items() if name != "beside"}
    stages = findings.judgement.stages
    for j in findings.beside:
        if stages[j] == "beside":
            stages[j] = owes(others, weights, j)


def _products(findings: Findings) -> list[tuple[int, ...]]:
    """Return the sets found together of which all columns are kept."""
    kept = set(findings.redundancy.kept)
    return [found for found in _found_together(findings).tuples if kept >= set(found)]


def _look_at_all(findings: Findings, usual: Redundancy) -> None:
    """Look for columns that are possible: together they tell what none does alone."""
    if not findings.material.design.is_free:
        return  # the test has no form for such rows yet
    judgement = findings.judgement
    findings.group = find_group(
        findings.material,
        usual.kept,
        np.flatnonzero(~judgement.relevant).tolist(),
        judgement.p_values,
        findings.settings.fdr,
        sets=_products(findings),
    )


def hold_to_numbers(findings: Findings) -> None:
    """Keep no more columns than may be, and no fewer than must be."""
    settings, judgement = findings.settings, findings.judgement
    if settings.max_selected is not None:
        findings.over_limit = limit_features(
            findings.candidates,
            {
                j: others
                for j, others in findings.partners.items()
                if judgement.stages[j] in ("together", "beside")
            },
            settings.max_selected,
        )
    if settings.min_features is not None:
        kept = findings.kept
        over = [j for j in findings.candidates if j in findings.over_limit]
        first = [*over, *(j for j in findings.possible if j not in {*kept, *over})]
        findings.filled = fill_up(
            findings.material, kept, first, judgement.p_values, settings.min_features
        )


def _set_copies_aside(findings: Findings) -> None:
    """Weigh the relevant columns and find those whose information others carry."""
    _weigh(findings, USUAL_RATE)
    costs = findings.settings.costs
    findings.redundancy = find_redundant(
        findings.for_redundancy(len(findings.own_gain)),
        findings.own_gain,
        _found_together(findings),
        [
            (column.n_missing, costs.get(column.name, 0.0), -score.gain)
            for column, score in zip(
                findings.material.table, findings.alone.scores, strict=True
            )
        ],
    )


def _found_together(findings: Findings) -> Sets:
    """Return the sets that relevant columns owe it to, and a few that interact.

    Columns that a count of levels or the forest has found stay: no product of levels
    could take their part.
    """
    judgement = findings.judgement
    fixed = {j for j, stage in enumerate(judgement.stages) if stage == "context"}
    chosen: dict[tuple[int, ...], None] = {}
    for j, stage in enumerate(judgement.stages):
        if stage != "together":
            continue
        best = findings.together.best[j]
        if best.counted is not None:
            fixed.update(best.members)
        else:
            chosen[tuple(sorted(best.members))] = None
    times = dict.fromkeys(range(len(findings.names)), 0)
    for found in findings.interactions:
        if any(times[j] < PER_COLUMN for j in found.members):
            chosen[found.members] = None
            for j in found.members:
                times[j] += 1
    relevant = set(findings.own_gain)
    doubtful = {
        j
        for j in relevant
        if judgement.p_values[j] > judgement.threshold * DOUBTFUL_PART
    }
    return Sets(
        tuple(members for members in chosen if relevant.issuperset(members)),
        frozenset(fixed & relevant),
        frozenset(doubtful),
    )


def _weigh(findings: Findings, fdr: float) -> None:
    """Measure what each relevant column tells: alone, beside partners, or somewhere."""
    material, judgement = findings.material, findings.judgement
    relevant = np.flatnonzero(judgement.relevant).tolist()
    by_strength = sorted(relevant, key=lambda j: (-findings.alone.scores[j].gain, j))
    findings.own_gain, findings.partners, findings.places = {}, {}, {}
    for j in relevant:
        findings.own_gain[j] = findings.alone.scores[j]
        stage = judgement.stages[j]
        if stage == "together":
            best = findings.together.best[j]
            others = tuple(other for other in best.members if other != j)
            findings.partners[j] = others
            if best.counted is not None:
                flags = at_level(material.codes_for(4), best.counted)
                own = flags[:, best.members.index(j)]
                number = flags.sum(axis=1).astype(np.int32) - own
                findings.own_gain[j] = gain_of(material, own, number)
                continue
            codes = material.tuple_codes((j, *others))
            findings.own_gain[j] = gain_of(
                material, codes[:, 0], joint_codes(*codes[:, 1:].T)
            )
        elif stage == "context":
            guides = by_strength or list(range(material.n_features))
            place = find_place(material, findings.alone, j, guides)
            if place is not None:
                findings.places[j] = place
                findings.own_gain[j] = place.found
        elif stage == "beside":
            partner, findings.own_gain[j] = find_partner(material, j, findings.beside)
            findings.partners[j] = (partner,)
    findings.interactions = _find_interplay(findings, fdr)
    for found in findings.interactions:
        for j in found.members:
            others = tuple(other for other in found.members if other != j)
            findings.partners.setdefault(j, others)
    findings.partners = {
        j: findings.as_in_table(others) for j, others in findings.partners.items()
    }


def _find_interplay(findings: Findings, fdr: float) -> list[Interplay]:
    """Return the sets every member of which has shown itself in the set.

    The set must tell more than its best split into one member and the rest, by several
    deviations of chance; by more of them where all members matter by themselves, since
    what they tell together then varies more.
    """
    level = fdr * STAGE_WEIGHTS["together"]
    judgement, material = findings.judgement, findings.material
    good: dict[tuple[int, ...], Interplay] = {}
    for found in findings.together.tuples:
        if found.counted is not None:
            continue  # tables of joint levels do not see it
        members = tuple(sorted(found.members))
        relevant = all(judgement.relevant[j] for j in members)
        if not relevant or members in good or max(found.p_values) > level:
            continue
        needed = any(judgement.stages[j] == "together" for j in members)
        if len(members) == 2 and not needed and not found.steady:
            continue
        joint, synergy, spread = _synergy(material, members)
        if synergy > (2 if needed or found.steady else 4) * spread:
            good[members] = Interplay(members, joint, synergy, found.p_value)
    return sorted(good.values(), key=lambda found: (-found.synergy, found.members))


def _synergy(
    material: Material, members: tuple[int, ...]
) -> tuple[float, float, float]:
    """Return joint gain, what it has beyond the best split, and chance's spread."""
    codes = material.tuple_codes(members)
    whole = gain_of(material, joint_codes(*codes.T))
    best, spread = 0.0, 0.0
    for k in range(len(members)):
        rest = joint_codes(*(codes[:, i] for i in range(len(members)) if i != k))
        parts = gain_of(material, codes[:, k]), gain_of(material, rest)
        told = sum(max(0.0, part.gain) for part in parts)
        if told >= best:
            freedom = whole.freedom - sum(part.freedom for part in parts)
            best = told
            spread = whole.spread * np.sqrt(max(freedom, 1) / max(whole.freedom, 1))
    return whole.gain, whole.gain - best, float(spread)
