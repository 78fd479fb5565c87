"""One table with every oddity: whoever is asked gives the same facts."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import featsieve
from featsieve.cli._main import app
from featsieve.data import Effect, Note, open_stream, read_table
from featsieve.data._table import KINDS
from featsieve.selection import _opening

N = 240
RANDOM = np.random.default_rng(5)
CLASS = RANDOM.permutation(np.repeat(["a", "b", "c"], N // 3))
X = RANDOM.normal(size=N)
ODD = {
    "constant": ["EUR"] * N,
    "empty": [None] * N,
    "one or none": np.where(RANDOM.random(N) < 0.3, np.nan, 4.0),
    "customerID": RANDOM.choice(10**6, N, replace=False),
    "even": np.arange(N) * 2,
    "shuffled": RANDOM.permutation(N) + 1,
    "part": np.sort(RANDOM.choice(N * 5 // 4, N, replace=False)),
    "name": [f"n{k * k}" for k in range(N)],
    "x": X,
    "copy of x": X,
    "word": RANDOM.choice(["p", "q"], N),
    "other word": RANDOM.choice(["p", "q"], N),
    "day": pd.Timestamp("2021-03-01") + pd.to_timedelta(np.arange(N), "D"),
    "sensor": np.where(RANDOM.random(N) < 0.1, -999, X.round(2)),
    "answer": RANDOM.choice(["yes", "no", "?"], N),
    "fee": np.where(CLASS == "b", RANDOM.random(N).round(2), np.nan),
    "status": np.char.add("was ", CLASS),
    "street": [f"s{k // 3}" for k in RANDOM.permutation(N)],
    "coded": [str(k) for k in RANDOM.integers(0, 9, N)],
    "mixed": np.where(RANDOM.random(N) < 0.05, "unknown", np.arange(N) % 7).tolist(),
    "comma": [f"{k},5" for k in RANDOM.integers(0, 9, N)],
}
ODD["copy of word"] = ODD["word"]
EXPECTED = {
    ("all_missing", "empty"),
    ("constant", "constant"),
    ("date", "day"),
    ("identical", "copy of word"),
    ("identical", "copy of x"),
    ("leak", "fee"),
    ("leak", "status"),
    ("many_levels", "street"),
    ("mostly_missing", "fee"),
    ("numbers_as_text", "coded"),
    ("numbers_as_text", "comma"),
    ("one_value", "one or none"),
    ("row_id", "customerID"),
    ("row_id", "even"),
    ("row_id", "name"),
    ("row_id", "part"),
    ("row_id", "shuffled"),
    ("sentinel", "answer"),
    ("sentinel", "sensor"),
    ("text_in_numbers", "mixed"),
}
# Nothing of this is odd, though each comes near.
SOUND = {
    "price": RANDOM.choice(10**6, N, replace=False),
    "weight": RANDOM.normal(size=N),
    "year": np.arange(1700, 1700 + N),
    "half": np.where(RANDOM.permutation(N) < N // 2, np.nan, RANDOM.random(N).round(2)),
    "age": RANDOM.integers(18, 100, N),
    "rarely -999": np.r_[RANDOM.normal(size=N - 2), -999, -999],
    "high": np.r_[RANDOM.integers(0, 900, N - 3), [999] * 3],
    "reply": RANDOM.choice(["none", "unknown", "other"], N),
    "town": [f"t{k // 5}" for k in RANDOM.permutation(N)],
    "nearly x": np.r_[RANDOM.random(N)],
    "good": np.where(RANDOM.random(N) < 0.9, CLASS, "a"),
    "flag": RANDOM.permutation([0, 1] * (N // 2)),
    "other flag": RANDOM.permutation([0, 1] * (N // 2)),  # with the same counts
    "building": RANDOM.choice([f"{k}b" for k in range(9)], N),
}
SOUND["x nearly"] = np.r_[SOUND["nearly x"][:-1], 0.5]


def frame(columns):
    return pd.DataFrame({**columns, "y": CLASS})


def facts(notes):
    return {(note.code, note.column) for note in notes}


def splits(rows):
    yield [rows]
    yield [rows[:1], rows[1:100], rows[100:]]
    yield [rows[k : k + 48] for k in range(0, N, 48)]


@pytest.fixture(scope="module")
def odd():
    return frame(ODD)


@pytest.fixture(scope="module")
def messages(odd):
    return set(read_table(odd, "y").notes)


def test_a_table_tells_every_oddity(odd, messages):
    assert facts(messages) == EXPECTED
    assert len(messages) == len(read_table(odd, "y").notes)
    tested = {code for code, _ in EXPECTED}
    about_columns = {code for code, kind in KINDS.items() if kind.of_columns}
    assert about_columns - tested == {"constant_target", "rare_class"}
    without = {fact for fact in EXPECTED if fact[0] != "leak"}
    assert facts(read_table(odd.drop(columns="y")).notes) == without


@pytest.mark.parametrize("split", range(3))
def test_streams_tell_the_same(odd, messages, split):
    parts = list(splits(odd))[split]
    assert set(open_stream(parts, "y").count().notes) == messages


def test_folders_and_clusters_tell_the_same(odd, messages, tmp_path):
    dask = pytest.importorskip("dask.dataframe")
    for k, part in enumerate([odd[:100], odd[100:]]):
        table = pa.Table.from_pandas(part, preserve_index=False)
        pq.write_table(table, tmp_path / f"{k}.parquet")
    assert set(open_stream(tmp_path, "y").count().notes) == messages
    many = dask.from_pandas(odd, npartitions=4, sort=False)
    assert set(open_stream(many, "y").count().notes) == messages


def test_commands_tell_the_same(odd, tmp_path):
    path = tmp_path / "odd.parquet"
    odd.to_parquet(path, index=False)
    expected = {(code, column, KINDS[code].effect.value) for code, column in EXPECTED}
    for command in ("inspect", "rank"):
        words = [command, str(path), "--target", "y", "--json"]
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, result.output
        notes = json.loads(result.stdout)["notes"]
        assert {(n["code"], n["column"], n["effect"]) for n in notes} == expected


def check_selection(selection, messages):
    ledger = {row["feature"]: row for row in selection.to_dict()["ledger"]}
    dropped = {n.column: n for n in messages if n.effect is Effect.DROP}
    screened = {name for name, row in ledger.items() if row["stage"] == "screen"}
    assert screened == set(dropped)
    for name, note in dropped.items():
        assert ledger[name]["note"] == note.reason
        assert not ledger[name]["kept"]
    shown = {
        (n["code"], n["feature"], n["text"]) for n in selection.notes if "code" in n
    }
    kept = {n for n in messages if n.column not in dropped}
    assert shown == {(n.code, n.column, n.message) for n in kept}
    warned = {n["feature"] for n in selection.notes if n["severity"] == "warning"}
    assert warned - {None} == {n.column for n in kept if n.effect is Effect.WARN}


def test_select_drops_what_facts_say(odd, messages):
    check_selection(featsieve.select(odd, "y", verbose=False), messages)
    stream = open_stream([odd[:100], odd[100:]], "y")
    check_selection(featsieve.select(stream, verbose=False), messages)


def test_select_on_more_rows_than_it_draws(odd, messages, monkeypatch):
    monkeypatch.setattr(_opening, "MOST_DRAWN", 150)
    stream = open_stream([odd[:100], odd[100:]], "y")
    selection = featsieve.select(stream, verbose=False)
    told = [n for n in selection.notes if n.get("code") == "sampled_rows"]
    note = Note("sampled_rows", None, told[0]["text"])
    check_selection(selection, messages | {note})


def test_what_comes_near_is_not_odd():
    rows = frame(SOUND)
    assert read_table(rows, "y").notes == ()
    for parts in splits(rows):
        assert open_stream(parts, "y").count().notes == ()
    ledger = featsieve.select(rows, "y", verbose=False).to_dict()["ledger"]
    assert "screen" not in {row["stage"] for row in ledger}


def test_a_quantity_leaks_the_same_in_a_stream():
    y = RANDOM.normal(size=N)
    rows = pd.DataFrame({"cents": y * 100, "noise": X, "half": y + X, "y": y})
    assert facts(read_table(rows, "y").notes) == {("leak", "cents")}
    for parts in splits(rows):
        counted = open_stream(parts, "y").count(target_bins=5)
        assert facts(counted.notes) == {("leak", "cents")}
