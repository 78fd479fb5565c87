"""Data sets as the works had them: a folder for each, read once."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from featsieve._types import Array, Codes, Floats
from featsieve.data import Column, ColumnKind, Table, read_table
from featsieve.exceptions import DataError

Loaded = TypeVar("Loaded")
#: Tables kept in memory; trials come data set by data set.
MOST_KEPT = 4
BALLOTS = {"n": -1.0, "y": 1.0}


class DataFolder:
    """A folder with a folder for each data set: train.csv or .parquet, meta.json.

    The path is None where there is none; generated data sets need no folder.
    """

    def __init__(self, path: str | Path | None) -> None:
        self.path = None if path is None else Path(path)
        if self.path is not None and not self.path.is_dir():
            raise DataError(
                f"There is no folder {str(path)!r} of data sets. Name the one that "
                "holds a folder for each of them."
            )
        self._kept: OrderedDict[tuple[str, ...], Any] = OrderedDict()
        self._lock = threading.Lock()

    def has(self, name: str) -> bool:
        """Whether the data set is there."""
        return self._found(name, "train") is not None

    def file(self, name: str, part: str = "train") -> Path:
        """Return the file of a part, train or test, of a data set."""
        found = self._found(name, part)
        if found is None:
            raise DataError(
                f"There is no {part}.csv or {part}.parquet of {name!r} in the data."
            )
        return found

    def _found(self, name: str, part: str) -> Path | None:
        if self.path is None:
            return None
        files = (self.path / name / f"{part}{end}" for end in (".csv", ".parquet"))
        return next((file for file in files if file.is_file()), None)

    def kinds(self, name: str) -> dict[str, Any]:
        """Return the names of the nominal and of the numeric columns, by meta.json."""
        path = self.file(name).with_name("meta.json")
        try:
            kinds = json.loads(path.read_text(encoding="utf-8"))["kinds"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"{str(path)!r} must tell the kinds of columns: "
                '{"kinds": {"age": "numeric", …}}.'
            ) from error
        return {
            "nominal": [column for column, kind in kinds.items() if kind != "numeric"],
            "numeric": [column for column, kind in kinds.items() if kind == "numeric"],
        }

    def note(self, name: str) -> str:
        """Return what meta.json says must be known of the rows, if anything."""
        try:
            path = self.file(name).with_name("meta.json")
            note = json.loads(path.read_text(encoding="utf-8")).get("note", "")
        except (DataError, OSError, ValueError, AttributeError):
            return ""  # that a set is not there, or not described, is told elsewhere
        return str(note)

    def once(self, key: tuple[str, ...], make: Callable[[], Loaded]) -> Loaded:
        """Return what `make` returns, from memory if it was asked for lately."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            else:
                self._kept[key] = make()
                while len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
            return self._kept[key]


def typed_table(data: DataFolder, name: str, part: str = "train") -> Table:
    """Return a data set with the kinds of columns that its description tells."""

    def read() -> Table:
        kinds = data.kinds(name)
        return read_table(
            data.file(name, part), target="class", missing_values=[], **kinds
        )

    return data.once(("typed", name, part), read)


def numeric_table(data: DataFolder, name: str, part: str = "train") -> Table:
    """Return a data set as numbers; a vote is -1, 0 (not recorded) or 1."""

    def read() -> Table:
        table = read_table(data.file(name, part), target="class")
        return Table(tuple(map(_as_numbers, table)), table.target)

    return data.once(("numeric", name, part), read)


def _as_numbers(column: Column) -> Column:
    if not column.is_nominal:
        return column
    if set(column.levels) <= set(BALLOTS):
        levels = [BALLOTS[str(level)] for level in column.levels]
        unknown = 0.0
    else:
        levels, unknown = [float(str(level)) for level in column.levels], np.nan
    values = np.array([*levels, unknown])[column.values]  # a missing code is -1
    return Column(column.name, ColumnKind.NUMERIC, values)


def numbers(data: DataFolder, name: str) -> tuple[Floats, Array]:
    """Return the rows without missing values, and codes of their classes."""
    table = numeric_table(data, name)
    X = np.column_stack([column.values for column in table]).astype(float)
    complete = ~np.isnan(X).any(axis=1)
    return X[complete], class_codes(table)[complete]


def class_codes(table: Table) -> Codes:
    """Return the codes of the classes of a table that has them."""
    if table.target is None or not table.target.is_nominal:
        raise DataError(
            "The data set must have classes in its column 'class'. Mark it as nominal "
            "in its meta.json."
        )
    return table.target.values
