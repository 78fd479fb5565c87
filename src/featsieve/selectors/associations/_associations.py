"""What subset searches ask: how features go with the class and with each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from featsieve._checks import check_choice
from featsieve._kernels import AssociationScanner, PairMeasure
from featsieve._types import Floats, Mask, Positions
from featsieve.data import MDLDiscretizer
from featsieve.data.api import Training
from featsieve.inference.api import CodedColumns, code_columns
from featsieve.measures import PairAssociations, class_association
from featsieve.measures.api import ASSOCIATIONS, MISSING, fill_matrix
from featsieve.selectors._base import BaseSelector
from featsieve.selectors.associations._association_samples import plan_samples

#: Associations are whole multiples of 2^-40 in our searches: sums of thousands of them
#: are exact, so that the order of columns and ties cannot depend on rounding.
GRID = 2.0**40

#: Counts, entropies and uncertainties below this are none in Weka.
WEKA_ZERO = 1e-6

#: Rounds an array of associations; the second argument says "with the class".
Rounding = Callable[[Floats, bool], Floats]


class Associations(Protocol):
    """Associations with the class, and one feature's with all others on demand."""

    with_class: Floats

    def row(self, feature: int) -> Floats:
        """Return one feature's association with every feature."""

    def matrix(self) -> Floats:
        """Return all of them."""


class GivenAssociations:
    """Associations that are known beforehand."""

    def __init__(self, with_class: ArrayLike, between: ArrayLike) -> None:
        self.with_class = np.asarray(with_class, dtype=np.float64)
        self._between = np.asarray(between, dtype=np.float64)

    def row(self, feature: int) -> Floats:
        """Return one feature's association with every feature."""
        return self._between[feature]

    def matrix(self) -> Floats:
        """Return all of them."""
        return self._between


