"""Could chance alone have scored as high? Permutation tests that stop early."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import random_table

from featsieve._kernels import (
    CutPrice,
    Measure,
    Missing,
    apply_cuts,
    mdl_cuts,
    mdl_null,
    mdl_null_together,
    table_null,
)
from featsieve._types import Array, Floats, Ints, Mask, Positions
from featsieve.engine import derive_seed, run_tasks
from featsieve.exceptions import DataError
from featsieve.inference._coding import CodedColumns
from featsieve.inference._exchange import FREE, TIE, Exchange, monte_carlo_p_values
from featsieve.inference._false_discovery import benjamini_hochberg
from featsieve.measures.api import MEASURES, measure_name, score_tallies
from featsieve.tallies import Tally
from featsieve.tallies.api import tally_codes

#: Measures whose permutations are drawn and scored in C++.
KERNELS = {
    "information_gain": Measure.INFORMATION_GAIN,
    "gain_ratio": Measure.GAIN_RATIO,
    "symmetrical_uncertainty": Measure.SYMMETRICAL_UNCERTAINTY,
}

#: A feature is given up once so many permutations have scored as high: its p-value is
#: then known to about 30 %, and it is too large to matter.
STOP_AFTER = 10

#: Rounds grow by this factor; all but the last are a fraction of the total cost.
GROWTH = 4
FIRST_ROUND = 1000

#: Numeric features that share permutations of the rows, per task: enough to make the
#: permutation cheap, few enough to give every thread some. No answer depends on it.
TOGETHER = 64

#: A numeric feature is permuted by itself, from coarse to fine, if it has fewer values
#: than one in so many rows; else row by row, together with others.
FEW_VALUES = 300

#: With more rows every feature is permuted by itself: that takes about the square root
#: of the rows, and a permutation row by row leaves the caches.
MOST_ROWS_TOGETHER = 2000

#: Tables of more rows are drawn by our kernels only, SciPy counts in 32 bits.
MOST_ROWS_DRAWN = 10**9

Runs = list[Ints | None]


@dataclass(frozen=True, slots=True, eq=False)
class TalliedFeatures:
    """Tallies of features against one target, numeric ones cut.

    `runs` returns, of every feature that was cut with the class in sight, the rows per
    distinct number, ascending, since it is cut anew in every permutation; None of
    others. `rows` are there where they are known: those with weights, or that may not
    be exchanged freely, are permuted one by one.
    """

    tallies: list[Tally]
    class_totals: Array
    runs: Callable[[], Runs]
    names: tuple[str, ...] | None = None
    rows: CodedColumns | None = None

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights."""
        return self.rows is not None and self.rows.weights is not None


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """Result of `permutation_test`, one entry per feature.

    `p_values` are those of `monte_carlo_p_values`, `q_values` of `benjamini_hochberg`;
    `draws` is how many permutations were needed.
    """

    p_values: Floats
    q_values: Floats
    draws: Ints


@dataclass(frozen=True, slots=True)
class Scoring:
    """What was computed on the data and must be computed on every permutation."""

    measure: Any  # the name of a measure, or a function of a tally
    missing: str
    price: CutPrice | None  # of the cuts, where they were chosen by class

    @property
    def kernel(self) -> tuple[Measure, Missing] | None:
        """The kernels' names for measure and treatment of missing values, if any."""
        own = KERNELS.get(measure_name(self.measure))
        return None if own is None else (own, getattr(Missing, self.missing.upper()))

    def scores(
        self, tallies: Sequence[Tally], names: Sequence[str] | None = None
    ) -> Floats:
        """Return the score of every tally."""
        return score_tallies(tallies, self.measure, self.missing, names)


@dataclass(frozen=True, slots=True)
class Law:
    """What the null distribution of a feature depends on, besides the class.

    `kind` is "runs" (of ties, of a numeric feature that is cut anew in every
    permutation) or "totals" (rows per level, missing values last).
    """

    kind: str
    margin: bytes

    @classmethod
    def of_runs(cls, runs: Ints) -> Law:
        """Return the law of a numeric feature with these runs of equal values."""
        return cls("runs", np.ascontiguousarray(runs, dtype=np.int64).tobytes())

    @classmethod
    def of_totals(cls, totals: Ints) -> Law:
        """Return the law of a feature with so many rows per level.

        It does not know the order of levels: sorted, renamed levels get the same
        draws. Missing values stay last.
        """
        levels = np.sort(totals[:-1][totals[:-1] > 0])
        return cls("totals", np.append(levels, totals[-1]).astype(np.int64).tobytes())


