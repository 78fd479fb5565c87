"""Members that see the columns from different angles."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from featsieve._checks import check_choice, check_integer
from featsieve._types import Floats, Ints, Positions
from featsieve.ensembles._base import BaseEnsemble
from featsieve.ensembles._members import MemberPlan, Rows, make_rows
from featsieve.ensembles._training import Training
from featsieve.trees import TreeFeature


@dataclass(frozen=True, slots=True, eq=False)
class Rotation:
    """New columns as sums of few old ones: which, and how much of each."""

    columns: Positions  # of shape (n_columns, width)
    weights: Floats

    def apply(self, matrix: Floats) -> Floats:
        """Return the turned rows, X Rᵀ."""
        # Not as a product of matrices, in which equal rows may differ in the last bit.
        turned = matrix[:, self.columns[:, 0]] * self.weights[:, 0]
        for k in range(1, self.columns.shape[1]):
            turned += matrix[:, self.columns[:, k]] * self.weights[:, k]
        return turned

    def matrix(self) -> Floats:
        """Return R, with one row per new column."""
        size = len(self.columns)
        dense = np.zeros((size, size))
        rows = np.arange(size)
        for k in range(self.columns.shape[1]):
            np.add.at(dense, (rows, self.columns[:, k]), self.weights[:, k])
        return dense


def pair_rotation(n_columns: int, generator: np.random.Generator) -> Rotation:
    """Return the rotation of random pairs of columns by random angles in [0, π/2).

    New a = cos β · a + sin β · b and new b = cos β · b − sin β · a; a column without a
    partner stays.
    """
    order = generator.permutation(n_columns)
    half = n_columns // 2
    angles = generator.uniform(0, np.pi / 2, half)
    return turned_pairs(n_columns, order[:half], order[half : 2 * half], angles)


def turned_pairs(
    n_columns: int, first: Positions, second: Positions, angles: Floats
) -> Rotation:
    """Return the rotation of given pairs of columns by given angles."""
    columns = np.tile(np.arange(n_columns)[:, np.newaxis], (1, 2))
    weights = np.tile([1.0, 0.0], (n_columns, 1))
    columns[first, 1], columns[second, 1] = second, first
    weights[first, 0] = weights[second, 0] = np.cos(angles)
    weights[first, 1], weights[second, 1] = np.sin(angles), -np.sin(angles)
    return Rotation(columns, weights)


def principal_rotation(
    matrix: Floats, bag: Ints, group_size: int, generator: np.random.Generator
) -> Rotation:
    """Return the principal axes of random groups of columns, over the rows of a bag.

    Every group keeps all of its axes, the longest first; each points where its largest
    part is positive.
    """
    n_columns = matrix.shape[1]
    width = min(group_size, n_columns)
    order = generator.permutation(n_columns)
    shares = bag / bag.sum()
    columns = np.tile(np.arange(n_columns)[:, np.newaxis], (1, width))
    weights = np.zeros((n_columns, width))
    for begin in range(0, n_columns, width):
        group = np.sort(order[begin : begin + width])
        # Halved or doubled until squares neither overflow nor vanish; axes stay.
        values = np.ldexp(matrix[:, group], -_size(matrix[:, group]))
        centred = values - shares @ values
        axes = np.linalg.eigh((centred * shares[:, np.newaxis]).T @ centred)[1][:, ::-1]
        largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=0)[np.newaxis], 0)
        axes = axes * np.sign(largest)
        columns[group, : len(group)] = group
        weights[group, : len(group)] = axes.T
    return Rotation(columns, weights)


def _size(values: Floats) -> int:
    """Return the power of two above all values; ``ldexp`` brings them near 1 by it."""
    return int(np.frexp(np.abs(values).max(initial=0.0))[1])


class NumberCoder:
    """Turns rows of mixed columns into rows of numbers without gaps.

    A nominal column becomes one column of ones and zeros per level. A missing number
    becomes the mean of its column in training, a missing level zeros. With scaling,
    columns are divided by their standard deviation in training.
    """

    def __init__(
        self, matrix: Floats, features: tuple[TreeFeature, ...], scaling: str | None
    ) -> None:
        self._n_levels = [len(each.levels or ()) for each in features]
        self._nominal = [each.is_nominal for each in features]
        self._means = np.zeros(len(features))
        for j, nominal in enumerate(self._nominal):
            known = matrix[~np.isnan(matrix[:, j]), j]
            if not nominal and len(known):
                size = _size(known)
                self._means[j] = np.ldexp(np.ldexp(known, -size).mean(), size)
        self._scales: Floats | float = 1.0
        if scaling == "standard":
            numbers = self.code(matrix)
            sizes = [_size(column) for column in numbers.T]
            deviations = np.ldexp(
                np.ldexp(numbers, np.negative(sizes)).std(axis=0), sizes
            )
            self._scales = np.where(deviations > 0, deviations, 1.0)

    def code(self, matrix: Floats) -> Floats:
        """Return rows as numbers."""
        parts = []
        for j, nominal in enumerate(self._nominal):
            values = matrix[:, j]
            if nominal:
                parts += [values == level for level in range(self._n_levels[j])]
            else:
                parts.append(np.where(np.isnan(values), self._means[j], values))
        if not parts:  # nominal columns without levels only
            return np.zeros((len(matrix), 1))
        return np.column_stack(parts).astype(np.float64) / self._scales


@dataclass(kw_only=True, eq=False, repr=False)
class RotationEnsemble(BaseEnsemble):
    """What both rotations share: columns as numbers, and bags.

    A subclass draws the rotation of a member in `_rotation`, and says whether members
    turn what the former one saw.

    Parameters
    ----------
    scaling : {"standard", None}, default="standard"
        Divide every column by its standard deviation first; without it columns of large
        range dominate the directions.
    """

    scaling: str | None = "standard"
    vote: str = "majority"
    #: Whether rotations build on each other.
    _cumulative: ClassVar[bool]

    @abstractmethod
    def _rotation(
        self, matrix: Floats, bag: Ints, generator: np.random.Generator
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

    def _plans(self, training: Training, matrix: Floats) -> Iterator[MemberPlan]:
        for number in range(self.n_estimators):
            bag = training.draw_bag(number)
            generator = training.generator("rotation", number)
            rotation = self._rotation(matrix, bag, generator)
            self.rotations_.append(rotation)
            turned = rotation.apply(matrix)
            if self._cumulative:
                matrix = turned
            yield MemberPlan(number, bag=bag, matrix=turned)

    def _views(self, matrix: Floats) -> Iterator[Rows]:
        learner = self._learner_kind()
        coded = self._coder.code(matrix)
        for rotation in self.rotations_:
            turned = rotation.apply(coded)
            if self._cumulative:
                coded = turned
            yield make_rows(learner, turned, (), self.n_classes_)


class RandomRotationEnsembleClassifier(RotationEnsemble):
    """Let members vote that see the columns turned at random.

    For every member the columns are paired at random and each pair is turned by a
    random angle below 90°, starting from what the former member saw. A tree cuts along
    axes; turned axes make its cuts, and its mistakes, different. Each member is grown
    on a bag.

    Trees have to see numbers: a nominal column becomes one column per level, of ones
    and zeros. A missing number is replaced by the mean of its column in training; a
    missing or unseen level is zero in all columns of its levels.

    Attributes
    ----------
    rotations_ : list of Rotation
        The turn of each member, from what the former one saw.

    See Also
    --------
    PCARotationEnsembleClassifier : Directions from the data.

    References
    ----------
    J. D. Rogers, Ensemble Algorithms and Feature Selection, 2007, section 5.3.

    Examples
    --------
    >>> from featsieve.datasets import make_friedman
    >>> from featsieve.ensembles import RandomRotationEnsembleClassifier
    >>> X, y = make_friedman(n_rows=300, random_state=0).table.to_pandas()
    >>> rotated = RandomRotationEnsembleClassifier(n_estimators=50, random_state=0)
    >>> rotated.fit(X[:200], y[:200]).score(X[200:], y[200:]) > 0.8
    True
    """

    _cumulative = True

    def _rotation(
        self,
        matrix: Floats,
        bag: Ints,  # noqa: ARG002  (PCA needs it)
        generator: np.random.Generator,
    ) -> Rotation:
        return pair_rotation(matrix.shape[1], generator)


@dataclass(kw_only=True, eq=False, repr=False)
class PCARotationEnsembleClassifier(RotationEnsemble):
    """Let members vote that see principal components of groups of columns.

    For every member the columns are put into random groups of three. The principal
    components of each group, computed on the member's bag, take the place of its
    columns; all are kept, so that nothing is lost.

    Nominal columns and missing values as in `RandomRotationEnsembleClassifier`.

    Parameters
    ----------
    group_size : int, default=3
        Columns per group; the last group may be smaller.

    Attributes
    ----------
    rotations_ : list of Rotation
        The turn of each member.

    See Also
    --------
    RandomRotationEnsembleClassifier : Directions at random.

    References
    ----------
    J. J. Rodríguez, L. I. Kuncheva, C. J. Alonso, Rotation forest, IEEE Transactions on
    Pattern Analysis and Machine Intelligence 28, 2006; here without leaving classes
    or rows out of the components.

    Examples
    --------
    >>> from featsieve.datasets import make_friedman
    >>> from featsieve.ensembles import PCARotationEnsembleClassifier
    >>> X, y = make_friedman(n_rows=300, random_state=0).table.to_pandas()
    >>> rotated = PCARotationEnsembleClassifier(n_estimators=50, random_state=0)
    >>> rotated.fit(X[:200], y[:200]).score(X[200:], y[200:]) > 0.8
    True
    """

    group_size: int = 3

    _cumulative = False

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_integer("group_size", self.group_size, self, at_least=1)

    def _rotation(
        self, matrix: Floats, bag: Ints, generator: np.random.Generator
    ) -> Rotation:
        return principal_rotation(matrix, bag, self.group_size, generator)
