"""An order of rows and columns that depends on what they hold, not on where they are.

Bags, draws and shadows go by position. In this order the same table, shuffled, has the
same forest.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from featsieve._types import Floats, Positions
from featsieve.data import Column, Table

#: Any odd numbers with bits all over will do.
MISSING = np.uint64(0x9E3779B97F4A7C15)
SPREAD = np.uint64(0xD1342543DE82EF95)


def canonical_order(
    table: Table, target: Column, weights: Floats | None
) -> tuple[Positions, Positions]:
    """Return positions of rows and of columns in an order of their own.

    Both go by hashes of what a row or column holds, summed up so that the order in
    which it holds it does not matter. Rows that are equal, and columns that go with the
    target alike, keep their order. Of a quantity the ranks count, as for the forest.
    """
    if not target.is_nominal:
        target = Column(target.name, target.kind, rankdata(target.values))
    outcome = _hash_values(target)
    if weights is not None:
        outcome = _mix(outcome ^ _mix(weights.view(np.uint64)))
    of_columns = np.array(
        [_mix(_hash_values(column) ^ outcome).sum() for column in table],
        dtype=np.uint64,
    )
    columns = np.argsort(of_columns, kind="stable")
    of_rows = outcome.copy()
    # Marks of their own, lest a value of one column and of another change places.
    places = np.arange(1, table.n_columns + 1, dtype=np.uint64) * SPREAD
    for place, j in zip(places, columns, strict=True):
        of_rows += _mix(_hash_values(table.columns[j]) ^ place)
    return np.argsort(of_rows, kind="stable"), columns


def _hash_values(column: Column) -> NDArray[np.uint64]:
    if column.is_nominal:
        digests = [
            hashlib.blake2b(text.encode("utf-8", "backslashreplace"), digest_size=8)
            for text in map(str, column.levels)
        ]
        raw = b"".join(digest.digest() for digest in digests)
        of_levels = np.frombuffer(raw, dtype="<u8").astype(np.uint64)
        return np.append(of_levels, MISSING)[column.values]
    values = np.ascontiguousarray(column.values, dtype=np.float64) + 0.0  # no -0
    bits = np.where(np.isnan(values), MISSING, values.view(np.uint64))
    return _mix(bits)


def _mix(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers scattered by splitmix64's finaliser; overflow is meant."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
