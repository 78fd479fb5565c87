"""Some rows of every class, from tables that need not fit into memory."""

from __future__ import annotations

from typing import Any

from featsieve.data._stream import open_stream
from featsieve.data._table import Table

__all__ = ["read_class_sample"]


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
    source : path, pattern, directory, frame, Dask frame, a list or an iterator
        Whatever `open_stream` opens: files, frames in memory, a Dask DataFrame, whose
        partitions are computed one after the other, or an iterator over frames or
        pyarrow's record batches, which is read as it comes.
    target : str
        The column with the classes. Rows without one are left out, with a warning.
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

    See Also
    --------
    open_stream : Opens tables for more than that.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from featsieve.data import read_class_sample
    >>> table = pa.table({"x": range(100), "kind": ["a"] * 90 + ["b"] * 10})
    >>> sample = read_class_sample(table.to_batches(30), "kind", 4)
    >>> sample.target.values.tolist(), sample.target.levels
    ([0, 0, 0, 0, 1, 1, 1, 1], ('a', 'b'))
    """
    stream = open_stream(source, target, nominal=nominal, numeric=numeric)
    return stream.class_sample(n_per_class, random_state=random_state)
