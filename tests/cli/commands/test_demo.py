"""featsieve demo: the table on disk, the commands, the truth."""

from __future__ import annotations

import shlex

import numpy as np

from cli.running import only_line, run
from featsieve.cli.views.demo import NOMINAL, SEED
from featsieve.data import read_table
from featsieve.datasets import make_mixed


def test_demo_tells_the_whole_story(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("demo")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    text = " ".join(result.stdout.split())
    assert "8 of 27 features kept for 'class'" in text
    assert "relevant together with 'router'" in text
    assert "- matter by construction: 8 features, 2 of them with a copy" in text
    assert "- found: 8; missed: none; kept by mistake: none" in text
    assert "- copies set aside: bill_before_tax, dialling_code" in text
    assert "- found only together: router + line" in text
    assert "8 of 27 features tell about 'class' beyond chance" in text
    assert "1 interaction among 27 features" in text
    page = tmp_path / "demo-output" / "report.html"
    assert page.as_uri() in text
    assert "<html" in page.read_text(encoding="utf-8")
    graph = (tmp_path / "demo-output" / "interactions.svg").read_text(encoding="utf-8")
    assert "router and line: 0.137 bits more together" in graph


def test_demo_without_extras_draws_nothing(tmp_path, monkeypatch):
    from featsieve.cli.views import (
        interaction_answers as _interaction_search,
    )
    from featsieve.cli.views import (
        select as _selecting,
    )

    monkeypatch.setattr(_interaction_search, "find_spec", lambda _: None)
    monkeypatch.setattr(_selecting, "find_spec", lambda _: None)
    monkeypatch.chdir(tmp_path)
    result = run("demo")
    assert result.exit_code == 0, result.stderr
    assert "--graph" not in result.stdout
    assert "--report" not in result.stdout
    assert [path.name for path in (tmp_path / "demo-output").iterdir()] == [
        "customers.csv"
    ]


def test_printed_commands_can_be_repeated(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = run("demo", "--out", "a folder").stdout
    commands = [line[2:] for line in shown.splitlines() if line.startswith("$ ")]
    names = [shlex.split(command)[1] for command in commands]
    assert names == ["select", "rank", "interactions"]
    for command in commands:
        program, *words = shlex.split(command)
        assert program == "featsieve"
        again = run(*words)
        assert again.exit_code == 0
        table = again.stdout.split("\n\n")[0]
        assert table in shown


def test_file_holds_the_table(tmp_path):
    run("demo", "--out", tmp_path / "deep" / "down")
    table = make_mixed(random_state=SEED).table
    path = tmp_path / "deep" / "down" / "customers.csv"
    again = read_table(path, table.target.name, nominal=[NOMINAL])
    assert again.names == table.names
    for column in table:
        read = again[column.name]
        assert read.kind is column.kind
        if column.is_nominal:
            levels = np.array([*column.levels, None], dtype=object)
            read_levels = np.array([*read.levels, None], dtype=object)
            assert (levels[column.values] == read_levels[read.values]).all()
        else:
            np.testing.assert_array_equal(read.values, column.values)


def test_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    result = run("demo", "--out", tmp_path / "file")
    assert result.exit_code == 1
    assert "Cannot open or write" in only_line(result)
