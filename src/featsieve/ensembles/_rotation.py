"""Members that see the columns from different angles."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._checks import check_choice, check_integer
from featsieve.ensembles._base import BaseEnsemble
from featsieve.ensembles._members import Matrix, MemberPlan, Rows, make_rows
from featsieve.ensembles._rotations import (
    NumberCoder,
    Rotation,
    pair_rotation,
    principal_rotation,
)
from featsieve.ensembles._training import Training

__all__ = ["PCARotationEnsemble", "RandomRotationEnsemble"]


class RotationEnsemble(BaseEnsemble):
    """What both rotations share: columns as numbers, and bags.

    A subclass draws the rotation of a member in `_rotation`, and says whether members
    turn what the former one saw.
    """

    scaling: str | None
    #: Whether rotations build on each other.
    _cumulative: bool

    @abstractmethod
    def _rotation(
        self, training: Training, number: int, matrix: Matrix, bag: NDArray[np.int64]
    ) -> Rotation: ...

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("scaling", self.scaling, ("standard", None), self)

    def _grow(self, training: Training) -> None:
        self._coder = NumberCoder(training.matrix, self._features, self.scaling)
        self.rotations_: list[Rotation] = []
        training.grow_all(self._plans(training, self._coder.code(training.matrix)))
        training.cut_to_best()
        del self.rotations_[len(training.members) :]

    def _plans(self, training: Training, matrix: Matrix) -> Iterator[MemberPlan]:
        for number in range(self.n_members):
            bag = training.draw_bag(number)
            rotation = self._rotation(training, number, matrix, bag)
            self.rotations_.append(rotation)
            turned = rotation.apply(matrix)
            if self._cumulative:
                matrix = turned
            yield MemberPlan(number, bag=bag, matrix=turned)

    def _views(self, matrix: Matrix) -> Iterator[Rows]:
        learner = self._learner_kind()
        coded = self._coder.code(matrix)
        for rotation in self.rotations_:
            turned = rotation.apply(coded)
            if self._cumulative:
                coded = turned
            yield make_rows(learner, turned, (), self.n_classes_)


class RandomRotationEnsemble(RotationEnsemble):
    """Let members vote that see the columns turned at random.

    For every member the columns are paired at random and each pair is turned by a
    random angle below 90°, starting from what the former member saw. A tree cuts along
    axes; turned axes make its cuts, and its mistakes, different. Each member is grown
    on a bag.

    Trees have to see numbers: a nominal column becomes one column per level, of ones
    and zeros. A missing number is replaced by the mean of its column in training; a
    missing or unseen level is zero in all columns of its levels.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What members are: any scikit-learn classifier, cloned; None for
        ``featsieve.trees.MDLTree()``. Trees of ours take nominal columns and missing
        values as they are and grow on a table that is coded once.
    n_members : int, default=100
        How many members to grow.
    scaling : {"standard", None}, default="standard"
        Divide every column by its standard deviation first; without it columns of large
        range dominate the directions.
    vote : {"majority", "accuracy", "probability"}, default="majority"
        One vote each; votes that count as much as the member is accurate out of bag; or
        the mean of the members' class shares.
    early_stopping : int or None, default=None
        Stop when so many members have not lowered the error out of bag, and keep those
        up to the lowest; None grows all.
    random_state : int, RandomState or None, default=None
        Seed of everything drawn. The same seed gives the same members, whatever
        `n_jobs`.
    n_jobs : int or None, default=None
        Members that are grown at a time, and rows that are predicted at a time.
    progress : callable or None, default=None
        Called as ``progress(grown, n_members)`` whenever a member has been grown.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Features, by name or position, whose kind is not the one of their type.

    Attributes
    ----------
    members_ : list of classifiers
        The members. Trees of ours know the class labels; other learners have learnt the
        positions of the classes in ``classes_``.
    members_votes_ : ndarray of shape (n_members,)
        How much each vote counts.
    members_features_ : list of ndarray
        The columns that each member sees.
    n_members_ : int
        How many members were kept.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    oob_error_ : float
        Error of votes by members that did not see the row; NaN without such votes.
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
        Shares of such votes; NaN for rows that every member has seen.
    rotations_ : list of Rotation
        The turn of each member, from what the former one saw.

    See Also
    --------
    PCARotationEnsemble : Directions from the data.

    References
    ----------
    J. D. Rogers, Ensemble Algorithms and Feature Selection, 2007, section 5.3.

    Examples
    --------
    >>> from featsieve.datasets import make_friedman
    >>> from featsieve.ensembles import RandomRotationEnsemble
    >>> X, y = make_friedman(n_rows=300, random_state=0).table.to_pandas()
    >>> rotated = RandomRotationEnsemble(n_members=50, random_state=0)
    >>> rotated.fit(X[:200], y[:200]).score(X[200:], y[200:]) > 0.8
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_members: int = 100,
        scaling: str | None = "standard",
        vote: str = "majority",
        early_stopping: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Any = None,
        nominal: Any = None,
        numeric: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_members = n_members
        self.scaling = scaling
        self.vote = vote
        self.early_stopping = early_stopping
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.nominal = nominal
        self.numeric = numeric

    _cumulative = True

    def _rotation(
        self,
        training: Training,
        number: int,
        matrix: Matrix,
        bag: NDArray[np.int64],  # noqa: ARG002  (PCA needs it)
    ) -> Rotation:
        return pair_rotation(matrix.shape[1], training.generator("rotation", number))


