"""featsieve inspect: what is understood, what looks wrong."""

from __future__ import annotations

import json

import pytest

from cli.running import only_line, run


def inspection(*words):
    result = run("inspect", *words, "--json")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return json.loads(result.stdout)


def line_of(result, name):
    return next(line for line in result.stdout.splitlines() if f" {name} " in line)


def test_every_column_is_shown(churn):
    result = run("inspect", churn)
    assert result.exit_code == 0
    text = " ".join(result.stdout.split())
    assert "12 rows, 7 columns, 425 bytes" in text
    assert "26 … 40 … 61" in line_of(result, "age")
    assert "2017-06-08 … 2020-" in line_of(result, "joined")
    assert " date " in line_of(result, "joined")
    assert "2 levels" in line_of(result, "plan")
    assert "basic 55 %, plus 45 %" in line_of(result, "plan")
    assert " 8 % " in line_of(result, "usage")
    assert line_of(result, "country").startswith("!")
    assert not line_of(result, "age").startswith("!")
    assert "Row numbers and IDs - Column 'customer' looks like" in text
    assert "One value only - Column 'country' is 'NO' in every row." in text
    assert "Next: `featsieve select DATA --target NAME`" in text


def test_target_is_shown_with_its_classes(churn):
    result = run("inspect", churn, "--target", "churn", "--quiet")
    text = " ".join(result.stdout.split())
    assert "6 features and a target" in text
    assert "Target 'churn': 2 classes no 6 50 % █" in text
    assert "Next:" not in text


def test_numeric_target(write):
    path = write("a,y\n" + "".join(f"{i % 7},{i + 0.5}\n" for i in range(40)))
    result = run("inspect", path, "--target", "y")
    assert "Target 'y': a quantity, 0.5 … 20 … 39.5" in result.stdout


def test_json_has_the_numbers(churn):
    found = inspection(churn, "--target", "churn")
    by_name = {column["name"]: column for column in found["columns"]}
    assert found["n_rows"] == 12
    assert found["file_size"] == churn.stat().st_size
    age = by_name["age"]
    assert (age["min"], age["median"], age["max"]) == (26, 40, 61)
    assert sum(age["histogram"]) == 12
    assert by_name["plan"]["levels"] == [
        {"value": "basic", "count": 6, "share": 6 / 11},
        {"value": "plus", "count": 5, "share": 5 / 11},
    ]
    assert [level["count"] for level in found["target"]["levels"]] == [6, 6]
    codes = {note["code"] for note in found["notes"]}
    assert codes == {"constant", "row_id", "date"}


def test_picture_of_extreme_numbers(write):
    path = write("a,b,c\n-1e308,1,0\n1e308,1,0\n5e307,1e6,0\n0,1,5e-324\n")
    by_name = {column["name"]: column for column in inspection(path)["columns"]}
    assert by_name["a"]["histogram"] == [1, 0, 0, 0, 1, 0, 1, 1]
    assert by_name["a"]["median"] == 2.5e307
    assert by_name["b"]["histogram"] == [3, 0, 0, 0, 0, 0, 0, 1]
    assert sum(by_name["c"]["histogram"]) == 4


def test_an_outlier_does_not_hide_the_shape(write):
    text = "a\n" + "".join(f"{i}\n" for i in range(199)) + "1e9\n"
    histogram = inspection(write(text))["columns"][0]["histogram"]
    assert max(histogram) < 30


def test_nothing_wrong_is_said_too(write):
    path = write("a,b\n" + "".join(f"{i % 3},{i % 4}\n" for i in range(12)))
    assert "Nothing looks wrong." in run("inspect", path).stdout


def test_wide_tables_are_cut_unless_all_is_asked(write):
    names = [f"c{i:03}" for i in range(230)]
    rows = "".join(
        ",".join(str(i * j % 7) for j in range(230)) + "\n" for i in range(9)
    )
    path = write(",".join(names) + "\n" + rows)
    result = run("inspect", path)
    assert "… and 180 columns more; --all shows them" in result.stdout
    assert "c049" in result.stdout
    assert " c051 " not in result.stdout
    assert "more; --all shows them" in result.stdout.rpartition("Identical")[2]
    everything = run("inspect", path, "--all").stdout
    assert " c229 " in everything
    assert "--all" not in everything
    assert len(inspection(path)["columns"]) == 230


def test_odd_columns(write):
    path = write(
        "id,gone,text,time,big,flag,day\n"
        + "".join(
            f"k{i},,text {i},0{i % 9}:15,9007199254740999,{'true' if i % 2 else ''},"
            "0001-01-01\n"
            for i in range(12)
        )
    )
    result = run("inspect", path)
    assert result.exit_code == 0
    assert "all differ: k0, k1, k10, …" in line_of(result, "id")
    assert "no value" in line_of(result, "gone")
    assert "100 %" in line_of(result, "gone")
    codes = {note["code"] for note in inspection(path)["notes"]}
    assert {"all_missing", "row_id", "date", "large_integers"} <= codes
    assert "`--nominal big`" in " ".join(result.stdout.split())


def test_many_classes_are_cut(write):
    path = write("a,y\n" + "".join(f"{i % 5},class {i % 30}\n" for i in range(90)))
    assert "… and 10 classes more" in run("inspect", path, "--target", "y").stdout


def test_header_only(write):
    result = run("inspect", write("a,b\n"))
    assert result.exit_code == 0
    assert "0 rows, 2 columns, 4 bytes" in result.stdout
    assert "Nothing looks wrong" not in result.stdout
    assert "There are no rows to look at." in result.stdout


@pytest.mark.parametrize("width", [40, 80])
def test_lines_fit_the_terminal(churn, width):
    result = run("inspect", churn, "--target", "churn", env={"COLUMNS": str(width)})
    assert max(map(len, result.stdout.splitlines())) <= width


def test_other_separator_is_suggested_as_an_option(write):
    result = run("inspect", write("a;b\n1;2\n3;4\n"))
    assert "`--separator ';'`" in " ".join(result.stdout.split())


def test_names_are_shown_literally(write):
    path = write('[bold]x,"a\tb"\n[/],1\n:smile:,2\n<script>,3\n')
    result = run("inspect", path, "--target", "[bold]x")
    for shown in ("[bold]x", "a\\tb", "[/]", ":smile:", "<script>"):
        assert shown in result.stdout


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("a,b\n1,2,3\n", "must have as many cells"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line(write, text, told):
    result = run("inspect", write(text))
    assert result.exit_code == 1
    assert told in only_line(result)


def test_wrong_encoding_names_the_option(write):
    result = run("inspect", write("größe\n1\n", encoding="latin-1"))
    assert result.exit_code == 1
    assert "`--encoding latin-1`" in only_line(result)


def test_dates_beyond_the_calendar_are_numbers(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "old.parquet"
    days = pa.array([-1_000_000, 0, 1], pa.int32()).cast(pa.date32())
    pq.write_table(pa.table({"day": days, "flag": [True, None, False]}), path)
    result = run("inspect", path)
    assert result.exit_code == 0, result.stderr
    assert "-1000000 … 1970-01-01 … 1970-01-02" in line_of(result, "day")
    assert "False 50 %, True 50 %" in line_of(result, "flag")


def test_levels_that_never_occur(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "levels.parquet"
    codes = pa.array([None, None], pa.int32())
    column = pa.DictionaryArray.from_arrays(codes, ["a", "b"], ordered=True)
    pq.write_table(pa.table({"empty": column, "n": [1, 2]}), path)
    result = run("inspect", path)
    assert "no value" in line_of(result, "empty")
