"""How many rows any two of many sets of rows have in common."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from featsieve._kernels import CommonRows
from featsieve._types import Mask
from featsieve.engine import run_tasks

#: Blocks that are counted before any is handed out: enough to keep every job busy, few
#: enough to stay within some megabytes for thousands of sets.
_BLOCKS_AT_A_TIME = 16


def common_row_blocks(
    members: Mask, *, n_jobs: int | None = None
) -> Iterator[tuple[int, NDArray[np.uint32]]]:
    """Count the rows in common of every two sets, a few sets at a time.

    `members` says which sets (rows) hold which rows (columns). Yields the first set of
    a block, and the counts of its sets with all sets from there on.
    """
    flags = np.ascontiguousarray(members, dtype=np.bool_).view(np.uint8)
    sets = CommonRows(flags)
    for first in range(0, sets.n_blocks, _BLOCKS_AT_A_TIME):
        blocks = range(first, min(first + _BLOCKS_AT_A_TIME, sets.n_blocks))
        tasks = ((block,) for block in blocks)
        counted = run_tasks(sets.count, tasks, n_jobs=n_jobs, shared_memory=True)
        for block, counts in zip(blocks, counted, strict=True):
            yield block * CommonRows.block, counts


def common_rows(members: Mask, *, n_jobs: int | None = None) -> NDArray[np.uint32]:
    """Return the rows in common of every two sets, on the diagonal their sizes."""
    matrix = np.empty((len(members), len(members)), dtype=np.uint32)
    for begin, counts in common_row_blocks(members, n_jobs=n_jobs):
        end = begin + len(counts)
        matrix[begin:end, begin:] = counts
        matrix[begin:, begin:end] = counts.T
    return matrix
