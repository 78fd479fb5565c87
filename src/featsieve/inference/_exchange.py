"""Which orders of rows are as likely as the one that was seen, if nothing is there.

A null says what may be exchanged. Whatever permutes rows (permutation tests, scans,
shuffled copies, conditional tests) takes one and asks it for orders; nothing else in
the library decides how rows move. A further null is one more class in this module.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve.data.api import RowDesign
from featsieve.measures import joint_codes


class Exchange(ABC):
    """How rows may be exchanged under the null hypothesis.

    What a null promises:

    - Exactness. If the targets, in all orders that the null can draw, are equally
      likely given the columns, then (reached + 1) / (drawn + 1) is a p-value: at most
      u with chance at most u, for any statistic, any sample size, ties or not. So the
      orders must be uniform on a group of permutations, the identity among them: of
      rows, or of the units that `WholeGroups` exchanges.
    - Determinism. Orders depend on the generator and on the number of rows only, never
      on how many jobs ask for them: a task is handed a seed of its own.
    - Target and weight of a row move together; columns stay.
    """

    #: Whether all n! orders are equally likely. Only then do counts of a permuted table
    #: follow the hypergeometric law that kernels draw from without any rows.
    is_free: bool = False

    @abstractmethod
    def orders(
        self, n_rows: int, random: np.random.Generator, count: int
    ) -> NDArray[np.intp]:
        """Return `count` orders, shape (n_rows, count).

        In order k the row at place i gets the target of row ``orders[i, k]``.
        """

    @abstractmethod
    def take(self, rows: NDArray[np.intp]) -> Exchange:
        """Return the null of some rows, or of all in another order."""

    @abstractmethod
    def within(self, strata: NDArray[Any]) -> Exchange:
        """Return the null that, besides, exchanges only rows of the same stratum.

        It keeps whatever strata tell about the target, and so is the null of a test
        given them.
        """

    def order(self, n_rows: int, random: np.random.Generator) -> NDArray[np.intp]:
        """Return one order."""
        return self.orders(n_rows, random, 1)[:, 0]

    def draw(self, n_rows: int, seed: int, number: int) -> NDArray[np.intp]:
        """Return the order of draw `number`, whatever was drawn before."""
        return self.order(n_rows, np.random.default_rng([seed, number]))


@dataclass(frozen=True, slots=True)
class Free(Exchange):
    """Any row may take the place of any other: rows are exchangeable."""

    @property
    def is_free(self) -> bool:  # type: ignore[override]
        """Whether all orders are equally likely: they are."""
        return True

    def orders(
        self, n_rows: int, random: np.random.Generator, count: int
    ) -> NDArray[np.intp]:
        """Return orders, all equally likely."""
        drawn = np.empty((n_rows, count), dtype=np.intp)
        for k in range(count):
            drawn[:, k] = random.permutation(n_rows)
        return drawn

    def take(self, rows: NDArray[np.intp]) -> Free:  # noqa: ARG002
        """Return the same null: it holds for any rows."""
        return self

    def within(self, strata: NDArray[Any]) -> WithinStrata:
        """Return the null that exchanges only rows of the same stratum."""
        return WithinStrata(strata)


@dataclass(frozen=True, slots=True, eq=False)
class WithinStrata(Exchange):
    """Rows may take each other's place within their stratum only.

    `strata` holds a code for every row; rows of a negative one are a stratum, too.
    """

    strata: NDArray[Any]
    _places: NDArray[np.intp] = field(init=False, repr=False)
    _ordered: NDArray[np.intp] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        numbers = np.unique(self.strata, return_inverse=True)[1]
        places = np.argsort(numbers, kind="stable")
        object.__setattr__(self, "_places", places)
        object.__setattr__(self, "_ordered", numbers[places])

    def orders(
        self, n_rows: int, random: np.random.Generator, count: int
    ) -> NDArray[np.intp]:
        """Return orders in which every row stays in its stratum, all equally likely."""
        if n_rows != len(self.strata):
            message = f"The null is that of {len(self.strata)} rows, not of {n_rows}."
            raise ValueError(message)
        # Sorted by stratum and, within, by chance: seven times as fast as by two keys,
        # and a key that rounding lifts to the next whole number stays where it is,
        # since the sort is stable.
        keys = random.random((n_rows, count)) + self._ordered[:, np.newaxis]
        drawn = np.empty((n_rows, count), dtype=np.intp)
        drawn[self._places] = self._places[np.argsort(keys, axis=0, kind="stable")]
        return drawn

    def take(self, rows: NDArray[np.intp]) -> WithinStrata:
        """Return the null of some rows, or of all in another order."""
        return WithinStrata(self.strata[rows])

    def within(self, strata: NDArray[Any]) -> WithinStrata:
        """Return the null that exchanges only rows of the same stratum of both."""
        return WithinStrata(joint_codes(self.strata, strata))


@dataclass(frozen=True, slots=True, eq=False)
class WholeGroups(Exchange):
    """Groups of rows take each other's place as a whole, and rows within their group.

    For rows of one patient, of one machine, or repeated rows. A group gets the targets
    of another one (of the same stratum), in any order.

    Where groups are of equal size these orders are a group of permutations of rows, and
    tests are exact if groups are exchangeable and so are the rows of a group: a target
    with an effect of every group, say. Where the target is the same in all rows of a
    group, sizes do not matter: what is permuted are the targets of groups, one for
    each, and that is exact for any statistic, since the target of a row is that of its
    group. Only where sizes differ *and* targets vary inside is it an approximation: a
    large group gets the targets of a small one more than once, which makes the targets
    of a group more alike than they are and the test more cautious.

    `groups` and `strata` hold a code for every row; a group lies in one stratum.
    """

    groups: NDArray[Any]
    strata: NDArray[Any] | None = None
    _by_group: NDArray[np.intp] = field(init=False, repr=False)
    _numbers: NDArray[np.intp] = field(init=False, repr=False)
    _units: WithinStrata | Free = field(init=False, repr=False)

    def __post_init__(self) -> None:
        first, numbers = np.unique(self.groups, return_index=True, return_inverse=True)[
            1:
        ]
        by_group = np.argsort(numbers, kind="stable")
        units: WithinStrata | Free = FREE
        if self.strata is not None:
            units = WithinStrata(self.strata[first])
            if not np.array_equal(self.strata[first][numbers], self.strata):
                message = "A group must lie in one stratum."
                raise ValueError(message)
        object.__setattr__(self, "_by_group", by_group)
        object.__setattr__(self, "_numbers", numbers[by_group])
        object.__setattr__(self, "_units", units)

    def orders(
        self, n_rows: int, random: np.random.Generator, count: int
    ) -> NDArray[np.intp]:
        """Return orders in which every group gets the targets of one group.

        Where sizes differ these are no permutations of rows: the targets of a larger
        group are drawn without, those of a smaller one with repetition, each as often
        as any other as far as possible.
        """
        if n_rows != len(self.groups):
            message = f"The null is that of {len(self.groups)} rows, not of {n_rows}."
            raise ValueError(message)
        numbers = self._numbers[:, np.newaxis]
        sizes = np.bincount(self._numbers)
        begins = np.cumsum(sizes) - sizes
        places = np.arange(n_rows)[:, np.newaxis] - begins[numbers]
        # Whose targets each group gets, and in which order its rows give theirs.
        source = self._units.orders(len(sizes), random, count)[self._numbers]
        keys = random.random((n_rows, count)) + numbers
        inside = self._by_group[np.argsort(keys, axis=0, kind="stable")]
        taken = (begins[source] + places % sizes[source]).astype(np.intp)
        drawn = np.empty((n_rows, count), dtype=np.intp)
        drawn[self._by_group] = np.take_along_axis(inside, taken, axis=0)
        return drawn

    def take(self, rows: NDArray[np.intp]) -> WholeGroups:
        """Return the null of some rows, or of all in another order."""
        strata = None if self.strata is None else self.strata[rows]
        return WholeGroups(self.groups[rows], strata)

    def within(self, strata: NDArray[Any]) -> WholeGroups:
        """Return the null that exchanges parts of groups within the same stratum.

        The rows of a group that lie in one stratum are a unit then. What is given may
        vary inside groups, and no two of them agree in all of it.
        """
        inside = strata if self.strata is None else joint_codes(self.strata, strata)
        return WholeGroups(joint_codes(self.groups, strata), inside)


#: The null wherever none is passed.
FREE = Free()


def exchange_of(design: RowDesign) -> Exchange:
    """Return the null that groups and strata make.

    Rows that follow each other in time have none: `to_units` makes them exchangeable.
    """
    if design.groups is not None:
        return WholeGroups(design.groups, design.strata)
    return FREE if design.strata is None else WithinStrata(design.strata)


#: Scores this close are equal; the kernels use the same slack.
TIE = 1e-12


def monte_carlo_p_values(
    reached: Any, drawn: Any, stop_after: int | None = None
) -> NDArray[np.float64]:
    """Return p-values of scores that so many of so many draws reached.

    (reached + 1) / (drawn + 1): what was seen is one of the equally likely scores. A
    test that was to end once `stop_after` draws had reached the score, and did, has
    reached / drawn (Besag and Clifford, "Sequential Monte Carlo p-values", Biometrika
    1991). Both are exact: at most u with chance at most u under the null, provided that
    a draw which ties with the score counts as reaching it. No draws: 1.
    """
    at_least, n = np.asarray(reached), np.asarray(drawn)
    p_values: NDArray[np.float64] = (at_least + 1) / (n + 1)
    if stop_after is None:
        return p_values
    return np.where(at_least >= stop_after, at_least / np.maximum(n, 1), p_values)


def permutation_p_value(
    score: Callable[[NDArray[np.intp]], float],
    n_rows: int,
    exchange: Exchange,
    random: np.random.Generator,
    *,
    most_draws: int,
    stop_after: int,
    tie: float = TIE,
) -> float:
    """Test the score of the rows as they are against that of rows exchanged.

    `score` takes an order of the rows; high scores are evidence, and scores within
    `tie` are equal. Ends once `stop_after` draws have reached it.
    """
    observed = score(np.arange(n_rows)) - tie
    reached = drawn = 0
    while drawn < most_draws and reached < stop_after:
        reached += score(exchange.order(n_rows, random)) >= observed
        drawn += 1
    return float(monte_carlo_p_values(reached, drawn, stop_after))
