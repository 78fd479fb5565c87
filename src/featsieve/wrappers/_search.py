"""Searches for a subset: adding, removing, or both in turn, by any criterion."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from featsieve.wrappers._moves import Moves, Unit

__all__ = ["Rules", "Search", "leave_one_out_orders"]

#: Returns the criterion of every subset; the order of features in one is of no account.
Evaluate = Callable[[list[Unit]], list[float]]


@dataclass(frozen=True, slots=True)
class Rules:
    """When one value of the criterion is better than another, and when to end.

    `slack` is what two values may differ by and still count as equal, being computed
    by other sums. `relative` tolerances are shares of the old value.
    """

    direction: str = "forward"
    greater_is_better: bool = True
    tolerance: float = 0.0
    relative: bool = False
    slack: float = 0.0
    n_wanted: int | None = None
    most: int | None = None
    patience: int = 0

    def merit(self, value: float) -> float:
        """Return a number that is greater for better values; NaN is worst."""
        if math.isnan(value):
            return -math.inf
        return value if self.greater_is_better else -value

    def improves(self, new: float, old: float | None) -> bool:
        """Whether a value is so much better than another that a feature pays."""
        if old is None:
            return True
        change = self.tolerance * abs(old) if self.relative else self.tolerance
        return self.merit(new) > self.merit(old) + change

    def first_of_best(self, values: Sequence[float]) -> int:
        """Return the first of the best values."""
        merits = [self.merit(value) for value in values]
        least = max(merits) - self.slack
        return next(i for i, merit in enumerate(merits) if merit >= least)

    @property
    def limit(self) -> int | None:
        """The largest number of features."""
        return self.most if self.n_wanted is None else self.n_wanted


class Search:
    """One search, with all it knows; it may be ended at any time.

    Attributes
    ----------
    current : list of int
        Units at hand, in the order they came.
    best, best_value
        The units that will be the answer, and their value (None if none were tried).
    steps : list of dict
        What was done: ``action``, ``units``, ``before``, ``value``, ``subset``,
        ``accepted`` and ``candidates`` with their values.
    gains : dict
        What having a unit was worth when it was last tried.
    """

    def __init__(
        self, moves: Moves, rules: Rules, evaluate: Evaluate, nothing: float
    ) -> None:
        self.moves = moves
        self.rules = rules
        self._evaluate = evaluate
        self._nothing = nothing
        self.current: list[int] = []
        self.value: float | None = None
        self.best: list[int] = []
        self.best_value: float | None = None
        self.steps: list[dict[str, Any]] = []
        self.gains: dict[int, float] = {}
        self._best_by_size: dict[int, float] = {}

    def run(self) -> None:
        """Search until no move pays."""
        if self.rules.direction == "backward":
            self._begin(range(len(self.moves.units)))
            self._repeat(self._remove_one)
        else:
            self._begin([*self.moves.fixed, *self.moves.start])
            self._repeat(self._add_one)

    def _begin(self, units: Sequence[int]) -> None:
        self.current = list(units)
        if self.current:
            (self.value,) = self._evaluate([self.moves.features(self.current)])
        self._accept()

    def _repeat(self, move: Callable[[], bool]) -> None:
        stale = 0
        while stale <= self.rules.patience and move():
            if self._pays():
                stale = 0
                self._accept()
            else:
                stale += 1

    def _pays(self) -> bool:
        """Whether what is at hand now is to be preferred to what was accepted last."""
        assert self.value is not None
        rules = self.rules
        if rules.direction == "backward":
            if rules.limit is not None and self.moves.size(self.best) > rules.limit:
                return True
            # Something goes unless having it pays.
            return not rules.improves(self._known(self.best_value), self.value)
        return rules.n_wanted is not None or rules.improves(self.value, self.best_value)

    def _accept(self) -> None:
        self.best, self.best_value = list(self.current), self.value
        for step in self.steps:
            step["accepted"] = True

    def _known(self, value: float | None) -> float:
        return self._nothing if value is None else value

    # Adding

    def _add_one(self) -> bool:
        """Add the best unit or pair; False if there is none, or no room."""
        candidates = self._additions()
        if not candidates:
            return False
        values = self._evaluate(
            [self.moves.features([*self.current, *units]) for units in candidates]
        )
        chosen = self.rules.first_of_best(values)
        before = self.rules.merit(self._known(self.value))
        for i, (units, value) in enumerate(zip(candidates, values, strict=True)):
            if len(units) == 1 or i == chosen:
                for unit in units:
                    self.gains[unit] = self.rules.merit(value) - before
        self._tell("add", candidates, values, chosen)
        self.current.extend(candidates[chosen])
        self.value = values[chosen]
        self._remember()
        if self.rules.direction == "floating":
            while self._float_back():
                pass
        return True

    def _additions(self) -> list[Unit]:
        here = set(self.current)
        single = [(u,) for u in range(len(self.moves.units)) if u not in here]
        pairs = [pair for pair in self.moves.pairs if here.isdisjoint(pair)]
        limit = self.rules.limit
        if limit is None:
            return [*single, *pairs]
        room = limit - self.moves.size(self.current)
        return [units for units in (*single, *pairs) if self.moves.size(units) <= room]

    # Removing

    def _remove_one(self) -> bool:
        """Remove the unit that is missed least; False if none may go."""
        found = self._removals()
        if found is None:
            return False
        candidates, values = found
        chosen = self.rules.first_of_best(values)
        self._tell("remove", candidates, values, chosen)
        self.current.remove(candidates[chosen][0])
        self.value = values[chosen]
        return True

    def _float_back(self) -> bool:
        """Remove a unit if that gives the best subset of its size so far."""
        if len(self.current) - len(self.moves.fixed) < 3:
            return False
        found = self._removals()
        if found is None:
            return False
        candidates, values = found
        chosen = self.rules.first_of_best(values)
        size = self.moves.size(self.current) - self.moves.size(candidates[chosen])
        # Sizes that pairs or groups skipped are compared with the subset at hand.
        known = self._best_by_size.get(size, self._known(self.value))
        least = self.rules.merit(known) + self.rules.slack
        if self.rules.merit(values[chosen]) <= least:
            return False
        self._tell("remove", candidates, values, chosen)
        self.current.remove(candidates[chosen][0])
        self.value = values[chosen]
        self._remember()
        return True

    def _removals(self) -> tuple[list[Unit], list[float]] | None:
        """Return single units that may go, and the values without them."""
        wanted = self.rules.n_wanted if self.rules.direction == "backward" else None
        least = max(1, wanted or 1)
        size = self.moves.size(self.current)
        able = [
            unit
            for unit in self.current
            if unit not in self.moves.fixed and size - self.moves.size([unit]) >= least
        ]
        if not able:
            return None
        orders = leave_one_out_orders(self.current)
        values = self._evaluate([self.moves.features(orders[unit]) for unit in able])
        before = self.rules.merit(self._known(self.value))
        for unit, value in zip(able, values, strict=True):
            self.gains[unit] = before - self.rules.merit(value)
        return [(unit,) for unit in able], values

    def _remember(self) -> None:
        size, value = self.moves.size(self.current), self._known(self.value)
        known = self._best_by_size.get(size)
        if known is None or self.rules.merit(value) > self.rules.merit(known):
            self._best_by_size[size] = value

    def _tell(
        self, action: str, candidates: list[Unit], values: list[float], chosen: int
    ) -> None:
        units = candidates[chosen]
        left = (
            [*self.current, *units]
            if action == "add"
            else [unit for unit in self.current if unit not in units]
        )
        self.steps.append(
            {
                "action": action,
                "units": units,
                "before": self.value,
                "value": values[chosen],
                "subset": left,
                "accepted": False,
                "candidates": list(zip(candidates, values, strict=True)),
            }
        )


def leave_one_out_orders(units: Sequence[int]) -> dict[int, list[int]]:
    """Return, for every unit, the others in an order that neighbours share.

    Halves are left out one after the other, each with the other half in front, so that
    sums over beginnings are worth keeping: n log n additions instead of n².
    """
    orders: dict[int, list[int]] = {}

    def descend(part: Sequence[int], front: list[int]) -> None:
        if len(part) == 1:
            orders[part[0]] = front
            return
        middle = len(part) // 2
        descend(part[:middle], [*front, *part[middle:]])
        descend(part[middle:], [*front, *part[:middle]])

    if units:
        descend(list(units), [])
    return orders
