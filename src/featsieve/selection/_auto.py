"""The sieve: five stages that only add evidence, and a verdict made of all of it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from featsieve.data import Table
from featsieve.inference.api import (
    STAGE_WEIGHTS,
    Association,
    Judgement,
    judge,
    measure,
    measure_shares,
)
from featsieve.measures import joint_codes
from featsieve.selection._all_rows import AllRows
from featsieve.selection._alone import (
    Alone,
    Probed,
    judge_alone,
    look_at_probes,
)
from featsieve.selection._budget import (
    MOST_ROWS_ALONE,
    Plan,
    Race,
    make_plan,
    race_rows,
    rows_for_redundancy,
)
from featsieve.selection._context import (
    Context,
    Place,
    find_place,
    judge_in_context,
)
from featsieve.selection._material import (
    Material,
    Screening,
    in_own_order,
    prepare,
    screen,
)
from featsieve.selection._opening import Drawing, Handover, Tell
from featsieve.selection._possible import Group, find_group, limit_features
from featsieve.selection._redundancy import (
    Redundancy,
    Sets,
    count_apart,
    find_redundant,
)
from featsieve.selection._restricted_alone import restricted_alone
from featsieve.selection._rows import Rows, make_units
from featsieve.selection._settings import Settings
from featsieve.selection._together import PER_COLUMN, Together, at_level, judge_together

#: The rate that evidence is gathered for: p-values must not depend on the one that is
#: asked for, or a larger one could find less.
USUAL_RATE = 0.05


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
    partners: dict[int, tuple[int, ...]] = field(default_factory=dict)
    places: dict[int, Place] = field(default_factory=dict)
    probes: list[Probed] = field(default_factory=list)
    over_limit: set[int] = field(default_factory=set)
    interactions: list[Interplay] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    all_rows: AllRows | None = None
    race: Race | None = None
    group: Group | None = None
    drawing: Drawing | None = None

    @property
    def kept(self) -> list[int]:
        """The columns that stay, in order of strength."""
        return [j for j in self.redundancy.kept if j not in self.over_limit]

    def as_in_table(self, columns: Iterable[int]) -> tuple[int, ...]:
        """Return columns in the order that they have in the table."""
        place = {name: k for k, name in enumerate(self.table.names)}
        return tuple(sorted(columns, key=lambda j: place[self.names[j]]))


def sift(
    given: Handover, settings: Settings, tell: Tell, all_rows: AllRows | None = None
) -> Findings:
    """Run the five stages on a table with a target, which is taken.

    With `all_rows` the table holds some of them: what counts say of all is taken from
    there, and the forest finds out how many of the drawn rows it needs.
    """
    started = time.perf_counter()
    clock = _Clock()
    tell("screen")
    table = given.take()
    if all_rows is not None:
        all_rows.count(tell)
    notes = table.notes if all_rows is None else all_rows.notes(table)
    screening = screen(notes, dict(settings.costs))
    usable = screening.usable(table)
    rows = given.rows if all_rows is None else Rows()
    units, design, told = make_units(table.select(usable), table, rows, settings.seed)
    screening.notes.extend(told)
    units, design = in_own_order(units, design, settings.seed, MOST_ROWS_ALONE)
    whole = prepare(units, settings.seed, settings.n_jobs, design)
    names = list(whole.table.names)
    del units
    plan = make_plan(whole, settings.time_budget, started)
    table = table if told else whole.stand_in(table)
    whole = whole.sample(plan.rows_alone or whole.n_rows)
    material = whole.sample(plan.n_rows)
    clock.stop("screen")
    if not names:
        return _nothing_usable(table, settings, screening, material, plan)
    stages = _gather(whole, material, plan, tell=tell, clock=clock, all_rows=all_rows)
    tell("redundancy")
    findings = Findings(
        table,
        settings,
        screening,
        names,
        whole,
        material,
        plan,
        stages.alone,
        stages.together,
        stages.context,
        judge(stages.p_values, settings.fdr),
        Redundancy(),
        all_rows=all_rows,
        race=stages.race,
    )
    _settle(findings, stages.p_values)
    _look_at_all(findings)
    judgement = findings.judgement
    if settings.max_selected is not None:
        findings.over_limit = limit_features(
            findings.redundancy.kept,
            {
                j: others
                for j, others in findings.partners.items()
                if judgement.stages[j] == "together"
            },
            settings.max_selected,
        )
    findings.probes = look_at_probes(whole)
    clock.stop("redundancy")
    findings.seconds = clock.seconds
    return findings


class _Stages(NamedTuple):
    """The evidence of the stages that test; `race` where rows were raced for."""

    alone: Alone
    together: Together
    context: Context
    race: Race | None

    @property
    def p_values(self) -> dict[str, NDArray[np.float64]]:
        """The p-value of every column by stage."""
        stages = ("alone", "together", "context")
        return {name: getattr(self, name).p_values for name in stages}


def _gather(
    whole: Material,
    material: Material,
    plan: Plan,
    *,
    tell: Tell,
    clock: _Clock,
    all_rows: AllRows | None,
) -> _Stages:
    """Test every column alone, beside others, and in the context of a forest."""
    tell("alone")
    names = list(whole.table.names)
    alone = judge_alone(whole, plan.most_draws)
    alone = replace(alone, codes=alone.codes[whole.draw(plan.n_rows)])
    if not material.design.is_free:
        alone = replace(alone, p_values=restricted_alone(material))
    whole.forget_codes()
    if all_rows is not None:
        alone = all_rows.judge_alone(alone, names, plan.most_draws)
    clock.stop("alone")
    tell("together")
    together = Together(np.ones(material.n_features), {}, [])
    if material.design.is_free:
        together = judge_together(
            material,
            alone,
            USUAL_RATE * STAGE_WEIGHTS["together"],
            most_triples=plan.most_triples,
            known_pairs=None if all_rows is None else all_rows.pairs(names, tell),
        )
    material.forget_codes()
    clock.stop("together")
    tell("context")
    race = None
    if all_rows is None:
        context = judge_in_context(material, plan.forest_rows, plan.n_trees)
    else:

        def relevant(found: Context) -> NDArray[np.bool_]:
            stages = _Stages(alone, together, found, None)
            return judge(stages.p_values, USUAL_RATE).relevant

        race = race_rows(material, plan.forest_rows, plan.n_trees, relevant)
        context = race.context
    clock.stop("context")
    return _Stages(alone, together, context, race)


def _settle(findings: Findings, evidence: dict[str, NDArray[np.float64]]) -> None:
    """Hold columns to the threshold of as many as tell something of their own.

    What is set aside does not dilute the noise among the rest: the threshold is the
    greatest that so many of the columns below it allow (Katsevich, Sabatti and
    Bogomolov's Focused BH). A greater rate never makes fewer columns relevant.
    """
    fdr, p_values = findings.settings.fdr, findings.judgement.p_values
    relevant = np.flatnonzero(findings.judgement.relevant)
    order = relevant[np.argsort(p_values[relevant], kind="stable")].tolist()
    rows = rows_for_redundancy(findings.whole, len(order))
    counts = count_apart(findings.whole.sample(rows), order)
    allowed = [
        count
        for j, count in zip(order, counts, strict=True)
        if p_values[j] * len(p_values) <= fdr * count
    ]
    findings.judgement = judge(evidence, fdr, max(allowed, default=0))
    _set_copies_aside(findings)


def _look_at_all(findings: Findings) -> None:
    """Keep columns as a group if together they tell what none tells for certain."""
    if not findings.material.design.is_free:
        return  # the test has no form for such rows yet
    judgement, redundancy = findings.judgement, findings.redundancy
    findings.group = find_group(
        findings.material,
        redundancy.kept,
        np.flatnonzero(~judgement.relevant).tolist(),
        judgement.p_values,
        findings.settings.fdr,
    )
    if findings.group is not None:
        redundancy.kept = [*redundancy.kept, *findings.group.members]


def _set_copies_aside(findings: Findings) -> None:
    """Weigh the relevant columns and find those whose information others carry."""
    _weigh(findings)
    costs = findings.settings.costs
    rows = rows_for_redundancy(findings.whole, len(findings.own_gain))
    findings.redundancy = find_redundant(
        findings.whole.sample(rows),
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
    return Sets(
        tuple(members for members in chosen if relevant.issuperset(members)),
        frozenset(fixed & relevant),
    )


def _nothing_usable(
    table: Table,
    settings: Settings,
    screening: Screening,
    material: Material,
    plan: Plan,
) -> Findings:
    """Return what is known when no column has got past the screen."""
    none = np.empty(0)
    codes = np.empty((material.n_rows, 0), dtype=np.int32)
    return Findings(
        table,
        settings,
        screening,
        [],
        material,
        material,
        plan,
        Alone(none, none, none, [], codes),
        Together(none, {}, []),
        Context(none, none, 0),
        Judgement(none, settings.fdr, np.empty(0, dtype=bool), []),
        Redundancy(),
    )


def _weigh(findings: Findings) -> None:
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
    findings.interactions = _find_interplay(findings)
    for found in findings.interactions:
        for j in found.members:
            others = tuple(other for other in found.members if other != j)
            findings.partners.setdefault(j, others)
    findings.partners = {
        j: findings.as_in_table(others) for j, others in findings.partners.items()
    }


def _find_interplay(findings: Findings) -> list[Interplay]:
    """Return the sets every member of which has shown itself in the set.

    The set must tell more than its best split into one member and the rest, by several
    deviations of chance; by more of them where all members matter by themselves, since
    what they tell together then varies more.
    """
    level = findings.settings.fdr * STAGE_WEIGHTS["together"]
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


def gain_of(
    material: Material,
    x: NDArray[np.int32],
    strata: NDArray[np.int32] | None = None,
) -> Association:
    """Return what a code tells about the target, in the unit of the target."""
    if material.quantity is not None:
        return measure_shares(x, material.quantity, strata)
    return measure(x, material.classes, strata)


class _Clock:
    """Processor time is not what people wait for; this is."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._begin = time.perf_counter()

    def stop(self, stage: str) -> None:
        """Book the time since the last stop."""
        now = time.perf_counter()
        self.seconds[stage] = round(now - self._begin, 3)
        self._begin = now
