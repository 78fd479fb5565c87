"""Lazy columns, and columns that folders stand for."""

from dataclasses import dataclass

import numpy as np
import pytest

from featsieve.data.read._encode import Numbers
from featsieve.data.read._settle import Request
from featsieve.data.stream._viewed_parts import (
    Batch,
    ViewedPart,
    check_columns,
    with_keys,
    without_keys,
)
from featsieve.exceptions import DataError


def test_a_column_is_encoded_each_time_it_is_asked_for():
    asked = []
    batch = Batch(3, lambda at: asked.append(at) or f"column {at}")
    assert len(batch) == 3
    assert asked == []
    assert (batch[1], batch[-1], batch[1]) == ("column 1", "column 2", "column 1")
    assert asked == [1, 2, 1]
    assert list(batch) == ["column 0", "column 1", "column 2"]
    with pytest.raises(IndexError):
        batch[3]


def test_columns_may_be_in_any_order():
    check_columns(["a", "b"], ["b", "a"], "part 1")


@pytest.mark.parametrize(
    ("found", "fault"),
    [(["a"], "part 1 has no column 'b'"), (["a", "b", "c"], "has another column 'c'")],
)
def test_a_part_with_other_columns_is_named(found, fault):
    with pytest.raises(DataError, match=fault):
        check_columns(["a", "b"], found, "part 1")


@dataclass(frozen=True)
class Plain:
    """Two batches of two columns."""

    path: str = "folder/file"
    names: tuple = ("a", "b")
    label: str = "a part"
    rows: int = 5

    def batches(self, wanted):
        for n_rows in (2, 3):
            columns = {"a": np.zeros(n_rows), "b": np.ones(n_rows)}
            yield Batch(
                len(wanted),
                lambda at, own=columns: Numbers(own[wanted[at]], integer=True),
            )


def view(keys, request=None):
    (part,) = with_keys([Plain()], {"folder/file": keys}, request or Request())
    return part


def test_a_folder_is_a_constant_column():
    part = view({"year": 2024, "town": "Oslo"})
    assert part.names == ("a", "b", "year", "town")
    first, second = part.batches(["town", "b", "year"])
    assert [len(batch[k]) for batch in (first, second) for k in (0, 1, 2)] == [
        *(2, 2, 2, 3, 3, 3)
    ]
    town, b, year = second
    assert [town.levels[code] for code in town.codes] == ["Oslo"] * 3
    assert (b.values.tolist(), year.values.tolist()) == ([1.0] * 3, [2024.0] * 3)


def test_constants_alone_have_as_many_rows_as_the_part():
    lengths = [len(batch[0]) for batch in view({"year": 2024}).batches(["year"])]
    assert lengths == [2, 3]


def test_a_number_asked_for_as_a_name_is_a_level():
    (_, second) = view({"year": 2024}, Request(nominal=["year"])).batches(["year"])
    assert [str(second[0].levels[code]) for code in second[0].codes] == ["2024"] * 3


def test_a_column_of_the_file_is_taken_from_there():
    assert view({"a": 7}) == Plain()


def test_what_a_part_knows_shows_through():
    part = ViewedPart(Plain(), ("b",))
    assert (part.path, part.rows, part.label) == ("folder/file", 5, "a part")
    with pytest.raises(AttributeError):
        _ = part.groups


def test_folders_are_left_out_of_what_is_asked_of_files():
    request = Request("year", nominal=["town", "a"], numeric="all")
    own = without_keys(request, {"year", "town"})
    assert (own.target, own.nominal, own.numeric) == (None, ["a"], "all")
