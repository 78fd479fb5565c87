"""read_table: dispatch, targets, overrides, errors."""

from __future__ import annotations

import os

import numpy as np
import pytest

from featsieve.data import ColumnKind, open_stream, read_table
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


def test_row_order_does_not_change_levels():
    assert read_table(ROWS[::-1])["colour"].levels == read_table(ROWS)["colour"].levels


def test_rows_without_target_are_dropped_and_counted():
    rows = [{**row, "buys": None} if i == 1 else row for i, row in enumerate(ROWS)]
    with pytest.warns(DroppedRowsWarning, match=r"1 of 4 rows have no target 'buys'"):
        table = read_table(rows, target="buys")
    assert len(table) == 3
    assert "missing_target" in codes(table)


def test_target_missing_everywhere_is_an_error():
    with pytest.raises(DataError, match="'buys' is missing in all 4 rows"):
        read_table([{**row, "buys": None} for row in ROWS], target="buys")


@pytest.mark.parametrize(
    ("values", "kind", "levels"),
    [
        ([0, 1, 1], "nominal", (0, 1)),
        ([0.0, 1.0, 1.0], "nominal", (0, 1)),
        ([0.5, 1.0, 1.0], "numeric", ()),
        ([True, False, True], "nominal", (False, True)),
        (["b", "a", "b"], "nominal", ("a", "b")),
        (list(range(100)), "nominal", tuple(range(100))),
        (list(range(101)), "numeric", ()),
        ([float(i) for i in range(21)], "numeric", ()),
        ([2**60, 2**60 + 1], "nominal", (2**60, 2**60 + 1)),
    ],
)
def test_kind_of_target(values, kind, levels):
    for given in (values, np.array(values)):
        table = read_table(np.ones((len(values), 1)), given)
        assert table.target.kind.value == kind
        assert table.target.levels == levels


def test_many_whole_numbers_as_target_are_noted():
    table = read_table(np.ones((101, 1)), np.arange(101))
    assert "target_kind" in codes(table)
    nominal = read_table(np.ones((101, 1)), np.arange(101), target_kind="nominal")
    assert nominal.target.n_levels == 101


def test_target_kind_can_be_forced():
    table = read_table({"a": [1, 2, 3]}, target="a", target_kind="numeric")
    assert table.target.kind is ColumnKind.NUMERIC
    with pytest.raises(ValueError, match="'target_kind' parameter of read_table"):
        read_table(ROWS, target="buys", target_kind="class")


def test_target_by_position_and_by_values():
    assert read_table(ROWS, target=-1).target.name == "buys"
    table = read_table({"a": [1.5, 2.5]}, target=["x", "y"])
    assert table.target.name == "target"
    assert table.names == ("a",)
    with pytest.raises(DataError, match="Got 3 values for 2 rows"):
        read_table({"a": [1, 2]}, target=[1, 2, 3])
    with pytest.raises(DataError, match="no column at position 9"):
        read_table(ROWS, target=9)


def test_target_named_like_a_feature_gets_another_name():
    table = read_table({"target": [1.5, 2.5]}, target=["x", "y"])
    assert table.target.name == "target_2"
    assert "duplicate_name" in codes(table)


def test_unknown_name_lists_close_ones():
    with pytest.raises(DataError, match=r"no column 'colur'.*Did you mean 'colour'\?"):
        read_table(ROWS, target="colur")
    with pytest.raises(DataError, match=r"'zzz' \(asked for as nominal\).*first"):
        read_table(ROWS, nominal=["zzz"])


def test_kinds_can_be_overridden():
    table = read_table({"a": [10, 9, 10], "b": ["1", "2.5", None]}, nominal=["a"])
    assert table["a"].levels == (9, 10)
    table = read_table({"a": [10, 9, 10], "b": ["1", "2.5", None]}, numeric=[1])
    np.testing.assert_array_equal(table["b"].values, [1, 2.5, np.nan])
    table = read_table({"a": [1, 2], "b": [3, 4]}, nominal="all", numeric=["b"])
    assert [column.kind.value for column in table] == ["nominal", "numeric"]
    with pytest.raises(DataError, match="both as nominal and as numeric"):
        read_table(ROWS, nominal=["age"], numeric=["age"])


def test_all_does_not_mean_the_target():
    table = read_table({"a": [1, 2, 3], "y": [0.5, 1.5, 2.5]}, "y", nominal="all")
    assert table.target.kind is ColumnKind.NUMERIC
    assert table["a"].kind is ColumnKind.NOMINAL


def test_text_where_numbers_are_asked_for():
    values = [*range(17), "n/a", 18]
    with pytest.raises(DataError) as error:
        read_table({"age": values}, numeric=["age"])
    assert str(error.value) == (
        "Column 'age' holds text in 1 of 19 rows (first: row 17, 'n/a'). Mark it as "
        "missing with `missing_values=['n/a']` or as nominal with `nominal=['age']`."
    )
    table = read_table({"age": values})
    assert codes(table) == ["text_in_numbers", "row_id"]
    assert table.notes[0].message == str(error.value)
    clean = read_table({"age": values}, missing_values=["n/a"], numeric=["age"])
    assert clean["age"].n_missing == 1


