"""Works that need data, on small made-up tables in the layout of their folders.

The numbers mean nothing; that every cell gets one, with any number of jobs, does.
"""

import json

import numpy as np
import pytest

from featsieve.reproduce import _madelon, reproduce
from featsieve.reproduce._data import DataFolder
from featsieve.reproduce._forests import chosen, try_forest
from featsieve.reproduce._fs2boost import load


def write(folder, name, columns, classes, part="train"):
    """Write a data set: nominal columns are texts."""
    own = folder / name
    own.mkdir(exist_ok=True)
    rows = zip(*columns.values(), classes, strict=True)
    lines = [",".join((*columns, "class")), *(",".join(map(str, row)) for row in rows)]
    (own / f"{part}.csv").write_text("\n".join(lines) + "\n")
    kinds = {
        key: "nominal" if np.asarray(values).dtype.kind == "U" else "numeric"
        for key, values in columns.items()
    }
    (own / "meta.json").write_text(json.dumps({"kinds": kinds}))


@pytest.fixture
def random():
    return np.random.default_rng(0)


def ran(folder, *names):
    """Return the cells of tables that were run, by row."""
    found = reproduce(names, data=folder, repeats=1, n_jobs=2)
    return [cell for cell in found.rows() if cell["n_runs"]]


def test_large_data(tmp_path, random):
    weight = random.gamma(2, 1, 600)
    names = ("Diameter", "Shell_weight", "Height", "Whole_weight", "Viscera_weight")
    columns = {
        name: weight + random.normal(0, 0.5, 600)
        for name in (*names, "Shucked_weight", "Length")
    }
    columns["Sex"] = random.choice(["M", "F", "I"], 600)
    rings = np.clip(np.round(3 * weight + 3), 1, 29).astype(int)
    write(tmp_path, "abalone", columns, rings)
    cells = ran(tmp_path, "largedata")
    by_table = {}
    for cell in cells:
        by_table.setdefault(cell["table"], []).append(cell)
    assert set(by_table) == {f"largedata-5.{n}" for n in (2, 3, 6, 13)}
    assert len(by_table["largedata-5.2"]) == 16
    means = [c["ours"] for c in by_table["largedata-5.2"] if c["column"] == "Kendall"]
    assert min(means[:7]) > 0.3 > means[7], "all but Sex go with the rings"
    above = {c["ours"] for c in by_table["largedata-5.6"]}
    assert above <= {7.0, 8.0}
    assert len(by_table["largedata-5.13"]) == 10


def test_subsets(tmp_path, random):
    n = 40
    hours = random.normal(38, 3, n)
    columns = {f"c{k}": random.choice(["a", "b"], n) for k in range(14)}
    columns |= {"hours": hours, "wage": random.normal(4, 1, n)}
    write(tmp_path, "labor", columns, np.where(hours > 38, "good", "bad"))
    cells = ran(tmp_path, "subsets-7")
    assert [c["column"] for c in cells] == [
        "single tree",
        "bagging",
        "random",
        "information gain",
        "cumulative gain",
        "feature boosting",
    ]
    assert cells[0]["ours"] < 15, "one cut tells the class"
    assert all(c["z"] is not None for c in cells)


def test_rows_of_the_boosting_work(tmp_path, random):
    kinds = ["build wind float", "vehic wind float", "build wind non-float", "lamp"]
    glass = random.choice(kinds, 60)
    write(tmp_path, "glass", {"RI": random.normal(size=60)}, glass)
    table = load(DataFolder(tmp_path), "glass2")
    windows = glass[glass != "lamp"]
    assert table.n_rows == len(windows)
    codes = (windows == "build wind non-float").astype(int)
    assert table.target.values.tolist() == codes.tolist()
    for part, n in (("train", 30), ("test", 7)):
        pulse = random.normal(60, 9, n)
        lesion = np.where(pulse > 60, "yes", "no")
        write(tmp_path, "horse-colic", {"pulse": pulse}, lesion, part)
    assert load(DataFolder(tmp_path), "horse-colic").n_rows == 37
    cells = ran(tmp_path, "fs2boost-1")
    assert {"glass2", "horse-colic"} < {c["row"] for c in cells}


def test_forests_and_ensembles_of_votes(tmp_path, random):
    party = random.choice(["democrat", "republican"], 60)
    votes = {
        f"v{k}": np.where(
            random.random(60) < 0.9, np.where(party == "democrat", "y", "n"), ""
        )
        for k in range(3)
    }
    write(tmp_path, "house-votes-84", votes, party)
    cells = [
        cell
        for cell in ran(tmp_path, "ensembles-5.8", "forests-8.2", "forests-8.6")
        if cell["row"] == "votes"
    ]
    assert len(cells) == 6 + 4 + 4
    errors = [c["ours"] for c in cells if "error" in c["column"]]
    assert max(errors) < 0.2
    assert {c["n_runs"] for c in cells} == {10}


def test_madelon_by_level(tmp_path, random, monkeypatch):
    for settings in ("TESTING", "JUDGING"):
        fewer = {**getattr(_madelon, settings), "n_trees": 60}
        monkeypatch.setattr(_madelon, settings, fewer)
    for part, n in (("train", 200), ("test", 100)):
        classes = random.integers(0, 2, n)
        columns = {f"f{k}": random.normal(size=n).round(3) for k in range(6)}
        columns["f0"] = (columns["f0"] + 3 * classes).round(3)
        names = np.where(classes, "1", "-1")
        write(tmp_path, "madelon", columns, names, part)
    cells = {(c["row"], c["column"]): c["ours"] for c in ran(tmp_path, "forests-8.7")}
    kept = [n for (_, column), n in cells.items() if column == "features"]
    assert kept == sorted(kept, reverse=True)
    assert kept[-1] >= 1
    assert cells["1e-09", "error"] < 0.25
    assert cells["1e-09", "OOB error"] < 0.25
    assert cells["1e-09", "nodes"] >= 3


def test_a_level_that_keeps_nothing_has_no_numbers(tmp_path, random, monkeypatch):
    monkeypatch.setattr(_madelon, "TESTING", {**_madelon.TESTING, "n_trees": 20})
    monkeypatch.setattr(_madelon, "JUDGING", {**_madelon.JUDGING, "n_trees": 5})
    for part in ("train", "test"):
        columns = {"f0": np.tile([1, 2], 30)}
        write(tmp_path, "madelon", columns, random.choice(["1", "-1"], 60), part)
    assert ran(tmp_path, "forests-8.7") == []


def test_a_forest_of_local_sampling_on_what_passes_the_stricter_test(random):
    y = random.integers(0, 2, 300)
    X = random.normal(size=(300, 12))
    X[:, 0] += 2 * y
    split = (X[:200], y[:200], X[200:], y[200:])
    strict = chosen("RF HT + LOCAL", *split[:2], 0)
    assert 0 in strict
    assert set(strict) <= set(chosen("RF HT", *split[:2], 0))
    scores = try_forest("RF HT + LOCAL", split, 0)
    assert scores["kept"] == len(strict) < 12
    assert scores["error"] < 0.3
