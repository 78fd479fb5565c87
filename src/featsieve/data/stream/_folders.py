"""The files of a directory or a pattern, and what the names of folders say of them."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from featsieve.data.read._read_table import SEPARATORS, format_suffix
from featsieve.exceptions import DataError

PARQUET = (".parquet", ".pq")
#: What Hive and Spark call the folder of rows without a value.
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def files_of(pattern: str) -> list[tuple[Path, Path]]:
    """Return the files that a path, a directory or a pattern names, sorted.

    Each comes with the folder below which the names of folders say something.
    """
    path = Path(pattern)
    if path.is_dir():
        found = sorted(p for p in path.rglob("*") if _is_meant(p, path))
        if found:
            return [(file, path) for file in found]
        raise DataError(f"There are no CSV, TSV or Parquet files in {pattern!r}.")
    if path.exists():
        return [(path, path.parent)]
    matches = sorted(Path(p) for p in glob.glob(pattern, recursive=True))  # noqa: PTH207 - patterns may be absolute
    if matches:
        above = _without_wildcards(path)
        return [(f, above) for match in matches for f, _ in files_of(str(match))]
    message = f"There is no file {pattern!r}, and no file matches it. Check the path."
    raise DataError(message)


def _is_meant(path: Path, folder: Path) -> bool:
    """Whether a file is of the table, and no mark, check sum or draft of its writer."""
    below = path.relative_to(folder).parts
    hidden = (p.startswith(".") or (p.startswith("_") and "=" not in p) for p in below)
    return bool(suffix_of(path)) and not any(hidden) and path.is_file()


def _without_wildcards(pattern: Path) -> Path:
    """Return the folder above the first wildcard of a pattern."""
    for parent in pattern.parents:
        if not glob.has_magic(str(parent)):
            return parent
    return Path()


def suffix_of(path: Path) -> str:
    """Return the suffix that tells the format of a file; empty if none does."""
    suffix, packed = format_suffix(path), path.suffix.lower() == ".gz"
    return suffix if suffix in (*SEPARATORS, *(() if packed else PARQUET)) else ""


def folder_keys(files: Sequence[tuple[Path, Path]]) -> list[dict[str, Any]]:
    """Return the columns that folders called ``key=value`` stand for, file by file.

    Values are whole numbers where all of a key are written as such, else texts.
    """
    found = [_keys_of(path, folder) for path, folder in files]
    for name in dict.fromkeys(name for keys in found for name in keys):
        values = [keys[name] for keys in found if keys.get(name) is not None]
        if all(_is_whole(value) for value in values):
            for keys in found:
                if keys.get(name) is not None:
                    keys[name] = int(keys[name])
    return found


def _keys_of(path: Path, folder: Path) -> dict[str, Any]:
    if not path.is_relative_to(folder):
        return {}
    pairs = (part.split("=", 1) for part in path.relative_to(folder).parts[:-1])
    return {
        unquote(pair[0]): None if pair[1] == NO_VALUE else unquote(pair[1])
        for pair in pairs
        if len(pair) == 2 and pair[0]
    }


def _is_whole(text: str) -> bool:
    """Whether a text is a number as it would be written; "007" is a name."""
    return text.lstrip("-").isdecimal() and str(int(text)) == text


def file_stamp(path: Path) -> tuple[int, int]:
    """Return what tells that a file is the one that was opened: size and time."""
    about = os.stat(path)  # noqa: PTH116 - a text will do, too
    return about.st_size, about.st_mtime_ns


def file_stamps(parts: Iterable[Any]) -> dict[Path, tuple[int, int]]:
    """Return the stamps of the files that parts are of, as they are now."""
    found = dict.fromkeys(getattr(part, "path", None) for part in parts)
    return {path: file_stamp(path) for path in found if path}


def check_unchanged(stamps: dict[Path, tuple[int, int]]) -> None:
    """Raise if a file is gone or another since it was opened.

    Passes over different rows would not fit together.
    """
    for path, stamp in stamps.items():
        try:
            same = file_stamp(path) == stamp
        except OSError:
            raise DataError(
                f"{str(path)!r} was there when the table was opened, and cannot be "
                "found any more. Open the table again."
            ) from None
        if not same:
            raise DataError(
                f"{str(path)!r} has changed since the table was opened, and the rows "
                "are read more than once. Try again when nobody writes to it."
            )
