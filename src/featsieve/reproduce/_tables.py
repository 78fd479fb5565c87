"""A published table as data: its cells, the trials that give ours, and what came."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import featsieve
from featsieve._text import write_whole
from featsieve.reproduce._data import NOT_THERE, DataFolder

Value = float | str | None
Values = Mapping[str, Value]

SAME, DIFFERS, NEAR, CLOSE = "same", "differs", "within 3 s.e.", "within 2 s.e."
NOT_RUN, NO_SPREAD, OTHER_ROWS = "not run", "too few runs", "other rows"
ORDER = (SAME, CLOSE, NEAR, DIFFERS, NO_SPREAD, OTHER_ROWS, NOT_RUN)
#: Of ours where no deviation is printed.
FEWEST_RUNS = 4


@dataclass(frozen=True, slots=True)
class Trial:
    """Something to run, once or with several seeds, that fills cells.

    Parameters
    ----------
    name : str
        Its name in journals; no two trials share one.
    run : callable
        Takes the data and the number of the run, returns named numbers or texts.
    dataset : str or None, default=None
        The folder it needs; None if its data are generated.
    per_repeat : float, default=0.0
        Runs for each repeat that is asked for; 0 for a single run, since another one
        would give the same.
    most : int, default=1
        Runs behind the published number, which ``full`` asks for.

    Examples
    --------
    >>> from featsieve.reproduce import Trial
    >>> trial = Trial("coin", lambda data, run: {"heads": 0.5}, per_repeat=10, most=100)
    >>> trial.n_runs(repeats=5), trial.n_runs(repeats=5, full=True)
    (50, 100)
    """

    name: str
    run: Callable[[DataFolder, int], Values] = field(compare=False)
    dataset: str | None = None
    per_repeat: float = 0.0
    most: int = 1

    def n_runs(self, repeats: int, *, full: bool = False) -> int:
        """Return how many runs so many repeats ask for."""
        if full:
            return self.most
        return min(max(math.ceil(self.per_repeat * repeats), 1), self.most)


@dataclass(frozen=True, slots=True)
class Cell:
    """One published number or text, and how ours comes about.

    Parameters
    ----------
    row, column : str
        Where it stands.
    published : float or str
        What is printed.
    trial : Trial
        What gives ours.
    measure : str
        Which of the values of the trial.
    digits : int, default=4
        Decimals that are printed.
    n_published : int or None, default=None
        Runs that the printed number is the mean of. None where chance plays no part, or
        where print and ours are not of the same rows: there is no standard error then.
    deviation : float or None, default=None
        Printed standard deviation of these runs; if it is None, that of ours is taken,
        once there are four.
    whole : bool, default=False
        Whether every run gives a whole number, so that a broken mean tells how much
        runs must vary at least.
    comparable : bool, default=True
        False where ours are other rows than those printed.
    note : str, default=""
        What is known about a difference.

    Examples
    --------
    >>> from featsieve.reproduce import Cell, Trial
    >>> trial = Trial("coin", lambda data, run: {"heads": 0.5}, per_repeat=1, most=100)
    >>> cell = Cell("coin", "heads", 0.48, trial, "heads", n_published=100)
    >>> cell.compare([0.5, 0.46, 0.51, 0.49]).verdict
    'within 2 s.e.'
    """

    row: str
    column: str
    published: float | str
    trial: Trial
    measure: str
    digits: int = 4
    n_published: int | None = None
    deviation: float | None = None
    whole: bool = False
    comparable: bool = True
    note: str = ""

    def compare(self, ours: Sequence[Value]) -> CellResult:
        """Return ours beside the published, from the values of all runs."""
        known = [value for value in ours if value is not None]
        if not known:
            return CellResult(self)
        if isinstance(self.published, str):
            text = str(known[0])
            verdict = SAME if text == self.published else DIFFERS
            return CellResult(self, text, len(known), verdict=verdict)
        values = np.array(known, dtype=float)
        mean, n = float(values.mean()), len(values)
        own = float(values.std(ddof=1)) if n > 1 else None
        error = None if own is None else own / math.sqrt(n)
        if not self.comparable:
            return CellResult(self, mean, n, error, verdict=OTHER_ROWS)
        off = mean - self.published
        if self.n_published is None:
            same = abs(off) <= 0.5 * 10.0**-self.digits * (1 + 1e-9)
            verdict = SAME if same else DIFFERS
            return CellResult(self, mean, n, error, verdict=verdict)
        z = self._in_standard_errors(off, own, n)
        verdict = NO_SPREAD
        if z is not None:
            verdict = CLOSE if abs(z) < 2 else NEAR if abs(z) < 3 else DIFFERS
        return CellResult(self, mean, n, error, z, verdict)

    def _in_standard_errors(
        self, off: float, own: float | None, n: int
    ) -> float | None:
        """Return a difference over its standard error, that of rounding included."""
        if self.deviation is None and n < FEWEST_RUNS:
            return None  # the spread of so few says nothing
        printed = own if self.deviation is None else self.deviation
        if printed is None or self.n_published is None:
            return None
        if own is None:
            own = printed
        elif self.deviation is not None:
            # A few runs that happen to agree do not make ours precise.
            own = max(own, self.deviation / 2)
        if self.whole:
            own, printed = max(own, self._least()), max(printed, self._least())
        rounding = 10.0**-self.digits / math.sqrt(12)
        parts = (own / math.sqrt(n), printed / math.sqrt(self.n_published), rounding)
        return off / math.hypot(*parts)

    def _least(self) -> float:
        """Return the least deviation of whole numbers with the published mean."""
        part = float(self.published) % 1
        return math.sqrt(part * (1 - part))


@dataclass(frozen=True, slots=True)
class CellResult:
    """Ours beside a published cell."""

    cell: Cell
    ours: float | str | None = None  # the mean over runs, or the text
    n_runs: int = 0
    standard_error: float | None = None  # of our mean
    z: float | None = None  # the difference in its standard errors
    verdict: str = NOT_RUN

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        cell = self.cell
        numeric = isinstance(self.ours, float) and isinstance(cell.published, float)
        return {
            "row": cell.row,
            "column": cell.column,
            "published": cell.published,
            "ours": self.ours,
            "difference": self.ours - cell.published if numeric else None,  # type: ignore[operator]
            "standard_error": self.standard_error,
            "z": self.z,
            "verdict": self.verdict,
            "n_runs": self.n_runs,
            "digits": cell.digits,
            "note": cell.note,
            "dataset": cell.trial.dataset,
        }


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of a published work, by name.

    Parameters
    ----------
    name : str
        The work and the number of the table, such as "bifs-5.3".
    title : str
        What it shows.
    source : str
        The work.
    cells : tuple of Cell, default=()
        Its numbers, row by row.
    known : tuple of str, default=()
        What is known not to match, and why; all there is to say of a table without
        cells.

    Examples
    --------
    >>> from featsieve.reproduce import published_tables
    >>> table = published_tables()["bifs-5.2"]
    >>> table.title
    'Relevant groups and features of four synthetic sets (alpha = beta = 0.05)'
    >>> len(table.cells), table.generated
    (8, True)
    """

    name: str
    title: str
    source: str
    cells: tuple[Cell, ...] = ()
    known: tuple[str, ...] = ()

    @property
    def generated(self) -> bool:
        """Whether some of its cells need no data."""
        return any(cell.trial.dataset is None for cell in self.cells)

    @property
    def datasets(self) -> list[str]:
        """Folders of data that its cells need."""
        return sorted({c.trial.dataset for c in self.cells if c.trial.dataset})

    @property
    def not_fetchable(self) -> list[str]:
        """Those of its data sets that cannot be fetched, and must be at hand."""
        return [name for name in self.datasets if name in NOT_THERE]

    @property
    def trials(self) -> list[Trial]:
        """What its cells need to be run, each once."""
        return list({cell.trial.name: cell.trial for cell in self.cells}.values())


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
    >>> found = reproduce(["fs2boost-1"], n_repeats=1)
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

        def runs_of(trial: Trial) -> Sequence[Mapping[str, Any]]:
            return records.get(trial.name, ())

        found = []
        for table in tables:
            cells = [
                cell.compare(
                    [run["values"].get(cell.measure) for run in runs_of(cell.trial)]
                )
                for cell in table.cells
            ]
            verdicts = Counter(cell.verdict for cell in cells)
            seconds_of = [run["seconds"] for t in table.trials for run in runs_of(t)]
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
                    "seconds": sum(seconds_of),
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
        from featsieve.report.api import reproduction_page  # noqa: PLC0415  (a page)

        write_whole(path, reproduction_page(self.to_dict()))


#: Number, title, cells, and what is known not to match.
Listed = tuple[str, str, Iterable[Cell], *tuple[str, ...]]


def tables_of(
    work: str, source: str, listed: Iterable[Listed], *known: str
) -> list[PublishedTable]:
    """Return tables of a work; what is `known` of all of them comes first."""
    return [
        PublishedTable(f"{work}-{number}", title, source, tuple(cells), (*known, *own))
        for number, title, cells, *own in listed
    ]


def mean_values(found: Sequence[Values]) -> dict[str, Value]:
    """Return the mean of every value over splits of one draw."""
    means: dict[str, Value] = {}
    for name in found[0]:
        known = [each[name] for each in found if each[name] is not None]
        means[name] = float(np.mean(known)) if known else None  # type: ignore[arg-type]
    return means


def printed_rows(text: str) -> dict[str, list[float]]:
    """Return the numbers after each name; not a number where there is a dash."""
    found: dict[str, list[float]] = {}
    for entry in text.replace("\n    ", " ").strip().splitlines():
        name, _, values = entry.rpartition(":")
        found[name] = [float("nan") if v == "-" else float(v) for v in values.split()]
    return found
