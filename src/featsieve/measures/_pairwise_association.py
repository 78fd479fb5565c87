"""How strongly columns of both kinds go with each other: all pairs, or some of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve._checks import check_choice, check_integer
from featsieve._kernels import (
    ConcordanceMeasure,
    LevelPairs,
    Missing,
    PairMeasure,
    RankedColumn,
    concordance_row,
    encode_few_levels,
)
from featsieve.engine import run_tasks
from featsieve.measures._codes import MISSING
from featsieve.measures._columns import (
    Columns,
    check_association,
    check_finite,
    cut_column,
    read_columns,
)
from featsieve.measures._correlation import rank_correlation, winsorise
from featsieve.measures._gain import symmetrical_uncertainty
from featsieve.measures._moments import MomentPairs

__all__ = ["PairAssociations", "pairwise_association"]

#: Columns with at most so many different values are counted by table.
MOST_LEVELS = 64

#: About how many pairs a task measures; it must not depend on the number of jobs.
PAIRS_PER_TASK = 1 << 14

Matrix = NDArray[np.float64]


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
) -> Matrix:
    """Return how strongly every two columns go with each other, from 0 to 1.

    Two numeric columns are compared by the absolute value of `association`, two nominal
    ones by symmetrical uncertainty, and a nominal with a numeric one by symmetrical
    uncertainty after the numeric one is cut into levels of about equal frequency.

    Parameters
    ----------
    columns : array-like of shape (n_rows, n_features), or list of arrays
        Numbers with NaN for missing; where `nominal` says so, integer codes with
        negative for missing. A list of one-dimensional arrays is taken as columns.
    association : str, default="auto"
        What numeric columns are compared by: ``"kendall"`` (tau-b), ``"gamma"``,
        ``"spearman"``, ``"pearson"``, ``"winsorised_pearson"``, or
        ``"symmetrical_uncertainty"`` of `n_bins` levels. ``"auto"`` is tau-b, or
        Pearson's correlation with `weights`.
    nominal : "all", mask of shape (n_features,) or None, default=None
        Which columns hold codes.
    mixed : {"cut", "zero"}, default="cut"
        What becomes of a nominal with a numeric column: cut the numeric one, or count
        the pair as 0.
    missing : {"ignore", "level"}, default="ignore"
        Leave out rows that either column lacks, pair by pair; or, for symmetrical
        uncertainty, take missing as one more level.
    weights : array-like of shape (n_rows,), default=None
        Weight of each row, for Pearson's correlation and symmetrical uncertainty.
    n_bins : int, default=5
        Levels of numeric columns for symmetrical uncertainty.
    min_untied : int, default=1
        With fewer untied pairs of rows gamma counts as 0.
    n_jobs : int or None, default=None
        Threads; every number gives the same bits.

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
        self._codes = _make_coded(codes, missing, checked)
        numeric = [read.values[j] for j in self._numeric]
        labels = [f"Column {j}" for j in self._numeric]
        self._numbers = _make_numeric(
            name,
            numeric,
            labels,
            weights=checked,
            min_untied=min_untied,
            n_jobs=n_jobs,
        )
        self._constant = np.array(
            [_is_constant(read, j, missing) for j in range(len(read))]
        )

    def row(self, feature: int) -> Matrix:
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
            row = self._codes.row(int(found[0]))
            values[self._coded] = row[: len(self._coded)]
            if self._across:
                values[self._numeric] = row[len(self._coded) :]
        else:
            position = int(np.searchsorted(self._numeric, feature))
            values[self._numeric] = self._numbers.row(position)
            if self._across:
                row = self._codes.row(len(self._coded) + position)
                values[self._coded] = row[: len(self._coded)]
        values[feature] = 0.0 if self._constant[feature] else 1.0
        return values

    def matrix(self, *, n_jobs: int | None = None) -> Matrix:
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
            block = self._codes.rows(len(self._coded), n_jobs)
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


