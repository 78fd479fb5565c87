"""`featsieve reproduce`: generated tables only, so that nothing need be fetched."""

import csv
import json
import os
import signal
import subprocess
import sys
import time

import pyarrow.parquet as pq
import pytest

from cli.running import only_line, run


def test_ours_stand_beside_print(tmp_path):
    names = ("csv", "tsv", "json", "html", "parquet")
    files = {name: tmp_path / f"found.{name}" for name in names}
    words = [word for path in files.values() for word in ("--out", path)]
    result = run("reproduce", "bifs-5.2", *words)
    assert result.exit_code == 0
    assert "bifs-5.2: Relevant groups and features" in result.stdout
    assert "[1,2,3,4]" in result.stdout
    assert "Not run for want of data: monks-1, monks-2, monks-3." in result.stdout
    assert "Cells: 2 same, 6 not run." in result.stdout
    document = json.loads(files["json"].read_text())
    assert document["verdicts"]["same"] == 2
    with files["csv"].open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["verdict"] for row in rows[:2]] == ["same"] * 2
    assert rows[0]["published"] == rows[0]["ours"] == "[1,2,3,4]"
    assert pq.read_table(files["parquet"]).num_rows == len(rows) == 8
    assert len(files["tsv"].read_text().splitlines()) == 9
    page = files["html"].read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert '<section id="bifs-5.2">' in page
    assert "<script" not in page


def test_json_is_all_of_it():
    result = run("reproduce", "bifs-5.5", "bifs-5.6", "--json")
    first, second = json.loads(result.stdout)["tables"]
    assert first["known"] == [
        "It needs Weka's SMO with its settings, which are not printed."
    ]
    assert second["missing"] == ["monks-1"]


def test_what_was_not_run_is_told():
    result = run("reproduce", "bifs-5.5", "bifs-5.6")
    assert result.exit_code == 0
    assert "bifs-5.6; say --data DIR" in result.stdout
    assert "bifs-5.5 cannot be matched: It needs Weka's SMO" in result.stdout


def test_data_from_a_folder(tmp_path):
    own = tmp_path / "monks-1"
    own.mkdir()
    lines = ["a1,a2,a3,a4,a5,a6,class"]
    lines += [f"{i % 3},{i % 2},1,{i % 3},{i % 4},{i % 2},{i % 2}" for i in range(24)]
    (own / "train.csv").write_text("\n".join(lines) + "\n")
    result = run("reproduce", "bifs-5.6", "--data", tmp_path, "--quiet")
    assert result.exit_code == 0
    assert "differs" in result.stdout, "these are not the rows of the work"
    nothing = run("reproduce", "bifs-5.6", "--data", own)
    assert "their folders are not in --data" in nothing.stdout


def test_list_runs_nothing():
    result = run("reproduce", "--list")
    assert result.exit_code == 0
    for name in ("bifs-5.3", "forests-8.7", "largedata-5.12", "subsets-7"):
        assert name in result.stdout
    assert "cannot be run" in result.stdout
    found = json.loads(run("reproduce", "fs2boost", "--list", "--json").stdout)
    assert [table["name"] for table in found] == ["fs2boost-1"]
    assert "vehicle" in found[0]["datasets"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["bifs-9"], "no published table 'bifs-9'"),
        (["bifs-5.2", "--data", "nowhere"], "--data 'nowhere' is not a folder"),
        (["bifs-5.2", "--repeats", "0"], "less than 1"),
        (["bifs-5.2", "--out", "found.txt"], "does not tell a format"),
        (["bifs-5.2", "--out", "nowhere/found.csv"], "no folder 'nowhere'"),
    ],
)
def test_wrong_questions_get_one_line(words, said):
    result = run("reproduce", *words)
    assert result.exit_code == 2
    assert said in only_line(result)


def test_goes_on_after_a_kill(tmp_path):
    """A killed program leaves its journal; the same words go on from there."""
    journal = tmp_path / "journal"
    words = ["reproduce", "fs2boost-1", "--repeats", "2", "--journal", str(journal)]
    words += ["--jobs", "1", "--json"]
    command = [sys.executable, "-m", "featsieve", *words]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ
    )
    until = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < until:
        if journal.exists() and journal.read_bytes().count(b"\n") > 3:
            process.send_signal(
                signal.SIGKILL if os.name == "posix" else signal.SIGTERM
            )
            break
        time.sleep(0.02)
    process.wait(60)
    kept = journal.read_bytes().splitlines()
    assert len(kept) >= 3
    result = run(*words)
    assert result.exit_code == 0
    assert journal.read_bytes().splitlines()[: len(kept) - 1] == kept[:-1]
    whole = run(*words[:4], "--json")
    cells = [json.loads(each.stdout)["tables"][0]["cells"] for each in (result, whole)]
    assert cells[0] == cells[1]
