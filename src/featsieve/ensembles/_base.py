"""What every ensemble shares: reading a table, growing members, and their vote."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from featsieve._checks import check_choice, check_function, check_integer, check_jobs
from featsieve._docs import SharedDocs
from featsieve._types import Array, Codes, Floats, Mask, Positions
from featsieve.data import Table
from featsieve.engine import root_seed, run_tasks
from featsieve.ensembles._members import Rows, make_rows
from featsieve.ensembles._training import Training
from featsieve.trees import MDLTreeClassifier
from featsieve.trees.api import (
    feature_matrix,
    read_classes,
    read_training,
    tree_features,
)

VOTES = ("majority", "accuracy", "probability")
#: Rows that are predicted together: their votes stay in the cache, and jobs have work.
_ROWS_PER_TASK = 1 << 14


def vote_shares(votes: Floats, nobody: float) -> Floats:
    """Return votes as shares of all in their row; `nobody` where there are none."""
    total = votes.sum(axis=1, keepdims=True)
    return np.divide(votes, total, out=np.full_like(votes, nobody), where=total > 0)


@dataclass(eq=False, repr=False)
class BaseEnsemble(SharedDocs, ClassifierMixin, BaseEstimator):
    """Base of all ensembles: owns `fit`'s steps, the vote, and the error out of bag.

    A subclass grows members in `_grow`, by calling methods of `Training`. If its
    members see something else than the table, it overrides `_views` too.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What members are: any scikit-learn classifier, cloned; None for
        ``featsieve.trees.MDLTreeClassifier()``. Trees of ours take nominal columns and
        missing values as they are and grow on a table that is coded once.
    n_estimators : int, default=100
        How many members to grow.
    vote : {"majority", "accuracy", "probability"}, default="majority"
        One vote each; votes that count as much as the member is accurate out of bag; or
        the mean of the members' class shares.
    n_iter_no_change : int or None, default=None
        Stop when so many members have not lowered the error out of bag, and keep those
        up to the lowest; None grows all.
    random_state : int, RandomState or None, default=None
        Seed of everything drawn. The same seed gives the same members, whatever
        `n_jobs`.
    n_jobs : int or None, default=None
        Members that are grown at a time, and rows that are predicted at a time.
    progress : callable or None, default=None
        Called as ``progress(grown, n_estimators)`` whenever a member has been grown.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Features, by name or position, whose kind is not the one of their type.

    Attributes
    ----------
    members_ : list of classifiers
        The members. Trees of ours know the class labels; other learners have learnt the
        positions of the classes in ``classes_``.
    members_votes_ : ndarray of shape (n_estimators,)
        How much each vote counts.
    members_features_ : list of ndarray
        The columns that each member sees.
    n_estimators_ : int
        How many members were kept.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    oob_error_ : float
        Error of votes by members that did not see the row; NaN without such votes.
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
        Shares of such votes; NaN for rows that every member has seen.
    """

    estimator: Any = None
    _: KW_ONLY
    n_estimators: int = 100
    n_iter_no_change: int | None = None
    random_state: Any = None
    n_jobs: int | None = None
    progress: Any = None
    nominal: Any = None
    numeric: Any = None

    #: How members vote where that is no parameter.
    vote = "majority"
    #: Rows that tell how much a vote counts if `vote` is "accuracy".
    _accuracy_on = "out_of_bag"

    @abstractmethod
    def _grow(self, training: Training) -> None:
        """Grow members and keep them."""

    def _check_parameters(self) -> None:
        check_integer("n_estimators", self.n_estimators, self, at_least=1)
        check_choice("vote", self.vote, VOTES, self)
        if self.n_iter_no_change is not None:
            check_integer("n_iter_no_change", self.n_iter_no_change, self, at_least=1)
        check_function("progress", self.progress, self, "two numbers")
        check_jobs(self.n_jobs, self)
        learner = self._learner_kind()
        if not hasattr(learner, "fit") or not is_classifier(learner):
            raise ValueError(
                f"The 'estimator' parameter of {type(self).__name__} must be a "
                "classifier, or None for a tree of ours. "
                f"Got {self.estimator!r} instead."
            )
        if self.vote == "probability" and not hasattr(learner, "predict_proba"):
            raise ValueError(
                f"{type(learner).__name__} has no predict_proba, which "
                "vote='probability' needs. Set vote='majority'."
            )

    def _learner_kind(self) -> Any:
        return MDLTreeClassifier() if self.estimator is None else self.estimator

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
        """
        self._check_parameters()
        learner = self._learner_kind()
        kinds = {
            name: getattr(learner, name, None)
            if getattr(self, name) is None
            else getattr(self, name)
            for name in ("nominal", "numeric")
        }
        table, target, weights, used = read_training(self, X, y, sample_weight, **kinds)
        self._features = tree_features(table)
        self._train(table, target["classes"], weights, used)
        return self

    def _read_target(self, y: Any, table: Table) -> tuple[dict[str, Any], Any]:
        return read_classes(self, y, table.n_rows)

    def _train(
        self, table: Table, codes: Codes, weights: Floats | None, used: Mask
    ) -> None:
        training = Training.on(
            table,
            codes,
            self._learner_kind(),
            self.classes_,
            named=hasattr(self, "feature_names_in_"),
            given_weights=weights,
            seed=root_seed(self.random_state),
            vote=self.vote,
            n_estimators=self.n_estimators,
            n_iter_no_change=self.n_iter_no_change,
            n_jobs=self.n_jobs,
            progress=self.progress,
            accuracy_on=self._accuracy_on,
        )
        self._grow(training)
        training.cut_to_best()
        self.members_ = training.members
        self._columns = training.columns
        self.members_votes_ = np.array(training.votes)
        self.n_estimators_ = len(training.members)
        votes = training.oob_votes
        self.oob_decision_function_ = np.full((len(used), self.n_classes_), np.nan)
        self.oob_decision_function_[used] = vote_shares(votes, np.nan)
        asked = votes.sum(axis=1) > 0
        self.oob_error_ = float("nan")
        if asked.any():
            wrong = votes[asked].argmax(axis=1) != codes[asked]
            given = None if weights is None else weights[asked]
            self.oob_error_ = float(np.average(wrong, weights=given))
        if training.row_weights is not None:
            self.row_weights_ = np.zeros(len(used))
            self.row_weights_[used] = training.row_weights / training.row_weights.sum()

    # Asking the members. --------------------------------------------------------------

    @property
    def members_features_(self) -> list[Positions]:
        """The columns that each member sees, by position."""
        check_is_fitted(self)
        every = np.arange(self.n_features_in_)
        return [every if own is None else own.astype(np.intp) for own in self._columns]

    def _views(self, matrix: Floats) -> Iterator[Rows]:
        """Yield what each member sees of the rows, in order."""
        learner = self._learner_kind()
        rows = make_rows(learner, matrix, self._features, self.n_classes_)
        for _ in self.members_:
            yield rows

    def _add_vote(self, votes: Floats, number: int, rows: Rows) -> None:
        """Add what one member says to the votes of all rows."""
        member, columns = self.members_[number], self._columns[number]
        vote = self.members_votes_[number]
        if self.vote == "probability":
            votes += vote * rows.shares(member, columns)
        else:
            votes[np.arange(len(votes)), rows.codes(member, columns)] += vote

    def _member_codes(self, number: int, rows: Rows) -> Codes:
        """Return the position of the class that one member predicts."""
        return rows.codes(self.members_[number], self._columns[number])

    def _votes(self, X: Any) -> Floats:
        check_is_fitted(self)
        matrix = feature_matrix(self, X, self._features)

        def ask(begin: int) -> Floats:
            part = matrix[begin : begin + _ROWS_PER_TASK]
            votes = np.zeros((len(part), self.n_classes_))
            for number, rows in enumerate(self._views(part)):
                self._add_vote(votes, number, rows)
            return votes

        # At least one task, for frames without rows.
        begins = ((begin,) for begin in range(0, max(1, len(matrix)), _ROWS_PER_TASK))
        parts = run_tasks(ask, begins, n_jobs=self.n_jobs, shared_memory=True)
        return np.concatenate(parts)

    def predict_proba(self, X: Any) -> Floats:
        """Return each class's share of the votes."""
        return vote_shares(self._votes(X), 1 / self.n_classes_)

    def predict(self, X: Any) -> Array:
        """Return the class of most votes, the first of equals."""
        best = self._votes(X).argmax(axis=1)
        return self.classes_[best]

    def decision_function(self, X: Any) -> Floats:
        """Return how clear the vote is.

        Returns
        -------
        ndarray of float64 of shape (n_rows,) or (n_rows, n_classes)
            Share of the second class minus share of the first; shares of all classes if
            there are more than two.
        """
        shares = self.predict_proba(X)
        return shares[:, 1] - shares[:, 0] if self.n_classes_ == 2 else shares

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """Yield what the first member, the first two, … and all of them predict.

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

    def member_predict(self, X: Any) -> Codes:
        """Return what each member predicts on its own.

        Returns
        -------
        ndarray of int32 of shape (n_estimators, n_rows)
            Positions in ``classes_``.
        """
        check_is_fitted(self)
        matrix = feature_matrix(self, X, self._features)
        tasks = enumerate(self._views(matrix))
        codes = run_tasks(
            self._member_codes, tasks, n_jobs=self.n_jobs, shared_memory=True
        )
        return np.array(codes, dtype=np.int32)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        own = get_tags(self._learner_kind()).input_tags
        tags.input_tags.allow_nan = own.allow_nan
        tags.input_tags.categorical = own.categorical
        tags.input_tags.string = own.string
        return tags
