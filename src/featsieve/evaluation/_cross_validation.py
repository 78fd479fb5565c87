"""Scores on rows that a model has not seen: folds, one row at a time, bootstrap."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.metrics import get_scorer
from sklearn.model_selection import (
    GroupKFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
)
from sklearn.utils import _safe_indexing

from featsieve._checks import check_integer, check_learner
from featsieve._docs import described_like
from featsieve._types import Array, Floats, Ints, Mask
from featsieve.data import Table
from featsieve.engine import derive_seed, root_seed, run_tasks
from featsieve.exceptions import DataError

Split = tuple[Ints, Ints]


@dataclass(frozen=True, slots=True)
class BootstrapError:
    """Error rates by the bootstrap.

    Parameters
    ----------
    error_632, error_632_plus : float
        Efron's .632 mixture of the two below, and the .632+ of Efron and Tibshirani,
        which leans further to the second where a model fits noise.
    training_error : float
        On the rows the model was trained on: too good.
    out_of_sample_error : float
        On rows left out of the bootstrap sample: too bad, as the model saw fewer.

    Examples
    --------
    >>> from featsieve.evaluation import BootstrapError
    >>> BootstrapError(0.2, 0.21, 0.0, 0.31).error_632
    0.2
    """

    error_632: float
    error_632_plus: float
    training_error: float
    out_of_sample_error: float


def repeated_folds(
    y: ArrayLike,
    n_splits: int = 10,
    n_repeats: int = 3,
    *,
    stratified: bool = True,
    groups: ArrayLike | None = None,
    random_state: Any = None,
) -> list[Split]:
    """Cut the rows into folds several times, with the classes shared out evenly.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        The class of each row, or its quantity if not `stratified`.
    n_splits : int, default=10
        Folds per repetition.
    n_repeats : int, default=3
        Repetitions, each with other folds.
    stratified : bool, default=True
        Whether each fold has about the same share of every class.
    groups : array-like of shape (n_rows,) or None, default=None
        Which rows belong together: all rows of a group are in one fold, and classes
        are shared out as evenly as that allows.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    list of (ndarray of int64, ndarray of int64)
        Rows for training and for testing; ``n_splits`` splits of the first repetition,
        then those of the next.

    Examples
    --------
    >>> from featsieve.evaluation import repeated_folds
    >>> splits = repeated_folds([0, 0, 0, 1, 1, 1], 3, 2, random_state=0)
    >>> len(splits), [len(rows) for rows in splits[0]]
    (6, [4, 2])
    """
    owner = "repeated_folds"
    check_integer("n_splits", n_splits, owner, at_least=2)
    check_integer("n_repeats", n_repeats, owner, at_least=1)
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise DataError(f"y must hold one value per row. Got shape {labels.shape}.")
    if len(labels) < n_splits:
        raise DataError(
            f"{n_splits} folds need at least as many rows. Got {len(labels)}; ask for "
            "fewer folds, or add rows."
        )
    if stratified:
        _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
        if sizes.max() < n_splits:
            raise DataError(
                f"No class has {n_splits} rows, the largest has {sizes.max()}. Ask for "
                "fewer folds."
            )
        labels = codes
    seed = derive_seed(root_seed(random_state), owner) % 2**32
    if groups is not None:
        return _group_folds(
            labels, groups, n_splits, n_repeats, stratified=stratified, seed=seed
        )
    kind = RepeatedStratifiedKFold if stratified else RepeatedKFold
    folds = kind(n_splits=n_splits, n_repeats=n_repeats, random_state=seed)
    with warnings.catch_warnings():
        # A class with fewer rows than folds is missing from some; that is no error.
        warnings.filterwarnings("ignore", message="The least populated class")
        return list(folds.split(np.zeros((len(labels), 1)), labels))


def _group_folds(
    labels: Array,
    groups: ArrayLike,
    n_splits: int,
    n_repeats: int,
    *,
    stratified: bool,
    seed: int,
) -> list[Split]:
    """Return folds of whole groups."""
    codes = np.unique(np.asarray(groups), return_inverse=True)[1].ravel()
    if len(codes) != len(labels):
        raise DataError(
            f"groups must have one value per row: {len(labels)}. Got {len(codes)}."
        )
    n_groups = int(codes.max(initial=-1)) + 1
    if n_groups < n_splits:
        raise DataError(
            f"{n_splits} folds of whole groups need at least as many groups, and there "
            f"are {n_groups}. Ask for fewer folds."
        )
    kind = StratifiedGroupKFold if stratified else GroupKFold
    rows = np.zeros((len(labels), 1))
    splits: list[Split] = []
    for repeat in range(n_repeats):
        number = derive_seed(seed, "groups", repeat) % 2**32
        folds = kind(n_splits=n_splits, shuffle=True, random_state=number)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class")
            splits += folds.split(rows, labels, codes)
    # One group that holds nearly all rows of a class leaves a fold without any row.
    if not all(len(train) and len(test) for train, test in splits):
        raise DataError(
            f"The groups are too unequal for {n_splits} folds, of which some would be "
            "empty. Ask for fewer folds."
        )
    return splits


def forward_folds(time: ArrayLike, n_splits: int = 10) -> list[Split]:
    """Cut the rows into blocks of time, each tested after all before it are learnt.

    The rows are cut into ``n_splits + 1`` blocks of about equal size; rows of the same
    moment are in one block. The first block is learnt from only.

    Parameters
    ----------
    time : array-like of shape (n_rows,)
        The moment of each row: anything that can be sorted.
    n_splits : int, default=10
        How many blocks are tested.

    Returns
    -------
    list of (ndarray of int64, ndarray of int64)
        Rows for training and for testing, the earliest block first.

    Examples
    --------
    >>> from featsieve.evaluation import forward_folds
    >>> for train, test in forward_folds([2001, 2001, 2002, 2004, 2003, 2003], 2):
    ...     print(train.tolist(), test.tolist())
    [0, 1] [2]
    [0, 1, 2] [3, 4, 5]
    """
    owner = "forward_folds"
    check_integer("n_splits", n_splits, owner, at_least=1)
    values = np.asarray(time)
    if values.ndim != 1:
        raise DataError(f"time must hold one value per row. Got shape {values.shape}.")
    codes, sizes = np.unique(values, return_inverse=True, return_counts=True)[1:]
    n_blocks = n_splits + 1
    # A moment belongs to the block in which its middle row lies.
    middles = np.cumsum(sizes) - sizes / 2
    block = np.minimum(middles * n_blocks // max(len(values), 1), n_splits)[codes]
    splits = [
        (np.flatnonzero(block < number), np.flatnonzero(block == number))
        for number in range(1, n_blocks)
    ]
    if not all(len(train) and len(test) for train, test in splits):
        raise DataError(
            f"{n_splits} folds of time need {n_blocks} blocks of rows, and there are "
            f"only {len(sizes)} moments, of {len(values)} rows. Ask for fewer folds."
        )
    return splits


def repeated_cross_validation(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    cv: Iterable[Split] | None = None,
    scoring: Any = "accuracy",
    n_jobs: int | None = None,
    random_state: Any = None,
) -> Floats:
    """Score an estimator on rows that it was not trained on.

    Parameters
    ----------
    estimator : estimator
        Cloned and fitted anew for every split.
    X : table of shape (n_rows, n_features)
        A frame, an array or a `featsieve.data.Table`.
    y : array-like of shape (n_rows,)
        The target.
    cv : iterable of (train, test) or None, default=None
        Row numbers; None means `repeated_folds` with its defaults.
    scoring : str or callable, default="accuracy"
        As in scikit-learn.
    n_jobs : int or None, default=None
        Splits at a time.
    random_state : int, RandomState or None, default=None
        Seed of the folds.

    Returns
    -------
    ndarray of float64 of shape (n_splits,)
        One score per split, in their order.

    Examples
    --------
    >>> from featsieve.evaluation import repeated_cross_validation
    >>> from featsieve.trees import C45Classifier
    >>> X = [[value] for value in range(30)]
    >>> y = [0] * 15 + [1] * 15
    >>> scores = repeated_cross_validation(C45Classifier(), X, y, random_state=0)
    >>> len(scores), round(float(scores.mean()), 2)
    (30, 0.96)
    """
    check_learner(estimator, "repeated_cross_validation")
    labels = np.asarray(y)
    splits = repeated_folds(labels, random_state=random_state) if cv is None else cv
    scorer = get_scorer(scoring)
    if isinstance(X, (list, tuple)):
        X = np.asarray(X)

    def score(train: Ints, test: Ints) -> float:
        model = clone(estimator).fit(take_rows(X, train), labels[train])
        return float(scorer(model, take_rows(X, test), labels[test]))

    return np.array(run_tasks(score, splits, n_jobs=n_jobs), dtype=np.float64)


@described_like(repeated_cross_validation)
def bootstrap_632(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    n_resamples: int = 50,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> BootstrapError:
    """Estimate the error rate of a classifier by the bootstrap.

    Parameters
    ----------
    n_resamples : int, default=50
        Samples of n rows with replacement.
    n_jobs : int or None, default=None
        Resamples at a time.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    BootstrapError
        The .632 and .632+ errors and their parts.

    References
    ----------
    Efron, B. and Tibshirani, R. (1997). Improvements on cross-validation: the .632+
    bootstrap method. *Journal of the American Statistical Association* 92, 548–560.

    Examples
    --------
    >>> from featsieve.evaluation import bootstrap_632
    >>> from featsieve.trees import C45Classifier
    >>> X = [[value] for value in range(30)]
    >>> error = bootstrap_632(C45Classifier(), X, [0] * 15 + [1] * 15, random_state=0)
    >>> 0 < error.error_632 < 0.1
    True
    """
    check_learner(estimator, "bootstrap_632")
    check_integer("n_resamples", n_resamples, "bootstrap_632", at_least=1)
    labels = np.asarray(y)
    n = len(labels)
    if isinstance(X, (list, tuple)):
        X = np.asarray(X)
    seed = root_seed(random_state)

    def resample(number: int) -> tuple[Mask, Mask] | None:
        random = np.random.default_rng(derive_seed(seed, "bootstrap_632", number))
        drawn = random.integers(0, n, n)
        left_out = np.ones(n, dtype=bool)
        left_out[drawn] = False
        if not left_out.any():
            return None
        model = clone(estimator).fit(take_rows(X, drawn), labels[drawn])
        rows = np.flatnonzero(left_out)
        wrong = np.zeros(n, dtype=bool)
        wrong[rows] = model.predict(take_rows(X, rows)) != labels[rows]
        return left_out, wrong

    tasks = [(number,) for number in range(n_resamples)]
    tested, wrong = np.zeros(n), np.zeros(n)
    for found in run_tasks(resample, tasks, n_jobs=n_jobs):
        if found is not None:
            tested += found[0]
            wrong += found[1]
    seen = tested > 0
    if not seen.any():
        raise DataError("No row was ever left out. Ask for more 'n_resamples'.")
    # Efron's leave-one-out bootstrap: by row first, then over rows.
    outside = float((wrong[seen] / tested[seen]).mean())
    said = clone(estimator).fit(X, labels).predict(X)
    return _mix_errors(labels, said, outside)


def _mix_errors(labels: Array, said: Array, outside: float) -> BootstrapError:
    """Return the .632 mixtures of the training error and the one outside of it."""
    training = float(np.mean(said != labels))
    # The error if classes and predictions had nothing to do with each other.
    names = np.unique(np.concatenate([labels, said]))
    by_chance = 1 - sum(
        float(np.mean(labels == name)) * float(np.mean(said == name)) for name in names
    )
    capped = min(outside, by_chance)
    overfit = 0.0
    if capped > training and by_chance > training:
        overfit = (capped - training) / (by_chance - training)
    weight = 0.632 / (1 - 0.368 * overfit)
    return BootstrapError(
        0.368 * training + 0.632 * outside,
        (1 - weight) * training + weight * capped,
        training,
        outside,
    )


def take_rows(X: Any, rows: Ints) -> Any:
    """Return these rows of a table, a frame or an array."""
    if isinstance(X, Table):
        return X.take(rows)
    return _safe_indexing(X, rows)


def equal_class_samples(
    y: ArrayLike,
    n_per_class: int | None = None,
    *,
    n_subsamples: int = 10,
    most_repeats: int = 1,
    random_state: Any = None,
) -> list[Ints]:
    """Draw test sets in which every class has the same number of rows.

    Accuracy on them is the mean of the true-positive rates, so that frequent classes
    do not hide the others.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        The class of each row that may be drawn.
    n_per_class : int or None, default=None
        Rows of each class in each sample; None takes half of the rarest class.
    n_subsamples : int, default=10
        How many samples.
    most_repeats : int, default=1
        A class with fewer rows than asked is drawn with replacement, up to so many
        times its size; 1 allows none.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    list of ndarray of int64
        The row numbers of each sample, sorted. Within a sample no row is drawn twice
        unless a class is too small.

    Examples
    --------
    >>> from featsieve.evaluation import equal_class_samples
    >>> y = ["a"] * 6 + ["b"] * 4
    >>> samples = equal_class_samples(y, 2, n_subsamples=3, random_state=0)
    >>> [[y[row] for row in sample] for sample in samples]
    [['a', 'a', 'b', 'b'], ['a', 'a', 'b', 'b'], ['a', 'a', 'b', 'b']]
    """
    owner = "equal_class_samples"
    check_integer("n_subsamples", n_subsamples, owner, at_least=1)
    check_integer("most_repeats", most_repeats, owner, at_least=1)
    labels = np.asarray(y)
    if labels.ndim != 1 or not len(labels):
        message = f"y must be a list of at least one class. Got shape {labels.shape}."
        raise DataError(message)
    classes, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    if n_per_class is None:
        n_per_class = max(int(sizes.min()) // 2, 1)
    n = check_integer("n_per_class", n_per_class, owner, at_least=1)
    small = int(np.argmin(sizes))
    if sizes[small] * most_repeats < n:
        raise DataError(
            f"Class {classes[small].item()!r} has {sizes[small]} rows, too few for "
            f"{n} in each sample. Ask for at most {sizes[small] * most_repeats} per "
            "class, or allow repeats with `most_repeats`."
        )
    seed = root_seed(random_state)
    partitions = [np.flatnonzero(codes == c) for c in range(len(classes))]
    samples = []
    for number in range(n_subsamples):
        random = np.random.default_rng(derive_seed(seed, owner, number))
        rows = [draw_rows(part, n, random) for part in partitions]
        samples.append(np.sort(np.concatenate(rows)))
    return samples


def draw_rows(rows: Ints, n: int, random: np.random.Generator) -> Ints:
    """Return `n` of the rows: each at most once if there are enough, else bootstrap."""
    return random.choice(rows, size=n, replace=len(rows) < n)
