"""Scores and intervals over many samples, where rows are many."""

from __future__ import annotations

from typing import Any

import numpy as np

from featsieve.filters._samples import summarise
from featsieve.sieve._alone import BINS, scores_of
from featsieve.sieve._auto import Findings
from featsieve.sieve._material import at_rows, canonical_rows

__all__ = ["sampled_scores"]

#: Disjoint samples; ten tell the spread of a mean to a quarter.
MOST_SAMPLES = 10
CONFIDENCE = 0.95


def sampled_scores(findings: Findings, ledger: list[dict[str, Any]]) -> None:
    """Replace scores of single columns by means over disjoint samples.

    Only where the table has rows for several samples of the size that was tested: the
    spread between samples then is the honest interval.
    """
    n_used, n_rows = findings.material.n_rows, findings.table.n_rows
    n_samples = min(MOST_SAMPLES, n_rows // max(n_used, 1))
    if n_samples < 3 or findings.settings.time_budget is not None:
        return
    if findings.all_rows is not None and not findings.material.is_numeric_target:
        return  # scores are of all rows already
    table = findings.table.select(findings.names)
    order = canonical_rows(table)
    random = np.random.default_rng(findings.settings.seed)
    shuffled = order[random.permutation(n_rows)]
    gains = np.empty((n_samples, len(findings.names)))
    for k in range(n_samples):
        rows = np.sort(shuffled[k * n_used : (k + 1) * n_used])
        material = at_rows(
            table, rows, findings.settings.seed, findings.material.n_jobs
        )
        codes = material.codes(BINS)
        gains[k] = [found.gain for found in scores_of(material, codes)]
    means = summarise(gains)
    bounds = means.interval(CONFIDENCE)
    place = {name: j for j, name in enumerate(findings.names)}
    for row in ledger:
        j = place.get(row["feature"])
        if j is None or row["stage"] in ("together",):
            continue
        row["score"] = max(0.0, float(means.mean[j]))
        row["low"] = max(0.0, float(bounds[j, 0]))
        row["high"] = max(0.0, float(bounds[j, 1]))
