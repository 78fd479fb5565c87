"""Evidence from all rows of a table in parts: counts of columns and of pairs."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from featsieve.data import MDLDiscretizer, Note, Table, TableStream
from featsieve.data.api import CountedColumn, CountedTable
from featsieve.exceptions import DroppedRowsWarning
from featsieve.inference.api import (
    Law,
    associate,
    centred_values,
    group_counted,
    group_p_values,
    scores_of_totals,
)
from featsieve.selection._alone import BINS, Alone, further_tables
from featsieve.selection._column_tests import (
    MOST_DRAWS,
    ColumnTests,
    Draws,
    weigh_columns,
)
from featsieve.selection._material import TARGET_CLASSES
from featsieve.selection._opening import SAMPLED, RowsRead, Tell
from featsieve.selectors import StreamInteractions, stream_interactions
from featsieve.tallies import Tally

#: Levels of a nominal column in tests; the rarest beyond are taken as one.
MOST_LEVELS = 256


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

    def count(self, tell: Tell) -> None:
        """Read all rows once, for what each column says by itself."""
        quantity = self._stream.target_is_quantity(n_jobs=self._n_jobs)
        self._bins = TARGET_CLASSES if quantity else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DroppedRowsWarning)  # it is in the notes
            self._counted = self._stream.count(
                target_bins=self._bins,
                n_jobs=self._n_jobs,
                progress=RowsRead(tell, "screen", self.n_rows),
            )

    @property
    def counted(self) -> CountedTable:
        """The counts of all columns."""
        assert self._counted is not None  # `count` comes first
        return self._counted

    def notes(self, drawn: Table) -> tuple[Note, ...]:
        """Return the facts about all rows, with what was noted on drawing some.

        Tests on drawn rows need a value in one of them.
        """
        told = [note for note in drawn.source_notes if note.code == SAMPLED]
        for column in drawn:
            if column.n_missing == drawn.n_rows:
                text = f"Column {column.name!r} has no value in any drawn row."
                told.append(Note("all_missing", column.name, text))
        return (*self.counted.notes, *told)

    def judge_alone(
        self, drawn: Alone, names: list[str], most_draws: int | None
    ) -> Alone:
        """Return the evidence on single columns, from all rows.

        The same tests as on drawn rows: levels, or bins of equal frequency, against
        classes; ranks; and cuts where the class changes. A quantity is seen as classes.
        """
        chosen = {column.name: column for column in self.counted.columns}
        columns = [chosen[name] for name in names]
        wide = np.array(
            [
                not c.is_nominal and np.count_nonzero(c.level_totals) > 2
                for c in columns
            ],
            dtype=bool,
        )
        numbers = {j: columns[j] for j in np.flatnonzero(wide).tolist()}
        tested = ("ranks", "normal", "means")
        scores = {name: np.full(len(columns), np.nan) for name in tested}
        tables: dict[str, dict[int, Tally]] = {}
        for j, column in numbers.items():
            by_rank, by_score = scores_of_totals(column.level_totals)
            least, greatest = column.bounds()
            values = centred_values((least / 2 + greatest / 2)[np.newaxis])[0]
            for name, own, law in (
                ("ranks", by_rank, Law.RANKS),
                ("normal", by_score, Law.BETA),
                ("means", values, Law.BETA),
            ):
                sums = group_counted(own, column.counts)
                scores[name][j] = group_p_values(sums, law)[0]
            for name, tally in further_tables(column).items():
                tables.setdefault(name, {})[j] = tally
        tests = ColumnTests(
            [_levels(column) for column in columns],
            self.counted.class_totals,
            wide,
            scores=scores,
            tables=tables,
            cut=lambda: _cut(numbers),
        )
        draws = Draws(most_draws or MOST_DRAWS, self._seed, self._n_jobs)
        p_values, best = weigh_columns(tests, draws)
        found = drawn.scores
        if self._bins is None:
            found = [associate(tally.table) for tally in best]
        ranks = np.where(np.isnan(scores["ranks"]), 1.0, scores["ranks"])
        return replace(drawn, p_values=p_values, rank_p_values=ranks, scores=found)

    def pairs(
        self, names: list[str], tell: Tell
    ) -> Iterator[tuple[tuple[int, int], float]]:
        """Read all rows again and yield pairs with p-values, best first."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DroppedRowsWarning)
            found = stream_interactions(
                self._stream,
                target_bins=self._bins,
                n_jobs=self._n_jobs,
                progress=RowsRead(tell, "together", self.n_rows),
            )
        return _in_order(found, names)


def _in_order(
    found: StreamInteractions, names: list[str]
) -> Iterator[tuple[tuple[int, int], float]]:
    place = {name: j for j, name in enumerate(names)}
    for k in np.lexsort((-found.synergy, found.p_values)).tolist():
        pair = found.names[found.first[k]], found.names[found.second[k]]
        if pair[0] in place and pair[1] in place:
            a, b = sorted((place[pair[0]], place[pair[1]]))
            yield (a, b), float(found.p_values[k])


def _levels(column: CountedColumn) -> Tally:
    """Return rows per level, or bin, and class."""
    if column.is_nominal:
        return column.lump(MOST_LEVELS)
    return column.cut(column.even_cuts(BINS))


def _cut(columns: dict[int, CountedColumn]) -> dict[int, tuple[Tally, Any]]:
    """Return numeric columns cut by MDL, those that it cuts."""
    price = MDLDiscretizer().price
    cuts = {j: column.mdl_cuts(price) for j, column in columns.items()}
    return {
        j: (column.cut(cuts[j]), lambda column=column: column.level_totals)
        for j, column in columns.items()
        if len(cuts[j])
    }