#: Takes positions of features, their scores and a number of draws; returns, for each,
#: how many draws reached the score and how many were made.
Draw = Callable[[Positions, Floats, int], Ints]


@dataclass(frozen=True, slots=True)
class _Group:
    """Features that share one null distribution."""

    features: Positions
    draw: Draw


def permutation_test(
    features: TalliedFeatures,
    scores: Floats,
    scoring: Scoring,
    *,
    alpha: float,
    seed: int,
    n_jobs: int | None = None,
    max_draws: int | None = None,
    exchange: Exchange = FREE,
) -> PermutationTest:
    """Test every score against permutations of the class.

    Where rows may be exchanged freely and count alike, the counts of a permuted table
    have a law that is drawn from; else rows, which must be known, are permuted one by
    one. Draws go on in growing rounds until every feature is either given up or
    rejected at `alpha` by Benjamini–Hochberg, at most `max_draws` (default: enough for
    a single feature to be found among all, n_features / alpha).
    """
    if features.is_weighted or not exchange.is_free:
        groups = [_rows_group(features, scoring, seed, exchange)]
    elif scoring.kernel is not None:
        groups = _groups_of_equal_law(features, scoring, seed)
    else:
        groups = _groups_of_equal_margins(features, scoring, seed)
    return _test(groups, scores, alpha=alpha, n_jobs=n_jobs, max_draws=max_draws)


def _test(
    groups: list[_Group],
    scores: Floats,
    *,
    alpha: float,
    n_jobs: int | None,
    max_draws: int | None,
) -> PermutationTest:
    n_features = len(scores)
    if max_draws is None:
        max_draws = max(1000, math.ceil(n_features / alpha))
    reached = np.zeros((n_features, 2), dtype=np.int64)
    active = np.ones(n_features, dtype=bool)
    # A second round of about the same length would draw most of it twice.
    draws = max_draws if max_draws <= 2 * FIRST_ROUND else FIRST_ROUND
    while True:
        _run_round(groups, scores, active, draws, reached, n_jobs=n_jobs)
        stopped = reached[:, 0] >= STOP_AFTER
        p_values = monte_carlo_p_values(reached[:, 0], reached[:, 1], STOP_AFTER)
        q_values = benjamini_hochberg(p_values)
        # Features already rejected are drawn again in the next round, as evidence
        # must not be frozen at its luckiest moment.
        active = ~stopped
        if draws >= max_draws or not np.any(active & (q_values > alpha)):
            return PermutationTest(p_values, q_values, reached[:, 1])
        draws = min(draws * GROWTH, max_draws)


def _run_round(
    groups: list[_Group],
    scores: Floats,
    active: Mask,
    draws: int,
    reached: Ints,
    *,
    n_jobs: int | None,
) -> None:
    """Draw for the active features; a round begins with the draws of the last one."""

    def draw(group: _Group) -> tuple[Positions, Ints]:
        wanted = group.features[active[group.features]]
        if len(wanted) == 0:
            return wanted, np.empty((0, 2), dtype=np.int64)
        return wanted, group.draw(wanted, scores[wanted], draws)

    tasks = [(group,) for group in groups]
    for features, counts in run_tasks(draw, tasks, n_jobs=n_jobs, shared_memory=True):
        reached[features] = counts


