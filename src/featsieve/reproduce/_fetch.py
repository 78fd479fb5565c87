"""Data sets from OpenML, kept in the layout of a folder of data."""

from __future__ import annotations

import hashlib
import json
import tempfile
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from sklearn import datasets

from featsieve._types import Array
from featsieve.data import Column, Table
from featsieve.exceptions import DataError
from featsieve.reproduce._data import (
    NOT_THERE,
    SOURCES,
    DataFolder,
    Source,
    typed_table,
)

#: From so many rows on a file is Parquet.
LARGE = 100_000
OTHER_ROWS = "OpenML's {} has other rows than those our numbers were checked with."


class _OtherTableError(Exception):
    """What is there is not the data set of the works."""


def default_folder() -> Path:
    """Return where data sets are kept: beside scikit-learn's own."""
    return Path(datasets.get_data_home()) / "featsieve"


def fetch_datasets(names: Iterable[str], folder: Path) -> dict[str, str]:
    """Bring data sets into a folder, and say why some cannot be had."""
    reasons: dict[str, str] = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        present = DataFolder(folder)
        for name in names:
            if present.has(name):
                continue
            if name not in SOURCES:
                reasons[name] = NOT_THERE.get(name, "OpenML does not have it.")
                continue
            try:
                _fetch(SOURCES[name], folder)
            except _OtherTableError as error:
                reasons[name] = str(error)
    except OSError as error:
        raise DataError(
            f"Cannot keep data sets in {str(folder)!r}: {error.strerror}."
        ) from error
    return reasons


def _fetch(source: Source, folder: Path) -> None:
    columns, classes = _load(source)
    _check(source, classes)
    table = pa.table(columns | {"class": pa.array(classes)})
    with tempfile.TemporaryDirectory(prefix=".fetching-", dir=folder) as work:
        same = False
        for start in dict.fromkeys((0, source.n_test)):  # which file comes first
            _write(source, table, start, Path(work) / source.folder)
            same = mark_of(typed_table(DataFolder(work), source.folder)) == source.mark
            if same:
                break
        if not same and source.n_test:
            message = OTHER_ROWS.format(source.name)
            raise _OtherTableError(
                f"{message} Which of them were for training cannot be told."
            )
        note = "" if same else OTHER_ROWS.format(source.name)
        _describe(source, list(columns), note, Path(work) / source.folder)
        _move(Path(work) / source.folder, folder / source.folder)


def _load(source: Source) -> tuple[dict[str, pa.Array], list[str]]:
    """Return the columns and the classes of a data set, from the network."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that it tries once more
            if source.data_id is None:
                found = getattr(datasets, source.name)()
            else:
                found = datasets.fetch_openml(
                    data_id=source.data_id,
                    as_frame=False,
                    parser="liac-arff",  # needs no pandas
                    n_retries=1,
                )
    except OSError as error:
        why = getattr(error, "reason", None) or error
        raise DataError(
            f"Cannot fetch {source.folder!r} from the network ({why}). Say where the "
            "data sets are instead: --data DIR, data=DIR in Python."
        ) from error
    except ValueError as error:  # OpenML's own errors are such
        raise _OtherTableError(
            f"OpenML does not give its {source.name}: {error}"
        ) from error
    name = getattr(found, "details", {}).get("name", source.name)
    if name.lower() != source.name.lower():
        raise _OtherTableError(
            f"Number {source.data_id} of OpenML is {name!r}, not {source.name!r}."
        )
    names = source.names or tuple(found.feature_names)
    if found.data.shape[1] != len(source.nominal):
        raise _OtherTableError(
            f"OpenML's {source.name} has {found.data.shape[1]} columns instead of "
            f"{len(source.nominal)}."
        )
    levels = getattr(found, "categories", None) or {}
    columns = {
        name: _column(found.data[:, j], levels.get(own), nominal=source.nominal[j])
        for j, (name, own) in enumerate(zip(names, found.feature_names, strict=True))
    }
    return columns, [str(_text(label)).removesuffix(".") for label in found.target]


def _column(values: Array, levels: list[str] | None, *, nominal: bool) -> pa.Array:
    """Return a column as texts if it is nominal, else as numbers."""
    if levels is not None:
        texts = [None if np.isnan(v) else levels[int(v)] for v in values.astype(float)]
        return pa.array(texts, pa.string())
    if not nominal:
        return pa.array(values.astype(float), from_pandas=True)
    distinct, codes = np.unique(values, return_inverse=True)
    return pa.array(map(_text, distinct.tolist()), pa.string()).take(codes)


def _text(value: Any) -> str | None:
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float):
        if np.isnan(value):
            return None
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value)


def _check(source: Source, classes: list[str]) -> None:
    expected = source.n_rows + source.n_test
    if len(classes) != expected:
        raise _OtherTableError(
            f"OpenML's {source.name} has {len(classes)} rows instead of {expected}."
        )
    if len(set(classes)) != source.n_classes:
        raise _OtherTableError(
            f"OpenML's {source.name} has {len(set(classes))} classes instead of "
            f"{source.n_classes}."
        )


def _write(source: Source, table: pa.Table, start: int, folder: Path) -> None:
    """Write the training rows, which begin at `start`, and the others as a test."""
    folder.mkdir(exist_ok=True)
    _write_rows(table.slice(start, source.n_rows), folder / "train")
    if source.n_test:
        others = table.slice(0, start) if start else table.slice(source.n_rows)
        _write_rows(others, folder / "test")
    _describe(source, table.column_names[:-1], "", folder)


def _write_rows(table: pa.Table, path: Path) -> None:
    if table.num_rows >= LARGE:
        pyarrow.parquet.write_table(table, path.with_suffix(".parquet"))
        return
    pyarrow.csv.write_csv(
        table,
        path.with_suffix(".csv"),
        pyarrow.csv.WriteOptions(quoting_style="needed"),
    )


def _describe(source: Source, names: list[str], note: str, folder: Path) -> None:
    kinds = ("nominal" if nominal else "numeric" for nominal in source.nominal)
    place = "scikit-learn" if source.data_id is None else f"OpenML {source.data_id}"
    about = {
        "name": source.folder,
        "source": f"{source.name} ({place})",
        "note": note,
        "kinds": dict(zip(names, kinds, strict=True)),
    }
    text = json.dumps(about, indent=1, ensure_ascii=False)
    (folder / "meta.json").write_text(text, encoding="utf-8")


def _move(here: Path, there: Path) -> None:
    """Move files into their folder; train last, since that tells it is all there."""
    there.mkdir(exist_ok=True)
    for file in sorted(here.iterdir(), key=lambda file: file.stem == "train"):
        file.replace(there / file.name)


def mark_of(table: Table) -> str:
    """Return a digest of values; of nominal columns only of which rows are alike."""
    digest = hashlib.sha256()
    columns = (*table, *([] if table.target is None else [table.target]))
    for column in columns:
        digest.update(_plain_values(column).tobytes())
    return digest.hexdigest()[:16]


def _plain_values(column: Column) -> Array:
    if not column.is_nominal:
        values = column.values.astype("<f8") + 0.0  # no minus zero
        return np.where(np.isnan(values), np.nan, values)
    known = column.values >= 0
    _, first, codes = np.unique(
        column.values[known], return_index=True, return_inverse=True
    )
    turn = np.empty(len(first), dtype="<i4")
    turn[np.argsort(first)] = np.arange(len(first))
    plain = np.full(len(known), -1, dtype="<i4")
    plain[known] = turn[codes]
    return plain
