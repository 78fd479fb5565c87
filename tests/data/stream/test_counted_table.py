"""What was counted is settled as `read_table` settles rows."""

import numpy as np
import pandas as pd
import pytest

from featsieve.data import ColumnKind, open_stream
from featsieve.data.read._encode import Codes, Numbers
from featsieve.data.read._settle import Request
from featsieve.data.stream._counted_table import class_rule, settle_tally
from featsieve.data.stream._counting import ColumnTally
from featsieve.exceptions import DataError

NOMINAL, NUMERIC = ColumnKind.NOMINAL, ColumnKind.NUMERIC
CLASSES = np.array([0, 1, 0, 1, 1, 0], dtype=np.int32)


def tally_of(raw, classes=CLASSES, n_classes=2):
    tally = ColumnTally(n_classes)
    tally.add(raw, classes, "x", "part 0")
    return tally


def settled(raw, wanted=None, *, infer=True, **request):
    return settle_tally("x", tally_of(raw), wanted, Request(**request), infer=infer)


def test_names_are_levels_with_a_row_for_missing():
    raw = Codes(np.array([1, 0, 1, -1, 0, 1], dtype=np.int32), ["b", "a"], False)
    column, notes = settled(raw)
    assert (column.kind, tuple(column.levels), notes) == (NOMINAL, ("a", "b"), [])
    assert column.table.tolist() == [[3, 0], [0, 2], [0, 1]]


@pytest.mark.parametrize(("infer", "kind"), [(True, NUMERIC), (False, NOMINAL)])
def test_numbers_in_text_are_numbers_where_text_is_all_there_is(infer, kind):
    raw = Codes(np.array([0, 1, -1, 0, 1, -1], dtype=np.int32), ["1.5", "2"], False)
    column, _ = settled(raw, infer=infer)
    assert column.kind is kind
    assert column.counts.tolist() == [[1, 1], [0, 2]]
    assert column.table[-1].tolist() == [2, 0]


def test_numbers_asked_for_as_names_are_levels():
    raw = Numbers(np.array([1.0, 2.0, 1.0, np.nan, 2.0, 1.0]), True)
    column, _ = settled(raw)
    assert column.kind is NUMERIC
    assert column.counts.tolist() == [[3, 0], [0, 2]]
    column, _ = settled(raw, NOMINAL)
    assert (column.kind, len(column.levels)) == (NOMINAL, 2)
    assert column.table.tolist() == [[3, 0], [0, 2], [0, 1]]


def test_classes_of_a_target():
    target = tally_of(Numbers(np.arange(6.0) / 7), np.zeros(6, np.int32), 1)
    column, _ = settle_tally("y", target, None, Request("y"), infer=False)
    with pytest.raises(DataError, match="'y' is a continuous quantity with 6"):
        class_rule(column, target, None, Request("y"), None)
    rule, labels = class_rule(column, target, None, Request("y"), 3)
    assert rule.quantity
    assert (rule.n_classes, len(labels)) == (3, 3)
    classes = rule.classes(Numbers(np.arange(6.0) / 7), 6)
    assert classes.tolist() == [0, 0, 1, 1, 2, 2]
    names = Codes(np.array([0, 1, 1], dtype=np.int32), ["q", "p"], False)
    target = tally_of(names, np.zeros(3, np.int32), 1)
    column, _ = settle_tally("y", target, None, Request("y"), infer=False)
    rule, labels = class_rule(column, target, None, Request("y"), None)
    assert dict(sorted(rule.levels.items())) == {
        label: code for code, label in enumerate(labels)
    }


def test_names_of_the_features():
    frame = pd.DataFrame({"b": [1.0, 2.0], "a": ["u", "v"], "y": ["p", "q"]})
    counted = open_stream([frame], "y").count()
    assert counted.names == ("b", "a")
    assert counted.n_rows == 2
    assert counted.class_totals.tolist() == [1, 1]
    assert [column.is_nominal for column in counted.columns] == [False, True]
