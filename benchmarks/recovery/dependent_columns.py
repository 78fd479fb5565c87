"""Problems whose columns depend on each other, with known conditional truth.

Unless said otherwise columns are normal with variance 1 and the target is made of the
true ones, so that all others are independent of it given those.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.recovery.sketch import (
    Sketch,
    ar_correlation,
    block_correlation,
    blocks,
    correlated,
)
from featsieve.datasets import Problem

__all__ = ["CORRELATED", "CORRELATED_NOISE", "NOISE_PAIRS", "PROXIES"]

Maker = Callable[[int], Problem]


def _design(
    n_rows: int,
    correlation: np.ndarray,
    true: Sequence[int],
    *,
    quantity: bool,
    effect: float = 1.0,
) -> Callable[[str], Maker]:
    """Return a maker of a normal design; effects have alternating signs.

    A quantity has noise of standard deviation 2 added, a class is logistic.
    """

    def named(name: str) -> Maker:
        def make(seed: int) -> Problem:
            s = Sketch(name, n_rows, seed)
            X = correlated(s.rng, n_rows, correlation)
            s.add_design(X, correlation, true)
            signs = np.where(np.arange(len(true)) % 2, -1.0, 1.0)
            score = effect * X[:, list(true)] @ signs
            return s.problem(score + 2 * s.normal() if quantity else s.classes(score))

        return make

    return named


def _factor_correlation(n_factors: int, each: int, loading: float) -> np.ndarray:
    return block_correlation(n_factors, each, loading**2)


_DESIGNS = {
    "AR(.5) 40, classes, 300 rows": _design(
        300, ar_correlation(40, 0.5), (4, 14, 24, 34), quantity=False, effect=1.3),
    "AR(.5) 60, a quantity, 1,000 rows": _design(
        1000, ar_correlation(60, 0.5), (4, 14, 24, 34, 44, 54), quantity=True),
    "AR(.5) 40, classes, 20,000 rows": _design(
        20_000, ar_correlation(40, 0.5), (4, 12, 20, 28, 36), quantity=False,
        effect=0.4),
    "AR(.9) 50, a quantity, 1,000 rows": _design(
        1000, ar_correlation(50, 0.9), (4, 14, 24, 34, 44), quantity=True, effect=1.3),
    "AR(.9) 50, classes, 2,000 rows": _design(
        2000, ar_correlation(50, 0.9), (4, 14, 24, 34, 44), quantity=False,
        effect=1.3),
    "blocks of 5 at .8, classes, 600 rows": _design(
        600, block_correlation(8, 5, 0.8), (0, 10, 20), quantity=False, effect=1.5),
    "blocks of 6 at .6, two of one, 500 rows": _design(
        500, block_correlation(5, 6, 0.6), (0, 1, 12), quantity=True, effect=1.2),
    "three factors of 10, a quantity, 1,000 rows": _design(
        1000, _factor_correlation(3, 10, 0.85), (0, 10, 20), quantity=True),
}  # fmt: skip


def neighbours_matter(seed: int) -> Problem:
    """Pairs of neighbours at .9 both matter, with the same sign."""
    s = Sketch("AR(.9), both neighbours matter, 1,500 rows", 1500, seed)
    correlation = ar_correlation(30, 0.9)
    X = correlated(s.rng, s.n_rows, correlation)
    true = (5, 6, 20, 21)
    s.add_design(X, correlation, true)
    return s.problem(X[:, true].sum(axis=1) + 2 * s.normal())


def two_at_nine_tenths(seed: int) -> Problem:
    """Two columns at .9 both matter; a third, at .9 with both, does not."""
    s = Sketch("two of three at .9 matter, classes, 1,000 rows", 1000, seed)
    correlation = block_correlation(1, 3, 0.9)
    X = correlated(s.rng, s.n_rows, correlation)
    s.add_design(X, correlation, (0, 1))
    s.add_noise(17)
    return s.problem(s.classes(1.5 * (X[:, 0] + X[:, 1])))


def measured_factor(seed: int) -> Problem:
    """The target depends on what four columns measure, each with its own error."""
    s = Sketch("one factor measured four times, 800 rows", 800, seed)
    factor = s.normal()
    for _ in range(4):
        s.add("true", factor + s.normal())
    s.add_noise(26)
    return s.problem(s.classes(2 * factor))


def chains(seed: int) -> Problem:
    """Three chains of first → second → third → target; only the third matters."""
    s = Sketch("chains a → b → c → y, classes, 600 rows", 600, seed)
    score = np.zeros(s.n_rows)
    for _ in range(3):
        true = s.normal()
        number = s.add("true", true)
        middle = 0.8 * true + 0.6 * s.normal()
        s.add("proxy", middle, stands_for=number)
        s.add("proxy", 0.8 * middle + 0.6 * s.normal())
        score += true
    s.add_noise(16)
    return s.problem(s.classes(1.3 * score))


def common_cause(seed: int) -> Problem:
    """One column is behind the target and behind five others."""
    s = Sketch("common cause, a quantity, 500 rows", 500, seed)
    causes = [s.normal(), s.normal()]
    for cause in causes:
        number = s.add("true", cause)
        for correlation in (0.9, 0.8, 0.7, 0.6, 0.5):
            s.add_noisy_copy(number, correlation)
    s.add_noise(13)
    return s.problem(causes[0] - causes[1] + 1.5 * s.normal())


def noisy_copies(seed: int) -> Problem:
    s = Sketch("noisy copies at .7 to .95, classes, 1,000 rows", 1000, seed)
    score = np.zeros(s.n_rows)
    for _ in range(3):
        true = s.normal()
        number = s.add("true", true)
        score += true
        for correlation in (0.95, 0.9, 0.7):
            s.add_noisy_copy(number, correlation)
    s.add_noise(18)
    return s.problem(s.classes(1.3 * score))


def weak_proxies(seed: int) -> Problem:
    """With 20,000 rows, proxies at .4 are as clear alone as true columns."""
    s = Sketch("weak proxies at .4, classes, 20,000 rows", 20_000, seed)
    score = np.zeros(s.n_rows)
    for _ in range(4):
        true = s.normal()
        number = s.add("true", true)
        score += true
        for _ in range(4):
            s.add_noisy_copy(number, 0.4)
    s.add_noise(10)
    return s.problem(s.classes(0.6 * score))


def curved_proxies(seed: int) -> Problem:
    """The true columns act through their squares, the proxies are straight in them."""
    s = Sketch("proxies of curved effects, classes, 1,500 rows", 1500, seed)
    score = np.zeros(s.n_rows)
    for _ in range(3):
        true = s.normal()
        number = s.add("true", true)
        score += true**2 - 1
        s.add_noisy_copy(number, 0.85)
        s.add("proxy", np.exp(0.8 * true + 0.5 * s.normal()), stands_for=number)
    s.add_noise(16)
    return s.problem(s.classes(1.2 * score))


def nominal_proxies(seed: int) -> Problem:
    """Nominal columns: right in 70 % of the rows, or with levels merged."""
    s = Sketch("nominal proxies, classes, 1,500 rows", 1500, seed)
    score = np.zeros(s.n_rows)
    for _ in range(2):
        true = s.rng.integers(6, size=s.n_rows)
        number = s.add("true", true, levels=6)
        score += np.array([-1.5, -0.5, 0.9, -0.9, 0.5, 1.5])[true]
        kept = s.rng.random(s.n_rows) < 0.7
        other = s.rng.integers(6, size=s.n_rows)
        s.add("proxy", np.where(kept, true, other), levels=6, stands_for=number)
        s.add("proxy", true // 2, levels=3)
    for _ in range(12):
        s.add("noise", s.rng.integers(6, size=s.n_rows), levels=6)
    return s.problem(s.classes(1.3 * score))


def same_column_twice(seed: int) -> Problem:
    """°C and °F, a nominal column and its new codes: of true columns and of noise."""
    s = Sketch("units and codes twice, a quantity, 300 rows", 300, seed)
    target = np.zeros(s.n_rows)
    for role in ("true", "noise"):
        celsius = 15 + 8 * s.normal()
        first = s.add(role, celsius)
        stands_for = first if role == "true" else -1
        s.add(role, 32 + 1.8 * celsius, stands_for=stands_for)
        group = s.rng.integers(5, size=s.n_rows)
        first = s.add(role, group, levels=5)
        stands_for = first if role == "true" else -1
        s.add(role, s.rng.permutation(5)[group], levels=5, stands_for=stands_for)
        if role == "true":
            target += celsius / 8 + np.array([1.0, -1.0, 0.0, 1.0, -1.0])[group]
    s.add_noise(12)
    return s.problem(target + s.normal())


def xor_with_proxies(seed: int) -> Problem:
    """Bits that matter only together, and copies of them that are wrong at times."""
    s = Sketch("XOR with copies 10 % wrong, 1,500 rows", 1500, seed)
    bits = s.rng.integers(2, size=(2, s.n_rows))
    numbers = [s.add("true", bit, levels=2) for bit in bits]
    s.act_together(*numbers)
    for number, bit in zip(numbers, bits, strict=True):
        for _ in range(2):
            wrong = s.rng.random(s.n_rows) < 0.1
            s.add("proxy", bit ^ wrong, levels=2, stands_for=number)
    for _ in range(14):
        s.add("noise", s.rng.integers(2, size=s.n_rows), levels=2)
    return s.problem((bits[0] ^ bits[1]) ^ (s.rng.random(s.n_rows) < 0.1))


def suppressor(name: str, n_rows: int, *, quantity: bool) -> Maker:
    """A column says nothing alone, but takes the error out of a true one."""

    def make(seed: int) -> Problem:
        s = Sketch(name, n_rows, seed)
        signal, error = s.normal(), s.normal()
        s.add("true", signal + error)
        s.add("true", error + 0.3 * s.normal())
        s.add_noise(18)
        target = signal + s.normal()
        return s.problem(target if quantity else s.classes(2 * signal))

    return make


def noise_pair(name: str, n_rows: int, n_true: int, kind: str) -> Maker:
    """A few true columns, and two noise columns that go together."""

    def make(seed: int) -> Problem:
        s = Sketch(name, n_rows, seed)
        target = np.zeros(s.n_rows)
        for _ in range(n_true):
            true = s.normal()
            s.add("true", true)
            target += true
        if kind == "units":
            celsius = 15 + 8 * s.normal()
            s.add("noise", celsius)
            s.add("noise", 32 + 1.8 * np.round(celsius, 1))
        elif kind == "codes":
            group = s.rng.integers(6, size=s.n_rows)
            s.add("noise", group, levels=6)
            s.add("noise", s.rng.permutation(6)[group], levels=6)
        else:
            first = s.normal()
            s.add("noise", first)
            s.add("noise", 0.95 * first + np.sqrt(1 - 0.95**2) * s.normal())
        return s.problem(
            target + s.normal() if n_true == 1 else s.classes(1.5 * target)
        )

    return make


def correlated_noise(
    name: str, n_rows: int, correlation: np.ndarray, *, quantity: bool
) -> Maker:
    """Columns that depend on each other and not on the target."""

    def make(seed: int) -> Problem:
        s = Sketch(name, n_rows, seed)
        for values in correlated(s.rng, n_rows, correlation).T:
            s.add("noise", values)
        target = s.normal()
        return s.problem(target if quantity else (target > 0).astype(int))

    return make


def copied_noise(seed: int) -> Problem:
    """Noise in other units and other codes, some of it with errors."""
    s = Sketch("noise in two units and codes, 400 rows", 400, seed)
    for _ in range(5):
        celsius = 15 + 8 * s.normal()
        s.add("noise", celsius)
        s.add("noise", 32 + 1.8 * np.round(celsius))
        group = s.rng.integers(5, size=s.n_rows)
        s.add("noise", group, levels=5)
        s.add("noise", s.rng.permutation(5)[group], levels=5)
        s.add("noise", group % 2, levels=2)
    return s.problem(s.cut(s.normal(), 3))


def many_columns_of_noise(seed: int) -> Problem:
    s = Sketch("noise in blocks at .7, 60 × 1,000", 60, seed)
    for values in blocks(s.rng, 60, 50, 20, 0.7).T:
        s.add("noise", values)
    return s.problem(s.cut(s.normal(), 2))


CORRELATED: dict[str, Maker] = {
    **{name: make(name) for name, make in _DESIGNS.items()},
    "AR(.9), both neighbours matter, 1,500 rows": neighbours_matter,
    "two of three at .9 matter, classes, 1,000 rows": two_at_nine_tenths,
    "one factor measured four times, 800 rows": measured_factor,
}
PROXIES: dict[str, Maker] = {
    "chains a → b → c → y, classes, 600 rows": chains,
    "common cause, a quantity, 500 rows": common_cause,
    "noisy copies at .7 to .95, classes, 1,000 rows": noisy_copies,
    "weak proxies at .4, classes, 20,000 rows": weak_proxies,
    "proxies of curved effects, classes, 1,500 rows": curved_proxies,
    "nominal proxies, classes, 1,500 rows": nominal_proxies,
    "units and codes twice, a quantity, 300 rows": same_column_twice,
    "XOR with copies 10 % wrong, 1,500 rows": xor_with_proxies,
    **{
        name: suppressor(name, n_rows, quantity=quantity)
        for name, n_rows, quantity in (
            ("suppressor, a quantity, 300 rows", 300, True),
            ("suppressor, classes, 600 rows", 600, False),
        )
    },
}
NOISE_PAIRS: dict[str, Maker] = {
    name: noise_pair(name, n_rows, n_true, kind)
    for name, n_rows, n_true, kind in (
        ("one true, °C and °F of noise, 300 rows", 300, 1, "units"),
        ("one true, noise in two codes, 300 rows", 300, 1, "codes"),
        ("two true, two of noise at .95, 400 rows", 400, 2, "pair"),
        ("two true, °C and °F of noise, 2,000 rows", 2000, 2, "units"),
    )
}
CORRELATED_NOISE: dict[str, Maker] = {
    **{
        name: correlated_noise(name, n_rows, correlation, quantity=quantity)
        for name, n_rows, correlation, quantity in (
            ("noise AR(.9) 40, classes, 300 rows", 300, ar_correlation(40, 0.9), False),
            ("noise in blocks at .95, a quantity, 500 rows", 500,
             block_correlation(6, 5, 0.95), True),
        )
    },
    "noise in two units and codes, 400 rows": copied_noise,
    "noise in blocks at .7, 60 × 1,000": many_columns_of_noise,
}  # fmt: skip
