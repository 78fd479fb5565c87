"""All published tables by name, and how they are run: each trial once, kept at once."""

from __future__ import annotations

import contextlib
import math
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import featsieve
from featsieve._checks import check_integer
from featsieve._journal import Journal
from featsieve.comparison import Progress
from featsieve.engine import stream_tasks
from featsieve.exceptions import DataError, NoFeatureSelectedWarning
from featsieve.reproduce import (
    _bifs_tables,
    _ensemble_tables,
    _forest_tables,
    _fs2boost_tables,
    _largedata_search,
    _largedata_tables,
    _subset_tables,
)
from featsieve.reproduce._data import DataFolder
from featsieve.reproduce._tables import PublishedTable, Reproduction, Trial, Value

Record = dict[str, Any]


def published_tables(tables: Iterable[str] | None = None) -> dict[str, PublishedTable]:
    """Return tables that can be run, and those of which we know why not.

    Parameters
    ----------
    tables : iterable of str or None, default=None
        Names of tables such as "bifs-5.3", or of works such as "bifs" for all tables
        of one; none or None for all.

    Returns
    -------
    dict of str to PublishedTable
        By name: the work and the number of the table.

    Examples
    --------
    >>> from featsieve.reproduce import published_tables
    >>> list(published_tables(["subsets"]))
    ['subsets-5', 'subsets-6', 'subsets-7']
    """
    works = (
        _bifs_tables,
        _ensemble_tables,
        _forest_tables,
        _subset_tables,
        _fs2boost_tables,
        _largedata_tables,
        _largedata_search,
    )
    known = {table.name: table for work in works for table in work.tables()}
    if not tables:
        return known
    wanted: set[str] = set()
    for name in tables:
        own = name.strip().lower()
        found = [each for each in known if each == own or each.split("-")[0] == own]
        if not found:
            listed = sorted({each.split("-")[0] for each in known})
            raise DataError(
                f"There is no published table {name!r}. Say the name of a table, such "
                f"as 'bifs-5.3', or of a work: {', '.join(listed)}."
            )
        wanted.update(found)
    return {name: table for name, table in known.items() if name in wanted}


def reproduce(
    tables: Sequence[str] | None = None,
    *,
    data_folder: str | Path | None = None,
    n_repeats: int = 5,
    full: bool = False,
    fetch: bool = False,
    journal: str | Path | None = None,
    progress: Callable[[Progress], None] | None = None,
    n_jobs: int | None = None,
) -> Reproduction:
    """Run tables of the works that featsieve is built on, and set ours beside print.

    Parameters
    ----------
    tables : sequence of str or None, default=None
        Names of tables such as "bifs-5.3", or of works such as "bifs" for all tables
        of one; None for all.
    data_folder : str, Path or None, default=None
        A folder with a folder for each data set: train.csv or train.parquet with the
        target ``class``, and meta.json with the kinds of columns. Without it, and
        without ``fetch``, only cells of generated data sets are run.
    n_repeats : int, default=5
        How often to repeat what chance plays a part in. The larger a table is, the
        fewer runs a repeat stands for.
    full : bool, default=False
        As many runs as the published numbers are the means of; takes hours.
    fetch : bool, default=False
        Fetch data sets that are not in ``data`` from OpenML and keep them there, in the
        folder ``featsieve`` beside scikit-learn's own data if there is no ``data``.
    journal : str, Path or None, default=None
        A file in which every run is kept; called again with it, the work goes on from
        there, also for other tables or more repeats.
    progress : callable or None, default=None
        Called with a `featsieve.comparison.Progress` after every run.
    n_jobs : int or None, default=None
        Runs at a time; the answer is the same with any number.

    Returns
    -------
    Reproduction
        Ours beside every published cell, with the difference in standard errors.

    Examples
    --------
    >>> from featsieve.reproduce import reproduce
    >>> found = reproduce(["bifs-5.2"])
    >>> found.tables[0]["cells"][0]["ours"], found.tables[0]["cells"][0]["verdict"]
    ('[1,2,3,4]', 'same')
    """
    check_integer("n_repeats", n_repeats, reproduce, at_least=1)
    chosen = list(published_tables(tables).values())
    folder, reasons = _open_data(data_folder, chosen, fetch=fetch)
    tasks = _tasks(chosen, folder, n_repeats, full=full)
    started = time.perf_counter()
    setup = {
        "work": "reproduce",
        "version": featsieve.__version__,
        "data": "" if folder.path is None else str(folder.path.resolve()),
    }
    keep = contextlib.nullcontext() if journal is None else Journal(journal, setup)
    with keep as diary:
        records = _run(tasks, folder, diary, progress, n_jobs)
    return Reproduction.of(
        chosen,
        _values(records, tasks),
        has=folder.has,
        about=lambda name: reasons.get(name) or folder.note(name),
        repeats=None if full else n_repeats,
        seconds=time.perf_counter() - started,
    )


