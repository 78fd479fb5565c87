"""Turn arrow arrays and Python objects into float64 numbers and int32 codes."""

from __future__ import annotations

import datetime
import decimal
import numbers
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from featsieve._kernels import (
    TextCoder,
    greatest_size,
    recode_levels,
    whole_to_double,
)
from featsieve._types import Array, Floats
from featsieve.exceptions import DataError

LARGEST_EXACT_INTEGER = 2.0**53  # of those that float64 tells from its neighbours
SECONDS_PER_DAY = 86_400
# Small batches wait for each other, since every recoding walks all levels in Python.
ROWS_PER_RECODING = 1 << 16
UNITS_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


@dataclass(slots=True)
class Numbers:
    """A column of numbers, before its kind is settled.

    `integer` says that the source holds whole numbers by type, `date` what kind of
    time the days stand for ("" for none), `size` how far from zero they reach, where
    somebody has looked already.
    """

    values: Floats
    integer: bool = False
    date: str = ""
    size: float | None = None

    def __len__(self) -> int:
        return len(self.values)

    def greatest_size(self) -> float:
        """Return how far from zero the values reach; NaN is left out."""
        if self.size is None:
            values = self.values
            if values.flags.c_contiguous:
                self.size = greatest_size(values)
            else:  # in two passes, but without a copy
                high, low = np.fmax.reduce(values), np.fmin.reduce(values)
                self.size = float(max(high, -low))
        return self.size


@dataclass(slots=True)
class Codes:
    """A column of codes into `levels`, before its kind is settled.

    `declared` levels keep their order and stay even if unused. `own` says that nobody
    else holds the codes, so that they may be changed where they stand.
    """

    codes: NDArray[np.int32]
    levels: list[Any]
    declared: bool = False
    own: bool = False

    def __len__(self) -> int:
        return len(self.codes)


Raw = Numbers | Codes


