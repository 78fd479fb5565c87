"""Tests under restricted orders, from the definitions: one order after another."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy import stats


def part_within(units):
    """Return the projection that takes the mean of its unit off every value."""
    flags = np.array([[own == unit for unit in set(units)] for own in units], float)
    return np.eye(len(units)) - flags @ np.linalg.pinv(flags)


def part_between(units, strata):
    """Return the projection on means of units, less the means of their strata."""
    return part_within(strata) - part_within(units)


def explained(column, target):
    """Return the share of the target's square that a column's directions explain."""
    whole = float(np.sum(target**2))
    fitted = column @ np.linalg.lstsq(column, target, rcond=1e-9)[0]
    return float(np.sum(fitted**2)) / whole if whole > 0 else 0.0


def tail(seen, drawn, least):
    """Return the p-value of a share by a beta law with the moments of the draws.

    Where 20 draws reach it, or more than would do so under the law once in a hundred
    times, they are counted.
    """
    reached = sum(own >= seen - 1e-12 for own in drawn)
    counted = (reached + 1) / (len(drawn) + 1)
    if reached >= 20:
        return counted
    mean, variance = np.mean(drawn), np.var(drawn)
    if variance == 0:
        return counted
    size = mean * (1 - mean) / variance - 1
    law = float(stats.beta(mean * size, (1 - mean) * size).sf(seen))
    if reached and stats.binomtest(reached, len(drawn), law, "greater").pvalue < 0.01:
        return counted
    return max(least, law)


def restricted(column, target, part, orders, least):
    """Return the p-value of a part of a column, `orders` being the columns of drawn."""
    shares = [
        explained(part @ column, part @ target[order])
        for order in [np.arange(len(target)), *orders.T]
    ]
    return tail(shares[0], shares[1:], least)


def exact_given(own, given, strata, target):
    """Return the p-value of a column's levels, those of others given, by all orders.

    Rows of a cell of strata and given levels take each other's place. What is compared
    is the share of the squares about the means of cells that one mean for every pair of
    own and given level explains.
    """
    cells = list(zip(strata, given, strict=True))
    part = part_within(cells)
    pairs = list(zip(own, given, strict=True))
    flags = np.array(
        [[pair == other for other in sorted(set(pairs))] for pair in pairs]
    )
    shares = [
        explained(part @ flags.astype(float), part @ target[list(order)])
        for order in orders_within(cells)
    ]
    return float(np.mean([share >= shares[0] - 1e-12 for share in shares]))


def orders_within(cells):
    """Return every order of rows in which each keeps to its cell, theirs first."""
    places = [
        [i for i, own in enumerate(cells) if own == c] for c in sorted(set(cells))
    ]
    for moved in itertools.product(*map(itertools.permutations, places)):
        order = list(range(len(cells)))
        for old, new in zip(places, moved, strict=True):
            for i, j in zip(old, new, strict=True):
                order[i] = j
        yield order


def n_targets(units, target, strata=None, *, whole_units):
    """Return how many different targets all orders make, by trying every order.

    Rows of a unit are exchanged; with `whole_units`, of equal size, units of a stratum
    as well.
    """
    rows = range(len(target))
    found = set()
    for order in itertools.permutations(rows):
        kept = all(units[i] == units[j] for i, j in zip(rows, order, strict=True))
        moved = {(units[i], units[j]) for i, j in zip(rows, order, strict=True)}
        as_wholes = len(moved) == len(set(units)) and all(
            strata is None or strata[i] == strata[j]
            for i, j in zip(rows, order, strict=True)
        )
        if kept or (whole_units and as_wholes):
            found.add(tuple(target[j] for j in order))
    return len(found)


def log_n_targets(units, target, strata=None, *, whole_units):
    return math.log(n_targets(units, target, strata, whole_units=whole_units))
