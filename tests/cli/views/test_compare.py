"""Comparisons for people: a table for each learner, verdicts, failures."""

from __future__ import annotations

import csv

import pytest

from cli.showing import shown
from featsieve.cli._errors import UsageProblem
from featsieve.cli._options import Source
from featsieve.cli.views.compare import (
    compare_selectors,
    print_comparison,
    write_comparison,
)


@pytest.fixture(scope="module")
def answer(tmp_path_factory):
    rows = "".join(f"{k % 5},{k * k % 7},{'pq'[k % 5 > 2]}\n" for k in range(40))
    path = tmp_path_factory.mktemp("compare") / "data.csv"
    path.write_text(f"a,b,y\n{rows}", encoding="utf-8")
    _, answer = compare_selectors(
        Source([path]),
        quiet=True,
        target="y",
        selectors=["information-gain"],
        estimators=["naive-bayes"],
        cv=3,
    )
    return answer


@pytest.mark.parametrize(
    ("wish", "fault"),
    [
        ({"selectors": ["none-such"]}, "--selectors knows no 'none-such'. Say one of"),
        ({"estimators": ["none-such"]}, "--estimators knows no 'none-such'"),
        ({"scoring": "none-such"}, "--scoring knows no 'none-such'"),
    ],
)
def test_wishes_are_checked_before_the_table_is_read(tmp_path, wish, fault):
    with pytest.raises(UsageProblem, match=fault):
        compare_selectors(
            Source([tmp_path / "gone.csv"]), quiet=True, target="y", **wish
        )


def test_selectors_are_listed_best_first(answer):
    text = shown(print_comparison, answer, quiet=False)
    assert "Which selector serves 'y' best?" in text
    assert "with naive-bayes" in text
    rows = [row for row in answer["table"] if row["score"] is not None]
    best = max(rows, key=lambda row: row["score"])
    assert f"{best['score']:.4f}" in text
    listed = text[text.index("with naive-bayes") :]
    assert listed.index(best["selector"]) == min(
        listed.index(row["selector"]) for row in rows
    )
    assert "Nadeau" in text
    assert "Nadeau" not in shown(print_comparison, answer, quiet=True)


def test_failures_are_told(answer):
    failure = {"selector": "s", "estimator": "e", "split": 2, "error": "no luck"}
    text = shown(print_comparison, answer | {"failures": [failure] * 5}, quiet=True)
    assert "5 fits failed" in text
    assert text.count("- s with e, split 2: no luck") == 3


def test_the_table_is_written(answer, tmp_path):
    write_comparison(answer, tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["selector"] for row in rows] == [
        row["selector"] for row in answer["table"]
    ]
