"""Which dictionaries are a selection, and what is said of those that are none."""

from __future__ import annotations

import json

import numpy as np
import pytest

from featsieve.exceptions import DataError
from featsieve.report._selection_summary import checked
from report import example_summary as example


@pytest.mark.parametrize(
    "make",
    [example.customers, example.hostile, example.houses, example.nothing_selected],
)
def test_whole_selections_stay_as_they_are(make):
    summary = make()
    wanted = {k: v for k, v in summary.items() if k not in ("format", "version")}
    assert checked(summary) == wanted
    assert checked(json.loads(json.dumps(summary))) == wanted


def test_what_may_be_left_out_is_filled_in():
    answer = checked(example.smallest())
    row = answer["ledger"][0]
    assert row["score"] is None
    assert row["alone"] == {
        "score": None,
        "p_value": None,
        "rank_association": None,
        "rank_p_value": None,
    }
    assert row["partners"] == []
    assert row["note"] == ""
    assert answer["interactions"] == []
    assert answer["local_relevance"] is None
    assert answer["computation"]["seconds"] == {}


def test_the_dictionary_is_not_changed():
    summary = example.smallest()
    before = json.dumps(summary)
    checked(summary)
    assert json.dumps(summary) == before


def test_numbers_of_numpy_and_unknown_keys_are_fine():
    summary = example.smallest() | {"later": "a key of another version"}
    summary["ledger"][0]["score"] = np.float32(0.5)
    summary["table"]["n_rows"] = np.int64(2)
    answer = checked(summary)
    assert answer["ledger"][0]["score"] == 0.5
    assert "later" not in answer


def with_row(**change):
    summary = example.smallest()
    summary["ledger"][0] |= change
    return summary


@pytest.mark.parametrize(
    ("summary", "told"),
    [
        (None, r"must be a dictionary with format 'featsieve-selection'.* Got None"),
        ({"format": "other"}, "Got 'other' instead"),
        (example.smallest() | {"version": 2}, "has version 2, this featsieve reads"),
        (example.smallest() | {"title": 3}, "'title' of the selection must be text"),
        (example.smallest() | {"ledger": {}}, "'ledger' of the selection must be a li"),
        (example.smallest() | {"target": None}, "'target' .* must be a dictionary"),
        (example.smallest() | {"probe_line": "x"}, "'probe_line' .* a finite number"),
        (with_row(verdict="good"), r"\"ledger\[0: 'a'\].verdict\" .* must be one of"),
        (with_row(kept=1), r"kept.* must be true or false. Got 1"),
        (with_row(score=float("nan")), "score.* must be a finite number. Got nan"),
        (with_row(score=True), "must be a finite number. Got True"),
        (with_row(feature=None), "feature.* of the selection must be text"),
        (with_row(n_levels=-1), "must be an int >= 0. Got -1"),
        (with_row(partners=[1]), r"partners\[0\].* must be text"),
        (with_row(alone=[]), "alone.* must be a dictionary"),
        (with_row(note="x" * 90, stage="y" * 90), r"Got 'y{56}\.\.\. instead"),
    ],
)
def test_what_is_wrong_is_told(summary, told):
    with pytest.raises(DataError, match=told):
        checked(summary)


def test_values_must_fill_the_map():
    summary = example.customers()
    summary["local_relevance"]["values"][1].pop()
    with pytest.raises(DataError, match="must be 4 lists of 24 numbers"):
        checked(summary)


def test_other_parts_are_checked():
    summary = example.customers()
    summary["computation"]["random_state"] = 0.5
    with pytest.raises(
        DataError, match=r"computation.random_state' .* an int. Got 0.5"
    ):
        checked(summary)
    summary = example.customers()
    summary["computation"]["parameters"] = []
    with pytest.raises(DataError, match=r"parameters' .* must be a dictionary"):
        checked(summary)
    summary = example.customers()
    summary["computation"]["seconds"] = {"alone": "long"}
    with pytest.raises(DataError, match=r"seconds.alone' .* a finite number"):
        checked(summary)
