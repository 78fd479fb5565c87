"""Test whether features tell anything once other features are known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from featsieve.inference._exchange import FREE, Exchange, permutation_p_value
from featsieve.inference._tuple_gains import TupleGains
from featsieve.measures import symmetrical_uncertainty

#: Draws of one test; enough to reject at a level of 0.05 shared by twenty sets.
MOST_DRAWS = 999
STOP_AFTER = 20

#: Draws of the test of a synergy; p-values below 1 % are enough to say "real".
SYNERGY_DRAWS = 199

#: Rows per cell of given and tested features below which a test sees nothing.
ROWS_PER_CELL = 5

#: Rows above which a test is made on a sample: more would only sharpen a clear answer.
MOST_ROWS = 20_000


def conditioning_set(
    gains: TupleGains, features: tuple[int, ...], others: list[int]
) -> tuple[int, ...]:
    """Return those of the others that could stand in for the features.

    Those that resemble the features most come first, since what is like them can
    displace them; as many as leave several rows to a cell, since beyond that no test
    has any power. Of equal ones the earlier is preferred.
    """
    own = gains.cells(features)
    likeness = [
        symmetrical_uncertainty(gains.codes[:, other], own, weights=gains.weights)
        for other in others
    ]
    chosen: tuple[int, ...] = ()
    # Renamed levels are counted in another order, which the last digit may show.
    for k in np.argsort(-np.round(likeness, 12), kind="stable").tolist():
        wider = (*chosen, others[k])
        n_cells = int(gains.cells((*wider, *features)).max(initial=-1)) + 1
        if n_cells * ROWS_PER_CELL <= len(gains.classes):
            chosen = wider
    return chosen


def conditional_p_value(
    gains: TupleGains,
    features: tuple[int, ...],
    given: tuple[int, ...],
    seed: int,
    exchange: Exchange = FREE,
) -> float:
    """Test that `features` tell nothing about the class beyond `given`.

    The class is permuted inside the cells of the given features, which keeps what they
    tell and breaks all else; exact, and stopped early where the answer is no.
    """
    random = np.random.default_rng(seed)
    cells = gains.cells(given)
    joint = gains.cells((*given, *features))
    # Left out where missing values are ignored; otherwise missing is a level.
    rows = np.flatnonzero(joint >= 0)
    if len(rows) > MOST_ROWS:
        rows = rows[random.choice(len(rows), MOST_ROWS, replace=False)]
    rows = rows[np.argsort(cells[rows], kind="stable")]
    joint, classes = joint[rows], gains.classes[rows]
    n_classes = int(classes.max(initial=0)) + 1
    return permutation_p_value(
        lambda order: _information(joint, classes[order], n_classes),
        len(rows),
        exchange.take(rows).within(cells[rows]),
        random,
        most_draws=MOST_DRAWS,
        stop_after=STOP_AFTER,
        tie=1e-9,
    )


def synergy_p_value(
    gains: TupleGains,
    members: tuple[int, ...],
    seed: int,
    exchange: Exchange = FREE,
) -> float:
    """Test that a set tells no more about the class than its best split into parts.

    Plug-in gains of many cells are large on any small sample, which flatters the whole
    set; under permuted classes it is flattered in the same way.
    """
    everyone = range(len(members))
    codes = gains.codes[:, list(members)]

    def synergy(order: NDArray[np.intp]) -> float:
        weights = None if gains.weights is None else gains.weights[order]
        moved = TupleGains(codes, gains.classes[order], gains.missing, weights)
        return moved(everyone) - moved.best_partition(everyone)[0]

    return permutation_p_value(
        synergy,
        len(gains.classes),
        exchange,
        np.random.default_rng(seed),
        most_draws=SYNERGY_DRAWS,
        stop_after=STOP_AFTER,
    )


def _information(
    joint: NDArray[np.int32], classes: NDArray[np.int32], n_classes: int
) -> float:
    """Return Σ c log2 c over the cells: all of the gain that permuting can change."""
    counts = np.bincount(joint.astype(np.int64) * n_classes + classes)
    counts = counts[counts > 1]
    return float(counts @ np.log2(counts))
