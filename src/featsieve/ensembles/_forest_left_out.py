"""What a forest says of rows that its trees do not know: votes, weights, importance.

Reference: A. Tsymbal, M. Pechenizkiy, P. Cunningham, Dynamic integration with random
forests, ECML 2006, as told in eq. 7.20 to 7.22 of the thesis.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._types import Array, Codes, Floats
from featsieve.engine import derive_seed, run_tasks
from featsieve.ensembles._base import vote_shares
from featsieve.trees.api import Forest

#: Rows for which the answers of all trees are in memory at a time.
ROWS_TOGETHER = 4096

Flags = NDArray[np.uint8]


def vote_counts(labels: Codes, n_classes: int, weights: Any = None) -> Floats:
    """Return the votes for each class of each row; a label of -1 is no vote.

    `labels` and `weights` are of shape (n_trees, n_rows).
    """
    n_rows = labels.shape[1]
    asked = labels >= 0
    cells = (labels + n_classes * np.arange(n_rows))[asked]
    given = None if weights is None else weights[asked]
    counts = np.bincount(cells, weights=given, minlength=n_rows * n_classes)
    return counts.reshape(n_rows, n_classes).astype(np.float64)


def weighted_shares(labels: Codes, weights: Floats, n_classes: int) -> Floats:
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
    return vote_shares(votes, np.nan)


def left_out_votes(forest: Forest, matrix: Floats, left_out: Flags) -> Floats:
    """Return the votes of trees that have not learnt from a row, by classes."""
    n_classes = len(forest.classes or ())
    blocks = _blocks(forest, matrix, left_out)
    return np.concatenate([vote_counts(labels, n_classes) for _, labels in blocks])


def _blocks(
    forest: Forest, matrix: Floats, left_out: Flags | None
) -> Iterator[tuple[slice, Codes]]:
    """Yield some rows, and the answers of trees that do not know them, or of all."""
    for begin in range(0, len(matrix), ROWS_TOGETHER):
        rows = slice(begin, begin + ROWS_TOGETHER)
        known = None
        if left_out is not None:
            known = np.ascontiguousarray(1 - left_out[:, rows])
        yield rows, forest.member_classes(matrix[rows], known)


def left_out_sums(forest: Forest, matrix: Floats, left_out: Flags) -> Floats:
    """Return sums of class shares, or of means, by trees that do not know a row."""
    sums = np.zeros((len(matrix), len(forest.classes or [None])))
    for tree, own in enumerate(left_out):
        rows = np.flatnonzero(own)
        if len(rows):
            sums[rows] += forest.member_shares(matrix[rows], tree)
    return sums


def left_out_outcomes(
    forest: Forest, matrix: Floats, target: Codes, left_out: Flags
) -> NDArray[np.int8]:
    """Return whether each tree is right (1) or wrong (-1) on rows left out of its bag.

    0 for rows of its bag; of shape (n_rows, n_trees).
    """
    outcomes = np.empty((len(matrix), forest.n_trees), dtype=np.int8)
    for rows, labels in _blocks(forest, matrix, None):
        right = labels == target[rows]
        outcomes[rows] = np.where(left_out[:, rows], 2 * right - 1, 0).T
    return outcomes


def dynamic_shares(
    forest: Forest,
    matrix: Floats,
    neighbours: tuple[Any, NDArray[np.int8]],
    n_jobs: int | None,
    left_out: Flags | None = None,
) -> Floats:
    """Return class shares of votes weighted by how well trees do near each row.

    `neighbours` are the leaves of the training rows and what `left_out_outcomes` says
    of them. With `left_out` the rows are the training rows: each is asked of the trees
    that do not know it, weighed without it.
    """
    n_classes = len(forest.classes or ())
    weights = forest.tree_weights(
        matrix, *neighbours, n_jobs, known=left_out is not None
    )
    blocks = _blocks(forest, matrix, left_out)
    return np.concatenate(
        [weighted_shares(labels, weights[at].T, n_classes) for at, labels in blocks]
    )


def ensemble_importance(  # noqa: PLR0917  (as `tree_importance`)
    forest: Forest,
    matrix: Floats,
    target: Array,
    left_out: Flags,
    seed: int,
    n_repeats: int,
    n_jobs: int | None,
) -> Floats:
    """Return the rise of the forest's out-of-bag error when a feature is shuffled.

    The values of the feature change places among all rows; trees that do not test it
    are not asked again.
    """
    uses = forest.uses()
    answers = _member_answers(forest, matrix, range(forest.n_trees))
    before = _forest_error(forest, answers, target, left_out)

    def rise(feature: int) -> float:
        users = np.flatnonzero(uses[:, feature])
        if not len(users):
            return 0.0
        shuffled, changed = matrix.copy(), answers.copy()
        rises = []
        for repeat in range(n_repeats):
            own = derive_seed(seed, "permutation", feature, repeat)
            random = np.random.default_rng(own)
            shuffled[:, feature] = random.permutation(matrix[:, feature])
            changed[users] = _member_answers(forest, shuffled, users.tolist())
            rises.append(_forest_error(forest, changed, target, left_out) - before)
        return float(np.mean(rises))

    tasks = [(feature,) for feature in range(matrix.shape[1])]
    return np.array(run_tasks(rise, tasks, n_jobs=n_jobs, shared_memory=True))


def tree_importance(  # noqa: PLR0917  (as `ensemble_importance`)
    forest: Forest,
    matrix: Floats,
    target: Array,
    left_out: Flags,
    seed: int,
    n_repeats: int,
    n_jobs: int | None,
) -> Floats:
    """Return the mean rise of the error of single trees on their out-of-bag rows.

    Breiman's form: the values of the feature change places among the rows left out of
    the tree's bag. A tree that does not test the feature counts as no rise.
    """
    uses = forest.uses()

    def rises(tree: int) -> Floats:
        unknown = np.flatnonzero(left_out[tree])
        rise = np.zeros(matrix.shape[1])
        if not len(unknown):
            return rise
        own, known = np.ascontiguousarray(matrix[unknown]), target[unknown]
        before = _error(forest, _member_answers(forest, own, [tree])[0], known)
        for feature in np.flatnonzero(uses[tree]).tolist():
            values = own[:, feature].copy()
            for repeat in range(n_repeats):
                shuffle = derive_seed(seed, "permutation", feature, repeat, tree)
                random = np.random.default_rng(shuffle)
                own[:, feature] = random.permutation(values)
                answer = _member_answers(forest, own, [tree])[0]
                rise[feature] += (_error(forest, answer, known) - before) / n_repeats
            own[:, feature] = values
        return rise

    tasks = [(tree,) for tree in range(forest.n_trees)]
    return np.mean(run_tasks(rises, tasks, n_jobs=n_jobs, shared_memory=True), axis=0)


def _member_answers(forest: Forest, matrix: Floats, trees: Any) -> Array:
    if forest.classes is None:
        return forest.member_numbers(matrix, trees)
    return forest.member_classes(matrix, None, trees)


def _error(forest: Forest, answers: Array, target: Array) -> float:
    """Return the share of wrong classes, or the mean squared error."""
    if forest.classes is None:
        return float(np.mean((answers - target) ** 2))
    return float(np.mean(answers != target))


def _forest_error(
    forest: Forest, answers: Array, target: Array, left_out: Flags
) -> float:
    """Return the error of the forest on rows that some tree does not know."""
    times = left_out.sum(axis=0, dtype=np.int64)
    asked = times > 0
    if not asked.any():
        return float("nan")
    if forest.classes is None:
        sums = np.where(left_out, answers, 0.0).sum(axis=0)
        return _error(forest, sums[asked] / times[asked], target[asked])
    labels = np.where(left_out, answers, -1)
    votes = vote_counts(labels, len(forest.classes))
    return _error(forest, votes.argmax(axis=1)[asked], target[asked])
