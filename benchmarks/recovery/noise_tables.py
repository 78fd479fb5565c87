"""Tables with features that know nothing, or exactly as much as a threshold asks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy import optimize, stats

from featsieve.data import Column, ColumnKind, Table
from featsieve.measures import class_association, target_association

__all__ = ["CONTINUOUS", "NOISE", "border_table", "few_columns", "make_table"]

#: Association of the features of a border table, what tests ask for by default.
PRACTICAL = 0.1
N_BORDER = 5

Draw = Callable[[int, np.random.Generator], np.ndarray]
#: A table, its target, and which columns are of which kind.
Made = tuple[Table, Any, dict[str, np.ndarray]]


def with_gaps(values: np.ndarray, gap: float, rng: np.random.Generator) -> np.ndarray:
    """Return values of which 80 % are missing."""
    return np.where(rng.random(len(values)) < 0.8, gap, values)


# shape: levels (0: numbers, -1: a quarter of the rows), values
SHAPES: dict[str, tuple[int, Draw]] = {
    "normal": (0, lambda n, rng: rng.normal(size=n)),
    "cauchy": (0, lambda n, rng: rng.standard_cauchy(size=n)),
    "counts": (0, lambda n, rng: rng.poisson(1.0, n)),
    "binary": (0, lambda n, rng: rng.random(n) < 0.3),
    "rare": (0, lambda n, rng: rng.random(n) < 0.01),
    "gaps": (0, lambda n, rng: with_gaps(rng.normal(size=n), np.nan, rng)),
    "3 levels": (3, lambda n, rng: rng.choice(3, n, p=[0.8, 0.15, 0.05])),
    "20 levels": (20, lambda n, rng: rng.integers(20, size=n)),
    "20, gaps": (20, lambda n, rng: with_gaps(rng.integers(20, size=n), -1, rng)),
    "sparse": (-1, lambda n, rng: rng.integers(n // 4, size=n)),
}
NOISE = tuple(SHAPES)
#: Numbers without ties.
CONTINUOUS = ("normal", "cauchy", "gaps")


def make_table(
    n_rows: int,
    shares: tuple[float, ...],
    seed: int,
    *,
    n_each: int = 2,
    signal: bool = True,
) -> Made:
    """Return noise of ten shapes, some of each, beside five features that matter.

    The target has classes of these shares, or is a quantity if there are none.
    """
    rng = np.random.default_rng([seed, n_rows, len(shares)])
    cause = rng.normal(size=n_rows)
    quantity = cause + rng.normal(size=n_rows)
    target: Any = quantity
    if shares:
        cuts = np.quantile(quantity, np.cumsum(shares)[:-1])
        target = np.digitize(quantity, cuts).astype(str)
    columns, kinds = [], []

    def add(kind: str, values: np.ndarray, n_levels: int = 0) -> None:
        columns.append(as_column(f"{kind} {len(columns)}", values, n_levels))
        kinds.append(kind)

    for strength in (1.0, 0.5):
        add("true", cause + rng.normal(size=n_rows) / strength)
        add("true", (cause + rng.normal(size=n_rows) / strength > 0) * 1.0)
    add("true", np.digitize(cause + rng.normal(size=n_rows) / 3, [-0.5, 0.5]), 3)
    for kind in NOISE * n_each:
        n_levels, draw = SHAPES[kind]
        add(kind, draw(n_rows, rng), n_rows // 4 if n_levels < 0 else n_levels)
    first = 0 if signal else kinds.index(NOISE[0])
    named = np.array(kinds[first:])
    of_kind = {kind: named == kind for kind in dict.fromkeys(named.tolist())}
    return Table(tuple(columns[first:])), target, of_kind


def as_column(name: str, values: np.ndarray, n_levels: int = 0) -> Column:
    if n_levels:
        codes = values.astype(np.int32)
        return Column(name, ColumnKind.NOMINAL, codes, tuple(range(n_levels)))
    return Column(name, ColumnKind.NUMERIC, values.astype(float))


def few_columns(n_columns: int, seed: int) -> Made:
    """Return a table whose first column alone matters: clusters cut through it."""
    rng = np.random.default_rng([seed, n_columns, 78])
    X = rng.normal(size=(2000, n_columns))
    columns = tuple(as_column(f"x{j}", values) for j, values in enumerate(X.T))
    y = (X[:, 0] + rng.normal(size=2000) > 0).astype(str)
    first = np.arange(n_columns) == 0
    return Table(columns), y, {"true": first, "normal": ~first}


def border_table(
    n_rows: int, n_classes: int, kind: str, association: str, seed: int
) -> Made:
    """Return features whose association with the target is the threshold itself.

    Classes are equally frequent, 0 of them stand for a quantity; features are "normal",
    or "levels" of four that go by symmetrical uncertainty.
    """
    rng = np.random.default_rng([seed, n_rows, n_classes, 77])
    strength = border_strength(n_classes, kind, association)
    y: Any = rng.normal(size=n_rows)
    if n_classes:
        y = rng.permutation(np.arange(n_rows) % n_classes)
    columns = []
    for j in range(N_BORDER):
        noise = rng.random(n_rows)
        values = _depending(y, noise, strength, n_classes, kind)
        columns.append(as_column(f"x{j}", values, 4 if kind == "levels" else 0))
    target = y.astype(str) if n_classes else y
    return Table(tuple(columns)), target, {"border": np.ones(N_BORDER, dtype=bool)}


def _depending(
    y: np.ndarray, noise: np.ndarray, strength: float, n_classes: int, kind: str
) -> np.ndarray:
    """Return a column that goes with the target, from uniform noise."""
    moved = strength * y
    if not n_classes:
        moved = strength / np.sqrt(1 - strength**2) * y
    values: np.ndarray = moved + stats.norm.ppf(noise)
    if kind == "levels":
        return np.digitize(values, [-0.7, 0.3, 1.0])
    return values


@cache
def border_strength(n_classes: int, kind: str, association: str) -> float:
    """Return what makes the association of a population the threshold.

    The population is a grid of equally likely points.
    """
    fine = (np.arange(400) + 0.5) / 400
    if n_classes:
        parts = (np.arange(n_classes), (np.arange(20_000) + 0.5) / 20_000)
    else:
        parts = (stats.norm.ppf(fine), fine)
    y, noise = (np.ascontiguousarray(grid.ravel()) for grid in np.meshgrid(*parts))
    measure = class_association if n_classes else target_association
    target = y.astype(np.int32) if n_classes else y

    def excess(strength: float) -> float:
        values = _depending(y, noise, strength, n_classes, kind)
        nominal = kind == "levels"
        column = values.astype(np.int32) if nominal else values
        found = measure([column], target, association=association, nominal=[nominal])
        return float(found[0]) - PRACTICAL

    return float(
        optimize.brentq(excess, 0.02, 0.9 if not n_classes else 3.0, xtol=1e-5)
    )
