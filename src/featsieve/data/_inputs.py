"""From scikit-learn's (X, y, sample_weight) to typed columns, with its checks kept."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.validation import validate_data

from featsieve._checks import warn_caller
from featsieve._kernels import apply_cuts, encode_bytes
from featsieve._types import Array, Codes, Floats, Mask
from featsieve.data._row_design import ANY_ORDER, RowDesign
from featsieve.data._table import Column, ColumnKind, Table
from featsieve.data.read._frames import load_values
from featsieve.data.read._read_table import read_table
from featsieve.data.read._settle import Request, settle_target, unique_names
from featsieve.exceptions import DataError, DroppedRowsWarning
from featsieve.tallies.api import equal_frequency_cuts

#: Weights whose sum lies beyond could overflow or vanish in products with squares of
#: targets, which may be as far from 1 as 1e140.
LEAST_WEIGHT, MOST_WEIGHT = 1e-20, 1e20

#: Types of whole numbers that are read as bytes where all of them fit.
SMALL_NUMBERS = {np.dtype(np.int64), np.dtype(np.int32)}


@dataclass(frozen=True, slots=True)
class Target:
    """A target ready for the kernels: classes, or a quantity.

    `rows` is the mask of rows whose target is known, or None when all are; `codes` and
    `quantity` cover these rows only. A quantity has no classes, and one code.
    """

    codes: Codes
    classes: tuple[Any, ...]
    rows: Mask | None
    quantity: Floats | None = None
    name: str = "target"

    @property
    def n_classes(self) -> int:
        """The number of declared classes."""
        return len(self.classes)

    @property
    def values(self) -> Array:
        """The codes of classes, or the quantity."""
        return self.codes if self.quantity is None else self.quantity

    @property
    def column(self) -> Column:
        """The target as a typed column."""
        kind = ColumnKind.NOMINAL if self.quantity is None else ColumnKind.NUMERIC
        return Column(self.name, kind, self.values, self.classes)

    def take(self, used: Mask) -> Target:
        """Return the target of some of the rows that it covers."""
        rows = np.ones(len(used), dtype=bool) if self.rows is None else self.rows.copy()
        rows[rows] = used
        quantity = None if self.quantity is None else self.quantity[used]
        return Target(self.codes[used], self.classes, rows, quantity, self.name)


@dataclass(frozen=True, slots=True)
class Training:
    """What a selector learns from: typed columns, a target, weights.

    `source` is what was passed to `fit`, before rows without a target were left out;
    `design` says how rows belong together.
    """

    table: Table
    target: Target
    weights: Floats | None
    source: Any = None
    design: RowDesign = ANY_ORDER


class TakesTables:
    """Marks estimators whose `fit` takes a `Table` and a `Column` as they are."""


def is_frame(X: Any) -> bool:
    """Whether `X` is a frame with named columns that narwhals can read in place."""
    try:
        frame = nw.from_native(X, pass_through=True, eager_only=True)
    except DuplicateError as error:
        # read_table would give one a new name; scikit-learn takes no such frame.
        name = str(error).partition("- ")[2].partition(" ")[0] or "some"
        message = f"Column names of X must differ, and {name} occurs twice. Rename it."
        raise DataError(message) from None
    return isinstance(frame, nw.DataFrame)


def plain_input(X: Any, **kinds: Any) -> Any:
    """Return `X` as a table, a frame or an array that scikit-learn's checks respect.

    They would drop the mask of a masked array, turn numbers beside text into text (and
    NaN into the text "nan"), and refuse what has names but is no frame; the last is
    read as a table, with the `kinds` asked for.
    """
    if _has_names_only(X):
        return read_table(X, **kinds)
    if isinstance(X, pa.RecordBatch):
        X = pa.Table.from_batches([X])
    elif isinstance(X, np.ma.MaskedArray):
        X = _without_mask(X)
    elif isinstance(X, (list, tuple)):
        X = _typed_values(X)
    elif hasattr(X, "collect_schema") and not is_frame(X):  # a lazy frame
        X = nw.from_native(X).collect().to_native()
    return X


def _has_names_only(X: Any) -> bool:
    """Whether `X` has named columns without being a frame."""
    if isinstance(X, np.ndarray):
        return X.dtype.names is not None
    if isinstance(X, (list, tuple)):
        return bool(X) and all(isinstance(row, Mapping) for row in X)
    # One kind of sparse matrix is a mapping too.
    return isinstance(X, (Table, Mapping)) and not hasattr(X, "tocsr")


def _without_mask(array: Any) -> Any:
    """Return a masked array with NaN, or None among objects, where it is masked."""
    numbers = array.dtype.kind == "f"
    plain = np.array(array.data, dtype=np.float64 if numbers else object)
    plain[np.ma.getmaskarray(array)] = np.nan if numbers else None
    return plain


def _typed_values(values: Any) -> Any:
    """Return a list as an array in which every value keeps its own type."""
    try:
        array = np.asarray(values)
    except ValueError:  # ragged: scikit-learn has a message for it
        return values
    return np.array(values, dtype=object) if array.dtype.kind in "US" else array


def take_columns(X: Any, positions: Sequence[int]) -> Any:
    """Return some columns of a frame by position, whatever they are called."""
    if hasattr(X, "iloc"):
        return X.iloc[:, list(positions)]
    if isinstance(X, pa.Table):
        return X.select(list(positions))
    return nw.from_native(X, eager_only=True)[:, list(positions)].to_native()


def frame_objects(X: Any) -> Array | None:
    """Return a frame as an array of objects, None if it becomes an array by itself.

    pandas puts dates beside numbers by itself, polars refuses to, and NumPy has no
    integers as wide as its widest.
    """
    if hasattr(X, "iloc"):
        return None
    frame = nw.from_native(X, eager_only=True)
    apart = [
        kind.is_temporal() or isinstance(kind, (nw.Int128, nw.UInt128))
        for kind in frame.schema.dtypes()
    ]
    if not any(apart):
        return None
    array = np.empty(frame.shape, dtype=object)
    for j, (column, odd) in enumerate(zip(frame.iter_columns(), apart, strict=True)):
        array[:, j] = column.to_list() if odd else column.to_numpy()
    return array


def as_pandas(X: Any) -> Any:
    """Return a frame as pandas, with the types of its columns."""
    if not isinstance(X, pa.Table):
        return X.to_pandas()
    # Until version 20 pyarrow hands on only categories that are counted with a sign.
    return pa.table(
        [_signed_codes(column) for column in X.columns], names=X.column_names
    ).to_pandas()


def _signed_codes(column: Any) -> Any:
    kind = column.type
    if not pa.types.is_dictionary(kind) or pa.types.is_signed_integer(kind.index_type):
        return column
    chunks = [
        pa.DictionaryArray.from_arrays(
            part.indices.cast(pa.int32()), part.dictionary, ordered=kind.ordered
        )
        for part in column.chunks
    ]
    own = pa.dictionary(pa.int32(), kind.value_type, ordered=kind.ordered)
    return pa.chunked_array(chunks, own)


def read_features(
    estimator: Any, X: Any, *, reset: bool, nominal: Any = None, numeric: Any = None
) -> Table:
    """Return the features as typed columns; keeps scikit-learn's record of names."""
    X = plain_input(X, nominal=nominal, numeric=numeric)
    if isinstance(X, Table):
        check_names(estimator, X, reset=reset)
        return X
    checked = _validated(estimator, X, reset=reset)
    return read_table(checked, nominal=nominal, numeric=numeric)


