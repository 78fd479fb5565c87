"""select: what it finds, what it leaves alone, and that it says why."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.feature_selection import SelectKBest

import featsieve
from featsieve import datasets
from featsieve.data import read_table
from featsieve.exceptions import DataError
from featsieve.selectors import BIFSFilter
from selection.staged import bits, kept_names, sift_staged

VERDICTS = {
    "strongly relevant",
    "relevant together",
    "relevant locally",
    "redundant",
    "irrelevant",
    "unusable",
    "over the limit",
}
STAGES = {"screen", "alone", "together", "context", "beside", "redundancy", "limit"}


def select(*arguments, **options):
    return featsieve.select(*arguments, verbose=False, **options)


def ledger(selection):
    return {row["feature"]: row for row in selection.to_dict()["ledger"]}


def test_mixed_table_is_seen_through(mixed, selection):
    score = mixed.truth.score(selection.features)
    assert score["recall"] == 1
    assert score["redundant_kept"] == 0
    assert score["false_discovery_proportion"] <= 0.12
    rows = ledger(selection)
    assert rows["customer_id"]["verdict"] == rows["country"]["verdict"] == "unusable"
    assert rows["router"]["verdict"] == "relevant together"
    assert rows["router"]["partners"] == ["line"]
    assert rows["city"]["verdict"] == "strongly relevant"
    assert rows["dialling_code"]["displaced_by"] == ["city"]
    assert rows["bill_before_tax"]["displaced_by"] == ["monthly_bill"]
    together = [i["members"] for i in selection.interactions if i["kind"] == "synergy"]
    assert ["router", "line"] in together


def test_dictionary_keeps_its_promise(mixed, selection):
    summary = selection.to_dict()
    assert [row["feature"] for row in summary["ledger"]] == list(mixed.table.names)
    for row in summary["ledger"]:
        assert row["verdict"] in VERDICTS
        assert row["stage"] in STAGES
        assert row["kept"] == (row["feature"] in summary["features"])
        if row["score"] is not None:
            assert row["low"] <= row["score"] + 1e-12
            assert row["score"] <= row["high"] + 1e-12
        if row["verdict"] != "unusable":
            refuted = row["verdict"] == "irrelevant" and row["stage"] == "beside"
            assert (row["p_value"] <= row["threshold"]) == (
                row["verdict"] != "irrelevant" or refuted
            )
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    assert {p["kind"] for p in summary["probes"]} >= {"gaussian", "binary", "nominal"}
    assert summary["probe_line"] == max(p["score"] for p in summary["probes"])
    local = summary["local_relevance"]
    assert len(local["values"]) == len(local["features"])
    assert all(len(row) == len(local["positions"]) for row in local["values"])
    assert "featsieve.select(" in summary["computation"]["code"]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("XOR", datasets.make_parity(600, n_bits=2, n_noise=20, random_state=1)),
        ("parity", datasets.make_parity(600, n_bits=3, n_noise=9, random_state=1)),
        ("five bits", datasets.make_hard(1000, random_state=1)),
        ("monks", datasets.make_monks(1, sample="train", random_state=1)),
        ("numeric XOR", datasets.make_gaussian_xor(400, n_noise=6, random_state=1)),
        ("multiplexer", datasets.make_multiplexer(600, n_noise=6, random_state=1)),
        (
            "quantity",
            datasets.make_friedman(
                400, target_kind="numeric", n_noise=9, random_state=1
            ),
        ),
        ("classes", datasets.make_class_mixture(600, n_noise=9, random_state=1)),
    ],
)
def test_finds_what_is_there(name, problem):
    score = problem.truth.score(select(problem.table).features)
    assert score["recall"] == 1, name
    assert score["false_discovery_proportion"] <= 0.2, name


def test_noise_is_left_alone():
    found = 0
    for seed in range(9):
        kind = ("continuous", "binary", "levels")[seed % 3]
        table = datasets.make_noise(
            150, feature_kind=kind, n_noise=20, random_state=seed + 50
        ).table
        found += bool(select(table, random_state=seed).features)
    # One run in twenty may be wrong: more than two of nine happens once in 120.
    assert found <= 2


def test_copies_collapse_to_the_best():
    random = np.random.default_rng(0)
    x = random.normal(size=400)
    gaps = x + random.normal(size=400) * 1e-3
    gaps[::9] = np.nan
    near = x + random.normal(size=400) * 1e-3
    data = {
        "gaps": gaps,
        "dear": near,
        "cheap": x,
        "same": x,
        "y": (x + random.normal(size=400) * 0.5 > 0).astype(str),
    }
    assert select(data, "y", costs={"cheap": 5.0, "same": 5.0}).features == ["dear"]
    found = select(data, "y", costs={"dear": 5.0})
    assert found.features == ["cheap"]
    assert select(data, "y").features == ["cheap"]  # it tells more than 'dear'
    rows = ledger(found)
    assert rows["gaps"]["displaced_by"] == ["cheap"]
    assert rows["same"]["stage"] == "screen"
    assert rows["same"]["displaced_by"] == ["cheap"]
    assert select(data, "y", costs={"cheap": 2.0, "dear": 5.0}).features == ["same"]


def test_copy_of_a_member_of_an_interaction_goes():
    table, _ = datasets.make_parity(800, n_bits=2, n_noise=3, random_state=0)
    frame, y = table.to_pandas()
    flips = np.random.default_rng(1).random(800) < 0.02
    frame["x1_copy"] = frame["x1"].astype(int) ^ flips
    found = select(frame.assign(y=y.to_numpy()), "y", nominal=["x1_copy"])
    assert sorted(found.features) in (["x1", "x2"], ["x1_copy", "x2"])


def test_missing_values_may_tell():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 200)
    silent = np.where(random.random(200) < 0.1 + 0.5 * y, np.nan, 1.0)
    noise = random.normal(size=200)
    found = select({"silent": silent, "noise": noise}, y)
    assert found.features == ["silent"]


def test_local_relevance_says_where():
    random = np.random.default_rng(0)
    n = 1500
    part = random.integers(0, 8, n)
    x = random.normal(size=n)
    y = np.where(part == 3, x > 0, random.random(n) < 0.5)
    table = {"part": [f"p{v}" for v in part], "x": x, "noise": random.normal(size=n)}
    found = select(table, y.astype(str))
    assert "x" in found.features
    assert "noise" not in found.features


def test_leak_is_told():
    table, _ = datasets.make_mixed(600, leak=True, n_noise=0, random_state=0)
    warned = [n["feature"] for n in select(table).notes if n["severity"] == "warning"]
    assert "closing_fee" in warned


def test_limit_keeps_interactions_whole():
    table, _ = datasets.make_mixed(800, n_noise=0, random_state=2)
    for most in (1, 4):
        found = select(table, max_selected=most)
        assert len(found.features) <= most
        assert ("router" in found.features) == ("line" in found.features)
        verdicts = {row["verdict"] for row in found.to_dict()["ledger"]}
        assert "over the limit" in verdicts


def test_same_answer_whatever_the_order_or_the_threads():
    table, _ = datasets.make_mixed(400, n_noise=4, random_state=3)
    frame, y = table.to_pandas()
    frame = frame.assign(y=y.to_numpy())
    whole = select(frame, "y", n_jobs=1).to_dict()
    order = np.random.default_rng(0).permutation(len(frame))
    shuffled = select(frame.iloc[order], "y", n_jobs=2).to_dict()
    assert shuffled["ledger"] == whole["ledger"]
    assert shuffled["features"] == whole["features"]
    assert shuffled["interactions"] == whole["interactions"]
    turned = select(frame[frame.columns[::-1]], "y").to_dict()
    twins = {"city", "dialling_code"}  # of which the leftmost stays
    before, after = (
        {
            r["feature"]: r["verdict"]
            for r in each["ledger"]
            if r["feature"] not in twins
        }
        for each in (whole, turned)
    )
    assert after == before


def test_ledger_comes_in_the_library_of_the_caller():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 60)
    data = {"a": y + random.normal(size=60), "b": random.normal(size=60), "y": y}
    frames = {
        "pandas": pd.DataFrame(data),
        "polars": pl.DataFrame(data),
        "pyarrow": pa.table(data),
    }
    for library, frame in frames.items():
        found = select(frame, "y")
        assert type(found.ledger).__module__.startswith(library)
        assert found.ledger.shape == (2, 17)
        assert type(found.transform(frame)) is type(frame)
    assert isinstance(select(data, "y").ledger, pd.DataFrame)


def test_large_tables_are_sampled_and_say_so(monkeypatch):
    from featsieve.selection import _context

    monkeypatch.setattr(_context, "MOST_ROWS", 300)
    table, _ = datasets.make_simple(1500, n_noise=3, random_state=0)
    found = select(table)
    computation = found.to_dict()["computation"]
    assert computation["n_rows_used"] == 300
    assert "300 of 1,500 rows" in computation["sampling"]
    assert set(found.features) == {"x1", "x2"}
    rows = ledger(found)
    assert rows["x2"]["low"] < rows["x2"]["score"] < rows["x2"]["high"]


def test_time_budget_cuts_down_and_says_so():
    table, truth = datasets.make_mixed(3000, n_noise=60, random_state=0)
    found = select(table, time_budget=0.05)
    told = " ".join(note["text"] for note in found.notes)
    assert "To keep to 0.05 seconds" in told
    assert found.to_dict()["computation"]["n_rows_used"] < 3000
    assert truth.score(found.features)["false_discovery_proportion"] < 0.3


def test_other_selectors_get_the_same_record():
    table, _ = datasets.make_mixed(400, n_noise=2, random_state=0)
    found = select(table, method=SelectKBest(k=3))
    assert len(found.features) == 3
    assert found.to_dict()["computation"]["method"] == "SelectKBest"
    assert ledger(found)["customer_id"]["verdict"] == "unusable"
    assert any("filled in" in note["text"] for note in found.notes)
    assert "kept by SelectKBest" in found.explain(found.features[0])
    parity, _ = datasets.make_parity(400, n_bits=2, n_noise=4, random_state=0)
    ours = select(parity, method=BIFSFilter())
    assert sorted(ours.features) == ["x1", "x2"]
    assert sorted(ours.interactions[0]["members"]) == ["x1", "x2"]
    assert (
        select(table, method=SelectKBest(k=3), max_selected=2).features
        == (found.features[:2])
    )


@pytest.mark.parametrize(
    ("data", "target", "message"),
    [
        ({"a": [1, 2, 3], "y": ["n", "n", "n"]}, "y", "has one class, 'n'"),
        ({"a": [1, 2, 3], "y": [0.5, 0.5, 0.5]}, "y", "0.5 in every row"),
        ({"a": [1, 2, 3]}, None, "needs to know the column to be explained"),
        ({"y": [1, 2, 3]}, "y", "no column beside the target"),
        ({"a": [], "y": []}, "y", "needs rows"),
    ],
)
def test_impossible_questions(data, target, message):
    with pytest.raises(DataError, match=message):
        select(data, target)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fdr": 0}, "'fdr' parameter of select must be a number > 0"),
        ({"max_selected": 0}, "'max_selected' parameter of select must be an int"),
        ({"method": "best"}, "'method' parameter of select must be one of 'auto'"),
        ({"method": SelectKBest}, "must be 'auto' or a selector"),
        ({"time_budget": -1}, "'time_budget' parameter"),
        ({"time_budget": np.inf}, "'time_budget' parameter"),
        ({"random_state": "x"}, "'random_state' parameter must be an int >= 0"),
        ({"random_state": -1}, "'random_state' parameter must be an int >= 0"),
        ({"engine": 3}, "'engine' parameter of select must be the name"),
        ({"nominal": -3}, "`nominal` must list columns by name or position"),
        ({"costs": [1]}, "must map names of columns to numbers"),
        ({"costs": {"z": 1}}, "names 'z', which is no column"),
        ({"costs": {"A": 1}}, "which is no column of the table. Did you mean 'a'"),
    ],
)
def test_wrong_parameters(options, message):
    data = {"a": [1.0, 2.0, 3.0], "y": ["n", "y", "n"]}
    with pytest.raises(ValueError, match=message):
        select(data, "y", **options)


def test_messy_tables_are_taken_as_they_are():
    random = np.random.default_rng(0)
    n = 120
    y = random.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "x": random.normal(size=n) + 2 * y,
            "<script>alert(1)</script>": random.normal(size=n),
            "größe ü": random.choice(["a", "b", None], n),
            "when": pd.date_range("2020-01-01", periods=n)[random.permutation(n)],
            "constant": 1,
            "empty": [None] * n,
            "row": random.permutation(n),
            "y": y,
        }
    )
    found = select(frame, "y")
    assert found.features == ["x"]
    rows = ledger(found)
    for name in ("constant", "empty", "row"):
        assert rows[name]["verdict"] == "unusable"
    assert rows["when"]["verdict"] == "irrelevant"
    assert "<script>" not in found._repr_html_()
    assert all(isinstance(found.explain(name), str) for name in rows)
    few = select(frame.sort_values("x").iloc[[0, 1, -1]], "y")
    assert few.features == []
    assert any("3 rows can show" in note["text"] for note in few.notes)


def test_repeated_names_are_told_apart():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 80)
    frame = pd.DataFrame(np.column_stack([y + random.normal(size=80) / 3, y * 0, y]))
    frame.columns = ["a", "a", "y"]
    found = select(frame, "y")
    assert found.features == ["a"]
    assert found.transform(frame).shape == (80, 1)


def test_nothing_usable():
    data = {"c": [1] * 20, "id": [f"k{i}" for i in range(20)], "y": [0, 1] * 10}
    found = select(data, "y")
    assert found.features == []
    assert repr(found) == "Selection(0 of 2 features: none)"


def test_files_and_arrays(tmp_path):
    table, _ = datasets.make_simple(200, random_state=0)
    frame, y = table.to_pandas()
    path = tmp_path / "simple.csv"
    frame.assign(y=y.to_numpy()).to_csv(path, index=False)
    found = select(path, "y")
    assert set(found.features) == {"x1", "x2"}
    assert found.to_dict()["title"] == "simple.csv → y"
    array = np.column_stack([frame.to_numpy(), y.astype(int)])
    by_place = select(array, -1)
    assert by_place.transform(array).shape == (200, 2)
    assert by_place.transform(array[:, :-1]).shape == (200, 2)
    with pytest.raises(DataError, match="columns that were selected from"):
        by_place.transform(array[:, :3])
    assert select(read_table(path, "y")).features == found.features


def test_scores_are_bits_of_the_target():
    y = np.repeat([0, 1], 100)
    found = select({"x": y.astype(float), "z": np.tile([0.0, 1.0, 2.0, 3.0], 50)}, y)
    row = ledger(found)["x"]
    assert math.isclose(row["score"], 1.0, abs_tol=0.02)


#: Of 256 rows later stages have a quarter of their weight.
WEIGHT = {
    stage: weight / (0.65 + 0.25 * 0.35)
    for stage, weight in {"alone": 0.65, "together": 0.05, "context": 0.0375}.items()
}


def told(columns, *names):
    return np.sum([columns[name] for name in names], axis=0) % 2


def test_stages_in_order(monkeypatch):
    columns = bits(3)
    findings, asked = sift_staged(
        monkeypatch, columns, told(columns, "b0"), {"alone": {"b0": 1e-9}}, fdr=0.1
    )
    assert asked.told == ["screen", "alone", "together", "context", "redundancy"]
    assert list(findings.seconds) == asked.told
    assert all(0 <= seconds < 60 for seconds in findings.seconds.values())
    assert asked.alone is None
    assert asked.together[0] == pytest.approx(0.01)  # whatever the rate
    assert asked.together[1] == {"most_triples": 100_000, "known_pairs": None}
    assert asked.context == (256, None)
    assert kept_names(findings) == ["b0"]
    assert findings.race is None


def test_nothing_usable_is_told_after_the_screen(monkeypatch):
    columns = {"same": ["a"] * 20, "id": [f"k{i}" for i in range(20)]}
    findings, asked = sift_staged(monkeypatch, columns, np.tile([0, 1], 10), {})
    assert asked.told == ["screen"]
    assert findings.kept == findings.names == []
    assert findings.judgement.threshold == 0.05
    assert findings.alone.codes.shape == (20, 0)
    assert set(findings.screening.dropped) == {"same", "id"}


def test_noise_of_all_kinds_has_probes(monkeypatch):
    columns = bits(2) | {"x": np.arange(256) % 7 + 0.5}
    findings, _ = sift_staged(monkeypatch, columns, np.tile([0, 1], 128), {})
    levels = {probe.n_levels for probe in findings.probes}
    assert levels == {None, 2}
    assert list(itertools.chain(findings.kept, findings.over_limit)) == []
