"""Codes and columns as kernels read them, without copies, and tables of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from featsieve._checks import check_choice, check_numbers
from featsieve._kernels import Missing, apply_cuts, encode_bytes
from featsieve._types import Array, Codes, Floats, Ints, Mask
from featsieve.tallies.api import equal_frequency_cuts

KERNEL_DTYPES = (np.dtype(np.uint8), np.dtype(np.uint16), np.dtype(np.int32))

#: The largest code; one more is kept free for missing values.
LARGEST_CODE = 2**31 - 3

#: Beyond this, sums of w · log2 w lose what they are made of.
MOST_WEIGHT = 1e150

MISSING = {"level": Missing.LEVEL, "ignore": Missing.IGNORE, "spread": Missing.SPREAD}

#: Treatments that are defined for several features at once.
JOINT_MISSING = ("level", "ignore")


def check_coded(
    codes: ArrayLike,
    target: ArrayLike,
    missing: str,
    weights: ArrayLike | None,
    owner: str,
) -> tuple[tuple[Array, Codes, int, Missing], Floats | None]:
    """Return the input of scanners of sets of features, and weights; or say why not."""
    check_choice("missing", missing, JOINT_MISSING, owner)
    matrix = as_codes(codes, "codes")
    if matrix.ndim != 2:
        raise ValueError(
            f"codes must have two dimensions, rows and features. Got an array of shape "
            f"{matrix.shape}; give one feature as codes.reshape(-1, 1)."
        )
    coded = matrix, *as_target(target, len(matrix)), MISSING[missing]
    return coded, as_weights(weights, len(matrix))


def as_codes(values: ArrayLike, name: str) -> Array:
    """Return codes as uint8, uint16 or int32, in place where they already are.

    Whole floats are taken as codes and NaN as missing, because that is what a table
    of encoded columns looks like after a detour through NumPy or pandas.
    """
    codes = np.asarray(values)
    if codes.dtype in KERNEL_DTYPES:
        return codes
    if codes.dtype == np.bool_:
        return codes.view(np.uint8)
    if codes.dtype.kind == "f":
        return _from_floats(codes, name)
    if codes.dtype.kind not in "iu":
        raise TypeError(
            f"{name} must hold integer codes (negative = missing). Got dtype "
            f"{codes.dtype} instead; encode text with featsieve.data.read_table."
        )
    if codes.size and codes.max() > LARGEST_CODE:
        raise ValueError(
            f"{name} must hold codes up to {LARGEST_CODE}. Got {codes.max()}; number "
            "the levels from 0."
        )
    if codes.dtype.kind == "i" and codes.dtype.itemsize == 8:
        codes = np.maximum(codes, -1)
    return codes.astype(np.int32, order="K")


def _from_floats(codes: Array, name: str) -> Array:
    if codes.ndim == 2 and codes.dtype in (np.float32, np.float64):
        narrow = encode_bytes(codes)
        if narrow is not None:
            return narrow.T
    if codes.dtype == np.float16:  # which has no number for the largest code
        codes = codes.astype(np.float32)
    missing = np.isnan(codes)
    known = codes[~missing]
    whole = np.all(known == np.floor(known)) and np.all(np.abs(known) <= LARGEST_CODE)
    if not whole:
        raise ValueError(
            f"{name} must hold whole numbers (codes). Got fractions or numbers "
            f"beyond {LARGEST_CODE}; cut numeric columns first, for example with "
            "featsieve.data.MDLDiscretizer."
        )
    return np.where(missing, -1, codes).astype(np.int32)


def as_column(values: ArrayLike, name: str) -> Codes:
    """Return one column of codes as int32."""
    codes = as_codes(values, name)
    if codes.ndim != 1:
        raise ValueError(
            f"{name} must be one-dimensional. Got shape {codes.shape} instead."
        )
    return np.ascontiguousarray(codes, dtype=np.int32)


def as_target(values: ArrayLike, n_rows: int) -> tuple[Codes, int]:
    """Return class codes as int32 and their number.

    Sparse codes are numbered anew, so that there are no more classes than rows.
    """
    target = np.asarray(values)
    if target.shape != (n_rows,):
        raise ValueError(
            f"target must have one class per row, shape ({n_rows},). Got an array of "
            f"shape {target.shape}."
        )
    if n_rows and target.dtype.kind in "iu" and target.max() > LARGEST_CODE:
        target = np.where(target < 0, -1, np.unique(target, return_inverse=True)[1])
    classes = as_column(target, "target")
    if n_rows == 0:
        return classes, 1
    if classes.min() < 0:
        rows = np.flatnonzero(classes < 0)
        raise ValueError(
            f"target must not be missing. Got {len(rows)} negative codes, the first "
            f"in row {rows[0]}; leave these rows out first."
        )
    if classes.max() >= n_rows:
        classes = np.unique(classes, return_inverse=True)[1].astype(np.int32)
    return classes, int(classes.max()) + 1


def effective_rows(weights: Floats) -> float:
    """Return how many rows of equal weight say as much as rows of these weights."""
    most = weights.max(initial=0.0)
    if most == 0:
        return 0.0
    shares = weights / most  # whose squares can neither overflow nor all vanish
    return float(shares.sum() ** 2 / (shares**2).sum())


def as_weights(weights: ArrayLike | None, n_rows: int) -> Floats | None:
    """Return row weights as float64, checked, or None."""
    if weights is None:
        return None
    given = check_numbers("weights", weights, "a measure")
    checked = np.ascontiguousarray(given)
    if checked.shape != (n_rows,):
        raise ValueError(
            f"weights must have one number per row, shape ({n_rows},). Got an array of "
            f"shape {checked.shape}."
        )
    good = np.isfinite(checked) & (checked >= 0)
    if not good.all():
        bad = int(np.argmin(good))
        raise ValueError(
            f"weights must be finite and not negative. Got {checked[bad]} in row {bad}."
        )
    # Sums of weights and their squares must stay numbers.
    if checked.max(initial=0) > MOST_WEIGHT / max(n_rows, 1):
        raise ValueError(f"weights must add up to at most {MOST_WEIGHT:g}. Scale them.")
    return checked


#: What numeric columns are compared by; nominal ones by symmetrical uncertainty.
ASSOCIATIONS = (
    "auto",
    "kendall",
    "gamma",
    "spearman",
    "pearson",
    "winsorised_pearson",
    "symmetrical_uncertainty",
)

#: Statistics of order have no one natural form with weights.
UNWEIGHTED = ("kendall", "gamma", "spearman")


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Typed columns: float64 with NaN, or int32 codes with negative for missing."""

    values: list[Array]
    nominal: Mask
    n_rows: int
    single: bool

    def __len__(self) -> int:
        return len(self.values)


