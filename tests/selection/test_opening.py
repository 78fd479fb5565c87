"""Tables in parts: which they are, what is drawn of them, and that it is said."""

from __future__ import annotations

import json
import weakref

import numpy as np
import pandas as pd
import pytest
import rich.console

import featsieve
from featsieve.data import open_stream, read_table
from featsieve.exceptions import DataError
from featsieve.selection import SieveSelector, _opening, _select
from featsieve.selection._opening import (
    STAGES,
    Handover,
    draw_rows,
    is_in_parts,
    showing_progress,
    thin,
)
from featsieve.selection._settings import Settings
from featsieve.selectors import MeasureFilter


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


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 600)
    return pd.DataFrame(
        {
            "a": y + random.normal(0, 0.5, 600),
            "colour": np.where(random.random(600) < 0.3 + 0.4 * y, "red", "blue"),
            "noise": random.normal(size=600),
            "y": np.where(y == 1, "yes", "no"),
        }
    )


@pytest.fixture
def folder(rows, tmp_path):
    parts = tmp_path / "parts"
    parts.mkdir()
    for k in range(3):
        rows[k * 200 : (k + 1) * 200].to_parquet(parts / f"{k}.parquet")
    return parts


def ledger(selection):
    return json.dumps(selection.to_dict()["ledger"])


def test_parts_that_fit_give_the_answer_of_the_whole(rows, folder):
    whole = featsieve.select(rows, "y", verbose=False)
    files = sorted(folder.iterdir())
    dask = pytest.importorskip("dask.dataframe")
    for data in (
        folder,
        str(folder / "*.parquet"),
        files,
        dask.from_pandas(rows, npartitions=2),
    ):
        selection = featsieve.select(data, "y", verbose=False)
        assert ledger(selection) == ledger(whole)
        assert selection.to_dict()["computation"]["sampling"] is None
    assert whole.features[0] == "a"


def test_drawn_rows_are_told(rows, folder, monkeypatch):
    monkeypatch.setattr(_opening, "MOST_DRAWN", 300)
    stream = open_stream(folder, "y")
    selection = featsieve.select(stream, verbose=False)
    told = "300 of 600 rows were drawn at random"
    summary = selection.to_dict()
    assert summary["table"]["n_rows"] == 300
    assert summary["computation"]["sampling"].startswith(told)
    (note,) = (note for note in selection.notes if note["text"].startswith(told))
    assert note["severity"] == "note"
    assert "a" in selection.features
    # The parts do not matter, the seed does.
    pieces = open_stream([rows[:50], rows[50:]], "y")
    assert ledger(featsieve.select(pieces, verbose=False)) == ledger(selection)
    first, second = (
        draw_rows(stream, Settings(seed=seed), lambda *_: None).take()
        for seed in (0, 1)
    )
    assert (first["a"].values != second["a"].values).any()
    other = featsieve.select(stream, method=MeasureFilter(fdr=0.01), verbose=False)
    assert other.to_dict()["computation"]["sampling"].startswith(told)


def test_a_stream_has_its_say_already(rows):
    stream = open_stream(rows, "y")
    with pytest.raises(DataError, match="`target=` must be said to `open_stream`"):
        featsieve.select(stream, "noise", verbose=False)
    with pytest.raises(DataError, match="`nominal=` must be said to `open_stream`"):
        featsieve.select(stream, "y", nominal=["a"], verbose=False)
    with pytest.raises(DataError, match="`decimal=` must be said to `open_stream`"):
        featsieve.select(stream, "y", decimal=",", verbose=False)


@pytest.mark.parametrize("target", [None, True, np.zeros(600)])
def test_parts_need_a_target_among_their_columns(folder, target):
    with pytest.raises(DataError, match="must be one of its columns"):
        featsieve.select(folder, target, verbose=False)


def test_what_is_in_parts(rows, folder, tmp_path):
    assert is_in_parts(folder)
    assert is_in_parts(open_stream(rows, "y"))
    assert is_in_parts([str(path) for path in folder.iterdir()])
    odd = tmp_path / "[a].csv"
    odd.touch()
    for data in (rows, odd, str(odd), [], [[1, 2]], read_table(rows, "y"), "no.csv"):
        assert not is_in_parts(data)


def test_a_table_is_taken_once():
    table = read_table({"a": [1.0, 2.0]})
    given = Handover(table)
    assert given.look() is table
    assert given.take() is table
    assert given.table is None
    with pytest.raises(AssertionError):
        given.take()


def test_what_was_read_is_let_go_once_its_rows_are_in_order(rows, monkeypatch):
    read, left = [], []
    open_rows, judge_alone = _select.open_rows, _select.judge_alone

    def reading(*given, **how):
        handover, stream = open_rows(*given, **how)
        read.extend(weakref.ref(column.values) for column in handover.look())
        return handover, stream

    def judging(material, *rest):
        left.append(sum(ref() is not None for ref in read))
        return judge_alone(material, *rest)

    monkeypatch.setattr(_select, "open_rows", reading)
    monkeypatch.setattr(_select, "judge_alone", judging)
    before = rows.copy(deep=True)
    featsieve.select(rows, "y", verbose=False)
    assert len(read) == 3
    assert left == [0]
    pd.testing.assert_frame_equal(rows, before)


def test_silent_unless_somebody_looks(capsys):
    for wanted in (True, False):
        with showing_progress(wanted) as tell:
            tell("alone")
    assert capsys.readouterr() == ("", "")


def test_terminal_sees_the_stages(capsys, monkeypatch):
    monkeypatch.setattr(rich.console.Console, "is_terminal", True)
    monkeypatch.setenv("TERM", "xterm")
    with showing_progress(True) as tell:
        for stage in STAGES:
            tell(stage)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert STAGES["redundancy"] in shown.err


def test_unknown_stage_is_a_mistake_of_ours(monkeypatch):
    monkeypatch.setattr(rich.console.Console, "is_terminal", True)
    with pytest.raises(KeyError), showing_progress(True) as tell:
        tell("dessert")
