"""How tests run the program: in this process, or as a user does."""

from __future__ import annotations

import os
import subprocess
import sys

from typer.testing import CliRunner

from featsieve.cli._main import app

CHURN = """\
customer,age,plan,joined,country,usage,churn
1,34,basic,2021-01-04,NO,1.5,no
2,51,plus,2021-02-11,NO,2.5,no
3,29,basic,2020-07-30,NO,,yes
4,44,basic,2019-03-02,NO,9.5,yes
5,38,plus,2022-05-19,NO,3.5,no
6,61,,2018-11-23,NO,8.0,yes
7,47,plus,2021-09-14,NO,2.0,no
8,33,basic,2020-01-01,NO,7.5,yes
9,55,plus,2017-06-08,NO,1.0,no
10,26,basic,2022-12-25,NO,8.5,yes
11,41,plus,2021-04-17,NO,2.5,no
12,39,basic,2019-10-05,NO,9.0,yes
"""


def run(*words, **options):
    """Run in this process, 100 columns wide and without colours."""
    env = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"} | options.pop("env", {})
    return CliRunner().invoke(app, [str(word) for word in words], env=env, **options)


def run_program(*words, env=None, **options):
    """Run ``python -m featsieve`` as a program of its own."""
    return subprocess.run(
        [sys.executable, "-m", "featsieve", *map(str, words)],
        capture_output=True,
        check=False,
        env=os.environ | {"COLUMNS": "100", "PYTHONIOENCODING": "utf-8"} | (env or {}),
        timeout=120,
        **options,
    )


def only_line(result):
    """Return the one line on standard error; fail if there are more."""
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("featsieve: ")
    assert "Traceback" not in result.output
    return lines[0].removeprefix("featsieve: ")
