"""Diversity of pairs of members: who is right where, counted two by two.

For two members, n11 rows are answered correctly by both, n10 by the first only, n01 by
the second only and n00 by neither. Floats of equations are those of J. D. Rogers,
Ensemble Algorithms and Feature Selection, 2007, chapter 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from featsieve._checks import check_choice
from featsieve._docs import described_like
from featsieve._types import Array, Floats, Mask
from featsieve.diversity._margins import raw_margins
from featsieve.diversity._predictions import (
    as_correct_pair,
    check_pair,
    check_predictions,
    class_codes,
)
from featsieve.measures.api import common_row_blocks, common_rows

#: Rows by who is right (n11, n10, n01, n00) as float64; of one pair or of many.
PairCounts = tuple[Floats, Floats, Floats, Floats]


def pair_counts(common: Array, first: Array, second: Array, n_rows: int) -> PairCounts:
    """Return counts from rows both answer correctly, and rows each of them does."""
    both = np.asarray(common, dtype=np.float64)
    return both, first - both, second - both, n_rows - first - second + both


def _divide(above: Floats, below: Floats, otherwise: float = 0.0) -> Floats:
    result: Floats = np.full(np.shape(below), otherwise)
    np.divide(above, below, out=result, where=below != 0)
    return result


def kappa_of(agreed: Floats, chance: Floats) -> Floats:
    """Return agreement beyond chance (3.20); 1 where chance alone gives 1."""
    return _divide(agreed - chance, 1 - chance, 1.0)


def _kappa(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    n = a + b + c + d
    return kappa_of((a + d) / n, ((a + b) * (a + c) + (d + c) * (d + b)) / n**2)


def _error_correlation(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    right, wrong = (a + b) * (a + c), (d + c) * (d + b)
    return _divide(a * d - b * c, np.sqrt(right) * np.sqrt(wrong))


#: What depends on the four counts only: both right, the first, the second, neither.
MEASURES: dict[str, Callable[[Floats, Floats, Floats, Floats], Floats]] = {
    "q_statistic": lambda a, b, c, d: _divide(a * d - b * c, a * d + b * c),
    "kappa": _kappa,
    "agreement": lambda a, b, c, d: (a + d) / (a + b + c + d),
    "disagreement": lambda a, b, c, d: (b + c) / (a + b + c + d),
    "double_fault": lambda a, b, c, d: d / (a + b + c + d),
    "coincident_failure": lambda a, b, c, d: _divide(2 * d, b + c + 2 * d),  # noqa: ARG005
    "error_correlation": _error_correlation,
}
#: What needs more than who is right.
OTHERS = ("label_agreement", "label_kappa", "raw_margin_correlation")


def _one_pair(name: str, first: ArrayLike, second: ArrayLike) -> float:
    a, b = as_correct_pair(first, second)
    common = np.array(np.count_nonzero(a & b))
    sizes = np.array(np.count_nonzero(a)), np.array(np.count_nonzero(b))
    return float(MEASURES[name](*pair_counts(common, *sizes, len(a))))


def q_statistic(first: ArrayLike, second: ArrayLike) -> float:
    """Return Yule's Q of two members: +1 for failing together, -1 for taking turns.

    Q = (n11 n00 - n10 n01) / (n11 n00 + n10 n01), equation 3.21. It is 0 for members
    that fail independently, whatever their accuracy, and 0 by convention where it is
    0/0, for instance when a member is never wrong.

    Parameters
    ----------
    first, second : array-like of bool of shape (n_rows,)
        In which rows each member is right.

    Returns
    -------
    float
        From -1 to 1.

    Examples
    --------
    >>> from featsieve.diversity import q_statistic
    >>> first = [1, 1, 1, 0, 0, 1, 1, 0, 1, 1]
    >>> second = [1, 1, 0, 1, 0, 1, 0, 1, 1, 1]
    >>> round(q_statistic(first, second), 6)  # (5 * 1 - 2 * 2) / (5 * 1 + 2 * 2)
    0.111111
    """
    return _one_pair("q_statistic", first, second)


def kappa(first: ArrayLike, second: ArrayLike) -> float:
    """Return how much two members agree beyond chance.

    kappa = (agreement - chance) / (1 - chance), equation 3.20; 1 if chance alone makes
    them agree always. Chance is that of two members who answer independently with the
    frequencies of these two.

    Parameters
    ----------
    first, second : array-like of shape (n_rows,)
        In which rows each member is right (equation 3.19), or the classes they predict,
        as Margineantu and Dietterich use it.

    Returns
    -------
    float
        1 for equal answers, 0 for chance, negative below.

    Examples
    --------
    >>> from featsieve.diversity import kappa
    >>> first = [1, 1, 1, 0, 0, 1, 1, 0, 1, 1]
    >>> second = [1, 1, 0, 1, 0, 1, 0, 1, 1, 1]
    >>> round(kappa(first, second), 6)  # (0.6 - 0.58) / (1 - 0.58)
    0.047619
    """
    a, b = check_pair(first, second)
    a, b, n_classes = class_codes(a[np.newaxis], b)
    shares = [
        np.bincount(each.ravel(), minlength=n_classes) / b.size for each in (a, b)
    ]
    agreed = np.array(np.mean(a[0] == b))
    return float(kappa_of(agreed, np.array(np.sum(shares[0] * shares[1]))))


@described_like(q_statistic)
def agreement(first: ArrayLike, second: ArrayLike) -> float:
    """Return the share of rows in which two members are both right or both wrong.

    Equation 3.18, (n11 + n00) / N.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> from featsieve.diversity import agreement
    >>> agreement([1, 1, 0, 0], [1, 0, 0, 0])
    0.75
    """
    return _one_pair("agreement", first, second)


@described_like(agreement)
def disagreement(first: ArrayLike, second: ArrayLike) -> float:
    """Return the share of rows in which one of two members is right and one wrong.

    Examples
    --------
    >>> from featsieve.diversity import disagreement
    >>> disagreement([1, 1, 0, 0], [1, 0, 0, 0])
    0.25
    """
    return _one_pair("disagreement", first, second)


@described_like(agreement)
def double_fault(first: ArrayLike, second: ArrayLike) -> float:
    """Return the share of rows in which both of two members are wrong.

    Examples
    --------
    >>> from featsieve.diversity import double_fault
    >>> double_fault([1, 1, 0, 0], [1, 0, 0, 0])
    0.5
    """
    return _one_pair("double_fault", first, second)


@described_like(q_statistic)
def error_correlation(first: ArrayLike, second: ArrayLike) -> float:
    """Return Pearson's correlation of the errors of two members.

    Equation 3.13 with the square root that is missing in print; 0 if a member is always
    right or always wrong.

    Examples
    --------
    >>> from featsieve.diversity import error_correlation
    >>> round(error_correlation([1, 1, 0, 0], [1, 0, 0, 0]), 6)
    0.57735
    """
    return _one_pair("error_correlation", first, second)


def pairwise_diversity(
    predictions: ArrayLike,
    y: ArrayLike,
    *,
    measure: str = "q_statistic",
    n_jobs: int | None = None,
) -> Floats:
    """Compare every two members of an ensemble.

    Rows are packed into bits and counted by the processor's widest instructions, so
    that a thousand members on a hundred thousand rows take a fraction of a second.

    Parameters
    ----------
    predictions : array-like of shape (n_members, n_rows)
        The class that each member predicts, as ``ensemble.member_predict(X)`` gives it.
    y : array-like of shape (n_rows,)
        The true class, in the same code. To compare members of whom only right and
        wrong is known, pass that as `predictions` and ones as `y`.
    measure : str, default="q_statistic"
        ``"q_statistic"``, ``"kappa"``, ``"agreement"``, ``"disagreement"``,
        ``"double_fault"``, ``"coincident_failure"`` or ``"error_correlation"`` of who
        is right; ``"label_agreement"`` or ``"label_kappa"`` of what they say;
        ``"raw_margin_correlation"``.
    n_jobs : int or None, default=None
        Jobs at a time.

    Returns
    -------
    ndarray of float64 of shape (n_members, n_members)
        Symmetric. The diagonal holds the measure of a member with itself.

    See Also
    --------
    diversity_report : The means of all of these, without the matrices.

    Notes
    -----
    Memory: 8 bytes per pair, and half a byte per member and row.

    Examples
    --------
    >>> from featsieve.diversity import pairwise_diversity
    >>> predictions = [[0, 1, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0]]
    >>> y = [0, 1, 1, 1]
    >>> pairwise_diversity(predictions, y, measure="disagreement")
    array([[0.  , 0.25, 0.5 ],
           [0.25, 0.  , 0.75],
           [0.5 , 0.75, 0.  ]])
    """
    check_choice("measure", measure, (*MEASURES, *OTHERS), "pairwise_diversity")
    answers, truth = check_predictions(predictions, y)
    n_rows = len(truth)
    if measure in MEASURES:
        common = common_rows(answers == truth, n_jobs=n_jobs)
        sizes = np.diagonal(common).astype(np.float64)
        counts = pair_counts(common, sizes[:, np.newaxis], sizes, n_rows)
        return MEASURES[measure](*counts)
    if measure == "raw_margin_correlation":
        return _margin_correlations(answers, truth, n_jobs)
    agreed, chance = _label_agreement(answers, truth, n_jobs)
    return agreed if measure == "label_agreement" else kappa_of(agreed, chance)


def _label_agreement(
    answers: Array, truth: Array, n_jobs: int | None
) -> tuple[Floats, Floats]:
    """Return how often every two members say the same, and would by chance."""
    codes, _, n_classes = class_codes(answers, truth)
    n_members, n_rows = codes.shape
    agreed = np.zeros((n_members, n_members))
    chance = np.zeros((n_members, n_members))
    for label in range(n_classes):
        says = codes == label
        share = np.count_nonzero(says, axis=1) / n_rows
        if share.any():
            agreed += common_rows(says, n_jobs=n_jobs)
            chance += np.outer(share, share)
    return agreed / n_rows, chance


def _margin_correlations(answers: Array, truth: Array, n_jobs: int | None) -> Floats:
    raw = raw_margins(answers, truth)
    n_members, n_rows = raw.shape
    common = common_rows(np.concatenate([raw > 0, raw < 0]), n_jobs=n_jobs)
    parts = common.reshape(2, n_members, 2, n_members).astype(np.float64)
    products = parts[0, :, 0] + parts[1, :, 1] - parts[0, :, 1] - parts[1, :, 0]
    means = raw.mean(axis=1, dtype=np.float64)
    covariance = products / n_rows - np.outer(means, means)
    deviation = np.sqrt(np.diagonal(covariance))
    return _divide(covariance, np.outer(deviation, deviation))


def pair_count_blocks(
    correct: Mask, n_jobs: int | None
) -> Iterator[tuple[PairCounts, Mask]]:
    """Yield counts of blocks of pairs, and which of them are pairs of two members.

    Together they hold every unordered pair once; no block holds more than a few sets
    against all.
    """
    n_members, n_rows = correct.shape
    sizes = np.count_nonzero(correct, axis=1).astype(np.float64)
    for begin, common in common_row_blocks(correct, n_jobs=n_jobs):
        own = sizes[begin : begin + len(common), np.newaxis]
        counts = pair_counts(common, own, sizes[begin:], n_rows)
        later = np.arange(n_members - begin) > np.arange(len(common))[:, np.newaxis]
        yield counts, later


@described_like(pairwise_diversity)
def kappa_error(
    predictions: ArrayLike, y: ArrayLike, *, n_jobs: int | None = None
) -> tuple[Floats, Floats]:
    """Return the points of a kappa-error diagram, one per pair of members.

    Pairs at the lower left are accurate and differ; a cloud that leans on the right
    edge is many copies of one opinion.

    Returns
    -------
    kappa : ndarray of float64 of shape (n_pairs,)
        Agreement of the two members beyond chance, on the classes they predict.
    error : ndarray of float64 of shape (n_pairs,)
        Mean error of the two.

    References
    ----------
    D. D. Margineantu, T. G. Dietterich, Pruning adaptive boosting, ICML 1997.

    Examples
    --------
    >>> from featsieve.diversity import kappa_error
    >>> kappas, errors = kappa_error([[0, 1, 1, 0], [0, 1, 0, 0]], [0, 1, 1, 1])
    >>> kappas.tolist(), errors.tolist()
    ([0.5], [0.375])
    """
    answers, truth = check_predictions(predictions, y)
    kappas = kappa_of(*_label_agreement(answers, truth, n_jobs))
    errors = np.mean(answers != truth, axis=1)
    first, second = np.triu_indices(len(answers), k=1)
    return kappas[first, second], (errors[first] + errors[second]) / 2