def read_small_numbers(
    estimator: Any, X: Any
) -> tuple[tuple[str, ...], NDArray[np.uint8]] | None:
    """Return names and values of features that all are whole numbers from 0 to 255.

    The values are column-major; None if there are others. Such a table needs no typed
    columns, which would take eight times the memory, to be counted.
    """
    if isinstance(X, np.ndarray):
        given = X if X.ndim == 2 and not isinstance(X, np.ma.MaskedArray) else None
        names = [f"x{j}" for j in range(X.shape[1])] if given is not None else []
    elif hasattr(X, "iloc") and len(kinds := set(getattr(X, "dtypes", ()))) == 1:
        given = X.to_numpy() if kinds & SMALL_NUMBERS else None
        names = unique_names(list(X.columns), []) if given is not None else []
    else:
        return None
    if given is None or given.dtype not in SMALL_NUMBERS or not given.size:
        return None
    numbers = encode_bytes(given)
    if numbers is None:
        return None
    _validated(estimator, X, reset=True)
    return tuple(names), numbers.T


def _validated(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Return a frame as it is, or an array, after scikit-learn's checks."""
    frame = is_frame(X)
    checked = validate_data(
        estimator,
        X,
        reset=reset,
        skip_check_array=frame,
        dtype=None,
        ensure_all_finite=False,
    )
    if frame and checked.shape[1] == 0:
        raise DataError("X must have at least one column. Got a frame without columns.")
    return checked


def table_values(table: Table, container: str) -> Any:
    """Return the columns as a frame, or as an array if `container` is "default"."""
    if container == "pandas":
        return table.to_pandas()[0]
    if container == "polars":
        return table.to_polars()[0]
    array = np.empty((table.n_rows, table.n_columns), dtype=object)
    for j, column in enumerate(table):
        levels = np.fromiter((*column.levels, None), object, column.n_levels + 1)
        array[:, j] = levels[column.values] if column.is_nominal else column.values
    numbers = not any(column.is_nominal for column in table)
    return array.astype(np.float64) if numbers else array


def check_names(estimator: Any, table: Table, *, reset: bool) -> None:
    """Remember the names of a table's columns in `fit`, and demand them afterwards."""
    if not table.n_columns:
        raise DataError("X must have at least one column. Got a table without columns.")
    # scikit-learn reads the names only.
    names = pa.Table.from_arrays([pa.nulls(0)] * table.n_columns, list(table.names))
    validate_data(estimator, names, reset=reset, skip_check_array=True)


def read_target(
    estimator: Any,
    y: Any,
    n_rows: int,
    *,
    n_bins: int | None = None,
    quantities: bool = False,
) -> Target:
    """Return the class of every row; a quantity is cut into `n_bins` if that is given.

    Without `n_bins` it stays a quantity if `quantities` are welcome, or is an error.
    """
    column = _checked_target(type(estimator).__name__, y, n_rows)
    known = ~column.missing
    rows = None if known.all() else known
    kept = column if rows is None else column.take(rows)
    if quantities and n_bins is None and not kept.is_nominal:
        codes = np.zeros(len(kept.values), dtype=np.int32)
        quantity: Floats = np.ascontiguousarray(kept.values)
        return Target(codes, (), rows, quantity, kept.name)
    if not kept.is_nominal:
        kept = _cut_target(estimator, kept, n_bins)
    codes = np.ascontiguousarray(kept.values)
    return Target(codes, kept.levels, rows, None, kept.name)


def leave_out_unknown(
    table: Table, weights: Floats | None, rows: Mask | None
) -> tuple[Table, Floats | None]:
    """Return the rows whose target is known, with a warning if there are others."""
    if rows is None:
        return table, weights
    dropped = table.n_rows - int(np.count_nonzero(rows))
    message = f"{dropped} of {table.n_rows} rows have no target and are left out."
    warn_caller(message, DroppedRowsWarning)
    return table.take(rows), None if weights is None else weights[rows]


def _checked_target(name: str, y: Any, n_rows: int) -> Column:
    """Return the target as a typed column of `n_rows`, of which some are known."""
    if y is None:
        raise DataError(f"{name} requires y to be passed, but the target y is None.")
    column = _target_column(y)
    if len(column.values) != n_rows:
        raise DataError(
            f"y must have one value per row of X: {n_rows}. Got {len(column.values)}; "
            "found input variables with inconsistent numbers of samples."
        )
    if n_rows == 0:
        raise DataError(f"{name} needs rows to learn from. Got a table without any.")
    if column.missing.all():
        raise DataError(
            f"The target of {name} is missing in every row. Pass values that are "
            "known, or choose another target."
        )
    return column


def _target_column(y: Any) -> Column:
    """Return the target as a typed column, whatever it came as."""
    if isinstance(y, Column):
        return y
    series = nw.from_native(y, pass_through=True, series_only=True)
    # Arrow's arrays and pandas' Categorical have levels that an array loses.
    own = isinstance(y, pa.Array) or (hasattr(y, "categories") and hasattr(y, "codes"))
    if not own and not isinstance(series, nw.Series):
        if isinstance(y, np.ma.MaskedArray):
            y = _without_mask(y)
        y = column_or_1d(np.asarray(_typed_values(y)), warn=True)
    raw, name = load_values(y)
    column, _ = settle_target(name or "target", raw, None, Request(), infer=False)
    return column


def _cut_target(estimator: Any, column: Column, n_bins: int | None) -> Column:
    """Return a quantity as classes of about equal size, if that is wanted."""
    if n_bins is None:
        distinct = len(np.unique(column.values))
        can_cut = hasattr(estimator, "target_bins")
        cut = (
            "Cut it with `target_bins=5`" if can_cut else "Use an estimator for numbers"
        )
        raise DataError(
            f"{type(estimator).__name__} needs classes, and the target "
            f"{column.name!r} is a continuous quantity with {distinct} different "
            f"values. {cut}, or pass its values as text if they are classes."
        )
    cuts = equal_frequency_cuts(column.values, n_bins, None)
    edges = ["-inf", *(f"{cut:.6g}" for cut in cuts), "inf"]
    levels = tuple(f"({a}, {b}]" for a, b in itertools.pairwise(edges))
    codes = apply_cuts(np.ascontiguousarray(column.values), cuts)
    return Column(column.name, ColumnKind.NOMINAL, codes, levels)


def read_weights(weights: Any, n_rows: int) -> Floats | None:
    """Return `sample_weight` as float64, checked; None when all rows weigh the same."""
    if weights is None:
        return None
    given = np.asarray(weights)
    checked = None
    if given.dtype.kind in "biufO":
        with contextlib.suppress(TypeError, ValueError):
            checked = np.ascontiguousarray(given, dtype=np.float64)
    if checked is None:
        raise DataError(
            "sample_weight must be an array of numbers. Got "
            f"{type(weights).__name__} of dtype {given.dtype} instead."
        )
    if checked.shape != (n_rows,):
        raise DataError(
            f"sample_weight must have one number per row of X: {n_rows}. Got shape "
            f"{checked.shape} instead."
        )
    bad = np.flatnonzero(~(np.isfinite(checked) & (checked >= 0)))
    if len(bad):
        raise DataError(
            "sample_weight must be finite and not negative. Got "
            f"{checked[bad[0]]:g} in row {bad[0]}; give rows that must not count 0."
        )
    total = float(checked.sum()) if checked.max(initial=0) < MOST_WEIGHT else math.inf
    if total == 0:
        raise DataError(
            "sample_weight must not be zero in every row. Leave it out if all rows "
            "count alike."
        )
    if not LEAST_WEIGHT <= total <= MOST_WEIGHT:
        raise DataError(
            f"sample_weight must add up to a number from {LEAST_WEIGHT:g} to "
            f"{MOST_WEIGHT:g}. Scale the weights."
        )
    return None if np.all(checked == 1) else checked


def read_quantity(estimator: Any, y: Any, n_rows: int) -> tuple[Floats, Mask | None]:
    """Return the known values of a numeric target, and the mask of their rows, if any.

    Raises if there is no target, it holds text or infinities, or lengths differ.
    """
    name = type(estimator).__name__
    column = _checked_target(name, y, n_rows)
    if column.is_nominal:
        texts = [level for level in column.levels if isinstance(level, str)]
        if texts:
            raise DataError(
                f"{name} predicts a number, and the target {column.name!r} holds text "
                f"such as {texts[0]!r}. Use the classifier of the same name for "
                "classes."
            )
        numbers = np.array([*map(float, column.levels), np.nan])[column.values]
        column = Column(column.name, ColumnKind.NUMERIC, numbers)
    known = ~column.missing
    values: Floats = np.ascontiguousarray(column.values[known])
    if not np.all(np.isfinite(values)):
        message = f"The target of {name} must be finite. Input y contains infinity."
        raise DataError(message)
    return values, None if known.all() else known
