"""Diversity of all members together: how their votes spread over every row."""

from __future__ import annotations

import reprlib

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from featsieve._checks import check_numbers
from featsieve._docs import described_like
from featsieve._types import Codes, Floats, Ints
from featsieve.diversity._predictions import check_correct, check_matrix, class_codes
from featsieve.exceptions import DataError


def count_votes(codes: Codes, n_classes: int) -> Ints:
    """Return how many members vote for every class, of shape (n_rows, n_classes)."""
    labels = range(n_classes)
    return np.stack([np.count_nonzero(codes == k, axis=0) for k in labels], axis=1)


def coincident_failure(correct: ArrayLike) -> float:
    """Return how much members fail together (equations 3.22 and 3.23).

    T n0 / (N - n0 - n1 + T n0) for T members, of whom all are wrong in n0 of N rows and
    all are right in n1. For two members that is 2 n00 / (n10 + n01 + 2 n00).

    Parameters
    ----------
    correct : array-like of bool of shape (n_members, n_rows)
        In which rows each member is right.

    Returns
    -------
    float
        0 if no row fails all members, also if none ever fails; 1 if failures are always
        shared by all.

    Examples
    --------
    >>> from featsieve.diversity import coincident_failure
    >>> coincident_failure([[1, 1, 0, 0, 1], [1, 0, 0, 1, 1], [1, 1, 0, 1, 0]])
    0.5
    """
    flags = check_correct(correct)
    n_members, n_rows = flags.shape
    right = np.count_nonzero(flags, axis=0)
    none, every = np.count_nonzero(right == 0), np.count_nonzero(right == n_members)
    failures = n_rows - none - every + n_members * none
    return float(n_members * none / failures) if failures else 0.0


def coincident_failure_diversity(correct: ArrayLike) -> float:
    """Return Partridge and Krzanowski's coincident failure diversity.

    Of the rows in which somebody fails, the mean of (T - wrong) / (T - 1).

    Parameters
    ----------
    correct : array-like of bool of shape (n_members, n_rows)
        As in `coincident_failure`; at least two members.

    Returns
    -------
    float
        1 if no two members fail together, 0 if they always do or nobody ever fails.

    Examples
    --------
    >>> from featsieve.diversity import coincident_failure_diversity
    >>> correct = [[1, 1, 0, 0, 1], [1, 0, 0, 1, 1], [1, 1, 0, 1, 0]]
    >>> coincident_failure_diversity(correct)
    0.75
    """
    flags = check_correct(correct)
    n_members = len(flags)
    if n_members < 2:
        message = "coincident_failure_diversity needs two members or more. Got one."
        raise DataError(message)
    wrong = n_members - np.count_nonzero(flags, axis=0)
    wrong = wrong[wrong > 0]
    return float(np.mean((n_members - wrong) / (n_members - 1))) if len(wrong) else 0.0


def vote_entropy(predictions: ArrayLike) -> Floats:
    """Return the entropy of the votes for every row, in bits (equation 3.26).

    Parameters
    ----------
    predictions : array-like of shape (n_members, n_rows)
        The class that each member predicts.

    Returns
    -------
    ndarray of float64 of shape (n_rows,)
        0 where all members agree.

    Examples
    --------
    >>> from featsieve.diversity import vote_entropy
    >>> vote_entropy([[0, 1], [0, 1], [0, 0]]).round(6).tolist()
    [0.0, 0.918296]
    """
    answers = np.asarray(predictions)
    some = answers.ndim == 2 and len(answers)
    codes, _, n_classes = class_codes(answers, answers[0] if some else ())
    return entropy_of_votes(count_votes(codes, n_classes))


def entropy_of_votes(votes: Ints) -> Floats:
    """Return the entropy of each row of counts, in bits."""
    return stats.entropy(votes, base=2, axis=1)


