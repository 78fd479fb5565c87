"""Some rows of every class, from tables that need not fit into memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from featsieve._checks import check_integer
from featsieve.data._read import read_table
from featsieve.data._table import Table
from featsieve.engine import derive_seed, root_seed
from featsieve.engine._keys import row_keys
from featsieve.exceptions import DataError

__all__ = ["read_class_sample"]

ROWS_PER_BATCH = 1 << 16
PARQUET = (".parquet", ".pq")


def read_class_sample(
    source: Any,
    target: str,
    n_per_class: int,
    *,
    nominal: Any = None,
    numeric: Any = None,
    random_state: Any = 0,
) -> Table:
    """Draw up to a number of rows of every class, in one pass over the rows.

    Memory holds the rows drawn, some that may still be driven out, and one batch. Each
    row of a class is as likely as any other; which are drawn depends on the seed and on
    the numbers of the rows, and not on how they come in batches.

    Parameters
    ----------
    source : path, frame, Dask frame or iterable
        A .parquet or .pq file, which is streamed; a frame in memory; a Dask frame,
        whose partitions are computed one after the other; or an iterable of frames or
        of pyarrow's record batches with the same columns.
    target : str
        The column with the classes; rows without one are passed over.
    n_per_class : int
        Rows of each class at most; a class with fewer has all of them.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        As for `read_table`.
    random_state : int, RandomState or None, default=0
        Seed.

    Returns
    -------
    Table
        The rows in the order of the source, with their target.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from featsieve.data import read_class_sample
    >>> table = pa.table({"x": range(100), "kind": ["a"] * 90 + ["b"] * 10})
    >>> sample = read_class_sample(table.to_batches(30), "kind", 4)
    >>> sample.target.values.tolist(), sample.target.levels
    ([0, 0, 0, 0, 1, 1, 1, 1], ('a', 'b'))
    """
    n = check_integer("n_per_class", n_per_class, "read_class_sample", at_least=1)
    seed = derive_seed(root_seed(random_state), "read_class_sample")
    pool = _Pool(target, n, seed)
    for batch in _batches(source):
        pool.add(batch)
    return read_table(pool.rows(), target, nominal=nominal, numeric=numeric)


def _batches(source: Any) -> Iterator[Any]:
    """Yield the rows as pyarrow tables, one batch after the other."""
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        if path.suffix.lower() not in PARQUET:
            message = (
                f"read_class_sample streams .parquet files, and {str(path)!r} is none. "
                "Read it with read_table."
            )
            raise DataError(message)
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(ROWS_PER_BATCH):
                yield pa.Table.from_batches([batch])
    elif hasattr(source, "partitions") and hasattr(source, "npartitions"):  # Dask
        for partition in source.partitions:
            yield _as_arrow(partition.compute())
    elif isinstance(source, Iterable) and not hasattr(source, "columns"):
        for batch in source:
            yield _as_arrow(batch)
    else:
        yield _as_arrow(source)


def _as_arrow(frame: Any) -> Any:
    if isinstance(frame, pa.RecordBatch):
        return pa.Table.from_batches([frame])
    try:
        return nw.from_native(frame, eager_only=True).to_arrow()
    except TypeError:
        message = (
            "The 'source' parameter of read_class_sample must be the path of a Parquet "
            f"file or give frames. Got {type(frame).__name__}."
        )
        raise DataError(message) from None


class _Pool:
    """The rows with the least keys of every class so far."""

    def __init__(self, target: str, wanted: int, seed: int) -> None:
        self._target, self._wanted, self._seed = target, wanted, seed
        self._codes: dict[Any, int] = {}
        self._limits = np.empty(0, np.uint64)
        self._n_seen = 0
        self._tables: list[Any] = []
        self._places: list[NDArray[np.int64]] = []
        self._classes: list[NDArray[np.int64]] = []
        self._n_pending = 0

    def add(self, batch: Any) -> None:
        """Look at the next rows."""
        if self._target not in batch.column_names:
            message = (
                f"There is no column {self._target!r} to be the target. There are "
                f"{', '.join(map(repr, batch.column_names[:8]))}."
            )
            raise DataError(message)
        codes = self._class_codes(batch.column(self._target))
        places = np.arange(self._n_seen, self._n_seen + len(codes))
        self._n_seen += len(codes)
        known = np.flatnonzero(codes >= 0)
        keys = row_keys(places[known], self._seed)
        kept = known[keys <= self._limits[codes[known]]]
        if not len(kept):
            return
        self._tables.append(batch.take(pa.array(kept)))
        self._places.append(places[kept])
        self._classes.append(codes[kept])
        self._n_pending += len(kept)
        if self._n_pending > 2 * self._wanted * len(self._codes) + ROWS_PER_BATCH:
            self._drive_out()

    def _class_codes(self, column: Any) -> NDArray[np.int64]:
        """Return a number for each class, -1 where it is missing."""
        if isinstance(column, pa.ChunkedArray):
            column = column.combine_chunks()
        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        levels = column.dictionary.to_pylist()
        recode = np.full(len(levels) + 1, -1, dtype=np.int64)
        for place, level in enumerate(levels):
            if level is not None and level == level:  # noqa: PLR0124  (NaN)
                recode[place] = self._codes.setdefault(level, len(self._codes))
        new = len(self._codes) - len(self._limits)
        no_limit = np.full(new, np.iinfo(np.uint64).max, np.uint64)
        self._limits = np.concatenate([self._limits, no_limit])
        indices = column.indices.fill_null(len(levels))
        codes: NDArray[np.int64] = recode[indices.to_numpy(zero_copy_only=False)]
        return codes

    def _drive_out(self) -> None:
        """Keep the rows with the least keys, and note what a new row must beat."""
        places = np.concatenate(self._places)
        classes = np.concatenate(self._classes)
        keys = row_keys(places, self._seed)
        kept = []
        for c in range(len(self._codes)):
            rows = np.flatnonzero(classes == c)
            if len(rows) > self._wanted:
                order = np.argpartition(keys[rows], self._wanted - 1)
                rows = rows[order[: self._wanted]]
                self._limits[c] = keys[rows].max()
            kept.append(rows)
        rows = np.sort(np.concatenate(kept))
        self._tables = [pa.concat_tables(self._tables).take(pa.array(rows))]
        self._places, self._classes = [places[rows]], [classes[rows]]
        self._n_pending = len(rows)

    def rows(self) -> Any:
        """Return the rows drawn, in the order in which they came."""
        if not self._tables:
            message = (
                f"No row has a class in column {self._target!r}, so there is nothing "
                "to draw."
            )
            raise DataError(message)
        self._drive_out()
        return self._tables[0]
