"""What is noted about columns, and what is not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from featsieve.data import read_table

RNG = np.random.default_rng(0)


def notes(data, **options):
    table = read_table(data, **options)
    return {(note.code, note.column) for note in table.notes}


def test_a_sound_table_has_no_notes():
    data = {"a": RNG.normal(size=50), "b": RNG.choice(["x", "y"], 50), "y": [0, 1] * 25}
    assert notes(data, target="y") == set()


def test_constant_and_all_missing():
    data = {
        "one": ["k"] * 3000,
        "one_number": [2.0, np.nan, 2.0] * 1000,
        "late": [1.0] * 2999 + [2.0],
        "late_text": ["x"] * 2999 + ["y"],
        "none": [None] * 3000,
        "none_late": [None] * 2998 + ["x", "y"],
    }
    assert notes(data) == {
        ("constant", "one"),
        ("constant", "one_number"),
        ("all_missing", "none"),
    }


def test_messages_name_the_value():
    table = read_table({"a": ["k", None], "b": [2.5, 2.5]})
    assert [note.message for note in table.notes] == [
        "Column 'a' has one value ('k') and is missing elsewhere.",
        "Column 'b' has one value (2.5).",
    ]


def test_columns_that_differ_in_one_row_are_not_identical():
    values = RNG.normal(size=5000)
    data = {"a": values, "b": values.copy(), "c": values.copy()}
    data["b"][4321] += 1  # behind the first rows, and between those that are sampled
    assert notes(data) == {("identical", "c")}


def test_identical_columns_name_the_earlier_one():
    values = RNG.normal(size=5000)
    values[7] = np.nan
    almost = values.copy()
    almost[2501] += 1
    text = RNG.choice(["p", "q"], 5000)
    other = np.where(text == "p", "r", "s")
    data = {"a": values, "b": almost, "c": values, "s": text, "t": text, "u": other}
    table = read_table(data)
    assert [note.message for note in table.notes] == [
        "Column 'c' is identical to column 'a'.",
        "Column 't' is identical to column 's'.",
    ]


@pytest.mark.parametrize(
    ("name", "values", "is_id"),
    [
        ("n", np.arange(20), True),
        ("n", np.arange(20)[::-1] * 3 + 7, True),
        ("n", np.arange(9), False),
        ("n", np.arange(20) / 3, False),
        ("n", RNG.permutation(2000), False),
        ("customer_id", RNG.permutation(2000), True),
        ("customerID", RNG.permutation(2000), True),
        ("humidity", RNG.permutation(2000), False),
        ("customer_id", RNG.integers(0, 50, 2000), False),
        ("n", np.append(np.arange(1999), 5), False),
        ("k", [f"r{i}" for i in range(10)], True),
        ("k", [f"r{i}" for i in range(9)], False),
        ("k", [*(f"r{i}" for i in range(10)), "r1"], False),
    ],
)
def test_row_numbers(name, values, is_id):
    assert (("row_id", name) in notes({name: values})) == is_id


def test_declared_but_unused_levels_are_no_row_id():
    values = pd.Categorical(["a"] * 6 + ["b"] * 6, [chr(97 + i) for i in range(20)])
    assert notes(pd.DataFrame({"k": values})) == set()


def test_rare_and_single_classes():
    rare = {"x": RNG.normal(size=5), "y": ["a", "a", "b", "b", "c"]}
    table = read_table(rare, target="y")
    assert [n.message for n in table.notes] == ["Class 'c' of target 'y' has one row."]
    many = {"x": RNG.normal(size=9), "y": list("abcdefghh")}
    table = read_table(many, target="y")
    assert [n.message for n in table.notes] == [
        "7 of 8 classes of target 'y' have one row."
    ]
    single = {"x": RNG.normal(size=5), "y": [1.5] * 5}
    assert notes(single, target="y") == {("constant_target", "y")}


def test_numbers_as_text_are_noted():
    assert notes({"a": ["1", "2", "2"]}) == {("numbers_as_text", "a")}
    assert notes({"a": ["1", "2", "x"]}) == set()


def test_one_frequent_word_among_numbers_is_noted():
    often = ["10", "20", "30", "40", "50", "unknown", "unknown", "unknown"]
    assert notes({"a": often}) == {("text_in_numbers", "a")}
    assert notes({"a": [*often, "none"]}) == set()
    assert notes({"a": ["1", "2", "3", "4", "x", "x"]}) == set()


def test_huge_numbers_are_no_ids_and_raise_no_warning():
    huge = [1e308, -1e308] * 10
    late = [float(i) for i in range(2000)] + [1e308, -1e308]
    assert notes({"key": huge}) == set()
    assert notes({"key": late}) == set()


def test_integers_that_float64_merges_are_noted():
    merged = [2**53, 2**53 + 1] * 6
    assert ("large_integers", "x") in notes({"x": merged})
    assert ("large_integers", "x") in notes({"x": [2**70, 2**70 + 1] * 6})
    assert ("large_integers", "x") not in notes({"x": [2**53 - 1, 0] * 6})


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["0,345", "1,250", "-12,5"], "decimal comma, such as '0,345'"),
        (["1.234,5", "12,25"], "decimal comma"),
        (["1,000", "12,500", "1,000,000.5"], "between thousands"),
        (["1 000", "2 500"], "between thousands"),
        (["$3", "$4.50"], "unit"),
        (["5%", "12,5 %"], "unit"),
        (["12 kg", "9.5 kg"], "unit"),
    ],
)
def test_numbers_in_disguise_are_noted(values, said):
    table = read_table({"a": values * 9})
    assert [note.code for note in table.notes] == ["numbers_as_text"]
    assert said in table.notes[0].message


@pytest.mark.parametrize(
    "values",
    [
        ["1.2.3", "1.2.4"],
        ["10.0.0.1", "10.0.0.2"],
        ["3b", "4a"],
        ["12 Main Street", "9 Elm"],
        ["1,5", "none"],
        ["A 1", "B 2"],
        ["1-5", "6-9"],
        ["0,1,2", "1,2,3"],
    ],
)
def test_codes_are_no_numbers_in_disguise(values):
    assert notes({"a": values * 9}) == set()
