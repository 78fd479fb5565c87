"""Read what trees and forests learn from: columns, a target, weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from featsieve.data import Column, ColumnKind, Table
from featsieve.data._inputs import (
    leave_out_unknown,
    read_features,
    read_quantity,
    read_target,
    read_weights,
)
from featsieve.exceptions import DataError
from featsieve.trees._routing import has_infinity

__all__ = ["read_classes", "read_numbers", "read_training"]

#: Squares of numbers beyond would overflow or vanish.
LARGEST_TARGET = 1e140
SMALLEST_SPREAD = 1e-140


def read_training(
    estimator: Any, X: Any, y: Any, sample_weight: Any
) -> tuple[Table, dict[str, Any], NDArray[np.float64] | None]:
    """Return columns, target and weights of the rows to learn from.

    The target is what `estimator._read_target` makes of it: arguments of the grower.
    Rows without a target are left out with a warning, rows of weight 0 without one.
    """
    kinds = {"nominal": estimator.nominal, "numeric": estimator.numeric}
    as_typed = all(kind is None for kind in kinds.values())
    table = _plain_table(estimator, X) if as_typed else None
    if table is None:
        table = read_features(estimator, X, reset=True, **kinds)
    if isinstance(X, Table) and y is None:
        y = X.target
    weights = read_weights(sample_weight, table.n_rows)
    target, rows = estimator._read_target(y, table)
    table, weights = leave_out_unknown(table, weights, rows)
    if weights is not None and not weights.all():
        used = weights > 0
        table, weights = table.take(used), weights[used]
        target = {
            name: np.ascontiguousarray(values[used])
            if isinstance(values, np.ndarray)
            else values
            for name, values in target.items()
        }
    if table.n_rows == 0:
        message = (
            "sample_weight is zero in every row that has a target. Give weight to "
            "some of these rows, or leave sample_weight out."
        )
        raise DataError(message)
    return table, target, weights


def _plain_table(estimator: Any, X: Any) -> Table | None:
    """Return an array of fractional numbers as columns; None if it is none.

    The same as `read_features` gives, without a look at what may be wrong: of arrays
    of many columns that would take a quarter of the time a forest does.
    """
    if not (isinstance(X, np.ndarray) and X.dtype.kind == "f" and X.ndim == 2):
        return None
    if isinstance(X, np.ma.MaskedArray) or not X.size or has_infinity(X):
        return None
    checked = validate_data(estimator, X, dtype=np.float64, ensure_all_finite=False)
    values = np.array(checked.T, order="C")  # a copy, whatever the order is
    return Table(
        tuple(Column(f"x{j}", ColumnKind.NUMERIC, own) for j, own in enumerate(values))
    )


def read_classes(estimator: Any, y: Any, n_rows: int) -> tuple[dict[str, Any], Any]:
    """Return classes for the grower and the rows that have one; keeps their labels."""
    target = read_target(estimator, y, n_rows)
    estimator.classes_ = np.array(target.classes)
    estimator.n_classes_ = target.n_classes
    return {"classes": target.codes, "n_classes": target.n_classes}, target.rows


def read_numbers(estimator: Any, y: Any, n_rows: int) -> tuple[dict[str, Any], Any]:
    """Return numbers for the grower, checked, and the rows that have one."""
    numbers, rows = read_quantity(estimator, y, n_rows)
    size = float(np.abs(numbers).max())
    spread = float(numbers.max() / 2 - numbers.min() / 2) * 2
    if size > LARGEST_TARGET or 0 < spread < SMALLEST_SPREAD:
        message = (
            f"The target of {type(estimator).__name__} must stay within "
            f"±{LARGEST_TARGET:g} and spread over at least {SMALLEST_SPREAD:g}, "
            f"for its squares. Got values from {numbers.min():g} to "
            f"{numbers.max():g}. Scale the target."
        )
        raise DataError(message)
    return {"numbers": numbers}, rows
