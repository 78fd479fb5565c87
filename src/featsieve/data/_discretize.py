"""Columns as codes, numeric ones cut, and as a matrix of numbers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.validation import check_is_fitted

from featsieve._checks import check_choice, check_integer, check_that
from featsieve._docs import SharedDocs
from featsieve._kernels import CutPrice, TreeColumns, apply_cuts, mdl_cuts
from featsieve._types import Array, Codes, Floats
from featsieve.data._inputs import (
    leave_out_unknown,
    read_features,
    read_target,
    read_weights,
)
from featsieve.data._table import Column, Table
from featsieve.exceptions import DataError
from featsieve.tallies import Tally
from featsieve.tallies.api import equal_frequency_cuts, equal_width_cuts

#: More levels than this tell rows apart, not kinds of rows.
MOST_BINS = 65_536
PRICES = {
    "fayyad_irani": CutPrice.FAYYAD_IRANI,
    "better": CutPrice.BETTER,
    "kononenko": CutPrice.KONONENKO,
}


class BaseDiscretizer(
    SharedDocs, OneToOneFeatureMixin, TransformerMixin, BaseEstimator
):
    """What all discretizers share: reading, cutting, coding.

    A subclass says in `_cut` where to cut one numeric column. Nominal columns keep
    their levels.

    Attributes
    ----------
    cut_points_ : list of (ndarray or None)
        Ascending cuts of each column; None for a nominal one.
    levels_ : list of tuple
        Levels of each nominal column.
    n_levels_ : ndarray of int32 of shape (n_features,)
        How many levels each column has after cutting, missing not counted.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : ndarray of str
        Their names, when all are strings.
    """

    #: Whether cuts are chosen with the class in sight.
    uses_target = False

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the cuts of every numeric column.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Anything `featsieve.data.read_table` reads from memory.
        y : array-like of shape (n_rows,), default=None
            The class; needed by `MDLDiscretizer` only, which leaves rows without one
            out, with a warning.
        """
        self._check_parameters()
        table = read_features(self, X, reset=True)
        weights = read_weights(sample_weight, table.n_rows)
        classes, n_classes = None, 0
        if self.uses_target:
            target = read_target(self, y, table.n_rows)
            classes, n_classes = target.codes, target.n_classes
            table, weights = leave_out_unknown(table, weights, target.rows)
        self.fit_table(table, classes, n_classes, weights)
        return self

    def fit_table(
        self,
        table: Table,
        classes: Codes | None,
        n_classes: int,
        weights: Floats | None,
    ) -> Self:
        """Find the cuts of a table that is already typed (for other packages)."""
        self._check_parameters()
        if weights is not None and weights.min(initial=1) == 0:
            # A row of no weight must not even suggest a cut.
            rows = weights > 0
            table, weights = table.take(rows), weights[rows]
            classes = None if classes is None else classes[rows]
        self.cut_points_ = [
            None
            if column.is_nominal
            else self._cut(column.values, weights, classes, n_classes)
            for column in table
        ]
        self._remember([column.levels for column in table])
        return self

    def fit_tallies(
        self, columns: Sequence[Tally], levels: Sequence[tuple[Any, ...]]
    ) -> list[Tally]:
        """Find the cuts of counted columns, and return these cut (for the library)."""
        self._check_parameters()
        self.cut_points_ = [
            None if column.keys is None else self._cut_tally(column)
            for column in columns
        ]
        self._remember(list(levels))
        return [
            column if cuts is None else column.cut(cuts)
            for column, cuts in zip(columns, self.cut_points_, strict=True)
        ]

    def _remember(self, levels: list[tuple[Any, ...]]) -> None:
        self.levels_ = levels
        self.n_features_in_ = len(levels)
        pairs = zip(levels, self.cut_points_, strict=True)
        n_levels = [len(own) if cuts is None else len(cuts) + 1 for own, cuts in pairs]
        self.n_levels_ = np.array(n_levels, dtype=np.int32)

    def transform(self, X: Any) -> Codes:
        """Return the level of every value.

        Returns
        -------
        ndarray of int32 of shape (n_rows, n_features)
            Numeric: the number of cuts below the value. Nominal: the position of the
            value among the levels seen in `fit`. Missing or unseen: -1.
        """
        check_is_fitted(self)
        table = read_features(self, X, reset=False)
        return self.encode(table).astype(np.int32, copy=False)

    def encode(self, table: Table) -> Array:
        """Return the codes of a typed table, column-major (for other packages).

        They are uint8 where no value is missing and levels are few, else int32.
        """
        columns = [self.code(j, column) for j, column in enumerate(table)]
        narrow = self.n_levels_.max(initial=0) <= 256 and all(
            column.min(initial=0) >= 0 for column in columns
        )
        codes = np.empty(
            (table.n_rows, table.n_columns),
            dtype=np.uint8 if narrow else np.int32,
            order="F",
        )
        for j, column in enumerate(columns):
            codes[:, j] = column
        return codes

    def code(self, position: int, column: Column) -> Codes:
        """Return the codes of one column (for other packages)."""
        cuts = self.cut_points_[position]
        if cuts is not None:
            if column.is_nominal:
                raise ValueError(
                    f"Column {column.name!r} was numeric in fit and holds text now. "
                    "Convert it, or fit again."
                )
            return apply_cuts(np.ascontiguousarray(column.values), cuts)
        levels = self.levels_[position]
        if column.levels == levels:
            return column.values
        place = {level: code for code, level in enumerate(levels)}
        if not column.is_nominal:
            found = [place.get(value, -1) for value in column.values.tolist()]
            return np.array(found, dtype=np.int32)
        translate = [place.get(level, -1) for level in column.levels]
        translated = np.array([*translate, -1], dtype=np.int32)
        return translated[column.values]

    @abstractmethod
    def _check_parameters(self) -> None: ...

    @abstractmethod
    def _cut_tally(self, numbers: Tally) -> Floats: ...

    @abstractmethod
    def _cut(
        self, values: Floats, weights: Floats | None, classes: Any, n_classes: int
    ) -> Floats: ...

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.target_tags.required = self.uses_target
        tags.transformer_tags.preserves_dtype = []
        return tags


