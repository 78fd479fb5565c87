"""A generated table together with the answer to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from featsieve._checks import check_that
from featsieve.data import Table


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
