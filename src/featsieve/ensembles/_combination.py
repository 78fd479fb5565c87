"""From the answers of experts to one class: the max rule with its tie-breaks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["NONE", "best_answer", "combine_answers"]

#: The code of "every expert says other".
NONE = -1


def best_answer(
    scores: NDArray[np.float64], nearness: NDArray[np.float64] | None
) -> NDArray[np.int64]:
    """Return for each row the column with the greatest score; nearness breaks ties.

    Of columns equal in both the first is taken.
    """
    if nearness is None:
        nearness = np.zeros_like(scores)
    tied = scores == scores.max(axis=1, keepdims=True)
    best: NDArray[np.int64] = np.argmax(np.where(tied, nearness, -np.inf), axis=1)
    return best


def combine_answers(
    answers: NDArray[np.int64],
    scores: NDArray[np.float64],
    nearness: NDArray[np.float64] | None,
    other: int,
    *,
    lots: NDArray[np.uint64] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the class of each row by the max rule, and the expert it is from.

    Answers "other" are dropped, however sure; of the rest the one with the greatest
    score wins, ties by the greatest nearness (figures 6.3 and 6.4 of the thesis; the
    search over all tied subsets that the second describes finds the same). Ties that
    remain go to the first expert, or by lot.

    Parameters
    ----------
    answers : ndarray of int64 of shape (n_rows, n_experts)
        The class each expert says.
    scores : ndarray of float64 of shape (n_rows, n_experts)
        How sure it is.
    nearness : ndarray of float64 of shape (n_rows, n_experts) or None
        Sum of reciprocal distances of the neighbours behind an answer.
    other : int
        The code of "other".
    lots : ndarray of uint64 of shape (n_rows,) or None
        Lots that break the ties that remain; None takes the first expert.

    Returns
    -------
    classes, experts : ndarray of int64 of shape (n_rows,)
        Both -1 where every expert says "other".
    """
    said = answers != other
    best = np.where(said, scores, -np.inf)
    tied = said & (best == best.max(axis=1, keepdims=True))
    if nearness is not None:
        near = np.where(tied, nearness, -np.inf)
        tied &= near == near.max(axis=1, keepdims=True)
    if lots is None:
        experts = np.argmax(tied, axis=1)
    else:
        count = np.maximum(tied.sum(axis=1), 1).astype(np.uint64)
        wanted = (lots % count).astype(np.int64)
        experts = np.argmax(tied & (tied.cumsum(axis=1) == wanted[:, None] + 1), axis=1)
    rows = np.arange(len(answers))
    found = said.any(axis=1)
    classes = np.where(found, answers[rows, experts], NONE)
    return classes, np.where(found, experts, NONE)
