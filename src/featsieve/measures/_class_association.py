"""How strongly columns of both kinds go with a class, or with a numeric target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from featsieve._checks import check_choice, check_integer
from featsieve._docs import described_like
from featsieve._kernels import RankedColumn, concordance_counts
from featsieve._types import Codes, Floats
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
)
from featsieve.measures._concordance import Concordance, concordance_by_class
from featsieve.measures._correlation import (
    class_correlations,
    correlate,
    rank_correlation,
    winsorise,
)
from featsieve.measures._entropy import find_parts, ratio, shaped
from featsieve.measures._gain import chance_information, less_chance

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
