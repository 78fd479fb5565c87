"""How much two columns tell about a class together: joint gain and synergy of pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from featsieve._checks import check_choice, check_integer
from featsieve._docs import described_like
from featsieve._kernels import AssociationScanner, PairMeasure, PairScanner, PairScore
from featsieve._types import Array, Codes, Floats
from featsieve.engine import run_tasks
from featsieve.measures._codes import MISSING, as_codes, as_weights, check_coded

# A task should outlast the cost of handing it out by far: this many pairs take
# milliseconds.
_PAIRS_PER_TASK = 1 << 14

# Tasks hold their own best pairs until all are merged; this many pairs (24 bytes each)
# in all tasks together bound that memory.
_MOST_PAIRS_HELD = 1 << 23

_SCORES = {"synergy": PairScore.SYNERGY, "joint_gain": PairScore.JOINT_GAIN}


@dataclass(frozen=True, slots=True, eq=False)
class PairGains:
    """Joint gain and synergy of pairs of features with a class, in bits.

    Parameters
    ----------
    first, second : ndarray of shape (n_pairs,)
        The features of each pair, ``first < second``.
    joint_gain : ndarray of shape (n_pairs,)
        What both features together tell about the class.
    synergy : ndarray of shape (n_pairs,)
        Joint gain minus the gain of each alone; negative where they overlap.
    gain : ndarray of shape (n_features,)
        What each feature tells alone.

    Examples
    --------
    >>> import numpy as np
    >>> from featsieve.measures import pairwise_gain
    >>> codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> pairs = pairwise_gain(codes, [0, 1, 1, 0])
    >>> len(pairs), pairs.as_matrix().tolist()
    (1, [[0.0, 1.0], [1.0, 0.0]])
    """

    first: Codes
    second: Codes
    joint_gain: Floats
    synergy: Floats
    gain: Floats

    def __len__(self) -> int:
        return len(self.first)

    def as_matrix(self, values: str = "synergy") -> Floats:
        """Return a symmetric (n_features, n_features) matrix: 8 bytes a cell.

        Parameters
        ----------
        values : {"synergy", "joint_gain"}, default="synergy"
            What to fill in. Pairs that are not in this result are NaN; the diagonal is
            0 for synergy and the gain of the feature for joint gain.

        Returns
        -------
        ndarray of shape (n_features, n_features)
            The matrix.
        """
        check_choice("values", values, tuple(_SCORES), "PairGains.as_matrix")
        matrix = np.full((len(self.gain), len(self.gain)), np.nan)
        chosen = self.synergy if values == "synergy" else self.joint_gain
        matrix[self.first, self.second] = chosen
        matrix[self.second, self.first] = chosen
        np.fill_diagonal(matrix, 0.0 if values == "synergy" else self.gain)
        return matrix


def pairwise_gain(
    codes: ArrayLike,
    target: ArrayLike,
    *,
    top: int | None = None,
    by: str = "synergy",
    missing: str = "level",
    weights: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> PairGains:
    """Find out what every two features tell about the class together.

    The joint gain of features i and j is ``H(y) - H(y | i, j)``, estimated by relative
    frequencies, in bits; their synergy is the joint gain minus the gain of each alone.
    It is positive where the two tell more together than apart, as the halves of an
    exclusive or do, and biased upwards by about ``(a - 1)(b - 1)(c - 1) / (2 n ln 2)``
    for a and b levels, c classes and n rows.

    Parameters
    ----------
    codes : array-like of shape (n_rows, n_features)
        Integer codes of nominal features; negative means missing. Columns of bytes
        (Fortran-ordered uint8) are read as they are, other layouts and types cost a
        little more.
    target : array-like of shape (n_rows,)
        Integer class codes, 0 or more.
    top : int or None, default=None
        How many pairs to return, best first, ties in the order of (first, second). None
        returns all, in that order: 24 bytes a pair; see `pairwise_gain_blocks` for more
        pairs than fit.
    by : {"synergy", "joint_gain"}, default="synergy"
        What `top` ranks by.
    missing : {"level", "ignore"}, default="level"
        Whether missing values are a level of their own, or rows where either feature is
        missing are left out of that pair. All of a pair's numbers, also the single
        gains in its synergy, are then over the rows it has left; `PairGains.gain` is
        over the known rows of each feature.
    weights : array-like of shape (n_rows,) or None, default=None
        Weight of each row, 0 or more. Weighted pairs are counted row by row, which is
        correct but many times slower.
    n_jobs : int or None, default=None
        Threads; every number gives the same bits. See `featsieve.engine.run_tasks`.

    Returns
    -------
    PairGains
        The pairs and their gains.

    See Also
    --------
    pairwise_gain_blocks : The same for more pairs than fit into memory.

    Notes
    -----
    Time grows with n p² times the product of the numbers of levels while these are few,
    and with n p² when they are many. Memory beyond the result is about n p (L - 1) / 2
    bytes for L levels, and the codes once more if there are features of many levels.
    Without weights the gains are exact sums: they do not change in any bit when rows,
    columns, levels or classes change places, and equal gains tie.

    Examples
    --------
    >>> import numpy as np
    >>> from featsieve.measures import pairwise_gain
    >>> codes = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]])
    >>> best = pairwise_gain(codes, [0, 1, 1, 0], top=1)
    >>> best.first, best.second, best.synergy
    (array([0], dtype=int32), array([1], dtype=int32), array([1.]))
    """
    owner = "pairwise_gain"
    check_choice("by", by, tuple(_SCORES), owner)
    coded, row_weights = check_coded(codes, target, missing, weights, owner)
    scanner = PairScanner(*coded, weights=row_weights)
    if top is None:
        return _scan_range(scanner, 0, scanner.n_features, n_jobs)
    n_best = check_integer("top", top, owner, at_least=1)
    return _scan_top(scanner, n_best, _SCORES[by], n_jobs)


@described_like(pairwise_gain)
def pairwise_gain_blocks(
    codes: ArrayLike,
    target: ArrayLike,
    *,
    block_size: int = 1 << 20,
    missing: str = "level",
    weights: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> Iterator[PairGains]:
    """Yield what every two features tell together, some pairs at a time.

    Parameters
    ----------
    block_size : int, default=1048576
        About how many pairs to yield at a time; a block has all pairs of at least one
        first feature. 24 bytes a pair.

    Yields
    ------
    PairGains
        The next pairs, in the order of (first, second).

    See Also
    --------
    pairwise_gain : All pairs or the best at once.

    Examples
    --------
    >>> import numpy as np
    >>> from featsieve.measures import pairwise_gain_blocks
    >>> codes = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]])
    >>> [len(b) for b in pairwise_gain_blocks(codes, [0, 1, 1, 0], block_size=1)]
    [2, 1]
    """
    owner = "pairwise_gain_blocks"
    size = check_integer("block_size", block_size, owner, at_least=1)
    coded, row_weights = check_coded(codes, target, missing, weights, owner)
    scanner = PairScanner(*coded, weights=row_weights)
    last = scanner.n_features - 1

    def blocks() -> Iterator[PairGains]:
        begin = 0
        while begin < last:
            end = begin + 1
            while end < last and _n_pairs(scanner, begin, end + 1) <= size:
                end += 1
            yield _scan_range(scanner, begin, end, n_jobs)
            begin = end

    return blocks()


def _scan_range(
    scanner: PairScanner, begin: int, end: int, n_jobs: int | None
) -> PairGains:
    """Gains of all pairs whose first feature lies in a range."""
    p = scanner.n_features
    n_pairs = _n_pairs(scanner, begin, end)
    joint_gain, synergy = np.empty(n_pairs), np.empty(n_pairs)

    def scan(task_begin: int, task_end: int) -> None:
        span = slice(
            _n_pairs(scanner, begin, task_begin), _n_pairs(scanner, begin, task_end)
        )
        scanner.scan(task_begin, task_end, joint_gain[span], synergy[span])

    tasks = _cut(scanner, begin, end, _PAIRS_PER_TASK)
    run_tasks(scan, tasks, n_jobs=n_jobs, shared_memory=True)
    firsts = np.arange(begin, end, dtype=np.int32)
    lengths = p - 1 - firsts
    first = np.repeat(firsts, lengths)
    # In 32 bits where they suffice: eight bytes a pair cost a tenth of a scan.
    wide: Any = np.int32 if n_pairs <= np.iinfo(np.int32).max else np.int64
    starts = np.cumsum(lengths, dtype=np.int64) - lengths
    second: Array = np.arange(n_pairs, dtype=wide)
    second += np.repeat((firsts + 1 - starts).astype(wide), lengths)
    second = second.astype(np.int32, copy=False)
    return PairGains(first, second, joint_gain, synergy, scanner.gains())


def _scan_top(
    scanner: PairScanner, top: int, score: PairScore, n_jobs: int | None
) -> PairGains:
    p = scanner.n_features
    n_pairs = _n_pairs(scanner, 0, p)
    top = min(top, n_pairs)
    most_tasks = max(1, _MOST_PAIRS_HELD // max(1, top))
    per_task = max(_PAIRS_PER_TASK, -(-n_pairs // most_tasks))
    results = run_tasks(
        lambda begin, end: scanner.scan_top(begin, end, top, score),
        _cut(scanner, 0, p, per_task),
        n_jobs=n_jobs,
        shared_memory=True,
    )
    gain = scanner.gains()
    if not results:
        nothing, none = np.empty(0, dtype=np.int32), np.empty(0)
        return PairGains(nothing, nothing, none, none, gain)
    first, second, joint_gain, synergy = (
        np.concatenate(parts) for parts in zip(*results, strict=True)
    )
    ranked_by = synergy if score == PairScore.SYNERGY else joint_gain
    best = np.lexsort((second, first, -ranked_by))[:top]
    return PairGains(first[best], second[best], joint_gain[best], synergy[best], gain)


def _n_pairs(scanner: PairScanner, begin: int, end: int) -> int:
    """Count the pairs whose first feature lies in a range."""
    return (end - begin) * (2 * scanner.n_features - 1 - begin - end) // 2


def _cut(
    scanner: PairScanner, begin: int, end: int, pairs_per_task: int
) -> list[tuple[int, int]]:
    """Cut a range of first features where the scanner may be cut at no cost."""
    tasks = []
    task_begin = begin
    for cut in scanner.block_begins().tolist():
        if cut <= task_begin or cut >= end:
            continue
        if _n_pairs(scanner, task_begin, cut) >= pairs_per_task:
            tasks.append((task_begin, cut))
            task_begin = cut
    if task_begin < end:
        tasks.append((task_begin, end))
    return tasks


_MEASURES = {
    "symmetrical_uncertainty": PairMeasure.SYMMETRICAL_UNCERTAINTY,
    "mutual_information": PairMeasure.MUTUAL_INFORMATION,
}


def pairwise_uncertainty(
    codes: ArrayLike,
    *,
    measure: str = "symmetrical_uncertainty",
    missing: str = "level",
    weights: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> Floats:
    """Find out how much every two columns tell about each other.

    Parameters
    ----------
    codes : array-like of int of shape (n_rows, n_features)
        Codes from 0 up; negative is missing. Columns of bytes (Fortran-ordered uint8)
        are read as they are, other layouts and types cost a little more.
    measure : {"symmetrical_uncertainty", "mutual_information"}, \
