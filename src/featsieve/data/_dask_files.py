"""Parquet files that a Dask DataFrame would read, read by the workers themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, ClassVar

from featsieve.data._folders import folder_keys
from featsieve.data._parquet_parts import ParquetPart, parquet_parts
from featsieve.data._settle import Request
from featsieve.data._table import ColumnKind
from featsieve.data._viewed_parts import ViewedPart, with_keys

__all__ = ["RemoteParquetPart", "files_of_frame"]

NOMINAL, NUMERIC = ColumnKind.NOMINAL, ColumnKind.NUMERIC


class RemoteParquetPart(ParquetPart):
    """Some row groups that are counted on the workers of a cluster."""

    __slots__ = ()
    remote: ClassVar[bool] = True


def files_of_frame(
    files: Sequence[tuple[str, tuple[int, ...] | None]],
    columns: Sequence[Any],
    request: Request,
) -> list[Any] | None:
    """Return the parts of a Dask DataFrame that is nothing but some Parquet files.

    `files` are paths with row groups. None if the columns are not those of the files,
    or of their folders, as the frame has them.
    """
    if not files or not all(isinstance(name, str) for name in columns):
        return None
    groups: dict[Path, set[int] | None] = {}
    for path, own in files:
        place = Path(path)
        if not place.is_file() or (place in groups and own is None):
            return None
        known = groups.setdefault(place, None if own is None else set())
        if known is not None:
            known |= set(own or ())
    paths = list(groups)
    # Dask says which of the folders mean something.
    told = folder_keys([(path, Path(path.anchor)) for path in paths])
    keys = {
        path: {name: value for name, value in own.items() if name in columns}
        for path, own in zip(paths, told, strict=True)
    }
    kinds = dict(zip(columns, request.kinds(list(columns)), strict=True))
    stored = set(parquet_parts(paths[:1], Request(), [])[0].names)
    asked = Request(
        nominal=[n for n, k in kinds.items() if k is NOMINAL and n in stored],
        numeric=[n for n, k in kinds.items() if k is NUMERIC and n in stored],
        missing_values=request.missing_values,
    )
    found = parquet_parts(paths, asked, [])
    parts = [part for part in found if _is_wanted(part, groups)]
    if not parts:
        return None
    if any(keys.values()):
        parts = with_keys(parts, keys, request)
    if set(columns) - set(parts[0].names):
        return None
    if tuple(columns) == parts[0].names and isinstance(parts[0], ParquetPart):
        return [_remote(part) for part in parts]
    return [_viewed(part, tuple(columns)) for part in parts]


def _is_wanted(part: ParquetPart, groups: dict[Path, set[int] | None]) -> bool:
    chosen = groups[part.path]
    return chosen is None or not part.groups or part.groups[0] in chosen


def _remote(part: ParquetPart) -> RemoteParquetPart:
    return RemoteParquetPart(*(getattr(part, f.name) for f in fields(part)))


def _viewed(part: Any, names: tuple[str, ...]) -> ViewedPart:
    if isinstance(part, ViewedPart):
        return ViewedPart(part.part, names, part.constants, remote=True)
    return ViewedPart(part, names, remote=True)
