"""One round of a comparison: a selector and all learners on one split of the rows."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor

from featsieve._types import Array, Floats, Ints, Mask
from featsieve.comparison._contestants import chosen_features, fresh_copy
from featsieve.comparison._splits import ANY_ROWS, GivenRows
from featsieve.data import Table
from featsieve.data.api import MatrixEncoder, reads_typed_tables

Record = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Arena:
    """All that rounds have in common; nothing in it changes.

    `preprocess` is "auto" (ours get typed tables, others numbers) or "frame" (others
    get pandas frames and prepare them themselves).
    """

    table: Table
    target: Array
    splits: list[tuple[Ints, Ints]]
    selectors: dict[str, Any]
    estimators: dict[str, Any]
    scorer: Callable[[Any, Any, Any], float]
    classes: bool
    preprocess: str
    seed: int
    rows: GivenRows = ANY_ROWS


@dataclass(frozen=True, slots=True, eq=False)
class _Features:
    """The features after selection: some of the table's columns, or new numbers."""

    train: Table | Floats
    test: Table | Floats
    mask: Mask | None

    @property
    def n_features(self) -> int:
        if isinstance(self.train, Table):
            return self.train.n_columns
        return int(self.train.shape[1])


def play_round(arena: Arena, split: int, selector: str) -> Record:
    """Fit a selector on training rows only, then every learner on what it chose.

    Errors of a contestant are part of the record; they end nothing but its own part.
    """
    train, _ = arena.splits[split]
    started = time.perf_counter()
    record: Record = {
        "split": split,
        "selector": selector,
        "features": None,
        "n_features": None,
        "error": None,
        "scores": {},
    }
    try:
        features = _select(arena, split, selector, arena.table.take(train))
        record["select_seconds"] = time.perf_counter() - started
    except Exception as error:
        record["error"] = _words(error)
        record["select_seconds"] = time.perf_counter() - started
    else:
        record["n_features"] = features.n_features
        if features.mask is not None:
            record["features"] = np.flatnonzero(features.mask).tolist()
        for name in arena.estimators:
            purpose = (selector, name, split)
            record["scores"][name] = _score(arena, purpose, features)
    record["seconds"] = time.perf_counter() - started
    return record


def _select(arena: Arena, split: int, name: str, train: Table) -> _Features:
    """Return training and test rows with the chosen features only."""
    test = arena.table.take(arena.splits[split][1])
    if arena.selectors[name] is None:
        return _Features(train, test, np.ones(train.n_columns, dtype=bool))
    selector = fresh_copy(arena.selectors[name], arena.seed, "selector", name, split)
    rows = arena.splits[split][0]
    X, X_test = _inputs(arena, selector, train, test, one_hot=False)
    selector.fit(X, arena.target[rows], **arena.rows.for_fit(selector, rows))
    matrix = X if isinstance(X, np.ndarray) else None
    mask = chosen_features(selector, matrix, train.n_columns)
    if mask is None:  # it makes new features, so learners see those
        return _Features(
            _plain(selector.transform(X)), _plain(selector.transform(X_test)), None
        )
    names = [name for name, kept in zip(train.names, mask, strict=True) if kept]
    return _Features(train.select(names), test.select(names), mask)


def _score(arena: Arena, purpose: tuple[str, str, int], features: _Features) -> Record:
    started = time.perf_counter()
    train, test = arena.splits[purpose[2]]
    y_train, y_test = arena.target[train], arena.target[test]
    score, error = None, None
    X: Any
    X_test: Any
    try:
        model = fresh_copy(arena.estimators[purpose[1]], arena.seed, *purpose)
        if features.n_features == 0:
            # Nothing was kept, so the honest guess knows the target's shares only.
            model = DummyClassifier() if arena.classes else DummyRegressor()
            X, X_test = np.zeros((len(y_train), 1)), np.zeros((len(y_test), 1))
        elif isinstance(features.train, Table):
            assert isinstance(features.test, Table)
            X, X_test = _inputs(
                arena, model, features.train, features.test, one_hot=True
            )
        else:
            X, X_test = features.train, features.test
        model.fit(X, y_train, **arena.rows.for_fit(model, train))
        weights = arena.rows.for_score(arena.scorer, test)
        score = float(arena.scorer(model, X_test, y_test, **weights))
        if not math.isfinite(score):
            score, error = None, f"the score is {score}, no number"
    except Exception as problem:
        error = _words(problem)
    return {"score": score, "seconds": time.perf_counter() - started, "error": error}


def _inputs(
    arena: Arena, estimator: Any, train: Table, test: Table, *, one_hot: bool
) -> tuple[Any, Any]:
    """Return both tables in the form that the estimator reads."""
    if reads_typed_tables(estimator):
        return train, test
    if arena.preprocess == "frame":
        return train.to_pandas()[0], test.to_pandas()[0]
    encoder = MatrixEncoder(one_hot=one_hot).fit(train)
    return encoder.transform(train), encoder.transform(test)


def _plain(values: Any) -> Floats:
    if hasattr(values, "toarray"):
        values = values.toarray()
    return np.asarray(values, dtype=np.float64)


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a comparison is.

    Parameters
    ----------
    done, total : int
        Rounds, each a selector and all learners on one split.
    elapsed : float
        Seconds since this run started.
    remaining : float or None
        Seconds still needed, from the mean duration of each selector's rounds so far;
        None while nothing is known.
    at_least : bool
        Whether some selector has not been timed yet, so that `remaining` leaves it out.

    Examples
    --------
    >>> from featsieve.comparison import Progress
    >>> print(Progress(12, 60, 30.0, 150.0, False))
    12 of 60 rounds, about 2 min 30 s left
    >>> print(Progress(1, 60, 30.0, 95.0, True))
    1 of 60 rounds, at least 1 min 35 s left
    """

    done: int
    total: int
    elapsed: float
    remaining: float | None
    at_least: bool

    def __str__(self) -> str:
        text = f"{self.done} of {self.total} rounds"
        if self.done == self.total:
            return text
        if self.remaining is None:
            return f"{text}, time left unknown"
        word = "at least" if self.at_least else "about"
        return f"{text}, {word} {_duration(self.remaining)} left"


class Watch:
    """Estimates what is left from the durations of each selector's rounds."""

    def __init__(
        self, selectors: Iterable[str], n_splits: int, known: Sequence[dict[str, Any]]
    ) -> None:
        self._n_splits = n_splits
        self._seconds: dict[str, list[float]] = {name: [] for name in selectors}
        for record in known:
            self._seconds[record["selector"]].append(record["seconds"])
        self._worked = 0.0

    def note(self, record: dict[str, Any]) -> None:
        """Take note of a round that this run has played."""
        self._seconds[record["selector"]].append(record["seconds"])
        self._worked += record["seconds"]

    def progress(self, elapsed: float) -> Progress:
        """Return how far it is after so many seconds."""
        done = sum(map(len, self._seconds.values()))
        total = self._n_splits * len(self._seconds)
        left, untimed = 0.0, False
        for seconds in self._seconds.values():
            open_rounds = self._n_splits - len(seconds)
            if seconds:
                left += open_rounds * sum(seconds) / len(seconds)
            elif open_rounds:
                untimed = True
        # How many rounds went on at once is measured, not what was asked for.
        at_once = max(self._worked / elapsed, 1.0) if elapsed > 0 else 1.0
        known = any(self._seconds.values())
        return Progress(
            done, total, elapsed, left / at_once if known else None, untimed
        )


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{max(round(seconds), 1)} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