@described_like(coincident_failure)
def correctness_entropy(correct: ArrayLike) -> Floats:
    """Return how evenly members are right and wrong in every row (equation 3.27).

    min(right, wrong) / floor(T / 2): called an entropy by Kuncheva and Whitaker.

    Returns
    -------
    ndarray of float64 of shape (n_rows,)
        From 0, all alike, to 1; all zeros for a single member.

    Examples
    --------
    >>> from featsieve.diversity import correctness_entropy
    >>> correctness_entropy([[1, 1, 0], [1, 0, 0], [1, 1, 0]]).tolist()
    [0.0, 1.0, 0.0]
    """
    flags = check_correct(correct)
    right = np.count_nonzero(flags, axis=0)
    fewer = np.minimum(right, len(flags) - right)
    return fewer / max(1, len(flags) // 2)


@described_like(coincident_failure)
def kohavi_wolpert_variance(correct: ArrayLike) -> float:
    """Return the variance of being right over members, averaged over rows.

    Mean of right · wrong / T²; it is (T - 1) / (2 T) of the mean disagreement of pairs.

    Returns
    -------
    float
        From 0 to 0.25.

    Examples
    --------
    >>> from featsieve.diversity import kohavi_wolpert_variance
    >>> round(kohavi_wolpert_variance([[1, 1, 0], [1, 0, 0], [1, 1, 0]]), 6)
    0.074074
    """
    flags = check_correct(correct)
    right = np.count_nonzero(flags, axis=0) / len(flags)
    return float(np.mean(right * (1 - right)))


@described_like(coincident_failure)
def sharkey_type(correct: ArrayLike) -> int:
    """Return the type of diversity after Sharkey and Sharkey, from 1 (best) to 4.

    1: no two members are ever wrong together, and somebody is always right. 2: some
    are, but the majority is always right. 3: somebody is always right, but not always
    the majority. 4: in some rows nobody is right.

    Returns
    -------
    int
        1, 2, 3 or 4.

    Examples
    --------
    >>> from featsieve.diversity import sharkey_type
    >>> sharkey_type([[1, 1, 0], [1, 0, 1], [1, 1, 1]])
    1
    >>> sharkey_type([[1, 1, 0], [1, 1, 0], [0, 1, 1]])
    3
    """
    flags = check_correct(correct)
    n_members = len(flags)
    right = np.count_nonzero(flags, axis=0)
    if (right == 0).any():
        return 4
    if (n_members - right <= 1).all():
        return 1
    return 2 if (2 * right > n_members).all() else 3


def ambiguity(outputs: ArrayLike, member_weights: ArrayLike | None = None) -> Floats:
    """Return how far members lie from their mean in every row (equation 3.3).

    The weighted mean of (h - H)², where H is the weighted mean of the outputs h. The
    squared error of H is the mean squared error of the members less this.

    Parameters
    ----------
    outputs : array-like of float of shape (n_members, n_rows)
        Numbers that the members predict: probabilities, or -1 and 1 for two classes.
    member_weights : array-like of float of shape (n_members,) or None, default=None
        Weight of each member, scaled to sum to 1; None for equal weights.

    Returns
    -------
    ndarray of float64 of shape (n_rows,)
        0 where all members agree.

    References
    ----------
    A. Krogh, J. Vedelsby, Neural network ensembles, cross validation, and active
    learning, NIPS 1995.

    Examples
    --------
    >>> from featsieve.diversity import ambiguity
    >>> ambiguity([[1, 1], [1, -1], [1, -1], [1, 1]]).tolist()
    [0.0, 1.0]
    """
    values = check_matrix("outputs", check_numbers("outputs", outputs, "ambiguity"))
    shares = np.ones(len(values))
    if member_weights is not None:
        shares = check_numbers("member_weights", member_weights, "ambiguity")
    wrong = shares.shape != (len(values),) or not np.isfinite(shares).all()
    if wrong or not shares.sum() > 0 or shares.min() < 0:
        raise DataError(
            f"member_weights must be {len(values)} finite numbers >= 0, one per "
            f"member, not all zero. Got {reprlib.repr(member_weights)}."
        )
    shares = shares / shares.sum()
    return shares @ (values - shares @ values) ** 2


@described_like(vote_entropy)
def member_ambiguity(
    predictions: ArrayLike, combined: ArrayLike | None = None
) -> Floats:
    """Return how often each member disagrees with the ensemble (equation 3.24).

    Parameters
    ----------
    combined : array-like of shape (n_rows,) or None, default=None
        What the ensemble predicts; None for the majority of the members, the first of
        equals.

    Returns
    -------
    ndarray of float64 of shape (n_members,)
        Share of the rows in which the member says something else.

    Examples
    --------
    >>> from featsieve.diversity import member_ambiguity
    >>> member_ambiguity([[0, 1, 1, 0], [0, 1, 0, 0], [1, 1, 0, 0]]).tolist()
    [0.25, 0.0, 0.25]
    """
    answers = np.asarray(predictions)
    truth = combined
    if combined is None:
        truth = answers[0] if answers.ndim == 2 and len(answers) else ()
    codes, ensemble, n_classes = class_codes(answers, truth)
    if combined is None:
        ensemble = count_votes(codes, n_classes).argmax(axis=1).astype(np.int32)
    return np.mean(codes != ensemble, axis=1)