def _open_data(
    data: str | Path | None, tables: Sequence[PublishedTable], *, fetch: bool
) -> tuple[DataFolder, dict[str, str]]:
    """Return the folder of data, and why some data sets could not be fetched."""
    if not fetch:
        return DataFolder(data), {}
    from featsieve.reproduce._data import default_folder, fetch_datasets  # noqa: PLC0415  (most never fetch)

    path = default_folder() if data is None else Path(data)
    names = sorted({name for table in tables for name in table.datasets})
    reasons = fetch_datasets(names, path)
    return DataFolder(path), reasons


def _tasks(
    tables: Sequence[PublishedTable], folder: DataFolder, repeats: int, *, full: bool
) -> list[tuple[Trial, int]]:
    """Return trials and numbers of runs, data set by data set."""
    trials = {trial.name: trial for table in tables for trial in table.trials}
    able = [t for t in trials.values() if t.dataset is None or folder.has(t.dataset)]
    able.sort(key=lambda trial: trial.dataset or "")  # stable
    return [
        (trial, run)
        for trial in able
        for run in range(trial.n_runs(repeats, full=full))
    ]


def _run(
    tasks: Sequence[tuple[Trial, int]],
    folder: DataFolder,
    journal: Journal | None,
    progress: Callable[[Progress], None] | None,
    n_jobs: int | None,
) -> list[Record]:
    records = [] if journal is None else list(journal.records)
    done = {(record["trial"], record["run"]) for record in records}
    still = [(trial, run) for trial, run in tasks if (trial.name, run) not in done]
    finished = len(tasks) - len(still)
    started = time.perf_counter()
    with warnings.catch_warnings():
        # The numbers tell it; here once, as threads share the filters.
        warnings.simplefilter("ignore", NoFeatureSelectedWarning)
        work = [(trial, folder, run) for trial, run in still]
        for count, (_, record) in enumerate(
            stream_tasks(_run_once, work, n_jobs=n_jobs), 1
        ):
            if journal is not None:
                journal.append(record)
            records.append(record)
            if progress is not None:
                elapsed = time.perf_counter() - started
                left = elapsed / count * (len(still) - count)
                done_now = finished + count
                progress(Progress(done_now, len(tasks), elapsed, left, False))
    return records


def _run_once(trial: Trial, folder: DataFolder, run: int) -> Record:
    started = time.perf_counter()
    values = {name: _plain(value) for name, value in trial.run(folder, run).items()}
    seconds = time.perf_counter() - started
    return {"trial": trial.name, "run": run, "values": values, "seconds": seconds}


def _plain(value: Value) -> Value:
    """Return a number or a text that JSON can hold; None for not a number."""
    if value is None or isinstance(value, str):
        return value
    number = float(value)
    return number if math.isfinite(number) else None


def _values(
    records: Sequence[Record], tasks: Sequence[tuple[Trial, int]]
) -> dict[str, list[Record]]:
    """Return the records of the runs that were asked for, by trial, in order."""
    asked = {(trial.name, run) for trial, run in tasks}
    found: dict[str, list[Record]] = defaultdict(list)
    for record in sorted(records, key=lambda each: each["run"]):
        if (record["trial"], record["run"]) in asked:
            found[record["trial"]].append(record)
    return found
