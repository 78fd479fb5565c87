"""Interactions of pairs in a table of any length, from joint counts that add up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._checks import check_integer
from featsieve._kernels import PairCounts, apply_cuts, best_instructions
from featsieve._types import Codes as LevelCodes
from featsieve._types import Floats, Ints
from featsieve.data import MDLDiscretizer, Note, TableStream
from featsieve.data.api import (
    ClassRule,
    Codes,
    CountedColumn,
    Numbers,
    Raw,
    Request,
    mark_missing,
)
from featsieve.engine import run_tasks
from featsieve.exceptions import DataError
from featsieve.inference.api import benjamini_hochberg, three_way_p_values
from featsieve.measures import information_gain

#: Columns of names with more levels stay out: their joint tables would be huge.
MOST_LEVELS = 32
#: Pairs that are tested, best synergy first; the others could not pass anyway.
MOST_TESTED = 20_000
PAIRS_PER_TASK = 5000


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
    >>> from featsieve.selectors import stream_interactions
    >>> rows = {"a": [0, 0, 1, 1] * 50, "b": [0, 1] * 100, "y": list("nppn") * 50}
    >>> found = stream_interactions(open_stream(rows, target="y"))
    >>> found.best()
    [('a', 'b', 1.0)]
    """

    names: tuple[str, ...]
    gains: Floats
    first: Ints
    second: Ints
    joint_gain: Floats
    synergy: Floats
    p_values: Floats
    q_values: Floats
    classes: tuple[Any, ...]
    n_rows: int
    notes: tuple[Note, ...]

    def best(self, fdr: float = 0.05) -> list[tuple[str, str, float]]:
        """Return the pairs of positive synergy that pass at `fdr`, best first.

        Parameters
        ----------
        fdr : float, default=0.05
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
            if self.q_values[k] <= fdr and self.synergy[k] > 0
        ]


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
    (`featsieve.inference.interaction_test`), and p-values are adjusted for the number
    of pairs. For tables that fit in memory `BIFSFilter` finds larger groups too.

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
        Called with the number of rows of every batch that was counted, in both passes
        over all columns (the first may have been made before, by `TableStream.count`).

    Returns
    -------
    StreamInteractions
        All pairs with their evidence.

    Notes
    -----
    Columns of more than 32 levels are left out, with a note. Cost: three passes: the
    target; all columns by themselves, for where to cut numbers and how many levels
    names have; all columns in pairs.

    Examples
    --------
    >>> from featsieve.data import open_stream
    >>> from featsieve.datasets import make_parity
    >>> from featsieve.selectors import stream_interactions
    >>> table, _ = make_parity(2000, n_bits=2, n_noise=3, random_state=0)
    >>> X, y = table.to_pandas()
    >>> rows = X.assign(parity=y)
    >>> stream = open_stream([rows[:500], rows[500:]], target="parity")
    >>> [pair[:2] for pair in stream_interactions(stream).best()]
    [('x1', 'x2')]
    """
    check_integer("n_bins", n_bins, "stream_interactions", at_least=2)
    counted = stream.count(target_bins=target_bins, n_jobs=n_jobs, progress=progress)
    rule, classes = stream.class_rule(target_bins)
    codings, gains, notes = _few_levels(counted.columns, n_bins)
    names = tuple(codings)
    coded = tuple(codings.values())
    plan = PairPlan(names, coded, stream.request, stream.target, rule)
    tally = stream.sum_over(count_pairs, plan, n_jobs=n_jobs, progress=progress)
    pairs = plan.pair_counts()
    pairs.merge(tally.counts)
    joint_gain, synergy = pairs.gains()
    first, second = np.triu_indices(len(names), 1)
    p_values = _test_pairs(pairs, first, second, synergy, n_jobs)
    adjusted = benjamini_hochberg(p_values)
    return StreamInteractions(
        names,
        np.array(gains),
        first,
        second,
        joint_gain,
        synergy,
        p_values,
        adjusted,
        classes,
        counted.n_rows,
        (*counted.notes, *notes),
    )


