"""Real tables: folds, limits, what a file keeps, and what is said of all tables."""

import json
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
if not (ROOT / "benchmarks").is_dir():
    pytest.skip("benchmarks are not distributed", allow_module_level=True)

from benchmarks.recovery import real_summary, real_tables  # noqa: E402

from featsieve.evaluation import corrected_resampled_t_test  # noqa: E402


@pytest.fixture
def folder(tmp_path):
    """Two tables of which one column matters, with gaps, names and a rare class."""
    for name in ("first", "second"):
        random = np.random.default_rng(len(name))
        classes = np.arange(60) % 2
        lines = [
            f"{x if x > -1 else ''},{z},{'ab'[k]},{'no' if k else 'yes'}"
            for x, z, k in zip(
                classes * 3 + random.normal(size=60),
                random.normal(size=60),
                classes,
                strict=True,
            )
        ]
        own = tmp_path / name
        own.mkdir()
        text = "\n".join(["x,z,word,class", *lines, "1,1,a,rare"])
        (own / "train.csv").write_text(text)
        about = {"kinds": {"word": "nominal"}, "files": {"train": "train.csv"}}
        (own / "meta.json").write_text(json.dumps(about))
    return tmp_path


def run(folder, monkeypatch, *words):
    path = folder / "out.json"
    argv = ["x", str(folder), "--folds", "3x1", "--json", str(path), *words]
    monkeypatch.setattr("sys.argv", argv)
    real_tables.main()
    return json.loads(path.read_text())["cells"]


def test_what_is_there_is_not_done_again(folder, monkeypatch, capsys):
    few = ("--learners", "logistic,5-nn")
    cells = run(folder, monkeypatch, *few, "--selectors", "all,select")
    assert {cell["table"] for cell in cells} == {"first", "second"}
    assert len(cells) == 2 * 2 * 3
    assert all(set(cell["scores"]) == {"logistic", "5-nn"} for cell in cells)
    assert all(cell["kept"] == ["x", "z", "word"] for cell in cells[:3])

    def fail(*_):
        raise AssertionError

    monkeypatch.setitem(real_tables.ANY_SELECTOR, "select", fail)
    more = run(folder, monkeypatch, *few, "--selectors", "all,select,mRMR,CFS", "--why")
    assert [c for c in more if c["selector"] in ("all", "select")] == cells
    for cell in more:
        if cell["selector"] == "mRMR":
            place = (cell["table"], cell["fold"])
            own = next(
                c
                for c in cells
                if (c["table"], c["fold"]) == place and c["selector"] == "select"
            )
            assert len(cell["kept"]) == len(own["kept"])
    text = capsys.readouterr().out
    assert "logistic: difference to all columns" in text
    assert "+ irrelevant" in text


def test_other_folds_need_another_file(folder, monkeypatch):
    run(folder, monkeypatch, "--learners", "5-nn", "--selectors", "all")
    with pytest.raises(SystemExit, match="was made with"):
        run(folder, monkeypatch, "--seed", "3", "--selectors", "all")


def test_who_takes_too_long_is_not_finished(folder, monkeypatch, capsys):
    def forever(_):
        while True:
            pass

    monkeypatch.setitem(real_tables.ANY_SELECTOR, "CFS", forever)
    cells = run(
        folder, monkeypatch, "--selectors", "all,CFS", "--seconds", "0.2",
        "--learners", "5-nn", "--tables", "first",
    )  # fmt: skip
    stopped = [cell for cell in cells if cell["selector"] == "CFS"]
    assert [cell["error"] for cell in stopped] == ["not finished"]
    assert "first, CFS: not finished" in capsys.readouterr().out


def cells_of(scores):
    return [
        {
            "table": table,
            "selector": selector,
            "fold": fold,
            "kept": ["x"],
            "error": None,
            "seconds": 0.0,
            "scores": {"5-nn": score},
        }
        for (table, selector), values in scores.items()
        for fold, score in enumerate(values)
    ]


def test_differences_are_tested_and_ranked():
    about = {"n_splits": 3, "test_ratio": 0.5, "n_features": 2}
    tables = {"a": about, "b": about, "c": about}
    scores = {
        ("a", "all"): [0.5, 0.6, 0.7],
        ("a", "select"): [0.7, 0.75, 0.9],
        ("b", "all"): [0.9, 0.8, 0.7],
        ("b", "select"): [0.8, 0.75, 0.6],
        ("c", "all"): [0.9, 0.8, 0.7],
        ("c", "select"): [0.9, 0.8],  # not ended
    }
    rows = real_summary.compare_with_all(tables, cells_of(scores), "select", "5-nn")
    assert [row["table"] for row in rows] == ["a", "b"]
    assert [row["gain"] for row in rows] == pytest.approx([0.55 / 3, -0.25 / 3])
    own = [
        corrected_resampled_t_test(scores[t, "select"], scores[t, "all"], 0.5).p_value
        for t in "ab"
    ]
    assert [row["p_value"] for row in rows] == pytest.approx(own)
    # By Holm the lesser of two counts twice, and the other is not below it.
    assert min(row["holm"] for row in rows) == pytest.approx(2 * min(own))
    ranks = real_summary.mean_ranks(tables, cells_of(scores), ["all", "select"], "5-nn")
    assert ranks == ([1.5, 1.5], 2)
