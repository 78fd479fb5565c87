"""What embedded selectors share: they learn from classes or from a quantity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from featsieve.data import Column, Table
from featsieve.data._inputs import (
    Target,
    read_features,
    read_target_column,
    read_weights,
)
from featsieve.filters._base import BaseFilter, Training, leave_out_unknown

__all__ = ["BaseEmbedded", "EmbeddedTraining"]


@dataclass(frozen=True, slots=True)
class EmbeddedTraining(Training):
    """Rows of some weight whose target is known; `column` is the target."""

    column: Column


class BaseEmbedded(BaseFilter):
    """Base of embedded selectors: `fit` takes classes or a quantity."""

    def _read(self, X: Any, y: Any, sample_weight: Any) -> EmbeddedTraining:
        table = read_features(
            self, X, reset=True, nominal=self.nominal, numeric=self.numeric
        )
        if isinstance(X, Table) and y is None:
            y = X.target
        column, rows = read_target_column(self, y, table.n_rows)
        weights = read_weights(sample_weight, table.n_rows)
        table, weights = leave_out_unknown(table, weights, rows)
        if weights is not None and not weights.all():
            used = weights > 0
            table, column = table.take(used), column.take(used)
            weights = None if np.all(weights[used] == 1) else weights[used]
        levels = column.levels if column.is_nominal else ()
        self.classes_ = np.fromiter(levels, object, len(levels))
        codes = column.values if column.is_nominal else np.zeros(table.n_rows)
        target = Target(np.ascontiguousarray(codes, dtype=np.int32), levels, rows)
        return EmbeddedTraining(table, target, weights, column)