class MDLDiscretizer(BaseDiscretizer):
    """Cut where the class changes, as long as a cut pays for its description.

    Fayyad and Irani's method: among all midpoints between neighbouring values take the
    cut with the least class entropy, accept it if the gain exceeds
    (log2(N − 1) + log2(3^k − 2) − (k·H − k1·H1 − k2·H2)) / N, and go on in both parts.
    A column without an accepted cut gets one level: it says nothing about the class
    that would be worth writing down. A value equal to a cut lies left of it. Missing
    values are left out of the search.

    Parameters
    ----------
    cut_cost : {"fayyad_irani", "better", "kononenko"}, default="fayyad_irani"
        What it costs to name a cut: ``"fayyad_irani"`` log2(N − 1); ``"better"``
        log2(number of possible cuts), which accepts more cuts where values repeat (the
        form Weka's attribute evaluators use); ``"kononenko"`` replaces the whole
        criterion by Kononenko's description length.

    Notes
    -----
    Cost: a sort per column. Ties between cuts: the lowest. With `sample_weight`, N is
    the sum of weights.

    References
    ----------
    U. Fayyad, K. Irani, "Multi-interval discretization of continuous-valued attributes
    for classification learning", IJCAI 1993. I. Kononenko, "On biases in estimating
    multi-valued attributes", IJCAI 1995.

    Examples
    --------
    >>> from featsieve.data import MDLDiscretizer
    >>> age = [[21], [25], [30], [34], [41], [48], [53], [60]]
    >>> buys = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> cuts = MDLDiscretizer().fit(age, buys)
    >>> cuts.cut_points_
    [array([37.5])]
    >>> cuts.transform([[37], [38], [float("nan")]]).ravel()
    array([ 0,  1, -1], dtype=int32)
    """

    uses_target = True

    def __init__(self, cut_cost: str = "fayyad_irani") -> None:
        self.cut_cost = cut_cost

    def _check_parameters(self) -> None:
        check_choice("cut_cost", self.cut_cost, tuple(PRICES), self)

    @property
    def price(self) -> CutPrice:
        """The kernel's name for `cut_cost`."""
        return PRICES[self.cut_cost]

    def _cut(
        self, values: Floats, weights: Floats | None, classes: Any, n_classes: int
    ) -> Floats:
        contiguous = np.ascontiguousarray(values)
        return mdl_cuts(contiguous, classes, n_classes, weights, self.price)

    def _cut_tally(self, numbers: Tally) -> Floats:
        return numbers.mdl_cuts(self.price)


class BinsDiscretizer(BaseDiscretizer):
    """What cuts into a number of bins, whatever the class."""

    def __init__(self, n_bins: int = 5) -> None:
        self.n_bins = n_bins

    def _check_parameters(self) -> None:
        check_integer("n_bins", self.n_bins, self, at_least=2, most=MOST_BINS)


class EqualFrequencyDiscretizer(BinsDiscretizer):
    """Cut so that every level holds about as many rows.

    Cuts lie midway between neighbouring distinct values, nearest to the wanted
    quantiles; equal values are never torn apart, so a column with heavy ties gets fewer
    levels. Missing values are left out.

    Parameters
    ----------
    n_bins : int, default=5
        Levels wanted, at most 65,536.

    Examples
    --------
    >>> from featsieve.data import EqualFrequencyDiscretizer
    >>> cuts = EqualFrequencyDiscretizer(n_bins=2).fit([[1], [2], [3], [100]])
    >>> cuts.cut_points_
    [array([2.5])]
    """

    def _cut(self, values: Floats, weights: Floats | None, *_: Any) -> Floats:
        return equal_frequency_cuts(values, self.n_bins, weights)

    def _cut_tally(self, numbers: Tally) -> Floats:
        return numbers.even_cuts(self.n_bins)


