"""What a reproduction found, as plain data, a page, and a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import featsieve
from featsieve._writing import write_whole
from featsieve.reproduce._tables import (
    CLOSE,
    DIFFERS,
    NEAR,
    NO_SPREAD,
    NOT_RUN,
    OTHER_ROWS,
    SAME,
    Cell,
    CellResult,
    PublishedTable,
)

__all__ = ["Reproduction"]

ORDER = (SAME, CLOSE, NEAR, DIFFERS, NO_SPREAD, OTHER_ROWS, NOT_RUN)


@dataclass(frozen=True, slots=True)
class Reproduction:
    """Ours beside every published cell.

    Parameters
    ----------
    tables : list of dict
        Name, title, source, what is known not to match, data sets that are missing,
        what must be known of others, how many cells got which verdict, seconds of work,
        and cells, for each table.
    repeats : int or None
        What was asked for; None for as many as published.
    seconds : float
        Time of this call.
    work : float
        Seconds of all runs, each counted once, those from a journal too.

    Examples
    --------
    >>> from featsieve.reproduce import reproduce
    >>> found = reproduce(["fs2boost-1"], repeats=1)
    >>> found.tables[0]["name"], "monks-1" in found.tables[0]["missing"]
    ('fs2boost-1', True)
    """

    tables: list[dict[str, Any]]
    repeats: int | None
    seconds: float
    work: float = 0.0

    @classmethod
    def of(
        cls,
        tables: Sequence[PublishedTable],
        records: Mapping[str, Sequence[Mapping[str, Any]]],
        *,
        has: Callable[[str], bool],
        about: Callable[[str], str] = lambda _: "",
        repeats: int | None,
        seconds: float,
    ) -> Reproduction:
        """Return the comparison, from the records of all runs of each trial."""
        found = []
        for table in tables:
            cells = [_compare(cell, records) for cell in table.cells]
            verdicts = Counter(cell.verdict for cell in cells)
            work = sum(
                record["seconds"]
                for trial in table.trials
                for record in records.get(trial.name, ())
            )
            found.append(
                {
                    "name": table.name,
                    "title": table.title,
                    "source": table.source,
                    "known": list(table.known),
                    "missing": [name for name in table.datasets if not has(name)],
                    "about_data": {
                        name: about(name) for name in table.datasets if about(name)
                    },
                    "verdicts": {name: verdicts[name] for name in ORDER},
                    "seconds": work,
                    "cells": [cell.to_dict() for cell in cells],
                }
            )
        whole = sum(run["seconds"] for runs in records.values() for run in runs)
        return cls(found, repeats, seconds, whole)

    @property
    def verdicts(self) -> dict[str, int]:
        """How many cells of all tables got which verdict."""
        total: Counter[str] = Counter()
        for table in self.tables:
            total.update(table["verdicts"])
        return {name: total[name] for name in ORDER}

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat dictionary per cell."""
        return [
            {"table": table["name"]} | cell
            for table in self.tables
            for cell in table["cells"]
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return {
            "featsieve": featsieve.__version__,
            "repeats": self.repeats,
            "seconds": self.seconds,
            "work": self.work,
            "verdicts": self.verdicts,
            "tables": self.tables,
        }

    def report(self, path: str | Path) -> None:
        """Write a page that stands alone."""
        from featsieve.report import reproduction_page  # noqa: PLC0415  (only for a page)

        write_whole(path, reproduction_page(self.to_dict()))


def _compare(
    cell: Cell, records: Mapping[str, Sequence[Mapping[str, Any]]]
) -> CellResult:
    runs = records.get(cell.trial.name, ())
    return cell.compare([run["values"].get(cell.measure) for run in runs])