def _groups_of_equal_law(
    features: TalliedFeatures, scoring: Scoring, seed: int
) -> list[_Group]:
    """Gather features whose null distributions are one and the same."""
    members: dict[Law, list[int]] = {}
    for j, (tally, runs) in enumerate(
        zip(features.tallies, features.runs(), strict=True)
    ):
        law = (
            Law.of_totals(tally.table.sum(axis=1))
            if runs is None
            else Law.of_runs(runs)
        )
        members.setdefault(law, []).append(j)
    # Nor does the law know the order of classes.
    class_totals = np.sort(features.class_totals.astype(np.int64))
    n_rows = int(class_totals.sum())
    few = FEW_VALUES if n_rows <= MOST_ROWS_TOGETHER else 0
    groups = []
    together: list[tuple[Ints, list[int]]] = []
    for law, own in members.items():
        margin = np.frombuffer(law.margin, dtype=np.int64)
        if law.kind == "runs" and len(margin) * few > n_rows:
            together.append((margin, own))
        else:
            draw = _draw_from_law(law.kind, margin, class_totals, scoring, seed)
            groups.append(_Group(np.array(own, dtype=np.intp), draw))
    for begin in range(0, len(together), TOGETHER):
        some = together[begin : begin + TOGETHER]
        groups.append(_group_together(some, class_totals, scoring, seed))
    return groups


def _group_together(
    laws: list[tuple[Ints, list[int]]], class_totals: Ints, scoring: Scoring, seed: int
) -> _Group:
    """Return numeric features, by runs of ties, that see the same permutations."""
    own_seed = derive_seed(seed, "rows", class_totals.tobytes())
    features = np.array([j for _, js in laws for j in js], dtype=np.intp)
    law_of = {j: law for law, (_, js) in enumerate(laws) for j in js}
    price, kernel = scoring.price, scoring.kernel
    assert price is not None  # columns are recut only if their cuts have a price
    assert kernel is not None  # or tables are drawn one by one

    def draw(wanted: Positions, observed: Floats, draws: int) -> Ints:
        # `wanted` is in the order of `features`, so those of one law are neighbours.
        law = np.array([law_of[j] for j in wanted.tolist()])
        begins = np.flatnonzero(np.diff(law, prepend=-1))
        return mdl_null_together(
            [laws[law[begin]][0] for begin in begins],
            np.split(observed, begins[1:]),
            class_totals,
            price,
            *kernel,
            draws,
            STOP_AFTER,
            own_seed,
        )

    return _Group(features, draw)


def _draw_from_law(
    kind: str, margin: Ints, class_totals: Ints, scoring: Scoring, seed: int
) -> Draw:
    """Return the function that draws from one null distribution."""
    own_seed = derive_seed(seed, kind, margin.tobytes(), class_totals.tobytes())
    kernel = scoring.kernel
    assert kernel is not None  # or tables are drawn one by one
    if kind == "totals":

        def draw_tables(_: Positions, observed: Floats, draws: int) -> Ints:
            return table_null(
                margin,
                class_totals,
                observed,
                *kernel,
                draws,
                STOP_AFTER,
                own_seed,
            )

        return draw_tables
    price = scoring.price
    assert price is not None  # columns are recut only if their cuts have a price
    n_missing = int(class_totals.sum() - margin.sum())

    def draw_cuts(_: Positions, observed: Floats, draws: int) -> Ints:
        return mdl_null(
            margin,
            n_missing,
            class_totals,
            observed,
            price,
            *kernel,
            draws,
            STOP_AFTER,
            own_seed,
        )

    return draw_cuts


def _groups_of_equal_margins(
    features: TalliedFeatures, scoring: Scoring, seed: int
) -> list[_Group]:
    """Gather features that share drawn tables, for measures without a kernel.

    Margins are taken as they are: unlike those with a kernel, a measure may look at the
    order of levels.
    """
    members: dict[tuple[bool, bytes], list[int]] = {}
    for j, (tally, runs) in enumerate(
        zip(features.tallies, features.runs(), strict=True)
    ):
        margin = tally.table.sum(axis=1)
        if runs is not None:
            margin = np.append(runs, margin[-1])
        members.setdefault((runs is not None, margin.tobytes()), []).append(j)
    class_totals = features.class_totals.astype(np.int64)
    if class_totals.sum() > MOST_ROWS_DRAWN:
        message = (
            f"Measure {measure_name(scoring.measure)} can be tested on up to a billion "
            f"rows. Got {class_totals.sum()}; test a sample, or leave out `alpha`."
        )
        raise DataError(message)
    return [
        _Group(
            np.array(own, dtype=np.intp),
            _draw_tallies(
                np.frombuffer(margin, dtype=np.int64),
                class_totals,
                scoring,
                derive_seed(seed, "tallies", margin, class_totals.tobytes()),
                recut=recut,
            ),
        )
        for (recut, margin), own in members.items()
    ]