class EqualWidthDiscretizer(BinsDiscretizer):
    """Cut the range of every column into intervals of equal width.

    Parameters
    ----------
    n_bins : int, default=5
        Intervals wanted, at most 65,536. A constant column gets none. Missing values
        are left out.

    Examples
    --------
    >>> from featsieve.data import EqualWidthDiscretizer
    >>> EqualWidthDiscretizer(n_bins=4).fit([[0], [1], [8]]).cut_points_
    [array([2., 4., 6.])]
    """

    def _cut(self, values: Floats, *_: Any) -> Floats:
        return equal_width_cuts(values, self.n_bins)

    def _cut_tally(self, numbers: Tally) -> Floats:
        bounds = np.array(numbers.range) if numbers.n_levels else np.empty(0)
        return equal_width_cuts(bounds, self.n_bins)


DISCRETIZERS = (MDLDiscretizer, EqualFrequencyDiscretizer, EqualWidthDiscretizer)


def check_discretizer(discretizer: Any, owner: object) -> None:
    """Raise unless the parameter is None or one of our discretizers."""
    good = discretizer is None or isinstance(discretizer, DISCRETIZERS)
    must_be = f"None or one of {', '.join(kind.__name__ for kind in DISCRETIZERS)}"
    check_that(good, "discretizer", discretizer, owner, must_be)


def tree_columns(table: Table) -> TreeColumns:
    """Return the columns coded for growing trees."""
    columns = TreeColumns(table.n_rows)
    for column in table:
        values = np.ascontiguousarray(column.values)
        if column.is_nominal:
            columns.add_nominal(values, column.n_levels)
        else:
            columns.add_numeric(values)
    return columns


class MatrixEncoder:
    """Learn from training rows how to turn a table into numbers without gaps.

    Missing numbers become the median of the training rows (0 if there is none).
    Nominal columns become one column of codes each, missing being a code of its own,
    or one column per level seen in training; a level seen later only is none of them.

    Parameters
    ----------
    one_hot : bool
        One column per level instead of one per feature.
    """

    def __init__(self, *, one_hot: bool) -> None:
        self.one_hot = one_hot

    def fit(self, table: Table) -> Self:
        """Learn medians and levels."""
        self._numeric = [c.name for c in table if not c.is_nominal]
        self._nominal = [c.name for c in table if c.is_nominal]
        if self._numeric:
            self._imputer = SimpleImputer(strategy="median", keep_empty_features=True)
            self._imputer.fit(_columns(table, self._numeric))
        if self._nominal and self.one_hot:
            self._levels = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
            self._levels.fit(_columns(table, self._nominal))
        return self

    def transform(self, table: Table) -> Floats:
        """Return the numbers; with codes, columns are in the order of the table."""
        parts: dict[str, Floats] = {}
        if self._numeric:
            filled = self._imputer.transform(_columns(table, self._numeric))
            parts |= dict(zip(self._numeric, filled.T, strict=True))
        if not self.one_hot:
            parts |= {c.name: c.values.astype(float) for c in table if c.is_nominal}
            return np.column_stack([parts[name] for name in table.names])
        blocks: list[Any] = [parts[name][:, None] for name in self._numeric]
        if self._nominal:
            blocks.append(self._levels.transform(_columns(table, self._nominal)))
        return np.hstack(blocks)


def reads_typed_tables(estimator: Any) -> bool:
    """Whether an estimator is one of ours, which know nominal and missing values."""
    return any(
        kind.__module__.partition(".")[0] == "featsieve"
        for kind in type(estimator).__mro__
    )


def _columns(table: Table, names: list[str]) -> Floats:
    by_name = {column.name: column.values for column in table}
    return np.column_stack([by_name[name] for name in names]).astype(np.float64)


def aligned_table(table: Table, reference: Table) -> Table:
    """Return the table with names and codes of a reference, by the texts of levels.

    Columns are those of the reference by their place: an array has no names of its own.
    A level that the reference does not have becomes missing.

    Raises
    ------
    DataError
        If a column is numeric here and nominal there, or the other way round.
    """
    columns = []
    for column, known in zip(table, reference, strict=True):
        if column.is_nominal != known.is_nominal and column.missing.all():
            gaps = -1 if known.is_nominal else np.nan
            values = np.full_like(known.values, gaps, shape=table.n_rows)
            columns.append(Column(known.name, known.kind, values, known.levels))
            continue
        if column.is_nominal != known.is_nominal:
            raise DataError(
                f"Column {known.name!r} was {known.kind.value} in fit and is "
                f"{column.kind.value} now. Give it the same kind."
            )
        if not known.is_nominal or column.levels == known.levels:
            columns.append(replace(column, name=known.name))
            continue
        places = {str(level): code for code, level in enumerate(known.levels)}
        recode = np.array(
            [*(places.get(str(level), -1) for level in column.levels), -1], np.int32
        )
        values = recode[column.values]
        columns.append(Column(known.name, column.kind, values, known.levels))
    return Table(tuple(columns), None, table.source_notes, table.n_rows)
