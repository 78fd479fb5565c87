"""Read a table from memory or from a file, and report what looks wrong in it."""

from __future__ import annotations

import codecs
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from featsieve._checks import check_choice, check_that
from featsieve.data._table import Column, ColumnKind, Note, Table
from featsieve.data.read._arff import load_arff
from featsieve.data.read._encode import Codes, Numbers, Raw
from featsieve.data.read._files import load_csv, load_parquet
from featsieve.data.read._frames import load_memory, load_values
from featsieve.data.read._settle import (
    Loaded,
    Request,
    listed_values,
    settle_column,
    settle_target,
    unique_names,
)
from featsieve.exceptions import DataError, DroppedRowsWarning

SUFFIXES = ".csv, .tsv, .tab, .arff (each also with .gz), .parquet, .pq"
# Of a table that is read again: what is found again, and what another kind settles.
FOUND_AGAIN = ("large_integers", "target_kind")
ABOUT_KINDS = ("numbers_as_text", "text_in_numbers")
NOTHING = Numbers(np.empty(0))


def read_table(
    source: Any,
    target: Any = None,
    *,
    nominal: Sequence[str | int] | str | None = None,
    numeric: Sequence[str | int] | str | None = None,
    missing_values: Sequence[Any] | None = None,
    target_kind: str | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    decimal: str = ".",
) -> Table:
    """Read a table into typed columns, and note what looks wrong in it.

    Nothing is repaired silently: what a person should know is in ``table.notes``, and
    what cannot be read right raises a `DataError` that names the column and the way
    out.

    The kind of a column comes from its type. Text, categories and truth values are
    nominal; numbers are numeric; dates become days since 1970-01-01, durations days,
    times of day a fraction of a day. In CSV and TSV files the type is read off all the
    values, never off the first ones only. `nominal` and `numeric` override this.

    Levels of nominal columns are sorted (numbers by value, text by code point), so the
    order of rows does not matter; declared levels (pandas categories, polars enums,
    ordered arrow dictionaries, ARFF) keep their order, unused ones too.

    Parameters
    ----------
    source : frame, array, mapping, list, path or Table
        A pandas, polars or pyarrow table (or another one that narwhals knows), a 2-D
        or structured NumPy array, a mapping of columns, a list of dictionaries or of
        rows, or the path of a .csv, .tsv, .tab, .arff (each also with .gz), .parquet
        or .pq file. A `Table` is returned as it is unless something is asked.
    target : str, int, array-like or None, default=None
        The column to be explained, by name, by position (-1 is the last), or as values
        of its own. Rows without a target are left out with a `DroppedRowsWarning`.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Columns, by name or position, whose kind is not the one of their type. "all"
        means all features that the other parameter does not name.
    missing_values : sequence or None, default=None
        Values that count as missing, beside null and NaN. For CSV and TSV the default
        is "NA", "N/A", "NaN", "nan", "null", "NULL" and "?"; what is given replaces
        this list, while an empty cell is missing always. In ARFF it is always "?".
    target_kind : {"nominal", "numeric"} or None, default=None
        Kind of the target. By default text, categories and truth values are classes,
        and so are whole numbers with few different values: up to 100 for integers,
        up to 20 for floats. All other numbers are quantities.
    separator : str or None, default=None
        What stands between the cells of a CSV file; by default a comma, or a tab in
        .tsv and .tab files.
    encoding : str, default="utf-8"
        Encoding of a CSV or ARFF file.
    decimal : {".", ","}, default="."
        The mark before the decimals of numbers in a CSV file.

    Returns
    -------
    Table
        Numeric columns are float64 with NaN for missing, nominal ones int32 codes with
        -1 for missing.

    Notes
    -----
    CSV and Parquet files are streamed: memory holds the encoded columns and one batch.
    A number in a CSV column that reads as text after the first megabytes costs two
    more passes. Rows are numbered from 0 in notes and errors.

    Examples
    --------
    >>> from featsieve.data import read_table
    >>> rows = [
    ...     {"age": 31, "colour": "red", "buys": "yes"},
    ...     {"age": 42, "colour": "blue", "buys": "no"},
    ...     {"age": None, "colour": "red", "buys": "yes"},
    ... ]
    >>> table = read_table(rows, target="buys")
    >>> table.names, table["colour"].levels, table["colour"].values.tolist()
    (('age', 'colour'), ('blue', 'red'), [1, 0, 1])
    >>> [note.message for note in table.notes]
    ["Class 'no' of target 'buys' has one row."]
    """
    kind = kind_of_target(target_kind, "read_table")
    text = TextFormat(separator, encoding, decimal).check("read_table")
    asked = (target, nominal, numeric, missing_values, target_kind)
    if isinstance(source, Table) and all(item is None for item in asked):
        text.refuse("a table in memory")
        return source
    by_name = isinstance(target, (str, int, np.integer)) and not isinstance(
        target, bool
    )
    missing = listed_values(missing_values)
    named = target if by_name else None
    request = Request(named, nominal, numeric, missing, kind, decimal)
    loaded = _load(source, request, text)
    if target is not None and not by_name:
        _attach_target(loaded, target, kind)
    return build_table(loaded, request)


