"""A table of any length, read part by part: files larger than memory, or a cluster."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from featsieve._checks import check_integer
from featsieve.data._table import ColumnKind, Note, Table
from featsieve.data.read._encode import Raw
from featsieve.data.read._files import TypeMismatchError
from featsieve.data.read._read_table import TextFormat, build_table, kind_of_target
from featsieve.data.read._settle import Loaded, Request, listed_values
from featsieve.data.stream._class_pool import draw_classes, not_classes
from featsieve.data.stream._counted_table import (
    CountedTable,
    class_rule,
    counted_facts,
    settle_tally,
)
from featsieve.data.stream._counting import (
    ClassRule,
    CountingPlan,
    PartCounts,
    count_parts,
    gather_rows,
)
from featsieve.data.stream._folders import check_unchanged, file_stamps
from featsieve.data.stream._parquet_parts import ParquetPart, ViewedPart
from featsieve.data.stream._parts import Part, find_parts, settle_types, target_parts
from featsieve.engine import derive_seed, root_seed
from featsieve.engine.api import sum_over_parts
from featsieve.exceptions import DataError, DroppedRowsWarning

Progress = Callable[[int], None]


def open_stream(
    source: Any,
    target: str | int,
    *,
    nominal: Sequence[str | int] | str | None = None,
    numeric: Sequence[str | int] | str | None = None,
    missing_values: Sequence[Any] | None = None,
    target_kind: str | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    decimal: str = ".",
) -> TableStream:
    """Open a table that is read part by part and never held in memory as a whole.

    Parameters
    ----------
    source : path, pattern, directory, frame, or a list of them
        Parquet files, or CSV and TSV files (also .gz): a directory, a pattern such as
        ``"big/*.parquet"``, or a list. Also frames in memory, each a part, and a Dask
        DataFrame, whose partitions are counted where they are. An iterator over
        frames serves for what needs one pass, as `TableStream.class_sample` does.
    target : str or int
        The column to be explained, by name or position.
    nominal, numeric, missing_values, target_kind, separator, encoding, decimal
        As in `read_table`.

    Returns
    -------
    TableStream
        Filters that work from counts take it in place of ``X``, with ``y=None``.

    See Also
    --------
    read_table : Read a table into memory.

    Examples
    --------
    >>> import pandas as pd
    >>> from featsieve.data import open_stream
    >>> from featsieve.selectors import MeasureFilter
    >>> rows = pd.DataFrame({"age": [31, 42, 27, 58], "buys": list("ynyn")})
    >>> stream = open_stream([rows[:2], rows[2:]], target="buys")
    >>> stream.names, stream.n_parts
    (('age',), 2)
    >>> MeasureFilter().fit(stream, None).scores_.tolist()
    [1.0]
    """
    kind = kind_of_target(target_kind, "open_stream")
    text = TextFormat(separator, encoding, decimal).check("open_stream")
    gaps = listed_values(missing_values)
    request = Request(target, nominal, numeric, gaps, kind, decimal)
    parts, notes = find_parts(source, request, text)
    return TableStream(parts, request, tuple(notes))


class TableStream:
    """Parts of one table; made by `open_stream`.

    Parameters
    ----------
    parts : list of Part
        Where rows come from.
    request : Request
        Target and kinds asked for.
    notes : tuple of Note
        What was noticed on opening.

    Attributes
    ----------
    names : tuple of str
        The features.
    target : str
        The target.
    n_parts : int
        Files, row groups, frames or partitions.

    Examples
    --------
    >>> from featsieve.data import open_stream
    >>> stream = open_stream({"a": [1, 1, 2], "y": ["n", "n", "p"]}, target="y")
    >>> stream.count().class_totals.tolist()
    [2, 1]
    """

    def __init__(
        self, parts: list[Part], request: Request, notes: tuple[Note, ...] = ()
    ) -> None:
        self._parts = parts
        self.request = request
        self._n_rows: int | None = None
        self._stamps = file_stamps(parts)
        self._counted: dict[int | None, CountedTable] = {}
        self._rules: dict[int | None, tuple[ClassRule, tuple[Any, ...]]] = {}
        names = list(parts[0].names)
        position = request.find_target(names)
        assert position is not None  # open_stream demands a target
        self.target = names.pop(position)
        self.names = tuple(names)
        self.notes = notes

    @property
    def n_parts(self) -> int:
        """How many parts there are."""
        return len(self._parts)

    def count(
        self,
        *,
        target_bins: int | None = None,
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> CountedTable:
        """Count all columns by class, in two passes: over the target, then over all.

        Parameters
        ----------
        target_bins : int or None, default=None
            Cut a numeric target into so many classes of about equal size.
        n_jobs : int or None, default=None
            Threads; any number gives the same counts.
        progress : callable or None, default=None
            Called with the number of rows of every batch that was counted.

        Returns
        -------
        CountedTable
            The counts; kept, so that asking again costs nothing.
        """
        if target_bins not in self._counted:
            rule, classes = self.class_rule(target_bins, n_jobs=n_jobs)
            plan = CountingPlan(self.names, self.request, self.target, rule)
            counts = self.run(plan, n_jobs=n_jobs, progress=progress)
            self._counted[target_bins] = self._settle(counts, rule, classes)
        return self._counted[target_bins]

    def _kinds(self) -> list[ColumnKind | None]:
        """Return the kinds asked for, that of the target last."""
        return self.request.kinds([*self.names, self.target])

    def run(self, plan: CountingPlan, **how: Any) -> PartCounts:
        """Count what a plan says, in one pass (for other packages)."""
        return self.sum_over(count_parts, plan, **how)

    def sum_over(
        self,
        function: Callable[..., Any],
        plan: Any,
        *,
        n_jobs: int | None = None,
        progress: Progress | None = None,
        of: Callable[[list[Part]], list[Part]] = list,
    ) -> Any:
        """Sum ``function(parts, plan, progress)`` over parts (for other packages)."""
        return self._with_types_that_hold(
            lambda parts: sum_over_parts(
                function, of(parts), plan, n_jobs=n_jobs, progress=progress
            )
        )

    @property
    def _infers(self) -> bool:
        """Whether text may stand for numbers, as in CSV files."""
        return hasattr(self._parts[0], "types")

    def class_rule(
        self,
        target_bins: int | None,
        *,
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> tuple[ClassRule, tuple[Any, ...]]:
        """Return how classes are read off the target, and their labels."""
        if target_bins in self._rules:
            return self._rules[target_bins]
        plan = CountingPlan((self.target,), self.request)
        how = {"n_jobs": n_jobs, "progress": progress, "of": target_parts}
        counts = self.run(plan, **how)
        self._n_rows = counts.n_rows
        self._check_rows()
        tally = counts.columns[0]
        column, _ = settle_tally(
            self.target, tally, None, self.request, infer=self._infers
        )
        found = class_rule(column, tally, self._kinds()[-1], self.request, target_bins)
        self._rules[target_bins] = found
        return found

    def target_is_quantity(
        self, *, n_jobs: int | None = None, progress: Progress | None = None
    ) -> bool:
        """Whether the target is a number to be cut, not a class.

        Parameters
        ----------
        n_jobs : int or None, default=None
            Threads for the pass over the target.
        progress : callable or None, default=None
            Called with the number of rows of every batch that was read, if any is.

        Returns
        -------
        bool
            Then `target_bins` is needed.
        """
        rule, _ = self.class_rule(2, n_jobs=n_jobs, progress=progress)
        return rule.quantity

    def sample(
        self, n_rows: int, *, random_state: Any = 0, progress: Progress | None = None
    ) -> Table:
        """Read some rows, drawn without replacement, into memory.

        Parameters
        ----------
        n_rows : int
            Rows wanted; all if there are not so many. Rows without a target count too,
            and are left out with a warning.
        random_state : int, RandomState or None, default=0
            Seed. Which rows are drawn depends on it and on the number of rows alone,
            not on how they are divided into parts.
        progress : callable or None, default=None
            Called with the number of rows of every batch that was looked at.

        Returns
        -------
        Table
            The rows in their order.

        Examples
        --------
        >>> from featsieve.data import open_stream
        >>> stream = open_stream({"a": range(100), "y": [0, 1] * 50}, target="y")
        >>> stream.sample(10).n_rows
        10
        """
        check_integer("n_rows", n_rows, "TableStream.sample", at_least=1)
        names = [*self.names, self.target]
        total = self.n_rows
        self._check_rows()
        drawn = np.arange(total)
        if n_rows < total:
            random = np.random.default_rng(root_seed(random_state))
            drawn = np.sort(random.choice(total, n_rows, replace=False))
        gather = partial(gather_rows, names=names, rows=drawn, progress=progress)
        raws = self._with_types_that_hold(gather)
        return self._table_of(raws, len(drawn))

    def class_sample(self, n_per_class: int, *, random_state: Any = 0) -> Table:
        """Read up to a number of rows of every class into memory, in one pass.

        Parameters
        ----------
        n_per_class : int
            Rows of each class at most; a class with fewer has all of them. Rows
            without a class are left out, with a warning.
        random_state : int, RandomState or None, default=0
            Seed. Which rows are drawn depends on it and on the numbers of the rows
            alone, not on how they are divided into parts.

        Returns
        -------
        Table
            The rows in their order.

        Examples
        --------
        >>> from featsieve.data import open_stream
        >>> rows = {"a": range(100), "y": ["often"] * 97 + ["rare"] * 3}
        >>> sample = open_stream(rows, target="y").class_sample(5)
        >>> sample.target.values.tolist()
        [0, 0, 0, 0, 0, 1, 1, 1]
        """
        owner = "TableStream.class_sample"
        n = check_integer("n_per_class", n_per_class, owner, at_least=1)
        seed = derive_seed(root_seed(random_state), "class_sample")
        names = [*self.names, self.target]
        draw = partial(draw_classes, names=names, request=self.request)
        drawn = self._with_types_that_hold(partial(draw, wanted=n, seed=seed))
        table = self._table_of(drawn.raws, drawn.n_drawn)
        assert table.target is not None  # named last
        if not table.target.is_nominal:
            distinct = len(np.unique(table.target.values))
            raise not_classes(self.target, f"{distinct} different values or more")
        note = self._without_class(drawn.n_without_class, drawn.n_seen)
        return replace(table, source_notes=(*table.source_notes, *note))

    def _with_types_that_hold(self, gather: Callable[..., Any]) -> Any:
        """Read rows of all parts; once more if a type did not hold for later rows."""
        check_unchanged(self._stamps)
        try:
            found = gather(self._parts)
        except TypeMismatchError:
            self._parts = settle_types(self._parts)
            found = gather(self._parts)
        except DataError:
            check_unchanged(self._stamps)  # which may be why
            raise
        check_unchanged(self._stamps)
        return found

    def _table_of(self, raws: list[Raw], n_rows: int) -> Table:
        """Return gathered columns as a table; the target is the last."""
        names, notes = [*self.names, self.target], list(self.notes)
        how = (self._kinds(), len(self.names), self._infers, notes, n_rows)
        return build_table(Loaded(names, raws, *how), self.request)

    def _without_class(self, n_without_class: int, n_rows: int) -> list[Note]:
        """Warn of rows without a target, and return a note of them."""
        if not n_without_class:
            return []
        message = (
            f"{n_without_class} of {n_rows} rows have no target {self.target!r} and "
            "are left out."
        )
        warnings.warn(message, DroppedRowsWarning, stacklevel=4)
        return [Note("missing_target", self.target, message)]

    @property
    def n_rows_if_known(self) -> int | None:
        """Rows of all parts, None if only a pass could tell."""
        parts = (ParquetPart, ViewedPart)
        if self._n_rows is None and all(
            isinstance(part, parts) and hasattr(part, "rows") for part in self._parts
        ):
            self._n_rows = sum(part.rows for part in self._parts)  # type: ignore[attr-defined]
        return self._n_rows

    @property
    def n_rows(self) -> int:
        """Rows of all parts, with or without a target; may need a pass to be known."""
        if self.n_rows_if_known is None:
            self.class_rule(2)  # counts the rows on its way
        assert self._n_rows is not None  # one of the two has set it
        return self._n_rows

    def _check_rows(self) -> None:
        if self._n_rows == 0:
            raise DataError("The parts have column names and no rows to learn from.")

    def _settle(
        self, counts: PartCounts, rule: ClassRule, classes: tuple[Any, ...]
    ) -> CountedTable:
        found = [
            settle_tally(name, tally, kind, self.request, infer=self._infers)
            for name, tally, kind in zip(
                self.names, counts.columns, self._kinds()[:-1], strict=True
            )
        ]
        notes = [*self.notes, *(note for _, own in found for note in own)]
        notes += self._without_class(counts.n_without_class, counts.n_rows)
        counted = CountedTable(
            tuple(column for column, _ in found),
            classes,
            counts.class_totals,
            counts.n_rows - counts.n_without_class,
            tuple(notes),
        )
        return replace(counted, notes=(*notes, *counted_facts(counted, self, rule)))
