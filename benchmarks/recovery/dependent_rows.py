"""Problems whose rows depend on each other: duplicates, patients, time, strata.

Each is there as pure noise and with true columns. What a user would pass to `select`
about the rows (``groups``, ``time``, ``strata``) is in the options of the problem;
duplicates come without any.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.signal import lfilter

from benchmarks.recovery.sketch import (
    Sketch,
    ar_correlation,
    block_correlation,
    correlated,
)
from featsieve.datasets import Problem

__all__ = ["PAIRS", "PAIRS_NOISE", "ROWS", "ROWS_NOISE"]

Maker = Callable[[int], Problem]

N_TRUE = 3
N_COLUMNS = 24


def _add_independent(s: Sketch, n_rows: int, *, signal: bool) -> np.ndarray:
    """Add independent columns; return the sum of the true ones, or nothing."""
    score = np.zeros(n_rows)
    for j in range(N_COLUMNS):
        values = s.normal(n_rows)
        is_true = signal and j < N_TRUE
        s.add("true" if is_true else "noise", values)
        score += values * is_true
    return score


def oversampled(name: str, *, signal: bool) -> Maker:
    """Rows of the smaller class are repeated until the classes are equal."""

    def make(seed: int) -> Problem:
        s = Sketch(name, 300, seed)
        score = _add_independent(s, 300, signal=signal)
        target = s.classes(2 * score - 1.5 * (1 + signal))
        few, many = np.flatnonzero(target == 1), np.flatnonzero(target == 0)
        again = s.rng.choice(few, size=max(0, len(many) - len(few)))
        rows = s.rng.permutation(np.r_[np.arange(300), again])
        return s.problem(target, rows=rows)

    return make


def repeated(name: str, *, signal: bool) -> Maker:
    """Every row is there one to five times; columns in blocks."""

    def make(seed: int) -> Problem:
        s = Sketch(name, 300, seed)
        correlation = block_correlation(8, 3, 0.8)
        X = correlated(s.rng, 300, correlation)
        score = np.zeros(300)
        if signal:
            s.add_design(X, correlation, true := (0, 3, 6))
            score = X[:, true].sum(axis=1)
        else:
            for values in X.T:
                s.add("noise", values)
        rows = np.repeat(np.arange(300), s.rng.integers(1, 6, size=300))
        return s.problem(score + s.normal(), rows=s.rng.permutation(rows))

    return make


def _visits(s: Sketch, n_groups: int, least: int, most: int) -> np.ndarray:
    return np.repeat(
        np.arange(n_groups), s.rng.integers(least, most + 1, size=n_groups)
    )


def _measured(s: Sketch, groups: np.ndarray, within: float) -> tuple[np.ndarray, ...]:
    """Return a column and the part of it that belongs to the group."""
    own = np.sqrt(1 - within) * s.normal(groups.max() + 1)
    return own[groups] + np.sqrt(within) * s.normal(len(groups)), own


def patients(name: str, *, signal: bool) -> Maker:
    """The class belongs to the patient, the columns are measured at every visit."""

    def make(seed: int) -> Problem:
        s = Sketch(name, 0, seed)
        groups = _visits(s, 120, 3, 6)
        s.n_rows = len(groups)
        score = np.zeros(120)
        for j in range(N_COLUMNS):
            values, own = _measured(s, groups, within=0.3)
            is_true = signal and j < N_TRUE
            s.add("true" if is_true else "noise", values)
            score += own * is_true
        target = score + 0.5 * s.normal(120) > 0
        return s.problem(target.astype(int)[groups], options={"groups": groups})

    return make


def visits(name: str, *, signal: bool, quantity: bool) -> Maker:
    """Target and columns differ from visit to visit, and between patients."""

    def make(seed: int) -> Problem:
        s = Sketch(name, 0, seed)
        groups = _visits(s, 60, 6, 12)
        s.n_rows = len(groups)
        score, _ = _measured(s, groups, within=0.4)
        for j in range(N_COLUMNS):
            values, _ = _measured(s, groups, within=0.4)
            is_true = signal and j < N_TRUE
            s.add("true" if is_true else "noise", values)
            score += 0.7 * values * is_true
        target = score if quantity else (score > 0).astype(int)
        return s.problem(target, options={"groups": groups})

    return make


def visits_in_blocks(seed: int) -> Problem:
    """Patients, and columns in blocks of which one member is true."""
    name = "visits of patients, blocks at .8"
    s = Sketch(name, 0, seed)
    groups = _visits(s, 60, 8, 16)
    s.n_rows = len(groups)
    correlation = block_correlation(6, 4, 0.8)
    X = np.sqrt(0.5) * (
        correlated(s.rng, 60, correlation)[groups]
        + correlated(s.rng, s.n_rows, correlation)
    )
    true = (0, 4, 8)
    s.add_design(X, correlation, true)
    error, _ = _measured(s, groups, within=0.5)
    return s.problem(X[:, true].sum(axis=1) + error, options={"groups": groups})


def schools(name: str, *, signal: bool) -> Maker:
    """Target and half of the columns belong to the school, not to the pupil."""

    def make(seed: int) -> Problem:
        s = Sketch(name, 0, seed)
        groups = _visits(s, 90, 8, 12)
        s.n_rows = len(groups)
        score = s.normal(90)
        for j in range(N_COLUMNS):
            values = s.normal(90)
            is_true = signal and j < N_TRUE
            if j % 2 == 0 or is_true:
                s.add("true" if is_true else "noise", values[groups])
            else:
                s.add("noise", values[groups] + s.normal(len(groups)))
            score += values * is_true
        return s.problem(score[groups], options={"groups": groups})

    return make


def autoregressive(
    rng: np.random.Generator, n_rows: int, phi: float, n_columns: int = 1
) -> np.ndarray:
    """Return columns of variance 1 whose rows follow each other with `phi`."""
    steps = rng.normal(size=(n_rows, n_columns)) * np.sqrt(1 - phi**2)
    steps[0] /= np.sqrt(1 - phi**2)
    return np.asarray(lfilter([1.0], [1.0, -phi], steps, axis=0))


def random_walks(name: str, *, signal: bool) -> Maker:
    """Sums of steps; with a signal the target follows one of the columns."""

    def make(seed: int) -> Problem:
        s = Sketch(name, 500, seed)
        walks = np.cumsum(s.normal(500, N_COLUMNS + 1), axis=0)
        for j in range(N_COLUMNS):
            s.add("true" if signal and j == 0 else "noise", walks[:, j])
        error = 2 * autoregressive(s.rng, 500, 0.5)[:, 0]
        target = walks[:, 0] + error if signal else walks[:, -1]
        return s.problem(target, options={"time": np.arange(500)})

    return make


def following_rows(
    name: str, n_rows: int, phi: float, *, signal: bool, quantity: bool
) -> Maker:
    """Stationary columns and errors whose rows follow each other."""

    def make(seed: int) -> Problem:
        s = Sketch(name, n_rows, seed)
        X = autoregressive(s.rng, n_rows, phi, N_COLUMNS + 1)
        for j in range(N_COLUMNS):
            s.add("true" if signal and j < N_TRUE else "noise", X[:, j])
        score = X[:, -1] + 0.7 * signal * X[:, :N_TRUE].sum(axis=1)
        target = score if quantity else (score > 0).astype(int)
        return s.problem(target, options={"time": np.arange(n_rows)})

    return make


def following_rows_with_proxies(seed: int) -> Problem:
    """Rows that follow each other, and columns that do: AR(.8) both ways."""
    name = "rows AR(.8), columns AR(.7), a quantity"
    s = Sketch(name, 1500, seed)
    correlation = ar_correlation(N_COLUMNS, 0.7)
    X = autoregressive(s.rng, s.n_rows, 0.8, N_COLUMNS)
    X = X @ np.linalg.cholesky(correlation).T
    true = (3, 11, 19)
    s.add_design(X, correlation, true)
    error = autoregressive(s.rng, s.n_rows, 0.8)[:, 0]
    score = 0.8 * X[:, true].sum(axis=1) + error
    return s.problem(score, options={"time": np.arange(s.n_rows)})


def hospitals(name: str, *, signal: bool, quantity: bool) -> Maker:
    """Hospitals differ in the target and in half of the columns."""

    def make(seed: int) -> Problem:
        s = Sketch(name, 900, seed)
        strata = s.rng.integers(6, size=900)
        level = s.rng.permutation(np.linspace(-2, 2, 6))
        score = level[strata]
        for j in range(N_COLUMNS):
            shift = (j % 2) * s.rng.permutation(np.linspace(-1.5, 1.5, 6))
            values = shift[strata] + s.normal()
            is_true = signal and j < N_TRUE
            s.add("true" if is_true else "noise", values)
            score = score + values * is_true
        target = score + s.normal() if quantity else s.classes(score)
        return s.problem(target, options={"strata": strata})

    return make


def _levels(s: Sketch, groups: np.ndarray, n_levels: int) -> np.ndarray:
    """Return levels whose shares differ from group to group."""
    liking = 0.7 * s.normal(groups.max() + 1, n_levels)
    luck = s.rng.gumbel(size=(len(groups), n_levels))
    return np.asarray((liking[groups] + luck).argmax(axis=1))


def pair_within(
    name: str, *, signal: bool, quantity: bool, strata: bool, levels: bool
) -> Maker:
    """Two columns matter together, one more alone; all of it differs between units.

    The units are patients with some visits, or a few hospitals as strata. By itself a
    member of the pair says little, and that differs from unit to unit.
    """

    def make(seed: int) -> Problem:
        s = Sketch(name, 0, seed)
        n_units, least, most = (6, 120, 180) if strata else (60, 10, 16)
        units = _visits(s, n_units, least, most)
        s.n_rows = len(units)
        score = s.normal(n_units)[units]
        parts = []
        for j in range(20):
            role = "true" if signal and j < N_TRUE else "noise"
            if levels:
                values = _levels(s, units, n_levels=2 + j % 3 * (j > 1))
                s.add(role, values, levels=int(values.max()) + 1)
            else:
                values, _ = _measured(s, units, within=0.5)
                s.add(role, values)
            sides = values > 0 if levels else values > np.median(values)
            parts.append(np.where(sides, 1.0, -1.0))
        if signal:
            s.act_together(0, 1)
            score += parts[0] * parts[1] + parts[2]
        target = score + s.normal() if quantity else s.classes(score)
        options = {"strata" if strata else "groups": units}
        return s.problem(target, options=options)

    return make


def product_in_time(name: str, *, signal: bool) -> Maker:
    """The product of two columns matters; rows follow each other with .5."""

    def make(seed: int) -> Problem:
        s = Sketch(name, 1500, seed)
        X = autoregressive(s.rng, s.n_rows, 0.5, N_COLUMNS)
        for j in range(N_COLUMNS):
            s.add("true" if signal and j < N_TRUE else "noise", X[:, j])
        score = autoregressive(s.rng, s.n_rows, 0.5)[:, 0]
        if signal:
            s.act_together(0, 1)
            score += 0.8 * X[:, 0] * X[:, 1] + 0.5 * X[:, 2]
        return s.problem(score, options={"time": np.arange(s.n_rows)})

    return make


def _pairs(*, signal: bool) -> dict[str, Maker]:
    """Return the problems with a pair, or the same without."""
    kind = "pair" if signal else "no pair"
    made: dict[str, Maker] = {}
    for strata, quantity, levels in (
        (False, False, True),
        (False, True, False),
        (True, False, False),
        (True, True, True),
    ):
        rows = "hospitals as strata" if strata else "visits of patients"
        columns = "levels" if levels else "numbers"
        target = "a quantity" if quantity else "classes"
        name = f"{kind} of {columns}, {rows}, {target}"
        made[name] = pair_within(
            name, signal=signal, quantity=quantity, strata=strata, levels=levels
        )
    name = f"{kind} of numbers, rows AR(.5), a quantity"
    made[name] = product_in_time(name, signal=signal)
    return made


def _rows(*, signal: bool) -> dict[str, Maker]:
    """Return the problems with true columns, or those without."""
    kind = "signal" if signal else "noise"

    def at(text: str) -> str:
        return f"{kind}: {text}"

    made: dict[str, Maker] = {}
    for text, make in (
        ("smaller class repeated", oversampled),
        ("rows one to five times", repeated),
        ("patients, class of the patient", patients),
        ("schools, target of the school", schools),
        ("random walks", random_walks),
    ):
        made[at(text)] = make(at(text), signal=signal)
    for text, quantity in (("a quantity", True), ("classes", False)):
        name = at(f"visits of patients, {text}")
        made[name] = visits(name, signal=signal, quantity=quantity)
        name = at(f"hospitals as strata, {text}")
        made[name] = hospitals(name, signal=signal, quantity=quantity)
    for phi, n_rows, quantity in ((0.9, 1000, True), (0.7, 1200, False)):
        name = at(f"rows AR({phi}), {'a quantity' if quantity else 'classes'}")
        made[name] = following_rows(name, n_rows, phi, signal=signal, quantity=quantity)
    return made


ROWS: dict[str, Maker] = {
    **_rows(signal=True),
    "visits of patients, blocks at .8": visits_in_blocks,
    "rows AR(.8), columns AR(.7), a quantity": following_rows_with_proxies,
}
ROWS_NOISE: dict[str, Maker] = _rows(signal=False)

#: Columns that matter together, while rows depend on each other.
PAIRS: dict[str, Maker] = _pairs(signal=True)
PAIRS_NOISE: dict[str, Maker] = _pairs(signal=False)
