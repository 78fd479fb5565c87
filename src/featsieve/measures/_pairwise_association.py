"""How strongly columns of both kinds go with each other: all pairs, or some of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve._checks import check_choice, check_integer
from featsieve._docs import described_like
from featsieve._kernels import (
    AssociationScanner,
    CommonRows,
    Missing,
    PairMeasure,
    RankedColumn,
    concordance_counts,
    encode_bytes,
)
from featsieve._types import Array, Floats, Mask
from featsieve.engine import run_tasks
from featsieve.measures._class_association import Concordance, class_association
from featsieve.measures._codes import (
    MISSING,
    Columns,
    check_association,
    check_finite,
    cut_column,
    read_columns,
)
from featsieve.measures._correlation import MomentPairs, rank_correlation, winsorise
from featsieve.measures._pair_gains import fill_matrix

#: Columns with at most so many different values are counted by table.
MOST_LEVELS = 64

UNCERTAINTY = PairMeasure.SYMMETRICAL_UNCERTAINTY


@described_like(class_association)
def pairwise_association(
    columns: Any,
    *,
    association: str = "auto",
    nominal: Any = None,
    mixed: str = "cut",
    missing: str = "ignore",
    weights: ArrayLike | None = None,
    n_bins: int = 5,
    min_untied: int = 1,
    n_jobs: int | None = None,
) -> Floats:
    """Return how strongly every two columns go with each other, from 0 to 1.

    Two numeric columns are compared by the absolute value of `association`, two nominal
    ones by symmetrical uncertainty, and a nominal with a numeric one by symmetrical
    uncertainty after the numeric one is cut into levels of about equal frequency.

    Parameters
    ----------
    mixed : {"cut", "zero"}, default="cut"
        What becomes of a nominal with a numeric column: cut the numeric one, or count
        the pair as 0.
    missing : {"ignore", "level"}, default="ignore"
        Leave out rows that either column lacks, pair by pair; or, for symmetrical
        uncertainty, take missing as one more level.
    weights : array-like of shape (n_rows,), default=None
        Weight of each row, for Pearson's correlation and symmetrical uncertainty.
    min_untied : int, default=1
        With fewer untied pairs of rows gamma counts as 0.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        Symmetric, without NaN: 1 on the diagonal, and 0 wherever a column is constant.

    See Also
    --------
    PairAssociations : The same for some pairs at a time.

    Notes
    -----
    Every column is sorted (or coded) once. A pair then costs about n steps: of a small
    tree of counts for statistics of order, or of a table where both columns have at
    most 64 different values; Pearson's and Spearman's correlation are one product of
    matrices. Missing values of Spearman's make it rank every pair anew.

    Examples
    --------
    >>> from featsieve.measures import pairwise_association
    >>> columns = [[1, 8, 0], [2, 9, 1], [3, 7, 1], [4, 6, 0]]
    >>> pairwise_association(columns).round(3).tolist()
    [[1.0, 0.667, 0.0], [0.667, 1.0, 0.408], [0.0, 0.408, 1.0]]
    """
    pairs = PairAssociations(
        columns,
        association=association,
        nominal=nominal,
        mixed=mixed,
        missing=missing,
        weights=weights,
        n_bins=n_bins,
        min_untied=min_untied,
        n_jobs=n_jobs,
    )
    return pairs.matrix(n_jobs=n_jobs)


class PairAssociations:
    """Columns made ready once, to be compared with each other pair by pair.

    For searches that look at some pairs only: a row costs a p-th of the matrix.

    Parameters
    ----------
    columns, association, nominal, mixed, missing, weights, n_bins, min_untied, n_jobs
        As for `pairwise_association`; the jobs are for the sorting.

    Examples
    --------
    >>> from featsieve.measures import PairAssociations
    >>> pairs = PairAssociations([[1, 8, 0], [2, 9, 1], [3, 7, 1], [4, 6, 0]])
    >>> pairs.row(0).round(3)
    array([1.   , 0.667, 0.   ])
    """

    def __init__(
        self,
        columns: Any,
        *,
        association: str = "auto",
        nominal: Any = None,
        mixed: str = "cut",
        missing: str = "ignore",
        weights: ArrayLike | None = None,
        n_bins: int = 5,
        min_untied: int = 1,
        n_jobs: int | None = None,
    ) -> None:
        owner = "pairwise_association"
        read = read_columns(columns, nominal)
        name, checked = check_association(association, weights, read.n_rows, owner)
        check_choice("mixed", mixed, ("cut", "zero"), owner)
        check_choice("missing", missing, ("ignore", "level"), owner)
        check_integer("n_bins", n_bins, owner, at_least=2)
        check_integer("min_untied", min_untied, owner, at_least=0)
        self.n_features = len(read)
        uncertain = name == "symmetrical_uncertainty"
        self._coded = np.flatnonzero(read.nominal | uncertain)
        self._numeric = np.flatnonzero(~(read.nominal | uncertain))
        self._across = mixed == "cut" and len(self._coded) > 0 < len(self._numeric)
        # Coded columns come first, so that their rows alone hold all pairs with codes.
        order = [*self._coded, *(self._numeric if self._across else [])]
        codes = [
            read.values[j]
            if read.nominal[j]
            else cut_column(read.values[j], n_bins, checked)
            for j in order
        ]
        self._codes = AssociationScanner(
            _stack(codes), None, MISSING[missing], weights=checked if codes else None
        )
        numeric = [read.values[j] for j in self._numeric]
        labels = [f"Column {j}" for j in self._numeric]
        self._numbers = _make_numeric(
            name, numeric, labels, weights=checked, min_untied=min_untied, n_jobs=n_jobs
        )
        self._constant = np.array(
            [_is_constant(read, j, missing) for j in range(len(read))]
        )

    def row(self, feature: int) -> Floats:
        """Return the association of one column with every column.

        Parameters
        ----------
        feature : int
            Its position.

        Returns
        -------
        ndarray of shape (n_features,)
            1 for itself, unless it is constant.
        """
        values = np.zeros(self.n_features)
        found = np.flatnonzero(self._coded == feature)
        if len(found):
            row = self._codes.row(int(found[0]), UNCERTAINTY)
            values[self._coded] = row[: len(self._coded)]
            if self._across:
                values[self._numeric] = row[len(self._coded) :]
        else:
            position = int(np.searchsorted(self._numeric, feature))
            values[self._numeric] = self._numbers.row(position)
            if self._across:
                row = self._codes.row(len(self._coded) + position, UNCERTAINTY)
                values[self._coded] = row[: len(self._coded)]
        values[feature] = 0.0 if self._constant[feature] else 1.0
        return values

    def matrix(self, *, n_jobs: int | None = None) -> Floats:
        """Return the association of all pairs.

        Parameters
        ----------
        n_jobs : int or None, default=None
            Threads; every number gives the same bits.

        Returns
        -------
        ndarray of shape (n_features, n_features)
            Symmetric.
        """
        matrix = np.zeros((self.n_features, self.n_features))
        if len(self._numeric):
            block = self._numbers.matrix(n_jobs)
            matrix[np.ix_(self._numeric, self._numeric)] = block
        if len(self._coded):
            order = np.concatenate((self._coded, self._numeric if self._across else []))
            order = order.astype(np.intp)
            block = fill_matrix(self._codes, UNCERTAINTY, n_jobs, len(self._coded))
            matrix[np.ix_(self._coded, order)] = block
            matrix[np.ix_(order, self._coded)] = block.T
        np.fill_diagonal(matrix, np.where(self._constant, 0.0, 1.0))
        return matrix


def _is_constant(columns: Columns, position: int, missing: str) -> bool:
    values = columns.values[position]
    gaps = values < 0 if columns.nominal[position] else np.isnan(values)
    known = values[~gaps]
    if missing == "level" and columns.nominal[position] and gaps.any():
        return len(known) == 0
    return len(known) == 0 or bool(known.min() == known.max())


def _stack(codes: list[Array]) -> Array:
    """Return columns of codes as one matrix: of bytes if all fit."""
    if not codes:
        return np.empty((0, 0), dtype=np.uint8)
    narrow = all(c.min(initial=0) >= 0 and c.max(initial=0) <= 255 for c in codes)
    dtype = np.uint8 if narrow else np.int32
    matrix = np.empty((len(codes[0]), len(codes)), dtype=dtype, order="F")
    for j, column in enumerate(codes):
        matrix[:, j] = column
    return matrix


def _few_levels(column: Floats) -> Array | RankedColumn:
    """Return codes of a column in the order of its values; sorted if these are many."""
    narrow = encode_bytes(column[:, np.newaxis])
    if narrow is not None and narrow.max(initial=0) < MOST_LEVELS:
        return narrow[0]
    ranked = RankedColumn(column)
    return ranked.codes() if ranked.n_levels <= MOST_LEVELS else ranked


class _OrderPairs:
    """Numeric columns compared by concordance: by table if both have few values."""

    def __init__(
        self, columns: list[Floats], name: str, min_untied: int, n_jobs: int | None
    ) -> None:
        self._name, self._min_untied = name, min_untied
        tasks = [(column,) for column in columns]
        found: list[Any] = run_tasks(
            _few_levels, tasks, n_jobs=n_jobs, shared_memory=True
        )
        few = np.array([isinstance(each, np.ndarray) for each in found], dtype=bool)
        self._n = len(columns)
        self._few, self._many = np.flatnonzero(few), np.flatnonzero(~few)
        matrix = _stack([found[j] for j in self._few.tolist()])
        if len(self._many):  # columns of few values are sorted only then
            for j in self._few.tolist():
                found[j] = RankedColumn(columns[j])
        self._ranked = found
        self._tables = AssociationScanner(
            matrix, None, Missing.IGNORE, min_untied=min_untied
        )
        self._by_table = PairMeasure.GAMMA if name == "gamma" else PairMeasure.TAU_B

    def row(self, position: int) -> Floats:
        values = np.empty(self._n)
        if position in self._few:
            at = int(np.searchsorted(self._few, position))
            values[self._few] = self._tables.row(at, self._by_table)
            values[self._many] = self._walk(position, self._many)
        else:
            values[:] = self._walk(position, np.arange(self._n))
        return np.abs(values)

    def _walk(self, position: int, others: Array) -> Floats:
        first = [self._ranked[position]] * len(others)
        counts = concordance_counts(first, [self._ranked[j] for j in others.tolist()])
        return Concordance(*counts.T).named(self._name, self._min_untied)

    def matrix(self, n_jobs: int | None) -> Floats:
        matrix = np.zeros((self._n, self._n))
        both_few = fill_matrix(self._tables, self._by_table, n_jobs)
        matrix[np.ix_(self._few, self._few)] = both_few
        # A column of many values is compared with all of few, and with those after it.
        rows = [
            (j, np.concatenate((self._few, self._many[k + 1 :])))
            for k, j in enumerate(self._many.tolist())
        ]
        walked = run_tasks(self._walk, rows, n_jobs=n_jobs, shared_memory=True)
        for (j, others), values in zip(rows, walked, strict=True):
            matrix[j, others] = values
            matrix[others, j] = values
        return np.abs(matrix)


class _RankPairs:
    """Columns with gaps compared by Spearman's correlation: ranked pair by pair."""

    def __init__(self, columns: list[Floats]) -> None:
        self._columns = columns

    def row(self, position: int, begin: int = 0) -> Floats:
        own, others = self._columns[position], self._columns[begin:]
        return np.abs([rank_correlation(own, other) for other in others])

    def matrix(self, n_jobs: int | None) -> Floats:
        n = len(self._columns)
        tasks = [(i, i + 1) for i in range(n)]
        rows = run_tasks(self.row, tasks, n_jobs=n_jobs, shared_memory=True)
        matrix = np.zeros((n, n))
        matrix[np.triu_indices(n, 1)] = np.concatenate([np.empty(0), *rows])
        return matrix + matrix.T


