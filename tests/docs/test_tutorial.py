"""The commands of the tutorial print what the tutorial shows."""

import doctest
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from featsieve.cli._main import app

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.rst"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCK = re.compile(
    r"^\.\. code-block:: console\n\n   \$ featsieve (.*)\n((?:   .*\n|\n)*)", re.M
)
COMMANDS = list(BLOCK.finditer(TEXT))
SAME = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture
def customers(tmp_path, monkeypatch):
    """A folder with the file that the page has made before its first command."""
    monkeypatch.chdir(tmp_path)
    before = TEXT[: COMMANDS[0].start()]
    names = {}
    for example in doctest.DocTestParser().get_examples(before):
        exec(example.source, names)
    return tmp_path


def test_there_are_commands():
    assert [shlex.split(command[1])[0] for command in COMMANDS] == ["inspect", "select"]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda match: match[1].split()[0])
def test_prints_what_is_shown(command, customers):
    env = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    result = CliRunner().invoke(app, shlex.split(command[1]), env=env)
    assert result.exit_code == 0, result.output
    checker = doctest.OutputChecker()
    example = doctest.Example("", command[2])
    assert checker.check_output(command[2], result.stdout, SAME), (
        checker.output_difference(example, result.stdout, SAME)
    )
    if "--report" in command[1]:
        assert (customers / "report.html").stat().st_size > 10_000
