"""Parts seen as a table has them: lazy columns of a file, and those of its folders."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from featsieve.data._table import ColumnKind
from featsieve.data.read._encode import Codes, Numbers, Raw, encode_arrow
from featsieve.data.read._settle import Request
from featsieve.exceptions import DataError


class Batch(Sequence[Raw]):
    """Columns that are encoded when they are asked for, each time anew.

    Whoever takes one at a time needs memory for one, which the system need not hand
    out afresh for every batch; that costs more than encoding.
    """

    def __init__(self, n_columns: int, encode: Callable[[int], Raw]) -> None:
        self._places = range(n_columns)
        self._encode = encode

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, at: Any) -> Any:
        return self._encode(self._places[at])


def check_columns(expected: Sequence[str], found: Sequence[str], label: str) -> None:
    """Raise unless a part has the columns of the first one, in any order."""
    gone = [name for name in expected if name not in set(found)]
    extra = [name for name in found if name not in set(expected)]
    if gone or extra:
        word, name = ("has no", gone[0]) if gone else ("has another", extra[0])
        raise DataError(
            f"All parts must have the same columns, and {label} {word} column {name!r}."
            " Leave that part out or mend it."
        )


@dataclass(frozen=True, slots=True)
class ViewedPart:
    """Columns of a part, and constants: what the names of its folders say."""

    part: Any
    names: tuple[str, ...]
    constants: tuple[tuple[str, Raw], ...] = ()  # one row each

    @property
    def label(self) -> str:
        return str(self.part.label)

    def __getattr__(self, name: str) -> Any:
        """Tell what the part knows: its file, rows, types, and where it is read."""
        if name in ("path", "rows", "types", "remote"):
            return getattr(self.part, name)
        raise AttributeError(name)

    def batches(self, wanted: Sequence[str]) -> Iterator[Sequence[Raw]]:
        constants = dict(self.constants)
        stored = [name for name in wanted if name not in constants]
        # Some column says how many rows there are.
        asked = stored or [n for n in self.names if n not in constants][:1]
        for batch in self.part.batches(asked):
            yield _viewed(batch, asked, wanted, constants)


def _viewed(
    batch: Sequence[Raw],
    asked: Sequence[str],
    wanted: Sequence[str],
    constants: dict[str, Raw],
) -> Batch:
    """Return columns of a batch, decoded when they are asked for, among constants."""
    lengths: list[int] = []

    def encode(at: int) -> Raw:
        name = wanted[at]
        if name not in constants:
            raw = batch[asked.index(name)]
            lengths.append(len(raw))
            return raw
        if not lengths:
            lengths.append(len(batch[0]))
        one = constants[name]
        if isinstance(one, Numbers):
            return Numbers(np.full(lengths[0], one.values[0]), one.integer, one.date)
        return Codes(np.full(lengths[0], one.codes[0], dtype=np.int32), one.levels)

    return Batch(len(wanted), encode)


def with_keys(
    parts: Sequence[Any], keys: dict[Any, dict[str, Any]], request: Request
) -> list[Any]:
    """Return parts of files with the columns of their folders, after their own.

    `keys` are by path. A column that is in the file too is taken from there.
    """
    viewed: list[Any] = []
    for part in parts:
        path = getattr(part, "path", None)
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