def kind_of_target(given: str | None, owner: str) -> ColumnKind | None:
    """Return the kind that was asked for, or raise if there is no such kind."""
    if given is None:
        return None
    check_choice("target_kind", given, ("nominal", "numeric"), owner)
    return ColumnKind(given)


def _load(source: Any, request: Request, text: TextFormat) -> Loaded:
    if not isinstance(source, (str, os.PathLike)):
        text.refuse("a table in memory")
        load = _load_table if isinstance(source, Table) else load_memory
        return load(source, request)
    path = Path(source)
    if not path.exists():
        way = "Check the path."
        if str(path) == "-":
            way = "Files are read more than once: save the input as a file first."
        raise DataError(f"There is no file {str(path)!r}. {way}")
    if path.is_dir():
        msg = f"{str(path)!r} is a directory. Give the path of one file ({SUFFIXES})."
        raise DataError(msg)
    if not path.is_file():  # opening a pipe without a writer would wait for ever
        raise DataError(
            f"{str(path)!r} is a pipe or a device, and files are read more than once. "
            "Save it as a file first."
        )
    path.open("rb").close()  # a file we may not read is not damaged
    suffix = format_suffix(path)
    if suffix in SEPARATORS:
        return load_csv(path, request, text)
    if suffix == ".arff":
        text.refuse("an ARFF file", encoded=True)
        return load_arff(path, request, text.encoding)
    if suffix in (".parquet", ".pq") and path.suffix.lower() != ".gz":
        text.refuse("a Parquet file")
        return load_parquet(path, request)
    raise DataError(
        f"The name of {str(path)!r} does not tell its format. Rename it to one of "
        f"{SUFFIXES}."
    )


def _load_table(table: Table, request: Request) -> Loaded:
    """Take a table apart again, so that its kinds or target can be changed."""
    columns = list(table.columns)
    if table.target is not None:
        columns.append(table.target)
    names = [column.name for column in columns]
    kinds = request.kinds(names)
    target = request.find_target(names)
    if target is None and table.target is not None:
        target = len(columns) - 1
        kinds[target] = request.target_kind or kinds[target] or table.target.kind
    raws: list[Raw] = [
        Codes(c.values, list(c.levels), declared=True)
        if c.is_nominal
        else Numbers(c.values)
        for c in columns
    ]
    asked = {name for name, kind in zip(names, kinds, strict=True) if kind is not None}
    notes = [
        note
        for note in table.source_notes
        if note.code not in FOUND_AGAIN
        and not (note.column in asked and note.code in ABOUT_KINDS)
    ]
    return Loaded(names, raws, kinds, target, notes=notes, n_rows=table.n_rows)


def _attach_target(loaded: Loaded, values: Any, kind: ColumnKind | None) -> None:
    """Add a target that was given as values of its own."""
    raw, name = load_values(values, exact=kind is ColumnKind.NOMINAL or None)
    n_values = len(raw.values if isinstance(raw, Numbers) else raw.codes)
    if n_values != loaded.n_rows and loaded.names:
        raise DataError(
            f"The target must have one value per row. Got {n_values} values for "
            f"{loaded.n_rows} rows."
        )
    names = unique_names([*loaded.names, name or "target"], loaded.notes)
    loaded.names, loaded.n_rows = names, n_values
    loaded.raws.append(raw)
    loaded.kinds.append(kind)
    loaded.target = len(names) - 1


