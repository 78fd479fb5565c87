"""How columns go with a class or another column: concordance, and any association."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from featsieve._checks import check_choice, check_integer
from featsieve._docs import described_like
from featsieve._kernels import RankedColumn, class_concordance, concordance_counts
from featsieve._types import Array, Codes, Floats, Ints
from featsieve.engine import run_tasks
from featsieve.measures._codes import (
    Columns,
    as_numbers,
    as_target,
    check_association,
    check_finite,
    cut_column,
    effective_rows,
    read_columns,
    shaped,
)
from featsieve.measures._correlation import (
    class_correlations,
    correlate,
    rank_correlation,
    winsorise,
)
from featsieve.measures._entropy import find_parts, ratio
from featsieve.measures._scores import chance_information, less_chance


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


#: Columns in one task; small ones cost less together.
COLUMNS_AT_ONCE = 16


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Columns to compare with a target, and how; all of it checked."""

    read: Columns
    association: str
    weights: Floats | None
    missing: str
    n_bins: int
    min_untied: int
    correct_chance: bool
    n_jobs: int | None

    def run(self, levels: Codes, measure: Callable[[int], float]) -> Any:
        """Return the association of all columns, coded ones with the target's levels.

        The others are left to `measure`, which takes their position.
        """
        read = self.read
        coded = read.nominal | (self.association == "symmetrical_uncertainty")

        def measure_block(begin: int) -> Floats:
            end = min(begin + COLUMNS_AT_ONCE, len(read))
            values = np.empty(end - begin)
            some = np.flatnonzero(coded[begin:end])
            codes = [
                read.values[j]
                if read.nominal[j]
                else cut_column(read.values[j], self.n_bins, self.weights)
                for j in begin + some
            ]
            if codes:
                values[some] = self._by_levels(np.stack(codes).T, levels)
            for k in np.flatnonzero(~coded[begin:end]).tolist():
                values[k] = measure(begin + k)
            return values

        tasks = [(begin,) for begin in range(0, len(read), COLUMNS_AT_ONCE)]
        found = run_tasks(measure_block, tasks, n_jobs=self.n_jobs, shared_memory=True)
        return shaped(np.concatenate([np.empty(0), *found]), read.single)

    def _by_levels(self, codes: Codes, levels: Codes) -> Floats:
        """Return the symmetrical uncertainty of columns of codes with the target."""
        weights, missing = self.weights, self.missing
        parts, _ = find_parts(codes, levels, weights, missing)
        if not self.correct_chance:
            return ratio(2 * parts.gain, parts.feature + parts.target)
        chance = np.array([chance_information(c, levels, missing) for c in codes.T])
        if weights is not None:
            # Weights that differ leave luck as much room as fewer rows would.
            known = [
                weights[c >= 0] if missing == "ignore" else weights for c in codes.T
            ]
            widening = [len(w) / max(effective_rows(w), 1.0) for w in known]
            most = np.minimum(parts.feature, parts.target)
            chance = np.minimum(chance * np.array(widening), most)
        return less_chance(parts, chance)

    def with_classes(self, j: int, classes: Codes, n_classes: int) -> Floats:
        """Return the signed association of a numeric column with each class."""
        name, values = self.association, self.read.values[j]
        if name in ("kendall", "gamma"):
            counts = concordance_by_class(RankedColumn(values), classes, n_classes)
            return counts.named(name, self.min_untied)
        if name == "spearman":
            values = RankedColumn(values).mid_ranks()
        elif name == "winsorised_pearson":
            values = winsorise(values, weights=self.weights)
        check_finite(values, f"Column {j}")
        return class_correlations(values, classes, n_classes, self.weights)

    def with_number(self, j: int, other: Floats, ranked: RankedColumn) -> float:
        """Return the signed association of a numeric column with a numeric target."""
        name, values = self.association, self.read.values[j]
        if name == "spearman":
            return rank_correlation(values, other)
        if name in ("kendall", "gamma"):
            counts = Concordance(
                *concordance_counts([RankedColumn(values)], [ranked])[0]
            )
            return float(counts.named(name, self.min_untied))
        if name == "winsorised_pearson":
            values = winsorise(values, weights=self.weights)
        check_finite(values, f"Column {j}")
        return correlate(values, other, self.weights)


def _check(  # noqa: PLR0917  (as the public functions have them)
    owner: str,
    read: Columns,
    association: str,
    weights: ArrayLike | None,
    missing: str,
    n_bins: int,
    min_untied: int,
    correct_chance: bool,
    n_jobs: int | None,
) -> Comparison:
    name, checked = check_association(association, weights, read.n_rows, owner)
    check_choice("missing", missing, ("ignore", "level"), owner)
    check_integer("n_bins", n_bins, owner, at_least=2)
    check_integer("min_untied", min_untied, owner, at_least=0)
    how = missing, n_bins, min_untied, correct_chance, n_jobs
    return Comparison(read, name, checked, *how)


