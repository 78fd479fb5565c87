"""What is known of an interaction, for people and programs."""

from __future__ import annotations

from dataclasses import dataclass

from featsieve.engine import derive_seed
from featsieve.inference.api import FREE, Exchange, TupleGains, synergy_p_value
from featsieve.selectors.interactions._bifs_search import Group

#: Splitting a set into parts costs 3^k gains; larger groups are not verified.
LARGEST_VERIFIED = 8


@dataclass(frozen=True, slots=True)
class Interaction:
    """A group of features that tell more about the class together than apart.

    Parameters
    ----------
    members : tuple of str
        Names of the features.
    joint_gain : float
        What they tell together, in bits.
    synergy : float
        What they tell beyond their best split into parts.
    gain_per_feature : float
        Joint gain divided by the number of features.
    p_value : float or None
        Of the scan that found it, for pairs and triples found by
        ``min_synergy="auto"``; else of the verification; None if neither was made.
    best_split : tuple of tuple of str
        The parts that come closest to telling as much.
    is_real : bool or None
        Whether the group as a whole is an interaction (Definition 4 of the thesis, and
        not by chance), or only a chain of smaller ones; None if not verified.
    kept : bool
        Whether the selection kept the group.

    Examples
    --------
    >>> from featsieve.datasets import make_parity
    >>> from featsieve.selectors import BIFSFilter
    >>> table, _ = make_parity(400, n_bits=2, random_state=0)
    >>> found = BIFSFilter().fit(table, None).interactions_[0]
    >>> found.members, found.is_real, found.kept
    (('x1', 'x2'), True, True)
    """

    members: tuple[str, ...]
    joint_gain: float
    synergy: float
    gain_per_feature: float
    p_value: float | None
    best_split: tuple[tuple[str, ...], ...]
    is_real: bool | None
    kept: bool


def describe_groups(
    groups: list[Group],
    kept: list[bool],
    gains: TupleGains,
    names: tuple[str, ...],
    p_values: dict[tuple[int, ...], float],
    *,
    verify: bool,
    seed: int,
    exchange: Exchange = FREE,
) -> list[Interaction]:
    """Return the groups of two or more features, strongest per feature first."""
    found = []
    for group, stays in reversed(list(zip(groups, kept, strict=True))):
        members = group.members
        if len(members) < 2:
            continue
        small = len(members) <= LARGEST_VERIFIED
        parts_gain, parts = gains.best_partition(members) if small else (0.0, ())
        synergy = group.joint_gain - parts_gain if small else float("nan")
        p_value = p_values.get(members)
        is_real = None
        if verify and small:
            if p_value is None:
                own_seed = derive_seed(seed, "verify", str(members))
                p_value = synergy_p_value(gains, members, own_seed, exchange)
            is_real = bool(synergy > 0 and p_value <= 0.05)
        found.append(
            Interaction(
                tuple(names[f] for f in members),
                group.joint_gain,
                synergy,
                group.gain_per_feature,
                p_value,
                tuple(tuple(names[f] for f in part) for part in parts),
                is_real,
                stays,
            )
        )
    return found
