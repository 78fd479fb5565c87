"""What the parts of a stream have in common: lazy batches and the same columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from featsieve.data.read._encode import Raw
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
