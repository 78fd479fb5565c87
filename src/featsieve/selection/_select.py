"""`select`: a table goes in, the features to keep and the reasons come out."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import joblib
import numpy as np

from featsieve.data import Table, TableStream
from featsieve.exceptions import DataError
from featsieve.selection._all_rows import AllRows
from featsieve.selection._auto import sift
from featsieve.selection._custom import select_with
from featsieve.selection._ledger import library_of
from featsieve.selection._opening import (
    Handover,
    Tell,
    open_rows,
    showing_progress,
)
from featsieve.selection._rows import RowWishes, settle_rows
from featsieve.selection._selection import Selection
from featsieve.selection._settings import (
    Question,
    Settings,
    check_costs,
    check_settings,
)
from featsieve.selection._summary import finite, summarise_findings


def select(
    data: Any,
    target: Any = None,
    *,
    max_selected: int | None = None,
    fdr: float = 0.05,
    method: Any = "auto",
    min_features: int | None = None,
    include_possible: bool = False,
    costs: Mapping[str, float] | None = None,
    groups: Any = "auto",
    time: Any = None,
    strata: Any = None,
    sample_weight: Any = None,
    nominal: Sequence[str | int] | str | None = None,
    numeric: Sequence[str | int] | str | None = None,
    missing_values: Sequence[Any] | None = None,
    target_kind: str | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    decimal: str = ".",
    time_budget: float | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    engine: Any = None,
    verbose: bool = True,
) -> Selection:
    """Choose the columns of a table that matter for a target, and say why.

    Columns that cannot help are screened out (constant, row IDs, copies). Each column
    is tested alone. Pairs, triples and, of few columns, larger sets are scanned for
    what matters only together. A forest looks for what matters in the context of
    others. All columns are tested once more beside those that were found. At last
    relevant columns that add nothing to the others are set aside. Numeric and nominal
    columns, missing values (which may be informative), classes and quantities are taken
    as they are.

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
    max_selected : int or None, default=None
        Keep at most so many. Members of an interaction stay together.
    fdr : float, default=0.05
        At most this share of the relevant features is expected to be noise, over all
        stages together.
    method : "auto" or selector, default="auto"
        All stages; or any selector with `fit` and `get_support`, of featsieve or
        scikit-learn, a copy of which is fitted instead.
    min_features : int or None, default=None
        Keep at least so many. Where fewer matter, first those that are possible are
        added, then the best of the rest; the ledger says which, and the error rate does
        not hold for them.
    include_possible : bool, default=False
        Keep the columns, too, some of which matter although rows are too few to say
        which. Else they are in `possible` only.
    costs : mapping of str to float or None, default=None
        What a column costs to obtain: of copies the cheaper one stays.
    groups : str, array-like, "auto" or None, default="auto"
        Which rows belong together, such as those of one patient: the name of a column,
        which then is no feature, or a value per row. ``"auto"`` looks for repeated
        rows, identifiers and series, heeds them and says so in the notes; None says
        that rows are exchangeable.
    time : str, array-like or None, default=None
        When each row was seen, if neighbours in time are alike: the name of a column,
        numbers or dates. What is new in each row is then compared.
    strata : str, array-like or None, default=None
        Rows are exchanged only within these; with `time`, each is a series.
    sample_weight : str, array-like or None, default=None
        Weight of each row: the name of a column, or numbers. Rows are drawn by it, so
        that tests have the effective number of rows.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Columns whose kind is not the one of their type.
    missing_values, target_kind, separator, encoding, decimal
        How to read the table, as in `featsieve.data.read_table`.
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
    verbose : bool, default=True
        Show on a terminal or in a notebook how far it is.

    Returns
    -------
    Selection
        The features, the ledger of every decision, and ways to show, store and apply
        them.

    See Also
    --------
    featsieve.selection.SieveSelector : The same as an estimator for pipelines.

    Notes
    -----
    Error control: the p-values of a column in all stages are combined to one (Cauchy's
    combination), and Benjamini and Hochberg's procedure is applied to these once; the
    threshold is that of as many columns as add something to those before them. A larger
    `fdr` never keeps fewer. In up to 500 rows the columns that are still undecided are
    tested once more, all together, given those that are kept; if that p-value is at
    most `fdr` divided by five, some of them are `possible`.

    Single columns are tested on all rows, up to a million; sets of columns are looked
    for in 20,000 rows, the forest is grown on 5,000. Names, units of numbers, and the
    order of rows and columns do not change the answer; an ID is known by its name or by
    its numbers, though, and of equal columns the first stays.

    Examples
    --------
    Two columns that matter only together, among noise:

    >>> import featsieve
    >>> from featsieve.datasets import make_parity
    >>> table, truth = make_parity(400, n_bits=2, n_noise=6, random_state=0)
    >>> selection = featsieve.select(table, verbose=False)
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
        max_selected=max_selected,
        fdr=fdr,
        method=method,
        min_features=min_features,
        include_possible=include_possible,
        time_budget=time_budget,
        random_state=random_state,
        n_jobs=n_jobs,
        costs=costs,
    )
    reading = {
        "nominal": nominal,
        "numeric": numeric,
        "missing_values": missing_values,
        "target_kind": target_kind,
        "separator": separator,
        "encoding": encoding,
        "decimal": decimal,
    }
    wishes = RowWishes(groups, time, strata, sample_weight)
    question = Question.of(data, target, settings, reading | wishes.asked)
    place = joblib.parallel_config(engine) if engine else contextlib.nullcontext()
    with place, showing_progress(verbose) as tell:
        given, stream = open_rows(data, target, reading, settings, tell)
        if stream is not None:
            wishes.refuse("a table in parts; draw rows with `open_stream(...).sample`")
        elif method != "auto":
            wishes.refuse("a selector of your own as the method; fit it yourself")
        else:
            _check_table(given.look())
            given = Handover(*settle_rows(given.take(), wishes))
        summary = run(given, settings, question, tell, stream)
    return Selection(summary, library=library_of(data))


def run(
    given: Handover,
    settings: Settings,
    question: Question,
    tell: Tell,
    stream: TableStream | None = None,
) -> dict[str, Any]:
    """Select on a table that was read, and return the plain dictionary.

    Of a `stream` the table may hold some rows only.
    """
    _check_table(given.look())
    check_costs(settings.costs, given.look().names)
    all_rows, drawing = None, given.drawing
    if drawing is not None:
        if stream is not None and settings.method == "auto":
            drawing = replace(drawing, counted=settings.time_budget is None)
        if stream is not None and drawing.counted:
            all_rows = AllRows(stream, settings.seed, settings.n_jobs)
        given = Handover(drawing.noted(given.take()))
    if settings.method != "auto":
        found = select_with(given.take(), settings, question, drawing)
    else:
        findings = sift(given, settings, tell, all_rows)
        findings.drawing = drawing
        found = summarise_findings(findings, question)
    summary: dict[str, Any] = finite(found)
    return summary


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
