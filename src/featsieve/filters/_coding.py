"""From typed columns to the codes that filters count, cutting numeric ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from featsieve._kernels import CutPrice
from featsieve.data import (
    EqualFrequencyDiscretizer,
    EqualWidthDiscretizer,
    MDLDiscretizer,
    TableEncoder,
)
from featsieve.filters._base import Training
from featsieve.filters._significance import CodedColumns

__all__ = ["check_discretizer", "code_columns"]

DISCRETIZERS = (MDLDiscretizer, EqualFrequencyDiscretizer, EqualWidthDiscretizer)


def check_discretizer(discretizer: Any, owner: object) -> None:
    """Raise unless the parameter is None or one of our discretizers."""
    if discretizer is None or isinstance(discretizer, DISCRETIZERS):
        return
    names = ", ".join(kind.__name__ for kind in DISCRETIZERS)
    message = (
        f"The 'discretizer' parameter of {type(owner).__name__} must be None or one of "
        f"{names}. Got {discretizer!r} instead."
    )
    raise ValueError(message)


def code_columns(
    training: Training, discretizer: Any, *, bins_without_cut: int | None = None
) -> tuple[CodedColumns, Any, CutPrice | None]:
    """Return the codes, the fitted discretizer, and the price of its cuts if any.

    None is MDL. With `bins_without_cut`, numeric columns that MDL leaves whole are cut
    into so many bins of equal frequency; their codes know nothing of the class.
    """
    table, target = training.table, training.target
    fitted = MDLDiscretizer() if discretizer is None else clone(discretizer)
    encoder = TableEncoder(fitted).fit(
        table, target.codes, target.n_classes, training.weights
    )
    uncut: set[int] = set()
    if bins_without_cut is not None and discretizer is None:
        even = EqualFrequencyDiscretizer(bins_without_cut)
        even.fit_table(table, None, 0, training.weights)
        for j, cuts in enumerate(fitted.cut_points_):
            other: NDArray[np.float64] | None = even.cut_points_[j]
            if cuts is not None and len(cuts) == 0 and other is not None:
                fitted.cut_points_[j] = other
                encoder.n_levels_[j] = len(other) + 1
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
        encoder.transform(table),
        encoder.n_levels_,
        recut,
        target.codes,
        target.n_classes,
        training.weights,
    )
    return columns, fitted, price
