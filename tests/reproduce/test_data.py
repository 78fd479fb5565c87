"""Folders of data: layouts, kinds, and numbers."""

import json

import numpy as np
import pytest

from featsieve.exceptions import DataError
from featsieve.reproduce._data import DataFolder, class_codes, numbers, typed_table


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