def read_columns(columns: Any, nominal: Any = None) -> Columns:
    """Return typed columns from a matrix, one column, or a list of columns."""
    single = False
    listed = isinstance(columns, (list, tuple)) and len(columns) > 0
    if listed and all(isinstance(c, np.ndarray) and c.ndim == 1 for c in columns):
        given = list(columns)
        n_rows = len(given[0])
    else:
        matrix = np.asarray(columns)
        single = matrix.ndim == 1
        if single:
            matrix = matrix[:, np.newaxis]
        if matrix.ndim != 2:
            raise ValueError(
                "columns must be a column, a matrix, or a list of one-dimensional "
                f"arrays. Got {matrix.ndim} axes."
            )
        given = list(matrix.T)
        n_rows = len(matrix)
    mask = _nominal_mask(nominal, len(given))
    values = []
    for j, column in enumerate(given):
        if len(column) != n_rows:
            raise ValueError(
                f"Columns must have {n_rows} rows. Column {j} has {len(column)}."
            )
        name = f"column {j}"
        values.append(as_column(column, name) if mask[j] else as_numbers(column, name))
    return Columns(values, mask, n_rows, single)


def _nominal_mask(nominal: Any, n_columns: int) -> Mask:
    if nominal is None:
        return np.zeros(n_columns, dtype=bool)
    if isinstance(nominal, str) and nominal == "all":
        return np.ones(n_columns, dtype=bool)
    mask = np.asarray(nominal)
    if mask.dtype != np.bool_ or mask.shape != (n_columns,):
        raise ValueError(
            f"nominal must be None, 'all' or a mask of {n_columns} columns. Got "
            f"{nominal!r} instead."
        )
    return mask


def as_numbers(values: ArrayLike, name: str) -> Floats:
    """Return one numeric column as contiguous float64."""
    column = np.asarray(values)
    if column.dtype.kind not in "biuf":
        raise TypeError(
            f"{name} must hold numbers (NaN = missing). Got dtype {column.dtype} "
            "instead; mark a column of codes with `nominal`."
        )
    if column.ndim != 1:
        raise ValueError(
            f"{name} must be one-dimensional. Got shape {column.shape} instead."
        )
    return np.ascontiguousarray(column, dtype=np.float64)


def own_name(association: Any, *, weighted: bool) -> Any:
    """Return what "auto" means: tau-b, or with weights, which it has no form for, r.

    Not winsorised r: that takes a rare value of a binary column for an outlier.
    """
    if association != "auto":
        return association
    return "pearson" if weighted else "kendall"


def check_association(
    association: str, weights: ArrayLike | None, n_rows: int, owner: str
) -> tuple[str, Floats | None]:
    """Return the association's own name and the checked weights, or say what to do."""
    check_choice("association", association, ASSOCIATIONS, owner)
    checked = as_weights(weights, n_rows)
    name = own_name(association, weighted=checked is not None)
    if checked is not None and name in UNWEIGHTED:
        raise ValueError(
            f"association={association!r} has no weighted form. Leave weights out, or "
            "use 'pearson', 'winsorised_pearson' or 'symmetrical_uncertainty'."
        )
    return name, checked


def shaped(values: Floats, single: bool) -> Any:
    """Return a number for a single column, else the array."""
    return float(values[0]) if single else values


def check_finite(values: Floats, name: str) -> None:
    """Raise if a column holds infinities, which have no moments."""
    endless = np.isinf(values)
    if endless.any():
        row = int(np.argmax(endless))
        raise ValueError(
            f"{name} holds {values[row]} in row {row}, and Pearson's correlation needs "
            "finite numbers. Use association='kendall', 'gamma' or 'spearman', which "
            "look at order alone, or mark the value as missing."
        )


def cut_column(values: Floats, n_bins: int, weights: Floats | None) -> Codes:
    """Return a numeric column as levels of about equal frequency; -1 for NaN."""
    return apply_cuts(values, equal_frequency_cuts(values, n_bins, weights))


def as_subsets(subsets: list[tuple[int, ...]]) -> tuple[Codes, Ints]:
    """Return subsets of columns one after the other, and where each begins."""
    columns = np.array([column for subset in subsets for column in subset], np.int32)
    begins = np.cumsum([0, *map(len, subsets)], dtype=np.int64)
    return columns, begins


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