class PCARotationEnsemble(RotationEnsemble):
    """Let members vote that see principal components of groups of columns.

    For every member the columns are put into random groups of three. The principal
    components of each group, computed on the member's bag, take the place of its
    columns; all are kept, so that nothing is lost.

    Nominal columns and missing values as in `RandomRotationEnsemble`.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What members are: any scikit-learn classifier, cloned; None for
        ``featsieve.trees.MDLTree()``. Trees of ours take nominal columns and missing
        values as they are and grow on a table that is coded once.
    n_members : int, default=100
        How many members to grow.
    group_size : int, default=3
        Columns per group; the last group may be smaller.
    scaling : {"standard", None}, default="standard"
        Divide every column by its standard deviation first; without it columns of large
        range dominate the directions.
    vote : {"majority", "accuracy", "probability"}, default="majority"
        One vote each; votes that count as much as the member is accurate out of bag; or
        the mean of the members' class shares.
    early_stopping : int or None, default=None
        Stop when so many members have not lowered the error out of bag, and keep those
        up to the lowest; None grows all.
    random_state : int, RandomState or None, default=None
        Seed of everything drawn. The same seed gives the same members, whatever
        `n_jobs`.
    n_jobs : int or None, default=None
        Members that are grown at a time, and rows that are predicted at a time.
    progress : callable or None, default=None
        Called as ``progress(grown, n_members)`` whenever a member has been grown.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Features, by name or position, whose kind is not the one of their type.

    Attributes
    ----------
    members_ : list of classifiers
        The members. Trees of ours know the class labels; other learners have learnt the
        positions of the classes in ``classes_``.
    members_votes_ : ndarray of shape (n_members,)
        How much each vote counts.
    members_features_ : list of ndarray
        The columns that each member sees.
    n_members_ : int
        How many members were kept.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    oob_error_ : float
        Error of votes by members that did not see the row; NaN without such votes.
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
        Shares of such votes; NaN for rows that every member has seen.
    rotations_ : list of Rotation
        The turn of each member.

    See Also
    --------
    RandomRotationEnsemble : Directions at random.

    References
    ----------
    J. J. Rodríguez, L. I. Kuncheva, C. J. Alonso, Rotation forest, IEEE Transactions on
    Pattern Analysis and Machine Intelligence 28, 2006; here without leaving classes
    or rows out of the components.

    Examples
    --------
    >>> from featsieve.datasets import make_friedman
    >>> from featsieve.ensembles import PCARotationEnsemble
    >>> X, y = make_friedman(n_rows=300, random_state=0).table.to_pandas()
    >>> rotated = PCARotationEnsemble(n_members=50, random_state=0)
    >>> rotated.fit(X[:200], y[:200]).score(X[200:], y[200:]) > 0.8
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_members: int = 100,
        group_size: int = 3,
        scaling: str | None = "standard",
        vote: str = "majority",
        early_stopping: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Any = None,
        nominal: Any = None,
        numeric: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_members = n_members
        self.group_size = group_size
        self.scaling = scaling
        self.vote = vote
        self.early_stopping = early_stopping
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.nominal = nominal
        self.numeric = numeric

    _cumulative = False

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_integer("group_size", self.group_size, self, at_least=1)

    def _rotation(
        self, training: Training, number: int, matrix: Matrix, bag: NDArray[np.int64]
    ) -> Rotation:
        generator = training.generator("rotation", number)
        return principal_rotation(matrix, bag, self.group_size, generator)