class _Growing:
    """An array that grows; untouched room costs address space, not memory."""

    def __init__(self, dtype: type, capacity: int) -> None:
        self._array: Array = np.empty(max(capacity, 1), dtype)
        self.size = 0

    def room(self, n: int) -> Array:
        """Return a view of the next `n` places."""
        end = self.size + n
        if end > len(self._array):
            size = max(end, len(self._array) * 5 // 4)
            wider = np.empty(size, self._array.dtype)
            wider[: self.size] = self._array[: self.size]
            self._array = wider
        view = self._array[self.size : end]
        self.size = end
        return view

    def adopt(self, array: Array) -> bool:
        """Take an array over as it is; False if it is not all that is expected."""
        fits = not self.size and len(array) == len(self._array)
        if not (fits and array.flags.writeable and array.dtype == self._array.dtype):
            return False
        self._array, self.size = array, len(array)
        return True

    def finish(self) -> Array:
        """Return the filled part, giving back the rest."""
        if self._array.flags.owndata and self.size < len(self._array):
            self._array.resize(self.size, refcheck=False)  # nobody holds a view
        return self._array[: self.size]


def as_numpy(array: Any) -> Array:
    """View an arrow array of numbers without nulls; `to_numpy` would import pandas."""
    dtype = array.type.to_pandas_dtype()
    data = array.buffers()[1]
    if data is None or not len(array):
        return np.empty(0, dtype=dtype)
    view: Array = np.frombuffer(data, dtype=dtype)
    return view[array.offset : array.offset + len(array)]


class NumberBuilder:
    """Collects arrow arrays of numbers or times into one float64 array."""

    def __init__(self, kind: Any, capacity: int = 0) -> None:
        self._out = _Growing(np.float64, capacity)
        self._kind = kind
        self._integer = pa.types.is_integer(kind)
        self._float64 = kind == pa.float64()
        self._in_place = self._float64 or kind == pa.int64()
        self._date, self._per_day = _time_scale(kind)
        self._size: float | None = None

    def append(self, array: Any, *, own: bool = False) -> None:
        """Add the values of `array`; null becomes NaN.

        If it is `own`, nobody else holds it, and its memory may become the column's.
        """
        if own and self._in_place and self._adopt(array):
            return
        if self._float64 and not array.null_count:
            self._out.room(len(array))[:] = as_numpy(array)
            return
        if array.type != self._kind:  # a dictionary of times
            array = array.cast(self._kind)
        if self._date:
            width = pa.int32() if self._kind.bit_width == 32 else pa.int64()
            array = array.cast(width)
        kind = array.type
        number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        if array.null_count or not number:
            array = array.cast(pa.float64(), safe=not number).fill_null(np.nan)
        view = self._out.room(len(array))
        view[:] = as_numpy(array)
        if self._date:
            view /= self._per_day

    def _adopt(self, array: Any) -> bool:
        """Make the memory of `array` the column's, if it is the only one and suits."""
        if array.null_count or array.type != self._kind:
            return False
        values = as_numpy(array)
        if not self._out.adopt(values.view(np.float64)):
            return False
        # Both look the values over while the caches still hold them.
        look = greatest_size if self._float64 else whole_to_double
        self._size = look(values)
        return True

    def finish(self) -> Numbers:
        """Return the column."""
        return Numbers(self._out.finish(), self._integer, self._date, self._size)


class CodeBuilder:
    """Collects arrow arrays of text (or of dictionaries) into int32 codes."""

    def __init__(self, capacity: int = 0, *, cast: Any = None, ordered: bool = False):
        self._out = _Growing(np.int32, capacity)
        self._index: dict[Any, int] = {}
        self._cast = cast
        self._ordered = ordered
        self._declared: list[Any] | None = None
        self._waiting: list[Any] = []
        self._n_waiting = 0
        self._own = False

    def append(self, array: Any, *, own: bool = False) -> None:
        """Add the values of `array`; null becomes -1. For `own` see above."""
        self._own = own
        array = _as_plain_text(array if self._cast is None else array.cast(self._cast))
        if not pa.types.is_dictionary(array.type):
            array = array.dictionary_encode()
        self._waiting.append(array)
        self._n_waiting += len(array)
        if self._n_waiting >= ROWS_PER_RECODING:
            self._recode()

    def _recode(self) -> None:
        """Translate waiting arrays from their own dictionaries to the common one."""
        chunks = self._waiting
        if any(chunk.dictionary.null_count for chunk in chunks):
            for chunk in chunks:  # pyarrow cannot unify these
                self._recode_alike([chunk])
        else:
            if len(chunks) > 1:
                chunks = pa.chunked_array(chunks).unify_dictionaries().chunks
            self._recode_alike(chunks)
        self._waiting, self._n_waiting = [], 0

    def _recode_alike(self, chunks: list[Any]) -> None:
        """Translate arrays that share one dictionary."""
        levels = chunks[0].dictionary.to_pylist()
        if pa.types.is_floating(chunks[0].dictionary.type):
            levels = [plain_scalar(level) for level in levels]  # NaN is missing
        if self._declared is None:
            self._declared = levels
        index = self._index
        places = [
            -1 if level is None else index.setdefault(level, len(index))
            for level in levels
        ]
        table = np.array([-1, *places], dtype=np.int32)  # missing comes first
        same = np.array_equal(table, np.arange(-1, len(levels)))
        used = np.empty(len(table), dtype=np.uint8)  # nobody asks
        for chunk in chunks:
            indices = chunk.indices
            own = self._own or bool(indices.null_count)
            if indices.null_count:
                indices = indices.cast(pa.int32()).fill_null(-1)
            codes = as_numpy(indices)
            if same and own and self._out.adopt(codes):
                continue
            view = self._out.room(len(chunk))
            if same:
                view[:] = codes
            else:
                recode_levels(codes.astype(np.int32, copy=False), table, view, used)

    def finish(self) -> Codes:
        """Return the column; undeclared levels are in order of appearance."""
        if self._waiting:
            self._recode()
        levels = list(self._index)
        declared = self._ordered and self._declared == levels
        return Codes(self._out.finish(), levels, declared, own=True)


class TextBuilder:
    """Collects arrow arrays of large strings into int32 codes."""

    def __init__(self, capacity: int = 0) -> None:
        self._out = _Growing(np.int32, capacity)
        self._coder = TextCoder()

    def append(self, array: Any) -> None:
        """Add the values of `array`; null becomes -1."""
        codes = self._out.room(len(array))
        if not len(array):
            return
        present, starts, text = array.buffers()
        offsets = np.frombuffer(starts, np.int64)
        texts = np.frombuffer(text or b"", np.uint8)
        validity = None if present is None else np.frombuffer(present, np.uint8)
        self._coder.code_offsets(offsets, texts, validity, array.offset, codes)

    def finish(self) -> Codes:
        """Return the column; levels are in order of appearance."""
        return Codes(self._out.finish(), self._coder.levels, own=True)


def builder_for(
    kind: Any, name: str, capacity: int, *, exact: bool = False
) -> NumberBuilder | CodeBuilder:
    """Return the builder that takes arrow arrays of this type, or raise.

    With `exact`, integers and times become levels, so that names made of digits lose
    none of them.
    """
    types = pa.types
    if types.is_dictionary(kind):
        inner = builder_for(kind.value_type, name, capacity, exact=exact)
        timed = bool(_time_scale(kind.value_type)[0])
        return inner if timed else CodeBuilder(capacity, ordered=kind.ordered)
    if holds_numbers(kind, exact=exact):
        return NumberBuilder(kind, capacity)
    if _time_scale(kind)[0]:
        return CodeBuilder(capacity, cast=pa.string())
    if _is_text(kind) or types.is_boolean(kind) or types.is_integer(kind):
        return CodeBuilder(capacity)
    raise unsupported(name, str(kind))


def holds_numbers(kind: Any, *, exact: bool) -> bool:
    """Whether arrays of this type become numbers, not levels."""
    types = pa.types
    if types.is_dictionary(kind):
        return bool(_time_scale(kind.value_type)[0]) and holds_numbers(
            kind.value_type, exact=exact
        )
    if _time_scale(kind)[0]:
        return not exact or types.is_duration(kind)
    if types.is_integer(kind):
        return not exact
    return bool(
        types.is_floating(kind) or types.is_decimal(kind) or types.is_null(kind)
    )


def unsupported(name: str, kind: str) -> DataError:
    """Return the error for a column whose values are neither numbers nor names."""
    return DataError(
        f"Column {name!r} holds values of type {kind}, which is neither a number, a "
        "date nor text. Drop it or turn it into plain columns first."
    )


def encode_arrow(array: Any, name: str, *, exact: bool | None = False) -> Raw:
    """Encode an arrow Array or ChunkedArray.

    With `exact`, integers and times become levels; None means integers only, and only
    if float64 does not hold all of them.
    """
    if exact is None:
        exact = False
        if pa.types.is_integer(array.type):
            low, high = (bound.as_py() or 0 for bound in pc.min_max(array).values())
            exact = max(high, -low) > LARGEST_EXACT_INTEGER
    builder = builder_for(array.type, name, len(array), exact=exact)
    for chunk in array.chunks if isinstance(array, pa.ChunkedArray) else [array]:
        builder.append(chunk)
    return builder.finish()


def _is_view(kind: Any) -> bool:
    return str(kind) == "string_view"  # older versions have no test for it


def _is_text(kind: Any) -> bool:
    plain = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    return bool(plain or _is_view(kind))


def _as_plain_text(array: Any) -> Any:
    """Return `array` with string views, which have few kernels, made plain."""
    kind = array.type
    if _is_view(kind):
        return array.cast(pa.large_string())
    if pa.types.is_dictionary(kind) and _is_view(kind.value_type):
        plain = array.dictionary.cast(pa.large_string())
        return pa.DictionaryArray.from_arrays(
            array.indices, plain, ordered=kind.ordered
        )
    return array


def _time_scale(kind: Any) -> tuple[str, int]:
    """Return what times of this type are called, and their units per day."""
    types = pa.types
    if types.is_date32(kind):
        return "dates", 1
    if types.is_date64(kind):
        return "dates", SECONDS_PER_DAY * 1000
    for test, word in (
        (types.is_timestamp, "dates"),
        (types.is_duration, "durations"),
        (types.is_time, "times of day"),
    ):
        if test(kind):
            return word, SECONDS_PER_DAY * UNITS_PER_SECOND[kind.unit]
    return "", 1


def encode_objects(values: Any, name: str, *, exact: bool | None = False) -> Raw:
    """Encode Python objects: numbers, text, dates, or any mixture of them."""
    try:
        array = pa.array(values, from_pandas=True)
    except (pa.ArrowException, UnicodeError, OverflowError, ValueError, TypeError):
        return _encode_mixed(values, name)
    if isinstance(array, pa.ChunkedArray) or not pa.types.is_decimal(array.type):
        return encode_arrow(array, name, exact=exact)
    # Infinite and not-a-number decimals do not survive the cast, so go by hand.
    return _encode_mixed(values, name)


def _encode_mixed(values: Iterable[Any], name: str) -> Raw:
    values = list(values)
    for kind in set(map(type, values)):
        own = {word for base in kind.__mro__[:-1] for word in vars(base)}
        if not own & {"__str__", "__repr__"}:
            raise unsupported(name, kind.__name__)  # its text is where it lies
    plain = [plain_scalar(value) for value in values]
    if all(value is None or is_number(value) for value in plain):
        floats = [np.nan if v is None else to_float(v) for v in plain]
        whole = all(v is None or isinstance(v, int) for v in plain)
        return Numbers(np.array(floats, dtype=np.float64), whole)
    index: dict[Any, int] = {}
    codes = np.empty(len(plain), dtype=np.int32)
    for row, value in enumerate(plain):
        if isinstance(value, (list, dict, set, tuple, bytes, complex)):
            raise unsupported(name, type(value).__name__)
        codes[row] = -1 if value is None else index.setdefault(value, len(index))
    return Codes(codes, list(index))


def is_number(value: Any) -> bool:
    """Return whether a Python scalar is a number; truth values are none."""
    return isinstance(value, (numbers.Real, decimal.Decimal)) and not isinstance(
        value, bool
    )


def to_float(value: Any) -> float:
    """Return a number as float; what is too large becomes infinite."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def plain_scalar(value: Any) -> Any:
    """Return a Python scalar for `value`; None if it is missing."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, float) and np.isnan(value):
        return None
    if isinstance(value, decimal.Decimal) and value.is_nan():
        return None
    if isinstance(value, str):
        return str(value)
    known = (
        *(numbers.Number, decimal.Decimal, datetime.date, datetime.time),
        *(datetime.timedelta, list, dict, set, tuple, bytes),
    )
    return value if isinstance(value, known) else str(value)