def class_association(
    columns: Any,
    target: ArrayLike,
    *,
    association: str = "auto",
    nominal: Any = None,
    missing: str = "ignore",
    weights: ArrayLike | None = None,
    n_bins: int = 5,
    min_untied: int = 1,
    correct_chance: bool = False,
    n_jobs: int | None = None,
) -> Any:
    """Return how strongly each column goes with the class, from 0 to 1.

    A numeric column is compared with each class versus the rest, and the absolute
    values are weighted by the shares of the classes: ``sum_c p(c) |m(x, 1[y = c])|``. A
    nominal column is compared with the class by symmetrical uncertainty.

    Parameters
    ----------
    columns : array-like of shape (n_rows, n_features), or list of arrays
        Numbers with NaN for missing; where `nominal` says so, integer codes with
        negative for missing. A list of one-dimensional arrays is taken as columns.
    target : array-like of shape (n_rows,)
        Integer class codes, 0 or more.
    association : str, default="auto"
        What numeric columns are compared by: ``"kendall"`` (tau-b), ``"gamma"``,
        ``"spearman"``, ``"pearson"``, ``"winsorised_pearson"``, or
        ``"symmetrical_uncertainty"`` of `n_bins` levels of about equal frequency.
        ``"auto"`` is tau-b, or Pearson's correlation with `weights`.
    nominal : "all", mask of shape (n_features,) or None, default=None
        Which columns hold codes.
    missing : {"ignore", "level"}, default="ignore"
        Leave out rows whose value is missing, column by column; or, in nominal columns,
        take missing as one more level.
    weights : array-like of shape (n_rows,), default=None
        Weight of each row, for Pearson's correlation and symmetrical uncertainty; the
        statistics of order have no such form.
    n_bins : int, default=5
        Levels of numeric columns for symmetrical uncertainty.
    min_untied : int, default=1
        With fewer untied pairs gamma counts as 0.
    correct_chance : bool, default=False
        Take from symmetrical uncertainty what a column of the same levels that knows
        nothing has on average, as ``correction="permutation"`` of
        `symmetrical_uncertainty` does; it may then be negative.
    n_jobs : int or None, default=None
        Threads; every number gives the same bits.

    Returns
    -------
    float or ndarray of shape (n_features,)
        One number per column; 0 for a constant one.

    See Also
    --------
    target_association : The same for a numeric target.
    pairwise_association : Features with each other.

    Examples
    --------
    >>> from featsieve.measures import class_association
    >>> x, y = [1, 2, 2, 3, 3, 3], [0, 0, 1, 1, 2, 2]
    >>> round(class_association(x, y, association="gamma"), 6)
    0.733333
    >>> round(class_association(x, y, association="pearson"), 6)
    0.527046
    >>> round(class_association(x, y, nominal="all"), 6)
    0.520665
    """
    owner = "class_association"
    read = read_columns(columns, nominal)
    classes, n_classes = as_target(target, read.n_rows)
    how = missing, n_bins, min_untied, correct_chance, n_jobs
    compared = _check(owner, read, association, weights, *how)
    shares = np.bincount(classes, weights=compared.weights, minlength=n_classes)
    shares = shares / max(shares.sum(), np.finfo(float).tiny)

    def measure(j: int) -> float:
        each = compared.with_classes(j, classes, n_classes)
        return float(min(1.0, shares @ np.abs(each)))

    return compared.run(classes, measure)


@described_like(class_association)
def target_association(
    columns: Any,
    target: ArrayLike,
    *,
    association: str = "auto",
    nominal: Any = None,
    missing: str = "ignore",
    weights: ArrayLike | None = None,
    n_bins: int = 5,
    min_untied: int = 1,
    correct_chance: bool = False,
    n_jobs: int | None = None,
) -> Any:
    """Return how strongly each column goes with a numeric target, from 0 to 1.

    Numeric columns are compared with the target directly, and the absolute value is
    taken. For a nominal column, and for symmetrical uncertainty, the target is cut into
    levels of about equal frequency.

    Parameters
    ----------
    target : array-like of shape (n_rows,)
        Numbers, none missing.
    n_bins : int, default=5
        Levels of numeric columns and of the target for symmetrical uncertainty.

    Examples
    --------
    >>> from featsieve.measures import target_association
    >>> target_association([4.0, 3.0, 2.0, 1.0], [1.5, 2.5, 9.0, 11.0])
    1.0
    """
    owner = "target_association"
    read = read_columns(columns, nominal)
    other = as_numbers(np.asarray(target), "target")
    if len(other) != read.n_rows or np.isnan(other).any():
        raise ValueError(
            f"target must be a number in each of {read.n_rows} rows. Got {len(other)} "
            f"rows, {int(np.isnan(other).sum())} of them missing."
        )
    how = missing, n_bins, min_untied, correct_chance, n_jobs
    compared = _check(owner, read, association, weights, *how)
    levels = cut_column(other, n_bins, compared.weights)
    if compared.association == "winsorised_pearson":
        other = winsorise(other, weights=compared.weights)
    if compared.association.endswith("pearson"):
        check_finite(other, "The target")
    ranked = RankedColumn(other)
    return compared.run(levels, lambda j: abs(compared.with_number(j, other, ranked)))
