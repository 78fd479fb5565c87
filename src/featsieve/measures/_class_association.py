"""How strongly columns of both kinds go with a class, or with a numeric target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve._checks import check_choice, check_integer
from featsieve._kernels import ConcordanceMeasure, RankedColumn, concordance_row
from featsieve.engine import run_tasks
from featsieve.measures._codes import as_target
from featsieve.measures._columns import (
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

    def __call__(self, codes: NDArray[np.int32]) -> float:
        """Return it for one column."""
        parts, _ = find_parts(codes, self.classes, self.weights, self.missing)
        if not self.correct_chance:
            plain: float = ratio(2 * parts.gain, parts.feature + parts.target)[0]
            return float(plain)
        chance = chance_information(codes, self.classes, self.missing)
        if self.weights is not None:
            # Weights that differ leave luck as much room as fewer rows would.
            known = self.weights[codes >= 0] if self.missing == "ignore" else None
            some = self.weights if known is None else known
            rows = some.sum() ** 2 / max(np.sum(some**2), np.finfo(float).tiny)
            most = min(parts.feature[0], parts.target[0])
            chance = min(chance * len(some) / max(rows, 1.0), float(most))
        return float(less_chance(parts, np.array([chance]))[0])


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
        values = read.values[j]
        if read.nominal[j] or name == "symmetrical_uncertainty":
            if not read.nominal[j]:
                values = cut_column(values, n_bins, checked)
            return by_levels(values)
        each = class_values(
            values,
            classes,
            n_classes,
            settings=settings,
            weights=checked,
            label=f"Column {j}",
        )
        return float(min(1.0, shares @ np.abs(each)))

    tasks = [(j,) for j in range(len(read))]
    found = run_tasks(measure, tasks, n_jobs=n_jobs, shared_memory=True)
    return shaped(np.array(found, dtype=np.float64), read.single)


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
        values = read.values[j]
        if read.nominal[j] or name == "symmetrical_uncertainty":
            if not read.nominal[j]:
                values = cut_column(values, n_bins, checked)
            return by_levels(values)
        found = _with_number(
            values,
            other,
            ranked,
            settings=settings,
            weights=checked,
            label=f"Column {j}",
        )
        return abs(found)

    tasks = [(j,) for j in range(len(read))]
    found = run_tasks(measure, tasks, n_jobs=n_jobs, shared_memory=True)
    return shaped(np.array(found, dtype=np.float64), read.single)


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
