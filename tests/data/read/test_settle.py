"""The kind of each column: by its values or as asked, and what looked odd."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve.data import ColumnKind, open_stream, read_table
from featsieve.data.read._settle import stray_separator, unique_names
from featsieve.exceptions import DataError

ROWS = [
    {"age": 31, "colour": "red", "buys": "yes"},
    {"age": 42, "colour": "blue", "buys": "no"},
]


def codes(table):
    return [note.code for note in table.notes]


@given(st.lists(st.sampled_from(["a", "a_2", "a_3", "", " ", None, "column_1", 7])))
def test_names_are_unique_and_never_empty(given_names):
    notes = []
    names = unique_names(given_names, notes)
    assert len(set(names)) == len(names) == len(given_names)
    assert all(name.strip() for name in names)
    changed = [
        new for old, new in zip(given_names, names, strict=True) if str(old) != new
    ]
    assert [note.column for note in notes] == changed
    firsts = {str(old): k for k, old in reversed(list(enumerate(given_names)))}
    for old, k in firsts.items():
        if old.strip() and old != "None":
            assert names[k] == old  # the first of a name keeps it


def test_later_names_are_numbered_from_two():
    notes = []
    assert unique_names(["a", "a", "a_2", "", "a"], notes) == [
        "a",
        "a_3",
        "a_2",
        "column_4",
        "a_4",
    ]
    assert [note.code for note in notes] == [
        "duplicate_name",
        "empty_name",
        "duplicate_name",
    ]


@pytest.mark.parametrize(
    ("names", "used", "mark"),
    [
        (["a;b"], ",", ";"),
        (["a\tb"], ",", "\t"),
        (["a,b"], ";", ","),
        (["a,b"], ",", None),
        (["a;b", "c"], ",", None),
        (["a b"], ",", None),
    ],
)
def test_one_column_may_be_several(names, used, mark):
    assert stray_separator(names, used) == mark


@pytest.mark.parametrize(
    ("n_words", "n_different", "noted"),
    [(10, 2, True), (11, 2, False), (50, 1, True)],
)
def test_numbers_with_some_text_are_noted(n_words, n_different, noted):
    # From nine tenths of numbers on, or with one word among several numbers.
    values = [f"word {k % n_different}" for k in range(n_words)]
    values += [str(k % 30) for k in range(100 - n_words)]
    assert ("text_in_numbers" in codes(read_table({"x": values}))) == noted


def test_one_word_beside_five_numbers_is_no_level():
    for n_numbers, noted in ((5, True), (4, False)):
        values = [str(k) for k in range(n_numbers)] * 2 + ["none"] * 20
        found = codes(read_table({"x": values}))
        assert ("text_in_numbers" in found) == noted


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (["1,234", "12,345.5"], "marks between thousands"),
        (["1,5", "-2,25"], "a decimal comma"),
        (["$ 5", "$3.5"], "a unit"),
        (["5 kg", "7 kg"], "a unit"),
    ],
)
def test_numbers_in_disguise_are_noted(values, what):
    (note,) = read_table({"x": values * 20, "z": [1.5, 2.5] * 20}).notes
    assert note.code == "numbers_as_text"
    assert f"numbers with {what}" in note.message


def test_whole_numbers_from_two_to_the_53_on_lose_digits():
    for value, noted in ((2**53, True), (2**53 - 1, False)):
        table = read_table({"x": [value, 1, 5]})
        assert ("large_integers" in codes(table)) == noted


@pytest.mark.parametrize(("n", "kind"), [(20, "nominal"), (21, "numeric")])
def test_few_whole_floats_are_classes(n, kind):
    target = read_table(np.ones((n, 1)), np.arange(float(n))).target
    assert target.kind.value == kind


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
    for target in (values, np.array(values)):
        table = read_table(np.ones((len(values), 1)), target)
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
    assert codes(table) == ["text_in_numbers"]
    assert "missing_values=['n/a']" in table.notes[0].message
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
    for gone in (np.array(2), [None, np.nan, 2], [np.int8(2)], [10**400, 2]):
        assert read_table({"a": [1, 2]}, missing_values=gone)["a"].n_missing == 1


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


def test_capitals_and_blanks_are_forgiven_in_what_is_suggested():
    table = {"A": [1, 2], "b ": [0, 1], "longer": [1, 1]}
    with pytest.raises(DataError, match=r"no column 'a'.*Did you mean 'A'\?"):
        read_table(table, target="a")
    with pytest.raises(DataError, match=r"no column 'B'.*Did you mean 'b '\?"):
        read_table(table, nominal=["B"])
