"""Take columns out of a file into another, cells as they stand there."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from featsieve._text import whole_file, write_whole
from featsieve.data.read._encode import is_number
from featsieve.data.read._files import (
    LARGEST_BLOCK,
    TEXT,
    CsvFile,
    SmallBlockError,
    clear_errors,
    first_look,
    stream_errors,
)
from featsieve.data.read._read_table import (
    SEPARATORS,
    TextFormat,
    format_suffix,
    read_table,
)
from featsieve.data.read._settle import listed_values, unique_names
from featsieve.exceptions import DataError

FORMATS = (".csv", ".tsv", ".parquet")
#: What the cells of a numeric column are tried as; those that are none stay text.
TYPES_OF_NUMBERS = (
    pa.int64(),
    pa.float64(),
    pa.date32(),
    pa.timestamp("us"),
    pa.timestamp("us", "UTC"),
)


def copy_columns(
    source: str | os.PathLike[str],
    names: Sequence[str],
    path: str | os.PathLike[str],
    *,
    nominal: Sequence[str] = (),
    missing_values: Sequence[Any] | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    decimal: str = ".",
) -> Path:
    r"""Copy some columns of a file to another file, cells as they stand there.

    Leading zeros, dates and words for missing values of a CSV file stay what they are
    in a CSV file; in a Parquet file they get types.

    Parameters
    ----------
    source : path
        A single file that `read_table` reads.
    names : sequence of str
        The columns, as `read_table` calls them; they keep the order of the file.
    path : path
        The new file: .csv, .tsv or .parquet.
    nominal : sequence of str, default=()
        Columns of a CSV file that stay text in a Parquet file. Others become numbers
        or dates if all their cells are such.
    missing_values, separator, encoding, decimal
        As in `read_table`.

    Returns
    -------
    Path
        The new file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from featsieve.data import copy_columns
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> source, chosen = folder / "all.csv", folder / "chosen.csv"
    >>> _ = source.write_text("code,noise,y\n007,3,a\n012,5,b\n")
    >>> print(copy_columns(source, ["code", "y"], chosen).read_text(), end="")
    code,y
    007,a
    012,b
    """
    given, out = Path(source), Path(path)
    text = TextFormat(separator, encoding, decimal).check("copy_columns")
    if out.suffix.lower() not in FORMATS:
        message = f"Columns are copied to {', '.join(FORMATS)} files. Got {str(out)!r}."
        raise DataError(message)
    suffix = format_suffix(given)
    if suffix in SEPARATORS:
        gone = listed_values(missing_values)
        file = CsvFile.of(given, text, gone)
        # Nothing is missing yet: a cell that says so is to be copied.
        cells = _cells(replace(file, missing=()), names)
        if out.suffix.lower() == ".parquet":
            numbers = [float(v) for v in gone or () if is_number(v)]
            _write_arrow(_typed(cells, nominal, file.missing, numbers, decimal), out)
        else:
            _write_text(cells, out)
    elif suffix in (".parquet", ".pq"):
        with clear_errors(given), pq.ParquetFile(given) as file:
            whole = file.read()
        whole = whole.rename_columns(unique_names(whole.column_names, []))
        _write_arrow(_chosen(whole, names), out)
    else:
        whole, _ = read_table(given, encoding=encoding).to_arrow()
        _write_arrow(_plain(_chosen(whole, names)), out)
    return out


def _chosen(table: pa.Table, columns: Sequence[str]) -> pa.Table:
    _demand(columns, table.column_names)
    return table.select([name for name in table.column_names if name in columns])


def _demand(columns: Sequence[str], names: Sequence[str]) -> None:
    gone = [name for name in columns if name not in names]
    if gone:
        raise DataError(f"The file has no column {gone[0]!r} to copy.")


def _cells(file: CsvFile, columns: Sequence[str]) -> pa.Table:
    """Return columns of a text file as text, found as reading the table found them."""
    with clear_errors(file.path):
        while True:
            try:
                names = unique_names(first_look(file)[0], [])
                _demand(columns, names)
                types = {name: TEXT for name in names if name in columns}
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


def _typed(
    cells: pa.Table,
    nominal: Sequence[str],
    missing: Sequence[str],
    numbers: list[float],
    decimal: str,
) -> pa.Table:
    """Return text as numbers and dates where it is such, with gaps for missing."""
    gaps = pa.array(missing, TEXT)
    columns = []
    for name in cells.column_names:
        column = cells.column(name)
        column = pc.if_else(pc.is_in(column, gaps), pa.scalar(None, TEXT), column)
        column = column.cast(pa.string())
        columns.append(
            column if name in nominal else _numbers(column, numbers, decimal)
        )
    return pa.Table.from_arrays(columns, names=cells.column_names)


def _numbers(texts: Any, missing: list[float], decimal: str) -> Any:
    trimmed = pc.replace_substring(pc.utf8_trim(texts, " \t"), decimal, ".")
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
