"""What every selector shares: reading a table, keeping columns, telling about it."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from featsieve._checks import check_integer, check_jobs, check_real, check_seed
from featsieve.data import Table, TableStream
from featsieve.data._inputs import (
    Target,
    as_pandas,
    check_names,
    frame_objects,
    is_frame,
    leave_out_unknown,
    plain_input,
    read_features,
    read_target,
    read_weights,
    table_values,
    take_columns,
)
from featsieve.exceptions import DataError, NoFeatureSelectedWarning

__all__ = [
    "BaseFilter",
    "BaseSelector",
    "Training",
    "best_features",
    "count_wanted",
    "leave_out_unknown",
    "rank_scores",
]


@dataclass(frozen=True, slots=True)
class Training:
    """What a selector learns from: typed columns, a class, weights."""

    table: Table
    target: Target
    weights: NDArray[np.float64] | None


class BaseSelector(SelectorMixin, BaseEstimator):
    """Base of all selectors: reads tables, and keeps the chosen columns of others.

    A subclass has a `fit` that sets `scores_`, `support_` and `steps_` from what
    `_read` returns, and ends with `_rank`.
    """

    nominal: Any
    numeric: Any
    target_bins: int | None
    #: How many calls up from `_rank` whoever called `fit` is; one more from `_read`.
    _caller = 3

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Training:
        table = read_features(
            self, X, reset=True, nominal=self.nominal, numeric=self.numeric
        )
        if isinstance(X, Table) and y is None:
            y = X.target
        target = read_target(self, y, table.n_rows, n_bins=self.target_bins)
        weights = read_weights(sample_weight, table.n_rows)
        table, weights = leave_out_unknown(
            table, weights, target.rows, stacklevel=self._caller + 1
        )
        self.classes_ = np.fromiter(target.classes, object, len(target.classes))
        return Training(table, target, weights)

    def _rank(self, ranking: NDArray[np.int64]) -> None:
        self.ranking_ = ranking
        if not self.support_.any():
            message = (
                f"{type(self).__name__} kept no feature. Loosen its criterion, or take "
                "this as the answer."
            )
            warnings.warn(message, NoFeatureSelectedWarning, stacklevel=self._caller)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        mask: NDArray[np.bool_] = self.support_
        return mask

    def transform(self, X: Any) -> Any:
        """Return `X` with the chosen features only.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Columns as in `fit`.

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


class BaseFilter(BaseSelector):
    """Base of all filters: owns `fit`'s checks and what is known afterwards.

    A subclass checks its parameters in `_check_parameters` and in `_fit` sets
    `scores_`, `support_` and `steps_` from a `Training`.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Score the features and choose among them.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            A frame (pandas, polars, pyarrow), an array, or anything else that
            `featsieve.data.read_table` reads from memory. Filters that need only
            counts also take a `featsieve.data.TableStream`, with ``y=None``.
        y : array-like of shape (n_rows,)
            The class. Rows without one are left out, with a warning.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight of each row.

        Returns
        -------
        self
        """
        self._check_parameters()
        # Also where nothing is drawn and nothing runs in parallel this time.
        check_jobs(getattr(self, "n_jobs", None), self)
        check_seed(getattr(self, "random_state", None), self)
        if isinstance(X, TableStream):
            self._read_stream(X, y, sample_weight)
        else:
            self._fit(self._read(X, y, sample_weight))
        self._rank(self._ranking())
        return self

    def _ranking(self) -> NDArray[np.int64]:
        """Return ranks from 1 for the best feature."""
        return rank_scores(self.scores_)

    def _read_stream(self, stream: TableStream, y: Any, sample_weight: Any) -> None:
        """Fit from a stream, if this filter can work from counts."""
        name = type(self).__name__
        if y is not None or sample_weight is not None:
            message = (
                f"{name} takes the target from the stream and no weights. Say "
                "`fit(stream, None)`; the target is named in `open_stream`."
            )
            raise DataError(message)
        self.n_features_in_ = len(stream.names)
        self.feature_names_in_ = np.array(stream.names, dtype=object)
        self._fit_stream(stream)

    def _fit_stream(self, stream: TableStream) -> None:
        sample = min(100_000, max(1, stream.n_rows // 2))
        message = (
            f"{type(self).__name__} needs rows, and a stream gives it counts only. Fit "
            f"it on a sample: `fit(stream.sample({sample}), None)`."
        )
        raise DataError(message)

    @abstractmethod
    def _check_parameters(self) -> None: ...

    @abstractmethod
    def _fit(self, training: Training) -> None: ...


def rank_scores(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return ranks from 1 for the greatest score; of equal ones the first is better."""
    order = np.argsort(-scores, kind="stable")
    ranks = np.empty(len(scores), dtype=np.int64)
    ranks[order] = np.arange(1, len(scores) + 1)
    return ranks


def count_wanted(wanted: Any, n_features: int, owner: object) -> int | None:
    """Return how many features are wanted at most, from a number, a share or None."""
    name = "n_features_to_select"
    if wanted is None:
        return None
    if isinstance(wanted, float):
        share = check_real(name, wanted, owner, above=0, most=1)
        return max(1, int(share * n_features))
    return min(check_integer(name, wanted, owner, at_least=1), n_features)


def best_features(scores: NDArray[np.float64], most: int | None) -> NDArray[np.bool_]:
    """Return the mask of the `most` best scores."""
    if most is None:
        return np.ones(len(scores), dtype=bool)
    return rank_scores(scores) <= most
