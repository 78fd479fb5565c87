"""How many rows any two of many sets of rows have in common."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from featsieve._kernels import CommonRows
from featsieve.engine import run_tasks

__all__ = ["common_row_blocks", "common_rows"]

#: Blocks that are counted before any is handed out: enough to keep every job busy, few
#: enough to stay within some megabytes for thousands of sets.
_BLOCKS_AT_A_TIME = 16


def common_row_blocks(
    members: NDArray[np.bool_], *, n_jobs: int | None = None
) -> Iterator[tuple[int, NDArray[np.uint32]]]:
    """Count the rows in common of every two sets, a few sets at a time.

    Parameters
    ----------
    members : ndarray of bool of shape (n_sets, n_rows)
        Whether a row is in a set.
    n_jobs : int or None, default=None
        Jobs at a time.

    Yields
    ------
    begin : int
        The first set of the block.
    counts : ndarray of uint32 of shape (n_in_block, n_sets - begin)
        Rows in common of the sets of the block with all sets from `begin` on.
    """
    flags = np.ascontiguousarray(members, dtype=np.bool_).view(np.uint8)
    sets = CommonRows(flags)
    for first in range(0, sets.n_blocks, _BLOCKS_AT_A_TIME):
        blocks = range(first, min(first + _BLOCKS_AT_A_TIME, sets.n_blocks))
        tasks = ((block,) for block in blocks)
        counted = run_tasks(sets.count, tasks, n_jobs=n_jobs, shared_memory=True)
        for block, counts in zip(blocks, counted, strict=True):
            yield block * CommonRows.block, counts


def common_rows(
    members: NDArray[np.bool_], *, n_jobs: int | None = None
) -> NDArray[np.uint32]:
    """Return the rows in common of every two sets, as a symmetric matrix.

    Parameters
    ----------
    members : ndarray of bool of shape (n_sets, n_rows)
        Whether a row is in a set.
    n_jobs : int or None, default=None
        Jobs at a time.

    Returns
    -------
    ndarray of uint32 of shape (n_sets, n_sets)
        On the diagonal, the size of each set.
    """
    matrix = np.empty((len(members), len(members)), dtype=np.uint32)
    for begin, counts in common_row_blocks(members, n_jobs=n_jobs):
        end = begin + len(counts)
        matrix[begin:end, begin:] = counts
        matrix[begin:, begin:end] = counts.T
    return matrix
