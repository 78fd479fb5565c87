"""Stage 4: columns that matter in the context of others, and what there is time for."""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from featsieve._types import Codes, Floats, Mask, Positions
from featsieve.data import Column, ColumnKind, Table
from featsieve.data.api import RowDesign, canonical_order
from featsieve.engine import derive_seed
from featsieve.exceptions import NoFeatureSelectedWarning
from featsieve.inference.api import Association, measure, measure_shares
from featsieve.measures import pairwise_gain
from featsieve.selection._alone import Alone
from featsieve.selection._material import Material
from featsieve.selectors import ForestSelector

#: Trees per column, and bounds: a forest sees every column some hundred times.
LEAST_TREES, MOST_TREES = 200, 1000

#: Bins of the column that says where.
PLACES = 4

#: Columns that may say where.
MOST_GUIDES = 12


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """Evidence of a forest, one entry per usable column; scores in deviations."""

    p_values: Floats
    scores: Floats
    n_trees: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a column matters, in words, and what it tells there."""

    guide: int
    words: str
    found: Association


def trees_for(n_features: int) -> int:
    """Return how many trees so many columns ask for."""
    return int(np.clip(2 * n_features, LEAST_TREES, MOST_TREES))


def judge_in_context(
    material: Material, n_rows: int, n_trees: int | None = None
) -> Context:
    """Grow a forest and hold what each column gains in it against its shadows.

    Columns that are known to be relevant take part, since what others tell may show
    only behind them. Of many rows so many are drawn.
    """
    n_features = material.n_features
    if n_trees is None:
        n_trees = trees_for(n_features)
    selector = ForestSelector(
        n_estimators=n_trees,
        # Fewer trees are a trial that times one; learning takes as long for any number.
        learn_chances=n_trees >= LEAST_TREES,
        n_jobs=material.n_jobs,
        random_state=derive_seed(material.seed, "context"),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoFeatureSelectedWarning)
        table, target, design = _drawn(material, n_rows)
        selector.fit(table, target, groups=design.groups, strata=design.strata)
    p_values = np.clip(np.nan_to_num(selector.p_values_, nan=1.0), 0.0, 1.0)
    return Context(p_values, np.nan_to_num(selector.scores_), n_trees)


def _drawn(material: Material, n_rows: int) -> tuple[Table, Column, RowDesign]:
    """Return rows in the order that the forest puts them in, so that it needs no copy.

    Nothing else holds them: copies of the table are what a forest takes most room by.
    """
    sample = material.sample(n_rows)
    target = _target(sample)
    if sample.n_rows == material.n_rows:
        return sample.table, target, sample.design  # mostly in that order already
    rows, _ = canonical_order(sample.table, target, None)
    columns, design = list(sample.table.columns), sample.design.take(rows)
    del sample  # from here on a column goes when it is there in its new order
    for k in range(len(columns)):
        columns[k] = columns[k].take(rows)
    return Table(tuple(columns), n_rows=len(rows)), target.take(rows), design


def _target(material: Material) -> Column:
    if material.quantity is not None:
        return Column("target", ColumnKind.NUMERIC, material.quantity)
    levels = tuple(range(material.n_classes))
    return Column("target", ColumnKind.NOMINAL, material.classes, levels)


def find_place(
    material: Material, alone: Alone, feature: int, guides: list[int]
) -> Place | None:
    """Return where among the values of another column a column tells most.

    The rows are parted by levels or quarters of each guide in turn; where the column
    tells most, against chance, neighbouring quarters that tell as well are joined.
    """
    x = alone.codes[:, feature]
    best: tuple[float, Place] | None = None
    for guide in guides[:MOST_GUIDES]:
        if guide == feature:
            continue
        parts = material.levels_of(guide, PLACES)
        column = material.table.columns[guide]
        for chosen in _runs(parts, ordered=not column.is_nominal):
            rows = np.flatnonzero(np.isin(parts, chosen))
            if len(rows) < 10 or len(rows) > 0.8 * len(parts):
                continue
            found = _measure(material, x, rows)
            if best is None or found.p_value < best[0]:
                words = _words(column, rows)
                best = (found.p_value, Place(guide, words, found))
    return None if best is None else best[1]


def _runs(parts: Codes, *, ordered: bool) -> list[tuple[int, ...]]:
    levels = np.unique(parts).tolist()
    single: list[tuple[int, ...]] = [(level,) for level in levels]
    if not ordered:
        return single
    return single + list(itertools.pairwise(levels))


def _measure(material: Material, x: Codes, rows: Positions) -> Association:
    if material.quantity is not None:
        return measure_shares(x[rows], material.quantity[rows])
    return measure(x[rows], material.classes[rows])


def _words(column: Column, rows: Positions) -> str:
    values = column.values[rows]
    if column.is_nominal:
        known = values[values >= 0]
        if len(known) == 0:
            return f"{column.name} is missing"
        levels = [str(column.levels[code]) for code in np.unique(known).tolist()]
        shown = ", ".join(levels[:3]) + (", …" if len(levels) > 3 else "")
        return f"{column.name} = {shown}"
    known = values[~np.isnan(values)]
    if len(known) == 0:
        return f"{column.name} is missing"
    return f"{column.name} between {known.min():.4g} and {known.max():.4g}"


#: Rows that single columns are tested on.
MOST_ROWS_ALONE = 1_000_000

#: Rows that sets are looked for in: so many show an effect of a thousandth of a bit.
MOST_ROWS = 20_000

#: Numbers that the columns which are left may take when they are held against each
#: other, and how many each of them takes per row, about.
MOST_CELLS, CELLS_PER_COLUMN = 16_000_000, 10

#: Rows that a forest is grown on; its shadows are copies of the table.
FOREST_ROWS = 5_000

#: Never fewer, however little time there is.
LEAST_ROWS = 500
FEWEST_TREES = 50

#: Scans of all pairs with permuted classes, as a rule, and trees of the trial.
TYPICAL_SCANS = 40
TRIAL_TREES = 8

#: What triples and permutations are cut down to.
FEW_TRIPLES = 5_000
FEW_DRAWS = 20_000


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is computed; `told` says what was left out for want of time.

    Sets are looked for in `n_rows`; single columns are tested on `rows_alone`, or all.
    """

    n_rows: int
    forest_rows: int
    most_draws: int | None = None
    most_triples: int = 100_000
    n_trees: int | None = None
    told: tuple[str, ...] = ()
    rows_alone: int | None = None


