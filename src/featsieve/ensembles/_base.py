"""What every ensemble shares: reading a table, growing members, and their vote."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from featsieve._checks import (
    check_choice,
    check_function,
    check_integer,
    check_jobs,
)
from featsieve.data import Table
from featsieve.data._inputs import read_features, read_target, read_weights
from featsieve.engine import root_seed, run_tasks
from featsieve.ensembles._members import Matrix, Rows, make_learner, make_rows
from featsieve.ensembles._training import Settings, Training
from featsieve.exceptions import DataError, DroppedRowsWarning
from featsieve.trees import MDLTree
from featsieve.trees._base import tree_features
from featsieve.trees._routing import feature_matrix, row_matrix

__all__ = ["BaseEnsemble"]

#: Where scikit-learn keeps the names of columns, if they have any.
NAMES = "feature_names_in_"
VOTES = ("majority", "accuracy", "probability")
#: Rows that are predicted together: their votes stay in the cache, and jobs have work.
_ROWS_PER_TASK = 1 << 14


class BaseEnsemble(ClassifierMixin, BaseEstimator):
    """Base of all ensembles: owns `fit`'s steps, the vote, and the error out of bag.

    A subclass grows members in `_grow`, by calling methods of `Training`. If its
    members see something else than the table, it overrides `_views` too.
    """

    estimator: Any
    n_members: int
    early_stopping: int | None
    random_state: Any
    n_jobs: int | None
    progress: Any
    nominal: Any
    numeric: Any
    #: How members vote where that is no parameter.
    vote: str = "majority"
    #: Rows that tell how much a vote counts if `vote` is "accuracy".
    _accuracy_on = "out_of_bag"

    @abstractmethod
    def _grow(self, training: Training) -> None:
        """Grow members and keep them."""

    def _check_parameters(self) -> None:
        check_integer("n_members", self.n_members, self, at_least=1)
        check_choice("vote", self.vote, VOTES, self)
        if self.early_stopping is not None:
            check_integer("early_stopping", self.early_stopping, self, at_least=1)
        check_function("progress", self.progress, self, "two numbers")
        check_jobs(self.n_jobs, self)
        learner = self._learner_kind()
        if not hasattr(learner, "fit") or not is_classifier(learner):
            message = (
                f"The 'estimator' parameter of {type(self).__name__} must be a "
                "classifier, or None for a tree of ours. "
                f"Got {self.estimator!r} instead."
            )
            raise ValueError(message)
        if self.vote == "probability" and not hasattr(learner, "predict_proba"):
            message = (
                f"{type(learner).__name__} has no predict_proba, which "
                "vote='probability' needs. Set vote='majority'."
            )
            raise ValueError(message)

    def _learner_kind(self) -> Any:
        return MDLTree() if self.estimator is None else self.estimator

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the members.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            A frame (pandas, polars, pyarrow), an array, or anything else that
            `featsieve.data.read_table` reads from memory. Nominal columns and missing
            values are for the members to take.
        y : array-like of shape (n_rows,)
            The classes. Rows without one are left out, with a warning.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight of each row: its chance to be drawn into a bag, or its weight where
            none is drawn. Rows of weight 0 are left out.

        Returns
        -------
        self
        """
        self._check_parameters()
        learner = self._learner_kind()
        kinds = {
            name: getattr(learner, name, None)
            if getattr(self, name) is None
            else getattr(self, name)
            for name in ("nominal", "numeric")
        }
        table = read_features(self, X, reset=True, **kinds)
        if isinstance(X, Table) and y is None:
            y = X.target
        weights = read_weights(sample_weight, table.n_rows)
        target = read_target(self, y, table.n_rows)
        self.classes_ = np.array(target.classes)
        self.n_classes_ = target.n_classes
        self._features = tree_features(table)
        codes, used = target.codes, np.ones(table.n_rows, dtype=np.bool_)
        if target.rows is not None:
            dropped = table.n_rows - len(codes)
            message = (
                f"{dropped} of {table.n_rows} rows have no target and are left out."
            )
            warnings.warn(message, DroppedRowsWarning, stacklevel=2)
            used = target.rows.copy()
        if weights is not None:
            codes = codes[weights[used] > 0]
            used &= weights > 0
            weights = weights[used]
        if not len(codes):
            message = (
                "sample_weight is zero in every row that has a target. Give weight to "
                "some of these rows, or leave sample_weight out."
            )
            raise DataError(message)
        table = table if used.all() else table.take(used)
        self._train(table, np.ascontiguousarray(codes), weights, used)
        return self

    def _train(
        self,
        table: Table,
        codes: NDArray[np.int32],
        weights: Matrix | None,
        used: NDArray[np.bool_],
    ) -> None:
        learner = self._learner_kind()
        matrix = row_matrix(table, self._features)
        rows = make_rows(learner, matrix, self._features, self.n_classes_)
        settings = Settings(
            self.vote,
            self.n_members,
            self.early_stopping,
            self.n_jobs,
            self.progress,
            self._accuracy_on,
        )
        training = Training(
            make_learner(
                learner, table, rows, self.classes_, named=hasattr(self, NAMES)
            ),
            codes,
            self.n_classes_,
            matrix=matrix,
            weights=weights,
            seed=root_seed(self.random_state),
            settings=settings,
        )
        self._grow(training)
        training.cut_to_best()
        self.members_ = training.members
        self._columns = training.columns
        self.members_votes_ = np.array(training.votes)
        self.n_members_ = len(training.members)
        self._settle_out_of_bag(training, used)
        if training.row_weights is not None:
            self.row_weights_ = np.zeros(len(used))
            self.row_weights_[used] = training.row_weights / training.row_weights.sum()

    def _settle_out_of_bag(self, training: Training, used: NDArray[np.bool_]) -> None:
        votes = training.oob_votes
        total = votes.sum(axis=1, keepdims=True)
        shares = np.full_like(votes, np.nan)
        np.divide(votes, total, out=shares, where=total > 0)
        self.oob_decision_function_ = np.full((len(used), self.n_classes_), np.nan)
        self.oob_decision_function_[used] = shares
        asked = total[:, 0] > 0
        self.oob_error_ = float("nan")
        if asked.any():
            wrong = votes[asked].argmax(axis=1) != training.codes[asked]
            weights = training.given_weights
            given = None if weights is None else weights[asked]
            self.oob_error_ = float(np.average(wrong, weights=given))

    # Asking the members. --------------------------------------------------------------

    @property
    def members_features_(self) -> list[NDArray[np.intp]]:
        """The columns that each member sees, by position."""
        check_is_fitted(self)
        every = np.arange(self.n_features_in_)
        return [every if own is None else own.astype(np.intp) for own in self._columns]

    def _views(self, matrix: Matrix) -> Iterator[Rows]:
        """Yield what each member sees of the rows, in order."""
        learner = self._learner_kind()
        rows = make_rows(learner, matrix, self._features, self.n_classes_)
        for _ in self.members_:
            yield rows

    def _add_vote(self, votes: Matrix, number: int, rows: Rows) -> None:
        """Add what one member says to the votes of all rows."""
        member, columns = self.members_[number], self._columns[number]
        vote = self.members_votes_[number]
        if self.vote == "probability":
            votes += vote * rows.shares(member, columns)
        else:
            votes[np.arange(len(votes)), rows.codes(member, columns)] += vote

    def _member_codes(self, number: int, rows: Rows) -> NDArray[np.int32]:
        """Return the position of the class that one member predicts."""
        return rows.codes(self.members_[number], self._columns[number])

    def _vote_shares(self, votes: Matrix) -> Matrix:
        """Return votes as shares of all; equal where nobody has a voice."""
        total = votes.sum(axis=1, keepdims=True)
        shares: Matrix = np.full_like(votes, 1 / votes.shape[1])
        np.divide(votes, total, out=shares, where=total > 0)
        return shares

    def _votes(self, X: Any) -> Matrix:
        check_is_fitted(self)
        matrix = feature_matrix(self, X, self._features)

        def ask(begin: int) -> Matrix:
            part = matrix[begin : begin + _ROWS_PER_TASK]
            votes = np.zeros((len(part), self.n_classes_))
            for number, rows in enumerate(self._views(part)):
                self._add_vote(votes, number, rows)
            return votes

        # At least one task, for frames without rows.
        begins = ((begin,) for begin in range(0, max(1, len(matrix)), _ROWS_PER_TASK))
        parts = run_tasks(ask, begins, n_jobs=self.n_jobs, shared_memory=True)
        return np.concatenate(parts)

    def predict_proba(self, X: Any) -> Matrix:
        """Return each class's share of the votes.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of float64 of shape (n_rows, n_classes)
            Shares in the order of ``classes_``.
        """
        return self._vote_shares(self._votes(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of most votes, the first of equals.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of shape (n_rows,)
            Class labels.
        """
        votes = self._votes(X)
        labels: NDArray[Any] = self.classes_[votes.argmax(axis=1)]
        return labels

    def decision_function(self, X: Any) -> Matrix:
        """Return how clear the vote is.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of float64 of shape (n_rows,) or (n_rows, n_classes)
            Share of the second class minus share of the first; shares of all classes if
            there are more than two.
        """
        shares = self.predict_proba(X)
        return shares[:, 1] - shares[:, 0] if self.n_classes_ == 2 else shares

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield what the first member, the first two, … and all of them predict.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Columns as in `fit`.

        Yields
        ------
        ndarray of shape (n_rows,)
            Class labels.
        """
        check_is_fitted(self)
        matrix = feature_matrix(self, X, self._features)
        votes = np.zeros((len(matrix), self.n_classes_))
        for number, rows in enumerate(self._views(matrix)):
            self._add_vote(votes, number, rows)
            yield self.classes_[votes.argmax(axis=1)]

    def member_predict(self, X: Any) -> NDArray[np.int32]:
        """Return what each member predicts on its own.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of int32 of shape (n_members, n_rows)
            Positions in ``classes_``.
        """
        check_is_fitted(self)
        matrix = feature_matrix(self, X, self._features)
        answers = run_tasks(
            self._member_codes,
            enumerate(self._views(matrix)),
            n_jobs=self.n_jobs,
            shared_memory=True,
        )
        return np.array(answers, dtype=np.int32)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        own = get_tags(self._learner_kind()).input_tags
        tags.input_tags.allow_nan = own.allow_nan
        tags.input_tags.categorical = own.categorical
        tags.input_tags.string = own.string
        return tags
