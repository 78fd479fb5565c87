"""What the parts of a stream have in common: lazy batches and the same columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featsieve.data._encode import Raw, encode_arrow
from featsieve.exceptions import DataError

__all__ = ["Batch", "check_columns"]


class Batch(Sequence[Raw]):
    """Columns that are encoded when they are asked for, each time anew.

    Whoever takes one at a time needs memory for one, which the system need not hand
    out afresh for every batch; that costs more than encoding.
    """

    def __init__(self, columns: Sequence[Any], names: Sequence[str], exact: Any = ()):
        self._columns = columns
        self._names = names
        self._exact = exact

    def __len__(self) -> int:
        return len(self._columns)

    def __getitem__(self, at: Any) -> Any:
        name = self._names[at]
        return encode_arrow(self._columns[at], name, exact=name in self._exact)


def check_columns(expected: Sequence[str], found: Sequence[str], label: str) -> None:
    """Raise unless a part has the columns of the first one, in any order."""
    gone = [name for name in expected if name not in set(found)]
    extra = [name for name in found if name not in set(expected)]
    if not gone and not extra:
        return
    word, name = ("has no", gone[0]) if gone else ("has another", extra[0])
    message = (
        f"All parts must have the same columns, and {label} {word} column {name!r}. "
        "Leave that part out or mend it."
    )
    raise DataError(message)
