"""Searches for a subset: which features come and go, and all that was evaluated."""

from __future__ import annotations

import hashlib
import json
import math
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from featsieve._checks import check_sequence
from featsieve._journal import describe
from featsieve._text import nearest, write_whole
from featsieve.data.api import Training
from featsieve.exceptions import DataError
from featsieve.selectors import BIFSFilter
from featsieve.selectors.search._criteria import Criterion

FORMAT = "featsieve search trace"
VERSION = 1

Subset = tuple[int, ...]


class Trace:
    """The value of every subset that was evaluated, in order.

    A search that finds a value here does not compute it again. To resume a search is
    therefore to repeat it, and the answer is that of a search that never stopped. The
    `source` is a file, where values are kept too, or what an earlier search returned.
    """

    def __init__(self, mark: str, names: tuple[str, ...], source: Any = None) -> None:
        self.mark, self.names = mark, names
        self.values: dict[Subset, float] = {}
        self.n_evaluated = 0
        self._lock = threading.Lock()
        self._path = Path(source) if isinstance(source, (str, Path)) else None
        if self._path is None and source is not None:
            self._recall(source)
        elif self._path is not None and self._path.exists():
            try:
                saved = json.loads(self._path.read_text(encoding="utf-8"))
            except ValueError:
                saved = None
            self._recall(saved)

    def evaluate(
        self, subsets: Sequence[Subset], criterion: Criterion, tell: Callable[[], None]
    ) -> list[float]:
        """Return the criterion of every subset; `tell` is called as values come in."""
        keys = [tuple(sorted(subset)) for subset in subsets]
        new = [i for i, key in enumerate(keys) if key not in self.values]

        def record(i: int, value: float) -> None:
            with self._lock:  # values may come from several threads
                self.values[keys[new[i]]] = value
                self.n_evaluated += 1
                tell()

        if new:
            criterion.evaluate([subsets[i] for i in new], record)
        self.save()
        return [self.values[key] for key in keys]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain lists; NaN, which JSON lacks, is None."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "fingerprint": self.mark,
            "features": list(self.names),
            "evaluations": [
                {"subset": list(key), "value": None if math.isnan(value) else value}
                for key, value in self.values.items()
            ],
        }

    def _recall(self, saved: Any) -> None:
        """Take over the values of an earlier search on the same data."""
        if not isinstance(saved, Mapping) or saved.get("format") != FORMAT:
            raise DataError(
                "trace must be a file or a `trace_` that this wrapper has written. Got "
                "something else; choose another file name."
            )
        if saved.get("version") != VERSION or saved.get("fingerprint") != self.mark:
            raise DataError(
                "The trace belongs to other data or to other settings of the "
                "criterion, so its values mean nothing here. Choose another file name "
                "to begin anew."
            )
        for entry in saved["evaluations"]:
            value = entry["value"]
            self.values[tuple(entry["subset"])] = math.nan if value is None else value

    def save(self) -> None:
        """Write all values; an interruption leaves the old file or the new one."""
        if self._path is not None:
            write_whole(self._path, json.dumps(self.as_dict()))


