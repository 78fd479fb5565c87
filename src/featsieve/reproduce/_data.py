"""Data sets as the works had them: where they are found, a folder for each, read once.

Their sources are OpenML, and scikit-learn's own fetchers.

A mark is a digest of the rows that our numbers were checked with: values of numeric
columns, and which rows of a nominal one are alike, whatever the names of its levels.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from sklearn import datasets

from featsieve._types import Array, Codes, Floats
from featsieve.data import Column, ColumnKind, Table, read_table
from featsieve.exceptions import DataError

# Folder; mark of the rows; number and name at OpenML; rows, and of a test file that
# OpenML joins to them; classes; kinds of columns in turn, c nominal, n numeric.
TEXT = """
abalone                 ffe41be0edd1f57e 183 abalone 4177 0 28 cn7
australian              64d245c9d64cf44b 40981 Australian 690 0 2 cn2c3nc2nc2n2
breast-cancer-wisconsin 629cfb38f0360557 15 breast-w 699 0 2 n9
cleveland-2class        472129eed9174401 49 heart-c 303 0 2 nc2n2c2ncncnc
covertype               9f6300479d1facc6 - fetch_covtype 581012 0 7 n10c44
credit-a                23623cd87c9719a1 29 credit-approval 690 0 2 cn2c4nc2nc2n2
credit-g                f94b39c51d27774f 31 credit-g 1000 0 2 cnc2nc2nc2ncnc2ncnc2
eye_movements           2b589fb88d1612e2 1044 eye_movements 10936 0 3 n4c2n13cn7
glass                   b10fa648ee632f8b 41 glass 214 0 6 n9
heart-statlog           347ed5ed548aafe4 53 heart-statlog 270 0 2 nc2n2c2ncncnc
hepatitis               90664f89145f6615 55 hepatitis 155 0 2 nc12n5c
horse-colic             36f07710cd1aa5fc 27 colic 300 68 2 c2n3c9nc2n2cnc
house-votes-84          db3bad30b2d07963 56 vote 435 0 2 c16
hypothyroid             4232e5825f50dd00 57 hypothyroid 3772 0 4 nc16ncncncncncnc
ionosphere              bb9b2190af60120f 59 ionosphere 351 0 2 n34
kddcup99-10pct          50e260b3ab06cffc - fetch_kddcup99 494021 0 23 nc3n2cn4cn8c2n19
kr-vs-kp                abf00b146bcfbbf2 3 kr-vs-kp 3196 0 2 c36
labor                   70aa46ff7a6b1aef 4 labor 57 0 2 n4cncn2cnc5
madelon                 51514ede50894b8a 1485 madelon 2000 600 2 n500
monks-1                 a2398892151cf59e 333 monks-problems-1 124 432 2 c6
monks-2                 c15bc21d8cf73dbe 334 monks-problems-2 169 432 2 c6
monks-3                 233666df8b0bc433 335 monks-problems-3 122 432 2 c6
mushroom                623076be0a04dd17 24 mushroom 8124 0 2 c22
pima-diabetes           5f86d3dfa437061d 37 diabetes 768 0 2 n8
sick                    d7c7293c013ab6d6 38 sick 3772 0 2 nc16ncncncncncnc
sonar                   75fea69ba454ff16 40 sonar 208 0 2 n60
soybean-large           23b1ad71f5e5e3df 42 soybean 307 376 19 c35
spect                   964855614516c1bd 336 SPECT 80 187 2 c22
vehicle                 4fbd97a8f2eb738b 54 vehicle 846 0 4 n18
zoo                     6ed7f114579ccebf 62 zoo 101 0 7 c12nc3
"""
#: What cannot be fetched, and why.
NOT_THERE = {
    "echocardiogram": "OpenML has it only with months of survival as the target."
}
#: Names that printed tables call columns by, where the source may have others.
NAMES = {
    "abalone": (
        *("Sex", "Length", "Diameter", "Height", "Whole_weight"),
        *("Shucked_weight", "Viscera_weight", "Shell_weight"),
    ),
    "covertype": (
        *("Elevation", "Aspect", "Slope", "Horizontal_Distance_To_Hydrology"),
        *("Vertical_Distance_To_Hydrology", "Horizontal_Distance_To_Roadways"),
        *("Hillshade_9am", "Hillshade_Noon", "Hillshade_3pm"),
        "Horizontal_Distance_To_Fire_Points",
        *(f"Wilderness_Area{k}" for k in range(1, 5)),
        *(f"Soil_Type{k}" for k in range(1, 41)),
    ),
}


@dataclass(frozen=True, slots=True)
class Source:
    """A data set as its source has it, and what it must be."""

    folder: str  # our name
    data_id: int | None  # at OpenML; None if scikit-learn has a fetcher of its own
    name: str  # at OpenML, or of the fetcher
    nominal: tuple[bool, ...]  # column by column
    n_rows: int  # of the training file
    n_test: int  # of the test file that is joined to it
    n_classes: int  # that occur in training rows
    mark: str  # digest of the training rows
    names: tuple[str, ...] = ()  # of columns; those of the source if there are none


def _read(line: str) -> Source:
    folder, mark, number, name, rows, test, classes, kinds = line.split()
    nominal = tuple(
        kind == "c"
        for kind, count in re.findall(r"([cn])(\d*)", kinds)
        for _ in range(int(count or 1))
    )
    data_id = None if number == "-" else int(number)
    counts = int(rows), int(test), int(classes)
    return Source(folder, data_id, name, nominal, *counts, mark, NAMES.get(folder, ()))


SOURCES = {source.folder: source for source in map(_read, TEXT.strip().splitlines())}


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
