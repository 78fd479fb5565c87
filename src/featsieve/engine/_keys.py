"""A random number for every row, known by its number alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["row_keys"]

#: Odd constants of splitmix64 (Steele, Lea and Flood 2014).
GOLDEN, MIX_1, MIX_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
ALL_BITS = 2**64 - 1


def row_keys(rows: NDArray[np.int64], seed: int) -> NDArray[np.uint64]:
    """Return a random 64-bit number for each row, from a seed and the row's number.

    The rows with the least keys are a sample without replacement that can be drawn in
    one pass, in any order, by anyone.
    """
    with np.errstate(over="ignore"):
        x = rows.astype(np.uint64) + np.uint64((seed * GOLDEN + GOLDEN) & ALL_BITS)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(MIX_1)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(MIX_2)
        # Twice, as neighbouring rows start as neighbouring numbers.
        x = (x + np.uint64(GOLDEN) ^ (x >> np.uint64(31))) * np.uint64(MIX_1)
        return x ^ (x >> np.uint64(29))