def make_plan(material: Material, budget: float | None, started: float) -> Plan:
    """Return how much of the work fits into the time, by trying a little of it.

    Half of the time goes to scans, half to the forest. Rows, permutations, triples and
    trees are cut down; the error rate never is: with less evidence less is found, not
    more by mistake.
    """
    most = min(MOST_ROWS, material.n_rows)
    whole = Plan(most, min(FOREST_ROWS, most))
    if budget is None or not material.n_features:
        return whole
    trial = material.sample(LEAST_ROWS)
    fixed, per_row = _cost_of_scan(trial, material.sample(4 * LEAST_ROWS))
    tree = _cost_of_tree(trial)
    half = max(budget - (time.perf_counter() - started), 0.01) / 2
    least = min(LEAST_ROWS, most)
    # Triples cost about as much as pairs, hence twice.
    fits = (half / (2 * TYPICAL_SCANS) - fixed) / per_row
    n_rows = int(np.clip(fits, least, most))
    plan = replace(whole, n_rows=n_rows, forest_rows=min(n_rows, whole.forest_rows))
    told = []
    if n_rows < most:
        told.append(f"{n_rows:,} of {material.n_rows:,} rows were used")
        plan = replace(
            plan, rows_alone=n_rows, most_draws=FEW_DRAWS, most_triples=FEW_TRIPLES
        )
        told.append("fewer permutations were drawn and fewer triples looked at")
    n_trees = int(half / (tree * plan.forest_rows / trial.n_rows))
    if n_trees < trees_for(material.n_features):
        plan = replace(plan, n_trees=max(FEWEST_TREES, n_trees))
        told.append(f"the forest has {plan.n_trees} trees")
    return replace(plan, told=tuple(told))


def rows_for_redundancy(material: Material, n_relevant: int) -> int:
    """Return in how many rows so many columns are held against each other.

    As many as room allows: what all rows show of a single column, fewer might not show
    beside others.
    """
    fits = MOST_CELLS // (CELLS_PER_COLUMN * max(n_relevant, 1))
    return min(material.n_rows, max(fits, MOST_ROWS))


def _cost_of_scan(few: Material, more: Material) -> tuple[float, float]:
    """Return the seconds of a scan of pairs: in any case, and for every row."""
    times = []
    for trial in (few, more):
        codes = trial.codes_for(2)
        begin = time.perf_counter()
        if trial.n_features > 1:
            pairwise_gain(codes, trial.classes, n_jobs=trial.n_jobs, top=1)
        times.append(max(time.perf_counter() - begin, 1e-5))
    rise = (times[1] - times[0]) / max(more.n_rows - few.n_rows, 1)
    # At least a little, or noise in the clock would promise that rows are free.
    per_row = max(rise, 0.1 * times[1] / more.n_rows)
    return max(times[0] - per_row * few.n_rows, 0.0), per_row


def _cost_of_tree(trial: Material) -> float:
    """Return the seconds of one tree of the forest, shadows and all."""
    begin = time.perf_counter()
    judge_in_context(trial, trial.n_rows, TRIAL_TREES)
    return max(time.perf_counter() - begin, 1e-5) / TRIAL_TREES


@dataclass(frozen=True, slots=True)
class Race:
    """The evidence at the last size, and the sizes that were tried."""

    context: Context
    sizes: tuple[int, ...]
    settled: bool

    @property
    def told(self) -> str:
        """How the number of rows was found."""
        sizes = ", ".join(f"{size:,}" for size in self.sizes)
        end = "verdicts stayed the same" if self.settled else "there were no more"
        return f"the forest on {sizes} of them in turn, until {end}"


def race_rows(
    material: Material,
    first: int,
    n_trees: int | None,
    decide: Callable[[Context], Mask],
) -> Race:
    """Grow forests on more and more rows until two in a row decide alike.

    P-values are multiplied by the number of sizes, since any of them could have been
    the last.
    """
    sizes: list[int] = []
    last: Mask | None = None
    while True:
        sizes.append(min(material.n_rows, first << len(sizes)))
        found = judge_in_context(material, sizes[-1], n_trees)
        corrected = np.minimum(1.0, found.p_values * len(sizes))
        found = replace(found, p_values=corrected)
        now = decide(found)
        settled = last is not None and bool((now == last).all())
        if settled or sizes[-1] >= material.n_rows:
            return Race(found, tuple(sizes), settled)
        last = now
