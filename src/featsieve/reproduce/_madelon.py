"""Table 8.7 of J. D. Rogers' thesis: Madelon, by the level of the test of features.

Ten thousand trees test the features, a thousand more are grown on those that pass. The
printed sizes of trees ask for about six thresholds per node in the second forest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from featsieve.embedded import ForestSelector
from featsieve.ensembles import RandomForestEnsemble
from featsieve.reproduce._data import DataFolder, class_codes, numeric_table
from featsieve.reproduce._tables import Cell, Trial, Values

__all__ = ["madelon_cells"]

# Level: validation error, out-of-bag error, features kept of 500, nodes per tree.
PRINTED = {
    0.05: (0.3800, 0.3825, 257, 1236),
    0.025: (0.3567, 0.3660, 232, 1232),
    0.01: (0.3783, 0.3575, 196, 1226),
    1e-3: (0.3583, 0.3255, 130, 1209),
    1e-4: (0.3167, 0.3050, 82, 1180),
    1e-6: (0.2333, 0.2445, 52, 1130),
    1e-9: (0.1800, 0.1770, 30, 1025),
}
MEASURES = {"error": 4, "OOB error": 4, "features": 0, "nodes": 0}
TESTING: dict[str, Any] = {"n_trees": 10_000, "thresholds": 77, "failed_draw": "leaf"}
JUDGING: dict[str, Any] = {"n_trees": 1_000, "thresholds": 6, "failed_draw": "leaf"}


def _run(data: DataFolder, run: int) -> Values:
    table = numeric_table(data, "madelon")
    others = numeric_table(data, "madelon", "test")
    X, X_test = (
        np.column_stack([column.values for column in each]) for each in (table, others)
    )
    y, y_test = class_codes(table), class_codes(others)
    selector = ForestSelector("t", random_state=run, **TESTING).fit(X, y)
    found: dict[str, float] = {}
    for level in PRINTED:
        kept = selector.p_values_ <= level
        if not kept.any():
            continue  # no forest, no numbers
        forest = RandomForestEnsemble(random_state=run, **JUDGING).fit(X[:, kept], y)
        found |= {
            f"{level:g}, error": float(
                np.mean(forest.predict(X_test[:, kept]) != y_test)
            ),
            f"{level:g}, OOB error": 1 - forest.oob_score_,
            f"{level:g}, features": float(np.count_nonzero(kept)),
            f"{level:g}, nodes": float(forest.node_counts_.mean()),
        }
    return found


def madelon_cells() -> Iterator[Cell]:
    """Yield what is printed of each level, from the widest to the strictest."""
    trial = Trial("forests/madelon by level", _run, "madelon", per_repeat=0.8, most=5)
    for level, printed in PRINTED.items():
        for (measure, digits), value in zip(MEASURES.items(), printed, strict=True):
            yield Cell(
                f"{level:g}",
                measure,
                float(value),
                trial,
                f"{level:g}, {measure}",
                digits=digits,
                n_published=1,
            )
