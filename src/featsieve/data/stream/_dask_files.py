"""Parquet files that a Dask DataFrame would read, read by the workers themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from featsieve.data._table import ColumnKind
from featsieve.data.read._settle import Request
from featsieve.data.stream._folders import folder_keys
from featsieve.data.stream._parquet_parts import parquet_parts
from featsieve.data.stream._viewed_parts import ViewedPart, with_keys

NOMINAL, NUMERIC = ColumnKind.NOMINAL, ColumnKind.NUMERIC


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
    parts = [
        replace(part, remote=True)
        for part in parquet_parts(paths, asked, [])
        if groups[part.path] is None
        or not part.groups
        or part.groups[0] in (groups[part.path] or ())
    ]
    if not parts:
        return None
    if any(keys.values()):
        parts = with_keys(parts, keys, request)
    if set(columns) - set(parts[0].names):
        return None
    if tuple(columns) == parts[0].names:
        return parts
    return [
        replace(part, names=tuple(columns))
        if isinstance(part, ViewedPart)
        else ViewedPart(part, tuple(columns))
        for part in parts
    ]
