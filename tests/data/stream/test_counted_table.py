"""What was counted is settled as `read_table` settles rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from featsieve.data import ColumnKind, open_stream, read_table
from featsieve.data.read._encode import Codes, Numbers
from featsieve.data.read._settle import Request
from featsieve.data.stream import _counted_table, _counting
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


RNG = np.random.default_rng(3)
N = 300


def stream_notes(frame, n_parts=3, **options):
    size = -(-len(frame) // n_parts)
    parts = [frame[k : k + size] for k in range(0, len(frame), size)]
    return open_stream(parts, "y", **options).count().notes


def codes(notes):
    return {(note.code, note.column, note.other) for note in notes}


def test_equal_counts_are_no_copies():
    half = [0, 1] * (N // 4)  # in both classes, so that counts by class are the same
    flags = {
        name: np.r_[RNG.permutation(half), RNG.permutation(half)] for name in "abc"
    }
    y = ["n"] * (N // 2) + ["p"] * (N // 2)
    frame = pd.DataFrame({**flags, "again": flags["b"], "y": y})
    found = {("identical", "again", "b")}
    assert codes(stream_notes(frame)) == found == codes(read_table(frame, "y").notes)


def test_numbers_are_no_copies_of_codes_of_levels():
    level = RNG.integers(0, 3, N)
    frame = pd.DataFrame({"a": level, "b": level, "y": RNG.choice(["n", "p"], N)})
    frame["word"] = np.array(["x", "y", "z"])[level]
    frame["other word"] = frame["word"]
    found = {("identical", "b", "a"), ("identical", "other word", "word")}
    assert codes(stream_notes(frame)) == found


def test_zeros_gaps_and_numbers_in_text(tmp_path):
    values = RNG.choice([-0.0, 1.5, np.nan], N)
    frame = pd.DataFrame(
        {"a": values, "b": values + 0.0, "y": RNG.choice(["n", "p"], N)}
    )
    assert codes(stream_notes(frame)) == {("identical", "b", "a")}
    frame["c"] = [f"{v:.2f}" if k % 2 else f"{v:.1f}" for k, v in enumerate(values)]
    frame["d"] = frame["c"]
    frame.loc[7, "d"] = "x"
    frame.loc[7, "c"] = "x"
    for k, part in enumerate([frame[:99], frame[99:]]):
        part.to_csv(tmp_path / f"{k}.csv", index=False)
    notes = open_stream(tmp_path, "y").count().notes
    assert ("identical", "d", "c") in codes(notes)
    assert ("identical", "b", "a") in codes(notes)


@pytest.mark.filterwarnings("ignore::featsieve.exceptions.DroppedRowsWarning")
def test_rows_without_a_class_do_not_count():
    frame = pd.DataFrame({"a": RNG.integers(0, 9, N), "y": RNG.choice(["n", "p"], N)})
    frame["b"], frame["row"] = frame["a"], np.arange(N)
    frame.loc[:9, "y"] = None
    frame.loc[:9, "b"] = 77
    found = codes(read_table(frame, "y").notes)
    assert found == codes(stream_notes(frame))
    assert {("identical", "b", "a"), ("row_id", "row", None)} < found


def test_classes_are_looked_at():
    frame = pd.DataFrame({"a": RNG.normal(size=40), "y": ["n"] * 39 + ["p"]})
    expected = {("rare_class", "y", None)}
    assert codes(stream_notes(frame)) == expected == codes(read_table(frame, "y").notes)
    numbers = frame.assign(y=np.arange(40) / 7)
    counted = open_stream([numbers[:9], numbers[9:]], "y").count(target_bins=40)
    assert counted.notes == ()  # bins of one row are no rare classes


def test_capped_counts_say_how_far_they_tell(monkeypatch):
    for module in (_counting, _counted_table):
        monkeypatch.setattr(module, "MOST_VALUES", 64)
    frame = pd.DataFrame(
        {
            "row": RNG.permutation(N),
            "tens": RNG.permutation(N) * 10,
            "customer_id": RNG.choice(10**6, N, replace=False),
            "visit_id": RNG.integers(1, 150, N),
            "price": RNG.choice(10**6, N, replace=False),
            "weight": RNG.normal(size=N) - 999 * (np.arange(N) % 20 == 0),
            "y": RNG.choice(["n", "p"], N),
        }
    )
    notes = stream_notes(frame)
    ids = {("row_id", name, None) for name in ("row", "tens", "customer_id")}
    assert codes(notes) == ids
    assert all("as far as counts tell" in note.message for note in notes)
    monkeypatch.undo()
    assert codes(stream_notes(frame)) == ids
