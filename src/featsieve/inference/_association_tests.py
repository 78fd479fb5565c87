"""Whether an association stands out from chance: asymptotic and by permutation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from featsieve._types import Array, Codes, Floats, Ints, Mask, Positions
from featsieve.data import Column, Table
from featsieve.engine import derive_seed, run_tasks
from featsieve.exceptions import DataError
from featsieve.inference._exchange import FREE, TIE, Exchange, monte_carlo_p_values
from featsieve.inference._independence import (
    associate,
    merge_rare_levels,
    rank_test,
)
from featsieve.measures import (
    class_association,
    contingency_table,
    target_association,
    winsorise,
)
from featsieve.measures.api import (
    cut_column,
    effective_rows,
    measure_name,
    score_tallies,
)
from featsieve.tallies import Tally

#: Permutations in one task; it must not depend on the number of jobs.
PERMUTATIONS_PER_TASK = 16


@dataclass(frozen=True, slots=True, eq=False)
class Measuring:
    """What is measured and how: classes, or a quantity if there are none."""

    association: Any  # the name of an association, or a function of a tally
    missing: str
    min_untied: int
    n_bins: int
    correct_chance: bool = False

    def measure(
        self, columns: list[Array], nominal: Mask, target: Array, weights: Floats | None
    ) -> Floats:
        """Return the association of each column with the target."""
        function = class_association
        if target.dtype == np.float64:
            function = target_association
        if not columns:
            return np.empty(0)
        if callable(self.association):
            return self._measure_tallies(columns, nominal, target, weights)
        values: Floats = function(
            columns,
            target,
            association=self.association,
            nominal=nominal,
            missing=self.missing,
            weights=weights,
            n_bins=self.n_bins,
            min_untied=self.min_untied,
            correct_chance=self.correct_chance,
        )
        return values

    def _measure_tallies(
        self, columns: list[Array], nominal: Mask, target: Array, weights: Floats | None
    ) -> Floats:
        if target.dtype == np.float64:
            message = (
                f"Measure {measure_name(self.association)} needs classes, and the "
                "target is a quantity. Cut it with `target_bins=5`."
            )
            raise DataError(message)
        tallies = [
            Tally.from_codes(
                values if is_nominal else cut_column(values, self.n_bins, weights),
                target,
                weights,
            )
            for values, is_nominal in zip(columns, nominal.tolist(), strict=True)
        ]
        return score_tallies(tallies, self.association, self.missing)


def fisher_z(
    scores: Floats,
    n_rows: ArrayLike,
    practical: ArrayLike,
    confidence: float,
    deviation: ArrayLike = 0.0,
) -> tuple[Floats, Floats]:
    """Return p-values of "at most practical" and intervals, by Fisher's z.

    z = (artanh r - artanh practical) sqrt(n - 3), n being the rows that each feature is
    known in; an association of 1 is beyond doubt, and three rows say nothing. Where a
    statistic varies more than r does, which is by 1 / sqrt(n - 3), its own `deviation`
    counts.
    """
    n = np.broadcast_to(np.asarray(n_rows, dtype=np.float64), scores.shape)
    enough = n > 3
    width = np.maximum(1 / np.sqrt(np.where(enough, n - 3, 1.0)), deviation)
    with np.errstate(divide="ignore", invalid="ignore"):
        turned = np.arctanh(np.clip(scores, -1.0, 1.0))
        excess = turned - np.arctanh(practical)
    p_values = stats.norm.sf(np.where(np.isnan(excess), 0.0, excess) / width)
    half = stats.norm.ppf((1 + confidence) / 2) * width
    bounds = np.column_stack((np.tanh(turned - half), np.tanh(turned + half)))
    bounds[~enough] = (0.0, 1.0)
    return np.where(enough, p_values, 1.0), bounds


def asymptotic_p_values(table: Table, target: Array, measuring: Measuring) -> Floats:
    """Return p-values of independence of each column and the target.

    Classes: Kruskal and Wallis' test for statistics of order, one-way analysis of
    variance for Pearson's correlation. Quantities: Kendall's, Spearman's and Student's.
    Symmetrical uncertainty: `associate` of the counts.
    """
    name = measuring.association
    p_values = np.ones(table.n_columns)
    quantity = target.dtype == np.float64
    for j, column in enumerate(table):
        values = column.values
        if column.is_nominal or name == "symmetrical_uncertainty":
            codes = (
                values
                if column.is_nominal
                else cut_column(values, measuring.n_bins, None)
            )
            other = cut_column(target, measuring.n_bins, None) if quantity else target
            p_values[j] = _test_levels(codes, other, measuring.missing)
            continue
        known = ~np.isnan(values)
        x, y = values[known], target[known]
        if len(x) < 3 or x.min() == x.max() or y.min() == y.max():
            continue
        if name == "winsorised_pearson":
            x = winsorise(x)
        p_values[j] = _test_number(x, y, name)
    return p_values


def _test_number(x: Floats, y: Array, name: str) -> float:
    if x.min() == x.max():  # after winsorising
        return 1.0
    by_values = name.endswith("pearson")
    if y.dtype == np.float64:
        if by_values:
            return float(stats.pearsonr(x, y).pvalue)
        if name == "spearman":
            return rank_test(x, y, y)
        return float(stats.kendalltau(x, y, method="asymptotic").pvalue)
    if len(x) <= np.count_nonzero(np.bincount(y)):
        return 1.0
    return _variance_test(x, y) if by_values else rank_test(x, y, None)


def _variance_test(x: Floats, y: Codes) -> float:
    """Return the p-value of one-way analysis of variance; exact for normal values."""
    sizes = np.bincount(y)
    n, k = len(x), int(np.count_nonzero(sizes))
    centred = x - x.mean()
    sums = np.bincount(y, weights=centred)
    between = float(np.sum(sums[sizes > 0] ** 2 / sizes[sizes > 0]))
    share = between / float(centred @ centred)
    if share >= 1:
        return 0.0
    return float(stats.f.sf(share / (k - 1) / ((1 - share) / (n - k)), k - 1, n - k))


def _test_levels(x: Codes, y: Codes, missing: str) -> float:
    counts = contingency_table(x, y, missing=missing)
    return associate(merge_rare_levels(counts)).p_value


def permutation_p_values(
    table: Table,
    target: Array,
    observed: Floats,
    measuring: Measuring,
    *,
    weights: Floats | None,
    n_permutations: int,
    seed: int,
    n_jobs: int | None,
    exchange: Exchange = FREE,
) -> Floats:
    """Return how likely it is that rows exchanged by chance score as high."""
    columns = [column.values for column in table]
    nominal = np.array([column.is_nominal for column in table], dtype=bool)

    def count(begin: int) -> Ints:
        random = np.random.default_rng(derive_seed(seed, "permutations", begin))
        exceeded = np.zeros(len(columns), dtype=np.int64)
        for _ in range(begin, min(begin + PERMUTATIONS_PER_TASK, n_permutations)):
            order = exchange.order(len(target), random)
            # Target and weight move together, so that each class keeps its weight.
            moved = None if weights is None else weights[order]
            drawn = measuring.measure(columns, nominal, target[order], moved)
            exceeded += drawn >= observed - TIE
        return exceeded

    tasks = [(begin,) for begin in range(0, n_permutations, PERMUTATIONS_PER_TASK)]
    counts = run_tasks(count, tasks, n_jobs=n_jobs, shared_memory=True)
    total = np.sum(counts, axis=0)
    return monte_carlo_p_values(total, n_permutations)


#: Gamma that varies more than this by luck alone can show nothing.
MOST_DEVIATION = 0.5


def n_known(column: Column, weights: Floats | None, missing: str) -> float:
    """Return how many rows say as much about a column, if they had equal weights."""
    known = ~column.missing
    if missing == "level" and column.is_nominal:
        known = np.ones(len(known), dtype=bool)
    if weights is None:
        return float(np.count_nonzero(known))
    return effective_rows(weights[known])


def folded_mean(mean: ArrayLike, deviation: ArrayLike) -> Floats:
    """Return the mean of absolute values of a normal variable."""
    m, s = np.asarray(mean, dtype=float), np.asarray(deviation, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(s > 0, m / s, np.inf)
    bell = s * np.sqrt(2 / np.pi) * np.exp(-(ratio**2) / 2)
    folded: Floats = bell + m * (1 - 2 * stats.norm.sf(ratio))
    return folded


@dataclass(frozen=True, slots=True, eq=False)
class Thresholds:
    """What has to be exceeded, feature by feature.

    `raised` is the most that a feature of association `practical` shows on average, by
    luck too; with thousands of rows that is `practical` itself. `deviation` is by how
    much luck varies, where that is more than for Pearson's correlation, else 0.
    """

    raised: Floats
    deviation: Floats

    @classmethod
    def plain(cls, practical: float, n_features: int) -> Thresholds:
        """Return the practical threshold itself, for every feature."""
        return cls(np.full(n_features, practical), np.zeros(n_features))

    @classmethod
    def of(
        cls,
        table: Table,
        target: Array,
        weights: Floats | None,
        measuring: Measuring,
        *,
        practical: float,
        size: int,
    ) -> Thresholds:
        """Return those for means over samples of so many rows of a table."""
        thresholds = cls.plain(practical, table.n_columns)
        name = measuring.association
        by_levels = callable(name) or name == "symmetrical_uncertainty"
        shares = _class_shares(target)
        for j, column in enumerate(table):
            if column.is_nominal or by_levels:
                continue
            known = n_known(column, weights, measuring.missing)
            n = known / max(1, table.n_rows) * size
            each = np.full(len(shares), 1 / np.sqrt(max(n - 1, 1.0)))
            balance = np.sqrt(shares * (1 - shares))
            if measuring.association == "gamma":
                each = _deviations_of_gamma(column, target, shares, n)
                balance = shares * (1 - shares)
                thresholds.deviation[j] = shares @ np.minimum(each, 1.0)
            mean = _most_on_average(practical, each, shares, balance)
            thresholds.raised[j] = max(practical, mean)
        return thresholds


def _most_on_average(
    practical: float, deviations: Floats, shares: Floats, balance: Floats
) -> float:
    """Return the highest mean that a weighted association of `practical` can show.

    What luck adds is most where the association of a class is 0, so it matters how
    `practical` comes about. One class above its rest means another below: the signed
    associations, times `balance`, add up to 0. Luck being convex, the worst is that two
    classes make all of the association.
    """
    some = shares > 0
    shares, balance, deviations = shares[some], balance[some], deviations[some]
    hopeless = deviations > MOST_DEVIATION

    def expected(mean: Floats, own: Positions) -> Any:
        folded = np.minimum(folded_mean(mean, deviations[own]), 1.0)
        return np.where(hopeless[own], 1.0, folded)

    every = np.arange(len(shares))
    if len(shares) < 2:  # a quantity
        return float(shares @ expected(np.full(len(shares), practical), every))
    lucky = expected(np.zeros(len(shares)), every)
    a, b = np.triu_indices(len(shares), 1)
    scale = shares[a] * balance[b] + shares[b] * balance[a]
    total = np.full(len(a), float(shares @ lucky))
    for own, other in ((a, b), (b, a)):
        strength = practical * balance[other] / scale
        total += shares[own] * (expected(strength, own) - lucky[own])
    return float(total.max())


def _class_shares(target: Array) -> Floats:
    if target.dtype == np.float64:  # a quantity counts as one class
        return np.ones(1)
    shares: Floats = np.bincount(target) / max(1, len(target))
    return shares


def _deviations_of_gamma(
    column: Column, target: Array, shares: Floats, n_rows: float
) -> Floats:
    """Return how much gamma with each class varies if the column knows nothing.

    The variance of C - D is about n³ / 9 (1 - Σp³)(1 - Σq³), p and q being the shares
    of equal values on either side, and C + D is n² / 2 (1 - Σp²)(1 - Σq²).
    """
    own = _widening(*_tie_sums(column.values[~column.missing]))
    if target.dtype == np.float64:
        other = np.array([_widening(*_tie_sums(target))])
    else:
        rest = 1 - shares
        other = np.array(
            [
                _widening(a**2 + b**2, a**3 + b**3)
                for a, b in zip(shares, rest, strict=True)
            ]
        )
    deviations: Floats = np.sqrt(4 / 9 * own * other / max(n_rows, 1.0))
    return deviations


def _tie_sums(values: Array) -> tuple[float, float]:
    """Return the sums of squares and cubes of the shares of equal values."""
    if len(values) == 0:
        return 1.0, 1.0
    shares = np.unique(values, return_counts=True)[1] / len(values)
    return float(np.sum(shares**2)), float(np.sum(shares**3))


def _widening(squares: float, cubes: float) -> float:
    untied = 1 - squares
    return (1 - cubes) / untied**2 if untied > 0 else np.inf
