"""How much worse a forest does on rows it does not know when a feature is shuffled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve.engine import derive_seed, run_tasks
from featsieve.ensembles._forest_votes import vote_counts
from featsieve.trees._forest import Forest

__all__ = ["UnknownRows", "ensemble_importance", "permutation_seeds", "tree_importance"]

Matrix = NDArray[np.float64]
Flags = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class UnknownRows:
    """Training rows, and which of them each tree does not know."""

    matrix: Matrix
    target: NDArray[Any]
    left_out: Flags


def ensemble_importance(
    forest: Forest,
    rows: UnknownRows,
    seeds: Callable[..., int],
    n_repeats: int,
    n_jobs: int | None,
) -> Matrix:
    """Return the rise of the forest's out-of-bag error when a feature is shuffled.

    The values of the feature change places among all rows; trees that do not test it
    are not asked again.
    """
    matrix, uses = rows.matrix, forest.uses()
    answers = _member_answers(forest, matrix, range(forest.n_trees))
    before = _forest_error(forest, answers, rows)

    def rise(feature: int) -> float:
        users = np.flatnonzero(uses[:, feature])
        if not len(users):
            return 0.0
        shuffled, changed = matrix.copy(), answers.copy()
        rises = []
        for repeat in range(n_repeats):
            random = np.random.default_rng(seeds(feature, repeat))
            shuffled[:, feature] = random.permutation(matrix[:, feature])
            changed[users] = _member_answers(forest, shuffled, users.tolist())
            rises.append(_forest_error(forest, changed, rows) - before)
        return float(np.mean(rises))

    tasks = [(feature,) for feature in range(matrix.shape[1])]
    return np.array(run_tasks(rise, tasks, n_jobs=n_jobs, shared_memory=True))


def tree_importance(
    forest: Forest,
    rows: UnknownRows,
    seeds: Callable[..., int],
    n_repeats: int,
    n_jobs: int | None,
) -> Matrix:
    """Return the mean rise of the error of single trees on their out-of-bag rows.

    Breiman's form: the values of the feature change places among the rows left out of
    the tree's bag. A tree that does not test the feature counts as no rise.
    """
    matrix, uses = rows.matrix, forest.uses()
    n_features = matrix.shape[1]

    def rises(tree: int) -> Matrix:
        unknown = np.flatnonzero(rows.left_out[tree])
        rise = np.zeros(n_features)
        if not len(unknown):
            return rise
        own, known = np.ascontiguousarray(matrix[unknown]), rows.target[unknown]
        before = _error(forest, _member_answers(forest, own, [tree])[0], known)
        for feature in np.flatnonzero(uses[tree]).tolist():
            values = own[:, feature].copy()
            for repeat in range(n_repeats):
                random = np.random.default_rng(seeds(feature, repeat, tree))
                own[:, feature] = random.permutation(values)
                answer = _member_answers(forest, own, [tree])[0]
                rise[feature] += (_error(forest, answer, known) - before) / n_repeats
            own[:, feature] = values
        return rise

    tasks = [(tree,) for tree in range(forest.n_trees)]
    every = run_tasks(rises, tasks, n_jobs=n_jobs, shared_memory=True)
    mean: Matrix = np.mean(every, axis=0)
    return mean


def permutation_seeds(seed: int) -> Callable[..., int]:
    """Return the seed of each shuffle, by what is shuffled."""
    return lambda *content: derive_seed(seed, "permutation", *content)


def _member_answers(forest: Forest, matrix: Matrix, trees: Any) -> NDArray[Any]:
    if forest.classes is None:
        return forest.member_numbers(matrix, trees)
    return forest.member_classes(matrix, None, trees)


def _error(forest: Forest, answers: NDArray[Any], target: NDArray[Any]) -> float:
    """Return the share of wrong classes, or the mean squared error."""
    if forest.classes is None:
        return float(np.mean((answers - target) ** 2))
    return float(np.mean(answers != target))


def _forest_error(forest: Forest, answers: NDArray[Any], rows: UnknownRows) -> float:
    """Return the error of the forest on rows that some tree does not know."""
    target, left_out = rows.target, rows.left_out
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
