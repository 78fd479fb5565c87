"""Experts for some of the classes: their samples, their learners, and the max rule."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from featsieve._types import Array, Codes, Floats, Ints, Mask
from featsieve.data import Column, Table
from featsieve.data.api import MatrixEncoder, reads_typed_tables
from featsieve.engine import derive_seed
from featsieve.engine.api import row_keys
from featsieve.trees import C45Classifier

#: Instead of distance zero, so that reciprocal distances stay finite.
LEAST_DISTANCE = 1e-9
ROWS_AT_ONCE = 512


class NearestRows(BaseEstimator):
    """Remember typed rows and find those nearest to others.

    Numeric columns are scaled by their range in training, so that the greatest
    difference there is 1; nominal values differ by 0 or 1; a missing value differs by
    1 from every other, missing ones included. Distances are Euclidean; of rows at the
    same distance the first are nearest.
    """

    def __init__(self, n_neighbors: int = 5) -> None:
        self.n_neighbors = n_neighbors

    def fit(self, X: Table, y: Array) -> Self:
        """Remember the rows."""
        self.classes_ = np.unique(y)
        self._low, self._scale = {}, {}
        for column in X:
            if column.is_nominal:
                continue
            known = column.values[~column.missing]
            low = float(known.min()) if len(known) else 0.0
            width = float(known.max()) - low if len(known) else 0.0
            self._low[column.name] = low
            self._scale[column.name] = 1 / width if width > 0 else 0.0
        self._points = self._embedded(X)
        self._squares = (self._points**2).sum(axis=1)
        self._gaps = {c.name: c.missing for c in X if c.n_missing}
        self._table = X
        return self

    def kneighbors(self, X: Table) -> tuple[Floats, Ints]:
        """Return distances and training rows of the nearest, nearest first."""
        k = min(self.n_neighbors, len(self._points))
        distances = np.empty((X.n_rows, k))
        nearest = np.empty((X.n_rows, k), dtype=np.int64)
        for start in range(0, X.n_rows, ROWS_AT_ONCE):
            rows = np.arange(start, min(start + ROWS_AT_ONCE, X.n_rows))
            squares = self._squared_distances(X.take(rows))
            found = _smallest(squares, k)
            nearest[rows] = found
            distances[rows] = np.sqrt(np.take_along_axis(squares, found, axis=1))
        return distances, nearest

    def _squared_distances(self, block: Table) -> Floats:
        points = self._embedded(block)
        squares = points @ self._points.T
        squares *= -2
        squares += self._squares
        squares += (points**2).sum(axis=1)[:, None]
        # Rounding may leave equal rows a little apart, or below zero.
        squares[squares < 1e-12] = 0
        for column in block:
            gaps, ours = column.missing, self._gaps.get(column.name)
            if ours is None and not gaps.any():
                continue
            missing = gaps[:, None] | (False if ours is None else ours[None, :])
            usual = self._difference(column)
            squares += np.where(missing, 1 - usual, 0.0)
        return squares

    def _difference(self, column: Column) -> Floats:
        """Return what one column adds to the squared distances of embedded points."""
        ours = self._coordinates(self._table[column.name])
        theirs = self._coordinates(column)
        if column.is_nominal:
            same = ours[None, :] == theirs[:, None]
            filled = (ours[None, :] >= 0) * 0.5 + (theirs[:, None] >= 0) * 0.5
            return np.where(same & (ours[None, :] >= 0), 0.0, filled)
        return (ours[None, :] - theirs[:, None]) ** 2

    def _coordinates(self, column: Column) -> Floats:
        if column.is_nominal:
            return column.values.astype(np.float64)
        values = column.values - self._low[column.name]
        values *= self._scale[column.name]
        return np.where(column.missing, 0.0, values)

    def _embedded(self, table: Table) -> Floats:
        """Return points whose Euclidean distances are those of the complete rows."""
        parts: list[Floats] = []
        for column in table:
            values = self._coordinates(column)
            if not column.is_nominal:
                parts.append(values[:, None])
                continue
            # Two levels are 1 apart if each has a coordinate of 1 / √2 of its own.
            levels = np.arange(column.n_levels)
            parts.append((values[:, None] == levels) * np.sqrt(0.5))
        return np.hstack(parts)


def _smallest(squares: Floats, k: int) -> Ints:
    """Return the columns of the k least values of each row, the first of equals."""
    n = squares.shape[1]
    if k < n:
        found = np.sort(np.argpartition(squares, k - 1, axis=1)[:, :k], axis=1)
        limits = np.take_along_axis(squares, found, axis=1).max(axis=1)
        # Of several rows as far as the last, the partition takes any.
        for row in np.flatnonzero((squares <= limits[:, None]).sum(axis=1) > k):
            near = np.flatnonzero(squares[row] <= limits[row])
            order = np.argsort(squares[row, near], kind="stable")[:k]
            found[row] = np.sort(near[order])
    else:
        found = np.tile(np.arange(n), (len(squares), 1))
    values = np.take_along_axis(squares, found, axis=1)
    order = np.argsort(values, axis=1, kind="stable")
    return np.take_along_axis(found, order, axis=1)


def neighbour_votes(
    distances: Floats, codes: Ints, n_codes: int
) -> tuple[Floats, Floats]:
    """Return the share of neighbours of each class, and their reciprocal distances."""
    shares = np.zeros((len(codes), n_codes))
    nearness = np.zeros((len(codes), n_codes))
    rows = np.arange(len(codes))
    near = 1 / np.maximum(distances, LEAST_DISTANCE)
    for j in range(codes.shape[1]):
        np.add.at(shares, (rows, codes[:, j]), 1 / codes.shape[1])
        np.add.at(nearness, (rows, codes[:, j]), near[:, j])
    return shares.round(12), nearness


def sample_rows(
    codes: Codes, wanted: Mapping[int, int], seed: int, *, cap: int
) -> Ints:
    """Return rows with the wanted number of each class, sorted.

    Every row has a random key that depends on the seed and on its number only, and the
    rows with the least keys of each class are drawn. A class with fewer rows than
    wanted is drawn with replacement, up to `cap` times its size.
    """
    parts = [np.empty(0, np.int64)]
    for c, count in sorted(wanted.items()):
        rows = np.flatnonzero(codes == c)
        if len(rows) > count > 0:
            keys = row_keys(rows, seed)
            rows = np.sort(rows[np.argpartition(keys, count - 1)[:count]])
        elif 0 < len(rows) < count:
            random = np.random.default_rng(derive_seed(seed, "bootstrap", c))
            rows = random.choice(rows, size=min(count, cap * len(rows)), replace=True)
        parts.append(rows[:count])
    return np.sort(np.concatenate(parts))


def split_classes(codes: Codes, test_share: float, seed: int) -> Mask:
    """Return the mask of test rows: about the same share of every class.

    A class with a single row has it for training.
    """
    test = np.zeros(len(codes), dtype=bool)
    for c in np.unique(codes).tolist():
        rows = np.flatnonzero(codes == c)
        n_test = min(round(test_share * len(rows)), len(rows) - 1)
        if n_test > 0:
            keys = row_keys(rows, derive_seed(seed, "parts"))
            test[rows[np.argpartition(keys, n_test - 1)[:n_test]]] = True
    return test


def class_quotas(
    positives: Ints,
    confusion: Floats | None,
    n_classes: int,
    *,
    sample_size: int,
    positive_share: float,
    boost: float,
) -> dict[int, int]:
    """Return how many rows of each class an expert learns from.

    Positive classes share their part equally. Negative classes share theirs equally
    too, but for the share `boost` of it, which goes by how much each is confused with
    the positive classes.
    """
    members = set(positives.tolist())
    negatives = np.array([c for c in range(n_classes) if c not in members])
    n_positive = positive_share * sample_size
    shares = dict.fromkeys(positives.tolist(), n_positive / len(positives))
    parts = np.full(len(negatives), 1 / len(negatives))
    if confusion is not None and boost > 0:
        both_ways = (confusion + confusion.T)[np.ix_(negatives, positives)].sum(axis=1)
        if both_ways.sum() > 0:
            parts = (1 - boost) * parts + boost * both_ways / both_ways.sum()
    numbers = (sample_size - n_positive) * parts
    shares |= dict(zip(negatives.tolist(), numbers.tolist(), strict=True))
    return {c: max(round(number), 1) for c, number in shares.items()}


def confusion_groups(confusion: Floats) -> list[list[int]]:
    """Put classes that are confused with each other into the same group.

    Starting with every class alone, the two groups with the greatest mean confusion
    between their classes (both ways) are joined, as long as it is more than the mean
    over all pairs of classes, two groups are left, and there is confusion at all. The
    first join happens in any case, so that there are fewer groups than classes. Rows of
    `confusion` are classes, columns what they are taken for.
    """
    k = len(confusion)
    both_ways = (confusion + confusion.T) / 2
    usual = float(both_ways[~np.eye(k, dtype=bool)].mean()) if k > 1 else 0.0
    groups = [[c] for c in range(k)]
    while len(groups) > 2:
        confused, first, second = max(
            (float(both_ways[np.ix_(groups[a], groups[b])].mean()), -a, -b)
            for a in range(len(groups))
            for b in range(a + 1, len(groups))
        )
        if len(groups) < k and confused <= usual:
            break
        groups[-first] = sorted(groups[-first] + groups.pop(-second))
    return sorted(groups)


#: The code of "every expert says other".
NONE = -1


def combine_answers(
    answers: Ints,
    scores: Floats,
    nearness: Floats | None,
    other: int,
    *,
    lots: NDArray[np.uint64] | None = None,
) -> Ints:
    """Return the class of each row by the max rule, -1 where all experts say "other".

    Of answers of shape (n_rows, n_experts) "other" is dropped, however sure; of the
    rest the one with the greatest score wins, ties by the greatest nearness (figures
    6.3 and 6.4 of the thesis; the search over all tied subsets that the second
    describes finds the same). Ties that remain go to the first expert, or by lot.
    """
    said = answers != other
    best = np.where(said, scores, -np.inf)
    tied = said & (best == best.max(axis=1, keepdims=True))
    if nearness is not None:
        near = np.where(tied, nearness, -np.inf)
        tied &= near == near.max(axis=1, keepdims=True)
    if lots is None:
        experts = np.argmax(tied, axis=1)
    else:
        count = np.maximum(tied.sum(axis=1), 1).astype(np.uint64)
        wanted = (lots % count).astype(np.int64)
        experts = np.argmax(tied & (tied.cumsum(axis=1) == wanted[:, None] + 1), axis=1)
    chosen = answers[np.arange(len(answers)), experts]
    return np.where(said.any(axis=1), chosen, NONE)


@dataclass(frozen=True, slots=True, eq=False)
class ExpertAnswers:
    """What an expert says about rows.

    `posteriors` and `nearness` have one column per class and a last one for "other";
    `nearness` is None for learners that know no distances.
    """

    posteriors: Floats
    nearness: Floats | None

    def winners(self) -> Ints:
        """Return the class that is most likely, ties by nearness, then the first."""
        if self.nearness is None:
            return self.posteriors.argmax(axis=1)
        tied = self.posteriors == self.posteriors.max(axis=1, keepdims=True)
        return np.where(tied, self.nearness, -np.inf).argmax(axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Expert:
    """A fitted learner, the classes it knows, and the features it looks at.

    `n_rows` counts the rows of its sample, of which `n_different` are different ones.
    """

    positives: Ints
    model: Any
    encoder: MatrixEncoder | None
    features: tuple[str, ...]
    labels: Ints
    n_classes: int
    n_rows: int
    n_different: int

    def answer(self, table: Table) -> ExpertAnswers:
        """Return posteriors of all classes for the rows of a table."""
        X = table.select(self.features)
        given = X if self.encoder is None else self.encoder.transform(X)
        if hasattr(self.model, "kneighbors"):
            distances, rows = self.model.kneighbors(given)
            codes = self.labels[rows]
            return ExpertAnswers(*neighbour_votes(distances, codes, self.n_classes + 1))
        posteriors = np.zeros((table.n_rows, self.n_classes + 1))
        codes = np.asarray(self.model.classes_, dtype=np.int64)
        posteriors[:, codes] = self.model.predict_proba(given)
        return ExpertAnswers(posteriors, None)


def fit_expert(  # noqa: PLR0917  (a task)
    table: Table,
    codes: Codes,
    rows: Ints,
    positives: Ints,
    n_classes: int,
    estimator: Any,
    selector: Any,
    seed: int,
) -> Expert:
    """Fit a learner to sampled rows, with all classes but `positives` as "other"."""
    labels = codes[rows].astype(np.int64)
    labels[~np.isin(labels, positives)] = n_classes
    sample = table.take(rows)
    features = sample.names
    if selector is not None:
        chooser = _seeded(clone(selector), derive_seed(seed, "selector"))
        given: Any = sample
        if not reads_typed_tables(chooser):
            given = MatrixEncoder(one_hot=False).fit(sample).transform(sample)
        mask = chooser.fit(given, labels).get_support()
        features = tuple(itertools.compress(features, mask)) or features
        sample = sample.select(features)
    named = {"c4.5": C45Classifier, "5-nn": NearestRows}
    model = named[estimator]() if isinstance(estimator, str) else clone(estimator)
    model = _seeded(model, derive_seed(seed, "learner"))
    encoder, given = None, sample
    if not reads_typed_tables(model):
        encoder = MatrixEncoder(one_hot=True).fit(sample)
        given = encoder.transform(sample)
    model.fit(given, labels)
    counts = n_classes, len(rows), len(np.unique(rows))
    return Expert(positives, model, encoder, features, labels, *counts)


def _seeded(estimator: Any, seed: int) -> Any:
    seeds = {
        key: seed % 2**31
        for key, value in estimator.get_params(deep=True).items()
        if value is None and key.rpartition("__")[2] == "random_state"
    }
    return estimator.set_params(**seeds) if seeds else estimator
