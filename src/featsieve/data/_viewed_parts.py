"""Parts seen as a table has them: some columns of a file, and those of its folders."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from featsieve.data._encode import Codes, Numbers, Raw, encode_arrow
from featsieve.data._settle import Request
from featsieve.data._table import ColumnKind

__all__ = ["ViewedPart", "with_keys", "without_keys"]


@dataclass(frozen=True, slots=True)
class ViewedPart:
    """Columns of a part, and constants: what the names of its folders say."""

    part: Any
    names: tuple[str, ...]
    constants: tuple[tuple[str, Raw], ...] = ()  # one row each
    remote: bool = False  # rows are read where the workers are

    @property
    def label(self) -> str:
        return str(self.part.label)

    @property
    def rows(self) -> int:
        """Rows, for parts that know; an AttributeError for others."""
        return int(self.part.rows)

    @property
    def types(self) -> Any:
        """Types of a CSV file; an AttributeError for other parts."""
        return self.part.types

    @property
    def path(self) -> Any:
        """The file; an AttributeError for parts of something else."""
        part = self.part
        return part.file.path if hasattr(part, "file") else part.path

    def batches(self, wanted: Sequence[str]) -> Iterator[Sequence[Raw]]:
        constants = dict(self.constants)
        stored = [name for name in wanted if name not in constants]
        # Some column says how many rows there are.
        asked = stored or [n for n in self.names if n not in constants][:1]
        places = {name: place for place, name in enumerate(asked)}
        for batch in self.part.batches(asked):
            yield _ViewedBatch(batch, wanted, places, constants)


class _ViewedBatch(Sequence[Raw]):
    """Columns of a batch, decoded when they are asked for, among constants."""

    def __init__(
        self,
        batch: Sequence[Raw],
        wanted: Sequence[str],
        places: dict[str, int],
        constants: dict[str, Raw],
    ) -> None:
        self._batch = batch
        self._wanted = wanted
        self._places = places
        self._constants = constants
        self._n_rows: int | None = None

    def __len__(self) -> int:
        return len(self._wanted)

    def __getitem__(self, at: Any) -> Any:
        name = self._wanted[at]
        if name not in self._constants:
            raw = self._batch[self._places[name]]
            self._n_rows = _length(raw)
            return raw
        if self._n_rows is None:
            self._n_rows = _length(self._batch[0])
        return _repeated(self._constants[name], self._n_rows)


def _length(raw: Raw) -> int:
    return len(raw.values if isinstance(raw, Numbers) else raw.codes)


def _repeated(one: Raw, n_rows: int) -> Raw:
    if isinstance(one, Numbers):
        return Numbers(np.full(n_rows, one.values[0]), one.integer, one.date)
    return Codes(np.full(n_rows, one.codes[0], dtype=np.int32), one.levels)


def with_keys(
    parts: Sequence[Any], keys: dict[Any, dict[str, Any]], request: Request
) -> list[Any]:
    """Return parts of files with the columns of their folders, after their own.

    `keys` are by path. A column that is in the file too is taken from there.
    """
    viewed: list[Any] = []
    for part in parts:
        path = part.file.path if hasattr(part, "file") else getattr(part, "path", None)
        own = {k: v for k, v in keys.get(path, {}).items() if k not in part.names}
        if not own:
            viewed.append(part)
            continue
        names = (*part.names, *own)
        kinds = dict(zip(names, request.kinds(names), strict=True))
        constants = tuple(
            (name, _constant(name, value, kinds[name])) for name, value in own.items()
        )
        viewed.append(ViewedPart(part, names, constants))
    return viewed


def without_keys(request: Request, names: Collection[str]) -> Request:
    """Return what is asked of the columns of files, which folders have no part in."""

    def rest(wanted: Any) -> Any:
        if wanted is None or isinstance(wanted, str):
            return wanted
        return [name for name in wanted if name not in names]

    return replace(
        request,
        target=None if request.target in names else request.target,
        nominal=rest(request.nominal),
        numeric=rest(request.numeric),
    )


def _constant(name: str, value: Any, kind: ColumnKind | None) -> Raw:
    array = pa.array([value], pa.int64() if isinstance(value, int) else pa.string())
    return encode_arrow(array, name, exact=kind is ColumnKind.NOMINAL)
