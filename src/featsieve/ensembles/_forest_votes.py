"""From what single trees say to what the forest says: votes, weights, out-of-bag.

Reference: A. Tsymbal, M. Pechenizkiy, P. Cunningham, Dynamic integration with random
forests, ECML 2006, as told in eq. 7.20 to 7.22 of the thesis.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve.trees._forest import Forest

__all__ = [
    "dynamic_shares",
    "left_out_outcomes",
    "left_out_sums",
    "left_out_votes",
    "shares_of",
    "vote_counts",
    "weighted_shares",
]

#: Rows for which the answers of all trees are in memory at a time.
ROWS_TOGETHER = 4096

Matrix = NDArray[np.float64]
Labels = NDArray[np.int32]
Flags = NDArray[np.uint8]


def vote_counts(labels: Labels, n_classes: int, weights: Any = None) -> Matrix:
    """Return the votes for each class of each row; a label of -1 is no vote.

    `labels` and `weights` are of shape (n_trees, n_rows).
    """
    n_rows = labels.shape[1]
    asked = labels >= 0
    cells = (labels + n_classes * np.arange(n_rows))[asked]
    given = None if weights is None else weights[asked]
    counts = np.bincount(cells, weights=given, minlength=n_rows * n_classes)
    return counts.reshape(n_rows, n_classes).astype(np.float64)


def weighted_shares(labels: Labels, weights: Matrix, n_classes: int) -> Matrix:
    """Return class shares of votes with weights that may be negative.

    A tree of negative weight is wrong more often than right near the row: it votes, by
    the size of its weight, for every class but the one it predicts. With two classes
    that is the sign of eq. 7.22; with any number, the class of the greatest share is
    the one of the greatest sum of weights. Without any weight votes count alike.
    """
    votes_for = vote_counts(labels, n_classes, np.maximum(weights, 0))
    against = vote_counts(labels, n_classes, np.maximum(-weights, 0))
    votes = votes_for + (against.sum(axis=1, keepdims=True) - against)
    silent = ~(votes.sum(axis=1) > 0)
    if silent.any():
        votes[silent] = vote_counts(labels[:, silent], n_classes)
    return shares_of(votes)


def shares_of(votes: Matrix) -> Matrix:
    """Return votes as shares; NaN for rows without any."""
    total = votes.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        shares: Matrix = votes / total
    return shares


def left_out_votes(forest: Forest, matrix: Matrix, left_out: Flags) -> Matrix:
    """Return the votes of trees that have not learnt from a row, by classes."""
    blocks = []
    for begin in range(0, len(matrix), ROWS_TOGETHER):
        rows = slice(begin, begin + ROWS_TOGETHER)
        labels = forest.member_classes(
            matrix[rows], np.ascontiguousarray(1 - left_out[:, rows])
        )
        blocks.append(vote_counts(labels, len(forest.classes or ())))
    return np.concatenate(blocks)


def left_out_sums(forest: Forest, matrix: Matrix, left_out: Flags) -> Matrix:
    """Return sums of class shares by trees that have not learnt from a row."""
    sums = np.zeros((len(matrix), len(forest.classes or ())))
    for tree, own in enumerate(left_out):
        rows = np.flatnonzero(own)
        if len(rows):
            sums[rows] += forest.member_shares(matrix[rows], tree)
    return sums


def left_out_outcomes(
    forest: Forest, matrix: Matrix, target: Labels, left_out: Flags
) -> NDArray[np.int8]:
    """Return whether each tree is right (1) or wrong (-1) on rows left out of its bag.

    0 for rows of its bag; of shape (n_rows, n_trees).
    """
    outcomes = np.empty((len(matrix), forest.n_trees), dtype=np.int8)
    for begin in range(0, len(matrix), ROWS_TOGETHER):
        rows = slice(begin, begin + ROWS_TOGETHER)
        right = forest.member_classes(matrix[rows]) == target[rows]
        outcomes[rows] = np.where(left_out[:, rows], 2 * right - 1, 0).T
    return outcomes


def dynamic_shares(
    forest: Forest,
    matrix: Matrix,
    neighbours: tuple[Any, NDArray[np.int8]],
    n_jobs: int | None,
    left_out: Flags | None = None,
) -> Matrix:
    """Return class shares of votes weighted by how well trees do near each row.

    `neighbours` are the leaves of the training rows and what `left_out_outcomes` says
    of them. With `left_out` the rows are the training rows: each is asked of the trees
    that do not know it, weighed without it.
    """
    n_classes = len(forest.classes or ())
    weights = forest.tree_weights(
        matrix, *neighbours, n_jobs, known=left_out is not None
    )
    blocks = []
    for begin in range(0, len(matrix), ROWS_TOGETHER):
        rows = slice(begin, begin + ROWS_TOGETHER)
        known = (
            None if left_out is None else np.ascontiguousarray(1 - left_out[:, rows])
        )
        labels = forest.member_classes(matrix[rows], known)
        blocks.append(weighted_shares(labels, weights[rows].T, n_classes))
    return np.concatenate(blocks)
