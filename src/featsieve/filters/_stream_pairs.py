"""Interactions of pairs in a table of any length, from joint counts that add up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import false_discovery_control

from featsieve._checks import check_integer
from featsieve._kernels import PairCounts, apply_cuts, best_instructions, to_bytes
from featsieve.data import Note, TableStream
from featsieve.data._counted import CountedColumn
from featsieve.data._counting import ClassRule, row_count
from featsieve.data._encode import Codes, Numbers, Raw
from featsieve.data._settle import Request, mark_missing
from featsieve.engine import run_tasks
from featsieve.exceptions import DataError
from featsieve.filters._counted import count_features
from featsieve.measures import counted_gain, interaction_test

__all__ = ["StreamInteractions", "stream_interactions"]

#: Columns of names with more levels stay out: their joint tables would be huge.
MOST_LEVELS = 32
#: Pairs that are tested, best synergy first; the others could not pass anyway.
MOST_TESTED = 20_000
PAIRS_PER_TASK = 500


@dataclass(frozen=True, slots=True, eq=False)
class StreamInteractions:
    """What pairs of features tell together, from `stream_interactions`.

    Parameters
    ----------
    names : tuple of str
        The features that were paired.
    gains : ndarray of shape (n_features,)
        What each tells alone, in bits.
    first, second : ndarray of int of shape (n_pairs,)
        Positions in `names`; all pairs in order.
    joint_gain, synergy : ndarray of shape (n_pairs,)
        What they tell together, and beyond the sum of both.
    p_values, q_values : ndarray of shape (n_pairs,)
        Of the three-way interaction; adjusted for the number of pairs.
    classes : tuple
        Labels of the classes.
    n_rows : int
        Rows with a class.
    notes : tuple of Note
        What was noticed, such as columns left out.

    Examples
    --------
    >>> from featsieve.data import open_stream
    >>> from featsieve.filters import stream_interactions
    >>> rows = {"a": [0, 0, 1, 1] * 50, "b": [0, 1] * 100, "y": list("nppn") * 50}
    >>> found = stream_interactions(open_stream(rows, target="y"))
    >>> found.best()
    [('a', 'b', 1.0)]
    """

    names: tuple[str, ...]
    gains: NDArray[np.float64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    joint_gain: NDArray[np.float64]
    synergy: NDArray[np.float64]
    p_values: NDArray[np.float64]
    q_values: NDArray[np.float64]
    classes: tuple[Any, ...]
    n_rows: int
    notes: tuple[Note, ...]

    def best(self, alpha: float = 0.05) -> list[tuple[str, str, float]]:
        """Return the pairs of positive synergy that pass at `alpha`, best first.

        Parameters
        ----------
        alpha : float, default=0.05
            False discovery rate.

        Returns
        -------
        list of (str, str, float)
            Names and synergy in bits.
        """
        order = np.argsort(-self.synergy, kind="stable")
        return [
            (
                self.names[self.first[k]],
                self.names[self.second[k]],
                float(self.synergy[k]),
            )
            for k in order.tolist()
            if self.q_values[k] <= alpha and self.synergy[k] > 0
        ]


@dataclass(frozen=True, slots=True)
class _Coding:
    """How a column becomes levels: cuts of numbers, or places of names."""

    cuts: NDArray[np.float64] | None
    places: dict[Any, int]
    known: int
    n_levels: int  # with one for missing values, if there are any

    def write(self, raw: Raw, bytes_: NDArray[np.uint8]) -> bool:
        """Write the level of every row; return whether all are declared."""
        found: list[int]
        if isinstance(raw, Numbers) and self.cuts is not None:
            codes = apply_cuts(np.ascontiguousarray(raw.values), self.cuts)
            found = list(range(self.known))
        elif isinstance(raw, Codes):
            codes = raw.codes
            found = [self.places.get(level, self.known) for level in raw.levels]
        else:
            distinct, inverse = np.unique(raw.values, return_inverse=True)
            codes = inverse.astype(np.int32)
            found = [self.places.get(v, self.known) for v in distinct.tolist()]
        lookup = np.array([*found, self.known], dtype=np.uint8)
        return to_bytes(codes, lookup, bytes_) < self.n_levels


@dataclass(frozen=True, slots=True)
class _PairPlan:
    names: tuple[str, ...]
    codings: tuple[_Coding, ...]
    request: Request
    target: str
    rule: ClassRule

    def pair_counts(self) -> PairCounts:
        levels = [coding.n_levels for coding in self.codings]
        return PairCounts(levels, self.rule.n_classes, best_instructions())


@dataclass(slots=True)
class _PairTally:
    """Joint counts of some rows; travels as a plain array."""

    counts: NDArray[np.int64]

    def merge(self, other: _PairTally, plan: _PairPlan) -> None:  # noqa: ARG002  (other tallies ask the plan)
        self.counts += other.counts


def _count_pairs(
    parts: Sequence[Any],
    plan: _PairPlan,
    progress: Callable[[int], None] | None = None,
) -> _PairTally:
    """Count all pairs in the rows of some parts, one batch at a time."""
    counts = plan.pair_counts()
    for part in parts:
        for batch in part.batches([*plan.names, plan.target]):
            target = mark_missing(batch[-1], plan.request)
            n_rows = row_count(target)
            classes = plan.rule.classes(target, n_rows)
            codes = np.empty((n_rows, len(plan.names)), dtype=np.uint8, order="F")
            for j, (name, coding) in enumerate(
                zip(plan.names, plan.codings, strict=True)
            ):
                raw = mark_missing(batch[j], plan.request)
                if coding.write(raw, codes[:, j]):
                    continue
                # What only rows without a class have was not declared, nor need be.
                if codes[classes >= 0, j].max(initial=0) >= coding.n_levels:
                    message = f"Column {name!r} changed while it was read. Try again."
                    raise DataError(message)
            counts.add(codes, classes)
            if progress is not None:
                progress(n_rows)
    return _PairTally(counts.counts())


def stream_interactions(
    stream: TableStream,
    *,
    n_bins: int = 5,
    target_bins: int | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> StreamInteractions:
    """Find pairs of features that tell more together than apart, in any number of rows.

    The joint tables of all pairs are counted part by part, so memory does not grow with
    the rows. Gains and synergies are those of `featsieve.measures.pairwise_gain` on all
    rows, bit for bit. Each pair is tested for a three-way interaction with the class
    (`featsieve.measures.interaction_test`), and p-values are adjusted for the number of
    pairs. For tables that fit in memory `BIFSFilter` finds larger groups too.

    Parameters
    ----------
    stream : TableStream
        From `featsieve.data.open_stream`.
    n_bins : int, default=5
        Bins of equal frequency of numeric columns that have no cut worth its price.
    target_bins : int or None, default=None
        Cut a numeric target into so many classes of about equal size.
    n_jobs : int or None, default=None
        Threads; any number gives the same answer.
    progress : callable or None, default=None
        Called with the number of rows of every batch that was counted, in both passes.

    Returns
    -------
    StreamInteractions
        All pairs with their evidence.

    Notes
    -----
    Columns of more than 32 levels are left out, with a note. Cost: three passes (the
    target, each column, all pairs).

    Examples
    --------
    >>> from featsieve.data import open_stream
    >>> from featsieve.datasets import make_parity
    >>> from featsieve.filters import stream_interactions
    >>> table, _ = make_parity(2000, n_bits=2, n_noise=3, random_state=0)
    >>> X, y = table.to_pandas()
    >>> rows = X.assign(parity=y)
    >>> stream = open_stream([rows[:500], rows[500:]], target="parity")
    >>> [pair[:2] for pair in stream_interactions(stream).best()]
    [('x1', 'x2')]
    """
    check_integer("n_bins", n_bins, "stream_interactions", at_least=2)
    stream.count(target_bins=target_bins, n_jobs=n_jobs, progress=progress)
    features = count_features(stream, None, target_bins=target_bins, n_jobs=n_jobs)
    counted = features.counted
    notes = list(counted.notes)
    codings: dict[str, _Coding] = {}
    gains = []
    for j, column in enumerate(counted.columns):
        cuts = features.discretizer.cut_points_[j]
        if cuts is not None and not len(cuts):
            cuts = column.even_cuts(n_bins)
        known = len(column.levels) if cuts is None else len(cuts) + 1
        if known > MOST_LEVELS:
            text = (
                f"Column {column.name!r} has {known} levels and is left out of pairs, "
                f"which takes at most {MOST_LEVELS}."
            )
            notes.append(Note("many_levels", column.name, text))
            continue
        places = _places(column, cuts)
        n_levels = max(1, known + int(column.n_missing > 0))
        codings[column.name] = _Coding(cuts, places, known, n_levels)
        gains.append(counted_gain(column.level_counts(cuts)))
    rule, classes = stream.class_rule(target_bins)
    plan = _PairPlan(
        tuple(codings), tuple(codings.values()), stream.request, stream.target, rule
    )
    tally = stream.sum_over(_count_pairs, plan, n_jobs=n_jobs, progress=progress)
    pairs = plan.pair_counts()
    pairs.merge(tally.counts)
    joint_gain, synergy = pairs.gains()
    first, second = np.triu_indices(len(codings), 1)
    p_values = _test_pairs(plan, tally.counts, synergy, n_jobs)
    adjusted = false_discovery_control(p_values) if len(p_values) else p_values
    return StreamInteractions(
        plan.names,
        np.array(gains),
        first,
        second,
        joint_gain,
        synergy,
        p_values,
        adjusted,
        classes,
        counted.n_rows,
        tuple(notes),
    )


def _places(column: CountedColumn, cuts: NDArray[np.float64] | None) -> dict[Any, int]:
    """Return the level of every text or number that stands for one."""
    if cuts is None:
        own = {level: code for code, level in enumerate(column.levels)}
        return own | {text: int(code) for text, code in column.given.items()}
    values = np.array(list(column.given.values()), dtype=np.float64)
    return dict(zip(column.given, apply_cuts(values, cuts).tolist(), strict=True))


def _test_pairs(
    plan: _PairPlan,
    counts: NDArray[np.int64],
    synergy: NDArray[np.float64],
    n_jobs: int | None,
) -> NDArray[np.float64]:
    """Return the p-values of pairs with some synergy; 1 for the others."""
    order = np.argsort(-synergy, kind="stable")[:MOST_TESTED]
    wanted = order[synergy[order] > 0]
    n_classes = plan.rule.n_classes
    pairs = plan.pair_counts()  # knows where the tables begin
    first, second = np.triu_indices(len(plan.names), 1)

    def test(some: NDArray[np.int64]) -> list[float]:
        found = []
        for k in some.tolist():
            i, j = int(first[k]), int(second[k])
            shape = (n_classes, plan.codings[i].n_levels, plan.codings[j].n_levels)
            begin = pairs.offset(i, j)
            table = counts[begin : begin + int(np.prod(shape))].reshape(shape)
            found.append(interaction_test(table)[2])
        return found

    tasks = [
        (wanted[begin : begin + PAIRS_PER_TASK],)
        for begin in range(0, len(wanted), PAIRS_PER_TASK)
    ]
    p_values = np.ones(len(synergy))
    results = run_tasks(test, tasks, n_jobs=n_jobs, shared_memory=True)
    for (some,), found in zip(tasks, results, strict=True):
        p_values[some] = found
    return p_values
