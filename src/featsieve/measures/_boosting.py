"""What boosting optimises, as a measure of columns: Sebban and Nock's criterion Z."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve._checks import check_choice, check_integer, check_numbers
from featsieve._docs import described_like
from featsieve._kernels import ConflictScope, NeighbourScanner, NeighbourVote
from featsieve._types import Codes, Floats, Ints
from featsieve.measures._class_association import class_association
from featsieve.measures._codes import Columns, as_subsets, as_target, read_columns

#: How values of a column differ, as the kernel numbers it.
NUMERIC, NUMERIC_WITH_GAPS, NOMINAL = 0, 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class ComparedRows:
    """Columns as the kernel reads them, each a line of the matrices.

    `values` are scaled numbers, or codes of levels, with NaN for missing. `codes`
    number the different values of a column, a missing one among them.
    """

    values: Floats
    kinds: NDArray[np.uint8]
    codes: Codes
    n_levels: Codes

    def scanner(
        self,
        classes: Codes,
        n_classes: int,
        left_out: Codes | None = None,
        *,
        leave_one_out: bool = True,
    ) -> NeighbourScanner:
        """Return what evaluates subsets of the columns."""
        return NeighbourScanner(
            self.values,
            self.kinds,
            self.codes,
            self.n_levels,
            classes,
            n_classes,
            left_out,
            leave_one_out,
        )


def lay_out_columns(columns: Columns, *, scale: bool = True) -> ComparedRows:
    """Return columns for the kernel, numbers divided by their standard deviation."""
    shape = (len(columns), columns.n_rows)
    values = np.empty(shape)
    kinds = np.empty(len(columns), dtype=np.uint8)
    codes = np.empty(shape, dtype=np.int32)
    levels = np.empty(len(columns), dtype=np.int32)
    for j, (column, nominal) in enumerate(
        zip(columns.values, columns.nominal, strict=True)
    ):
        values[j] = column
        if nominal:
            values[j, column < 0] = np.nan
            kinds[j] = NOMINAL
        else:
            gaps = np.isnan(column).any()
            kinds[j] = NUMERIC_WITH_GAPS if gaps else NUMERIC
            if scale:
                values[j] = scaled(column)
        different, codes[j] = np.unique(values[j], return_inverse=True)
        levels[j] = len(different)
    return ComparedRows(values, kinds, codes, levels)


def spread_of(column: Floats) -> float:
    """Return the standard deviation of the known values; 0 if they are all the same."""
    known = column[~np.isnan(column)]
    if not len(known) or known.min() == known.max():
        return 0.0
    # Squares of numbers within ±1 neither overflow nor vanish.
    size = float(np.abs(known).max())
    return float(np.std(known / size)) * size


def scaled(column: Floats) -> Floats:
    """Return numbers divided by their standard deviation; a constant becomes 0."""
    spread = spread_of(column)
    if spread == 0:
        return np.where(np.isnan(column), np.nan, 0.0)
    return column / spread


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
    correlations: Floats
    confidences: Floats
    criterion: Floats
    weights: Floats
    margins: Floats


@described_like(class_association)
def boosting_z(
    columns: Any,
    target: ArrayLike,
    *,
    n_rounds: int = 50,
    n_neighbors: int = 3,
    boosting_vote: str = "real",
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
    n_rounds : int, default=50
        Rounds at most; they end early when the votes go with the labels no more.
    n_neighbors : int, default=3
        Neighbours that vote; all rows as near as the last of them vote too.
    boosting_vote : {"real", "sign"}, default="real"
        The weighted mean label of the neighbours, or its sign (0 on a tie).
    conflict : {None, "rounds", "rounds_and_criterion"}, default=None
        Rows weigh less in the rounds, or in the rounds and the criterion, the more the
        labels of rows with equal values contradict each other: by
        ``|n⁺ - n⁻| / (n⁺ + n⁻)``.
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
    featsieve.selectors.ForwardSelector : Chooses columns by it.

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
    check_rounds("boosting_z", n_rounds, n_neighbors, boosting_vote)
    check_choice("conflict", conflict, tuple(CONFLICTS), "boosting_z")
    scanner, everything, _ = _read(
        columns, target, nominal, scale=scale, leave_one_out=leave_one_out
    )
    curve = scanner.boosting(
        *as_subsets([everything]),
        n_neighbors,
        n_rounds,
        VOTES[boosting_vote],
        CONFLICTS[conflict],
    )
    return float(curve[0, -1])


@described_like(boosting_z)
def boosting_rounds(
    columns: Any,
    target: ArrayLike,
    *,
    n_rounds: int = 50,
    n_neighbors: int = 3,
    boosting_vote: str = "real",
    conflict: str | None = None,
    nominal: Any = None,
    scale: bool = True,
    leave_one_out: bool = True,
) -> list[BoostingRounds]:
    """Tell what every round of boosting did.

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
    check_rounds("boosting_z", n_rounds, n_neighbors, boosting_vote)
    check_choice("conflict", conflict, tuple(CONFLICTS), "boosting_z")
    scanner, everything, labels = _read(
        columns, target, nominal, scale=scale, leave_one_out=leave_one_out
    )
    n = len(labels)
    told = []
    for positive in range(n) if n > 2 else (n - 1,):
        correlations, confidences, criterion, weights, margins = scanner.rounds(
            np.array(everything, dtype=np.int32),
            n_neighbors,
            positive,
            n_rounds,
            VOTES[boosting_vote],
            CONFLICTS[conflict],
        )
        curve = criterion[: len(confidences)]
        numbers = (correlations, confidences, curve, weights, margins)
        told.append(BoostingRounds(int(labels[positive]), *numbers))
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
    if values.ndim not in (1, 2) or values.size == 0:
        raise ValueError(
            "The 'descriptions' parameter of least_boosting_z must be a column or a "
            "matrix, rows by features, with at least one row and column. Got shape "
            f"{values.shape}; give one row as [[0, 1]]."
        )
    values = values.reshape(len(values), -1)
    classes, labels = _used_classes(target, len(values))
    # Column by column, since NaN equals NaN only there.
    codes = [np.unique(column, return_inverse=True)[1] for column in values.T]
    numbers = np.unique(np.array(codes), axis=1, return_inverse=True)[1].ravel()
    counts = np.zeros((int(numbers.max()) + 1, len(labels)))
    np.add.at(counts, (numbers, classes), 1)
    totals = counts.sum(axis=1, keepdims=True)
    terms = 2 * np.sqrt(counts * (totals - counts)).sum(axis=0) / len(values)
    return float(terms[:1].mean() if len(labels) <= 2 else terms.mean())


