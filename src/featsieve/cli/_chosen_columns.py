"""Take the chosen columns out of the file they came from, cells as they stand there."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from featsieve._writing import whole_file, write_whole
from featsieve.cli._options import Source, list_of_values
from featsieve.data import Table
from featsieve.data._blocks import DEFAULT_MISSING, LARGEST_BLOCK, SmallBlockError
from featsieve.data._files import (
    BLOCK_BYTES,
    TEXT,
    CsvFile,
    clear_errors,
    first_look,
    stream_errors,
)
from featsieve.data._settle import unique_names

__all__ = ["write_selected"]

#: What the cells of a numeric column are tried as; those that are none stay text.
TYPES_OF_NUMBERS = (
    pa.int64(),
    pa.float64(),
    pa.date32(),
    pa.timestamp("us"),
    pa.timestamp("us", "UTC"),
)


def write_selected(
    source: Source, table: Table, features: Sequence[str], out: Path
) -> None:
    """Write the selected columns and the target, cells as they are in the source."""
    assert table.target is not None  # the selection needed one
    chosen = {*features, table.target.name}
    suffixes = [s.lower() for s in source.path.suffixes]
    kind = suffixes[-2] if suffixes[-1] == ".gz" else suffixes[-1]
    if kind in (".parquet", ".pq"):
        with pq.ParquetFile(source.path) as file:
            whole = file.read()
        whole = whole.rename_columns(unique_names(whole.column_names, []))
        wanted = [name for name in table.names if name in chosen]
        _write_arrow(whole.select([*wanted, table.target.name]), out)
    elif kind in (".csv", ".tsv", ".tab"):
        separator = source.separator or ("," if kind == ".csv" else "\t")
        cells = _cells(source, separator, chosen)
        if out.suffix.lower() == ".parquet":
            _write_arrow(_typed(cells, source, table), out)
        else:
            _write_text(cells, out)
    else:
        X, y = table.select([n for n in table.names if n in chosen]).to_arrow()
        _write_arrow(_plain(X.append_column(table.target.name, y)), out)


def _cells(source: Source, separator: str, chosen: set[str]) -> pa.Table:
    """Return columns of a text file as text, found as reading the table found them."""
    encoding = source.encoding
    if codecs.lookup(encoding).name == "utf-8":
        encoding = "utf8"
    # Nothing is missing yet: a cell that says so is to be copied.
    file = CsvFile(source.path, separator, encoding, (), BLOCK_BYTES)
    with clear_errors(source.path):
        while True:
            try:
                names = unique_names(first_look(file)[0], [])
                types = {name: TEXT for name in names if name in chosen}
                with stream_errors(), file.open(names, types) as reader:
                    return reader.read_all()
            except SmallBlockError:  # a row that is longer than a block
                if file.block >= LARGEST_BLOCK:
                    raise
                file = replace(file, block=min(file.block * 8, LARGEST_BLOCK))


def _write_text(cells: pa.Table, out: Path) -> None:
    text = io.StringIO(newline="")
    delimiter = "\t" if out.suffix.lower() == ".tsv" else ","
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(cells.column_names)
    for batch in cells.to_batches():
        writer.writerows(zip(*(c.to_pylist() for c in batch.columns), strict=True))
    write_whole(out, text.getvalue())


def _typed(cells: pa.Table, source: Source, table: Table) -> pa.Table:
    """Return text as numbers and dates where it was read so, with gaps for missing."""
    given = list_of_values(source.missing_values)
    texts = [value for value in given or [] if isinstance(value, str)]
    missing = pa.array(DEFAULT_MISSING if given is None else ["", *texts], TEXT)
    figures = [value for value in given or [] if isinstance(value, float)]
    columns = []
    for name in cells.column_names:
        column = cells.column(name)
        column = pc.if_else(pc.is_in(column, missing), pa.scalar(None, TEXT), column)
        column = column.cast(pa.string())
        nominal = table[name].is_nominal
        columns.append(column if nominal else _numbers(column, figures))
    return pa.Table.from_arrays(columns, names=cells.column_names)


def _numbers(texts: Any, missing: list[float]) -> Any:
    trimmed = pc.utf8_trim(texts, " \t")
    for kind in TYPES_OF_NUMBERS:
        try:
            numbers = trimmed.cast(kind)
        except pa.ArrowException:
            continue
        if missing and not pa.types.is_temporal(kind):
            gone = pc.is_in(numbers.cast(pa.float64()), pa.array(missing))
            numbers = pc.if_else(gone, pa.scalar(None, kind), numbers)
        return numbers
    return texts


def _plain(table: pa.Table) -> pa.Table:
    """Return dictionaries and views, which no text file has, as what they stand for."""
    columns = [_spelled_out(column) for column in table.columns]
    return pa.Table.from_arrays(columns, names=table.column_names)


def _spelled_out(column: Any) -> Any:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if str(column.type) == "string_view":  # older versions have no test for it
        column = column.cast(TEXT)
    return column


def _write_arrow(table: pa.Table, out: Path) -> None:
    if out.suffix.lower() == ".parquet":
        with whole_file(out) as beside:
            pq.write_table(table, beside)
        return
    delimiter = "\t" if out.suffix.lower() == ".tsv" else ","
    options = pa_csv.WriteOptions(delimiter=delimiter, quoting_style="needed")
    with whole_file(out) as beside:
        pa_csv.write_csv(_plain(table), beside, options)
