"""`select` with rows that belong together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import featsieve
from featsieve.exceptions import DataError
from featsieve.selection import SieveSelector
from featsieve.selection._rows import thin


def codes(selection):
    return {note.get("code") for note in selection.notes}


def patients(inside=1.0, seed=0):
    random = np.random.default_rng(seed)
    groups = np.repeat(np.arange(40), 6)
    X = 2 * random.normal(size=(40, 6))[groups] + random.normal(size=(240, 6))
    own = random.normal(size=40)[groups] * 2
    score = own + inside * (2 * X[:, 0] + random.normal(size=240))
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(patient=groups)
    return frame.assign(y=np.where(score > 0, "u", "v"))


def test_groups_by_name_by_values_and_by_itself():
    frame = patients()
    named = featsieve.select(frame, "y", groups="patient", verbose=False)
    assert named.features == ["a"]
    assert "patient" not in named.features + named.dropped
    assert "groups='patient'" in named.code
    assert "row_options" in codes(named)
    values = featsieve.select(
        frame.drop(columns="patient"), "y", groups=frame["patient"], verbose=False
    )
    assert values.features == ["a"]
    assert "groups=groups" in values.code
    auto = featsieve.select(frame, "y", verbose=False)
    assert "grouped_rows" in codes(auto)
    assert "grouped_rows" not in codes(
        featsieve.select(frame, "y", groups=None, verbose=False)
    )


def test_group_level_targets_count_groups():
    frame = patients(inside=0)
    found = featsieve.select(frame, "y", groups="patient", verbose=False)
    assert found.features == []
    assert any("40 groups, not 240 rows" in note["text"] for note in found.notes)


def test_proxies_are_told_by_rows_of_one_group():
    """The error of a copy has a level of every patient, and so has the target.

    Taken for independent rows, the copy would stay in 8 of 8 draws. What patients bring
    along, and does not vary at their visits, stays.
    """
    random = np.random.default_rng(3)
    groups = np.repeat(np.arange(50), 8)
    level = random.normal(size=(4, 50))[:, groups]
    x, error, noise = level[:3] + random.normal(size=(3, 400))
    age = random.normal(size=50)[groups]
    y = x + 1.5 * age + level[1] + 0.5 * level[3] + 0.5 * random.normal(size=400)
    frame = pd.DataFrame({"x": x, "copy": x + error, "noise": noise, "age": age})
    found = featsieve.select(frame, y, groups=groups, verbose=False)
    assert sorted(found.features) == ["age", "x"]
    copy = found.ledger.set_index("feature").loc["copy"]
    assert copy["displaced_by"] == ["x"]


def test_repeated_rows_count_once():
    random = np.random.default_rng(5)
    X = random.normal(size=(100, 10))
    y = np.where(random.random(100) < 0.2, "b", "a")
    rows = np.concatenate([np.arange(100), *[np.flatnonzero(y == "b")] * 5])
    found = featsieve.select(X[rows], y[rows], verbose=False)
    assert found.features == []
    assert "repeated_rows" in codes(found)
    assert featsieve.select(X[rows], y[rows], groups=None, verbose=False).features


def test_walks_in_time():
    random = np.random.default_rng(6)
    walks = np.cumsum(random.normal(size=(300, 8)), axis=0)
    y = walks[:, 7] + walks[:, 0]
    found = featsieve.select(walks[:, :7], y, time=np.arange(300), verbose=False)
    assert found.features == ["x0"]
    auto = featsieve.select(walks[:, :7], y, verbose=False)
    assert auto.features == ["x0"]
    assert "serial_rows" in codes(auto)


def test_strata_and_weights():
    random = np.random.default_rng(7)
    strata = np.repeat([0, 1, 2], 80)
    X = random.normal(size=(240, 5)) + 2 * strata[:, None]
    y = X[:, 0] + 4 * strata + 0.5 * random.normal(size=240)
    found = featsieve.select(X, y, strata=strata, verbose=False)
    assert found.features == ["x0"]
    weights = np.where(strata == 1, 1.0, 0.0)
    weighed = featsieve.select(X, y, sample_weight=weights, verbose=False)
    assert weighed.features == ["x0"]


def test_thinning_keeps_the_effective_number_of_rows():
    weights = np.repeat([1.0, 3.0], 5000)
    kept = thin(weights, 0)
    assert kept[5000:].all()
    assert np.mean(kept[:5000]) == pytest.approx(1 / 2.5, abs=0.03)
    assert thin(np.ones(9), 0).all()


def test_wrong_options_are_told(tmp_path):
    frame = patients()
    for options, words in (
        ({"groups": "pat"}, "Did you mean 'patient'"),
        ({"groups": "y"}, "which is the target"),
        ({"time": [1, 2]}, "one value per row"),
    ):
        with pytest.raises(DataError, match=words):
            featsieve.select(frame, "y", verbose=False, **options)
    frame.to_csv(tmp_path / "a.csv")
    frame.to_csv(tmp_path / "b.csv")
    with pytest.raises(DataError, match="takes no groups with a table in parts"):
        featsieve.select(tmp_path, "y", groups="patient", verbose=False)


def test_estimator():
    frame = patients()
    X = frame.drop(columns=["y", "patient"])
    selector = SieveSelector().fit(X, frame["y"], groups=frame["patient"])
    assert selector.get_feature_names_out().tolist() == ["a"]
