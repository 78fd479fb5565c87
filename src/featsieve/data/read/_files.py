"""CSV and Parquet files, streamed through pyarrow into encoded columns."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from featsieve.data._table import ColumnKind, Note
from featsieve.data.read._encode import (
    CodeBuilder,
    Codes,
    NumberBuilder,
    TextBuilder,
    builder_for,
)
from featsieve.data.read._settle import Loaded, Request, stray_separator, unique_names
from featsieve.exceptions import DataError

if TYPE_CHECKING:
    from featsieve.data.read._read_table import TextFormat

# Large enough that per-block work does not show, small enough for the caches: blocks
# of 16 MB take half as much processor time again.
BLOCK_BYTES = 1 << 20
LARGEST_BLOCK = 1 << 30
DEFAULT_MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")
ROWS_PER_PIECE = 1 << 16
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
TEXT = pa.large_string()
# Up to here a ragged file is read again just to say which row is at fault.
MOST_BYTES_FOR_ROW_SEARCH = 1 << 28


class SmallBlockError(Exception):
    """A row is longer than a block."""


class TypeMismatchError(Exception):
    """A later block does not have the type that the first one promised."""


@dataclass(frozen=True, slots=True)
class CsvFile:
    """How to open one CSV file, again and again."""

    path: Path
    separator: str
    encoding: str
    missing: tuple[str, ...]
    decimal: str
    block: int

    @classmethod
    def of(cls, path: Path, text: TextFormat, missing: Sequence[Any] | None) -> CsvFile:
        """Return a file as it was asked for; None are the usual words for missing."""
        words = DEFAULT_MISSING if missing is None else ("", *map(str, missing))
        # Under any other name of UTF-8 pyarrow sends every block through Python's
        # codecs.
        plain = codecs.lookup(text.encoding).name == "utf-8"
        encoding = "utf8" if plain else text.encoding
        mark = text.between_cells(path)
        return cls(path, mark, encoding, words, text.decimal, BLOCK_BYTES)

    @property
    def packed(self) -> bool:
        return self.path.suffix.lower() == ".gz"

    def open(self, names: list[str] | None, types: dict[str, Any] | None) -> Any:
        """Return a reader of record batches; with `names`, the header is skipped."""
        read = pa_csv.ReadOptions(block_size=self.block, encoding=self.encoding)
        if names is not None:
            read.column_names = names
            read.skip_rows_after_names = 1
        convert = pa_csv.ConvertOptions(
            null_values=list(self.missing),
            strings_can_be_null=True,
            decimal_point=self.decimal,
        )
        if types is not None:
            convert.column_types = types
            convert.include_columns = list(types)
        # pyarrow reads a path it opened itself with less effort than a stream.
        source = self._stream() if self.packed else str(self.path)
        return pa_csv.open_csv(source, read, self._parse_options(), convert)

    def _stream(self) -> Any:
        return pa.input_stream(str(self.path), "gzip" if self.packed else None)

    def batches(self, types: dict[str, Any]) -> Iterator[list[Any]]:
        """Yield the columns, batch by batch."""
        with self.open(list(types), types) as reader:
            for batch in reader:
                yield batch.columns

    def _parse_options(self) -> Any:
        # Line breaks within quotes are always looked out for: it costs next to nothing.
        return pa_csv.ParseOptions(delimiter=self.separator, newlines_in_values=True)

    def converts(self, texts: Any, kind: Any) -> bool:
        """Whether all texts can be read as of some type."""
        if self.decimal != "." and pa.types.is_floating(kind):
            if pc.any(pc.match_substring(texts, ".")).as_py():
                return False
            texts = pc.replace_substring(texts, self.decimal, ".")
        try:
            pc.utf8_trim(texts, " \t").cast(kind)
        except pa.ArrowException:
            return False
        return True

    def header_alone(self) -> list[str]:
        """Return the names in a file that ends within its first line."""
        with pa.input_stream(str(self.path), "gzip" if self.packed else None) as stream:
            text = stream.read().decode(self.encoding).strip()
        if not text:
            raise pa.ArrowInvalid("Empty CSV file")
        parse = self._parse_options()
        line = io.BytesIO(f"{text}\n".encode())
        try:
            return pa_csv.open_csv(line, parse_options=parse).schema.names
        except pa.ArrowInvalid:
            raise DataError(
                f"The line of column names in {str(self.path)!r} has a quote that is "
                "never closed. Close it."
            ) from None

    def first_line(self) -> list[str]:
        """Return where names begin, as a file of one column has them."""
        with self._stream() as stream:
            start = stream.read(1 << 16).decode(self.encoding, errors="replace")
        return start.splitlines()[:1]

    def ragged_row(self) -> str:
        """Return which row has a wrong number of cells, as far as can be told."""
        if self.path.stat().st_size > MOST_BYTES_FOR_ROW_SEARCH:
            return ""
        read = pa_csv.ReadOptions(encoding=self.encoding, use_threads=False)
        try:
            with self._stream() as stream:
                pa_csv.read_csv(stream, read, self._parse_options())
        except (pa.ArrowInvalid, OSError, UnicodeError) as error:
            # Only reading without threads counts rows: from 1, and with the header.
            if found := re.search(r"Row #(\d+): Expected", str(error)):
                return f"Row {int(found[1]) - 2}"
        return ""


def load_csv(path: Path, request: Request, text: TextFormat) -> Loaded:
    """Load a CSV or TSV file."""
    file = CsvFile.of(path, text, request.missing_values)
    with clear_errors(path):
        with path.open("rb") as stream:
            start = stream.read(2)
        if start in UTF16_MARKS and file.encoding == "utf8":
            raise DataError(f"{str(path)!r} is UTF-16 text. Say `encoding='utf-16'`.")
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
                    raise DataError(
                        f"{str(path)!r} has a row of more than a gigabyte. Check "
                        "whether a quote is never closed."
                    ) from None
        _note_quotes(file, loaded)
    return loaded


def _note_quotes(file: CsvFile, loaded: Loaded) -> None:
    """Look out for a quote that is never closed and so swallows rows into a cell."""
    texts = [raw.levels for raw in loaded.raws if isinstance(raw, Codes)]
    if not any("\n" in level for levels in texts for level in levels):
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
            raise DataError(
                f"The column name {name!r} in {str(file.path)!r} holds a null "
                "character. Check the file and its `encoding`."
            )
    names = unique_names(header, notes)
    if (other := stray_separator(header, file.separator)) is not None:
        text = (
            f"The file has one column, whose name holds {other!r}. If that stands "
            f"between columns, say `separator={other!r}`."
        )
        notes.append(Note("separator", header[0], text))
    kinds = request.kinds(names)
    target = request.find_target(names)
    n_rows = 0
    builders: dict[str, Any] = {name: CodeBuilder() for name in names}
    if guesses is not None:
        types = {
            name: read_as(guesses[i], kinds[i], is_target=i == target)
            for i, name in enumerate(names)
        }
        builders, n_rows = _fill_right(file, types)
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


def _fill_right(file: CsvFile, types: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Read the file, and again if the first block misled about its types."""
    with contextlib.suppress(TypeMismatchError):
        return _fill(file, types)
    with contextlib.suppress(TypeMismatchError):
        return _fill(file, types_of_all_rows(file, types))
    return _fill(file, dict.fromkeys(types, TEXT))