def test_missing_values_in_memory():
    table = read_table({"a": [1, -999, 3], "b": ["x", "?", "y"]})
    assert table["b"].n_levels == 3
    table = read_table(
        {"a": [1, -999, 3], "b": ["x", "?", "y"]}, missing_values=[-999, "?"]
    )
    assert table["a"].n_missing == table["b"].n_missing == 1
    assert table["b"].levels == ("x", "y")
    assert read_table({"a": [1, -999, 3]}, missing_values=-999)["a"].n_missing == 1


@pytest.mark.parametrize("bad", [True, [[1, 2]], b"?", np.array([[1]]), [(1,)]])
def test_missing_values_are_texts_and_numbers(bad):
    with pytest.raises(DataError, match="`missing_values` must list texts and numbers"):
        read_table({"a": [1, 2]}, missing_values=bad)
    with pytest.raises(DataError, match="`missing_values` must list texts and numbers"):
        open_stream([{"a": [1, 2], "y": [0, 1]}], "y", missing_values=bad)


def test_missing_values_may_be_missing_themselves_or_huge_or_bare():
    for given in (np.array(2), [None, np.nan, 2], [np.int8(2)], [10**400, 2]):
        assert read_table({"a": [1, 2]}, missing_values=given)["a"].n_missing == 1


@pytest.mark.parametrize("bad", [np.array(0), np.array("a")])
def test_columns_are_listed(bad):
    with pytest.raises(DataError, match="`nominal` must list columns"):
        read_table({"a": [1, 2]}, nominal=bad)


def test_all_columns_are_of_one_kind_at_most():
    with pytest.raises(DataError, match="cannot both be 'all'"):
        read_table({"a": [1, 2]}, nominal="all", numeric="all")


def test_missing_values_leave_the_source_alone():
    array = np.array([[1.0, -999.0], [2.0, 3.0]])
    read_table(array, missing_values=[-999])
    assert array[0, 1] == -999


def test_infinity_is_an_error():
    with pytest.raises(
        DataError, match=r"'a' holds infinity in 1 of 3 rows \(first: row 1"
    ):
        read_table({"a": [1.0, np.inf, 2.0]})
    missing = [float("inf")]
    assert read_table({"a": [1.0, np.inf]}, missing_values=missing)["a"].n_missing == 1


def test_table_is_returned_or_changed():
    table = read_table(ROWS, target="buys")
    assert read_table(table) is table
    again = read_table(table, nominal=["age"])
    assert again["age"].levels == (27, 31, 42)
    assert again.target.name == "buys"
    with pytest.warns(DroppedRowsWarning):
        turned = read_table(table, target="colour")
    assert turned.names == ("age", "buys")
    assert turned.target.levels == ("blue", "red")


@pytest.mark.parametrize("bad", ["", ";;", '"', "\n", "\0", "é", 5, b","])
def test_separator_is_one_character(bad):
    with pytest.raises(ValueError, match="'separator' parameter of read_table"):
        read_table(ROWS, separator=bad)
    with pytest.raises(ValueError, match="'separator' parameter of open_stream"):
        open_stream([ROWS], "buys", separator=bad)


@pytest.mark.parametrize("bad", ["nope", None, 5, "a\0", "rot13", "base64", "punycode"])
def test_encoding_must_be_known(bad):
    with pytest.raises(ValueError, match="'encoding' parameter of read_table"):
        read_table(ROWS, encoding=bad)
    with pytest.raises(ValueError, match="'encoding' parameter of open_stream"):
        open_stream([ROWS], "buys", encoding=bad)


def test_paths_that_are_no_files(tmp_path):
    with pytest.raises(DataError, match="There is no file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(DataError, match="is a directory"):
        read_table(tmp_path)
    (tmp_path / "a.xls").write_bytes(b"x")
    with pytest.raises(DataError, match="does not tell its format"):
        read_table(tmp_path / "a.xls")


def test_a_million_levels():
    values = [f"v{i:07d}" for i in range(1_000_000)]
    table = read_table({"a": values[::-1]})
    assert table["a"].n_levels == 1_000_000
    assert table["a"].levels[0] == "v0000000"
    assert table["a"].values[0] == 999_999
    assert codes(table) == ["row_id"]


def test_tiny_tables():
    assert read_table({"a": [1, 2, 3]}).n_rows == 3
    assert read_table({"a": []}, target="a").n_rows == 0
    one_class = read_table({"a": [1, 2, 3], "y": ["k", "k", "k"]}, target="y")
    assert codes(one_class) == ["constant_target"]
    assert codes(read_table({"a": [None, None]})) == ["all_missing"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_refused_instead_of_waited_for(tmp_path):
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    with pytest.raises(DataError, match="is a pipe or a device"):
        read_table(path)


def test_a_target_behind_another_separator_is_hinted_at(tmp_path):
    path = tmp_path / "semicolons.csv"
    path.write_text("a;y\n1;p\n2;q\n", encoding="utf-8")
    with pytest.raises(DataError, match="If ';' stands between columns"):
        read_table(path, "y")


def test_capitals_and_blanks_are_forgiven_in_what_is_suggested():
    table = {"A": [1, 2], "b ": [0, 1], "longer": [1, 1]}
    with pytest.raises(DataError, match=r"no column 'a'.*Did you mean 'A'\?"):
        read_table(table, target="a")
    with pytest.raises(DataError, match=r"no column 'B'.*Did you mean 'b '\?"):
        read_table(table, nominal=["B"])


def test_a_dash_is_no_file():
    with pytest.raises(DataError, match=r"no file '-'.*save the input"):
        read_table("-")