@dataclass(frozen=True, slots=True)
class Coding:
    """How a column becomes levels: cuts of numbers, or places of names."""

    cuts: Floats | None
    places: dict[Any, int]
    known: int
    n_levels: int  # with one for missing values, if there are any

    def codes(self, raw: Raw) -> tuple[LevelCodes, NDArray[np.uint8]]:
        """Return codes of the rows, and the level of every code and of -1."""
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
        return codes, np.array([*found, self.known], dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class PairPlan:
    """Which columns to pair, and how each becomes levels."""

    names: tuple[str, ...]
    codings: tuple[Coding, ...]
    request: Request
    target: str
    rule: ClassRule

    def pair_counts(self) -> PairCounts:
        """Return empty tables."""
        levels = [coding.n_levels for coding in self.codings]
        return PairCounts(levels, self.rule.n_classes, best_instructions())


@dataclass(slots=True)
class PairTally:
    """Joint counts of some rows, plain to be sent."""

    counts: Ints

    def merge(self, other: PairTally, plan: PairPlan) -> None:  # noqa: ARG002
        """Add the counts of other rows."""
        self.counts += other.counts


def count_pairs(
    parts: Sequence[Any], plan: PairPlan, progress: Callable[[int], None] | None = None
) -> PairTally:
    """Count all pairs in the rows of some parts, one batch at a time."""
    pairs = plan.pair_counts()
    for part in parts:
        for batch in part.batches([*plan.names, plan.target]):
            target = mark_missing(batch[-1], plan.request)
            pairs.start(plan.rule.classes(target, len(target)))
            for j, coding in enumerate(plan.codings):
                raw = mark_missing(batch[j], plan.request)
                # What only rows without a class have was not declared, nor need be.
                if pairs.write(j, *coding.codes(raw)) >= coding.n_levels:
                    name = plan.names[j]
                    message = f"Column {name!r} changed while it was read. Try again."
                    raise DataError(message)
            pairs.finish()
            if progress is not None:
                progress(len(target))
    return PairTally(pairs.counts())


def _few_levels(
    columns: Sequence[CountedColumn], n_bins: int
) -> tuple[dict[str, Coding], list[float], list[Note]]:
    """Return how columns become few levels, what each gains, and which have more."""
    kept: dict[str, Coding] = {}
    gains, notes = [], []
    for column in columns:
        coding = _coding(column, n_bins)
        if coding.known > MOST_LEVELS:
            text = (
                f"Column {column.name!r} has {coding.known} levels and is left out of "
                f"pairs, which takes at most {MOST_LEVELS}."
            )
            notes.append(Note("left_out_of_pairs", column.name, text))
            continue
        kept[column.name] = coding
        own = column if coding.cuts is None else column.cut(coding.cuts)
        gains.append(information_gain(own))
    return kept, gains, notes


def _coding(column: CountedColumn, n_bins: int) -> Coding:
    """Return how a column becomes levels; too many of them have no places."""
    cuts = None
    if not column.is_nominal:
        cuts = column.mdl_cuts(MDLDiscretizer().price)
        cuts = cuts if len(cuts) else column.even_cuts(n_bins)
    known = len(column.levels) if cuts is None else len(cuts) + 1
    places: dict[Any, int] = {}  # of every text or number that stands for a level
    if known > MOST_LEVELS:
        pass  # nobody asks for them
    elif cuts is None:
        places = {level: code for code, level in enumerate(column.levels)}
        places |= {text: int(code) for text, code in column.given.items()}
    else:
        values = np.array(list(column.given.values()), dtype=np.float64)
        codes = apply_cuts(values, cuts).tolist()
        places = dict(zip(column.given, codes, strict=True))
    return Coding(cuts, places, known, max(1, known + int(column.n_missing > 0)))


def _test_pairs(
    pairs: PairCounts, first: Ints, second: Ints, synergy: Floats, n_jobs: int | None
) -> Floats:
    """Return the p-values of pairs with some synergy; 1 for the others."""
    order = np.argsort(-synergy, kind="stable")[:MOST_TESTED]
    wanted = order[synergy[order] > 0]

    def test(some: Ints) -> Floats | float:
        return three_way_p_values(*pairs.interactions(first[some], second[some]))

    tasks = [
        (wanted[begin : begin + PAIRS_PER_TASK],)
        for begin in range(0, len(wanted), PAIRS_PER_TASK)
    ]
    p_values = np.ones(len(synergy))
    results = run_tasks(test, tasks, n_jobs=n_jobs, shared_memory=True)
    for (some,), found in zip(tasks, results, strict=True):
        p_values[some] = found
    return p_values
