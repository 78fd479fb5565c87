"""What triples, and any sets of features, tell together about a class."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from featsieve._checks import check_choice, check_integer, check_sequence
from featsieve._docs import described_like
from featsieve._kernels import TripleScanner, TripleScore, TupleScanner
from featsieve._types import Codes, Floats, Ints
from featsieve.engine import run_tasks
from featsieve.measures._codes import as_subsets, check_coded
from featsieve.measures._pair_gains import pairwise_gain

# A task should outlast the cost of handing it out by far: this many triples take a
# millisecond.
_TRIPLES_PER_TASK = 1 << 15

# Tasks hold their own best triples until all are merged; this many triples (36 bytes
# each) in all tasks together bound that memory.
_MOST_TRIPLES_HELD = 1 << 22

# Pairs that are grown by one task.
_PAIRS_PER_TASK = 64

_SCORES = {
    "third_order": TripleScore.THIRD_ORDER,
    "joint_gain": TripleScore.JOINT_GAIN,
    "synergy": TripleScore.SYNERGY,
}


@dataclass(frozen=True, slots=True, eq=False)
class TripleGains:
    """Gains of triples of features with a class, in bits.

    Parameters
    ----------
    members : ndarray of shape (n_triples, 3)
        The features of each triple, ascending.
    joint_gain : ndarray of shape (n_triples,)
        What the three features together tell about the class.
    third_order : ndarray of shape (n_triples,)
        The part of it that neither pairs nor single features explain; negative where
        pairs overlap.
    synergy : ndarray of shape (n_triples,)
        Joint gain minus that of the best split of the triple into parts.

    Examples
    --------
    >>> import itertools
    >>> import numpy as np
    >>> from featsieve.measures import triple_gain
    >>> codes = np.array(list(itertools.product([0, 1], repeat=3)))
    >>> triples = triple_gain(codes, codes.sum(axis=1) % 2)
    >>> len(triples), triples.members.tolist(), triples.synergy.tolist()
    (1, [[0, 1, 2]], [1.0])
    """

    members: Codes
    joint_gain: Floats
    third_order: Floats
    synergy: Floats

    def __len__(self) -> int:
        return len(self.members)


@described_like(pairwise_gain)
def triple_gain(
    codes: ArrayLike,
    target: ArrayLike,
    *,
    top: int | None = None,
    by: str = "third_order",
    pairs: ArrayLike | None = None,
    missing: str = "level",
    weights: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> TripleGains:
    """Find out what every three features tell about the class together.

    With IG for information gain by relative frequencies, in bits, the third order of
    features i, j and k is IG(ijk) − IG(ij) − IG(ik) − IG(jk) + IG(i) + IG(j) + IG(k);
    their synergy is IG(ijk) minus the largest of IG(ij) + IG(k), IG(ik) + IG(j),
    IG(jk) + IG(i) and IG(i) + IG(j) + IG(k). Both are 1 for the parity of three bits,
    no two of which tell anything.

    Parameters
    ----------
    codes : array-like of shape (n_rows, n_features)
        Integer codes of nominal features; negative means missing.
    top : int or None, default=None
        How many triples to return, best first, ties in the order of members. None
        returns all, in that order: 36 bytes a triple; see `triple_gain_blocks` for
        more than fit.
    by : {"third_order", "joint_gain", "synergy"}, default="third_order"
        What `top` ranks by.
    pairs : array-like of shape (n_pairs, 2) or None, default=None
        Only triples that contain one of these pairs of features; None is all triples.
    missing : {"level", "ignore"}, default="level"
        Whether missing values are a level of their own, or rows where a feature of the
        triple is missing are left out of all its numbers.
    weights : array-like of shape (n_rows,) or None, default=None
        Weight of each row, 0 or more. Weighted triples are counted row by row, which
        is correct but some hundred times slower.

    Returns
    -------
    TripleGains
        The triples and their gains.

    See Also
    --------
    pairwise_gain : The same for pairs.
    gains_of_tuples : The joint gains of some sets of any size.
    triple_gain_blocks : The same for more triples than fit into memory.

    Notes
    -----
    Time grows with n p³ times the product of the numbers of levels while these are few,
    and with n p³ when they are many. Memory beyond the result is about 4 p² L² bytes
    per class for L levels. Without weights the gains are exact sums: they do not change
    in any bit when rows, columns, levels or classes change places, and equal gains tie.

    Examples
    --------
    >>> import itertools
    >>> import numpy as np
    >>> from featsieve.measures import triple_gain
    >>> codes = np.array(list(itertools.product([0, 1], repeat=4)))
    >>> best = triple_gain(codes, codes[:, [0, 1, 3]].sum(axis=1) % 2, top=1)
    >>> best.members, best.third_order
    (array([[0, 1, 3]], dtype=int32), array([1.]))
    """
    owner = "triple_gain"
    check_choice("by", by, tuple(_SCORES), owner)
    n_best = None if top is None else check_integer("top", top, owner, at_least=1)
    coded, row_weights = check_coded(codes, target, missing, weights, owner)
    scanner = TripleScanner(*coded, weights=row_weights)
    if pairs is not None:
        grown = _scan_grown(scanner, _check_pairs(pairs, scanner.n_features), n_jobs)
        return grown if n_best is None else _best_of(grown, n_best, by)
    scanner.prepare(np.arange(scanner.n_features, dtype=np.int32))
    if n_best is None:
        return _scan_range(scanner, 0, scanner.n_features, n_jobs)
    return _scan_top(scanner, n_best, by, n_jobs)


@described_like(triple_gain)
def triple_gain_blocks(
    codes: ArrayLike,
    target: ArrayLike,
    *,
    block_size: int = 1 << 20,
    missing: str = "level",
    weights: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> Iterator[TripleGains]:
    """Yield what every three features tell together, some triples at a time.

    Parameters
    ----------
    block_size : int, default=1048576
        About how many triples to yield at a time; a block has all triples of at least
        one first feature. 36 bytes a triple.

    Yields
    ------
    TripleGains
        The next triples, in the order of members.

    See Also
    --------
    triple_gain : All triples or the best at once.

    Examples
    --------
    >>> import itertools
    >>> import numpy as np
    >>> from featsieve.measures import triple_gain_blocks
    >>> codes = np.array(list(itertools.product([0, 1], repeat=4)))
    >>> target = codes.sum(axis=1) % 2
    >>> [len(b) for b in triple_gain_blocks(codes, target, block_size=1)]
    [3, 1]
    """
    owner = "triple_gain_blocks"
    size = check_integer("block_size", block_size, owner, at_least=1)
    coded, row_weights = check_coded(codes, target, missing, weights, owner)
    scanner = TripleScanner(*coded, weights=row_weights)
    scanner.prepare(np.arange(scanner.n_features, dtype=np.int32))
    last = scanner.n_features - 2
    tasks = _cut(scanner.n_features, 0, last, size)
    return (_scan_range(scanner, begin, end, n_jobs) for begin, end in tasks)


def _scan_range(
    scanner: TripleScanner, begin: int, end: int, n_jobs: int | None
) -> TripleGains:
    """Gains of all triples whose first feature lies in a range."""
    p = scanner.n_features
    gains = np.empty((_n_triples(p, begin, end), 3))

    def scan(task_begin: int, task_end: int) -> None:
        span = slice(_n_triples(p, begin, task_begin), _n_triples(p, begin, task_end))
        scanner.scan(task_begin, task_end, gains[span])

    tasks = _cut(p, begin, end, _TRIPLES_PER_TASK)
    run_tasks(scan, tasks, n_jobs=n_jobs, shared_memory=True)
    return _as_gains(_members(p, begin, end), gains)


def _members(p: int, begin: int, end: int) -> Codes:
    """All triples whose first feature lies in a range, in order."""
    parts = []
    for first in range(begin, min(end, p - 2)):
        later = np.column_stack(np.triu_indices(p - 1 - first, 1)) + (first + 1)
        parts.append(np.insert(later, 0, first, axis=1).astype(np.int32))
    return np.concatenate([np.empty((0, 3), dtype=np.int32), *parts])


def _scan_top(
    scanner: TripleScanner, top: int, by: str, n_jobs: int | None
) -> TripleGains:
    p = scanner.n_features
    n_triples = _n_triples(p, 0, p)
    top = min(top, n_triples)
    most_tasks = max(1, _MOST_TRIPLES_HELD // max(1, top))
    per_task = max(_TRIPLES_PER_TASK, -(-n_triples // most_tasks))
    results = run_tasks(
        lambda begin, end: scanner.scan_top(begin, end, top, _SCORES[by]),
        _cut(p, 0, p, per_task),
        n_jobs=n_jobs,
        shared_memory=True,
    )
    members = np.concatenate(
        [np.empty((0, 3), dtype=np.int32), *(r[0] for r in results)]
    )
    gains = np.concatenate([np.empty((0, 3)), *(r[1] for r in results)])
    return _best_of(_as_gains(members, gains), top, by)


def _scan_grown(
    scanner: TripleScanner, pairs: Codes, n_jobs: int | None
) -> TripleGains:
    """Gains of the triples that contain one of the pairs, in order, each once."""
    p = scanner.n_features
    scanner.prepare(np.unique(pairs))
    others = p - 2
    gains = np.empty((len(pairs) * others, 3))
    firsts, seconds = np.ascontiguousarray(pairs.T)

    def scan(begin: int) -> None:
        end = min(begin + _PAIRS_PER_TASK, len(pairs))
        scanner.scan_with_pairs(
            firsts[begin:end], seconds[begin:end], gains[begin * others : end * others]
        )

    tasks = [(begin,) for begin in range(0, len(pairs), _PAIRS_PER_TASK)]
    run_tasks(scan, tasks, n_jobs=n_jobs, shared_memory=True)
    thirds = np.tile(np.arange(p, dtype=np.int32), (len(pairs), 1))
    free = np.ones_like(thirds, dtype=bool)
    np.put_along_axis(free, pairs, values=False, axis=1)
    members = np.column_stack([np.repeat(pairs, others, axis=0), thirds[free]])
    members.sort(axis=1)
    order = np.lexsort(members.T[::-1])
    members = members[order]
    fresh = np.ones(len(members), dtype=bool)
    fresh[1:] = np.any(members[1:] != members[:-1], axis=1)
    return _as_gains(members[fresh], gains[order[fresh]])


def _check_pairs(pairs: ArrayLike, n_features: int) -> Codes:
    """Return each pair once, ascending, or say which is none."""
    array = np.asarray(pairs)
    if array.size == 0:
        return np.empty((0, 2), dtype=np.int32)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise ValueError(
            "pairs must be column numbers of shape (n_pairs, 2). Got an array of "
            f"{array.dtype} of shape {array.shape}."
        )
    wrong = (
        (array < 0).any(axis=1)
        | (array >= n_features).any(axis=1)
        | (array[:, 0] == array[:, 1])
    )
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"pairs must hold two different column numbers from 0 to {n_features - 1}. "
            f"Got {array[row].tolist()} in row {row}."
        )
    return np.unique(np.sort(array.astype(np.int32), axis=1), axis=0)


def _best_of(triples: TripleGains, top: int, by: str) -> TripleGains:
    """Return the best of some triples, best first, ties in the order of members."""
    best = np.lexsort((*triples.members.T[::-1], -getattr(triples, by)))[:top]
    columns = (triples.joint_gain, triples.third_order, triples.synergy)
    return TripleGains(triples.members[best], *(each[best] for each in columns))


def _as_gains(members: Codes, gains: Floats) -> TripleGains:
    joint_gain, third_order, synergy = np.ascontiguousarray(gains.T)
    return TripleGains(members, joint_gain, third_order, synergy)


def _n_triples(p: int, begin: int, end: int) -> int:
    """Count the triples whose first feature lies in a range."""

    def after(first: int) -> int:
        left = max(p - first, 0)
        return left * (left - 1) * (left - 2) // 6

    return after(begin) - after(end)


def _cut(p: int, begin: int, end: int, per_task: int) -> list[tuple[int, int]]:
    """Cut a range of first features into parts of at least so many triples."""
    tasks = []
    task_begin = begin
    for first in range(begin, end):
        if _n_triples(p, task_begin, first + 1) >= per_task:
            tasks.append((task_begin, first + 1))
            task_begin = first + 1
    if _n_triples(p, task_begin, end) > 0:
        tasks.append((task_begin, end))
    return tasks


# Enough sets for neighbours to share their beginnings, few enough to spread.
_TUPLES_PER_TASK = 256


@described_like(triple_gain)
def gains_of_tuples(
    codes: ArrayLike,
    target: ArrayLike,
    tuples: Iterable[Sequence[int]],
    *,
    missing: str = "level",
    weights: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> Floats:
    """Find out what each of some sets of features tells about the class.

    The gain of a set is ``H(y) - H(y | all features of the set)``, estimated by
    relative frequencies, in bits. On sparse data it is near H(y) whatever the set is.

    Parameters
    ----------
    tuples : iterable of sequences of int
        The sets, of any sizes, as column numbers. The empty set tells nothing.
    missing : {"level", "ignore"}, default="level"
        Whether missing values are a level of their own, or rows where a feature of the
        set is missing are left out of that set.
    weights : array-like of shape (n_rows,) or None, default=None
        Weight of each row, 0 or more.

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
    owner = "gains_of_tuples"
    coded, row_weights = check_coded(codes, target, missing, weights, owner)
    matrix, classes, n_classes, how = coded
    members, begins = _read_tuples(tuples, matrix.shape[1])
    n_sets = len(begins) - 1
    # Only the columns in use are encoded.
    used, numbers = np.unique(members, return_inverse=True)
    numbered: Codes = numbers.astype(np.int32)
    scanner = TupleScanner(matrix[:, used], classes, n_classes, how, row_weights)

    def scan(first: int) -> Floats:
        part = begins[first : first + _TUPLES_PER_TASK + 1]
        return scanner.gains(numbered[part[0] : part[-1]], part - part[0])

    tasks = [(first,) for first in range(0, n_sets, _TUPLES_PER_TASK)]
    parts = run_tasks(scan, tasks, n_jobs=n_jobs, shared_memory=True)
    return np.concatenate([np.empty(0), *parts])


def _read_tuples(tuples: Any, n_features: int) -> tuple[Codes, Ints]:
    """Return the members of all sets, one after the other, and where each begins."""
    if isinstance(tuples, np.ndarray) and tuples.ndim == 2 and tuples.dtype.kind == "i":
        members = tuples.astype(np.int32).ravel()
        if not len(members) or 0 <= members.min() <= members.max() < n_features:
            return members, np.arange(len(tuples) + 1) * tuples.shape[1]
    given = check_sequence("tuples", tuples, "gains_of_tuples", "tuples such as (0, 1)")
    sets: list[tuple[int, ...]] = []
    for position, each in enumerate(given):
        must = f"tuples must hold column numbers from 0 to {n_features - 1}"
        try:
            features = tuple(operator.index(feature) for feature in each)
        except TypeError:
            raise ValueError(
                f"{must}, such as [(0,), (0, 1)]. Got {each!r} as one of them."
            ) from None
        for feature in features:
            if not 0 <= feature < n_features:
                raise ValueError(f"{must}. Got {feature} in tuple {position}.")
        sets.append(features)
    return as_subsets(sets)
