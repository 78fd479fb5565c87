"""How much given sets of columns tell about a class together."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve._checks import check_sequence
from featsieve._kernels import TupleScanner
from featsieve.engine import run_tasks
from featsieve.measures._codes import check_coded

__all__ = ["gains_of_tuples"]

# Enough sets for neighbours to share their beginnings, few enough to spread.
_TUPLES_PER_TASK = 256


def gains_of_tuples(
    codes: ArrayLike,
    target: ArrayLike,
    tuples: Iterable[Sequence[int]],
    *,
    missing: str = "level",
    weights: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Find out what each of some sets of features tells about the class.

    The gain of a set is ``H(y) - H(y | all features of the set)``, estimated by
    relative frequencies, in bits. On sparse data it is near H(y) whatever the set is.

    Parameters
    ----------
    codes : array-like of shape (n_rows, n_features)
        Integer codes of nominal features; negative means missing.
    target : array-like of shape (n_rows,)
        Integer class codes, 0 or more.
    tuples : iterable of sequences of int
        The sets, of any sizes, as column numbers. The empty set tells nothing.
    missing : {"level", "ignore"}, default="level"
        Whether missing values are a level of their own, or rows where a feature of the
        set is missing are left out of that set.
    weights : array-like of shape (n_rows,) or None, default=None
        Weight of each row, 0 or more.
    n_jobs : int or None, default=None
        Threads; every number gives the same bits. See `featsieve.engine.run_tasks`.

    Returns
    -------
    ndarray of shape (n_tuples,)
        One gain per set.

    See Also
    --------
    pairwise_gain : All pairs, much faster.

    Notes
    -----
    O(n k) per set of k features, whatever the number of levels. Sets that follow each
    other and begin alike share that work, so sorted lists are cheapest.

    Examples
    --------
    >>> import numpy as np
    >>> from featsieve.measures import gains_of_tuples
    >>> codes = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]])
    >>> gains_of_tuples(codes, [0, 1, 1, 0], [(0,), (0, 1), (0, 1, 2)])
    array([0., 1., 1.])
    """
    coded = check_coded(codes, target, missing, weights, "gains_of_tuples")
    sets = _read_tuples(tuples, coded.codes.shape[1])
    # Only the columns in use are encoded.
    used = sorted({feature for each in sets for feature in each})
    number = {feature: k for k, feature in enumerate(used)}
    scanner = TupleScanner(
        coded.codes[:, used],
        coded.classes,
        coded.n_classes,
        coded.missing,
        coded.weights,
    )

    def scan(begin: int) -> NDArray[np.float64]:
        part = sets[begin : begin + _TUPLES_PER_TASK]
        features = [number[feature] for each in part for feature in each]
        begins = np.cumsum([0, *map(len, part)], dtype=np.int64)
        return scanner.gains(np.array(features, dtype=np.int32), begins)

    tasks = [(begin,) for begin in range(0, len(sets), _TUPLES_PER_TASK)]
    parts = run_tasks(scan, tasks, n_jobs=n_jobs, shared_memory=True)
    return np.concatenate([np.empty(0), *parts])


def _read_tuples(tuples: Any, n_features: int) -> list[list[int]]:
    given = check_sequence("tuples", tuples, "gains_of_tuples", "tuples such as (0, 1)")
    sets = []
    for position, each in enumerate(given):
        must = f"tuples must hold column numbers from 0 to {n_features - 1}"
        try:
            features = [operator.index(feature) for feature in each]
        except TypeError:
            message = f"{must}, such as [(0,), (0, 1)]. Got {each!r} as one of them."
            raise ValueError(message) from None
        for feature in features:
            if not 0 <= feature < n_features:
                message = f"{must}. Got {feature} in tuple {position}."
                raise ValueError(message)
        sets.append(features)
    return sets
