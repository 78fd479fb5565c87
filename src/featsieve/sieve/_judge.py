"""From the evidence of all stages to the relevant columns, at one error rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["SHARES", "Judgement", "judge"]

#: How the error is shared among the stages. A p-value divided by the share of its stage
#: and the least of the three are one p-value again (Bonferroni), so Benjamini and
#: Hochberg's procedure, once, over all columns, keeps the rate for the union.
SHARES = {"alone": 0.5, "together": 0.3, "context": 0.2}


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """Which columns are relevant, by which stage, and the p-value that was needed."""

    p_values: NDArray[np.float64]
    threshold: float
    relevant: NDArray[np.bool_]
    stages: list[str | None]


def judge(evidence: dict[str, NDArray[np.float64]], fdr: float) -> Judgement:
    """Join the p-values of the stages and control the false discovery rate."""
    scaled = {name: p / SHARES[name] for name, p in evidence.items()}
    joined = np.minimum(1.0, np.min(list(scaled.values()), axis=0))
    m = len(joined)
    ordered = np.sort(joined)
    passing = np.flatnonzero(ordered <= fdr * np.arange(1, m + 1) / max(m, 1))
    count = int(passing[-1]) + 1 if len(passing) else 0
    threshold = fdr * max(count, 1) / max(m, 1)
    relevant = joined <= threshold if count else np.zeros(m, dtype=bool)
    stages: list[str | None] = [
        next(
            (
                name
                for name in SHARES
                if name in scaled and scaled[name][j] <= threshold
            ),
            None,
        )
        if relevant[j]
        else None
        for j in range(m)
    ]
    return Judgement(joined, threshold, relevant, stages)
