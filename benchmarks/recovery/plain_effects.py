"""Problems with independent rows: weak effects, few rows, many classes, odd columns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.recovery.sketch import Sketch, block_correlation, blocks
from featsieve.datasets import Problem

__all__ = ["FEW_ROWS", "ODD", "ODD_NOISE", "WEAK"]

Maker = Callable[[int], Problem]

#: Expected t of a weak effect; at 4.5 a t-test with Benjamini-Hochberg over five such
#: among 40 finds 96 of 100, at 3.5 it finds 77.
T_WEAK = 4.5
T_WEAKEST = 3.5
SENTINEL = -999.0


def weak(name: str, n_rows: int, *, quantity: bool, t: float = T_WEAK) -> Maker:
    """Five plain effects of equal size among 40 independent columns."""

    def make(seed: int) -> Problem:
        s = Sketch(name, n_rows, seed)
        X = s.normal(n_rows, 40)
        for j in range(40):
            s.add("true" if j < 5 else "noise", X[:, j])
        # A correlation r has t = r √(n / (1 − r²)).
        r = t / np.sqrt(n_rows + t**2)
        if quantity:
            error = np.sqrt(1 - 5 * r**2) * s.normal()
            return s.problem(r * X[:, :5].sum(axis=1) + error)
        # Of a normal score cut in the middle, √(2/π) of a correlation is left.
        r /= np.sqrt(2 / np.pi)
        error = np.sqrt(1 - 5 * r**2) * s.normal()
        return s.problem((r * X[:, :5].sum(axis=1) + error > 0).astype(int))

    return make


def expression(name: str, n_rows: int, *, n_blocks: int, size: int) -> Maker:
    """Few rows and thousands of columns in blocks at .7; two of them matter."""

    def make(seed: int) -> Problem:
        s = Sketch(name, n_rows, seed)
        correlation = block_correlation(n_blocks, size, 0.7)
        X = blocks(s.rng, n_rows, n_blocks, size, 0.7)
        true = (0, size)
        s.add_design(X, correlation, true)
        score = X[:, 0] - X[:, size]
        return s.problem((score + 0.3 * s.normal() > 0).astype(int))

    return make


def many_classes(name: str, n_classes: int, each: int, n_true: int) -> Maker:
    """Classes have their own mean in some columns, of which there are noisy copies."""

    def make(seed: int) -> Problem:
        target = np.repeat(np.arange(n_classes), each)
        s = Sketch(name, len(target), seed)
        for _ in range(n_true):
            number = s.add("true", 1.5 * s.normal(n_classes)[target] + s.normal())
            s.add_noisy_copy(number, 0.85)
            s.add_noisy_copy(number, 0.6)
        s.add_noise(100)
        return s.problem(target)

    return make


def tumours(seed: int) -> Problem:
    """33 rows in four classes, each with a column of its own and copies of that."""
    target = np.repeat(np.arange(4), [9, 8, 8, 8])
    s = Sketch("4 classes, 33 rows × 300", 33, seed)
    for own in range(4):
        number = s.add("true", 4.0 * (target == own) + s.normal())
        for correlation in (0.9, 0.8, 0.7, 0.6):
            s.add_noisy_copy(number, correlation)
    s.add_noise(280)
    return s.problem(target)


def heavy_tails(seed: int) -> Problem:
    s = Sketch("heavy tails, classes, 600 rows", 600, seed)
    X = s.rng.standard_t(1.2, size=(600, 24))
    for j in range(24):
        s.add("true" if j < 4 else "noise", X[:, j])
    return s.problem(s.classes(1.5 * np.tanh(X[:, :4]).sum(axis=1)))


def heavy_target(seed: int) -> Problem:
    s = Sketch("heavy tails of the target, 500 rows", 500, seed)
    X = s.normal(500, 24)
    for j in range(24):
        s.add("true" if j < 4 else "noise", X[:, j])
    return s.problem(X[:, :4].sum(axis=1) + s.rng.standard_t(1.2, size=500))


def ties(seed: int) -> Problem:
    """Small counts, and marks from one to five."""
    s = Sketch("ties, three classes, 800 rows", 800, seed)
    score = np.zeros(800)
    for j in range(24):
        counts = s.rng.poisson(0.7, size=800)
        marks = s.rng.choice(5, size=800, p=[0.05, 0.1, 0.15, 0.5, 0.2])
        values = (counts if j % 2 else marks).astype(float)
        s.add("true" if j < 4 else "noise", values)
        score += (values - values.mean()) * (j < 4)
    return s.problem(s.cut(score + 2 * s.normal(), 3))


def sentinels(seed: int) -> Problem:
    """−999 stands for "not measured", which tells in one column and hides in two."""
    s = Sketch("sentinels -999, classes, 1,000 rows", 1000, seed)
    score = np.zeros(1000)
    for j in range(24):
        values = s.normal()
        absent = s.rng.random(1000) < 0.15
        if j == 0:
            score += 2.0 * (absent - 0.15)
        elif j < 3:
            score += values * ~absent
        given = absent if j < 14 else False
        s.add("true" if j < 3 else "noise", np.where(given, SENTINEL, values))
    return s.problem(s.classes(1.2 * score))


def steps(seed: int) -> Problem:
    """A band inside a numeric column, and a zero that is not a small number."""
    s = Sketch("steps and bands, a quantity, 1,500 rows", 1500, seed)
    X = s.normal(1500, 24)
    X[:, 2::3] *= s.rng.random((1500, 8)) < 0.5
    for j in range(24):
        s.add("true" if j < 3 else "noise", X[:, j])
    band = (X[:, 0] > 0.2) & (X[:, 0] < 0.8)
    edges = np.abs(X[:, 1]) > 1.3
    return s.problem(1.0 * band + 1.0 * edges + 0.7 * (X[:, 2] == 0) + s.normal())


def rare_shifts(seed: int) -> Problem:
    """In 2 % of the rows the target is far off, by what the columns say: claims."""
    s = Sketch("means that ranks miss, 4,000 rows", 4000, seed)
    X = s.normal(4000, 20)
    for j in range(20):
        s.add("true" if j < 2 else "noise", X[:, j])
    claim = s.rng.random(4000) < 0.02
    return s.problem(s.normal() + claim * 10 * (X[:, 0] - X[:, 1]))


def gaps(seed: int) -> Problem:
    """30 % missing: at random in two true columns, and telling in a third."""
    s = Sketch("missing values, classes, 800 rows", 800, seed)
    score = np.zeros(800)
    for j in range(20):
        values = s.normal()
        missing = s.rng.random(800) < 0.3
        if j < 2:
            score += values
        elif j == 2:
            score += 1.5 * (missing - 0.3)
        s.add("true" if j < 3 else "noise", np.where(missing, np.nan, values))
    return s.problem(s.classes(1.3 * score))


def many_levels(seed: int) -> Problem:
    """Two nominal columns of 30 levels matter, beside noise of 10 to 100 levels."""
    s = Sketch("30 levels, classes, 1,500 rows", 1500, seed)
    score = np.zeros(1500)
    for j in range(18):
        levels = 30 if j < 2 else (10, 30, 60, 100)[j % 4]
        codes = s.rng.integers(levels, size=1500)
        s.add("true" if j < 2 else "noise", codes, levels=levels)
        score += s.normal(levels)[codes] * (j < 2)
    return s.problem(s.classes(1.3 * score))


def months(seed: int) -> Problem:
    """Numbers of months and weekdays; two or three of the values matter."""
    s = Sketch("months and weekdays, a quantity, 1,200 rows", 1200, seed)
    month = s.rng.integers(1, 13, size=1200)
    weekday = s.rng.integers(7, size=1200)
    s.add("true", month.astype(float))
    s.add("true", weekday.astype(float))
    for j in range(16):
        values = s.rng.integers(7 + 5 * (j % 2), size=1200)
        s.add("noise", values.astype(float))
    score = 1.0 * np.isin(month, (3, 8)) - 1.0 * np.isin(weekday, (1, 4))
    return s.problem(score + s.normal())


def odd_noise(seed: int) -> Problem:
    """Every odd shape, and none matters."""
    s = Sketch("noise of odd shapes, classes, 400 rows", 400, seed)
    for _ in range(4):
        values = s.normal()
        absent = s.rng.random(400) < 0.2
        s.add("noise", np.where(absent, SENTINEL, values))
        s.add("noise", np.where(absent, np.nan, values + s.normal()))
        s.add("noise", s.rng.standard_t(1.0, size=400) + values)
        s.add("noise", s.rng.poisson(np.exp(values - 1)).astype(float))
        s.add("noise", np.maximum(values, 0))
        s.add("noise", s.rng.integers(40, size=400), levels=40)
    return s.problem((s.rng.random(400) < 0.25).astype(int))


WEAK: dict[str, Maker] = {
    name: weak(name, n_rows, quantity=quantity, t=t)
    for name, n_rows, quantity, t in (
        ("five weak, classes, 150 rows", 150, False, T_WEAKEST),
        ("five weak, a quantity, 150 rows", 150, True, T_WEAKEST),
        ("five weak, classes, 250 rows", 250, False, T_WEAK),
        ("five weak, a quantity, 400 rows", 400, True, T_WEAK),
        ("five weak, classes, 5,000 rows", 5000, False, T_WEAK),
        ("five weak, a quantity, 5,000 rows", 5000, True, T_WEAK),
        ("five weak, classes, 50,000 rows", 50_000, False, T_WEAK),
    )
}
FEW_ROWS: dict[str, Maker] = {
    "two in blocks at .7, 60 × 2,000": expression(
        "two in blocks at .7, 60 × 2,000", 60, n_blocks=100, size=20
    ),
    "two in blocks at .7, 100 × 500": expression(
        "two in blocks at .7, 100 × 500", 100, n_blocks=50, size=10
    ),
    "15 classes, 165 rows × 118": many_classes("15 classes, 165 rows × 118", 15, 11, 6),
    "4 classes, 33 rows × 300": tumours,
}
ODD: dict[str, Maker] = {
    "heavy tails, classes, 600 rows": heavy_tails,
    "heavy tails of the target, 500 rows": heavy_target,
    "ties, three classes, 800 rows": ties,
    "sentinels -999, classes, 1,000 rows": sentinels,
    "steps and bands, a quantity, 1,500 rows": steps,
    "means that ranks miss, 4,000 rows": rare_shifts,
    "missing values, classes, 800 rows": gaps,
    "30 levels, classes, 1,500 rows": many_levels,
    "months and weekdays, a quantity, 1,200 rows": months,
}
ODD_NOISE: dict[str, Maker] = {"noise of odd shapes, classes, 400 rows": odd_noise}
