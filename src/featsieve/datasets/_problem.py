"""A generated table with the answer to it, and what all generators share."""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from featsieve._checks import check_integer, check_real, check_that
from featsieve._types import Array
from featsieve.data import Column, ColumnKind, Table


@dataclass(frozen=True, slots=True)
class Truth:
    """Which features matter, by construction.

    Every feature of the table stands in exactly one of `relevant`, `proxies`,
    `harmless` and `irrelevant`; `redundant` and `interactions` say more about the
    relevant ones.

    Parameters
    ----------
    relevant : tuple of str
        Features the class depends on, copies of them included.
    redundant : tuple of tuple of str
        Groups of interchangeable features; one member of a group is enough. Each
        group includes the original. A proxy may be a member beside it.
    interactions : tuple of tuple of str
        Features that act together: what one of them says about the class depends on
        the others.
    irrelevant : tuple of str
        Features that say nothing about the class, alone or together.
    harmless : tuple of str
        Features that say something about the class but that nobody needs, because the
        relevant ones say it all and better. Selecting one is neither right nor wrong.
    proxies : tuple of str
        Features the class depends on only through relevant ones: given those, they say
        nothing. Selecting one is wrong by the strict score; by the lenient one it is
        neither right nor wrong, and one that is a member of a group finds the group.

    Examples
    --------
    >>> truth = Truth(("a", "b", "b2"), redundant=(("b", "b2"),), irrelevant=("c",))
    >>> truth.groups
    (('a',), ('b', 'b2'))
    >>> chain = Truth(("cause",), redundant=(("cause", "early"),), proxies=("early",))
    >>> chain.score(["early"])["f1"], chain.score(["early"], strict=True)["f1"]
    (1.0, 0.0)
    """

    relevant: tuple[str, ...] = ()
    redundant: tuple[tuple[str, ...], ...] = ()
    interactions: tuple[tuple[str, ...], ...] = ()
    irrelevant: tuple[str, ...] = ()
    harmless: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _refuse_repeats("relevant, irrelevant, harmless and proxies", self.features)
        grouped = tuple(name for group in self.redundant for name in group)
        _refuse_repeats("redundant", grouped)
        acting = tuple(name for group in self.interactions for name in group)
        original = tuple(name for name in grouped if name not in self.proxies)
        for part, names in (("redundant", original), ("interactions", acting)):
            strangers = sorted(set(names) - set(self.relevant))
            if strangers:
                raise ValueError(
                    f"The features in {part!r} must be among the relevant ones. "
                    f"Got {strangers} besides."
                )
        for group in self.redundant:
            if set(group) <= set(self.proxies):
                raise ValueError(
                    "A group in 'redundant' must include a relevant feature. "
                    f"Got {group!r}."
                )

    @property
    def features(self) -> tuple[str, ...]:
        """Every feature, the relevant ones first."""
        return self.relevant + self.proxies + self.harmless + self.irrelevant

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """What has to be found: each redundant group once, other features singly."""
        home = {name: group for group in self.redundant for name in group}
        return tuple(dict.fromkeys(home.get(name, (name,)) for name in self.relevant))

    def score(
        self, selected: Iterable[str], *, strict: bool = False
    ) -> dict[str, float]:
        """Say how well a selection agrees with the truth.

        A group is hit when at least one member is selected. A further member of a hit
        group, and any harmless feature, is neither hit nor false. An irrelevant
        feature is false.

        Parameters
        ----------
        selected : iterable of str
            Names of the selected features; order and repetition do not matter.
        strict : bool, default False
            Whether a proxy is false and hits nothing. Otherwise it hits the group it
            is a member of, as the relevant members do, and is never false.

        Returns
        -------
        dict of str to float
            ``precision`` (hits / (hits + false), 0 without either), ``recall``
            (hits / groups), ``f1`` (their harmonic mean), where all three are 1 for an
            empty selection on a problem with nothing to find and 0 for any other
            selection there; ``false_discovery_proportion`` (false / selected, 0 for an
            empty selection); ``redundant_kept`` (how many selected features are
            neither hit nor false).

        Raises
        ------
        ValueError
            If a name is not a feature of the problem.

        Examples
        --------
        >>> truth = Truth(("a", "b", "b2"), redundant=(("b", "b2"),), irrelevant=("c",))
        >>> score = truth.score(["b", "b2", "c"])
        >>> score["precision"], score["recall"], score["redundant_kept"]
        (0.5, 0.5, 1)
        """
        chosen = self._known(selected)
        wrong = {*self.irrelevant, *(self.proxies if strict else ())}
        false = len(chosen & wrong)
        hits = sum(not (chosen - wrong).isdisjoint(group) for group in self.groups)
        if self.groups:
            precision = hits / (hits + false) if hits + false else 0.0
            recall = hits / len(self.groups)
            f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
        else:
            precision = recall = f1 = float(not chosen)
        return {
            "precision": precision,
            "recall": recall,
            "f1": f1,
            "false_discovery_proportion": false / len(chosen) if chosen else 0.0,
            "redundant_kept": len(chosen) - hits - false,
        }

    def _known(self, selected: Iterable[str]) -> set[str]:
        many = not isinstance(selected, str)
        owner, must_be = "Truth.score", "an iterable of feature names"
        check_that(many, "selected", selected, owner, must_be)
        chosen = set(selected)
        strangers = sorted(map(repr, chosen.difference(self.features)))
        if strangers:
            raise ValueError(
                "The 'selected' parameter of Truth.score must hold features of the "
                f"problem only. Got {', '.join(strangers)} besides."
            )
        return chosen


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A table and the truth about it; unpacks as ``table, truth = problem``.

    Parameters
    ----------
    name : str
        The literature's name of the problem.
    table : Table
        The features and the target.
    truth : Truth
        Which features matter.
    details : mapping of str to object
        What else is known of this problem, such as the penetrance table of a genetic
        one.
    options : mapping of str to object
        What is known of the rows and belongs into a call of `featsieve.select`, by
        parameter: which patient a row is of, or when it was measured.

    Examples
    --------
    >>> from featsieve.datasets import make_corral
    >>> table, truth = make_corral()
    >>> table.n_rows, truth.relevant
    (32, ('A0', 'A1', 'B0', 'B1'))
    """

    name: str
    table: Table
    truth: Truth
    details: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    options: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))

    # Any: a union would make `table, truth = problem` useless to a type checker.
    def __iter__(self) -> Iterator[Any]:
        yield self.table
        yield self.truth


def _refuse_repeats(part: str, names: tuple[str, ...]) -> None:
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        message = f"A feature must stand in {part} once. Got {repeated} repeatedly."
        raise ValueError(message)


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
