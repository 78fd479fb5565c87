"""Madelon by the level of the test of features."""

import numpy as np

from featsieve.reproduce import _forest_tables as _madelon
from reproduce.made_up import ran, write


def test_madelon_by_level(tmp_path, random, monkeypatch):
    for settings in ("TESTING", "JUDGING"):
        fewer = {**getattr(_madelon, settings), "n_estimators": 60}
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
    monkeypatch.setattr(_madelon, "TESTING", {**_madelon.TESTING, "n_estimators": 20})
    monkeypatch.setattr(_madelon, "JUDGING", {**_madelon.JUDGING, "n_estimators": 5})
    for part in ("train", "test"):
        columns = {"f0": np.tile([1, 2], 30)}
        write(tmp_path, "madelon", columns, random.choice(["1", "-1"], 60), part)
    assert ran(tmp_path, "forests-8.7") == []