class UncertaintyAssociations:
    """Associations counted from codes, row by row, when they are asked for.

    `rounding` is done to every association before a search sees it; `n_jobs` threads
    count the whole matrix.
    """

    def __init__(
        self,
        columns: CodedColumns,
        missing: str,
        *,
        measure: PairMeasure = PairMeasure.SYMMETRICAL_UNCERTAINTY,
        rounding: Rounding | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self._scanner = AssociationScanner(
            columns.codes, columns.classes, MISSING[missing], weights=columns.weights
        )
        self._measure = measure
        self._rounding = rounding
        self._n_jobs = n_jobs
        self._rows: dict[int, Floats] = {}
        self.raw_with_class = self._scanner.row(self._scanner.n_features, measure)
        self.with_class = self._round(self.raw_with_class, True)

    def _round(self, values: Floats, cls: bool) -> Floats:
        return values if self._rounding is None else self._rounding(values, cls)

    def row(self, feature: int) -> Floats:
        """Return one feature's association with every feature."""
        if feature not in self._rows:
            values = self._scanner.row(feature, self._measure)
            self._rows[feature] = self._round(values, False)
        return self._rows[feature]

    def matrix(self) -> Floats:
        """Return all of them."""
        whole = fill_matrix(self._scanner, self._measure, self._n_jobs)
        return self._round(whole, False)


def on_grid(values: Floats, _with_class: bool) -> Floats:
    """Round to the grid on which sums are exact."""
    return np.rint(values * GRID) / GRID


def weka_rounding(values: Floats, with_class: bool) -> Floats:
    """Round to 32 bits, and take no association between two features for a full one."""
    nothing = 0.0 if with_class else 1.0
    chosen = np.where(np.abs(values) < WEKA_ZERO, nothing, values)
    return chosen.astype(np.float32).astype(np.float64)


@dataclass(kw_only=True, eq=False, repr=False)
class UncertaintyFilter(BaseSelector):
    """Base of filters by symmetrical uncertainty, ours or Weka's.

    Parameters
    ----------
    missing : {"auto", "level", "ignore", "spread"}, default="auto"
        What becomes of missing values: one more level; rows left out, pair by pair; or
        shared out over the levels. ``"auto"`` is ``"level"``, and ``"spread"`` with
        ``compatibility="weka"``.
    discretizer : discretizer or None, default=None
        How numeric features are cut: None is ``MDLDiscretizer()``, with
        ``cut_cost="better"`` for Weka. Cuts are learnt from the rows given to `fit`.

    Attributes
    ----------
    discretizer_ : discretizer
        The fitted discretizer, with `cut_points_`.
    """

    missing: str = "auto"
    discretizer: Any = None
    compatibility: str | None = None
    target_bins: int | None = None

    @property
    def _weka(self) -> bool:
        return self.compatibility == "weka"

    def _check_parameters(self) -> None:
        choices = ("auto", "level", "ignore", "spread")
        check_choice("missing", self.missing, choices, self)
        check_choice("compatibility", self.compatibility, (None, "weka"), self)

    def _code(self, training: Training) -> tuple[CodedColumns, str]:
        """Return columns of codes, and how missing values are treated."""
        discretizer, missing = self.discretizer, self.missing
        if discretizer is None and self._weka:
            discretizer = MDLDiscretizer(cut_cost="better")
        if missing == "auto":
            missing = "spread" if self._weka else "level"
        columns, self.discretizer_, _ = code_columns(training, discretizer)
        return columns, missing


#: How far sums in another order may take an uncertainty.
DOUBT = 3e-14


# Copies have the same uncertainty, and features that tell the same in other words have
# the same up to rounding. Which of them Weka takes first hangs on the order in which it
# adds and on a sort that is not stable, so both are done here as Weka does them.


class WekaAssociations(UncertaintyAssociations):
    """Uncertainties rounded to 32 bits as Weka rounds them.

    Where the order of a sum decides which way, it is added up in Weka's order; but not
    of pairs whose missing values are shared out or left out.
    """

    def __init__(
        self, columns: CodedColumns, missing: str, *, n_jobs: int | None = None
    ) -> None:
        super().__init__(columns, missing, rounding=weka_rounding, n_jobs=n_jobs)
        self._columns = columns
        self._counted = columns.codes.min(axis=0, initial=0) >= 0
        if missing == "level":
            self._counted[:] = True

    def row(self, feature: int) -> Floats:
        """Return one feature's association with every feature."""
        if feature not in self._rows:
            values = self._scanner.row(feature, self._measure)
            if self._counted[feature]:
                for other in np.flatnonzero(_in_doubt(values) & self._counted):
                    values[other] = self._settled(feature, int(other))
            self._rows[feature] = self._round(values, False)
        return self._rows[feature]

    def matrix(self) -> Floats:
        """Return all of them."""
        whole = fill_matrix(self._scanner, self._measure, self._n_jobs)
        doubt = _in_doubt(whole) & self._counted & self._counted[:, None]
        for one, other in np.argwhere(np.triu(doubt)).tolist():
            whole[one, other] = whole[other, one] = self._settled(one, other)
        return self._round(whole, False)

    def _settled(self, one: int, other: int) -> float:
        columns, (earlier, later) = self._columns, sorted((one, other))
        # One more level each for missing values.
        n_rows, n_columns = (columns.n_levels[[later, earlier]] + 1).tolist()
        places = _level_numbers(columns, later) * n_columns
        table = np.bincount(
            places + _level_numbers(columns, earlier),
            weights=columns.weights,
            minlength=n_rows * n_columns,
        ).reshape(n_rows, n_columns)
        return _uncertainty(table.astype(np.float64))


def _level_numbers(columns: CodedColumns, feature: int) -> Positions:
    """Return the codes of a feature, missing values after all levels."""
    codes = columns.codes[:, feature].astype(np.intp)
    codes[codes < 0] = columns.n_levels[feature]
    return codes


def _in_doubt(values: Floats) -> Mask:
    """Return which values are rounded up or down by a hair."""
    low, high = (weka_rounding(values + way, False) for way in (-DOUBT, DOUBT))
    return low != high


def weka_uncertainties(columns: CodedColumns, missing: str) -> Floats:
    """Return symmetrical uncertainties with the class, added up in Weka's order.

    `missing` is ``"spread"``, or ``"level"`` for a level after all others.
    """
    result = np.empty(len(columns.n_levels))
    for j, n_levels in enumerate(columns.n_levels.tolist()):
        # Rows of the table are levels, the last one is missing.
        table = np.bincount(
            _level_numbers(columns, j) * columns.n_classes + columns.classes,
            weights=columns.weights,
            minlength=(n_levels + 1) * columns.n_classes,
        ).reshape(n_levels + 1, columns.n_classes)
        known = table[:n_levels]
        if missing == "spread" and known.any() and table[n_levels].any():
            shares = known.sum(axis=1) / known.sum()
            table = known + shares[:, None] * table[n_levels]
        result[j] = _uncertainty(table.astype(np.float64))
    return result


def _uncertainty(table: Floats) -> float:
    of_level = _add_across(table)
    of_class = _add_across(table.T)
    whole = _log_terms(_add_up(of_class))
    levels = _add_up(_log_terms(of_level))
    class_entropy = whole - _add_up(_log_terms(of_class))
    level_entropy = whole - levels
    left = levels - _add_up(_log_terms(table).ravel())
    both = class_entropy + level_entropy
    if class_entropy < WEKA_ZERO or level_entropy < WEKA_ZERO:
        return 0.0
    return float(2.0 * (class_entropy - left) / both)


def _log_terms(counts: Floats) -> Floats:
    """Return c · ln c."""
    some = np.maximum(counts, WEKA_ZERO)
    return np.where(counts < WEKA_ZERO, 0.0, counts * np.log(some))


def _add_up(values: Floats) -> Floats:
    """Return the sum from left to right; NumPy's own adds pairs."""
    return np.add.accumulate(values)[-1]


def _add_across(table: Floats) -> Floats:
    """Return the sums of rows from left to right."""
    return np.add.accumulate(table, axis=1)[:, -1]


def weka_order(scores: Iterable[float]) -> list[int]:
    """Return features from the greatest score down, equal ones as Weka has them.

    That is the reverse of a quicksort by the median of the first, the middle and the
    last, whose partition starts with the pivot put aside as the last but one.
    """
    values = [float(score) for score in scores]
    order = list(range(len(values)))

    def put_in_order(*places: int) -> None:
        for k, low in enumerate(places):
            for high in places[k + 1 :]:
                if values[order[low]] > values[order[high]]:
                    order[low], order[high] = order[high], order[low]

    open_ranges = [(0, len(values) - 1)]
    while open_ranges:
        first, last = open_ranges.pop()
        if last - first < 3:
            put_in_order(*range(first, last + 1))
            continue
        middle = (first + last) // 2
        put_in_order(first, middle, last)
        order[middle], order[last - 1] = order[last - 1], order[middle]
        pivot = values[order[last - 1]]
        low, high = first + 1, last - 2
        while True:
            while values[order[low]] < pivot:
                low += 1
            while values[order[high]] > pivot:
                high -= 1
            if low >= high:
                break
            order[low], order[high] = order[high], order[low]
            low, high = low + 1, high - 1
        order[low], order[last - 1] = order[last - 1], order[low]
        open_ranges += [(first, low - 1), (low + 1, last)]
    return order[::-1]


@dataclass(kw_only=True, eq=False, repr=False)
class MeasuredFilter(BaseSelector):
    """Base of filters by associations of typed columns.

    Parameters
    ----------
    association : str, default="auto"
        As for `featsieve.measures.class_association`: numeric features by Kendall's
        tau-b, nominal ones by symmetrical uncertainty. With `sample_weight`, which
        statistics of order do not have, ``"auto"`` is Pearson's correlation.
    missing : {"ignore", "level"}, default="ignore"
        Rows with a missing value are left out, pair by pair; or missing is one more
        level of a nominal feature.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Association of every feature with the class.
    selected_ : ndarray of int of shape (n_selected,)
        The kept features in the order of choice.
    """

    association: str = "auto"
    missing: str = "ignore"
    target_bins: int | None = None
    n_jobs: int | None = None

    def _check_parameters(self) -> None:
        check_choice("association", self.association, ASSOCIATIONS, self)
        check_choice("missing", self.missing, ("ignore", "level"), self)


class MeasuredAssociations:
    """Associations of typed columns, numeric and nominal, measured on demand.

    `extra` are more numeric columns, after those of the table. Two numeric features are
    compared by `between`, by default as with the class; pairs are not corrected for
    chance. All else is as for `class_association` and `pairwise_association` of
    `featsieve.measures`.
    """

    def __init__(
        self,
        training: Training,
        association: str,
        missing: str,
        n_jobs: int | None,
        *,
        extra: Sequence[Floats] = (),
        between: str | None = None,
        mixed: str = "cut",
        correct_chance: bool = False,
    ) -> None:
        between = association if between is None else between
        columns = [np.ascontiguousarray(c.values) for c in training.table]
        columns += extra
        nominal = np.zeros(len(columns), dtype=bool)
        nominal[: training.table.n_columns] = [c.is_nominal for c in training.table]
        self._n_jobs = n_jobs
        settings: dict[str, Any] = {
            "association": association,
            "nominal": nominal,
            "missing": missing,
            "weights": training.weights,
            "n_jobs": n_jobs,
        }
        self.with_class: Floats = class_association(
            columns, training.target.codes, correct_chance=correct_chance, **settings
        )
        settings["association"] = between
        self._pairs = PairAssociations(columns, mixed=mixed, **settings)

    def row(self, feature: int) -> Floats:
        """Return one feature's association with every feature."""
        return on_grid(self._pairs.row(feature), False)

    def matrix(self) -> Floats:
        """Return all of them."""
        return on_grid(self._pairs.matrix(n_jobs=self._n_jobs), False)


class SampledAssociations:
    """Means of `MeasuredAssociations` over samples of rows, disjoint while rows last.

    Columns that take one value only in a sample count 0 there.
    """

    def __init__(
        self,
        training: Training,
        association: str,
        missing: str,
        n_jobs: int | None,
        *,
        n_subsamples: int,
        sample_size: int,
        seed: int,
        extra: Sequence[Floats] = (),
        **options: Any,
    ) -> None:
        plan = plan_samples(training.table.n_rows, n_subsamples, sample_size, seed)
        self._samples = []
        for sample in range(n_subsamples):
            rows = np.sort(plan.rows(sample))
            part = Training(
                training.table.take(rows),
                replace(training.target, codes=training.target.codes[rows]),
                None if training.weights is None else training.weights[rows],
            )
            columns = [column[rows] for column in extra]
            self._samples.append(
                MeasuredAssociations(
                    part, association, missing, n_jobs, extra=columns, **options
                )
            )
        self.with_class: Floats = np.mean(
            [sample.with_class for sample in self._samples], axis=0
        )

    def row(self, feature: int) -> Floats:
        """Return one feature's association with every feature."""
        rows = [sample.row(feature) for sample in self._samples]
        return on_grid(np.mean(rows, axis=0), False)

    def matrix(self) -> Floats:
        """Return all of them."""
        matrices = [sample.matrix() for sample in self._samples]
        return on_grid(np.mean(matrices, axis=0), False)
