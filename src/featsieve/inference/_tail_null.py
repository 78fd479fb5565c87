"""How much synergy chance alone makes: a calibrated null for scans of many tuples.

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

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from featsieve.engine import run_tasks
from featsieve.inference._false_discovery import rates_of_chance

#: Exceedances per permuted scan that the tail is fitted to, at most.
MOST_PER_SCAN = 50

#: Exceedances in all that the fit should see: its rate is then known to 3 %.
WANTED_EXCEEDANCES = 1000

LEAST_SCANS, MOST_SCANS = 20, 400

#: Tails that differ by less are equal.
TIE = 1e-9


def to_normal_scale(
    bits: NDArray[np.float64], freedom: NDArray[np.float64], n_rows: float
) -> NDArray[np.float64]:
    """Return a synergy in bits on a scale that is about standard normal.

    Wilson and Hilferty's cube root does that; monotone and cheap, which is all that is
    asked of it here. A synergy that cannot be (no freedom) gets -inf.
    """
    spread = 2.0 / (9.0 * np.maximum(freedom, 1.0))
    statistic = np.maximum(bits, 0.0) * (2.0 * np.log(2.0) * n_rows)
    roots = np.cbrt(statistic / np.maximum(freedom, 1.0))
    scores: NDArray[np.float64] = (roots - (1.0 - spread)) / np.sqrt(spread)
    return np.where(freedom > 0, scores, -np.inf)


def to_tail_scale(
    bits: NDArray[np.float64], freedom: NDArray[np.float64], n_rows: float
) -> NDArray[np.float64]:
    """Return −ln of the chi-square tail probability of a synergy in bits.

    No synergy has none: 0.
    """
    tails = -log_ndtr(-to_normal_scale(bits, freedom, n_rows))
    scaled: NDArray[np.float64] = np.where(bits > 0, tails + 0.0, 0.0)
    return scaled


def best_positions(scores: NDArray[np.float64], keep: int) -> NDArray[np.intp]:
    """Return where the highest scores are, best first, ties in the order given.

    Sorts only what it keeps, which matters for millions of candidates.
    """
    chosen: NDArray[np.intp] = np.arange(len(scores))
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

    def expected(self, tails: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how many candidates chance is expected to put beyond each t."""
        beyond = self.count * np.exp(-self.rate * (tails - self.start))
        # Below the start nothing is fitted, and nothing there is significant.
        expected: NDArray[np.float64] = np.where(
            tails > self.start + TIE, beyond, float(self.n_candidates)
        )
        return expected

    def p_values(self, tails: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each t for a single candidate."""
        p: NDArray[np.float64] = np.minimum(
            1.0, self.expected(tails) / max(self.n_candidates, 1)
        )
        return p

    def q_values(self, tails: NDArray[np.float64]) -> NDArray[np.float64]:
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
    scan: Callable[[int, int], NDArray[np.float64]],
    n_candidates: int,
    n_jobs: int | None,
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
