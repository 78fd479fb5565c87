"""What is noted about columns, and what is not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featsieve.data import Column, ColumnKind, Table, _facts, read_table
from featsieve.data._facts import gives_away

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
        ("one_value", "one_number"),
        ("all_missing", "none"),
        ("mostly_missing", "none_late"),
    }


def test_messages_name_the_value():
    table = read_table({"a": ["k", None], "b": [2.5, 2.5]})
    assert [note.message for note in table.notes] == [
        "Column 'a' is 'k' or missing in every row.",
        "Column 'b' is 2.5 in every row.",
    ]


@pytest.mark.parametrize(
    ("name", "values", "is_id"),
    [
        ("n", np.arange(20), True),
        ("n", RNG.permutation(20) + 1, True),
        ("n", np.arange(20) + 2, False),  # may be settings of an experiment
        ("n", np.arange(20) * 5, False),
        ("n", np.arange(9), False),
        ("n", np.arange(20) / 3, False),
        ("n", np.arange(30)[::-1] * 3 + 7, True),
        ("n", RNG.permutation(2000) - 700, True),
        ("n", RNG.choice(2800, 2000, replace=False), True),  # a part of all rows
        ("n", RNG.choice(3300, 2000, replace=False), False),
        ("price", RNG.choice(10**6, 2000, replace=False), False),
        ("n", np.append(np.arange(1999), 5), False),
        ("n", [None, *range(40)], False),
        ("year", np.arange(1950, 2020), False),
        ("day_2", RNG.permutation(400), False),
        ("holiday", RNG.permutation(400), True),
        ("customer_id", RNG.choice(10**6, 2000, replace=False), True),
        ("customerID", RNG.choice(10**6, 2000, replace=False), True),
        ("customer_id", RNG.integers(0, 50, 2000), False),
        ("humidity", RNG.choice(10**6, 2000, replace=False), False),
        ("price index", RNG.choice(10**6, 2000, replace=False), False),
        ("customer_id", RNG.normal(size=2000), False),
        ("k", [f"r{i}" for i in range(10)], True),
        ("k", [f"r{i}" for i in range(9)], False),
        ("k", [*(f"r{i}" for i in range(10)), "r1"], False),
        ("k", [str(i) for i in range(40)], True),
        ("k", [str(i * i) for i in range(40)], False),  # quantities as text
        ("key", [str(i * i) for i in range(40)], True),
        ("k", [f"{i},5" for i in range(40)], False),
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
        (["0,345", "1,250", "-12,5"], "decimal comma, such as '-12,5'"),
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


def test_a_table_of_ranks_has_no_ids():
    ranks = {name: RNG.permutation(60) + 1 for name in "abc"}
    assert notes(ranks) == set()
    noise = {f"x{k}": RNG.normal(size=60) for k in range(4)}
    assert notes(ranks | noise) == {("row_id", name) for name in "abc"}
    assert notes({"id": ranks["a"], "x": noise["x0"]}) == {("row_id", "id")}


def test_mostly_missing_is_more_than_half():
    half = [1.0, 2.0, None, None]
    assert notes({"a": half * 5}) == set()
    assert notes({"a": [*half * 5, None]}) == {("mostly_missing", "a")}
    words = [None, None, "x", None, "y"] * 4
    table = read_table({"a": words})
    assert table.notes[0].message == "Column 'a' has no value in 60 % of the rows."


@pytest.mark.parametrize(
    ("n_levels", "n_rows", "many"),
    [
        (20, 40, False),
        (21, 105, False),
        (21, 104, True),
        (1000, 9000, False),
        (1001, 9009, True),
    ],
)
def test_many_levels_are_too_many_for_the_rows(n_levels, n_rows, many):
    levels = [f"v{k % n_levels}" for k in range(n_rows)]
    assert notes({"a": levels}) == ({("many_levels", "a")} if many else set())


def some(values, *others):
    """Return values of a column of 60 rows, the last ones of which are others."""
    return [*np.resize(values, 60 - len(others)).tolist(), *others]


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (some(RNG.normal(size=50), -999, -999, -999), "[-999]"),
        (some(range(1, 60), *[9999] * 5), "[9999]"),
        (some(range(1, 28), *[999] * 30), "[999]"),
        (some([0, 1], 99, 99, 99), "[99]"),
        (some(range(0, 10**6, 999), -9999, -9999, -9999), "[-9999]"),
        (some(range(7), *[-99, 999] * 3), "[-99, 999]"),
        (some(RNG.normal(size=50), *[-(2**31)] * 3), "[-2147483648]"),
        (some(["a", "b"], "?"), "['?']"),
        (some(["a", "b"], "N/A", "-"), "['-', 'N/A']"),
    ],
)
def test_sentinels_are_noted_with_the_way_out(values, shown):
    (note,) = read_table({"a": values}).notes
    assert note.code == "sentinel"
    assert f"`missing_values={shown}`" in note.message
    given = read_table({"a": values}, missing_values=eval(shown))
    assert "sentinel" not in {note.code for note in given.notes}


@pytest.mark.parametrize(
    "values",
    [
        some(RNG.normal(size=50), -999, -999),  # twice is an outlier
        some(range(95), 99, 99, 99),  # ages reach so far
        some(range(0, 570, 10), 999, 999, 999),  # nearer than the others reach
        some(RNG.normal(size=50), 1000, 1000, 1000),
        some([0], 99, 99, 99),  # two values mean what they mean
        some(range(-5, 9), -9, -9, -9),
        some(np.arange(-100, 100, 7.0), -99, -99, -99),
        some(["a", "b"], "none", "unknown", "other"),
        some(["yes"], "-"),  # a tick or none
        some([f"a{k}" for k in range(5)], "a?"),
    ],
)
def test_numbers_and_texts_that_are_no_sentinels(values):
    assert notes({"a": values}) == set()


def test_leaks_give_away_a_class():
    y = np.repeat(["a", "b", "c"], 40)
    known = np.where(y == "b", RNG.normal(size=120) + 9, RNG.normal(size=120))
    data = {
        "all": np.char.add("is ", y),
        "one": known,
        "gap": np.where(y == "c", np.nan, RNG.normal(size=120)),
        "near": np.where(np.arange(120) % 10 == 0, 0.1, known),
        "noise": RNG.normal(size=120),
        "levels": [f"v{k // 3}" for k in range(120)],
        "y": y,
    }
    leaks = {("leak", name) for name in ("all", "one", "gap")}
    assert notes(data, target="y") == {*leaks, ("many_levels", "levels")}
    assert notes(data) == {("many_levels", "levels")}


def test_small_tables_and_small_classes_leak_by_chance():
    def counts(*rows):
        return np.array(rows, dtype=np.int64)

    assert gives_away(counts([15, 0], [0, 15], [0, 0]))
    assert not gives_away(counts([15, 0], [0, 14], [0, 0]))
    assert gives_away(counts([50, 0], [0, 10], [0, 0]))
    assert not gives_away(counts([50, 0], [0, 9], [0, 0]))
    assert gives_away(counts([990, 1], [0, 500], [0, 0]))
    assert not gives_away(counts([990, 10], [10, 500], [0, 0]))
    own = np.repeat(np.eye(2, dtype=np.int64) * 4, 8, axis=0)
    assert not gives_away(own)  # four rows per level
    assert gives_away(own // 4 * 5)


def test_leaks_of_a_quantity_rank_rows_like_it():
    y = RNG.normal(size=200)
    rest = RNG.normal(size=200)
    data = {"cents": np.exp(y), "near": y + rest / 50, "far": y + rest / 5, "y": -y}
    assert notes(data, target="y") == {("leak", "cents"), ("leak", "near")}
    few = np.where(np.arange(200) < 29, y, np.nan)
    assert notes({"a": few, "y": y}, target="y") == {("mostly_missing", "a")}


COLUMNS = {
    "constant": [5] * 80,
    "steps": np.arange(80) * 4,
    "gone": [None] * 80,
    "gaps": [1.0, None, None, 2.0] * 20,
    "text": [f"t{k}" for k in range(80)],
    "words": [f"w{k % 30}" for k in range(80)],
    "price": RNG.choice(10**6, 80, replace=False),
    "odd": some(range(9), *[-999] * 20) + [1] * 20,
    "copy": np.arange(80) % 7,
    "copied": np.arange(80) % 7,
    "y": ["n", "p"] * 40,
}


@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 1000))
def test_the_order_of_rows_and_columns_and_units_do_not_matter(random, factor):
    rows = random.sample(range(80), 80)
    names = random.sample(list(COLUMNS), len(COLUMNS))
    frame = pd.DataFrame({name: COLUMNS[name] for name in names}).iloc[rows]
    for name in ("constant", "steps", "gaps", "price", "copy", "copied"):
        frame[name] *= factor
    found = notes(frame, target="y")
    assert len(found & {("identical", "copy"), ("identical", "copied")}) == 1
    expected = {
        ("constant", "constant"),
        ("row_id", "steps"),
        ("all_missing", "gone"),
        ("row_id", "text"),
        ("many_levels", "words"),
        ("sentinel", "odd"),
    }
    assert {fact for fact in found if fact[0] != "identical"} == expected


def test_facts_are_those_of_the_rows_in_hand():
    table = read_table(COLUMNS, "y")
    part = table.take(np.flatnonzero(np.arange(80) % 7 == 3)).select(["copy", "words"])
    assert [note.code for note in part.notes] == ["constant", "row_id"]
    again = Table(part.columns, None, table.notes)  # facts in there are not taken over
    assert [note.code for note in again.notes] == ["constant", "row_id"]


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
        monkeypatch.setattr(_facts, "MOST_ROWS", most)
        assert [note.column for note in read_table(data, "y").notes] == expected
        assert [note.column for note in read_table(quantity, "y").notes] == ["a", "b"]
