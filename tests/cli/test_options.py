"""Options that commands share: what they accept, and the table they name."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
import typer

from featsieve.cli import _options
from featsieve.cli._errors import UsageProblem
from featsieve.cli._options import (
    Source,
    at_least,
    check_out,
    check_rate,
    choice,
    list_of_names,
    list_of_values,
    split_list,
    takes_table,
    which_target,
)

CSV = (".csv", ".json")


def test_a_choice_takes_dashes_and_underscores():
    check = choice("equal-width", "mdl")
    assert check(" Equal_Width ") == "equal-width"
    with pytest.raises(typer.BadParameter, match="'x' is not one of equal-width, mdl"):
        check("x")


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (at_least(2), [2, None], [1]),
        (check_rate, [0.5], [0, 1]),
        (_options._jobs, [-1, 3], [0, -2]),
        (_options._separator, [";", None], [";;", "é"]),
        (_options._encoding, ["latin-1"], ["no-such"]),
    ],
)
def test_checks(check, good, bad):
    assert [check(value) for value in good] == good
    for value in bad:
        with pytest.raises(typer.BadParameter, match=re.escape(str(value))):
            check(value)


def test_separators_have_names():
    assert [_options._separator(word) for word in ("tab", "\\t", "space")] == [
        *("\t", "\t", " ")
    ]


def test_files_to_write_are_checked_before_the_work(tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("a\n1\n", encoding="utf-8")
    check_out("--out", None, [data], CSV)
    check_out("--out", tmp_path / "new.csv", [data], CSV)
    for out, fault in (
        (data, "is DATA itself"),
        (tmp_path / "new.doc", "does not tell a format"),
        (tmp_path / "no" / "new.csv", "There is no folder"),
    ):
        with pytest.raises(UsageProblem, match=fault):
            check_out("--out", out, [data], CSV)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(UsageProblem, match="is a folder"):
        check_out("--out", tmp_path / "folder.csv", [data], CSV)
    with pytest.raises(UsageProblem, match="lies in DATA"):
        check_out("--out", tmp_path / "new.csv", [tmp_path], CSV)


def test_lists_of_names_and_values():
    assert split_list(["a,b", '"c,d",']) == ["a", "b", "c,d"]
    assert list_of_names(["all"]) == "all"
    assert list_of_names(["all,b"]) == ["all", "b"]
    assert list_of_names(None) is None
    assert list_of_values(None) is None
    assert list_of_values(["-999,?,nan"]) == ["-999", "?", "nan", -999.0]


def test_what_is_read_part_by_part(tmp_path):
    file = tmp_path / "data.csv"
    file.write_text("a,y\n1,p\n2,q\n", encoding="utf-8")
    one, two = Source([file]), Source([file, tmp_path / "b.csv"])
    assert not one.is_stream
    assert two.is_stream
    assert Source([tmp_path]).is_stream
    assert Source([Path("data/*.csv")]).is_stream
    assert Source([file], engine="dask").data == [str(file)]
    assert (one.data, two.label) == (str(file), f"{file} and 1 more")
    assert one.read("y").n_rows == 2
    with pytest.raises(UsageProblem, match="--target NAME"):
        one.open(None)
    with pytest.raises(UsageProblem, match="--scheduler needs --engine dask"):
        Source([file], scheduler="tcp://here")


def test_how_to_read_is_what_the_library_takes():
    source = Source([Path("a.csv")], nominal=["a,b"], numeric=["all"], decimal=",")
    assert source.reading == {
        "nominal": ["a", "b"],
        "numeric": "all",
        "missing_values": None,
        "separator": None,
        "encoding": "utf-8",
        "decimal": ",",
    }


def test_the_question_for_a_target_names_the_columns():
    assert which_target(["a", "b"]).endswith("with one of 'a', 'b'.")
    many = which_target([f"c{k}" for k in range(20)])
    assert "'c7', …, 'c17', 'c18', 'c19'" in many
    assert "no columns" in which_target([])


def test_commands_of_a_table_have_the_options_for_reading_it():
    @takes_table(in_parts=True)
    def command(source: Source, top: int = 3, as_json: bool = False) -> None:
        """Do it."""
        called.append((source, top, as_json))

    called: list = []
    names = list(inspect.signature(command).parameters)
    assert names[:2] == ["data", "top"]
    assert names[-1] == "as_json"
    assert {"nominal", "encoding", "engine", "scheduler"} <= set(names)
    how = dict.fromkeys({*_options.READING_OPTIONS, *_options.PLACE_OPTIONS})
    how |= {"encoding": "latin-1", "decimal": ".", "engine": "local"}
    command(data=[Path("a.csv")], top=5, as_json=True, **how)
    ((source, top, as_json),) = called
    assert (source.path, source.encoding, top, as_json) == (
        *(Path("a.csv"), "latin-1", 5, True),
    )
