"""The story of the demo: its table, and the truth it is held against."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from cli.showing import shown
from featsieve.cli._errors import UsageProblem
from featsieve.cli.views.demo import NOMINAL, _can, _print_truth, write_csv
from featsieve.data import read_table
from featsieve.datasets import Truth, make_mixed


def test_the_table_is_written_as_it_is(tmp_path):
    table = make_mixed(200, random_state=0).table
    write_csv(table, tmp_path / "table.csv")
    again = read_table(tmp_path / "table.csv", table.target.name, nominal=[NOMINAL])
    assert again.names == table.names
    for name in ("age", "bill_before_tax"):
        assert np.array_equal(again[name].values, table[name].values, equal_nan=True)
    for name in ("city", "satisfaction"):
        values = [
            [each.levels[code] if code >= 0 else None for code in each.values]
            for each in (again[name], table[name])
        ]
        assert values[0] == values[1]


def test_the_selection_is_held_against_the_truth():
    truth = Truth(
        relevant=("a", "b", "copy"),
        redundant=(("a", "copy"),),
        interactions=(),
        irrelevant=("noise",),
        harmless=(),
    )
    selection = SimpleNamespace(
        features=["a", "noise"],
        interactions=[{"members": ["b", "c"], "kind": "synergy"}],
        verdict={"a": "strongly relevant", "copy": "redundant"}.get,
    )
    text = shown(_print_truth, truth, selection)
    assert "found: 1; missed: b; kept by mistake: noise" in text
    assert "copies set aside: copy" in text
    assert "found only together: b + c" in text


def test_the_story_does_without_extras():
    def missing():
        raise UsageProblem("--report needs Jinja2.")

    assert not _can(missing)
    assert _can(lambda: None)
