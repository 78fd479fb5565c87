"""Progress: on a terminal only, and gone afterwards."""

from __future__ import annotations

import pytest
import rich.console

from featsieve.sieve._stage_display import STAGES, showing_progress


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
