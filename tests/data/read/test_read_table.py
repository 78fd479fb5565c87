"""read_table: dispatch, targets, overrides, errors."""

from __future__ import annotations

import os

import numpy as np
import pytest

from featsieve.data import ColumnKind, open_stream, read_table
from featsieve.data.read import _files
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


def test_decimal_commas(tmp_path, monkeypatch):
    monkeypatch.setattr(_files, "BLOCK_BYTES", 64)  # later blocks bring surprises
    path = tmp_path / "a.csv"
    numbers = [f"{k / 4:.2f}".replace(".", ",") for k in range(40)]
    # A decimal point is no number here, a word is missing, blanks are forgiven.
    words = [*numbers[:38], "1.5", "x"]
    gaps = [*numbers[:39], "many"]
    rows = zip(numbers, words, gaps, ["n", "p"] * 20, strict=True)
    lines = ["a;b;c;y", *(";".join(row) for row in rows)]
    path.write_text("\n".join(lines))
    how = {"separator": ";", "decimal": ",", "missing_values": ["many"]}
    table = read_table(path, "y", numeric=["c"], **how)
    assert table["a"].values.tolist() == [k / 4 for k in range(40)]
    assert table["b"].is_nominal
    assert table["c"].values[:39].tolist() == [k / 4 for k in range(39)]
    assert np.isnan(table["c"].values[39])
    drawn = open_stream([path], "y", numeric=["c"], **how).sample(40)
    assert sorted(drawn["a"].values) == table["a"].values.tolist()
    assert drawn["b"].levels == table["b"].levels
    assert not drawn["c"].is_nominal
    plain = read_table(path, "y", separator=";")
    assert "decimal=','" in next(n.message for n in plain.notes if n.column == "a")


def test_one_mark_has_one_meaning(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,y\n1,n\n")
    with pytest.raises(DataError, match="cannot stand both between cells and in num"):
        read_table(path, decimal=",")
    with pytest.raises(ValueError, match="'decimal' parameter of read_table must be"):
        read_table(path, decimal="'")


@pytest.mark.parametrize(
    ("option", "value"), [("separator", ";"), ("encoding", "latin-1"), ("decimal", ",")]
)
def test_what_means_nothing_to_a_source_is_refused(option, value, tmp_path):
    table = read_table({"a": [1], "y": ["n"]}, "y")
    for source in (table, {"a": [1], "y": ["n"]}):
        with pytest.raises(DataError, match=f"`{option}=` .* a table in memory"):
            read_table(source, **{option: value})
    with pytest.raises(DataError, match=f"`{option}=` .* a table in memory"):
        open_stream([{"a": [1], "y": ["n"]}], "y", **{option: value})
    path = tmp_path / "a.arff"
    path.write_text("@relation r\n@attribute a numeric\n@data\n1\n")
    if option == "encoding":
        assert read_table(path, encoding=value).n_rows == 1
        return
    with pytest.raises(DataError, match=f"`{option}=` .* an ARFF file"):
        read_table(path, **{option: value})


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


def test_a_dash_is_no_file():
    with pytest.raises(DataError, match=r"no file '-'.*save the input"):
        read_table("-")
