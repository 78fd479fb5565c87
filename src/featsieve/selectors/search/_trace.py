"""All that a search has evaluated: kept, saved, and used again."""

from __future__ import annotations

import hashlib
import json
import math
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from featsieve._journal import describe
from featsieve._text import write_whole
from featsieve.exceptions import DataError
from featsieve.selectors.search._criteria import Criterion

FORMAT = "featsieve search trace"
VERSION = 1

Subset = tuple[int, ...]


class Trace:
    """The value of every subset that was evaluated, in order.

    A search that finds a value here does not compute it again. To resume a search is
    therefore to repeat it, and the answer is that of a search that never stopped. The
    `source` is a file, where values are kept too, or what an earlier search returned.
    """

    def __init__(self, mark: str, names: tuple[str, ...], source: Any = None) -> None:
        self.mark, self.names = mark, names
        self.values: dict[Subset, float] = {}
        self.n_evaluated = 0
        self._lock = threading.Lock()
        self._path = Path(source) if isinstance(source, (str, Path)) else None
        if self._path is None and source is not None:
            self._recall(source)
        elif self._path is not None and self._path.exists():
            try:
                saved = json.loads(self._path.read_text(encoding="utf-8"))
            except ValueError:
                saved = None
            self._recall(saved)

    def evaluate(
        self, subsets: Sequence[Subset], criterion: Criterion, tell: Callable[[], None]
    ) -> list[float]:
        """Return the criterion of every subset; `tell` is called as values come in."""
        keys = [tuple(sorted(subset)) for subset in subsets]
        new = [i for i, key in enumerate(keys) if key not in self.values]

        def record(i: int, value: float) -> None:
            with self._lock:  # values may come from several threads
                self.values[keys[new[i]]] = value
                self.n_evaluated += 1
                tell()

        if new:
            criterion.evaluate([subsets[i] for i in new], record)
        self.save()
        return [self.values[key] for key in keys]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain lists; NaN, which JSON lacks, is None."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "fingerprint": self.mark,
            "features": list(self.names),
            "evaluations": [
                {"subset": list(key), "value": None if math.isnan(value) else value}
                for key, value in self.values.items()
            ],
        }

    def _recall(self, saved: Any) -> None:
        """Take over the values of an earlier search on the same data."""
        if not isinstance(saved, Mapping) or saved.get("format") != FORMAT:
            raise DataError(
                "trace must be a file or a `trace_` that this wrapper has written. Got "
                "something else; choose another file name."
            )
        if saved.get("version") != VERSION or saved.get("fingerprint") != self.mark:
            raise DataError(
                "The trace belongs to other data or to other settings of the "
                "criterion, so its values mean nothing here. Choose another file name "
                "to begin anew."
            )
        for entry in saved["evaluations"]:
            value = entry["value"]
            self.values[tuple(entry["subset"])] = math.nan if value is None else value

    def save(self) -> None:
        """Write all values; an interruption leaves the old file or the new one."""
        if self._path is not None:
            write_whole(self._path, json.dumps(self.as_dict()))


def fingerprint(parts: Iterable[Any]) -> str:
    """Return a text that is the same for the same data and settings."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        raw = (
            part.tobytes() if isinstance(part, np.ndarray) else describe(part).encode()
        )
        digest.update(len(raw).to_bytes(8, "little"))
        digest.update(raw)
    return digest.hexdigest()