def _fill(file: CsvFile, types: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Read the file once, batch by batch, into one builder per column."""
    builders: dict[str, Any] = {}
    n_rows = 0
    with stream_errors():
        for columns in file.batches(types):
            if not builders:
                # The first batch tells how many rows to expect; room that stays
                # untouched costs nothing.
                n_batches = max(file.path.stat().st_size / file.block, 1)
                room = int(len(columns[0]) * n_batches * 1.1) + 16
                builders = _builders(types, room)
            for builder, column in zip(builders.values(), columns, strict=True):
                builder.append(column)
            n_rows += len(columns[0])
    return builders or _builders(types, 0), n_rows


def _builders(types: dict[str, Any], room: int) -> dict[str, Any]:
    return {
        name: TextBuilder(room) if kind == TEXT else NumberBuilder(kind, room)
        for name, kind in types.items()
    }


def types_of_all_rows(file: CsvFile, types: dict[str, Any]) -> dict[str, Any]:
    """Return types that hold for all rows: what does not convert is read as text."""
    types = dict(types)
    doubtful = {name: pa.string() for name in types if types[name] != TEXT}
    with stream_errors(), file.open(list(types), doubtful) as reader:
        for batch in reader:
            for name, column in zip(doubtful, batch.columns, strict=True):
                while types[name] != TEXT and not file.converts(column, types[name]):
                    is_int = types[name] == pa.int64()
                    types[name] = pa.float64() if is_int else TEXT
    return types


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
    except (pa.ArrowException, OSError, EOFError, ValueError, zlib.error) as error:
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
