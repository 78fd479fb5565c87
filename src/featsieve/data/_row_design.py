"""How rows belong together, as the caller says it: by whom, when, and among which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._text import nearest
from featsieve.data._table import Column, Table
from featsieve.data.read._read_table import read_table
from featsieve.exceptions import DataError

#: What each option holds, for errors.
MEANS = {
    "groups": "which rows belong together",
    "time": "when each row was seen",
    "strata": "among which rows each may be exchanged",
    "sample_weight": "how much each row counts",
}


@dataclass(frozen=True, slots=True, eq=False)
class RowDesign:
    """Codes of groups and strata, and the place of each row in time; None is unsaid.

    Rows of equal time keep their order.
    """

    groups: NDArray[np.intp] | None = None
    time: NDArray[np.intp] | None = None
    strata: NDArray[np.intp] | None = None

    @property
    def is_free(self) -> bool:
        """Whether any row may take the place of any other."""
        return self.groups is None and self.time is None and self.strata is None

    def take(self, rows: NDArray[Any]) -> RowDesign:
        """Return the design of some rows, or of all in another order."""
        if self.is_free:
            return self
        parts = (self.groups, self.time, self.strata)
        return RowDesign(*(None if part is None else part[rows] for part in parts))


#: Rows that may all be exchanged.
ANY_ORDER = RowDesign()


def read_design(
    owner: str,
    n_rows: int,
    *,
    groups: Any = None,
    time: Any = None,
    strata: Any = None,
) -> RowDesign:
    """Return the design of `n_rows` from arrays, or say what is wrong with one."""
    given = {"groups": groups, "time": time, "strata": strata}
    columns = {
        name: option_column(owner, name, values, n_rows)
        for name, values in given.items()
        if values is not None
    }
    if "groups" in columns and "time" in columns:
        message = (
            f"{owner} takes groups or time, not both. Rows of several series are "
            "strata: say `time=` and `strata=`; if only groups matter, leave out time."
        )
        raise DataError(message)
    design = RowDesign(
        _codes(columns.get("groups")),
        _places(owner, columns.get("time")),
        _codes(columns.get("strata")),
    )
    _check_groups(owner, design)
    if design.strata is not None and np.bincount(design.strata).max(initial=0) < 2:
        message = (
            f"The strata of {owner} have one row each, so that no row can be "
            "exchanged. Give coarser strata, or leave them out."
        )
        raise DataError(message)
    return design


def option_column(owner: str, name: str, values: Any, n_rows: int) -> Column:
    """Return an option that has a value for every row, or say what is wrong with it."""
    if isinstance(values, Column):
        column = values
    elif isinstance(values, (str, int, Mapping)):
        message = (
            f"The '{name}' of {owner} must be one value per row, saying {MEANS[name]}. "
            f"Got {values!r} instead."
        )
        raise DataError(message)
    else:
        column = read_table({name: values}).columns[0]
    if len(column.values) != n_rows:
        message = (
            f"The '{name}' of {owner} must have one value per row: {n_rows}. Got "
            f"{len(column.values)}."
        )
        raise DataError(message)
    if column.n_missing:
        row = int(np.flatnonzero(column.missing)[0])
        message = (
            f"The '{name}' of {owner} must be known in every row. It is missing in "
            f"{column.n_missing} of {n_rows}, first in row {row}; leave such rows out."
        )
        raise DataError(message)
    return column


def _codes(column: Column | None) -> NDArray[np.intp] | None:
    if column is None:
        return None
    codes: NDArray[np.intp] = np.unique(column.values, return_inverse=True)[1]
    return codes


def _places(owner: str, column: Column | None) -> NDArray[np.intp] | None:
    """Return the place of each row in the order of time."""
    if column is None:
        return None
    order = np.argsort(moment_codes(owner, column), kind="stable")
    places = np.empty(len(order), dtype=np.intp)
    places[order] = np.arange(len(order))
    return places


def moment_codes(owner: str, column: Column) -> NDArray[np.intp]:
    """Return 0, 1, … for the moments of rows, the same one for rows of equal time."""
    values: NDArray[Any] = column.values
    if column.is_nominal:
        try:
            moments = np.array([str(level) for level in column.levels], "datetime64")
        except ValueError:
            message = (
                f"The 'time' of {owner} must be numbers or dates. Got text such as "
                f"{column.levels[0]!r}."
            )
            raise DataError(message) from None
        values = moments[column.values].astype(np.int64)
    if len(values) > 1 and values.min() == values.max():
        message = (
            f"The 'time' of {owner} is the same in every row, so there is no order. "
            "Leave it out, or give the moment of each row."
        )
        raise DataError(message)
    codes: NDArray[np.intp] = np.unique(values, return_inverse=True)[1]
    return codes


def _check_groups(owner: str, design: RowDesign) -> None:
    groups, strata = design.groups, design.strata
    if groups is None:
        return
    if len(groups) and int(groups.max()) == 0:
        message = (
            f"The groups of {owner} are one group only, so that nothing can be "
            "exchanged. Leave them out, or give the group of each row."
        )
        raise DataError(message)
    if strata is None:
        return
    first = np.unique(groups, return_index=True)[1]
    torn = np.flatnonzero(strata[first][groups] != strata)
    if len(torn):
        message = (
            f"A group of {owner} must lie in one stratum. The group of row "
            f"{int(torn[0])} lies in several; give coarser strata."
        )
        raise DataError(message)


def named_column(owner: str, option: str, name: str, table: Table) -> Column:
    """Return the column that an option names, or say which it may mean."""
    if table.target is not None and name == table.target.name:
        message = f"'{option}' of {owner} names {name!r}, which is the target."
        raise DataError(message)
    if name not in table.names:
        near = nearest(name, list(table.names), 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        message = (
            f"'{option}' of {owner} names {name!r}, which is no column of the "
            f"table.{hint}"
        )
        raise DataError(message)
    return table[name]


def weight_column(owner: str, name: str, table: Table) -> NDArray[np.float64]:
    """Return the weights that a column holds; whether they are fit is asked later."""
    column = named_column(owner, "sample_weight", name, table)
    if column.is_nominal:
        message = (
            f"'sample_weight' of {owner} names {name!r}, which holds names such as "
            f"{column.levels[0]!r}. Name a column of numbers."
        )
        raise DataError(message)
    return column.values


def take_options(
    owner: str, table: Table, given: Mapping[str, Any]
) -> tuple[Table, dict[str, Column], Any]:
    """Return the table without the columns that options name, the options, weights.

    `given` has values or names of columns by the name of the option. What is returned
    of groups, time and strata are columns, of `sample_weight` numbers or None.
    """
    columns = {}
    weights = given.get("sample_weight")
    for option, value in given.items():
        if isinstance(value, str):
            if option == "sample_weight":
                weights = weight_column(owner, value, table)
            else:
                columns[option] = named_column(owner, option, value, table)
            continue
        _check_no_row_gone(owner, table, option, value)
        if option != "sample_weight":
            columns[option] = option_column(owner, option, value, table.n_rows)
    named = {value for value in given.values() if isinstance(value, str)}
    kept = [name for name in table.names if name not in named]
    return table.select(kept) if named else table, columns, weights


def _check_no_row_gone(owner: str, table: Table, option: str, value: Any) -> None:
    """Raise if values are those of rows some of which were left out in reading."""
    gone = [note for note in table.source_notes if note.code == "missing_target"]
    if gone and hasattr(value, "__len__") and len(value) != table.n_rows:
        message = (
            f"The '{option}' of {owner} must have one value per row with a target: "
            f"{table.n_rows}. Got {len(value)}. {gone[0].message} Leave them out "
            f"before, or name a column: `{option}='...'`."
        )
        raise DataError(message)
