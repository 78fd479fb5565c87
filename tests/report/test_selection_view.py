"""The words of the page."""

from __future__ import annotations

import pytest

from featsieve.report._selection_page import checked
from featsieve.report._selection_view import (
    MEANINGS,
    MOST_CHIPS,
    MOST_CLASSES,
    MOST_GROUPS,
    MOST_INTERACTIONS,
    MOST_NOTES,
    ROWS_IN_PAGE,
    Axis,
    Ledger,
    headline,
    page_view,
)
from featsieve.report._style import VERDICTS
from report import example_summary as example


@pytest.mark.parametrize(
    ("counts", "n_kept", "told"),
    [
        ({}, 0, "There was no feature to judge."),
        (
            {"strongly relevant": 1},
            1,
            "1 of 1 feature is worth keeping: 1 strongly relevant.",
        ),
        (
            {"irrelevant": 5},
            0,
            "None of the 5 features is worth keeping: all are irrelevant.",
        ),
        (
            {"irrelevant": 5, "unusable": 1},
            0,
            "None of the 6 features is worth keeping. 5 are irrelevant and 1 unusable.",
        ),
        (
            {"strongly relevant": 3, "over the limit": 1, "irrelevant": 2000},
            3,
            "3 of 2,004 features are worth keeping: 3 strongly relevant. "
            "1 is over the limit and 2,000 irrelevant.",
        ),
    ],
)
def test_headline(counts, n_kept, told):
    assert headline(counts, n_kept) == told


def test_every_verdict_has_a_meaning():
    assert tuple(MEANINGS) == VERDICTS


def test_long_lists_are_cut_and_say_so():
    summary = example.smallest()
    n = 500
    names = [f"f{k}" for k in range(n)]
    summary["ledger"] = [
        {"feature": name, "verdict": "strongly relevant", "kept": True}
        for name in names
    ]
    summary["features"] = names
    summary["target"]["classes"] = [{"name": name, "count": 1} for name in names]
    summary["interactions"] = [
        example._interaction([name, "f0"], 0.1, 0.2) for name in names[1:]
    ]
    summary["redundancy"] = [
        example._group(name, f"copy of {name}", 1) for name in names
    ]
    summary["notes"] = [
        {"feature": None, "text": "odd", "severity": "note"} for _ in names
    ]
    view = page_view(checked(summary))
    assert len(view["kept"]) == MOST_CHIPS
    assert view["n_kept_left_out"] == n - MOST_CHIPS
    assert len(view["target"]["classes"]) == MOST_CLASSES
    assert view["target"]["n_left_out"] == n - MOST_CLASSES
    assert len(view["interactions"]["rows"]) == MOST_INTERACTIONS
    assert view["interactions"]["total"] == n - 1
    assert len(view["redundancy"]["groups"]) == MOST_GROUPS
    assert view["redundancy"]["total"] == n
    assert len(view["notes"]["rows"]) == MOST_NOTES


def test_the_largest_groups_come_first_and_empty_ones_never():
    summary = example.customers()
    more = example._group("region", "zip", 0.5)["set_aside"]
    summary["redundancy"][1]["set_aside"] += more
    summary["redundancy"].append({"kept": "age", "set_aside": []})
    groups = page_view(checked(summary))["redundancy"]
    assert groups["groups"][0]["kept"]["name"] == "region"
    assert groups["total"] == 3
    assert groups["n_set_aside"] == 4


@pytest.mark.parametrize(
    ("synergies", "told"),
    [
        ([0.1], "1 group of features tells more together than apart."),
        ([-0.1, -0.2], "2 groups of features tell the same."),
        (
            [0.1, 0.2, -0.1],
            "2 groups of features tell more together than apart and 1 group of "
            "features tells the same.",
        ),
    ],
)
def test_interactions_in_words(synergies, told):
    summary = example.smallest()
    summary["interactions"] = [
        example._interaction(["a", f"b{k}"], synergy, 0.2)
        for k, synergy in enumerate(synergies)
    ]
    assert page_view(checked(summary))["interactions"]["lead"] == told


def test_settings_are_told_once():
    summary = example.customers()
    summary["computation"]["parameters"] |= {"method": "auto", "random_state": 0}
    keys = [key for key, _ in page_view(checked(summary))["computation"]["parameters"]]
    assert keys == ["fdr", "max_selected", "time_budget", "n_jobs"]


