"""Evidence from all rows of a table in parts: counts of columns and of pairs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve.data import MDLDiscretizer, Table, TableStream
from featsieve.data._counted import CountedColumn, CountedTable
from featsieve.engine import derive_seed
from featsieve.exceptions import DroppedRowsWarning
from featsieve.filters import StreamInteractions, stream_interactions
from featsieve.filters._significance import Law, Scoring, counted_test
from featsieve.measures import counted_gain
from featsieve.sieve._alone import BINS, Alone
from featsieve.sieve._evidence import Association, associate, rank_test_of_counts
from featsieve.sieve._material import TARGET_CLASSES
from featsieve.sieve._screen import Screening, is_row_id

__all__ = ["AllRows"]

#: Levels of a nominal column in tests; the rarest beyond are taken as one.
MOST_LEVELS = 256

#: Permutations of a column: beyond, the law of chi-square tells how far it is.
MOST_DRAWS = 20_000

#: Told which share of a stage is done, and how many rows of how many.
Watch = Callable[[float, str], None]
#: Share of a stage that is reading rows.
ROWS_SHARE = 0.9


class AllRows:
    """What the rows of a stream say, all of them, where counts are enough to say it.

    Parameters
    ----------
    stream : TableStream
        The table in parts.
    seed : int
        Root of the permutations.
    n_jobs : int or None
        Threads; any number gives the same answer.
    """

    def __init__(self, stream: TableStream, seed: int, n_jobs: int | None) -> None:
        self._stream = stream
        self._seed = seed
        self._n_jobs = n_jobs
        self._bins: int | None = None
        self._counted: CountedTable | None = None

    @property
    def n_rows(self) -> int:
        """Rows of all parts."""
        return self._stream.n_rows

    def count(self, watch: Watch) -> None:
        """Read all rows once, for what each column says by itself."""
        quantity = self._stream.target_is_quantity(n_jobs=self._n_jobs)
        self._bins = TARGET_CLASSES if quantity else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DroppedRowsWarning)  # it is in the notes
            self._counted = self._stream.count(
                target_bins=self._bins,
                n_jobs=self._n_jobs,
                progress=_Passes(watch, self.n_rows, 1),
            )

    @property
    def counted(self) -> CountedTable:
        """The counts of all columns."""
        assert self._counted is not None  # `count` comes first
        return self._counted

    def correct(self, screening: Screening, drawn: Table) -> None:
        """Correct what drawn rows say on columns that cannot help.

        A column that is constant among them need not be; two that are the same among
        them are taken for the same if their counts by class are.
        """
        columns = {column.name: column for column in self.counted.columns}
        dates = {note.column for note in drawn.notes if note.code == "date"}
        for name, column in columns.items():
            if drawn[name].missing.all():
                continue  # whatever else there is, tests on drawn rows need some
            reason = self._why_unusable(column, drawn, is_date=name in dates)
            if reason is not None:
                screening.unusable[name] = reason
                screening.copies.pop(name, None)
            else:
                screening.unusable.pop(name, None)
        for name, twin in list(screening.copies.items()):
            if twin in screening.unusable or not _alike(columns[name], columns[twin]):
                del screening.copies[name]

    def _why_unusable(
        self, column: CountedColumn, drawn: Table, *, is_date: bool
    ) -> str | None:
        totals = column.totals
        present = np.flatnonzero(totals)
        if len(present) == 1 and not column.dropped_bits and not column.n_missing:
            at = int(present[0])
            value = column.levels[at] if column.is_nominal else f"{column.range[0]:g}"
            return f"the same value in every row: {value!r}"
        rows = self.counted.n_rows
        own = "a value of its own for every row, like a row number or an ID"
        if column.is_nominal:
            # Of more than a million levels none is counted.
            return own if len(present) in (0, rows) else None
        if is_date or column.n_missing:
            return None
        numbered = column.range[1] - column.range[0] + 1 == rows
        return own if is_row_id(drawn[column.name], numbered=numbered) else None

    def judge_alone(
        self, drawn: Alone, names: list[str], level: float, most_draws: int | None
    ) -> Alone:
        """Return the evidence on single columns, from all rows.

        The same tests as on drawn rows: levels, or bins of equal frequency, against
        classes; ranks; and cuts where the class changes. `level` is the error rate
        below which it matters how small a p-value is.
        """
        chosen = {column.name: column for column in self.counted.columns}
        columns = [chosen[name] for name in names]
        draws = min(most_draws or MOST_DRAWS, MOST_DRAWS)
        tables = [_level_table(column) for column in columns]
        smallest = self._test(tables, columns, None, level=level, draws=draws)
        n_tests = np.ones(len(columns))
        ranks = drawn.rank_p_values.copy()
        best = list(tables)
        wide = [
            j
            for j, column in enumerate(columns)
            if not column.is_nominal and np.count_nonzero(column.totals) > 2
        ]
        for j in wide:
            ranks[j] = rank_test_of_counts(columns[j].counts)
        n_tests[wide] += 2
        smallest[wide] = np.minimum(smallest[wide], ranks[wide])
        price = MDLDiscretizer().price
        cuts = {j: columns[j].mdl_cuts(price) for j in wide}
        for j, own in cuts.items():
            if len(own):
                best[j] = columns[j].level_counts(own)
        open_ones = [
            j
            for j, own in cuts.items()
            if len(own) and smallest[j] * n_tests[j] > level / len(columns)
        ]
        by_cuts = self._test(
            [best[j] for j in open_ones],
            [columns[j] for j in open_ones],
            price,
            level=level,
            draws=draws,
        )
        smallest[open_ones] = np.minimum(smallest[open_ones], by_cuts)
        scores = drawn.scores
        if self._bins is None:
            scores = [_association(table) for table in best]
        p_values = np.minimum(1.0, smallest * n_tests)
        return replace(drawn, p_values=p_values, rank_p_values=ranks, scores=scores)

    def _test(
        self,
        tables: list[NDArray[np.int64]],
        columns: list[CountedColumn],
        price: Any,
        *,
        level: float,
        draws: int,
    ) -> NDArray[np.float64]:
        """Return p-values by permutation, and by chi-square where no draw comes near.

        Cuts that were chosen with the class in sight have no law of chi-square.
        """
        if not tables:
            return np.empty(0)
        laws = [
            Law.of_totals(table.sum(axis=1))
            if price is None
            else Law.of_runs(column.totals)
            for table, column in zip(tables, columns, strict=True)
        ]
        test = counted_test(
            laws,
            self.counted.class_totals,
            np.array([counted_gain(table) for table in tables]),
            Scoring("information_gain", "level", price),
            alpha=level / 3,
            seed=derive_seed(self._seed, "alone" if price is None else "cuts"),
            n_jobs=self._n_jobs,
            max_draws=draws,
        )
        p_values = test.p_values.copy()
        if price is not None:
            return p_values
        for j in np.flatnonzero(p_values * (test.draws + 1) < 1.5).tolist():
            p_values[j] = min(p_values[j], _association(tables[j]).p_value)
        return p_values

    def pairs(
        self, names: list[str], watch: Watch
    ) -> Iterator[tuple[tuple[int, int], float]]:
        """Read all rows again and yield pairs with p-values, best first."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DroppedRowsWarning)
            found = stream_interactions(
                self._stream,
                target_bins=self._bins,
                n_jobs=self._n_jobs,
                progress=_Passes(watch, self.n_rows, 1),
            )
        return _in_order(found, names)


