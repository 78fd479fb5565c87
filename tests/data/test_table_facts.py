"""Copies among the columns of a table, and the order of what is said."""

from __future__ import annotations

import numpy as np

from featsieve.data import Column, ColumnKind, Table, _table_facts, read_table

RNG = np.random.default_rng(0)


def copies(data):
    notes = read_table(data).notes
    return {note.column: note.other for note in notes if note.code == "identical"}


def test_columns_that_differ_in_one_row_are_no_copies():
    values = RNG.normal(size=5000)
    data = {"a": values, "b": values.copy(), "c": values.copy()}
    data["b"][4321] += 1  # behind the first rows, and between those that are sampled
    assert copies(data) == {"c": "a"}


def test_copies_name_the_earlier_one():
    values = RNG.normal(size=5000)
    values[7] = np.nan
    almost = values.copy()
    almost[2501] += 1
    text = RNG.choice(["p", "q"], 5000)
    other = np.where(text == "p", "r", "s")
    data = {"a": values, "b": almost, "c": values, "s": text, "t": text, "u": other}
    assert copies(data) == {"c": "a", "t": "s"}
    assert [note.message for note in read_table(data).notes] == [
        "Column 'c' is identical to column 'a'.",
        "Column 't' is identical to column 's'.",
    ]


def test_zero_has_no_sign_and_what_is_gone_has_no_copies():
    zeros = np.where(RNG.random(40) < 0.5, 0.0, 1.0)
    data = {"a": zeros, "b": np.where(zeros == 0, -0.0, zeros), "c": [1] * 40}
    assert copies(data | {"d": [1] * 40}) == {"b": "a"}


def test_a_target_with_gaps_is_not_asked_for_leaks():
    codes = np.array([0, 1] * 20, dtype=np.int32)
    leak = Column("a", ColumnKind.NOMINAL, codes, ("x", "y"))
    target = Column("y", ColumnKind.NOMINAL, codes, ("n", "p"))
    assert [note.code for note in Table((leak,), target).notes] == ["leak"]
    open_end = Column("y", ColumnKind.NOMINAL, np.append(codes[:-1], -1), ("n", "p"))
    assert Table((leak,), open_end.take(np.arange(40))).notes == ()


def test_an_empty_table_has_no_facts():
    assert read_table({"a": [], "y": []}, "y").notes == ()


def test_leaks_of_many_rows_are_those_of_all(monkeypatch):
    n = 4000
    y = np.where(np.arange(n) % 200 == 7, "rare", "often")  # 20 rows of a class
    x = RNG.normal(size=n)
    data = {
        "fee": np.where(y == "rare", 9 + x, x),
        "level": np.where(y == "rare", "l", RNG.choice(["p", "q"], n)),
        "nearly": np.where((y == "rare") & (np.arange(n) > 400), 9 + x, x),
        "noise": x,
        "y": y,
    }
    expected = ["fee", "level"]
    quantity = {"a": x, "b": x**3, "c": x + RNG.normal(size=n) / 3, "y": 1 - x}
    for most in (20_000, 500):
        monkeypatch.setattr(_table_facts, "MOST_ROWS", most)
        assert [note.column for note in read_table(data, "y").notes] == expected
        assert [note.column for note in read_table(quantity, "y").notes] == ["a", "b"]
