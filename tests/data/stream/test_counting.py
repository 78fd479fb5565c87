"""Columns of parts are counted by class, the same however rows are cut into parts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve.data.read._encode import Codes, Numbers
from featsieve.data.read._settle import Request
from featsieve.data.stream import _counting
from featsieve.data.stream._counting import (
    ClassRule,
    ColumnTally,
    CountingPlan,
    PartCounts,
    RowGatherer,
    class_totals,
)
from featsieve.exceptions import DataError

CLASSES = np.array([0, 1, 1, -1, 0], dtype=np.int32)


def names(codes, levels, declared=False):
    return Codes(np.array(codes, dtype=np.int32), list(levels), declared)


def counted(tally):
    """Rows of each class, by level."""
    return {level: tally.counts[at].tolist() for level, at in tally.levels.items()}


def test_classes_of_names_numbers_and_quantities():
    by_name = ClassRule({"no": 0, "yes": 1}, n_classes=2)
    assert by_name.classes(names([1, 0, -1, 2], ["no", "yes", "?"]), 4).tolist() == [
        *(1, 0, -1, -1)
    ]
    values, codes = np.array([1.0, 3.0]), np.array([1, 0], dtype=np.int32)
    by_value = ClassRule({}, values, codes, n_classes=2)
    asked = Numbers(np.array([3.0, np.nan, 1.0]))
    assert by_value.classes(asked, 3).tolist() == [0, -1, 1]
    by_cut = ClassRule({}, cuts=np.array([2.0]), n_classes=2)
    assert by_cut.classes(asked, 3).tolist() == [1, -1, 0]
    assert ClassRule().classes(None, 3).tolist() == [0, 0, 0]
    assert by_name.classes(asked, 3).tolist() == [-1, -1, -1]  # a part without a class


def test_rows_of_each_level_and_class():
    tally = ColumnTally(2)
    tally.add(names([0, 0, 1, 1, -1], "ab"), CLASSES, "x", "part 0")
    tally.add(names([0, 1, 1, 0, 0], "cb"), CLASSES, "x", "part 1")
    assert counted(tally) == {"a": [1, 1], "b": [0, 3], "c": [2, 0]}
    assert tally.missing.tolist() == [1, 0]
    assert class_totals(CLASSES, 2).tolist() == [2, 2]


@given(st.lists(st.integers(-1, 3), min_size=1, max_size=30), st.integers(0, 30))
def test_parts_add_up(codes, cut):
    classes = (np.arange(len(codes)) % 3 - 1).astype(np.int32)
    whole, first, second = (ColumnTally(2) for _ in range(3))
    whole.add(names(codes, "abcd"), classes, "x", "all")
    first.add(names(codes[:cut], "abcd"), classes[:cut], "x", "one")
    second.add(names(codes[cut:], "abcd"), classes[cut:], "x", "other")
    first.merge(second, "x", "one part")
    assert counted(first) == counted(whole)
    assert first.missing.tolist() == whole.missing.tolist()


def test_names_after_numbers_are_refused_and_after_gaps_are_not():
    tally = ColumnTally(2)
    tally.add(Numbers(np.full(5, np.nan)), CLASSES, "x", "part 0")
    tally.add(names([0, 0, 0, 0, 0], "a"), CLASSES, "x", "part 1")
    assert counted(tally) == {"a": [2, 2]}
    assert tally.missing.tolist() == [2, 2]
    tally.add(Numbers(np.full(5, np.nan)), CLASSES, "x", "part 2")
    with pytest.raises(DataError, match="'x' holds numbers in part 3 and names"):
        tally.add(Numbers(np.arange(5.0)), CLASSES, "x", "part 3")
    other = ColumnTally(2)
    other.add(Numbers(np.arange(5.0)), CLASSES, "x", "part 4")
    with pytest.raises(DataError, match="'x' holds"):
        tally.merge(other, "x", "one part")


def test_infinity_and_too_many_levels(monkeypatch):
    with pytest.raises(DataError, match="'x' holds infinity in part 0"):
        ColumnTally(1).add(Numbers(np.array([np.inf])), CLASSES[:1], "x", "part 0")
    monkeypatch.setattr(_counting, "MOST_LEVELS", 2)
    tally = ColumnTally(2)
    tally.add(names([0, 1, 2, 0, 0], "abc"), CLASSES, "x", "part 0")
    tally.add(names([0, 0, 0, 0, 0], "d"), CLASSES, "x", "part 1")
    assert tally.overflowed
    assert counted(tally) == {}


def test_part_counts_merge_rows_and_classes():
    counts = [PartCounts([ColumnTally(2)], np.zeros(2, dtype=np.int64)) for _ in "ab"]
    for each in counts:
        each.columns[0].add(names([0] * 5, "a"), CLASSES, "x", "part")
        each.add_rows(5, class_totals(CLASSES, 2))
    counts[0].merge(counts[1], CountingPlan(("x",), Request()))
    assert counts[0].class_totals.tolist() == [4, 4]
    assert (counts[0].n_rows, counts[0].n_without_class) == (10, 2)
    assert counted(counts[0].columns[0]) == {"a": [4, 4]}


def test_gathered_rows_keep_their_levels():
    rows = RowGatherer(["x", "z"])
    rows.add([names([0, 1], "ab"), Numbers(np.array([1.0, 2.0]))], np.array([1]))
    rows.add([names([0, -1], "cb"), Numbers(np.array([3.0, 4.0]))], np.array([0, 1]))
    rows.keep(np.array([0, 1]))
    x, z = rows.finish()
    assert [x.levels[code] for code in x.codes] == ["b", "c"]
    assert z.values.tolist() == [2.0, 3.0]
