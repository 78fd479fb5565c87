"""CSV and Parquet files, streamed through pyarrow into encoded columns."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from featsieve.data._blocks import (
    DEFAULT_MISSING,
    LARGEST_BLOCK,
    MixedBlocks,
    SmallBlockError,
)
from featsieve.data._encode import (
    CodeBuilder,
    Codes,
    NumberBuilder,
    TextBuilder,
    builder_for,
)
from featsieve.data._settle import Loaded, Request, stray_separator, unique_names
from featsieve.data._table import ColumnKind, Note
from featsieve.exceptions import DataError

__all__ = [
    "BLOCK_BYTES",
    "TEXT",
    "CsvFile",
    "TypeMismatchError",
    "clear_errors",
    "first_look",
    "load_csv",
    "load_parquet",
    "read_as",
    "stream_errors",
    "types_of_all_rows",
]

# Large enough that per-block work does not show, small enough for the caches: blocks
# of 16 MB take half as much processor time again.
BLOCK_BYTES = 1 << 20
ROWS_PER_PIECE = 1 << 16
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
TEXT = pa.large_string()
# Up to here a ragged file is read again just to say which row is at fault.
MOST_BYTES_FOR_ROW_SEARCH = 1 << 28


Builder = NumberBuilder | CodeBuilder | TextBuilder


class TypeMismatchError(Exception):
    """A later block does not have the type that the first one promised."""


@dataclass(frozen=True, slots=True)
class CsvFile:
    """How to open one CSV file, again and again."""

    path: Path
    separator: str
    encoding: str
    missing: tuple[str, ...]
    block: int

    @property
    def packed(self) -> bool:
        return self.path.suffix.lower() == ".gz"

    def open(
        self,
        names: list[str] | None,
        types: dict[str, Any] | None,
        rows: bytes | None = None,
    ) -> Any:
        """Return a reader of record batches; with `names`, the header is skipped.

        If `rows` are given, they are read instead of the file, and have no header.
        """
        read = pa_csv.ReadOptions(block_size=self.block, encoding=self.encoding)
        if names is not None:
            read.column_names = names
            read.skip_rows_after_names = int(rows is None)
        convert = pa_csv.ConvertOptions(
            null_values=list(self.missing), strings_can_be_null=True
        )
        if types is not None:
            convert.column_types = types
            convert.include_columns = list(types)
        # pyarrow reads a path it opened itself with less effort than a stream.
        source: Any = str(self.path)
        if rows is not None:
            source = pa.BufferReader(rows)
        elif self.packed:
            source = pa.input_stream(source, "gzip")
        return pa_csv.open_csv(
            source,
            read_options=read,
            parse_options=self._parse_options(),
            convert_options=convert,
        )

    def batches(
        self, types: dict[str, Any], rows: bytes | None = None
    ) -> Iterator[list[Any]]:
        """Yield the columns, batch by batch."""
        with self.open(list(types), types, rows) as reader:
            for batch in reader:
                yield batch.columns

    def _parse_options(self) -> Any:
        # Line breaks within quotes are always looked out for: it costs next to nothing.
        return pa_csv.ParseOptions(delimiter=self.separator, newlines_in_values=True)

    def header_alone(self) -> list[str]:
        """Return the names in a file that ends within its first line."""
        with pa.input_stream(str(self.path), "gzip" if self.packed else None) as stream:
            text = stream.read().decode(self.encoding).strip()
        if not text:
            msg = "Empty CSV file"
            raise pa.ArrowInvalid(msg)
        parse = self._parse_options()
        line = io.BytesIO(f"{text}\n".encode())
        try:
            names: list[str] = pa_csv.open_csv(line, parse_options=parse).schema.names
        except pa.ArrowInvalid:
            msg = (
                f"The line of column names in {str(self.path)!r} has a quote that is "
                "never closed. Close it."
            )
            raise DataError(msg) from None
        return names

    def first_line(self) -> list[str]:
        """Return where names begin, as a file of one column has them."""
        with pa.input_stream(str(self.path), "gzip" if self.packed else None) as stream:
            start = stream.read(1 << 16).decode(self.encoding, errors="replace")
        lines: list[str] = start.splitlines()
        return lines[:1]

    def ragged_row(self) -> str:
        """Return which row has a wrong number of cells, as far as can be told."""
        if self.path.stat().st_size > MOST_BYTES_FOR_ROW_SEARCH:
            return ""
        read = pa_csv.ReadOptions(encoding=self.encoding, use_threads=False)
        stream = pa.input_stream(str(self.path), "gzip" if self.packed else None)
        try:
            with stream:
                pa_csv.read_csv(
                    stream, read_options=read, parse_options=self._parse_options()
                )
        except (pa.ArrowInvalid, OSError, UnicodeError) as error:
            # Only reading without threads counts rows: from 1, and with the header.
            if found := re.search(r"Row #(\d+): Expected", str(error)):
                return f"Row {int(found[1]) - 2}"
        return ""


def load_csv(path: Path, request: Request, separator: str, encoding: str) -> Loaded:
    """Load a CSV or TSV file."""
    given = request.missing_values
    missing = DEFAULT_MISSING if given is None else ("", *(str(v) for v in given))
    # Under any other name of UTF-8 pyarrow sends every block through Python's codecs.
    if codecs.lookup(encoding).name == "utf-8":
        encoding = "utf8"
    with clear_errors(path):
        with path.open("rb") as stream:
            start = stream.read(2)
        if start in UTF16_MARKS and encoding == "utf8":
            msg = f"{str(path)!r} is UTF-16 text. Say `encoding='utf-16'`."
            raise DataError(msg)
        file = CsvFile(path, separator, encoding, missing, BLOCK_BYTES)
        while True:
            try:
                loaded = _load_csv(file, request)
                break
            except pa.ArrowInvalid as error:
                if "columns, got" not in str(error):
                    raise
                raise DataError(_ragged(file, str(error))) from None
            except SmallBlockError:
                file = replace(file, block=file.block * 8)
                if file.block > LARGEST_BLOCK:
                    msg = (
                        f"{str(path)!r} has a row of more than a gigabyte. Check "
                        "whether a quote is never closed."
                    )
                    raise DataError(msg) from None
        _note_quotes(file, loaded)
    return loaded


def _note_quotes(file: CsvFile, loaded: Loaded) -> None:
    """Look out for a quote that is never closed and so swallows rows into a cell."""
    for raw in loaded.raws:
        if isinstance(raw, Codes) and any("\n" in level for level in raw.levels):
            break
    else:
        return
    count = 0
    with gzip.open(file.path) if file.packed else file.path.open("rb") as stream:
        while chunk := stream.read(BLOCK_BYTES):
            count += chunk.count(b'"')
    if count % 2:
        text = (
            "The file has an odd number of quotes; check that no cell swallowed rows."
        )
        loaded.notes.append(Note("unbalanced_quotes", None, text))


def _load_csv(file: CsvFile, request: Request) -> Loaded:
    notes: list[Note] = []
    header, guesses = first_look(file)
    for name in header:
        if "\0" in name:  # pyarrow would skip a row too many
            msg = (
                f"The column name {name!r} in {str(file.path)!r} holds a null "
                "character. Check the file and its `encoding`."
            )
            raise DataError(msg)
    names = unique_names(header, notes)
    _note_separator(header, file.separator, notes)
    kinds = request.kinds(names)
    target = request.find_target(names)
    if guesses is None:
        n_rows = 0
        builders: dict[str, Any] = {name: CodeBuilder() for name in names}
    else:
        types = {
            name: read_as(guess, kind, is_target=i == target)
            for i, (name, guess, kind) in enumerate(
                zip(names, guesses, kinds, strict=True)
            )
        }
        builders, n_rows = _fill_right(file, names, types)
    raws = [builders.pop(name).finish() for name in names]
    return Loaded(names, raws, kinds, target, True, notes, n_rows)


def first_look(file: CsvFile) -> tuple[list[str], list[Any] | None]:
    """Return the names and the types that the first block suggests, if there is one."""
    try:
        with stream_errors(), file.open(None, None) as reader:
            return reader.schema.names, reader.schema.types
    except pa.ArrowInvalid as error:
        if "cannot infer number of columns" not in str(error):
            raise
        return file.header_alone(), None


def _note_separator(header: list[str], separator: str, notes: list[Note]) -> None:
    other = stray_separator(header, separator)
    if other is not None:
        text = (
            f"The file has one column, whose name holds {other!r}. If that stands "
            f"between columns, say `separator={other!r}`."
        )
        notes.append(Note("separator", header[0], text))


def read_as(guess: Any, kind: ColumnKind | None, *, is_target: bool) -> Any:
    """Return the arrow type to read a column as: text wherever there is doubt."""
    if kind is ColumnKind.NOMINAL:
        return TEXT
    if pa.types.is_integer(guess) and is_target:
        return pa.int64()
    if pa.types.is_integer(guess) or pa.types.is_floating(guess):
        return pa.float64()
    if pa.types.is_date(guess):
        return pa.timestamp("us")
    if pa.types.is_timestamp(guess):
        return pa.timestamp("us", None if guess.tz is None else "UTC")
    return TEXT


def _fill_right(
    file: CsvFile, names: list[str], types: dict[str, Any]
) -> tuple[dict[str, Any], int]:
    """Read the file, and again if the first block misled about its types."""
    with contextlib.suppress(TypeMismatchError):
        return _fill(file, names, types)
    with contextlib.suppress(TypeMismatchError):
        return _fill(file, names, types_of_all_rows(file, names, types))
    return _fill(file, names, dict.fromkeys(names, TEXT))


def _fill(
    file: CsvFile, names: list[str], types: dict[str, Any]
) -> tuple[dict[str, Any], int]:
    """Read the file once, batch by batch, into one builder per column."""
    builders: dict[str, Builder] = {}
    n_rows = 0
    with stream_errors():
        step, batches = _batches(file, types)
        for columns in batches:
            if not builders:
                # The first batch tells how many rows to expect; room that stays
                # untouched costs nothing.
                n_batches = max(file.path.stat().st_size / step, 1)
                room = int(len(columns[0]) * n_batches * 1.1) + 16
                builders = _builders(file, types, room)
            for name, column in zip(names, columns, strict=True):
                builders[name].append(column)
            n_rows += len(columns[0])
    return builders or _builders(file, types, 0), n_rows


def _builders(file: CsvFile, types: dict[str, Any], room: int) -> dict[str, Builder]:
    return {
        name: TextBuilder(room, file.missing)
        if kind == TEXT
        else NumberBuilder(kind, room, guessed=True)
        for name, kind in types.items()
    }


def _batches(file: CsvFile, types: dict[str, Any]) -> tuple[int, Iterator[list[Any]]]:
    """Return about how many bytes make a batch, and the columns batch by batch."""
    plain = file.encoding == "utf8" and not file.packed
    if plain and MixedBlocks.suit(file.path, file.separator):
        mixed = MixedBlocks(
            *(file.path, file.separator, file.missing, types),
            parse=lambda rows: file.batches(types, rows),
        )
        if (batches := mixed.read()) is not None:
            return mixed.step, batches
    return file.block, file.batches(types)


def types_of_all_rows(
    file: CsvFile, names: list[str], types: dict[str, Any]
) -> dict[str, Any]:
    """Return types that hold for all rows: what does not convert is read as text."""
    types = dict(types)
    doubtful = {name: pa.string() for name in names if types[name] != TEXT}
    with stream_errors(), file.open(names, doubtful) as reader:
        for batch in reader:
            for name, column in zip(doubtful, batch.columns, strict=True):
                while types[name] != TEXT and not _converts(column, types[name]):
                    is_int = types[name] == pa.int64()
                    types[name] = pa.float64() if is_int else TEXT
    return types


def _converts(texts: Any, kind: Any) -> bool:
    try:
        pc.utf8_trim(texts, " \t").cast(kind)
    except pa.ArrowException:
        return False
    return True


@contextlib.contextmanager
def stream_errors() -> Iterator[None]:
    """Tell apart the errors that another pass over the file can mend."""
    try:
        yield
    except pa.ArrowInvalid as error:
        text = str(error)
        if "straddl" in text or "block_size" in text:
            raise SmallBlockError from None
        if "conversion error" in text and "UTF8" not in text:
            raise TypeMismatchError from None
        raise


@contextlib.contextmanager
def clear_errors(path: Path) -> Iterator[None]:
    """Turn what pyarrow raises about a file into one clear sentence."""
    try:
        yield
    except DataError:
        raise
    except (pa.ArrowException, OSError, UnicodeError, EOFError, ValueError) as error:
        raise DataError(_sentence(path, error)) from None


def _ragged(file: CsvFile, text: str) -> str:
    found = re.search(r"Expected (\d+) columns, got (\d+): ?(.*)", text, re.DOTALL)
    wanted, got, row = found.groups() if found else ("?", "?", "")
    where = file.ragged_row() or f"The row {row[:60]!r}"
    mark = stray_separator(file.first_line(), file.separator) if wanted == "1" else None
    way = (
        "check separators and quotes."
        if mark is None
        else f"if {mark!r} stands between columns, say `separator={mark!r}`."
    )
    return (
        f"{where} of {str(file.path)!r} must have as many cells as there are column "
        f"names, {wanted}. Got {got}; {way}"
    )


def _sentence(path: Path, error: Exception) -> str:
    text = " ".join(str(error).split())
    shown = repr(str(path))
    if "Empty CSV file" in text:
        return f"{shown} is empty. A table needs at least a line of column names."
    if isinstance(error, UnicodeError) or "UTF8" in text or "codec" in text:
        return (
            f"{shown} is not in the expected encoding. Say what it is, for example "
            "`encoding='latin-1'`."
        )
    return f"{shown} cannot be read: {text[:200].rstrip('.')}. The file may be damaged."


def load_parquet(path: Path, request: Request) -> Loaded:
    """Load a Parquet file, one column of one row group at a time."""
    with clear_errors(path), pq.ParquetFile(path) as plain:
        schema, about = plain.schema_arrow, plain.metadata
    texts = [f.name for f in schema if pa.types.is_string(f.type)]
    notes: list[Note] = []
    names = unique_names(schema.names, notes)
    kinds = request.kinds(names)
    raws = []
    # As dictionaries, texts are never spelled out row by row.
    with (
        clear_errors(path),
        pq.ParquetFile(path, read_dictionary=texts, metadata=about) as file,
    ):
        seen: Counter[str] = Counter()
        for name, kind, field in zip(names, kinds, file.schema_arrow, strict=True):
            builder = builder_for(
                field.type,
                name,
                file.metadata.num_rows,
                exact=kind is ColumnKind.NOMINAL,
            )
            for chunk in _chunks(file, field, seen[field.name]):
                builder.append(chunk, own=True)
            seen[field.name] += 1
            raws.append(builder.finish())
        n_rows = file.metadata.num_rows
    target = request.find_target(names)
    return Loaded(names, raws, kinds, target, notes=notes, n_rows=n_rows)


def _chunks(file: Any, field: Any, place: int) -> Iterator[Any]:
    """Yield the pieces of one column; `place` counts columns of the same name.

    Numbers come in small pieces, which stay in the caches and reuse their memory,
    unless one piece can become the column as it is; texts come by row group, since
    each piece would bring the whole dictionary along.
    """
    as_it_is = file.num_row_groups == 1 and field.type in (pa.float64(), pa.int64())
    if as_it_is or pa.types.is_dictionary(field.type):
        for group in range(file.num_row_groups):
            table = file.read_row_group(group, [field.name], use_threads=False)
            yield from table.column(place).chunks
        return
    for batch in file.iter_batches(
        ROWS_PER_PIECE, columns=[field.name], use_threads=False
    ):
        yield batch.column(place)