def build_table(loaded: Loaded, request: Request) -> Table:
    """Settle every column, and drop rows without a target."""
    notes = loaded.notes
    columns: list[Column] = []
    target = None
    for i, name in enumerate(loaded.names):
        settle = settle_target if i == loaded.target else settle_column
        raw, loaded.raws[i] = loaded.raws[i], NOTHING  # so that memory can be freed
        column, found = settle(name, raw, loaded.kinds[i], request, loaded.infer)
        notes.extend(found)
        if i == loaded.target:
            target = column
        else:
            columns.append(column)
    table = Table(tuple(columns), target, tuple(notes), loaded.n_rows)
    return table if target is None else _drop_missing_target(table, target)


def _drop_missing_target(table: Table, target: Column) -> Table:
    missing = target.missing
    n_missing = int(np.count_nonzero(missing))
    if not n_missing:
        return table
    if n_missing == table.n_rows:
        raise DataError(
            f"Target {target.name!r} is missing in all {n_missing} rows. Choose "
            "another target or check `missing_values`."
        )
    message = (
        f"{n_missing} of {table.n_rows} rows have no target {target.name!r} and are "
        "left out."
    )
    warnings.warn(message, DroppedRowsWarning, stacklevel=4)
    kept = table.take(np.flatnonzero(~missing))
    note = Note("missing_target", target.name, message)
    return Table(kept.columns, kept.target, (*table.source_notes, note), kept.n_rows)


#: What stands between cells unless something else is said, by the name of the file.
SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}


def format_suffix(path: Path) -> str:
    """Return the suffix that tells a format, without the one of packing."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = suffixes[-1:] == [".gz"]
    return "".join(suffixes[-2:-1] if packed else suffixes[-1:])


@dataclass(frozen=True, slots=True)
class TextFormat:
    """What was asked about text files; the defaults ask for nothing."""

    separator: str | None = None
    encoding: str = "utf-8"
    decimal: str = "."

    def check(self, owner: str) -> TextFormat:
        """Return this, or raise if no text file can be written so."""
        mark = self.separator
        good = isinstance(mark, str) and len(mark) == 1 and mark.isascii()
        good = mark is None or (good and mark not in '"\r\n\0')
        single = "a single ASCII character other than a quote or a line break"
        check_that(good, "separator", mark, owner, single)
        known = "an encoding of text that Python knows"
        good = _is_encoding(self.encoding)
        check_that(good, "encoding", self.encoding, owner, known)
        good = self.decimal in (".", ",")
        check_that(good, "decimal", self.decimal, owner, "'.' or ','")
        return self

    def between_cells(self, path: Path) -> str:
        """Return what stands between the cells of a file."""
        mark = self.separator or SEPARATORS[format_suffix(path)]
        if mark == self.decimal:
            raise DataError(
                f"In {str(path)!r} {mark!r} cannot stand both between cells and in "
                "numbers. Say `separator=';'`, or what it is."
            )
        return mark

    def refuse(self, what: str, *, encoded: bool = False) -> None:
        """Raise if something was asked that means nothing to such a source."""
        for option in fields(self):
            idle = option.name != "encoding" or not encoded
            if idle and getattr(self, option.name) != option.default:
                whom = "text files" if option.name == "encoding" else "CSV files"
                raise DataError(
                    f"`{option.name}=` is for {whom}, and this is {what}. Leave it out."
                )


def _is_encoding(encoding: Any) -> bool:
    """Whether bytes can be made text by it, in the way pyarrow asks for it."""
    try:
        "".encode(encoding)  # refuses codecs of other things than text
        codecs.lookup(encoding).decode(pa.py_buffer(b"a"))
    except UnicodeError:  # other bytes may be right
        return True
    except (LookupError, TypeError, ValueError, AttributeError):
        return False
    return True
