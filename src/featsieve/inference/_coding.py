"""From typed columns to the codes that filters count, cutting numeric ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from featsieve._kernels import CutPrice
from featsieve._types import Array, Codes, Floats
from featsieve.data import (
    EqualFrequencyDiscretizer,
    MDLDiscretizer,
)
from featsieve.data.api import Training

#: Bins of numeric features that MDL does not cut. Four: enough to see a pattern that
#: neither margin shows, few enough that pairs have sixteen well-filled cells.
BINS_WITHOUT_CUT = 4


@dataclass(frozen=True, slots=True)
class CodedColumns:
    """Features as codes, beside the class.

    `numeric` holds the raw values of columns that were cut with the class in sight, by
    position: these are cut anew in every permutation.
    """

    codes: Array
    n_levels: Codes
    numeric: dict[int, Floats]
    classes: Codes
    n_classes: int
    weights: Floats | None


def code_columns(
    training: Training, discretizer: Any, *, bins_without_cut: int | None = None
) -> tuple[CodedColumns, Any, CutPrice | None]:
    """Return the codes, the fitted discretizer, and the price of its cuts if any.

    None is MDL. With `bins_without_cut`, numeric columns that MDL leaves whole are cut
    into so many bins of equal frequency; their codes know nothing of the class.
    """
    table, target = training.table, training.target
    fitted = MDLDiscretizer() if discretizer is None else clone(discretizer)
    fitted.fit_table(table, target.codes, target.n_classes, training.weights)
    uncut: set[int] = set()
    if bins_without_cut is not None and discretizer is None:
        even = EqualFrequencyDiscretizer(bins_without_cut)
        even.fit_table(table, None, 0, training.weights)
        for j, cuts in enumerate(fitted.cut_points_):
            other: Floats | None = even.cut_points_[j]
            if cuts is not None and len(cuts) == 0 and other is not None:
                fitted.cut_points_[j] = other
                fitted.n_levels_[j] = len(other) + 1
                uncut.add(j)
    price, recut = None, {}
    if isinstance(fitted, MDLDiscretizer):
        price = fitted.price
        recut = {
            j: np.ascontiguousarray(column.values)
            for j, column in enumerate(table)
            if not column.is_nominal and j not in uncut
        }
    columns = CodedColumns(
        fitted.encode(table),
        fitted.n_levels_,
        recut,
        target.codes,
        target.n_classes,
        training.weights,
    )
    return columns, fitted, price
