"""Interactions for people: groups, pairs of both kinds, the verdict in words."""

from __future__ import annotations

import pytest

from cli.showing import shown
from featsieve.cli.views.interactions import print_interactions


def pair(first, second, synergy, found=False, **more):
    row = {"first": first, "second": second, "first_gain": 0.2, "second_gain": 0.1}
    return row | {
        "joint_gain": 0.3 + synergy,
        "synergy": synergy,
        "is_interaction": found,
        "p_value": 0.001,
        "q_value": 0.004,
        **more,
    }


def group(members, real=True):
    return {
        "members": members,
        "joint_gain": 0.9,
        "synergy": 0.6,
        "gain_per_feature": 0.3,
        "p_value": 0.001,
        "best_split": [members[:1], members[1:]],
        "is_real": real,
        "kept": True,
    }


ANSWER = {
    "target": "y",
    "n_rows": 200,
    "classes": ["p", "q"],
    "n_features": 4,
    "n_pairs": 6,
    "min_synergy": "auto",
    "min_synergy_used": 0.05,
    "fdr": 0.05,
    "detectable_synergy": 0.04,
    "target_entropy": 1.0,
    "n_interactions": 1,
    "interactions": [group(["a", "b"])],
    "pairs": [pair("a", "b", 0.6, found=True), pair("c", "d", 0.05)],
    "redundant_pairs": [pair("a", "c", -0.08), pair("b", "d", -0.00001)],
    "features": [{"feature": name, "kept": name in "ab"} for name in "abcd"],
    "notes": [],
    "data": "data.csv",
}


def told(top=None, quiet=False, width=160, **changes):
    answer = ANSWER | changes
    return shown(print_interactions, answer, top=top, quiet=quiet, width=width)


def test_what_was_found():
    text = told()
    assert "Interactions found" in text
    assert "real 2-way" in text
    assert "1 interaction among 4 features" in text
    assert "one from 0.04 bits on would have been found" in text
    assert "Kept 2 of 4 features: a, b." in text


def test_redundancy_that_shows_as_nothing_is_left_out():
    text = told()
    redundant = text[text.index("Most redundant") : text.index("1 interaction")]
    assert "−0.0800" in redundant
    assert "80 %" in redundant  # of the weaker one, 0.1 bits
    assert redundant.count("−") == 1


def test_a_chain_names_its_parts():
    text = told(interactions=[group(["a", "b", "c"], real=False)])
    assert "chain of a | b + c" in text


def test_luck_is_explained_unless_quiet():
    assert "Trust p, not the bits" in told()
    assert "Trust p" not in told(quiet=True)
    assert "Trust p" not in told(detectable_synergy=0.5)


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({"n_features": 1}, "One feature has nothing to interact with."),
        ({"n_interactions": 0}, "No interaction among 4 features"),
        ({"detectable_synergy": 1.5}, "so few rows could not have shown any"),
        ({"min_synergy": 0.1}, "with more than 0.05 bits of synergy in each pair"),
        ({"features": []}, "No feature is kept"),
    ],
)
def test_verdicts(changes, verdict):
    assert verdict in " ".join(told(**changes).split())


def test_narrow_terminals_have_fewer_columns():
    assert "alone" in told(width=100)
    assert "alone" not in told(width=70)
    assert "Best pairs" not in told(pairs=[])
    assert "Best pair " in told(n_pairs=1, pairs=ANSWER["pairs"][:1])
