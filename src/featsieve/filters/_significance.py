"""Could chance alone have scored as high? Permutation tests that stop early."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import false_discovery_control

from featsieve._kernels import (
    CutPrice,
    Measure,
    Missing,
    apply_cuts,
    class_tables,
    mdl_cuts,
    mdl_null,
    mdl_null_together,
    table_null,
    tie_runs,
)
from featsieve.engine import derive_seed, run_tasks
from featsieve.measures import (
    gain_ratio,
    information_gain,
    symmetrical_uncertainty,
)

__all__ = [
    "CodedColumns",
    "Law",
    "PermutationTest",
    "Scoring",
    "counted_test",
    "permutation_test",
]

MEASURES: dict[str, tuple[Callable[..., Any], Measure]] = {
    "information_gain": (information_gain, Measure.INFORMATION_GAIN),
    "gain_ratio": (gain_ratio, Measure.GAIN_RATIO),
    "symmetrical_uncertainty": (
        symmetrical_uncertainty,
        Measure.SYMMETRICAL_UNCERTAINTY,
    ),
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

#: Scores this close are equal; the kernels use the same slack.
TIE = 1e-12


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """Result of `permutation_test`, one entry per feature.

    `p_values` are (reached + 1) / (drawn + 1) or, for features given up early,
    reached / drawn (Besag and Clifford); `q_values` are adjusted by Benjamini and
    Hochberg; `draws` is how many permutations were needed.
    """

    p_values: NDArray[np.float64]
    q_values: NDArray[np.float64]
    draws: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Scoring:
    """What was computed on the data and must be computed on every permutation."""

    measure: str
    missing: str
    price: CutPrice | None  # of the cuts, where they were chosen by class

    @property
    def kernel(self) -> tuple[Measure, Missing]:
        """The kernels' names for measure and treatment of missing values."""
        return MEASURES[self.measure][1], getattr(Missing, self.missing.upper())

    def scores(
        self,
        codes: NDArray[Any],
        classes: NDArray[np.int32],
        weights: NDArray[np.float64] | None,
    ) -> NDArray[np.float64]:
        """Return the score of every column."""
        function = MEASURES[self.measure][0]
        scores: NDArray[np.float64] = function(
            codes, classes, weights=weights, missing=self.missing
        )
        return scores


@dataclass(frozen=True, slots=True)
class CodedColumns:
    """Features as codes, beside the class; what the tests are computed on.

    `numeric` holds the raw values of columns that were cut with the class in sight, by
    position: these are cut anew in every permutation.
    """

    codes: NDArray[Any]
    n_levels: NDArray[np.int32]
    numeric: dict[int, NDArray[np.float64]]
    classes: NDArray[np.int32]
    n_classes: int
    weights: NDArray[np.float64] | None


@dataclass(frozen=True, slots=True)
class Law:
    """What the null distribution of a feature depends on, besides the class.

    `kind` is "runs" (of ties, of a numeric feature that is cut anew in every
    permutation) or "totals" (rows per level, missing values last).
    """

    kind: str
    margin: bytes

    @classmethod
    def of_runs(cls, runs: NDArray[np.int64]) -> Law:
        """Return the law of a numeric feature with these runs of equal values."""
        return cls("runs", np.ascontiguousarray(runs, dtype=np.int64).tobytes())

    @classmethod
    def of_totals(cls, totals: NDArray[np.int64]) -> Law:
        """Return the law of a feature with so many rows per level.

        It does not know the order of levels: sorted, renamed levels get the same
        draws. Missing values stay last.
        """
        levels = np.sort(totals[:-1][totals[:-1] > 0])
        return cls("totals", np.append(levels, totals[-1]).astype(np.int64).tobytes())


