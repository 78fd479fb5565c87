"""What every selector shares: reading a table, keeping columns, telling about it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from featsieve._checks import (
    check_integer,
    check_jobs,
    check_real,
    check_seed,
    warn_caller,
)
from featsieve._docs import SharedDocs
from featsieve._types import Array, Floats, Ints, Mask, Positions
from featsieve.data import Column, ColumnKind, Table, TableStream
from featsieve.data.api import (
    RowDesign,
    RowOptions,
    TakesTables,
    Target,
    Training,
    as_pandas,
    check_discretizer,
    check_names,
    frame_objects,
    is_frame,
    leave_out_unknown,
    named_column,
    option_column,
    plain_input,
    read_design,
    read_features,
    read_target,
    read_weights,
    table_values,
    take_columns,
    weight_column,
)
from featsieve.engine import root_seed
from featsieve.exceptions import (
    DataError,
    DependentRowsWarning,
    NoFeatureSelectedWarning,
)
from featsieve.inference.api import look_for_dependence, to_units


@dataclass(eq=False, repr=False)
class BaseSelector(SharedDocs, TakesTables, SelectorMixin, BaseEstimator):
    """Base of all selectors: reads tables, chooses, and keeps the chosen columns.

    A subclass checks its own parameters in `_check_parameters`, and in `_fit` sets
    `scores_`, `support_` and `steps_` from a `Training`. `_fit` may return the features
    from best to worst; otherwise scores rank them, of equal ones the first is better.

    Parameters
    ----------
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Columns whose kind is not the one of their type.
    target_bins : int or None, default=None
        Cut a numeric target into so many classes of about equal size.
    n_jobs : int or None, default=None
        Threads; any number gives the same answer.

    Attributes
    ----------
    ranking_ : ndarray of int of shape (n_features,)
        1 for the greatest score; of equal ones the first is better.
    support_ : ndarray of bool of shape (n_features,)
        Which features are kept.
    classes_ : ndarray
        The classes; empty if the target is a quantity.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of str
        Their names, when all are strings.
    """

    _: KW_ONLY
    nominal: Any = None
    numeric: Any = None
    #: Whether `_fit` takes a target that is a quantity; others cut it into classes.
    _takes_quantities = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Score the features and choose among them.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            A frame (pandas, polars, pyarrow), an array, or anything else that
            `featsieve.data.read_table` reads from memory. Filters that need only
            counts also take a `featsieve.data.TableStream`, with ``y=None``.
        y : array-like of shape (n_rows,)
            The target. Rows without one are left out, with a warning.
        """
        return self._fit_to(X, y, sample_weight)

    def _fit_to(self, X: Any, y: Any, sample_weight: Any) -> Self:
        self._check_parameters()
        self._check_shared_parameters()
        # What an earlier fit has found must not be taken for the answer of this one.
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)
        order = None
        if isinstance(X, TableStream):
            order = self._read_stream(X, y, sample_weight)
        elif sample_weight is not None or not self._fit_small(X, y):
            order = self._fit(self._read(X, y, sample_weight))
        self.ranking_ = rank_scores(self.scores_) if order is None else _ranks(order)
        if not self.support_.any():
            message = (
                f"{type(self).__name__} kept no feature. Loosen its criterion, or take "
                "this as the answer."
            )
            warn_caller(message, NoFeatureSelectedWarning)
        return self

    @abstractmethod
    def _check_parameters(self) -> None: ...

    def _check_shared_parameters(self) -> None:
        """Check what many selectors have, whether or not it is used this time."""
        check_jobs(getattr(self, "n_jobs", None), self)
        check_seed(getattr(self, "random_state", None), self)
        check_discretizer(getattr(self, "discretizer", None), self)
        if getattr(self, "target_bins", None) is not None:
            check_integer("target_bins", self.target_bins, self, at_least=2)

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Training:
        """Return the rows of some weight whose target is known."""
        table = read_features(
            self, X, reset=True, nominal=self.nominal, numeric=self.numeric
        )
        if isinstance(X, Table) and y is None:
            y = X.target
        target = read_target(
            self,
            y,
            table.n_rows,
            n_bins=getattr(self, "target_bins", None),
            quantities=self._takes_quantities,
        )
        weights = self._read_weights(sample_weight, table)
        table, weights = leave_out_unknown(table, weights, target.rows)
        if weights is not None and not weights.all():
            used = weights > 0
            table, target, weights = table.take(used), target.take(used), weights[used]
            weights = None if np.all(weights == 1) else weights
        self.classes_ = np.fromiter(target.classes, object, len(target.classes))
        return Training(table, target, weights, X)

    def _read_weights(self, weights: Any, table: Table) -> Floats | None:
        return read_weights(weights, table.n_rows)

    @abstractmethod
    def _fit(self, training: Training) -> Positions | None: ...

    def _fit_small(self, X: Any, y: Any) -> bool:  # noqa: ARG002  (few can)
        """Fit from small whole numbers without typed columns; whether it was done."""
        return False

    def _read_stream(
        self, stream: TableStream, y: Any, sample_weight: Any
    ) -> Positions | None:
        if y is not None or sample_weight is not None:
            message = (
                f"{type(self).__name__} takes the target from the stream and no "
                "weights. Say `fit(stream, None)`; the target is named in "
                "`open_stream`."
            )
            raise DataError(message)
        self.n_features_in_ = len(stream.names)
        self.feature_names_in_ = np.array(stream.names, dtype=object)
        return self._fit_stream(stream)

    def _fit_stream(self, stream: TableStream) -> Positions | None:
        """Fit from a stream, if this selector can work from counts."""
        sample = min(100_000, max(1, stream.n_rows // 2))
        message = (
            f"{type(self).__name__} needs rows, and a stream gives it counts only. Fit "
            f"it on a sample: `fit(stream.sample({sample}), None)`."
        )
        raise DataError(message)

    def _keep(self, chosen: Iterable[int]) -> None:
        """Keep the chosen features, and remember the order of choice."""
        self.selected_ = np.array(list(chosen), dtype=np.int64)
        self.support_ = mask_of(self.selected_, self.n_features_in_)

    def _ranked_steps(
        self, names: tuple[str, ...], **more: Array | list[str]
    ) -> list[dict[str, Any]]:
        """Return the features from best to worst, each with its part of `more`."""
        columns = {
            key: values if isinstance(values, list) else values.tolist()
            for key, values in more.items()
        }
        order = np.argsort(-self.scores_, kind="stable")
        return [
            {
                "feature": names[j],
                "rank": rank,
                "score": float(self.scores_[j]),
                "kept": bool(self.support_[j]),
                **{key: values[j] for key, values in columns.items()},
            }
            for rank, j in enumerate(order.tolist(), start=1)
        ]

    def _get_support_mask(self) -> Mask:
        check_is_fitted(self)
        mask: Mask = self.support_
        return mask

    def transform(self, X: Any) -> Any:
        """Return `X` with the chosen features only.

        Returns
        -------
        table of shape (n_rows, n_selected)
            A pyarrow table stays one unless ``set_output`` asks for another frame, and
            pandas and polars frames become what it asks for, with the types of their
            columns; all else becomes an array, as scikit-learn does it.
        """
        check_is_fitted(self)
        X = plain_input(X)
        own = getattr(self, "_sklearn_output_config", {})
        wanted = own.get("transform", get_config()["transform_output"])
        kept = np.flatnonzero(self.support_).tolist()
        if isinstance(X, Table):
            check_names(self, X, reset=False)
            return table_values(X.select([X.names[j] for j in kept]), wanted)
        if not is_frame(X):
            return super().transform(X)
        if wanted != "default" or isinstance(X, pa.Table):
            validate_data(self, X, reset=False, skip_check_array=True)
            chosen = take_columns(X, kept)
            # What scikit-learn makes of a foreign frame loses the types of columns.
            foreign = wanted == "pandas" and hasattr(chosen, "to_pandas")
            return as_pandas(chosen) if foreign else chosen
        objects = frame_objects(X)
        if objects is None:
            return super().transform(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        return self._transform(objects)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.target_tags.required = True
        return tags


def rank_scores(scores: Floats) -> Ints:
    """Return ranks from 1 for the greatest score; of equal ones the first is better."""
    return _ranks(np.argsort(-scores, kind="stable"))


def _ranks(order: Positions) -> Ints:
    """Return ranks from 1 for the first of features from best to worst."""
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(1, len(order) + 1)
    return ranks


def mask_of(subset: Any, n_features: int) -> Mask:
    """Return a mask of features."""
    mask = np.zeros(n_features, dtype=bool)
    mask[list(subset)] = True
    return mask


def count_wanted(wanted: Any, n_features: int, owner: object) -> int | None:
    """Return how many features are wanted at most, from a number, a share or None."""
    name = "n_features_to_select"
    if wanted is None:
        return None
    if isinstance(wanted, float):
        share = check_real(name, wanted, owner, above=0, most=1)
        return max(1, int(share * n_features))
    return min(check_integer(name, wanted, owner, at_least=1), n_features)


def best_features(scores: Floats, most: int | None) -> Mask:
    """Return the mask of the `most` best scores."""
    if most is None:
        return np.ones(len(scores), dtype=bool)
    return rank_scores(scores) <= most


@dataclass(eq=False, repr=False)
class RowOptionsSelector(BaseSelector):
    """Base of selectors whose tests exchange rows, or depend on their number.

    `_fit` finds how rows belong together in the `design` of its `Training`; rows that
    follow each other in time are replaced by what is new in them before. Where
    `_collapses`, groups whose rows share one target come as one row each. Unless
    `_keeps_classes`, two classes that follow each other may come as a quantity.
    """

    _collapses = False
    _keeps_classes = True
    _rows: ClassVar[RowOptions] = RowOptions()
    _named: ClassVar[tuple[int, ...]] = ()

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = "auto",
        time: Any = None,
        strata: Any = None,
    ) -> Self:
        """Score the features and choose among them.

        Parameters
        ----------
        sample_weight : array-like of shape (n_rows,), str or None, default=None
            Weight of each row, or the name of a column of `X`.
        groups : array-like of shape (n_rows,), str, "auto" or None, default="auto"
            Which rows belong together, such as those of one patient: a value per row,
            or the name of a column of `X`, which then is no feature. ``"auto"`` looks
            for repeated rows, identifiers and series, heeds them and warns; None says
            that rows are exchangeable.
        time : array-like of shape (n_rows,), str or None, default=None
            When each row was seen, if neighbours in time are alike: numbers, dates, or
            the name of a column. Columns are then compared by what is new in each row.
        strata : array-like of shape (n_rows,), str or None, default=None
            Rows are exchanged only within these; with `time`, each is a series.
        """
        self.__dict__["_rows"] = RowOptions(groups, time, strata)
        try:
            return self._fit_to(X, y, sample_weight)
        finally:
            for name in ("_rows", "_named"):
                self.__dict__.pop(name, None)

    def _tests(self) -> bool:
        """Whether anything is tested, so that it matters how rows belong together."""
        return True

    def _fit_to(self, X: Any, y: Any, sample_weight: Any) -> Self:
        given = self._rows.given
        if isinstance(X, TableStream) and given:
            message = (
                f"{type(self).__name__} takes no {next(iter(given))} with a stream, of "
                "which rows are counted only. Fit it on a sample: "
                "`fit(stream.sample(100000), None, ...)`."
            )
            raise DataError(message)
        super()._fit_to(X, y, sample_weight)
        self.support_[list(self._named)] = False
        return self

    def _read_weights(self, weights: Any, table: Table) -> Floats | None:
        if isinstance(weights, str):
            weights = weight_column(type(self).__name__, weights, table)
        return super()._read_weights(weights, table)

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Training:
        training = super()._read(X, y, sample_weight)
        given = self._rows.given
        named = {v for v in (*given.values(), sample_weight) if isinstance(v, str)}
        names = training.table.names
        self.__dict__["_named"] = tuple(j for j, n in enumerate(names) if n in named)
        if not given:
            training = replace(training, table=_without_values(training.table, named))
            if not self._rows.is_auto or not self._tests():
                return training
            return self._find_design(training)
        owner, table = type(self).__name__, training.table
        mask = training.target.rows
        n_rows = table.n_rows if mask is None else len(mask)
        columns = {}
        for option, value in given.items():
            if isinstance(value, str):
                columns[option] = named_column(owner, option, value, table)
                continue
            column = option_column(owner, option, value, n_rows)
            columns[option] = column if mask is None else column.take(mask)
        table = _without_values(table, named)
        design = read_design(owner, table.n_rows, **columns)
        return self._settle(replace(training, table=table), design)

    def _find_design(self, training: Training) -> Training:
        """Heed what the rows show, and say so."""
        if training.weights is not None:
            return training
        table = replace(training.table, target=training.target.column)
        for found in look_for_dependence(table):
            warn_caller(found.note.message, DependentRowsWarning)
            if found.rows is not None:
                training = _take(training, found.rows)
            else:
                training = self._settle(training, found.design)
        return training

    def _settle(self, training: Training, design: RowDesign) -> Training:
        """Return rows that may be exchanged as their design says."""
        if design.time is None and not self._collapses:
            return replace(training, design=design)
        table = replace(training.table, target=training.target.column)
        units = to_units(
            table,
            design,
            training.weights,
            seed=root_seed(getattr(self, "random_state", 0)),
            classes=self._keeps_classes,
        )
        assert units.table.target is not None  # it came with one
        target = _target_of(units.table.target, training.target)
        bare = replace(units.table, target=None)
        return Training(bare, target, units.weights, training.source, units.design)


def _without_values(table: Table, names: set[str]) -> Table:
    """Return the table with these columns constant, so that they tell nothing."""
    if not names:
        return table
    zeros = np.zeros(table.n_rows)
    columns = tuple(
        Column(c.name, ColumnKind.NUMERIC, zeros) if c.name in names else c
        for c in table
    )
    return replace(table, columns=columns)


def _take(training: Training, rows: Any) -> Training:
    used = np.zeros(training.table.n_rows, dtype=bool)
    used[rows] = True
    return replace(
        training,
        table=training.table.take(used),
        target=training.target.take(used),
        design=training.design.take(used),
    )


def _target_of(column: Column, before: Target) -> Target:
    """Return the target of units."""
    if column.is_nominal:
        return Target(column.values, before.classes, None, None, before.name)
    codes = np.zeros(len(column.values), dtype=np.int32)
    return Target(codes, (), None, column.values, before.name)
