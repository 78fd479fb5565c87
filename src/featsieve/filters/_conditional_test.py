"""Test whether features tell anything once other features are known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from featsieve.filters._tuple_gains import TupleGains
from featsieve.measures import symmetrical_uncertainty

__all__ = ["conditional_p_value", "conditioning_set"]

#: Draws of one test; enough to reject at a level of 0.05 shared by twenty sets.
MOST_DRAWS = 999
STOP_AFTER = 20

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
    for k in np.argsort(-np.array(likeness), kind="stable").tolist():
        wider = (*chosen, others[k])
        n_cells = int(gains.cells((*wider, *features)).max(initial=-1)) + 1
        if n_cells * ROWS_PER_CELL <= len(gains.classes):
            chosen = wider
    return chosen


def conditional_p_value(
    gains: TupleGains, features: tuple[int, ...], given: tuple[int, ...], seed: int
) -> float:
    """Test that `features` tell nothing about the class beyond `given`.

    The class is permuted inside the cells of the given features, which keeps what they
    tell and breaks all else; exact, and stopped early where the answer is no.
    """
    random = np.random.default_rng(seed)
    cells = gains.cells(given)
    joint = gains.cells((*given, *features))
    # Left out where missing values are ignored; otherwise missing is a level.
    known = joint >= 0
    cells, joint, classes = cells[known], joint[known], gains.classes[known]
    if len(classes) > MOST_ROWS:
        rows = random.choice(len(classes), MOST_ROWS, replace=False)
        cells, joint, classes = cells[rows], joint[rows], classes[rows]
    order = np.argsort(cells, kind="stable")
    cells, joint, classes = cells[order], joint[order], classes[order]
    n_classes = int(classes.max(initial=0)) + 1
    observed = _information(joint, classes, n_classes)
    reached = 0
    for draw in range(1, MOST_DRAWS + 1):
        shuffled = classes[np.lexsort((random.random(len(classes)), cells))]
        reached += _information(joint, shuffled, n_classes) >= observed - 1e-9
        if reached >= STOP_AFTER:
            return reached / draw
    return (reached + 1) / (MOST_DRAWS + 1)


def _information(
    joint: NDArray[np.int32], classes: NDArray[np.int32], n_classes: int
) -> float:
    """Return Σ c log2 c over the cells: all of the gain that permuting can change."""
    counts = np.bincount(joint.astype(np.int64) * n_classes + classes)
    counts = counts[counts > 1]
    return float(counts @ np.log2(counts))
