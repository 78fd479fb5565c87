"""Parts seen as a table has them, and row groups of Parquet files, column by column."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from featsieve.data._table import ColumnKind, Note
from featsieve.data.read._encode import Codes, Numbers, Raw, builder_for, encode_arrow
from featsieve.data.read._files import clear_errors
from featsieve.data.read._settle import Request, unique_names
from featsieve.data.stream._folders import file_stamp
from featsieve.exceptions import DataError


class Batch(Sequence[Raw]):
    """Columns that are encoded when they are asked for, each time anew.

    Whoever takes one at a time needs memory for one, which the system need not hand
    out afresh for every batch; that costs more than encoding.
    """

    def __init__(self, n_columns: int, encode: Callable[[int], Raw]) -> None:
        self._places = range(n_columns)
        self._encode = encode

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, at: Any) -> Any:
        return self._encode(self._places[at])


def check_columns(expected: Sequence[str], found: Sequence[str], label: str) -> None:
    """Raise unless a part has the columns of the first one, in any order."""
    gone = [name for name in expected if name not in set(found)]
    extra = [name for name in found if name not in set(expected)]
    if gone or extra:
        word, name = ("has no", gone[0]) if gone else ("has another", extra[0])
        raise DataError(
            f"All parts must have the same columns, and {label} {word} column {name!r}."
            " Leave that part out or mend it."
        )


@dataclass(frozen=True, slots=True)
class ViewedPart:
    """Columns of a part, and constants: what the names of its folders say."""

    part: Any
    names: tuple[str, ...]
    constants: tuple[tuple[str, Raw], ...] = ()  # one row each

    @property
    def label(self) -> str:
        return str(self.part.label)

    def __getattr__(self, name: str) -> Any:
        """Tell what the part knows: its file, rows, types, and where it is read."""
        if name in ("path", "rows", "types", "remote"):
            return getattr(self.part, name)
        raise AttributeError(name)

    def batches(self, wanted: Sequence[str]) -> Iterator[Sequence[Raw]]:
        constants = dict(self.constants)
        stored = [name for name in wanted if name not in constants]
        # Some column says how many rows there are.
        asked = stored or [n for n in self.names if n not in constants][:1]
        for batch in self.part.batches(asked):
            yield _viewed(batch, asked, wanted, constants)


def _viewed(
    batch: Sequence[Raw],
    asked: Sequence[str],
    wanted: Sequence[str],
    constants: dict[str, Raw],
) -> Batch:
    """Return columns of a batch, decoded when they are asked for, among constants."""
    lengths: list[int] = []

    def encode(at: int) -> Raw:
        name = wanted[at]
        if name not in constants:
            raw = batch[asked.index(name)]
            lengths.append(len(raw))
            return raw
        if not lengths:
            lengths.append(len(batch[0]))
        one = constants[name]
        if isinstance(one, Numbers):
            return Numbers(np.full(lengths[0], one.values[0]), one.integer, one.date)
        return Codes(np.full(lengths[0], one.codes[0], dtype=np.int32), one.levels)

    return Batch(len(wanted), encode)


def with_keys(
    parts: Sequence[Any], keys: dict[Any, dict[str, Any]], request: Request
) -> list[Any]:
    """Return parts of files with the columns of their folders, after their own.

    `keys` are by path. A column that is in the file too is taken from there.
    """
    viewed: list[Any] = []
    for part in parts:
        path = getattr(part, "path", None)
        own = {k: v for k, v in keys.get(path, {}).items() if k not in part.names}
        if not own:
            viewed.append(part)
            continue
        names = (*part.names, *own)
        kinds = dict(zip(names, request.kinds(names), strict=True))
        constants = tuple(
            (name, _constant(name, value, kinds[name])) for name, value in own.items()
        )
        viewed.append(ViewedPart(part, names, constants))
    return viewed


def without_keys(request: Request, names: Collection[str]) -> Request:
    """Return what is asked of the columns of files, which folders have no part in."""

    def rest(wanted: Any) -> Any:
        if wanted is None or isinstance(wanted, str):
            return wanted
        return [name for name in wanted if name not in names]

    return replace(
        request,
        target=None if request.target in names else request.target,
        nominal=rest(request.nominal),
        numeric=rest(request.numeric),
    )


def _constant(name: str, value: Any, kind: ColumnKind | None) -> Raw:
    array = pa.array([value], pa.int64() if isinstance(value, int) else pa.string())
    return encode_arrow(array, name, exact=kind is ColumnKind.NOMINAL)


#: Rows decoded at a time: large enough that work per batch does not show, small enough
#: that fifty columns of them take some tens of megabytes.
BATCH_ROWS = 1 << 17
#: Row groups of no more rows are decoded whole, column by column.
GROUP_ROWS = 1 << 18


def _footer(path: Path) -> tuple[Any, Any]:
    """Return metadata and schema, read once for all row groups of a file."""
    return _read_footer(path, *file_stamp(path))


@functools.lru_cache(maxsize=8)
def _read_footer(path: Path, size: int, changed: int) -> tuple[Any, Any]:  # noqa: ARG001
    """Read the footer of a file of this size and time; a later one is read anew."""
    with pq.ParquetFile(path) as file:
        return file.metadata, file.schema_arrow


@dataclass(frozen=True, slots=True)
class ParquetPart:
    """Some row groups of a Parquet file."""

    path: Path
    names: tuple[str, ...]
    groups: tuple[int, ...]
    nominal: frozenset[str]  # columns whose numbers are names
    rows: int
    remote: bool = False  # counted where the workers of a cluster are

    @property
    def label(self) -> str:
        return repr(str(self.path))

    def batches(self, wanted: Sequence[str]) -> Iterator[Sequence[Raw]]:
        positions = {name: i for i, name in enumerate(self.names)}
        with clear_errors(self.path):
            metadata, schema = _footer(self.path)
        # As dictionaries, texts are never spelled out row by row.
        texts = [field.name for field in schema if field.type == pa.string()]
        with (
            clear_errors(self.path),
            pq.ParquetFile(self.path, metadata=metadata, read_dictionary=texts) as file,
        ):
            own = schema.names
            at = [positions[name] for name in wanted]
            stored = [(own[k], own[:k].count(own[k])) for k in at]
            if len(self.groups) == 1 and 0 < self.rows <= GROUP_ROWS:
                decode = functools.partial(self._decode, file, wanted, stored)
                yield Batch(len(wanted), decode)
                return
            for batch in file.iter_batches(
                BATCH_ROWS,
                row_groups=list(self.groups),
                columns=sorted({name for name, _ in stored}),
                use_threads=False,
            ):
                places = batch.schema.get_all_field_indices
                columns = [batch.column(places(name)[k]) for name, k in stored]
                yield arrow_batch(columns, wanted, self.nominal)

    def _decode(self, file: Any, wanted: Any, stored: Any, at: int) -> Raw:
        """Return a column of a row group, which has its own name in the file.

        What is decoded is still in the caches when it is counted, and takes the memory
        of one column. That makes reading faster by an eighth.
        """
        (name, place), shown = stored[at], wanted[at]
        with clear_errors(self.path):
            table = file.read_row_group(self.groups[0], [name], use_threads=False)
            column = table.column(place)
            exact = shown in self.nominal
            builder = builder_for(column.type, shown, len(column), exact=exact)
            for chunk in column.chunks:
                builder.append(chunk, own=True)  # nobody else has seen it
            return builder.finish()


def arrow_batch(
    columns: Sequence[Any], names: Sequence[str], exact: Collection[str] = ()
) -> Batch:
    """Return arrow arrays as columns to be encoded, numbers as names where `exact`."""
    return Batch(
        len(columns),
        lambda at: encode_arrow(columns[at], names[at], exact=names[at] in exact),
    )


def parquet_parts(paths: list[Path], request: Request, notes: list[Note]) -> list[Any]:
    """Return the row groups of some files."""
    parts: list[ParquetPart] = []
    names: list[str] = []
    kinds: dict[str, str] = {}
    for path in paths:
        with clear_errors(path):
            metadata, schema = _footer(path)
        own = unique_names(schema.names, [] if names else notes)
        names = names or own
        check_columns(names, own, repr(str(path)))
        for name, field in zip(own, schema, strict=True):
            _check_type(name, field.type, kinds, path)
        wanted = dict(zip(own, request.kinds(own), strict=True))
        nominal = frozenset(n for n, k in wanted.items() if k is ColumnKind.NOMINAL)
        for group in range(metadata.num_row_groups):
            rows = metadata.row_group(group).num_rows
            part = ParquetPart(path, tuple(own), (group,), nominal, rows)
            parts.append(part)
    if not parts:  # files without any row
        parts.append(ParquetPart(paths[0], tuple(names), (), frozenset(), 0))
    return parts


def _check_type(name: str, kind: Any, kinds: dict[str, str], path: Path) -> None:
    """Raise if a column is text here and numbers in an earlier file."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_null(kind):
        return
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    word = "numbers" if number or pa.types.is_decimal(kind) else str(kind)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        word = "text"
    if pa.types.is_temporal(kind):
        word = "times"
    if kinds.setdefault(name, word) != word:
        raise DataError(
            f"Column {name!r} holds {word} in {str(path)!r} and {kinds[name]} in files "
            "before it. Convert one of them."
        )
