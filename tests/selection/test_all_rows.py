"""Tables in parts with more rows than are drawn: what all rows say, and the race."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import featsieve
from featsieve.data import open_stream
from featsieve.selection import _context, _opening
from featsieve.selection._context import Context, race_rows
from featsieve.selection._material import prepare

N_ROWS = 60_000


@pytest.fixture(scope="module")
def rows():
    """An effect, an exclusive or and a copy that show in all rows only."""
    random = np.random.default_rng(3)
    a, b = random.integers(0, 2, (2, N_ROWS))
    weak = random.normal(size=N_ROWS)
    chance = 0.5 + 0.03 * (a ^ b) + 0.025 * np.sign(weak)
    y = random.random(N_ROWS) < chance
    words = np.array(["no", "yes"])
    rare = np.full(N_ROWS, "usual")
    rare[:40] = "odd"
    nearly = words[a]
    nearly[17] = words[1 - a[17]]
    return pd.DataFrame(
        {
            "a": words[a],
            "b": words[b],
            "weak": weak,
            "rare": rare,
            "nearly_a": nearly,
            "copy": weak,
            "number": random.permutation(N_ROWS),
            "same": "one",
            "noise": random.normal(size=N_ROWS),
            "y": words[y.astype(int)],
        }
    )


@pytest.fixture(autouse=True, scope="module")
def few_drawn():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_opening, "MOST_DRAWN", 2_000)
        yield


@pytest.fixture(scope="module")
def selection(rows):
    return select(rows, 3, n_jobs=1)


@pytest.fixture(scope="module")
def ledger(selection):
    return {row["feature"]: row for row in selection.to_dict()["ledger"]}


def select(rows, n_parts, **settings):
    size = -(-len(rows) // n_parts)
    parts = [rows[k : k + size] for k in range(0, len(rows), size)]
    stream = open_stream(parts, "y")
    return featsieve.select(stream, verbose=False, **settings)


def test_all_rows_show_what_drawn_rows_do_not(rows, selection, ledger):
    assert ledger["weak"]["verdict"] == "strongly relevant"
    assert ledger["weak"]["alone"]["p_value"] < 1e-20
    assert "weak" in selection.features
    pair = [ledger[name] for name in ("a", "b", "nearly_a")]
    assert {row["stage"] for row in pair} <= {"together", "redundancy"}
    assert {"b"} < set(selection.features) & {"a", "b", "nearly_a"}
    assert ledger["noise"]["verdict"] == "irrelevant"
    sampled = featsieve.select(rows.sample(2_000, random_state=0), "y", verbose=False)
    assert "weak" not in sampled.features


def test_screen_asks_all_rows(ledger):
    assert ledger["same"]["verdict"] == "unusable"
    assert ledger["number"]["verdict"] == "unusable"
    # Constant, and a copy, among the drawn rows only.
    assert ledger["rare"]["verdict"] == "irrelevant"
    assert ledger["nearly_a"]["stage"] != "screen"
    assert ledger["copy"]["displaced_by"] == ["weak"]


def test_how_it_was_done_is_told(rows, selection):
    sampling = selection.to_dict()["computation"]["sampling"]
    assert sampling.startswith("2,000 of 60,000 rows were drawn")
    assert "counted in all of them" in sampling
    assert "the forest on 2,000 of them" in sampling
    hasty = select(rows, 2, time_budget=0.1).to_dict()["computation"]["sampling"]
    assert "what is said is about these" in hasty


def test_parts_and_jobs_do_not_matter(rows, selection):
    again = select(rows, 7, n_jobs=2).to_dict()["ledger"]
    assert json.dumps(again) == json.dumps(selection.to_dict()["ledger"])


def test_a_quantity_is_cut_for_counts(rows):
    numbers = rows.drop(columns="y").assign(y=rows["weak"] + 20 * rows["noise"])
    selection = select(numbers, 2)
    ledger = {row["feature"]: row for row in selection.to_dict()["ledger"]}
    assert ledger["noise"]["kept"]
    assert ledger["weak"]["alone"]["p_value"] < 1e-6
    assert ledger["b"]["verdict"] == "irrelevant"


@pytest.mark.parametrize(
    ("answers", "sizes", "settled"),
    [
        ([[1, 0], [1, 0]], (50, 100), True),
        ([[1, 0], [0, 0], [0, 0]], (50, 100, 200), True),
        ([[1, 0], [0, 0], [1, 1], [1, 0]], (50, 100, 200, 300), False),
    ],
)
def test_race_doubles_rows_until_verdicts_stay(
    rows, monkeypatch, answers, sizes, settled
):
    material = prepare(
        featsieve.data.read_table(rows[["a", "b", "y"]][:300], "y"), 0, None
    )
    seen = []

    def judge(_, n_rows, __):
        found = np.where(answers[len(seen)], 0.001, 0.9)
        seen.append(n_rows)
        return Context(found, np.zeros(2), 10)

    monkeypatch.setattr(_context, "judge_in_context", judge)
    race = race_rows(material, 50, None, lambda found: found.p_values < 0.01)
    assert race.sizes == tuple(seen) == sizes
    assert race.settled is settled
    # Every size could have been the last, and p-values pay for it.
    smallest = 0.001 if any(answers[-1]) else 0.9
    expected = min(1.0, smallest * len(sizes))
    assert race.context.p_values.min() == pytest.approx(expected)
    assert f"{sizes[-1]} of them in turn" in race.told