class _Passes:
    """Sums up rows that were read and says which share of all they are."""

    def __init__(self, watch: Watch, n_rows: int, n_passes: int) -> None:
        self._watch = watch
        self._whole = max(1, n_rows * n_passes)
        self._done = 0

    def __call__(self, n_rows: int) -> None:
        self._done = min(self._done + n_rows, self._whole)
        # What follows the last row, such as tests, is a part of the stage, too.
        share = ROWS_SHARE * self._done / self._whole
        self._watch(share, f"{self._done:,} of {self._whole:,} rows")


def _in_order(
    found: StreamInteractions, names: list[str]
) -> Iterator[tuple[tuple[int, int], float]]:
    place = {name: j for j, name in enumerate(names)}
    for k in np.lexsort((-found.synergy, found.p_values)).tolist():
        pair = found.names[found.first[k]], found.names[found.second[k]]
        if pair[0] in place and pair[1] in place:
            a, b = sorted((place[pair[0]], place[pair[1]]))
            yield (a, b), float(found.p_values[k])


def _alike(one: CountedColumn, other: CountedColumn) -> bool:
    """Whether two columns have the same values, by class, as often."""
    same_values = (
        one.levels == other.levels
        if one.is_nominal
        else np.array_equal(one.keys, other.keys)  # type: ignore[arg-type]
    )
    return (
        one.kind is other.kind
        and bool(same_values)
        and np.array_equal(one.counts, other.counts)
        and np.array_equal(one.missing, other.missing)
    )


def _level_table(column: CountedColumn) -> NDArray[np.int64]:
    """Return rows per level, or bin, and class; the last row is for missing values."""
    if not column.is_nominal:
        return column.level_counts(column.even_cuts(BINS))
    if len(column.counts) <= MOST_LEVELS:
        return column.level_counts(None)
    order = np.argsort(-column.totals, kind="stable")
    kept, rare = order[: MOST_LEVELS - 1], order[MOST_LEVELS - 1 :]
    rest = column.counts[rare].sum(axis=0)
    return np.vstack([column.counts[kept], rest, column.missing])


def _association(table: NDArray[np.int64]) -> Association:
    """Return what levels tell about the class, missing values being one of them."""
    return associate(table[np.newaxis].astype(np.float64))
