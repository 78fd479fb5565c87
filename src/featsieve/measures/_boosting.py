"""What boosting optimises, as a measure of columns: Sebban and Nock's criterion Z."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve._checks import check_choice, check_integer, check_numbers
from featsieve._kernels import ConflictScope, NeighbourScanner, NeighbourVote
from featsieve.measures._codes import as_target
from featsieve.measures._columns import Columns, read_columns
from featsieve.measures._neighbours import as_subsets, lay_out_columns

__all__ = [
    "CONFLICTS",
    "VOTES",
    "BoostingRounds",
    "boosting_rounds",
    "boosting_z",
    "check_rounds",
    "least_boosting_z",
]

VOTES = {"real": NeighbourVote.REAL, "sign": NeighbourVote.SIGN}

CONFLICTS = {
    None: ConflictScope.NONE,
    "rounds": ConflictScope.ROUNDS,
    "rounds_and_criterion": ConflictScope.ROUNDS_AND_CRITERION,
}


@dataclass(frozen=True, slots=True, eq=False)
class BoostingRounds:
    """What every round of boosting did, for one class against the others.

    Parameters
    ----------
    positive : int
        The class that was told from the others.
    correlations : ndarray of shape (n_rounds,) or (n_rounds + 1,)
        r of every round: how well the votes go with the labels under the weights. The
        last one ended the rounds if it is 0 or less.
    confidences : ndarray of shape (n_rounds,)
        α of every round that counts.
    criterion : ndarray of shape (n_rounds,)
        Z after every round that counts.
    weights : ndarray of shape (n_rows,)
        Weights of the rows in the end; their sum is 1.
    margins : ndarray of shape (n_rows,)
        F = Σ α h of the rows.

    Examples
    --------
    >>> from featsieve.measures import boosting_rounds
    >>> (rounds,) = boosting_rounds([[0], [1], [5], [6]], [0, 0, 1, 1], n_neighbors=1)
    >>> rounds.correlations[0], rounds.positive
    (np.float64(1.0), 1)
    """

    positive: int
    correlations: NDArray[np.float64]
    confidences: NDArray[np.float64]
    criterion: NDArray[np.float64]
    weights: NDArray[np.float64]
    margins: NDArray[np.float64]


def boosting_z(
    columns: Any,
    target: ArrayLike,
    *,
    n_rounds: int = 50,
    n_neighbors: int = 3,
    vote: str = "real",
    conflict: str | None = None,
    nominal: Any = None,
    scale: bool = True,
    leave_one_out: bool = True,
) -> float:
    """Return how far boosted nearest neighbours in all columns are from the classes.

    AdaBoost (Schapire and Singer's, for votes from -1 to 1) of the votes of nearest
    neighbours: Z is the mean of exp(-y F(x)) over the rows after the last round. It is
    1 for columns that tell nothing, and 0 for columns that tell everything. Of several
    classes each is told from the others, and the Z are averaged.

    Parameters
    ----------
    columns : array-like of shape (n_rows, n_features), or list of arrays
        Numbers with NaN for missing; where `nominal` says so, integer codes with
        negative for missing. A list of one-dimensional arrays is taken as columns.
    target : array-like of shape (n_rows,)
        Integer class codes, 0 or more.
    n_rounds : int, default=50
        Rounds at most; they end early when the votes go with the labels no more.
    n_neighbors : int, default=3
        Neighbours that vote; all rows as near as the last of them vote too.
    vote : {"real", "sign"}, default="real"
        The weighted mean label of the neighbours, or its sign (0 on a tie).
    conflict : {None, "rounds", "rounds_and_criterion"}, default=None
        Rows weigh less in the rounds, or in the rounds and the criterion, the more the
        labels of rows with equal values contradict each other: by
        ``|n⁺ - n⁻| / (n⁺ + n⁻)``.
    nominal : "all", mask of shape (n_features,) or None, default=None
        Which columns hold codes.
    scale : bool, default=True
        Divide numbers by their standard deviation.
    leave_one_out : bool, default=True
        A row is no neighbour of its own. If it were, one nearest neighbour would make
        no error on any data, and Z would say nothing.

    Returns
    -------
    float
        Z.

    See Also
    --------
    boosting_rounds : What every round did.
    least_boosting_z : What no votes by these columns can go below.
    featsieve.wrappers.ForwardSelectionWrapper : Chooses columns by it.

    Notes
    -----
    The squared distance of two rows is the sum over the columns of the squared
    difference of numbers, 0 or 1 for equal or other levels, and 1 where either value is
    missing. Distances within a relative 1e-9 are equal. Cost: O(n² p) and O(n) memory;
    the rounds share the neighbours.

    References
    ----------
    M. Sebban, R. Nock, "Contribution of boosting in wrapper models", PKDD 1999,
    figure 1 and equations 1 and 2.

    Examples
    --------
    >>> from featsieve.measures import boosting_z
    >>> x = [[0], [1], [2.1], [3.3], [4.6], [6], [7.5], [9.1]]
    >>> y = [1, 1, 1, 0, 1, 0, 0, 0]
    >>> round(boosting_z(x, y, scale=False, n_rounds=3), 6)
    0.992365
    """
    check_rounds("boosting_z", n_rounds, n_neighbors, vote)
    check_choice("conflict", conflict, tuple(CONFLICTS), "boosting_z")
    problem = _read(columns, target, nominal)
    scanner = problem.scanner(scale=scale, leave_one_out=leave_one_out)
    everything = tuple(range(len(problem.columns)))
    curve = scanner.boosting(
        *as_subsets([everything]),
        n_neighbors,
        n_rounds,
        VOTES[vote],
        CONFLICTS[conflict],
    )
    return float(curve[0, -1])


def boosting_rounds(
    columns: Any,
    target: ArrayLike,
    *,
    n_rounds: int = 50,
    n_neighbors: int = 3,
    vote: str = "real",
    conflict: str | None = None,
    nominal: Any = None,
    scale: bool = True,
    leave_one_out: bool = True,
) -> list[BoostingRounds]:
    """Tell what every round of boosting did.

    Parameters
    ----------
    columns, target, nominal, scale
        As for `boosting_z`.
    n_rounds, n_neighbors, vote, conflict, leave_one_out
        As for `boosting_z`.

    Returns
    -------
    list of BoostingRounds
        One for every class against the others; of two classes, one for the second.

    See Also
    --------
    boosting_z : The number that is left after the rounds.

    Examples
    --------
    >>> from featsieve.measures import boosting_rounds
    >>> x = [[0], [1], [2.1], [3.3], [4.6], [6], [7.5], [9.1]]
    >>> y = [1, 1, 1, 0, 1, 0, 0, 0]
    >>> (rounds,) = boosting_rounds(x, y, scale=False, n_rounds=3)
    >>> rounds.correlations.round(6), rounds.confidences.round(6)
    (array([0.083333, 0.037032, 0.016741]), array([0.083527, 0.037049, 0.016743]))
    """
    check_rounds("boosting_z", n_rounds, n_neighbors, vote)
    check_choice("conflict", conflict, tuple(CONFLICTS), "boosting_z")
    problem = _read(columns, target, nominal)
    scanner = problem.scanner(scale=scale, leave_one_out=leave_one_out)
    everything = np.arange(len(problem.columns), dtype=np.int32)
    several = problem.n_classes > 2
    told = []
    for positive in range(problem.n_classes) if several else (problem.n_classes - 1,):
        correlations, confidences, criterion, weights, margins = scanner.rounds(
            everything,
            n_neighbors,
            positive,
            n_rounds,
            VOTES[vote],
            CONFLICTS[conflict],
        )
        own = int(problem.labels[positive])
        curve = criterion[: len(confidences)]
        told.append(
            BoostingRounds(own, correlations, confidences, curve, weights, margins)
        )
    return told


def least_boosting_z(descriptions: ArrayLike, target: ArrayLike) -> float:
    """Return the least Z that votes can reach which see the descriptions only.

    Rows of one description get the same vote, so that n⁺ positive and n⁻ negative ones
    contribute at least 2 √(n⁺ n⁻). No amount of boosting goes below.

    Parameters
    ----------
    descriptions : array-like of shape (n_rows,) or (n_rows, n_features)
        Whatever makes rows equal, as numbers; NaN equals NaN.
    target : array-like of shape (n_rows,)
        Integer class codes, 0 or more.

    Returns
    -------
    float
        From 0, if equal rows always have the same class, to 1. Of several classes, the
        mean over one class against the others.

    See Also
    --------
    boosting_z : What neighbours reach.

    Examples
    --------
    >>> from featsieve.measures import least_boosting_z
    >>> x = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]
    >>> round(least_boosting_z(x, [1, 1, 1, 0, 1, 1, 0, 0, 0, 0]), 6)
    0.74641
    """
    values = check_numbers("descriptions", descriptions, "least_boosting_z")
    values = values.reshape(len(values), -1)
    classes, _, n_classes = _used_classes(target, len(values))
    # Column by column, since NaN equals NaN only there.
    codes = [np.unique(column, return_inverse=True)[1] for column in values.T]
    numbers = np.unique(np.array(codes), axis=1, return_inverse=True)[1].ravel()
    counts = np.zeros((int(numbers.max()) + 1, n_classes))
    np.add.at(counts, (numbers, classes), 1)
    totals = counts.sum(axis=1, keepdims=True)
    terms = 2 * np.sqrt(counts * (totals - counts)).sum(axis=0) / len(values)
    return float(terms[:1].mean() if n_classes <= 2 else terms.mean())


@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
    columns: Columns
    classes: NDArray[np.int32]
    labels: NDArray[np.int64]

    @property
    def n_classes(self) -> int:
        return len(self.labels)

    def scanner(self, *, scale: bool, leave_one_out: bool) -> NeighbourScanner:
        rows = lay_out_columns(self.columns, scale=scale)
        return rows.scanner(self.classes, self.n_classes, leave_one_out=leave_one_out)


def check_rounds(owner: object, n_rounds: int, n_neighbors: int, vote: str) -> None:
    """Raise unless boosting can be done with these settings."""
    check_integer("n_rounds", n_rounds, owner, at_least=1)
    check_integer("n_neighbors", n_neighbors, owner, at_least=1)
    check_choice("vote", vote, tuple(VOTES), owner)


def _read(columns: Any, target: ArrayLike, nominal: Any) -> _Problem:
    typed = read_columns(columns, nominal)
    if len(typed) == 0 or typed.n_rows == 0:
        message = "boosting_z needs at least one column and one row."
        raise ValueError(message)
    _check_finite(typed.values)
    classes, labels, _ = _used_classes(target, typed.n_rows)
    return _Problem(typed, classes, labels)


def _check_finite(values: Sequence[NDArray[Any]]) -> None:
    for j, column in enumerate(values):
        if np.isinf(column).any():
            message = (
                f"column {j} holds infinity, which is infinitely far from all else. "
                "Mark it as missing (NaN), or cut it to a finite number."
            )
            raise ValueError(message)


def _used_classes(
    target: ArrayLike, n_rows: int
) -> tuple[NDArray[np.int32], NDArray[np.int64], int]:
    """Return codes of the classes that occur, and what they were before."""
    as_target(target, n_rows)  # checks, but numbers sparse codes anew
    labels, used = np.unique(np.asarray(target), return_inverse=True)
    return used.astype(np.int32), labels.astype(np.int64), len(labels)
