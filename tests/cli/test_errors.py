"""What the library says of parameters, said of options; every error in one line."""

from __future__ import annotations

import shlex

import pytest

from featsieve.cli._errors import explain, join_list, shell_words
from featsieve.cli._options import split_list
from featsieve.data import read_table
from featsieve.exceptions import DataError
from featsieve.selectors import MeasureFilter


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("`nominal=['age']`", "`--nominal age`"),
        ('`numeric=["it\'s"]`', "`--numeric 'it'\"'\"'s'`"),
        ("`missing_values=['n/a', 'x', …]`", "`--missing-values n/a,x`"),
        (
            "`missing_values=[float('inf'), float('-inf')]`",
            "`--missing-values inf,-inf`",
        ),
        ("`separator='\\t'`", "`--separator tab`"),
        ("`encoding='latin-1'`", "`--encoding latin-1`"),
        ("`target_kind='nominal'`", "`--nominal 'my target'`"),
        ("`decimal=` is for CSV files", "`--decimal` is for CSV files"),
        ("check `missing_values`", "check `--missing-values`"),
        ("(asked for as numeric)", "(asked for as --numeric)"),
        ("`nominal=[what]`", "`nominal=[what]`"),
    ],
)
def test_parameters_become_options(said, shown):
    assert shell_words(said, "my target") == shown


@pytest.mark.parametrize(
    "names", [["a"], ["a b", "c"], ["a,b", "c"], ['say "x"', ","], ["it's", "$HOME"]]
)
def test_suggested_lists_are_read_back(names):
    assert split_list(shlex.split(join_list(names))) == names


def test_no_message_of_the_reader_speaks_python():
    # Each of these raises or notes something; none may name a parameter afterwards.
    tables = [
        {"a": ["1", "2", "n/a"] * 20, "y": ["u", "v", "u"] * 20},
        {"a": [2**60, 3, 4], "y": [1, 2, 3]},
        {"a": [float("inf"), 1.0, 2.0], "y": [1, 2, 3]},
    ]
    messages = []
    for table in tables:
        try:
            messages += [note.message for note in read_table(table, "y").notes]
        except DataError as error:
            messages.append(str(error))
    assert messages
    assert not any("=[" in shell_words(message) for message in messages)


def test_wrong_parameter_is_named_as_an_option():
    with pytest.raises(ValueError, match="n_features_to_select") as caught:
        MeasureFilter(n_features_to_select=0).fit([[1], [2]], ["a", "b"])
    line, code = explain(caught.value)
    assert line == "--n-features-to-select must be an int >= 1. Got 0 instead."
    assert code == 1


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (PermissionError(13, "Permission denied", "x.csv"), "Cannot open or write 'x."),
        (OSError(28, "No space left on device"), "Cannot open or write: No space left"),
        (DataError("Column 'a' is odd."), "Column 'a' is odd."),
        (ValueError("shapes differ."), "This should not have happened: ValueError: sh"),
        (KeyError(), "This should not have happened: KeyError: no message. Run again"),
    ],
)
def test_every_error_has_a_line(error, line):
    told, code = explain(error)
    assert told.startswith(line)
    assert ".." not in told
    assert code == 1


def test_long_names_are_cut_in_the_line():
    line, _ = explain(DataError(f"There is no column {'n' * 10_000!r}. Check it."))
    assert line.startswith("There is no column 'nnn")
    assert line.endswith("nnn'. Check it.")
    assert len(line) < 200
