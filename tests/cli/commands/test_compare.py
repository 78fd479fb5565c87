"""featsieve compare: its answers, its table, its errors."""

from __future__ import annotations

import csv
import json
import sys

import numpy as np
import pytest

import featsieve
from cli.running import only_line, run

FAST = ["--selectors", "all,cfs", "--estimators", "naive-bayes", "--cv", "3x2"]


@pytest.fixture
def plants(tmp_path):
    random = np.random.default_rng(0)
    path = tmp_path / "plants.csv"
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["height", "colour", "noise", "kind"])
        for number in range(60):
            kind = ("oak", "fir")[number % 2]
            height = random.normal(5 + 3 * (number % 2), 1)
            colour = "rg"[number % 2 or number % 3 == 0]
            writer.writerow([height, colour, random.normal(), kind])
    return path


def compared(*words):
    result = run("compare", *words, "--json")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return json.loads(result.stdout)


def test_json_equals_the_library(plants):
    answer = compared(plants, "-t", "kind", *FAST, "--seed", 4)
    wanted = featsieve.compare(
        plants,
        "kind",
        selectors=["all", "cfs"],
        estimators=["naive-bayes"],
        cv="3x2",
        random_state=4,
    ).to_dict()
    for row, other in zip(answer["folds"], wanted["folds"], strict=True):
        assert row["score"] == other["score"]
    assert answer["summary"] == wanted["summary"]
    assert answer["data"] == str(plants)


def test_the_table_for_people(plants, tmp_path):
    page, table = tmp_path / "report.html", tmp_path / "table.csv"
    result = run(
        "compare", plants, "-t", "kind", *FAST, "--report", page, "--out", table
    )
    assert result.exit_code == 0
    assert "with naive-bayes" in result.stdout
    assert "scores best" in result.stdout
    assert page.read_text().startswith("<!DOCTYPE html>")
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [row["selector"] for row in rows] == ["all", "cfs"]


def test_a_journal_is_gone_on_with(plants, tmp_path):
    journal = tmp_path / "journal"
    words = [plants, "-t", "kind", *FAST, "--journal", journal]
    first = compared(*words)
    assert len(journal.read_text().splitlines()) == 1 + 2 * 6
    assert compared(*words) == first
    result = run("compare", *words, "--seed", 3)
    assert result.exit_code == 1
    assert "belongs to another run, with other cv, seed" in only_line(result)


def test_quantities_have_learners_of_their_own(plants):
    answer = compared(plants, "-t", "height", "--selectors", "all", "--cv", "3")
    assert answer["estimators"] == ["mdl-tree", "linear", "5-nn"]
    assert answer["scoring"] == "r2"
    assert answer["failures"] == []


def test_failures_are_shown(plants):
    words = ["--selectors", "all", "--estimators", "linear", "--cv", "2"]
    result = run("compare", plants, "-t", "height", *words, "--scoring", "accuracy")
    assert result.exit_code == 0
    assert "2 fits failed" in result.stdout
    assert "- all with linear, split 0: ValueError" in result.stdout
    assert "With linear nothing could be scored." in result.stdout


def test_progress_on_a_terminal(monkeypatch):
    from featsieve.cli.views import output as _output
    from featsieve.comparison import Progress

    monkeypatch.setattr(sys, "stderr", sys.stdout)
    monkeypatch.setenv("FORCE_COLOR", "1")  # a terminal to every version of rich
    monkeypatch.setenv("TERM", "xterm")
    with _output.showing_rounds("Comparing", quiet=False) as show:
        assert show is not None
        show(Progress(1, 2, 1.0, 1.0, False))
    with _output.showing_rounds("Comparing", quiet=True) as show:
        assert show is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--selectors", "all,cfx"], "--selectors knows no 'cfx'. Say one of all,"),
        (["--estimators", "svm"], "--estimators knows no 'svm'"),
        (["--cv", "ten"], "--cv must be like 10x3"),
        (["--cv", "1x2"], "2 folds or more"),
        (["--scoring", "luck"], "--scoring knows no 'luck'"),
        (["--report", "page.pdf"], "--report 'page.pdf' does not tell a format"),
    ],
)
def test_bad_options_are_told_in_one_line(plants, words, said):
    result = run("compare", plants, "-t", "kind", *words)
    assert result.exit_code == 2
    assert said in only_line(result)


def test_the_data_are_no_journal(plants):
    before = plants.read_bytes()
    result = run("compare", plants, "-t", "kind", "--journal", plants)
    assert "is DATA itself" in only_line(result)
    assert plants.read_bytes() == before


def test_a_target_is_needed(plants):
    result = run("compare", plants, *FAST)
    assert result.exit_code == 2
    assert "Say --target NAME" in only_line(result)


def test_help_names_everybody():
    from featsieve.comparison import available_estimators, available_selectors

    text = " ".join(run("compare", "--help").stdout.split())
    said = text.replace("- ", "-")  # names may be broken at their hyphens
    for name in (*available_selectors(), *available_estimators()):
        assert name in said


@pytest.fixture
def visits(tmp_path):
    """Twenty patients, ill or not, are seen six times; columns are alike in each."""
    random = np.random.default_rng(0)
    path = tmp_path / "visits.csv"
    own = random.normal(size=(20, 3)) * 3
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["x", "y", "z", "patient", "day", "weight", "ill"])
        for patient in range(20):
            for day in range(6):
                values = own[patient] + random.normal(size=3)
                weight = random.uniform(0.5, 2)
                row = [*values, f"p{patient}", f"2020-01-0{day + 1}", weight]
                writer.writerow([*row, ("no", "yes")[patient % 2]])
    return path


def test_rows_may_belong_together(visits):
    answer = compared(visits, "-t", "ill", *FAST, "--groups", "patient")
    assert answer["cv"] == "3 folds of whole groups, 2 times"
    assert "patient" not in answer["features"]
    assert answer["notes"][0]["code"] == "row_options"
    assert "take no groups" in answer["notes"][0]["message"]
    assert not any(note["column"] == "patient" for note in answer["notes"])
    wanted = featsieve.compare(
        visits,
        "ill",
        selectors=["all", "cfs"],
        estimators=["naive-bayes"],
        cv="3x2",
        groups="patient",
    )
    scores = [row["score"] for row in answer["folds"]]
    assert scores == wanted.folds["score"].tolist()
    asked = compared(visits, "-t", "ill", *FAST)  # it looks, and says what it found
    assert asked["cv"] == answer["cv"]
    assert "`--groups patient`" in asked["notes"][0]["message"]
    free = compared(visits, "-t", "ill", *FAST, "--groups", "none")
    assert free["cv"] == "3 folds, 2 times"


def test_time_strata_and_weights(visits):
    answer = compared(
        visits, "-t", "ill", *FAST, "--time", "day", "--weights", "weight"
    )
    assert "each after" in answer["cv"]
    assert answer["n_features"] == 4
    answer = compared(visits, "-t", "ill", *FAST, "--strata", "patient")
    assert answer["n_features"] == 5


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            "--groups patien",
            "--groups names 'patien', which is no column. Did you mean",
        ),
        ("--time ill", "--time names 'ill', which is the target."),
        ("--weights patient", "--weights names 'patient', which holds no numbers."),
        (
            "--groups patient --cv 30x1",
            "30 folds of whole groups need at least as many",
        ),
    ],
)
def test_wrong_rows_are_told(visits, options, words):
    result = run("compare", visits, "-t", "ill", *FAST, *options.split())
    assert words in only_line(result)
