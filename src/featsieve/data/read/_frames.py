"""Tables in memory: frames through narwhals, NumPy arrays, lists of dictionaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from featsieve._kernels import encode_bytes
from featsieve._types import Array
from featsieve.data._table import ColumnKind, Note
from featsieve.data.read._encode import (
    Codes,
    Numbers,
    Raw,
    encode_arrow,
    encode_objects,
    plain_scalar,
    unsupported,
)
from featsieve.data.read._settle import Loaded, Request, unique_names
from featsieve.exceptions import DataError


def load_memory(source: Any, request: Request) -> Loaded:
    """Load a frame, an array, a mapping of columns or a list of rows."""
    if isinstance(source, Mapping):
        values = [_as_sequence(v) for v in source.values()]
        return _load_columns(list(source), values, request)
    if isinstance(source, (list, tuple)):
        return _load_rows(source, request)
    if isinstance(source, np.ndarray):
        return _load_array(source, request)
    if hasattr(source, "tocsr"):
        raise DataError(
            "Sparse matrices are not read, since every value is looked at. "
            "Call `.toarray()` first."
        )
    if hasattr(source, "to_frame"):
        msg = "A table is needed, not a single column. Call `.to_frame()` first."
        raise DataError(msg)
    if hasattr(source, "collect") and hasattr(source, "collect_schema"):  # lazy
        source = source.collect()
    if isinstance(source, pa.RecordBatch):
        source = pa.Table.from_batches([source])
    notes: list[Note] = []
    frame = _as_frame(source, notes)
    if frame is not None:
        names = list(frame.columns)
        kinds, target = request.kinds(names), request.find_target(names)
        raws = [
            _encode_series(frame.get_column(name), name, kind is ColumnKind.NOMINAL)
            for name, kind in zip(names, kinds, strict=True)
        ]
        return Loaded(names, raws, kinds, target, notes=notes, n_rows=len(frame))
    if hasattr(source, "__array__"):
        return _load_array(np.asarray(source), request)
    raise DataError(
        f"read_table cannot read an object of type {type(source).__name__}. Give a "
        "pandas, polars or pyarrow table, a 2-D NumPy array, a list of dictionaries, "
        "or the path of a CSV, TSV, Parquet or ARFF file."
    )


def load_values(
    values: Any, *, exact: bool | None = None, label: str | None = None
) -> tuple[Raw, str | None]:
    """Load one column given by itself; return it and the name it carries, if any.

    `label` is what errors call it.
    """
    name = getattr(values, "name", None)
    text = None if name is None or callable(name) else str(name)
    label = label or text or "target"
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return encode_arrow(values, label, exact=exact), None
    if hasattr(values, "categories") and hasattr(values, "codes"):  # a Categorical
        codes = np.array(values.codes, dtype=np.int32)
        return _declared(codes, values.categories), text
    if hasattr(values, "columns") and len(values.columns) == 1:  # a one-column frame
        frame = _as_frame(values, [])
        if frame is not None:
            text = str(frame.columns[0])
            return _encode_series(frame.get_column(text), text, exact), text
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return _encode_series(series, label, exact), text
    if isinstance(values, np.ndarray) or hasattr(values, "__array__"):
        array = np.asanyarray(values)
        if array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        if array.ndim != 1:
            msg = f"The target must have one dimension. Got shape {array.shape}."
            raise DataError(msg)
        return _encode_numpy(array, label, exact=exact), text
    return encode_objects(_as_sequence(values), label, exact=exact), text


def _as_sequence(values: Any) -> Any:
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise DataError(
            f"A column must be a sequence of values. Got {values!r} instead; put it "
            "in a list."
        )
    return values if hasattr(values, "__len__") else list(values)


def _load_columns(names: list[Any], values: list[Any], request: Request) -> Loaded:
    notes: list[Note] = []
    texts = unique_names(names, notes)
    kinds = request.kinds(texts)
    raws = []
    for name, column, kind in zip(texts, values, kinds, strict=True):
        raw, _ = load_values(column, exact=kind is ColumnKind.NOMINAL, label=name)
        raws.append(raw)
        if len(column) != len(values[0]):
            raise DataError(
                f"Columns must have one length. Column {texts[0]!r} has "
                f"{len(values[0])} rows, column {name!r} has {len(column)}."
            )
    n_rows = len(values[0]) if values else 0
    target = request.find_target(texts)
    return Loaded(texts, raws, kinds, target, notes=notes, n_rows=n_rows)


def _load_rows(rows: Sequence[Any], request: Request) -> Loaded:
    if rows and all(isinstance(row, Mapping) for row in rows):
        names: dict[Any, None] = {}
        for row in rows:
            names.update(dict.fromkeys(row))
        columns = [[row.get(name) for row in rows] for name in names]
        return _load_columns(list(names), columns, request)
    lengths = {len(r) if hasattr(r, "__len__") else -1 for r in rows}
    if len(lengths) > 1 or -1 in lengths or any(isinstance(r, str) for r in rows):
        raise DataError(
            "A list must hold dictionaries or rows of one length. Got "
            f"{type(rows[0]).__name__} first; say [[value], …] for a single column."
        )
    if not rows:
        return _load_columns([], [], request)
    width = lengths.pop()
    columns = [[row[j] for row in rows] for j in range(width)]
    loaded = _load_columns([f"x{j}" for j in range(width)], columns, request)
    loaded.n_rows = len(rows)
    return loaded


def _load_array(array: Array, request: Request) -> Loaded:
    if array.dtype.names:
        columns = [array[name].reshape(-1) for name in array.dtype.names]
        return _load_columns(list(array.dtype.names), columns, request)
    if array.ndim != 2:
        way = "Say array.reshape(-1, 1) for one column." if array.ndim == 1 else ""
        msg = f"An array must have two dimensions. Got shape {array.shape}. {way}"
        raise DataError(msg.strip())
    names = [f"x{j}" for j in range(array.shape[1])]
    kinds, target = request.kinds(names), request.find_target(names)
    raws: list[Raw] | None = None
    if array.dtype.kind not in "iuf" or isinstance(array, np.ma.MaskedArray):
        raws = [_encode_numpy(array[:, j], name) for j, name in enumerate(names)]
    elif all(kind is ColumnKind.NOMINAL for kind in kinds):
        raws = _encode_small_numbers(array)
    if raws is None:
        # One transposed copy is much cheaper than a strided copy per column.
        block = np.array(array.T, dtype=np.float64, order="C")
        whole = array.dtype.kind in "iu"
        raws = [Numbers(row, whole) for row in block]
        for j, kind in enumerate(kinds):
            if whole and kind is ColumnKind.NOMINAL:
                raws[j] = _encode_numpy(array[:, j], names[j], exact=True)
    return Loaded(names, raws, kinds, target, n_rows=len(array))


def _encode_small_numbers(array: Array) -> list[Raw] | None:
    """Return columns of codes if all values are whole numbers from 0 to 255, else None.

    One pass over the matrix instead of a hash table per column.
    """
    if not len(array):
        return None
    if array.dtype not in (np.float64, np.float32, np.int64, np.int32):
        if array.dtype.kind == "f" or array.dtype.itemsize > 2:
            return None
        array = array.astype(np.int32)
    bytes_ = encode_bytes(array)
    if bytes_ is None:
        return None
    raws: list[Raw] = []
    for column in bytes_:
        used = np.bincount(column, minlength=1) > 0
        levels = np.flatnonzero(used)
        if len(levels) == len(used):
            codes = column.astype(np.int32)
        else:
            codes = (np.cumsum(used) - 1).astype(np.int32)[column]
        raws.append(Codes(codes, levels.tolist(), declared=True))
    return raws


def _encode_numpy(array: Array, name: str, *, exact: bool | None = False) -> Raw:
    if array.ndim != 1:
        raise unsupported(name, f"array of shape {array.shape[1:]}")
    mask = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    plain = np.asarray(array)
    if not plain.dtype.isnative:  # arrow reads the machine's own byte order only
        plain = plain.astype(plain.dtype.newbyteorder("="))
    kind = plain.dtype.kind
    if kind in "iuf":
        if exact is not False and kind in "iu":
            return encode_arrow(pa.array(plain, mask=mask), name, exact=exact)
        values = np.array(plain, dtype=np.float64)
        if mask is not None:
            values[mask] = np.nan
        return Numbers(values, kind in "iu")
    if kind == "c":
        raise unsupported(name, "complex")
    if kind in "SV":
        raise unsupported(name, str(plain.dtype))
    if kind in "Mm" and np.datetime_data(plain.dtype)[0] not in ("s", "ms", "us", "ns"):
        plain = plain.astype(f"{kind}8[s]")
    objects = plain if kind in "Mm" else plain.tolist()
    if mask is not None:
        objects = [None if m else v for v, m in zip(objects, mask, strict=True)]
    return encode_objects(objects, name, exact=exact)


def _as_frame(source: Any, notes: list[Note]) -> nw.DataFrame[Any] | None:
    """Return `source` as a narwhals frame with unique text names, or None."""
    columns = getattr(source, "columns", None)
    if isinstance(source, pa.Table):
        names = unique_names(source.column_names, notes)
        source = source.rename_columns(names)
    elif hasattr(source, "set_axis") and columns is not None:  # pandas and its kin
        given = [str(c) if isinstance(c, tuple) else c for c in columns]
        names = unique_names(given, notes)
        if names != list(columns):
            source = source.set_axis(names, axis=1)
    elif isinstance(columns, list) and not all(str(c).strip() for c in columns):
        names = unique_names(columns, notes)
        source = source.rename(dict(zip(columns, names, strict=True)))
    frame = nw.from_native(source, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        return frame.collect()
    return frame if isinstance(frame, nw.DataFrame) else None


def _encode_series(series: nw.Series[Any], name: str, exact: bool | None) -> Raw:
    native = series.to_native()
    dtype = series.dtype
    if hasattr(native, "cat") and hasattr(native, "iloc"):  # a pandas category
        codes = native.cat.codes.to_numpy().astype(np.int32)
        return _declared(codes, native.cat.categories)
    if isinstance(dtype, nw.Enum) and not isinstance(native, pa.ChunkedArray):
        levels = list(dtype.categories)
        raw = encode_arrow(series.to_arrow(), name)
        return _recode(raw, levels) if isinstance(raw, Codes) else raw
    if getattr(native, "dtype", None) is not None and hasattr(native, "iloc"):
        plain = native.dtype
        if isinstance(plain, np.dtype) and plain.kind in "iufc":
            return _encode_numpy(native.to_numpy(), name, exact=exact)
        if hasattr(plain, "fill_value"):  # pandas sparse
            return _encode_numpy(np.asarray(native), name)
    try:
        array = series.to_arrow()
    except (pa.ArrowException, UnicodeError, TypeError, ValueError, OverflowError):
        return encode_objects(series.to_list(), name, exact=exact)
    return encode_arrow(array, name, exact=exact)


def _declared(codes: NDArray[np.int32], categories: Any) -> Codes:
    levels = [plain_scalar(value) for value in categories.tolist()]
    return Codes(codes, levels, declared=True)


def _recode(raw: Codes, levels: list[Any]) -> Codes:
    """Give `raw` the declared levels, of which its own are a part."""
    place = {level: i for i, level in enumerate(levels)}
    recode = np.array([*(place[level] for level in raw.levels), -1], dtype=np.int32)
    return Codes(recode[raw.codes], levels, declared=True)
