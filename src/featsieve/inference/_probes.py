"""Probes: fake columns that know nothing of the class, to hold real ones against.

A probe is a match for a feature if both would do equally well by luck. What luck does
depends on the shape of a column: ties, rare values, levels, for Pearson's correlation
heavy tails. So columns of numbers without ties, and of two frequent values, are held
against draws of a law, and all others against copies of themselves in another order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from featsieve._checks import check_choice
from featsieve._types import Array, Codes, Floats, Mask, Positions
from featsieve.data import Column, Table
from featsieve.engine import derive_seed
from featsieve.inference._exchange import FREE, Exchange
from featsieve.inference._false_discovery import combine_p_values
from featsieve.trees.api import ShadowSums

PROBE_KINDS = ("gaussian", "uniform", "binary")

#: Two rows are equal no more often than this in a column without ties to speak of: they
#: widen tau-b by 1 %.
FEW_TIES = 0.02

#: The rarer of two values must take this share to be like that of a fair coin.
NOT_RARE = 0.05

#: Fourth moments of a normal law are 3, of an exponential one 9.
LIGHT_TAILS = 12.0

#: Statistics to which two values are two values, however frequent.
EVEN_HANDED = ("kendall", "spearman", "pearson")


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """One fake column.

    `kind` is the law of its values; `n_levels` is set for a nominal one, whose levels
    are equally frequent. `gaps` says how many values are missing, see `_gaps`. Values
    go by position in the shuffle of the rows.
    """

    kind: str
    n_levels: int | None
    gaps: int
    values: Floats | Codes

    @property
    def known(self) -> float:
        """Share of values that are not missing."""
        return _known(self.gaps)


def _known(gaps: int) -> float:
    return float(2 ** (-gaps / 2))


def check_probes(kinds: Any, owner: object, *, at_least: int = 0) -> None:
    """Raise unless the parameter is a sequence of kinds of probes."""
    good = isinstance(kinds, Sequence) and not isinstance(kinds, str)
    if not good or len(kinds) < at_least:
        listed = ", ".join(map(repr, PROBE_KINDS))
        message = (
            f"The 'probes' parameter of {type(owner).__name__} must be a sequence of "
            f"{listed}. Got {kinds!r} instead."
        )
        raise ValueError(message)
    for kind in kinds:
        check_choice("probes", kind, PROBE_KINDS, owner)


def draw_probes(
    table: Table, kinds: tuple[str, ...], n_probes: int, n_positions: int, seed: int
) -> list[Probe]:
    """Return `n_probes` of each kind, and of each number of levels that occurs.

    Each with as many missing values as columns have, up to a factor of √2.
    """
    probes = []
    for gaps in sorted({_gaps(column) for column in table if not column.is_nominal}):
        for kind in kinds:
            for k in range(n_probes):
                own = derive_seed(seed, "probe", kind, gaps, k)
                random = np.random.default_rng(own)
                values = draw_values(kind, random, n_positions)
                values[random.random(n_positions) >= _known(gaps)] = np.nan
                probes.append(Probe(kind, None, gaps, values))
    shapes = {
        (_levels(column.values), _gaps(column)) for column in table if column.is_nominal
    }
    for n_levels, gaps in sorted(shapes):
        for k in range(n_probes):
            own = derive_seed(seed, "nominal probe", n_levels, gaps, k)
            random = np.random.default_rng(own)
            # A deal, not a draw: a draw of as many levels as rows would repeat some and
            # leave out others, and an identifier, which knows nothing, would beat it.
            deal = random.permutation(max(table.n_rows, n_positions)) % n_levels
            codes = deal[:n_positions].astype(np.int32)
            codes[random.random(n_positions) >= _known(gaps)] = -1
            probes.append(Probe("nominal", n_levels, gaps, codes))
    return probes


def _gaps(column: Column) -> int:
    """Return 0 for a complete column, k if up to 1 - 2^(-k/2) of it is missing.

    Association with noise grows as fewer rows are known, so a complete probe would be
    no match for a column with gaps.
    """
    known = 1 - float(column.missing.mean()) if len(column.values) else 1.0
    return math.ceil(-2 * math.log2(known)) if known > 0 else 0


def draw_values(kind: str, random: np.random.Generator, n_positions: int) -> Floats:
    """Return one numeric column of a kind."""
    if kind == "gaussian":
        return random.normal(size=n_positions)
    if kind == "uniform":
        return random.random(n_positions)
    return random.integers(2, size=n_positions).astype(np.float64)


def _levels(codes: Codes) -> int:
    """Return how many levels occur, at least two."""
    present = np.bincount(codes[codes >= 0], minlength=2)
    return max(2, int(np.count_nonzero(present)))


def probes_of_features(table: Table, probes: list[Probe]) -> list[Positions]:
    """Return for each feature which probes are of its kind.

    A nominal feature has probes of as many levels, a numeric one of two values binary
    probes, any other the continuous ones; where these were not asked for, all numeric
    ones. They have about as many gaps as the feature.
    """
    numeric = np.array([probe.n_levels is None for probe in probes], dtype=bool)
    binary = np.array([probe.kind == "binary" for probe in probes], dtype=bool)
    levels = np.array([probe.n_levels or 0 for probe in probes], dtype=int)
    gaps = np.array([probe.gaps for probe in probes], dtype=int)
    chosen = []
    for column in table:
        alike = gaps == _gaps(column)
        if column.is_nominal:
            mask = alike & (levels == _levels(column.values))
        else:
            known = column.values[~np.isnan(column.values)]
            two = len(known) == 0 or bool(
                np.all((known == known.min()) | (known == known.max()))
            )
            mask = alike & numeric & (binary == two)
            mask = mask if mask.any() else alike & numeric
        chosen.append(np.flatnonzero(mask))
    return chosen


@dataclass(frozen=True, slots=True, eq=False)
class Shuffles:
    """Copies of columns with their values in another order of rows.

    Each copy goes by one order of the shuffled rows for all columns, so that copies
    depend neither on a column's place nor on which others there are.
    """

    rows: Positions
    orders: list[Positions]

    @classmethod
    def draw(
        cls, rows: Positions, n_copies: int, seed: int, exchange: Exchange = FREE
    ) -> Shuffles:
        """Return copies that have values where `rows`, the sampled ones, have.

        `exchange` is the null of all rows.
        """
        own = exchange.take(rows)
        seeds = (derive_seed(seed, "copy", k) for k in range(n_copies))
        orders = [own.order(len(rows), np.random.default_rng(s)) for s in seeds]
        return cls(rows, orders)

    def copies(self, values: Array, positions: Positions) -> list[Array]:
        """Return the values of all copies of a column at some positions."""
        return [values[self.rows[order[positions]]] for order in self.orders]


def follows_a_law(column: Column, rows: Positions, association: Any) -> bool:
    """Return whether draws of a law do as well by luck as a column that knows nothing.

    Numbers without ties do as any others do under statistics of order, and after cuts
    of equal frequency; under Pearson's correlation if their tails are light.
    """
    if column.is_nominal:
        return False
    values = column.values[rows]
    values = values[~np.isnan(values)]
    if len(values) == 0:
        return True
    times = np.unique(values, return_counts=True)[1] / len(values)
    if len(times) <= 2:
        return association in EVEN_HANDED and float(times.min()) >= NOT_RARE
    if float(np.sum(times**2)) > FEW_TIES:
        return False
    if association != "pearson":
        return True
    centred = (values - values.mean()) / max(values.std(), np.finfo(float).tiny)
    return bool(np.mean(centred**4) <= LIGHT_TAILS)


#: What shadows gain is skewed to the right, and its skewness is hard to estimate from
#: few features. The floor was chosen on tables of noise, the cap is an exponential's.
LEAST_SKEWNESS = 1.5
MOST_SKEWNESS = 2.0
#: How many features it takes to believe that variances differ between kinds of
#: features; chosen on tables of noise, too.
PRIOR_FEATURES = 2.0
#: Shadows whose gains differ by less, relative to them, gain the same: the feature is
#: constant or tells all rows apart, and nothing can be learnt about it.
SAME = 1e-9


@dataclass(frozen=True, slots=True)
class ShadowTest:
    """How far features are ahead of their shadows, and how often chance would be.

    `score` is in standard deviations of what chance does, `null` what each shadow
    scores in its feature's place, `skewness` that of the tail the p-values are from.
    Features that were never drawn, are constant or differ in every row have score 0
    and p-value 1.
    """

    score: Floats
    null: Floats
    skewness: float
    p_values: Floats


@dataclass(frozen=True, slots=True)
class Comparison:
    """Mean gains of features above those of their shadows, by one kind of trees.

    `null` is the same for each shadow in the place of its feature; both are 0 for
    features that could not be `tested`.
    """

    excess: Floats
    null: Floats
    tested: Mask


def compare_with_shadows(sums: ShadowSums) -> Comparison:
    """Return how features, and shadows in their place, compare with the shadows.

    A shadow is held against the mean of the others, of which there is one less: the
    scale makes up for it.
    """
    n_shadows = sums.shadow_gain.shape[1]
    most, least = sums.shadow_gain.max(axis=1), sums.shadow_gain.min(axis=1)
    tested = most - least > SAME * most
    weight = np.where(tested, sums.weight, 1.0)
    shadows = sums.shadow_gain / weight[:, None]
    level = shadows.mean(axis=1)
    others = (level[:, None] * n_shadows - shadows) / (n_shadows - 1)
    scale = math.sqrt((1 + 1 / n_shadows) / (1 + 1 / (n_shadows - 1)))
    return Comparison(
        np.where(tested, sums.gain / weight - level, 0.0),
        np.where(tested[:, None], (shadows - others) * scale, 0.0),
        tested,
    )


def feature_shapes(table: Table) -> Floats:
    """Return what the variance of chance depends on, one row per feature.

    The logarithm of the entropy of the column, its square, and both kinds of columns
    apart: levels are all split at once, numbers are cut in two.
    """
    entropies = np.array([_entropy(column) for column in table])
    logs = np.log(np.maximum(entropies, 1e-3))
    nominal = np.array([column.is_nominal for column in table], dtype=np.float64)
    return np.column_stack([logs, logs**2, nominal, nominal * logs])


def _entropy(column: Column) -> float:
    """Return the entropy of the known values, by their share of the rows, in bits."""
    known = column.values[~column.missing]
    counts = np.unique(known, return_counts=True)[1]
    shares = counts / max(len(known), 1)
    return float(-np.sum(shares * np.log2(shares)) * len(known) / len(column.values))


def null_variances(null: Floats, shapes: Floats) -> Floats:
    """Return the variance of what chance does to each feature.

    It differs between kinds of features: one of many levels gains more by chance than a
    binary one, and varies more. A few shadows say little about it, so the logarithm of
    the variance is fitted by the `shapes` of features. The fit is drawn towards one
    variance for all.
    """
    own = np.mean(null**2, axis=1)
    basis = shapes - shapes.mean(axis=0)
    logs = np.log(own)
    prior = PRIOR_FEATURES * np.eye(basis.shape[1])
    slopes = np.linalg.solve(basis.T @ basis + prior, basis.T @ (logs - logs.mean()))
    fitted = np.exp(basis @ slopes)
    variances: Floats = fitted * np.mean(own / fitted)
    return variances


def shadow_test(
    forests: Sequence[ShadowSums], shapes: Floats, *, alike: bool = True
) -> ShadowTest:
    """Test features by the sums of one or more kinds of trees with the same shadows.

    What a shadow does in place of its feature is what chance does. The excess of each
    kind of trees is divided by its deviation and added up, for features and for shadows
    alike; the sums of shadows, of all features together, have the tail of a Pearson
    type III distribution. Features of one shape vary `alike` where rows may be
    exchanged freely; elsewhere also by how much their shadows gain, which tells how
    much rows that belong together have in common.
    """
    n_features = len(forests[0].weight)
    score = np.zeros(n_features)
    null = np.zeros(forests[0].shadow_gain.shape)
    tested = np.zeros(n_features, dtype=bool)
    for sums in forests:
        comparison = compare_with_shadows(sums)
        here = comparison.tested
        if not here.any():
            continue
        # Features that were drawn less vary more.
        own = np.column_stack([shapes[here], np.log(sums.weight[here])])
        if not alike:
            level = sums.shadow_gain[here].mean(axis=1) / sums.weight[here]
            own = np.column_stack([own, np.log(level)])
        deviations = np.ones(n_features)
        deviations[here] = np.sqrt(null_variances(comparison.null[here], own))
        score += comparison.excess / deviations
        null += comparison.null / deviations[:, None]
        tested |= here
    return settle_test(score, null, tested)


def settle_test(score: Floats, null: Floats, tested: Mask) -> ShadowTest:
    """Return p-values of scores from what shadows score, pooled over features."""
    p_values = np.ones(len(score))
    pooled = null[tested]
    deviation = math.sqrt(float(np.mean(pooled**2))) if pooled.size else 0.0
    if deviation == 0:
        return ShadowTest(np.zeros(len(score)), null, LEAST_SKEWNESS, p_values)
    score, null = score / deviation, null / deviation
    skewness = float(np.mean(null[tested] ** 3))
    skewness = min(max(skewness, LEAST_SKEWNESS), MOST_SKEWNESS)
    p_values[tested] = _upper_tail(score[tested], skewness)
    return ShadowTest(score, null, skewness, p_values)


#: Weights of the test on all rows and of each on a half of them. A feature that needs
#: what the other half has learnt is far ahead with it; all others should lose little.
ALL_ROWS, HALF_OF_ROWS = 0.8, 0.1
#: Where a half did not test a feature: neither for nor against it. Sharing its weight
#: among the others would favour features that the other half has found by chance, and
#: they are in the test on all rows once more.
UNDECIDED = 0.5
#: Smaller p-values are no longer told apart by themselves.
FAR_OUT = 1e-290


def join_shadow_tests(on_all: ShadowTest, on_halves: Sequence[Floats]) -> ShadowTest:
    """Return the test on all rows joined with p-values of tests on parts of them.

    NaN stands for features that a part did not test. The score is the one that chance
    would reach as often, and so is the p-value of one test alone.
    """
    tested = (on_all.p_values < 1) | (on_all.score != 0)
    parts = [np.where(np.isnan(p), UNDECIDED, p) for p in on_halves]
    weights = [ALL_ROWS, *(HALF_OF_ROWS for _ in parts)]
    p_values = np.where(tested, combine_p_values([on_all.p_values, *parts], weights), 1)
    score = _lower_limit(p_values, on_all.skewness)
    score = np.where(p_values < FAR_OUT, np.maximum(score, on_all.score), score)
    return replace(on_all, score=np.where(tested, score, 0.0), p_values=p_values)


def _lower_limit(p_values: Floats, skewness: float) -> Floats:
    """Return the scores that have these p-values: `_upper_tail` the other way round."""
    from scipy.special import gammainccinv  # noqa: PLC0415  (slow to import)

    shape = 4 / skewness**2
    score: Floats = (gammainccinv(shape, p_values) - shape) * skewness / 2
    return score


def _upper_tail(score: Floats, skewness: float) -> Floats:
    from scipy.stats import pearson3  # noqa: PLC0415  (slow to import)

    tail: Floats = pearson3.sf(score, skewness)
    return tail