def _triangle_tasks(first_rows: int, n: int) -> list[tuple[int, int]]:
    """Return ranges of first columns with about PAIRS_PER_TASK pairs each."""
    tasks, begin, held = [], 0, 0
    for i in range(first_rows):
        held += n - 1 - i
        if held >= PAIRS_PER_TASK or i == first_rows - 1:
            tasks.append((begin, i + 1))
            begin, held = i + 1, 0
    return tasks


def _fill_triangle(
    parts: list[Matrix], tasks: list[tuple[int, int]], first_rows: int, n: int
) -> Matrix:
    """Return rows of a symmetric matrix from the pairs (i, j > i) of each task."""
    block = np.zeros((first_rows, n))
    for (begin, end), part in zip(tasks, parts, strict=True):
        at = 0
        for i in range(begin, end):
            block[i, i + 1 :] = part[at : at + n - 1 - i]
            at += n - 1 - i
    square = block[:, :first_rows]
    block[:, :first_rows] += square.T
    return block


class _TablePairs:
    """Coded columns counted by table."""

    def __init__(self, scanner: LevelPairs) -> None:
        self._scanner = scanner

    def row(self, position: int) -> Matrix:
        return np.abs(self._scanner.row(position))

    def rows(self, first_rows: int, n_jobs: int | None) -> Matrix:
        """Return the first rows of the matrix; the diagonal is left at 0."""
        n = self._scanner.n_features
        tasks = _triangle_tasks(first_rows, n)
        parts = run_tasks(self._scanner.scan, tasks, n_jobs=n_jobs, shared_memory=True)
        rows: Matrix = np.abs(_fill_triangle(parts, tasks, first_rows, n))
        return rows


class _WeightedTablePairs:
    """The same with weights, column by column."""

    def __init__(
        self, codes: NDArray[Any], missing: str, weights: NDArray[np.float64]
    ) -> None:
        self._codes, self._missing, self._weights = codes, missing, weights

    def row(self, position: int) -> Matrix:
        return self._row(position, 0)

    def _row(self, position: int, begin: int) -> Matrix:
        values: Matrix = symmetrical_uncertainty(
            self._codes[:, begin:],
            self._codes[:, position],
            weights=self._weights,
            missing=self._missing,
        )
        return values

    def rows(self, first_rows: int, n_jobs: int | None) -> Matrix:
        n = self._codes.shape[1]
        tasks = [(i, i + 1) for i in range(min(first_rows, n))]
        parts = run_tasks(self._row, tasks, n_jobs=n_jobs, shared_memory=True)
        return _fill_triangle(parts, tasks, first_rows, n)


def _make_coded(
    codes: list[NDArray[Any]], missing: str, weights: NDArray[np.float64] | None
) -> _TablePairs | _WeightedTablePairs:
    matrix = _stack(codes)
    if weights is not None:
        return _WeightedTablePairs(matrix, missing, weights)
    measure = PairMeasure.SYMMETRICAL_UNCERTAINTY
    return _TablePairs(LevelPairs(matrix, measure, MISSING[missing]))


def _stack(codes: list[NDArray[Any]]) -> NDArray[Any]:
    """Return columns of codes as one matrix: of bytes if all fit."""
    if not codes:
        return np.empty((0, 0), dtype=np.uint8)
    narrow = all(c.min(initial=0) >= 0 and c.max(initial=0) <= 255 for c in codes)
    dtype = np.uint8 if narrow else np.int32
    matrix = np.empty((len(codes[0]), len(codes)), dtype=dtype, order="F")
    for j, column in enumerate(codes):
        matrix[:, j] = column
    return matrix


