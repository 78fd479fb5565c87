"""`select`: a table goes in, the features to keep and the reasons come out."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

import joblib
import numpy as np

from featsieve.data import Table, TableStream
from featsieve.exceptions import DataError
from featsieve.sieve._all_rows import AllRows
from featsieve.sieve._auto import sift
from featsieve.sieve._custom import select_with
from featsieve.sieve._ledger import library_of
from featsieve.sieve._opening import (
    Handover,
    Origin,
    drawn_and_counted,
    open_rows,
    told_drawing,
)
from featsieve.sieve._selection import Selection
from featsieve.sieve._settings import Settings, check_costs, check_settings
from featsieve.sieve._stage_display import showing_progress
from featsieve.sieve._summary import finite, summarise_findings

__all__ = ["run", "select"]


def select(
    data: Any,
    target: Any = None,
    *,
    max_features: int | None = None,
    fdr: float = 0.05,
    method: Any = "auto",
    costs: Mapping[str, float] | None = None,
    nominal: Sequence[str | int] | str | None = None,
    numeric: Sequence[str | int] | str | None = None,
    missing_values: Sequence[Any] | None = None,
    target_kind: str | None = None,
    time_budget: float | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    engine: Any = None,
    progress: bool = True,
) -> Selection:
    """Choose the columns of a table that matter for a target, and say why.

    Five stages, each of which only adds evidence. Columns that cannot help are screened
    out (constant, row IDs, copies). What each column tells alone is held against
    permutations of the target. Pairs, triples and, of few columns, larger sets are
    scanned for what they tell only together. A forest looks for what matters in the
    context of others. At last relevant columns whose information others carry are set
    aside. Numeric and nominal columns, missing values (which may tell something
    themselves), classes and quantities are taken as they are.

    Parameters
    ----------
    data : frame, array, mapping, list, path, Table or TableStream
        Whatever `featsieve.data.read_table` reads, a path of a file among it. Of a
        table in parts (a directory, a pattern, a list of files, a Dask DataFrame, what
        `featsieve.data.open_stream` returns) up to 100,000 rows are drawn; if there
        are more, what each column and each pair tells is counted in all of them (unless
        there is a `time_budget`), and the selection says so.
    target : str, int, array-like or None, default=None
        The column to be explained, by name, by position, or as values of its own. None
        only for a `Table` or stream that has a target.
    max_features : int or None, default=None
        Keep at most so many. Members of an interaction stay together.
    fdr : float, default=0.05
        At most this share of the relevant features is expected to be noise, over all
        stages together.
    method : "auto" or selector, default="auto"
        The five stages; or any selector with `fit` and `get_support`, of featsieve or
        scikit-learn, a copy of which is fitted instead.
    costs : mapping of str to float or None, default=None
        What a column costs to obtain: of copies the cheaper one stays.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Columns whose kind is not the one of their type.
    missing_values : sequence or None, default=None
        Values that count as missing; see `featsieve.data.read_table`.
    target_kind : {"nominal", "numeric"} or None, default=None
        Whether the target holds classes or a quantity, if it does not show.
    time_budget : float or None, default=None
        Seconds to aim at: rows, permutations and trees are cut down to it, never the
        error rate, and the selection says so.
    random_state : int, RandomState or None, default=0
        Seed of all that is drawn. Rows in another order give the same answer.
    n_jobs : int or None, default=None
        Threads; any number gives the same answer.
    engine : str or None, default=None
        Name of a joblib backend, such as ``"dask"``, for tasks that can leave this
        process.
    progress : bool, default=True
        Show on a terminal or in a notebook how far it is.

    Returns
    -------
    Selection
        The features, the ledger of every decision, and ways to show, store and apply
        them.

    See Also
    --------
    featsieve.sieve.SieveSelector : The same as an estimator for pipelines.

    Notes
    -----
    Error control: of each column, the p-value of every stage is divided by the share of
    the error the stage is given (alone 0.35, together 0.2, context 0.1), and the least
    of them is the p-value of the column; Benjamini and Hochberg's procedure is applied
    to these once, and the threshold lowered to the number of features that are left
    when copies are set aside. In up to 500 rows the columns that are still undecided
    are tested once more, all together; if that p-value is at most `fdr` divided by
    five, some of them are kept as a group, and the ledger says so.

    Tests are made on at most 20,000 rows, the forest on 5,000; larger tables give means
    over up to ten samples with their intervals.

    Examples
    --------
    Two columns that matter only together, among noise:

    >>> import featsieve
    >>> from featsieve.datasets import make_parity
    >>> table, truth = make_parity(400, n_bits=2, n_noise=6, random_state=0)
    >>> selection = featsieve.select(table, progress=False)
    >>> sorted(selection.features)
    ['x1', 'x2']
    >>> print(selection.explain("x1"))
    'x1' is kept: relevant together with 'x2'. ...
    """
    if engine is not None and not isinstance(engine, str):
        message = (
            "The 'engine' parameter of select must be the name of a joblib backend or "
            f"None. Got {engine!r} instead."
        )
        raise ValueError(message)
    settings = check_settings(
        "select",
        max_features=max_features,
        fdr=fdr,
        method=method,
        time_budget=time_budget,
        random_state=random_state,
        n_jobs=n_jobs,
        costs=costs,
    )
    given, stream = _open(
        data,
        target,
        settings.seed,
        nominal=nominal,
        numeric=numeric,
        missing_values=missing_values,
        target_kind=target_kind,
    )
    asked = {
        "target": target if isinstance(target, str | int) else None,
        "max_features": max_features,
        "fdr": fdr,
        "method": "auto" if isinstance(method, str) else repr(method),
        "costs": dict(settings.costs) or None,
        "nominal": nominal,
        "numeric": numeric,
        "missing_values": missing_values,
        "target_kind": target_kind,
        "time_budget": time_budget,
        "random_state": settings.seed,
    }
    place = joblib.parallel_config(engine) if engine else contextlib.nullcontext()
    with place:
        summary = run(
            given, settings, asked, Origin.of(data), progress=progress, stream=stream
        )
    return Selection(summary, library=library_of(data))


def _open(
    data: Any, target: Any, seed: int, **reading: Any
) -> tuple[Handover, TableStream | None]:
    table, stream = open_rows(data, target, seed, **reading)
    return Handover(table), stream


def run(
    table: Table | Handover,
    settings: Settings,
    asked: dict[str, Any],
    origin: Origin,
    *,
    progress: bool,
    stream: TableStream | None = None,
) -> dict[str, Any]:
    """Select on a table that was read, and return the plain dictionary.

    Of a `stream` the table may hold some rows only.
    """
    given = table if isinstance(table, Handover) else Handover(table)
    _check_table(given.look())
    check_costs(settings.costs, given.look().names)
    code, source = _code(asked, origin), origin.name
    all_rows = None
    drawn = stream is not None and told_drawing(given.look()) is not None
    if stream is not None and drawn and settings.time_budget is None:
        all_rows = AllRows(stream, settings.seed, settings.n_jobs)
    with showing_progress(progress) as tell:
        if settings.method == "auto":
            if all_rows is not None:
                given = Handover(drawn_and_counted(given.take()))
            findings = sift(given, settings, tell, all_rows)
            summary = summarise_findings(findings, source, asked, code)
        else:
            summary = select_with(given.take(), settings, source, asked, code)
    ready: dict[str, Any] = finite(summary)
    return ready


def _check_table(table: Table) -> None:
    target = table.target
    if target is None:
        shown = ", ".join(repr(name) for name in table.names[-5:])
        message = (
            "select needs to know the column to be explained. Say `target=` with a "
            f"name (the last columns are {shown}), a position, or values."
        )
        raise DataError(message)
    if not table.n_rows:
        message = "select needs rows to learn from. Got a table without any."
        raise DataError(message)
    if not table.n_columns:
        message = f"There is no column beside the target {target.name!r} to select."
        raise DataError(message)
    values = target.values
    if target.is_nominal and (values == values[0]).all():
        level = target.levels[values[0]]
        message = (
            f"Target {target.name!r} has one class, {level!r}, so nothing can explain "
            "it. Choose another target, or add rows of other classes."
        )
        raise DataError(message)
    if not target.is_nominal:
        if not np.isfinite(values).all():
            message = (
                f"Target {target.name!r} holds infinities. Replace them, or mark them "
                "as missing with `missing_values=[float('inf')]`."
            )
            raise DataError(message)
        if (values == values[0]).all():
            message = (
                f"Target {target.name!r} is {values[0]:g} in every row, so nothing can "
                "explain it. Choose another target."
            )
            raise DataError(message)


def _code(asked: dict[str, Any], origin: Origin) -> str:
    """Return the lines that repeat the selection."""
    defaults = {"fdr": 0.05, "method": "auto"}
    target = "target" if asked["target"] is None else repr(asked["target"])
    words = [origin.expression, f"target={target}"]
    for name, value in asked.items():
        if name == "target" or value is None or value == defaults.get(name):
            continue
        words.append(f"{name}={value if name == 'method' else repr(value)}")
    call = ", ".join(words)
    return f"import featsieve\n\nselection = featsieve.select({call})\n"
