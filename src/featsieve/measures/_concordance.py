"""Concordant and discordant pairs of rows: Kendall's tau-b, Goodman-Kruskal's gamma."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from featsieve._docs import described_like
from featsieve._kernels import RankedColumn, class_concordance, concordance_counts
from featsieve._types import Array, Codes, Floats, Ints
from featsieve.measures._codes import as_numbers, read_columns


@dataclass(frozen=True, slots=True, eq=False)
class Concordance:
    """Pairs of rows by how two columns order them.

    Every field is an int, or an array with one entry per column of a matrix. The five
    kinds of pairs add up to all pairs of the rows that both columns know.

    Parameters
    ----------
    n_rows : int or ndarray
        Rows that both columns know.
    concordant, discordant : int or ndarray
        Pairs that both columns order alike, and in opposite ways.
    tied_first, tied_second, tied_both : int or ndarray
        Pairs tied in the first column only, in the second only, and in both.

    Examples
    --------
    >>> from featsieve.measures import concordance
    >>> pairs = concordance([1, 2, 2, 3, 3, 3], [0, 0, 1, 1, 0, 1])
    >>> pairs.concordant, pairs.discordant, pairs.tied_first, pairs.tied_second
    (5, 1, 3, 5)
    >>> round(pairs.gamma, 6), round(pairs.tau_b, 6)
    (0.666667, 0.402015)
    """

    n_rows: Any
    concordant: Any
    discordant: Any
    tied_first: Any
    tied_second: Any
    tied_both: Any

    @property
    def tau_b(self) -> Any:
        """Kendall's tau-b; 0 where a column is constant."""
        untied = np.asarray(self.concordant + self.discordant, dtype=np.float64)
        surplus = np.asarray(self.concordant - self.discordant, dtype=np.float64)
        below = np.sqrt((untied + self.tied_first) * (untied + self.tied_second))
        return _divide(surplus, below)

    @property
    def gamma(self) -> Any:
        """Goodman and Kruskal's gamma; 0 where every pair is tied."""
        return self.named("gamma", 1)

    def named(self, association: str, min_untied: int) -> Any:
        """Return tau-b ("kendall") or gamma, 0 with fewer untied pairs than asked."""
        if association == "kendall":
            return self.tau_b
        untied = np.asarray(self.concordant + self.discordant)
        enough = np.where(untied >= min_untied, untied, 0).astype(np.float64)
        return _divide(np.asarray(self.concordant - self.discordant), enough)

    @classmethod
    def from_table(cls, table: ArrayLike) -> Concordance:
        """Return the counts of a contingency table, levels ascending on both axes.

        Tables add up, so this is also how parts of a larger data set are put together.

        Parameters
        ----------
        table : array-like of int of shape (n_first, n_second)
            How often each two levels occur together.

        Returns
        -------
        Concordance
            The counts, as ints.
        """
        counts = np.asarray(table)
        if counts.ndim != 2 or counts.dtype.kind not in "iu":
            raise ValueError(
                "table must be a matrix of whole counts. Got dtype "
                f"{counts.dtype} and {counts.ndim} axes."
            )
        counts = counts.astype(np.int64)
        smaller = np.zeros((counts.shape[0] + 1, counts.shape[1] + 1), dtype=np.int64)
        smaller[1:, 1:] = counts.cumsum(axis=0).cumsum(axis=1)
        earlier = smaller[:-1, -1:] - smaller[:-1, 1:]
        rows, columns = counts.sum(axis=1), counts.sum(axis=0)
        both = int(_pairs(counts).sum())
        return cls(
            int(counts.sum()),
            int((counts * smaller[:-1, :-1]).sum()),
            int((counts * earlier).sum()),
            int(_pairs(rows).sum()) - both,
            int(_pairs(columns).sum()) - both,
            both,
        )


def _pairs(counts: Ints) -> Ints:
    return counts * (counts - 1) // 2


def _divide(above: Array, below: Floats) -> Any:
    above = np.asarray(above, dtype=np.float64)
    values = np.divide(above, below, out=np.zeros_like(below), where=below > 0)
    return float(values) if values.ndim == 0 else values


def concordance(x: ArrayLike, y: ArrayLike) -> Concordance:
    """Count the pairs of rows that two columns order alike, oppositely, or not at all.

    Parameters
    ----------
    x : array-like of shape (n_rows,) or (n_rows, n_features)
        Numbers or ordered codes; NaN is missing. Infinities are values like others.
    y : array-like of shape (n_rows,)
        The column every column of `x` is compared with; sorted once.

    Returns
    -------
    Concordance
        The counts. Rows that either column lacks are left out, pair by pair.

    Notes
    -----
    Cost: a sort of each column, then O(n log n) with a small constant for each pair of
    columns.

    Examples
    --------
    >>> from featsieve.measures import concordance
    >>> concordance([1, 2, 3], [1, 3, 2]).discordant
    1
    """
    columns = read_columns(x)
    second = RankedColumn(as_numbers(np.asarray(y), "y"))
    if second.n_rows != columns.n_rows:
        raise ValueError(
            f"y must have {columns.n_rows} rows, as x. Got {second.n_rows}."
        )
    first = [RankedColumn(values) for values in columns.values]
    counts = concordance_counts(first, [second] * len(first)).T
    if columns.single:
        return Concordance(*(int(count) for count in counts[:, 0]))
    return Concordance(*counts)


def kendall_tau(x: ArrayLike, y: ArrayLike) -> Any:
    """Return Kendall's tau-b: how alike two columns order the rows, from -1 to 1.

    (C - D) / sqrt((C + D + ties in x only)(C + D + ties in y only)).

    Parameters
    ----------
    x : array-like of shape (n_rows,) or (n_rows, n_features)
        Numbers; NaN is missing, and such rows are left out.
    y : array-like of shape (n_rows,)
        The other column.

    Returns
    -------
    float or ndarray of shape (n_features,)
        0 where a column is constant.

    See Also
    --------
    pairwise_association : All pairs of columns, which are then sorted only once.

    Examples
    --------
    >>> from featsieve.measures import kendall_tau
    >>> kendall_tau([1, 2, 3, 4], [10, 20, 40, 30])
    0.6666666666666666
    """
    return concordance(x, y).tau_b


@described_like(kendall_tau)
def goodman_kruskal_gamma(x: ArrayLike, y: ArrayLike) -> Any:
    """Return Goodman and Kruskal's gamma: (C - D) / (C + D), ties left out.

    Where nearly all pairs are tied it says 1 or -1 on little evidence; `kendall_tau`
    does not.

    Returns
    -------
    float or ndarray of shape (n_features,)
        From -1 to 1; 0 where every pair is tied.

    Examples
    --------
    >>> from featsieve.measures import goodman_kruskal_gamma
    >>> goodman_kruskal_gamma([0, 0, 1, 1], [0, 1, 1, 1])
    1.0
    """
    return concordance(x, y).gamma


def concordance_by_class(
    column: RankedColumn, classes: Codes, n_classes: int
) -> Concordance:
    """Count the pairs of a sorted column with membership of each class."""
    return Concordance(*class_concordance(column, classes, n_classes).T)
