"""The program as a whole: help, version, exit codes, one-line errors."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import featsieve
from cli.running import only_line, run, run_program

HEAVY = ("numpy", "sklearn", "pyarrow", "scipy", "joblib", "narwhals", "rich.console")


def test_help_lists_the_commands():
    result = run("--help")
    assert result.exit_code == 0
    for command in ("inspect", "rank", "interactions", "compare", "demo"):
        assert f"\n  {command} " in result.stdout


def test_no_command_shows_help():
    assert run().stdout == run("--help").stdout


def test_version():
    result = run("--version")
    assert result.stdout == f"featsieve {featsieve.__version__}\n"
    assert result.exit_code == 0


@pytest.mark.parametrize(
    "words", ["--help", "rank --help", "interactions --help", "inspect -h", "--version"]
)
def test_help_waits_for_no_heavy_import(words):
    code = (
        "import sys\n"
        "from featsieve.cli import main\n"
        f"sys.argv = ['featsieve', *{words.split()!r}]\n"
        "try:\n    main()\n"
        "except SystemExit as leaving:\n    assert leaving.code == 0\n"
        f"found = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "assert not found, found\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=False, text=True
    )
    assert result.returncode == 0, result.stderr


def test_importing_the_package_imports_nothing_heavy():
    code = (
        "import sys, featsieve\n"
        "assert not {'numpy', 'sklearn', 'importlib.metadata'} & set(sys.modules)\n"
        "assert featsieve.__version__[0].isdigit()\n"
        "assert not hasattr(featsieve, 'nonsense')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["rnak"],
            r"No such command 'rnak'\. Did you mean 'rank'\? See `\w+ --help`\.",
        ),
        (["rank"], r"Missing argument 'DATA\.\.\.'\. See `\w+ rank --help`\."),
        # click and Typer's own copy of it word this one differently.
        (
            ["rank", "x.csv", "--tpo", "3"],
            r"No such option:? '?--tpo'?\W+(Did you mean|Possible).*--top.* See `",
        ),
        (
            ["rank", "x.csv", "--top", "0"],
            r"Invalid value for '--top' / '-k': 0 is less than 1\. See",
        ),
        (["rank", "x.csv", "--top", "many"], "Invalid value for '--top'"),
        (["inspect", "x.csv", "--separator", ";;"], "';;' is not one character"),
        (["inspect", "x.csv", "--encoding", "utf-9"], "'utf-9' is not an encoding"),
    ],
)
def test_wrong_usage_is_told_in_one_line(words, told):
    result = run(*words)
    assert result.exit_code == 2
    line = only_line(result)
    assert re.search(told, line), line
    assert not re.search(r"[?.!]\)?\.", line.replace("...", "")), "one full stop"
    assert result.stdout == ""


def test_unexpected_error_asks_for_debug(churn, monkeypatch):
    def fail(*_, **__):
        message = "a bug\nof two lines"
        raise RuntimeError(message)

    monkeypatch.setattr("featsieve.data.read_table", fail)
    result = run("inspect", churn)
    assert result.exit_code == 1
    line = only_line(result)
    assert "RuntimeError: a bug of two lines." in line
    assert "Run again with --debug" in line


@pytest.mark.parametrize("position", ["before", "after"])
def test_debug_shows_the_traceback(position, tmp_path):
    path = str(tmp_path / "none.csv")
    words = ["--debug", "inspect", path]
    result = run(*(words if position == "before" else words[1:] + words[:1]))
    assert result.exit_code == 1
    assert "Traceback (most recent call last)" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("featsieve: There is no file")


def test_interrupt_is_quiet(churn, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("featsieve.data.read_table", interrupt)
    result = run("rank", churn, "--target", "churn")
    assert (result.exit_code, result.output) == (130, "")


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_interrupt_of_the_program_is_quiet(churn):
    code = (
        "import signal, sys, time, featsieve.cli, featsieve.data\n"
        # Programs in the background inherit that interrupts are ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def sleep(*_, **__):\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(60)\n"
        "featsieve.data.read_table = sleep\n"
        f"sys.argv = ['featsieve', 'rank', {str(churn)!r}, '--target', 'churn']\n"
        "featsieve.cli.main()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as program:
        assert program.stdout.readline() == b"ready\n"
        program.send_signal(signal.SIGINT)
        output, errors = program.communicate(timeout=60)
    assert (program.returncode, output, errors) == (130, b"", b"")


def test_out_of_memory_is_told_kindly(churn, monkeypatch):
    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr("featsieve.data.read_table", fail)
    result = run("rank", churn, "--target", "churn")
    assert result.exit_code == 1
    assert "not enough memory" in only_line(result)


def test_warnings_are_one_line(churn, monkeypatch, recwarn):
    import warnings

    from featsieve.data import read_table

    def warn(*args, **options):
        warnings.warn("odd\nthings", UserWarning, stacklevel=2)
        return read_table(*args, **options)

    monkeypatch.setattr("featsieve.data.read_table", warn)
    warnings.simplefilter("always")
    result = run("inspect", churn)
    assert result.exit_code == 0
    assert only_line(result) == "warning: odd things"
    assert not recwarn.list


def test_as_a_program_exit_codes_and_streams(churn, tmp_path):
    fine = run_program("inspect", churn)
    assert (fine.returncode, fine.stderr) == (0, b"")
    lost = run_program("inspect", tmp_path / "lost.csv")
    assert (lost.returncode, lost.stdout) == (1, b"")
    assert lost.stderr.count(b"\n") == 1
    assert run_program("inspect").returncode == 2


def test_a_reader_that_leaves_early_is_no_error(tmp_path):
    path = tmp_path / "wide.csv"
    names = [f"column_{i}" for i in range(3000)]
    path.write_text(",".join(names) + "\n" + ",".join("1" for _ in names) + "\n")
    command = f"{sys.executable} -m featsieve inspect {path} --all | head -1"
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
        env=os.environ | {"COLUMNS": "300"},
    )
    assert result.stderr == ""
    assert result.returncode == 0
    assert "1 row, 3,000 columns" in result.stdout


def test_plain_terminal_without_unicode(write):
    path = write("größe,klasse\n1,ä\n2,b\n3,ä\n", "daten.csv")
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    env["PYTHONIOENCODING"] = "ascii"
    result = run_program("rank", path, "--target", "klasse", env=env)
    assert result.returncode == 0, result.stderr
    text = result.stdout.decode("ascii")
    assert "gr??e" in text  # width is kept
    result = run_program("inspect", path, "--target", "größe2", env=env)
    assert (result.returncode, result.stderr.count(b"\n")) == (1, 1)


def test_the_console_script_is_the_same_program():
    script = Path(sys.executable).with_name("featsieve")
    result = subprocess.run([script, "--version"], capture_output=True, check=True)
    assert result.stdout == run_program("--version").stdout
