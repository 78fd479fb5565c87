"""Where the rows of a stream come from: parts of files or frames, batch by batch."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from featsieve.data._batches import Batch, check_columns
from featsieve.data._blocks import DEFAULT_MISSING
from featsieve.data._dask_files import files_of_frame
from featsieve.data._encode import Raw
from featsieve.data._files import (
    BLOCK_BYTES,
    TEXT,
    CsvFile,
    clear_errors,
    first_look,
    read_as,
    stream_errors,
    types_of_all_rows,
)
from featsieve.data._folders import (
    PARQUET,
    SEPARATORS,
    files_of,
    folder_keys,
    suffix_of,
)
from featsieve.data._frames import load_memory
from featsieve.data._parquet_parts import parquet_parts
from featsieve.data._settle import Request, unique_names
from featsieve.data._table import ColumnKind, Note
from featsieve.data._viewed_parts import ViewedPart, with_keys, without_keys
from featsieve.engine import (
    dask_parquet_files,
    dask_partitions,
    fetch,
    is_dask_frame,
)
from featsieve.exceptions import DataError

__all__ = ["Part", "find_parts", "settle_types", "target_parts"]


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
    def label(self) -> str:
        return repr(str(self.file.path))

    def batches(self, wanted: Sequence[str]) -> Iterator[Sequence[Raw]]:
        types = dict(zip(self.names, self.types, strict=True))
        positions = [self.names.index(name) for name in wanted]
        with clear_errors(self.file.path):
            # Beyond the first block a row may still be something else.
            for columns in _guarded(self.file.batches(types)):
                yield Batch([columns[position] for position in positions], wanted)


def _guarded(batches: Iterator[list[Any]]) -> Iterator[list[Any]]:
    with stream_errors():
        yield from batches


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
            message = (
                "This needs the rows more than once, and an iterator gives them once. "
                "Give a list of frames or files instead."
            )
            raise DataError(message)
        self.started = True
        for number, frame in enumerate(self.frames):
            part = FramePart(number, self.names, frame, self.request)
            yield from part.batches(wanted)


def find_parts(
    source: Any, request: Request, separator: str | None, encoding: str
) -> tuple[list[Part], list[Note]]:
    """Return the parts of a directory, a pattern, a list of files or frames."""
    notes: list[Note] = []
    if isinstance(source, (str, os.PathLike)):
        source = [source]
    if is_dask_frame(source):
        return _dask_parts(source, request, notes), notes
    if isinstance(source, Iterator):
        return _frame_parts(source, request, notes), notes
    if not isinstance(source, (list, tuple)):
        source = [source]
    if source and all(isinstance(item, (str, os.PathLike)) for item in source):
        files = [found for item in source for found in files_of(str(item))]
        return _file_parts(files, request, separator, encoding, notes), notes
    return _frame_parts(source, request, notes), notes


def _frame_parts(
    source: Sequence[Any] | Iterator[Any], request: Request, notes: list[Note]
) -> list[Part]:
    """Return frames in memory, or an iterator over such, as parts."""
    first = next(iter(source), None)
    if first is None:
        message = "A stream needs at least one file or frame. Got none."
        raise DataError(message)
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
        for number, target in enumerate(dask_partitions(frame[[frame.columns[at]]]))
    )
    return [
        FramePart(number, names, partition, own, () if number else targets)
        for number, partition in enumerate(dask_partitions(frame))
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
    separator: str | None,
    encoding: str,
    notes: list[Note],
) -> list[Part]:
    paths = [path for path, _ in files]
    suffixes = {suffix_of(path) in PARQUET for path in paths}
    for path in paths:
        if not suffix_of(path):
            message = (
                f"{str(path)!r} is no CSV, TSV or Parquet file, which streams are read "
                "from. Leave it out, or read it with read_table."
            )
            raise DataError(message)
    if len(suffixes) > 1:
        message = "A stream is of CSV or of Parquet files, not of both. Split it."
        raise DataError(message)
    keys = dict(zip(paths, folder_keys(files), strict=True))
    named = {name for own in keys.values() for name in own}
    if named:  # a column of the file is taken from there
        named -= set(_opened(paths[:1], Request(None), separator, encoding)[0].names)
    own = without_keys(request, named)
    parts = _opened(paths, own, separator, encoding, notes)
    if not named:
        return parts
    parts = with_keys(parts, keys, request)
    for part in parts:
        check_columns(parts[0].names, part.names, part.label)
    return parts


def _opened(
    paths: list[Path],
    request: Request,
    separator: str | None,
    encoding: str,
    notes: list[Note] | None = None,
) -> list[Any]:
    """Return the parts of files of one format."""
    found: list[Note] = [] if notes is None else notes
    if suffix_of(paths[0]) in PARQUET:
        return parquet_parts(paths, request, found)
    return _csv_parts(paths, request, separator, encoding, found)


def _csv_parts(
    paths: list[Path],
    request: Request,
    separator: str | None,
    encoding: str,
    notes: list[Note],
) -> list[Part]:
    """Look at every file until types are found that hold for all rows of all."""
    given = request.missing_values
    missing = DEFAULT_MISSING if given is None else ("", *(str(v) for v in given))
    if encoding.lower().replace("-", "") == "utf8":
        encoding = "utf8"
    names: list[str] = []
    files: list[tuple[CsvFile, list[str]]] = []
    types: dict[str, Any] = {}
    for path in paths:
        mark = separator or SEPARATORS[suffix_of(path)]
        file = CsvFile(path, mark, encoding, missing, BLOCK_BYTES)
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
            found = types_of_all_rows(part.file, list(part.names), own)
        for name, kind in found.items():
            types[name] = _common_type(types.get(name, kind), kind)
    settled = [
        replace(part, types=tuple(types[name] for name in part.names)) for part in plain
    ]
    return [
        replace(part, part=new) if isinstance(part, ViewedPart) else new
        for part, new in zip(parts, settled, strict=True)
    ]