def _draw_tallies(
    margin: Ints, class_totals: Ints, scoring: Scoring, seed: int, *, recut: bool
) -> Draw:
    """Return the function that draws tallies with these margins and scores them."""

    def draw(_: Positions, observed: Floats, draws: int) -> Ints:
        random = np.random.default_rng(seed)
        counts = np.zeros((len(observed), 2), dtype=np.int64)
        slack = TIE * np.maximum(1.0, np.abs(observed))
        for _k in range(draws):
            open_ones = np.flatnonzero(counts[:, 0] < STOP_AFTER)
            if len(open_ones) == 0:
                break
            table = draw_table(margin, class_totals, random)
            tally = _recut(table, scoring.price) if recut else Tally(table)
            (score,) = scoring.scores([tally], ["(permuted)"])
            counts[open_ones, 1] += 1
            counts[open_ones, 0] += score >= observed[open_ones] - slack[open_ones]
        return counts

    return draw


def draw_table(margin: Ints, class_totals: Ints, random: np.random.Generator) -> Ints:
    """Return rows per level and class after a permutation of the classes."""
    if not margin.any():  # a column of which nothing was counted
        return np.zeros((len(margin), len(class_totals)), dtype=np.int64)
    drawn: Ints = random_table.rvs(
        margin, class_totals, method="patefield", random_state=random
    )
    return drawn.astype(np.int64, copy=False)


def _recut(table: Ints, price: CutPrice | None) -> Tally:
    """Return a numeric column cut where the permuted class changes."""
    assert price is not None  # columns are recut only if their cuts have a price
    numbers = Tally.of_numbers(np.arange(len(table) - 1, dtype=np.float64), table)
    return numbers.cut(numbers.mdl_cuts(price))


def _rows_group(
    features: TalliedFeatures, scoring: Scoring, seed: int, exchange: Exchange
) -> _Group:
    """Permute rows one by one: tables have no simple law.

    Class and weight move together, so that the weight of every class stays.
    """
    columns = features.rows
    assert columns is not None  # streams have no weights, and are exchanged freely

    def draw(features: Positions, observed: Floats, draws: int) -> Ints:
        random = np.random.default_rng(derive_seed(seed, "weighted"))
        counts = np.zeros((len(features), 2), dtype=np.int64)
        for _ in range(draws):
            open_ones = np.flatnonzero(counts[:, 0] < STOP_AFTER)
            if len(open_ones) == 0:
                break
            order = exchange.order(len(columns.classes), random)
            permuted = _scores_in_order(columns, features[open_ones], order, scoring)
            counts[open_ones, 1] += 1
            counts[open_ones, 0] += permuted >= observed[open_ones] - TIE
        return counts

    return _Group(np.arange(len(columns.n_levels), dtype=np.intp), draw)


def _scores_in_order(
    columns: CodedColumns, features: Positions, order: Positions, scoring: Scoring
) -> Floats:
    """Score some features against the classes in another order."""
    classes = columns.classes[order]
    weights = None if columns.weights is None else columns.weights[order]
    codes = columns.codes[:, features].astype(np.int32, order="F")
    n_levels = columns.n_levels[features]
    for k, j in enumerate(features.tolist()):
        if j in columns.numeric:
            values, price = columns.numeric[j], scoring.price
            assert price is not None  # as in _draw_from_law
            cuts = mdl_cuts(values, classes, columns.n_classes, weights, price)
            codes[:, k] = apply_cuts(values, cuts)
            n_levels[k] = len(cuts) + 1
    if scoring.kernel is not None:  # counts and scores all columns in one pass
        function = MEASURES[measure_name(scoring.measure)]
        scores: Floats = function(
            codes, classes, weights=weights, missing=scoring.missing
        )
        return scores
    tallies = tally_codes(codes, classes, columns.n_classes, n_levels, weights)
    return scoring.scores(tallies)
