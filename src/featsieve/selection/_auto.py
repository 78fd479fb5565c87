"""All stages of `select` in order, and a verdict made of their evidence."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from featsieve.data import Table
from featsieve.inference.api import STAGE_WEIGHTS, Judgement, judge
from featsieve.selection._all_rows import AllRows
from featsieve.selection._alone import Alone, judge_alone, look_at_probes
from featsieve.selection._budget import (
    MOST_ROWS_ALONE,
    Plan,
    Race,
    make_plan,
    race_rows,
)
from featsieve.selection._column_tests import stage_weights
from featsieve.selection._context import Context, judge_in_context
from featsieve.selection._material import (
    Material,
    Screening,
    in_own_order,
    prepare,
    screen,
)
from featsieve.selection._opening import Handover, Tell
from featsieve.selection._redundancy import Redundancy
from featsieve.selection._restricted_alone import restricted_alone
from featsieve.selection._rows import Rows, make_units
from featsieve.selection._settings import Settings, check_minimum
from featsieve.selection._together import Together, judge_together
from featsieve.selection._verdicts import (
    USUAL_RATE,
    Findings,
    hold_to_numbers,
    judge_at,
    settle,
)


def sift(
    given: Handover, settings: Settings, tell: Tell, all_rows: AllRows | None = None
) -> Findings:
    """Run all stages on a table with a target, which is taken.

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
    check_minimum(settings.min_features, len(names), table.n_columns)
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
        judge_at(whole, stages.p_values, USUAL_RATE),
        Redundancy(),
        all_rows=all_rows,
        race=stages.race,
    )
    settle(findings, stages.p_values)
    hold_to_numbers(findings)
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
            return judge(
                stages.p_values, USUAL_RATE, None, stage_weights(material.n_rows)
            ).relevant

        race = race_rows(material, plan.forest_rows, plan.n_trees, relevant)
        context = race.context
    clock.stop("context")
    return _Stages(alone, together, context, race)


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
