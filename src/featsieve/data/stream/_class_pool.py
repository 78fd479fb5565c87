"""Rows of every class, drawn while the parts of a table pass by once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from featsieve._types import Ints
from featsieve.data._table import ColumnKind
from featsieve.data.read._encode import Numbers, Raw
from featsieve.data.read._settle import MOST_INTEGER_CLASSES, Request, mark_missing
from featsieve.data.stream._counting import RowGatherer
from featsieve.data.stream._parts import Part
from featsieve.engine.api import row_keys
from featsieve.exceptions import DataError

#: Rows that may wait beyond those wanted until the worst of them are driven out.
SPARE_ROWS = 1 << 16


@dataclass(frozen=True, slots=True)
class DrawnRows:
    """Rows drawn of a table, before the kinds of its columns are settled."""

    raws: list[Raw]
    n_drawn: int
    n_seen: int
    n_without_class: int


def draw_classes(
    parts: Iterable[Part],
    names: Sequence[str],
    request: Request,
    wanted: int,
    seed: int,
) -> DrawnRows:
    """Return up to `wanted` rows of every class, in one pass; the target is named last.

    Every row has a random key that depends on the seed and on its number only, and the
    rows with the least keys of each class are kept. So how rows are divided into parts
    and batches is no matter.
    """
    pool = _Pool(names, request, wanted, seed)
    for part in parts:
        for batch in part.batches(names):
            pool.add(batch)
    return pool.finish()


def not_classes(target: str, found: str) -> DataError:
    """Return the error for a target that is a quantity."""
    message = (
        f"Rows of every class are wanted, and the target {target!r} is a quantity with "
        f"{found}. Say `nominal=[{target!r}]` if its values are classes."
    )
    return DataError(message)


class _Pool:
    """The rows with the least keys of every class so far."""

    def __init__(
        self, names: Sequence[str], request: Request, wanted: int, seed: int
    ) -> None:
        self._target = names[-1]
        self._named = request.kinds(names)[-1] is ColumnKind.NOMINAL
        self._request, self._wanted, self._seed = request, wanted, seed
        self._codes: dict[Any, int] = {}
        self._limits = np.empty(0, np.uint64)
        self._n_seen = self._n_known = self._n_waiting = 0
        self._rows = RowGatherer(names)
        self._places: list[Ints] = []
        self._classes: list[Ints] = []

    def add(self, batch: Sequence[Raw]) -> None:
        """Look at the next rows."""
        codes = self._class_codes(mark_missing(batch[-1], self._request))
        places = np.arange(self._n_seen, self._n_seen + len(codes))
        self._n_seen += len(codes)
        known = np.flatnonzero(codes >= 0)
        self._n_known += len(known)
        keys = row_keys(places[known], self._seed)
        kept = known[keys <= self._limits[codes[known]]]
        self._rows.add(batch, kept)
        self._places.append(places[kept])
        self._classes.append(codes[kept])
        self._n_waiting += len(kept)
        if self._n_waiting > 2 * self._wanted * len(self._codes) + SPARE_ROWS:
            self._drive_out()

    def _class_codes(self, target: Raw) -> Ints:
        """Return a number for each class, -1 where it is missing."""
        if isinstance(target, Numbers):
            present = ~np.isnan(target.values)
            values, inverse = np.unique(target.values[present], return_inverse=True)
            indices = np.full(len(target), -1)
            indices[present] = inverse
            levels = values.tolist()
        else:
            indices, levels = target.codes, target.levels
        recode = [self._codes.setdefault(v, len(self._codes)) for v in levels]
        numbers = isinstance(target, Numbers) and not self._named
        if numbers and len(self._codes) > MOST_INTEGER_CLASSES:
            found = f"more than {MOST_INTEGER_CLASSES} different values"
            raise not_classes(self._target, found)
        new = len(self._codes) - len(self._limits)
        no_limit = np.full(new, np.iinfo(np.uint64).max, np.uint64)
        self._limits = np.concatenate([self._limits, no_limit])
        return np.array([*recode, -1])[indices]

    def _drive_out(self) -> None:
        """Keep the rows with the least keys, and note what a new row must beat."""
        places = np.concatenate(self._places)
        classes = np.concatenate(self._classes)
        keys = row_keys(places, self._seed)
        kept = [np.empty(0, np.int64)]
        for c in range(len(self._codes)):
            rows = np.flatnonzero(classes == c)
            if len(rows) > self._wanted:
                order = np.argpartition(keys[rows], self._wanted - 1)
                rows = rows[order[: self._wanted]]
                self._limits[c] = keys[rows].max()
            kept.append(rows)
        rows = np.sort(np.concatenate(kept))
        self._rows.keep(rows)
        self._places, self._classes = [places[rows]], [classes[rows]]
        self._n_waiting = len(rows)

    def finish(self) -> DrawnRows:
        """Return the rows drawn, in the order in which they came."""
        if not self._n_known:
            what = "in all rows" if self._n_seen else "as there are no rows"
            message = f"Target {self._target!r} is missing {what}. Choose another."
            raise DataError(message)
        self._drive_out()
        return DrawnRows(
            self._rows.finish(),
            self._n_waiting,
            self._n_seen,
            self._n_seen - self._n_known,
        )
