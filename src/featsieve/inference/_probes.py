"""Probes: fake columns that know nothing of the class, to hold real ones against.

A probe is a match for a feature if both would do equally well by luck. What luck does
depends on the shape of a column: ties, rare values, levels, for Pearson's correlation
heavy tails. So columns of numbers without ties, and of two frequent values, are held
against draws of a law, and all others against copies of themselves in another order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._checks import check_choice
from featsieve.data import Column, Table
from featsieve.engine import derive_seed
from featsieve.inference._exchange import FREE, Exchange

PROBE_KINDS = ("gaussian", "uniform", "binary")

#: Two rows are equal no more often than this in a column without ties to speak of: they
#: widen tau-b by 1 %.
FEW_TIES = 0.02

#: The rarer of two values must take this share to be like that of a fair coin.
NOT_RARE = 0.05

#: Fourth moments of a normal law are 3, of an exponential one 9.
LIGHT_TAILS = 12.0

#: Statistics to which two values are two values, however frequent.
EVEN_HANDED = ("kendall", "spearman", "pearson")


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """One fake column.

    `kind` is the law of its values; `n_levels` is set for a nominal one, whose levels
    are equally frequent. `gaps` says how many values are missing, see `_gaps`. Values
    go by position in the shuffle of the rows.
    """

    kind: str
    n_levels: int | None
    gaps: int
    values: NDArray[np.float64] | NDArray[np.int32]

    @property
    def known(self) -> float:
        """Share of values that are not missing."""
        return _known(self.gaps)


def _known(gaps: int) -> float:
    return float(2 ** (-gaps / 2))


def check_probes(kinds: Any, owner: object, *, at_least: int = 0) -> None:
    """Raise unless the parameter is a sequence of kinds of probes."""
    good = isinstance(kinds, Sequence) and not isinstance(kinds, str)
    if not good or len(kinds) < at_least:
        listed = ", ".join(map(repr, PROBE_KINDS))
        message = (
            f"The 'probes' parameter of {type(owner).__name__} must be a sequence of "
            f"{listed}. Got {kinds!r} instead."
        )
        raise ValueError(message)
    for kind in kinds:
        check_choice("probes", kind, PROBE_KINDS, owner)


def draw_probes(
    table: Table, kinds: tuple[str, ...], n_probes: int, n_positions: int, seed: int
) -> list[Probe]:
    """Return `n_probes` of each kind, and of each number of levels that occurs.

    Each with as many missing values as columns have, up to a factor of √2.
    """
    probes = []
    for gaps in sorted({_gaps(column) for column in table if not column.is_nominal}):
        for kind in kinds:
            for k in range(n_probes):
                own = derive_seed(seed, "probe", kind, gaps, k)
                random = np.random.default_rng(own)
                values = draw_values(kind, random, n_positions)
                values[random.random(n_positions) >= _known(gaps)] = np.nan
                probes.append(Probe(kind, None, gaps, values))
    shapes = {
        (_levels(column.values), _gaps(column)) for column in table if column.is_nominal
    }
    for n_levels, gaps in sorted(shapes):
        for k in range(n_probes):
            own = derive_seed(seed, "nominal probe", n_levels, gaps, k)
            random = np.random.default_rng(own)
            # A deal, not a draw: a draw of as many levels as rows would repeat some and
            # leave out others, and an identifier, which knows nothing, would beat it.
            deal = random.permutation(max(table.n_rows, n_positions)) % n_levels
            codes = deal[:n_positions].astype(np.int32)
            codes[random.random(n_positions) >= _known(gaps)] = -1
            probes.append(Probe("nominal", n_levels, gaps, codes))
    return probes


def _gaps(column: Column) -> int:
    """Return 0 for a complete column, k if up to 1 - 2^(-k/2) of it is missing.

    Association with noise grows as fewer rows are known, so a complete probe would be
    no match for a column with gaps.
    """
    known = 1 - float(column.missing.mean()) if len(column.values) else 1.0
    return math.ceil(-2 * math.log2(known)) if known > 0 else 0


def draw_values(
    kind: str, random: np.random.Generator, n_positions: int
) -> NDArray[np.float64]:
    """Return one numeric column of a kind."""
    if kind == "gaussian":
        return random.normal(size=n_positions)
    if kind == "uniform":
        return random.random(n_positions)
    return random.integers(2, size=n_positions).astype(np.float64)


def _levels(codes: NDArray[np.int32]) -> int:
    """Return how many levels occur, at least two."""
    present = np.bincount(codes[codes >= 0], minlength=2)
    return max(2, int(np.count_nonzero(present)))


def probes_of_features(table: Table, probes: list[Probe]) -> list[NDArray[np.intp]]:
    """Return for each feature which probes are of its kind.

    A nominal feature has probes of as many levels, a numeric one of two values binary
    probes, any other the continuous ones; where these were not asked for, all numeric
    ones. They have about as many gaps as the feature.
    """
    numeric = np.array([probe.n_levels is None for probe in probes], dtype=bool)
    binary = np.array([probe.kind == "binary" for probe in probes], dtype=bool)
    levels = np.array([probe.n_levels or 0 for probe in probes], dtype=int)
    gaps = np.array([probe.gaps for probe in probes], dtype=int)
    chosen = []
    for column in table:
        alike = gaps == _gaps(column)
        if column.is_nominal:
            mask = alike & (levels == _levels(column.values))
        else:
            known = column.values[~np.isnan(column.values)]
            two = len(known) == 0 or bool(
                np.all((known == known.min()) | (known == known.max()))
            )
            mask = alike & numeric & (binary == two)
            mask = mask if mask.any() else alike & numeric
        chosen.append(np.flatnonzero(mask))
    return chosen


@dataclass(frozen=True, slots=True, eq=False)
class Shuffles:
    """Copies of columns with their values in another order of rows.

    Each copy goes by one order of the shuffled rows for all columns, so that copies
    depend neither on a column's place nor on which others there are.
    """

    rows: NDArray[np.intp]
    orders: list[NDArray[np.intp]]

    @classmethod
    def draw(
        cls,
        rows: NDArray[np.intp],
        n_copies: int,
        seed: int,
        exchange: Exchange = FREE,
    ) -> Shuffles:
        """Return copies that have values where `rows`, the sampled ones, have.

        `exchange` is the null of all rows.
        """
        own = exchange.take(rows)
        seeds = (derive_seed(seed, "copy", k) for k in range(n_copies))
        orders = [own.order(len(rows), np.random.default_rng(s)) for s in seeds]
        return cls(rows, orders)

    def copies(
        self, values: NDArray[Any], positions: NDArray[np.intp]
    ) -> list[NDArray[Any]]:
        """Return the values of all copies of a column at some positions."""
        return [values[self.rows[order[positions]]] for order in self.orders]


def follows_a_law(column: Column, rows: NDArray[np.intp], association: Any) -> bool:
    """Return whether draws of a law do as well by luck as a column that knows nothing.

    Numbers without ties do as any others do under statistics of order, and after cuts
    of equal frequency; under Pearson's correlation if their tails are light.
    """
    if column.is_nominal:
        return False
    values = column.values[rows]
    values = values[~np.isnan(values)]
    if len(values) == 0:
        return True
    times = np.unique(values, return_counts=True)[1] / len(values)
    if len(times) <= 2:
        return association in EVEN_HANDED and float(times.min()) >= NOT_RARE
    if float(np.sum(times**2)) > FEW_TIES:
        return False
    if association != "pearson":
        return True
    centred = (values - values.mean()) / max(values.std(), np.finfo(float).tiny)
    return bool(np.mean(centred**4) <= LIGHT_TAILS)
