"""From the evidence of all stages to the relevant columns, at one error rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["SHARES", "Judgement", "judge"]

#: How the error is shared among the stages. A p-value divided by the share of its stage
#: and the least of the three are one p-value again (Bonferroni), so Benjamini and
#: Hochberg's procedure, once, over all columns, keeps the rate for the union. The test
#: of columns as a group has a share, too. What is left of 1 is a reserve: the members
#: of a set come and go together, and far tails are those of chi-square, not of
#: permutations.
SHARES = {"alone": 0.35, "together": 0.2, "context": 0.1}


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """Which columns are relevant, by which stage, and the p-value that was needed."""

    p_values: NDArray[np.float64]
    threshold: float
    relevant: NDArray[np.bool_]
    stages: list[str | None]


def judge(
    evidence: dict[str, NDArray[np.float64]], fdr: float, count: int | None = None
) -> Judgement:
    """Join the p-values of the stages and control the false discovery rate.

    Benjamini and Hochberg's procedure finds the number of discoveries that the rate
    refers to. If some of them are then set aside as copies of others, noise is a larger
    share of the rest; `count` is how many are left, and the threshold is lowered to
    them (Katsevich, Sabatti and Bogomolov, "Filtering the rejection set while
    preserving false discovery rate control", JASA 2023).
    """
    scaled = {name: p / SHARES[name] for name, p in evidence.items()}
    joined = np.minimum(1.0, np.min(list(scaled.values()), axis=0))
    m = max(len(joined), 1)
    if count is None:
        ordered = np.sort(joined)
        passing = np.flatnonzero(ordered <= fdr * np.arange(1, len(joined) + 1) / m)
        count = int(passing[-1]) + 1 if len(passing) else 0
    threshold = fdr * max(count, 1) / m
    relevant = joined <= threshold if count else np.zeros(len(joined), dtype=bool)
    stages = [
        _stage(scaled, j, threshold) if relevant[j] else None
        for j in range(len(joined))
    ]
    return Judgement(joined, threshold, relevant, stages)


def _stage(
    scaled: dict[str, NDArray[np.float64]], j: int, threshold: float
) -> str | None:
    """Return the first stage by which a column is relevant."""
    return next((name for name in SHARES if scaled[name][j] <= threshold), None)