default="symmetrical_uncertainty"
        Twice the mutual information divided by both entropies, from 0 to 1; or the
        mutual information itself, in bits.
    missing : {"level", "ignore", "spread"}, default="level"
        ``"level"``: missing is one more value. ``"ignore"``: rows where either column
        is missing are left out of that pair. ``"spread"``: they are shared out over the
        values, on both sides, in proportion to how frequent these are (as Weka does).
    weights : array-like of float of shape (n_rows,), default=None
        Weight of each row. Weighted pairs are counted row by row, which is slower.
    n_jobs : int or None, default=None
        Threads; any number gives the same answer.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        Symmetrical; on the diagonal what a column tells about itself.

    See Also
    --------
    symmetrical_uncertainty : Columns against one class.
    pairwise_gain : What two columns tell about a class together.

    Notes
    -----
    Time grows with n p² times the product of the numbers of levels while these are few,
    and with n p² when they are many. Without weights and spread values the sums are
    exact: nothing changes in any bit when rows, columns or levels change places.

    Examples
    --------
    >>> from featsieve.measures import pairwise_uncertainty
    >>> codes = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]]
    >>> pairwise_uncertainty(codes)
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    """
    owner = "pairwise_uncertainty"
    check_choice("measure", measure, tuple(_MEASURES), owner)
    check_choice("missing", missing, tuple(MISSING), owner)
    matrix = as_codes(codes, "codes")
    if matrix.ndim != 2:
        raise ValueError(
            f"codes must be a matrix, rows by features. Got {matrix.ndim} axes."
        )
    row_weights = as_weights(weights, len(matrix))
    scanner = AssociationScanner(matrix, None, MISSING[missing], weights=row_weights)
    return fill_matrix(scanner, _MEASURES[measure], n_jobs)


def fill_matrix(
    scanner: AssociationScanner,
    measure: PairMeasure,
    n_jobs: int | None,
    n_first: int | None = None,
) -> Floats:
    """Return the matrix of a scanner's features, or no more than its first rows."""
    p = scanner.n_features
    n_first = p if n_first is None else n_first
    values = np.empty((p, p))
    # Every pair belongs to its first feature, so early rows are longer.
    ends = np.cumsum(p - np.arange(n_first)) // _PAIRS_PER_TASK
    cuts = [0, *(np.flatnonzero(np.diff(ends)) + 1).tolist(), n_first]
    tasks = [(begin, end, measure, values) for begin, end in pairwise(cuts)]
    run_tasks(scanner.fill, tasks, n_jobs=n_jobs, shared_memory=True)
    return values[:n_first]
