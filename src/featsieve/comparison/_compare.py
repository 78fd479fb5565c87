"""Which selector is really better? All against all, on rows that none has seen."""

from __future__ import annotations

import contextlib
import hashlib
import time as clock
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer

import featsieve
from featsieve._checks import check_choice, check_real
from featsieve._journal import Journal, describe
from featsieve.comparison._comparison import Comparison, standings
from featsieve.comparison._contestants import (
    ESTIMATORS,
    SELECTORS,
    name_contestants,
)
from featsieve.comparison._rounds import Arena, Progress, Record, Watch, play_round
from featsieve.comparison._splits import (
    Split,
    describe_cv,
    make_splits,
    read_rows,
    unused_options,
)
from featsieve.data import Column, Table, read_table
from featsieve.data.api import frame_library
from featsieve.engine import root_seed, stream_tasks
from featsieve.exceptions import DataError, NoFeatureSelectedWarning

LEARNERS_OF_CLASSES = ("c4.5", "naive-bayes", "5-nn")
LEARNERS_OF_NUMBERS = ("mdl-tree", "linear", "5-nn")


def compare(
    data: Any,
    target: Any = None,
    *,
    selectors: Any = ("all", "information-gain", "cfs", "bifs"),
    estimators: Any = None,
    cv: Any = "10x3",
    scoring: Any = None,
    preprocess: str = "auto",
    alpha: float = 0.05,
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
    journal: str | Path | None = None,
    progress: Callable[[Progress], None] | None = None,
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> Comparison:
    """Compare selectors of features by what learners make of their choices.

    On every split each selector is fitted to the training rows only, each learner is
    fitted to the training rows with the features chosen, and scored on the test rows.
    Nothing is ever learnt from rows that are tested on: neither selections, nor
    medians, nor levels.

    Parameters
    ----------
    data : table
        Anything that `featsieve.data.read_table` reads.
    target : str, int or array-like, default=None
        The column to be predicted, or its values; may be None for a
        `featsieve.data.Table` that has one.
    selectors : list or mapping
        Names ("all" keeps all features, "bifs", "cfs", "fcbf", "information-gain",
        "mrmr", "relieff", "sieve", …), selectors of any library, or (name, selector)
        pairs. A selector has ``fit(X, y)`` and tells what it chose by ``get_support``,
        ``support_``, ``k_feature_idx_`` or ``transform``.
    estimators : list, mapping or None, default=None
        Names ("c4.5", "mdl-tree", "naive-bayes", "5-nn", "linear", "forest"),
        learners, or (name, learner) pairs. One that tunes itself on its training rows,
        such as ``GridSearchCV``, makes the comparison nested. None is "c4.5",
        "naive-bayes" and "5-nn", or for a quantity "mdl-tree", "linear" and "5-nn".
    cv : str, int, splitter or iterable, default="10x3"
        "10x3" is ten stratified folds, three times over (plain folds if the target is
        a quantity); "loo" leaves one row out, or one group; else as in scikit-learn.
        With `time` the folds are blocks, each tested after all before it are learnt,
        once.
    scoring : str, callable or None, default=None
        As in scikit-learn; None is accuracy, or R² for a quantity. Greater is better.
        Classes are known to it as 0, 1, … in the order of ``classes``.
    preprocess : {"auto", "frame"}, default="auto"
        What contestants of other libraries get. "auto": numbers without gaps (missing
        numbers become the median of the training rows; nominal columns one column of
        codes each for selectors, one column per level for learners; missing is a level
        of its own). "frame": pandas frames, which they prepare themselves. Ours always
        get typed columns as they are.
    alpha : float, default=0.05
        Level of the tests and intervals.
    groups : str, array-like, "auto" or None, default="auto"
        Which rows belong together, such as those of one patient: the name of a column,
        which then is no feature, or a value per row. A group is never on both sides of
        a split. ``"auto"`` looks for repeated rows, identifiers and series, heeds them
        and warns; None says that rows are exchangeable.
    time : str, array-like or None, default=None
        When each row was seen: the name of a column, numbers or dates. What is tested
        comes after all that is trained on.
    strata : str, array-like or None, default=None
        Folds have about the same share of each of these.
    sample_weight : str, array-like or None, default=None
        Weight of each row, for contestants and scores that take weights.
    nominal, numeric, missing_values, target_kind, separator, encoding, decimal
        How to read the table, as in `featsieve.data.read_table`.
    journal : path or None, default=None
        A file that keeps every round as it is done. Started again with the same
        arguments, after a crash or a kill, the comparison goes on where it was; with
        others it is refused.
    progress : callable or None, default=None
        Called with a `Progress` after each round.
    n_jobs : int or None, default=None
        Rounds at a time; the answer is the same with any number.
    random_state : int, RandomState or None, default=0
        Seed of the folds, and of every contestant whose ``random_state`` is None.

    Returns
    -------
    Comparison
        Tables of scores and tests, ranks, a report.

    Notes
    -----
    A contestant that fails on a split is reported with its error; the others go on. A
    selector that keeps nothing is scored by the best guess without features. Scores
    of overlapping folds are compared by the corrected resampled t-test of Nadeau and
    Bengio, all pairs together by Holm. It takes the mean over splits of the rows for
    testing per row for training, which differ where folds are groups or follow time.

    Selectors and learners get `groups`, `time`, `strata` and `sample_weight` if their
    `fit` takes them; `notes` of the comparison say who does not.

    Rounds run in threads; for learners that hold the interpreter's lock, say
    ``with joblib.parallel_config("loky", n_jobs=4):`` and leave `n_jobs` None.

    Examples
    --------
    >>> import featsieve
    >>> from featsieve.datasets import make_corral
    >>> problem = make_corral(200, random_state=0)
    >>> comparison = featsieve.compare(
    ...     problem.table, selectors=["all", "cfs"], estimators=["c4.5"], cv="5x2"
    ... )
    >>> comparison.table["score"].round(2).tolist()
    [1.0, 0.97]
    >>> print(comparison.summary[0])
    With c4.5, all scores best: 1.000 with 6.0 of 6 features; not told apart from it:
    cfs.
    """
    check_choice("preprocess", preprocess, ("auto", "frame"), "compare")
    check_real("alpha", alpha, "compare", above=0, below=1)
    library = frame_library(data)
    table = read_table(
        data,
        target,
        nominal=nominal,
        numeric=numeric,
        missing_values=missing_values,
        target_kind=target_kind,
        separator=separator,
        encoding=encoding,
        decimal=decimal,
    )
    given = {"groups": groups, "time": time, "strata": strata}
    if table.target is None:
        message = "compare needs a target: the name of a column, or its values."
        raise DataError(message)
    table, rows = read_rows(table, given | {"sample_weight": sample_weight})
    table, goal = _split_target(table)
    classes = goal.is_nominal
    if estimators is None:
        estimators = LEARNERS_OF_CLASSES if classes else LEARNERS_OF_NUMBERS
    scoring = scoring or ("accuracy" if classes else "r2")
    seed = root_seed(random_state)
    values = goal.values.astype(np.int64) if classes else goal.values
    arena = Arena(
        table,
        values,
        make_splits(cv, values, rows, classes=classes, seed=seed),
        name_contestants("selectors", selectors, SELECTORS, classes=classes),
        name_contestants("estimators", estimators, ESTIMATORS, classes=classes),
        get_scorer(scoring),
        classes,
        preprocess,
        seed,
        rows,
    )
    records = _play_all(arena, describe(scoring), journal, progress, n_jobs)
    about = {
        "featsieve": featsieve.__version__,
        "target": goal.name,
        "classes": [str(level) for level in goal.levels],
        "scoring": scoring if isinstance(scoring, str) else describe(scoring),
        "cv": describe_cv(cv, len(arena.splits), rows),
        "alpha": alpha,
        "notes": _notes(arena),
    }
    return Comparison(standings(about | _describe_arena(arena), records), library)


def _notes(arena: Arena) -> list[str]:
    """Say how rows belong together, and who does not heed it."""
    unused = unused_options(arena.rows, arena.selectors, arena.estimators, arena.scorer)
    return [*arena.rows.notes, *unused]


def _describe_arena(arena: Arena) -> dict[str, Any]:
    """Return what a comparison knows of its rounds, as plain data."""
    contestants = (*arena.selectors.items(), *arena.estimators.items())
    ratios = [len(test) / len(train) for train, test in arena.splits]
    return {
        "n_rows": arena.table.n_rows,
        "n_features": arena.table.n_columns,
        "features": list(arena.table.names),
        "selectors": list(arena.selectors),
        "estimators": list(arena.estimators),
        "descriptions": {name: describe(thing) for name, thing in contestants},
        "preprocess": arena.preprocess,
        "n_splits": len(arena.splits),
        "test_ratio": float(np.mean(ratios)),
        "seed": arena.seed,
    }


def _split_target(table: Table) -> tuple[Table, Column]:
    """Return the features and the target."""
    goal = table.target
    assert goal is not None  # asked before
    if not table.n_columns:
        message = f"There is no column beside the target {goal.name!r} to select."
        raise DataError(message)
    if not table.n_rows or (goal.values == goal.values[0]).all():
        message = (
            f"The target {goal.name!r} must take at least two values. Choose another, "
            "or add rows."
        )
        raise DataError(message)
    return Table(table.columns, None, table.source_notes, table.n_rows), goal


def _play_all(
    arena: Arena,
    scoring: str,
    path: str | Path | None,
    progress: Callable[[Progress], None] | None,
    n_jobs: int | None,
) -> list[Record]:
    """Return the records of all rounds, taking up those that a journal has."""
    started = clock.perf_counter()
    with (
        contextlib.nullcontext()
        if path is None
        else Journal(path, _journal_setup(arena, scoring))
    ) as journal:
        records = [] if journal is None else list(journal.records)
        done = {(each["split"], each["selector"]) for each in records}
        # Split by split, so that every selector is timed early.
        open_rounds = [
            (arena, split, name)
            for split in range(len(arena.splits))
            for name in arena.selectors
            if (split, name) not in done
        ]
        watch = Watch(arena.selectors, len(arena.splits), records)
        with warnings.catch_warnings():
            # Told by the number of features; once here, as threads share the filters.
            warnings.simplefilter("ignore", NoFeatureSelectedWarning)
            # Of learners that divide by a spread of zero; what they score is told.
            warnings.filterwarnings("ignore", category=RuntimeWarning, module="sklearn")
            for _, record in stream_tasks(play_round, open_rounds, n_jobs=n_jobs):
                if journal is not None:
                    journal.append(record)
                records.append(record)
                watch.note(record)
                if progress is not None:
                    progress(watch.progress(clock.perf_counter() - started))
    return records


def _journal_setup(arena: Arena, scoring: str) -> dict[str, str]:
    """Return what must be the same to go on with a journal."""
    setup = {
        "version": featsieve.__version__,
        "data": _digest_of_data(arena),
        "cv": _digest_of_splits(arena.splits),
        "seed": str(arena.seed),
        "scoring": scoring,
        "preprocess": arena.preprocess,
    }
    if arena.rows.options:
        setup["rows"] = _digest_of_rows(arena)
    for what, contestants in (
        ("selector", arena.selectors),
        ("estimator", arena.estimators),
    ):
        setup |= {f"{what} {name!r}": describe(c) for name, c in contestants.items()}
    return setup


def _digest_of_data(arena: Arena) -> str:
    parts: list[Any] = []
    for column in arena.table:
        head = (column.name, column.kind.value, column.levels)
        parts.append(repr(head).encode("utf-8", "backslashreplace"))
        parts.append(np.ascontiguousarray(column.values).data)
    parts.append(np.ascontiguousarray(arena.target).data)
    shape = f"{arena.table.n_rows} rows, {arena.table.n_columns} features"
    return f"{shape}, {_digest(parts)}"


def _digest_of_rows(arena: Arena) -> str:
    options = arena.rows.options
    values = (np.ascontiguousarray(each, dtype="<f8") for each in options.values())
    return f"{', '.join(options)}, {_digest(each.data for each in values)}"


def _digest_of_splits(splits: Sequence[Split]) -> str:
    parts: list[Any] = []
    for rows in (rows for split in splits for rows in split):
        parts.append(len(rows).to_bytes(8, "little"))
        parts.append(np.ascontiguousarray(rows, dtype="<i8").data)
    return f"{len(splits)} splits, {_digest(parts)}"


def _digest(parts: Iterable[Any]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(part)
    return f"digest {digest.hexdigest()}"
