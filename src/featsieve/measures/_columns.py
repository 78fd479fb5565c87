"""Columns of both kinds, checked once, for measures of association."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve._checks import check_choice
from featsieve._kernels import apply_cuts
from featsieve.measures._codes import as_column, as_weights
from featsieve.measures._cuts import equal_frequency_cuts

__all__ = [
    "ASSOCIATIONS",
    "UNWEIGHTED",
    "Columns",
    "check_association",
    "check_finite",
    "cut_column",
    "own_name",
    "read_columns",
]

#: What numeric columns are compared by; nominal ones by symmetrical uncertainty.
ASSOCIATIONS = (
    "auto",
    "kendall",
    "gamma",
    "spearman",
    "pearson",
    "winsorised_pearson",
    "symmetrical_uncertainty",
)

#: Statistics of order have no one natural form with weights.
UNWEIGHTED = ("kendall", "gamma", "spearman")


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Typed columns: float64 with NaN, or int32 codes with negative for missing."""

    values: list[NDArray[Any]]
    nominal: NDArray[np.bool_]
    n_rows: int
    single: bool

    def __len__(self) -> int:
        return len(self.values)


def read_columns(columns: Any, nominal: Any = None) -> Columns:
    """Return typed columns from a matrix, one column, or a list of columns."""
    single = False
    if isinstance(columns, (list, tuple)) and _are_columns(columns):
        given = list(columns)
        n_rows = len(given[0])
    else:
        matrix = np.asarray(columns)
        single = matrix.ndim == 1
        if single:
            matrix = matrix[:, np.newaxis]
        if matrix.ndim != 2:
            message = (
                "columns must be a column, a matrix, or a list of one-dimensional "
                f"arrays. Got {matrix.ndim} axes."
            )
            raise ValueError(message)
        given = list(matrix.T)
        n_rows = len(matrix)
    mask = _nominal_mask(nominal, len(given))
    values = []
    for j, column in enumerate(given):
        if len(column) != n_rows:
            message = f"Columns must have {n_rows} rows. Column {j} has {len(column)}."
            raise ValueError(message)
        name = f"column {j}"
        values.append(as_column(column, name) if mask[j] else as_numbers(column, name))
    return Columns(values, mask, n_rows, single)


def _are_columns(columns: Sequence[Any]) -> bool:
    return bool(columns) and all(
        isinstance(column, np.ndarray) and column.ndim == 1 for column in columns
    )


def _nominal_mask(nominal: Any, n_columns: int) -> NDArray[np.bool_]:
    if nominal is None:
        return np.zeros(n_columns, dtype=bool)
    if isinstance(nominal, str) and nominal == "all":
        return np.ones(n_columns, dtype=bool)
    mask = np.asarray(nominal)
    if mask.dtype != np.bool_ or mask.shape != (n_columns,):
        message = (
            f"nominal must be None, 'all' or a mask of {n_columns} columns. Got "
            f"{nominal!r} instead."
        )
        raise ValueError(message)
    return mask


def as_numbers(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return one numeric column as contiguous float64."""
    column = np.asarray(values)
    if column.dtype.kind not in "biuf":
        message = (
            f"{name} must hold numbers (NaN = missing). Got dtype {column.dtype} "
            "instead; mark a column of codes with `nominal`."
        )
        raise TypeError(message)
    if column.ndim != 1:
        message = f"{name} must be one-dimensional. Got shape {column.shape} instead."
        raise ValueError(message)
    return np.ascontiguousarray(column, dtype=np.float64)


def own_name(association: str, *, weighted: bool) -> str:
    """Return what "auto" means: tau-b, or with weights, which it has no form for, r.

    Not winsorised r: that takes a rare value of a binary column for an outlier.
    """
    if association != "auto":
        return association
    return "pearson" if weighted else "kendall"


def check_association(
    association: str, weights: ArrayLike | None, n_rows: int, owner: str
) -> tuple[str, NDArray[np.float64] | None]:
    """Return the association's own name and the checked weights, or say what to do."""
    check_choice("association", association, ASSOCIATIONS, owner)
    checked = as_weights(weights, n_rows)
    name = own_name(association, weighted=checked is not None)
    if checked is not None and name in UNWEIGHTED:
        message = (
            f"association={association!r} has no weighted form. Leave weights out, or "
            "use 'pearson', 'winsorised_pearson' or 'symmetrical_uncertainty'."
        )
        raise ValueError(message)
    return name, checked


def check_finite(values: NDArray[np.float64], name: str) -> None:
    """Raise if a column holds infinities, which have no moments."""
    endless = np.isinf(values)
    if endless.any():
        row = int(np.argmax(endless))
        message = (
            f"{name} holds {values[row]} in row {row}, and Pearson's correlation needs "
            "finite numbers. Use association='kendall', 'gamma' or 'spearman', which "
            "look at order alone, or mark the value as missing."
        )
        raise ValueError(message)


def cut_column(
    values: NDArray[np.float64], n_bins: int, weights: NDArray[np.float64] | None
) -> NDArray[np.int32]:
    """Return a numeric column as levels of about equal frequency; -1 for NaN."""
    return apply_cuts(values, equal_frequency_cuts(values, n_bins, weights))
