"""Contingency tables: how often values of several columns occur together."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from featsieve._checks import check_choice
from featsieve._types import Array, Codes, Floats
from featsieve.measures._codes import as_column, as_weights

#: A dense table beyond this many cells is a mistake rather than a wish.
MOST_CELLS = 2**28


def contingency_table(
    *columns: ArrayLike, weights: ArrayLike | None = None, missing: str = "level"
) -> Array:
    """Count how often the values of several columns occur together.

    Parameters
    ----------
    *columns : array-like of int of shape (n_rows,)
        Codes from 0 up; negative is missing. By convention the class comes last.
    weights : array-like of float of shape (n_rows,), default=None
        Weight of each row.
    missing : {"level", "ignore", "spread"}, default="level"
        ``"level"``: missing is one more value, the last along its axis (an axis of a
        column without missing values has no such value). ``"ignore"``: rows with any
        missing value are left out. ``"spread"``: of two columns, rows with a missing
        value are shared out in proportion to what is known; where no row is known on
        both sides, rows missing on both keep a row and a column of their own.

    Returns
    -------
    ndarray
        One axis per column; int64 counts, or float64 sums with `weights` or
        ``missing="spread"``.

    See Also
    --------
    joint_codes : Several columns as one, when their table would be too large.

    Examples
    --------
    >>> from featsieve.measures import contingency_table
    >>> windy = [0, 1, 1, 0, -1]
    >>> play = [1, 0, 0, 1, 1]
    >>> contingency_table(windy, play)
    array([[0, 2],
           [2, 0],
           [0, 1]])
    >>> contingency_table(windy, play, missing="ignore")
    array([[0, 2],
           [2, 0]])
    """
    check_choice("missing", missing, ("level", "ignore", "spread"), "contingency_table")
    if not columns:
        raise ValueError("contingency_table needs at least one column.")
    if missing == "spread" and len(columns) != 2:
        raise ValueError(
            f"missing='spread' is defined for two columns. Got {len(columns)}."
        )
    coded = [as_column(column, f"column {i}") for i, column in enumerate(columns)]
    n_rows = len(coded[0])
    if any(len(column) != n_rows for column in coded):
        lengths = [len(column) for column in coded]
        raise ValueError(f"Columns must have the same number of rows. Got {lengths}.")
    row_weights = as_weights(weights, n_rows)
    table, has_missing = _full_table(coded, row_weights)
    if missing == "spread":
        return spread_missing(table)
    keep = tuple(
        slice(None) if missing == "level" and gaps else slice(None, -1)
        for gaps in has_missing
    )
    return table[keep]


def _full_table(
    columns: list[Codes], weights: Floats | None
) -> tuple[Array, list[bool]]:
    """Count with a last value for missing along every axis."""
    sizes = [int(column.max(initial=-1)) + 2 for column in columns]
    cells = int(np.prod(sizes, dtype=np.float64))
    if cells > MOST_CELLS:
        raise ValueError(
            f"The table would have {cells} cells. Join columns with joint_codes first."
        )
    flat = np.zeros(len(columns[0]), dtype=np.int64)
    for column, size in zip(columns, sizes, strict=True):
        flat *= size
        flat += np.where(column < 0, size - 1, column)
    counts = np.bincount(flat, weights=weights, minlength=cells)
    return counts.reshape(sizes), [bool(np.any(column < 0)) for column in columns]


def spread_missing(table: Array) -> Floats:
    """Share out the last row and column of a table, which count missing values.

    Rows missing on one side go to that side's values in proportion to how frequent
    these are; rows missing on both sides go to the cells in proportion to what was
    known on both, or keep a row and a column of their own if nothing was.
    """
    counts = table.astype(np.float64)
    known = counts[:-1, :-1].copy()
    row_totals = counts.sum(axis=1)
    column_totals = counts.sum(axis=0)
    result = known.copy()
    known_rows = row_totals[:-1].sum()
    if known_rows > 0:
        result += np.outer(row_totals[:-1] / known_rows, counts[-1, :-1])
    known_columns = column_totals[:-1].sum()
    if known_columns > 0:
        result += np.outer(counts[:-1, -1], column_totals[:-1] / known_columns)
    if known.sum() > 0:
        result += known / known.sum() * counts[-1, -1]
    elif counts[-1, -1] > 0:
        result = np.pad(result, ((0, 1), (0, 1)))
        result[-1, -1] = counts[-1, -1]
    return result


def joint_codes(*columns: ArrayLike, missing: str = "level") -> Codes:
    """Return several columns as one: a code for each combination that occurs.

    Parameters
    ----------
    *columns : array-like of int of shape (n_rows,)
        Codes from 0 up; negative is missing.
    missing : {"level", "ignore"}, default="level"
        ``"level"``: missing is one more value of its column. ``"ignore"``: a row with
        any missing value gets the code -1.

    Returns
    -------
    ndarray of int32 of shape (n_rows,)
        Combinations numbered in the order of their values, so that the order of rows
        does not matter.

    Examples
    --------
    >>> from featsieve.measures import joint_codes
    >>> joint_codes([0, 0, 1, 1], [0, 1, 0, 1])
    array([0, 1, 2, 3], dtype=int32)
    >>> joint_codes([5, 5, 9], [2, 2, 2])
    array([0, 0, 1], dtype=int32)
    """
    check_choice("missing", missing, ("level", "ignore"), "joint_codes")
    if not columns:
        raise ValueError("joint_codes needs at least one column.")
    coded = [as_column(column, f"column {i}") for i, column in enumerate(columns)]
    joint = np.zeros(len(coded[0]), dtype=np.int64)
    unknown = np.zeros(len(joint), dtype=bool)
    for column in coded:
        if len(column) != len(joint):
            raise ValueError(f"Columns must have {len(joint)} rows. Got {len(column)}.")
        size = int(column.max(initial=-1)) + 2
        joint = joint * size + np.where(column < 0, size - 1, column)
        # Numbering anew after each column keeps codes below the number of rows.
        joint = np.unique(joint, return_inverse=True)[1]
        unknown |= column < 0
    codes = joint.astype(np.int32)
    if missing == "ignore" and unknown.any():
        codes[unknown] = -1
        codes[~unknown] = np.unique(codes[~unknown], return_inverse=True)[1]
    return codes
