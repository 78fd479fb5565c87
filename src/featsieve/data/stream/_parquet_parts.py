"""Row groups of Parquet files as parts of a stream, decoded column by column."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from featsieve.data._table import ColumnKind, Note
from featsieve.data.read._encode import Raw, builder_for, encode_arrow
from featsieve.data.read._files import clear_errors
from featsieve.data.read._settle import Request, unique_names
from featsieve.data.stream._batches import Batch, check_columns
from featsieve.data.stream._folders import file_stamp
from featsieve.exceptions import DataError

#: Rows decoded at a time: large enough that work per batch does not show, small enough
#: that fifty columns of them take some tens of megabytes.
BATCH_ROWS = 1 << 17
#: Row groups of no more rows are decoded whole, column by column.
GROUP_ROWS = 1 << 18
#: Under this name pyarrow keeps the types of a table in a file.
STORED_TYPES = b"ARROW:schema"
MAGIC = b"PAR1"


@dataclass(frozen=True, slots=True)
class _Footer:
    """What stands at the end of a file, read once for all of its row groups.

    With `plain` pyarrow does not see the types that it has stored itself: otherwise it
    decodes the names of a categorical column to 32 bits, checks each and narrows it to
    the width of the stored codes, only for us to widen it again, which takes a third of
    the time. `texts` are the columns that may be read so.
    """

    metadata: Any
    schema: Any
    plain: Any = None
    texts: frozenset[str] = frozenset()


def _footer(path: Path) -> _Footer:
    return _read_footer(path, *file_stamp(path))


@functools.lru_cache(maxsize=8)
def _read_footer(path: Path, size: int, changed: int) -> _Footer:  # noqa: ARG001
    """Read the footer of a file of this size and time; a later one is read anew."""
    with pq.ParquetFile(path) as file:
        metadata, schema = file.metadata, file.schema_arrow
    texts = frozenset(field.name for field in schema if _is_text(field.type))
    return _Footer(metadata, schema, _plain_metadata(path, size), texts)


def _is_text(kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        if kind.ordered:  # says that the levels are declared
            return False
        kind = kind.value_type
    return bool(pa.types.is_string(kind))


def _plain_metadata(path: Path, size: int) -> Any:
    """Return the metadata without stored types; None if they cannot be set aside."""
    with path.open("rb") as stream:
        stream.seek(max(0, size - 8))
        tail = stream.read(8)
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != MAGIC or length + 12 > size:
            return None
        stream.seek(size - 8 - length)
        footer = stream.read(length)
    if footer.count(STORED_TYPES) != 1:  # a column may be called that
        return None
    other = footer.replace(STORED_TYPES, STORED_TYPES.swapcase())
    return pq.read_metadata(pa.BufferReader(MAGIC + other + tail))


class _OpenFile:
    """A file, opened for texts and for other columns."""

    def __init__(self, path: Path) -> None:
        self.footer = _footer(path)
        texts, plain = self.footer.texts, self.footer.plain
        metadata = self.footer.metadata
        if plain is None:
            texts = frozenset(
                field.name for field in self.footer.schema if field.type == pa.string()
            )
        self.file = pq.ParquetFile(path, metadata=metadata, read_dictionary=[*texts])
        self._texts = texts if plain is not None else frozenset()
        self._plain = self.file
        if self._texts:
            self._plain = pq.ParquetFile(
                path, metadata=plain, read_dictionary=[*self._texts]
            )

    def __enter__(self) -> _OpenFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        self._plain.close()

    def column(self, group: int, name: str, place: int) -> Any:
        """Return one column of a row group; `place` counts those of the same name."""
        file = self._plain if name in self._texts else self.file
        table = file.read_row_group(group, columns=[name], use_threads=False)
        return table.column(place)


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
        with clear_errors(self.path), _OpenFile(self.path) as file:
            own = file.footer.schema.names
            at = [positions[name] for name in wanted]
            stored = [(own[k], own[:k].count(own[k])) for k in at]
            if len(self.groups) == 1 and 0 < self.rows <= GROUP_ROWS:
                decode = functools.partial(self._decode, file, wanted, stored)
                yield Batch(len(wanted), decode)
                return
            for batch in file.file.iter_batches(
                BATCH_ROWS,
                row_groups=list(self.groups),
                columns=sorted({name for name, _ in stored}),
                use_threads=False,
            ):
                places = batch.schema.get_all_field_indices
                columns = [batch.column(places(name)[k]) for name, k in stored]
                yield arrow_batch(columns, wanted, self.nominal)

    def _decode(self, file: _OpenFile, wanted: Any, stored: Any, at: int) -> Raw:
        """Return a column of a row group, which has its own name in the file.

        What is decoded is still in the caches when it is counted, and takes the memory
        of one column. That makes reading faster by an eighth.
        """
        name = wanted[at]
        with clear_errors(self.path):
            column = file.column(self.groups[0], *stored[at])
            exact = name in self.nominal
            builder = builder_for(column.type, name, len(column), exact=exact)
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
            footer = _footer(path)
        own = unique_names(footer.schema.names, [] if names else notes)
        names = names or own
        check_columns(names, own, repr(str(path)))
        for name, field in zip(own, footer.schema, strict=True):
            _check_type(name, field.type, kinds, path)
        wanted = dict(zip(own, request.kinds(own), strict=True))
        nominal = frozenset(n for n, k in wanted.items() if k is ColumnKind.NOMINAL)
        for group in range(footer.metadata.num_row_groups):
            rows = footer.metadata.row_group(group).num_rows
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
