"""The words of the page."""

from __future__ import annotations

import pytest

from featsieve.report._selection_summary import VERDICTS, checked
from featsieve.report._selection_view import (
    MEANINGS,
    MOST_CHIPS,
    MOST_CLASSES,
    MOST_GROUPS,
    MOST_INTERACTIONS,
    MOST_NOTES,
    headline,
    page_view,
)
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
    assert keys == ["fdr", "max_features", "time_budget", "n_jobs"]
