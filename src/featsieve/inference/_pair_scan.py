"""Which pairs of features interact: held against chance and against sampling noise.

A scan of m pairs asks for tail probabilities far below 1/m, which plain permutation
cannot reach. So synergies are first put on one scale: 2 n ln 2 times a synergy is about
chi-square with (a − 1)(b − 1)(c − 1) degrees of freedom for a and b levels and c
classes, whose tail probability t = −ln p is about exponential whatever the levels.
Then scans under permuted classes tell how many pairs really exceed a given t, and an
exponential tail fitted to the largest of them continues that count beyond what was
seen. The chi-square only sets the scale; the permutations decide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import log_ndtr
from scipy.stats import norm

from featsieve._types import Array, Codes, Floats, Mask, Positions
from featsieve.engine import derive_seed, run_tasks
from featsieve.inference._exchange import FREE, Exchange
from featsieve.inference._false_discovery import benjamini_hochberg, rates_of_chance
from featsieve.measures import (
    joint_codes,
    pairwise_gain,
    pairwise_gain_blocks,
)

#: Exceedances per permuted scan that the tail is fitted to, at most.
MOST_PER_SCAN = 50

#: Exceedances in all that the fit should see: its rate is then known to 3 %.
WANTED_EXCEEDANCES = 1000

LEAST_SCANS, MOST_SCANS = 20, 400

#: Tails that differ by less are equal.
TIE = 1e-9


def to_normal_scale(bits: Floats, freedom: Floats, n_rows: float) -> Floats:
    """Return a synergy in bits on a scale that is about standard normal.

    Wilson and Hilferty's cube root does that; monotone and cheap, which is all that is
    asked of it here. A synergy that cannot be (no freedom) gets -inf.
    """
    spread = 2.0 / (9.0 * np.maximum(freedom, 1.0))
    statistic = np.maximum(bits, 0.0) * (2.0 * np.log(2.0) * n_rows)
    roots = np.cbrt(statistic / np.maximum(freedom, 1.0))
    scores: Floats = (roots - (1.0 - spread)) / np.sqrt(spread)
    return np.where(freedom > 0, scores, -np.inf)


def to_tail_scale(bits: Floats, freedom: Floats, n_rows: float) -> Floats:
    """Return −ln of the chi-square tail probability of a synergy in bits.

    No synergy has none: 0.
    """
    tails = -log_ndtr(-to_normal_scale(bits, freedom, n_rows))
    scaled: Floats = np.where(bits > 0, tails + 0.0, 0.0)
    return scaled


def best_positions(scores: Floats, keep: int) -> Positions:
    """Return where the highest scores are, best first, ties in the order given.

    Sorts only what it keeps, which matters for millions of candidates.
    """
    chosen: Positions = np.arange(len(scores))
    if len(scores) > keep:
        least = np.partition(scores, len(scores) - keep)[len(scores) - keep]
        above = np.flatnonzero(scores > least)
        ties = np.flatnonzero(scores == least)[: keep - len(above)]
        chosen = np.sort(np.concatenate([above, ties]))
    return chosen[np.argsort(-scores[chosen], kind="stable")]


@dataclass(frozen=True, slots=True)
class TailNull:
    """Expected number of candidates beyond t in a scan without any interaction.

    `count` candidates lie beyond `start` on average, and e times fewer with each
    1 / `rate` further out.
    """

    start: float
    count: float
    rate: float
    n_candidates: int
    n_scans: int

    def expected(self, tails: Floats) -> Floats:
        """Return how many candidates chance is expected to put beyond each t."""
        beyond = self.count * np.exp(-self.rate * (tails - self.start))
        # Below the start nothing is fitted, and nothing there is significant.
        expected: Floats = np.where(
            tails > self.start + TIE, beyond, float(self.n_candidates)
        )
        return expected

    def p_values(self, tails: Floats) -> Floats:
        """Return the probability of each t for a single candidate."""
        p: Floats = np.minimum(1.0, self.expected(tails) / max(self.n_candidates, 1))
        return p

    def q_values(self, tails: Floats) -> Floats:
        """Return the false discovery rate at which each of the best t is found.

        `tails` holds the best candidates of the scan; those left out are no better.
        """
        return rates_of_chance(self.expected(tails))

    def threshold(self, expected: float) -> float:
        """Return the t beyond which chance puts `expected` candidates."""
        if expected >= self.count:
            return self.start
        return self.start + float(np.log(self.count / expected)) / self.rate


def scans_needed(n_candidates: int) -> tuple[int, int]:
    """Return how many permuted scans to make, and how many of the best to keep."""
    keep = int(np.clip(n_candidates // 10, 1, MOST_PER_SCAN))
    scans = int(np.clip(-(-WANTED_EXCEEDANCES // keep), LEAST_SCANS, MOST_SCANS))
    return scans, keep


def fit_tail(
    scan: Callable[[int, int], Floats], n_candidates: int, n_jobs: int | None
) -> TailNull:
    """Fit the tail of the null.

    `scan(b, k)` returns the k largest t of a scan under permutation b.
    """
    if n_candidates == 0:
        return TailNull(0.0, 0.0, 1.0, 0, 0)
    n_scans, keep = scans_needed(n_candidates)
    tasks = [(number, keep + 1) for number in range(n_scans)]
    best = run_tasks(scan, tasks, n_jobs=n_jobs, shared_memory=True)
    tails = [np.sort(t)[::-1] for t in best]
    pooled = np.sort(np.concatenate(tails))[::-1]
    # Every scan kept its keep + 1 best, so all exceedances of the largest of the
    # (keep + 1)-th best are known.
    complete = max(t[keep] if len(t) > keep else 0.0 for t in tails)
    start = max(complete, float(pooled[min(len(pooled) - 1, n_scans * keep)]))
    beyond = pooled[pooled > start + TIE]
    if len(beyond) == 0:
        # Every scan ties at its best: chance reaches this t as often as not, and what
        # lies beyond is known by the chi-square only.
        return TailNull(start, float(n_candidates), 1.0, n_candidates, n_scans)
    excess = float(np.mean(beyond - start))
    # Never lighter than the chi-square itself, whose rate is 1 on this scale.
    rate = min(1.0, 1.0 / excess)
    return TailNull(start, len(beyond) / n_scans, rate, n_candidates, n_scans)


#: Pairs that are looked at closely: more cannot be significant and shown to anybody.
MOST_PAIRS = 20_000

#: Levels with codes below are counted, others sorted, which takes ten times as long.
LARGEST_COUNTED = 1 << 16


@dataclass(frozen=True, slots=True)
class ScanInput:
    """Coded features and classes in an order of rows that the data determine.

    `exchange` says which orders of rows chance could have made as well.
    """

    codes: Array
    classes: Codes
    weights: Floats | None
    missing: str
    n_jobs: int | None
    exchange: Exchange = FREE

    @property
    def n_features(self) -> int:
        """The number of features."""
        return int(self.codes.shape[1])

    @property
    def total(self) -> float:
        """The number of rows, or the sum of their weights."""
        return float(len(self.classes) if self.weights is None else self.weights.sum())

    @property
    def settings(self) -> dict[str, Any]:
        """How gains are measured, as the functions of `featsieve.measures` take it."""
        return {
            "missing": self.missing,
            "weights": self.weights,
            "n_jobs": self.n_jobs,
        }

    def levels_present(self) -> Floats:
        """Return how many levels of each feature occur, missing among them."""
        counts = np.empty(self.n_features)
        for j, column in enumerate(self.codes.T):
            known = column[column >= 0] if column.dtype.kind == "i" else column
            if len(known) and int(known.max()) < LARGEST_COUNTED:
                counts[j] = np.count_nonzero(np.bincount(known))
            else:
                counts[j] = len(np.unique(known))
            if self.missing == "level" and len(known) < len(column):
                counts[j] += 1
        return counts

    def permuted(self, seed: int, number: int) -> ScanInput:
        """Return the features beside classes and weights in another order of rows."""
        order = self.exchange.draw(len(self.classes), seed, number)
        weights = None if self.weights is None else self.weights[order]
        return ScanInput(
            self.codes, self.classes[order], weights, self.missing, n_jobs=1
        )


@dataclass(frozen=True, slots=True)
class FoundPairs:
    """The best pairs of a scan, best first, and the null they were held against.

    `significant` marks pairs found at the false discovery rate asked for.
    """

    first: Codes
    second: Codes
    joint_gain: Floats
    synergy: Floats
    p_value: Floats
    q_value: Floats
    significant: Mask
    null: TailNull
    detectable: float  # the least synergy, in bits, that would have been found


def find_pairs(data: ScanInput, *, fdr: float, seed: int) -> FoundPairs:
    """Scan all pairs and say which interact, at a false discovery rate.

    A pair must pass twice. Its synergy must exceed what chance makes in scans of
    permuted classes; and where both features matter on their own, so that synergy
    varies from sample to sample far more than under permutation, it must also lie
    above zero by its own standard error.
    """
    levels = data.levels_present()
    n_classes = len(np.unique(data.classes))
    n_pairs = data.n_features * (data.n_features - 1) // 2
    pair_seed = derive_seed(seed, "pairs")

    def scan(number: int, keep: int) -> Floats:
        shuffled = data.permuted(pair_seed, number)
        return _best_pairs(shuffled, levels, n_classes, keep)[-1]

    null = fit_tail(scan, n_pairs, data.n_jobs)
    first, second, joint, synergy, tails = _best_pairs(
        data, levels, n_classes, MOST_PAIRS
    )
    q_values = null.q_values(tails)
    chosen = np.flatnonzero(q_values <= fdr)
    if len(chosen):
        steady = _steadiness(data, first[chosen], second[chosen], levels, n_classes)
        q_values[chosen] = np.maximum(q_values[chosen], benjamini_hochberg(steady))
    return FoundPairs(
        first,
        second,
        joint,
        synergy,
        null.p_values(tails),
        q_values,
        q_values <= fdr,
        null,
        _detectable(null, levels, n_classes, data.total, fdr),
    )


def _freedom(first: Array, second: Array, levels: Floats, classes: int) -> Floats:
    freedom: Floats = (levels[first] - 1) * (levels[second] - 1) * (classes - 1)
    return freedom


def _best_pairs(
    data: ScanInput, levels: Floats, n_classes: int, keep: int
) -> tuple[Array, ...]:
    """Return first, second, joint gain, synergy and t of the best pairs, best first."""
    alike = len(np.unique(levels)) == 1
    if alike:
        # One number of levels: the order by synergy is the order by t.
        blocks = iter(
            [pairwise_gain(data.codes, data.classes, top=keep, **data.settings)]
        )
    else:
        blocks = pairwise_gain_blocks(data.codes, data.classes, **data.settings)
    none, nothing = np.empty(0, dtype=np.int32), np.empty(0)
    kept: tuple[Array, ...] = (none, none, nothing, nothing, nothing)
    for block in blocks:
        freedom = _freedom(block.first, block.second, levels, n_classes)
        scores = to_normal_scale(block.synergy, freedom, data.total)
        found: tuple[Array, ...] = (
            block.first, block.second, block.joint_gain, block.synergy, scores,
        )  # fmt: skip
        if alike:  # back into the order of pairs, which decides ties
            order = np.lexsort((block.second, block.first))
            found = tuple(column[order] for column in found)
        columns = tuple(np.concatenate(both) for both in zip(kept, found, strict=True))
        best = best_positions(columns[-1], keep)
        kept = tuple(column[best] for column in columns)
    freedom = _freedom(kept[0], kept[1], levels, n_classes)
    return *kept[:-1], to_tail_scale(kept[3], freedom, data.total)


def _steadiness(
    data: ScanInput, first: Codes, second: Codes, levels: Floats, n_classes: int
) -> Floats:
    """Return p-values of "no synergy" by the delta method.

    A synergy is the mean over rows of log2 p(a,b,y) p(a) p(b) p(y) / (p(a,b) p(a,y)
    p(b,y)), so its standard error is that of a mean. The bias is taken away first.
    """
    p_values = np.ones(len(first))
    freedom = _freedom(first, second, levels, n_classes)
    for k, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        local, weight = _local_synergies(data, data.codes[:, i], data.codes[:, j])
        total = float(weight.sum())
        mean = float(weight @ local) / total
        variance = float(weight @ (local - mean) ** 2) / total
        bias = freedom[k] / (2 * np.log(2) * total)
        if variance > 0:
            p_values[k] = norm.sf((mean - bias) / np.sqrt(variance / total))
        else:
            p_values[k] = 0.0 if mean > bias else 1.0
    return p_values


def _local_synergies(data: ScanInput, a: Array, b: Array) -> tuple[Floats, Floats]:
    """Return the synergy of every cell that occurs, and the weight of the cell.

    Only cells that occur are numbered, so that features of many levels cost no more
    than their rows.
    """
    y, weights = data.classes, data.weights
    if data.missing == "ignore":
        known = (a >= 0) & (b >= 0)
        a, b, y = a[known], b[known], y[known]
        weights = None if weights is None else weights[known]
    cells = joint_codes(a, b, y)
    one_row = np.unique(cells, return_index=True)[1]
    weight = np.bincount(cells, weights).astype(np.float64)
    a, b, y = a[one_row], b[one_row], y[one_row]

    def share(*columns: Array) -> Floats:
        group = joint_codes(*columns)
        shares: Floats = np.bincount(group, weight)[group] / weight.sum()
        return shares

    heavy = weight > 0
    ratio = share(a, b, y) * share(a) * share(b) * share(y)
    ratio = ratio[heavy] / (share(a, b) * share(a, y) * share(b, y))[heavy]
    synergies: Floats = np.log2(ratio)
    return synergies, weight[heavy]


def _detectable(
    null: TailNull, levels: Floats, n_classes: int, total: float, fdr: float
) -> float:
    """Return the least synergy of a typical pair that would have been found."""
    if null.n_candidates == 0 or n_classes < 2:
        return float("inf")
    typical = float(np.median(levels))
    freedom = np.array([max(1.0, (typical - 1) ** 2 * (n_classes - 1))])
    wanted = null.threshold(fdr)
    low, high = 0.0, 64.0
    for _ in range(60):
        middle = (low + high) / 2
        enough = to_tail_scale(np.array([middle]), freedom, total)[0] >= wanted
        low, high = (low, middle) if enough else (middle, high)
    return high if high < 63 else float("inf")