#: Takes positions of features, their scores and a number of draws; returns, for each,
#: how many draws reached the score and how many were made.
Draw = Callable[[NDArray[np.intp], NDArray[np.float64], int], NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class _Group:
    """Features that share one null distribution."""

    features: NDArray[np.intp]
    draw: Draw


def permutation_test(
    columns: CodedColumns,
    scores: NDArray[np.float64],
    scoring: Scoring,
    *,
    alpha: float,
    seed: int,
    n_jobs: int | None = None,
    max_draws: int | None = None,
) -> PermutationTest:
    """Test every score against permutations of the class.

    Draws go on in growing rounds until every feature is either given up or rejected at
    `alpha` by Benjamini–Hochberg, at most `max_draws` (default: enough for a single
    feature to be found among all, n_features / alpha).
    """
    if columns.weights is None:
        totals = np.bincount(columns.classes, minlength=columns.n_classes)
        groups = _groups_of_equal_law(
            _laws(columns), totals.astype(np.int64), scoring, seed
        )
    else:
        groups = [_weighted_group(columns, scoring, seed)]
    return _test(groups, scores, alpha=alpha, n_jobs=n_jobs, max_draws=max_draws)


def counted_test(
    laws: list[Law],
    class_totals: NDArray[np.int64],
    scores: NDArray[np.float64],
    scoring: Scoring,
    *,
    alpha: float,
    seed: int,
    n_jobs: int | None = None,
    max_draws: int | None = None,
) -> PermutationTest:
    """Do the same for features of which only counts are known."""
    groups = _groups_of_equal_law(laws, class_totals, scoring, seed)
    return _test(groups, scores, alpha=alpha, n_jobs=n_jobs, max_draws=max_draws)


def _test(
    groups: list[_Group],
    scores: NDArray[np.float64],
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
        at_least, drawn = reached[:, 0].astype(float), reached[:, 1].astype(float)
        p_values = np.where(
            stopped, at_least / np.maximum(drawn, 1), (at_least + 1) / (drawn + 1)
        )
        q_values = false_discovery_control(p_values) if n_features else p_values
        # Features already rejected are drawn again in the next round, as evidence
        # must not be frozen at its luckiest moment.
        active = ~stopped
        if draws >= max_draws or not np.any(active & (q_values > alpha)):
            return PermutationTest(p_values, q_values, reached[:, 1])
        draws = min(draws * GROWTH, max_draws)


def _run_round(
    groups: list[_Group],
    scores: NDArray[np.float64],
    active: NDArray[np.bool_],
    draws: int,
    reached: NDArray[np.int64],
    *,
    n_jobs: int | None,
) -> None:
    """Draw for the active features; a round begins with the draws of the last one."""

    def draw(group: _Group) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        wanted = group.features[active[group.features]]
        if len(wanted) == 0:
            return wanted, np.empty((0, 2), dtype=np.int64)
        return wanted, group.draw(wanted, scores[wanted], draws)

    tasks = [(group,) for group in groups]
    for features, counts in run_tasks(draw, tasks, n_jobs=n_jobs, shared_memory=True):
        reached[features] = counts


def _laws(columns: CodedColumns) -> list[Law]:
    """Return what the null distribution of each column depends on."""
    n_classes = columns.n_classes
    tables = class_tables(columns.codes, columns.classes, n_classes, columns.n_levels)
    ends = np.cumsum((columns.n_levels.astype(np.int64) + 1) * n_classes)
    laws = []
    for j, end in enumerate(ends):
        if j in columns.numeric:
            laws.append(Law.of_runs(tie_runs(columns.numeric[j])))
            continue
        begin = end - (int(columns.n_levels[j]) + 1) * n_classes
        laws.append(Law.of_totals(tables[begin:end].reshape(-1, n_classes).sum(axis=1)))
    return laws


def _groups_of_equal_law(
    laws: list[Law], class_totals: NDArray[np.int64], scoring: Scoring, seed: int
) -> list[_Group]:
    """Gather features whose null distributions are one and the same."""
    members: dict[Law, list[int]] = {}
    for j, law in enumerate(laws):
        members.setdefault(law, []).append(j)
    n_rows = int(class_totals.sum())
    few = FEW_VALUES if n_rows <= MOST_ROWS_TOGETHER else 0
    groups = []
    together: list[tuple[NDArray[np.int64], list[int]]] = []
    for law, features in members.items():
        margin = np.frombuffer(law.margin, dtype=np.int64)
        if law.kind == "runs" and len(margin) * few > n_rows:
            together.append((margin, features))
        else:
            draw = _draw_from_law(law.kind, margin, class_totals, scoring, seed)
            groups.append(_Group(np.array(features, dtype=np.intp), draw))
    for begin in range(0, len(together), TOGETHER):
        some = together[begin : begin + TOGETHER]
        groups.append(_group_together(some, class_totals, scoring, seed))
    return groups


def _group_together(
    laws: list[tuple[NDArray[np.int64], list[int]]],
    class_totals: NDArray[np.int64],
    scoring: Scoring,
    seed: int,
) -> _Group:
    """Return numeric features, by runs of ties, that see the same permutations."""
    own_seed = derive_seed(seed, "rows", class_totals.tobytes())
    features = np.array([j for _, js in laws for j in js], dtype=np.intp)
    law_of = {j: law for law, (_, js) in enumerate(laws) for j in js}
    price = scoring.price
    assert price is not None  # columns are recut only if their cuts have a price

    def draw(
        wanted: NDArray[np.intp], observed: NDArray[np.float64], draws: int
    ) -> NDArray[np.int64]:
        # `wanted` is in the order of `features`, so those of one law are neighbours.
        law = np.array([law_of[j] for j in wanted.tolist()])
        begins = np.flatnonzero(np.diff(law, prepend=-1))
        return mdl_null_together(
            [laws[law[begin]][0] for begin in begins],
            np.split(observed, begins[1:]),
            class_totals,
            price,
            *scoring.kernel,
            draws,
            STOP_AFTER,
            own_seed,
        )

    return _Group(features, draw)


def _draw_from_law(
    kind: str,
    margin: NDArray[np.int64],
    class_totals: NDArray[np.int64],
    scoring: Scoring,
    seed: int,
) -> Draw:
    """Return the function that draws from one null distribution."""
    own_seed = derive_seed(seed, kind, margin.tobytes(), class_totals.tobytes())
    if kind == "totals":

        def draw_tables(
            _: NDArray[np.intp], observed: NDArray[np.float64], draws: int
        ) -> NDArray[np.int64]:
            return table_null(
                margin,
                class_totals,
                observed,
                *scoring.kernel,
                draws,
                STOP_AFTER,
                own_seed,
            )

        return draw_tables
    price = scoring.price
    assert price is not None  # columns are recut only if their cuts have a price
    n_missing = int(class_totals.sum() - margin.sum())

    def draw_cuts(
        _: NDArray[np.intp], observed: NDArray[np.float64], draws: int
    ) -> NDArray[np.int64]:
        return mdl_null(
            margin,
            n_missing,
            class_totals,
            observed,
            price,
            *scoring.kernel,
            draws,
            STOP_AFTER,
            own_seed,
        )

    return draw_cuts


def _weighted_group(columns: CodedColumns, scoring: Scoring, seed: int) -> _Group:
    """Permute rows one by one: with weights, tables have no simple law.

    Class and weight move together, so that the weight of every class stays.
    """
    weights = columns.weights
    assert weights is not None  # the caller asks only then

    def draw(
        features: NDArray[np.intp], observed: NDArray[np.float64], draws: int
    ) -> NDArray[np.int64]:
        random = np.random.default_rng(derive_seed(seed, "weighted"))
        counts = np.zeros((len(features), 2), dtype=np.int64)
        for _ in range(draws):
            open_ones = np.flatnonzero(counts[:, 0] < STOP_AFTER)
            if len(open_ones) == 0:
                break
            order = random.permutation(len(columns.classes))
            permuted = _weighted_scores(
                columns, features[open_ones], order, weights[order], scoring
            )
            counts[open_ones, 1] += 1
            counts[open_ones, 0] += permuted >= observed[open_ones] - TIE
        return counts

    return _Group(np.arange(len(columns.n_levels), dtype=np.intp), draw)


def _weighted_scores(
    columns: CodedColumns,
    features: NDArray[np.intp],
    order: NDArray[np.intp],
    weights: NDArray[np.float64],
    scoring: Scoring,
) -> NDArray[np.float64]:
    """Score some features against the classes in another order."""
    classes = columns.classes[order]
    codes = columns.codes[:, features].astype(np.int32, order="F")
    for k, j in enumerate(features.tolist()):
        if j in columns.numeric:
            values, price = columns.numeric[j], scoring.price
            assert price is not None  # as in _draw_from_law
            cuts = mdl_cuts(values, classes, columns.n_classes, weights, price)
            codes[:, k] = apply_cuts(values, cuts)
    return scoring.scores(codes, classes, weights)
