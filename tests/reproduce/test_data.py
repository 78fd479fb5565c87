"""Where data sets come from, and what they must be."""

import json

import numpy as np
import pytest

from featsieve.exceptions import DataError
from featsieve.reproduce import published_tables
from featsieve.reproduce._data import (
    NAMES,
    NOT_THERE,
    SOURCES,
    DataFolder,
    class_codes,
    numbers,
    typed_table,
)


def test_every_data_set_of_a_table_has_a_source_or_a_reason():
    wanted = {name for table in published_tables().values() for name in table.datasets}
    assert wanted <= SOURCES.keys() | NOT_THERE.keys()


def test_kinds_count_the_columns():
    assert sum(SOURCES["abalone"].nominal) == 1
    assert len(SOURCES["covertype"].nominal) == len(NAMES["covertype"]) == 54
    assert SOURCES["labor"].nominal == tuple(kind == "c" for kind in "nnnncncnncnccccc")


def test_marks_and_numbers_are_of_one_data_set_each():
    marks = [source.mark for source in SOURCES.values()]
    assert len(set(marks)) == len(marks)
    assert all(len(mark) == 16 for mark in marks)
    numbers = [s.data_id for s in SOURCES.values() if s.data_id is not None]
    assert len(set(numbers)) == len(numbers)


@pytest.fixture
def folder(tmp_path):
    own = tmp_path / "votes"
    own.mkdir()
    (own / "train.csv").write_text("a,b,class\ny,1,d\nn,2,r\n,3,r\ny,,d\n")
    return tmp_path


def test_votes_are_numbers_and_rows_complete(folder):
    X, y = numbers(DataFolder(folder), "votes")
    assert X.tolist() == [[1, 1], [-1, 2], [0, 3]]
    assert y.tolist() == [0, 1, 1]


def test_kinds_come_from_the_description(folder):
    data = DataFolder(folder)
    with pytest.raises(DataError, match="kinds of columns"):
        typed_table(data, "votes")
    kinds = {"a": "nominal", "b": "nominal"}
    (folder / "votes" / "meta.json").write_text(json.dumps({"kinds": kinds}))
    table = typed_table(data, "votes")
    assert all(column.is_nominal for column in table)
    assert typed_table(data, "votes") is table, "read once"


def test_only_the_latest_tables_are_kept():
    data = DataFolder(None)
    made = []
    for name in ("a", "b", "c", "d", "a", "e", "a", "b"):
        data.once((name,), lambda name=name: made.append(name))
    assert made == ["a", "b", "c", "d", "e", "b"]


def test_classes_are_needed(folder):
    data = DataFolder(folder)
    X, _ = numbers(data, "votes")
    from featsieve.data import read_table

    with pytest.raises(DataError, match="must have classes"):
        class_codes(read_table(np.asarray(X)))
