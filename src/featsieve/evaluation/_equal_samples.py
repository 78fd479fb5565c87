"""Test sets with as many rows of every class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from featsieve._checks import check_integer
from featsieve._types import Ints
from featsieve.engine import derive_seed, root_seed
from featsieve.exceptions import DataError


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