def _make_numeric(
    name: str,
    columns: list[Floats],
    labels: list[str],
    *,
    weights: Floats | None,
    min_untied: int,
    n_jobs: int | None,
) -> _OrderPairs | _RankPairs | MomentPairs:
    if name in ("kendall", "gamma"):
        return _OrderPairs(columns, name, min_untied, n_jobs)
    if name == "spearman":
        if any(np.isnan(column).any() for column in columns):  # ranked pair by pair
            return _RankPairs(columns)
        tasks = [(column,) for column in columns]
        ranked = run_tasks(RankedColumn, tasks, n_jobs=n_jobs, shared_memory=True)
        columns = [column.mid_ranks() for column in ranked]
    elif name == "winsorised_pearson":
        columns = [winsorise(column, weights=weights) for column in columns]
    for column, label in zip(columns, labels, strict=True):
        check_finite(column, label)
    return MomentPairs(columns, weights)


#: Blocks that are counted before any is handed out: enough to keep every job busy, few
#: enough to stay within some megabytes for thousands of sets.
_BLOCKS_AT_A_TIME = 16


def common_row_blocks(
    members: Mask, *, n_jobs: int | None = None
) -> Iterator[tuple[int, NDArray[np.uint32]]]:
    """Count the rows in common of every two sets, a few sets at a time.

    `members` says which sets (rows) hold which rows (columns). Yields the first set of
    a block, and the counts of its sets with all sets from there on.
    """
    flags = np.ascontiguousarray(members, dtype=np.bool_).view(np.uint8)
    sets = CommonRows(flags)
    for first in range(0, sets.n_blocks, _BLOCKS_AT_A_TIME):
        blocks = range(first, min(first + _BLOCKS_AT_A_TIME, sets.n_blocks))
        tasks = ((block,) for block in blocks)
        counted = run_tasks(sets.count, tasks, n_jobs=n_jobs, shared_memory=True)
        for block, counts in zip(blocks, counted, strict=True):
            yield block * CommonRows.block, counts


def common_rows(members: Mask, *, n_jobs: int | None = None) -> NDArray[np.uint32]:
    """Return the rows in common of every two sets, on the diagonal their sizes."""
    matrix = np.empty((len(members), len(members)), dtype=np.uint32)
    for begin, counts in common_row_blocks(members, n_jobs=n_jobs):
        end = begin + len(counts)
        matrix[begin:end, begin:] = counts
        matrix[begin:, begin:end] = counts.T
    return matrix