class _OrderPairs:
    """Numeric columns compared by concordance: by table if both have few values."""

    def __init__(
        self,
        columns: list[NDArray[np.float64]],
        gamma: bool,
        min_untied: int,
        n_jobs: int | None,
    ) -> None:
        self._measure = ConcordanceMeasure.GAMMA if gamma else ConcordanceMeasure.TAU_B
        self._min_untied = min_untied
        tasks = [(column, MOST_LEVELS) for column in columns]
        codes = run_tasks(encode_few_levels, tasks, n_jobs=n_jobs, shared_memory=True)
        few = np.array([code is not None for code in codes], dtype=bool)
        self._few, self._many = np.flatnonzero(few), np.flatnonzero(~few)
        self._n = len(columns)
        by_table = PairMeasure.GAMMA if gamma else PairMeasure.TAU_B
        matrix = _stack([_mark_missing(code) for code in codes if code is not None])
        self._tables = LevelPairs(matrix, by_table, Missing.IGNORE, min_untied)
        # Columns of few values are sorted only if some other has many.
        sort = [(c,) for c in columns] if len(self._many) else []
        self._ranked = run_tasks(RankedColumn, sort, n_jobs=n_jobs, shared_memory=True)

    def row(self, position: int) -> Matrix:
        values = np.empty(self._n)
        if position in self._few:
            at = int(np.searchsorted(self._few, position))
            values[self._few] = self._tables.row(at)
            values[self._many] = self._walk(position, self._many)
        else:
            values[:] = self._walk(position, np.arange(self._n))
        return np.abs(values)

    def _walk(self, position: int, others: NDArray[Any]) -> Matrix:
        if len(others) == 0:
            return np.empty(0)
        ranked = [self._ranked[j] for j in others.tolist()]
        return concordance_row(
            self._ranked[position], ranked, self._measure, self._min_untied
        )

    def matrix(self, n_jobs: int | None) -> Matrix:
        matrix = np.zeros((self._n, self._n))
        few = len(self._few)
        tasks = _triangle_tasks(few, few)
        parts = run_tasks(self._tables.scan, tasks, n_jobs=n_jobs, shared_memory=True)
        matrix[np.ix_(self._few, self._few)] = _fill_triangle(parts, tasks, few, few)
        # A column of many values is compared with all of few, and with those after it.
        rows = [
            (j, np.concatenate((self._few, self._many[k + 1 :])))
            for k, j in enumerate(self._many.tolist())
        ]
        walked = run_tasks(self._walk, rows, n_jobs=n_jobs, shared_memory=True)
        for (j, others), values in zip(rows, walked, strict=True):
            matrix[j, others] = values
            matrix[others, j] = values
        absolute: Matrix = np.abs(matrix)
        return absolute


def _mark_missing(codes: NDArray[np.uint8]) -> NDArray[Any]:
    if codes.max(initial=0) <= MOST_LEVELS:
        return codes
    return np.where(codes == 255, -1, codes.astype(np.int32))


class _RankPairs:
    """Spearman's correlation of columns with missing values, ranked pair by pair."""

    def __init__(self, columns: list[NDArray[np.float64]]) -> None:
        self._columns = columns

    def row(self, position: int) -> Matrix:
        return self._row(position, 0)

    def _row(self, position: int, begin: int) -> Matrix:
        own = self._columns[position]
        others = self._columns[begin:]
        return np.abs([rank_correlation(own, other) for other in others])

    def matrix(self, n_jobs: int | None) -> Matrix:
        n = len(self._columns)
        tasks = [(i, i + 1) for i in range(n)]
        parts = run_tasks(self._row, tasks, n_jobs=n_jobs, shared_memory=True)
        return _fill_triangle(parts, tasks, n, n)


def _make_numeric(
    name: str,
    columns: list[NDArray[np.float64]],
    labels: list[str],
    *,
    weights: NDArray[np.float64] | None,
    min_untied: int,
    n_jobs: int | None,
) -> _OrderPairs | _RankPairs | MomentPairs:
    if name in ("kendall", "gamma"):
        return _OrderPairs(columns, name == "gamma", min_untied, n_jobs)
    if name == "spearman":
        if any(np.isnan(column).any() for column in columns):
            return _RankPairs(columns)
        tasks = [(column,) for column in columns]
        ranked = run_tasks(RankedColumn, tasks, n_jobs=n_jobs, shared_memory=True)
        columns = [column.mid_ranks() for column in ranked]
    elif name == "winsorised_pearson":
        columns = [winsorise(column, weights=weights) for column in columns]
    for column, label in zip(columns, labels, strict=True):
        check_finite(column, label)
    return MomentPairs(columns, weights)
