"""From scikit-learn's (X, y, sample_weight) to typed columns, with its checks kept."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.validation import validate_data

from featsieve._kernels import apply_cuts
from featsieve.data._cuts import equal_frequency_cuts
from featsieve.data._frames import load_values
from featsieve.data._read import read_table
from featsieve.data._settle import Request, settle_target
from featsieve.data._table import Column, ColumnKind, Table
from featsieve.exceptions import DataError

__all__ = ["Target", "read_features", "read_target", "read_weights"]


@dataclass(frozen=True, slots=True)
class Target:
    """A class ready for the kernels.

    `rows` is the mask of rows whose class is known, or None when all are; `codes`
    covers these rows only.
    """

    codes: NDArray[np.int32]
    classes: tuple[Any, ...]
    rows: NDArray[np.bool_] | None

    @property
    def n_classes(self) -> int:
        """The number of declared classes."""
        return len(self.classes)


def is_frame(X: Any) -> bool:
    """Whether `X` is a frame with named columns that narwhals can read in place."""
    return isinstance(
        nw.from_native(X, pass_through=True, eager_only=True), nw.DataFrame
    )


def read_features(
    estimator: Any,
    X: Any,
    *,
    reset: bool,
    nominal: Any = None,
    numeric: Any = None,
) -> Table:
    """Return the features as typed columns; keeps scikit-learn's record of names."""
    if isinstance(X, Table):
        if reset:
            estimator.n_features_in_ = X.n_columns
            estimator.feature_names_in_ = np.array(X.names, dtype=object)
        return X
    frame = is_frame(X)
    checked = validate_data(
        estimator,
        X,
        reset=reset,
        skip_check_array=frame,
        dtype=None,
        ensure_all_finite=False,
    )
    if frame and nw.from_native(X, eager_only=True).shape[1] == 0:
        message = "X must have at least one column. Got a frame without columns."
        raise DataError(message)
    return read_table(checked, nominal=nominal, numeric=numeric)


def read_target(
    estimator: Any, y: Any, n_rows: int, *, n_bins: int | None = None
) -> Target:
    """Return the class of every row; a quantity is cut into `n_bins` if that is given.

    Raises
    ------
    DataError
        If there is no class, only a quantity and no `n_bins`, or lengths differ.
    """
    name = type(estimator).__name__
    if y is None:
        message = f"{name} requires y to be passed, but the target y is None."
        raise DataError(message)
    column = _target_column(y)
    if len(column.values) != n_rows:
        message = (
            f"y must have one value per row of X: {n_rows}. Got {len(column.values)}; "
            "found input variables with inconsistent numbers of samples."
        )
        raise DataError(message)
    known = ~column.missing
    if not known.any():
        message = f"The target of {name} is missing in every row."
        raise DataError(message)
    rows = None if known.all() else known
    kept = column if rows is None else column.take(rows)
    if not kept.is_nominal:
        kept = _cut_target(estimator, kept, n_bins)
    return Target(np.ascontiguousarray(kept.values), kept.levels, rows)


def _target_column(y: Any) -> Column:
    """Return the target as a typed column, whatever it came as."""
    if isinstance(y, Column):
        return y
    series = nw.from_native(y, pass_through=True, series_only=True)
    if not isinstance(series, nw.Series):
        y = column_or_1d(np.asarray(y), warn=True)
    raw, name = load_values(y)
    column, _ = settle_target(name or "target", raw, None, Request(), infer=False)
    return column


def _cut_target(estimator: Any, column: Column, n_bins: int | None) -> Column:
    """Return a quantity as classes of about equal size, if that is wanted."""
    if n_bins is None:
        distinct = len(np.unique(column.values))
        message = (
            f"{type(estimator).__name__} needs classes, and the target "
            f"{column.name!r} is a quantity with {distinct} different values. Cut it "
            "with `target_bins=5`, or pass its values as text if they are classes."
        )
        raise DataError(message)
    cuts = equal_frequency_cuts(column.values, n_bins, None)
    edges = ["-inf", *(f"{cut:.6g}" for cut in cuts), "inf"]
    levels = tuple(f"({a}, {b}]" for a, b in itertools.pairwise(edges))
    codes = apply_cuts(np.ascontiguousarray(column.values), cuts)
    return Column(column.name, ColumnKind.NOMINAL, codes, levels)


def read_weights(weights: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Return `sample_weight` as float64, checked; None when all rows weigh the same."""
    if weights is None:
        return None
    checked = np.ascontiguousarray(weights, dtype=np.float64)
    if checked.shape != (n_rows,):
        message = (
            f"sample_weight must have one number per row of X: {n_rows}. Got shape "
            f"{checked.shape} instead."
        )
        raise DataError(message)
    if not np.all(np.isfinite(checked)) or checked.min(initial=0) < 0:
        message = "sample_weight must be finite and not negative."
        raise DataError(message)
    if checked.sum() == 0:
        message = "sample_weight must not be zero in every row."
        raise DataError(message)
    return None if np.all(checked == 1) else checked
