"""Verdicts of a selection for people."""

from __future__ import annotations

import pytest

from cli.showing import shown
from featsieve.cli._errors import UsageProblem
from featsieve.cli._options import Source
from featsieve.cli.views.select import (
    MOST_NAMES,
    _others,
    _shortened,
    _verdict,
    print_selection,
    select_features,
    write_selected,
)
from featsieve.data import read_table
from featsieve.selection import Selection


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    rows = "".join(f"{'uv'[k % 2]},{k * 7 % 5},one,{'pq'[k % 2]}\n" for k in range(120))
    path = tmp_path_factory.mktemp("select") / "data.csv"
    path.write_text(f"good,noise,constant,y\n{rows}", encoding="utf-8")
    return Source([path])


@pytest.fixture(scope="module")
def selection(source):
    return select_features(source, quiet=True, target="y", n_jobs=1)


def test_a_target_is_asked_for(source):
    with pytest.raises(UsageProblem, match="'good', 'noise'"):
        select_features(source, quiet=True, target=None)


def test_what_is_kept_and_what_is_not(selection):
    text = shown(print_selection, selection, quiet=False)
    assert "Features that matter for 'y'" in text
    assert "1 of 3 features kept for 'y' (false discovery rate" in text
    assert "unusable: constant" in text
    assert "95 % interval" in text
    assert "95 % interval" not in shown(
        print_selection, selection, quiet=True, width=60
    )
    assert len(text) > len(shown(print_selection, selection, quiet=True))


def test_kept_columns_are_copied_with_the_target(source, selection, tmp_path):
    write_selected(source, selection, tmp_path / "out.csv")
    table = read_table(tmp_path / "out.csv", "y")
    assert (table.names, table.n_rows) == (("good",), 120)


def test_nothing_kept_is_said():
    summary = {
        "features": [],
        "table": {"n_columns": 4},
        "target": {"name": "y"},
        "computation": {"parameters": {}},
    }
    assert "None of 4 features" in _verdict(summary).plain


def test_fates_of_the_others():
    def row(feature, verdict, **more):
        usual = {"kept": False, "interchangeable_with": []}
        return {"feature": feature, "verdict": verdict} | usual | more

    ledger = [
        row("a", "redundant", displaced_by=["b", "c"]),
        row("d", "irrelevant"),
        row("e", "irrelevant"),
        row("f", "unusable", note="constant"),
        row("b", "strongly relevant", kept=True, interchangeable_with=["a", "g"]),
        row("g", "not told apart", displaced_by=["b"]),
        row("c", "strongly relevant", kept=True),
    ]
    summary = {"ledger": ledger, "features": ["b", "c"]}
    assert _others(Selection(summary), summary) == [
        "redundant: a (with b, c)",
        "not told apart: g (from b)",
        "could be kept instead of b: g",
        "irrelevant: 2 (d, e)",
        "unusable: f (constant)",
    ]
    names = [f"n{k}" for k in range(MOST_NAMES + 3)]
    assert _shortened(names).endswith(f"n{MOST_NAMES - 1} and 3 more")