def check_rounds(
    owner: object, n_rounds: int, n_neighbors: int, boosting_vote: str
) -> None:
    """Raise unless boosting can be done with these settings."""
    check_integer("n_rounds", n_rounds, owner, at_least=1)
    check_integer("n_neighbors", n_neighbors, owner, at_least=1)
    check_choice("boosting_vote", boosting_vote, tuple(VOTES), owner)


def _read(
    columns: Any, target: ArrayLike, nominal: Any, *, scale: bool, leave_one_out: bool
) -> tuple[NeighbourScanner, tuple[int, ...], Ints]:
    """Return what evaluates columns, all of them by number, and the classes' labels."""
    typed = read_columns(columns, nominal)
    if len(typed) == 0 or typed.n_rows == 0:
        raise ValueError(
            "boosting_z needs at least one column and one row. Got "
            f"{len(typed)} columns of {typed.n_rows} rows; check what was left out."
        )
    for j, column in enumerate(typed.values):
        if np.isinf(column).any():
            raise ValueError(
                f"column {j} holds infinity, which is infinitely far from all else. "
                "Mark it as missing (NaN), or cut it to a finite number."
            )
    classes, labels = _used_classes(target, typed.n_rows)
    rows = lay_out_columns(typed, scale=scale)
    scanner = rows.scanner(classes, len(labels), leave_one_out=leave_one_out)
    return scanner, tuple(range(len(typed))), labels


def _used_classes(target: ArrayLike, n_rows: int) -> tuple[Codes, Ints]:
    """Return codes of the classes that occur, and what they were before."""
    as_target(target, n_rows)  # checks, but numbers sparse codes anew
    labels, used = np.unique(np.asarray(target), return_inverse=True)
    return used.astype(np.int32), labels.astype(np.int64)