def fingerprint(parts: Iterable[Any]) -> str:
    """Return a text that is the same for the same data and settings."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        raw = (
            part.tobytes() if isinstance(part, np.ndarray) else describe(part).encode()
        )
        digest.update(len(raw).to_bytes(8, "little"))
        digest.update(raw)
    return digest.hexdigest()


#: Pairs of the interaction scan that are offered at most, those of most synergy.
MOST_PAIRS = 50

Unit = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Moves:
    """Units of features that are moved together, by number.

    `fixed` units never go, `start` ones are there in the beginning, and `pairs` may
    come at once.
    """

    units: tuple[Unit, ...]
    fixed: tuple[int, ...] = ()
    start: tuple[int, ...] = ()
    pairs: tuple[tuple[int, int], ...] = ()

    def features(self, units: Sequence[int]) -> Unit:
        """Return the features of some units, in their order."""
        return tuple(feature for unit in units for feature in self.units[unit])

    def size(self, units: Sequence[int]) -> int:
        """Return how many features they are."""
        return sum(len(self.units[unit]) for unit in units)


def read_moves(
    names: tuple[str, ...],
    *,
    feature_groups: Any,
    fixed_features: Any,
    start: Any,
    pairs: Sequence[tuple[int, int]] = (),
) -> Moves:
    """Return units from what a user calls them; names and numbers both count."""
    owner: dict[int, int] = {}
    name, given = "feature_groups", () if feature_groups is None else feature_groups
    groups = check_sequence(name, given, "ForwardSelector", "groups of features")
    for number, group in enumerate(groups):
        for feature in _features("feature_groups", group, names):
            if owner.setdefault(feature, number) != number:
                raise DataError(
                    f"feature_groups must not share features, and {names[feature]!r} "
                    f"is in groups {owner[feature]} and {number}. Take it out of one."
                )
    members: dict[int, list[int]] = {}
    for feature in range(len(names)):
        members.setdefault(owner.get(feature, -1 - feature), []).append(feature)
    units = tuple(tuple(member) for member in members.values())
    unit_of = {feature: u for u, unit in enumerate(units) for feature in unit}

    def units_of(parameter: str, features: Any) -> tuple[int, ...]:
        found = () if features is None else _features(parameter, features, names)
        return tuple(dict.fromkeys(unit_of[feature] for feature in found))

    fixed, begin = units_of("fixed_features", fixed_features), units_of("start", start)
    together = dict.fromkeys(
        (unit_of[a], unit_of[b]) for a, b in pairs if unit_of[a] != unit_of[b]
    )
    begin = tuple(unit for unit in begin if unit not in fixed)
    return Moves(units, fixed, begin, tuple(together))


def _features(parameter: str, features: Any, names: tuple[str, ...]) -> list[int]:
    """Return the numbers of features that are named or numbered."""
    if isinstance(features, str) or not np.iterable(features):
        raise DataError(
            f"{parameter} must list features by name or number. Got {features!r} "
            "instead; write it in brackets."
        )
    numbers = []
    for feature in features:
        if isinstance(feature, str) and feature in names:
            numbers.append(names.index(feature))
        elif isinstance(feature, (int, np.integer)) and 0 <= feature < len(names):
            numbers.append(int(feature))
        else:
            example = (nearest(feature, names, 1) or names)[0]
            raise DataError(
                f"{parameter} names the feature {feature!r}, which is not there. Give "
                f"a name such as {example!r} or a number from 0 to {len(names) - 1}."
            )
    return numbers


def find_pairs(
    training: Training, random_state: Any, n_jobs: int | None
) -> list[tuple[int, int]]:
    """Return pairs that stand out in the interaction scan, of most synergy first."""
    if training.table.n_columns < 2:
        return []
    scan = BIFSFilter(
        max_degree=2, verify=False, n_jobs=n_jobs, random_state=random_state
    )
    classes = np.array(training.target.classes, dtype=object)
    with warnings.catch_warnings():
        # That nothing stands out is an answer here: there are no pairs to start from.
        warnings.simplefilter("ignore", UserWarning)
        scan.fit(training.table, classes[training.target.codes])
    found = scan.pairs_
    chosen = np.flatnonzero(found["is_interaction"])
    order = chosen[np.argsort(-found["synergy"][chosen], kind="stable")][:MOST_PAIRS]
    return [(int(found["first"][i]), int(found["second"][i])) for i in order]


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
    """One search, with all it knows; it may be ended at any time."""

    def __init__(
        self, moves: Moves, rules: Rules, evaluate: Evaluate, nothing: float
    ) -> None:
        self.moves, self.rules = moves, rules
        self._evaluate, self._nothing = evaluate, nothing
        #: Units at hand, in the order they came; None has been tried at first.
        self.current: list[int] = []
        self.value: float | None = None
        #: What will be the answer.
        self.best: list[int] = []
        self.best_value: float | None = None
        self.steps: list[dict[str, Any]] = []
        #: What having a unit was worth when it was last tried.
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
        self._move("add", candidates, values, chosen)
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
        candidates, values = self._removals()
        if candidates:
            chosen = self.rules.first_of_best(values)
            self._move("remove", candidates, values, chosen)
        return bool(candidates)

    def _float_back(self) -> bool:
        """Remove a unit if that gives the best subset of its size so far."""
        if len(self.current) - len(self.moves.fixed) < 3:
            return False
        candidates, values = self._removals()
        if not candidates:
            return False
        chosen = self.rules.first_of_best(values)
        size = self.moves.size(self.current) - self.moves.size(candidates[chosen])
        # Sizes that pairs or groups skipped are compared with the subset at hand.
        known = self._best_by_size.get(size, self._known(self.value))
        least = self.rules.merit(known) + self.rules.slack
        pays = self.rules.merit(values[chosen]) > least
        if pays:
            self._move("remove", candidates, values, chosen)
        return pays

    def _removals(self) -> tuple[list[Unit], list[float]]:
        """Return single units that may go, and the values without them."""
        wanted = self.rules.n_wanted if self.rules.direction == "backward" else None
        size = self.moves.size(self.current)
        able = [
            unit
            for unit in self.current
            if unit not in self.moves.fixed
            and size - self.moves.size([unit]) >= (wanted or 1)
        ]
        if not able:
            return [], []
        orders = leave_one_out_orders(self.current)
        values = self._evaluate([self.moves.features(orders[unit]) for unit in able])
        before = self.rules.merit(self._known(self.value))
        for unit, value in zip(able, values, strict=True):
            self.gains[unit] = before - self.rules.merit(value)
        return [(unit,) for unit in able], values

    def _move(
        self, action: str, candidates: list[Unit], values: list[float], chosen: int
    ) -> None:
        """Add or remove the chosen units, and tell about it."""
        units, value = candidates[chosen], values[chosen]
        if action == "add":
            self.current.extend(units)
        else:
            self.current.remove(units[0])
        self.value = value
        size = self.moves.size(self.current)
        known = self._best_by_size.get(size)
        if known is None or self.rules.merit(value) > self.rules.merit(known):
            self._best_by_size[size] = value
        self.steps.append(
            {
                "action": action,
                "units": units,
                "value": value,
                "subset": list(self.current),
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
