"""Which features may come and go, and which of them only together."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from featsieve._checks import check_sequence
from featsieve._text import nearest
from featsieve.exceptions import DataError
from featsieve.filters import BIFSFilter
from featsieve.filters._base import Training

__all__ = ["Moves", "find_pairs", "read_moves"]

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
    groups = (
        []
        if feature_groups is None
        else check_sequence(
            "feature_groups",
            feature_groups,
            "ForwardSelectionWrapper",
            "groups of features",
        )
    )
    for number, group in enumerate(groups):
        for feature in _features("feature_groups", group, names):
            if owner.setdefault(feature, number) != number:
                message = (
                    f"feature_groups must not share features, and {names[feature]!r} "
                    f"is in groups {owner[feature]} and {number}. Take it out of one."
                )
                raise DataError(message)
    members: dict[int, list[int]] = {}
    for feature in range(len(names)):
        members.setdefault(owner.get(feature, -1 - feature), []).append(feature)
    units = tuple(tuple(member) for member in members.values())
    unit_of = {feature: u for u, unit in enumerate(units) for feature in unit}

    def units_of(parameter: str, features: Any) -> tuple[int, ...]:
        found = _features(parameter, features, names)
        return tuple(dict.fromkeys(unit_of[feature] for feature in found))

    fixed = () if fixed_features is None else units_of("fixed_features", fixed_features)
    begin = () if start is None else units_of("start", start)
    together = dict.fromkeys(
        (unit_of[a], unit_of[b]) for a, b in pairs if unit_of[a] != unit_of[b]
    )
    begin = tuple(unit for unit in begin if unit not in fixed)
    return Moves(units, fixed, begin, tuple(together))


def _features(parameter: str, features: Any, names: tuple[str, ...]) -> list[int]:
    """Return the numbers of features that are named or numbered."""
    if isinstance(features, str) or not np.iterable(features):
        message = (
            f"{parameter} must list features by name or number. Got {features!r} "
            "instead; write it in brackets."
        )
        raise DataError(message)
    numbers = []
    for feature in features:
        if isinstance(feature, str) and feature in names:
            numbers.append(names.index(feature))
        elif isinstance(feature, (int, np.integer)) and 0 <= feature < len(names):
            numbers.append(int(feature))
        else:
            example = (nearest(feature, names, 1) or names)[0]
            message = (
                f"{parameter} names the feature {feature!r}, which is not there. Give "
                f"a name such as {example!r} or a number from 0 to {len(names) - 1}."
            )
            raise DataError(message)
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
