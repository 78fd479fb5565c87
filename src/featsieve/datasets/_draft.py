"""What all generators share: checks, independent streams, noise, assembly."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from featsieve._checks import check_integer, check_real, check_that
from featsieve._types import Array
from featsieve.data import Column, ColumnKind, Table
from featsieve.datasets._problem import Problem, Truth

BITS = (0, 1)

#: What generators say of their parameters where they say nothing else.
COMMON = """
Parameters
----------
n_rows : int
    Number of rows.
label_noise : float
    Share of the rows that get the wrong class.
random_state : None, int, Generator or RandomState
    Set it to get the same table again.

Returns
-------
Problem
    The table and the truth.
"""

NoiseMaker = Callable[[str, int, int, np.random.Generator], Column]
"""Name, position among the noise columns (from 0), rows and stream to a column."""


class Draft:
    """The common settings of one generator, checked, and its independent streams.

    The facts, the label noise and each noise column draw from streams of their own, so
    that asking for more noise columns, or for label noise, changes nothing else.

    `owner` is the generator, for errors; without ``make_`` it names the problem.
    """

    def __init__(
        self, owner: str, n_noise: int, label_noise: float, random_state: Any
    ) -> None:
        self.owner = owner
        self.n_noise = check_integer("n_noise", n_noise, owner, at_least=0)
        self.label_noise = check_real(
            "label_noise", label_noise, owner, at_least=0, below=1
        )
        seed = np.random.SeedSequence(_entropy(random_state, owner))
        facts_seed, self._noise_seed, labels_seed, order_seed = seed.spawn(4)
        self.rng = np.random.default_rng(facts_seed)
        self.order_rng = np.random.default_rng(order_seed)
        self._labels_rng = np.random.default_rng(labels_seed)

    def rows(self, n_rows: int, at_least: int = 2) -> int:
        """Return the checked number of rows."""
        return check_integer("n_rows", n_rows, self.owner, at_least=at_least)

    def noise(self, n_rows: int, make: NoiseMaker) -> list[Column]:
        """Return the noise columns, ``noise_1`` and so on."""
        return [
            make(f"noise_{i + 1}", i, n_rows, np.random.default_rng(seed))
            for i, seed in enumerate(self._noise_seed.spawn(self.n_noise))
        ]

    def classes(self, codes: Array, levels: Sequence[Any] = BITS) -> Column:
        """Return the class column, a share `label_noise` of it wrong.

        The share is exact (rounded to whole rows) and a wrong class is any other
        class with equal chance.
        """
        noisy = np.array(codes, dtype=np.int32)
        n_wrong = round(self.label_noise * noisy.size)
        wrong = self._labels_rng.choice(noisy.size, size=n_wrong, replace=False)
        shift = self._labels_rng.integers(1, len(levels), size=n_wrong)
        noisy[wrong] = (noisy[wrong] + shift) % len(levels)
        return nominal_column("class", noisy, levels)

    def problem(
        self,
        columns: Sequence[Column],
        target: Column,
        *,
        relevant: Sequence[str] = (),
        redundant: Sequence[Sequence[str]] = (),
        interactions: Sequence[Sequence[str]] = (),
        harmless: Sequence[str] = (),
        name: str | None = None,
        details: Mapping[str, object] | None = None,
    ) -> Problem:
        """Return the finished problem; columns not named otherwise are irrelevant."""
        named = {*relevant, *harmless}
        truth = Truth(
            relevant=tuple(relevant),
            redundant=tuple(map(tuple, redundant)),
            interactions=tuple(map(tuple, interactions)),
            irrelevant=tuple(c.name for c in columns if c.name not in named),
            harmless=tuple(harmless),
        )
        return Problem(
            self.owner.removeprefix("make_") if name is None else name,
            Table(tuple(columns), target),
            truth,
            MappingProxyType(dict(details or {})),
        )


def _entropy(random_state: Any, owner: str) -> int | list[int]:
    if isinstance(random_state, numbers.Integral):
        return check_integer("random_state", random_state, owner, at_least=0)
    if isinstance(random_state, np.random.Generator):
        return [int(word) for word in random_state.integers(2**32, size=4)]
    good = random_state is None or random_state is np.random
    good = good or isinstance(random_state, np.random.RandomState)
    must_be = "None, an int >= 0, a numpy Generator or a RandomState"
    check_that(good, "random_state", random_state, owner, must_be)
    words = check_random_state(random_state).randint(2**31 - 1, size=4)
    return [int(word) for word in words]


def numbered(stem: str, count: int, start: int = 1) -> tuple[str, ...]:
    """Return ``stem1``, ``stem2`` and so on."""
    return tuple(f"{stem}{i}" for i in range(start, start + count))


def nominal_column(name: str, codes: Array, levels: Sequence[Any]) -> Column:
    """Return a nominal column from codes into `levels`."""
    values = np.array(codes, dtype=np.int32)
    return Column(name, ColumnKind.NOMINAL, values, tuple(levels))


def numeric_column(name: str, values: Array) -> Column:
    """Return a numeric column."""
    return Column(name, ColumnKind.NUMERIC, np.array(values, dtype=np.float64))


def bit_columns(names: Sequence[str], bits: Array) -> list[Column]:
    """Return one nominal 0/1 column for each column of a matrix."""
    return [nominal_column(name, bits[:, i], BITS) for i, name in enumerate(names)]


def numeric_columns(names: Sequence[str], values: Array) -> list[Column]:
    """Return one numeric column for each column of a matrix."""
    return [numeric_column(name, values[:, i]) for i, name in enumerate(names)]


def nominal_noise(*domains: Sequence[Any]) -> NoiseMaker:
    """Return a maker of evenly distributed nominal noise, domains taken in turn."""

    def make(name: str, i: int, n_rows: int, rng: np.random.Generator) -> Column:
        levels = domains[i % len(domains)]
        return nominal_column(name, rng.integers(len(levels), size=n_rows), levels)

    return make


def noise_in_turn(*makers: NoiseMaker) -> NoiseMaker:
    """Return a maker of several kinds of noise, taken in turn."""

    def make(name: str, i: int, n_rows: int, rng: np.random.Generator) -> Column:
        return makers[i % len(makers)](name, i, n_rows, rng)

    return make


def uniform_noise(name: str, _: int, n_rows: int, rng: np.random.Generator) -> Column:
    """Return numeric noise, uniform on [0, 1)."""
    return numeric_column(name, rng.random(n_rows))


def gaussian_noise(name: str, _: int, n_rows: int, rng: np.random.Generator) -> Column:
    """Return numeric noise, standard normal."""
    return numeric_column(name, rng.standard_normal(n_rows))
