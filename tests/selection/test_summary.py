"""The plain dictionary of a selection: its numbers, and what it says of the table."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve.data import read_table
from featsieve.exceptions import DroppedRowsWarning
from featsieve.selection import _select
from featsieve.selection._alone import Probed
from featsieve.selection._context import Plan
from featsieve.selection._redundancy import Displaced, Redundancy
from featsieve.selection._settings import Question
from featsieve.selection._summary import describe_target, finite, summarise_findings
from featsieve.selection._together import Tuple
from reference.redundancy import stratified_information
from selection.staged import bits, sift_staged

N = 256


def summary_of(monkeypatch, columns, y, p_values, **given):
    findings, _ = sift_staged(monkeypatch, columns, y, p_values, **given)
    found = summarise_findings(findings, Question({"fdr": 0.05}, "x.csv", "code"))
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    return found, findings


def gain(columns, y):
    """Return the gain of nominal columns together, less its bias, and its freedom."""
    words = list(zip(*columns, strict=True))
    plain, freedom = stratified_information(words, list(y), [0] * len(y))
    return plain - freedom / (2 * len(y) * math.log(2))


def test_what_it_is_about(monkeypatch):
    columns = bits(3)
    y = np.where(np.arange(N) % 4 == 1, "yes", "no")
    found, _ = summary_of(
        monkeypatch, columns, y, {"alone": {"b1": 1e-9, "b0": 1e-9}}, seed=7
    )
    assert (found["format"], found["version"]) == ("featsieve-selection", 1)
    assert found["title"] == "x.csv → target"
    assert found["target"] == {
        "name": "target",
        "kind": "nominal",
        "classes": [{"name": "no", "count": 192}, {"name": "yes", "count": 64}],
        "n_missing": 0,
    }
    assert found["table"] == {"n_rows": N, "n_columns": 3, "source": "x.csv"}
    assert found["features"] == ["b0", "b1"]
    assert found["measure"] == {"name": "information gain", "unit": "bits"}
    computation = found["computation"]
    assert computation["random_state"] == 7
    assert computation["n_rows_used"] == N
    assert computation["sampling"] is None
    assert (computation["parameters"], computation["code"]) == ({"fdr": 0.05}, "code")
    assert set(computation["versions"]) == {
        "featsieve",
        "numpy",
        "scipy",
        "scikit-learn",
        "python",
    }
    scores = [probe["score"] for probe in found["probes"]]
    assert found["probe_line"] == max(scores)
    assert found["notes"] == []


def test_quantities_have_shares(monkeypatch):
    y = np.arange(N) * 1.5
    found, _ = summary_of(monkeypatch, bits(2), y, {})
    assert found["measure"]["unit"] == "share"
    assert found["target"]["kind"] == "numeric"
    assert found["target"]["classes"] == []


def test_rows_without_a_target_are_counted():
    y = ["a", "b", None, "a", None, "c"]
    with pytest.warns(DroppedRowsWarning):
        table = read_table({"x": [1.0, 2.5, 3.0, 4.5, 5.0, 6.5]}, y)
    found = describe_target(table)
    assert found["n_missing"] == 2
    assert found["classes"] == [
        {"name": "a", "count": 2},
        {"name": "b", "count": 1},
        {"name": "c", "count": 1},
    ]


def test_interactions_and_copies_are_told_by_what_they_share(monkeypatch):
    columns = bits(3)
    wrong = np.arange(N) < 8
    b0 = columns["b0"]
    columns["copy"] = b0 ^ wrong
    y = b0 ^ (columns["b1"] & columns["b2"])
    both = Tuple((0, 1), 1e-7, (1e-7, 1e-7), steady=True)
    why = Displaced((0,), 0.8, 0.5, 0.02)
    found, _ = summary_of(
        monkeypatch,
        columns,
        y,
        {"together": {"b0": 1e-9, "b1": 1e-9}, "alone": {"copy": 1e-9}},
        best={0: both, 1: both},
        tuples=[both],
        redundancy=lambda _: Redundancy([0, 1], {3: why}),
    )
    synergy, redundancy = found["interactions"]
    one, two, copy = columns["b0"], columns["b1"], columns["copy"]
    assert synergy["members"] == ["b0", "b1"]
    assert synergy["joint_gain"] == pytest.approx(gain([one, two], y))
    parts = max(gain([one], y), 0) + max(gain([two], y), 0)
    assert synergy["synergy"] == pytest.approx(gain([one, two], y) - parts)
    assert (synergy["kept"], synergy["kind"]) == (True, "synergy")
    assert synergy["p_value"] == 1e-7
    assert redundancy["members"] == ["copy", "b0"]
    assert redundancy["joint_gain"] == pytest.approx(gain([copy, one], y))
    parts = max(gain([copy], y), 0) + max(gain([one], y), 0)
    assert redundancy["synergy"] == pytest.approx(gain([copy, one], y) - parts)
    assert redundancy["synergy"] < 0
    assert (redundancy["kept"], redundancy["kind"]) == (False, "redundancy")
    assert found["redundancy"] == [
        {
            "kept": "b0",
            "set_aside": [
                {
                    "feature": "copy",
                    "association": 0.8,
                    "p_value": 0.5,
                    "reason": "adds at most 2.0 % of what it tells",
                }
            ],
        }
    ]


def test_interactions_over_the_limit_are_not_kept(monkeypatch):
    columns = bits(3)
    y = columns["b0"] ^ columns["b1"]
    both = Tuple((0, 1), 1e-7, (1e-7, 1e-7), steady=True)
    found, _ = summary_of(
        monkeypatch,
        columns,
        y,
        {"together": {"b0": 1e-9, "b1": 1e-9}},
        best={0: both, 1: both},
        tuples=[both],
        max_selected=1,
    )
    assert found["features"] == []
    assert [row["kept"] for row in found["interactions"]] == [False]


def test_what_tells_more_together_is_no_redundancy(monkeypatch):
    columns = bits(3)
    y = columns["b0"] ^ columns["b1"]
    why = Displaced((0,), 0.8, 0.5, 0.02)
    found, _ = summary_of(
        monkeypatch,
        columns,
        y,
        {"alone": {"b0": 1e-9, "b1": 1e-9}},
        redundancy=lambda _: Redundancy([0], {1: why}),
    )
    assert found["interactions"] == []
    assert found["redundancy"][0]["kept"] == "b0"


def test_identical_columns_are_redundant(monkeypatch):
    columns = bits(2)
    columns["same"] = columns["b0"]
    y = columns["b0"]
    found, _ = summary_of(monkeypatch, columns, y, {"alone": {"b0": 1e-9}})
    assert found["redundancy"] == [
        {
            "kept": "b0",
            "set_aside": [
                {
                    "feature": "same",
                    "association": 1.0,
                    "p_value": None,
                    "reason": "identical",
                }
            ],
        }
    ]
    assert summary_of(monkeypatch, columns, y, {})[0]["redundancy"] == []


def half_of_the_time(n):
    """Return a number and a bit that tells the class where the number is small."""
    x = np.arange(n) + 0.5
    bit = np.arange(n) % 2
    y = np.where(x < n / 2, bit, np.arange(n) // 2 % 2)
    return {"x": x, "bit": bit}, y


def test_local_relevance_is_what_is_told_among_rows_that_are_alike(monkeypatch):
    columns, y = half_of_the_time(120)
    some = {"alone": {"x": 1e-9, "bit": 1e-9}}
    found, _ = summary_of(monkeypatch, columns, y, some)
    local = found["local_relevance"]
    assert (local["features"], local["ordered_by"]) == (["bit"], "x")
    assert local["positions"] == [30.0, 90.0]  # medians of halves of 60 rows
    bias = 1 / (2 * 60 * math.log(2))
    assert local["values"] == [[round(1 - bias, 6), 0.0]]
    columns, y = half_of_the_time(118)
    found, _ = summary_of(monkeypatch, columns, y, some)
    assert found["local_relevance"] is None


@pytest.mark.parametrize(("n", "parts"), [(179, 2), (180, 3), (1260, 20)])
def test_parts_have_sixty_rows_and_are_at_most_twenty(monkeypatch, n, parts):
    columns, y = half_of_the_time(n)
    some = {"alone": {"x": 1e-9, "bit": 1e-9}}
    found, _ = summary_of(monkeypatch, columns, y, some)
    local = found["local_relevance"]
    assert len(local["positions"]) == parts
    assert [len(row) for row in local["values"]] == [parts]


def test_levels_are_places_too(monkeypatch):
    columns = bits(2)
    columns["part"] = np.repeat(["v", "u"], N // 2)
    columns["part"][-10:] = "rare"
    y = np.where(columns["part"] == "v", columns["b0"], 0)
    found, _ = summary_of(
        monkeypatch, columns, y, {"alone": {"part": 1e-9, "b0": 1e-9, "b1": 1e-9}}
    )
    local = found["local_relevance"]
    assert local["ordered_by"] == found["features"][0]
    found, _ = summary_of(monkeypatch, columns, y, {"alone": {"part": 1e-9}})
    assert found["local_relevance"] is None  # nothing beside it


@pytest.mark.parametrize(("n", "few"), [(28, True), (30, False)])
def test_few_rows_are_told(monkeypatch, n, few):
    found, _ = summary_of(monkeypatch, bits(2, n), np.arange(n) // 8 % 2, {})
    texts = [note["text"] for note in found["notes"]]
    told = ["28 rows can show very little; take this as a first look."]
    assert texts == (told if few else [])


def test_what_was_left_out_for_want_of_time_is_told(monkeypatch):
    monkeypatch.setattr(
        _select, "make_plan", lambda *_: Plan(200, 100, told=("one", "two"))
    )
    found, findings = summary_of(
        monkeypatch,
        bits(3),
        np.arange(N) // 8 % 2,
        {},
        time_budget=2.5,
        notes=["pairs were many"],
    )
    assert [note["text"] for note in found["notes"]] == [
        "pairs were many",
        "To keep to 2.5 seconds, one; two. The error rate is the same; less may have "
        "been found.",
    ]
    assert {note["severity"] for note in found["notes"]} == {"note"}
    assert findings.material.n_rows == found["computation"]["n_rows_used"] == 200
    assert found["computation"]["sampling"] == (
        "sets of columns in a sample of 200 of 256 rows; the forest on 100 of them"
    )


def test_columns_are_held_against_probes_of_their_kind(selection):
    summary = selection.to_dict()
    best = {}
    for probe in summary["probes"]:
        levels = probe["n_levels"]
        best[levels] = max(best.get(levels, 0), probe["score"])
    nominal = {levels for levels in best if levels is not None}
    assert None in best
    assert len(nominal) > 1
    for row in summary["ledger"]:
        if row["score"] is None:
            assert row["probe"] is None
        elif row["n_levels"] is None:
            assert row["probe"] == best[None]
        else:
            factor = {n: max(n / row["n_levels"], row["n_levels"] / n) for n in nominal}
            assert row["probe"] == best[min(nominal, key=factor.get)]


def test_the_nearest_number_of_levels_counts(monkeypatch):
    probes = [Probed("nominal", 2, 0.1), Probed("nominal", 8, 0.3)]
    probes += [Probed("nominal", 8, 0.2), Probed("gaussian", None, 0.9)]
    monkeypatch.setattr(_select, "look_at_probes", lambda _: probes)
    columns = {f"w{k}": (np.arange(N) % k) for k in (2, 3, 5, 40)}
    columns["x"] = np.arange(N) % 11 + 0.5
    columns["same"] = ["a"] * N
    found, _ = summary_of(monkeypatch, columns, np.arange(N) // 2 % 2, {})
    # By ratio: 3 / 2 < 8 / 3, and 8 / 5 < 5 / 2.
    assert {row["feature"]: row["probe"] for row in found["ledger"]} == {
        "w2": 0.1,
        "w3": 0.1,
        "w5": 0.3,
        "w40": 0.3,
        "x": 0.9,
        "same": None,
    }
    monkeypatch.setattr(_select, "look_at_probes", lambda _: [])
    found, _ = summary_of(monkeypatch, columns, np.arange(N) // 2 % 2, {})
    assert found["probe_line"] is None
    assert {row["probe"] for row in found["ledger"]} == {None}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.integers(), inner),
    max_leaves=9,
)


@given(VALUES)
def test_finite_is_json(value):
    json.dumps(finite(value), allow_nan=False)


def test_finite_keeps_what_is_fine():
    given_ = {1: (np.float64(0.5), np.int32(3), math.inf, True), "p": range(2)}
    assert finite(given_) == {"1": [0.5, 3, None, True], "p": "range(0, 2)"}
