"""How strongly columns of both kinds go with a class, or with a numeric target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve._checks import check_choice, check_integer
from featsieve._kernels import ConcordanceMeasure, RankedColumn, concordance_row
from featsieve.engine import run_tasks
from featsieve.measures._codes import as_target, effective_rows
from featsieve.measures._columns import (
    Columns,
    as_numbers,
    check_association,
    check_finite,
    cut_column,
    read_columns,
)
from featsieve.measures._concordance import concordance_by_class
from featsieve.measures._correlation import (
    class_correlations,
    correlate,
    rank_correlation,
    winsorise,
)
from featsieve.measures._gain import chance_information, less_chance
from featsieve.measures._parts import find_parts, ratio, shaped

#: Columns in one task; small ones cost less together.
COLUMNS_AT_ONCE = 16

__all__ = ["Settings", "class_association", "class_values", "target_association"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How an association is measured, checked."""

    association: str
    missing: str = "ignore"
    n_bins: int = 5
    min_untied: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class LevelsMeasure:
    """Symmetrical uncertainty with one class, of columns of codes."""

    classes: NDArray[np.int32]
    weights: NDArray[np.float64] | None
    missing: str
    correct_chance: bool

    def __call__(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return it for the columns of a matrix."""
        parts, _ = find_parts(codes, self.classes, self.weights, self.missing)
        if not self.correct_chance:
            plain: NDArray[np.float64] = ratio(
                2 * parts.gain, parts.feature + parts.target
            )
            return plain
        chance = np.array(
            [chance_information(c, self.classes, self.missing) for c in codes.T]
        )
        if self.weights is not None:
            # Weights that differ leave luck as much room as fewer rows would.
            widening = [self._widening(column) for column in codes.T]
            most = np.minimum(parts.feature, parts.target)
            chance = np.minimum(chance * np.array(widening), most)
        return less_chance(parts, chance)

    def _widening(self, codes: NDArray[np.int32]) -> float:
        assert self.weights is not None  # the caller asks only then
        some = self.weights[codes >= 0] if self.missing == "ignore" else self.weights
        return len(some) / max(effective_rows(some), 1.0)


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
    name, checked = check_association(association, weights, read.n_rows, owner)
    settings = _check_settings(name, missing, n_bins, min_untied, owner)
    shares = np.bincount(classes, weights=checked, minlength=n_classes)
    shares = shares / max(shares.sum(), np.finfo(float).tiny)
    by_levels = LevelsMeasure(classes, checked, missing, correct_chance)

    def measure(j: int) -> float:
        each = class_values(
            read.values[j],
            classes,
            n_classes,
            settings=settings,
            weights=checked,
            label=f"Column {j}",
        )
        return float(min(1.0, shares @ np.abs(each)))

    found = _measure_all(read, settings, by_levels, measure, n_jobs)
    return shaped(found, read.single)


def _measure_all(
    read: Columns,
    settings: Settings,
    by_levels: LevelsMeasure,
    measure: Callable[[int], float],
    n_jobs: int | None,
) -> NDArray[np.float64]:
    """Return the association of all columns, coded ones by levels, blocks at a time."""
    coded = read.nominal | (settings.association == "symmetrical_uncertainty")

    def measure_block(begin: int) -> NDArray[np.float64]:
        end = min(begin + COLUMNS_AT_ONCE, len(read))
        values = np.empty(end - begin)
        some = np.flatnonzero(coded[begin:end])
        codes = [
            read.values[j]
            if read.nominal[j]
            else cut_column(read.values[j], settings.n_bins, by_levels.weights)
            for j in begin + some
        ]
        if codes:
            values[some] = by_levels(np.stack(codes).T)
        for k in np.flatnonzero(~coded[begin:end]).tolist():
            values[k] = measure(begin + k)
        return values

    tasks = [(begin,) for begin in range(0, len(read), COLUMNS_AT_ONCE)]
    found = run_tasks(measure_block, tasks, n_jobs=n_jobs, shared_memory=True)
    return np.concatenate([np.empty(0), *found])


def _check_settings(
    name: str, missing: str, n_bins: int, min_untied: int, owner: str
) -> Settings:
    check_choice("missing", missing, ("ignore", "level"), owner)
    check_integer("n_bins", n_bins, owner, at_least=2)
    check_integer("min_untied", min_untied, owner, at_least=0)
    return Settings(name, missing, n_bins, min_untied)


def class_values(
    values: NDArray[np.float64],
    classes: NDArray[np.int32],
    n_classes: int,
    *,
    settings: Settings,
    weights: NDArray[np.float64] | None,
    label: str,
) -> NDArray[np.float64]:
    """Return the signed association of a numeric column with each class."""
    name = settings.association
    if name in ("kendall", "gamma"):
        counts = concordance_by_class(RankedColumn(values), classes, n_classes)
        return (
            counts.tau_b() if name == "kendall" else counts.gamma(settings.min_untied)
        )
    if name == "spearman":
        values = RankedColumn(values).mid_ranks()
    elif name == "winsorised_pearson":
        values = winsorise(values, weights=weights)
    check_finite(values, label)
    return class_correlations(values, classes, n_classes, weights)


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
    columns, association, nominal, missing, weights, min_untied, correct_chance, n_jobs
        As for `class_association`.
    target : array-like of shape (n_rows,)
        Numbers, none missing.
    n_bins : int, default=5
        Levels of numeric columns and of the target for symmetrical uncertainty.

    Returns
    -------
    float or ndarray of shape (n_features,)
        One number per column; 0 for a constant one.

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
        message = (
            f"target must be a number in each of {read.n_rows} rows. Got {len(other)} "
            f"rows, {int(np.isnan(other).sum())} of them missing."
        )
        raise ValueError(message)
    name, checked = check_association(association, weights, read.n_rows, owner)
    settings = _check_settings(name, missing, n_bins, min_untied, owner)
    levels = cut_column(other, n_bins, checked)
    by_levels = LevelsMeasure(levels, checked, missing, correct_chance)
    if name == "winsorised_pearson":
        other = winsorise(other, weights=checked)
    if name.endswith("pearson"):
        check_finite(other, "The target")
    ranked = RankedColumn(other)

    def measure(j: int) -> float:
        found = _with_number(
            read.values[j],
            other,
            ranked,
            settings=settings,
            weights=checked,
            label=f"Column {j}",
        )
        return abs(found)

    found = _measure_all(read, settings, by_levels, measure, n_jobs)
    return shaped(found, read.single)


def _with_number(
    values: NDArray[np.float64],
    other: NDArray[np.float64],
    ranked: RankedColumn,
    *,
    settings: Settings,
    weights: NDArray[np.float64] | None,
    label: str,
) -> float:
    name = settings.association
    if name == "spearman":
        return rank_correlation(values, other)
    if name in ("kendall", "gamma"):
        kind = ConcordanceMeasure.TAU_B
        if name == "gamma":
            kind = ConcordanceMeasure.GAMMA
        column = RankedColumn(values)
        return float(concordance_row(column, [ranked], kind, settings.min_untied)[0])
    if name == "winsorised_pearson":
        values = winsorise(values, weights=weights)
    check_finite(values, label)
    return correlate(values, other, weights)