def ledger_of(rows, features=(), **parts):
    summary = example.smallest() | {"ledger": rows, "features": list(features), **parts}
    return Ledger(checked(summary))


def row(name, score=None, *, kept=False, **rest):
    verdict = "strongly relevant" if kept else "irrelevant"
    given = {"feature": name, "verdict": verdict, "kept": kept, "score": score}
    return given | rest


def test_kept_come_first_in_their_order_then_by_score():
    rows = [row("a", 0.1), row("b"), row("c", 0.2, kept=True), row("d", 0.1)]
    rows += [row("e", 0.5, kept=True), row("f", 0.9)]
    ledger = ledger_of(rows, ["c", "e"])
    assert [each["feature"] for each in ledger.rows] == list("cefadb")
    assert ledger.link("f") == {"name": "f", "number": 2, "colour": "irrelevant"}
    assert ledger.link("elsewhere")["number"] is None
    assert ledger.row("elsewhere") is None


def test_columns_of_one_name_share_a_link():
    ledger = ledger_of([row("a", 0.1), row("a", 0.2)])
    assert ledger.link("a")["number"] == 0
    assert len(ledger.data()["rows"]) == 2


def test_axis_holds_everything():
    rows = [row("a", 0.2, low=0.1, high=0.4), row("b", 0.0, low=-0.1, high=0.1)]
    ledger = ledger_of(rows, probe_line=0.3)
    axis = ledger.axis
    assert axis.low == pytest.approx(-0.11)
    assert axis.high == pytest.approx(0.41)
    bar = axis.bar(ledger.row("a"))
    assert bar["score"] == pytest.approx(100 * 0.31 / 0.52, abs=0.01)
    assert 0 < bar["zero"] < bar["low"] < bar["score"] < bar["high"] < 100
    # Without a probe of its own a feature is held against the best of all.
    assert bar["probe"] == pytest.approx(100 * 0.41 / 0.52, abs=0.01)
    own = ledger_of([row("a", 0.2, probe=0.1)], probe_line=0.3)
    assert own.row("a")["probe"] == 0.1
    assert "probe" not in ledger_of([row("a", 0.2)]).axis.bar(
        own.row("a") | {"probe": None}
    )


def test_reasons_name_the_features_they_are_about():
    rows = [
        row("copy", 0.1, displaced_by=["A1"], note="all but identical"),
        row("twin", 0.1, displaced_by=["A1"], note="identical to 'A1'"),
        row("half", 0.1, partners=["b", "c", "d", "e"], note="only together"),
        row("noise", 0.1, note="no more than chance"),
    ]
    shown = {
        each["feature"]["name"]: each["why"] for each in ledger_of(rows).page_rows()
    }
    assert shown == {
        "copy": "beside A1: all but identical",
        "half": "with b, c, d, …: only together",
        "twin": "identical to 'A1'",
        "noise": "no more than chance",
    }


def test_axis_of_nothing_and_of_equal_scores():
    assert ledger_of([row("a")]).axis == Axis(0.0, 1.0)
    axis = ledger_of([row("a", 0.0)]).axis
    assert axis.place(0.0) == 0
    assert axis.place(99) == 100


def test_data_say_what_repeats_once():
    rows = [row(f"f{k}", 0.5, note="Because.") for k in range(50)]
    data = ledger_of(rows).data()
    assert data["texts"] == ["Because."]
    assert {line[11] for line in data["rows"]} == {0}
    assert {len(line) for line in data["rows"]} == {12}  # nothing unknown at the end


def test_references_to_names_that_are_no_columns():
    data = ledger_of([row("a", partners=["a", "gone\n"])]).data()
    assert data["rows"][0][19] == [0, "gone\\n"]


def test_numbers_are_short():
    data = ledger_of([row("a", 0.123456789, missing_share=0.0, n_levels=12)]).data()
    assert data["rows"][0][4] == 0.123457
    assert repr(data["rows"][0][9:11]) == "[0, 12]"


def test_only_the_first_rows_stand_in_the_page():
    ledger = ledger_of([row(f"f{k}", 1 / (k + 1)) for k in range(300)])
    rows = ledger.page_rows()
    assert len(rows) == ROWS_IN_PAGE
    assert rows[0]["score"] == "1.00"
    assert len(ledger.data()["rows"]) == 300
