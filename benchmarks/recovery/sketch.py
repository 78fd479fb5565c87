"""How the problems of dependence are put together: columns one by one, with their role.

A column is *true* (the target is made of it, or it of the target), a *proxy* (given
the true columns it says nothing about the target) or *noise* (it says nothing at all).
Columns are shuffled and named by their place, so that neither name nor order tells.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.recovery.noise_tables import as_column
from featsieve.data import Table
from featsieve.datasets import Problem, Truth

__all__ = ["Sketch", "ar_correlation", "block_correlation", "blocks", "correlated"]

Values = NDArray[Any]

#: From so much of correlation on, a proxy stands for its true column leniently: it
#: shares half of its variance.
NEAR = 0.7
#: Below so much, a column that depends on true ones is called noise, not a proxy.
FAR = 0.1


class Sketch:
    """A problem in the making.

    Parameters
    ----------
    name : str
        Name of the problem; problems of other names have other random numbers.
    n_rows : int
        Rows of the table.
    seed : int
        Same seed, same problem.
    """

    def __init__(self, name: str, n_rows: int, seed: int) -> None:
        self.name, self.n_rows = name, n_rows
        self.rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        self._values: list[tuple[Values, int]] = []
        self._roles: list[str] = []
        self._home: dict[int, int] = {}
        self._together: list[tuple[int, ...]] = []

    def normal(self, *size: int) -> Values:
        """Return normal numbers, of one column unless a size is given."""
        return self.rng.normal(size=size or self.n_rows)

    def add(
        self, role: str, values: Values, *, levels: int = 0, stands_for: int = -1
    ) -> int:
        """Add a column, nominal if it has levels; return its number.

        A column may stand for an earlier one: a true one as its copy, a proxy by the
        lenient score.
        """
        self._values.append((np.asarray(values), levels))
        self._roles.append(role)
        number = len(self._roles) - 1
        if stands_for >= 0:
            self._home[number] = stands_for
        return number

    def add_noise(self, count: int) -> None:
        """Add independent normal columns that say nothing."""
        for _ in range(count):
            self.add("noise", self.normal())

    def add_noisy_copy(self, of: int, correlation: float) -> int:
        """Add a normal proxy with that correlation with a true normal column."""
        values = self._values[of][0]
        values = (values - values.mean()) / values.std()
        noise = np.sqrt(1 - correlation**2) * self.normal(len(values))
        home = of if correlation >= NEAR else -1
        return self.add("proxy", correlation * values + noise, stands_for=home)

    def add_design(
        self, X: Values, correlation: Values, true: Sequence[int], near: float = NEAR
    ) -> None:
        """Add the columns of a matrix, of which those at `true` matter by themselves.

        Others are proxies if they correlate with a true one, else noise.
        """
        first = len(self._roles)
        with_true = np.abs(correlation[:, list(true)])
        for j in range(X.shape[1]):
            if j in true:
                self.add("true", X[:, j])
                continue
            best = int(np.argmax(with_true[j]))
            role = "proxy" if with_true[j, best] >= FAR else "noise"
            self.add(role, X[:, j])
            if with_true[j, best] >= near:
                self._home[first + j] = first + true[best]

    def act_together(self, *numbers: int) -> None:
        """Say that columns matter only together."""
        self._together.append(numbers)

    def problem(
        self,
        target: Values,
        *,
        rows: Values | None = None,
        options: Mapping[str, Values] | None = None,
    ) -> Problem:
        """Return the problem; a target of whole numbers is a class.

        `rows` repeats or reorders the rows; `options` are for the rows as they are
        then.
        """
        if rows is None:
            rows = np.arange(self.n_rows)
        order = self.rng.permutation(len(self._roles))
        names = {int(number): f"x{place + 1}" for place, number in enumerate(order)}
        columns = tuple(
            as_column(names[number], values[rows], levels)
            for number, (values, levels) in ((int(k), self._values[k]) for k in order)
        )
        target = np.asarray(target)[rows]
        n_classes = 0 if target.dtype.kind == "f" else int(target.max()) + 1
        return Problem(
            self.name,
            Table(columns, as_column("target", target, n_classes)),
            self._truth(names),
            options=MappingProxyType(dict(options or {})),
        )

    def _truth(self, names: Mapping[int, str]) -> Truth:
        def of(role: str) -> tuple[str, ...]:
            return tuple(names[i] for i, r in enumerate(self._roles) if r == role)

        groups: dict[int, list[str]] = {}
        for number, home in self._home.items():
            groups.setdefault(home, [names[home]]).append(names[number])
        return Truth(
            relevant=of("true"),
            redundant=tuple(map(tuple, groups.values())),
            interactions=tuple(
                tuple(names[i] for i in numbers) for numbers in self._together
            ),
            irrelevant=of("noise"),
            proxies=of("proxy"),
        )

    def classes(self, score: Values, strength: float = 1.0) -> Values:
        """Return two classes, the second with a chance that goes by the score."""
        chance = 1 / (1 + np.exp(-strength * score))
        return (self.rng.random(len(score)) < chance).astype(int)

    def cut(self, score: Values, n_classes: int) -> Values:
        """Return classes of equal size along a score."""
        shares = np.arange(1, n_classes) / n_classes
        return np.digitize(score, np.quantile(score, shares))


def ar_correlation(n_columns: int, rho: float) -> Values:
    """Return correlations that fall with the distance of columns."""
    places = np.arange(n_columns)
    return rho ** np.abs(places[:, None] - places)


def block_correlation(n_blocks: int, size: int, rho: float) -> Values:
    """Return correlations that are equal in a block and zero between blocks."""
    block = np.full((size, size), rho) + (1 - rho) * np.eye(size)
    return np.kron(np.eye(n_blocks), block)


def correlated(rng: np.random.Generator, n_rows: int, correlation: Values) -> Values:
    """Return normal columns with these correlations."""
    root = np.linalg.cholesky(correlation)
    return rng.normal(size=(n_rows, len(correlation))) @ root.T


def blocks(
    rng: np.random.Generator, n_rows: int, n_blocks: int, size: int, rho: float
) -> Values:
    """Return normal columns with the correlations of blocks, however many there are."""
    shared = np.repeat(rng.normal(size=(n_rows, n_blocks)), size, axis=1)
    own = rng.normal(size=(n_rows, n_blocks * size))
    return np.sqrt(rho) * shared + np.sqrt(1 - rho) * own
