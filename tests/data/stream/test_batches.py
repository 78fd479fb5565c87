"""Batches encode a column when it is asked for; parts have the same columns."""

import pytest

from featsieve.data.stream._batches import Batch, check_columns
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
