"""Bars on tables in parts tell the truth: all rows, never more, never less."""

from __future__ import annotations

import contextlib

import numpy as np
import pandas as pd
import pytest

from cli.running import run
from featsieve.cli.views import answers, interaction_answers
from featsieve.data import open_stream
from featsieve.selection import _opening, _select

N_ROWS = 1500


@pytest.fixture(scope="module", params=[".parquet", ".csv"])
def folder(request, tmp_path_factory):
    random = np.random.default_rng(0)
    place = tmp_path_factory.mktemp("parts")
    frame = pd.DataFrame(
        {
            "a": random.choice(["x", "y"], N_ROWS),
            "size": random.normal(size=N_ROWS).round(2),
            "class": random.choice(["p", "n"], N_ROWS),
        }
    )
    for k in range(3):
        part = frame[k * 500 : (k + 1) * 500]
        if request.param == ".csv":
            part.to_csv(place / f"{k}.csv", index=False)
        else:
            part.to_parquet(place / f"{k}.parquet", row_group_size=200)
    return place


class Recorder:
    """Stands in for the bars of the command line, and keeps what they were told."""

    def __init__(self):
        self.bars = []

    @contextlib.contextmanager
    def counting(self, text, total, **_):
        told = []
        self.bars.append((text, total, told))
        yield told.append


@pytest.fixture
def recorder(monkeypatch):
    own = Recorder()
    for module in (answers, interaction_answers):
        monkeypatch.setattr(module, "counting", own.counting)
    return own


@pytest.mark.parametrize("command", ["rank", "interactions"])
def test_every_bar_counts_all_rows_once(folder, recorder, command):
    result = run(command, folder, "--target", "class", "--jobs", "2")
    assert result.exit_code == 0, result.stderr
    assert recorder.bars
    for text, total, told in recorder.bars:
        assert total in (None, N_ROWS), text
        # A bar may have nothing to do; else it ends where the rows end.
        assert sum(told) in (0, N_ROWS), text
        assert all(n > 0 for n in told)
    assert any(sum(told) == N_ROWS for _, total, told in recorder.bars if total)


def test_stages_of_select_name_the_rows(folder, monkeypatch):
    monkeypatch.setattr(_opening, "MOST_DRAWN", 400)
    told = []

    @contextlib.contextmanager
    def showing(_):
        yield lambda *words: told.append(words)

    monkeypatch.setattr(_select, "showing_progress", showing)
    _select.select(open_stream(folder, "class"))
    for stage in ("read", "screen", "together"):
        shares = [words[1:] for words in told if words[0] == stage and len(words) > 1]
        assert shares[-1][1] == "1,500 of 1,500 rows"
        sizes = [share for share, _ in shares]
        assert sizes == sorted(sizes)
        # Tests follow the last row, so the stage is not over with it.
        assert 0 < sizes[-1] < 1
