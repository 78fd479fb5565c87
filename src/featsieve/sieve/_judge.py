"""From the evidence of all stages to the relevant columns, at one error rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["SHARES", "Judgement", "judge", "threshold_for"]

#: How the error is shared among the stages. A p-value divided by the share of its stage
#: and the least of the three are one p-value again (Bonferroni). The test of columns as
#: a group has a share, too. What is left of 1 is a reserve: the members of a set come
#: and go together, and far tails are those of chi-square, not of permutations.
SHARES = {"alone": 0.35, "together": 0.2, "context": 0.1}


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """Which columns are relevant, by which stage, and the p-value that was needed."""

    p_values: NDArray[np.float64]
    threshold: float
    relevant: NDArray[np.bool_]
    stages: list[str | None]


def threshold_for(n_kept: int, n_relevant: int, n_columns: int, fdr: float) -> float:
    """Return the p-value that columns need if so many are relevant and stay.

    Columns that are relevant are no noise, but for the share `fdr` of those that stay;
    only the rest can give rise to more of it (Gavrilov, Benjamini and Sarkar, "An
    adaptive step-down procedure with proven FDR control under independence", Annals of
    Statistics 2009). Copies that are set aside do not dilute the noise among those that
    stay (Katsevich, Sabatti and Bogomolov, "Filtering the rejection set while
    preserving false discovery rate control", JASA 2023). A single column is never held
    to less than `fdr`.
    """
    n_kept = max(n_kept, 1)
    noise = n_columns + 1 - max(n_relevant, n_kept) + fdr * n_kept
    return min(fdr, fdr * n_kept / noise)


def judge(
    evidence: dict[str, NDArray[np.float64]], fdr: float, threshold: float | None = None
) -> Judgement:
    """Join the p-values of the stages and control the false discovery rate.

    Columns are taken from the least p-value on while each is at most the threshold for
    so many; a `threshold` that is given stands instead.
    """
    scaled = {name: p / SHARES[name] for name, p in evidence.items()}
    joined = np.minimum(1.0, np.min(list(scaled.values()), axis=0))
    m = len(joined)
    if threshold is None:
        count = 0
        for p in np.sort(joined).tolist():
            if p > threshold_for(count + 1, count + 1, m, fdr):
                break
            count += 1
        threshold = threshold_for(count, count, m, fdr)
    relevant = joined <= threshold
    stages = [_stage(scaled, j, threshold) if relevant[j] else None for j in range(m)]
    return Judgement(joined, threshold, relevant, stages)


def _stage(
    scaled: dict[str, NDArray[np.float64]], j: int, threshold: float
) -> str | None:
    """Return the first stage by which a column is relevant."""
    return next((name for name in SHARES if scaled[name][j] <= threshold), None)
