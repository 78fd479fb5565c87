"""Where the rows of a stream come from: parts of files or frames, batch by batch."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from featsieve.data._table import ColumnKind, Note
from featsieve.data.read._encode import Raw
from featsieve.data.read._files import (
    TEXT,
    CsvFile,
    clear_errors,
    first_look,
    read_as,
    stream_errors,
    types_of_all_rows,
)
from featsieve.data.read._frames import load_memory
from featsieve.data.read._read_table import TextFormat
from featsieve.data.read._settle import Request, unique_names
from featsieve.data.stream._folders import (
    PARQUET,
    files_of,
    folder_keys,
    suffix_of,
)
from featsieve.data.stream._parquet_parts import (
    ViewedPart,
    arrow_batch,
    check_columns,
    parquet_parts,
    with_keys,
    without_keys,
)
from featsieve.engine.api import dask_parquet_files, fetch, is_dask_frame
from featsieve.exceptions import DataError


class Part(Protocol):
    """Some rows of a table; can be read again and again, here or elsewhere."""

    @property
    def label(self) -> str:
        """What errors call it."""

    @property
    def names(self) -> tuple[str, ...]:
        """Its columns, in order."""

    def batches(self, wanted: Sequence[str]) -> Iterator[Sequence[Raw]]:
        """Yield the wanted columns, some rows at a time."""


@dataclass(frozen=True, slots=True)
class CsvPart:
    """A whole CSV or TSV file, read with types that hold for all files."""

    file: CsvFile
    names: tuple[str, ...]
    types: tuple[Any, ...]

    @property
    def path(self) -> Path:
        return self.file.path

    @property
    def label(self) -> str:
        return repr(str(self.path))

    def batches(self, wanted: Sequence[str]) -> Iterator[Sequence[Raw]]:
        types = dict(zip(self.names, self.types, strict=True))
        positions = [self.names.index(name) for name in wanted]
        # Beyond the first block a row may still be something else.
        with clear_errors(self.path), stream_errors():
            for columns in self.file.batches(types):
                yield arrow_batch([columns[k] for k in positions], wanted)


@dataclass(frozen=True, slots=True)
class FramePart:
    """A table in memory, here or on a worker of a cluster."""

    number: int
    names: tuple[str, ...]
    source: Any
    request: Request
    # Of the first part: all parts with nothing but the target, which may be fewer.
    target_parts: tuple[FramePart, ...] = ()

    @property
    def label(self) -> str:
        return f"part {self.number}"

    def without_source(self) -> FramePart:
        """Return what is known of the part before it is there."""
        return replace(self, source=None, target_parts=())

    def with_source(self, frame: Any) -> FramePart:
        """Return the part with its rows."""
        return replace(self, source=frame)

    def batches(self, wanted: Sequence[str]) -> Iterator[Sequence[Raw]]:
        loaded = load_memory(fetch(self.source), replace(self.request, target=None))
        check_columns(self.names, loaded.names, self.label)
        raws = dict(zip(loaded.names, loaded.raws, strict=True))
        yield [raws[name] for name in wanted]


@dataclass(slots=True)
class PassingPart:
    """Frames of an iterator, which come by once; one of them at a time is in memory."""

    names: tuple[str, ...]
    frames: Iterator[Any]
    request: Request
    started: bool = False

    @property
    def label(self) -> str:
        return "a batch"

    def batches(self, wanted: Sequence[str]) -> Iterator[Sequence[Raw]]:
        if self.started:
            raise DataError(
                "This needs the rows more than once, and an iterator gives them once. "
                "Give a list of frames or files instead."
            )
        self.started = True
        for number, frame in enumerate(self.frames):
            part = FramePart(number, self.names, frame, self.request)
            yield from part.batches(wanted)


def find_parts(
    source: Any, request: Request, text: TextFormat
) -> tuple[list[Part], list[Note]]:
    """Return the parts of a directory, a pattern, a list of files or frames."""
    notes: list[Note] = []
    if isinstance(source, (str, os.PathLike)):
        source = [source]
    listed = isinstance(source, (list, tuple))
    if listed and source and all(isinstance(x, (str, os.PathLike)) for x in source):
        files = [found for item in source for found in files_of(str(item))]
        return _file_parts(files, request, text, notes), notes
    text.refuse("a table in memory")
    if is_dask_frame(source):
        return _dask_parts(source, request, notes), notes
    frames = source if listed or isinstance(source, Iterator) else [source]
    return _frame_parts(frames, request, notes), notes


def _frame_parts(
    source: Sequence[Any] | Iterator[Any], request: Request, notes: list[Note]
) -> list[Part]:
    """Return frames in memory, or an iterator over such, as parts."""
    first = next(iter(source), None)
    if first is None:
        raise DataError("A stream needs at least one file or frame. Got none.")
    loaded = load_memory(first, request)
    notes.extend(loaded.notes)
    names = tuple(loaded.names)
    if isinstance(source, Iterator):
        return [PassingPart(names, itertools.chain([first], source), request)]
    return [
        FramePart(number, names, frame, request) for number, frame in enumerate(source)
    ]


def _dask_parts(frame: Any, request: Request, notes: list[Note]) -> list[Part]:
    """Return the partitions of a Dask DataFrame, to be counted where they are."""
    files = dask_parquet_files(frame)
    if files is not None:
        found = files_of_frame(files, list(frame.columns), request)
        if found is not None:
            return found
    head = load_memory(frame._meta, request)  # the columns, without any row
    notes.extend(head.notes)
    names = tuple(head.names)
    own = replace(request, target=None)
    # Asked for the target alone, Dask reads nothing else.
    at = request.find_target(names)
    assert at is not None  # streams have a target
    lone = _request_for(names[at], own.kinds(names)[at], own)
    targets = tuple(
        FramePart(number, (names[at],), target, lone)
        for number, target in enumerate(frame[[frame.columns[at]]].to_delayed())
    )
    # A partition is one task: fused with what makes it, it is made on its worker.
    return [
        FramePart(number, names, partition, own, () if number else targets)
        for number, partition in enumerate(frame.to_delayed())
    ]


def _request_for(name: str, kind: ColumnKind | None, request: Request) -> Request:
    """Return what was asked for one column."""
    return replace(
        request,
        nominal=[name] if kind is ColumnKind.NOMINAL else None,
        numeric=[name] if kind is ColumnKind.NUMERIC else None,
    )


def target_parts(parts: Sequence[Part]) -> list[Part]:
    """Return the parts as they are best read for the target alone."""
    return list(getattr(parts[0], "target_parts", ()) or parts)


def _file_parts(
    files: list[tuple[Path, Path]],
    request: Request,
    text: TextFormat,
    notes: list[Note],
) -> list[Part]:
    paths = [path for path, _ in files]
    suffixes = {suffix_of(path) in PARQUET for path in paths}
    for path in paths:
        if not suffix_of(path):
            raise DataError(
                f"{str(path)!r} is no CSV, TSV or Parquet file, which streams are read "
                "from. Leave it out, or read it with read_table."
            )
    if len(suffixes) > 1:
        message = "A stream is of CSV or of Parquet files, not of both. Split it."
        raise DataError(message)
    keys = dict(zip(paths, folder_keys(files), strict=True))
    named = {name for own in keys.values() for name in own}
    if named:  # a column of the file is taken from there
        named -= set(_opened(paths[:1], Request(None), text)[0].names)
    own = without_keys(request, named)
    parts = _opened(paths, own, text, notes)
    if not named:
        return parts
    parts = with_keys(parts, keys, request)
    for part in parts:
        check_columns(parts[0].names, part.names, part.label)
    return parts


def _opened(
    paths: list[Path],
    request: Request,
    text: TextFormat,
    notes: list[Note] | None = None,
) -> list[Any]:
    """Return the parts of files of one format."""
    found: list[Note] = [] if notes is None else notes
    if suffix_of(paths[0]) in PARQUET:
        text.refuse("a Parquet file")
        return parquet_parts(paths, request, found)
    return _csv_parts(paths, request, text, found)


def _csv_parts(
    paths: list[Path], request: Request, text: TextFormat, notes: list[Note]
) -> list[Part]:
    """Look at every file until types are found that hold for all rows of all."""
    names: list[str] = []
    files: list[tuple[CsvFile, list[str]]] = []
    types: dict[str, Any] = {}
    for path in paths:
        file = CsvFile.of(path, text, request.missing_values)
        with clear_errors(path):
            header, guesses = first_look(file)
        own = unique_names(header, [] if names else notes)
        names = names or own
        check_columns(names, own, repr(str(path)))
        if guesses is None:
            continue  # a header and no rows
        files.append((file, own))
        kinds, target = request.kinds(own), request.find_target(own)
        for i, (name, guess) in enumerate(zip(own, guesses, strict=True)):
            kind = read_as(guess, kinds[i], is_target=i == target)
            types[name] = _common_type(types.get(name, kind), kind)
    return [
        CsvPart(file, tuple(own), tuple(types[name] for name in own))
        for file, own in files
    ] or [FramePart(0, tuple(names), {name: [] for name in names}, request)]


def _common_type(one: Any, other: Any) -> Any:
    if one == other:
        return one
    numbers = all(
        pa.types.is_integer(t) or pa.types.is_floating(t) for t in (one, other)
    )
    return pa.float64() if numbers else TEXT


def settle_types(parts: Sequence[Part]) -> list[Part]:
    """Return the parts with types that hold for all rows of all CSV files.

    One more pass over the files, for when a later row did not have the type that the
    first ones promised.
    """
    types: dict[str, Any] = {}
    plain: list[Any] = [getattr(part, "part", part) for part in parts]
    for part in plain:
        assert isinstance(part, CsvPart)  # other parts know their types
        own = dict(zip(part.names, part.types, strict=True))
        with clear_errors(part.file.path):
            found = types_of_all_rows(part.file, own)
        for name, kind in found.items():
            types[name] = _common_type(types.get(name, kind), kind)
    settled = [
        replace(part, types=tuple(types[name] for name in part.names)) for part in plain
    ]
    return [
        replace(part, part=new) if isinstance(part, ViewedPart) else new
        for part, new in zip(parts, settled, strict=True)
    ]


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
