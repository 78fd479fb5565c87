"""`select`: a table goes in, the features to keep and the reasons come out."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import joblib
import numpy as np

from featsieve._types import Floats, Mask
from featsieve.data import Table, TableStream
from featsieve.exceptions import DataError
from featsieve.inference.api import STAGE_WEIGHTS, Judgement, judge
from featsieve.selection._all_rows import AllRows
from featsieve.selection._alone import (
    Alone,
    judge_alone,
    look_at_probes,
    restricted_alone,
)
from featsieve.selection._column_tests import stage_weights
from featsieve.selection._context import (
    MOST_ROWS_ALONE,
    Context,
    Plan,
    Race,
    judge_in_context,
    make_plan,
    race_rows,
)
from featsieve.selection._custom import select_with
from featsieve.selection._ledger import library_of
from featsieve.selection._material import (
    Material,
    Screening,
    in_own_order,
    prepare,
    screen,
)
from featsieve.selection._opening import (
    Handover,
    Rows,
    RowWishes,
    Tell,
    make_units,
    open_rows,
    settle_rows,
    showing_progress,
)
from featsieve.selection._redundancy import Redundancy
from featsieve.selection._selection import Selection
from featsieve.selection._settings import (
    Question,
    Settings,
    check_costs,
    check_minimum,
    check_settings,
)
from featsieve.selection._summary import finite, summarise_findings
from featsieve.selection._together import Together, judge_together
from featsieve.selection._verdicts import (
    USUAL_RATE,
    Findings,
    hold_to_numbers,
    judge_at,
    settle,
)


def select(
    data: Any,
    target: Any = None,
    *,
    max_selected: int | None = None,
    fdr: float = 0.05,
    method: Any = "auto",
    min_features: int | None = None,
    include_possible: bool = False,
    costs: Mapping[str, float] | None = None,
    groups: Any = "auto",
    time: Any = None,
    strata: Any = None,
    sample_weight: Any = None,
    nominal: Sequence[str | int] | str | None = None,
    numeric: Sequence[str | int] | str | None = None,
    missing_values: Sequence[Any] | None = None,
    target_kind: str | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    decimal: str = ".",
    time_budget: float | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    engine: Any = None,
    verbose: bool = True,
) -> Selection:
    """Choose the columns of a table that matter for a target, and say why.

    Columns that cannot help are screened out (constant, row IDs, copies). Each column
    is tested alone. Pairs, triples and, of few columns, larger sets are scanned for
    what matters only together. A forest looks for what matters in the context of
    others. All columns are tested once more beside those that were found. At last
    relevant columns that add nothing to the others are set aside. Numeric and nominal
    columns, missing values (which may be informative), classes and quantities are taken
    as they are.

    Parameters
    ----------
    data : frame, array, mapping, list, path, Table or TableStream
        Whatever `featsieve.data.read_table` reads, a path of a file among it. Of a
        table in parts (a directory, a pattern, a list of files, a Dask DataFrame, what
        `featsieve.data.open_stream` returns) up to 100,000 rows are drawn; if there
        are more, what each column and each pair tells is counted in all of them (unless
        there is a `time_budget`), and the selection says so.
    target : str, int, array-like or None, default=None
        The column to be explained, by name, by position, or as values of its own. None
        only for a `Table` or stream that has a target.
    max_selected : int or None, default=None
        Keep at most so many. Members of an interaction stay together.
    fdr : float, default=0.05
        At most this share of the relevant features is expected to be noise, over all
        stages together.
    method : "auto" or selector, default="auto"
        All stages; or any selector with `fit` and `get_support`, of featsieve or
        scikit-learn, a copy of which is fitted instead.
    min_features : int or None, default=None
        Keep at least so many. Where fewer matter, first those that are possible are
        added, then the best of the rest; the ledger says which, and the error rate does
        not hold for them.
    include_possible : bool, default=False
        Keep the columns, too, some of which matter although rows are too few to say
        which. Else they are in `possible` only.
    costs : mapping of str to float or None, default=None
        What a column costs to obtain: of copies the cheaper one stays.
    groups : str, array-like, "auto" or None, default="auto"
        Which rows belong together, such as those of one patient: the name of a column,
        which then is no feature, or a value per row. ``"auto"`` looks for repeated
        rows, identifiers and series, heeds them and says so in the notes; None says
        that rows are exchangeable.
    time : str, array-like or None, default=None
        When each row was seen, if neighbours in time are alike: the name of a column,
        numbers or dates. What is new in each row is then compared.
    strata : str, array-like or None, default=None
        Rows are exchanged only within these; with `time`, each is a series.
    sample_weight : str, array-like or None, default=None
        Weight of each row: the name of a column, or numbers. Rows are drawn by it, so
        that tests have the effective number of rows.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Columns whose kind is not the one of their type.
    missing_values, target_kind, separator, encoding, decimal
        How to read the table, as in `featsieve.data.read_table`.
    time_budget : float or None, default=None
        Seconds to aim at: rows, permutations and trees are cut down to it, never the
        error rate, and the selection says so.
    random_state : int, RandomState or None, default=0
        Seed of all that is drawn. Rows in another order give the same answer.
    n_jobs : int or None, default=None
        Threads; any number gives the same answer.
    engine : str or None, default=None
        Name of a joblib backend, such as ``"dask"``, for tasks that can leave this
        process.
    verbose : bool, default=True
        Show on a terminal or in a notebook how far it is.

    Returns
    -------
    Selection
        The features, the ledger of every decision, and ways to show, store and apply
        them.

    See Also
    --------
    featsieve.selection.SieveSelector : The same as an estimator for pipelines.

    Notes
    -----
    Error control: the p-values of a column in all stages are combined to one (Cauchy's
    combination), and Benjamini and Hochberg's procedure is applied to these once; the
    threshold is that of as many columns as add something to those before them. A larger
    `fdr` never keeps fewer. In up to 500 rows the columns that are still undecided are
    tested once more, all together, given those that are kept; if that p-value is at
    most `fdr` divided by five, some of them are `possible`.

    Single columns are tested on all rows, up to a million; sets of columns are looked
    for in 20,000 rows, the forest is grown on 5,000. Names, units of numbers, and the
    order of rows and columns do not change the answer; an ID is known by its name or by
    its numbers, though, and of equal columns the first stays.

    Examples
    --------
    Two columns that matter only together, among noise:

    >>> import featsieve
    >>> from featsieve.datasets import make_parity
    >>> table, truth = make_parity(400, n_bits=2, n_noise=6, random_state=0)
    >>> selection = featsieve.select(table, verbose=False)
    >>> sorted(selection.features)
    ['x1', 'x2']
    >>> print(selection.explain("x1"))
    'x1' is kept: relevant together with 'x2'. ...
    """
    if engine is not None and not isinstance(engine, str):
        message = (
            "The 'engine' parameter of select must be the name of a joblib backend or "
            f"None. Got {engine!r} instead."
        )
        raise ValueError(message)
    settings = check_settings(
        "select",
        max_selected=max_selected,
        fdr=fdr,
        method=method,
        min_features=min_features,
        include_possible=include_possible,
        time_budget=time_budget,
        random_state=random_state,
        n_jobs=n_jobs,
        costs=costs,
    )
    reading = {
        "nominal": nominal,
        "numeric": numeric,
        "missing_values": missing_values,
        "target_kind": target_kind,
        "separator": separator,
        "encoding": encoding,
        "decimal": decimal,
    }
    wishes = RowWishes(groups, time, strata, sample_weight)
    question = Question.of(data, target, settings, reading | wishes.asked)
    place = joblib.parallel_config(engine) if engine else contextlib.nullcontext()
    with place, showing_progress(verbose) as tell:
        given, stream = open_rows(data, target, reading, settings, tell)
        if stream is not None:
            wishes.refuse("a table in parts; draw rows with `open_stream(...).sample`")
        elif method != "auto":
            wishes.refuse("a selector of your own as the method; fit it yourself")
        else:
            _check_table(given.look())
            given = Handover(*settle_rows(given.take(), wishes))
        summary = run(given, settings, question, tell, stream)
    return Selection(summary, library=library_of(data))


def run(
    given: Handover,
    settings: Settings,
    question: Question,
    tell: Tell,
    stream: TableStream | None = None,
) -> dict[str, Any]:
    """Select on a table that was read, and return the plain dictionary.

    Of a `stream` the table may hold some rows only.
    """
    _check_table(given.look())
    check_costs(settings.costs, given.look().names)
    all_rows, drawing = None, given.drawing
    if drawing is not None:
        if stream is not None and settings.method == "auto":
            drawing = replace(drawing, counted=settings.time_budget is None)
        if stream is not None and drawing.counted:
            all_rows = AllRows(stream, settings.seed, settings.n_jobs)
        given = Handover(drawing.noted(given.take()))
    if settings.method != "auto":
        found = select_with(given.take(), settings, question, drawing)
    else:
        findings = sift(given, settings, tell, all_rows)
        findings.drawing = drawing
        found = summarise_findings(findings, question)
    summary: dict[str, Any] = finite(found)
    return summary


def _check_table(table: Table) -> None:
    target = table.target
    if target is None:
        shown = ", ".join(repr(name) for name in table.names[-5:])
        message = (
            "select needs to know the column to be explained. Say `target=` with a "
            f"name (the last columns are {shown}), a position, or values."
        )
        raise DataError(message)
    if not table.n_rows:
        message = "select needs rows to learn from. Got a table without any."
        raise DataError(message)
    if not table.n_columns:
        message = f"There is no column beside the target {target.name!r} to select."
        raise DataError(message)
    values = target.values
    if target.is_nominal and (values == values[0]).all():
        level = target.levels[values[0]]
        message = (
            f"Target {target.name!r} has one class, {level!r}, so nothing can explain "
            "it. Choose another target, or add rows of other classes."
        )
        raise DataError(message)
    if not target.is_nominal:
        if not np.isfinite(values).all():
            message = (
                f"Target {target.name!r} holds infinities. Replace them, or mark them "
                "as missing with `missing_values=[float('inf')]`."
            )
            raise DataError(message)
        if (values == values[0]).all():
            message = (
                f"Target {target.name!r} is {values[0]:g} in every row, so nothing can "
                "explain it. Choose another target."
            )
            raise DataError(message)


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
    def p_values(self) -> dict[str, Floats]:
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

        def relevant(found: Context) -> Mask:
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
