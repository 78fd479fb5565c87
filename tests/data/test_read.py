"""read_table: dispatch, targets, overrides, errors."""

from __future__ import annotations

import numpy as np
import pytest

from featsieve.data import ColumnKind, read_table
from featsieve.exceptions import DataError, DroppedRowsWarning

ROWS = [
    {"age": 31, "colour": "red", "buys": "yes"},
    {"age": 42, "colour": "blue", "buys": "no"},
    {"age": None, "colour": "red", "buys": "yes"},
    {"age": 27, "colour": None, "buys": "no"},
]


def codes(table):
    return [note.code for note in table.notes]


def test_kinds_come_from_the_values():
    table = read_table(ROWS, target="buys")
    assert table.names == ("age", "colour")
    assert table["age"].kind is ColumnKind.NUMERIC
    np.testing.assert_array_equal(table["age"].values, [31, 42, np.nan, 27])
    assert table["colour"].levels == ("blue", "red")
    assert table["colour"].values.tolist() == [1, 0, 1, -1]
    assert table.target.levels == ("no", "yes")


def test_rows_without_target_are_dropped_and_counted():
    rows = [{**row, "buys": None} if i == 1 else row for i, row in enumerate(ROWS)]
    with pytest.warns(DroppedRowsWarning, match=r"1 of 4 rows have no target 'buys'"):
        table = read_table(rows, target="buys")
    assert len(table) == 3
    assert "missing_target" in codes(table)


def test_unknown_name_lists_close_ones():
    with pytest.raises(DataError, match=r"no column 'colur'.*Did you mean 'colour'\?"):
        read_table(ROWS, target="colur")
