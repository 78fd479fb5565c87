"""What answers have in common: targets, notes, files."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest

from cli.showing import shown
from featsieve.cli._errors import QuestionError, UsageProblem
from featsieve.cli._options import Source
from featsieve.cli.views.answers import (
    TARGET_BINS,
    check_answerable,
    choose_target_bins,
    count_stream,
    note_cut_target,
    open_parts,
    print_notes,
    shown_notes,
    write_rows,
)
from featsieve.data import read_table

ROWS = [{"feature": "a", "score": 0.5}, {"feature": "b,c", "score": None}]


@pytest.mark.parametrize(
    ("text", "target", "fault"),
    [
        ("a,y\n", "y", "no rows to learn from"),
        ("y\np\nq\n", "y", "no column beside the target 'y'"),
        ("a,y\n1,p\n2,p\n", "y", "Target 'y' is 'p' in every row"),
        ("a,y\n1,7.5\n2,7.5\n", "y", "is '7.5' in every row"),
    ],
)
def test_tables_without_an_answer(write, text, target, fault):
    source = Source([write(text)])
    with pytest.raises(QuestionError, match=fault):
        check_answerable(source.read(target), source)


def test_a_target_is_asked_for(churn):
    source = Source([churn])
    with pytest.raises(UsageProblem, match="'churn'"):
        check_answerable(source.read(None), source)
    assert check_answerable(source.read("churn"), source).name == "churn"


def test_streams_are_counted_and_quantities_cut(write):
    files = [
        write("a,b,y\n" + "".join(f"{k % 2},u,{k / 7}\n" for k in range(30)), name)
        for name in ("a.csv", "b.csv")
    ]
    _, counted, cut = count_stream(Source(files), "y", None, 1, quiet=True)
    assert (cut, counted.n_rows, len(counted.classes)) == (TARGET_BINS, 60, 5)
    _, cut = open_parts(Source(files), "y", 3, 1, quiet=True)
    assert cut == 3
    _, cut = open_parts(Source(files), "a", None, 1, quiet=True)
    assert cut is None
    with pytest.raises(QuestionError, match="Target 'b' is 'u' in every row"):
        open_parts(Source(files), "b", None, 1, quiet=True)


def test_what_was_done_with_the_target_is_noted_first(churn):
    table = read_table(churn, "churn")
    notes = shown_notes(table.notes, "churn")
    n_notes = len(notes)
    assert choose_target_bins(table.target, None, notes) is None
    assert len(notes) == n_notes
    assert choose_target_bins(table.target, 3, notes) is None
    assert notes[0]["code"] == "target_bins"
    quantity = read_table(churn, "age", target_kind="numeric").target
    assert choose_target_bins(quantity, None, notes) == TARGET_BINS
    note_cut_target("age", ["(-inf, 2]", "(2, inf]"], notes)
    assert "cut into 2 classes" in notes[0]["message"]
    text = shown(print_notes, {"notes": notes, "data": "my data.csv"})
    assert f"{len(notes)} notes on the data, of which 3" in text
    assert "`featsieve inspect 'my data.csv'` shows all" in text
    assert shown(print_notes, {"notes": [], "data": ""}) == ""


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".json", ".parquet"])
def test_rows_are_written_as_the_name_tells(tmp_path, suffix):
    path = tmp_path / f"out{suffix}"
    write_rows(path, ROWS, {"ranking": ROWS})
    if suffix == ".parquet":
        assert pq.read_table(path).to_pylist() == ROWS
    elif suffix == ".json":
        assert json.loads(path.read_text("utf-8")) == {"ranking": ROWS}
    else:
        mark, cell = (",", '"b,c"') if suffix == ".csv" else ("\t", "b,c")
        lines = ["feature,score", "a,0.5", f"{cell},"]
        expected = [lines[0], lines[1]] if mark == "," else ["feature\tscore", "a\t0.5"]
        assert path.read_text("utf-8").splitlines() == [*expected, f"{cell}{mark}"]
