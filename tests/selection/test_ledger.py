"""One row per column: every verdict, with what it rests on."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import featsieve
from featsieve.inference.api import measure
from featsieve.selection._context import Place
from featsieve.selection._ledger import (
    COLUMNS,
    ledger_frame,
    ledger_rows,
    library_of,
    plain,
    verdict_words,
)
from featsieve.selection._possible import Group
from featsieve.selection._redundancy import Displaced, Redundancy
from featsieve.selection._together import Tuple
from selection.staged import sift_staged

N = 200


ROWS = np.arange(N)


def columns_of():
    random = np.random.default_rng(0)
    number = random.normal(size=N)
    number[:20] = np.nan
    return {
        "same": ["a"] * N,
        "a": ROWS % 2,
        "twin": ROWS % 2,
        "b": ROWS // 2 % 2,
        "number": number,
        "c": ROWS // 4 % 5,
    }


def rows_of(monkeypatch, p_values, **given):
    findings, _ = sift_staged(
        monkeypatch, columns_of(), (ROWS % 2).astype(str), p_values, **given
    )
    return {row["feature"]: row for row in ledger_rows(findings)}, findings


def test_every_column_has_a_row_in_the_order_of_the_table(monkeypatch):
    rows, _ = rows_of(monkeypatch, {})
    assert list(rows) == list(columns_of())
    assert set(COLUMNS) <= set(rows["a"])
    assert [row["n_levels"] for row in rows.values()] == [1, 2, 2, 2, None, 5]
    assert [row["missing_share"] for row in rows.values()] == [0, 0, 0, 0, 0.1, 0]
    assert [row["kind"] for row in rows.values()] == ["nominal"] * 4 + [
        "numeric",
        "nominal",
    ]


def test_what_is_not_usable_has_a_reason_and_no_numbers(monkeypatch):
    row = rows_of(monkeypatch, {})[0]["same"]
    assert (row["verdict"], row["stage"], row["kept"]) == ("unusable", "screen", False)
    assert "'a' in every row" in row["note"]
    assert row["score"] is row["p_value"] is row["alone"]["p_value"] is None


def test_what_is_no_more_than_chance(monkeypatch):
    rows, _ = rows_of(monkeypatch, {"alone": {"b": 0.07}})
    row = rows["b"]
    assert (row["verdict"], row["stage"], row["kept"]) == (
        "irrelevant",
        "context",
        False,
    )
    assert row["note"] == "no more than chance gives, alone, together or in a forest"
    # Stages that show nothing count with a p-value of 0.9 and, in 200 rows, a quarter
    # of their weight of 0.35.
    found = 0.65 * np.tan(0.43 * np.pi) - 0.35 / 4 * np.tan(0.4 * np.pi)
    found /= 0.65 + 0.35 / 4
    assert row["p_value"] == pytest.approx(0.5 - np.arctan(found) / np.pi)
    assert row["threshold"] == pytest.approx(0.05 / 4)
    assert row["score"] == 0  # a gain below zero is none
    assert row["alone"]["p_value"] == pytest.approx(0.35 * 0.2)
    assert row["alone"]["rank_p_value"] is None
    assert 0 < rows["number"]["alone"]["rank_p_value"] <= 1
    assert row["alone"]["rank_association"] is None
    assert -1 <= rows["number"]["alone"]["rank_association"] <= 1


def test_what_tells_by_itself(monkeypatch):
    rows, _ = rows_of(monkeypatch, {"alone": {"a": 1e-9}})
    row = rows["a"]
    assert (row["verdict"], row["stage"], row["kept"]) == (
        "strongly relevant",
        "alone",
        True,
    )
    assert row["note"] == "tells more by itself than chance gives"
    bias = 1 / (2 * N * math.log(2))
    assert row["score"] == row["alone"]["score"] == pytest.approx(1 - bias)
    assert row["low"] < row["score"] < row["high"]
    assert row["context"] == {"score": 0.0, "p_value": 1.0}


def test_copies_take_over_what_was_found(monkeypatch):
    rows, _ = rows_of(monkeypatch, {"alone": {"a": 1e-9}})
    row = rows["twin"]
    assert (row["verdict"], row["stage"], row["kept"]) == ("redundant", "screen", False)
    assert row["displaced_by"] == ["a"]
    assert "identical to" in row["note"]
    assert "'a'" in row["note"]
    for name in ("score", "low", "high", "p_value", "threshold", "alone", "context"):
        assert row[name] == rows["a"][name]
    row = rows_of(monkeypatch, {})[0]["twin"]
    assert (row["verdict"], row["displaced_by"]) == ("irrelevant", [])


def test_what_tells_beside_others(monkeypatch):
    found = Tuple((0, 1), 1e-9, (1e-9, 1e-9), steady=True)
    rows, _ = rows_of(
        monkeypatch,
        {"together": {"a": 1e-9, "b": 1e-9}},
        best={0: found, 1: found},
    )
    row = rows["b"]
    assert (row["verdict"], row["stage"], row["partners"]) == (
        "relevant together",
        "together",
        ["a"],
    )
    assert row["note"] == "tells more beside its partners than chance gives"


@pytest.mark.parametrize("words", [None, "a = 1"])
def test_what_tells_somewhere(monkeypatch, words):
    place = words and Place(0, words, measure(ROWS % 2, ROWS % 2))
    rows, _ = rows_of(monkeypatch, {"context": {"c": 1e-9}}, place=place)
    row = rows["c"]
    assert (row["verdict"], row["stage"], row["kept"]) == (
        "relevant locally",
        "context",
        True,
    )
    assert row["where"] == (words or "behind other features in a forest")
    assert row["note"] == "gains more in a forest than its shadows do"
    assert (row["score"] > 0.9) == (words is not None)


@pytest.mark.parametrize(
    ("most_added", "verdict", "note"),
    [
        (0.0123, "redundant", "adds at most 1.2 % of what it tells"),
        (
            0.42,
            "not told apart",
            "adds nothing that rows show, but up to 42 % of what it tells",
        ),
    ],
)
def test_what_others_carry(monkeypatch, most_added, verdict, note):
    why = Displaced((1, 0), 0.4, 0.5, most_added)
    rows, _ = rows_of(
        monkeypatch,
        {"alone": {"a": 1e-9, "b": 1e-9, "c": 1e-9}},
        redundancy=lambda _: Redundancy([0, 1], {3: why}),
    )
    row = rows["c"]
    assert (row["verdict"], row["stage"], row["kept"]) == (
        verdict,
        "redundancy",
        False,
    )
    assert row["displaced_by"] == ["b", "a"]
    assert row["note"] == note
    word = "with" if verdict == "redundant" else "from"
    assert verdict_words(row) == f"{verdict} {word} 'b' and 'a'"


@pytest.mark.parametrize("include", [False, True])
def test_what_is_possible_as_one_of_a_group(monkeypatch, include):
    rows, _ = rows_of(
        monkeypatch,
        {"alone": {"a": 1e-9}},
        group=Group((3, 1), 0.00123),
        include_possible=include,
    )
    row = rows["c"]
    assert (row["verdict"], row["stage"], row["kept"]) == (
        "possible",
        "together",
        include,
    )
    assert row["partners"] == []
    assert "(p = 0.0012); rows are too few to say which" in row["note"]
    assert rows["number"]["verdict"] == "irrelevant"


def test_what_there_is_no_place_for(monkeypatch):
    rows, findings = rows_of(
        monkeypatch,
        {"alone": {"a": 1e-9}},
        group=Group((1,), 0.001),
        include_possible=True,
        max_selected=1,
    )
    assert [findings.names[j] for j in findings.kept] == ["a"]
    row = rows["b"]
    assert (row["verdict"], row["stage"], row["kept"]) == (
        "over the limit",
        "limit",
        False,
    )
    assert row["note"].startswith("possible, and there was no ")
    assert rows["a"]["kept"]


@given(st.none() | st.floats())
def test_numbers_are_those_that_json_knows(value):
    found = plain(value)
    if value is None or not math.isfinite(value):
        assert found is None
    else:
        assert found == value
        assert type(found) is float


@pytest.mark.parametrize(
    ("library", "kind"),
    [
        ("pandas", pd.DataFrame),
        ("polars", pl.DataFrame),
        ("pyarrow", pa.Table),
        (None, pd.DataFrame),
    ],
)
def test_frames_hold_the_rows_in_typed_columns(monkeypatch, library, kind):
    rows, _ = rows_of(monkeypatch, {"alone": {"a": 1e-9}})
    frame = ledger_frame(list(rows.values()), library)
    assert type(frame) is kind
    names = frame.column_names if kind is pa.Table else list(frame.columns)
    assert names == list(COLUMNS)
    assert [str(name) for name in frame["feature"]] == list(rows)
    if kind is pd.DataFrame:
        assert frame["p_value"].dtype == "float64"
        assert frame["n_levels"].dtype == "Int64"
        assert frame["n_levels"].isna().tolist() == [False] * 4 + [True, False]
    elif kind is pl.DataFrame:
        assert frame["displaced_by"].to_list()[2] == ["a"]
        assert frame["n_levels"].to_list() == [1, 2, 2, 2, None, 5]
    else:
        assert frame.schema.field("kept").type == pa.bool_()
        assert frame.schema.field("n_levels").type == pa.int64()
        assert frame["score"].to_pylist()[0] is None


def test_frames_of_nothing_have_types():
    frame = ledger_frame([], "pyarrow")
    assert frame.num_rows == 0
    assert frame.schema.field("partners").type == pa.list_(pa.string())
    assert frame.schema.field("missing_share").type == pa.float64()


def test_libraries_are_known_by_their_frames():
    assert library_of(pd.DataFrame()) == "pandas"
    assert library_of(pl.DataFrame()) == "polars"
    assert library_of(pa.table({})) == "pyarrow"
    assert library_of({}) is library_of(np.zeros(2)) is None


@pytest.fixture(scope="module")
def curve():
    """Return a selection for a quantity, of a column most values of which are gone."""
    random = np.random.default_rng(0)
    x, z = random.normal(size=(2, 150))
    gaps = np.where(random.random(150) < 0.6, np.nan, z)
    data = {"x": x, "z": z, "gaps": gaps}
    return featsieve.select(data, 2 * x + 0.1 * z, verbose=False)


def test_a_quantity_has_variance_to_explain(curve):
    text = curve.explain("x")
    assert "By itself it explains 9" in text
    assert "% of the variance of 'target' (p below 0.0001)." in text


def test_missing_values_are_told_once(curve):
    assert curve.explain("gaps").count("has no value in 58 %") == 1
    assert "values are missing" not in curve.explain("gaps")
    assert "missing" not in curve.explain("z")
